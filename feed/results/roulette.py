"""What a roulette wheel publishes as its result."""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta


class RouletteResult(msgspec.Struct, frozen=True, kw_only=True):
    """The pocket that holds the ball."""

    pocket: Annotated[str, Meta(pattern="^(0{1,3}|[1-9][0-9]?)$")]
    """The number as the wheel shows it; `0` and `00` are different pockets. `000` and numbers above 36 are those of a
    house's own wheel (`house_rules`)."""
    index: Annotated[int, Meta(ge=0)]
    """Place of the pocket around the wheel, from the index mark; the first is 0."""
    color: Literal["red", "black", "green"]
    """Its color; 0, 00 and 000 are green."""


RESULTS: Final[dict[str, type[msgspec.Struct]]] = {"roulette": RouletteResult}
