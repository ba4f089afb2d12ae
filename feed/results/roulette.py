"""What a roulette wheel publishes as its result."""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta


class RouletteResult(msgspec.Struct, frozen=True, kw_only=True):
    """The pocket that holds the ball."""

    pocket: Annotated[str, Meta(pattern="^(00|[0-9]|[12][0-9]|3[0-6])$")]
    """The number as the wheel shows it; `0` and `00` are different pockets."""
    index: Annotated[int, Meta(ge=0)]
    """Place of the pocket around the wheel, from the index mark; the first is 0."""
    color: Literal["red", "black", "green"]
    """Its color; 0 and 00 are green."""


RESULTS: Final[dict[str, type[msgspec.Struct]]] = {"roulette": RouletteResult}
