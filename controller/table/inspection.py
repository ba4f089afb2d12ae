"""The inspection of a device before the table opens, where the rules or the house ask for one."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from controller.rules.cited import Check


class InspectionPlan(NamedTuple):
    """The checks of an inspection, and whether it is required before an opening."""

    required: bool
    device: str
    checks: tuple[Check, ...]

    @property
    def names(self) -> list[str]:
        """The checks that are asked for, by name: not those that can be in for them."""
        return [check.check for check in self.checks if not check.instead_of]

    @property
    def known(self) -> list[str]:
        """All checks, by name."""
        return [check.check for check in self.checks]

    def lacks(self, passed: Collection[str]) -> list[str]:
        """The checks that are asked for beside those that have passed."""
        done = {*passed, *self._stood_in_for(passed)}
        return [name for name in self.names if name not in done]

    def doubled(self, passed: Collection[str]) -> list[str]:
        """The checks that have passed though another of those replaces them."""
        stood_in_for = self._stood_in_for(passed)
        return [name for name in passed if name in stood_in_for]

    def _stood_in_for(self, passed: Collection[str]) -> set[str]:
        return {name for check in self.checks if check.check in passed for name in check.instead_of}


def no_inspection(device: str) -> InspectionPlan:
    """The plan of a device without checks."""
    return InspectionPlan(False, device, ())


class Inspections:
    """The progress of the inspection before the next opening. It is valid for one opening."""

    def __init__(self, plan: InspectionPlan) -> None:
        self.plan = plan
        self.under_way = False
        self._passed = False

    @property
    def missing(self) -> bool:
        """Whether a required inspection keeps the table from opening."""
        return self.plan.required and not self._passed

    def start(self) -> None:
        """A person begins the inspection."""
        self.under_way, self._passed = True, False

    def end(self, passed: bool) -> None:
        """The inspection ends: passed or failed."""
        self.under_way, self._passed = False, passed

    def used(self) -> None:
        """The table opened: the next opening needs its own inspection."""
        self._passed = False
