"""What a text says of blackjack: its hands, and when the dealer draws."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct, field

from controller.games.cards.rules import CardRules
from controller.rules.cited import Cited

Ties: TypeAlias = Literal["push", "push_on_naturals", "house_wins"]
"""How ties between the dealer and a player are resolved: one of the three options, which the table posts."""


class TiesRule(Struct, frozen=True, forbid_unknown_fields=True):
    """One of these options, in the words that are posted."""

    tie: Cited[str]
    natural: Cited[str]
    """What a player's natural pays under it."""


class BlackjackRules(CardRules, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one text says of blackjack or multi-action blackjack. The fields carry their citations."""

    parts: Cited[int]
    """How often the dealer completes a hand in one round, each time with the same first card."""
    hole_card: Cited[bool]
    """Whether the dealer's second card is dealt face down before the players draw."""
    most_hands: Cited[int]
    """Betting positions on the layout."""
    dealer_stays: Cited[int]
    """The count from which on the dealer stays, soft or not."""
    all_bust: Cited[str] | None = None
    """What the dealer does where every player is bust; None where the text is silent."""
    dealer_bust: Cited[str]
    """What is paid where the dealer's count exceeds 21."""
    ties: dict[Ties, TiesRule] = field(default_factory=dict)
    """The options that the text gives the organization; empty where it gives none."""

    def to_post(self, ties: Ties) -> tuple[Cited[str], ...]:
        """The notices of a table that resolves ties so."""
        chosen = self.ties.get(ties)
        return (*(() if chosen is None else (chosen.tie, chosen.natural)), *self.odds.values())
