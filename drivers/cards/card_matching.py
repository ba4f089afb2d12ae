"""Passages past the barriers of a shoe and names on its link, held against each other: each proves the other.

    passage ──► name within `read_wait_s`    a card
    passage ──► no name                      a card that nobody read
    name ──► no passage                      a card that no barrier saw

The name comes once the card is in the way, within `read_wait_s` of its end, and before the next card is in the way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from drivers.base.driver import NEVER_NS
from drivers.cards.card_naming import NamedCard
from drivers.cards.card_wire import CUTTING_CARD, UNREAD
from drivers.cards.hidden_card import HiddenCard
from drivers.cards.observations import CardDealt, CuttingCardSeen

CardsOut: TypeAlias = Sequence[CardDealt | CuttingCardSeen]


class CardMatching:
    """The cards of one shoe with barriers."""

    def __init__(self, wait_ns: int) -> None:
        """Passage and name of one card come within `wait_ns`."""
        self._wait_ns = wait_ns
        self.out_ns: int | None = None
        """When a card left that no line has named yet."""
        self._named: NamedCard | None = None
        """A card that was named, and that the barriers have not seen leave yet."""

    @property
    def due_ns(self) -> int:
        """When one of the two should have come; `NEVER_NS` where none is awaited."""
        out_ns, named = self.out_ns, self._named
        if out_ns is None and named is None:
            return NEVER_NS
        first_ns = min(NEVER_NS if out_ns is None else out_ns, NEVER_NS if named is None else named.t_ns)
        return first_ns + self._wait_ns

    def due(self, t_ns: int) -> CardsOut:
        """It did not come: of the card that left no line, or of the card that was named no passage."""
        if self.out_ns is not None and self.out_ns + self._wait_ns <= t_ns:
            return self.unread(t_ns)
        return self._unseen(t_ns)

    def passed(self, began_ns: int, t_ns: int) -> CardsOut:
        """A card has left, in the way since `began_ns`: its name came meanwhile, or is still to come."""
        found = self.unread(t_ns)
        named = self._named
        if named is not None and named.t_ns >= began_ns:
            self._named = None
            return (*found, card_out(named, t_ns, t_ns))
        found = (*found, *self._unseen(t_ns))
        self.out_ns = t_ns
        return found

    def named(self, named: NamedCard, *, in_way: bool) -> CardsOut:
        """A card was named. Where one is `in_way`, the name may be that one's: then the last that left has none."""
        t_ns = named.t_ns
        found = self.unread(t_ns) if in_way else ()
        if self.out_ns is not None:
            left_ns, self.out_ns = self.out_ns, None
            return (*found, card_out(named, left_ns, t_ns))
        found = (*found, *self._unseen(t_ns))
        self._named = named
        return found

    def unread(self, t_ns: int) -> CardsOut:
        """The card that left, if there is one, has no line."""
        if self.out_ns is None:
            return ()
        left_ns, self.out_ns = self.out_ns, None
        detail = "a card left the shoe, and no line names it"
        return (CardDealt(t_ns=t_ns, card=None, left_ns=left_ns, doubt="card_unread", detail=detail),)

    def _unseen(self, t_ns: int) -> CardsOut:
        """The card that was named, if there is one, had no passage."""
        if self._named is None:
            return ()
        named, self._named = self._named, None
        detail = "a card was read, and the barriers saw none leave"
        card = None if named.card == UNREAD else HiddenCard(named.card, named.frame)
        return (CardDealt(t_ns=t_ns, card=card, left_ns=named.t_ns, doubt="card_unseen", detail=detail),)


def card_out(named: NamedCard, left_ns: int, t_ns: int) -> CardDealt | CuttingCardSeen:
    """A card that left and was named, at a time when both are known."""
    if named.card == CUTTING_CARD:
        return CuttingCardSeen(t_ns=t_ns)
    if named.card == UNREAD:
        detail = "the shoe could not read the card"
        return CardDealt(t_ns=t_ns, card=None, left_ns=left_ns, doubt="card_unread", detail=detail)
    return CardDealt(t_ns=t_ns, card=HiddenCard(named.card, named.frame), left_ns=left_ns)
