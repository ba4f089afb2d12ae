"""Puck and point markers: a command for each line that changes, and none for the others."""

from __future__ import annotations

import pytest

from drivers.lamps.puck import PuckMarkers
from hal.values import SetLine


def test_markers_are_dark_at_the_start_and_a_come_out_changes_nothing() -> None:
    assert PuckMarkers().show(False, None, 5) == []


@pytest.mark.parametrize("point", [4, 5, 6, 8, 9, 10])
def test_a_point_lights_the_puck_and_its_own_marker(point: int) -> None:
    puck = PuckMarkers()
    assert puck.show(True, point, 7) == [SetLine("puck_on", True, 7), SetLine(f"point_{point}", True, 7)]
    assert puck.show(True, point, 8) == []
    assert puck.show(False, None, 9) == [SetLine("puck_on", False, 9), SetLine(f"point_{point}", False, 9)]


def test_a_marker_goes_dark_before_another_is_lit() -> None:
    puck = PuckMarkers()
    puck.show(True, 4, 1)
    assert puck.show(True, 10, 2) == [SetLine("point_4", False, 2), SetLine("point_10", True, 2)]


def test_a_marker_that_is_not_wired_is_passed_over() -> None:
    assert PuckMarkers(["puck_on"]).show(True, 6, 3) == [SetLine("puck_on", True, 3)]


def test_the_points_of_a_fire_bet_light_their_own_markers_beside_the_point() -> None:
    puck = PuckMarkers()
    assert puck.show(False, None, 1, (4, 8)) == [SetLine("fire_4", True, 1), SetLine("fire_8", True, 1)]
    assert puck.show(True, 4, 2, (4, 8)) == [SetLine("puck_on", True, 2), SetLine("point_4", True, 2)]
    assert SetLine("fire_8", False, 3) in puck.show(True, 4, 3)


def test_a_fire_bet_has_no_marker_for_a_number_that_is_no_point() -> None:
    with pytest.raises(ValueError, match="no marker for 3"):
        PuckMarkers().show(False, None, 1, (3,))


def test_there_is_no_marker_for_a_number_that_is_no_point() -> None:
    with pytest.raises(ValueError, match="no marker for 7; points are 4, 5, 6, 8, 9, 10"):
        PuckMarkers().show(True, 7, 1)
