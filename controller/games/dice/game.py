"""What the rounds of every dice game have in common: how a result is named, and what keypad and board report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from controller.games.dice.rules import Dice, DiceRules
from controller.games.dice.values import DiceValues, words
from controller.table.faults import CauseGone, Fault
from controller.table.game import Game, GameContext, Terms
from drivers.base.driver import Observation
from drivers.dice.observations import (
    DiceEntered,
    KeypadCleared,
    KeypadShown,
    KeyRefused,
    ReaderDoubt,
    ReaderFault,
)
from feed import events


class DiceGame(Game):
    """The rounds of a dice table."""

    names_result_by: ClassVar[str] = "dice"

    def __init__(
        self, context: GameContext, rules: DiceRules, rule: str, settle_after_s: float, values: DiceValues
    ) -> None:
        """`rule` is the rule that an outcome cites."""
        terms = Terms(rules.no_more_bets, rules.reasons, rule, settle_after_s, rules.no_roll.value)
        super().__init__(context, terms)
        self.dice_rules = rules
        self.values = values

    def handle_equipment(self, seen: Observation) -> bool:
        """Takes what keypad and reading board report beside values; returns whether it was that."""
        t_ns = seen.t_ns
        if isinstance(seen, KeypadShown):
            # An empty keypad is an invitation to key dice that lie; after an entry it is none.
            invited = self.values.lie and self.values.entered is None
            if self.undecided and (seen.values or invited):
                self.report(events.RoundProgress, t_ns, keyed=list(seen.values))
        elif isinstance(seen, KeyRefused):
            self.warn(t_ns, "keypad", f"key_{seen.reason}", seen.detail)
        elif isinstance(seen, KeypadCleared):
            if seen.by == "time":
                detail = f"{words(seen.values) or 'what was keyed'} was never entered, and is dropped"
                self.warn(t_ns, "keypad", "keyed_and_not_entered", detail)
        elif isinstance(seen, ReaderDoubt):
            if seen.reason == "value_changed":
                # Nothing read before stands; the board reports its new reading with that doubt.
                self.values.unread()
            self.warn(t_ns, "reader", f"reader_{seen.reason}", seen.detail)
        elif isinstance(seen, ReaderFault):
            if seen.active:
                detail = seen.detail or "the reading board says that it is at fault"
                self.events.append(Fault(t_ns, "reader_fault", detail, cause="reader", device="reader"))
            else:
                self.events.append(CauseGone(t_ns, "reader", device="reader"))
        else:
            return False
        return True

    def too_early(self, seen: DiceEntered) -> None:
        """Warns of values that were keyed before the dice lay: the dealer keys them again."""
        detail = f"{words(seen.dice)} was keyed before the dice were known to lie; key them again"
        self.warn(seen.t_ns, "keypad", "keyed_too_early", detail)

    def result_of(self, dice: Sequence[int]) -> dict[str, Any]:
        """The result of these dice."""
        return {"dice": list(dice), "total": sum(dice)}

    def result_named(self, name: str) -> dict[str, Any]:
        """The result of dice named `4-4-1`."""
        return self.result_of(self.dice_rules.named(name))

    def name_of(self, result: Mapping[str, Any]) -> str:
        """Their values with hyphens."""
        return words(result["dice"])

    def dice_of(self, result: Mapping[str, Any]) -> Dice:
        """The dice of a result."""
        return tuple(result["dice"])
