"""What a money wheel says of itself, whichever way it is sensed: the words that the drivers and the round share.

What is said of a spin, and when:

    angle      |                    _______----------___ furthest
               |            ___-----                     \\_  rolls back off the pegs
    start of   | rest  \\__/ <- wind-up: the turn begins at its extreme
    the turn   +--------|----|---|--------------------------|---------------> time
                 WheelMoved  |  WheelSpun                 WheelRested
              (over a space) (half a turn: it is a spin)  (within a count for 1.5 s)

Directions are +1 or -1, the positive being that of growing angles.
"""

from __future__ import annotations

from typing import Final

import msgspec

from drivers.driver import Observation

HALF_TURN: Final = 0.5
"""Less than this in one direction, in revolutions, is a wind-up or a nudge, not a spin (design, section 4)."""


class Rest(msgspec.Struct, frozen=True, kw_only=True):
    """Where a wheel came to rest, and how sure that is."""

    space: int | None
    """Index of the space under the indicator, counted from the index in the positive direction; None if unknown."""
    others: tuple[int, ...] = ()
    """Other spaces that the doubt leaves possible."""
    next_space: int | None = None
    """The space on the other side of the nearer peg."""
    to_peg_spaces: float = 0.0
    """Distance of the indicator from the nearer peg, in spaces: 0.5 is the middle."""
    clear: bool = False
    """Whether that distance is more than the margin, the flapper's zone and half a count."""


class WheelMoved(Observation, frozen=True, kw_only=True):
    """The wheel left its rest by more than one space."""

    direction: int
    """0 where the sensors cannot tell."""


class WheelSpun(Observation, frozen=True, kw_only=True):
    """The wheel has done half a turn in one direction: this is a spin, not a nudge or a wind-up."""

    direction: int


class WheelTurnedBack(Observation, frozen=True, kw_only=True):
    """After half a turn the wheel came back by more than the pegs throw it."""

    direction: int
    """Of the spin, before it came back."""
    proven: bool
    """Whether nothing was lost that could look like turning back."""


class WheelTurned(Observation, frozen=True, kw_only=True):
    """Another full revolution of the spin is done."""

    turns: int
    rpm: float


class WheelRested(Observation, frozen=True, kw_only=True):
    """The wheel is at rest; the run since the rest before is over."""

    moved_ns: int
    """Time of the last count before the rest."""
    spun: bool
    """Whether it had done half a turn in one direction."""
    direction: int
    turned_back: bool
    turns: float
    """From where the turn in the spin's direction began to the furthest point, in revolutions."""
    turns_low: float
    """The least that the losses since leave proven."""
    turns_high: float
    rest: Rest
    doubt: str | None = None
    """A reason code, where the count is not proven: `encoder_slip`, `edges_lost`, `sensor_missing`, `sensor_stuck`."""
    detail: str = ""
    direction_proven: bool = True
    """False where the sensor cannot tell a wheel that turned back."""
    joined: bool = False
    """The wheel was moving when the table opened: how far it had come is not known."""
    index_moved: bool = False
    """The index crossed where it cannot, and no loss explains it: the sensor or its magnet may have moved."""
