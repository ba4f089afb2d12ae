"""Frames on the wire between a board and its host: encoding and decoding.

    ┌────────┬────────┬────┬─────────┬─────────────┐
    │ length │ number │ id │ fields… │ CRC-16      │   COBS, then a zero
    └────────┴────────┴────┴─────────┴─────────────┘

`length` counts all bytes of the frame, itself and the CRC included; the CRC (CCITT, from 0xFFFF, high byte first)
covers all bytes before it.
"""

from __future__ import annotations

from binascii import crc_hqx
from typing import NamedTuple

from hal.board import cobs
from hal.board.message import BoardMessage
from hal.board.messages import BAUD, LONGEST
from hal.framing import Framed

END = b"\0"
"""Ends a frame. A lone one is ignored."""
OVERHEAD = 5
"""Bytes of a frame beside its fields."""
LONGEST_PIECE = LONGEST + 1
"""Bytes of the longest frame between two zeros."""
BITS_A_BYTE = 10
"""8N1."""


class FrameError(ValueError):
    """Bytes between two zeros are not a valid frame; says why."""


class BoardFrame(NamedTuple):
    """One valid frame."""

    number: int
    id: int
    fields: bytes


def encode(number: int, message: BoardMessage, protocol: int | None = None) -> bytes:
    """Encodes a message as a frame, with its terminating zero; for a board of an older `protocol`, with what it knows.

    Raises:
        MessageError: a value does not fit its field, or that board does not know it.
        FrameError: the frame would be too long.
    """
    fields = message.pack(protocol)
    length = len(fields) + OVERHEAD
    if length > LONGEST:
        raise FrameError(f"{type(message).__name__}: a frame of {length} bytes; at most {LONGEST} are allowed")
    head = bytes((length, number, message.id)) + fields
    return cobs.encode(head + crc_hqx(head, 0xFFFF).to_bytes(2, "big")) + END


def decode(piece: bytes) -> BoardFrame:
    """Decodes the bytes between two zeros.

    Raises:
        FrameError: they are not a valid frame.
    """
    try:
        data = cobs.decode(piece)
    except cobs.CobsError as error:
        raise FrameError(f"no COBS: {error}") from error
    if not OVERHEAD <= len(data) <= LONGEST:
        raise FrameError(f"{len(data)} bytes; expected {OVERHEAD} to {LONGEST}")
    if data[0] != len(data):
        raise FrameError(f"{len(data)} bytes; its own length says {data[0]}")
    stated, counted = int.from_bytes(data[-2:], "big"), crc_hqx(data[:-2], 0xFFFF)
    if stated != counted:
        raise FrameError(f"CRC {stated:04X}; its bytes have {counted:04X}")
    return BoardFrame(data[1], data[2], data[3:-2])


def wire_ns(length: int) -> int:
    """How long this many bytes take on the wire."""
    return length * BITS_A_BYTE * 1_000_000_000 // BAUD


class BoardFramer:
    """Splits the bytes from a board at the zeros (see `hal.framing.Framer`), without decoding the pieces.

    A piece longer than any frame is discarded up to the next zero, and counted as overlong.
    """

    def __init__(self) -> None:
        self._begun = b""
        self._discarding = False

    def feed(self, data: bytes) -> Framed:
        """Takes the next bytes of the stream, however they are cut."""
        pieces: list[bytes] = []
        overlong = 0
        *ended, rest = data.split(END)
        for part in ended:
            overlong += self._add(part)
            if self._begun:
                pieces.append(self._begun)
            self.reset()
        overlong += self._add(rest)
        return Framed(pieces, overlong)

    def reset(self) -> None:
        """Discards a partial frame: the stream was interrupted."""
        self._begun = b""
        self._discarding = False

    def _add(self, part: bytes) -> bool:
        if self._discarding:
            return False
        self._begun += part
        if len(self._begun) <= LONGEST_PIECE:
            return False
        self._begun = b""
        self._discarding = True
        return True
