"""How much faster than real time tables are simulated: physics or dealer, edges, decoding and verdict."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.figures import Section, absolute
from benchmarks.measure import Subject, measure
from benchmarks.tables import simulated_table
from controller.games.assembly import geometry_of, table_for
from controller.games.baccarat.rounds import cards_in_order
from feed import events
from hal.values import Batch, Command
from simulators.roulette.fixed_script import fixed_roulette_script

SEED = 1
ROUND_S = 60.0
"""Length of a round of the fixed script (ours)."""


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


def baccarat(rounds: int, repeats: int) -> Section:
    """Measures a simulated baccarat table from the dealer's hand to the verdict, and the dealer alone."""
    config = simulated_table("baccarat")
    whole, made = dealt(rounds), dealt(rounds, judged=False)
    played = geometry_of(config).simulator(SEED)
    played.start()
    round_s = [played.round().batch.until_ns for _ in range(rounds)][-1] / rounds / 1e9
    timings = measure([whole, made], repeats)
    real_time = "real time"
    return Section(
        "Simulated baccarat",
        "rounds/s",
        f"{rounds} rounds of {round_s:.1f} s each, eight decks, each card by barriers and line; outcomes are true",
        (
            absolute(timings, whole.name, real_time, 1 / round_s, 2_000),
            absolute(timings, made.name, real_time, 1 / round_s),
        ),
    )


def dealt(rounds: int, *, judged: bool = True) -> Subject:
    """Rounds of baccarat that are dealt, and `judged` where their outcomes are wanted; counted are the right ones."""
    config = simulated_table("baccarat")

    def ready() -> Callable[[], int]:
        table = table_for(config, epoch="sim", simulated=True)
        table.open(0)
        simulator = geometry_of(config).simulator(SEED)
        table.feed(simulator.start())

        def run() -> int:
            right = 0
            for _ in range(rounds):
                played = simulator.round()
                if not judged:
                    right += bool(played.batch.edges)
                    continue
                for event in table.feed(played.batch):
                    if isinstance(event.data, events.Outcome):
                        right += cards_in_order(event.data.result) == played.truth.result
                for fault in table.faults.standing:
                    order = Command("clear", (("device", fault.device), ("by", "bench")), played.batch.until_ns)
                    table.feed(Batch([], [order], played.batch.until_ns))
            return right

        return run

    return Subject("dealt, decoded, judged" if judged else "dealt only", rounds, ready, rounds)


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
