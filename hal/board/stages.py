"""The stages of a session with a board, and how long it stays in them."""

from __future__ import annotations

from enum import Enum, auto
from typing import Final

from hal.board.messages import DEADMAN_MS

PROVE_PERIOD_NS: Final = 19_000_000
"""Between two readings of the clock while the link is proven (ours)."""
CLOCK_PERIOD_NS: Final = 97_000_000
"""Between two readings of the clock (ours): they also keep the dead-man off. Out of step with the board's reports."""
SILENT_NS: Final = (DEADMAN_MS + 100) * 1_000_000
"""No frame for so long, and the board's outputs are safe for certain."""
UNANSWERED_NS: Final = 3_000_000_000
"""A board that does not identify itself for so long is told (ours): a boot loader may hold it for two seconds."""
UNPROVEN_NS: Final = 10_000_000_000
"""A link that is not proven after so long is told (ours)."""
REFUSED_PERIOD_NS: Final = 5_000_000_000
"""A wrong board is asked again after so long (ours): somebody may have put that right."""


class Stage(Enum):
    """How far a session has come."""

    OFF = auto()
    """The port is closed."""
    IDENTIFY = auto()
    """The board is asked what it is."""
    REFUSED = auto()
    """It is not the one that is wanted, and is left alone for a while."""
    OPEN = auto()
    """It is told to begin a session."""
    PROVE = auto()
    """Its clock is learnt, and whether the link is good."""
    UP = auto()
    """It takes commands."""

    @property
    def opened(self) -> bool:
        """Whether the board may have the session open."""
        return self in (Stage.OPEN, Stage.PROVE, Stage.UP)

    @property
    def numbered(self) -> bool:
        """Whether it is known to have it open: what both sides number is counted."""
        return self in (Stage.PROVE, Stage.UP)
