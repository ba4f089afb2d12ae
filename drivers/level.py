"""The level of the wheel: two inclinations in degrees, and how long they have been too great.

13:47-20.15(c): "horizontal and level at all times during its operation". The text gives no tolerance.
"""

from __future__ import annotations

import math

from hal.values import Reading


class Level:
    """Says when the inclination has been beyond the tolerance for too long, and when it is back."""

    def __init__(self, x: str, y: str, tolerance_deg: float, patience_ns: int) -> None:
        self.lines = frozenset((x, y))
        self._tolerance_deg = tolerance_deg
        self._patience_ns = patience_ns
        self._deg = {x: 0.0, y: 0.0}
        self._since_ns: int | None = None
        self.out = False

    @property
    def tilt_deg(self) -> float:
        """The inclination of the wheel's plane, from the last reading of each axis."""
        return math.hypot(*self._deg.values())

    @property
    def due_ns(self) -> int | None:
        """When the wheel is out of level, if no better reading comes."""
        return None if self._since_ns is None or self.out else self._since_ns + self._patience_ns

    def take(self, reading: Reading) -> bool:
        """Takes a reading; returns whether the wheel came back to level with it.

        A value that is not a number is beyond every tolerance: an inclinometer that fails is not a level wheel.
        """
        self._deg[reading.line] = reading.value if math.isfinite(reading.value) else math.inf
        if self.tilt_deg > self._tolerance_deg:
            if self._since_ns is None:
                self._since_ns = reading.t_ns
            return False
        self._since_ns = None
        back, self.out = self.out, False
        return back

    def due(self, t_ns: int) -> int | None:
        """Lets time pass; returns when the wheel was found out of level, the first time."""
        due_ns = self.due_ns
        if due_ns is None or t_ns < due_ns:
            return None
        self.out = True
        return due_ns
