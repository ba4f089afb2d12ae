"""What turns a cage that has a motor, and what stops it: nothing ever leaves it running."""

from __future__ import annotations

import pytest

from feed import events
from hal.values import Edge, Output, RunMotor
from tests.tables.bench import EventList, TableBench
from tests.tables.tumbled_lines import TumbledLines, tumbled_toml
from tests.tables.tumbler_lines import S, found, high, in_order

MOTOR = "[device.motor]\n"
ON, OFF = 1.0, 0.0


def shaft(from_s: float, until_s: float) -> list[Edge]:
    """A pulse each twentieth of a second."""
    return [
        edge for k in range(round((until_s - from_s) / 0.05)) for edge in high("motor_shaft", from_s + k * 0.05, 10)
    ]


def played(
    lines: TumbledLines, *motor: list[Edge], game: str = "chuck_a_luck", device: str = ""
) -> tuple[EventList, list[tuple[float, float]]]:
    """What is said of a script with the motor's own lines, and what the motor was told."""
    bench = TableBench(tumbled_toml(game, device=MOTOR + device))
    edges = in_order(lines.edges(), found("motor_home", "motor_shaft"), *motor)
    bench.feed(edges, lines.rare, lines.now_ns)
    return bench.said, told(bench.table.outputs())


def told(outputs: list[Output]) -> list[tuple[float, float]]:
    """When the motor was told what, in seconds."""
    return [(round(one.t_ns / S, 2), one.speed) for one in outputs if isinstance(one, RunMotor)]


def turned(inversions: int = 3) -> TumbledLines:
    """The call, and a cage that turns from 6 s on: the rest lies with the motor."""
    return TumbledLines().call().wait(0.5).tumble(inversions)


def test_the_call_sets_the_cage_going_and_home_stops_it() -> None:
    lines = turned(4).key(4, 4, 1).wait(1)
    said, motor = played(lines, shaft(5.5, 8.4), high("motor_home", 6.6, 20), high("motor_home", 8.3, 20))
    assert said.verdicts() == ["4-4-1"]
    # The press counts once it has held; home counts only after three inversions.
    assert motor == [(5.01, ON), (8.3, OFF)]


def test_before_the_call_nothing_turns() -> None:
    assert played(TumbledLines().wait(20)) == (TableBench(tumbled_toml("chuck_a_luck", device=MOTOR)).said, [])


def test_a_motor_whose_shaft_never_turns_is_stopped_and_at_fault() -> None:
    said, motor = played(TumbledLines().call().wait(10))
    assert said.one(events.DeviceFault).fault == "motor_stalled"
    assert said.verdicts() == ["void motor_stalled"]
    assert motor == [(5.01, ON), (6.01, OFF)]


def test_a_motor_that_stalls_in_the_tumble_leaves_the_round_to_the_dealer() -> None:
    said, motor = played(turned(2), shaft(5.5, 7.0))
    assert said.verdicts() == ["unresolved motor_stalled"]
    assert [speed for _, speed in motor] == [ON, OFF]
    assert motor[1][0] < 7.6


def test_a_motor_that_comes_home_to_nowhere_is_stopped_after_its_longest_time() -> None:
    lines = TumbledLines().call().wait(0.5).turn(60).wait(5)
    said, motor = played(lines, shaft(5.5, 37.0), device="longest_s = 10")
    # This shaft takes no notice of being stopped.
    assert [(fault.device, fault.fault) for fault in said.of(events.DeviceFault)] == [
        ("motor", "motor_too_long"),
        ("motor", "motor_runs_on"),
    ]
    assert motor == [(5.01, ON), (15.01, OFF)]


def test_a_shaft_that_turns_though_the_motor_was_stopped_is_a_fault() -> None:
    said, motor = played(turned(8), shaft(5.5, 16), high("motor_home", 7.9, 20), device="coast_s = 1")
    assert said.of(events.DeviceFault)[0].fault == "motor_runs_on"
    assert [speed for _, speed in motor] == [ON, OFF]


ENDS = ["void by=dealer", "close reason=end by=floor force=true"]


@pytest.mark.parametrize("order", ENDS)
def test_whatever_ends_the_round_stops_the_motor_at_once(order: str) -> None:
    lines = TumbledLines().call().wait(0.5).turn(2).order(order)
    ended_s = round(lines.now_ns / S - 0.1, 2)
    said, motor = played(lines.wait(5), shaft(5.5, 8.2))
    assert said.verdicts() == ["void dealer_call"]
    assert motor == [(5.01, ON), (ended_s, OFF)]
    assert said.of(events.DeviceFault) == []


