"""The lines that a reading shoe sends over its serial link: our own protocol, 19200 8N1, ASCII, CR LF.

    C;00017;9s;04      the 17th card since power-on has left the mouth, the nine of spades
    S;00017;R;0C       each second and at each change: ready, E empty, J jam, L lid open; 17 cards since power-on

The last field is the XOR of all bytes before it, the last semicolon included, as two upper-case hexadecimal digits. A
card is its rank, `A 2 … 9 T J Q K`, and its suit, `s h d c`; or `JK` a joker, `XX` the cutting card, `??` not read.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import reduce
from operator import xor
from typing import Final, NamedTuple, TypeAlias

RANKS: Final = "A23456789TJQK"
SUITS: Final = "shdc"
DECK: Final = tuple(rank + suit for suit in SUITS for rank in RANKS)
"""The 52 cards of a deck, in sequence and by suit."""
JOKER: Final = "JK"
CUTTING_CARD: Final = "XX"
UNREAD: Final = "??"
COUNTS: Final = 100_000
"""A shoe counts its cards modulo this number."""

_CARD: Final = re.compile(rb"C;(\d{5});([A2-9TJQK][shdc]|JK|XX|\?\?);")
_STATE: Final = re.compile(rb"S;(\d{5});([REJL]);")
_SHAPES: Final = {b"C": "C;<5 digits>;<card>;", b"S": "S;<5 digits>;<R, E, J or L>;"}


class ShoeState(StrEnum):
    """The state that a shoe reports of itself."""

    READY = "R"
    EMPTY = "E"
    JAM = "J"
    LID = "L"


class CardLine(NamedTuple):
    """A card has left the mouth of the shoe."""

    number: int
    """Cards since power-on, this one included, modulo `COUNTS`."""
    card: str


class ShoeLine(NamedTuple):
    """The state of a shoe, and how many cards it has given since power-on."""

    number: int
    state: ShoeState


class Malformed(NamedTuple):
    """A frame that is no line of this protocol."""

    cause: str
    """What was expected. It never repeats the frame, which may show a card that is not exposed."""


Line: TypeAlias = CardLine | ShoeLine


def encode(line: Line) -> bytes:
    """The bytes of a line, without CR LF."""
    kind, what = ("C", line.card) if isinstance(line, CardLine) else ("S", line.state)
    data = f"{kind};{line.number:05};{what};".encode("ascii")
    return data + b"%02X" % checksum(data)


def parse(data: bytes) -> Line | Malformed:
    """The line that a frame is; it never raises."""
    body, stated = data[:-2], data[-2:]
    shape = _SHAPES.get(data[:1])
    if shape is None:
        return Malformed("expected a line that begins with C or S")
    if stated != b"%02X" % checksum(body):
        return Malformed(f"expected {shape}<checksum>: the checksum does not fit the bytes before it")
    card = _CARD.fullmatch(body)
    if card is not None:
        return CardLine(int(card[1]), card[2].decode("ascii"))
    state = _STATE.fullmatch(body)
    if state is not None:
        return ShoeLine(int(state[1]), ShoeState(state[2].decode("ascii")))
    return Malformed(f"expected {shape}<checksum>")


def checksum(data: bytes) -> int:
    """The XOR of all bytes."""
    return reduce(xor, data, 0)
