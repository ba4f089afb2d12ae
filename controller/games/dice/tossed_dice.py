"""The automated shaker in a round: the controller starts it, after the call and not before (13:69F-9).

It is started here, and not only enabled, because then nothing but our own command can have set it going: whatever
tosses unasked is a malfunction, and that it fails to operate shows by a time that runs from a moment we know.

    report of the actuator + where the round is ──► steps that the game takes, in order
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple, Protocol

from controller.games.dice.rules import FACES
from controller.table.faults import Fault
from controller.table.phase import OPEN, RUNNING, SETTLING, Phase
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


class Step(NamedTuple):
    """One thing that the game does because of a report."""

    do: Literal["start", "reveal", "too_soon", "disturbed", "void", "stop", "stop_bets", "warn", "cause_gone"]
    detail: str = ""
    fault: Fault | None = None
    """What stops the play, of `stop` and `stop_bets`."""
    ours: bool = False
    """Of `void`: the house voids the round, and no rule does."""


class TossedRound(Protocol):
    """A round whose dice an automated shaker tosses: what the steps of a toss do to it."""

    def toss_begins(self, t_ns: int) -> None:
        """It tosses: the round is on."""

    def toss_lies(self, t_ns: int) -> None:
        """Its dice lie, and everybody sees them."""

    def tossed_too_soon(self, t_ns: int, detail: str) -> None:
        """It tossed before the call, unasked."""

    def toss_failed(self, t_ns: int, detail: str, *, ours: bool) -> None:
        """It failed before its dice lay: the round is void, by the house alone where it is `ours`."""

    def dice_disturbed(self, t_ns: int, what: str) -> None:
        """It tossed dice that lay."""

    def warn(self, t_ns: int, device: str, warning: str, detail: str) -> None:
        """Reports a warning about a device."""

    def cause_gone(self, t_ns: int, cause: str, device: str) -> None:
        """The cause of a fault is gone: a person may clear it."""

    def stop(self, fault: Fault) -> None:
        """A fault stops the play once the round that is open has its verdict."""

    def stop_bets(self, fault: Fault) -> None:
        """As `stop`; where bets are only open, it stops the play at once."""


def carry_out(steps: Sequence[Step], round_: TossedRound, t_ns: int) -> None:
    """Carries out what a report of the shaker leads to, in order."""
    for step in steps:
        match step.do:
            case "start":
                round_.toss_begins(t_ns)
            case "reveal":
                round_.toss_lies(t_ns)
            case "too_soon":
                round_.tossed_too_soon(t_ns, step.detail)
            case "disturbed":
                round_.dice_disturbed(t_ns, step.detail)
            case "void":
                round_.toss_failed(t_ns, step.detail, ours=step.ours)
            case "warn":
                round_.warn(t_ns, DEVICE, "tossed_at_rest", step.detail)
            case "cause_gone":
                round_.cause_gone(t_ns, step.detail, DEVICE)
            case "stop" | "stop_bets" if step.fault is not None:
                (round_.stop if step.do == "stop" else round_.stop_bets)(step.fault)


class TossedDice:
    """The automated shaker of one table, from round to round."""

    def __init__(self, actuator: ShakerActuator, activate_after_s: float) -> None:
        """It is started `activate_after_s` after the call."""
        self.actuator = actuator
        self.present_sensor = actuator.present_sensor
        self.present = True
        """Whether it stands on the table: by its sensor, or by a supervisor's order."""
        self.values: tuple[int, ...] = ()
        """The values of the last toss, where the shaker itself reports them."""
        self._after_ns = round(activate_after_s * 1e9)
        self._dead: dict[str, SensorDead] = {}
        """Its lines that are dead, whether it stands on the table or not."""

    @property
    def quiet(self) -> bool:
        """Whether it does not stand on the table, or nothing tosses and nothing was started."""
        return not self.present or self.actuator.quiet

    def contradicts(self, dice: Sequence[int]) -> bool:
        """Whether the shaker reports a value of each of its dice, and others than these."""
        whole = len(self.values) == len(dice) and all(value in FACES for value in self.values)
        return whole and sorted(self.values) != sorted(dice)

    # --- commands ------------------------------------------------------------------------------------------------

    def called(self, t_ns: int) -> bool:
        """ "No more bets": it is started in a moment. Returns False where it does not stand on the table."""
        if self.present:
            self.values = ()
            self.actuator.start_toss(t_ns, self._after_ns)
        return self.present

    def start(self, t_ns: int) -> None:
        """Starts a toss now."""
        self.values = ()
        self.actuator.start_toss(t_ns)

    def give_up(self, t_ns: int) -> None:
        """The round is over: a toss that is on, or is to be started, is stopped."""
        self.actuator.stop(t_ns)

    # --- reports -------------------------------------------------------------------------------------------------

    def ignores(self, seen: SensorDead | SensorAlive) -> bool:
        """Whether a line of a shaker failed or recovered that does not stand on the table; it counts when it does."""
        if seen.line not in self.actuator.lines:
            return False
        if isinstance(seen, SensorDead):
            self._dead[seen.line] = seen
        else:
            self._dead.pop(seen.line, None)
        return not self.present

    def steps(self, seen: Observation, round_: RoundView) -> list[Step]:
        """What a report of the shaker or its actuator leads to."""
        if isinstance(seen, TossLies):
            self.values = seen.values
        if isinstance(seen, ShakerTrouble):
            return [Step("cause_gone", ITS_REPORT)] if self.present and not seen.active else []
        if not self.present or isinstance(seen, ShakerQuiet):
            return []
        if isinstance(seen, TossBegan):
            return [Step("start")] if round_.phase is OPEN else []
        if isinstance(seen, TossLies):
            return [Step("reveal")] if round_.phase is RUNNING else []
        return self._failed(seen, round_) if isinstance(seen, TossFailed) else []

    def _failed(self, seen: TossFailed, round_: RoundView) -> list[Step]:
        stop = Step("stop", seen.detail, _fault(seen))
        if seen.unasked and round_.undecided and not round_.called:
            return [stop, Step("start"), Step("too_soon", seen.detail)]
        if round_.phase is RUNNING and round_.revealed:
            return [Step("disturbed", "the shaker tossed"), stop] if seen.unasked else [stop]
        if round_.undecided:
            return [stop, Step("void", seen.detail, ours=seen.ours)]
        if round_.phase is SETTLING and seen.unasked:
            return [Step("warn", seen.detail), stop]
        return [stop]

    def place(self, t_ns: int, round_: RoundView, *, present: bool) -> list[Step]:
        """It was put on the table, or taken away: by its sensor, or by an order."""
        changes, self.present = present is not self.present, present
        if not changes:
            return []
        if present:
            return self._placed_again(t_ns)
        steps: list[Step] = []
        on = not self.actuator.quiet
        self.actuator.stop(t_ns)
        if on:
            taken = "it was taken from the table while it tossed"
            failed = TossFailed(t_ns=t_ns, detail=taken, lasting=self.actuator.trouble, ours=True)
            steps += self._failed(failed, round_)
        # It is no longer in use: what it reports, or no longer reports, keeps nothing shut.
        return steps + [Step("cause_gone", cause) for cause in (ITS_REPORT, *self._dead)]

    def _placed_again(self, t_ns: int) -> list[Step]:
        """What it reported while it did not stand on the table counts from now on."""
        steps = [
            Step("stop_bets", dead.detail, Fault(t_ns, dead.fault, dead.detail, cause=dead.line, device=DEVICE))
            for dead in self._dead.values()
        ]
        trouble = self.actuator.trouble
        if trouble or self.actuator.moving:
            detail = "it reports that it failed" if trouble else "it tosses as it is put on the table"
            failed = TossFailed(t_ns=t_ns, detail=detail, lasting=trouble)
            steps.append(Step("stop_bets", detail, _fault(failed)))
        return steps


def _fault(failed: TossFailed) -> Fault:
    cause = ITS_REPORT if failed.lasting else ""
    return Fault(failed.t_ns, SHAKER_FAILED, failed.detail, cause=cause, device=DEVICE)
