"""Which pulses of the track sensors may be a ball."""

from __future__ import annotations

import pytest

from drivers.roulette.ball_hypothesis import Pass
from drivers.roulette.ball_track import TrackSensors
from hal.values import Edge

MS = 1_000_000
US = 1_000


def passes(sensors: TrackSensors, *edges: tuple[str, int, int]) -> list[Pass]:
    return [found for edge in edges if (found := sensors.handle_edge(Edge(*edge))) is not None]


def pulse(width_ns: int, at_ns: int = 100 * MS, line: str = "ball_1") -> list[tuple[str, int, int]]:
    return [(line, 1, at_ns), (line, 0, at_ns + width_ns)]


def test_a_pulse_is_a_pass_when_it_ends_with_the_time_of_its_beginning() -> None:
    assert passes(TrackSensors(3), *pulse(9 * MS, line="ball_2")) == [Pass(1, 100 * MS, 9 * MS)]


@pytest.mark.parametrize(
    ("width_ns", "ball"), [(1050 * US, True), (800 * US, True), (799 * US, False), (100 * US, False)]
)
def test_a_pulse_shorter_than_the_fastest_ball_is_noise(width_ns: int, ball: bool) -> None:
    assert bool(passes(TrackSensors(3), *pulse(width_ns))) == ball


@pytest.mark.parametrize(("width_ns", "ball"), [(135 * MS, True), (141 * MS, False), (2000 * MS, False)])
def test_a_pulse_longer_than_the_slowest_ball_is_a_hand_or_a_stuck_sensor(width_ns: int, ball: bool) -> None:
    assert bool(passes(TrackSensors(3), *pulse(width_ns))) == ball


def test_a_pulse_with_bounces_in_it_is_one_pass_from_its_first_edge() -> None:
    t = 100 * MS
    edges = [("ball_1", level, t + k * MS) for k, level in enumerate((1, 0, 1, 0, 1, 0))]
    assert passes(TrackSensors(3), *edges) == [Pass(0, t, MS)]


def test_a_second_pulse_soon_after_is_part_of_the_first() -> None:
    assert len(passes(TrackSensors(3), *pulse(5 * MS), *pulse(5 * MS, 109 * MS))) == 1
    assert len(passes(TrackSensors(3), *pulse(5 * MS), *pulse(5 * MS, 110 * MS))) == 2


def test_sensors_do_not_mix() -> None:
    edges = sorted([*pulse(9 * MS, 100 * MS, "ball_1"), *pulse(9 * MS, 103 * MS, "ball_2")], key=lambda edge: edge[2])
    assert [one.sensor for one in passes(TrackSensors(2), *edges)] == [0, 1]


def test_a_sensor_found_high_that_goes_low_is_no_pass_of_known_width() -> None:
    """It went high before the table opened: the width is at least what was seen, and too long here."""
    assert passes(TrackSensors(3), ("ball_1", 1, 0), ("ball_1", 0, 900 * MS)) == []


def test_something_in_front_of_a_sensor_blocks_it() -> None:
    sensors = TrackSensors(3)
    passes(sensors, ("ball_3", 1, 100 * MS))
    assert sensors.blocked
    passes(sensors, ("ball_3", 0, 900 * MS))
    assert not sensors.blocked


def test_lost_edges_are_not_reconstructed() -> None:
    sensors = TrackSensors(3)
    passes(sensors, ("ball_1", 1, 100 * MS))
    sensors.forget("ball_1")
    assert not sensors.blocked
    assert passes(sensors, ("ball_1", 0, 109 * MS)) == []
    assert len(passes(sensors, *pulse(9 * MS, 500 * MS))) == 1


def test_equal_levels_in_a_row_do_not_stretch_a_pulse() -> None:
    edges = [("ball_1", 1, 100 * MS), ("ball_1", 1, 105 * MS), ("ball_1", 0, 109 * MS)]
    assert passes(TrackSensors(3), *edges) == [Pass(0, 100 * MS, 9 * MS)]
