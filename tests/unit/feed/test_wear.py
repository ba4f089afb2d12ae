"""The wear of a wheel against its own history: what is found, when it is forecast, and what is kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import combinations
from math import comb
from random import Random

import msgspec
import pytest

from feed.data import WearHistory
from feed.wear import BASELINE, BLOCK, MOST_BLOCKS, WINDOW, least_beyond, part_of, since, to_learn, with_block, worn

FALSE_ALARM = 0.001


def history_of(
    value: Callable[[int], float | None], blocks: int = 40, name: str = "rotor_slowing", **limits: float
) -> WearHistory:
    """A history of one block a day, each of spins with this value."""
    history = WearHistory()
    for number in range(blocks):
        measured = value(number)
        spin = {} if measured is None else {name: measured}
        history = with_block(history, 20_000 + number, [spin] * BLOCK, limits)
    return history


def scattered(number: int) -> float:
    """A sound bearing's slowing, no two alike."""
    return 0.04 + 0.0001 * (number * 7 % 11)


@pytest.mark.parametrize(("last", "before", "odd"), [(2, 3, 0), (3, 4, 0), (4, 5, 0), (3, 5, 1), (3, 6, 2)])
def test_so_many_pairs_come_by_chance_as_seldom_as_is_stated(last: int, before: int, odd: int) -> None:
    places = range(last + before)
    pairs = [
        sum(one > other for one in of for other in sorted(set(places) - set(of))[: before - odd])
        for of in combinations(places, last)
    ]
    for chance in (0.3, 0.1, 0.05, 0.02, 0.001):
        least = least_beyond(last, before, odd, chance)
        share = Fraction(sum(one >= least for one in pairs), comb(last + before, last))
        assert share <= chance
        assert Fraction(sum(one >= least - 1 for one in pairs), comb(last + before, last)) > chance


def test_a_wheel_is_judged_once_it_is_learnt_and_a_window_is_full() -> None:
    def value(number: int) -> float:
        return scattered(number) * (1.5 if number >= BASELINE else 1)

    assert [len(worn(history_of(value, blocks), FALSE_ALARM)) for blocks in (BASELINE, BASELINE + WINDOW - 1)] == [0, 0]
    (found,) = worn(history_of(value, BASELINE + WINDOW), FALSE_ALARM)
    assert (found.name, found.part.part) == ("rotor_slowing", "bearing of the rotor")
    assert found.progress == pytest.approx(0.5, abs=0.05)
    assert found.spins == BLOCK * (BASELINE + WINDOW)


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (scattered, "sound"),
        (lambda number: 0.04, "all alike"),
        (lambda number: scattered(number) * (0.5 if number >= BASELINE else 1), "better than it was"),
        (lambda number: scattered(number) * (1.08 if number >= BASELINE else 1), "less than a tenth of the way"),
        (lambda number: scattered(number) * (1.9 if number % 2 and number >= BASELINE else 1), "every other block"),
        (lambda number: None if 8 <= number < 14 else scattered(number) * (1 + (number > BASELINE)), "not learnt"),
        (lambda n: None if n == 39 else scattered(n) * (1 + (n > BASELINE)), "no value in the window"),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_nothing_is_found_without_a_clear_change_for_the_worse(value: Callable[[int], float | None], why: str) -> None:
    assert worn(history_of(value), FALSE_ALARM) == []


def test_a_value_that_scatters_is_found_by_its_ranks_alone() -> None:
    rng = Random(1)
    values = [rng.uniform(0.02, 0.06) for _ in range(BASELINE)] + [rng.uniform(0.055, 0.1) for _ in range(WINDOW)]
    assert len(worn(history_of(values.__getitem__, len(values)), FALSE_ALARM)) == 1
    values[-2:] = [0.021] * 2
    assert worn(history_of(values.__getitem__, len(values)), FALSE_ALARM) == []


def test_a_steady_rise_is_forecast_to_the_day() -> None:
    def value(number: int) -> float:
        return 0.04 + 0.0005 * max(0, number - BASELINE)

    history = history_of(value, BASELINE + 45)
    (found,) = worn(history, FALSE_ALARM)
    # 0.0005 a day: at the limit, twice the baseline, 80 days after the baseline.
    assert found.forecast is not None
    assert found.forecast.about is not None
    assert found.forecast.about == pytest.approx(20_000 + BASELINE + 80, abs=1)
    assert found.words.startswith("bearing of the rotor: slowing of the rotor 0.0602 rpm/s, 0.04 rpm/s when it was")
    assert "limit 0.08 rpm/s; limit reached about 2025-01-17" in found.words
    assert "(95 %: 2025-01-17 to 2025-01-17)" in found.words


