"""The sensors of a machine on boards that test them: what fails is a fault, and nothing is an outcome without a test.

    play ends ──test──► proven: the outcome
                   └──► a sensor fails: `unresolved`, and the fault `sensor_stuck` by the sensor's name
    a sensor fails in a play ──► the fault; the play goes on once it is cleared, and ends `unresolved`

The fault can be cleared once a later test has found that sensor sound.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from controller.games.machines.current_play import CurrentPlay
from controller.table.faults import Fault
from controller.table.report import Report
from drivers.base.sensor_tests import SensorsTested

SENSOR_STUCK: Final = "sensor_stuck"
SHORTED: Final = "shorted, or lit from elsewhere"
DARK: Final = "cut, dead, or active"


class ProvenSensors:
    """What the tests of one machine's boards have found, for its plays."""

    def __init__(self, report: Report, current: CurrentPlay, device: str, test: Callable[[int], None] | None) -> None:
        """`device` has the faults; `test` has its boards test their sensors. Without it nothing tests them, and nothing
        is against a play.
        """
        self.sound = test is None
        """Whether the last test has found every sensor sound."""
        self._proven = test is None
        """The same of a test since the last `ask`."""
        self.against = ""
        """Why the play that is on has no proven result; empty where nothing is against it."""
        self._report = report
        self._current = current
        self._device = device
        self._test = test
        self._failing: set[str] = set()

    @property
    def is_decided(self) -> bool:
        """Whether the result of a play that was over at the last `ask` is known to be proven, or not to be."""
        return self._proven or self.against != ""

    @property
    def state(self) -> dict[str, Any]:
        """What a play keeps of it over a restart."""
        return {"against": self.against} if self.against else {}

    def resume(self, state: Mapping[str, Any]) -> None:
        """The play of this state goes on."""
        self.against = str(state.get("against", ""))

    def reset(self) -> None:
        """A new play begins."""
        self.against = ""

    def ask(self, t_ns: int) -> None:
        """Has the boards test their sensors."""
        if self._test is not None:
            self._proven = False
            self._test(t_ns)

    def lost(self) -> None:
        """A board is away."""
        self.sound = self._proven = False

    def tested(self, seen: SensorsTested) -> None:
        """Takes what the tests have found, before the play is judged by it; `report` follows."""
        found = _found(seen)
        self.sound = not found and (seen.proves or self.sound)
        self._proven = not found and (seen.proves or self._proven)
        if found and self._current.under_way and not self._current.testing:
            self.against = self.against or "; ".join(found.values())

    def report(self, seen: SensorsTested) -> None:
        """What fails blocks play, until a later test finds it sound and a person clears it."""
        found = _found(seen)
        for name in sorted(self._failing - found.keys()):
            self._report.cause_gone(seen.t_ns, _cause(name), self._device)
        for name, detail in found.items():
            if name not in self._failing:
                fault = Fault(seen.t_ns, SENSOR_STUCK, detail, cause=_cause(name), device=self._device)
                self._report.fault(fault)
        self._failing = set(found)


def _found(seen: SensorsTested) -> dict[str, str]:
    """What fails of each sensor that fails, in words."""
    dark = {name: f"{name} is {DARK}" for name in seen.dark}
    return dark | {name: f"{name} is {SHORTED}" for name in seen.shorted}


def _cause(name: str) -> str:
    return f"the last test of {name}"
