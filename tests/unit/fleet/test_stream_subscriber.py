"""What a subscriber of JetStream reports: messages that are not what they should be, a relay that is behind, histories
that were rewritten, servers that refuse. In virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import pairwise

import msgspec
import pytest

from feed import wire
from feed.events import decode
from feed.subscriber import Fact, Fresh, Joined, Refused, Rewritten, Stale, Trouble
from feed.subscriber.items import Item
from fleet import stream_subscriber
from fleet.connection import NatsRefusedError
from fleet.report import RelayedTable, RelayReport, encode_report
from fleet.stream_subscription import StreamSubscription
from fleet.streams import JetStream, StoredMessage
from fleet.subjects import SEAL, TableName, event_subject, relay_subject
from hal.loop import run_virtual, sleep_ns
from tests.fakes.stream_world import MS, TABLES, VENUE, Reader, S, StreamWorld, run_with

ROULETTE, WHEEL = TABLES


def troubles(reader: Reader, table: str = WHEEL) -> list[str]:
    return [item.detail for item in reader.items if isinstance(item, Trouble) and item.table == table]


def facts(reader: Reader, table: str = WHEEL) -> list[bytes]:
    return [
        item.body
        for item in reader.items
        if isinstance(item, Fact) and item.event.seq is not None and item.event.data.table == table
    ]


def subject_of(table: str, kind: str = "round.opened") -> str:
    return TableName(VENUE, False, table).events.replace(">", kind)


def play(world: StreamWorld, count: int = 10) -> list[bytes]:
    """The wheel's next events."""
    before = len(world.journal.bodies(WHEEL))
    for _ in range(count):
        world.tables[WHEEL].play(world.rng)
    return world.journal.bodies(WHEEL)[before:]


@pytest.mark.parametrize(
    ("body", "headers", "why"),
    [
        (b"{}", {}, "run feltwire fleet verify"),
        (b"\xff\x00", {}, "run feltwire fleet verify"),
        (None, {}, f"it is feltwire.table.opened.v1 of {ROULETTE}, and its subject names another one"),
        (None, {"Nats-Stream-Source": "feltwire-other 17"}, "it came from the stream feltwire-other"),
    ],
)
def test_a_message_that_is_no_event_of_its_subject_is_named_and_passed_over(
    body: bytes | None, headers: dict[str, str], why: str
) -> None:
    async def act(world: StreamWorld, reader: Reader) -> None:
        own = body if body is not None else world.journal.bodies(ROULETTE)[0]
        for _ in range(3):
            world.store(subject_of(WHEEL), own, headers)
        played.extend(play(world))
        await sleep_ns(3 * S)

    played: list[bytes] = []
    _, reader = run_with(act)
    assert facts(reader) == played
    # Once, though there are three of them.
    (told,) = troubles(reader)
    assert f"({subject_of(WHEEL)})" in told
    assert why in told
    assert not reader.subscriber.stale


def test_history_is_read_around_messages_that_are_no_events() -> None:
    async def main() -> Reader:
        world = StreamWorld(3)
        world.quiet = True
        played = play(world, 200)
        for body in world.journal.bodies(WHEEL):
            world.store(event_subject(VENUE, decode(body)), body)
            if not world.rng.randrange(3):
                world.store(subject_of(WHEEL), b"none")
        for _ in range(70):
            world.store(subject_of(WHEEL), b"none")
        reader = Reader(world, 0)
        async with reader.subscriber as subscriber:
            async for item in subscriber:
                reader.items.append(item)
                if len(facts(reader)) == len(played) + 1:
                    return reader
        raise AssertionError("a subscriber does not end")

    reader = run_virtual(main())
    assert facts(reader) == reader.world.journal.bodies(WHEEL)
    assert len(troubles(reader)) == 1


def test_an_event_that_the_stream_has_twice_is_delivered_once() -> None:
    async def act(world: StreamWorld, reader: Reader) -> None:
        for body in world.journal.bodies(WHEEL)[-5:] * 2:
            world.store(event_subject(VENUE, decode(body)), body)
        played.extend(play(world))
        await sleep_ns(3 * S)

    played: list[bytes] = []
    _, reader = run_with(act)
    assert facts(reader) == played
    assert not [item for item in reader.items if isinstance(item, Rewritten)]


