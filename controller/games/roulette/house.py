"""`[house]` of roulette: pockets, payouts, layout and turns of a wheel that is not the State's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from controller.rules.cited import OURS
from controller.rules.house import HouseKeys, Words, ours
from controller.rules.profile import Data

MOST_NUMBERS: Final = 60
ROW: Final = 3

Zero = Literal["0", "00", "000"]
_Odds = Annotated[Annotated[int, Meta(ge=1, le=10_000)] | None, Meta(examples=[35], extra={"cite": OURS})]


class HouseOdds(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`odds` of `[house]`: what each wager that is offered pays to 1."""

    straight: Annotated[_Odds, Meta(description="one pocket")] = None
    split: Annotated[_Odds, Meta(description="two numbers side by side")] = None
    three_numbers: Annotated[_Odds, Meta(description="a row of three")] = None
    four_numbers: Annotated[_Odds, Meta(description="four at a corner")] = None
    six_numbers: Annotated[_Odds, Meta(description="two rows")] = None
    column: Annotated[_Odds, Meta(description="a column")] = None
    dozen: Annotated[_Odds, Meta(description="the first, second or third part of the numbers")] = None
    red: Annotated[_Odds, Meta(description="red")] = None
    black: Annotated[_Odds, Meta(description="black")] = None
    odd: Annotated[_Odds, Meta(description="odd")] = None
    even: Annotated[_Odds, Meta(description="even")] = None
    low: Annotated[_Odds, Meta(description="the lower half of the numbers")] = None
    high: Annotated[_Odds, Meta(description="the upper half")] = None

    @property
    def given(self) -> dict[str, int]:
        """Those that are given."""
        found = {name: getattr(self, name) for name in self.__struct_fields__}
        return {name: odds for name, odds in found.items() if odds is not None}


class HouseBet(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One entry of `bets` in `[house]`: a bet of the house's own."""

    bet: Annotated[Words, Meta(description="its name on the layout", examples=["top line"])]
    pockets: Annotated[tuple[str, ...], Meta(min_length=1, max_length=MOST_NUMBERS, description="where it wins")]
    odds: Annotated[int, Meta(ge=1, le=10_000, description="what it pays to 1", examples=[6])]


class RouletteHouse(HouseKeys, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of `[house]` at roulette."""

    zeros: Annotated[
        tuple[Zero, ...],
        Meta(description='the zeros of a wheel of pockets = "house"', examples=["0"], extra={"cite": OURS}),
    ] = ()
    numbers: Annotated[
        Annotated[int, Meta(ge=2, le=MOST_NUMBERS)] | None,
        Meta(description='the highest number of a wheel of pockets = "house"', examples=[24], extra={"cite": OURS}),
    ] = None
    red_numbers: Annotated[
        tuple[Annotated[int, Meta(ge=1, le=MOST_NUMBERS)], ...],
        Meta(
            max_length=MOST_NUMBERS,
            description="the red ones; without it the customary ones of a wheel of up to 36 numbers",
            examples=[1],
            extra={"cite": OURS},
        ),
    ] = ()
    odds: Annotated[
        HouseOdds | None,
        Meta(
            description="what each wager pays to 1, such as { straight = 20 }: a wager that is not in it is not "
            "offered; without it every wager of the layout is, at our odds"
        ),
    ] = None
    bets: Annotated[
        tuple[HouseBet, ...],
        Meta(max_length=60, description="bets of the house's own, with zeros or without: { bet, pockets, odds }"),
    ] = ()
    minimum_revolutions: Annotated[
        Annotated[int, Meta(ge=1, le=8)] | None,
        Meta(description="complete revolutions of the ball; without it 4", examples=[3], extra={"cite": OURS}),
    ] = None

    @property
    def pockets(self) -> tuple[str, ...]:
        """The pockets of a wheel of the house's own; empty where the wheel is a customary one."""
        return (*self.zeros, *(str(one) for one in range(1, self.numbers + 1))) if self.numbers else ()

    def problems(self) -> list[tuple[str, str, str]]:
        """What is wrong between the keys: key, what, fix."""
        found: list[tuple[str, str, str]] = []
        if self.zeros and self.numbers is None:
            found.append(("numbers", "is missing, and zeros need it", "add the highest number: numbers = 36"))
        if len(set(self.zeros)) < len(self.zeros):
            found.append(("zeros", "names a zero twice", "name each once"))
        last = self.numbers or 36
        if last > 36 and not self.red_numbers:
            wrong = f"is missing, and the custom has no colours for {last} numbers"
            found.append(("red_numbers", wrong, "list the red numbers"))
        outside = sorted(one for one in self.red_numbers if one > last)
        if outside:
            wrong = f"names {', '.join(map(str, outside))}, and the highest number is {last}"
            found.append(("red_numbers", wrong, "list numbers of the wheel alone"))
        if len(set(self.red_numbers)) < len(self.red_numbers):
            found.append(("red_numbers", "names a number twice", "name each once"))
        for name in () if self.odds is None else sorted(set(self.odds.given) & unlaid(last)):
            wrong = f"{last} numbers cannot be laid out for it"
            found.append((f"odds.{name}", wrong, "remove it, or list bets of your own under bets"))
        names = [one.bet for one in self.bets]
        found += [
            (f"bets[{index}].bet", f"{name!r} is listed before", "give each bet a name of its own")
            for index, name in enumerate(names)
            if name in names[:index]
        ]
        return found

    def against(self, order: Sequence[str]) -> list[tuple[int, str]]:
        """Whose pockets are not those of the wheel: the place of the bet, and what is wrong."""
        return [
            (index, f"{' and '.join(odd)} {'is' if len(odd) == 1 else 'are'} not on the wheel")
            for index, one in enumerate(self.bets)
            if (odd := sorted(set(one.pockets) - set(order)))
        ] + [
            (index, f"names {' and '.join(twice)} twice")
            for index, one in enumerate(self.bets)
            if (twice := [pocket for pocket, count in Counter(one.pockets).items() if count > 1])
        ]

    def changes(self, section: Data) -> Data:
        """Pockets, colours, wagers and turns, marked as ours."""
        found = self.calls(section)
        if self.minimum_revolutions is not None:
            found["minimum_revolutions"] = ours(self.minimum_revolutions)
        last = self.numbers or section["numbers"]["value"]
        if self.numbers is not None:
            found |= {"zeros": ours(self.zeros), "numbers": ours(last), "pockets": ours(len(self.pockets))}
        customary = section["red_numbers"]["value"]
        found["red_numbers"] = ours(self.red_numbers or [one for one in customary if one <= last])
        if self.odds is not None:
            found["offered"] = ours(tuple(self.odds.given))
            found["wagers"] = {name: {"odds": ours(odds)} for name, odds in self.odds.given.items()}
        elif self.numbers is not None:
            found["offered"] = ours(tuple(name for name in HouseOdds.__struct_fields__ if name not in unlaid(last)))
        if self.bets:
            found["own_bets"] = [
                {"bet": one.bet, "pockets": one.pockets, "wager": {"cite": OURS, "odds": ours(one.odds)}}
                for one in self.bets
            ]
        return found


def unlaid(numbers: int) -> set[str]:
    """The wagers for which this many numbers cannot be laid out in rows of three, three parts or two halves."""
    found = {"three_numbers", "six_numbers", "column", "dozen"} if numbers % ROW else set[str]()
    return found | ({"low", "high"} if numbers % 2 else set[str]())
