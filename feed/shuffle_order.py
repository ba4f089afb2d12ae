"""What an order of cards has kept of the one before: pairs, runs and places, each against what a fair shuffle keeps.

    before   A B C D E F G H        after   E A F B G C H D        one riffle
    pairs    neighbors of before, in either order, that are neighbors again
    runs     cards whose predecessor of before (or successor) came earlier: a riffle leaves two rising sequences
    places   the correlation of both places around a circle, so that a cut changes nothing

A fair shuffle makes every order of the cards equally likely. So of the cards that are left each is the next one alike,
and the chance that it continues a pair or a run is known before it comes, also where a shoe has a card eight times, or
where a card of the order before is not known, or known by its rank alone: see `feed.excess`. The correlation has an
exact mean square, and the square is distributed as the sum of two exponential variables, nearly; what is bounded has a
shorter tail.

A copy of a card is taken for the next of its copies that has not come yet, in the order before. With eight decks that
is wrong more often than right after a riffle, which costs runs their power, and pairs nearly none.
"""

from __future__ import annotations

from cmath import exp as turn
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby, pairwise, starmap
from math import log, pi, sqrt
from operator import eq, lt, mul
from typing import Any, Final, NamedTuple, TypeAlias

from .excess import Excess, mean_of_logs

ORDERS: Final = 10
"""Orders in a window (ours)."""
STRIKING: Final = 3.0
"""Deviations from the mean from which on an order is looked at closely (ours): no alarm has as few as four."""
JOKER: Final = "JK"
_CONJUGATE: Final = complex.conjugate
_EXPONENTIALS: Final = 2
"""Both ways round: places of an order, and of the reversed one."""

Known: TypeAlias = Sequence[str | None]
"""An order in which None is a card that is not known."""


class Kept(NamedTuple):
    """What was kept in a window, as soon as it is too much."""

    what: str
    """`pairs`, `runs` or `places`."""
    words: str


class OrderWatch:
    """The orders of one batch of cards or of many, in windows: each finds something once.

    The stakes on pairs and runs are worked out as soon as what was counted is clearly more than its mean, for all
    orders of the window: it saves time where nothing is wrong, and finds nothing that the stakes do not find.
    """

    def __init__(self, false_alarm: float, orders: int = ORDERS) -> None:
        """`false_alarm` is the chance that a window of fair shuffles finds anything, at most."""
        self._false_alarm = false_alarm
        self._window = orders
        self.judged = 0
        """Orders that were held against one before."""
        self._begin()

    def _begin(self) -> None:
        self.orders = 0
        """... in this window."""
        self.kept = self.expected = 0.0
        """Pairs of the window that were kept, and how many a fair shuffle keeps."""
        self._rising, self._steps = 0, 0
        self._square = 0.0
        self._pairs, self._up, self._down = Excess(), Excess(), Excess()
        self._waiting: list[tuple[Known, Sequence[str]]] = []
        """Orders of which no stake was worked out yet."""
        self._found = False

    def shuffled(self, before: Known, after: Sequence[str]) -> Kept | None:
        """Takes an order that came out, and the one that went in."""
        if self.orders == self._window:
            self._begin()
        self.judged += 1
        self.orders += 1
        before, after = alike(before, after)
        self._waiting.append((before, after))
        looked = Look(before, after)
        self.kept += looked.kept
        self.expected += looked.expected
        self._rising += looked.rising
        self._steps += looked.steps
        self._square += looked.square
        if self._found:
            return None
        kept = self._judged(looked)
        self._found = kept is not None
        return kept

    def _judged(self, looked: Look) -> Kept | None:
        """Each of the three has a third of the chance of a false alarm; of places half is for single orders."""
        third = self._false_alarm / 3
        enough = -log(third)
        of = f"in {self.orders} shuffle{'s' * (self.orders > 1)}, {self._fair}"
        striking = looked.is_striking or are_striking(self.kept, self.expected, self._rising, self._steps)
        if striking:
            self._stake()
        if striking and self._pairs.log_odds >= enough:
            return Kept("pairs", f"{_counts(self._pairs)} pairs of neighbors are neighbors again {of}")
        if striking and mean_of_logs((self._up.log_odds, self._down.log_odds)) >= enough:
            run = max(self._up, self._down, key=lambda one: one.log_odds)
            return Kept("runs", f"{_counts(run)} cards continue a run of the order before {of}")
        single = log_survival(looked.square, _EXPONENTIALS) < log(third / 2 / self._window)
        whole = self.orders == self._window
        if single or (whole and log_survival(self._square, _EXPONENTIALS * self._window) < log(third / 2)):
            return Kept("places", f"cards are near their places of the order before, up to a cut, {of}")
        return None

    def _stake(self) -> None:
        for before, after in self._waiting:
            self._pairs.take_each(*pairs_kept(before, after))
            self._up.take_each(*runs_kept(before, after))
            self._down.take_each(*runs_kept(before[::-1], after))
        self._waiting = []

    @property
    def _fair(self) -> str:
        return f"which fair shuffles give in {self._false_alarm:g} of windows at most"


