"""Runs with nothing wrong in the lines: what is valid gives its outcome, and what is not is refused for its reason.

Of runs whose measurable travel is valid at least 99.9 % give the outcome, and none is void.
"""

from __future__ import annotations

from random import Random
from typing import NamedTuple

import pytest

from tests.oracle import judge, money, roulette
from tests.oracle.rounds import money_wheel

HALF_A_PASS_NS = 40_000_000
CI_RUNS = 80
SOAK_RUNS = 5000
"""Two spins a run: 10,000 spins of each game."""


class Tally(NamedTuple):
    """Of some clean spins."""

    valid: int
    missed: list[str]
    """Valid spins without their outcome, in words; a void one is not forgiven."""
    wrong: list[str]
    refused: int = 0
    """Spins that are too short."""
    doubted: tuple[str, ...] = ()
    """Of those, the ones whose end is in doubt: nobody knows that they did not go on. No number came of them."""


def _verdict_of(said: list[judge.TableEvent], start_ns: int, end_ns: int) -> list[judge.TableEvent]:
    return [s for s in judge.verdicts(said) if start_ns < s.t_ns <= end_ns]


def tally_money(seeds: range) -> Tally:
    """Money wheels."""
    valid, missed, wrong = 0, [], []
    refused, doubted = 0, []
    for seed in seeds:
        rng = Random(seed)
        wheel = money_wheel(rng)
        # Without a button the wheel's own movement is the call, and a nudge is then a spin that is too short.
        kinds = money.CLEAN_KINDS if wheel.button else ("plain", "wound_up")
        run = money.make_run(rng, wheel, spins=2, clean=True, kinds=kinds)
        said = judge.money_events(run)
        wrong += [f"seed {seed}: {w}" for w in judge.false_money_outcomes(run, said)]
        ends = [s.start_ns for s in run.spins[1:]] + [run.until_ns]
        for spin, end_ns in zip(run.spins, ends, strict=True):
            heard = _verdict_of(said, spin.start_ns, end_ns)
            words = f"seed {seed}: {[(h.type, h.reason, h.data.get('evidence')) for h in heard]} of {spin}"
            if spin.proven(run.wheel.count_deg):
                valid += 1
                if [h.type for h in heard] != ["round.outcome"]:
                    missed.append(words)
                if "round.void" in [h.type for h in heard]:
                    wrong.append(words)
            elif not spin.looks_valid(run.wheel.count_deg):
                refused += 1
                if [(h.type, h.reason) for h in heard] == [("round.unresolved", "edges_lost")]:
                    doubted.append(words)
                elif [h.reason for h in heard] != ["wheel_revolutions"]:
                    wrong.append(words)
    return Tally(valid, missed, wrong, refused, tuple(doubted))


def tally_roulette(seeds: range) -> Tally:
    """Roulette wheels of every layout."""
    valid, missed, wrong = 0, [], []
    for seed in seeds:
        run = roulette.make_run(Random(seed), spins=2, clean=True)
        said = judge.roulette_events(run)
        wrong += [f"seed {seed}: {w}" for w in judge.false_roulette_outcomes(run, said)]
        ends = [s.launch_ns for s in run.spins[1:]] + [run.until_ns]
        for spin, end_ns in zip(run.spins, ends, strict=True):
            heard = _verdict_of(said, spin.launch_ns, end_ns)
            words = f"seed {seed}: {[(h.type, h.reason, h.data.get('evidence')) for h in heard]} of {spin} {run.wheel}"
            reasons = [h.reason for h in heard]
            if spin.valid:
                valid += 1
                if [h.type for h in heard] != ["round.outcome"]:
                    missed.append(words)
                if "round.void" in [h.type for h in heard]:
                    wrong.append(words)
            elif not spin.valid_run:
                if reasons != ["ball_revolutions"]:
                    wrong.append(words)
            elif reasons != ["double_zero_as_single_zero"]:
                wrong.append(words)
    return Tally(valid, missed, wrong)


def check(tally: Tally) -> None:
    """Nothing false, nothing valid void, 99.9 % of the valid with their outcome and of the short with their reason."""
    assert tally.wrong == []
    assert len(tally.missed) <= tally.valid // 1000, tally.missed
    assert len(tally.doubted) <= tally.refused // 1000, tally.doubted
    assert tally.valid > 0


def test_clean_money_wheels_give_their_outcomes_and_refusals() -> None:
    check(tally_money(range(CI_RUNS)))


def test_clean_roulette_wheels_give_their_outcomes_and_refusals() -> None:
    check(tally_roulette(range(CI_RUNS)))


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_many_clean_money_wheels_give_their_outcomes_and_refusals() -> None:
    """The share is one of all runs together: a thousand alone would have to miss none or one."""
    check(tally_money(range(10_000, 10_000 + SOAK_RUNS)))


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_many_clean_roulette_wheels_give_their_outcomes_and_refusals() -> None:
    check(tally_roulette(range(10_000, 10_000 + SOAK_RUNS)))


def three_sensors(rng: Random) -> roulette.Wheel:
    """A wheel with three sensors, drawn."""
    return roulette.random_wheel(rng, ((0.0, 120.0, 240.0), (0.0, 100.0, 220.0)))


@pytest.mark.parametrize("seed", range(60))
def test_a_ball_that_runs_with_the_rotor_is_refused_at_its_third_pass(seed: int) -> None:
    rng = Random(seed)
    run = roulette.make_run(rng, three_sensors(rng), kinds=("with_rotor",), clean=True, count=rng.randint(4, 42))
    spin = run.spins[0]
    first = judge.verdicts(judge.roulette_events(run))[0]
    assert (first.type, first.reason) == ("round.void", "ball_direction")
    # At the second already, where a missed sensor would mean an impossible speed.
    assert spin.passes_ns[1] - HALF_A_PASS_NS <= first.t_ns <= spin.passes_ns[2] + HALF_A_PASS_NS


def test_a_short_spin_is_refused_before_the_ball_rests() -> None:
    early = []
    for seed in range(100):
        rng = Random(seed)
        run = roulette.make_run(rng, three_sensors(rng), kinds=("plain",), clean=True, count=rng.randint(4, 12))
        first = judge.verdicts(judge.roulette_events(run))[0]
        assert (first.type, first.reason) == ("round.void", "ball_revolutions")
        early.append(first.t_ns < run.spins[0].rest_ns)
    assert sum(early) >= 95
