"""How fast a table comes from edges to its verdicts, next to gpiozero only counting the same wheel's steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import cycle, islice
from math import ceil
from multiprocessing import get_context

from benchmarks import gpiozero_peer
from benchmarks.figures import RateFigure, Section, figure
from benchmarks.measure import Subject, measure
from benchmarks.tables import outcomes, simulated_table, without_watch
from controller.configuration.values import TableConfig
from controller.games.assembly import geometry_of, table_for
from drivers.wheel.condition import LEARNT_SPINS
from feed.events import DeviceCondition, Event, WearHistory
from feed.state import TableState
from feed.wear import BLOCK
from hal.values import Batch, Edge, Rare
from simulators.roulette.fixed_script import fixed_roulette_script

SEED = 1
WATCH_COST = 0.02
"""Of a round's own cost, at most (ours)."""
BLOCK_ROUNDS = LEARNT_SPINS * BLOCK
"""Rounds in which a block of wear is full."""
MEAN_BLOCKS = 59
"""Blocks of a history after years: from 56, since it was shortened, to 62."""
TURNS = 2
"""Turns of the watch for each of another figure: its ratio is nearer to 1 (ours)."""
PROCESSES = 9
"""Where a process has its code and data in memory alone makes a ratio differ by half a hundredth (ours)."""


@dataclass(frozen=True, slots=True)
class Raw:
    """A batch before its edges are made: what a source has in its hands."""

    lines: list[str]
    levels: list[int]
    times_ns: list[int]
    rare: list[Rare]
    until_ns: int


def money_wheel(rounds: int, repeats: int) -> Section:
    """Measures a money wheel, spun and settled again and again."""
    config = simulated_table("money_wheel")
    batches = simulated_rounds(config, rounds)
    edges = sum(len(batch.edges) for batch in batches)
    prebuilt, created = to_verdicts(config, batches, rounds), with_creation(config, batches, rounds)
    peer = gpiozero_peer.mock_pins(_all_edges(batches), "wheel_a", "wheel_b")
    timings = measure([prebuilt, created, peer], repeats)
    return Section(
        "Money wheel, edges to verdict",
        "edges/s",
        f"{rounds} rounds of the simulator, a batch a round, {edges:,} edges, {rounds} outcomes checked",
        (
            figure(timings, prebuilt.name, peer.name, 10),
            figure(timings, created.name, peer.name, 4),
            watch_cost(config, rounds, repeats),
        ),
    )


def roulette(rounds: int, repeats: int) -> Section:
    """Measures a roulette table on the fixed script, and with a level sensor beside it."""
    config = simulated_table("roulette")
    batches = [played.batch for played in fixed_roulette_script(rounds, SEED)]
    edges = sum(len(batch.edges) for batch in batches)
    prebuilt, created = to_verdicts(config, batches, rounds), with_creation(config, batches, rounds)
    with_level = simulated_rounds(config, rounds)
    level = replace(to_verdicts(config, with_level, rounds), name="prebuilt, level at 2 Hz")
    peer = gpiozero_peer.mock_pins(_all_edges(batches), "rotor_a", "rotor_b")
    timings = measure([prebuilt, created, level, peer], repeats)
    return Section(
        "Roulette, edges to verdict",
        "edges/s",
        f"{rounds} rounds of the fixed script, a batch a round, {edges:,} edges, {rounds} outcomes checked",
        (
            figure(timings, prebuilt.name, peer.name, 10),
            figure(timings, created.name, peer.name, 4),
            figure(timings, level.name, peer.name),
            watch_cost(config, rounds, repeats),
        ),
    )


def simulated_rounds(config: TableConfig, rounds: int) -> list[Batch]:
    """What the lines do in this many clean rounds, each from rest to rest."""
    simulator = geometry_of(config).simulator(SEED)
    return [simulator.start(), *(simulator.round().batch for _ in range(rounds))]


