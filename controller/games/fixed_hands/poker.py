"""The rank of five cards at poker, in the order of 13:47-20.23(h)4, and whether a dealer's hand qualifies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

LOW_TO_HIGH: Final = "23456789TJQKA"
HIGH_CARD: Final = "high_card"
RANKS: Final = (
    "royal_flush",
    "straight_flush",
    "four_of_a_kind",
    "full_house",
    "flush",
    "straight",
    "three_of_a_kind",
    "two_pairs",
    "one_pair",
    HIGH_CARD,
)
"""From the highest to the lowest."""


def straight(ranks: Sequence[int], *, ace_low: bool) -> bool:
    """Whether five different ranks follow each other; `ace_low` is whether an ace may be below a two."""
    ordered = sorted(ranks)
    if len(set(ordered)) != 5:
        return False
    return ordered[4] - ordered[0] == 4 or (ace_low and ordered == [0, 1, 2, 3, 12])


def rank_of(cards: Sequence[str], *, ace_low: bool = True) -> str:
    """The rank of five cards: `full_house`; `high_card` where they are not even a pair."""
    ranks = [LOW_TO_HIGH.index(card[0]) for card in cards]
    flush = len({card[1] for card in cards}) == 1
    in_order = straight(ranks, ace_low=ace_low)
    if flush and in_order:
        return "royal_flush" if sorted(ranks)[0] == 8 else "straight_flush"
    alike = sorted(Counter(ranks).values(), reverse=True)
    if alike[0] == 4:
        return "four_of_a_kind"
    if alike[:2] == [3, 2]:
        return "full_house"
    if flush:
        return "flush"
    if in_order:
        return "straight"
    if alike[0] == 3:
        return "three_of_a_kind"
    if alike[:2] == [2, 2]:
        return "two_pairs"
    return "one_pair" if alike[0] == 2 else HIGH_CARD


def qualifies(cards: Sequence[str], *, ace_low: bool = True) -> bool:
    """Whether a hand is ace, king, four, three and two, or better: any pair or more, or an ace with a king."""
    return rank_of(cards, ace_low=ace_low) != HIGH_CARD or {"A", "K"} <= {card[0] for card in cards}
