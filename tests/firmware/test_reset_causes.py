"""Why a board began, as it reports it behind each of the bootloaders that boards are sold with."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from hal.board import frames
from hal.board.message import MessageError
from hal.board.messages import ANSWERS, REPORTS, BootReport, IdentifyCommand, IdentityAnswer, Reset
from simulators.board.emulated import Bootloader
from tests.firmware.emulated import MS, S, built
from tests.firmware.inspected_board import InspectedBoard
from tests.firmware.toolchains import nano_of_before_2018, optiboot

BOOTLOADER_S = 3
"""Longer than any bootloader waits."""


def heard(board: InspectedBoard) -> list[object]:
    """The messages that the board sent; what a bootloader sends is none."""
    found: list[object] = []
    for piece in bytes(byte for _, byte in board.take_sent()).split(frames.END):
        try:
            frame = frames.decode(piece)
            found.append((ANSWERS | REPORTS)[frame.id].unpack(frame.fields))
        except (frames.FrameError, MessageError, KeyError):
            continue
    return found


def causes(board: InspectedBoard, wait_ns: int = BOOTLOADER_S * S) -> list[int]:
    """The causes of the starts within a time."""
    board.run_until(board.now_ns + wait_ns)
    return [report.cause for report in heard(board) if isinstance(report, BootReport)]


def identity(board: InspectedBoard) -> IdentityAnswer:
    board.receive(frames.END + frames.encode(0, IdentifyCommand()))
    board.run_until(board.now_ns + 20 * MS)
    [answer] = heard(board)
    assert isinstance(answer, IdentityAnswer)
    return answer


def handover(folder: Path, major: int, minor: int, leaves_mcusr: bool) -> Bootloader:
    """A bootloader of this many lines: it does with MCUSR and r2 what Optiboot of that version does, and says so."""
    clear = "" if leaves_mcusr else "out 0x34, r1"
    pass_on = "mov r2, r24" if (major, minor) >= (4, 6) else ""
    source = folder / "handover.S"
    source.write_text(f"""
        eor r1, r1
        in r24, 0x34
        {clear}
        {pass_on}
        jmp 0
        .org 0x1fe
        .byte {minor}, {major}
    """)
    program = folder / "handover.elf"
    subprocess.run(
        ["avr-gcc", "-mmcu=atmega328p", "-nostdlib", "-Wl,-Ttext=0x7e00", str(source), "-o", str(program)], check=True
    )
    image = folder / "handover.bin"
    subprocess.run(["avr-objcopy", "-O", "binary", str(program), str(image)], check=True)
    assert len(image.read_bytes()) == 512
    return Bootloader(image.read_bytes(), 0x7E00)


@pytest.mark.parametrize("r2", [0, 1, 2, 4, 8, 15, 255])
def test_behind_optiboot_4_4_a_power_on_is_no_watchdog_whatever_r2_holds(r2: int) -> None:
    with InspectedBoard(built("wheel.elf"), bootloader=optiboot()) as board:
        board.set_register(2, r2)
        assert causes(board) == [0]
        answer = identity(board)
        assert (answer.cause, answer.hung_at) == (0, 0)


def test_behind_optiboot_4_4_the_reset_line_is_no_watchdog_though_the_bootloader_ends_by_it() -> None:
    with InspectedBoard(built("wheel.elf"), bootloader=optiboot()) as board:
        assert causes(board) == [0]
        board.reset()
        assert causes(board) == [0]
        assert board.resets == 2, "the reset line, and the bootloader's own way out"


@pytest.mark.parametrize("loader", [None, optiboot], ids=["none", "optiboot"])
def test_a_hang_is_noted_with_its_place_and_told_once(loader: object) -> None:
    bootloader = loader() if callable(loader) else None
    with InspectedBoard(built("wheel.elf"), bootloader=bootloader) as board:
        causes(board)
        board.hang(interrupts=True)
        hung_ns = board.now_ns
        assert causes(board) == [Reset.WATCHDOG]
        answer = identity(board)
        assert answer.cause == Reset.WATCHDOG
        assert 2 * answer.hung_at == (0x7FFE if bootloader is None else bootloader.address - 2)
        assert board.now_ns > hung_ns
        board.reset()
        assert causes(board)[-1] in (0, Reset.EXTERNAL), "the note is of one start"
        assert identity(board).hung_at == 0


def test_a_hang_with_interrupts_off_ends_within_its_bound_and_its_cause_is_that_of_the_chip() -> None:
    with InspectedBoard(built("wheel.elf")) as board:
        causes(board)
        board.hang()
        assert causes(board, 240 * MS) == []
        assert causes(board, 40 * MS) == [Reset.WATCHDOG]
        assert identity(board).hung_at == 0
    with InspectedBoard(built("wheel.elf"), bootloader=optiboot()) as board:
        causes(board)
        board.hang()
        assert causes(board) == [0], "the bootloader clears it, and no interrupt could note it"


@pytest.mark.parametrize(
    ("version", "leaves_mcusr", "power_on", "external"),
    [
        ((4, 4), False, 0, 0),
        ((4, 5), False, 0, 0),
        ((4, 6), False, Reset.POWER_ON, Reset.EXTERNAL),
        ((6, 2), False, Reset.POWER_ON, Reset.EXTERNAL),
        ((8, 3), True, Reset.POWER_ON, Reset.EXTERNAL),
        ((255, 255), False, 0, 0),
    ],
)
def test_r2_is_trusted_where_the_version_says_so(
    tmp_path: Path, version: tuple[int, int], leaves_mcusr: bool, power_on: int, external: int
) -> None:
    with InspectedBoard(built("wheel.elf"), bootloader=handover(tmp_path, *version, leaves_mcusr)) as board:
        board.set_register(2, 8)
        assert causes(board, 50 * MS) == [power_on]
        board.reset()
        board.set_register(2, 8)
        assert causes(board, 50 * MS) == [external]


def test_a_watchdog_that_a_bootloader_hands_over_may_be_its_own() -> None:
    with InspectedBoard(built("wheel.elf")) as board:
        causes(board, 50 * MS)
        board.hang()
        assert causes(board, 300 * MS) == [Reset.WATCHDOG], "without a bootloader there is no doubt"


def test_a_nano_of_before_2018_never_comes_back_from_the_watchdog() -> None:
    """What docs/boards.md and `boards flash` warn of is so."""
    with InspectedBoard(built("wheel.elf"), bootloader=nano_of_before_2018()) as board:
        assert len(causes(board, 5 * S)) == 1
        board.hang(interrupts=True)
        assert causes(board, 10 * S) == []
        assert board.resets > 100
