"""Outputs on a board: what moves goes safe, whoever dies, and nothing begins to move again by itself."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hal.board import frames
from hal.board.messages import (
    AllSafeCommand,
    MotorLimitCommand,
    MotorReport,
    OkAnswer,
    RefusalCode,
    Reset,
    SetCommand,
    StateReport,
)
from hal.clock import NS_PER_S
from hal.lines import LineError
from hal.outputs import BOARD_KINDS, MOVING, OutputGuard, Outputs, OutputSpec
from hal.outputs_board import BoardOutputs, longest_on_ns, motor_reading
from tests.fakes.board_bench import MS, BoardBench, RecordingWatcher, play

LAMP = OutputSpec("lamp", 1, board="one", max_on_ns=10 * NS_PER_S)
SIGN = OutputSpec("sign", 2, kind="signal", board="one")
MOTOR = OutputSpec("motor", 1, kind="motor", board="one", max_on_ns=20 * NS_PER_S)


class Scene:
    """Outputs on the bench's board."""

    def __init__(self, bench: BoardBench, *specs: OutputSpec, motor_limit: int = 0) -> None:
        self.bench = bench
        self.outputs = Outputs(specs, BoardOutputs(specs, bench.link, motor_limit=motor_limit), bench.clock)

    async def open(self) -> None:
        """Opens the outputs, and waits until they can be set."""
        self.outputs.open()
        await self.bench.is_up()
        await self.bench.passes(0.05)
        assert self.outputs.faults == {}

    def on(self) -> dict[int, int]:
        """The outputs that the board has on, with their value."""
        return {number: output.value for number, output in self.bench.board.outputs.items()}

    async def passes(self, seconds: float) -> None:
        await self.bench.passes(seconds)


# --- what can be ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", BOARD_KINDS)
def test_what_moves_may_hang_on_a_board(kind: str) -> None:
    assert replace(LAMP, kind=kind).refusal() is None


@pytest.mark.parametrize("kind", [kind for kind in MOVING if kind not in BOARD_KINDS])
def test_what_a_board_has_no_output_for_is_refused(kind: str) -> None:
    refusal = replace(LAMP, kind=kind).refusal() or ""
    assert "expected kind = lamp or signal or motor or solenoid or stepper" in refusal


@pytest.mark.parametrize(
    ("specs", "said"),
    [
        ([], "expected at least one output"),
        ([replace(LAMP, gpio="B0")], "'lamp': expected the number of an output of board 'one', got 'B0'"),
        ([replace(LAMP, gpio=None)], "expected the number of an output of board 'one', got None"),
        ([replace(LAMP, gpio=5)], "'lamp': board 'one' has no output 5; a board of kind 'wheel' has 4"),
        ([replace(LAMP, gpio=0)], "has no output 0"),
        ([replace(LAMP, board=None)], "expected a terminal of board 'one', got a pin of this computer"),
        ([replace(LAMP, board="two")], "expected a terminal of board 'one', got a terminal of board 'two'"),
        ([replace(LAMP, kind="servo")], "got 'servo'"),
        ([LAMP, replace(SIGN, gpio=1)], "'sign': output 1 is the wire of output 'lamp' already"),
        ([replace(LAMP, safe=1.0)], "'lamp': its wire would be high when it is safe"),
        ([replace(LAMP, inverted=True)], "its wire would be high when it is safe"),
        (
            [replace(LAMP, max_on_ns=601 * NS_PER_S)],
            "on for 601 s, and the board makes output 1 safe after 600 s",
        ),
    ],
)
def test_an_output_that_cannot_be_is_refused_by_name(specs: list[OutputSpec], said: str) -> None:
    async def scene(bench: BoardBench) -> None:
        with pytest.raises(LineError) as raised:
            BoardOutputs(specs, bench.link)
        assert said in str(raised.value)

    play(scene)


