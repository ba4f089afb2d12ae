"""A spin with one thing wrong and clean lines is refused, and for that thing."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from tests.oracle import judge, money, roulette

WHEEL_REFUSALS = {
    "reversed": "wheel_reversed",
    "wound_too_far": "wheel_reversed",
    "too_early": "spun_before_no_more_bets",
    "called_late": "spun_before_no_more_bets",
    "nudge_called": "wheel_revolutions",
}


@pytest.mark.parametrize("kind", WHEEL_REFUSALS)
@pytest.mark.parametrize("seed", range(8))
def test_a_money_wheel_spin_is_refused_for_what_was_wrong(kind: str, seed: int) -> None:
    run = money.make_run(Random(seed), money.Wheel(button=True), kinds=(kind,))
    assert [v.reason for v in judge.verdicts(judge.money_events(run))] == [WHEEL_REFUSALS[kind]]


@pytest.mark.parametrize("seed", range(8))
def test_a_wheel_nudged_after_its_verdict_keeps_it_and_nothing_else_is_said(seed: int) -> None:
    run = money.make_run(Random(seed), money.Wheel(button=True), kinds=("nudge_after",), clean=True, turns=4.2)
    said = judge.money_events(run)
    assert len(judge.verdicts(said)) == 1
    assert "device.warning" in {s.type for s in said}


@pytest.mark.parametrize("seed", range(8))
def test_without_a_button_a_nudge_is_too_short_a_spin_only_if_it_began_in_a_new_round(seed: int) -> None:
    run = money.make_run(Random(seed), money.Wheel(button=False), kinds=("nudge_after",), clean=True, turns=4.2)
    said = judge.money_events(run)
    first, *others = judge.verdicts(said)
    assert first.type == "round.outcome"
    if others:
        assert [v.reason for v in others] == ["wheel_revolutions"]
        calls = [s for s in said if s.type == "round.no_more_bets"]
        opened = [s for s in said if s.type == "round.opened"]
        assert calls[-1].t_ns >= opened[1].t_ns
    else:
        assert "device.warning" in {s.type for s in said}


BALL_REFUSALS = {
    "with_rotor": {"ball_direction"},
    "picked_up": {"ball_revolutions"},
    "hand_placed": {"ball_revolutions"},
    "two_balls": {"foreign_object", "ball_direction"},
    "old_ball": {"foreign_object"},
    "object_early": {"foreign_object"},
    "rotor_stopped": {"rotor_not_turning"},
    "rotor_reversed": {"rotor_reversed", "rotor_not_turning"},
    "rotor_slow": {"rotor_not_turning"},
    "tilted": {"not_level"},
}
"""A rotor that is stopped on its way to the other direction does not turn, and then is reversed: either is true."""


@pytest.mark.parametrize("kind", BALL_REFUSALS)
@pytest.mark.parametrize("seed", range(12))
def test_a_roulette_spin_of_enough_turns_is_refused_for_what_was_wrong(kind: str, seed: int) -> None:
    rng = Random(seed)
    wheel = replace(roulette.random_wheel(rng, ((0.0, 120.0, 240.0), (0.0, 100.0, 220.0))), beams=1, level=True)
    run = roulette.make_run(rng, wheel, kinds=(kind,), count=rng.randint(16, 42))
    heard = judge.verdicts(judge.roulette_events(run))
    assert [v.type for v in heard] == ["round.void"]
    assert heard[0].reason in BALL_REFUSALS[kind]
