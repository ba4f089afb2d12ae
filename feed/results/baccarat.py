"""What baccarat and mini-baccarat publish as their result."""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta


class Hand(msgspec.Struct, frozen=True, kw_only=True):
    """The cards of one hand, in the order in which they were dealt to it."""

    cards: Annotated[list[str], Meta(min_length=2, max_length=3)]
    """Rank and suit of each: `9s`, `Td`."""
    total: Annotated[int, Meta(ge=0, le=9)]
    """Its point count."""


class BaccaratResult(msgspec.Struct, frozen=True, kw_only=True):
    """Both hands, and which of them is nearest to nine."""

    player: Hand
    """The player's hand."""
    banker: Hand
    """The banker's hand."""
    winner: Literal["player", "banker", "tie"]
    """The winning hand."""


RESULTS: Final[dict[str, type[msgspec.Struct]]] = {"baccarat": BaccaratResult, "mini_baccarat": BaccaratResult}
