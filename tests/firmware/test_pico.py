"""The firmware on an emulated RP2040: its own binary, from the checksum of the boot ROM to money in the FRAM.

What the emulator cannot show is in docs/boards-pico.md: USB, the start of oscillators and supply, levels and currents.
"""

from __future__ import annotations

import re
import struct
import subprocess
from itertools import islice, pairwise
from pathlib import Path
from random import Random

import pytest

from benchmarks.board_rig import BEGINS_NS, hear
from controller.boards.identity import words
from firmware.elf import Program
from hal.board.chips import FIRST_ADC_GPIO, PICO_ADC, PICO_GPIO, RP2040
from hal.board.identity import ExpectedBoard
from hal.board.link import BoardLink, BoardStatus
from hal.board.messages import (
    KINDS,
    AcceptCommand,
    AliveCommand,
    BootReport,
    Flag,
    IdentifyCommand,
    IdentityAnswer,
    OkAnswer,
    PayCommand,
    RefusalCode,
    Reset,
    SampleCommand,
    SampleReport,
    SetCommand,
    SpinCommand,
)
from hal.clock import NS_PER_S, VirtualClock
from hal.loop import run_virtual, sleep_ns
from simulators.board.emulated import EmulatedBoard, EmulationError
from simulators.board.lockstep import LockStep
from tests.fakes.board_bench import RecordingWatcher
from tests.firmware import emulated, test_fram
from tests.firmware.avr_board import AvrBoard, PinEdge, at_rate
from tests.firmware.edge_patterns import INPUTS, Wires, batches
from tests.firmware.emulated import MS, board
from tests.firmware.inspected_board import InspectedBoard
from tests.firmware.kind_bench import KindBench
from tests.firmware.worlds import Reel

CYCLE_NS = 8
STEPS_PER_S = 400
STEP_NS = NS_PER_S // STEPS_PER_S
WITHIN_NS = 1_000
"""How far an edge's time may be wrong, by the board's own clock."""
STORED_AT = 252
"""Where the checksum of the second-stage boot loader is."""


@pytest.fixture(autouse=True)
def on_a_pico(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emulated, "CHIP", RP2040.name)


def random_edges(after_ns: int, draw: Random, count: int) -> list[PinEdge]:
    """Edges at any nanosecond, 20,000 a second on all lines; no line moves twice within 2 µs."""
    levels, moved = [0] * INPUTS, [0.0] * INPUTS
    edges: list[PinEdge] = []
    t_ns = float(after_ns)
    for _ in range(count):
        t_ns += draw.expovariate(20_000 / NS_PER_S)
        line = draw.choice([line for line in range(INPUTS) if t_ns - moved[line] > 2_000])
        levels[line] ^= 1
        moved[line] = t_ns
        edges.append(PinEdge(line, levels[line], t_ns))
    return edges


def play_random_edges(count: int = 1_500) -> float:
    """Plays edges, which must be dated within a microsecond by the board's clock; says when that began, by its word."""
    with AvrBoard(watch=0xFF, chip=board("wheel")) as pico:
        edges = random_edges(pico.chip.now_ns + 5 * MS, Random(1), count)
        stream = pico.play(edges)
        began_ns = pico.zero_ns - CYCLE_NS * pico.chip.begun_cycle
    assert (stream.missing, stream.lost) == (0, 0)
    by_line = [
        ([each for each in edges if each.line == line], [each for each in stream.told if each.line == line])
        for line in range(INPUTS)
    ]
    errors = [
        told.t_ns - began_ns - edge.t_ns
        for came, heard in by_line
        for edge, told in zip(came, heard, strict=True)
        if edge.level == told.level
    ]
    assert len(errors) == len(edges)
    assert max(map(abs, errors)) <= WITHIN_NS
    return began_ns


def test_each_edge_is_dated_within_a_microsecond_whatever_else_happens() -> None:
    assert abs(play_random_edges()) <= WITHIN_NS, "what it says of its own time"


