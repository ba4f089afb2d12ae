"""What a board reported of its devices, as it stands: a board states that when a session opens, and at each change.

A session is opened about two seconds before it is proven. What the board states in that time is stated once, and is
handed to whoever uses the board as soon as it is up.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hal.board.message import BoardReport
from hal.board.messages import HopperReport, MotorReport, ReelReport, SensorsReport

STANDING: Final = (HopperReport, MotorReport, ReelReport, SensorsReport)
"""The reports of a state that is not stated again until it changes."""
AT_OPENING: Final[Mapping[str, tuple[type[BoardReport], ...]]] = {
    "reel": (SensorsReport,),
    "pusher": (HopperReport, SensorsReport),
}
"""Of each kind, the reports of every opening without which its device cannot be judged."""


class StandingReports:
    """The last report of each state in one session."""

    def __init__(self) -> None:
        self._last: dict[tuple[type[BoardReport], int], BoardReport] = {}

    def begin(self) -> None:
        """A session opens: nothing is known."""
        self._last.clear()

    def take(self, report: BoardReport) -> None:
        """A report was received."""
        if isinstance(report, STANDING):
            self._last[type(report), report.reel if isinstance(report, ReelReport) else 0] = report

    def lacks(self, kind: str) -> bool:
        """Whether a report of the opening is not there."""
        had = {report for report, _ in self._last}
        return not had.issuperset(AT_OPENING.get(kind, ()))

    def last(self) -> list[BoardReport]:
        """The last report of each state, in the order in which they first came."""
        return list(self._last.values())
