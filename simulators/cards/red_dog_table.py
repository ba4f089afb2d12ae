"""Simulated red dog: what a hand is, is decided here once more, from the words of 13:47-20.31(d)."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import ClassVar, Final

from simulators.cards.card_table import ANNOUNCE, DRAW, Order, Step
from simulators.cards.faults import CardFault

EARLY: Final = "third_card_exposed"
KEPT: Final = "third_card_unexposed"
FACE_UP: Final = "face_up_card"

FAULTS: Final = (
    CardFault(
        name=EARLY,
        explanation='A third card is drawn and exposed before "Raises closed"; it is discarded, and another is dealt.',
        expected="The outcome; a violation: card_before_raises_closed.",
        needs="call_button",
    ),
    CardFault(
        name=KEPT,
        explanation='A third card is drawn before "Raises closed" and not exposed: it is the next card.',
        expected="The outcome; a violation: card_before_raises_closed.",
        needs="call_button",
    ),
    CardFault(name=FACE_UP, explanation="A card is face up in the shoe: it is discarded.", expected="The outcome."),
)
"""What can go wrong at red dog alone."""
ORDER: Final = "23456789TJQKA"
"""The cards from the lowest to the highest."""


def apart(first: str, second: str) -> int:
    """How far two cards are apart."""
    return abs(ORDER.index(first[0]) - ORDER.index(second[0]))


class RedDogDeal:
    """One round of red dog."""

    least: ClassVar[int] = 2
    most: ClassVar[int] = 5

    def __init__(self, rng: Random, fault: str) -> None:
        self._fault = fault

    def before(self) -> Sequence[Order]:
        """A card is face up at the mouth, or the dealer has nothing to order."""
        return (Order("face_up_card", (("card", "next"),)),) if self._fault == FACE_UP else ()

    def next(self, cards: Sequence[str], acts: int) -> Step | None:
        """Two cards, and a third one where they are neither consecutive nor spoilt."""
        used = self._used(cards)
        if len(used) < 2:
            return DRAW
        if apart(*used[:2]) < 2:
            return DRAW if len(used) < 3 and apart(*used[:2]) == 0 else None
        if self._fault in (EARLY, KEPT):
            exposed = self._fault == EARLY
            order = Order("excess_card", (("use", "discard" if exposed else "next_card"),))
            steps: list[Step] = [DRAW, order, ANNOUNCE, *([DRAW] if exposed else [])]
            done = len(used) - 2 + acts
            return steps[done] if done < len(steps) else None
        if acts == 0:
            return ANNOUNCE
        return DRAW if len(used) < 3 else None

    def truth(self, cards: Sequence[str]) -> tuple[str, ...]:
        """The cards that are on the layout at the end."""
        used = self._used(cards)
        return tuple([*used[:2], used[-1]] if len(used) > 2 else used)

    def reasons(self, cards: Sequence[str]) -> tuple[str, ...]:
        """None: the text decides every hand."""
        return ()

    def _used(self, cards: Sequence[str]) -> list[str]:
        return [*cards[1:]] if self._fault == FACE_UP else [*cards]