def test_20000_edges_a_second_come_without_loss() -> None:
    with AvrBoard(watch=0xFF, chip=board("wheel")) as pico:
        edges = at_rate(pico, 20_000, 5_000, INPUTS)
        stream = pico.play(edges)
        assert (pico.chip.overruns, pico.chip.resets) == (0, 0)
    assert (stream.missing, stream.lost) == (0, 0)
    assert [(edge.line, edge.level) for edge in stream.told] == [(edge.line, edge.level) for edge in edges]


@pytest.mark.parametrize(
    ("lines", "count"),
    [(INPUTS, 2_000), *(pytest.param(lines, 1_200_000, marks=pytest.mark.soak) for lines in (1, 2, INPUTS))],
)
def test_20000_edges_a_second_reach_the_host(tmp_path: Path, lines: int, count: int) -> None:
    wires = Wires(lines)
    edges = list(islice(wires.steady(BEGINS_NS, 20_000, 60), count))
    with board("wheel") as pico:
        told = hear(pico, tmp_path / "port", wires.lines, batches(edges), edges[-1].t_ns)
        assert (pico.overruns, pico.resets) == (0, 0)
    assert (told.lost, told.missing) == ([], 0)
    assert [(edge.line, edge.level) for edge in told.edges] == [(edge.line, edge.level) for edge in edges]


def test_more_than_its_line_carries_is_told_as_lost() -> None:
    with AvrBoard(watch=0xFF, chip=board("wheel")) as pico:
        edges = at_rate(pico, 60_000, 4_000, INPUTS)
        stream = pico.play(edges)
        assert pico.chip.resets == 0
    assert stream.lost == stream.missing == len(edges) - len(stream.told) > 0


def test_a_pulse_that_is_over_before_it_was_looked_at_is_lost_and_counted_beside_an_edge_of_another_line() -> None:
    with AvrBoard(watch=0xFF, chip=board("wheel")) as pico:
        at_ns = pico.chip.now_ns + 5 * MS
        for number in range(20):
            pulse_ns = at_ns + number * MS
            pico.chip.drive_many([("D2", 1, pulse_ns), ("D2", 0, pulse_ns + 80)])
            pico.chip.drive("D3", (number + 1) % 2, pulse_ns + 96)
        stream = pico.play([PinEdge(7, 1, at_ns + 30 * MS)])
    assert [edge.line for edge in stream.told] == [1] * 20 + [7]
    assert (stream.missing, stream.lost) == (40, 40)


def test_an_input_that_swings_without_end_is_masked_and_the_others_go_on() -> None:
    with AvrBoard(watch=0xFF, chip=board("wheel")) as pico:
        at_ns = pico.chip.now_ns + MS
        pico.chip.drive_many([("D2", (number + 1) % 2, at_ns + number * 500) for number in range(40_000)])
        pico.live(16 * MS)
        assert pico.state().masked == 1
        assert pico.state().flags & Flag.STORM
        pico.live(25 * MS)
        stream = pico.play([PinEdge(3, 1, pico.chip.now_ns + MS), PinEdge(3, 0, pico.chip.now_ns + 2 * MS)])
        assert [(edge.line, edge.level) for edge in stream.told if edge.line == 3] == [(3, 1), (3, 0)]
        pico.live(130 * MS)
        assert pico.state().masked == 0
        assert pico.chip.resets == 0


def test_reels_make_every_step_whatever_bursts_come_at_an_input() -> None:
    with KindBench("reel") as bench:
        bench.run(30)
        reels = [Reel(number) for number in (1, 2, 3)]
        bench.worlds += reels
        for number in (1, 2, 3):
            bench.ask(SpinCommand(number, STEPS_PER_S, 0))
        bench.run(250)  # the ramp
        for number in range(24):
            due_ns = min(reel.steps[-1] for reel in reels) + STEP_NS
            bench.board.drive_many(("D5", 1 - at % 2, due_ns + 250 * number - 4_000 + 640 * at) for at in range(120))
            bench.run(5)
    for reel in reels:
        even = [step for step in reel.steps if step > reel.steps[-1] - 100 * MS]
        assert bench.now_ns - reel.steps[-1] < 2 * STEP_NS
        assert max(later - earlier for earlier, later in pairwise(even)) < 1.1 * STEP_NS


