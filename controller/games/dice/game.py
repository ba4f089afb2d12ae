"""What the rounds of every dice game have in common: results by name, keypad and board, and who calls a doubt.

An unresolved round holds the table until a person calls it, with `confirm`, `void` or `correct`, over a fault, a closed
table and a restart too: until then nobody knows what to pay, and `round.settled` states that the bets are paid.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from controller.games.dice.rules import Dice, DiceRules
from controller.games.dice.value_devices import ValueDevices
from controller.games.dice.values import DiceValues, words
from controller.table.game import Game, GameContext, Terms
from controller.table.phase import SETTLING, SHUT
from controller.table.recent import Ruling
from drivers.base.driver import NEVER_NS
from drivers.dealer.buttons import ButtonPressed
from feed import events


class DiceGame(Game):
    """The rounds of a dice table."""

    names_result_by: ClassVar[str] = "dice"
    uncalled_warning: ClassVar[tuple[str, str]] = ("dealer", "not_settled")
    """Device and code of the warning that a round waits to be called."""

    def __init__(
        self, context: GameContext, rules: DiceRules, rule: str, settle_after_s: float, values: DiceValues
    ) -> None:
        """`rule` is the rule that an outcome cites."""
        terms = Terms(rules.no_more_bets, rules.reasons, rule, settle_after_s, rules.no_roll.value)
        super().__init__(context, terms)
        self.dice_rules = rules
        self.values = values
        self.devices = ValueDevices(values, self.out)

    # --- a round that a person calls ------------------------------------------------------------------------------

    @property
    def uncalled(self) -> int | None:
        """The last round, where it is unresolved and nobody has called it."""
        last = self.recent.last
        waits = last is not None and last.round == self.round and last.stands.verdict == "unresolved"
        return self.round if waits else None

    def open(self, t_ns: int) -> None:
        """Opens the next round; while the last one is not called, that one is awaited."""
        if self.uncalled is None:
            super().open(t_ns)
            return
        self.phase = SETTLING
        self._settle_due_ns = self.run_due_ns = NEVER_NS
        self._warn_uncalled(t_ns)

    def press(self, press: ButtonPressed) -> None:
        """Takes a button; none settles a round that nobody has called."""
        if self.phase is SETTLING and self.uncalled is not None:
            self._warn_uncalled(press.t_ns)
        else:
            super().press(press)

    def settle(self, t_ns: int, by: str) -> None:
        """The bets are settled; a table that closes leaves an uncalled round to be called when it opens again."""
        if self.uncalled is None:
            super().settle(t_ns, by)
        elif self._shut_when_settled:
            self._shut_when_settled = False
            self.phase = SHUT

    def ruled(self, t_ns: int, ruling: Ruling) -> None:
        """A person called or corrected a round. One that a closed table left uncalled is settled by the call."""
        waited = self.uncalled
        super().ruled(t_ns, ruling)
        if self.phase is SHUT and waited is not None and self.uncalled is None:
            self._settle_shut(t_ns)

    def _settle_shut(self, t_ns: int) -> None:
        """A round is called while the table is shut: its bets are settled by hand, nobody presses a button for it."""
        self.report(events.Settled, t_ns, by="dealer")

    def _begin_settling(self, t_ns: int) -> None:
        super()._begin_settling(t_ns)
        if self.uncalled is not None:
            self._settle_due_ns = NEVER_NS

    def _warn_uncalled(self, t_ns: int) -> None:
        device, warning = self.uncalled_warning
        detail = f"round {self.uncalled} is unresolved: call it with confirm, void or correct"
        self.warn(t_ns, device, warning, detail)

    # --- results ---------------------------------------------------------------------------------------------------

    def result_of(self, dice: Sequence[int]) -> dict[str, Any]:
        """The result of these dice."""
        return {"dice": list(dice), "total": sum(dice)}

    def result_named(self, name: str) -> dict[str, Any]:
        """The result of dice named `4-4-1`."""
        return self.result_of(self.dice_rules.named(name))

    def name_of(self, result: Mapping[str, Any]) -> str:
        """Their values with hyphens."""
        return words(result["dice"])

    def name_of_rest(self, rest: object) -> str | None:
        """The dice as they lie, those of each tumble apart."""
        count = self.dice_rules.dice_count.value
        if not isinstance(rest, tuple) or not rest:
            return None
        return "/".join(words(rest[first : first + count]) for first in range(0, len(rest), count))

    def dice_of(self, result: Mapping[str, Any]) -> Dice:
        """The dice of a result."""
        return tuple(result["dice"])
