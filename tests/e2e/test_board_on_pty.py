"""A table's end of a board over a real pty that pyserial opens by its path: lines and outputs, whatever happens to it.

The board is the model; the kernel carries the bytes, in virtual time (`simulators.board.lockstep`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from itertools import count
from pathlib import Path

import pytest

from hal.backends.board import BoardLines
from hal.board.identity import ExpectedBoard
from hal.board.link import BoardLink
from hal.board.messages import KINDS, NameBoardCommand, OkAnswer
from hal.clock import NS_PER_S, VirtualClock
from hal.lines import LineError, LineSpec
from hal.loop import VirtualLoop, run_virtual, sleep_ns
from hal.outputs import Outputs, OutputSpec
from hal.outputs_board import BoardOutputs
from hal.values import Edge, Rare
from simulators.board.adapter import EXACT, Adapter
from simulators.board.link_faults import NO_FAULTS, ByteFaults
from simulators.board.lockstep import LockStep
from tests.fakes.adapters import CH340, FTDI
from tests.fakes.board_bench import MS, RecordingSink, RecordingWatcher
from tests.fakes.model_board import ModelBoard
from tests.fakes.model_on_pty import ModelOnPty

TOLERANCE_NS = 20_000
BOOT_NS = 2 * NS_PER_S
WHEEL = KINDS["wheel"]
INPUTS = [LineSpec(name, number, board="wheel", pull="up") for number, name in enumerate("abc", 1)]
LAMP = OutputSpec("lamp", 1, board="wheel")


class Bounded(RecordingSink):
    """A sink that also remembers of each edge how wrong its time may be."""

    def __init__(self, lines: BoardLines) -> None:
        super().__init__()
        self.errors_ns: list[int] = []
        self._lines = lines

    def deliver(self, source: str, edges: Sequence[Edge], rare: Sequence[Rare]) -> None:
        super().deliver(source, edges, rare)
        self.errors_ns += [self._lines.error_ns or 0] * len(edges)

    def forget(self) -> None:
        super().forget()
        self.errors_ns.clear()


class Table:
    """Lines and a lamp on a board behind a pty, and the world in which that is."""

    def __init__(self, loop: VirtualLoop, step: LockStep, board: ModelOnPty) -> None:
        self.loop = loop
        self.step = step
        self.board = board
        self.model = board.model
        wanted = ExpectedBoard(WHEEL, (1, 0, 0), bytes(4))
        self.link = BoardLink("wheel", str(step.path), wanted, loop.clock, draw=count(1).__next__)
        self.lines = BoardLines(INPUTS, self.link, loop.clock)
        self.outputs = Outputs([LAMP], BoardOutputs([LAMP], self.link), loop.clock)
        self.heard = RecordingSink()

    @property
    def now_ns(self) -> int:
        return self.loop.clock.now_ns()

    async def passes(self, seconds: float) -> None:
        """Time passes, and the lines are asked as a table does."""
        for _ in range(round(seconds * 50)):
            await sleep_ns(20 * MS)
            self.lines.delivered_until(self.now_ns)

    async def until(self, condition: Callable[[], object]) -> int:
        """Waits until something is so; returns how many nanoseconds that took."""
        began_ns = self.now_ns
        while not condition():
            assert self.now_ns - began_ns < 60 * NS_PER_S, "what was waited for did not happen"
            await self.passes(0.02)
        return self.now_ns - began_ns

    async def open(self) -> None:
        self.lines.open(self.heard)
        self.outputs.open()
        await self.until(lambda: self.heard.edges)
        self.heard.forget()

    async def turn(self, edges: int, gap_ns: int = 3_333_333) -> list[tuple[str, int, int]]:
        """The inputs change one after the other, while time passes; returns line, level and time of each change."""
        levels = [self.model.levels >> line & 1 for line in range(3)]
        changes = []
        for number in range(edges):
            levels[number % 3] ^= 1
            await sleep_ns(gap_ns)
            self.model.edge(number % 3, levels[number % 3], self.now_ns)
            changes.append(("abc"[number % 3], levels[number % 3], self.now_ns))
        return changes


def play(
    path: Path,
    scene: Callable[[Table], Awaitable[None]],
    *,
    adapter: Adapter = EXACT,
    boot_ns: int = 0,
    faults: ByteFaults = NO_FAULTS,
    seed: int = 1,
) -> None:
    """Plays a scene; with `boot_ns` the board is reset whenever its port is opened."""

    async def main() -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        board = ModelOnPty(ModelBoard(WHEEL, start_ns=loop.clock.now_ns(), ppm=40), boot_ns)
        port = path / "usb-board-if00-port0"
        with LockStep(
            board, port, adapter=adapter, to_board=faults, to_host=faults, seed=seed, resets_when_opened=boot_ns > 0
        ) as step:
            table = Table(loop, step, board)
            try:
                await scene(table)
            finally:
                table.lines.close()
                table.outputs.close()
                await table.link.wait_closed()

    run_virtual(main(), VirtualClock(3 * NS_PER_S))


def agree(heard: RecordingSink, changes: list[tuple[str, int, int]]) -> None:
    """What was heard is what happened, to within what is promised."""
    assert heard.losses == []
    assert [edge[:2] for edge in heard.edges] == [change[:2] for change in changes]
    for edge, (_, _, t_ns) in zip(heard.edges, changes, strict=True):
        assert abs(edge.t_ns - t_ns) <= TOLERANCE_NS


def test_edges_come_with_their_times_and_the_lamp_obeys(tmp_path: Path) -> None:
    async def scene(table: Table) -> None:
        await table.open()
        table.outputs.set("lamp", 1.0)
        changes = await table.turn(600)
        await table.passes(0.2)
        agree(table.heard, changes)
        assert (table.lines.error_ns or 0) < TOLERANCE_NS
        assert list(table.model.outputs) == [1]
        table.outputs.close()
        await table.passes(0.2)
        assert table.model.outputs == {}

    play(tmp_path, scene)


@pytest.mark.parametrize("adapter", [CH340, FTDI], ids=["CH340", "FTDI"])
def test_over_a_slow_adapter_times_are_right_to_the_error_that_is_said(tmp_path: Path, adapter: Adapter) -> None:
    async def scene(table: Table) -> None:
        heard = table.heard = Bounded(table.lines)
        await table.open()
        changes = await table.turn(600)
        await table.passes(0.2)
        assert [edge[:2] for edge in heard.edges] == [change[:2] for change in changes]
        for edge, (_, _, t_ns), error_ns in zip(heard.edges, changes, heard.errors_ns, strict=True):
            assert abs(edge.t_ns - t_ns) <= error_ns < 20 * MS

    play(tmp_path, scene, adapter=adapter)


def test_a_board_that_is_reset_by_the_opening_of_its_port_is_waited_for(tmp_path: Path) -> None:
    async def scene(table: Table) -> None:
        began_ns = table.now_ns
        await table.open()
        assert BOOT_NS < table.now_ns - began_ns < BOOT_NS + NS_PER_S
        assert table.board.resets == 1
        assert table.heard.losses == []
        changes = await table.turn(60)
        await table.passes(0.2)
        agree(table.heard, changes)

    play(tmp_path, scene, boot_ns=BOOT_NS)


def test_a_board_that_is_unplugged_and_put_back_under_its_name_goes_on_without_a_restart(tmp_path: Path) -> None:
    async def scene(table: Table) -> None:
        await table.open()
        for _ in range(3):
            table.heard.forget()
            table.outputs.set("lamp", 1.0)
            await table.turn(30)
            table.step.unplug()
            await table.until(lambda: table.heard.unplugged)
            assert sorted(table.heard.unplugged) == ["a", "b", "c"]
            with pytest.raises(LineError, match="its port is down"):
                table.outputs.set("lamp", 1.0)
            await table.passes(3)
            assert "No such file" in (table.lines.trouble or "")
            assert table.model.outputs == {}
            table.heard.forget()
            table.step.plug_in()
            await table.until(lambda: table.heard.edges)
            table.heard.forget()
            table.outputs.set("lamp", 0.0)
            changes = await table.turn(30)
            await table.passes(0.2)
            agree(table.heard, changes)
            assert table.lines.trouble is None

    play(tmp_path, scene)


@pytest.mark.parametrize("frozen_s", [0.6, 2.0, 5.0])
def test_a_host_that_was_frozen_has_every_edge_and_knows_its_outputs_safe(tmp_path: Path, frozen_s: float) -> None:
    async def scene(table: Table) -> None:
        await table.open()
        watching = RecordingWatcher()
        table.link.open(watching)
        table.outputs.set("lamp", 1.0)
        changes = await table.turn(60)
        table.step.freeze_host(round(frozen_s * NS_PER_S))
        assert table.model.outputs == {}
        changes += await table.turn(60)
        await table.passes(0.3)
        agree(table.heard, changes)
        assert "received nothing from its host" in table.outputs.faults["lamp"]
        assert watching.downs == []
        table.outputs.set("lamp", 0.0)
        table.outputs.set("lamp", 1.0)
        await table.passes(0.1)
        assert list(table.model.outputs) == [1]
        table.link.close(watching)

    play(tmp_path, scene)


def test_a_port_that_another_program_holds_is_told_and_taken_when_it_is_free(tmp_path: Path) -> None:
    async def scene(table: Table) -> None:
        other = BoardLink("other", str(table.step.path), ExpectedBoard(None, None, None), table.loop.clock)
        watching = RecordingWatcher()
        other.open(watching)
        await table.until(lambda: watching.ups)
        table.lines.open(table.heard)
        await table.passes(7)
        assert len(table.heard.unplugged) == 3
        assert "exclusively lock" in (table.lines.trouble or "")
        other.close(watching)
        await other.wait_closed()
        await table.until(lambda: table.heard.edges)

    play(tmp_path, scene)


def test_one_byte_in_a_thousand_broken_costs_no_edge_and_repeats_no_command(tmp_path: Path) -> None:
    async def scene(table: Table) -> None:
        await table.open()
        changes = []
        for serial in range(1, 31):
            changes += await table.turn(30)
            assert await table.link.command(NameBoardCommand(serial)) == OkAnswer()
        await table.passes(1)
        agree(table.heard, changes)
        named = [done.command for done in table.model.carried if isinstance(done.command, NameBoardCommand)]
        assert named == [NameBoardCommand(serial) for serial in range(1, 31)]

    play(tmp_path, scene, faults=ByteFaults(flipped=0.0005, dropped=0.0005), seed=3)


def test_one_byte_in_a_hundred_broken_is_refused_with_the_reason(tmp_path: Path) -> None:
    async def scene(table: Table) -> None:
        table.lines.open(table.heard)
        await table.passes(30)
        assert "too bad to play on" in (table.lines.trouble or "")

    play(tmp_path, scene, faults=ByteFaults(flipped=0.005, dropped=0.005))
