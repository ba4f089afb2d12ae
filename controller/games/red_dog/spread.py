"""The cards of red dog by their values: consecutive, a pair, or a spread that a third card falls into or not.

    4 and 7    spread of 2: a 5 or a 6 falls between
    9 and K    spread of 3
    4 and 5    consecutive: a tie
    4 and 4    a pair: a third 4 is three of a kind, any other card a tie

The ace is the highest card (14), so that 2 and ace have a spread of 11.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal, TypeAlias

Kind: TypeAlias = Literal["consecutive", "pair", "three_of_a_kind", "spread"]

HIGH: Final = {"T": 10, "J": 11, "Q": 12, "K": 13, "A": 14}
"""Values that a card does not show by a digit."""


def value(card: str) -> int:
    """The value of a card, named by its rank and suit: `9s`."""
    rank = card[0]
    return HIGH[rank] if rank in HIGH else int(rank)


def spread_of(first: str, second: str) -> int | None:
    """How many values fall between those of two cards; None where they are a pair or consecutive."""
    apart = abs(value(first) - value(second))
    return apart - 1 if apart > 1 else None


def is_pair(cards: Sequence[str]) -> bool:
    """Whether these are the first two cards of a round, of one value."""
    return len(cards) == 2 and value(cards[0]) == value(cards[1])


def decided(cards: Sequence[str]) -> dict[str, Any] | None:
    """The result of these cards, in the order of the deal; None where another card decides, or none is dealt so."""
    if len(cards) not in (2, 3):
        return None
    first, second, *third = (value(card) for card in cards)
    spread = spread_of(cards[0], cards[1])
    if not third:
        return {"cards": list(cards), "kind": "consecutive"} if abs(first - second) == 1 else None
    if spread is not None:
        wins = min(first, second) < third[0] < max(first, second)
        return {"cards": list(cards), "kind": "spread", "spread": spread, "wins": wins}
    if first != second:
        return None  # consecutive cards have no third one
    if third[0] == first:
        return {"cards": list(cards), "kind": "three_of_a_kind", "wins": True}
    return {"cards": list(cards), "kind": "pair"}
