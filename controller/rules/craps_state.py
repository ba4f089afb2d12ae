"""Where a game of craps stands between two rolls: a value that can be journalled and read back.

                 ┌──── natural, craps ────┐
                 ▼                        │
opening ──► COME_OUT ──── 4 5 6 8 9 10 ──► POINT ──── any other total ──┐
                 ▲                        │  ▲                          │
                 ├──── the point: pass ───┤  └──────────────────────────┘
                 ├──── seven out ─────────┘
                 │
                 └◄──► COME_ONLY: nobody has a line wager, and the shooter rolls for the come wagers that are left
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from msgspec import Struct

from controller.rules.craps_wagers import POINTS

Phase: TypeAlias = Literal["come_out", "point", "come_only"]


class Puck(NamedTuple):
    """The On/Off marker."""

    on: bool
    point: int | None
    """The number that it stands on."""
    on_dont_pass: bool = False
    """Off, on the Don't Pass Line in front of the shooter: 19:47-1.11(b)."""


class FireSeries(Struct, frozen=True, forbid_unknown_fields=True):
    """The different points made since the first come out roll of one shooter: what a fire bet made then is paid for."""

    shooter: int
    points: tuple[int, ...] = ()
    """In the order in which they were made."""

    @property
    def markers(self) -> dict[int, int]:
        """The fire bet point markers: by point, the number inscribed, 19:47-1.12(a)4."""
        return {point: number for number, point in enumerate(self.points, 1)}


class CrapsState(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where the game stands before a roll."""

    phase: Phase = "come_out"
    point: int | None = None
    """The come out point, in the phase `point` only."""
    come_points: tuple[int, ...] = ()
    """The numbers on which a come or don't come wager can stand, ascending."""
    shooter: int = 1
    """How many shooters there were, this one included."""
    dice_offered: bool = True
    """The dice are being offered: this shooter has not thrown yet."""
    shooter_came_out: bool = False
    """This shooter has thrown a come out roll: no fire bet can be made on him or her any more."""
    invalid_rolls: int = 0
    """Of this shooter."""
    dice_change_asked: bool = False
    fire: tuple[FireSeries, ...] = ()
    """The fire bets that are pending, the oldest first; empty where none are offered."""

    def __post_init__(self) -> None:
        if not (self.point in POINTS if self.phase == "point" else self.point is None):
            raise ValueError(f"phase {self.phase!r} with the point {self.point}: expected a point in that phase only")
        if list(self.come_points) != sorted(set(self.come_points) & set(POINTS)):
            raise ValueError(f"come points {list(self.come_points)}: expected points, ascending, each once")

    @property
    def coming_out(self) -> bool:
        """Whether the wagers are off that are inactive on a come out roll.

        While a shooter rolls for come wagers only, the marker says Off, and so they are (ours).
        """
        return self.phase != "point"

    @property
    def puck(self) -> Puck:
        """Where the On/Off marker lies."""
        return Puck(self.phase == "point", self.point, on_dont_pass=self.phase == "come_only")
