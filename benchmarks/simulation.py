"""How much faster than real time a roulette table is simulated: physics, edges, decoding and verdict."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.figures import Section, absolute
from benchmarks.measure import Subject, measure
from benchmarks.tables import simulated_table
from controller.games.assembly import table_for
from feed import events
from simulators.roulette.fixed_script import fixed_roulette_script

ROUND_S = 60.0
"""Length of a round of the fixed script (design, section 7)."""


def simulation(rounds: int, repeats: int) -> Section:
    """Measures the fixed script from physics to verdict, and its physics alone."""
    whole, physics = simulated(rounds), generated(rounds)
    timings = measure([whole, physics], repeats)
    real_time = "real time"
    return Section(
        "Simulated roulette",
        "rounds/s",
        f"{rounds} rounds of the fixed script, {ROUND_S:g} s each, 17 rpm, 38 slots; every outcome is the truth",
        (
            absolute(timings, whole.name, real_time, 1 / ROUND_S, 20_000),
            absolute(timings, physics.name, real_time, 1 / ROUND_S),
        ),
    )


def simulated(rounds: int) -> Subject:
    """Rounds that are made, decoded and judged; counted are those whose outcome is the truth."""
    config = simulated_table("roulette")

    def ready() -> Callable[[], int]:
        table = table_for(config, epoch="sim", simulated=True)
        table.open(0)

        def run() -> int:
            right = 0
            for played in fixed_roulette_script(rounds):
                for event in table.feed(played.batch):
                    data = event.data
                    if isinstance(data, events.Outcome):
                        right += data.result["index"] == played.truth.result
            return right

        return run

    return Subject("made, decoded, judged", rounds, ready, rounds)


def generated(rounds: int) -> Subject:
    """The simulator alone: how much of the time is its own."""

    def run() -> int:
        return sum(bool(played.batch.edges) for played in fixed_roulette_script(rounds))

    return Subject("made only", rounds, lambda: run, rounds)
