"""The chain of lamps by the real firmware: told by `hal.lamp_chain` through a board's link, lit, and read back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest

from controller.games.sic_bo.areas import AREAS, SicBoLayout
from controller.games.sic_bo.rules import SicBoRules
from controller.rules.profile import profile
from feed import events
from firmware.hardware.controllers import NANO, PICO, Controller
from firmware.hardware.firmware_times import chain_times
from firmware.hardware.manifest_pins import pins_of
from hal.board.chips import ATMEGA328P, RP2040
from hal.board.firmware import VERSION
from hal.board.identity import ExpectedBoard
from hal.board.link import BoardLink
from hal.board.messages import KINDS
from hal.clock import VirtualClock
from hal.lamp_chain import LampChain
from hal.lamp_fields import CHAIN, FIELD, places
from hal.loop import run_virtual, sleep_ns
from hal.values import Edge, EdgesLost, Frame, Loss, Rare
from simulators.board.adapter import EXACT, Adapter
from simulators.board.emulated import EmulatedBoard
from simulators.board.lockstep import LockStep
from simulators.board.machines import MachineBoard, ScannedKeypad
from tests.fakes.adapters import CH340, FTDI
from tests.firmware.emulated import MS, board, built
from tests.firmware.live_evening import TableEvening, example, simulated
from tests.firmware.table_on_boards import TableOnBoards

TABLE = KINDS["table"]
LAYOUT = SicBoLayout(profile("njac-13:69F").text("sic_bo", SicBoRules), two_of_a_kind_on_triple=None)
READ_BACK_NS = {EXACT: 15 * MS, CH340: 20 * MS, FTDI: 40 * MS}
"""From the command to its read-back, by the adapter that is on the port: no longer than this."""


class ReadBack(NamedTuple):
    """A read-back of a chain."""

    lit: frozenset[int]
    dead: frozenset[int]
    stuck: frozenset[int]


def read(frame: Frame) -> ReadBack:
    assert (frame.link, len(frame.data)) == (CHAIN, 3 * FIELD)
    return ReadBack(*(places(frame.data[at : at + FIELD]) for at in range(0, 3 * FIELD, FIELD)))


class Scene:
    """A chain, the lamps on it, and what was heard of them."""

    def __init__(self, chain: LampChain, board: EmulatedBoard, step: LockStep, clock: VirtualClock) -> None:
        self.chain = chain
        self.board = board
        self.step = step
        self.clock = clock
        self.heard: list[Rare] = []

    def deliver(self, source: str, edges: Sequence[Edge], rare: Sequence[Rare]) -> None:
        assert not edges
        self.heard += rare

    async def wait(self, ms: int) -> None:
        for _ in range(ms):
            await sleep_ns(MS)
            self.chain.delivered_until(self.clock.now_ns())

    async def light(self, lamps: Sequence[int], ms: int = 60) -> list[ReadBack]:
        """Lights lamps; returns what was read back within a time."""
        self.heard.clear()
        self.chain.light(lamps)
        await self.wait(ms)
        return [read(one) for one in self.heard if isinstance(one, Frame)]

    @property
    def burning(self) -> frozenset[int]:
        """The lamps that really burn."""
        return self.board.burning


def play(folder: Path, scene: Callable[[Scene], Awaitable[None]], adapter: Adapter = EXACT) -> None:
    clock = VirtualClock()

    async def main() -> None:
        with board("table") as chip, LockStep(chip, folder / "port", adapter=adapter) as step:
            link = BoardLink("layout", str(folder / "port"), ExpectedBoard(TABLE, VERSION), clock)
            chain = LampChain(link)
            the = Scene(chain, chip, step, clock)
            chain.open(the)
            while not link.status.up:
                await the.wait(1)
            await scene(the)
            chain.close()
            await link.wait_closed()

    run_virtual(main(), clock)


# --- its pulses ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["table", "reel"])
@pytest.mark.parametrize("module", [NANO, PICO], ids=lambda module: module.name)
def test_its_pulses_are_as_long_as_those_that_the_circuits_are_simulated_with(kind: str, module: Controller) -> None:
    with board(kind, chip=ATMEGA328P.name if module is NANO else RP2040.name) as chip:
        chip.run_until(60 * MS)
        changes = chip.take_changes()
    pins = pins_of(kind)
    least = []
    for wire, level in (("latch", 0), ("clock", 0), ("clock", 1)):
        moved = [each for each in changes if each.pin == pins[f"lamps {wire}"]]
        least.append(min(after.t_ns - each.t_ns for each, after in pairwise(moved) if bool(each.level) == bool(level)))
    stated = chain_times(module.name)
    if module is NANO:
        assert least == [*stated]
    assert all(ns >= most for ns, most in zip(least, stated, strict=True))


# --- what is lit is read back --------------------------------------------------------------------------------------


def test_the_areas_of_dice_are_lit_and_read_back_and_no_others(tmp_path: Path) -> None:
    async def scene(the: Scene) -> None:
        for dice in ((1, 2, 3), (4, 4, 2), (6, 6, 6), (1, 1, 1), (2, 5, 6)):
            lamps = frozenset(area.number for area in LAYOUT.lit(dice))
            assert await the.light([*lamps]) == [ReadBack(lamps, frozenset(), frozenset())]
            assert the.burning == lamps
        everything = frozenset(area.number for area in AREAS)
        assert await the.light([*everything]) == [ReadBack(everything, frozenset(), frozenset())]
        assert await the.light([]) == [ReadBack(frozenset(), frozenset(), frozenset())]
        assert the.burning == frozenset()

    play(tmp_path, scene)


@pytest.mark.parametrize("lamp", [1, 8, 9, 33, 50])
def test_a_dead_and_a_stuck_lamp_are_told_by_their_numbers(tmp_path: Path, lamp: int) -> None:
    stuck = 51 - lamp

    async def scene(the: Scene) -> None:
        the.board.chain_faults(dead={lamp})
        assert await the.light([lamp, 20]) == [ReadBack(frozenset({20}), frozenset({lamp}), frozenset())]
        the.board.chain_faults(stuck={stuck})
        assert await the.light([20]) == [ReadBack(frozenset({20, stuck}), frozenset(), frozenset({stuck}))]
        the.board.chain_faults()
        assert await the.light([lamp, 20]) == [ReadBack(frozenset({lamp, 20}), frozenset(), frozenset())]

    play(tmp_path, scene)


def test_a_board_that_is_unplugged_is_told_once_and_lights_again_when_it_is_back(tmp_path: Path) -> None:
    async def scene(the: Scene) -> None:
        await the.light([3, 4])
        the.heard.clear()
        the.step.unplug()
        await the.wait(1_500)
        assert [(type(one), getattr(one, "cause", None)) for one in the.heard] == [(EdgesLost, Loss.UNPLUGGED)]
        assert the.burning == frozenset(), "nobody keeps the board awake: its dead-man has put them out"
        assert await the.light([5]) == []
        the.step.plug_in()
        await the.wait(4_000)
        assert await the.light([5]) == [ReadBack(frozenset({5}), frozenset(), frozenset())]

    play(tmp_path, scene)


def test_a_chain_that_is_cut_off_reads_back_nothing_as_lit(tmp_path: Path) -> None:
    async def scene(the: Scene) -> None:
        the.board.chain_faults(dead=range(1, TABLE.lamps + 1))
        lamps = frozenset(area.number for area in LAYOUT.lit((1, 2, 3)))
        assert await the.light([*lamps]) == [ReadBack(frozenset(), lamps, frozenset())]

    play(tmp_path, scene)


@pytest.mark.parametrize("adapter", [EXACT, CH340, FTDI], ids=["exact", "ch340", "ftdi"])
def test_a_read_back_comes_long_before_a_table_gives_up_waiting(tmp_path: Path, adapter: Adapter) -> None:
    took_ns: list[int] = []

    async def scene(the: Scene) -> None:
        for number in range(20):
            the.heard.clear()
            told_ns = the.clock.now_ns()
            the.chain.light([1 + number, 50])
            await the.wait(60 + number)
            (frame,) = the.heard
            took_ns.append(frame.t_ns - told_ns)

    play(tmp_path, scene, adapter)
    print(f"read back after {min(took_ns) / MS:.2f} to {max(took_ns) / MS:.2f} ms")
    assert max(took_ns) < READ_BACK_NS[adapter]


# --- whole rounds --------------------------------------------------------------------------------------------------


class SicBoOnBoard(TableOnBoards):
    """A sic bo table on one board: its keypad is a machine at the pins beside the lamps, the rest are lines."""

    def _board(self, name: str) -> EmulatedBoard:
        keys = {line: TABLE.keys.index(line.removeprefix("key_")) for line in self.config.uses if "key_" in line[:4]}
        presses = [
            (edge.t_ns, keys[edge.line], edge.level == 1)
            for batch in self.evening.batches
            for edge in batch.edges
            if edge.line in keys
        ]
        keypad = ScannedKeypad(TABLE.key_columns, TABLE.key_rows)
        for t_ns, key, pressed in presses:
            keypad.press(key, pressed, t_ns)
        return MachineBoard(built("table.elf"), [keypad], kind=TABLE)


def evening_of(folder: Path, faults: Sequence[str | None]) -> tuple[SicBoOnBoard, TableEvening]:
    values = example("sic_bo_board")
    evening = simulated(values, faults, 1)
    return SicBoOnBoard(values, folder, evening), evening


@pytest.mark.soak
def test_whole_rounds_of_sic_bo_on_the_board_end_with_the_dice_that_fell(tmp_path: Path) -> None:
    """Several; `test_examples_on_boards` plays one, with the lamps of its dice."""
    rounds = 4
    table, evening = evening_of(tmp_path, [None] * rounds)
    said = table.run()
    thrown = [list(truth.result) for truth in evening.truths if isinstance(truth.result, tuple)]
    assert [data.result["dice"] for data in said.of(events.Outcome)] == thrown
    assert len(thrown) == rounds
    assert said.of(events.DeviceFault) == []


@pytest.mark.soak
def test_a_dead_lamp_on_the_board_is_named_and_a_supervisor_settles(tmp_path: Path) -> None:
    table, evening = evening_of(tmp_path, [None])
    (truth,) = evening.truths
    assert isinstance(truth.result, tuple)
    dice = [die for die in truth.result if isinstance(die, int)]
    dead = min(area.number for area in LAYOUT.lit(dice))
    (name,) = table.config.boards
    said = table.run(script=lambda: table.boards[name].chain_faults(dead={dead}))
    assert [data.result["dice"] for data in said.of(events.Outcome)] == [dice]
    assert f"lamp {dead}, is dead" in said.one(events.DeviceFault).detail
    assert said.one(events.Settled).by == "supervisor"
