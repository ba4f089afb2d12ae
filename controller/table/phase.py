"""Where a round is."""

from __future__ import annotations

from enum import Enum
from typing import Final


class Phase(Enum):
    """Where the round is."""

    OPEN = "open"
    """Bets are open, or closed and waiting for the run."""
    RUNNING = "running"
    """The run that belongs to the round has begun."""
    RUNNING_OUT = "running out"
    """The round is void; the device still moves."""
    SETTLING = "settling"
    """The round has its verdict; bets are being paid, or the dealer calls."""
    SHUT = "shut"
    """No round is open: a fault shuts the table, or it is closed."""


# Looked up at every observation: a name of the module costs a tenth of an attribute of the class.
OPEN: Final = Phase.OPEN
RUNNING: Final = Phase.RUNNING
RUNNING_OUT: Final = Phase.RUNNING_OUT
SETTLING: Final = Phase.SETTLING
SHUT: Final = Phase.SHUT
