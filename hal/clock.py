"""Clocks: time as a number of nanoseconds that never goes back.

Every decision uses a difference between two such numbers, so the start of the clock does not matter. Wall time, which
can be set, is used only for the `time` of an event.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Final, Protocol

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)

NS_PER_S = 1_000_000_000


class Clock(Protocol):
    """A monotonic clock."""

    def now_ns(self) -> int:
        """The current time, in nanoseconds since the clock's own start."""

    def wall_time_ns(self, at_ns: int | None = None) -> int:
        """The wall time at `at_ns` of this clock (default: now), in nanoseconds since 1970 UTC."""


class SystemClock:
    """The computer's CLOCK_MONOTONIC, with which the Linux kernel timestamps GPIO edges."""

    def now_ns(self) -> int:
        """Nanoseconds since the computer started, excluding suspend."""
        return time.monotonic_ns()

    def wall_time_ns(self, at_ns: int | None = None) -> int:
        """The wall time at `at_ns`, by the computer's calendar as it is set now."""
        wall_ns = time.time_ns()
        return wall_ns if at_ns is None else wall_ns - (time.monotonic_ns() - at_ns)


class FastClock:
    """The computer's clock, `speed` times as fast from now on: for watching simulated devices."""

    def __init__(self, speed: float) -> None:
        self._speed = speed
        self._system = SystemClock()
        self._start_ns = self._system.now_ns()

    def now_ns(self) -> int:
        """Nanoseconds on the faster clock."""
        return self._start_ns + round((self._system.now_ns() - self._start_ns) * self._speed)

    def wall_time_ns(self, at_ns: int | None = None) -> int:
        """The computer's calendar at the real time of `at_ns`."""
        if at_ns is None:
            return self._system.wall_time_ns()
        return self._system.wall_time_ns(self._start_ns + round((at_ns - self._start_ns) / self._speed))


class VirtualClock:
    """A clock that advances only by `advance_to`.

    Its wall time is 1970-01-01T00:00:00Z plus its own time, as in replayed and simulated events.
    """

    __slots__ = ("_now_ns",)

    def __init__(self, start_ns: int = 0) -> None:
        self._now_ns = start_ns

    def now_ns(self) -> int:
        """The time that the clock was last advanced to."""
        return self._now_ns

    def wall_time_ns(self, at_ns: int | None = None) -> int:
        """The time itself: a virtual clock starts at the epoch."""
        return self._now_ns if at_ns is None else at_ns

    def advance_to(self, t_ns: int) -> None:
        """Sets the time to `t_ns`.

        Raises:
            ValueError: `t_ns` is in the past.
        """
        if t_ns < self._now_ns:
            raise ValueError(
                f"virtual clock: cannot go back from {self._now_ns} ns to {t_ns} ns; advance it to the present or later"
            )
        self._now_ns = t_ns


def wait_until_ns(clock: SystemClock, t_ns: int) -> None:
    """Blocks until the system clock reaches `t_ns`. For programs that display a simulation, never on an event loop."""
    left_ns = t_ns - clock.now_ns()
    if left_ns > 0:
        time.sleep(left_ns / NS_PER_S)


def wall_time(clock: Clock, at_ns: int | None = None) -> str:
    """The wall time at an instant of a clock, or now: RFC 3339 in UTC, to the microsecond."""
    moment = _EPOCH + timedelta(microseconds=clock.wall_time_ns(at_ns) // 1000)
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")
