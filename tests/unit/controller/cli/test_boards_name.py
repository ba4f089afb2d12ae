"""`feltwire boards name`: a board is given its number."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import msgspec
import pytest

from controller.cli.boards import give_number
from hal.board.errors import BoardError
from hal.board.messages import KINDS, NameBoardCommand, RefusalCode
from hal.loop import VirtualLoop, run_virtual
from tests.fakes.board_port import BoardPort
from tests.fakes.model_board import ModelBoard


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
        port.board.identity = msgspec.structs.replace(port.board.identity, protocol=0)

    with pytest.raises(BoardError, match="expected protocol 1 to 3, found protocol 0; flash its firmware with"):
        on_model(other)
