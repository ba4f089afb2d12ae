"""Puck and point markers: a command for each line that changes, and none for the others."""

from __future__ import annotations

import pytest

from drivers.lamps.puck import PuckActuator
from hal.values import Output, SetLine


def shown(puck: PuckActuator, on: bool, point: int | None, t_ns: int, fire: tuple[int, ...] = ()) -> list[Output]:
    """The outputs that a command leads to."""
    puck.show(on, point, t_ns, fire)
    outputs, puck.outputs = puck.outputs, []
    return outputs


def test_markers_are_dark_at_the_start_and_a_come_out_changes_nothing() -> None:
    assert shown(PuckActuator(), False, None, 5) == []


@pytest.mark.parametrize("point", [4, 5, 6, 8, 9, 10])
def test_a_point_lights_the_puck_and_its_own_marker(point: int) -> None:
    puck = PuckActuator()
    assert shown(puck, True, point, 7) == [SetLine("puck_on", True, 7), SetLine(f"point_{point}", True, 7)]
    assert shown(puck, True, point, 8) == []
    assert shown(puck, False, None, 9) == [SetLine("puck_on", False, 9), SetLine(f"point_{point}", False, 9)]


def test_a_marker_goes_dark_before_another_is_lit() -> None:
    puck = PuckActuator()
    shown(puck, True, 4, 1)
    assert shown(puck, True, 10, 2) == [SetLine("point_4", False, 2), SetLine("point_10", True, 2)]


def test_a_marker_that_is_not_wired_is_passed_over() -> None:
    assert shown(PuckActuator(["puck_on"]), True, 6, 3) == [SetLine("puck_on", True, 3)]


def test_the_points_of_a_fire_bet_light_their_own_markers_beside_the_point() -> None:
    puck = PuckActuator()
    assert shown(puck, False, None, 1, (4, 8)) == [SetLine("fire_4", True, 1), SetLine("fire_8", True, 1)]
    assert shown(puck, True, 4, 2, (4, 8)) == [SetLine("puck_on", True, 2), SetLine("point_4", True, 2)]
    assert SetLine("fire_8", False, 3) in shown(puck, True, 4, 3)


def test_a_fire_bet_has_no_marker_for_a_number_that_is_no_point() -> None:
    with pytest.raises(ValueError, match="no marker for 3"):
        shown(PuckActuator(), False, None, 1, (3,))


def test_there_is_no_marker_for_a_number_that_is_no_point() -> None:
    with pytest.raises(ValueError, match="no marker for 7; points are 4, 5, 6, 8, 9, 10"):
        shown(PuckActuator(), True, 7, 1)
