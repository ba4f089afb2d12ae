"""`feltwire boards name`: the real firmware keeps the number that it is given."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import msgspec
import pytest

from controller.cli.boards import give_number
from hal.board.errors import BoardError
from hal.board.messages import KINDS, NameBoardCommand, RefusalCode
from hal.board.ports import ask_identity
from hal.loop import VirtualLoop, run_virtual
from simulators.board.emulated import EmulatedBoard
from simulators.board.library import LIBRARY
from simulators.board.lockstep import LockStep
from tests.fakes.board_port import BoardPort
from tests.fakes.model_board import ModelBoard

T = TypeVar("T")


def on_model(script: Callable[[BoardPort], None], number: int = 7) -> int:
    """The number that a model board says after it was given one."""

    async def main() -> int:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        port = BoardPort(loop, ModelBoard(KINDS["wheel"]), "named")
        port.plug_in()
        script(port)
        try:
            return (await give_number(port.url, number, loop.clock)).serial
        finally:
            port.close()

    return run_virtual(main())


def test_the_firmware_keeps_its_number_over_a_power_cut(tmp_path: Path) -> None:
    async def live(board: EmulatedBoard, talk: Callable[[str, VirtualLoop], Awaitable[T]]) -> T:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        with LockStep(board, tmp_path / "wheel") as wire:
            return await talk(str(wire.path), loop)

    async def name(port: str, loop: VirtualLoop) -> int:
        return (await give_number(port, 4_000_000_000, loop.clock)).serial

    elf = LIBRARY.with_name("wheel.elf")
    with EmulatedBoard(elf) as board:
        assert run_virtual(live(board, name)) == 4_000_000_000
        kept = board.power_cut()
    with EmulatedBoard(elf, eeprom=kept) as again:

        async def ask(port: str, loop: VirtualLoop) -> int:
            return (await ask_identity(port, loop.clock)).serial

        assert run_virtual(live(again, ask)) == 4_000_000_000


def test_a_board_that_refuses_says_why() -> None:
    def refuse(port: BoardPort) -> None:
        port.board.refuse[NameBoardCommand] = RefusalCode.STORE_FAILED

    with pytest.raises(BoardError, match="name_board: store_failed; its memory does not keep what is written"):
        on_model(refuse)


def test_a_board_that_says_another_number_afterwards_is_told() -> None:
    with pytest.raises(BoardError, match="expected serial 7, found 0; its memory may be worn out"):
        on_model(lambda port: None)


def test_a_board_that_is_not_there_is_told_in_its_links_words() -> None:
    with pytest.raises(BoardError, match="its port is down"):
        on_model(lambda port: port.pull())


def test_a_board_of_another_protocol_is_told_with_what_to_do() -> None:
    def other(port: BoardPort) -> None:
        port.board.identity = msgspec.structs.replace(port.board.identity, protocol=9)

    with pytest.raises(BoardError, match="expected protocol 1, found protocol 9; flash its firmware with"):
        on_model(other)
