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
    zone = scan(spins_into(100, 0.5, 300, TWELVE, 7), TWELVE)
    assert zone is not None
    assert zone.p < 1e-3
    assert abs(zone.from_deg - 100) <= 30
    assert "of the bowl the ball left the track" in zone.words
    assert "in 300 spins, 100 expected" in zone.words


def test_what_the_sensors_cannot_tell_is_not_found() -> None:
    """A third with its middle at a sensor of three draws from both arcs: they tell little of it."""
    found = [scan(spins_into(40, 0.5, 300, THREE, seed), THREE) for seed in range(20)]
    better = [scan(spins_into(40, 0.5, 300, TWELVE, seed), TWELVE) for seed in range(20)]
    assert sum(one is not None and one.p < 1e-3 for one in found) < 10
    assert sum(one is not None and one.p < 1e-3 for one in better) >= 18


EQUAL = (Arc(60, 60), Arc(180, 60), Arc(300, 60))
EIGHT = tuple(Arc(22.5 + 45 * number, 22.5) for number in range(8))
"""Of sensors 45° apart."""
NARROW = (Arc(2.5, 2.5), Arc(7.5, 2.5), Arc(12.5, 2.5), Arc(65, 50), Arc(117.5, 2.5), Arc(240, 120))
"""Of sensors at 0°, 5°, 10°, 15°, 115° and 120°: in 300 spins of a level wheel one of four arcs often has no ball."""


@pytest.mark.parametrize("spins", [LEAST_SPINS, 300, 2000, 100_000])
@pytest.mark.parametrize(
    ("bowl", "share", "begin_deg"),
    [
        pytest.param(EIGHT, EIGHT[2:5], 90, id="135°, a third of eight arcs and a little more"),
        pytest.param(EIGHT, EIGHT[3:5], 120, id="90° of eight arcs"),
        pytest.param(EIGHT, EIGHT[7:], 300, id="one arc of eight"),
        *(pytest.param(EQUAL, EQUAL[at : at + 1], 120 * at, id=f"arc {at} of three alike") for at in range(3)),
        *(pytest.param(THREE, THREE[at : at + 1], None, id=f"arc {at} of three") for at in range(3)),
    ],
)
def test_a_tilt_so_strong_that_every_ball_leaves_within_a_few_arcs_is_found(
    bowl: tuple[Arc, ...], share: tuple[Arc, ...], begin_deg: int | None, spins: int
) -> None:
    zone = scan(Counter(share[number % len(share)] for number in range(spins)), bowl)
    assert zone is not None
    assert zone.p < 1e-15
    assert "p 0" not in zone.words
    assert begin_deg is None or abs((zone.from_deg - begin_deg + 180) % 360 - 180) <= 45
    assert zone.spins == spins


@pytest.mark.parametrize("number", range(8))
def test_balls_that_never_leave_in_a_quarter_of_the_bowl_are_found(number: int) -> None:
    """Two arcs of eight, one beside the other, never came: it leaves over 270° alike."""
    never = {EIGHT[number], EIGHT[(number + 1) % 8]}
    found = [
        scan(Counter(Random(seed).choices([arc for arc in EIGHT if arc not in never], k=2000)), EIGHT)
        for seed in range(5)
    ]
    assert [zone is not None and zone.p < 0.001 for zone in found] == [True] * 5


def test_an_arc_without_a_ball_is_judged_as_one_with_few() -> None:
    """The fewer balls leave in one arc, the less probable: no step where the last of them is missing."""
    chances = []
    for times in (6, 4, 2, 1, 0):
        counts = Counter({**dict.fromkeys(EIGHT, 50), EIGHT[0]: times, EIGHT[4]: 100 - times})
        zone = scan(+counts, EIGHT)
        assert zone is not None
        chances.append(zone.p)
    assert chances == sorted(chances, reverse=True)
    assert chances[-1] > chances[0] / 100


def test_an_arc_of_another_bowl_and_too_few_spins_give_nothing() -> None:
    assert scan({}, THREE) is None
    assert scan({**dict.fromkeys(THREE, 100), Arc(10, 10): 1}, THREE) is None
    assert scan(dict.fromkeys(THREE, 100), EQUAL) is None
    assert scan({**dict.fromkeys(THREE[:2], 10), THREE[2]: LEAST_SPINS - 21}, THREE) is None
    assert scan({**dict.fromkeys(THREE[:2], 10), THREE[2]: LEAST_SPINS - 20}, THREE) is not None


def test_two_sensors_of_which_every_third_has_as_much_of_either_arc_are_not_judged_in_that_third() -> None:
    """At 10° and 130° the third from 90° on has a third of each arc: it says nothing, and others may."""
    two = (Arc(70, 60), Arc(250, 120))
    assert covered(two[0], 90) == pytest.approx(covered(two[1], 90))
    level = scan({two[0]: 100, two[1]: 200}, two)
    tilted = scan({two[0]: 200, two[1]: 100}, two)
    assert level is not None
    assert tilted is not None
    assert (level.p, tilted.p < 1e-9) == (1, True)


@given(st.integers(2, 8).flatmap(lambda n: st.tuples(*[st.floats(5, 360)] * n)), st.data())
def test_every_bowl_and_every_count_has_a_chance_or_none(widths: tuple[float, ...], data: st.DataObject) -> None:
    begin_deg, bowl = data.draw(st.floats(0, 360)), []
    for width in widths:
        half_deg = width / sum(widths) * 180
        bowl.append(Arc((begin_deg + half_deg) % 360, half_deg))
        begin_deg += 2 * half_deg
    zone = scan({arc: data.draw(st.sampled_from([0, 1, 60, 10**6])) for arc in bowl}, bowl)
    assert zone is None or 0 <= zone.p <= 1


def test_a_block_is_judged_once_and_the_next_one_begins_empty() -> None:
    watch = DropZoneWatch(TWELVE, [100], 0.001)
    arcs = [TWELVE[0]] * 89 + list(TWELVE[1:])
    assert [zone.spins for arc in arcs for zone in watch.left(arc)] == [100]
    assert [zone for arc in list(TWELVE) * 9 for zone in watch.left(arc)] == []


def test_each_length_of_block_has_blocks_of_its_own_one_after_the_other() -> None:
    watch = DropZoneWatch(TWELVE, [100, 250], 0.001)
    found = [(spin, zone.spins) for spin in range(1, 601) for zone in watch.left(TWELVE[0])]
    assert found == [(100, 100), (200, 100), (250, 250), (300, 100), (400, 100), (500, 100), (500, 250), (600, 100)]


@pytest.mark.parametrize("bowl", [THREE, NARROW], ids=["three arcs", "arcs that often have no ball"])
def test_a_fair_wheel_is_seldom_suspected(bowl: tuple[Arc, ...]) -> None:
    """A share of what `python -m benchmarks.watch_power` measures."""
    rng = Random(3)
    weights = [arc.doubt_deg for arc in bowl]
    alarms = 0
    for _ in range(1000):
        zone = scan(Counter(rng.choices(bowl, weights, k=300)), bowl)
        assert zone is not None
        alarms += zone.p < 0.001
    assert alarms <= 4, "more than four of 1,000 come with a chance of 0.004, where 1 in 1,000 is the truth"
    assert DIRECTIONS == 12
