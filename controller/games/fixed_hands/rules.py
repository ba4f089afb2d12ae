"""What a text says of a game whose hands have a fixed number of cards."""

from __future__ import annotations

from controller.games.cards.progressive import ProgressiveRules
from controller.games.cards.rules import CardRules
from controller.rules.cited import Cited


class FixedHandsRules(CardRules, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one text says of such a game. The fields carry their citations."""

    cards_each: Cited[int]
    """Cards of each hand."""
    most_hands: Cited[int]
    """As many hands as can be dealt to players."""
    stacks: Cited[str]
    """In which order an automated shoe deals the hands."""
    misdeal: Cited[str] | None = None
    """What becomes of a hand that was dealt a wrong number of cards; None where the text is silent."""


class CaribbeanStudRules(FixedHandsRules, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one text says of Caribbean stud."""

    qualifies: Cited[str]
    ranks: Cited[tuple[str, ...]]
    """The hands from the highest to the lowest."""
    ace_low: Cited[bool]
    """Whether an ace may be below a two in a straight."""
    progressive: ProgressiveRules
    """What is paid to the progressive wager."""
