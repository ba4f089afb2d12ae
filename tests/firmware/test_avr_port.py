"""The port for the ATmega328P, on the real binary: how fast, how exact, how small, and what becomes of a hung board."""

from __future__ import annotations

import re
import subprocess
import sys
from random import Random

import pytest

from hal.board import frames
from hal.board.messages import (
    BootReport,
    ClockAnswer,
    ClockCommand,
    IdentifyCommand,
    IdentityAnswer,
    OkAnswer,
    OpenCommand,
    RefusalCode,
    RefusedAnswer,
    Reset,
    SampleCommand,
    SampleReport,
    SetCommand,
)
from tests.firmware.avr_board import BAUD, RAM, AvrBoard, PinEdge, Stream, at_rate, variables
from tests.firmware.conftest import FIRMWARE
from tests.firmware.emulated import BOOTLOADER, MS, built

KINDS = ("wheel", "table", "reel", "pusher")
EXACT_NS = 13_000
"""An edge is dated late by the interrupts that run when it comes, 5 µs each: at most a byte's and the other port's."""
MOSTLY_NS = 4_000
"""99 of 100 are dated so."""
SHORTEST_NS = 10_000
"""Pulses of one line that are longer than this are never lost while there is room: an interrupt takes 5 µs."""


def mostly(told: list[PinEdge], happened: list[PinEdge]) -> float:
    """The error that 99 of 100 edges do not exceed."""
    errors = sorted(abs(a.t_ns - b.t_ns) for a, b in zip(told, happened, strict=True))
    return errors[len(errors) * 99 // 100]


def same(told: list[PinEdge], happened: list[PinEdge]) -> bool:
    """Whether this was told, with times that are right to a few microseconds."""
    return [(edge.line, edge.level) for edge in told] == [(edge.line, edge.level) for edge in happened] and all(
        abs(a.t_ns - b.t_ns) < EXACT_NS for a, b in zip(told, happened, strict=True)
    )


# --- edges ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("hz", [1_000, 20_000, 50_000, 100_000, 150_000])
def test_bursts_of_60_edges_are_told_whole(hz: int) -> None:
    with AvrBoard(watch=0xFF) as board:
        for _ in range(3):
            happened = at_rate(board, hz, 60)
            stream = board.play(happened)
            assert same(stream.told, happened)
            assert (stream.missing, stream.lost) == (0, 0)


def test_8000_edges_a_second_are_told_whole_while_the_host_talks() -> None:
    with AvrBoard(watch=0xFF) as board:
        happened = at_rate(board, 8_000, 8_000, lines=3)
        stream = board.play(happened)
        assert same(stream.told, happened)
        assert mostly(stream.told, happened) < MOSTLY_NS
        assert (stream.missing, stream.lost) == (0, 0)


@pytest.mark.parametrize(("hz", "count"), [(40_000, 400), (9_800, 8_000), (200_000, 300), (1_000_000, 500)])
def test_what_is_too_fast_is_lost_with_its_number(hz: int, count: int) -> None:
    with AvrBoard(watch=0xFF) as board:
        happened = at_rate(board, hz, count)
        stream = board.play(happened)
        assert len(stream.told) < count
        assert stream.lost == stream.missing > 0
        if hz <= 100_000:
            # An edge that comes just while the main loop looks at the lines itself is told as two: never as none.
            assert 0 <= len(stream.told) + stream.missing - count <= 1 + count // 1_000
        # The level at the end is known all the same.
        assert board.state().levels == count % 2
        after = at_rate(board, 1_000, 20)
        levels = [PinEdge(edge.line, edge.level ^ count % 2, edge.t_ns) for edge in after]
        assert same(board.play(levels).told, levels)


def irregular(board: AvrBoard, seed: int, count: int, mean_ns: float) -> list[PinEdge]:
    """Edges of eight lines at any times, and no two of one line closer than is allowed."""
    rng = Random(seed)
    levels = [0] * 8
    free_ns = [0.0] * 8
    t_ns = board.chip.now_ns + 5.0 * MS
    edges: list[PinEdge] = []
    while len(edges) < count:
        t_ns += rng.expovariate(1 / mean_ns)
        line = rng.randrange(8)
        if t_ns < free_ns[line]:
            continue
        free_ns[line] = t_ns + SHORTEST_NS
        levels[line] ^= 1
        edges.append(PinEdge(line, levels[line], t_ns))
    return edges


def complete(stream: Stream, happened: list[PinEdge]) -> bool:
    """Whether all was told; edges of several lines within one interrupt are told in the order of lines."""
    by_line = [[edge for edge in edges if edge.line == line] for edges in (stream.told, happened) for line in range(8)]
    return all(same(by_line[line], by_line[line + 8]) for line in range(8))


@pytest.mark.parametrize("seed", range(3))
def test_edges_that_come_together_are_neither_lost_nor_called_lost(seed: int) -> None:
    with AvrBoard(watch=0xFF) as board:
        happened = irregular(board, seed, 1_500, 300_000)
        rng = Random(seed)
        # A third of them come within 3 µs of the one before, on another line.
        for at in range(1, len(happened), 3):
            edge, before = happened[at], happened[at - 1]
            if edge.line != before.line and all(other.line != edge.line for other in happened[max(0, at - 4) : at]):
                happened[at] = edge._replace(t_ns=before.t_ns + rng.uniform(0, 3_000))
        happened.sort(key=lambda edge: edge.t_ns)
        stream = board.play(happened)
        assert complete(stream, happened)
        assert (stream.missing, stream.lost) == (0, 0)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(60))
