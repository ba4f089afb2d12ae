"""The time of day, as events and records write it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

from hal.clock import Clock

_BEGINNING: Final = datetime(1970, 1, 1, tzinfo=UTC)


def wall_time(clock: Clock, at_ns: int | None = None) -> str:
    """The wall time at an instant of a clock, or now: RFC 3339 in UTC, to the microsecond."""
    moment = _BEGINNING + timedelta(microseconds=clock.wall_time_ns(at_ns) // 1000)
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")
