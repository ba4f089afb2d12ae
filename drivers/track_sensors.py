"""The track sensors' lines: which pulses may be a ball.

ball      ______|‾‾‾‾|_________      0.3 % to 3 % of a lap, so 1 ms to 130 ms over all speeds
bounce    ______|‾|_|‾|________      gaps of less than 4 ms belong to one pulse
noise     ______|______________      under 0.8 ms: not a ball
hand      ______|‾‾‾‾‾‾‾‾‾‾‾‾‾‾      longer: a hand, or a stuck sensor; not a ball
"""

from __future__ import annotations

from typing import Final

from drivers.ball_course import Pass
from hal.values import Edge

NARROWEST_NS: Final = 800_000
"""0.3 % of the fastest lap is 1.05 ms; a quarter less for the sensor's hysteresis (ours)."""

WIDEST_NS: Final = 140_000_000
"""3 % of the slowest lap (ours)."""

BOUNCE_NS: Final = 4_000_000
"""A pulse so soon after the last of the same sensor is part of it (ours)."""


class TrackSensors:
    """Makes passes of the edges of `ball_1` to `ball_n`."""

    def __init__(self, number: int) -> None:
        self.lines = tuple(f"ball_{i + 1}" for i in range(number))
        self._index = {line: i for i, line in enumerate(self.lines)}
        self._rise_ns: list[int | None] = [None] * number
        self._fall_ns: list[int | None] = [None] * number
        self._high = [False] * number
        self._told = [False] * number

    @property
    def blocked(self) -> bool:
        """Whether something stands in front of a sensor."""
        return True in self._high

    def forget(self, line: str) -> None:
        """Changes of the line were lost: what it began is not a pass."""
        sensor = self._index[line]
        self._rise_ns[sensor] = self._fall_ns[sensor] = None
        self._high[sensor] = False

    def take(self, edge: Edge) -> Pass | None:
        """Takes an edge; returns the pass that it completes."""
        line, level, t_ns = edge
        sensor = self._index[line]
        if level:
            if self._high[sensor]:
                return None
            self._high[sensor] = True
            fall_ns = self._fall_ns[sensor]
            if fall_ns is None or t_ns - fall_ns > BOUNCE_NS or self._rise_ns[sensor] is None:
                self._rise_ns[sensor] = t_ns
                self._told[sensor] = False
            return None
        self._high[sensor] = False
        self._fall_ns[sensor] = t_ns
        rise_ns = self._rise_ns[sensor]
        if rise_ns is None or self._told[sensor]:
            return None
        width_ns = t_ns - rise_ns
        if not NARROWEST_NS <= width_ns <= WIDEST_NS:
            return None
        self._told[sensor] = True
        return Pass(sensor, rise_ns, width_ns)
