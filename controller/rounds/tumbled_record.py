"""What is known of one round of cage or chute so far: its tumbles, and the dice of those whose values stand."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any

import msgspec

from controller.games.dice.rules import Dice
from controller.games.dice.values import DiceValues
from controller.games.tumbled.bets import TumbledBets
from controller.rounds.tumbled_run import RunOver, measured
from feed.data import Evidence, Tumbling


class Stage(Enum):
    """Where a tumble of the round stands."""

    AWAITED = "it has not begun"
    TUMBLING = "the dice move"
    LYING = "the dice lie, and their values are awaited"


class RoundRecord:
    """The tumbles of one round, in order."""

    def __init__(self, bets: TumbledBets) -> None:
        self._bets = bets
        self._tumbles: list[Tumbling] = []
        self._dice: list[Dice] = []

    @property
    def side(self) -> str | None:
        """Whose tumble it is; None where a round has but one."""
        return self._bets.sides[min(len(self._dice), len(self._bets.sides) - 1)] or None

    @property
    def whole(self) -> bool:
        """Whether the values of every tumble stand."""
        return len(self._dice) == len(self._bets.sides)

    @property
    def result(self) -> dict[str, Any]:
        """The result of a round that is whole."""
        return self._bets.result(self._dice)

    def over(self, run: RunOver) -> None:
        """A tumble is over, and its dice lie."""
        self._tumbles.append(measured(run, self.side or ""))

    def told(self, values: DiceValues) -> None:
        """What keypad and reading board have said of the last tumble."""
        entered, read = values.entered, values.read
        last = self._tumbles[-1]
        self._tumbles[-1] = msgspec.structs.replace(
            last,
            keyed=None if entered is None else list(entered.dice),
            read=None if read is None else list(read.dice),
            doubts=[*last.doubts, *(() if read is None else read.doubts)],
        )

    def stands(self, dice: Dice) -> None:
        """The values of the last tumble stand."""
        self._dice.append(dice)

    def evidence(self, detail: str = "") -> Evidence:
        """What a verdict rests on."""
        return Evidence(tumbles=list(self._tumbles) or None, detail=detail)

    def candidates(self, values: Sequence[Dice]) -> list[dict[str, Any]]:
        """The results with these values of the last tumble; none where another tumble of the round is still to come."""
        if len(self._dice) < len(self._bets.sides) - 1:
            return []
        return [self._bets.result([*self._dice, dice]) for dice in values]
