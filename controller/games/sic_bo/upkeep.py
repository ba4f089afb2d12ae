"""What is done at a sic bo table beside its rounds: trials for an inspection, a shift's operations, dice that age.

What a restart must not lose of it is carried by events (`carried_state`), and reported whenever it changes.
"""

from __future__ import annotations

from typing import Any

from controller.games.dice.rules import Dice
from controller.games.dice.tossed_dice import DEVICE as SHAKER
from controller.games.dice.tossed_dice import TossedDice
from controller.games.dice.values import words
from controller.games.sic_bo.areas import AREAS
from controller.games.sic_bo.carried_state import CarriedState, carried_last
from controller.games.sic_bo.dice_age import DICE, DICE_TOO_OLD, OLD_DICE, WARN_HOURS, DiceAge
from controller.games.sic_bo.inspection import (
    ALL_LAMPS,
    OPERATIONS,
    SHIFT_INSPECTION,
    NotNowError,
    SicBoInspection,
    Trial,
)
from controller.games.sic_bo.lit_areas import LitAreas
from controller.table.faults import Fault
from controller.table.report import UNLESS_CALLED, Report
from drivers.base.driver import Observation
from feed import events
from feed.state import StandingFault, TableState
from hal.wording import counted, times


class SicBoUpkeep:
    """Lamps, automated shaker and dice of one sic bo table between its rounds."""

    def __init__(
        self, inspection: SicBoInspection, age: DiceAge, areas: LitAreas, tossed: TossedDice | None, report: Report
    ) -> None:
        self.inspection = inspection
        self.age = age
        self._areas = areas
        self._tossed = tossed
        self._report = report

    # --- trials --------------------------------------------------------------------------------------------------

    def light(self, dice: Dice | None, by: str, t_ns: int, *, shut: bool) -> str:
        """Lights the areas of these dice, or all lamps. Returns what to wait for.

        Raises:
            NotNowError: a round is on (the table is not `shut`), the lamps have failed, or others are being lit.
        """
        areas = self._areas
        if not shut:
            raise NotNowError("the table is open: close it first")
        if areas.failure is not None:
            raise NotNowError(f"{areas.failure}; it is checked again every few seconds: repair it first")
        lamps = frozenset(area.number for area in (AREAS if dice is None else areas.layout.lit(dice)))
        # In which order values are entered makes no other result of them.
        name = ALL_LAMPS if dice is None else words(sorted(dice))
        self.inspection.begin_lighting(name, lamps, by)
        areas.lamps.light(lamps, t_ns)
        return f"{len(lamps)} areas are lit for {name}: look at them; their read-back follows"

    def read_back(self, t_ns: int) -> None:
        """The lamps are read back as lit, or failed: what is being tried has its end."""
        trial = self.inspection.read_back(self._areas.lamps.asked, self._areas.failure)
        if trial is not None:
            self._report_trial(t_ns, trial)
            if trial.passed:
                self._areas.lamps.darken(t_ns)

    def operate(self, by: str, t_ns: int, *, shut: bool) -> str:
        """Has the automated shaker toss once. Returns what to wait for.

        Raises:
            NotNowError: there is none, it is not on the table, it tosses, or a round is on.
        """
        tossed = self._tossed
        if tossed is None:
            raise NotNowError("the table has no automated shaker")
        if not tossed.present:
            raise NotNowError("the automated shaker is not on the table")
        if not shut:
            raise NotNowError("a round is on: close the table, or begin the shift's inspection with shift_begins")
        if not tossed.actuator.quiet:
            raise NotNowError("it tosses: wait until its dice are at rest")
        self.inspection.begin_operation(by)
        tossed.start(t_ns)
        return "the automated shaker is started: look whether the dice are properly tossed"

    def operated(self, seen: Observation) -> bool:
        """The shaker that is operated reports something of its toss; returns whether that is all it means."""
        trial = self.inspection.tossed(seen)
        if trial is None:
            return True
        self._report_trial(seen.t_ns, trial)
        if trial.passed and self.inspection.shift_due:
            complete = self.inspection.shift_complete()
            self.report_carried(seen.t_ns, "operate_shaker", trial.by)
            if complete:
                self._report.cause_gone(seen.t_ns, OPERATIONS, SHAKER)
        return trial.passed

    def give_up(self, t_ns: int) -> None:
        """Something else stops what is being tried."""
        for trial in self.inspection.give_up():
            self._report_trial(t_ns, trial)

    def _report_trial(self, t_ns: int, trial: Trial) -> None:
        about: dict[str, Any] = {"device": trial.device, "checks": [trial.check], "by": trial.by}
        if trial.passed:
            self._report.event(events.InspectionPassed, t_ns, **about)
        else:
            self._report.event(events.InspectionFailed, t_ns, **about, detail=trial.detail)

    # --- shift and dice ------------------------------------------------------------------------------------------

    def begin_shift(self, by: str, t_ns: int) -> str:
        """A shift begins: play stops until the automated shaker was operated often enough. Returns what to do then.

        Raises:
            NotNowError: the rules ask for nothing, or it has begun already.
        """
        self.inspection.begin_shift()
        self.report_carried(t_ns, "shift_begins", by)
        self._report.fault(self.inspection.shift_fault(f"a shift begins, by {by}", t_ns), UNLESS_CALLED)
        return f"operate_shaker {times(self.inspection.each_shift)}, then clear device={SHAKER}"

    def place_dice(self, age_h: float, by: str, t_ns: int) -> str:
        """Dice were placed in the shaker, `age_h` hours ago. Returns how long they may stay.

        Raises:
            NotNowError: the rules set no limit, or they are too old.
        """
        hours = self.age.hours
        if hours is None:
            raise NotNowError("the rules set no limit to the age of the dice")
        if not 0 <= age_h < hours:
            raise NotNowError(f"age_h is {age_h:g}; dice may be on a table for {hours} hours")
        self.age.place(age_h, t_ns)
        self.report_carried(t_ns, "dice_placed", by)
        self._report.cause_gone(t_ns, OLD_DICE, DICE)
        return f"the dice may stay for {counted(hours - age_h, 'hour')}"

    def age_due(self, t_ns: int) -> None:
        """The dice are nearly too old, or are: then play stops."""
        if self.age.look(t_ns):
            self._report.fault(self._too_old(t_ns), UNLESS_CALLED)
            return
        self.age.nearly = True
        detail = f"the dice are too old in {WARN_HOURS} hour or less: change them, then dice_placed"
        self._report.warn(t_ns, DICE, "dice_nearly_too_old", detail)

    def may_open(self, t_ns: int) -> bool:
        """Whether a round may open. What forbids it is reported as a fault: dice too old, a shift's operations."""
        against = [self._too_old(t_ns)] if self.age.look(t_ns) else []
        if self.inspection.shift_due:
            against.append(self.inspection.shift_fault("a shift has begun", t_ns))
        for fault in against:
            self._report.fault(fault)
        if not against:
            self.age.first_opened(t_ns)
        return not against

    def recovery(self, *, shut: bool) -> list[tuple[str, dict[str, str]]]:
        """What simulated staff do about it: they change dice that are too old, and operate the shaker for a shift."""
        orders: list[tuple[str, dict[str, str]]] = [("dice_placed", {})] if self.age.too_old else []
        idle = self._tossed is not None and self._tossed.present and self._tossed.actuator.quiet
        return [*orders, ("operate_shaker", {})] if self.inspection.shift_due and shut and idle else orders

    def _too_old(self, t_ns: int) -> Fault:
        self.age.too_old = True
        self.report_carried(t_ns, "dice_too_old")
        detail = f"{self.age.why}: change them, then dice_placed and clear"
        return Fault(t_ns, DICE_TOO_OLD, detail, cause=OLD_DICE, device=DICE)

    # --- over a restart ------------------------------------------------------------------------------------------

    @property
    def carried_state(self) -> dict[str, Any] | None:
        """What a restart must not lose; None where the rules and the devices leave nothing to lose."""
        tossed, inspection = self._tossed, self.inspection
        if self.age.hours is None and tossed is None:
            return None
        return CarriedState(
            dice_placed=self.age.published,
            shift_operations=inspection.operations if inspection.shift_due else None,
            shaker_removed=tossed is not None and tossed.removed_by_order,
        ).as_event()

    def report_carried(self, t_ns: int, act: str, by: str = "") -> None:
        """Reports what a restart must not lose, because it has changed."""
        carried = self.carried_state
        if carried is not None:
            self._report.event(events.CarriedStateChanged, t_ns, act=act, by=by, course=carried)

    def restore(self, state: TableState) -> None:
        """Continues from where the journal holds the table."""
        carried = carried_last(state)
        if carried is not None:
            self.age.restore(carried.dice_placed, state.time)
            self.inspection.owe(carried.shift_operations)
            if self._tossed is not None:
                self._tossed.restore(removed=carried.shaker_removed)
        elif state.round:
            self.age.forget("nobody has stated how old the dice are")

    def cause_of(self, fault: StandingFault, t_ns: int) -> str:
        """What keeps a fault of before a restart from being cleared; empty where nothing here does."""
        key = (fault.device, fault.fault)
        if key == (DICE, DICE_TOO_OLD) and self.age.look(t_ns):
            self.age.too_old = True
            return OLD_DICE
        return OPERATIONS if key == (SHAKER, SHIFT_INSPECTION) and self.inspection.shift_due else ""
