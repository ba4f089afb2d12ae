"""The watch for a round on which nothing is ever decided: the call is made, and then the devices report nothing.

    No more bets ──► card ──► card ──► …                 each event of the round begins the time again
                              └── UNDECIDED_NS ──► fault nothing_decided

Sensors that are all dead, all inverted or on no device give no doubt that a driver could report: the dealer spins, and
the table waits. A table without a call that a person makes has no sign that play has begun, and is not watched here.
"""

from __future__ import annotations

from typing import Final

from drivers.base.driver import NEVER_NS
from feed import events
from feed.events import Data

NOTHING_DECIDED: Final = "nothing_decided"
"""The fault."""
UNDECIDED_NS: Final = 600 * 10**9
"""This long after the call, or after the last event of the round since, a verdict is overdue (ours): no spin, throw or
decision of a player takes ten minutes."""
_OVER: Final = (events.Outcome, events.Void, events.Unresolved, events.RoundOpened, events.Settled)


class UndecidedWatch:
    """When the verdict of the open round is overdue."""

    def __init__(self) -> None:
        self.due_ns = NEVER_NS
        """When it is, if the game reports nothing before; `NEVER_NS` where nothing was called."""
        self._called = False

    def see(self, data: Data) -> None:
        """Takes an event of the game."""
        if isinstance(data, events.NoMoreBets):
            self._called = True
        elif isinstance(data, _OVER):
            self._called = False
        self.due_ns = data.mono_ns + UNDECIDED_NS if self._called else NEVER_NS

    def overdue(self) -> str:
        """The time has come: what is wrong, in words. It is reported once a call."""
        self._called, self.due_ns = False, NEVER_NS
        return (
            f'"No more bets" was called, and for {UNDECIDED_NS // 60_000_000_000} minutes no device has reported '
            "anything of the round: look for sensors that are dead, inverted or on other lines (feltwire doctor, "
            "feltwire calibrate), or call the round void"
        )
