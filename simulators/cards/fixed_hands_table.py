"""Simulated Caribbean stud, let it ride and joker seven: which card goes where is decided here once more."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import ClassVar, Final

from simulators.cards.card_table import ANNOUNCE, DRAW, Order, Step
from simulators.cards.faults import CardFault

FACE_UP: Final = "face_up_card"
TWO_FACE_UP: Final = "two_face_up_cards"
MISDEALT: Final = "hand_misdealt"
DEALER_MISDEALT: Final = "dealer_misdealt"
STUD_FAULTS: Final = (
    CardFault(name=FACE_UP, explanation="A card is face up in the deck: it is discarded.", expected="The outcome."),
    CardFault(
        name=TWO_FACE_UP,
        explanation="Two cards are face up in the deck.",
        expected="Void: face_up_cards.",
        reasons=("face_up_cards",),
        has_result=False,
    ),
    CardFault(
        name=MISDEALT,
        explanation="A player is dealt a card too many, and the dealer reports it.",
        expected="Unresolved: hand_misdealt; the hand is void.",
        reasons=("hand_misdealt",),
    ),
    CardFault(
        name=DEALER_MISDEALT,
        explanation="The dealer is dealt a wrong number of cards.",
        expected="Void: dealer_misdeal.",
        reasons=("dealer_misdeal",),
        has_result=False,
    ),
)
"""What can go wrong at Caribbean stud alone: only its text speaks of it."""


class HandsDeal:
    """One round: this many cards for each hand, and for one other place where there is one."""

    least: ClassVar[int] = 4
    most: ClassVar[int] = 54
    each: ClassVar[int]
    shared: ClassVar[bool] = True
    announced: ClassVar[int] = 0
    jokers: ClassVar[bool] = False
    decks: ClassVar[tuple[str, ...]] = ()
    """The decks that alternate."""

    def __init__(self, rng: Random, fault: str, *, stacks: bool = False) -> None:
        """`stacks` is whether an automated shoe deals hand by hand."""
        self.hands = rng.randint(1, 5)
        self._fault = fault
        self._stacks = stacks

    def before(self) -> Sequence[Order]:
        """The dealer declares the hands, and may find a card face up at the mouth."""
        orders = [Order("hands", (("count", str(self.hands)),))]
        found = {FACE_UP: 1, TWO_FACE_UP: 2}.get(self._fault, 0)
        return [*orders, *[Order("face_up_card", (("card", "next"),))] * found]

    def next(self, cards: Sequence[str], acts: int) -> Step | None:
        """All cards, then what is turned."""
        used = len(self._used(cards))
        if self._fault == TWO_FACE_UP:
            return None
        if self._fault == DEALER_MISDEALT and used == 3:
            return None if acts else Order("misdeal", (("hand", "dealer"),))
        if used < self.whole + (self._fault == MISDEALT):
            return DRAW
        steps = [Order("misdeal", (("hand", "1"),))] if self._fault == MISDEALT else []
        turns: list[Step] = [*steps, *[ANNOUNCE] * (1 if steps else self.announced)]
        return turns[acts] if acts < len(turns) else None

    def truth(self, cards: Sequence[str]) -> tuple[str, ...]:
        """The cards of the place beside the hands, in the order of the deal."""
        return tuple(self.held(cards, self.hands))

    def held(self, cards: Sequence[str], place: int) -> list[str]:
        """The cards of one place, the hands from 0 on and what they share after them, in the order of the deal."""
        used, every = self._used(cards)[: self.whole], self.hands + self.shared
        return used[place * self.each : (place + 1) * self.each] if self._stacks else used[place::every]

    def reasons(self, cards: Sequence[str]) -> tuple[str, ...]:
        """None: every card has its place."""
        return ()

    @property
    def whole(self) -> int:
        """Cards of the round."""
        return self.each * (self.hands + self.shared)

    def _used(self, cards: Sequence[str]) -> list[str]:
        return [*cards[1:]] if self._fault == FACE_UP else [*cards]


class CaribbeanStudDeal(HandsDeal):
    """Five cards each, and the dealer's hand."""

    least = 6
    each = 5
    announced = 1
    decks = ("one", "two")


class LetItRideDeal(HandsDeal):
    """Three cards each, and the community cards, of which the first is burned."""

    each = 3
    announced = 2
    decks = ("red", "blue")

    def truth(self, cards: Sequence[str]) -> tuple[str, ...]:
        """The two that are turned."""
        return super().truth(cards)[1:]


class JokerSevenDeal(HandsDeal):
    """Seven cards each, face up."""

    each = 7
    shared = False
    jokers = True

    def truth(self, cards: Sequence[str]) -> tuple[str, ...]:
        """Every hand, one after the other."""
        return tuple(card for hand in range(self.hands) for card in self.held(cards, hand))


DEALS: Final[dict[str, type[HandsDeal]]] = {
    "caribbean_stud": CaribbeanStudDeal,
    "let_it_ride": LetItRideDeal,
    "joker_seven": JokerSevenDeal,
}
