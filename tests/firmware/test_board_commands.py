"""Commands about boards, tried on the real firmware that is emulated."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

from controller.boards.emulation import check_built, emulate, port_of
from controller.boards.identity import kind_name
from controller.cli.boards import give_number
from hal.board.ports import ask_identity
from hal.clock import SystemClock
from hal.loop import VirtualLoop, run_virtual
from simulators.board.library import LIBRARY
from simulators.board.lockstep import LockStep
from tests.fakes.time_limits import HANG_S
from tests.firmware.emulated import built
from tests.firmware.inspected_board import InspectedBoard
from tests.tables.bench import configured

T = TypeVar("T")
ROULETTE = Path(__file__).resolve().parents[2] / "examples" / "roulette_board.toml"
LONG_NS = int(HANG_S) * 1_000_000_000


class AsFastAsItGoes:
    """A time that is there as soon as somebody waits for it. `all_live` is set when this many boards do."""

    def __init__(self, boards: int) -> None:
        self.all_live = threading.Event()
        self._now_ns = 0
        self._boards = boards
        self._waited: set[str] = set()

    def now_ns(self) -> int:
        return self._now_ns

    def wait_until(self, t_ns: int) -> None:
        self._now_ns = max(self._now_ns, t_ns)
        self._waited.add(threading.current_thread().name)
        if len(self._waited) == self._boards:
            self.all_live.set()


def test_emulated_boards_answer_on_their_ports_as_real_ones(tmp_path: Path) -> None:
    built("wheel.elf")
    check_built(configured(ROULETTE.read_text()))
    table = configured(ROULETTE.read_text())
    stop, told, time = threading.Event(), list[str](), AsFastAsItGoes(len(table.boards))

    def live() -> None:
        emulate(table, tmp_path, seed=1, faults={}, stop=stop, show=told.append, time=time)

    life = threading.Thread(target=live)
    life.start()
    try:
        time.all_live.wait()
        for name in table.boards:
            answer = asyncio.run(ask_identity(str(port_of(tmp_path, name)), SystemClock(), LONG_NS))
            assert kind_name(answer) == "wheel"
    finally:
        stop.set()
        life.join()
    assert {"board wheel: its port was opened", "board desk: its port was opened"} <= set(told)
    assert not port_of(tmp_path, "wheel").exists()
    assert LIBRARY.is_file()


def test_the_firmware_keeps_its_number_over_a_power_cut(tmp_path: Path) -> None:
    async def live(board: InspectedBoard, talk: Callable[[str, VirtualLoop], Awaitable[T]]) -> T:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        with LockStep(board, tmp_path / "wheel") as wire:
            return await talk(str(wire.path), loop)

    async def name(port: str, loop: VirtualLoop) -> int:
        return (await give_number(port, 4_000_000_000, loop.clock)).serial

    elf = built("wheel.elf")
    with InspectedBoard(elf) as board:
        assert run_virtual(live(board, name)) == 4_000_000_000
        kept = board.power_cut()
    with InspectedBoard(elf, eeprom=kept) as again:

        async def ask(port: str, loop: VirtualLoop) -> int:
            return (await ask_identity(port, loop.clock)).serial

        assert run_virtual(live(again, ask)) == 4_000_000_000
