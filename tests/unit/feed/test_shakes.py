"""How well dice are shaken: the chance of ranks is right, and what fell behind is named by its own device."""

from __future__ import annotations

from itertools import combinations
from math import comb
from random import Random

import pytest

from feed.data import Tumbling
from feed.shakes import LEAST, LEAST_STINTS, STINT, Shake, rank_worse, shake_of, shaken, weaker


@pytest.mark.parametrize("lowest", [0, 3, 6])
def test_the_chance_of_ranks_without_ties_is_that_of_all_their_orders(lowest: int) -> None:
    """`lowest` of six later values are below all of the eight earlier ones, the others above."""
    later = [*range(lowest), *range(20, 26 - lowest)]
    earlier = list(range(10, 18))
    ranks = sorted([*earlier, *later])
    mine = sum(map(ranks.index, later))
    sums = [sum(places) for places in combinations(range(14), 6)]
    exact = sum(one <= mine for one in sums) / len(sums)
    assert rank_worse(earlier, later, -1) == pytest.approx(exact, abs=0.012)
    assert rank_worse([-one for one in earlier], [-one for one in later], 1) == pytest.approx(exact, abs=0.012)


def test_equal_values_tell_nothing_and_ties_count_half() -> None:
    assert rank_worse([3.0] * 60, [3.0] * 30, 1) == pytest.approx(0.5, abs=0.01)
    assert rank_worse([1, 2] * 30, [1, 2] * 15, -1) == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize("lower", [4, 8, 20, 45])
def test_with_ties_the_chance_is_never_taken_for_less_than_it_is(lower: int) -> None:
    """So many of 90 tumbles have two turns, the others three: of the 30 later ones, all that can be."""
    most = min(lower, 30)
    exact = comb(30, most) * comb(60, lower - most) / comb(90, lower)
    assert rank_worse([2] * (lower - most) + [3] * (60 - lower + most), [2] * most + [3] * (30 - most), -1) > exact


def test_what_fell_most_clearly_is_named_with_both_medians() -> None:
    rng = Random(2)
    earlier = [Shake(rng.uniform(2, 4), 40 + rng.randrange(10), 3 + rng.randrange(3), 0.2) for _ in range(60)]
    soft = [one._replace(pulses=30 + number % 5) for number, one in enumerate(earlier[:30])]
    found = weaker(earlier, soft)
    assert found is not None
    assert found.measure == "the number of pulses"
    assert found.p < 1e-9
    assert found.words.startswith("the number of pulses has a median of 32 in 30 tumbles, and had 4")
    uneven = weaker(earlier, [one._replace(unevenness=0.4) for one in earlier[:30]])
    assert uneven is not None
    assert (uneven.measure, uneven.earlier, uneven.later) == ("the unevenness", 0.2, 0.4)
    better = [Shake(9, 90, 9, 0.1)] * 30
    same = weaker(earlier, better)
    assert same is not None
    assert same.p > 0.9
    assert weaker([Shake(None, None, 3, None)] * 3, [Shake(3.0, None, None, None)] * 3) is None


def test_the_devices_of_a_table_are_told_apart_by_what_they_measure() -> None:
    by_hand = shake_of(Tumbling(shakes=4, moved_s=3.0, pulses=30, unevenness=0.1))
    tossed = shake_of(Tumbling(moved_s=8.0))
    keyed = shake_of(Tumbling(keyed=[1, 2]))
    found = shaken([by_hand, tossed, keyed] * LEAST + [by_hand._replace(pulses=10)] * LEAST)
    assert [(one.number, one.medians) for one in found] == [
        (2 * LEAST, (3.0, 20.0, 4, 0.1)),
        (LEAST, (8.0, None, None, None)),
    ]
    assert [one.fell is not None and one.fell.p < 1e-9 for one in found] == [True, False]
    (few,) = shaken([tossed] * (LEAST - 1))
    assert few.fell is None


def test_people_who_shake_differently_are_not_taken_for_a_fall_over_many_evenings() -> None:
    """Each of them shakes 20 times in a row, with a time that is his own: tumble by tumble that looks like a fall."""
    rng, number = Random(1), LEAST_STINTS * STINT
    said = {1: 0, STINT: 0}
    for _ in range(60):
        own = [rng.gauss(3, 0.6) for _ in range(number // 20)]
        shakes = [Shake(own[at // 20] + rng.gauss(0, 0.7), None, None, None) for at in range(number)]
        for stint in said:
            (one,) = shaken(shakes, stint)
            said[stint] += one.fell is not None and one.fell.p < 0.001
    assert said[1] > 3
    assert said[STINT] == 0
    sound = [Shake(3 - (at >= number / 2) + at % 7 / 10, None, None, None) for at in range(number)]
    for stints, clear in ((LEAST_STINTS, True), (LEAST_STINTS - 1, None)):
        (one,) = shaken(sound[-stints * STINT :], STINT)
        assert (one.fell and one.fell.p < 0.001 / 4) == clear
