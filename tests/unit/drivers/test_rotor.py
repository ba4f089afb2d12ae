"""The rotor: its angle, its speed, its direction, and whether it turned back."""

from __future__ import annotations

import pytest

from drivers.base.driver import Observation
from drivers.roulette.rotor import Rotor, RotorReversed, RotorStopped, RotorTurning
from hal.values import Edge
from tests.oracle.motion import Motion, encoder_edges, in_order, ns

POCKETS = 38
SLOTS = 50
"""200 counts a turn: at 3 rpm exactly 100 ms each."""


def rotor(least_rpm: float = 3.0) -> Rotor:
    return Rotor(SLOTS, 3.0, POCKETS, least_rpm)


def lines_of(motion: Motion) -> list[Edge]:
    return in_order(encoder_edges(motion, "rotor", SLOTS, index_offset_deg=0.3))


def at_rpm(rpm: float, seconds: float, *, start_deg: float = 0.9) -> Motion:
    motion = Motion(start_deg)
    motion.speed = rpm * 6.0
    return motion.accelerate(seconds, 0.0)


def seen(driver: Rotor, edges: list[Edge], until_s: float | None = None) -> list[Observation]:
    found: list[Observation] = []
    rest = iter(edges)
    while driver.run(rest, found) is not None:
        pass
    if until_s is not None:
        driver.pass_time(ns(until_s), found)
    return found


@pytest.mark.parametrize(("rpm", "direction"), [(17.0, 1), (-17.0, -1), (3.1, 1), (-3.1, -1)])
def test_a_rotor_that_turns_has_a_direction_and_a_speed(rpm: float, direction: int) -> None:
    driver = rotor()
    (turning,) = seen(driver, lines_of(at_rpm(rpm, 4.0)))
    assert isinstance(turning, RotorTurning)
    assert (turning.direction, driver.direction) == (direction, direction)
    assert turning.rpm == pytest.approx(abs(rpm), rel=0.01)
    assert driver.rpm(ns(4.0)) == pytest.approx(abs(rpm), rel=0.02)


@pytest.mark.parametrize("rpm", [2.9, -2.9, 1.0])
def test_a_rotor_under_three_turns_a_minute_has_no_direction(rpm: float) -> None:
    driver = rotor()
    assert seen(driver, lines_of(at_rpm(rpm, 20.0))) == []
    assert driver.direction == 0


def test_a_rotor_at_exactly_three_turns_a_minute_is_not_under_them() -> None:
    motion = Motion(0.9)
    motion.speed = 18.0
    motion.accelerate(20.0, 0.0)
    driver = rotor()
    seen(driver, lines_of(motion))
    assert driver.direction == 1


def test_a_rotor_that_stands_has_no_speed_and_no_direction() -> None:
    driver = rotor()
    assert seen(driver, [Edge("rotor_a", 1, 0), Edge("rotor_b", 0, 0), Edge("rotor_index", 0, 0)], 100.0) == []
    assert (driver.direction, driver.rpm(ns(100.0))) == (0, 0.0)


def test_a_rotor_without_edges_has_stopped_and_that_is_reported_once_when_it_is_certain() -> None:
    driver = rotor()
    motion = at_rpm(17.0, 5.0)
    found = seen(driver, lines_of(motion.rest(10.0)), 15.0)
    assert [type(one) for one in found] == [RotorTurning, RotorStopped]
    # Three counts at 3 rpm take 300 ms.
    assert ns(5.0) < found[1].t_ns < ns(5.3)
    assert driver.direction == 0


def test_the_speed_fades_while_no_edge_comes() -> None:
    driver = rotor()
    seen(driver, lines_of(at_rpm(17.0, 5.0)))
    assert driver.rpm(ns(5.1)) < driver.rpm(ns(5.0))


def turned_back(back_deg: float, *, and_on: bool) -> tuple[Motion, float]:
    """A rotor that is stopped, turned back and perhaps on again, quickly enough never to stand; when it turned."""
    motion = at_rpm(17.0, 5.0)
    motion.accelerate(0.25, -408.0)
    motion.speed = 0.0
    turned_s = motion.t_s
    motion.turn_to(motion.deg - back_deg / 2, -((408.0 * back_deg) ** 0.5)).turn_to(motion.deg - back_deg / 2, 0.0)
    if and_on:
        motion.accelerate(0.25, 408.0)
    return motion, turned_s


def test_a_rotor_that_comes_back_by_more_than_half_a_pocket_has_turned_back() -> None:
    motion, turned_s = turned_back(30.0, and_on=False)
    driver = rotor()
    found = [one for one in seen(driver, lines_of(motion)) if isinstance(one, RotorReversed)]
    assert [one.direction for one in found] == [-1]
    assert driver.direction == -1
    half_pocket_s = (2 * (360 / POCKETS / 2) / 408) ** 0.5
    assert ns(turned_s) < found[0].t_ns < ns(turned_s + half_pocket_s + 0.05)


@pytest.mark.parametrize(("back_deg", "reversals"), [(3.5, 0), (6.5, 2)])
def test_half_a_pocket_is_the_line_between_a_wobble_and_a_reversal(back_deg: float, reversals: int) -> None:
    """Of more than that, turning on again is a second reversal."""
    motion, _ = turned_back(back_deg, and_on=True)
    found = seen(rotor(), lines_of(motion))
    assert sum(isinstance(one, RotorReversed) for one in found) == reversals
    assert not any(isinstance(one, RotorStopped) for one in found)


def test_a_reversal_in_a_tenth_of_a_second_is_noise() -> None:
    edges = lines_of(at_rpm(17.0, 5.0))
    at = next(k for k, edge in enumerate(edges) if edge.t_ns > ns(3.0) and edge.line == "rotor_a")
    t_ns, level = edges[at].t_ns, edges[at].level
    noise = [Edge("rotor_a", (level + k) % 2, t_ns + k * 200_000) for k in range(1, 9)]
    found = seen(rotor(), sorted([*edges, *noise], key=lambda edge: edge.t_ns))
    assert not any(isinstance(one, RotorReversed) for one in found)


@pytest.mark.parametrize("rpm", [17.0, -17.0, 5.0])
def test_the_angle_is_interpolated_between_counts(rpm: float) -> None:
    motion = at_rpm(rpm, 12.0, start_deg=100.9)
    edges = lines_of(motion)
    driver = rotor()
    for t_s in (10.0, 10.11, 10.234, 11.5):
        seen(driver, [edge for edge in edges if edge.t_ns <= ns(t_s)])
        edges = [edge for edge in edges if edge.t_ns > ns(t_s)]
        angle = driver.angle_deg(ns(t_s))
        assert angle is not None
        off = (angle - motion.at(t_s) + 180) % 360 - 180
        assert abs(off) < 0.1


def test_before_the_index_there_is_no_angle() -> None:
    driver = rotor()
    seen(driver, lines_of(at_rpm(17.0, 1.0, start_deg=90.9)))
    assert driver.angle_deg(ns(1.0)) is None


def test_a_pulled_cable_leaves_no_direction_and_no_angle() -> None:
    driver = rotor()
    seen(driver, lines_of(at_rpm(17.0, 10.0)))
    found: list[Observation] = []
    driver.unplugged(ns(10.0), found)
    assert found == [RotorStopped(t_ns=ns(10.0))]
    assert (driver.direction, driver.angle_deg(ns(10.0))) == (0, None)
