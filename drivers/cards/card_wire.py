"""The lines that card equipment sends over its serial links: our own protocol, 19200 8N1, ASCII, CR LF.

    C;00017;9s;04      the 17th card since power-on has left the mouth, the nine of spades
    S;00017;R;0C       each second and at each change: ready, E empty, J jam, L lid open; 17 cards since power-on
    H;1;C;052;0D       a shuffler: batch 1 or 2, idle I, busy B, complete C, jam J or door D, and its count of cards
    O;1;052;<64 hex>;xx        a reading shuffler commits itself to the order of a batch, as it completes the cycle
    R;1;001;9s;<32 hex>;xx     once the stack is broken up, it opens that order, card by card, each with its salt
    Q;1;003;xx         asks a reading shuffler to open the order of batch 1 again, from place 3 on
    P;y;29             a card reader: the dealer has blackjack, n has none, ? not read

The count of a shuffler is `---` where it is unknown. The last field is the XOR of all bytes before it, the last
semicolon included, as two upper-case hexadecimal digits. A card is its rank, `A 2 … 9 T J Q K`, and its suit,
`s h d c`; or `JK` a joker, `XX` the cutting card, `??` not read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from functools import reduce
from operator import xor
from typing import Final, Literal, NamedTuple, TypeAlias

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
_SHUFFLER: Final = re.compile(rb"H;([12]);([IBCJD]);(\d{3}|---);")
_SEALED: Final = re.compile(rb"O;([12]);(\d{3});([0-9a-f]{64});")
_OPENED: Final = re.compile(rb"R;([12]);(\d{3});([A2-9TJQK][shdc]|JK|XX);([0-9a-f]{32});")
_SHOE: Final = {b"C": "C;<5 digits>;<card>;", b"S": "S;<5 digits>;<R, E, J or L>;"}
_OF_SHUFFLER: Final = {
    b"H": "H;<batch>;<I, B, C, J or D>;<3 digits or --->;",
    b"O": "O;<batch>;<3 digits>;<64 hexadecimal digits>;",
    b"R": "R;<batch>;<3 digits>;<card>;<32 hexadecimal digits>;",
}
_OF_READER: Final = {b"P": "P;<y, n or ?>;"}


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


class ShufflerState(StrEnum):
    """The state that a shuffler reports of one of its batches."""

    IDLE = "I"
    BUSY = "B"
    COMPLETE = "C"
    JAM = "J"
    DOOR = "D"


class ShufflerLine(NamedTuple):
    """The state of a shuffler, and how many cards of the batch it has counted."""

    batch: int
    state: ShufflerState
    cards: int | None


class SealedOrderLine(NamedTuple):
    """A reading shuffler commits itself to the order that it made of a batch."""

    batch: int
    cards: int
    root: str
    """SHA-256 over the commitments of its cards, in the order of the deal, as hexadecimal digits."""


class OpenedCardLine(NamedTuple):
    """A reading shuffler opens one card of an order, after the stack was broken up."""

    batch: int
    place: int
    """From 1, in the order of the deal."""
    card: str
    salt: str


class AskedOrderLine(NamedTuple):
    """The host asks a reading shuffler for the rest of an order; from place 1 on it seals it again first."""

    batch: int
    place: int


class ReaderLine(NamedTuple):
    """What a card reader found: `y` blackjack, `n` none, `?` not read. There is no place for a card in it."""

    found: Literal["y", "n", "?"]


class MalformedCardLine(NamedTuple):
    """A frame that is not a line of this protocol."""

    cause: str
    """What was expected. It never repeats the frame, which may show a card that is not exposed."""


CardEquipmentLine: TypeAlias = CardLine | ShoeLine
LineOfShuffler: TypeAlias = ShufflerLine | SealedOrderLine | OpenedCardLine


def encode(line: CardEquipmentLine | LineOfShuffler | AskedOrderLine | ReaderLine) -> bytes:
    """The bytes of a line, without CR LF."""
    match line:
        case CardLine(number, card):
            text = f"C;{number:05};{card};"
        case ShoeLine(number, shoe):
            text = f"S;{number:05};{shoe};"
        case ShufflerLine(batch, state, cards):
            text = f"H;{batch};{state};{'---' if cards is None else f'{cards:03}'};"
        case SealedOrderLine(batch, cards, root):
            text = f"O;{batch};{cards:03};{root};"
        case OpenedCardLine(batch, place, card, salt):
            text = f"R;{batch};{place:03};{card};{salt};"
        case AskedOrderLine(batch, place):
            text = f"Q;{batch};{place:03};"
        case ReaderLine(found):
            text = f"P;{found};"
    data = text.encode("ascii")
    return data + b"%02X" % checksum(data)


def parse(data: bytes) -> CardEquipmentLine | MalformedCardLine:
    """The line of a shoe that a frame is; it never raises."""
    body, shape = data[:-2], _SHOE.get(data[:1], "")
    wrong = _wrong(data, _SHOE)
    if wrong is not None:
        return wrong
    card = _CARD.fullmatch(body)
    if card is not None:
        return CardLine(int(card[1]), card[2].decode("ascii"))
    state = _STATE.fullmatch(body)
    if state is not None:
        return ShoeLine(int(state[1]), ShoeState(state[2].decode("ascii")))
    return MalformedCardLine(f"expected {shape}<checksum>")


def parse_shuffler(data: bytes) -> LineOfShuffler | MalformedCardLine:
    """The line of a shuffler that a frame is; it never raises."""
    wrong = _wrong(data, _OF_SHUFFLER)
    if wrong is not None:
        return wrong
    body = data[:-2]
    state = _SHUFFLER.fullmatch(body)
    if state is not None:
        count = None if state[3] == b"---" else int(state[3])
        return ShufflerLine(int(state[1]), ShufflerState(state[2].decode("ascii")), count)
    sealed = _SEALED.fullmatch(body)
    if sealed is not None:
        return SealedOrderLine(int(sealed[1]), int(sealed[2]), sealed[3].decode("ascii"))
    opened = _OPENED.fullmatch(body)
    if opened is not None:
        return OpenedCardLine(int(opened[1]), int(opened[2]), opened[3].decode("ascii"), opened[4].decode("ascii"))
    return MalformedCardLine(f"expected {_OF_SHUFFLER[data[:1]]}<checksum>")


def parse_reader(data: bytes) -> ReaderLine | MalformedCardLine:
    """The line of a card reader that a frame is; it never raises, and never gives a card."""
    wrong = _wrong(data, _OF_READER)
    if wrong is not None:
        return wrong
    match data[:-2]:
        case b"P;y;":
            return ReaderLine("y")
        case b"P;n;":
            return ReaderLine("n")
        case b"P;?;":
            return ReaderLine("?")
    return MalformedCardLine(f"expected {_OF_READER[b'P']}<checksum>")


def _wrong(data: bytes, shapes: Mapping[bytes, str]) -> MalformedCardLine | None:
    """What is wrong with a frame's first letter or its checksum."""
    shape = shapes.get(data[:1])
    if shape is None:
        letters = [letter.decode("ascii") for letter in shapes]
        return MalformedCardLine(f"expected a line that begins with {' or '.join(letters)}")
    if data[-2:] != b"%02X" % checksum(data[:-2]):
        return MalformedCardLine(f"expected {shape}<checksum>: the checksum does not fit the bytes before it")
    return None


def checksum(data: bytes) -> int:
    """The XOR of all bytes."""
    return reduce(xor, data, 0)