def watch_cost(config: TableConfig, rounds: int, repeats: int) -> RateFigure:
    """What the watch over wheel, wear and pace costs: the same rounds with and without it.

    They are the rounds of whole blocks of wear, at a wheel that is learnt, so that what comes once a block has its
    share. The pair takes turns by itself, each as often right after itself as after the other: nothing else runs
    between them, and the smaller a ratio's distance from 1, the more turns it needs. The figure is that of the process
    in the middle.
    """
    if rounds == 1:
        return _watch_cost(config.game, rounds, repeats)
    each: list[RateFigure] = []
    for _ in range(PROCESSES):
        with ProcessPoolExecutor(1, get_context("spawn")) as process:
            each.append(process.submit(_watch_cost, config.game, rounds, repeats).result())
    return sorted(each, key=lambda one: one.ratio)[PROCESSES // 2]


def _watch_cost(game: str, rounds: int, repeats: int) -> RateFigure:
    """It in this process."""
    config = simulated_table(game)
    blocks = ceil(rounds / BLOCK_ROUNDS) if rounds > 1 else 0
    rounds = max(1, blocks * BLOCK_ROUNDS)
    batches = simulated_rounds(config, rounds)
    state = learnt(config, batches) if blocks else None
    own = replace(to_verdicts(without_watch(config), batches, rounds, state), name="the same without the watch")
    watched = replace(to_verdicts(config, batches, rounds, state), name="watch, of a round's own cost")
    timings = measure([watched, own], TURNS * repeats, reverse=True)
    return figure(timings, watched.name, own.name, 1 - WATCH_COST)


def learnt(config: TableConfig, batches: Sequence[Batch]) -> TableState:
    """What the journal holds of a table whose wheel's wear has a long history: its blocks, repeated.

    It is as long as one is on average, and is not shortened in the run: that comes once in seven blocks, and is a
    thousandth of the watch's cost.
    """
    table = table_for(config, epoch="sim", simulated=True)
    said = [
        *table.open(0),
        *(event for batch in batches for event in table.feed(batch)),
        *table.close(batches[-1].until_ns, "end"),
    ]
    (*_, known) = (event.data.history for event in said if isinstance(event.data, DeviceCondition))
    of_all = list(islice(cycle(range(len(known.days))), MEAN_BLOCKS))
    values = {name: [own[at] for at in of_all] for name, own in known.values.items()}
    state = TableState(config.id)
    state.game = config.game
    state.wear_of[config.game] = WearHistory(
        days=[known.days[at] for at in of_all],
        spins=[known.spins[at] for at in of_all],
        values=values,
        limits=known.limits,
        learnt=known.learnt,
    )
    return state


def to_verdicts(config: TableConfig, batches: Sequence[Batch], rounds: int, state: TableState | None = None) -> Subject:
    """`Table.feed` with edges that are there already, at a table that continues from a state, if one is given."""

    def ready() -> Callable[[], int]:
        table = table_for(config, epoch="sim", simulated=True)
        if state is not None:
            table.restore(state)
        said: list[Event] = table.open(0)

        def run() -> int:
            for batch in batches:
                said.extend(table.feed(batch))
            return outcomes(said)

        return run

    return Subject("prebuilt edges", sum(len(batch.edges) for batch in batches), ready, rounds)


def with_creation(config: TableConfig, batches: Sequence[Batch], rounds: int) -> Subject:
    """The same from names, levels and times: every edge is made before it is fed."""
    raws = [_raw(batch) for batch in batches]

    def ready() -> Callable[[], int]:
        table = table_for(config, epoch="sim", simulated=True)
        said: list[Event] = table.open(0)

        def run() -> int:
            for raw in raws:
                edges = [Edge(*one) for one in zip(raw.lines, raw.levels, raw.times_ns, strict=True)]
                said.extend(table.feed(Batch(edges, raw.rare, raw.until_ns)))
            return outcomes(said)

        return run

    return Subject("with edge creation", sum(len(batch.edges) for batch in batches), ready, rounds)


def _raw(batch: Batch) -> Raw:
    return Raw(
        [edge.line for edge in batch.edges],
        [edge.level for edge in batch.edges],
        [edge.t_ns for edge in batch.edges],
        batch.rare,
        batch.until_ns,
    )


def _all_edges(batches: Sequence[Batch]) -> list[Edge]:
    return [edge for batch in batches for edge in batch.edges]
