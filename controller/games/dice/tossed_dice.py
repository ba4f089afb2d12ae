"""The automated shaker in a round: the controller starts it, after the call and not before (13:69F-9).

It is started here, and not only enabled, because then nothing but our own command can have set it going: whatever
tosses unasked is a malfunction, and that it fails to operate shows by a time that runs from a moment we know.

    report of the actuator + where the round is ──► what the toss does to the round, in order
                                                └─► warnings, and faults that stop the play: reported at once
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from controller.games.dice.rules import FACES
from controller.table.faults import Fault
from controller.table.phase import OPEN, RUNNING, SETTLING, Phase
from controller.table.report import AFTER_VERDICT, UNLESS_CALLED, Report
from drivers.base.driver import Observation, SensorAlive, SensorDead
from drivers.dice.automated_shaker import (
    ShakerActuator,
    ShakerPresent,
    ShakerQuiet,
    ShakerTrouble,
    TossBegan,
    TossFailed,
    TossLies,
)

DEVICE: Final = "automated_shaker"
SHAKER_FAILED: Final = "shaker_failed"
ITS_REPORT: Final = "what it reports of itself"
"""The cause of its fault while its fault line is active."""

REPORTS: Final = (ShakerPresent, ShakerTrouble, ShakerQuiet, TossBegan, TossLies, TossFailed)
"""What the shaker and its actuator report."""


class RoundView(NamedTuple):
    """Where the round is, as far as a toss is judged by it."""

    phase: Phase
    called: bool
    """Whether "No more bets" was called."""
    revealed: bool
    """Whether its dice were seen to lie."""

    @property
    def undecided(self) -> bool:
        """Whether it has no verdict yet."""
        return self.phase in (OPEN, RUNNING)


class Toss(NamedTuple):
    """What a toss does to a round."""

    does: Literal["begins", "lies", "too_soon", "disturbs", "fails"]
    """It begins; its dice are at rest, and everybody sees them; it began before the call, unasked; it moves dice that
    lay; it fails before its dice are at rest."""
    detail: str = ""
    ours: bool = False
    """Of `fails`: the house voids the round for it, and no rule does."""


class TossedDice:
    """The automated shaker of one table, from round to round."""

    def __init__(self, actuator: ShakerActuator, activate_after_s: float, report: Report) -> None:
        """It is started `activate_after_s` after the call."""
        self.actuator = actuator
        self._report = report
        self.present_sensor = actuator.present_sensor
        self.present = True
        """Whether it is on the table: by its sensor, or by a supervisor's order."""
        self.values: tuple[int, ...] = ()
        """The values of the last toss, where the shaker itself reports them."""
        self.tossed_s: float | None = None
        """For how long it was busy in the last toss, in seconds; None where it does not report that."""
        self._after_ns = round(activate_after_s * 1e9)
        self._dead: dict[str, SensorDead] = {}
        """Its lines that are dead, whether it is on the table or not."""

    @property
    def quiet(self) -> bool:
        """Whether it is not on the table, or nothing tosses and nothing was started."""
        return not self.present or self.actuator.quiet

    @property
    def removed_by_order(self) -> bool:
        """Whether a supervisor has ordered that it is off the table, which no sensor reports."""
        return not self.present and not self.present_sensor

    def restore(self, *, removed: bool) -> None:
        """Continues from whether it was `removed_by_order` before a restart; a sensor reports by itself."""
        if not self.present_sensor:
            self.present = not removed

    def contradicts(self, dice: Sequence[int]) -> bool:
        """Whether the shaker reports a value of each of its dice, and others than these."""
        whole = len(self.values) == len(dice) and all(value in FACES for value in self.values)
        return whole and sorted(self.values) != sorted(dice)

    # --- commands ------------------------------------------------------------------------------------------------

    def called(self, t_ns: int) -> bool:
        """ "No more bets": it is started in a moment. Returns False where it is not on the table."""
        if self.present:
            self._forget()
            self.actuator.start_toss(t_ns, self._after_ns)
        return self.present

    def start(self, t_ns: int) -> None:
        """Starts a toss now."""
        self._forget()
        self.actuator.start_toss(t_ns)

    def _forget(self) -> None:
        """What the shaker reported is of the toss before."""
        self.values, self.tossed_s = (), None

    def give_up(self, t_ns: int) -> None:
        """The round is over: a toss that is on, or is to be started, is stopped."""
        self.actuator.stop(t_ns)

    # --- reports -------------------------------------------------------------------------------------------------

    def ignores(self, seen: SensorDead | SensorAlive) -> bool:
        """Whether a line of a shaker failed or recovered that is not on the table; it counts once it is."""
        if seen.line not in self.actuator.lines:
            return False
        if isinstance(seen, SensorDead):
            self._dead[seen.line] = seen
        else:
            self._dead.pop(seen.line, None)
        return not self.present

    def take(self, seen: Observation, round_: RoundView) -> list[Toss]:
        """Takes a report of the shaker or its actuator. Returns what the toss does to the round, in order."""
        if isinstance(seen, TossLies):
            self.values = seen.values
            self.tossed_s = None if seen.tossed_ns is None else round(seen.tossed_ns / 1e9, 3)
        if isinstance(seen, ShakerTrouble) and self.present and not seen.active:
            self._report.cause_gone(seen.t_ns, ITS_REPORT, DEVICE)
        if not self.present or isinstance(seen, ShakerQuiet | ShakerTrouble):
            return []
        if isinstance(seen, TossBegan):
            return [Toss("begins")] if round_.phase is OPEN else []
        if isinstance(seen, TossLies):
            return [Toss("lies")] if round_.phase is RUNNING else []
        return self._failed(seen, round_) if isinstance(seen, TossFailed) else []

    def place(self, t_ns: int, round_: RoundView, *, present: bool) -> list[Toss]:
        """It was put on the table, or taken away: by its sensor, or by an order. Returns as `take`."""
        changes, self.present = present is not self.present, present
        if not changes:
            return []
        if present:
            self._placed_again(t_ns)
            return []
        tosses: list[Toss] = []
        on = not self.actuator.quiet
        self.actuator.stop(t_ns)
        if on:
            taken = "it was taken from the table while it tossed"
            failed = TossFailed(t_ns=t_ns, detail=taken, lasting=self.actuator.trouble, ours=True)
            tosses = self._failed(failed, round_)
        # It is no longer in use: what it reports, or no longer reports, keeps nothing shut.
        for cause in (ITS_REPORT, *self._dead):
            self._report.cause_gone(t_ns, cause, DEVICE)
        return tosses

    def _failed(self, seen: TossFailed, round_: RoundView) -> list[Toss]:
        """It stops the play once the round has its verdict; a round that is not revealed is void."""
        if round_.phase is SETTLING and seen.unasked:
            self._report.warn(seen.t_ns, DEVICE, "tossed_at_rest", seen.detail)
        self._report.fault(_fault(seen), AFTER_VERDICT)
        if seen.unasked and round_.undecided and not round_.called:
            return [Toss("begins"), Toss("too_soon", seen.detail)]
        if round_.phase is RUNNING and round_.revealed:
            return [Toss("disturbs", "the shaker tossed")] if seen.unasked else []
        return [Toss("fails", seen.detail, ours=seen.ours)] if round_.undecided else []

    def _placed_again(self, t_ns: int) -> None:
        """What it reported while it was not on the table counts from now on."""
        for dead in self._dead.values():
            fault = Fault(t_ns, dead.fault, dead.detail, cause=dead.line, device=DEVICE)
            self._report.fault(fault, UNLESS_CALLED)
        trouble = self.actuator.trouble
        if trouble or self.actuator.moving:
            detail = "it reports that it failed" if trouble else "it tosses as it is put on the table"
            self._report.fault(_fault(TossFailed(t_ns=t_ns, detail=detail, lasting=trouble)), UNLESS_CALLED)


def _fault(failed: TossFailed) -> Fault:
    cause = ITS_REPORT if failed.lasting else ""
    return Fault(failed.t_ns, SHAKER_FAILED, failed.detail, cause=cause, device=DEVICE)
