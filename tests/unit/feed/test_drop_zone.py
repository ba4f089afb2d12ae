"""The scan for a drop zone: its chances are right, it finds a tilt, and doubt about the angle never makes one."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import comb
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feed.drop_zone import DIRECTIONS, LEAST_SPINS, Arc, DropZoneWatch, covered, scan, tail

THREE = (Arc(50, 50), Arc(160, 60), Arc(290, 70))
"""Of sensors at 0°, 100° and 220°."""
TWELVE = tuple(Arc(15 + 30 * number, 15) for number in range(12))


def tail_of_a_third(spins: int, count: int) -> float:
    """By the binomial distribution, in whole numbers."""
    return float(Fraction(sum(comb(spins, k) * 2 ** (spins - k) for k in range(count, spins + 1)), 3**spins))


@pytest.mark.parametrize(("spins", "count"), [(300, 125), (300, 132), (300, 145), (2000, 745), (2000, 780)])
def test_the_chance_of_whole_counts_is_that_of_the_binomial_distribution(spins: int, count: int) -> None:
    exact = tail_of_a_third(spins, count)
    found = tail([1 / 3, 2 / 3], [1.0, 0.0], spins, count)
    assert found == pytest.approx(exact, rel=0.02)


@pytest.mark.parametrize("count", [66.0, 69.5])
def test_the_chance_of_counts_in_part_is_that_of_their_convolution(count: float) -> None:
    chances, parts, spins = [0.25, 0.25, 0.5], [1.0, 0.5, 0.125], 120
    eighths = [1.0]
    for _ in range(spins):
        added = [0.0] * (len(eighths) + 8)
        for at, chance in enumerate(eighths):
            for part, share in zip(parts, chances, strict=True):
                added[at + round(8 * part)] += chance * share
        eighths = added
    exact = sum(eighths[round(8 * count) :])
    assert exact < 0.001
    assert tail(chances, parts, spins, count) == pytest.approx(exact, rel=0.05)


@given(st.floats(0, 360), st.floats(1, 179), st.floats(0, 360))
def test_three_thirds_of_a_bowl_cover_every_arc_once(deg: float, doubt_deg: float, begin_deg: float) -> None:
    parts = [covered(Arc(deg, doubt_deg), begin_deg + third) for third in (0, 120, 240)]
    assert sum(parts) == pytest.approx(1)
    assert all(-1e-9 <= part <= 1 for part in parts)


def spins_into(third_deg: float, share: float, spins: int, arcs: tuple[Arc, ...], seed: int) -> Counter[Arc]:
    """The arcs of spins of which a share leaves the track in the third that begins there."""
    rng = Random(seed)
    counts: Counter[Arc] = Counter()
    for _ in range(spins):
        inside = rng.random() < share
        deg = (third_deg + (rng.uniform(0, 120) if inside else rng.uniform(120, 360))) % 360
        counts[next(arc for arc in arcs if (deg - arc.deg + arc.doubt_deg) % 360 < 2 * arc.doubt_deg)] += 1
    return counts


def test_a_third_that_draws_half_of_the_balls_is_named() -> None:
    zone = scan(spins_into(100, 0.5, 300, TWELVE, 7))
    assert zone is not None
    assert zone.p < 1e-3
    assert abs(zone.from_deg - 100) <= 30
    assert "of the bowl the ball left the track" in zone.words
    assert "in 300 spins, 100 expected" in zone.words


def test_what_the_sensors_cannot_tell_is_not_found() -> None:
    """A third with its middle at a sensor of three draws from both arcs: they tell little of it."""
    found = [scan(spins_into(40, 0.5, 300, THREE, seed)) for seed in range(20)]
    better = [scan(spins_into(40, 0.5, 300, TWELVE, seed)) for seed in range(20)]
    assert sum(one is not None and one.p < 1e-3 for one in found) < 10
    assert sum(one is not None and one.p < 1e-3 for one in better) >= 18


def test_arcs_of_another_bowl_too_few_spins_and_an_arc_that_never_came_give_nothing() -> None:
    assert scan({}) is None
    assert scan({THREE[0]: 100, THREE[1]: 100}) is None
    assert scan({**dict.fromkeys(THREE, 100), Arc(10, 10): 1}) is None
    assert scan({**dict.fromkeys(THREE[:2], 10), THREE[2]: LEAST_SPINS - 21}) is None
    assert scan({**dict.fromkeys(THREE[:2], 10), THREE[2]: LEAST_SPINS - 20}) is not None


def test_a_block_is_judged_once_and_the_next_one_begins_empty() -> None:
    watch = DropZoneWatch([100], 0.001)
    arcs = [TWELVE[0]] * 89 + list(TWELVE[1:])
    assert [zone.spins for arc in arcs for zone in watch.left(arc)] == [100]
    assert [zone for arc in list(TWELVE) * 9 for zone in watch.left(arc)] == []


def test_a_fair_wheel_is_seldom_suspected() -> None:
    """A share of what `python -m benchmarks.watch_power` measures."""
    rng = Random(3)
    weights = [arc.doubt_deg for arc in THREE]
    alarms = 0
    for _ in range(1000):
        zone = scan(Counter(rng.choices(THREE, weights, k=300)))
        alarms += zone is not None and zone.p < 0.001
    assert alarms <= 4, "more than four of 1,000 come with a chance of 0.004, where 1 in 1,000 is the truth"
    assert DIRECTIONS == 12
