"""The level of the wheel: two inclinations in degrees, and how long they have been too great.

13:47-20.15(c): "horizontal and level at all times during its operation". The text gives no tolerance.
"""

from __future__ import annotations

import math

from drivers.driver import NEVER_NS
from hal.values import Reading


class Level:
    """Says when the inclination has been beyond the tolerance for too long, and when it is back."""

    def __init__(self, x: str, y: str, tolerance_deg: float, patience_ns: int) -> None:
        self.lines = frozenset((x, y))
        self._tolerance_deg = tolerance_deg
        self._patience_ns = patience_ns
        self._deg = {x: 0.0, y: 0.0}
        self.due_ns = NEVER_NS
        """When the wheel is out of level, if no better reading comes."""
        self.out = False
        """Whether it was found out of level, and has not been level since."""

    @property
    def tilt_deg(self) -> float:
        """The inclination of the wheel's plane, from the last reading of each axis."""
        return math.hypot(*self._deg.values())

    def take(self, reading: Reading) -> bool:
        """Takes a reading; returns whether the wheel came back to level with it.

        A value that is not a number is beyond every tolerance: an inclinometer that fails is not a level wheel.
        """
        self._deg[reading.line] = reading.value if math.isfinite(reading.value) else math.inf
        if self.tilt_deg > self._tolerance_deg:
            if not self.out and self.due_ns == NEVER_NS:
                self.due_ns = reading.t_ns + self._patience_ns
            return False
        self.due_ns = NEVER_NS
        back, self.out = self.out, False
        return back

    def due(self, t_ns: int) -> int | None:
        """Lets time pass; returns when the wheel was found out of level, the first time."""
        if t_ns < self.due_ns:
            return None
        self.out = True
        due_ns, self.due_ns = self.due_ns, NEVER_NS
        return due_ns
