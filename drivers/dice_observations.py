"""What keypad and reading board say of the values of dice: the words that the drivers and the rounds share."""

from __future__ import annotations

from typing import Literal

from drivers.dice_reader_wire import Lying
from drivers.driver import Observation


class KeypadShown(Observation, frozen=True, kw_only=True):
    """What the keypad's display is to show: the values keyed and not yet entered, oldest first."""

    values: tuple[int, ...]
    spoilt: bool = False
    """More values than dice were keyed, or a key was not seen: ENTER is refused until CLEAR."""


class DiceEntered(Observation, frozen=True, kw_only=True):
    """ENTER was pressed, and as many values as there are dice had been keyed."""

    dice: tuple[int, ...]
    """In the order in which they were keyed."""
    first_ns: int
    """When the first of them was keyed: values keyed before the dice lay are of another throw."""
    entered_ns: int
    """When the finger pressed ENTER."""


class KeyRefused(Observation, frozen=True, kw_only=True):
    """A key that counts for nothing.

    Reasons: `two_keys` (pressed while another was down), `surplus` (more values than dice), `short` (ENTER with fewer),
    `spoilt` (ENTER with values of which one is in doubt), `edges_lost` (a press may not have been seen).
    """

    key: str
    reason: str
    detail: str


class KeypadCleared(Observation, frozen=True, kw_only=True):
    """What had been keyed and not entered is dropped."""

    by: Literal["key", "time"]
    values: tuple[int, ...]


class DiceMoving(Observation, frozen=True, kw_only=True):
    """The reading board sees dice that move: what it read before is of another throw."""

    joined: bool = False
    """It was the first that was heard of the board: how the throw began is not known."""


class DiceShaken(Observation, frozen=True, kw_only=True):
    """The shaker that the board sits in has stopped. Where its dice lie, and whether they do, it does not say."""


class DiceRead(Observation, frozen=True, kw_only=True):
    """The reading board says how the dice lie."""

    dice: tuple[int | None, ...]
    """The value of each die; None where it has none. Empty where the board tells the total alone."""
    lying: tuple[Lying, ...]
    total: int | None
    """The sum of the dice; None where a die has no value."""
    throw: int | None
    """The board's own count of throws, where it keeps one."""
    agreed: bool
    """Whether nothing at all speaks against it: every die lies flat, and the throw was heard from its beginning."""
    doubts: tuple[str, ...] = ()
    """What does: reasons of `ReaderDoubt`; and for how the dice lie `dice_not_flat` (cocked, so that at craps it has a
    value all the same), `die_on_two_sides`, `die_on_die`, `die_off_table`, `not_recognised`."""


class ReaderToAsk(Observation, frozen=True, kw_only=True):
    """A reading waits for the board to say it again: `DiceReader.ask` makes the frame to send."""


class ReaderDoubt(Observation, frozen=True, kw_only=True):
    """What the reading board sent does not fit.

    Reasons: `malformed`, `impossible_value`, `dice_count`, `total_only`, `joined_mid_throw`, `throw_order`,
    `value_changed`, `not_recognised`, `frames_lost`, `unconfirmed`.
    """

    reason: str
    detail: str


class ReaderFault(Observation, frozen=True, kw_only=True):
    """The board says that it, or the shaker that it sits in, is at fault."""

    active: bool
    detail: str = ""
