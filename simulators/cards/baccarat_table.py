"""Simulated baccarat.

Which hand draws is decided here once more, from the words of 13:47-20.20(e) and the table of punto banco.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import ClassVar

from simulators.cards.card_table import DRAW, Order, Step


class BaccaratDeal:
    """One round of baccarat."""

    least: ClassVar[int] = 4
    most: ClassVar[int] = 7

    def __init__(self, rng: Random, fault: str, *, by_table: bool = True) -> None:
        """`by_table` is whether the controller plays by the table of punto banco where the text is silent."""
        self._by_table = by_table

    def before(self) -> Sequence[Order]:
        """The dealer declares nothing."""
        return ()

    def next(self, cards: Sequence[str], acts: int) -> Step | None:
        """Cards, until both hands are complete."""
        return DRAW if draws([*cards]) else None

    def truth(self, cards: Sequence[str]) -> tuple[str, ...]:
        """The cards in the order of the deal."""
        return tuple(cards)

    def reasons(self, cards: Sequence[str]) -> tuple[str, ...]:
        """Where the text is silent and no table is played by, the dealer calls the round."""
        return ("no_text",) if not self._by_table and is_silent(tuple(cards)) else ()


# --- which hand draws, by the words of the text ---------------------------------------------------------------------


def points(*cards: str) -> int:
    """The point count of some cards."""
    worth = {"A": 1, "T": 0, "J": 0, "Q": 0, "K": 0}
    return sum(worth[card[0]] if card[0] in worth else int(card[0]) for card in cards) % 10


def draws(cards: list[str]) -> bool:
    """Whether another card is dealt after these, which are in the order of the deal."""
    if len(cards) < 4:
        return True
    player, banker = points(cards[0], cards[2]), points(cards[1], cards[3])
    if player >= 8 or banker >= 8:
        return False
    if len(cards) == 4:
        return player <= 5 or banker <= 5
    if len(cards) > 5 or player > 5:
        return False
    return banker_draws(banker, points(cards[4]))


def banker_draws(banker: int, third: int) -> bool:
    """Whether a banker of these points draws after the player drew a third card of this value."""
    if banker <= 2:
        return True
    if banker == 3:
        return third != 8
    first = {4: 2, 5: 4, 6: 6}.get(banker)
    return first is not None and first <= third <= 7


def is_silent(cards: tuple[str, ...]) -> bool:
    """Whether the text does not say if the banker draws: a banker of three to seven after the player drew."""
    player, banker = points(cards[0], cards[2]), points(cards[1], cards[3])
    return player <= 5 and 3 <= banker <= 7
