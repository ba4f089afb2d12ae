"""What the games of dice publish alike: no game of its own."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta

DieValue: TypeAlias = Annotated[int, Meta(ge=1, le=6)]


class DiceResult(msgspec.Struct, frozen=True, kw_only=True):
    """The dice of one roll."""

    dice: list[DieValue]
    """The value of each die."""
    total: int
    """Their sum."""
