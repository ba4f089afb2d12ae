"""Images of Picos: UF2 files, and the folder of a boot loader that takes them.

    folder of the boot loader (`HOW_TO_BOOT`): INFO_UF2.TXT names the chip
    wheel.uf2: blocks of 512 bytes, each with its family, its address and 256 bytes of the image

Format: https://github.com/microsoft/uf2. The boot ROM takes what is of its family, and restarts when it has all blocks.
It runs the image if that of an RP2040 has the checksum of its second stage, and that of an RP2350 the block IMAGE_DEF.
"""

from __future__ import annotations

import os
import struct
from pathlib import Path
from typing import Final

from controller.boards.firmware_error import FirmwareError
from hal.board.chips import CHIPS, RP2040, RP2040_USB, RP2350

SUFFIX: Final = ".uf2"
HOW_TO_BOOT: Final = (
    "hold BOOTSEL while you plug USB in, and on a carrier board, with USB plugged in, while you switch its 12 V on"
)
"""The boot ROM looks at BOOTSEL when its reset ends: by its power, and on a carrier board by the supervisor at RUN."""
FLASH: Final = 0x10000000
DATA_BYTES: Final = 256
ROOM: Final = 128 * 1024
"""What the linker lets an image of a Pico have (firmware/ports/rp2040/pico.ld)."""
FAMILIES: Final = {
    0xE48BFF56: "RP2040",
    0xE48BFF57: "absolute",
    0xE48BFF59: "RP2350 (ARM)",
    0xE48BFF5A: "RP2350 (RISC-V)",
}
FAMILY: Final = {RP2040.name: 0xE48BFF56, RP2040_USB.name: 0xE48BFF56, RP2350.name: 0xE48BFF59}
TARGETS: Final = {
    RP2040.name: "-C firmware pico",
    RP2040_USB.name: "-C firmware pico-usb",
    RP2350.name: "-C firmware pico2",
}
"""What `make` is given to build the images of each chip."""

INFO: Final = "INFO_UF2.TXT"
BOARD_IDS: Final = {RP2040.name: "RPI-RP2", RP2040_USB.name: "RPI-RP2", RP2350.name: "RP2350"}
"""What the boot ROM of each chip calls its board."""

_BLOCK: Final = struct.Struct("<8I476sI")
_FIRST, _SECOND, _LAST = 0x0A324655, 0x9E5D5157, 0x0AB16F30
_HAS_FAMILY: Final = 0x2000
_CHECKED: Final = 252
_POLYNOMIAL: Final = 0x04C11DB7
_IMAGE_DEF: Final = struct.pack("<2I", 0xFFFFDED3, 0x10210142)
"""How the block begins that tells the boot ROM: an executable, secure, for an Arm core of an RP2350 (RP2350 Datasheet,
5.9)."""
_IMAGE_DEF_WITHIN: Final = 4096
_MOST_INFO: Final = 4096
_NAME: Final = "FELTWIRE.UF2"


def read_uf2(content: bytes, name: str, chip: str = RP2040.name) -> bytes:
    """The image in a file; `name` is the file name for errors, `chip` what it must be for.

    Raises:
        FirmwareError: it is not UF2, is cut off, is for another chip, or is none that its boot ROM runs.
    """
    if not content or len(content) % _BLOCK.size:
        raise FirmwareError(f"{name}: {len(content)} bytes are not blocks of {_BLOCK.size}; copy or build it again")
    total = len(content) // _BLOCK.size
    image = bytearray()
    for number in range(total):
        block = content[number * _BLOCK.size :][: _BLOCK.size]
        image += _data(block, number, total, chip, f"{name}, block {number}")
    if len(image) > ROOM:
        raise FirmwareError(f"{name}: {len(image)} bytes, and an image for a Pico has at most {ROOM}")
    if chip == RP2350.name:
        if _IMAGE_DEF not in image[:_IMAGE_DEF_WITHIN]:
            raise FirmwareError(
                f"{name}: its first {_IMAGE_DEF_WITHIN} bytes have no block IMAGE_DEF for the Arm cores of an RP2350: "
                "the chip's boot ROM would not run it; build it again"
            )
        return bytes(image)
    stated = int.from_bytes(image[_CHECKED:DATA_BYTES], "little")
    counted = _checksum(bytes(image[:_CHECKED]))
    if stated != counted:
        raise FirmwareError(
            f"{name}: the checksum of its second stage is {stated:08X}, and its bytes have {counted:08X}: the chip's "
            "boot ROM would not run it; build it again"
        )
    return bytes(image)


