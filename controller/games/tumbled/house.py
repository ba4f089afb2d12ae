"""`[house]` of the games of cage and chute: payouts, ties, the middle, and dice with pictures."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from controller.games.dice.rules import FACES
from controller.games.tumbled.rules import TumbleSide
from controller.rules.cited import OURS
from controller.rules.house import HouseKeys, OwnOdds, Words, ours
from controller.rules.profile import Data

_Odds = Annotated[OwnOdds | None, Meta(examples=[[3, 2]], extra={"cite": OURS})]


class BeatTheDealerHouse(HouseKeys, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of `[house]` at beat the dealer."""

    odds: Annotated[_Odds, Meta(description="what the player's wager pays: [won, staked]; without it [1, 1]")] = None
    ties: Annotated[
        TumbleSide | None,
        Meta(description='who wins where both have the same total; without it "dealer"', extra={"cite": OURS}),
    ] = None

    def changes(self, section: Data) -> Data:
        """Odds and ties, marked as ours."""
        found = self.calls(section)
        return found | {key: ours(value) for key in ("odds", "ties") if (value := getattr(self, key)) is not None}


class ChuckALuckHouse(HouseKeys, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of `[house]` at chuck-a-luck."""

    symbols: Annotated[
        tuple[Words, ...],
        Meta(
            max_length=len(FACES),
            description="what the sides of the dice show in place of one to six spots, in that order: bets are named "
            "by it (crown and anchor)",
            examples=["crown"],
            extra={"cite": OURS},
        ),
    ] = ()
    odds_on_one: Annotated[
        _Odds, Meta(description="what a side pays that shows once: [won, staked]; without it [1, 1]")
    ] = None
    odds_on_two: Annotated[_Odds, Meta(description="that shows twice; without it [2, 1]")] = None
    odds_on_three: Annotated[_Odds, Meta(description="that shows three times; without it [3, 1]")] = None

    def problems(self) -> list[tuple[str, str, str]]:
        """What is wrong between the keys: key, what, fix."""
        if self.symbols and (len(self.symbols) != len(FACES) or len(set(self.symbols)) != len(FACES)):
            wrong = f"names {len(set(self.symbols))} different sides, and a die has {len(FACES)}"
            return [("symbols", wrong, f"name {len(FACES)}, each once, in the order of one to six spots")]
        return []

    def changes(self, section: Data) -> Data:
        """Symbols and odds, marked as ours."""
        found = self.calls(section)
        if self.symbols:
            found["symbols"], found["layout"] = ours(self.symbols), ours(self.symbols)
        keys = ("odds_on_one", "odds_on_two", "odds_on_three")
        return found | {key: ours(value) for key in keys if (value := getattr(self, key)) is not None}


class UnderOverOdds(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`odds` of `[house]` at under/over: each `[won, staked]`."""

    under: Annotated[_Odds, Meta(description="of a total under the middle")] = None
    over: Annotated[_Odds, Meta(description="of a total over the middle")] = None
    middle: Annotated[_Odds, Meta(description="of the middle itself")] = None


class UnderOverHouse(HouseKeys, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of `[house]` at under/over."""

    middle: Annotated[
        Annotated[int, Meta(ge=3, le=11)] | None,
        Meta(description="the total between under and over; without it 7", examples=[7], extra={"cite": OURS}),
    ] = None
    odds: Annotated[
        UnderOverOdds,
        Meta(description="what each space pays: { under, over, middle }; without them 1 to 1, 1 to 1, 4 to 1"),
    ] = UnderOverOdds()

    def changes(self, section: Data) -> Data:
        """The middle and the odds, marked as ours."""
        found = self.calls(section)
        middle = section["middle"]["value"] if self.middle is None else self.middle
        for space, bet, odds in (
            ("under", f"under {middle}", self.odds.under),
            ("over", f"over {middle}", self.odds.over),
            ("seven", f"{middle}", self.odds.middle),
        ):
            found[space] = {"bet": bet} | ({} if odds is None else {"odds": ours(odds)})
        spaces = [found["over"]["bet"], found["under"]["bet"], found["seven"]["bet"]]
        return found | {"middle": ours(middle), "layout": ours(spaces)}
