"""Splits a stream of bytes into frames, without I/O."""

from __future__ import annotations

import re
from typing import NamedTuple, Protocol

from hal.values import EdgesLost, Frame, Loss

_LINE_ENDS = re.compile(rb"[\r\n]")


class Framed(NamedTuple):
    """The frames that a piece of a stream completed."""

    frames: list[bytes]
    """The frames, without their terminators."""

    overlong: int
    """How many frames exceeded the greatest length and were discarded."""


class Framer(Protocol):
    """Splits a stream into frames; the result does not depend on how the stream is cut."""

    def feed(self, data: bytes) -> Framed:
        """Processes the next bytes of the stream."""

    def reset(self) -> None:
        """Discards a partial frame: the stream was interrupted."""


class LineFramer:
    """Frames that end with CR LF; a CR or an LF alone ends one too, and empty frames are skipped.

    A frame longer than `max_length` is noise, or from another device: it is discarded up to its end, and counted.
    """

    def __init__(self, max_length: int = 256) -> None:
        if max_length < 1:
            raise ValueError(f"line framer: max_length must be at least 1 byte, not {max_length}")
        self._max_length = max_length
        self._begun = b""
        self._discarding = False

    def feed(self, data: bytes) -> Framed:
        """Processes the next bytes of the stream, however they are cut."""
        frames: list[bytes] = []
        overlong = 0
        *ended, rest = _LINE_ENDS.split(data)
        for piece in ended:
            overlong += self._add(piece)
            if self._begun:
                frames.append(self._begun)
            self.reset()
        overlong += self._add(rest)
        return Framed(frames, overlong)

    def reset(self) -> None:
        """Discards a partial frame."""
        self._begun = b""
        self._discarding = False

    def _add(self, piece: bytes) -> bool:
        """Adds to the partial frame; True if this makes it too long."""
        if self._discarding:
            return False
        self._begun += piece
        if len(self._begun) <= self._max_length:
            return False
        self._begun = b""
        self._discarding = True
        return True


class ChunkFramer:
    """Bytes as they were read, for a driver that finds the frames by itself because their gaps in time delimit them."""

    def feed(self, data: bytes) -> Framed:
        """Passes the bytes on."""
        return Framed([data] if data else [], 0)

    def reset(self) -> None:
        """It holds nothing."""


def received(link: str, framer: Framer, data: bytes, t_ns: int) -> list[Frame | EdgesLost]:
    """The values for bytes read from `link` at `t_ns`: frames, and an `EdgesLost` for discarded frames."""
    frames, overlong = framer.feed(data)
    values: list[Frame | EdgesLost] = [Frame(link, frame, t_ns) for frame in frames]
    if overlong:
        values.append(EdgesLost(link, Loss.OVERFLOW, t_ns, overlong))
    return values
