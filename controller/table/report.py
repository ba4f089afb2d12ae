"""What a game and its parts report: events of the round, warnings, violations, faults, and exposed frames.

A part takes a `Report` and the few facts that it needs, as values or callables. It never takes its game.
"""

from __future__ import annotations

from enum import Enum
from typing import Any, Final, Protocol

from controller.table.faults import Fault
from feed.events import Data
from hal.values import Frame


class Shuts(Enum):
    """When a fault shuts the table."""

    NOW = "now"
    """At once: a run that is under way cannot be judged."""
    AFTER_VERDICT = "after verdict"
    """Once the round that is open has its verdict; at once where every round has one."""
    UNLESS_CALLED = "unless called"
    """At once while bets can be placed; after "No more bets", once the round has its verdict."""


NOW: Final = Shuts.NOW
AFTER_VERDICT: Final = Shuts.AFTER_VERDICT
UNLESS_CALLED: Final = Shuts.UNLESS_CALLED


class Report(Protocol):
    """Takes what is reported of one table's round, in order."""

    @property
    def round(self) -> int:
        """The number of the round; 0 before the first one."""

    def event(self, kind: type[Data], t_ns: int, **fields: Any) -> None:
        """Reports an event. `fields` are those beyond the common ones; `round` is this round unless it is given."""

    def warn(self, t_ns: int, device: str, warning: str, detail: str) -> None:
        """Reports a warning about a device."""

    def violation(self, t_ns: int, reason: str, rule: str, detail: str = "") -> None:
        """Reports that a person acted against the procedure."""

    def fault(self, fault: Fault, shuts: Shuts = NOW) -> None:
        """Reports a fault of a device; `shuts` is when it shuts the table, if it blocks play."""

    def cause_gone(self, t_ns: int, cause: str, device: str = "") -> None:
        """The cause of a fault, latched or to be latched, is gone: a person may clear it. No device: the game's own."""

    def expose(self, frame: Frame) -> None:
        """The content of a secret frame is exposed now: a capture may hold it."""
