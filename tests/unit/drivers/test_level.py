"""The level of the wheel: beyond the tolerance for a second, and not sooner."""

from __future__ import annotations

import math

import pytest

from drivers.base.driver import SensorAlive
from drivers.roulette.device import RouletteWheelConfig
from drivers.roulette.wheel import Level, RouletteWheel
from hal.values import EdgesLost, Loss, Reading

S = 1_000_000_000


def level() -> Level:
    return Level("level_x", "level_y", 0.15, S)


def x(deg: float, t_ns: int) -> Reading:
    return Reading("level_x", deg, t_ns)


def y(deg: float, t_ns: int) -> Reading:
    return Reading("level_y", deg, t_ns)


@pytest.mark.parametrize(("deg", "due"), [(0.149, None), (0.15, None), (0.1501, 6 * S), (-0.2, 6 * S)])
def test_only_more_than_the_tolerance_is_out_of_level(deg: float, due: int | None) -> None:
    sensor = level()
    sensor.handle(x(deg, 5 * S))
    assert sensor.due(100 * S) == due


def test_it_is_out_of_level_after_a_whole_second_and_reported_once() -> None:
    sensor = level()
    sensor.handle(x(0.3, 5 * S))
    assert sensor.due(6 * S - 1) is None
    assert sensor.due(6 * S) == 6 * S
    assert sensor.due(70 * S) is None


def test_a_second_counts_from_the_first_bad_reading_however_many_follow() -> None:
    sensor = level()
    for k in range(5):
        sensor.handle(x(0.3, 5 * S + k * S // 10))
    assert sensor.due_ns == 6 * S


def test_a_good_reading_in_between_begins_the_second_anew() -> None:
    sensor = level()
    sensor.handle(x(0.3, 5 * S))
    assert not sensor.handle(x(0.1, 5 * S + S // 2))
    sensor.handle(x(0.3, 6 * S))
    assert sensor.due_ns == 7 * S


def test_coming_back_to_level_is_reported_once_and_only_after_it_was_out() -> None:
    sensor = level()
    sensor.handle(x(0.3, 5 * S))
    sensor.due(6 * S)
    assert not sensor.handle(x(0.2, 7 * S))
    assert sensor.handle(x(0.1, 8 * S))
    assert not sensor.handle(x(0.1, 9 * S))


def test_the_inclination_is_that_of_both_axes_together() -> None:
    sensor = level()
    sensor.handle(x(0.12, 4 * S))
    assert sensor.due(5 * S) is None
    sensor.handle(y(0.12, 5 * S))
    assert sensor.tilt_deg == pytest.approx(math.hypot(0.12, 0.12))
    assert sensor.due_ns == 6 * S


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_value_that_is_no_number_is_beyond_every_tolerance(value: float) -> None:
    sensor = level()
    sensor.handle(x(value, 5 * S))
    assert sensor.due_ns == 6 * S
    assert sensor.tilt_deg == math.inf


def test_without_a_reading_nothing_is_known_to_be_wrong() -> None:
    assert level().due(100 * S) is None


@pytest.mark.parametrize("deg", [0.1501, -0.2, math.nan, math.inf, -math.inf])
def test_a_reading_beyond_the_tolerance_is_not_calm_and_is_not_taken(deg: float) -> None:
    sensor = level()
    assert sensor.calm(x(0.1, 5 * S))
    assert not sensor.calm(x(deg, 6 * S))
    assert sensor.tilt_deg == pytest.approx(0.1)
    assert not sensor.calm(y(0.12, 7 * S))


def test_while_it_may_be_out_of_level_no_reading_is_calm() -> None:
    sensor = level()
    sensor.handle(x(0.3, 5 * S))
    assert not sensor.calm(x(0.0, 5 * S + S // 2))
    sensor.due(6 * S)
    assert not sensor.calm(x(0.0, 7 * S))
    assert sensor.handle(x(0.0, 7 * S))
    assert sensor.calm(x(0.0, 8 * S))


def test_a_failed_line_recovers_by_a_level_reading_which_is_not_calm() -> None:
    wheel = RouletteWheel(RouletteWheelConfig())
    wheel.lost(EdgesLost("level_x", Loss.UNPLUGGED, 5 * S))
    assert not wheel.calm(x(0.0, 6 * S))
    assert [type(seen) for seen in wheel.reading(x(0.0, 6 * S))] == [SensorAlive]
    assert wheel.calm(x(0.0, 7 * S))
