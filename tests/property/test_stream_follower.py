"""Whatever relay, server and network do, a subscriber of JetStream ends with exactly the journal's events, each once
and in order; and a table that it does not call stale is shown as it was 3.5 s ago or later.

The real subscriber, with its sessions, in virtual time; the other side is `tests.fakes.stream_world`.
"""

from __future__ import annotations

import asyncio

import pytest

from feed.subscriber import CaughtUp, Fact, Joined, Missing, Restarted, Rewritten, Stale, Trouble
from feed.subscriber.items import Item
from hal.clock import VirtualClock
from hal.loop import run_virtual, sleep_ns
from tests.fakes.stream_world import MS, TABLES, Reader, S, StreamWorld
from tests.shares import first_of

FRESH_NS = 2_700 * MS
"""As the page has it: a table without a sign of life for this long is shown as stale."""
LATE_NS = 3_500 * MS


async def judge(reader: Reader) -> None:
    """At every moment: what is not shown as stale is not old."""
    while True:
        await sleep_ns(250 * MS)
        now_ns = reader.world.now_ns
        silent, positions = reader.subscriber.silent_ns, reader.subscriber.position
        for table in TABLES:
            ns = silent.get(table)
            if ns is None or ns >= FRESH_NS or table not in positions:
                continue
            due = max((seq for t_ns, seq in reader.world.ends[table] if t_ns <= now_ns - LATE_NS), default=0)
            assert positions[table].seq >= due, f"{table} is shown at {positions[table].seq}, and was at {due}"


async def mishaps(world: StreamWorld, kinds: str) -> None:
    rng = world.rng
    for _ in range(6):
        await sleep_ns(rng.randrange(2_000, 9_000) * MS)
        match rng.choice(kinds):
            case "k":
                world.kill()
                await sleep_ns(rng.randrange(100, 9_000) * MS)
                world.up = True
            case "l":
                world.kill()
                await sleep_ns(rng.randrange(100, 4_000) * MS)
                world.lose()
                world.up = True
            case "r":
                world.relaying = False
                await sleep_ns(rng.randrange(500, 12_000) * MS)
                world.relaying = True
            case "s":
                world.restart()
            case "p":
                world.purge(rng.random())
            case "c":
                for connection in list(world.connections):
                    connection.lost()
            case "w":
                world.latency_ms = rng.choice([(0, 1), (200, 400), (40, 60), (0, 900)])


def run(seed: int, kinds: str, since: int | None, *, rejoins: bool = False) -> tuple[StreamWorld, Reader]:
    async def main() -> tuple[StreamWorld, Reader]:
        world = StreamWorld(seed, clock)
        async with asyncio.TaskGroup() as group:
            own = [group.create_task(world.run())]
            await sleep_ns(world.rng.randrange(4_000) * MS)
            reader = Reader(world, since, rejoins=rejoins)
            own += [group.create_task(reader.run()), group.create_task(judge(reader))]
            await mishaps(world, kinds)
            world.quiet, world.latency_ms = True, (0, 1)
            await sleep_ns(40 * S)
            for task in own:
                task.cancel()
        return world, reader

    clock = VirtualClock()
    return run_virtual(main(), clock)


QUICK, ALL = 2, 150


def seeds() -> list[object]:
    return first_of(QUICK, range(ALL))


@pytest.mark.parametrize("since", [None, 0], ids=["snapshot", "all"])
@pytest.mark.parametrize("seed", seeds())
def test_every_event_once_and_in_order_over_kills_losses_lags_and_restarts(seed: int, since: int | None) -> None:
    world, reader = run(seed, "kklrrscw", since)
    for table in TABLES:
        begin, found = reader.bodies(table)
        assert found == world.journal.bodies(table, begin)
        assert since is None or begin == 0
    assert not [item for item in reader.items if isinstance(item, Rewritten | Missing)]
    assert not reader.subscriber.stale


@pytest.mark.parametrize("seed", seeds())
def test_what_a_stream_has_lost_is_reported_and_nothing_else_is_missing(seed: int) -> None:
    world, reader = run(seed, "ppprkc", 0, rejoins=True)
    for table in TABLES:
        begin, found = reader.bodies(table)
        journal = world.journal.bodies(table, begin)
        assert found == journal[: len(found)]
        if found != journal:
            # Its last events were removed before they were read, and none came since: the table is stale.
            assert not {message.body for message in world.stored} & set(journal[len(found) :])
            assert table in reader.subscriber.stale
            assert any(isinstance(item, Trouble) and item.table == table for item in reader.items)
    assert not [item for item in reader.items if isinstance(item, Rewritten)]


def test_the_runs_do_what_they_are_for() -> None:
    kinds: set[type[Item]] = set()
    for seed in range(2):
        kinds |= {type(item) for item in run(seed, "kklrrscw", None)[1].items}
    assert {Fact, Joined, CaughtUp, Restarted, Stale, Trouble} <= kinds
