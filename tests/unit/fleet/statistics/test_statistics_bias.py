"""Tests for fairness: what is suspected, what is not, and how much a test that finds nothing has shown."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.games.catalogue import GAME
from feed.data import StatisticsKey
from feed.fairness import Plan, fit, holm
from fleet.statistics.bias import FALSE_ALARM, POWER, Counted, FairnessTest, falls_for, judge, samples_of

FACES = [StatisticsKey(field="total", values=[*range(3, 19)]), StatisticsKey(field="dice", values=[1, 2, 3, 4, 5, 6])]
WHEEL = [StatisticsKey(field="pocket", values=[str(number) for number in range(37)])]


def plan_of(game: str, keys: Sequence[StatisticsKey]) -> Plan:
    plan = GAME[game].published_bias(keys)
    assert plan is not None
    return plan


def counted(counts: Sequence[int], name: str = "hall/roulette-1 wheel") -> Counted:
    """This many of each pocket."""
    one = Counted("device", name, plan_of("roulette", WHEEL))
    for number, count in enumerate(counts):
        one.take(name, [{"pocket": str(number)}], count)
    return one


def test_a_wheel_whose_pocket_comes_twice_as_often_as_it_should_is_suspected_and_a_fair_one_not() -> None:
    loaded, fair = judge([counted([100] * 17 + [200] + [100] * 19), counted([100] * 37)])
    assert (loaded.suspected, fair.suspected) == (True, False)
    assert (loaded.worst.value, loaded.worst.count) == ("17", 200)
    assert loaded.degrees == 36
    assert loaded.adjusted_p == pytest.approx(2 * (loaded.p or 0.0))


def test_what_is_bad_once_is_not_bad_among_forty() -> None:
    one = [100] * 36 + [136]
    (alone,) = judge([counted(one)])
    among = judge([counted(one), *(counted([100] * 37, f"fair {number}") for number in range(39))])
    assert alone.p is not None and alone.p == among[0].p
    assert among[0].adjusted_p == pytest.approx(min(1.0, 40 * alone.p))
    assert not any(found.suspected for found in among)


def test_fair_equipment_is_suspected_in_no_more_than_one_report_of_a_hundred() -> None:
    rng, reports = Random(3), 400
    suspected = 0
    for _ in range(reports):
        tables = []
        for table in range(3):
            counts = [0] * 37
            for _ in range(400):
                counts[rng.randrange(37)] += 1
            tables.append(counted(counts, str(table)))
        suspected += any(found.suspected for found in judge(tables))
    # More than twelve of 400 would come in one of a thousand such tests (binomial, 0.01).
    assert suspected <= 12


@pytest.mark.parametrize(("places", "table"), [(4, 10.903), (5, 11.935), (6, 12.828), (11, 16.241)])
def test_of_a_small_bias_the_power_is_that_of_the_printed_tables(places: int, table: float) -> None:
    """The noncentrality for power 0.8 at the 5 % level: Haynam, Govindarajulu and Leone (1970)."""
    bias, fair = 0.01, 1 / places
    falls = falls_for(places, 0.05, bias)
    assert falls * bias**2 * fair / (1 - fair) == pytest.approx(table, rel=0.01)


def test_a_bias_of_the_size_that_it_would_find_is_found_about_as_often_as_it_states() -> None:
    (fair,) = judge([counted([40] * 37)])
    size = fair.would_find
    assert size is not None and fair.p is not None
    share = (1 + size) / 37
    weights = [share] + [(1 - share) / 36] * 36
    rng, found, runs = Random(8), 0, 300
    for _ in range(runs):
        counts = [0] * 37
        for pocket in rng.choices(range(37), weights, k=40 * 37):
            counts[pocket] += 1
        fitted = fit(counts, [1 / 37] * 37)
        found += fitted is not None and fitted.p < FALSE_ALARM
    assert found / runs == pytest.approx(POWER, abs=0.06)


def test_rounds_for_a_bias_and_the_bias_for_rounds_are_two_sides_of_one() -> None:
    (fair,) = judge([counted([1000] * 37)])
    (there,) = judge([counted([fair.rounds_for["0.25"] // 37 + 1] * 37)])
    assert there.would_find == pytest.approx(0.25, abs=0.002)


def test_too_few_rounds_are_no_test_and_claim_nothing() -> None:
    few, some = judge([counted([1] * 10), counted([3] * 37)])
    assert (few.p, few.suspected, few.would_find) == (None, False, None)
    # Neighbours are put together: that is a test, of which the size for one pocket is not stated.
    assert (some.p is not None, some.would_find, some.rounds_needed) == (True, None, 370)


def test_dice_count_by_face_and_sum_and_the_rounds_count_rounds() -> None:
    plan = plan_of("sic_bo", FACES)
    one = Counted("device", "hall/sic-bo-1 dice", plan)
    samples = samples_of(plan, {"dice": [1, 5, 6], "total": 12})
    assert samples is not None
    one.take("hall/sic-bo-1", samples, 100)
    face, total = judge([one])
    assert (face.test, face.rounds, face.falls, face.rounds_needed) == ("face", 100, 300, 20)
    assert (total.test, total.falls, total.would_find, total.rounds_for) == ("total", 100, None, {})
    assert {each.value: each.count for each in face.categories if each.count} == {1: 100, 5: 100, 6: 100}


@pytest.mark.parametrize(
    "result", [{}, {"pocket": "37"}, {"pocket": 5}, {"pocket": ["5"]}, {"pocket": None}, {"dice": [7, 7, 7]}]
)
def test_a_result_that_cannot_be_is_not_counted(result: dict[str, object]) -> None:
    game, keys = ("sic_bo", FACES) if "dice" in result else ("roulette", WHEEL)
    assert samples_of(plan_of(game, keys), result) is None


@pytest.mark.parametrize(
    ("game", "values"),
    [
        ("sic_bo", [400]),
        ("sic_bo", []),
        ("sic_bo", ["3"]),
        ("sic_bo", [-1]),
        ("roulette", ["1"]),
    ],
)
def test_what_a_table_published_and_cannot_be_gives_no_plan(game: str, values: list[int | str]) -> None:
    field = "total" if game == "sic_bo" else "pocket"
    assert GAME[game].published_bias([StatisticsKey(field=field, values=values)]) is None


def test_every_game_that_a_table_watches_is_tested_by_what_it_publishes_too() -> None:
    published = {name for name, spec in GAME.items() if spec.published_bias is not GAME["baccarat"].published_bias}
    watched = {name for name, spec in GAME.items() if spec.watched is not None or spec.compared is not None}
    assert watched <= published == {name for name, spec in GAME.items() if spec.falls_in}


@given(st.lists(st.one_of(st.none(), st.floats(0, 1)), max_size=12))
def test_adjusted_values_are_never_less_and_keep_their_order(values: list[float | None]) -> None:
    adjusted = holm(values)
    pairs = [(p, q) for p, q in zip(values, adjusted, strict=True) if p is not None and q is not None]
    assert len(pairs) == sum(p is not None for p in values)
    assert all(p <= q <= 1 for p, q in pairs)
    ordered = [q for _, q in sorted(pairs)]
    assert ordered == sorted(ordered)
    if pairs:
        assert min(q for _, q in pairs) == min(1.0, min(p for p, _ in pairs) * len(pairs))


def test_nothing_counted_is_nothing_tested() -> None:
    found: list[FairnessTest] = judge([])
    assert found == []
