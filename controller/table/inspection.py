"""The inspection of a device before the table opens, where the rules or the house ask for one."""

from __future__ import annotations

from typing import NamedTuple

from controller.rules.cited import Check


class InspectionPlan(NamedTuple):
    """What is looked at, and whether the table opens without it."""

    required: bool
    device: str
    checks: tuple[Check, ...]

    @property
    def names(self) -> list[str]:
        """The checks, by name."""
        return [check.check for check in self.checks]


def no_inspection(device: str) -> InspectionPlan:
    """Nothing is looked at on this device."""
    return InspectionPlan(False, device, ())


class Inspections:
    """How far the inspection before the next opening has come. It is good for one opening."""

    def __init__(self, plan: InspectionPlan) -> None:
        self.plan = plan
        self.under_way = False
        self._passed = False

    @property
    def missing(self) -> bool:
        """Whether the table may not open for want of it."""
        return self.plan.required and not self._passed

    def start(self) -> None:
        """A person begins to look."""
        self.under_way, self._passed = True, False

    def end(self, passed: bool) -> None:
        """All was good, or something was not."""
        self.under_way, self._passed = False, passed

    def used(self) -> None:
        """The table opened: the next opening wants one of its own."""
        self._passed = False