def test_a_board_limits_how_long_its_outputs_may_be_on() -> None:
    async def scene(bench: BoardBench) -> None:
        assert longest_on_ns(MOTOR, bench.link) == 60 * NS_PER_S
        with pytest.raises(LineError, match="has no output 3"):
            longest_on_ns(replace(MOTOR, gpio=3), bench.link)

    play(scene, kind="table")


# --- set ------------------------------------------------------------------------------------------------------------


def test_an_output_is_put_on_and_off_and_the_board_ends_it_by_itself_at_its_longest_time() -> None:
    async def scene(bench: BoardBench) -> None:
        table = Scene(bench, LAMP, SIGN)
        await table.open()
        table.outputs.set("lamp", 1.0)
        table.outputs.set("sign", 1.0)
        await table.passes(0.05)
        assert table.on() == {1: 255, 2: 255}
        # The sign may be on for as long as the board allows, so it is not told.
        assert bench.carried(SetCommand)[2:] == [SetCommand(1, 255, 10_000), SetCommand(2, 255, 0)]
        table.outputs.set("sign", 0.0)
        await table.passes(0.05)
        assert table.on() == {1: 255}
        assert bench.carried(SetCommand)[4:] == [SetCommand(2, 0, 0)]

    play(scene)


# --- the motor's limit ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("ampere", "supply_v", "reading"), [(3.5, 5.0, 71), (0.5, 5.0, 10), (20.0, 4.9, 417)])
def test_a_limit_in_amperes_is_what_the_converter_reads_over_the_shunt(
    ampere: float, supply_v: float, reading: int
) -> None:
    assert motor_reading(ampere, supply_v) == reading


def test_a_board_has_the_motors_limit_before_the_motor_is_started_in_each_session() -> None:
    async def scene(bench: BoardBench) -> None:
        table = Scene(bench, MOTOR, motor_limit=71)
        await table.open()
        assert bench.carried(MotorLimitCommand) == [MotorLimitCommand(71)]
        bench.port.at(bench.now_ns, lambda t_ns: bench.board.reset(t_ns, Reset.POWER_ON))
        await table.passes(5)
        assert bench.carried(MotorLimitCommand) == [MotorLimitCommand(71)] * 2

    play(scene, kind="table")


def test_a_board_without_a_limit_is_asked_for_none() -> None:
    async def scene(bench: BoardBench) -> None:
        await Scene(bench, MOTOR).open()
        assert bench.carried(MotorLimitCommand) == []

    play(scene, kind="table")


@pytest.mark.parametrize("refused", [False, True])
def test_a_motor_that_is_set_before_the_limit_is_answered_waits_for_the_answer(refused: bool) -> None:
    async def scene(bench: BoardBench) -> None:
        if refused:
            bench.board.refuse[MotorLimitCommand] = RefusalCode.UNKNOWN_COMMAND
        table = Scene(bench, MOTOR, motor_limit=71)
        table.outputs.open()
        while table.outputs.faults:
            await table.passes(0.0005)
        table.outputs.set("motor", 1.0)
        assert table.on() == {}
        turned: list[int] = []
        for _ in range(200):
            await table.passes(0.001)
            turned += table.on().values()
        if refused:
            assert (turned, list(table.outputs.faults)) == ([], ["motor"])
        else:
            assert (set(turned), table.outputs.faults) == ({255}, {})

    play(scene, kind="table")


def test_a_motor_whose_limit_is_refused_is_not_started_until_the_board_takes_it() -> None:
    async def scene(bench: BoardBench) -> None:
        bench.board.refuse[MotorLimitCommand] = RefusalCode.UNKNOWN_COMMAND
        table = Scene(bench, MOTOR, motor_limit=71)
        await table.open()
        with pytest.raises(LineError, match="refuses motor_limit"):
            table.outputs.set("motor", 1.0)
        await table.passes(0.2)
        assert table.on() == {}
        assert "refuses motor_limit" in table.outputs.faults["motor"]
        bench.board.refuse.clear()
        table.outputs.clear(["motor"])
        await table.passes(0.1)
        table.outputs.set("motor", 1.0)
        await table.passes(0.2)
        assert table.on() == {1: 255}
        assert table.outputs.faults == {}

    play(scene, kind="table")