def test_a_heartbeat_on_the_subject_of_another_table_counts_for_neither() -> None:
    async def act(world: StreamWorld, reader: Reader) -> None:
        beat = world.tables[ROULETTE].heartbeat()[1]
        del world.tables[WHEEL]
        for _ in range(20):
            world.send(TableName(VENUE, False, WHEEL).live("heartbeat"), beat)
            await sleep_ns(200 * MS)

    _, reader = run_with(act)
    assert reader.subscriber.stale == {WHEEL}
    (told,) = troubles(reader)
    assert "is not what its subject says" in told


def test_a_table_of_which_the_relay_is_behind_is_stale_until_it_has_caught_up() -> None:
    async def act(world: StreamWorld, reader: Reader) -> None:
        world.relaying = False
        played.extend(play(world))
        await sleep_ns(5 * S)
        assert reader.subscriber.stale == {WHEEL}
        (told,) = troubles(reader)
        last = decode(played[-1]).seq
        assert f"the table is at event {last}, and the stream at event" in told
        world.relaying = True
        await sleep_ns(3 * S)

    played: list[bytes] = []
    _, reader = run_with(act)
    assert facts(reader) == played
    assert not reader.subscriber.stale
    assert [type(item) for item in reader.items if isinstance(item, Stale | Fresh)] == [Stale, Fresh]
    assert len(troubles(reader)) == 1


def test_a_table_that_is_joined_while_its_relay_is_behind_is_not_shown_as_new() -> None:
    async def act(world: StreamWorld, reader: Reader) -> None:
        world.relaying = False
        play(world)
        await sleep_ns(6 * S)
        reader.items.clear()
        reader.subscriber.join_again(WHEEL)
        await sleep_ns(2 * S)
        assert any(isinstance(item, Joined) for item in reader.items)
        assert reader.subscriber.silent_ns[WHEEL] is None
        world.relaying = True
        await sleep_ns(3 * S)

    world, reader = run_with(act)
    assert reader.subscriber.states[WHEEL].last == world.journal.last(WHEEL).seq
    silent = reader.subscriber.silent_ns[WHEEL]
    assert silent is not None
    assert silent <= 1500 * MS


def test_a_relay_that_is_little_behind_makes_no_table_stale() -> None:
    async def act(world: StreamWorld, reader: Reader) -> None:
        for _ in range(10):
            world.relaying = False
            play(world, 3)
            await sleep_ns(1300 * MS)
            world.relaying = True
            await sleep_ns(200 * MS)

    world, reader = run_with(act)
    assert not [item for item in reader.items if isinstance(item, Stale | Trouble)]
    assert facts(reader) == world.journal.bodies(WHEEL)[-len(facts(reader)) :]


def test_a_journal_that_was_rewritten_makes_its_table_stale_and_says_why() -> None:
    async def act(world: StreamWorld, reader: Reader) -> None:
        # The relay keeps what the stream holds.
        world.relaying = False
        world.journal.lose(WHEEL, 5)
        world.restart()
        await sleep_ns(6 * S)

    _, reader = run_with(act)
    assert reader.subscriber.stale >= {WHEEL}
    assert any("another history than the stream holds" in one for one in troubles(reader))
    assert facts(reader) == []


def test_a_journal_that_another_one_of_the_same_length_replaced_is_noticed_at_the_next_heartbeats() -> None:
    async def act(world: StreamWorld, reader: Reader) -> None:
        last = world.journal.kept[WHEEL][-1]
        world.journal.kept[WHEEL][-1] = last._replace(head=bytes(32))
        await sleep_ns(6 * S)

    _, reader = run_with(act)
    assert reader.subscriber.stale == {WHEEL}
    assert len(troubles(reader)) == 1
    assert "another history" in troubles(reader)[0]
    # Nothing is taken back on the word of a heartbeat.
    assert not [item for item in reader.items if isinstance(item, Rewritten)]


def test_a_stream_that_was_filled_anew_from_a_shorter_journal_is_taken_over() -> None:
    async def act(world: StreamWorld, reader: Reader) -> None:
        world.kill()
        world.lose()
        world.journal.lose(WHEEL, 20)
        world.restart()
        await sleep_ns(2 * S)
        world.up = True
        await sleep_ns(20 * S)
        played.extend(play(world))
        await sleep_ns(3 * S)

    played: list[bytes] = []
    world, reader = run_with(act)
    assert any(isinstance(item, Rewritten) and item.table == WHEEL for item in reader.items)
    assert len([item for item in reader.items if isinstance(item, Rewritten)]) < 6
    state = reader.subscriber.states[WHEEL]
    assert (state.epoch, state.last) == (world.tables[WHEEL].epoch, world.journal.last(WHEEL).seq)
    assert not reader.subscriber.stale
    assert facts(reader)[-len(played) :] == played


