"""The frames of a serial dice shaker that reads its dice, as public code of an arcade's server has them.

    7A │ 03 │ 03 │ 01 │ 07 │ 55        the host: shake and report
    7A │ 04 │ 06 │ 02 │ 05 │ 11 │ 55   the shaker, to a query: recognised, 5
       │    │    │    │    └ sum of all between the ends, modulo 256
       │    │    │    └ values, one byte each
       │    │    └ of the host always 01; of the shaker 02 where it succeeded
       │    └ 03 shake and report, 04 start, 05 stop, 06 query
       └ how many bytes follow up to the end byte, the sum included

Read there are the four commands byte for byte, that an answer repeats the command, that 02 means success, and that a
value follows it. How more than one die is encoded is read nowhere: one byte each is ours. One byte for several dice can
only be their total.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final, NamedTuple

from drivers.dice.reader_wire import MAX_DICE, MalformedReading
from hal.framing import Framed

HEAD: Final = 0x7A
TAIL: Final = 0x55
FROM_HOST: Final = 0x01
SUCCESS: Final = 0x02
AROUND: Final = 3
"""Bytes that the length does not count: both ends, and itself."""
SHORTEST: Final = 3
LONGEST: Final = SHORTEST + MAX_DICE


class FrameCommand(IntEnum):
    """What the host asks, and what an answer is to."""

    SHAKE_AND_REPORT = 3
    START = 4
    STOP = 5
    QUERY = 6


class ShakerFrame(NamedTuple):
    """One frame, either way."""

    command: FrameCommand
    status: int
    values: bytes = b""


def encode_frame(frame: ShakerFrame) -> bytes:
    """The frame as it goes over the wire.

    Raises:
        ValueError: more values than a frame holds.
    """
    if len(frame.values) > MAX_DICE:
        raise ValueError(f"dice frame: at most {MAX_DICE} values, not {len(frame.values)}")
    body = bytes((SHORTEST + len(frame.values), frame.command, frame.status, *frame.values))
    return bytes((HEAD, *body, sum(body) & 0xFF, TAIL))


def parse_frame(data: bytes) -> ShakerFrame | MalformedReading:
    """The meaning of a frame, ends included; never raises."""
    if len(data) < SHORTEST + AROUND or data[0] != HEAD or data[-1] != TAIL:
        return MalformedReading(data, "expected 7A, at least four bytes, and 55")
    if len(data) != data[1] + AROUND:
        return MalformedReading(data, f"its length is given as {data[1]}, but {len(data) - AROUND} bytes follow")
    stated, counted = data[-2], sum(data[1:-2]) & 0xFF
    if stated != counted:
        return MalformedReading(data, f"the sum is {counted:02X}, the frame has {stated:02X}")
    if data[2] not in list(FrameCommand):
        return MalformedReading(data, f"there is no command {data[2]:02X}")
    return ShakerFrame(FrameCommand(data[2]), data[3], data[4:-2])


class ShakerFramer:
    """Cuts a stream into frames (see `hal.framing.Framer`), and finds the next one after noise.

    A frame is as long as its length byte has it. Where its end byte is not there, what looked like its beginning was
    none, and the next head byte is tried. What is passed over is counted, a run of noise once.
    """

    def __init__(self) -> None:
        self._begun = b""
        self._noisy = False
        """Whether the bytes just before were noise."""

    def feed(self, data: bytes) -> Framed:
        """Takes the next bytes of the stream, however they are cut."""
        frames: list[bytes] = []
        runs = 0
        rest = self._begun + data
        while rest:
            length = _length(rest)
            if length is None:
                break
            if length:
                frames.append(rest[:length])
                rest = rest[length:]
                self._noisy = False
                continue
            if not self._noisy:
                self._noisy = True
                runs += 1
            at = rest.find(bytes((HEAD,)), 1)
            rest = rest[at:] if at >= 0 else b""
        self._begun = rest
        return Framed(frames, runs)

    def reset(self) -> None:
        """Forgets a frame that has begun: the stream was interrupted."""
        self._begun = b""
        self._noisy = False


def _length(data: bytes) -> int | None:
    """The length of the frame with which the data begins; 0 where none does, None where that does not show yet."""
    if data[0] != HEAD:
        return 0
    if len(data) < 2:
        return None
    if not SHORTEST <= data[1] <= LONGEST:
        return 0
    length = data[1] + AROUND
    if len(data) < length:
        return None
    return length if data[length - 1] == TAIL else 0
