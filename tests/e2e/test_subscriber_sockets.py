"""Subscribers on real sockets, against a service in a process of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import cast

import pytest

from feed.endpoints import Endpoints
from feed.subscriber import (
    AsyncSubscriber,
    CaughtUp,
    Fact,
    Filled,
    Fresh,
    Gap,
    Item,
    Joined,
    NotShown,
    Refused,
    Restarted,
    Rewritten,
    Stale,
    Subscriber,
    Waiting,
    sockets,
)
from tests.fakes.feed_model import ModelJournal, ModelTable
from tests.fakes.feed_process import TABLE, feed, journal_of
from tests.fakes.feed_server import Keys, ListHistory, feed_server, short_folder
from tests.fakes.time_limits import HANG_S


@pytest.fixture
def folder() -> Iterator[Path]:
    with short_folder() as folder:
        yield folder


@pytest.fixture
def base(folder: Path) -> str:
    return f"ipc://{folder}"


@pytest.fixture
def journal(folder: Path) -> Path:
    return folder / "journal"


class Reader:
    """What a subscriber gave so far."""

    def __init__(self, subscriber: Subscriber) -> None:
        self.subscriber = subscriber
        self.items: list[Item] = []

    def until(self, enough: Callable[[Item], bool]) -> Item:
        """Reads until an item is what is waited for."""
        while (item := self.subscriber.next(HANG_S)) is not None:
            self.items.append(item)
            if enough(item):
                return item
        raise AssertionError(f"it never came; the last were {self.items[-5:]}")

    def until_event(self, seq: int) -> None:
        """Reads up to an event."""
        if seq not in {item.event.seq for item in self.items if isinstance(item, Fact)}:
            self.until(lambda item: isinstance(item, Fact) and item.event.seq == seq)

    @property
    def bodies(self) -> list[bytes]:
        """The durable facts."""
        return [item.body for item in self.items if isinstance(item, Fact) and item.event.seq is not None]

    def kinds(self, *kinds: type[Item]) -> list[Item]:
        """The items of some kinds."""
        return [item for item in self.items if isinstance(item, kinds)]


def is_a(kind: type[Item]) -> Callable[[Item], bool]:
    return lambda item: isinstance(item, kind)


def test_readers_that_join_while_events_are_published_miss_nothing(base: str, journal: Path) -> None:
    with feed(base, journal, "e1", pause_ms=1) as service:
        readers = []
        for _ in range(5):
            reader = Reader(Subscriber(base))
            reader.until(lambda item: isinstance(item, Fact) and item.event.seq is not None)
            readers.append(reader)
        last = service.end()
        for reader in readers:
            reader.until_event(last)
            reader.subscriber.close()
            joined = reader.kinds(Joined)
            assert isinstance(joined[0], Joined)
            assert len(joined) == 1
            assert reader.bodies == journal_of(journal).bodies(TABLE, joined[0].snapshot.last)


def test_a_reader_survives_three_kills_of_the_service(base: str, journal: Path) -> None:
    with Subscriber(base, since=0) as subscriber:
        reader = Reader(subscriber)
        reader.until(is_a(Waiting))
        for number in range(4):
            with feed(base, journal, f"e{number}") as service:
                if number:
                    reader.until(is_a(Restarted))
                service.burst(30)
                reader.until(lambda item: isinstance(item, Fact) and item.event.seq is not None)
                if number == 3:
                    reader.until_event(service.end())
    assert reader.bodies == journal_of(journal).bodies(TABLE)
    assert not reader.kinds(Rewritten)


def test_a_frozen_service_is_stale_and_fresh_again_when_it_continues(base: str, journal: Path) -> None:
    with Subscriber(base, since=0) as subscriber, feed(base, journal, "e1") as service:
        reader = Reader(subscriber)
        reader.until(is_a(Fact))
        service.freeze()
        reader.until(is_a(Stale))
        assert subscriber.stale == {TABLE}
        service.thaw()
        reader.until(is_a(Fresh))
        assert not subscriber.stale
        reader.until_event(service.end())
        assert reader.bodies == journal_of(journal).bodies(TABLE)


def test_the_successor_of_a_frozen_service_is_followed(base: str, journal: Path) -> None:
    with Subscriber(base, since=0) as subscriber:
        reader = Reader(subscriber)
        with feed(base, journal, "e1") as frozen:
            reader.until(is_a(Fact))
            frozen.freeze()
            reader.until(is_a(Stale))
        with feed(base, journal, "e2") as service:
            reader.until(is_a(Restarted))
            reader.until_event(service.end())
    assert reader.bodies == journal_of(journal).bodies(TABLE)


def test_a_slow_reader_detects_and_fills_its_gaps(base: str, journal: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sockets, "RECEIVE_QUEUE", 50)
    with feed(base, journal, "e1") as service, Subscriber(base, since=0) as subscriber:
        reader = Reader(subscriber)
        reader.until(is_a(CaughtUp))
        # Nobody reads while these are said: the queues of both sides and of the kernel overflow.
        service.burst(12_000)
        reader.until_event(service.end())
        if not reader.kinds(Filled):
            reader.until(is_a(Filled))
        assert reader.kinds(Gap)
        assert reader.bodies == journal_of(journal).bodies(TABLE)


def test_a_reader_continues_from_its_stored_position(base: str, journal: Path) -> None:
    with feed(base, journal, "e1") as service:
        with Subscriber(base, since=0) as subscriber:
            before = Reader(subscriber)
            before.until(lambda item: isinstance(item, Fact) and item.event.seq == 20)
            position = subscriber.position
        assert position[TABLE].seq == 20
        service.burst(50)
        with Subscriber(base, since=position) as subscriber:
            after = Reader(subscriber)
            after.until_event(service.end())
    assert before.bodies + after.bodies == journal_of(journal).bodies(TABLE)


def test_a_journal_that_lost_its_end_is_reported(base: str, journal: Path) -> None:
    with Subscriber(base, since=0) as subscriber:
        reader = Reader(subscriber)
        with feed(base, journal, "e1") as service:
            service.burst(20)
            last = service.end()
            reader.until_event(last)
        lines = journal.read_bytes().splitlines(keepends=True)
        journal.write_bytes(b"".join(lines[:1]))
        assert len(lines) > 1
        with feed(base, journal, "e2"):
            report = reader.until(is_a(Rewritten))
            assert isinstance(report, Rewritten)
            assert report.held.seq == last
            assert report.held.epoch == "e1"
            assert report.journal.epoch == "e2"


def test_only_real_tables_are_delivered_by_default_and_others_are_notified_and_warned_of(
    base: str, journal: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with feed(base, journal, "e1"), Subscriber(base, simulated=True) as subscriber:
        assert Reader(subscriber).until(is_a(NotShown)) == NotShown(table=TABLE, simulated=False)
    (warned,) = [record.getMessage() for record in caplog.records if record.name == "feed.subscriber.reader"]
    assert warned.startswith(f"nothing to follow yet: {TABLE} is real, and only simulated tables are asked for")
    assert "simulated=None" in warned


def test_an_asynchronous_reader_survives_a_restart(base: str, journal: Path) -> None:
    async def read() -> list[Item]:
        items: list[Item] = []
        loop = asyncio.get_running_loop()
        async with AsyncSubscriber(base, since=0) as subscriber, asyncio.timeout(HANG_S):
            for epoch in ("e1", "e2"):
                with await loop.run_in_executor(None, lambda epoch=epoch: feed(base, journal, epoch)) as service:  # type: ignore[misc]
                    last = await loop.run_in_executor(None, service.end)
                    async for item in subscriber:
                        items.append(item)
                        if isinstance(item, Fact) and item.event.seq == last:
                            break
            assert subscriber.position[TABLE].seq == last
        return items

    items = asyncio.run(read())
    said = [item.body for item in items if isinstance(item, Fact) and item.event.seq is not None]
    assert said == journal_of(journal).bodies(TABLE)
    assert [item for item in items if isinstance(item, Restarted)]


def test_a_reader_with_an_allowed_key_gets_everything_and_with_another_nothing(base: str, folder: Path) -> None:
    keys, journal = Keys(folder), ModelJournal()
    table = ModelTable(journal, TABLE, "e1")
    table.open()
    allowed, unknown = keys.client("board"), keys.client("stranger", role=None)
    history = cast(ListHistory, journal)
    with feed_server(Endpoints.parse(base), history, keys) as server, Subscriber(base, since=0, curve=allowed) as good:
        reader = Reader(good)
        with Subscriber(base, since=0, curve=unknown) as bad:
            server.publish(*table.heartbeat())
            reader.until(is_a(CaughtUp))
            assert reader.bodies == journal.bodies(TABLE)
            assert isinstance(bad.next(HANG_S), Refused)
            assert bad.next(1.5) is None
