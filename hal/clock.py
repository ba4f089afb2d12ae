"""Clocks: time as a number of nanoseconds that never goes back.

Every decision uses a difference between two such numbers, so the start of the clock does not matter. Wall time, which
can be set, is used only for the `time` of an event.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
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


def boot_time_ns() -> int:
    """Nanoseconds since the computer started, with those in which it was suspended."""
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


def clock_resolution_ns() -> int:
    """The step of `SystemClock`, as the kernel states it."""
    return max(1, round(time.clock_getres(time.CLOCK_MONOTONIC) * NS_PER_S))


class FastClock:
    """The computer's clock, `speed` times as fast from now on: for watching simulated devices.

    At speed 0 time stops.
    """

    def __init__(self, speed: float, system: Clock | None = None) -> None:
        """`system` is the computer's clock, or what a test puts in its place."""
        self._system = SystemClock() if system is None else system
        self._speed = speed
        self._own_ns = self._system_ns = self._system.now_ns()
        """The two clocks at the last change of speed."""

    @property
    def speed(self) -> float:
        """Times real time."""
        return self._speed

    def set_speed(self, speed: float) -> None:
        """Continues from the present at another speed."""
        system_ns = self._system.now_ns()
        self._own_ns = self._at(system_ns)
        self._system_ns, self._speed = system_ns, speed

    def now_ns(self) -> int:
        """Nanoseconds on the faster clock."""
        return self._at(self._system.now_ns())

    def _at(self, system_ns: int) -> int:
        return self._own_ns + round((system_ns - self._system_ns) * self._speed)

    def wall_time_ns(self, at_ns: int | None = None) -> int:
        """The computer's calendar at the real time of `at_ns`, as the present speed has it."""
        if at_ns is None or self._speed == 0:
            return self._system.wall_time_ns()
        return self._system.wall_time_ns(self._system_ns + round((at_ns - self._own_ns) / self._speed))


class TurnClock:
    """The clock of simulated tables in a service: `speed` times the computer's, and bounded in each turn of its work.

    It moves only by `turn`. What a busy computer does not do in time is left out and never caught up: the tables then
    run slower, and the work of a turn does not grow with its lateness.
    """

    def __init__(self, speed: float, system: Clock, most_ns: int) -> None:
        """`most_ns` is how much of the computer's time one turn may make up for."""
        self._system = system
        self._most_ns = most_ns
        self.speed = speed
        self._own_ns = self._system_ns = system.now_ns()
        """The two clocks at the last turn."""

    def turn(self, *, holds: bool = False) -> int:
        """Goes on to the present, or by `most_ns` of the computer's time; returns how much of that was left out.

        With `holds` time stops, and everything is left out.
        """
        system_ns = self._system.now_ns()
        passed_ns = system_ns - self._system_ns
        granted_ns = 0 if holds else min(passed_ns, self._most_ns)
        self._own_ns += round(granted_ns * self.speed)
        self._system_ns = system_ns
        return passed_ns - granted_ns

    def now_ns(self) -> int:
        """The time of the last turn."""
        return self._own_ns

    def wall_time_ns(self, at_ns: int | None = None) -> int:
        """The computer's calendar at the real time of `at_ns`, as the last turn has it."""
        own_ns = self._own_ns if at_ns is None else at_ns
        return self._system.wall_time_ns(self._system_ns + round((own_ns - self._own_ns) / self.speed))


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


