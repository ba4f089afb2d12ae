"""How much of something anybody may ask for: a burst, then so much a time."""

from __future__ import annotations

from typing import Final

from hal.clock import Clock

_NAMES: Final = 1000
"""Those who are counted apart; beyond that the one heard of first is forgotten."""


class RateLimiter:
    """A bucket for each name: full at first, emptied by what is taken, refilled by time."""

    def __init__(self, clock: Clock, burst: int, refill_ns: int) -> None:
        """`refill_ns` is the time after which one more may be taken."""
        self._clock = clock
        self._burst = burst
        self._refill_ns = refill_ns
        self._left: dict[str, tuple[float, int]] = {}

    def spend(self, name: str, cost: int) -> None:
        """Takes so much more in somebody's name, down to nothing."""
        self._left[name] = (max(0.0, self._now_left(name) - cost), self._clock.now_ns())

    def take(self, name: str) -> bool:
        """Takes one in somebody's name; False if there is none left."""
        left = self._now_left(name)
        allowed = left >= 1
        self._left[name] = (left - 1 if allowed else left, self._clock.now_ns())
        return allowed

    def _now_left(self, name: str) -> float:
        """What somebody has left; they become the one heard of last."""
        now_ns = self._clock.now_ns()
        left, since_ns = self._left.pop(name, (float(self._burst), now_ns))
        if len(self._left) >= _NAMES:
            self._left.pop(next(iter(self._left)))
        return min(self._burst, left + (now_ns - since_ns) / self._refill_ns)