class Look:
    """What an order has kept, counted without a loop of Python where all of it is known."""

    def __init__(self, before: Known, after: Sequence[str]) -> None:
        """Both have the same cards as often, or the order before has some that are not known."""
        self.kept = self.expected = 0.0
        """Pairs."""
        self.rising = self.steps = 0
        """Cards of the order before after which the next one comes later, and all that have a next one."""
        number = len(after)
        known = None not in before and len(before) == number
        cards: Any = before
        if known:
            # Copies are taken in their order.
            origin, ordered = _by_card(tuple(cards)), _by_card(tuple(after))
            known = all(map(eq, map(cards.__getitem__, origin), map(after.__getitem__, ordered)))
        self.square = places_kept(before, after)
        self.is_striking = not known
        """Whether it has to be looked at closely."""
        if not known:
            return
        places = [*map(dict(zip(origin, ordered, strict=True)).__getitem__, range(number))]
        self.rising = sum(map(lt, places, places[1:]))
        self.steps = number - 1
        beside = {*pairwise(cards), *zip(cards[1:], cards, strict=False)}
        self.kept = sum(map(beside.__contains__, pairwise(after)))
        copies = number / len(set(cards))
        same = sum(starmap(eq, beside))
        self.expected = (len(beside) * copies * copies - same * copies) / number
        self.is_striking = are_striking(self.kept, self.expected, self.rising, self.steps)


def are_striking(kept: float, expected: float, rising: int, steps: int) -> bool:
    """Whether pairs or runs are more than `STRIKING` deviations from their mean, nearly."""
    pairs = (kept - expected) / sqrt(expected) if expected else 0.0
    runs = abs(rising - steps / 2) / sqrt(steps / 12) if steps else 0.0
    return max(pairs, runs) > STRIKING


def _counts(of: Excess) -> str:
    return f"{of.hits} where {of.expected:.0f} are expected:"


def alike(before: Known, after: Sequence[str]) -> tuple[Known, Sequence[str]]:
    """Both orders by rank alone where a card of the one before is known without its suit, otherwise as they are."""
    if 1 not in map(len, filter(None, before)):
        return before, after
    return [None if card is None else _rank(card) for card in before], [_rank(card) for card in after]


def _rank(card: str) -> str:
    return card if card == JOKER else card[0]


def pairs_kept(before: Known, after: Sequence[str]) -> tuple[list[float], int]:
    """The chance of each card but the first to be a neighbor of the card before it in the order before too, and how
    many are."""
    beside: dict[str, set[str]] = {}
    for one, other in pairwise(before):
        if one is not None and other is not None:
            beside.setdefault(one, set()).add(other)
            beside.setdefault(other, set()).add(one)
    left, chances, kept = Counter(after), [], 0
    number = len(after)
    last: frozenset[str] | set[str] = frozenset()
    for card in after:
        chances.append(sum([left[one] for one in last]) / number)
        kept += card in last
        left[card] -= 1
        number -= 1
        last = beside.get(card, frozenset())
    return chances[1:], kept