class CalendarWatch:
    """Whether this computer's calendar is known to be set since it was started.

    A computer without a clock chip (a Pi) starts with the time of its last shutdown, and does not know how long its
    power was off until NTP has set it. Any of these shows that it is set:

    - the kernel set it at the start from a clock chip (`hctosys` of an rtc);
    - systemd-timesyncd has set it (`/run/systemd/timesync/synchronized`);
    - the kernel's clock is disciplined (adjtimex: not STA_UNSYNC), by chrony or ntpd. Under a filter of system calls
      (`ProtectClock=`, `SystemCallFilter=`), which may end a process that asks, this is not asked.

    It stays set until the computer is started again.
    """

    def __init__(
        self,
        rtcs: Path = Path("/sys/class/rtc"),
        timesync: Path = Path("/run/systemd/timesync/synchronized"),
        disciplined: Callable[[], bool] | None = None,
    ) -> None:
        """`disciplined` is whether the kernel's clock is."""
        self._rtcs = rtcs
        self._timesync = timesync
        self._disciplined = disciplined or kernel_clock_is_disciplined
        self._is_set = False

    def is_set(self) -> bool:
        """Whether it is known to be set."""
        self._is_set = self._is_set or self._timesync.exists() or self._from_chip() or self._disciplined()
        return self._is_set

    def _from_chip(self) -> bool:
        for rtc in sorted(self._rtcs.glob("rtc*/hctosys")):
            try:
                if rtc.read_text(encoding="ascii").strip() == "1":
                    return True
            except OSError:
                continue  # this one shows nothing
        return False


class KnownCalendar:
    """The calendar of a clock, where it is known to be set: what is shown to people as the time."""

    def __init__(self, clock: Clock, calendar: CalendarWatch | None = None) -> None:
        """`calendar` is the watch of this computer, or what a test puts in its place."""
        self._clock = clock
        self._calendar = CalendarWatch() if calendar is None else calendar

    def time_of_day_ms(self) -> int | None:
        """As the function `time_of_day_ms`; None while the calendar is not known to be set."""
        return time_of_day_ms(self._clock) if self._calendar.is_set() else None

    def wall_time(self) -> str | None:
        """As the function `wall_time`, of now; None while the calendar is not known to be set."""
        return wall_time(self._clock) if self._calendar.is_set() else None


class _Timex(ctypes.Structure):
    """The beginning of the kernel's `struct timex`; the rest is room."""

    _fields_ = (
        ("modes", ctypes.c_uint),
        ("offset", ctypes.c_long),
        ("freq", ctypes.c_long),
        ("maxerror", ctypes.c_long),
        ("esterror", ctypes.c_long),
        ("status", ctypes.c_int),
        ("room", ctypes.c_byte * 256),
    )


_STA_UNSYNC: Final = 0x40
_TIME_ERROR: Final = 5


def system_calls_are_filtered(status: Path = Path("/proc/self/status")) -> bool:
    """Whether a seccomp filter is on, or that cannot be known."""
    try:
        lines = status.read_text(encoding="utf-8").splitlines()
    except OSError:
        return True
    return "Seccomp:\t0" not in lines


def kernel_clock_is_disciplined() -> bool:
    """Whether NTP disciplines the kernel's clock; False where that may not be asked."""
    adjtimex = getattr(ctypes.CDLL(None), "adjtimex", None)
    if adjtimex is None or system_calls_are_filtered():
        return False
    timex = _Timex()
    state = adjtimex(ctypes.byref(timex))
    return 0 <= state < _TIME_ERROR and not timex.status & _STA_UNSYNC


def wait_until_ns(clock: SystemClock, t_ns: int) -> None:
    """Blocks until the system clock reaches `t_ns`. For programs that display a simulation, never on an event loop."""
    left_ns = t_ns - clock.now_ns()
    if left_ns > 0:
        time.sleep(left_ns / NS_PER_S)


def wall_time(clock: Clock, at_ns: int | None = None) -> str:
    """The wall time at an instant of a clock, or now: RFC 3339 in UTC, to the microsecond."""
    moment = _EPOCH + timedelta(microseconds=clock.wall_time_ns(at_ns) // 1000)
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")


def time_of_day_ms(clock: Clock) -> int:
    """The time of day where this computer is, in milliseconds since midnight, as the hands of a clock show it."""
    hands = (_EPOCH + timedelta(microseconds=clock.wall_time_ns() // 1000)).astimezone()
    return ((hands.hour * 60 + hands.minute) * 60 + hands.second) * 1000 + hands.microsecond // 1000