def test_what_a_relay_reports_of_a_table_is_told() -> None:
    async def act(world: StreamWorld, reader: Reader) -> None:
        tables = {WHEEL: RelayedTable(state="refused", detail="wheel-1 is served by two services")}
        for _ in range(3):
            report = RelayReport(
                venue=VENUE,
                name="pit",
                time="",
                tables=tables,
                services={},
                acknowledged=0,
                duplicates=0,
                connections=1,
            )
            world.send(relay_subject(VENUE, "pit"), encode_report(report))
            world.send(relay_subject(VENUE, "pit"), b"none")
            await sleep_ns(1 * S)

    _, reader = run_with(act)
    assert troubles(reader) == ["its relay pit: wheel-1 is served by two services"]


def test_a_table_without_a_snapshot_is_waited_for_and_named() -> None:
    async def main() -> Reader:
        world = StreamWorld(1)
        world.quiet = True
        for body in world.journal.bodies(WHEEL):
            world.store(event_subject(VENUE, decode(body)), body)
        reader = Reader(world, None)
        async with reader.subscriber as subscriber:
            async for item in subscriber:
                reader.items.append(item)
                if isinstance(item, Trouble):
                    return reader
        raise AssertionError("a subscriber does not end")

    assert troubles(run_virtual(main()))[0].startswith("no snapshot of it is on the server")


def test_a_snapshot_that_ends_before_the_stream_begins_is_not_joined_over_and_over() -> None:
    async def act(world: StreamWorld, reader: Reader) -> None:
        subject = TableName(VENUE, False, WHEEL).live("snapshot")
        old = msgspec.json.decode(world.snapshots[subject])
        old["last"] = 3
        world.tables.clear()
        world.snapshots[subject] = msgspec.json.encode(old)
        world.purge(0.5)
        reader.subscriber.join_again(WHEEL)
        await sleep_ns(20 * S)

    _, reader = run_with(act)
    assert any("its snapshot ends with event 3" in one for one in troubles(reader))
    assert not [item for item in reader.items if isinstance(item, Joined)]


def test_a_server_that_lets_nobody_in_is_named_and_tried_again() -> None:
    async def main() -> None:
        world = StreamWorld(1)
        reader = Reader(world, None)
        connect, refusals = reader.subscriber._connect, 3

        async def refused(lost: object) -> object:
            nonlocal refusals
            if refusals:
                refusals -= 1
                raise NatsRefusedError("nats://127.0.0.1:1: the user x is not let in; check user and password")
            return await connect(lost)  # type: ignore[arg-type]

        reader.subscriber._connect = refused  # type: ignore[assignment]
        task = asyncio.create_task(world.run())
        async with reader.subscriber as subscriber:
            first = await anext(subscriber)
            assert isinstance(first, Refused)
            assert str(first) == (
                "nats://127.0.0.1:1/hall is connected, and the user x is not let in; check user and password"
            )
            assert subscriber.refused == "the user x is not let in; check user and password"
            async for item in subscriber:
                assert not isinstance(item, Refused)
                if isinstance(item, Joined):
                    break
            assert subscriber.refused == ""
        task.cancel()

    run_virtual(main())


@pytest.mark.long
@pytest.mark.parametrize("since", [0, None])
def test_a_reader_that_takes_nothing_fills_no_memory_and_gets_everything_later(
    since: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream_subscriber, "MOST_ITEMS", 50)
    monkeypatch.setattr(wire, "PAGE_EVENTS", 40)

    async def main() -> tuple[StreamWorld, Reader]:
        world = StreamWorld(1)
        world.quiet = True
        if since is not None:
            play(world, 400)
        running = asyncio.create_task(world.run())
        reader = Reader(world, since)
        async with reader.subscriber as subscriber:
            while since is None and not {item.table for item in reader.items if isinstance(item, Joined)} >= {*TABLES}:
                reader.items.append(await anext(subscriber))
            played = play(world, 400) if since is None else world.journal.bodies(WHEEL)
            longest = 0
            for _ in range(200):
                _, body = world.tables[WHEEL].play(world.rng)
                while decode(body).seq is not None:
                    _, body = world.tables[WHEEL].play(world.rng)
                world.send(event_subject(VENUE, decode(body), live=True), body)
                await sleep_ns(500 * MS)
                longest = max(longest, len(subscriber._queue))
            assert 50 <= longest <= 50 + 2 * (40 + 5)
            async for item in subscriber:
                reader.items.append(item)
                if facts(reader)[-1:] == world.journal.bodies(WHEEL)[-1:]:
                    break
        running.cancel()
        assert facts(reader)[: len(played)] == played
        return world, reader

    world, reader = run_virtual(main())
    assert facts(reader) == world.journal.bodies(WHEEL)[-len(facts(reader)) :]


