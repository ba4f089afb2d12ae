"""From a pin factory's ticks to nanoseconds of our clock.

gpiozero calls ticks opaque: only `ticks_diff` gives seconds. For the factories whose ticks are known to be seconds of
CLOCK_MONOTONIC they are converted as they are; for all others they are measured against our clock.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hal.clock import Clock
from hal.lines import NOT_YET_NS

if TYPE_CHECKING:
    from gpiozero.pins import Factory

ANCHOR_EVERY_NS = 10_000_000_000
"""How often opaque ticks are measured anew (ours): clock discipline (at most 500 ppm) moves them by 5 ms in between."""

_SECONDS = ("gpiozero.pins.local", "gpiozero.pins.mock")
"""Factories whose ticks are seconds of CLOCK_MONOTONIC: lgpio (the kernel's stamp / 1e9), rpigpio, native; mock."""


def made_by(factory: Factory, module: str) -> bool:
    """Whether the factory's class, or one that it extends, is of that module; without importing it."""
    return any(base.__module__ == module for base in type(factory).__mro__)


class SecondsTicks:
    """Ticks that are seconds of CLOCK_MONOTONIC, as a float: exact for 26 days of uptime, within 2 ns for 100 days."""

    @staticmethod
    def fits(factory: Factory) -> bool:
        """Whether the factory's ticks are of this kind."""
        return any(made_by(factory, module) for module in _SECONDS)

    def anchor(self) -> None:
        """Nothing to do: both count from the same start."""

    def keep(self, now_ns: int) -> None:
        """Nothing to do."""

    def to_ns(self, ticks: object) -> int:
        """The instant in nanoseconds.

        Raises:
            TypeError: the ticks are no number.
        """
        if not isinstance(ticks, int | float):
            raise TypeError(f"ticks: expected seconds as a number, got {ticks!r}")
        return round(ticks * 1e9)


class OpaqueTicks:
    """Ticks of which only differences are known: pigpio's microseconds, which start again every 71.6 minutes.

    An anchor pairs one tick with our clock. A tick just before the anchor differs from it by almost a whole period in
    one direction and by little in the other; the shorter way is the right one, as an anchor is never half a period old.
    """

    def __init__(self, factory: Factory, clock: Clock) -> None:
        self._factory = factory
        self._clock = clock
        self._anchor_ns = 0
        self._last_ns = NOT_YET_NS
        self._anchor_ticks: object = None

    def anchor(self) -> None:
        """Measures the ticks against our clock; half the time that the question took is the error."""
        before_ns = self._clock.now_ns()
        self._anchor_ticks = self._factory.ticks()
        self._anchor_ns = (before_ns + self._clock.now_ns()) // 2

    def keep(self, now_ns: int) -> None:
        """Measures anew when the last time is long ago: one question over a socket to pigpiod, some 0.1 ms."""
        if now_ns - self._anchor_ns >= ANCHOR_EVERY_NS:
            self.anchor()

    def to_ns(self, ticks: object) -> int:
        """The instant in nanoseconds of our clock; ticks are asked for in the order of their edges."""
        after_s = float(self._factory.ticks_diff(ticks, self._anchor_ticks))
        before_s = float(self._factory.ticks_diff(self._anchor_ticks, ticks))
        since_s = after_s if after_s <= before_s or before_s < 0 else -before_s
        # A new anchor can set the time back a little; a later edge must not come before an earlier one for that.
        self._last_ns = max(self._last_ns, self._anchor_ns + round(since_s * 1e9))
        return self._last_ns
