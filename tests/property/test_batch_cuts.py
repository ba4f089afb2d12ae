"""However a table's stream is cut into batches, its events and outputs are equal: in every game, with every fault.

A game joins by an example, a fault by its simulator's list.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from pathlib import Path
from random import Random

import pytest

from controller.bench.simulation import simulate
from controller.configuration.values import TableConfig
from controller.games.assembly import geometry_of, table_for
from controller.games.catalogue import GAMES
from controller.games.load import load
from feed.events import Event
from hal.values import Batch, Output
from simulators.base.faults import faults_for

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "examples").glob("*.toml"))
TABLES = {file.stem: table for file in EXAMPLES for table in load([file]) if table.lines.backend == "sim"}
CASES = [(name, fault.name) for name, table in TABLES.items() for fault in faults_for(geometry_of(table))]
TICK_NS = 20_000_000
ROUNDS = 2
_time = attrgetter("t_ns")


def cut(batch: Batch, times: Iterable[int]) -> Iterator[Batch]:
    """The batch in pieces that end at these times, and one for what is left."""
    edge = rare = 0
    for until_ns in (*times, batch.until_ns):
        next_edge = bisect_right(batch.edges, until_ns, key=_time)
        next_rare = bisect_right(batch.rare, until_ns, key=_time)
        yield Batch(batch.edges[edge:next_edge], batch.rare[rare:next_rare], until_ns)
        edge, rare = next_edge, next_rare


def run(config: TableConfig, batches: Iterable[Batch]) -> tuple[list[Event], list[Output]]:
    """The events and outputs of a fresh table."""
    table = table_for(config, epoch="sim", simulated=True, opens=True)
    events, outputs = list(table.open(0)), list(table.outputs())
    for batch in batches:
        events += table.feed(batch)
        outputs += table.outputs()
    return events, outputs


def whole(batches: Sequence[Batch]) -> Batch:
    """All of it in one batch."""
    edges = [edge for batch in batches for edge in batch.edges]
    return Batch(edges, [one for batch in batches for one in batch.rare], batches[-1].until_ns)


@pytest.mark.parametrize(("name", "fault"), CASES)
def test_a_stream_cut_anyhow_gives_the_same_events_and_outputs(name: str, fault: str) -> None:
    config = TABLES[name]
    played = list(simulate(config, ROUNDS, 5, {1: fault}))
    stream = whole([one.batch for one in played])
    in_one = run(config, [stream])
    rng = Random(f"{name} {fault}")
    at_random = sorted(rng.randrange(stream.until_ns) for _ in range(200))
    at_values = sorted({value.t_ns for value in (*stream.rare, *stream.edges[:: max(1, len(stream.edges) // 300)])})
    assert [event for one in played for event in one.said] == in_one[0]
    assert run(config, cut(stream, at_random)) == in_one
    assert run(config, cut(stream, at_values)) == in_one
    assert run(config, cut(stream, range(TICK_NS, stream.until_ns, TICK_NS))) == in_one


def test_every_game_has_an_example_that_is_cut() -> None:
    assert {table.game for table in TABLES.values()} == {game.name for game in GAMES}
