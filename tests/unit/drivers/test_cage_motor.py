"""What the sensors of a cage's motor say."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.games.load import check_text
from drivers.base.driver import Observation, SensorAlive, SensorDead
from drivers.dice.cage_motor import HOME, SHAFT, CageMotor, CageMotorConfig, MotorHome, ShaftStands, ShaftTurns
from hal.values import Edge, EdgesLost, Loss
from tests.tables.tumbled_lines import tumbled_toml
from tests.tables.tumbler_lines import MS, S, found, high, in_order, of, one_of, told

FOUND = found(HOME, SHAFT)


def motor() -> CageMotor:
    return CageMotor(CageMotorConfig())


def turning(from_s: float, pulses: int) -> list[Edge]:
    return [edge for k in range(pulses) for edge in high(SHAFT, from_s + k * 0.1, 20)]


def test_the_first_pulse_of_the_shaft_says_that_it_turns_and_their_end_that_it_stands() -> None:
    seen = told(motor(), in_order(FOUND, turning(1.0, 5)))
    assert one_of(seen, ShaftTurns).t_ns == 1 * S + 1 * MS
    stands = one_of(seen, ShaftStands)
    assert (stands.since_ns, stands.t_ns) == (1_400 * MS, 1_900 * MS)


def test_home_is_told_each_time_the_mark_comes_and_when_it_came() -> None:
    seen = told(motor(), in_order(FOUND, high(HOME, 2, 20), high(HOME, 4, 20)))
    assert [one.reached_ns for one in of(seen, MotorHome)] == [2 * S, 4 * S]


def test_pulses_too_short_to_be_of_the_motor_are_noise() -> None:
    assert told(motor(), in_order(FOUND, high(HOME, 2, 0.5), high(SHAFT, 3, 0.5))) == []


def test_lines_that_are_high_when_the_table_opens_tell_nothing() -> None:
    assert told(motor(), [Edge(HOME, 1, 0), Edge(SHAFT, 1, 0)]) == []


def test_a_line_that_is_unplugged_is_dead_until_it_tells_something() -> None:
    seen = told(motor(), in_order(FOUND, high(HOME, 5, 20)), [EdgesLost(HOME, Loss.UNPLUGGED, 2 * S, 0)])
    assert one_of(seen, SensorDead).fault == "sensor_missing"
    assert one_of(seen, SensorAlive).line == HOME


def test_a_mark_that_came_before_edges_of_its_line_were_lost_is_still_home() -> None:
    driver = motor()
    driver.edges([*FOUND, Edge(HOME, 1, 2 * S)])
    assert [one.reached_ns for one in of(driver.lost(EdgesLost(HOME, Loss.OVERFLOW, 3 * S)), MotorHome)] == [2 * S]


def test_a_stall_must_be_shorter_than_the_coasting() -> None:
    report = check_text(tumbled_toml("chuck_a_luck", device="[device.motor]\nstall_ms = 3000\ncoast_s = 2"))
    assert "not shorter than the coasting" in str(report.errors[0])


@pytest.mark.parametrize("key", ["stall_ms = 0", "longest_s = 100", 'driver = "servo"', "speed = 1"])
def test_wrong_keys_of_a_motor_are_refused(key: str) -> None:
    assert check_text(tumbled_toml("chuck_a_luck", device=f"[device.motor]\n{key}")).errors


EDGES = in_order(FOUND, turning(1.0, 20), high(HOME, 1.5, 20), turning(6.0, 3), high(HOME, 6.1, 30))
WHOLE = told(motor(), EDGES)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 60 * S), max_size=20))
def test_edges_and_time_cut_anywhere_give_the_same_observations(cuts: list[int]) -> None:
    driver, seen, rest = motor(), list[Observation](), EDGES
    for cut_ns in [*sorted(cuts), 60 * S]:
        seen += driver.edges([edge for edge in rest if edge.t_ns <= cut_ns]) + driver.due(cut_ns)
        rest = [edge for edge in rest if edge.t_ns > cut_ns]
    assert seen == WHOLE
