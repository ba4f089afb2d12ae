"""The three formats of dice-reading boards, brought to the same few words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal, NamedTuple, TypeAlias

from drivers.dice_frame_wire import SUCCESS, Command, parse_frame
from drivers.dice_reader_config import Format
from drivers.dice_reader_wire import BoardState, Die, Malformed, parse_line, parse_word

SHOWN_BYTES: Final = 40
"""How much of a refused frame a doubt repeats."""


class Said(NamedTuple):
    """What one frame says."""

    state: Literal["empty", "moving", "resting", "idle", "fault", "nothing"]
    """`idle`: whatever shook the dice has stopped, and no word is said of the dice."""
    throw: int | None = None
    dice: tuple[Die, ...] = ()
    total: int | None = None
    """Where the board tells the total alone."""
    shaken: bool = False
    """The frame itself says that the dice were shaken for it."""


class Refused(NamedTuple):
    """A frame that is not taken."""

    reason: str
    detail: str


Word: TypeAlias = Said | Refused

_STATES: Final[dict[BoardState, Literal["empty", "moving", "resting", "fault"]]] = {
    BoardState.EMPTY: "empty",
    BoardState.MOVING: "moving",
    BoardState.RESTING: "resting",
    BoardState.FAULT: "fault",
}
_NOTHING: Final = Said("nothing")


def said(format_: Format, data: bytes, dice: int) -> Word:
    """What a frame of a board that reads so many dice says; never raises."""
    return _READERS[format_](data, dice)


def _line(data: bytes, dice: int) -> Word:
    line = parse_line(data)
    if isinstance(line, Malformed):
        return _malformed(line)
    return Said(_STATES[line.state], line.throw, line.dice)


def _frame(data: bytes, dice: int) -> Word:
    frame = parse_frame(data)
    if isinstance(frame, Malformed):
        return _malformed(frame)
    if frame.command is Command.START:
        return Said("moving")
    if frame.command is Command.STOP:
        return _NOTHING
    if frame.status != SUCCESS:
        if frame.command is Command.SHAKE_AND_REPORT and not frame.values:
            # It has heard the command: what it shakes is not yet a result.
            return Said("moving")
        return Refused("not_recognised", f"the shaker answers with status {frame.status:02X}")
    values, shaken = tuple(frame.values), frame.command is Command.SHAKE_AND_REPORT
    if len(values) == 1 and dice > 1:
        if not dice <= values[0] <= 6 * dice:
            return Refused("impossible_value", f"{dice} dice do not total {values[0]}")
        return Said("resting", None, (), values[0], shaken)
    if not values or not all(1 <= value <= 6 for value in values):
        return Refused("impossible_value", f"expected values from 1 to 6, saw {list(values)}")
    return Said("resting", None, tuple(Die("flat", value) for value in values), None, shaken)


def _word(data: bytes, dice: int) -> Word:
    word = parse_word(data)
    if isinstance(word, Malformed):
        return _malformed(word)
    match word.word:
        case "shaking":
            return Said("moving")
        case "idle":
            return Said("idle")
        case "errors":
            return Said("fault")
        case "received":
            return _NOTHING


def _malformed(bad: Malformed) -> Refused:
    return Refused("malformed", f"{bad.why}: {bad.data[:SHOWN_BYTES]!r}")


_READERS: Final[dict[Format, Callable[[bytes, int], Word]]] = {
    "lines": _line,
    "frames_7a": _frame,
    "state_words": _word,
}