@pytest.mark.parametrize(
    ("why", "words"), [(3, "its shaft gives no pulse"), (6, "draws more than motor_most_a"), (0, "or its device")]
)
def test_a_motor_that_the_board_stopped_is_a_fault_that_says_why_and_waits_for_a_person(why: int, words: str) -> None:
    async def scene(bench: BoardBench) -> None:
        table = Scene(bench, MOTOR)
        await table.open()
        table.outputs.set("motor", 1.0)
        await table.passes(0.1)
        bench.board.hold(1)
        bench.board.say(MotorReport(0, 0, 0, 0, why), bench.now_ns)
        await table.passes(5)
        assert table.on() in ({}, {1: 0})
        assert words in table.outputs.faults["motor"]
        with pytest.raises(LineError, match="set it to its safe value first"):
            table.outputs.set("motor", 1.0)
        assert table.on() == {}

    play(scene, kind="table")


def test_an_output_can_be_dimmed() -> None:
    async def scene(bench: BoardBench) -> None:
        table = Scene(bench, replace(LAMP, pwm_hz=1.0))
        await table.open()
        for share, value in ((0.5, 128), (0.001, 1), (1.0, 255)):
            table.outputs.set("lamp", share)
            await table.passes(0.05)
            assert table.on() == {1: value}

    play(scene)


def test_an_inverted_output_whose_safe_value_is_one_is_low_when_safe() -> None:
    async def scene(bench: BoardBench) -> None:
        table = Scene(bench, replace(LAMP, inverted=True, safe=1.0))
        await table.open()
        table.outputs.set("lamp", 0.0)
        await table.passes(0.05)
        assert table.on() == {1: 255}

    play(scene)


def test_the_host_ends_it_at_its_longest_time_and_it_can_be_set_again_after_it_was_off() -> None:
    async def scene(bench: BoardBench) -> None:
        table = Scene(bench, LAMP)
        await table.open()
        table.outputs.set("lamp", 1.0)
        await table.passes(10.1)
        assert table.on() == {}
        with pytest.raises(LineError, match="it was on for 10 s"):
            table.outputs.set("lamp", 1.0)
        table.outputs.set("lamp", 0.0)
        table.outputs.set("lamp", 1.0)
        await table.passes(0.05)
        assert table.on() == {1: 255}
        assert table.outputs.faults == {}

    play(scene)


@pytest.mark.parametrize("ppm", [-5000.0, 5000.0])
def test_a_board_that_ends_it_first_because_its_clock_is_fast_is_no_fault_that_stays(ppm: float) -> None:
    async def scene(bench: BoardBench) -> None:
        reel = replace(MOTOR, kind="stepper", max_on_ns=30 * NS_PER_S)
        table = Scene(bench, reel)
        await table.open()
        table.outputs.set("motor", 1.0)
        await table.passes(31)
        assert table.on() == {}
        with pytest.raises(LineError, match="held safe"):
            table.outputs.set("motor", 1.0)
        table.outputs.set("motor", 0.0)
        await table.passes(0.05)
        table.outputs.set("motor", 1.0)
        await table.passes(0.05)
        assert table.on() == {1: 255}

    play(scene, kind="reel", ppm=ppm)


# --- what goes wrong ------------------------------------------------------------------------------------------------


def test_a_refusal_is_a_fault_of_that_output_alone_until_it_is_cleared() -> None:
    async def scene(bench: BoardBench) -> None:
        table = Scene(bench, LAMP, SIGN)
        await table.open()
        bench.board.refuse[SetCommand] = RefusalCode.NOT_SAFE
        table.outputs.set("lamp", 1.0)
        await table.passes(0.05)
        del bench.board.refuse[SetCommand]
        assert list(table.outputs.faults) == ["lamp"]
        assert "board 'one': refuses set: not_safe" in table.outputs.faults["lamp"]
        with pytest.raises(LineError, match="held safe: board 'one': refuses set"):
            table.outputs.set("lamp", 1.0)
        table.outputs.set("sign", 1.0)
        await table.passes(0.05)
        assert table.on() == {2: 255}
        table.outputs.clear()
        table.outputs.set("lamp", 1.0)
        await table.passes(0.05)
        assert table.on() == {1: 255, 2: 255}

    play(scene)


