"""The image of a Pico: the checksum that its boot ROM asks for, and the file that its boot loader takes.

    python firmware/uf2.py finish CHIP X.elf          writes the checksum of the second-stage boot loader into it
    python firmware/uf2.py write CHIP X.elf X.uf2     writes the image as UF2

CHIP is rp2040, rp2040_usb or rp2350. The boot ROM of an RP2040 compares the CRC-32 of the first 252 bytes with the four
behind them (RP2040 Datasheet 2.8.1.3.1); that of an RP2350 asks for no checksum, so its image is finished as it is. UF2
is blocks of 512 bytes, each with 256 of the image and its address (https://github.com/microsoft/uf2). Needs only Python
3.11.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterator
from pathlib import Path

from elf import ARM, ElfError, Program

CHECKED = 252
FLASH = 0x10000000
FAMILIES = {"rp2040": 0xE48BFF56, "rp2040_usb": 0xE48BFF56, "rp2350": 0xE48BFF59}
"""The family of each chip, without which its boot loader takes no block; an RP2350's is that of its Arm cores."""

_BLOCK = struct.Struct("<8I476sI")
_FIRST, _SECOND, _LAST = 0x0A324655, 0x9E5D5157, 0x0AB16F30
_HAS_FAMILY = 0x2000
_DATA = 256
_POLYNOMIAL = 0x04C11DB7


def checksum(data: bytes) -> int:
    """CRC-32/MPEG-2, as the boot ROM makes it: nothing is reflected, and nothing inverted at the end."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte << 24
        for _ in range(8):
            crc = (crc << 1 ^ (_POLYNOMIAL if crc >> 31 else 0)) & 0xFFFFFFFF
    return crc


def write_checksum(path: Path) -> None:
    """Writes the checksum into the file of a program.

    Raises:
        ElfError: it is not a program of a Pico.
    """
    program = _program(path)
    at = program.file_offset(CHECKED)
    content = bytearray(program.content)
    content[at : at + 4] = checksum(program.flash()[:CHECKED]).to_bytes(4, "little")
    path.write_bytes(content)


def blocks(image: bytes, chip: str) -> Iterator[bytes]:
    """The blocks of UF2; the image is filled with 0xFF to whole blocks."""
    count = -(-len(image) // _DATA)
    for number in range(count):
        data = image[number * _DATA : (number + 1) * _DATA].ljust(_DATA, b"\xff")
        yield _BLOCK.pack(
            _FIRST, _SECOND, _HAS_FAMILY, FLASH + number * _DATA, _DATA, number, count, FAMILIES[chip], data, _LAST
        )


def _program(path: Path) -> Program:
    program = Program(path)
    if program.machine != ARM:
        raise ElfError("it is not a program of a Pico")
    return program


def main(arguments: list[str]) -> int:
    """Returns the exit code."""
    try:
        match arguments:
            case ["finish", "rp2350", path]:
                _program(Path(path))
            case ["finish", "rp2040" | "rp2040_usb", path]:
                write_checksum(Path(path))
            case ["write", ("rp2040" | "rp2040_usb" | "rp2350") as chip, path, to]:
                Path(to).write_bytes(b"".join(blocks(_program(Path(path)).flash(), chip)))
            case _:
                print(__doc__, file=sys.stderr)
                return 2
    except ElfError as error:
        print(f"{arguments[2]}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
