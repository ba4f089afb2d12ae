r"""The lines of a dice-reading board: our own protocol, and the state words of a studio's shaker.

Our own line, sent at every change and at least twice a second, 9600 8N1, ended by CR LF:

    D;017;R;F4F4K1;4AD6
      │   │ │      └ CRC-16/CCITT-FALSE over all before it, four hex digits in capitals
      │   │ └ at rest: two characters a die, in the order in which the board sees them
      │   └ E no dice, M the dice move, R they lie, F the board is at fault
      └ throw: one up, modulo 1000, each time dice begin to move

    F4 flat, shows 4            T- touches something with more than one side
    K1 cocked on one side;      S- is on another die
       1 is the side opposite   X- is not where it should be: off the table, missing
                                U- cannot be read

    Q                           the host asks for a line now

A public live studio drives a sic bo shaker that answers in words. They give a state and never a value:

    S0 idle   S1 shaking   S2 command received   S90 errors
"""

from __future__ import annotations

import re
from binascii import crc_hqx
from enum import StrEnum
from typing import Final, Literal, NamedTuple, TypeAlias

THROWS: Final = 1000
"""Throws have three digits and wrap."""
MAX_DICE: Final = 5
MAX_LENGTH: Final = 32
"""No line is longer, its end not counted."""
ASK: Final = b"Q\r\n"
PERIOD_S: Final = 0.5
"""A board sends at least this often (ours)."""

Lying: TypeAlias = Literal["flat", "cocked", "two_sides", "stacked", "off_table", "unread"]
"""How a die lies: flat; cocked, one side on something (19:47-1.10(a)1: the side opposite counts); on something with
more than one side; on top of another die; off the table; or nobody knows.
"""

VALUED: Final[tuple[Lying, ...]] = ("flat", "cocked")
"""The ways to be in which a die has a value."""

_LETTERS: Final[dict[str, Lying]] = {
    "F": "flat",
    "K": "cocked",
    "T": "two_sides",
    "S": "stacked",
    "X": "off_table",
    "U": "unread",
}
_LETTER_OF: Final = {lying: letter for letter, lying in _LETTERS.items()}

_LINE = re.compile(rb"(D;([0-9]{3});([EMRF]);((?:[FK][1-6]|[TSXU]-){0,%d});)([0-9A-F]{4})" % MAX_DICE)
_WORD = re.compile(rb"S(0|1|2|90)")


class BoardState(StrEnum):
    """What the board sees."""

    EMPTY = "E"
    MOVING = "M"
    RESTING = "R"
    FAULT = "F"


class Die(NamedTuple):
    """One die as it lies."""

    lying: Lying
    value: int | None
    """None where it has none."""


class BoardLine(NamedTuple):
    """One line of a board."""

    throw: int
    state: BoardState
    dice: tuple[Die, ...] = ()


class StateWord(NamedTuple):
    """One word of a studio's shaker."""

    word: Literal["idle", "shaking", "received", "errors"]


class MalformedReading(NamedTuple):
    """A line, or a frame, that is none."""

    data: bytes
    why: str


_WORDS: Final[dict[bytes, StateWord]] = {
    b"0": StateWord("idle"),
    b"1": StateWord("shaking"),
    b"2": StateWord("received"),
    b"90": StateWord("errors"),
}


def parse_line(data: bytes) -> BoardLine | MalformedReading:
    """The meaning of a line without its CR LF; never raises."""
    line = _LINE.fullmatch(data)
    if line is None:
        return MalformedReading(data, "expected D;throw;state;dice;CRC")
    stated, counted = int(line[5], 16), crc_hqx(line[1], 0xFFFF)
    if stated != counted:
        return MalformedReading(data, f"the CRC is {counted:04X}, the line has {stated:04X}")
    dice = line[4].decode("ascii")
    state = BoardState(line[3].decode("ascii"))
    if bool(dice) is not (state is BoardState.RESTING):
        return MalformedReading(data, "expected dice at rest, and only there")
    return BoardLine(int(line[2]), state, tuple(_die(dice[i : i + 2]) for i in range(0, len(dice), 2)))


def encode_line(line: BoardLine) -> bytes:
    """The line with its CR LF.

    Raises:
        ValueError: a field does not fit its place.
    """
    if not 0 <= line.throw < THROWS:
        raise ValueError(f"dice line: throw {line.throw} does not fit three digits")
    if len(line.dice) > MAX_DICE or bool(line.dice) is not (line.state is BoardState.RESTING):
        raise ValueError(f"dice line: expected 1 to {MAX_DICE} dice at rest and none else, got {len(line.dice)}")
    head = f"D;{line.throw:03d};{line.state};{''.join(map(_field, line.dice))};".encode("ascii")
    return head + b"%04X\r\n" % crc_hqx(head, 0xFFFF)


def parse_word(data: bytes) -> StateWord | MalformedReading:
    """The meaning of a word without its end; never raises."""
    word = _WORD.fullmatch(data)
    return MalformedReading(data, "expected S0, S1, S2 or S90") if word is None else _WORDS[word[1]]


def encode_word(word: StateWord) -> bytes:
    """The word with its CR LF."""
    code = next(code for code, known in _WORDS.items() if known == word)
    return b"S%s\r\n" % code


def _die(field: str) -> Die:
    lying = _LETTERS[field[0]]
    return Die(lying, int(field[1]) if lying in VALUED else None)


def _field(die: Die) -> str:
    if die.lying not in VALUED:
        return f"{_LETTER_OF[die.lying]}-"
    if die.value is None or not 1 <= die.value <= 6:
        raise ValueError(f"dice line: a {die.lying} die shows 1 to 6, not {die.value}")
    return f"{_LETTER_OF[die.lying]}{die.value}"