def test_a_board_that_makes_an_output_safe_by_itself_is_believed() -> None:
    async def scene(bench: BoardBench) -> None:
        table = Scene(bench, MOTOR)
        await table.open()
        table.outputs.set("motor", 1.0)
        await table.passes(1)
        bench.board.hold(1)  # it stalled
        await table.passes(0.5)
        assert "made it safe by itself" in table.outputs.faults["motor"]
        with pytest.raises(LineError, match="set it to its safe value first"):
            table.outputs.set("motor", 1.0)
        table.outputs.set("motor", 0.0)
        table.outputs.set("motor", 1.0)
        await table.passes(0.5)
        assert table.on() == {1: 255}
        assert table.outputs.faults == {}

    play(scene, kind="table")


def test_a_report_during_a_command_is_not_taken_for_the_boards_own_action() -> None:
    async def scene(bench: BoardBench) -> None:
        table = Scene(bench, MOTOR)
        await table.open()
        table.outputs.set("motor", 1.0)
        await table.passes(0.5)
        bench.port.to_host = lambda data: b"" if frames.decode(data[:-1]).id == OkAnswer.id else data
        table.outputs.set("motor", 0.0)
        table.outputs.set("motor", 1.0)  # waits for the answer to the one before
        await table.passes(0.4)
        bench.port.to_host = lambda data: data
        await table.passes(0.4)
        assert table.outputs.faults == {}
        assert table.on() == {1: 255}

    play(scene, kind="table")


@pytest.mark.parametrize("stopped_s", [0.6, 2.0, 5.0])
def test_a_host_that_was_suspended_finds_its_outputs_safe_and_sets_them_again(stopped_s: float) -> None:
    async def scene(bench: BoardBench) -> None:
        watching = RecordingWatcher()
        bench.link.open(watching)
        table = Scene(bench, MOTOR, replace(SIGN, max_on_ns=MOTOR.max_on_ns))
        await table.open()
        table.outputs.set("motor", 1.0)
        await table.passes(1)
        stopped_ns = bench.now_ns
        safe_ns: list[int] = []
        bench.port.at(stopped_ns + 499 * MS, lambda t_ns: safe_ns.append(len(bench.board.outputs)))
        bench.port.stall(round(stopped_s * NS_PER_S))
        assert safe_ns == [0]
        assert bench.board.deadman
        await table.passes(0.3)
        assert watching.downs == []
        assert list(table.outputs.faults) == ["motor"]
        assert "received nothing from its host for 500 ms" in table.outputs.faults["motor"]
        assert not bench.board.deadman
        assert bench.carried(AllSafeCommand)
        with pytest.raises(LineError, match="held safe"):
            table.outputs.set("motor", 1.0)
        await table.passes(5)
        assert table.on() == {}
        table.outputs.set("sign", 1.0)
        table.outputs.set("motor", 0.0)
        table.outputs.set("motor", 1.0)
        await table.passes(0.05)
        assert table.on() == {1: 255, 2: 255}

    play(scene, kind="table")


