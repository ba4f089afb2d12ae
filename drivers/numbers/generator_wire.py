r"""The lines of a number generator: our own protocol.

Sent at every change and at least twice a second, 9600 8N1, ended by CR LF:

    N;017;D;007;1F2E
      │   │ │   └ CRC-16/CCITT-FALSE over all before it, four hex digits in capitals
      │   │ └ the number that was drawn; `---` in any other state
      │   └ R nothing was drawn since power-on, B it draws, D it has drawn, F it is at fault
      └ draw: one up, modulo 1000, each time it begins to draw
"""

from __future__ import annotations

import re
from binascii import crc_hqx
from enum import StrEnum
from typing import Final, NamedTuple

DRAWS: Final = 1000
"""Draws have three digits and wrap."""
PERIOD_S: Final = 0.5
"""A generator sends at least this often (ours)."""

_LINE: Final = re.compile(rb"(N;([0-9]{3});([RBDF]);([0-9]{3}|---);)([0-9A-F]{4})")


class DrawState(StrEnum):
    """What a generator reports of itself."""

    READY = "R"
    DRAWING = "B"
    DRAWN = "D"
    FAULT = "F"


class GeneratorLine(NamedTuple):
    """One line of a generator."""

    draw: int
    state: DrawState
    number: int | None = None


class MalformedDraw(NamedTuple):
    """A frame that is not a line of this protocol."""

    why: str


def parse(data: bytes) -> GeneratorLine | MalformedDraw:
    """The meaning of a line without its CR LF; never raises."""
    line = _LINE.fullmatch(data)
    if line is None:
        return MalformedDraw("expected N;draw;state;number;CRC")
    counted = crc_hqx(line[1], 0xFFFF)
    if int(line[5], 16) != counted:
        return MalformedDraw(f"the CRC is {counted:04X}, the line has {line[5].decode('ascii')}")
    state = DrawState(line[3].decode("ascii"))
    number = None if line[4] == b"---" else int(line[4])
    if (number is not None) is not (state is DrawState.DRAWN):
        return MalformedDraw("expected a number that was drawn, and only there")
    return GeneratorLine(int(line[2]), state, number)


def encode(line: GeneratorLine) -> bytes:
    """The line without its CR LF."""
    number = "---" if line.number is None else f"{line.number:03d}"
    head = f"N;{line.draw % DRAWS:03d};{line.state};{number};".encode("ascii")
    return head + b"%04X" % crc_hqx(head, 0xFFFF)
