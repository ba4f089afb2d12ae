"""Which service a relay relays a table from, and when its seals may be published; no socket and no time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, cast

import pytest

from feed.events import decode
from feed.subscriber import CaughtUp, Fact, Notice, Position, Rewritten, Stale
from feed.wire import AskSince, ErrorAnswer, HistoryAnswer, RequestRefusal
from fleet.connection import NatsAddress
from fleet.relay import SETTLED_BEATS, Relay, RelayedService, RelayPlan, _Session
from fleet.seals import read_seals
from fleet.subjects import stream_of
from hal.clock import SystemClock
from hal.loop import run_virtual, sleep_ns
from tests.fakes.feed_model import ModelJournal, ModelTable

if TYPE_CHECKING:
    from fleet.connection import Connection

VENUE, TABLE = "hall", "wheel-1"
OWN, OLD = RelayedService("ipc:///own"), RelayedService("ipc:///old")
PLACE = Position("5e" * 8, 1)


class Published:
    """In place of a connection: keeps what is published, and acknowledges it."""

    def __init__(self) -> None:
        self.subjects: list[str] = []

    async def publish(self, subject: str, _body: bytes) -> None:
        self.subjects.append(subject)

    async def request(self, subject: str, _body: bytes, _headers: Mapping[str, str] | None = None) -> bytes:
        self.subjects.append(subject)
        return b'{"stream":"%s","seq":1}' % stream_of(VENUE).encode()


class Table:
    """A table of a service, and one connection of the relay that follows it."""

    def __init__(self, relay: Relay, session: _Session, published: Published) -> None:
        self.relay, self.session, self.published = relay, session, published
        self.journal = ModelJournal()
        self.model = ModelTable(self.journal, TABLE, PLACE.epoch)

    async def sends(self, service: RelayedService) -> None:
        """A service sends a heartbeat of the table."""
        _, body = self.model.heartbeat()
        await self.session._take(service, Fact(decode(body), body))

    @property
    def state(self) -> str:
        """What the relay reports."""
        return self.relay.report().tables[TABLE].state


NOTICES: list[Notice] = [
    CaughtUp(table=TABLE, position=PLACE),
    Stale(table=TABLE, silent_ns=0, had_heartbeat=False),
    Rewritten(table=TABLE, why="it is older", held=PLACE, journal=PLACE),
]


def run(check: Callable[[Table], Awaitable[None]]) -> None:
    async def run() -> None:
        plan = RelayPlan(NatsAddress.parse("nats://127.0.0.1:4222"), VENUE, [OLD, OWN], "test")
        relay, published = Relay(plan, SystemClock()), Published()
        async with asyncio.TaskGroup() as group:
            connection = cast("Connection", published)
            session = _Session(plan, relay.progress, connection, group, relay.report)
            table = Table(relay, session, published)
            table.model.open()
            await check(table)
            for lane in asyncio.all_tasks() - {asyncio.current_task()}:
                lane.cancel()

    run_virtual(run())


@pytest.mark.parametrize("notice", NOTICES, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("first", [False, True], ids=["later", "first"])
def test_a_service_that_only_knows_a_table_does_not_serve_it(notice: Notice, first: bool) -> None:
    async def check(table: Table) -> None:
        if first:
            await table.session._take(OLD, notice)
        await table.sends(OWN)
        await table.session._take(OLD, notice)
        await table.session._take(OWN, CaughtUp(table=TABLE, position=PLACE))
        lane = table.relay.progress.lanes[TABLE]
        assert (lane.service, lane.refused, table.relay.progress.rewritten) == (OWN.endpoint, "", {})
        lane.position = lane.position._replace(seq=1)
        assert table.state == "live"

    run(check)


def test_a_second_service_that_sends_something_of_a_table_refuses_it() -> None:
    async def check(table: Table) -> None:
        await table.sends(OWN)
        await table.sends(OLD)
        assert table.state == "refused"

    run(check)


@pytest.mark.parametrize("silent", [OWN, OLD], ids=["its own", "the other"])
def test_a_silent_service_hands_its_table_to_none_whose_journal_is_another(
    silent: RelayedService, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[AskSince] = []

    async def refuse(_endpoints: object, request: AskSince, _curve: object) -> HistoryAnswer:
        asked.append(request)
        return ErrorAnswer(b"since", RequestRefusal(code="rewritten", detail="it is not in the journal"))

    async def last(_stream: str, _table: object) -> Position:
        return PLACE

    async def check(table: Table) -> None:
        monkeypatch.setattr(table.session, "_position", last)
        await table.sends(OWN)
        await table.sends(OLD)
        for beat in range(1, SETTLED_BEATS + 2):
            await table.sends(OLD if silent is OWN else OWN)
            table.session._look_for_settled(beat)
            await sleep_ns(1)
        assert len(asked) == (silent is OWN)
        assert table.relay.progress.lanes[TABLE].service == OWN.endpoint
        assert (table.state == "refused") is (silent is OWN)

    monkeypatch.setattr("fleet.relay.ask", refuse)
    run(check)


def test_a_seal_waits_for_a_refused_table() -> None:
    async def check(table: Table) -> None:
        table.journal.seal()
        (seal,) = read_seals(table.journal.seals())
        await table.sends(OWN)
        await table.sends(OLD)
        table.published.subjects.clear()
        assert not await table.session._publish_seal(OWN, seal)
        assert table.published.subjects == []
        lane = table.relay.progress.lanes[TABLE]
        lane.position = lane.position._replace(seq=seal.heads[TABLE][0])
        assert await table.session._publish_seal(OWN, seal)
        assert len(table.published.subjects) == 1

    run(check)