@pytest.mark.long
def test_a_stream_that_this_user_may_not_read_is_tried_less_and_less_often() -> None:
    async def main() -> tuple[list[int], Reader]:
        clock = asyncio.get_running_loop().time
        world = StreamWorld(1)
        reader = Reader(world, None)
        connect, attempts = reader.subscriber._connect, list[int]()

        async def next_refused(*_given: object) -> None:
            raise NatsRefusedError("nats://127.0.0.1:1: the user x may not read the stream")

        async def connected(lost: Callable[[], None]) -> JetStream:
            attempts.append(round(clock() * 1000))
            jetstream = await connect(lost)
            jetstream.next = next_refused  # type: ignore[assignment, method-assign]
            return jetstream

        reader.subscriber._connect = connected
        running = asyncio.create_task(world.run())
        reading = asyncio.create_task(reader.run())
        await sleep_ns(120 * S)
        for task in (running, reading):
            task.cancel()
        return attempts, reader

    attempts, reader = run_virtual(main())
    waits = [after - before for before, after in pairwise(attempts)]
    assert len(attempts) < 25
    assert all(8000 <= wait < 9500 for wait in waits[-5:]), waits
    assert any(isinstance(item, Refused) and "may not read" in item.why for item in reader.items)


def test_a_connection_that_lasted_is_had_again_at_once() -> None:
    async def act(world: StreamWorld, reader: Reader) -> None:
        for _ in range(4):
            world.kill()
            await sleep_ns(20 * S)
            world.up = True
            await sleep_ns(20 * S)
            connections = set(world.connections)
            assert connections
            # The server ends the connection, and takes the next one.
            for one in connections:
                one.lost()
            await sleep_ns(600 * MS)
            assert world.connections
            assert world.connections != connections

    run_with(act)


def test_an_unknown_venue_is_told_with_those_that_are_there() -> None:
    core = StreamSubscription("nats://hub:4222/marina", "marina")
    core.connected(0)
    core.no_venue({"boardwalk", "atlantic"})
    core.no_venue({"boardwalk", "atlantic"})
    (told,) = core.take()
    assert str(told) == "the server has no venue marina; it has: atlantic, boardwalk"
    core.has_venue()
    core.no_venue(set())
    (told,) = core.take()
    assert "feltwire fleet init" in str(told)


def test_tables_of_several_venues_have_the_venue_in_their_names() -> None:
    async def main() -> list[tuple[type[Item], str]]:
        world = StreamWorld(1)
        world.quiet = True
        core = StreamSubscription("nats://hub:4222/*", since=0, simulated=None)
        core.connected(0)
        for venue in ("atlantic", "marina"):
            body = world.journal.bodies(WHEEL)[0]
            message = f"feltwire.v1.{venue}.{WHEEL}.table.opened"
            world.store(message, body)
            core.stored(world.stored[-1], 0)
            core.found([TableName(venue, False, WHEEL)], 0)
        asked = [(str(table), request) for table, request in core.requests(0)]
        assert [name for name, _ in asked] == [f"atlantic/{WHEEL}", f"marina/{WHEEL}"]
        core.on_time(3 * S)
        return [(type(item), item.name) for item in core.take()]

    names = (f"atlantic/{WHEEL}", f"marina/{WHEEL}")
    assert run_virtual(main()) == [*((Fact, name) for name in names), *((Stale, name) for name in names)]


def test_a_seal_among_the_events_is_nothing_for_a_board() -> None:
    core = StreamSubscription("nats://hub/hall", "hall", since=0, simulated=None)
    core.connected(0)
    core.stored(StoredMessage(f"feltwire.v1.hall.{SEAL}.40d5ced5da692219", 1, {}, b"{}"), 1)
    assert (core.take(), core.malformed) == ([], 0)
