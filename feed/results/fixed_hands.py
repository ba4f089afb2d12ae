"""What Caribbean stud, let it ride and joker seven publish: the cards that were exposed to everybody."""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

Rank = Literal[
    "royal_flush",
    "straight_flush",
    "four_of_a_kind",
    "full_house",
    "flush",
    "straight",
    "three_of_a_kind",
    "two_pairs",
    "one_pair",
    "high_card",
]


class StudHand(msgspec.Struct, frozen=True, kw_only=True):
    """The dealer's five cards."""

    cards: Annotated[list[str], Meta(min_length=5, max_length=5)]
    """Rank and suit of each, in the order of the deal: `9s`, `Td`."""
    rank: Rank
    """The rank of the hand."""
    qualifies: bool
    """Whether it is ace, king, four, three and two, or better."""


class CaribbeanStudResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The dealer's hand; no player's hand is read."""

    dealer: StudHand | None = None
    """Left out where the shoe reads no cards."""
    void_hands: list[int] = []
    """The hands that are void for a wrong number of cards, counted from the dealer's left."""


class LetItRideResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The two community cards; no player's hand is read."""

    community: Annotated[list[str], Meta(min_length=2, max_length=2)] | None = None
    """Left out where the shoe reads no cards."""
    void_hands: list[int] = []
    """The hands that are void for a wrong number of cards, counted from the dealer's left."""


class SevenCards(msgspec.Struct, frozen=True, kw_only=True):
    """The seven cards of one hand, dealt face up."""

    cards: Annotated[list[str], Meta(min_length=7, max_length=7)]
    """Rank and suit of each, in the order of the deal; `JK` a joker."""
    red: Annotated[int, Meta(ge=0, le=7)]
    """How many are red."""
    black: Annotated[int, Meta(ge=0, le=7)]
    """How many are black."""
    jokers: Annotated[int, Meta(ge=0, le=2)]
    """How many are jokers: they have no colour."""


class JokerSevenResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Every hand, from the dealer's left."""

    hands: list[SevenCards] | None = None
    """Left out where the shoe reads no cards."""
    void_hands: list[int] = []
    """The hands that are void for a wrong number of cards, counted from the dealer's left."""


RESULTS: Final[dict[str, type[msgspec.Struct]]] = {
    "caribbean_stud": CaribbeanStudResult,
    "let_it_ride": LetItRideResult,
    "joker_seven": JokerSevenResult,
}
