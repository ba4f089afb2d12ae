"""The tumbles of one round, in order: what was measured of them, and their dice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from controller.games.dice.rules import Dice
from controller.games.dice.values import DiceValues
from controller.games.tumbled.bets import TumbledBets
from controller.games.tumbled.runs import RunOver, measured
from feed.data import Tumbling
from feed.events import Evidence


class TumbleRecord:
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
        """Whether the values of every tumble are known."""
        return len(self._dice) == len(self._bets.sides)

    @property
    def result(self) -> dict[str, Any]:
        """The result of a round that is whole."""
        return self._bets.result(self._dice)

    def note_run(self, run: RunOver) -> None:
        """Notes a tumble that is over, and its dice are at rest."""
        self._tumbles.append(measured(run, self.side or ""))

    def note_values(self, values: DiceValues) -> None:
        """Notes what keypad and reading board reported of the last tumble."""
        last, read = self._tumbles[-1], values.read
        self._tumbles[-1] = msgspec.structs.replace(
            last,
            keyed=values.keyed,
            read=values.seen,
            doubts=[*last.doubts, *(() if read is None else read.doubts)],
        )

    def note_dice(self, dice: Dice) -> None:
        """Notes the values of the last tumble: they are valid."""
        self._dice.append(dice)

    def evidence(self, detail: str = "") -> Evidence:
        """What a verdict rests on."""
        return Evidence(tumbles=list(self._tumbles) or None, detail=detail)

    def candidates(self, values: Sequence[Dice]) -> list[dict[str, Any]]:
        """The results with these values of the last tumble; none where another tumble of the round is still to come."""
        if len(self._dice) < len(self._bets.sides) - 1:
            return []
        return [self._bets.result([*self._dice, dice]) for dice in values]