def test_the_interval_of_a_forecast_has_the_day_in_nine_of_ten_wheels() -> None:
    rng, inside = Random(7), 0
    for _ in range(60):
        values = [0.04 + 0.0005 * max(0, number - BASELINE) + rng.gauss(0, 0.002) for number in range(60)]
        (found,) = worn(history_of(values.__getitem__, 60), FALSE_ALARM)
        assert found.forecast is not None
        day = 20_000 + BASELINE + (found.limit - 0.04) / 0.0005
        inside += found.forecast.earliest <= day <= (found.forecast.latest or day)
    assert inside >= 54


def test_what_has_jumped_and_stays_there_has_no_certain_day() -> None:
    (found,) = worn(history_of(lambda number: scattered(number) + 0.02 * (number >= BASELINE), 63), FALSE_ALARM)
    assert found.forecast is None or found.forecast.latest is None
    (past,) = worn(history_of(lambda number: scattered(number) + 0.06 * (number >= BASELINE), 40), FALSE_ALARM)
    assert past.words.endswith("its limit 0.081 rpm/s is reached")


def test_a_pulse_that_grows_narrow_and_one_that_grows_wide_are_both_found() -> None:
    for factor, limit in ((0.8, 1 / 1.8), (1.3, 1.8)):
        values = [1.0] * BASELINE + [factor] * 15
        (found,) = worn(history_of(values.__getitem__, name="ball_2_width"), FALSE_ALARM)
        assert found.limit == pytest.approx(limit)
        assert found.part.part == "track sensor ball_2"


def test_the_limit_of_the_file_counts_and_one_below_the_baseline_does_not() -> None:
    history = history_of(lambda n: 0.12 if n >= 28 else 0.03, name="level", level=0.2)
    assert [one.limit for one in worn(history, FALSE_ALARM)] == [0.2]
    assert worn(history_of(lambda n: 0.12 if n >= 28 else 0.03, name="level", level=0.02), FALSE_ALARM) == []


def test_shares_have_means_and_other_values_medians() -> None:
    block = [{"ball_1_missed": share, "level": share} for share in (0, 0, 0, 0.1, 0.2)]
    values = with_block(WearHistory(), 1, block, {}).values
    assert values == {"ball_1_missed": [0.06], "level": [0]}


def test_a_long_history_keeps_baseline_and_window_and_no_spin_is_lost() -> None:
    history = history_of(lambda number: float(number), 1000, name="rocking")
    days = history.days
    assert len(days) < MOST_BLOCKS
    assert days[:BASELINE] == [20_000 + number for number in range(BASELINE)]
    assert days[-WINDOW:] == [20_000 + number for number in range(1000 - WINDOW, 1000)]
    assert days == sorted(days)
    assert sum(history.spins) == 1000 * BLOCK
    middles = [day - 20_000 for day in days]
    assert history.values["rocking"] == pytest.approx(middles, abs=0.6)


def test_a_value_that_comes_later_has_nothing_before() -> None:
    history = with_block(history_of(scattered, 3), 20_003, [{"level": 0.1}], {})
    assert history.values["level"] == [None, None, None, 0.1]
    assert history.values["rotor_slowing"][3] is None
    assert worn(with_block(history_of(scattered), 1, [{"of_a_later_version": 1.0}], {}), FALSE_ALARM) == []
    assert part_of("of_a_later_version") is None


def test_a_part_that_was_exchanged_is_learnt_anew_from_its_day() -> None:
    history = history_of(lambda number: 0.08 if number >= 28 else 0.04)
    assert len(worn(history, FALSE_ALARM)) == 1
    anew = since(history, 20_028, 20_040)
    assert anew.days == history.days[28:]
    assert anew.values["rotor_slowing"] == [0.08] * 12
    assert since(history, 30_000, 30_000).days == []


