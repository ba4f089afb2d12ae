"""Limits a rate for each name: a burst, then one in each refill time."""

from __future__ import annotations

from typing import Final

from hal.clock import Clock

_NAMES: Final = 1000
"""Names that are counted apart; beyond that the one used least recently is forgotten."""


class RateLimiter:
    """A token bucket for each name: full at first, refilled with time."""

    def __init__(self, clock: Clock, burst: int, refill_ns: int) -> None:
        """`refill_ns` is the time in which one token comes back."""
        self._clock = clock
        self._burst = burst
        self._refill_ns = refill_ns
        self._left: dict[str, tuple[float, int]] = {}

    def spend(self, name: str, cost: int) -> None:
        """Takes `cost` tokens of a name, or all that are left."""
        self._left[name] = (max(0.0, self._now_left(name) - cost), self._clock.now_ns())

    def take(self, name: str) -> bool:
        """Takes one token of a name; False if none is left."""
        left = self._now_left(name)
        allowed = left >= 1
        self._left[name] = (left - 1 if allowed else left, self._clock.now_ns())
        return allowed

    def _now_left(self, name: str) -> float:
        """The tokens that a name has left; it becomes the one used last."""
        now_ns = self._clock.now_ns()
        left, since_ns = self._left.pop(name, (float(self._burst), now_ns))
        if len(self._left) >= _NAMES:
            self._left.pop(next(iter(self._left)))
        return min(self._burst, left + (now_ns - since_ns) / self._refill_ns)
