"""Emulated boards for tests: built once, and a small program that does one thing for each byte (elf/probe.c)."""

from __future__ import annotations

import fcntl
import os
import subprocess
from functools import cache
from pathlib import Path

from hal.board.chips import PICOS, RP2040
from hal.board.messages import KINDS
from hal.clock import NS_PER_S
from hal.values import Edge
from simulators.board.emulated import CLOCK_HZ
from tests.firmware.inspected_board import InspectedBoard
from tests.firmware.toolchains import debian, optiboot

FIRMWARE = Path(__file__).resolve().parents[2] / "firmware"
CYCLE_NS = 62.5
MS = 1_000_000
S = NS_PER_S

PIND, PORTD, PINB, DDRB, PORTB = 0x29, 0x2B, 0x23, 0x24, 0x25
TCCR2A, TCCR2B, OCR2A = 0xB0, 0xB1, 0xB3
UCSR0A, UBRR0L = 0xC0, 0xC4


OWN = ("libsimboard.so", "probe.elf")
"""What firmware/emulator.mk makes, without the firmware itself."""


COMPILER = os.environ.get("FELTWIRE_COMPILER", "")
"""Which compiler makes the boards (toolchains.COMPILERS); without it, that of this system."""
BOOTLOADER = os.environ.get("FELTWIRE_BOOTLOADER", "")
"""`optiboot`: the boards begin in a bootloader, as real ones do. test_real_conditions.py sets both."""


CHIP = os.environ.get("FELTWIRE_CHIP", "")
"""`rp2040`, `rp2040_usb`: the boards of `board` are Picos (tests/firmware/test_pico.py, test_pico_usb.py)."""


@cache
def built(target: str, compiler: str = COMPILER) -> Path:
    """A file of firmware/build, made again where its sources are newer. Several processes may ask at once."""
    FIRMWARE.joinpath("build").mkdir(exist_ok=True)
    with FIRMWARE.joinpath("build", ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for each in dict.fromkeys((OWN[0], target)):
            makefile = "emulator.mk" if each in OWN else "Makefile"
            folder = f"build/{compiler}" if compiler and each not in OWN else "build"
            command = ["make", "-s", "-C", str(FIRMWARE), "-f", makefile, f"{folder}/{each}"]
            if folder != "build":
                command += [f"BUILD={folder}", f"AVR={debian(compiler)}"]
            made = subprocess.run(command, capture_output=True, text=True, check=False)
            assert made.returncode == 0, f"{' '.join(command)} failed:\n{made.stdout}{made.stderr}"
    return FIRMWARE / folder / target


@cache
def pico_elf(kind: str, chip: str = RP2040.name) -> Path:
    """The firmware of a kind for a Pico, made again where its sources are newer, and what emulates it."""
    return made_for_pico(f"{chip}/{kind}.elf", "pico-emulator")


def made_for_pico(file: str, *targets: str) -> Path:
    """A file of firmware/build for a Pico or a Pico 2, made again where its sources are newer, and these targets."""
    FIRMWARE.joinpath("build").mkdir(exist_ok=True)
    with FIRMWARE.joinpath("build", ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        command = ["make", "-s", "-C", str(FIRMWARE), *targets, f"build/{file}"]
        made = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        assert made.returncode == 0, f"{' '.join(command)} failed:\n{made.stdout}{made.stderr}"
    return FIRMWARE / "build" / file


def elf_on(kind: str, chip: str) -> Path:
    """The firmware of a kind for a chip, by its name in a table's file."""
    return pico_elf(kind, chip) if chip in PICOS else built(f"{kind}.elf")


def board(
    kind: str,
    *,
    eeprom: bytes | None = None,
    fram: bytes | None = None,
    begins_ns: int = 0,
    clock_hz: int | None = None,
    start_up_ns: int = 0,
    chip: str = "",
) -> InspectedBoard:
    """An emulated board with the firmware of a kind, as it is in this tree, with its chain of lamps.

    `chip`: by its name in a table's file; without it what `CHIP` says.
    """
    made = InspectedBoard(
        elf_on(kind, chip or CHIP),
        eeprom=eeprom,
        fram=fram,
        begins_ns=begins_ns,
        clock_hz=clock_hz,
        start_up_ns=start_up_ns,
        bootloader=optiboot() if BOOTLOADER else None,
    )
    made.chain_of(KINDS[kind])
    return made


class Probe(InspectedBoard):
    """A board with the small program, which has just started."""

    def __init__(self, *, eeprom: bytes | None = None, clock_hz: int = CLOCK_HZ, start_up_ns: int = 0) -> None:
        super().__init__(built("probe.elf"), eeprom=eeprom, clock_hz=clock_hz, start_up_ns=start_up_ns)
        self.run_for(start_up_ns + MS)
        self.hello = bytes(byte for _, byte in self.take_sent())
        """What it says at its start."""

    def run_for(self, duration_ns: int) -> None:
        self.run_until(self.now_ns + duration_ns)

    def told(self) -> bytes:
        """What it sent since the last look."""
        return bytes(byte for _, byte in self.take_sent())

    def ask(self, command: bytes, duration_ns: int = 10 * MS) -> bytes:
        """Sends a command, and returns what it answers within a time."""
        self.receive(command)
        self.run_for(duration_ns)
        return self.told()

    def put(self, register: int, value: int) -> None:
        self.ask(bytes((ord("d"), register, value)), MS)

    def get(self, register: int) -> int:
        return self.ask(bytes((ord("g"), register)), MS)[0]

    def seen(self) -> list[tuple[int, int]]:
        """Changes of D2 to D7 since the last look: when the program noted each (16 bits of 0.5 µs), and PIND."""
        answer = self.ask(b"p", 40 * MS)
        assert len(answer) == 1 + 3 * answer[0]
        return [(int.from_bytes(answer[i : i + 2], "big"), answer[i + 2]) for i in range(1, len(answer), 3)]


def square(line: str, from_ns: int, period_ns: int, count: int) -> list[Edge]:
    """A line that changes `count` times, first to 1."""
    return [Edge(line, (i + 1) % 2, from_ns + i * period_ns) for i in range(count)]
