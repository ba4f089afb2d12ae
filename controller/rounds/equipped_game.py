"""Rounds of dice at a table with equipment that acts by itself: lamps that are read back, shakers that toss.

    its failure ──► the round that is on gets its verdict ──► the fault ──► the table is shut

Such equipment has deadlines of its own, beside those of the round. What it fails at stops the play, but only once the
round that is open has its verdict; and whatever of a round still goes on when it is over is given up.
"""

from __future__ import annotations

from typing import Any

from controller.games.dice.rules import DiceRules
from controller.games.dice.values import DiceValues
from controller.rounds.dice_game import DiceGame
from controller.rounds.voice import Seat
from controller.table.faults import CauseGone, Fault
from controller.table.phase import OPEN, SETTLING
from drivers.dice.reader import DiceReader
from feed import events
from feed.data import Data
from feed.events import Evidence


class EquippedGame(DiceGame):
    """The rounds of a table with such equipment."""

    def __init__(
        self,
        seat: Seat,
        rules: DiceRules,
        rule: str,
        settle_after_s: float,
        values: DiceValues,
        reader: DiceReader | None,
    ) -> None:
        """As `DiceGame`."""
        super().__init__(seat, rules, rule, settle_after_s, values, reader)
        self._stops: list[Fault] = []
        """Faults that stop the play once the round has its verdict."""
        self._stopping = False
        """Whether such a fault was said, and the table has not shut yet."""

    # --- what stops the play -------------------------------------------------------------------------------------

    @property
    def stopping(self) -> bool:
        """Whether the play is about to stop."""
        return self._stopping or bool(self._stops)

    def stop(self, fault: Fault) -> None:
        """Stops the play, once the round that is open has its verdict."""
        self._stops.append(fault)
        if not self.undecided:
            self._stop_now(fault.t_ns)

    def stop_bets(self, fault: Fault) -> None:
        """Stops the play: now, where bets are only open; else once the round that is on has its verdict."""
        if self.phase is OPEN and self.called_ns is None:
            self.said.append(fault)
        else:
            self.stop(fault)

    def cause_gone(self, t_ns: int, cause: str, device: str) -> None:
        """What stopped the play, or is about to, is no longer so: its fault may be cleared."""
        self._stops = [one._replace(cause="") if one.cause == cause else one for one in self._stops]
        self.said.append(CauseGone(t_ns, cause, device))

    def shut(self, t_ns: int, reason: str, detail: str) -> None:
        """A fault stops the table; a round that is being settled is settled first."""
        super().shut(t_ns, reason, detail)
        self._stopping = False
        if self.phase is not SETTLING:
            self.give_up(t_ns)
            self._stop_now(t_ns)

    def reopen(self, t_ns: int) -> None:
        """The fault was cleared."""
        self._stopping = False
        super().reopen(t_ns)

    def void(self, t_ns: int, reason: str, evidence: Evidence) -> None:
        """The round is refused; what stops the play does so before the next round opens."""
        self.give_up(t_ns)
        super().void(t_ns, reason, evidence)
        self._stop_now(t_ns)

    def _begin_settling(self, t_ns: int) -> None:
        super()._begin_settling(t_ns)
        self._stop_now(t_ns)

    def _stop_now(self, t_ns: int) -> None:
        if self._stops:
            self._stopping = self.phase is not SETTLING
            self.said += [one._replace(t_ns=t_ns) for one in self._stops]
            self._stops = []

    def give_up(self, t_ns: int) -> None:
        """Nothing of the round goes on."""

    # --- words ---------------------------------------------------------------------------------------------------

    def warn(self, t_ns: int, device: str, warning: str, detail: str) -> None:
        """Says a warning of a device."""
        self.say(events.DeviceWarning, t_ns, device=device, warning=warning, detail=detail)

    def tell(self, kind: type[Data], t_ns: int, **fields: Any) -> None:
        """Says an event that belongs to no round."""
        seat = self.seat
        self.said.append(
            kind(**{"table": seat.table, "game": seat.game, "simulated": seat.simulated, "mono_ns": t_ns, **fields})
        )
