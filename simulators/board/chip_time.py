"""The conversion between real nanoseconds and a chip's cycles: piecewise linear, as the crystal drifts or stops."""

from __future__ import annotations

from hal.clock import NS_PER_S


class ChipTime:
    """Converts between times and cycles of a chip, in integers, so without rounding drift."""

    def __init__(self, begins_ns: int, hz: int) -> None:
        """Cycle 0 is at `begins_ns`."""
        self.hz = hz
        self._base_ns = begins_ns
        self._base_cycle = 0

    def cycle_at(self, t_ns: int) -> int:
        """The first cycle that does not begin before `t_ns`; 0 where the chip had not begun."""
        return max(0, self._base_cycle - (self._base_ns - t_ns) * self.hz // NS_PER_S)

    def ns_at(self, cycle: int) -> int:
        """When a cycle begins, rounded down."""
        return self._base_ns + (cycle - self._base_cycle) * NS_PER_S // self.hz

    def cycles_in(self, duration_ns: int) -> int:
        """The whole cycles in a duration."""
        return duration_ns * self.hz // NS_PER_S

    def set_hz(self, hz: int, cycle: int) -> None:
        """Changes the clock rate from `cycle` on."""
        self._base_ns, self._base_cycle, self.hz = self.ns_at(cycle), cycle, hz

    def stand(self, duration_ns: int) -> None:
        """Stops the crystal for a duration: all later cycles are so much later."""
        self._base_ns += duration_ns
