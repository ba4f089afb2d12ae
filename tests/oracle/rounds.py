"""Random runs under random corruptions, and a table's verdicts on them; each from one seed.

A failure prints its seed; `money_round(seed)` or `roulette_round(seed)` makes the same round again.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import NamedTuple

from hal.values import Edge
from tests.oracle import corruptions, judge, money, roulette
from tests.oracle.invisible import why_invisible
from tests.oracle.motion import TRUE_MARKS, Marks
from tests.oracle.wear import AS_NEW, Wear, worn, worn_edges


class Round(NamedTuple):
    """One judged run."""

    seed: int
    corruption: str
    wrong: list[str]
    """Outcomes that the truth does not support, as sentences."""
    outcomes: int
    seen: list[judge.TableEvent]
    spins: int
    """How many spins the run has: rounds of the game."""
    invisible: int
    """False outcomes that no software can detect (`tests.oracle.invisible`)."""
    sound: int = 0
    """Of a roulette wheel: its spins that the rules accept."""
    refused: int = 0
    """Those of them that have no outcome."""

    def report(self) -> str:
        """What is needed to reproduce the failure."""
        return f"seed {self.seed}, {self.corruption}: {'; '.join(self.wrong)}"


def money_wheel(rng: Random) -> money.Wheel:
    """A random wheel."""
    slots = rng.choice((100, 100, 100, 200))
    return money.Wheel(slots=slots, button=rng.random() < 0.7, index_offset_deg=rng.uniform(0.1, 0.9) * 90.0 / slots)


def uneven_marks(rng: Random) -> Marks:
    """Edges of a disc that was made by hand, up to a quarter of a count off their places."""
    a_up, b_up, a_down, b_down = (rng.uniform(-0.25, 0.25) for _ in range(4))
    return a_up, b_up, a_down, b_down


def money_lines(
    rng: Random, corruption: corruptions.Corruption | None = None, marks_off: Marks = TRUE_MARKS
) -> tuple[money.MoneyRun, corruptions.Corrupted]:
    """A money wheel's run, and its lines under one corruption that is not invisible."""
    wheel = replace(money_wheel(rng), marks_off=marks_off)
    run = money.make_run(rng, wheel, spins=rng.choice((1, 1, 1, 2, 3)))
    return run, _visible(run.wheel, run.edges, rng, corruption)


def _visible(
    wheel: money.Wheel | roulette.Wheel, edges: list[Edge], rng: Random, corruption: corruptions.Corruption | None
) -> corruptions.Corrupted:
    while True:
        made = (corruption or rng.choice(corruptions.ALL))(edges, rng)
        if why_invisible(wheel, made) is None:
            return made


def money_round(seed: int, corruption: corruptions.Corruption | None = None, marks_off: Marks = TRUE_MARKS) -> Round:
    """A money wheel's run of one to three spins under one corruption."""
    rng = Random(seed)
    run, made = money_lines(rng, corruption, marks_off)
    seen = judge.money_events(run, made, rng)
    wrong = judge.false_money_outcomes(run, seen, made)
    invisible = len(judge.false_money_outcomes(run, seen)) - len(wrong)
    outcomes = sum(s.type == "round.outcome" for s in seen)
    what = f"{made.description}; truth: {run.description}"
    return Round(seed, what, wrong, outcomes, seen, len(run.spins), invisible)


def wheel_life_round(seed: int) -> Round:
    """A run of a wheel of the recommended geometry, as old and worn as the seed has it."""
    return roulette_round(seed, recommended=True, wear=worn(seed, sensors=3))


def roulette_lines(
    rng: Random,
    corruption: corruptions.Corruption | None = None,
    *,
    recommended: bool = False,
    wear: Wear = AS_NEW,
    wear_seed: str = "",
) -> tuple[roulette.RouletteRun, corruptions.Corrupted]:
    """A roulette wheel's run, and its lines under one corruption that is not invisible, as `roulette_round` has it."""
    spins = rng.choice((1, 1, 1, 2))
    run = roulette.make_run(rng, roulette.recommended_wheel(rng) if recommended else None, spins=spins, wear=wear)
    edges = run.edges
    if wear is not AS_NEW:
        edges = worn_edges(edges, wear, Random(wear_seed))
    return run, _visible(run.wheel, edges, rng, corruption)


def roulette_round(
    seed: int, corruption: corruptions.Corruption | None = None, *, recommended: bool = False, wear: Wear = AS_NEW
) -> Round:
    """A roulette wheel's run of one or two spins under one corruption.

    Args:
        recommended: whether the wheel has the recommended geometry.
        wear: how worn it is; the corruption meets the lines of its worn parts.
    """
    rng = Random(seed)
    run, made = roulette_lines(rng, corruption, recommended=recommended, wear=wear, wear_seed=f"{seed}/wear")
    seen = judge.roulette_events(run, made, rng)
    wrong = judge.false_roulette_outcomes(run, seen, made)
    invisible = len(judge.false_roulette_outcomes(run, seen)) - len(wrong)
    outcomes = sum(s.type == "round.outcome" for s in seen)
    what = f"{made.description}; truth: {run.description}"
    sound, refused = judge.refused_roulette_spins(run, seen)
    return Round(seed, what, wrong, outcomes, seen, len(run.spins), invisible, sound, refused)