@pytest.mark.parametrize("mishap_is", ["stall", "reset"])
def test_a_lamp_that_its_board_made_safe_is_lit_again_and_nothing_that_moves(mishap_is: str) -> None:
    async def scene(bench: BoardBench) -> None:
        table = Scene(bench, LAMP, SIGN, replace(MOTOR, gpio=3), replace(LAMP, name="dark", gpio=4))
        await table.open()
        for name in ("lamp", "sign", "motor", "dark"):
            table.outputs.show(name, 1.0)
        table.outputs.show("dark", 0.0)
        shown_ns = bench.now_ns
        await table.passes(1)
        mishap(bench, mishap_is, 600)
        await table.passes(5)
        assert table.on() == {1: 255}
        assert set(table.outputs.faults) == {"sign", "motor"}
        await table.passes((shown_ns + LAMP.max_on_ns - bench.now_ns) / NS_PER_S + 0.1)
        assert table.on() == {}, "its longest on-time is not extended"
        mishap(bench, mishap_is, 600)
        await table.passes(5)
        assert table.on() == {}

    play(scene)


def test_a_lamp_that_is_commanded_while_its_board_is_away_or_refuses_shows_it_afterwards() -> None:
    async def scene(bench: BoardBench) -> None:
        other = replace(LAMP, name="other", gpio=2)
        table = Scene(bench, LAMP, other)
        await table.open()
        table.outputs.show("other", 1.0)
        bench.port.pull()
        await table.passes(0.5)
        with pytest.raises(LineError, match="held safe"):
            table.outputs.show("lamp", 1.0)
        table.outputs.show("other", 0.0)
        bench.port.plug_in()
        await table.passes(4)
        assert table.on() == {1: 255}
        bench.board.refuse[SetCommand] = RefusalCode.NOT_SAFE
        table.outputs.show("other", 1.0)
        await table.passes(0.1)
        assert set(table.outputs.refusals) == {"lamp", "other"}, "one refused to be safe, so all were made safe"
        bench.board.refuse.clear()
        table.outputs.clear()
        await table.passes(0.1)
        assert table.on() == {1: 255, 2: 255}

    play(scene)


def test_an_output_set_before_the_host_knows_of_its_suspension_does_not_stay_on() -> None:
    async def scene(bench: BoardBench) -> None:
        table = Scene(bench, MOTOR, replace(SIGN, max_on_ns=MOTOR.max_on_ns))
        await table.open()
        table.outputs.set("motor", 1.0)
        await table.passes(1)
        bench.port.stall(2 * NS_PER_S)
        table.outputs.set("sign", 1.0)
        await table.passes(1)
        assert table.on() == {}
        assert set(table.outputs.faults) == {"motor", "sign"}

    play(scene, kind="table")


def test_a_command_that_comes_after_the_dead_man_is_not_carried_out_and_is_no_fault_that_stays() -> None:
    async def scene(bench: BoardBench) -> None:
        table = Scene(bench, MOTOR, replace(SIGN, max_on_ns=MOTOR.max_on_ns))
        await table.open()
        on: list[int] = []
        states = bench.port.to_host
        # The first word of the silence is the refusal: states are lost.
        bench.port.to_host = lambda data: b"" if frames.decode(data[:-1]).id == StateReport.id else states(data)
        bench.port.stall(700 * MS)
        assert bench.board.deadman
        table.outputs.set("motor", 1.0)
        bench.port.at(bench.now_ns + 5 * MS, lambda t_ns: on.append(len(bench.board.outputs)))
        await table.passes(0.2)
        bench.port.to_host = states
        await table.passes(0.5)
        assert on == [0]
        assert [command for command in bench.carried(SetCommand) if command.value] == []  # type: ignore[attr-defined]
        assert not bench.board.deadman, "all_safe was said"
        assert list(table.outputs.faults) == ["motor"]
        assert table.outputs.refusals == {}
        table.outputs.set("motor", 0.0)
        table.outputs.set("motor", 1.0)
        await table.passes(0.1)
        assert table.on() == {1: 255}

    play(scene, kind="table")


