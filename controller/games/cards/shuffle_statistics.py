"""Whether a shuffler that opens its orders shuffles well: a warning, never a verdict.

    positions   which cards came in each quarter of the stack, chi-squared over a window of orders
    guesses     how many cards somebody guesses who knows the order in which they went in

The guessing test finds shelf shufflers (Diaconis, Fulman and Holmes, Analysis of casino shelf shuffling machines):
the order that comes out is made of runs up and down the order that went in, so whoever guesses the next card of the run
is right about 9.5 times in a deck, where 4.5 are expected. Whatever is guessed among the m cards that are left, a fair
shuffle makes it right with the chance 1/m, whatever happened before. So the number of right guesses is a sum of
independent trials, and its distribution is exact; nothing is approximated, and no order that is held against a fair
shuffle gives a false alarm more often than stated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final

from controller.table.bias import FALSE_ALARM, BiasWatch
from feed.fairness import Sample, Test

WINDOW: Final = 200
"""Orders that a look looks at (ours)."""
EVERY: Final = 20
"""Orders between two looks (ours): one bad order proves nothing."""
QUARTERS: Final = ("first quarter", "second quarter", "third quarter", "last quarter")


class ShufflePlan:
    """What is counted of each order: which cards were in which quarter; see `controller.table.bias.Plan`."""

    device = "shuffler"

    def __init__(self, stack: Sequence[str]) -> None:
        """`stack` are the cards of a batch, in any order."""
        cards = Counter(stack)
        shares: dict[int | str, float] = {card: count / len(stack) for card, count in sorted(cards.items())}
        self.tests = [Test(quarter, shares) for quarter in QUARTERS]

    def samples(self, result: Mapping[str, Any]) -> Sequence[Sample]:
        """One sample for each card: the quarter in which it lay."""
        cards: Sequence[str] = result["cards"]
        return [{QUARTERS[4 * place // len(cards)]: card} for place, card in enumerate(cards)]


def right_guesses(before: Sequence[str], after: Sequence[str]) -> int:
    """How many cards of an order are guessed by who knows the one before and sees each card once it is dealt.

    The guess is the next card, among those that are left, of the run that is on: up or down the order before.

    Raises:
        ValueError: a card is there twice, or the two orders have not the same cards.
    """
    places = {card: place for place, card in enumerate(before)}
    if len(places) != len(before) or sorted(before) != sorted(after):
        raise ValueError("expected two orders of the same cards, each card once")
    left = sorted(places.values())
    last, up, right = -1, True, 0
    for card in after:
        place = places[card]
        later = next((one for one in left if one > last), None)
        earlier = next((one for one in reversed(left) if one < last), None)
        guess = later if (up and later is not None) or earlier is None else earlier
        right += guess == place
        up, last = place > last, place
        left.remove(place)
    return right


def chance_of(right: int, sizes: Sequence[int]) -> float:
    """The chance of this many right guesses or more in fair shuffles of decks of these sizes; exact."""
    return min(1.0, sum(_chances(tuple(sizes))[right:]))


@cache
def _chances(sizes: tuple[int, ...]) -> list[float]:
    """The chance of each number of right guesses; kept, for a shuffler's decks have one size."""
    chances = [1.0]
    for size in sizes:
        for left in range(1, size + 1):
            hit = 1 / left
            missed = [one * (1 - hit) for one in chances] + [0.0]
            for n, one in enumerate(chances):
                missed[n + 1] += one * hit
            chances = missed
    return chances


class ShuffleWatch:
    """The orders of one shuffler. It begins again with the service: nothing of it is journalled."""

    def __init__(
        self, stack: Sequence[str], *, window: int = WINDOW, every: int = EVERY, false_alarm: float = FALSE_ALARM
    ) -> None:
        """`stack` are the cards of a batch."""
        self._positions = BiasWatch(ShufflePlan(stack), window=window, every=every, false_alarm=false_alarm)
        self._window = window
        self._every = every
        self._reported_below = false_alarm * every / window
        self._distinct = len(set(stack)) == len(stack)
        self._orders = 0
        self._guesses: list[int] = []
        self._guessable = False

    def shuffled(self, before: Sequence[str] | None, after: Sequence[str]) -> list[tuple[str, str]]:
        """An order was opened; `before` is the one in which these cards went in, where it is known.

        Returns what a look finds, where it is time for one: a warning and its words.
        """
        self._orders += 1
        biases = self._positions.outcome(self._orders, {"cards": after})
        found = [("shuffler_bias", bias.detail) for bias in biases]
        if before is not None and self._distinct and sorted(before) == sorted(after):
            self._guesses = [*self._guesses, right_guesses(before, after)][-self._window :]
            if len(self._guesses) % self._every == 0:
                found += self._look(len(after))
        return found

    def _look(self, size: int) -> list[tuple[str, str]]:
        guesses = self._guesses[-self._every :]
        p = chance_of(sum(guesses), [size] * len(guesses))
        before, self._guessable = self._guessable, p < self._reported_below
        if before or not self._guessable:
            return []
        expected = sum(1 / left for left in range(1, size + 1))
        detail = (
            f"who knows the order that went in guesses {sum(guesses) / len(guesses):.1f} of {size} cards in the last "
            f"{len(guesses)} shuffles, {expected:.1f} expected; p {p:.1g} (reported below {self._reported_below:.1g}): "
            "runs of the old order survive, as in a shelf shuffler"
        )
        return [("shuffler_guessable", detail)]
