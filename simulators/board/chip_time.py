"""The world's nanoseconds and a chip's cycles: a straight line, bent where the crystal drifts or stands."""

from __future__ import annotations

from hal.clock import NS_PER_S


class ChipTime:
    """Which cycle of a chip is when. In integers: equal questions have equal answers, for ever."""

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
        """How many cycles fit."""
        return duration_ns * self.hz // NS_PER_S

    def set_hz(self, hz: int, cycle: int) -> None:
        """From `cycle` on, cycles have another length."""
        self._base_ns, self._base_cycle, self.hz = self.ns_at(cycle), cycle, hz

    def stand(self, duration_ns: int) -> None:
        """The crystal stood for so long: all cycles from now on are so much later."""
        self._base_ns += duration_ns
