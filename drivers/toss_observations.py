"""What an automated shaker says of itself: the words that its driver and the rounds share."""

from __future__ import annotations

from drivers.dice_frame_wire import Command
from drivers.driver import Observation


class TossMoving(Observation, frozen=True, kw_only=True):
    """It tosses, or has stopped."""

    moving: bool
    since_ns: int


class TossAnswered(Observation, frozen=True, kw_only=True):
    """A serial shaker answered a command."""

    command: Command
    done: bool
    """Whether it says that it succeeded."""
    values: tuple[int, ...] = ()
    """How it says that its dice lie."""


class TossDoubt(Observation, frozen=True, kw_only=True):
    """Something it said was not heard, or cannot be read."""

    detail: str


class ShakerTrouble(Observation, frozen=True, kw_only=True):
    """It says that it has failed, or that it no longer does."""

    active: bool


class ShakerPresent(Observation, frozen=True, kw_only=True):
    """Its sensor says whether it stands on the table."""

    present: bool
