"""Rounds of a cage that a motor turns: after the call until the least inversions are proven, and on to home.

    call ──► motor on ──► inversions ──► enough ──► home ──► motor off ──► the dice lie
                 └── stalled, slips, too long, a verdict, a fault, the table closes ──► motor off, at once

Whatever ends a round stops the motor before anything is said of it. What the motor is waited for runs on after that,
whether a round is on or not.
"""

from __future__ import annotations

from typing import Any, Final

from controller.games.dice.values import DiceValues
from controller.games.tumbled.bets import TumbledBets
from controller.rounds.game import NEVER_NS
from controller.rounds.tumbled import TumbledGame
from controller.rounds.tumbled_options import TumbledOptions
from controller.rounds.tumbled_record import Stage
from controller.rounds.voice import Seat
from controller.table.faults import CauseGone, Fault
from drivers.base.driver import Observation
from drivers.dice.cage_motor import MOTOR, CageMotorConfig, MotorHome, ShaftStands, ShaftTurns
from drivers.dice.observations import CageInverted, CageRested
from drivers.dice.reader import DiceReader
from feed.events import Evidence, WinningBet
from hal.values import Output, RunMotor

DEVICE: Final = "motor"
"""The device that faults of the motor are of."""
TURNS_STILL: Final = "its shaft turns"
"""The cause of a motor that runs on, while its shaft turns."""
FULL: Final = 1.0


class MotorTumbledGame(TumbledGame):
    """The rounds of a table whose cage a motor turns."""

    def __init__(
        self,
        seat: Seat,
        bets: TumbledBets,
        options: TumbledOptions,
        values: DiceValues,
        reader: DiceReader | None,
        motor: CageMotorConfig,
        least_inversions: int,
    ) -> None:
        """`least_inversions` is how often the cage is inverted before it goes home."""
        self._least = least_inversions
        self._start_ns = round(motor.start_s * 1e9)
        self._longest_ns = round(motor.longest_s * 1e9)
        self._coast_ns = round(motor.coast_s * 1e9)
        self._motor_on = self._motor_used = self._shaft = self._homing = False
        self._stall_due_ns = self._longest_due_ns = self._coast_due_ns = NEVER_NS
        super().__init__(seat, bets, options, values, reader, "cage")

    # --- when it turns -------------------------------------------------------------------------------------------

    def _await_tumble(self) -> None:
        super()._await_tumble()
        self._motor_used = False

    def bets_closed(self, t_ns: int, called_ns: int) -> None:
        """The call sets the cage going."""
        super().bets_closed(t_ns, called_ns)
        self._drive(t_ns)

    def see(self, seen: Observation) -> None:
        """Takes what the motor's sensors say too."""
        if isinstance(seen, ShaftTurns):
            self._shaft = True
            self._stall_due_ns = NEVER_NS
        elif isinstance(seen, ShaftStands):
            self._shaft = False
            self.said.append(CauseGone(seen.t_ns, TURNS_STILL, DEVICE))
            if self._motor_on:
                self._stalled(seen.t_ns, f"no pulse of the shaft since {(seen.t_ns - seen.since_ns) / 1e9:g} s")
        elif isinstance(seen, MotorHome):
            if self._homing:
                self._stop(seen.t_ns)
        elif isinstance(seen, CageRested) and self._turns_alone:
            self._moving = False
            self._slips(seen.t_ns)
        else:
            super().see(seen)
            if isinstance(seen, CageInverted) and self._motor_on and seen.inversions >= self._least:
                self._homing = True
        self._drive(seen.t_ns)

    @property
    def _turns_alone(self) -> bool:
        """Whether the cage should not rest now: the motor is on, and turns its shaft or has turned the cage."""
        return self._motor_on and (self._shaft or self.stage is Stage.TUMBLING)

    def _drive(self, t_ns: int) -> None:
        """Sets the cage going where a tumble is awaited, its dice lie, and it was not set going for it before.

        A motor that was stopped just now is first given its time to stand.
        """
        awaited = self.undecided and self.called_ns is not None and self.stage is Stage.AWAITED
        if awaited and self.quiet() and not self._motor_used and self._coast_due_ns == NEVER_NS:
            self._motor_on = self._motor_used = True
            self._homing = False
            self._stall_due_ns = NEVER_NS if self._shaft else t_ns + self._start_ns
            self._longest_due_ns = t_ns + self._longest_ns
            self.shown.append(RunMotor(MOTOR, FULL, t_ns))

    def _stop(self, t_ns: int) -> None:
        """Stops the motor, if it was told to turn."""
        if not self._motor_on:
            return
        self._motor_on = self._homing = False
        self._stall_due_ns = self._longest_due_ns = NEVER_NS
        self._coast_due_ns = t_ns + self._coast_ns
        self.shown += self.begin_outputs(t_ns)

    def begin_outputs(self, t_ns: int) -> list[Output]:
        """The motor stands."""
        return [RunMotor(MOTOR, 0.0, t_ns)]

    # --- what ends it --------------------------------------------------------------------------------------------

    def outcome(
        self,
        t_ns: int,
        result: dict[str, Any],
        winning: list[WinningBet],
        evidence: Evidence,
        notices: list[str],
    ) -> None:
        """The result is read: whatever the cage's sensors missed, the motor stands before it is said."""
        self._stop(t_ns)
        super().outcome(t_ns, result, winning, evidence, notices)

    def _say_void(self, t_ns: int, reason: str, evidence: Evidence) -> None:
        self._stop(t_ns)
        super()._say_void(t_ns, reason, evidence)

    def _say_unresolved(self, t_ns: int, reason: str, evidence: Evidence, candidates: list[dict[str, object]]) -> None:
        self._stop(t_ns)
        super()._say_unresolved(t_ns, reason, evidence, candidates)

    def shut(self, t_ns: int, reason: str, detail: str) -> None:
        """A fault stops the table, and the motor before it."""
        self._stop(t_ns)
        super().shut(t_ns, reason, detail)

    def _stalled(self, t_ns: int, detail: str) -> None:
        self._stop(t_ns)
        detail = f"the motor was told to turn the cage, and stands: {detail}; look for what blocks it"
        self.said.append(Fault(t_ns, "motor_stalled", detail, device=DEVICE))

    def _slips(self, t_ns: int) -> None:
        self._stop(t_ns)
        detail = "the dice lie, and the motor was told to turn the cage; look at its coupling and at the cage's sensors"
        self.said.append(Fault(t_ns, "motor_slips", detail, device=DEVICE))

    # --- time ----------------------------------------------------------------------------------------------------

    def own_due_ns(self) -> int:
        """When the motor should turn, be done, or stand."""
        return min(self._stall_due_ns, self._longest_due_ns, self._coast_due_ns)

    def own_due(self, t_ns: int) -> None:
        """It should by now."""
        if self._stall_due_ns <= t_ns:
            self._stalled(t_ns, "no pulse of the shaft came")
        elif self._longest_due_ns <= t_ns:
            missing = "the home sensor told nothing" if self._homing else f"not {self._least} inversions were sensed"
            self._stop(t_ns)
            detail = f"the motor turned for {self._longest_ns / 1e9:g} s, and {missing}; look at the sensors"
            self.said.append(Fault(t_ns, "motor_too_long", detail, device=DEVICE))
        else:
            self._coast_due_ns = NEVER_NS
            if self._shaft:
                detail = f"the shaft turns still, {self._coast_ns / 1e9:g} s after the motor was stopped; cut its power"
                self.said.append(Fault(t_ns, "motor_runs_on", detail, cause=TURNS_STILL, device=DEVICE))
            else:
                self._drive(t_ns)
