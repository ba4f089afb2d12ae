"""What blackjack and multi-action blackjack publish: the dealer's own hand. No player's hand is read."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec
from msgspec import Meta


class DealerHand(msgspec.Struct, frozen=True, kw_only=True):
    """The dealer's hand, exposed."""

    cards: Annotated[list[str], Meta(min_length=2)]
    """Rank and suit of each, in the order of the deal: `9s`, `Td`."""
    total: Annotated[int, Meta(ge=4, le=31)]
    """Its count: an ace is 11 where that does not exceed 21, otherwise 1."""
    blackjack: bool
    """Whether it is an ace and a card of ten in the first two cards."""


class BlackjackResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The dealer's hand, where it was exposed."""

    dealer: DealerHand | None = None
    """Left out where it was never exposed: every player bust; or where the shoe reads no cards."""


class MultiActionResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The dealer's hand in each of the three parts of the game; all of them begin with the same card."""

    parts: list[DealerHand] | None = None
    """Left out where the shoe reads no cards, or every player bust."""


RESULTS: Final[dict[str, type[msgspec.Struct]]] = {
    "blackjack": BlackjackResult,
    "multi_action_blackjack": MultiActionResult,
}