def test_a_lamp_that_is_shown_goes_on_after_a_silence_and_what_moves_does_not() -> None:
    async def scene(bench: BoardBench) -> None:
        lamp = replace(SIGN, max_on_ns=MOTOR.max_on_ns)
        table = Scene(bench, MOTOR, lamp)
        await table.open()
        for name in ("motor", "sign"):
            table.outputs.show(name, 1.0)
        await table.passes(0.5)
        bench.port.stall(NS_PER_S)
        await table.passes(0.5)
        assert set(table.outputs.faults) == {"motor", "sign"}
        table.outputs.show("sign", 1.0)
        with pytest.raises(LineError, match="set it to its safe value first"):
            table.outputs.show("motor", 1.0)
        await table.passes(0.1)
        assert table.on() == {2: 255}

    play(scene, kind="table")


def test_clearing_a_fault_frees_an_output_that_its_board_holds() -> None:
    async def scene(bench: BoardBench) -> None:
        table = Scene(bench, LAMP, SIGN)
        await table.open()
        bench.board.hold(1)
        table.outputs.set("lamp", 1.0)
        table.outputs.set("sign", 1.0)
        await table.passes(0.1)
        assert list(table.outputs.refusals) == ["lamp"]
        table.outputs.clear(["lamp"])
        table.outputs.set("lamp", 1.0)
        await table.passes(0.1)
        assert table.outputs.refusals == {}
        assert table.on() == {1: 255, 2: 255}
        with pytest.raises(LineError, match="there is none of that name"):
            table.outputs.clear(["horn"])

    play(scene)


def test_a_command_to_be_safe_that_is_refused_makes_all_safe() -> None:
    async def scene(bench: BoardBench) -> None:
        table = Scene(bench, LAMP, SIGN)
        await table.open()
        table.outputs.set("lamp", 1.0)
        await table.passes(0.1)
        bench.board.refuse[SetCommand] = RefusalCode.BUSY
        table.outputs.set("lamp", 0.0)
        await table.passes(0.1)
        assert table.on() == {}
        assert "busy" in table.outputs.faults["lamp"]

    play(scene)


def test_an_output_that_its_board_still_holds_from_a_former_session_can_be_used() -> None:
    async def scene(bench: BoardBench) -> None:
        table = Scene(bench, LAMP)
        await table.open()
        bench.port.pull()
        bench.board.hold(1)
        await table.passes(0.1)
        bench.port.plug_in()
        await bench.is_up()
        table.outputs.set("lamp", 1.0)
        await table.passes(0.1)
        assert table.on() == {1: 255}

    play(scene)


def test_an_output_that_its_board_holds_unknown_to_the_host_is_freed_by_setting_it_to_safe() -> None:
    async def scene(bench: BoardBench) -> None:
        table = Scene(bench, LAMP)
        await table.open()
        bench.board.hold(1)
        table.outputs.set("lamp", 1.0)
        await table.passes(0.1)
        assert "held_safe" in table.outputs.faults["lamp"]
        table.outputs.set("lamp", 0.0)
        table.outputs.clear()
        table.outputs.set("lamp", 1.0)
        await table.passes(0.1)
        assert table.on() == {1: 255}

    play(scene)


def test_a_second_silence_is_reported_like_the_first() -> None:
    async def scene(bench: BoardBench) -> None:
        table = Scene(bench, MOTOR)
        await table.open()
        for _ in range(3):
            table.outputs.set("motor", 1.0)
            await table.passes(1)
            assert table.outputs.faults == {}
            bench.port.stall(NS_PER_S)
            await table.passes(1)
            assert "motor" in table.outputs.faults
            table.outputs.set("motor", 0.0)
            await table.passes(0.1)

    play(scene, kind="table")


def test_a_board_that_begins_again_has_its_outputs_safe_and_they_stay_so() -> None:
    async def scene(bench: BoardBench) -> None:
        table = Scene(bench, MOTOR)
        await table.open()
        table.outputs.set("motor", 1.0)
        await table.passes(1)
        bench.port.at(bench.now_ns, lambda t_ns: bench.board.reset(t_ns, Reset.WATCHDOG))
        await bench.until(lambda: table.outputs.faults)
        assert "watchdog" in table.outputs.faults["motor"]
        with pytest.raises(LineError, match="held safe: board 'one': it was reset"):
            table.outputs.set("motor", 1.0)
        await bench.is_up()
        await table.passes(1)
        assert table.on() == {}
        with pytest.raises(LineError, match=r"watchdog.*set it to its safe value first"):
            table.outputs.set("motor", 1.0)
        table.outputs.set("motor", 0.0)
        table.outputs.set("motor", 1.0)
        await table.passes(0.05)
        assert table.on() == {1: 255}

    play(scene, kind="table")


