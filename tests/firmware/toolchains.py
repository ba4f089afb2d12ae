"""The compilers that boards are built with, and the bootloaders that they are sold with (firmware/debian.sh)."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path

from simulators.board.emulated import Bootloader

FIRMWARE = Path(__file__).resolve().parents[2] / "firmware"
COMPILERS = ("gcc-5", "gcc-14")
"""Those of Debian 12, and of Debian 13 and Raspberry Pi OS. The first makes the images that are shipped."""
ROOM = 32 * 1024


@cache
def debian(what: str) -> str:
    """The line that debian.sh prints for this: a folder, or the prefix of a compiler's tools."""
    made = subprocess.run(
        ["sh", str(FIRMWARE / "debian.sh"), what], capture_output=True, text=True, timeout=600, check=False
    )
    assert made.returncode == 0, f"firmware/debian.sh {what} failed; it needs a mirror of Debian:\n{made.stderr}"
    return made.stdout.strip()


def hex_bytes(path: Path) -> dict[int, int]:
    """The bytes of an Intel HEX file, by address."""
    found: dict[int, int] = {}
    base = 0
    for line in path.read_text().split():
        raw = bytes.fromhex(line[1:])
        kind, address, data = raw[3], int.from_bytes(raw[1:3], "big"), raw[4:-1]
        if kind == 2:
            base = int.from_bytes(data, "big") << 4
        elif kind == 0:
            found.update((base + address + at, byte) for at, byte in enumerate(data))
    return found


def bootloader(name: str, begins: int) -> Bootloader:
    """A bootloader of Arduino's, as its fuses place it: every reset begins at `begins`."""
    found = hex_bytes(Path(debian("bootloaders")) / name)
    assert min(found) >= begins
    return Bootloader(bytes(found.get(at, 0xFF) for at in range(begins, ROOM)), begins)


def optiboot() -> Bootloader:
    """Optiboot 4.4, of Unos and of Nanos since 2018: it clears MCUSR and leaves r2 as it is."""
    return bootloader("optiboot/optiboot_atmega328.hex", 0x7E00)


def nano_of_before_2018() -> Bootloader:
    """ATmegaBOOT: it leaves the watchdog running."""
    return bootloader("atmega/ATmegaBOOT_168_atmega328.hex", 0x7800)
