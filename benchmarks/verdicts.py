"""How fast a table comes from edges to its verdicts, next to gpiozero only counting the same wheel's steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from benchmarks import gpiozero_peer
from benchmarks.figures import Section, figure
from benchmarks.measure import Subject, measure
from benchmarks.tables import outcomes, simulated_table, without_watch
from controller.configuration.values import TableConfig
from controller.games.assembly import geometry_of, table_for
from feed.events import Event
from hal.values import Batch, Edge, Rare
from simulators.roulette.fixed_script import fixed_roulette_script

SEED = 1
WATCH_COST = 0.02
"""Of a round's own cost, at most (ours)."""


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
    watch = watched(config, batches, rounds)
    timings = measure([prebuilt, created, peer, *watch], repeats)
    return Section(
        "Money wheel, edges to verdict",
        "edges/s",
        f"{rounds} rounds of the simulator, a batch a round, {edges:,} edges, {rounds} outcomes checked",
        (
            figure(timings, prebuilt.name, peer.name, 10),
            figure(timings, created.name, peer.name, 4),
            figure(timings, watch[0].name, watch[1].name, 1 - WATCH_COST),
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
    watch = watched(config, with_level, rounds)
    peer = gpiozero_peer.mock_pins(_all_edges(batches), "rotor_a", "rotor_b")
    timings = measure([prebuilt, created, level, peer, *watch], repeats)
    return Section(
        "Roulette, edges to verdict",
        "edges/s",
        f"{rounds} rounds of the fixed script, a batch a round, {edges:,} edges, {rounds} outcomes checked",
        (
            figure(timings, prebuilt.name, peer.name, 10),
            figure(timings, created.name, peer.name, 4),
            figure(timings, level.name, peer.name),
            figure(timings, watch[0].name, watch[1].name, 1 - WATCH_COST),
        ),
    )


def simulated_rounds(config: TableConfig, rounds: int) -> list[Batch]:
    """What the lines do in this many clean rounds, each from rest to rest."""
    simulator = geometry_of(config).simulator(SEED)
    return [simulator.start(), *(simulator.round().batch for _ in range(rounds))]


def watched(config: TableConfig, batches: Sequence[Batch], rounds: int) -> tuple[Subject, Subject]:
    """What the watch over wheel, wear and pace costs: the same rounds with and without it."""
    plain = replace(to_verdicts(without_watch(config), batches, rounds), name="the same without the watch")
    return replace(to_verdicts(config, batches, rounds), name="watch, of a round's own cost"), plain


def to_verdicts(config: TableConfig, batches: Sequence[Batch], rounds: int) -> Subject:
    """`Table.feed` with edges that are there already."""

    def ready() -> Callable[[], int]:
        table = table_for(config, epoch="sim", simulated=True)
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
