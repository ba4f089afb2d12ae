"""What red dog publishes as its result."""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta


class RedDogResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The cards in the order of the deal, and what they are."""

    cards: Annotated[list[str], Meta(min_length=2, max_length=3)]
    """Rank and suit of each: `9s`, `Td`."""
    kind: Literal["consecutive", "pair", "three_of_a_kind", "spread"]
    """What the first two are; `three_of_a_kind` where the third makes it of a pair."""
    spread: Annotated[int, Meta(ge=1, le=11)] | None = None
    """How many values fall between the first two; left out where they are not a spread."""
    wins: bool | None = None
    """Whether the players win; left out of a tie."""


RESULTS: Final[dict[str, type[msgspec.Struct]]] = {"red_dog": RedDogResult}
