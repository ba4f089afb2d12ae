"""What craps and mini-craps publish as their result."""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from .dice import DieValue


class CrapsResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A roll at craps or mini-craps, and what it decided."""

    dice: list[DieValue]
    """The value of each die."""
    total: int
    """Their sum."""
    decision: Literal["natural", "craps", "point_set", "pass", "seven_out", "none"]
    """For pass and don't pass: `pass` is the point made, `seven_out` the losing 7; `none` decides nothing."""
    shooter: Annotated[int, Meta(ge=1)]
    """Which shooter threw, counted from the first."""
    point: int | None = None
    """The come out point in force, or set by this roll."""
    fire_points: list[int] = []
    """The points made so far for this shooter's fire bets."""


RESULTS: Final[dict[str, type[msgspec.Struct]]] = {"craps": CrapsResult, "mini_craps": CrapsResult}