def _data(block: bytes, number: int, total: int, chip: str, place: str) -> bytes:
    """The bytes of the image in a block, which must be the next one."""
    first, second, flags, address, size, found, count, family, data, last = _BLOCK.unpack(block)
    if (first, second, last) != (_FIRST, _SECOND, _LAST):
        raise FirmwareError(f"{place}: it is not a block of UF2; copy or build it again")
    needs = FAMILY[chip]
    if not flags & _HAS_FAMILY or family != needs:
        named = FAMILIES.get(family, "another chip") if flags & _HAS_FAMILY else "no chip"
        raise FirmwareError(
            f"{place}: it is for family {family:08X} ({named}), and a {CHIPS[chip].about} takes {needs:08X} "
            f"({FAMILIES[needs]}); build it with: make {TARGETS[chip]}"
        )
    if (found, count, size, address) != (number, total, DATA_BYTES, FLASH + number * DATA_BYTES):
        raise FirmwareError(
            f"{place}: expected block {number} of {total} with {DATA_BYTES} bytes at {FLASH + number * DATA_BYTES:#x}, "
            f"found {found} of {count} with {size} at {address:#x}; copy or build it again"
        )
    return bytes(data[:DATA_BYTES])


def _checksum(data: bytes) -> int:
    """CRC-32/MPEG-2."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte << 24
        for _ in range(8):
            crc = (crc << 1 ^ (_POLYNOMIAL if crc >> 31 else 0)) & 0xFFFFFFFF
    return crc


def is_folder(port: str) -> bool:
    """Whether this names a folder, as the boot loader of a Pico is, and no port."""
    return Path(port).is_dir()


def check_folder(folder: Path, chip: str = RP2040.name) -> str:
    """The name of the board whose boot loader this folder is, which must be that of the chip.

    Raises:
        FirmwareError: it is that of no boot loader, or of another chip's.
    """
    info = folder / INFO
    try:
        with info.open("rb") as file:
            text = file.read(_MOST_INFO).decode("ascii", "replace")
    except OSError as error:
        raise FirmwareError(
            f"{folder}: it has no {INFO} ({error.strerror}), so it is not the boot loader of a Pico: {HOW_TO_BOOT}; "
            "give the folder of the drive that appears"
        ) from error
    found = {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in text.splitlines())}
    board = found.get("Board-ID", "")
    if board != BOARD_IDS[chip]:
        other = next((TARGETS[each] for each, known in BOARD_IDS.items() if known == board), "")
        raise FirmwareError(
            f"{info}: it is the boot loader of {board or 'an unknown board'}, and the image is for {BOARD_IDS[chip]} "
            f"(a {CHIPS[chip].about})" + (f"; for this one: make {other}" if other else "")
        )
    return found.get("Model", board)


def write(content: bytes, folder: Path) -> None:
    """Copies an image to a boot loader, which writes it and restarts; the folder is gone then.

    Raises:
        FirmwareError: it cannot be written; the board may hold half an image, and comes back to its boot loader with
            BOOTSEL.
    """
    try:
        with (folder / _NAME).open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise FirmwareError(
            f"{folder}: it cannot be written ({error.strerror}); the Pico may hold half an image: {HOW_TO_BOOT}, "
            "and flash it again"
        ) from error
