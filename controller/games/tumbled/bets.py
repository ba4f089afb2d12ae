"""What the dice of a round come to, by game: its tumbles in order, its result, and the bets that win."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from controller.games.dice.rules import Dice
from controller.games.dice.values import result_of, words
from controller.games.tumbled.rules import BeatTheDealerRules, ChuckALuckRules, TumbledRules, UnderOverRules
from feed.events import WinningBet
from hal.wording import counted

NOBODY = ""
"""Whose tumble it is where a round has but one."""


class TumbledBets(ABC):
    """One game of cage or chute."""

    sides: tuple[str, ...] = (NOBODY,)
    """Whose tumbles a round has, in order."""
    rules: TumbledRules
    rule: str
    """What an outcome rests on."""

    @abstractmethod
    def result(self, dice: Sequence[Dice]) -> dict[str, Any]:
        """The result of the dice of every tumble of a round, in order."""

    @abstractmethod
    def winning(self, result: Mapping[str, Any]) -> list[WinningBet]:
        """The bets that win with a result."""

    def named(self, name: str) -> list[Dice]:
        """The dice of every tumble, as a person names them: `4-4-1`, or `3-4/6-2` where there are two.

        Raises:
            ValueError: it names none of this game's results; the message has what is expected.
        """
        parts = name.split("/")
        if len(parts) != len(self.sides):
            example = "/".join(["-".join("421"[: self.rules.dice_count.value])] * len(self.sides))
            whose = f" for {' and '.join(self.sides)}, with a / between" if len(self.sides) > 1 else ""
            raise ValueError(f"dice {name!r}: expected {counted(len(self.sides), 'tumble')}{whose}, such as {example}")
        return [self.rules.named(part) for part in parts]

    def name_of(self, result: Mapping[str, Any]) -> str:
        """How a person names a result: what `named` reads."""
        return words(result["dice"])


class ChuckALuckBets(TumbledBets):
    """A number pays by how many of the three dice show it, 13:47-20.24(e)."""

    def __init__(self, rules: ChuckALuckRules) -> None:
        self.rules: ChuckALuckRules = rules
        self.rule = rules.result_read.cite

    def result(self, dice: Sequence[Dice]) -> dict[str, Any]:
        """The three dice and their total."""
        return result_of(dice[0])

    def winning(self, result: Mapping[str, Any]) -> list[WinningBet]:
        """Every number that shows."""
        return [WinningBet(bet.bet, bet.odds) for bet in self.rules.winning(result["dice"])]


class UnderOverBets(TumbledBets):
    """The total of two dice is under seven, over seven, or seven, 13:47-20.33(d)."""

    def __init__(self, rules: UnderOverRules) -> None:
        self.rules: UnderOverRules = rules
        self.rule = rules.result_read.cite

    def result(self, dice: Sequence[Dice]) -> dict[str, Any]:
        """The two dice and their total."""
        return result_of(dice[0])

    def winning(self, result: Mapping[str, Any]) -> list[WinningBet]:
        """The one space that wins."""
        return [WinningBet(bet.bet, bet.odds) for bet in self.rules.winning(result["dice"])]


class BeatTheDealerBets(TumbledBets):
    """The dealer's tumble and then the player's; the higher point count wins, 13:47-20.21(c)-(d)."""

    def __init__(self, rules: BeatTheDealerRules) -> None:
        self.rules: BeatTheDealerRules = rules
        self.rule = rules.result_read.cite
        self.sides = rules.tumbles.value

    def result(self, dice: Sequence[Dice]) -> dict[str, Any]:
        """The dice of both, their totals, and who wins."""
        dealer, player = dice
        return {
            "dice": list(player),
            "total": sum(player),
            "dealer_dice": list(dealer),
            "dealer_total": sum(dealer),
            "winner": self.rules.winner(dealer, player),
        }

    def winning(self, result: Mapping[str, Any]) -> list[WinningBet]:
        """The player's wager, where the player wins."""
        return [WinningBet(bet.bet, bet.odds) for bet in self.rules.winning(result["dealer_dice"], result["dice"])]

    def name_of(self, result: Mapping[str, Any]) -> str:
        """The dealer's dice, then the player's: `3-4/6-2`."""
        return f"{words(result['dealer_dice'])}/{words(result['dice'])}"
