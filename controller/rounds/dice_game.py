"""What the rounds of every dice game have in common: how a result is named, who gives its values, and their events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from controller.games.dice.rules import Dice, DiceRules
from controller.games.dice.values import DiceValues, words
from controller.rounds.game import NEVER_NS, Game
from controller.rounds.voice import Seat
from controller.table.faults import CauseGone, Fault
from drivers.base.driver import Observation
from drivers.dice.observations import (
    DiceEntered,
    KeypadCleared,
    KeypadShown,
    KeyRefused,
    ReaderDoubt,
    ReaderFault,
    ReaderToAsk,
)
from drivers.dice.reader import DiceReader
from feed import events


class DiceGame(Game):
    """The rounds of a dice table."""

    names_result_by: ClassVar[str] = "dice"

    def __init__(
        self,
        seat: Seat,
        rules: DiceRules,
        rule: str,
        settle_after_s: float,
        values: DiceValues,
        reader: DiceReader | None,
    ) -> None:
        """`rule` is what an outcome rests on; `reader` is asked where its board only answers."""
        super().__init__(seat, rules.no_more_bets, rules.reasons, rule, settle_after_s)
        self.dice_rules = rules
        self.our_call = rules.no_roll.value
        self.values = values
        self._reader = reader

    # --- time ----------------------------------------------------------------------------------------------------

    @property
    def next_due_ns(self) -> int | None:
        """When the round, or the table's equipment, wants to be told that time has passed."""
        due_ns = min(super().next_due_ns or NEVER_NS, self.own_due_ns())
        return due_ns if due_ns < NEVER_NS else None

    def due(self, t_ns: int) -> None:
        """Lets time pass to `t_ns`."""
        while (own_ns := self.own_due_ns()) <= t_ns:
            super().due(own_ns)
            if self.own_due_ns() == own_ns:
                self.own_due(own_ns)
        super().due(t_ns)

    def own_due_ns(self) -> int:
        """The next deadline of equipment that acts by itself: it runs whether a round is on or not."""
        return NEVER_NS

    def own_due(self, t_ns: int) -> None:
        """Such a deadline has come."""

    # --- values --------------------------------------------------------------------------------------------------

    def heed_values(self, seen: Observation) -> bool:
        """Takes what keypad and reading board say beside values; returns whether it was that."""
        if isinstance(seen, KeypadShown):
            # An empty keypad is an invitation to key dice that lie; after an entry it is none.
            invited = self.values.lie and self.values.entered is None
            if self.undecided and (seen.values or invited):
                self.say(events.RoundProgress, seen.t_ns, keyed=list(seen.values))
        elif isinstance(seen, KeyRefused):
            self.say(events.DeviceWarning, seen.t_ns, device="keypad", warning=f"key_{seen.reason}", detail=seen.detail)
        elif isinstance(seen, KeypadCleared):
            if seen.by == "time":
                detail = f"{words(seen.values) or 'what was keyed'} was never entered, and is dropped"
                self.say(
                    events.DeviceWarning, seen.t_ns, device="keypad", warning="keyed_and_not_entered", detail=detail
                )
        elif isinstance(seen, ReaderDoubt):
            if seen.reason == "value_changed":
                # Of what it said before nothing stands; what it says now is told with that doubt.
                self.values.unread()
            self.say(
                events.DeviceWarning, seen.t_ns, device="reader", warning=f"reader_{seen.reason}", detail=seen.detail
            )
        elif isinstance(seen, ReaderFault):
            if seen.active:
                detail = seen.detail or "the reading board says that it is at fault"
                self.said.append(Fault(seen.t_ns, "reader_fault", detail, cause="reader", device="reader"))
            else:
                self.said.append(CauseGone(seen.t_ns, "reader", device="reader"))
        elif isinstance(seen, ReaderToAsk):
            if self._reader is not None:
                self.shown.append(self._reader.ask(seen.t_ns))
        else:
            return False
        return True

    def too_early(self, seen: DiceEntered) -> None:
        """Values that were keyed before the dice lay: the dealer keys them again."""
        detail = f"{words(seen.dice)} was keyed before the dice were known to lie; key them again"
        self.say(events.DeviceWarning, seen.t_ns, device="keypad", warning="keyed_too_early", detail=detail)

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
