"""Puck and point markers: a command for each line that changes, and none for the others."""

from __future__ import annotations

import pytest

from drivers.base.driver import NEVER_NS
from drivers.cards.progressive import LOCK, AcceptorActuator, ProgressiveConfig
from drivers.lamps.puck import PuckActuator
from hal.outputs import OutputGuard, OutputSpec
from hal.values import Output, SetLine

S = 1_000_000_000


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


def locked() -> AcceptorActuator:
    actuator = AcceptorActuator(ProgressiveConfig(positions=2))
    actuator.lock(True, S)
    actuator.light([2], 4 * 60 * S)
    return actuator


def begun_locked() -> AcceptorActuator:
    """As a table begins that stays closed."""
    actuator = AcceptorActuator(ProgressiveConfig(positions=2))
    actuator.due(1000 * S)
    actuator.outputs = [output for output in actuator.rest(1000 * S) if output == SetLine(LOCK, True, 1000 * S)]
    return actuator


def with_a_point() -> PuckActuator:
    puck = PuckActuator()
    puck.show(False, None, S, (4,))
    puck.show(True, 6, 4 * 60 * S, (4,))
    return puck


@pytest.mark.parametrize(
    ("actuator", "on"),
    [
        (with_a_point(), {"puck_on", "point_6", "fire_4"}),
        (locked(), {LOCK, "acceptor_lamp_2"}),
        (begun_locked(), {LOCK}),
    ],
    ids=["puck", "acceptors", "acceptors of a closed table"],
)
def test_lines_that_are_wanted_for_an_hour_are_on_for_an_hour(
    actuator: PuckActuator | AcceptorActuator, on: set[str]
) -> None:
    guards = {line: OutputGuard(OutputSpec(line, 1)) for line in on}
    now_ns = 0
    while now_ns < 3600 * S:
        for output in actuator.outputs:
            assert isinstance(output, SetLine)
            guards[output.line].set(float(output.on), output.t_ns)
        actuator.outputs = []
        now_ns = min(actuator.next_due_ns, *(guard.next_due_ns or NEVER_NS for guard in guards.values()))
        for guard in guards.values():
            guard.due(now_ns)
        actuator.due(now_ns)
        assert {line for line, guard in guards.items() if guard.value} == on


def test_nothing_is_due_while_all_is_dark() -> None:
    puck = with_a_point()
    puck.show(False, None, 5 * 60 * S)
    assert puck.next_due_ns == NEVER_NS


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