def test_an_output_set_to_safe_while_its_board_is_down_can_be_used_once_it_is_up() -> None:
    async def scene(bench: BoardBench) -> None:
        table = Scene(bench, LAMP)
        await table.open()
        table.outputs.set("lamp", 1.0)
        await table.passes(1)
        bench.port.pull()
        await bench.until(lambda: table.outputs.faults)
        assert "its port is down" in table.outputs.faults["lamp"]
        table.outputs.set("lamp", 0.0)
        await table.passes(1)
        assert table.on() == {}  # the dead-man
        bench.port.plug_in()
        await bench.is_up()
        assert table.outputs.faults == {}
        table.outputs.set("lamp", 1.0)
        await table.passes(0.05)
        assert table.on() == {1: 255}

    play(scene)


def test_refusals_of_a_boards_former_life_are_forgotten_but_not_faults_of_the_table() -> None:
    async def scene(bench: BoardBench) -> None:
        table = Scene(bench, LAMP, SIGN)
        await table.open()
        bench.board.refuse[SetCommand] = RefusalCode.STORE_FAILED
        table.outputs.set("lamp", 1.0)
        await table.passes(0.05)
        bench.board.refuse.clear()
        bench.port.pull()
        await table.passes(0.1)
        bench.port.plug_in()
        await bench.is_up()
        assert table.outputs.faults == {}
        table.outputs.fail("not_level")
        bench.port.pull()
        await table.passes(0.1)
        bench.port.plug_in()
        await bench.is_up()
        await table.passes(0.1)
        assert table.outputs.faults == {"lamp": "not_level", "sign": "not_level"}

    play(scene)


def test_outputs_cannot_be_set_before_their_board_is_up_and_nothing_is_kept_for_later() -> None:
    async def scene(bench: BoardBench) -> None:
        table = Scene(bench, LAMP)
        with pytest.raises(LineError, match="not open"):
            table.outputs.set("lamp", 1.0)
        table.outputs.open()
        with pytest.raises(LineError, match="held safe: board 'one' is not up yet"):
            table.outputs.set("lamp", 1.0)
        table.outputs.set("lamp", 0.0)
        await bench.is_up()
        await table.passes(1)
        assert [command for command in bench.carried(SetCommand) if command != SetCommand(1, 0, 0)] == []

    play(scene)


def test_closing_makes_them_safe_on_the_board_before_its_port_is_let_go() -> None:
    async def scene(bench: BoardBench) -> None:
        table = Scene(bench, MOTOR)
        await table.open()
        table.outputs.set("motor", 1.0)
        await table.passes(1)
        said = len(bench.carried(AllSafeCommand))
        table.outputs.close()
        table.outputs.close()
        closed_ns = bench.now_ns
        await bench.link.wait_closed()
        assert bench.now_ns - closed_ns < 50 * MS
        assert table.on() == {}
        assert len(bench.carried(AllSafeCommand)) == said + 1
        assert not bench.board.deadman

    play(scene, kind="table")


def test_a_board_that_is_up_already_is_made_safe_when_its_outputs_are_opened() -> None:
    async def scene(bench: BoardBench) -> None:
        bench.link.open(RecordingWatcher())
        await bench.is_up()
        await bench.link.command(SetCommand(1, 255, 0))
        await bench.link.command(SetCommand(3, 255, 0))
        table = Scene(bench, LAMP)
        table.outputs.open()
        assert table.outputs.faults == {}
        await table.passes(0.05)
        assert table.on() == {}

    play(scene)