@pytest.mark.parametrize("order", ENDS)
def test_a_shaft_that_turns_on_after_the_round_has_ended_is_found_all_the_same(order: str) -> None:
    lines = TumbledLines().call().wait(0.5).turn(2).order(order)
    ended_ns = lines.now_ns - S // 10
    said, motor = played(lines.turn(30).wait(5), shaft(5.5, 24), device="coast_s = 1")
    fault = said.one(events.DeviceFault)
    assert (fault.fault, fault.mono_ns) == ("motor_runs_on", ended_ns + S)
    assert [speed for _, speed in motor] == [ON, OFF]


def test_a_cage_that_rests_while_its_motor_turns_is_a_fault_and_no_result() -> None:
    # The coupling slips, or the home sensor is dead and the cage stands: the shaft goes on and on.
    said, motor = played(turned(4).key(4, 4, 1).wait(60), shaft(5.5, 70))
    assert said.verdicts() == ["unresolved motor_slips"]
    assert [(fault.device, fault.fault) for fault in said.of(events.DeviceFault)] == [
        ("motor", "motor_slips"),
        ("motor", "motor_runs_on"),
    ]
    (_, on), (off_s, off) = motor
    assert (on, off) == (ON, OFF)
    assert off_s < 12


def test_a_motor_that_runs_on_cannot_be_cleared_while_its_shaft_turns() -> None:
    clear = "clear device=motor by=floor"
    lines = TumbledLines().call().wait(0.5).turn(2).order("void by=dealer").wait(4)
    lines.order(clear).wait(6).order(clear).wait(1)
    said, _ = played(lines, shaft(5.5, 15), device="coast_s = 1")
    assert "its shaft turns" in said.of(events.DeviceWarning)[0].detail
    assert [cleared.mono_ns > 15 * S for cleared in said.of(events.DeviceCleared)] == [True]


def test_a_motor_that_was_stopped_just_now_is_told_to_turn_only_once_it_had_its_time_to_stand() -> None:
    lines = TumbledLines().call().wait(0.5).order("void by=dealer").wait(0.2)
    voided_s = round(lines.now_ns / S - 0.3, 2)
    _, motor = played(lines.call().wait(1.5), shaft(5.2, 6.2), device="coast_s = 2\nstart_s = 5")
    assert motor == [(5.01, ON), (voided_s, OFF), (round(voided_s + 2, 2), ON)]


def test_a_fault_of_the_cage_stops_the_motor() -> None:
    from hal.values import EdgesLost, Loss

    lines = TumbledLines().call().wait(0.5).turn(1)
    lines.rare.append(EdgesLost("cage_shake", Loss.UNPLUGGED, lines.now_ns, 0))
    said, motor = played(lines.wait(2), shaft(5.5, 7.5))
    assert said.verdicts() == ["unresolved sensor_missing"]
    assert [speed for _, speed in motor] == [ON, OFF]


def test_once_the_fault_is_cleared_the_next_call_turns_the_cage_again() -> None:
    lines = TumbledLines().call().wait(5).order("clear device=motor by=floor").wait(1).call().wait(0.1)
    said, motor = played(lines)
    assert said.story()[-2:] == ["round.opened", "round.no_more_bets dealer"]
    assert [speed for _, speed in motor] == [ON, OFF, ON]


def test_at_beat_the_dealer_the_motor_turns_for_the_dealer_and_then_for_the_player() -> None:
    lines = TumbledLines().call().wait(0.5).tumble(3).key(3, 4).wait(0.5)
    keyed_s = lines.now_ns / S
    lines.tumble(3).key(6, 2).wait(1)
    said, motor = played(
        lines,
        shaft(5.5, 8.0),
        high("motor_home", 7.9, 20),
        shaft(keyed_s - 0.3, keyed_s + 2),
        high("motor_home", keyed_s + 1.9, 20),
        game="beat_the_dealer",
    )
    assert said.verdicts() == ["3-4/6-2"]
    assert [speed for _, speed in motor] == [ON, OFF, ON, OFF]


def test_a_motor_waits_for_a_call_so_the_tumble_cannot_be_the_call() -> None:
    from controller.games.load import check_text

    (error,) = check_text(tumbled_toml("chuck_a_luck", call="auto", device=MOTOR)).errors
    assert "table.no_more_bets" in str(error)
    assert "the motor sets them going after the call" in str(error)
    assert 'write no_more_bets = "button"' in str(error)


def test_a_chute_has_no_motor() -> None:
    from controller.games.load import check_text

    report = check_text(tumbled_toml("chuck_a_luck", device=MOTOR + "[device.chute]\n"))
    assert "is given beside" in str(report.errors[0])