def test_outputs_are_off_before_the_host_was_silent_for_half_a_second() -> None:
    with AvrBoard(watch=0xFF, chip=board("wheel")) as pico:
        assert pico.tell(SetCommand(4, 100, 0)) == OkAnswer()
        assert pico.chip.output("B3") == pytest.approx(100 / 255, abs=1e-4)
        assert pico.tell(SetCommand(1, 255, 0)) == OkAnswer()
        pico.chip.take_changes()
        assert pico.tell(AliveCommand()) == OkAnswer()
        heard_ns = pico.chip.now_ns
        pico.run(600 * MS)
        off = {change.pin: change.t_ns for change in pico.chip.take_changes() if change.level == 0}
        assert set(off) == {"B0", "B3"}
        assert all(497 * MS <= t_ns - heard_ns < 500 * MS for t_ns in off.values()), (off, heard_ns)
        assert pico.state().flags & Flag.DEADMAN


@pytest.mark.parametrize("interrupts", [True, False], ids=["interrupts on", "interrupts off"])
def test_a_program_that_hangs_restarts_and_says_where_it_hung_where_it_can(interrupts: bool) -> None:
    with AvrBoard(chip=board("wheel")) as pico:
        pico.run(40 * MS)
        pico.chip.hang(interrupts)
        hung_ns = pico.chip.now_ns
        pico.run(300 * MS)
        assert [boot.cause for boot in pico.reports(BootReport)] == [Reset.POWER_ON, Reset.WATCHDOG]
        assert (pico.chip.resets, pico.chip.last_cause) == (1, Reset.WATCHDOG)
        assert pico.said[-1][0] - hung_ns < (160 if interrupts else 280) * MS
        identity = pico.tell(IdentifyCommand())
        assert isinstance(identity, IdentityAnswer)
        assert (identity.hung_at > 0x300 // 2) == interrupts


@pytest.mark.parametrize(
    ("cause", "does"),
    [(Reset.POWER_ON, "power"), (Reset.POWER_ON | Reset.EXTERNAL, "reset"), (Reset.POWER_ON, "flashed")],
)
def test_a_board_knows_why_it_began(cause: Reset, does: str) -> None:
    with AvrBoard(chip=board("wheel")) as pico:
        pico.run(40 * MS)
        if does == "power":
            pico.chip.power_cut()
            pico.chip.power_on()
        elif does == "flashed":
            pico.chip.flashed()
        else:
            pico.chip.reset()
        pico.run(60 * MS)
        assert pico.reports(BootReport)[-1].cause == cause


def test_analogue_channels_are_measured_in_1023rds_of_its_supply() -> None:
    with AvrBoard(watch=0xFF, chip=board("wheel")) as pico:
        for channel, share in (("C2", 0.25), ("C3", 0.5), ("C4", 1.0)):
            pico.chip.supply(channel, share)
        assert pico.tell(SampleCommand(0b0111, 10)) == OkAnswer()
        pico.live(25 * MS)
        assert struct.unpack("<3H", pico.reports(SampleReport)[-1].values) == (256, 512, 1023)


@pytest.mark.parametrize("seed", [1])
def test_power_cuts_at_any_cycle_lose_no_token_that_was_one(seed: int) -> None:
    test_fram.cuts(seed, 2)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 12))
def test_five_hundred_power_cuts_at_any_cycle_lose_no_token_that_was_one(seed: int) -> None:
    test_fram.cuts(seed, 50)


def test_a_fram_that_is_silent_while_the_board_begins_is_not_that_of_a_new_board() -> None:
    with KindBench("pusher", fram=test_fram.EMPTY) as bench:
        bench.run(test_fram.READY_MS)
        test_fram.tokens(bench, 3)
        kept = bench.board.fram
    with KindBench("pusher", fram=kept, session=None) as bench:
        bench.board.fram_faults(missing=True)
        bench.board.run_until(3 * MS)
        bench.board.fram_faults(missing=False)
        bench.run(test_fram.READY_MS)
        bench.open(2)
        assert bench.refused(AcceptCommand(1)) == RefusalCode.STORE_FAILED
        assert bench.refused(PayCommand(1, 1)) == RefusalCode.STORE_FAILED
        assert bench.board.fram == kept
    with KindBench("pusher", fram=kept) as bench:
        assert test_fram.counted(bench) == 3
        assert Flag.STORE_FAILED not in test_fram.flags(bench)


