"""Checks whether the calendar runs with the clock that times the edges.

Verdicts use the steady clock alone. But an event's `time` is the calendar's, and auditors read it: a calendar that
is set while tables play, or is before what the journal already holds, makes them doubt the order of events. So play
stops until a supervisor clears the fault.

    steady   ──┬──────┬──────┬──────┬──►
    calendar ──┬──────┬──────────────┬──►      the difference changed by more than `JUMP_NS`: it was set

A calendar that was set back is before records that it dated itself: until it has passed the newest of them, records
would be dated out of order, and the fault cannot be cleared. The newest record need not be the last: after a first
setting back all later ones are older than it.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

from hal.clock import NS_PER_S, Clock

JUMP_NS: Final = 2 * NS_PER_S
"""A calendar that moves by more than this against the steady clock was set (ours); NTP's slewing stays far below."""
DEVICE: Final = "clock"
FAULT: Final = "clock_jumped"
BEHIND: Final = "the calendar is before the journal's newest record"
"""The cause of the fault: it must be gone before the fault can be cleared."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_QUICK_NS: Final = NS_PER_S // 10
"""Two clock readings that are further apart than this are not compared."""


class ClockWatch:
    """Compares a clock's calendar with its own time."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._newest_ns = 0
        """The latest that the calendar was at a check: no record of this start is dated much after that."""
        self._difference_ns: int | None = self._difference()

    @property
    def newest(self) -> str:
        """The latest time that the calendar had, as records have it: none that it dated is newer."""
        moment = _EPOCH + timedelta(microseconds=self._newest_ns // 1000)
        return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")

    def check(self) -> str | None:
        """How the calendar was set since the last check; None where it was not."""
        before_ns, now_ns = self._difference_ns, self._difference()
        if now_ns is None:
            return None
        self._difference_ns = now_ns
        if before_ns is None or abs(now_ns - before_ns) <= JUMP_NS:
            return None
        seconds = (now_ns - before_ns) / NS_PER_S
        way = "forward" if seconds > 0 else "back"
        return (
            f"the computer's calendar was set {way} by {abs(seconds):.1f} s while the table played "
            f"(more than {JUMP_NS / NS_PER_S:g} s); look at the time of the events, then clear it"
        )

    def behind(self, last_time: str) -> str | None:
        """That the calendar is before `last_time`, the newest record of the journal; None where it is not."""
        if not last_time:
            return None
        last = datetime.fromisoformat(last_time)
        now = datetime.fromtimestamp(self._clock.wall_time_ns() / NS_PER_S, UTC)
        if now >= last:
            return None
        return (
            f"the computer's calendar shows {now.isoformat(timespec='seconds')}, and the journal holds a record of "
            f"{last.isoformat(timespec='seconds')}: set the clock (or wait for NTP), then clear it; if that record's "
            "time is the wrong one, wait until it has passed, or begin a new journal with `feltwire journal retire`"
        )

    def _difference(self) -> int | None:
        """Calendar minus steady time; None where the process was delayed between the two readings."""
        clock = self._clock
        first_ns = clock.now_ns()
        wall_ns = clock.wall_time_ns()
        second_ns = clock.now_ns()
        self._newest_ns = max(self._newest_ns, wall_ns)
        return None if second_ns - first_ns > _QUICK_NS else wall_ns - first_ns
