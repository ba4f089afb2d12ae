"""The fifty lit areas of a sic bo layout, and which of them three dice light.

Every area has a fixed number, its place on the lamp chain (ours: in the order of the payout table, 9.4(b)):

     1-6   three of a kind 1-6        14-27  total value of 4-17       43     small
     7-12  two of a kind 1-6          28-42  two dice 1-2 … 5-6        44     big
    13     any three of a kind                                         45-50  one of a kind 1-6

Three different values light 8 areas, a pair 6, a triple 4; a triple of 1 or 6 lights 3, as totals 3 and 18 have no
area. Where two of a kind wins on a triple too, a triple lights one more. An area is lit if and only if its wager wins.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final, Literal, NamedTuple, TypeAlias

from controller.games.dice.rules import FACES, Dice
from controller.games.sic_bo.rules import SicBoRules, SicBoWager, SmallOrBig
from controller.rules.cited import HOUSE_RULE
from feed.data import WinningBet

AreaKind: TypeAlias = Literal[
    "three_of_a_kind",
    "two_of_a_kind",
    "any_three_of_a_kind",
    "total",
    "two_dice",
    "small",
    "big",
    "one_of_a_kind",
]

TOTALS: Final = range(4, 18)
"""The totals that have an area."""


class Area(NamedTuple):
    """One lit area of the layout."""

    number: int
    """Its place on the lamp chain, from 1."""
    name: str
    """The wager that is placed on it: `two dice 2-5`."""
    kind: AreaKind
    values: Dice
    """The values that it names; for a total, the total; none for small, big and any three of a kind."""


def _named() -> Iterator[tuple[str, AreaKind, Dice]]:
    """The areas in the order of their numbers."""
    for value in FACES:
        yield f"three of a kind {value}", "three_of_a_kind", (value,)
    for value in FACES:
        yield f"two of a kind {value}", "two_of_a_kind", (value,)
    yield "any three of a kind", "any_three_of_a_kind", ()
    for total in TOTALS:
        yield f"total value of {total}", "total", (total,)
    for low, high in combinations(FACES, 2):
        yield f"two dice {low}-{high}", "two_dice", (low, high)
    yield "small", "small", ()
    yield "big", "big", ()
    for value in FACES:
        yield f"one of a kind {value}", "one_of_a_kind", (value,)


AREAS: Final = tuple(Area(number, *named) for number, named in enumerate(_named(), 1))
"""The areas, in the order of the lamp chain."""


class SicBoLayout:
    """The areas of a table, by the rules that it plays by."""

    def __init__(self, rules: SicBoRules, *, two_of_a_kind_on_triple: bool | None = None) -> None:
        """`two_of_a_kind_on_triple` is the house's reading of what the texts leave open; None takes the profile's."""
        self.rules = rules
        choice = rules.wagers.two_of_a_kind_on_triple.value
        self.two_of_a_kind_on_triple = choice if two_of_a_kind_on_triple is None else two_of_a_kind_on_triple
        self._total_odds = {total.total: total.odds.value for total in rules.wagers.totals}

    def lit(self, dice: Sequence[int]) -> tuple[Area, ...]:
        """The areas that three dice light, in the order of their numbers.

        Raises:
            ValueError: these are not three dice.
        """
        shown = self.rules.checked(dice)
        return tuple(area for area in AREAS if self._wins(area, shown))

    def winning(self, dice: Sequence[int]) -> tuple[WinningBet, ...]:
        """The wagers of the areas that are lit, with their odds.

        Raises:
            ValueError: these are not three dice.
        """
        return tuple(WinningBet(area.name, self._odds(area, tuple(dice))) for area in self.lit(dice))

    def pays(self, dice: Sequence[int]) -> tuple[list[WinningBet], list[str]]:
        """The wagers of the areas that these dice light; of a triple with our reading of two of a kind.

        Raises:
            ValueError: these are not three dice.
        """
        winning = [WinningBet(bet.bet, bet.odds) for bet in self.winning(dice)]
        reading = self.rules.wagers.two_of_a_kind_on_triple
        if len({*dice}) > 1 or not reading.ours:
            return winning, []
        wins = "wins" if self.two_of_a_kind_on_triple else "does not win"
        return winning, [f"{HOUSE_RULE}: two of a kind {wins} on a triple: {reading.note}"]

    def _wins(self, area: Area, dice: Dice) -> bool:
        triple = len(set(dice)) == 1
        if area.kind == "three_of_a_kind":
            return triple and dice[0] == area.values[0]
        if area.kind == "two_of_a_kind":
            shown = dice.count(area.values[0])
            return shown == 2 or (shown == 3 and self.two_of_a_kind_on_triple)
        if area.kind == "any_three_of_a_kind":
            return triple
        if area.kind == "total":
            return sum(dice) == area.values[0]
        if area.kind == "small":
            return not triple and sum(dice) in self.rules.wagers.small.totals.value
        if area.kind == "big":
            return not triple and sum(dice) in self.rules.wagers.big.totals.value
        return all(value in dice for value in area.values)  # two dice, one of a kind

    def _odds(self, area: Area, dice: Dice) -> str:
        wagers = self.rules.wagers
        if area.kind == "total":
            return self._total_odds[area.values[0]].in_words()
        if area.kind == "one_of_a_kind":
            one = wagers.one_of_a_kind
            by_count = (one.odds, one.odds_on_two, one.odds_on_three)
            return by_count[dice.count(area.values[0]) - 1].value.in_words()
        fixed: dict[AreaKind, SicBoWager | SmallOrBig] = {
            "three_of_a_kind": wagers.three_of_a_kind,
            "two_of_a_kind": wagers.two_of_a_kind,
            "any_three_of_a_kind": wagers.any_three_of_a_kind,
            "two_dice": wagers.two_dice_combination,
            "small": wagers.small,
            "big": wagers.big,
        }
        return fixed[area.kind].odds.value.in_words()