def test_writing_without_a_board_is_an_os_error() -> None:
    async def scene(bench: BoardBench) -> None:
        writer = BoardOutputs([LAMP], bench.link)
        with pytest.raises(OSError, match="'lamp': its board is not open"):
            writer.write("lamp", 1.0)
        writer.close()

    play(scene)


# --- the guard, sans-I/O --------------------------------------------------------------------------------------------


def test_an_output_that_its_hardware_stopped_stays_safe_until_it_was_set_to_safe_once() -> None:
    guard = OutputGuard(MOTOR)
    guard.set(1, 10)
    guard.stop("the board was reset")
    assert (guard.value, guard.next_due_ns, guard.stopped) == (0.0, None, "the board was reset")
    assert guard.set(1, 20) is None
    assert guard.set(0, 30) == 0  # written, though it is safe: the board waits to hear it
    assert guard.set(0, 35) == 0
    assert guard.stopped is None
    assert guard.set(1, 40) == 1


def test_an_output_that_was_off_when_its_hardware_went_safe_is_not_held() -> None:
    guard = OutputGuard(MOTOR)
    guard.stop("the board was reset")
    assert guard.stopped is None
    assert guard.set(1, 20) == 1


# --- whatever happens -----------------------------------------------------------------------------------------------

STEPS = st.lists(
    st.tuples(
        st.sampled_from(["on", "off", "reset", "pull", "plug", "stall", "freeze", "wait", "refuse", "allow"]),
        st.integers(0, 900),
    ),
    max_size=25,
)


def check_steps(steps: list[tuple[str, int]]) -> None:
    """A motor is on only while that is wanted, never again by itself, and works when all is in order again."""

    async def scene(bench: BoardBench) -> None:
        table = Scene(bench, replace(MOTOR, max_on_ns=2 * NS_PER_S))
        table.outputs.open()
        wanted = False
        for step, wait_ms in steps:
            if step in ("on", "off"):
                try:
                    table.outputs.set("motor", 1.0 if step == "on" else 0.0)
                    wanted = step == "on"
                except LineError:
                    wanted = False
            else:
                mishap(bench, step, wait_ms)
            await bench.passes(wait_ms / 1000)
            assert wanted or not table.on() or wait_ms < 700
        bench.board.refuse = {}
        bench.port.plug_in()
        await bench.passes(8)
        assert table.on() == {}  # its longest time at the latest
        table.outputs.set("motor", 0.0)
        table.outputs.clear()
        table.outputs.set("motor", 1.0)
        await bench.passes(0.1)
        assert table.on() == {1: 255}

    play(scene, kind="table")


def mishap(bench: BoardBench, what: str, for_ms: int) -> None:
    """Something happens to the board, its cable or its host."""
    if what == "reset":
        bench.port.at(bench.now_ns, lambda t_ns: bench.board.reset(t_ns))
    elif what == "pull":
        bench.port.pull()
    elif what == "plug":
        bench.port.plug_in()
    elif what == "stall":
        bench.port.stall(for_ms * 3 * MS)
    elif what == "freeze":
        bench.board.frozen = True
        bench.port.at(bench.now_ns + 250 * MS, lambda t_ns: bench.board.reset(t_ns))  # its watchdog
    elif what == "refuse":
        bench.board.refuse[SetCommand] = RefusalCode.NOT_SAFE
    elif what == "allow":
        bench.board.refuse.clear()


@pytest.mark.long
@given(steps=STEPS)
@settings(max_examples=20)
def test_what_moves_is_on_only_while_that_is_wanted_and_never_again_by_itself(steps: list[tuple[str, int]]) -> None:
    check_steps(steps)


@pytest.mark.soak
@given(steps=STEPS)
@settings(max_examples=1500)
def test_what_moves_is_on_only_while_that_is_wanted_in_many_evenings(steps: list[tuple[str, int]]) -> None:
    check_steps(steps)
