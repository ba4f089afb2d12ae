"""The scoreboard's server over real sockets of a feed: what a page receives while the history of one table changes,
and with keys that are allowed or not."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import aiohttp
import pytest

from feed.allow_list import Allowed, allow, revoke
from feed.endpoints import Endpoints
from feed.keys import ClientCurve, new_pair
from feed.subscriber.handshake import NOT_ALLOWED, WRONG_SERVER
from scoreboard import gateway
from scoreboard.gateway import ASKED_NOTHING, FULL, Source
from scoreboard.web.sender import TOO_SLOW
from tests.fakes.board_site import TIME, BoardSite, PlayedTable, board_site, roulette
from tests.fakes.feed_model import ModelJournal, ModelTable
from tests.fakes.feed_server import FeedServer, Keys, feed_server, short_folder
from tests.fakes.time_limits import HANG_S

CHANGED, OTHER = "wheel-1", "wheel-2"


class Page:
    """The messages that a page receives of the boards' server."""

    def __init__(self, live: aiohttp.ClientWebSocketResponse) -> None:
        self._live = live
        self.messages: list[dict[str, Any]] = []

    async def until(self, enough: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Receives until a message is what is waited for."""
        while True:
            message: dict[str, Any] = json.loads((await self._live.receive()).data)
            self.messages.append(message)
            if enough(message):
                return message

    async def until_board(self, key: str, last: int) -> dict[str, Any]:
        """Receives until the board of a table has its last event."""
        message = await self.until(
            lambda one: one["type"] == "board" and one["key"] == key and one["board"].get("sequence") == last
        )
        board: dict[str, Any] = message["board"]
        return board

    async def until_subscribed(self, server: FeedServer) -> None:
        """Receives until nothing that is published from now on is lost."""
        while server.do(lambda: server.publisher.subscriptions) == 0:
            await self.until(lambda one: one["type"] == "beat")

    def boards(self, key: str) -> list[dict[str, Any]]:
        """What was received of a table, in order."""
        return [one["board"] for one in self.messages if one["type"] == "board" and one["key"] == key]


@asynccontextmanager
async def page_of(site: BoardSite) -> AsyncIterator[Page]:
    """A page of the site; it ends with the block."""
    async with (
        asyncio.timeout(HANG_S),
        aiohttp.ClientSession() as session,
        session.ws_connect(f"{site.url}live", origin=site.url.rstrip("/")) as live,
    ):
        await live.send_str("{}")
        yield Page(live)


def play(server: FeedServer, *tables: ModelTable) -> None:
    """One event of each."""
    for table in tables:
        server.do(lambda table=table: server.publisher.publish(*table.open()))  # type: ignore[misc]


@contextmanager
def served(journal: ModelJournal, source: Source, keys: Keys | None = None) -> Iterator[tuple[FeedServer, BoardSite]]:
    """A service with these events, whose tables a test plays, and a site that follows it."""
    with (
        feed_server(Endpoints.parse(source.endpoint), journal, keys) as server,  # type: ignore[arg-type]
        board_site([source]) as site,
    ):
        yield server, site


def test_only_the_table_whose_history_changed_is_joined_again() -> None:
    async def main(server: FeedServer, site: BoardSite) -> None:
        async with page_of(site) as page:
            await page.until_board(CHANGED, 4)
            await page.until_subscribed(server)
            play(server, other)
            await page.until_board(OTHER, 5)
            server.do(lambda: journal.lose(CHANGED, 3))
            play(server, other, ModelTable(journal, CHANGED, "e2"))
            board = await page.until_board(CHANGED, 2)
            assert board["epoch"] == "e2"
            play(server, other)
            await page.until_board(OTHER, 7)
        # Its old numbers leave the page before its new ones come.
        assert [one.get("sequence", 0) for one in page.boards(CHANGED)] == [4, 0, 2]
        # The other table is as it was: no board of it comes twice.
        assert [one["sequence"] for one in page.boards(OTHER)] in ([4, 5, 6, 7], [5, 6, 7])

    journal = ModelJournal()
    changed, other = (ModelTable(journal, name, "e1") for name in (CHANGED, OTHER))
    for _ in range(4):
        changed.open()
        other.open()
    with short_folder() as folder, served(journal, Source(f"ipc://{folder}")) as (server, site):
        asyncio.run(main(server, site))


def test_a_board_with_an_allowed_key_has_every_event() -> None:
    async def main(server: FeedServer, site: BoardSite) -> None:
        async with page_of(site) as page:
            await page.until_board(OTHER, 1)
            await page.until_subscribed(server)
            play(server, table)
            await page.until_board(OTHER, 2)

    journal = ModelJournal()
    table = ModelTable(journal, OTHER, "e1")
    table.open()
    with short_folder() as folder:
        keys = Keys(folder)
        source = Source(f"ipc://{folder}", curve=keys.client("board"))
        with served(journal, source, keys) as (server, site):
            asyncio.run(main(server, site))


async def probe(site: BoardSite, path: str) -> tuple[int, dict[str, Any]]:
    """The status and the body of a probe."""
    async with aiohttp.ClientSession() as session, session.get(f"{site.url}{path}") as answer:
        return answer.status, await answer.json()


def test_probes_tell_a_site_that_follows_its_service_from_one_that_does_not() -> None:
    async def main(server: FeedServer, site: BoardSite) -> None:
        async with page_of(site) as page:
            await page.until_board(OTHER, 1)
            await page.until_subscribed(server)
            server.do(lambda: server.publisher.publish(*table.heartbeat()))
            await page.until(lambda one: one["type"] == "beat" and one["silent"][OTHER] is not None)
            assert await probe(site, "livez") == (200, {"status": "ok", "problems": []})
            assert await probe(site, "readyz") == (200, {"status": "ok", "problems": []})
            status, body = await probe(site, "readyz?table=whel-2")
            assert (status, body["problems"]) == (404, ['no table "whel-2"; there are: wheel-2'])

    async def silent(site: BoardSite) -> None:
        assert await probe(site, "readyz") == (
            503,
            {"status": "failed", "problems": ["ipc:///test: nothing is received"]},
        )
        status, body = await probe(site, f"readyz?table={OTHER}")
        assert (status, body["problems"]) == (503, [f"table {OTHER} is stale"])

    async def alone(site: BoardSite) -> None:
        assert (await probe(site, "livez"))[0] == 200
        status, body = await probe(site, "readyz")
        assert status == 503
        assert "nothing is received" in body["problems"][0]

    journal = ModelJournal()
    table = ModelTable(journal, OTHER, "e1")
    table.open()
    with short_folder() as folder, served(journal, Source(f"ipc://{folder}")) as (server, site):
        asyncio.run(main(server, site))
    with short_folder() as folder, board_site([Source(f"ipc://{folder}")]) as site:
        asyncio.run(alone(site))
    with board_site() as site:
        played = PlayedTable(OTHER, "roulette")
        played.open()
        site.join(played)
        site.silence(played, 8)
        asyncio.run(silent(site))


@pytest.mark.parametrize("case", ["unknown", "revoked", "another server"])
def test_a_board_whose_key_is_refused_has_no_table_and_page_and_log_state_why(
    case: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def main(server: FeedServer, site: BoardSite) -> None:
        async with page_of(site) as page:
            beat = await page.until(lambda one: one["type"] == "beat" and one["services"][0]["trouble"])
            assert beat["services"] == [{"name": source.endpoint, "connected": False, "trouble": why}]
            assert page.boards(OTHER) == []
            if case != "another server":
                # Allowed later: it is let in without a new start, and no trouble is left.
                (keys.allowed / "hall.toml").unlink(missing_ok=True)
                allow(keys.allowed, Allowed(name="hall", public=pair.public, role="read-only"))
                assert server.authenticator is not None
                server.do(server.authenticator.reload)
                await page.until_board(OTHER, 1)
                await page.until(lambda one: one["type"] == "beat" and not one["services"][0]["trouble"])

    journal, pair = ModelJournal(), new_pair("hall")
    ModelTable(journal, OTHER, "e1").open()
    why = WRONG_SERVER if case == "another server" else NOT_ALLOWED
    with short_folder() as folder:
        keys = Keys(folder)
        keys.client("another-board")
        if case != "unknown":
            allow(keys.allowed, Allowed(name="hall", public=pair.public, role="read-only"))
        if case == "revoked":
            revoke(keys.allowed, "hall")
        server_key = new_pair("other").public if case == "another server" else keys.server.public
        source = Source(f"ipc://{folder}", curve=ClientCurve(pair, server_key))
        with served(journal, source, keys) as (server, site):
            asyncio.run(main(server, site))
    told = [record.getMessage() for record in caplog.records if record.name == "scoreboard.gateway"]
    assert told == [f"{source.endpoint} is connected, and {why}"]


# --- strangers --------------------------------------------------------------------------------------------------------


def test_a_connection_on_which_nothing_is_asked_is_closed_and_told_why(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main(site: BoardSite) -> tuple[object, str | None]:
        async with asyncio.timeout(HANG_S), page_of(site) as page, aiohttp.ClientSession() as session:
            await page.until(lambda message: message["type"] == "beat")
            monkeypatch.setattr(gateway, "ASK_S", 0.01)
            async with session.ws_connect(f"{site.url}live", origin=site.url.rstrip("/")) as silent:
                closed = await silent.receive()
            # A page that asked is still there.
            await page.until(lambda message: message["type"] == "beat")
            return closed.data, closed.extra

    with board_site() as site:
        assert asyncio.run(main(site)) == (1008, ASKED_NOTHING)


@pytest.mark.parametrize(("later_s", "closed"), [(9.9, False), (10.1, True)])
def test_a_page_that_acknowledges_nothing_for_ten_seconds_is_dropped(later_s: float, closed: bool) -> None:
    now_ns = [0]

    def look(site: BoardSite) -> None:
        for page in site.gateway._pages:
            page.must_keep_up(site.gateway.now_ms())
            # Where it is dropped already, it keeps that reason.
            page.sender.close(1001, "end")

    async def main(site: BoardSite) -> list[object]:
        async with (
            asyncio.timeout(HANG_S),
            aiohttp.ClientSession() as session,
            session.ws_connect(f"{site.url}live", origin=site.url.rstrip("/")) as live,
        ):
            await live.send_str('{"now": 0}')
            while not str((await live.receive()).data).startswith('{"type":"sync"'):
                pass
            now_ns[0] = round(later_s * 1e9)
            site.call(lambda: look(site))
            message = await live.receive()
            return [message.data, message.extra]

    with board_site(now_ns=lambda: now_ns[0]) as site:
        assert asyncio.run(main(site)) == ([1013, TOO_SLOW] if closed else [1001, "end"])


def test_one_address_cannot_have_every_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gateway, "MOST_OF_ONE_ADDRESS", 2)

    async def asked(site: BoardSite) -> tuple[int, str]:
        async with aiohttp.ClientSession() as session, session.get(f"{site.url}live") as answer:
            return answer.status, await answer.text()

    async def main(site: BoardSite) -> None:
        async with asyncio.timeout(HANG_S), page_of(site) as first:
            async with page_of(site) as second:
                for page in (first, second):
                    await page.until(lambda message: message["type"] == "beat")
                assert await asked(site) == (503, f"{FULL}\n")
            # A page that has gone leaves its place.
            while (await asked(site))[0] == 503:
                await first.until(lambda message: message["type"] == "beat")

    with board_site() as site:
        asyncio.run(main(site))


def test_what_is_printed_is_made_once_for_all_who_ask_within_a_second() -> None:
    now = [0]
    with board_site(now_ns=lambda: now[0]) as site:
        table = PlayedTable("roulette-1", "roulette")
        site.play(table, [table.open(), *table.played([roulette(5), roulette(7)])])

        async def printed() -> list[int]:
            async with aiohttp.ClientSession() as session, session.get(f"{site.url}evening.json") as answer:
                assert answer.headers["Cache-Control"] == "no-store"
                printed = await answer.json()
                assert printed["made"] == TIME
                (found,) = printed["tables"]
                return [one["round"] for one in found["rounds"]]

        async def twice() -> list[list[int]]:
            return [*await asyncio.gather(printed(), printed())]

        assert asyncio.run(twice()) == [[1, 2], [1, 2]]
        site.play(table, table.played([roulette(9)]))
        now[0] += 999_000_000
        assert asyncio.run(printed()) == [1, 2]
        now[0] += 1_000_000
        assert asyncio.run(printed()) == [1, 2, 3]
