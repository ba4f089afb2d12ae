"""What the rules of every game of cards have in common: its cards, its calls, its inspection and its shuffle."""

from __future__ import annotations

from msgspec import field

from controller.games.cards.procedure import CardProcedure
from controller.rules.cited import Cited, RoundRules


class CardRules(RoundRules, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The rules of one text for a game of cards, as far as every such game has them. The fields carry citations."""

    section: str
    decks: Cited[int]
    """The least number of decks."""
    most_decks: Cited[int] | None = None
    """The greatest number of decks; None where the text has none."""
    cutting_cards: Cited[int] | None = None
    """How many are at the table; None where the text of the game has none."""
    burn: Cited[int] | None = None
    """Cards that are burned of shuffled cards, before any is dealt; None where the text has none burned."""
    relief: Cited[str] | None = None
    """What is done with the cards when a dealer relieves another; None where the text is silent."""
    face_up: Cited[str] | None = None
    """What is done with a card that is found face up among those to be dealt; None where the text is silent."""
    most_face_up: Cited[int] | None = None
    """With more such cards than these in a round, every hand is void; None where the text has no number."""
    reshuffles: tuple[Cited[str], ...] = ()
    """Reasons of a void round after which its cards are shuffled."""
    odds: dict[str, Cited[str]] = field(default_factory=dict)
    """What the dealer pays to hands that nobody reads, in the words that are posted at the table."""
    result_read: Cited[str]
    settlement: Cited[str]
    operator_classes: Cited[tuple[str, ...]]
    supervisor_classes: Cited[tuple[str, ...]]
    procedure: CardProcedure
    silent_on: tuple[str, ...]