def runs_kept(before: Known, after: Sequence[str]) -> tuple[list[float], int]:
    """The chance of each card to come after the one that preceded it in the order before, and how many do."""
    known = [card for card in before if card is not None]
    places: dict[str, list[int]] = {}
    for place, card in enumerate(known):
        places.setdefault(card, []).append(place)
    for copies in places.values():
        copies.reverse()  # the next one is at the end
    come = bytearray(len(known) + 1)
    left, chances, kept = Counter(after), [], 0
    number, ready, readies = len(after), 0, set[str]()
    for card in after:
        chances.append(ready / number)
        if card in readies:
            kept += 1
            ready -= 1
        left[card] -= 1
        number -= 1
        coming = places.get(card)
        if not coming:
            continue
        place = coming.pop()
        come[place] = 1
        now = bool(coming and coming[-1] and come[coming[-1] - 1])
        if card in readies and not now:
            readies.discard(card)
            ready -= left[card]
        elif card not in readies and now:
            readies.add(card)
            ready += left[card]
        following = known[place + 1] if place + 1 < len(known) else None
        if following is not None and following not in readies and places[following][-1:] == [place + 1]:
            readies.add(following)
            ready += left[following]
    return chances, kept


def places_kept(before: Known, after: Sequence[str]) -> float:
    """The square of the correlation of places around a circle, for an order and the reversed one together, as a
    multiple of its mean in fair shuffles.

    Both correlations vary together where the cards that are known were not all around: at worst as one exponential
    variable of a larger mean. The multiple is of that larger mean.
    """
    number = len(after)
    known, come, times = _middles(tuple(before)), _middles(tuple(after)), Counter(after)
    # A card counts by the middle of its places in the order before, or not at all where that is not known.
    cards = [card for card in come if card in known]
    scores = [*map(known.__getitem__, cards)]
    weights = [*map(mul, scores, map(times.__getitem__, cards))]
    middles = [*map(come.__getitem__, cards)]
    spread = sum(map(mul, weights, map(_CONJUGATE, scores))).real - abs(sum(weights)) ** 2 / number
    if spread < 1e-9 * number:
        return 0.0  # every card is everywhere alike: places tell nothing
    along = sum(map(mul, weights, map(_CONJUGATE, middles)))
    against = sum(map(mul, weights, middles))
    together = abs(sum(map(mul, weights, scores)) - sum(weights) ** 2 / number)
    return float((abs(along) ** 2 + abs(against) ** 2) * (number - 1) / (number * (spread + together)))


@lru_cache(maxsize=8)
def _middles(cards: tuple[str | None, ...]) -> dict[str, complex]:
    """The middle of the places of each card that is known, around a circle. An order is looked at twice: as it comes
    out, and as the one before."""
    circle_at, card_at, times = _circle(len(cards)).__getitem__, _item_of(cards), Counter(cards)
    if None in times:
        places = sorted([place for place, card in enumerate(cards) if card is not None], key=card_at)
    else:
        places = _by_card(cards)
    return {card: sum(map(circle_at, of), 0j) / times[card] for card, of in groupby(places, key=card_at)}


def _item_of(cards: tuple[str | None, ...]) -> Any:
    """What gives the card at a place, which is known there."""
    return cards.__getitem__


@lru_cache(maxsize=8)
def _by_card(cards: tuple[str | None, ...]) -> list[int]:
    """The places of cards that are all known, sorted by card, copies by place."""
    return sorted(range(len(cards)), key=_item_of(cards))


@lru_cache(maxsize=8)
def _circle(number: int) -> tuple[complex, ...]:
    """This many places around a circle."""
    return tuple(turn(2j * pi * place / number) for place in range(number))


def log_survival(value: float, exponentials: int) -> float:
    """The logarithm of the chance that this many exponential variables of mean 1 add up to a value or more."""
    term = total = 1.0
    for number in range(1, exponentials):
        term *= value / number
        total += term
    return log(total) - value