def test_each_block_is_judged_by_its_own_day_and_one_from_the_future_is_not_believed() -> None:
    history = history_of(scattered, 30)
    history.days[3], history.days[20] = 23_000, 19_000  # the clock was wrong for a block
    assert since(history, 20_010, 20_029).days == [*range(20_010, 20_020), *range(20_021, 20_030)]
    assert since(history, 19_000, 20_029).days == [*history.days[:3], *history.days[4:]]
    assert since(history, 19_000, 22_999.5) is history
    assert since(history, 20_010, 20_020.5).days == [*range(20_010, 20_020), 20_021], (
        "a clock is set by less than a day"
    )


def eight_sensors(odd: Mapping[int, float], blocks: int = BASELINE + WINDOW) -> WearHistory:
    """A history of all that a roulette wheel with eight sensors has; one of them misses once the wheel is learnt, and
    in some odd blocks before."""
    history = WearHistory()
    for number in range(blocks):
        spin = {name: scattered(number) for name in ("ball_slowing", "rotor_slowing", "unevenness", "level")}
        for sensor in range(1, 9):
            spin |= {f"ball_{sensor}_width": 1 + scattered(number), f"ball_{sensor}_missed": 0}
        spin["ball_1_missed"] = odd.get(number, 0.05 if number >= BASELINE else 0)
        history = with_block(history, 20_000 + number, [spin] * BLOCK, {"level": 0.15})
    return history


@pytest.mark.parametrize(
    ("odd", "found"), [({}, 1), ({3: 0.3}, 1), ({3: 0.3, 17: 0.2}, 1), ({3: 0.3, 4: 0.3, 5: 1}, 0)]
)
def test_a_block_or_two_with_a_loose_plug_do_not_hide_what_comes_later(odd: Mapping[int, float], found: int) -> None:
    assert [one.name for one in worn(eight_sensors(odd), FALSE_ALARM)] == ["ball_1_missed"] * found


def test_a_wheel_that_an_older_version_has_learnt_keeps_its_baseline_of_15_blocks() -> None:
    def of_old(blocks: int) -> WearHistory:
        history = history_of(lambda number: scattered(number) * (1.5 if number >= 15 else 1), blocks)
        return msgspec.json.decode(msgspec.json.encode(msgspec.structs.replace(history, learnt=15)), type=WearHistory)

    assert b"learnt" not in msgspec.json.encode(of_old(40))
    assert [one.baseline for one in worn(of_old(15 + WINDOW), FALSE_ALARM)] == [pytest.approx(0.0405)]
    longer = with_block(of_old(62), 20_062, [{"rotor_slowing": 0.06}] * BLOCK, {})
    assert (longer.learnt, longer.days[:15]) == (15, [20_000 + number for number in range(15)])
    assert to_learn(of_old(40)) == 0
    # One that was not judged yet is learnt as a new one is.
    assert to_learn(of_old(14 + WINDOW)) == BASELINE - 14
    assert with_block(of_old(14 + WINDOW), 20_030, [{"rotor_slowing": 0.06}], {}).learnt == BASELINE


def test_a_sensor_that_is_added_later_is_learnt_and_another_wheel_is_too() -> None:
    def level_from(first: int, others_until: int = 99) -> WearHistory:
        history = WearHistory()
        for number in range(70):
            spin = {"rotor_slowing": scattered(number)} if number < others_until else {}
            if number >= first:
                spin["level"] = 0.01 + 0.0001 * (number * 7 % 11) + (0.1 if number >= 55 else 0)
            history = with_block(history, 20_000 + number, [spin] * BLOCK, {"level": 0.2})
        return history

    for first in (0, BASELINE + 5):
        assert [one.name for one in worn(level_from(first), FALSE_ALARM)] == ["level"]
    other = level_from(BASELINE + 5, BASELINE + 5)
    assert [one.name for one in worn(other, FALSE_ALARM)] == [*other.values] == ["level"]


def test_a_value_that_is_measured_now_and_then_does_not_end_what_was_learnt() -> None:
    history = WearHistory()
    for number in range(40):
        spin = {
            "rotor_slowing": scattered(number),
            **({"level": 0.01} if number % WINDOW and number > BASELINE else {}),
        }
        history = with_block(history, 20_000 + number, [spin] * BLOCK, {})
    assert len(history.days) == 40
