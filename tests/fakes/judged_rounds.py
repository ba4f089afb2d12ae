"""Rounds with a game that judges nothing, for tests of the parts that do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from controller.games.dice.rules import DiceRules
from controller.games.dice.setup import dice_rounds
from controller.table.context import GameContext
from controller.table.phase import OPEN
from controller.table.rounds import RoundLifecycle
from drivers.base.driver import Observation
from feed.data import Data, WinningBet


class StillGame:
    """A game whose device is always at rest."""

    device = "dice"
    names_result_by = "dice"

    def __init__(self, rounds: RoundLifecycle) -> None:
        self.rounds = rounds

    def reset(self) -> None:
        """Forgets nothing."""

    def handle(self, seen: Observation) -> None:
        """Takes nothing."""

    def quiet(self) -> bool:
        """Always."""
        return True

    def result_in(self, number: int, name: str) -> dict[str, Any]:
        """The name alone."""
        return {"dice": name}

    def name_of(self, result: Mapping[str, Any]) -> str:
        """As `result_in` reads it."""
        return str(result["dice"])

    def pays_in(self, number: int, result: dict[str, Any]) -> tuple[list[WinningBet], list[str]]:
        """Nothing wins."""
        return [], []


def called_round(rules: DiceRules, rule: str = "cited") -> RoundLifecycle:
    """A dice round that is open, and whose bets were called closed at 0."""
    context = GameContext(
        table="t", game="dice", simulated=True, call_by="button", settle_by_button=True, time_of=lambda t_ns: "now"
    )
    rounds = dice_rounds(context, rules, rule, 3.0)
    rounds.judged_by(StillGame(rounds))
    rounds.open(0)
    assert rounds.phase is OPEN
    rounds.close_bets(0, 0, "dealer")
    rounds.report.events.clear()
    return rounds


def reported(rounds: RoundLifecycle) -> list[Data]:
    """The events that were reported since, faults and causes apart."""
    found = [one for one in rounds.report.events if isinstance(one, Data)]
    rounds.report.events.clear()
    return found
