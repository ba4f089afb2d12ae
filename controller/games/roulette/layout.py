"""The bets of a roulette layout, and which of them win in a pocket.

The boxes of the numbers are in twelve rows of three. On a double-zero layout the boxes of 0 and 00 share the side
above the first row, so that 0 touches 1 and 2, and 00 touches 2 and 3; on a single-zero layout 0 touches
1, 2 and 3. A double-zero wheel that is used as a single-zero wheel keeps the wagers of its layout: 20.32(i) changes
none of them, and a ball in 00 is "No spin". A split is on the line between two boxes, four numbers on a corner of four:

      0  |  00            0
    1 | 2 | 3         1 | 2 | 3
    4 | 5 | 6         4 | 5 | 6

Three numbers with a zero are those that the regulation names; 0-2-3 of a single-zero layout is not among them. A
house's own wheel has the wagers that its numbers can be laid out for; those with its zeros are the house's own bets.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from controller.games.roulette.rules import AMERICAN_AS_SINGLE_ZERO, HOUSE_WHEEL, WHEELS, ZEROS, RouletteRules, Wager
from controller.rules.cited import Cited, odds_words
from feed.data import WinningBet

ROW = 3
"""Numbers in a row, and columns on the layout."""
PARTS = ("1st", "2nd", "3rd")
"""The parts of the numbers that a dozen is a wager on: `1st 12`."""


class Bet(NamedTuple):
    """A bet: its name, the pockets it wins in, and the wager it is an instance of."""

    name: str
    pockets: frozenset[str]
    wager: Wager


class RouletteLayout:
    """The bets that a table's layout offers."""

    def __init__(self, rules: RouletteRules, wheel: str, *, seven_numbers: bool = False) -> None:
        """`wheel` is one of `WHEELS`; `seven_numbers` is whether the operator offers that wager.

        Raises:
            ValueError: an unknown wheel.
        """
        if wheel not in WHEELS:
            raise ValueError(f"wheel {wheel!r}: expected one of {', '.join(WHEELS)}")
        self.rules = rules
        self.wheel = wheel
        self.zeros = rules.zeros_of(wheel)
        self.bets = tuple(self._offered(self._bets(seven_numbers)))
        no_spin = ("00",) if wheel == AMERICAN_AS_SINGLE_ZERO else ()
        outcomes = (pocket for pocket in self._pockets() if pocket not in no_spin)
        self._winning: dict[str, tuple[WinningBet, ...] | None] = dict.fromkeys(outcomes)
        """The bets that win in each pocket, from when they are first asked for."""

    def winning(self, pocket: str) -> tuple[WinningBet, ...]:
        """Every bet that wins when the ball rests in `pocket`, in the order of the regulation, with its odds.

        Raises:
            KeyError: this wheel has no outcome in such a pocket (00 of a wheel used as a single-zero wheel).
        """
        if pocket not in self._winning:
            raise KeyError(f"pocket {pocket!r} is not an outcome on the wheel {self.wheel!r}")
        winning = self._winning[pocket]
        if winning is None:
            winning = self._winning[pocket] = self._winners(pocket)
        return winning

    def even_money_lost(self, pocket: str, zero_rule: str) -> Cited[str] | None:
        """What even-money wagers lose in `pocket`: `half` or `all` on a zero, None elsewhere."""
        if pocket not in self.zeros:
            return None
        return self.rules.lost_on_zero(self.wheel, zero_rule)

    def _pockets(self) -> tuple[str, ...]:
        return self.zeros + tuple(str(n) for n in range(1, self.rules.numbers.value + 1))

    def _winners(self, pocket: str) -> tuple[WinningBet, ...]:
        return tuple(
            WinningBet(bet.name, odds_words(bet.wager.odds.value)) for bet in self.bets if pocket in bet.pockets
        )

    def _offered(self, bets: Iterator[Bet]) -> Iterator[Bet]:
        """Those of the layout that the house offers, and its own."""
        if self.rules.offered is None:
            yield from bets
        else:
            wagers = [getattr(self.rules.wagers, name) for name in self.rules.offered.value]
            yield from (bet for bet in bets if any(bet.wager is wager for wager in wagers))
        for own in self.rules.own_bets:
            yield Bet(own.bet, frozenset(own.pockets), own.wager)

    @property
    def _own_wheel(self) -> bool:
        return self.wheel == HOUSE_WHEEL

    def _bets(self, seven_numbers: bool) -> Iterator[Bet]:
        wagers = self.rules.wagers
        for pocket in self._pockets():
            yield Bet(f"straight {pocket}", frozenset({pocket}), wagers.straight)
        yield from self._splits()
        yield from self._three_numbers()
        yield from self._four_numbers()
        first_five = self.rules.groups.first_five_numbers.value
        if self.zeros == ZEROS and not self._own_wheel:
            yield Bet("first five numbers", frozenset(first_five), wagers.first_five_numbers)
        for first in range(1, self._last - 2 * ROW + 2, ROW):
            yield self._span(f"six numbers {first}-{first + 5}", first, first + 5, wagers.six_numbers)
        if seven_numbers:
            numbers = frozenset(self.rules.groups.seven_numbers.value)
            yield Bet("seven numbers", numbers, wagers.seven_numbers)
        yield from self._outside()

    @property
    def _last(self) -> int:
        return self.rules.numbers.value

    def _splits(self) -> Iterator[Bet]:
        if self._own_wheel:
            pairs = []
        elif "00" in self.zeros:
            pairs = [("0", "00"), ("0", "1"), ("0", "2"), ("00", "2"), ("00", "3")]
        else:
            pairs = [("0", "1"), ("0", "2"), ("0", "3")]
        for number in range(1, self._last + 1):
            if number % ROW and number < self._last:
                pairs.append((str(number), str(number + 1)))
            if number + ROW <= self._last:
                pairs.append((str(number), str(number + ROW)))
        for first, second in pairs:
            yield Bet(f"split {first}-{second}", frozenset({first, second}), self.rules.wagers.split)

    def _three_numbers(self) -> Iterator[Bet]:
        groups = [
            group
            for group in self.rules.groups.three_numbers_with_zero.value
            if not self._own_wheel and ("00" in self.zeros or "00" not in group)
        ]
        groups += [(str(n), str(n + 1), str(n + 2)) for n in range(1, self._last - 1, ROW)]
        for group in groups:
            yield Bet(f"three numbers {'-'.join(group)}", frozenset(group), self.rules.wagers.three_numbers)

    def _four_numbers(self) -> Iterator[Bet]:
        for number in range(1, self._last - ROW):
            if number % ROW:
                group = [str(n) for n in (number, number + 1, number + ROW, number + ROW + 1)]
                yield Bet(f"four numbers {'-'.join(group)}", frozenset(group), self.rules.wagers.four_numbers)

    def _outside(self) -> Iterator[Bet]:
        wagers = self.rules.wagers
        numbers = range(1, self._last + 1)
        for column in range(1, ROW + 1):
            pockets = frozenset(str(n) for n in numbers if (n - column) % ROW == 0)
            yield Bet(f"column {column}", pockets, wagers.column)
        third, half = self._last // len(PARTS), self._last // 2
        for index, part in enumerate(PARTS):
            yield self._span(f"{part} {third}", third * index + 1, third * index + third, wagers.dozen)
        reds = frozenset(str(n) for n in self.rules.red_numbers.value)
        yield Bet("red", reds, wagers.red)
        yield Bet("black", frozenset(str(n) for n in numbers) - reds, wagers.black)
        yield Bet("odd", frozenset(str(n) for n in numbers if n % 2), wagers.odd)
        yield Bet("even", frozenset(str(n) for n in numbers if n % 2 == 0), wagers.even)
        yield self._span(f"1 to {half}", 1, half, wagers.low)
        yield self._span(f"{half + 1} to {self._last}", half + 1, self._last, wagers.high)

    @staticmethod
    def _span(name: str, first: int, last: int, wager: Wager) -> Bet:
        return Bet(name, frozenset(str(n) for n in range(first, last + 1)), wager)
