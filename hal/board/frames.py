"""Frames of the wire between a board and its host: bytes out of messages, and messages out of bytes.

    ┌────────┬────────┬────┬─────────┬─────────────┐
    │ length │ number │ id │ fields… │ CRC-16      │   COBS, then a zero
    └────────┴────────┴────┴─────────┴─────────────┘

`length` counts all bytes of the frame, itself and the CRC too; the CRC (CCITT, from 0xFFFF, high byte first) is over
all before it.
"""

from __future__ import annotations

from binascii import crc_hqx
from typing import NamedTuple

from hal.board import cobs
from hal.board.message import Message
from hal.board.messages import BAUD, LONGEST
from hal.framing import Framed

END = b"\0"
"""Ends a frame. A lone one is nothing."""
OVERHEAD = 5
"""Bytes of a frame that are not fields."""
LONGEST_PIECE = LONGEST + 1
"""Bytes of the longest frame between two zeros."""
BITS_A_BYTE = 10
"""8N1."""


class FrameError(ValueError):
    """Bytes between two zeros are no frame; says why."""


class BoardFrame(NamedTuple):
    """One sound frame."""

    number: int
    id: int
    fields: bytes


def encode(number: int, message: Message) -> bytes:
    """The message as it goes over the wire, its zero included.

    Raises:
        MessageError: a value does not fit its field.
        FrameError: it is longer than a frame may be.
    """
    fields = message.pack()
    length = len(fields) + OVERHEAD
    if length > LONGEST:
        raise FrameError(f"{type(message).__name__}: a frame of {length} bytes; at most {LONGEST} are allowed")
    head = bytes((length, number, message.id)) + fields
    return cobs.encode(head + crc_hqx(head, 0xFFFF).to_bytes(2, "big")) + END


def decode(piece: bytes) -> BoardFrame:
    """The frame that these bytes between two zeros are.

    Raises:
        FrameError: they are broken.
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
    """How long so many bytes take on the wire."""
    return length * BITS_A_BYTE * 1_000_000_000 // BAUD


class BoardFramer:
    """Cuts what comes from a board at its zeros (see `hal.framing.Framer`).

    What lies between them is handed on undecoded. What is longer than any frame is thrown away up to the next zero,
    and told.
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
        """Forgets the frame that has begun: the stream was interrupted."""
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
