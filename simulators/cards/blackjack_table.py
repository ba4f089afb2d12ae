"""Simulated blackjack: what the dealer holds is decided here once more, from 13:47-20.22(g)10v and 20.30(f)."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import ClassVar, Final

from simulators.cards.card_table import ANNOUNCE, DRAW, Deal, Dealing, Order, Step
from simulators.cards.faults import CardFault

ALL_BUST: Final = "every_player_busts"
PARTS: Final = 3
FAULTS: Final = (
    CardFault(
        name=ALL_BUST,
        explanation="Every player draws too much: the dealer discards the own cards unseen.",
        expected="The outcome, without the dealer's hand.",
    ),
)
"""What can go wrong at blackjack alone."""


def count(cards: Sequence[str]) -> int:
    """The best count of a hand: each ace one or eleven."""
    counts = {0}
    for card in cards:
        worth = (1, 11) if card[0] == "A" else (10,) if card[0] in "TJQK" else (int(card[0]),)
        counts = {so_far + one for so_far in counts for one in worth}
    low = [one for one in counts if one <= 21]
    return max(low) if low else min(counts)


class BlackjackDeal:
    """One round of blackjack."""

    least: ClassVar[int] = 4
    most: ClassVar[int] = 40

    def __init__(self, rng: Random, fault: str, *, shown: bool = True) -> None:
        """`shown` is whether the controller publishes the dealer's hand; otherwise the dealer announces the end."""
        self._hands = rng.randint(1, 4)
        self._draws = rng.randint(0, 2 * self._hands)
        self._bust = fault == ALL_BUST
        self._shown = shown

    def before(self) -> Sequence[Order]:
        """The dealer declares the hands."""
        return (Order("hands", (("count", str(self._hands)),)),)

    def next(self, cards: Sequence[str], acts: int) -> Step | None:
        """Two cards for each hand and the dealer, what players draw, and the dealer's cards to 17."""
        if len(cards) < self._initial:
            return DRAW
        if self._bust:
            if acts:
                return None
            return DRAW if len(cards) < self._initial + self._drawn(cards) else Order("all_bust")
        if acts == 0:
            return DRAW if len(cards) < self._initial + self._drawn(cards) else ANNOUNCE
        if count(self._dealer(cards)) < 17:
            return DRAW
        return ANNOUNCE if acts == 1 and not self._shown else None

    def truth(self, cards: Sequence[str]) -> tuple[str, ...]:
        """The dealer's cards."""
        return () if self._bust or not self._shown else tuple(self._dealer(cards))

    def reasons(self, cards: Sequence[str]) -> tuple[str, ...]:
        """None: the dealer's hand follows from the cards."""
        return ()

    @property
    def _initial(self) -> int:
        return 2 * (self._hands + 1)

    def _drawn(self, cards: Sequence[str]) -> int:
        """Nobody draws against a natural."""
        return 0 if count(self._two(cards)) == 21 else self._draws

    def _two(self, cards: Sequence[str]) -> list[str]:
        return [cards[self._hands], cards[self._initial - 1]]

    def _dealer(self, cards: Sequence[str]) -> list[str]:
        return [*self._two(cards), *cards[self._initial + self._drawn(cards) :]]


class MultiActionDeal:
    """One round of multi-action blackjack."""

    least: ClassVar[int] = 3
    most: ClassVar[int] = 60

    def __init__(self, rng: Random, fault: str, *, shown: bool = True) -> None:
        """`shown` is as at blackjack."""
        self._hands = rng.randint(1, 4)
        self._draws = rng.randint(0, 2 * self._hands)
        self._bust = fault == ALL_BUST
        self._shown = shown

    def before(self) -> Sequence[Order]:
        """The dealer declares the hands."""
        return (Order("hands", (("count", str(self._hands)),)),)

    def next(self, cards: Sequence[str], acts: int) -> Step | None:
        """Two cards for each hand and one for the dealer, what players draw, and three times the dealer's cards."""
        if len(cards) < self._initial + self._draws:
            return DRAW
        if self._bust:
            return Order("all_bust") if not acts else None
        parts = self._parts(cards)
        if acts == 0:
            return ANNOUNCE
        if not self._shown:
            whole = len(parts) == PARTS and count(parts[-1]) >= 17
            return DRAW if not whole else ANNOUNCE if acts == 1 else None
        if len(parts) < acts or count(parts[acts - 1]) < 17:
            return DRAW
        return ANNOUNCE if acts < PARTS else None

    def truth(self, cards: Sequence[str]) -> tuple[str, ...]:
        """The dealer's three hands, with a stroke between them."""
        if self._bust or not self._shown:
            return ()
        return tuple("-/-".join("-".join(part) for part in self._parts(cards)).split("-"))

    def reasons(self, cards: Sequence[str]) -> tuple[str, ...]:
        """None: the dealer's hands follow from the cards."""
        return ()

    @property
    def _initial(self) -> int:
        return 2 * self._hands + 1

    def _parts(self, cards: Sequence[str]) -> list[list[str]]:
        first, parts = cards[self._hands], list[list[str]]()
        for card in cards[self._initial + self._draws :]:
            if not parts or count(parts[-1]) >= 17:
                parts.append([first])
            parts[-1].append(card)
        return parts


class DeterminantDeal:
    """A round at a double shoe: its first card chooses the compartment, and belongs to no hand."""

    def __init__(self, deal: Deal) -> None:
        self._deal = deal
        self.least = deal.least + 1
        self.most = deal.most + 1

    def before(self) -> Sequence[Order]:
        """As the deal."""
        return self._deal.before()

    def next(self, cards: Sequence[str], acts: int) -> Step | None:
        """The determinant card, then the deal."""
        return self._deal.next(cards[1:], acts) if cards else DRAW

    def truth(self, cards: Sequence[str]) -> tuple[str, ...]:
        """That of the cards after the first."""
        return self._deal.truth(cards[1:])

    def reasons(self, cards: Sequence[str]) -> tuple[str, ...]:
        """As the deal."""
        return self._deal.reasons(cards[1:])


def dealing_of(*, hole_card: bool, shown: bool, determinant: bool) -> Dealing:
    """What begins a round: of blackjack, which has a hole card, or multi-action; at a double shoe or another."""
    kind: type[BlackjackDeal | MultiActionDeal] = BlackjackDeal if hole_card else MultiActionDeal

    def begin(rng: Random, fault: str) -> Deal:
        deal = kind(rng, fault, shown=shown)
        return DeterminantDeal(deal) if determinant else deal

    return begin
