"""The lamp chain of a board: told, read back as a frame, and gone with its board."""

from __future__ import annotations

import pytest

from hal.board.messages import LampsCommand, LampsReport
from hal.clock import NS_PER_S
from hal.lamp_chain import LampChain
from hal.lamp_fields import bit_field
from hal.lines import LineError
from hal.outputs import Outputs, OutputSpec
from hal.outputs_board import BoardOutputs
from hal.values import Frame
from tests.fakes.board_bench import BoardBench, RecordingSink, play

DARK = bytes(8)


def test_lamps_are_lit_by_command_and_the_read_back_is_a_frame() -> None:
    async def scene(bench: BoardBench) -> None:
        chain, heard = LampChain(bench.link), RecordingSink()
        chain.open(heard)
        await bench.is_up()
        chain.light({3, 45})
        await bench.passes(0.1)
        assert bench.carried(LampsCommand) == [LampsCommand(bit_field({3, 45}))]
        bench.port.at(
            bench.now_ns + 1, lambda t_ns: bench.board.say(LampsReport(bit_field({3}), bit_field({45}), DARK), t_ns)
        )
        await bench.passes(0.1)
        frames = [value for value in heard.values if isinstance(value, Frame)]
        assert [(frame.link, frame.data) for frame in frames] == [("lamps", bit_field({3}) + bit_field({45}) + DARK)]
        assert frames[0].t_ns <= chain.delivered_until(bench.now_ns)

    play(scene, kind="table")


def test_nothing_is_dated_before_what_was_promised() -> None:
    async def scene(bench: BoardBench) -> None:
        chain, heard = LampChain(bench.link), RecordingSink()
        chain.open(heard)
        await bench.is_up()
        promised_ns = chain.delivered_until(bench.now_ns + 50_000_000)
        bench.port.at(bench.now_ns + 1, lambda t_ns: bench.board.say(LampsReport(DARK, DARK, DARK), t_ns))
        await bench.passes(0.02)
        assert [value.t_ns > promised_ns for value in heard.values] == [True]

    play(scene, kind="table")


def test_a_lost_board_is_reported_once_and_gets_no_command_while_it_is_down() -> None:
    async def scene(bench: BoardBench) -> None:
        chain, heard = LampChain(bench.link), RecordingSink()
        chain.open(heard)
        chain.light({1})
        await bench.is_up()
        bench.port.pull()
        await bench.until(lambda: not bench.link.status.up)
        await bench.passes(1.0)
        assert heard.unplugged == ["lamps"]
        chain.light({2})
        await bench.passes(0.1)
        assert bench.carried(LampsCommand) == []

    play(scene, kind="table")


@pytest.mark.parametrize("beside_outputs", [False, True])
def test_a_chain_takes_commands_again_after_a_silence_of_its_host(beside_outputs: bool) -> None:
    async def scene(bench: BoardBench) -> None:
        chain, lamp = (
            LampChain(bench.link, acknowledges=not beside_outputs),
            OutputSpec("lamp", 2, board="one", max_on_ns=10 * NS_PER_S),
        )
        chain.open(RecordingSink())
        if beside_outputs:
            outputs = Outputs([lamp], BoardOutputs([lamp], bench.link), bench.clock)
            outputs.open()
        await bench.is_up()
        if beside_outputs:
            outputs.show("lamp", 1.0)
        chain.light({1})
        await bench.passes(0.1)
        bench.port.stall(700_000_000)
        chain.light({2})
        assert bench.board.deadman
        await bench.passes(1)
        chain.light({3})
        await bench.passes(1)
        assert bench.carried(LampsCommand) == [LampsCommand(bit_field({lamp})) for lamp in (1, 3)]
        assert list(bench.board.outputs) == ([2] if beside_outputs else [])

    play(scene, kind="table")


def test_it_is_opened_once_and_closed_as_often_as_you_like() -> None:
    async def scene(bench: BoardBench) -> None:
        chain = LampChain(bench.link)
        chain.open(RecordingSink())
        with pytest.raises(LineError, match="it is open already; close it first"):
            chain.open(RecordingSink())
        await bench.is_up()
        chain.close()
        chain.close()
        assert bench.link.watchers == ()
        assert chain.failed is None

    play(scene, kind="table")


def test_a_place_that_no_chain_has_is_refused() -> None:
    async def scene(bench: BoardBench) -> None:
        chain = LampChain(bench.link)
        with pytest.raises(ValueError, match="places 1 to 64, not 65"):
            chain.light({65})

    play(scene, kind="table")
