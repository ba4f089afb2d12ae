"""The count of a dealer's hand, and when the dealer draws.

A card from two to ten counts as it shows, a picture ten, and an ace eleven where that does not exceed 21, otherwise
one. The dealer draws on 16 and less and stays on 17 and more, a soft 17 too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

BUST: Final = 22
STAYS: Final = 17
TENS: Final = "TJQK"


def value(card: str) -> int:
    """The value of a card, an ace as one."""
    rank = card[0]
    return 10 if rank in TENS else 1 if rank == "A" else int(rank)


def total(cards: Sequence[str]) -> int:
    """The count of a hand."""
    hard = sum(map(value, cards))
    return hard + 10 if hard <= 11 and any(card[0] == "A" for card in cards) else hard


def natural(cards: Sequence[str]) -> bool:
    """Whether a hand is an ace and a card of ten, and no more."""
    return len(cards) == 2 and total(cards) == 21


def complete(cards: Sequence[str]) -> bool:
    """Whether the dealer stays, or is bust."""
    return len(cards) > 1 and total(cards) >= STAYS


def well_dealt(cards: Sequence[str]) -> bool:
    """Whether a dealer's hand ends where it must, and not before."""
    return complete(cards) and not any(complete(cards[:end]) for end in range(2, len(cards)))


def hand_of(cards: Sequence[str]) -> dict[str, Any]:
    """A hand as a result has it."""
    return {"cards": list(cards), "total": total(cards), "blackjack": natural(cards)}
