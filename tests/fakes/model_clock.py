"""The clock of a model board, with an error and a drift chosen by the test."""

from __future__ import annotations

from math import inf

from hal.board.clock import ClockMap


class ModelClock:
    """Ticks of a board, against the host's time."""

    def __init__(self, start_ns: int, ticks: int, ppm: float) -> None:
        """It is at `ticks` at `start_ns`, and `ppm` fast."""
        self.rate = 1 + ppm / 1e6
        self._since_ns = start_ns
        self._ticks = float(ticks)

    def begin(self, t_ns: int) -> None:
        """Restarts from 0."""
        self._since_ns, self._ticks = t_ns, 0.0

    def ticks_at(self, t_ns: int) -> int:
        """The tick at this host time."""
        return int(self._ticks + (t_ns - self._since_ns) * self.rate / 500)

    def ns_at(self, ticks: int) -> int:
        """The host time of this tick."""
        return self._since_ns + round((ticks - self._ticks) * 500 / self.rate)

    def drift(self, t_ns: int, ppm: float) -> None:
        """Sets how fast it runs from this host time on."""
        self._ticks += (t_ns - self._since_ns) * self.rate / 500
        self._since_ns = t_ns
        self.rate = 1 + ppm / 1e6

    def jump(self, ticks: int) -> None:
        """Makes it jump."""
        self._ticks += ticks


def rate_error_ppm(clock: ClockMap) -> float:
    """The bound on the error of a map's `rate_ppm`; infinite before the first exchange."""
    return inf if clock._fit is None else clock._fit.rate_spread * 1e6
