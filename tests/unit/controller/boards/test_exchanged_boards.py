"""Two boards of one table whose plugs were exchanged: each is refused with both names, until that is put right."""

from __future__ import annotations

import asyncio

from controller.live.board_watch import BOARD_LOST
from controller.live.live_table import LiveTable
from controller.live.wiring import wire
from feed import events
from hal.board.firmware import VERSION
from hal.board.messages import KINDS, WatchCommand
from hal.loop import VirtualLoop, run_virtual, sleep_ns
from tests.fakes.board_port import BoardPort
from tests.fakes.firmware_build import BUILD
from tests.fakes.model_board import ModelBoard
from tests.tables.bench import EventList, configured
from tests.tables.money_lines import S

TWO = """\
[table]
id = "wheel-2"
game = "money_wheel"
no_more_bets = "button"
opens = "at_start"
[lines]
backend = "board"
[board.wheel]
kind = "wheel"
port = "wire://left"
[board.desk]
kind = "reel"
port = "wire://right"
[pins]
wheel_a = { board = "wheel", input = 1 }
wheel_b = { board = "wheel", input = 2 }
wheel_index = { board = "wheel", input = 3 }
dealer_no_more_bets = { board = "desk", input = 4, inverted = true }
"""


def uses_of(board: ModelBoard) -> int:
    """How often its lines were used."""
    return len([one for one in board.carried if isinstance(one.command, WatchCommand) and one.command.inputs])


def test_two_adapters_that_are_exchanged_are_refused_with_both_names_and_used_again_when_exchanged_back() -> None:
    config = configured(TWO)
    said = EventList()
    boards = {kind: ModelBoard(KINDS[kind], version=VERSION, build=BUILD) for kind in ("wheel", "reel")}

    async def main() -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        left = BoardPort(loop, boards["wheel"], "left")
        right = BoardPort(loop, boards["reel"], "right")
        wiring = wire(config, loop.clock, {}, 1)
        table = LiveTable(config, wiring, loop.clock, epoch="00ff00ff00ff00ff")

        async def passes(seconds: int) -> None:
            for _ in range(50 * seconds):
                await sleep_ns(S // 50)
                said.extend(table.tick().events)

        def exchange() -> None:
            left.pull()
            right.pull()
            left.url, right.url = right.url, left.url
            left.plug_in()
            right.plug_in()

        left.plug_in()
        right.plug_in()
        table.open_wires()
        said.extend(table.open())
        await passes(8)
        assert [uses_of(board) for board in boards.values()] == [1, 1]
        assert said.of(events.DeviceFault) == []
        exchange()
        await passes(10)
        assert [uses_of(board) for board in boards.values()] == [1, 1], "none is used"
        reasons = {name: link.status.reason for name, link in wiring.boards.items()}  # type: ignore[attr-defined]
        assert "board 'wheel': expected a board of kind 'wheel', found kind 'reel'" in reasons["wheel"]
        assert "board 'desk': expected a board of kind 'reel', found kind 'wheel'" in reasons["desk"]
        exchange()
        await passes(10)
        for name in ("board.wheel", "board.desk"):
            table.command("clear", {"device": name, "by": "ann"})
        await passes(2)
        said.extend(table.close("the test is over"))
        for link in wiring.boards.values():
            await link.wait_closed()  # type: ignore[attr-defined]
        left.close()
        right.close()

    run_virtual(main())
    lost = {fault.device for fault in said.of(events.DeviceFault) if fault.fault == BOARD_LOST}
    assert lost == {"board.wheel", "board.desk"}
    told = [fault.detail for fault in said.of(events.DeviceFault)]
    told += [warning.detail for warning in said.of(events.DeviceWarning)]
    for words in ("kind 'wheel', found kind 'reel'", "kind 'reel', found kind 'wheel'"):
        assert any(words in detail for detail in told), "in the table's own words"
    assert {data.device for data in said.of(events.DeviceCleared)} >= {"board.wheel", "board.desk"}
    assert [uses_of(board) for board in boards.values()] == [2, 2]
