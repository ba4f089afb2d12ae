"""What a text says of red dog: its values, its announcements, and what a spread pays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Meta, Struct

from controller.games.cards.rules import CardRules
from controller.rules.cited import Cited, Odds
from feed.data import WinningBet


class SpreadOdds(Struct, frozen=True, forbid_unknown_fields=True):
    """What a spread pays."""

    spread: Annotated[int, Meta(ge=1, le=11)]
    odds: Cited[Odds]


class RedDogRules(CardRules, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one text says of red dog. The fields carry their citations."""

    values: Cited[str]
    consecutive: Cited[str]
    pair: Cited[str]
    """What is announced of a pair, before the third card."""
    three: Cited[str]
    """What is announced of three of a kind."""
    three_of_a_kind: Cited[Odds]
    no_three: Cited[str]
    raises_closed: Cited[str]
    """What is announced before a third card is dealt to a spread."""
    exposed_third_card: Cited[str]
    """What a player may do where a third card was exposed before that."""
    spreads: tuple[SpreadOdds, ...]
    """The spreads that pay odds of their own."""
    other_spreads: Cited[Odds]

    def winning(self, result: Mapping[str, Any]) -> list[WinningBet]:
        """The wagers that win: the original one, and on a spread the raise."""
        if not result.get("wins"):
            return []
        if result["kind"] == "three_of_a_kind":
            return [WinningBet("wager", self.three_of_a_kind.value.in_words())]
        own = [one.odds for one in self.spreads if one.spread == result["spread"]]
        odds = (own[0] if own else self.other_spreads).value.in_words()
        return [WinningBet("wager", odds), WinningBet("raise", odds)]

    def announcement(self, result: Mapping[str, Any]) -> list[str]:
        """What the dealer announces of a tie, for which the wagers are void, and of three of a kind."""
        if result["kind"] == "three_of_a_kind":
            return [f'"{self.three.value}" ({self.three.cite})']
        words = {"consecutive": self.consecutive, "pair": self.no_three}.get(result["kind"])
        return [] if words is None else [f'"{words.value}": all wagers are void ({words.cite})']
