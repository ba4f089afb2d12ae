"""How long a board that answers has said nothing of its edges."""

from __future__ import annotations

from typing import Final

SILENT_NS: Final = 1_500_000_000
"""No word of the edges for so long, and the lines are told unplugged (ours). The session finds within a second that a
board answers no more; this finds one that answers, and whose reports stay away."""
STEP_NS: Final = 200_000_000
"""At most so much silence is counted between two looks (ours): a host that was stopped has not listened."""


class Silence:
    """Counts it, as far as the host has listened."""

    def __init__(self) -> None:
        self._silent_ns = 0
        self._looked_ns = 0

    def listen(self, now_ns: int) -> None:
        """The host begins to listen."""
        self._looked_ns = now_ns

    def broken(self) -> None:
        """The board said something, or has only begun."""
        self._silent_ns = 0

    def too_long(self, now_ns: int, up: bool) -> bool:
        """Whether the board has been silent for too long; a board that is not up is not counted."""
        step_ns = min(now_ns - self._looked_ns, STEP_NS)
        self._looked_ns = now_ns
        if up:
            self._silent_ns += step_ns
        return up and self._silent_ns > SILENT_NS