def test_a_money_board_whose_supervisor_lets_it_begin_while_its_port_is_opened_comes_up(tmp_path: Path) -> None:
    clock = VirtualClock()
    watching = RecordingWatcher()

    async def main() -> BoardStatus:
        with board("pusher") as pico, LockStep(pico, tmp_path / "port"):
            pico.power_cut()
            link = BoardLink("pusher", str(tmp_path / "port"), ExpectedBoard(KINDS["pusher"]), clock, chip=RP2040)
            link.open(watching)
            await sleep_ns(NS_PER_S)
            pico.power_on()
            pico.reset()
            await sleep_ns(600 * MS)
            status = link.status
            link.close(watching)
            await link.wait_closed()
            return status

    status = run_virtual(main(), clock)
    assert (status.up, status.reason) == (True, "")
    assert status.identity is not None
    assert words(status.identity).endswith("begun once: its power came on, or its reset line was low")


# lsls by 24 of 0xD0: the registers of the pins; GP26 is put low (0x18) and, 8 ns later, high (0x14).
SHORT_PULSE = struct.pack("<7H", 0x20D0, 0x0600, 0x2280, 0x04D2, 0x6182, 0x6142, 0x4770)


def test_the_lamps_take_no_latch_that_is_too_short_for_them(tmp_path: Path) -> None:
    elf = emulated.pico_elf("reel")
    program = Program(elf)
    latch = next(symbol for symbol in program.symbols if symbol.name == "lamp_pins_latch")
    section = next(each for each in program.sections if each.name == ".program")
    at = section.offset + (latch.address & ~1) - section.address
    content = elf.read_bytes()
    short = tmp_path / "reel.elf"
    short.write_bytes(content[:at] + SHORT_PULSE + content[at + len(SHORT_PULSE) :])
    outputs = []
    for each in (elf, short):
        with InspectedBoard(each) as pico:
            pico.chain_of(KINDS["reel"])
            pico.run_until(15 * MS)
            outputs.append(pico.chain_out)
    assert outputs[0] != 0
    assert outputs[1] == 0


def test_an_image_whose_second_stage_has_a_wrong_checksum_does_not_begin(tmp_path: Path) -> None:
    content = bytearray(emulated.pico_elf("wheel").read_bytes())
    at = content.index((0x10000100).to_bytes(4, "little"))  # a constant of the second stage
    content[at] ^= 1
    damaged = tmp_path / "wheel.elf"
    damaged.write_bytes(content)
    with EmulatedBoard(damaged) as pico, pytest.raises(EmulationError, match="the boot ROM would not run it"):
        pico.run_until(MS)


@pytest.mark.parametrize("kept", [30, 45, 300, 20_000])
def test_a_program_that_is_cut_off_is_refused(kept: int, tmp_path: Path) -> None:
    damaged = tmp_path / "wheel.elf"
    damaged.write_bytes(emulated.pico_elf("wheel").read_bytes()[:kept])
    with pytest.raises(EmulationError, match=r"wheel\.elf is cut off; build it again"):
        EmulatedBoard(damaged)


def test_a_fram_of_a_size_that_none_has_is_refused() -> None:
    with pytest.raises(EmulationError, match="a power of two of bytes, at most 32768, got 3000"):
        board("wheel", fram=bytes(3_000))


def test_what_a_build_lacks_is_named() -> None:
    command = ["make", "-s", "-C", str(emulated.FIRMWARE), "pico-compiler", "ARM=none-such-"]
    made = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert made.returncode == 2
    assert "needs none-such-gcc: sudo apt install" in made.stderr


def test_the_page_says_where_each_pin_is() -> None:
    page = (emulated.FIRMWARE.parent / "docs" / "boards-pico.md").read_text()
    rows = dict(re.findall(r"^\| ([A-D]\d) \| GP(\d+)", page, re.MULTILINE))
    assert {name: int(gpio) for name, gpio in rows.items()} == {"A6": FIRST_ADC_GPIO + PICO_ADC["A6"], **PICO_GPIO}
