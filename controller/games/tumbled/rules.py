"""One text of the games of cage and chute: beat the dealer, chuck-a-luck, under/over; and which bets win.

Beat the dealer has two tumbles a round, the dealer's first. The others have one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from msgspec import Struct

from controller.games.dice.rules import Count, DiceRules, LargeDice, Tumbler
from controller.rules.cited import Cite, Cited, Odds
from feed.data import WinningBet

TumbleSide: TypeAlias = Literal["dealer", "player"]


class TumbledRules(DiceRules, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A game whose dice are tumbled in a cage or a chute."""

    tumbler: Tumbler
    dice: LargeDice
    layout: Cited[tuple[str, ...]]
    """The betting spaces, as they are printed."""


class BeatTheDealerRules(TumbledRules, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Two tumbles of two dice: the higher point count wins."""

    player_positions: Cited[Count]
    tumbles: Cited[tuple[TumbleSide, ...]]
    """Whose tumble comes when."""
    ties: Cited[TumbleSide]
    odds: Cited[Odds]

    def winner(self, dealer: Sequence[int], player: Sequence[int]) -> TumbleSide:
        """Who has the higher point count; a tie is the dealer's.

        Raises:
            ValueError: these are not two dice each.
        """
        dealers, players = sum(self.checked(dealer)), sum(self.checked(player))
        if players == dealers:
            return self.ties.value
        return "player" if players > dealers else "dealer"

    def winning(self, dealer: Sequence[int], player: Sequence[int]) -> tuple[WinningBet, ...]:
        """The player's wager, where the player wins.

        Raises:
            ValueError: these are not two dice each.
        """
        if self.winner(dealer, player) == "dealer":
            return ()
        return (WinningBet("player", self.odds.value.in_words()),)


class ChuckALuckRules(TumbledRules, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Three dice: a number pays by how many of them show it."""

    odds_on_one: Cited[Odds]
    odds_on_two: Cited[Odds]
    odds_on_three: Cited[Odds]
    symbols: Cited[tuple[str, ...]] | None = None
    """What the sides show in place of one to six spots, on dice of the house's own."""

    def winning(self, dice: Sequence[int]) -> tuple[WinningBet, ...]:
        """Every number that shows, from the lowest.

        Raises:
            ValueError: these are not three dice.
        """
        shown = self.checked(dice)
        odds = (self.odds_on_one, self.odds_on_two, self.odds_on_three)
        return tuple(
            WinningBet(self._side(value), odds[shown.count(value) - 1].value.in_words()) for value in sorted(set(shown))
        )

    def _side(self, value: int) -> str:
        return f"number {value}" if self.symbols is None else self.symbols.value[value - 1]


class UnderOverSpace(Struct, frozen=True, forbid_unknown_fields=True):
    """One of the three betting spaces."""

    bet: str
    cite: Cite
    odds: Cited[Odds]


class UnderOverRules(TumbledRules, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Two dice: their total is under seven, over seven, or seven."""

    middle: Cited[int]
    """The total between under and over: seven, or the house's own."""
    under: UnderOverSpace
    over: UnderOverSpace
    seven: UnderOverSpace

    def winning(self, dice: Sequence[int]) -> tuple[WinningBet, ...]:
        """The one space that wins.

        Raises:
            ValueError: these are not two dice.
        """
        total = sum(self.checked(dice))
        space = self.seven if total == self.middle.value else self.under if total < self.middle.value else self.over
        return (WinningBet(space.bet, space.odds.value.in_words()),)
