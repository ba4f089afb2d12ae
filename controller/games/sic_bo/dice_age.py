"""How long the dice have been in their shaker: 13:69F-9.1 lets them stay for 24 hours, over restarts too.

    first opening, or dice_placed ──► 23 h: nearly too old ──► 24 h: too old, until dice_placed

While the service runs, the steady clock counts. A restart may be a reboot, which that clock does not survive; so what
is published of the dice is a calendar time. Where the calendar cannot be relied on, the dice count as too old: it is
before the last event, or nobody has set it since a computer without a clock chip was started. How long the power was
off is then unknown, and only a supervisor's `dice_placed` states how old they are (ours).
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from drivers.base.driver import NEVER_NS

DICE: Final = "dice"
"""The device of their fault."""
DICE_TOO_OLD: Final = "dice_too_old"
OLD_DICE: Final = "the dice in the shaker"
"""The cause of their fault."""
HOUR_NS: Final = 3_600_000_000_000
WARN_HOURS: Final = 1
"""How long before their end old dice are reported (ours)."""
TOO_OLD: Final = ""
"""What is published of dice that are too old, or of unknown age, instead of when they were placed."""
_MICROSECOND: Final = timedelta(microseconds=1)


class DiceAge:
    """The age of the dice of one table. It owns no clock."""

    def __init__(
        self, hours: int | None, time_of: Callable[[int], str], calendar_is_set: Callable[[], bool] = lambda: True
    ) -> None:
        """`hours` is how long they may stay; None where the rules set no limit.

        `calendar_is_set` is whether the calendar is known to be set since the computer was started.
        """
        self.hours = hours
        self.too_old = False
        """Whether it was reported that they are too old, and no others were placed since."""
        self.why = "" if hours is None else f"the dice have been on the table for {hours} hours"
        """Why they are too old, where they are."""
        self.nearly = False
        """Whether it was reported that they are nearly too old."""
        self._limit_ns = NEVER_NS if hours is None else hours * HOUR_NS
        self._time_of = time_of
        self._calendar_is_set = calendar_is_set
        self._unknown = False
        self._placed_ns: int | None = None
        self._placed: datetime | None = None
        """By the calendar, where that was before the service began."""
        self._last: datetime | None = None
        """The last event before the service began."""
        self._begun_ns = 0

    @property
    def published(self) -> str | None:
        """When they were placed, by the calendar, or `TOO_OLD`; None where no time runs."""
        if self.too_old or self._unknown:
            return TOO_OLD
        if self._placed is not None:
            return self._placed.isoformat(timespec="microseconds").replace("+00:00", "Z")
        if self.hours is None or self._placed_ns is None:
            return None
        # By a calendar that is not set, a later start would find them younger than they are.
        return self._time_of(self._placed_ns) if self._calendar_is_set() else TOO_OLD

    @property
    def next_due_ns(self) -> int:
        """When they are nearly too old, or are."""
        if self.hours is None or self.too_old:
            return NEVER_NS
        if self._unknown:
            return self._begun_ns
        if self._placed_ns is None:
            return NEVER_NS
        end_ns = self._placed_ns + self._limit_ns
        return max(end_ns if self.nearly else end_ns - WARN_HOURS * HOUR_NS, self._begun_ns)

    def restore(self, published: str | None, last: str) -> None:
        """Continues from what was `published` before a restart; `last` is the time of the last event before it."""
        if self.hours is None or published is None:
            return
        self._placed, self._last = _read(published), _read(last)
        if self._placed is None or self._last is None:
            self.forget("nobody has stated how old the dice are")

    def forget(self, why: str) -> None:
        """Nobody knows how old they are."""
        if self.hours is not None:
            self._placed, self._unknown, self.why = None, True, why

    def begin(self, t_ns: int) -> None:
        """The service begins: what was restored is compared with the calendar."""
        self._begun_ns = t_ns
        if self._placed is None or self._last is None:
            return
        now = self._now(t_ns)
        if now < max(self._last, self._placed):
            self.forget("the calendar is before the last event, so nobody knows how old the dice are")
            return
        if not self._calendar_is_set():
            self.forget(
                "the calendar is not known to be set since this computer was started, so nobody knows how long the "
                "power was off and how old the dice are"
            )
            return
        self.look(t_ns)

    def look(self, t_ns: int) -> bool:
        """Looks at the calendar, before a round; returns whether the dice are too old.

        A computer without a clock of its own learns the time only after its start: dice only ever get older by that.
        """
        if self.hours is None:
            return False
        if self.too_old or self._unknown:
            return True
        if self._placed is not None:
            by_calendar_ns = t_ns - (self._now(t_ns) - self._placed) // _MICROSECOND * 1000
            self._placed_ns = by_calendar_ns if self._placed_ns is None else min(self._placed_ns, by_calendar_ns)
        return self._placed_ns is not None and t_ns >= self._placed_ns + self._limit_ns

    def first_opened(self, t_ns: int) -> None:
        """The table opens: where nobody has stated otherwise, its dice are as old as its first opening (ours)."""
        if self._placed_ns is None:
            self._placed_ns = t_ns

    def place(self, age_h: float, t_ns: int) -> None:
        """Dice were placed, `age_h` hours ago: whatever that brings comes from now on."""
        self._begun_ns = t_ns
        self._placed_ns, self._placed = t_ns - round(age_h * HOUR_NS), None
        self.too_old = self.nearly = self._unknown = False
        self.why = f"the dice have been on the table for {self.hours} hours"

    def _now(self, t_ns: int) -> datetime:
        return datetime.fromisoformat(self._time_of(t_ns))


def _read(published: str) -> datetime | None:
    """A calendar time that was published; None where it is none."""
    try:
        read = datetime.fromisoformat(published)
    except ValueError:
        return None
    return read if read.tzinfo is not None else None
