"""Reads an image out of its file, which is Intel HEX: records of bytes, each with its address and checksum."""

from __future__ import annotations

from typing import Final

from controller.boards.errors import FirmwareError

ROOM: Final = 30 * 1024
"""Bytes of the chip's flash below its bootloader: 32 KiB less the larger of the two that these boards come with."""
MOST_BYTES: Final = 4 * ROOM
"""A longer file is no image of such a chip (ours): its text is less than three times as long as what it says."""

_DATA, _END, _SEGMENT_BASE, _SEGMENT_START, _LINEAR_BASE, _LINEAR_START = range(6)


def read_image(content: bytes, name: str) -> bytes:
    """The bytes from address 0 on, with 0xFF where the file says nothing; `name` is the file's, for its errors.

    Raises:
        FirmwareError: it is no such file, it is cut or changed, or it does not fit into the chip.
    """
    if len(content) > MOST_BYTES:
        raise FirmwareError(
            f"{name}: it has {len(content)} bytes, and no image for this chip has more than {MOST_BYTES}"
        )
    image = bytearray(b"\xff" * ROOM)
    used = base = 0
    lines = content.split(b"\n")
    for number, line in enumerate(lines, 1):
        line = line.rstrip(b"\r ")
        if not line:
            continue
        kind, address, data = _record(line, f"{name}, line {number}")
        if kind == _END:
            if any(rest.strip() for rest in lines[number:]):
                raise FirmwareError(f"{name}, line {number}: it ends here, and more follows; build it again")
            if not used:
                raise FirmwareError(f"{name}: it holds no bytes at all; build it again")
            return bytes(image[:used])
        if kind in (_SEGMENT_BASE, _LINEAR_BASE) and len(data) == 2:
            base = int.from_bytes(data, "big") << (4 if kind == _SEGMENT_BASE else 16)
        elif kind == _DATA:
            begin = base + address
            if begin + len(data) > ROOM:
                raise FirmwareError(
                    f"{name}, line {number}: it goes up to byte {begin + len(data)}, and the chip has room for {ROOM} "
                    "below its bootloader; this is the firmware of another chip"
                )
            image[begin : begin + len(data)] = data
            used = max(used, begin + len(data))
        elif kind not in (_SEGMENT_START, _LINEAR_START):
            raise FirmwareError(f"{name}, line {number}: no record of Intel HEX is of type {kind}; build it again")
    raise FirmwareError(f"{name}: it has no end; it was cut while it was copied, so copy or build it again")


def _record(line: bytes, place: str) -> tuple[int, int, bytes]:
    """The type, the address and the bytes of one record."""
    try:
        if not line.startswith(b":"):
            raise ValueError
        raw = bytes.fromhex(line[1:].decode("ascii"))
    except ValueError as error:
        shown = line[:20].decode("ascii", "replace")
        raise FirmwareError(f"{place}: expected a record such as :10000000…, saw {shown!r}; build it again") from error
    if len(raw) < 5 or len(raw) != raw[0] + 5:
        raise FirmwareError(f"{place}: the record says {raw[0] if raw else 0} bytes and has {max(len(raw) - 5, 0)}")
    if sum(raw) & 0xFF:
        raise FirmwareError(f"{place}: its checksum is wrong; the file was changed, so copy or build it again")
    return raw[3], int.from_bytes(raw[1:3], "big"), raw[4:-1]
