"""The books of a shoe: what has left it since its cards were shuffled, and what is still to be burned.

A card that leaves more often than its decks hold it, or that no deck of the game holds, came from elsewhere. Nothing
here names a card: it may not be exposed yet.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from hal.wording import counted


class ShoeDoubt(NamedTuple):
    """Why it is not proven which cards the shoe has given."""

    reason: str
    """A reason code."""
    detail: str
    """In words, what was seen. It names no card."""


class ShoeBook:
    """What is known of the cards of one shoe."""

    def __init__(self, deck: Sequence[str], decks: int) -> None:
        """`deck` are the cards of one deck, its jokers one by one."""
        self._held = Counter([*deck] * decks)
        self._decks = decks
        self._left: Counter[str] = Counter()
        """Cards that have left since the shuffle, or since nobody knows what left before."""
        self.dealt = 0
        """Cards that have left since then, read or not."""
        self.burn_due = 0
        """Cards to burn before any is dealt."""

    def shuffled(self, burn: int) -> None:
        """Shuffled cards are in the shoe, all of them, and this many are burned."""
        self._left.clear()
        self.dealt, self.burn_due = 0, burn

    def forget(self) -> None:
        """A card may have come back into the shoe, or it is another shoe: what has left proves nothing any more."""
        self._left.clear()
        self.dealt = 0

    def take(self, card: str | None) -> ShoeDoubt | None:
        """A card has left; None where nobody read it. Returns why it cannot be of these decks."""
        self.dealt += 1
        if self.dealt > self._held.total():
            whole = self._held.total()
            return ShoeDoubt(
                "card_count", f"{self.dealt} cards have left since the shuffle, and the decks have {whole}"
            )
        if card is None:
            return None
        if card not in self._held:
            return ShoeDoubt("foreign_card", "a card left the shoe that this game does not have")
        self._left[card] += 1
        if self._left[card] > self._held[card]:
            times, decks = counted(self._left[card], "time"), counted(self._decks, "deck")
            return ShoeDoubt("card_twice", f"one card has left {times} since the shuffle, and the shoe has {decks}")
        return None
