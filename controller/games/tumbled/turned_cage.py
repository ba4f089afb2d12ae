"""A cage that a motor turns: each tumble of a round once, from the call until the least inversions are proven."""

from __future__ import annotations

from controller.table.faults import Fault
from controller.table.report import Report
from drivers.base.driver import Observation
from drivers.dice.cage_motor import MOTOR, TURNS_STILL, CageMotorActuator, MotorFailed, MotorReady, MotorStands


class TurnedCage:
    """The motor of a cage, as one round after another uses it."""

    def __init__(self, actuator: CageMotorActuator, least_inversions: int, report: Report) -> None:
        """`least_inversions` is how often the cage is inverted before it goes home."""
        self.actuator = actuator
        self._least = least_inversions
        self._report = report
        self._used = False

    def await_tumble(self) -> None:
        """The next tumble is awaited."""
        self._used = False

    def turn(self, t_ns: int) -> None:
        """Turns the cage for this tumble, unless it was, or the motor has not come to rest."""
        if not self._used and self.actuator.ready:
            self._used = True
            self.actuator.turn(t_ns, self._least)

    def stop(self, t_ns: int) -> None:
        """Whatever the sensors of the cage missed, the motor stops."""
        self.actuator.stop(t_ns)

    def take(self, seen: Observation) -> bool:
        """Takes a report of the motor; returns whether it was one."""
        if isinstance(seen, MotorFailed):
            self._report.fault(Fault(seen.t_ns, seen.fault, seen.detail, cause=seen.cause, device=MOTOR))
        elif isinstance(seen, MotorStands):
            self._report.cause_gone(seen.t_ns, TURNS_STILL, MOTOR)
        else:
            return isinstance(seen, MotorReady)
        return True
