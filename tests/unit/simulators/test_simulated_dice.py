"""Dice as bodies: fair where they tumble enough, and they rock before they lie."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from math import sqrt
from random import Random
from statistics import median

import pytest

from simulators.dice.bodies import LARGE_DIE_M, OPPOSITE_SUM, ROLLS, SMALL_DIE_M, Body, fall, new_dice, shown

CHI2_999_DF5 = 20.52
CHI2_999_DF35 = 66.62


def chi_squared(counts: Counter[object], cells: int) -> float:
    expected = counts.total() / cells
    assert len(counts) == cells
    return sum((count - expected) ** 2 / expected for count in counts.values())


def test_a_die_has_twenty_four_ways_to_lie_and_opposite_sides_add_up_to_seven() -> None:
    rng = Random(1)
    seen = set()
    for die in new_dice(2000, rng):
        seen.add((die.top, die.front))
        assert die.top not in (die.front, OPPOSITE_SUM - die.front)
        assert die.right() not in (die.top, die.front, OPPOSITE_SUM - die.top, OPPOSITE_SUM - die.front)
    assert len(seen) == 24


@pytest.mark.parametrize("direction", range(ROLLS))
def test_four_rolls_one_way_bring_a_die_back(direction: int) -> None:
    die = Body(LARGE_DIE_M, 4, 6)
    tops = []
    for _ in range(4):
        tops.append(die.top)
        die.roll(direction)
    assert (die.top, die.front) == (4, 6)
    assert len(set(tops)) == 4
    assert tops[0] + tops[2] == tops[1] + tops[3] == OPPOSITE_SUM


def test_faces_of_tumbled_dice_are_uniform_and_do_not_depend_on_how_they_lay_before() -> None:
    rng, die = Random(5), Body()
    faces: Counter[object] = Counter()
    pairs: Counter[object] = Counter()
    for _ in range(24_000):
        before = die.top
        fall(die, 0.0, rng.uniform(6.0, 25.0), rng)
        faces[die.top] += 1
        pairs[before, die.top] += 1
    assert chi_squared(faces, 6) < CHI2_999_DF5
    assert chi_squared(pairs, 36) < CHI2_999_DF35


def test_a_die_that_hardly_falls_does_not_roll_over() -> None:
    die = Body(LARGE_DIE_M, 3, 1)
    done = fall(die, 2.0, 0.4, Random(1))
    assert (die.top, done.rolls) == (3, 0)
    assert done.knocks_s[0] == 2.0


@pytest.mark.parametrize(("side_m", "low_s", "high_s"), [(LARGE_DIE_M, 0.6, 1.2), (SMALL_DIE_M, 0.3, 0.7)])
def test_dice_settle_within_two_seconds_and_the_smaller_the_sooner(side_m: float, low_s: float, high_s: float) -> None:
    rng = Random(3)
    rests = [fall(Body(side_m), 0.0, rng.uniform(6.0, 25.0), rng).rest_s for _ in range(3000)]
    assert low_s < median(rests) < high_s
    assert max(rests) < 2.0


def test_a_rocking_die_knocks_sooner_each_time() -> None:
    rng = Random(4)
    for _ in range(200):
        done = fall(Body(), 0.0, rng.uniform(6.0, 25.0), rng)
        rocked_s = done.rocked_s
        assert rocked_s is not None
        rocks = [t_s for t_s in done.knocks_s if t_s >= rocked_s]
        gaps = [b - a for a, b in pairwise(rocks)]
        assert gaps == sorted(gaps, reverse=True)
        # Not even one that nearly stands on its edge rests while it rocks.
        assert max(gaps, default=0.0) < 1.6


def test_the_rest_of_two_seconds_is_longer_than_the_slowest_rock() -> None:
    """The figure of `rest_s`: an edge to within 1/10,000 of its balance, for a die of 2.5 inches."""
    from math import acosh

    rate = sqrt(3 * 9.81 / (4 * LARGE_DIE_M / sqrt(2.0)))
    assert 2.0 / rate * acosh(1.0 / 1e-4) == pytest.approx(1.55, abs=0.05)


def test_a_die_that_does_not_lie_has_no_value() -> None:
    die = Body(LARGE_DIE_M, 5, 1)
    assert (shown(die).value, shown(die, "cocked").value, shown(die, "stacked").value) == (5, 5, None)