def test_edges_that_come_together_are_neither_lost_nor_called_lost_at_length(seed: int) -> None:
    with AvrBoard(watch=0xFF) as board:
        happened = irregular(board, seed, 20_000, 250_000)
        stream = board.play(happened)
        assert complete(stream, happened)
        assert (stream.missing, stream.lost) == (0, 0)


@pytest.mark.parametrize("line", range(8))
def test_pulses_that_are_too_short_are_called_lost(line: int) -> None:
    with AvrBoard(watch=0xFF) as board:
        start = board.chip.now_ns + 5 * MS
        happened = [
            PinEdge(line, level, start + at * MS + level * 0.0 + (1 - level) * 250.0)
            for at in range(20)
            for level in (1, 0)
        ]
        stream = board.play(happened)
        assert len(stream.told) + stream.missing >= len(happened)
        assert stream.lost == stream.missing > 0


@pytest.mark.parametrize("hz", [100, 8_000, 60_000, 150_000])
def test_the_clock_is_told_rightly_whatever_the_inputs_do(hz: int) -> None:
    with AvrBoard(watch=0xFF) as board:
        edges = at_rate(board, hz, hz // 10, lines=2)
        board.chip.drive_many([(board.pin(edge.line), edge.level, round(edge.t_ns)) for edge in edges])
        board.run(6 * MS)
        for _ in range(8):
            asked_ns = board.chip.now_ns
            clock = board.tell(ClockCommand())
            if clock == RefusedAnswer(ClockCommand.id, RefusalCode.BUSY):
                assert board.chip.now_ns - asked_ns > 32 * MS  # kept for longer than the answer can say
                continue
            assert isinstance(clock, ClockAnswer)
            ended_ns = asked_ns + frames.wire_ns(len(frames.encode(1, ClockCommand())))
            begins_ns = next(began for began, _, message in reversed(board.said) if message is clock)
            zero_ns = board.zero_ns + 500 * clock.received
            # Both ends are dated late by an interrupt of an edge, at most.
            assert abs(ended_ns - zero_ns) < 12_000
            assert abs(begins_ns - zero_ns - 500 * clock.kept) < 12_000


# --- what it is made of -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_the_baud_is_exact_and_each_kind_says_what_it_is(kind: str) -> None:
    with AvrBoard(kind) as board:
        assert board.chip.baud == BAUD
        identity = board.tell(IdentifyCommand())
        assert isinstance(identity, IdentityAnswer)
        assert identity.kind == board.kind.id


@pytest.mark.parametrize("kind", KINDS)
def test_registers_whose_flags_are_cleared_by_writing_1_are_never_written(kind: str) -> None:
    code = subprocess.run(
        ["avr-objdump", "-d", str(built(f"{kind}.elf"))], capture_output=True, text=True, check=True
    ).stdout
    # TIFR0, TIFR1, TIFR2 and EIFR; PCIFR is cleared whole while the inputs are probed, never bit by bit.
    assert not re.findall(r"\t(?:out|sbi|cbi)\t0x(?:15|16|17|1c)\b.*", code)
    assert not re.findall(r"\t(?:sbi|cbi)\t0x1b\b.*", code)


def test_the_stack_is_never_deeper_than_was_reckoned() -> None:
    with AvrBoard(watch=0xFF) as board:
        board.tell(SampleCommand(0xF, 2))
        board.play(at_rate(board, 9_000, 4_000, lines=8))
        used = RAM - variables("wheel") - board.chip.stack_left
    script = FIRMWARE / "sizes.py"
    line = subprocess.run(
        [sys.executable, str(script), str(built("wheel.elf"))], capture_output=True, text=True, check=True
    ).stdout
    reckoned = re.search(r"stack at most +(\d+)", line)
    assert reckoned is not None
    assert used <= int(reckoned[1])


# --- its devices ------------------------------------------------------------------------------------------------------


def test_analogue_channels_are_told_as_shares_of_the_supply() -> None:
    with AvrBoard() as board:
        for channel, share in zip(("C2", "C3", "C4", "C5"), (0.0, 0.25, 0.5, 1.0), strict=True):
            board.chip.supply(channel, share)
        board.tell(OpenCommand(1))
        assert board.tell(SampleCommand(0b1111, 5)) == OkAnswer()
        board.run(30 * MS)
        values = board.reports(SampleReport)[-1].values
        found = [int.from_bytes(values[at : at + 2], "little") for at in range(0, 8, 2)]
        assert all(abs(value - expected) <= 3 for value, expected in zip(found, (0, 256, 512, 1023), strict=True))


def test_the_dimmed_output_has_its_share_of_time_and_ends_at_0() -> None:
    with AvrBoard() as board:
        board.tell(OpenCommand(1))
        assert board.tell(SetCommand(4, 64, 100)) == OkAnswer()
        share = board.chip.output("B3")
        assert share is not None
        assert abs(share - 64 / 255) < 0.01
        board.run(120 * MS)
        assert board.chip.output("B3") == 0
        assert board.tell(SetCommand(4, 255, 100)) == OkAnswer()
        assert board.chip.output("B3") == 1


def test_an_output_is_on_for_as_long_as_told_by_the_chips_own_clock() -> None:
    with AvrBoard() as board:
        board.tell(OpenCommand(1))
        board.chip.take_changes()
        board.tell(SetCommand(1, 255, 25))
        board.run(50 * MS)
        on, off = [change.t_ns for change in board.chip.take_changes() if change.pin == "B0"]
        assert abs(off - on - 25 * MS) < MS // 5


# --- resets -----------------------------------------------------------------------------------------------------------


def test_power_reset_line_and_watchdog_are_told_apart_and_starts_are_counted() -> None:
    with AvrBoard(watch=0xFF) as board:
        board.tell(SetCommand(1, 255, 0))
        board.run(200 * MS)
        board.chip.hang()
        hung = board.chip.now_ns
        board.run(240 * MS)
        board.chip.take_changes()
        board.run(100 * MS)
        assert board.chip.output("B0") == 0
        board.chip.reset()
        board.run(2000 * MS if BOOTLOADER else 200 * MS)
        boots = [(began, message) for began, _, message in board.said if isinstance(message, BootReport)]
        causes = [0, 0, 0] if BOOTLOADER else [Reset.POWER_ON, Reset.WATCHDOG, Reset.EXTERNAL]
        assert [message.cause for _, message in boots] == causes, "Optiboot 4.4 keeps none"
        assert [message.boots for _, message in boots] == [1, 2, 3]
        assert boots[1][0] - hung < 300 * MS


def test_outputs_are_safe_from_the_first_instruction_on() -> None:
    with AvrBoard() as board:
        changes = [change for change in board.chip.take_changes() if change.pin in ("B0", "B1", "B2", "B3")]
        assert {change.level for change in changes} <= {0, None}
