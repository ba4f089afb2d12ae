"""The two hands of a round of baccarat, from the order of the cards: which hand the next card goes to, and which wins.

    card      1       2       3       4       5                    6
    for       player  banker  player  banker  player, if it draws  banker, if it draws
                                              banker, if only it draws

A card from two to nine counts as it shows, ten, jack, queen and king count nothing, an ace one; of a sum the right
digit counts. A hand of eight or nine in two cards is a natural, and no card is drawn against it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Final, Literal, NamedTuple, TypeAlias

BaccaratSide: TypeAlias = Literal["player", "banker"]
BaccaratWinner: TypeAlias = Literal["player", "banker", "tie"]

NATURAL: Final = (8, 9)
INITIAL: Final = 4
"""Cards that are dealt alternately before any is drawn."""


class Undecided(Enum):
    """Why no hand can be named for the next card."""

    COMPLETE = "both hands are complete"
    NO_TEXT = "the text does not say whether the banker draws"


class DrawingRules(NamedTuple):
    """When each hand draws a third card, by its total in two cards."""

    player: frozenset[int]
    """Totals at which the player draws."""
    banker_after_stand: frozenset[int]
    """Totals at which the banker draws where the player stands."""
    banker: frozenset[int]
    """Totals at which the banker draws whatever the player has drawn."""
    banker_by_third: Mapping[int, frozenset[int]] | None
    """For other totals, the values of the player's third card at which the banker draws, and at others stands; None
    where no table is played by: then nobody knows whether a banker of these totals draws."""
    banker_stands: frozenset[int]
    """Totals at which the banker stands whatever the player has drawn, by our table too."""


class Hands(NamedTuple):
    """The cards of both hands, in the order in which they were dealt."""

    player: tuple[str, ...] = ()
    banker: tuple[str, ...] = ()

    @property
    def dealt(self) -> int:
        """Cards of both hands together."""
        return len(self.player) + len(self.banker)

    def next(self, rules: DrawingRules) -> BaccaratSide | Undecided:
        """The hand that the next card goes to, or why there is none."""
        if self.dealt < INITIAL:
            return "player" if self.dealt % 2 == 0 else "banker"
        player, banker = total(self.player[:2]), total(self.banker[:2])
        if player in NATURAL or banker in NATURAL or len(self.banker) > 2:
            return Undecided.COMPLETE
        if len(self.player) == 2:
            if player in rules.player:
                return "player"
            return "banker" if banker in rules.banker_after_stand else Undecided.COMPLETE
        if banker in rules.banker:
            return "banker"
        if banker in rules.banker_stands:
            return Undecided.COMPLETE
        if rules.banker_by_third is None:
            return Undecided.NO_TEXT
        return "banker" if value(self.player[2]) in rules.banker_by_third[banker] else Undecided.COMPLETE

    def with_card(self, card: str, side: BaccaratSide) -> Hands:
        """The hands with one card more."""
        return (
            self._replace(player=(*self.player, card))
            if side == "player"
            else self._replace(banker=(*self.banker, card))
        )

    @property
    def winner(self) -> BaccaratWinner:
        """The hand that is nearest to nine."""
        player, banker = total(self.player), total(self.banker)
        return "tie" if player == banker else "player" if player > banker else "banker"


def value(card: str) -> int:
    """The point value of a card, named by its rank and suit: `9s`."""
    rank = card[0]
    return 1 if rank == "A" else int(rank) if rank.isdecimal() else 0


def total(cards: Sequence[str]) -> int:
    """The point count of a hand."""
    return sum(map(value, cards)) % 10


def hands_dealt(cards: Sequence[str], rules: DrawingRules) -> Hands | None:
    """The two complete hands that cards in the order of the deal make; None where they make none.

    Where the text does not say whether the banker draws, both are complete hands: the dealer knew what to do.
    """
    hands = Hands()
    for card in cards:
        side = hands.next(rules)
        if side is Undecided.COMPLETE:
            return None
        hands = hands.with_card(card, "banker" if side is Undecided.NO_TEXT else side)
    return hands if isinstance(hands.next(rules), Undecided) else None
