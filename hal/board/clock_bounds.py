"""What exchanges prove about a board's clock: between which two times of the host each of its ticks lies.

Whatever the latencies are, a command is not received before it was sent and had its time on the wire, and an answer is
not read before it was answered and had its. So each exchange gives a point that the true map from ticks to host time
lies above, and one that it lies below:

    host ns
      │            ╷ read                 . ´   The true map is nearly a straight line: its slope is within 1 %, and
      │            ▼              ╷   . ´       changes by at most MOST_WANDER. The lines that fit between all points
      │     ╷         . ´         ▼´            say where it can be at the last exchange, and with which slope.
      │     ▼   . ´        ▲  . ´
      │    . ´             ╵´                   No latency is assumed to be equal to another, or the same again; the
      │. ´    ▲ sent       ▲                    best exchanges of each direction decide by themselves.
      └───────┴────────────┴──────────── ticks

A slope that may change bends what an older point says by half its age squared: a parabola, which moves no point past
the line of two others. So of each side only the corners of the convex hull count, and they are few.
"""

from __future__ import annotations

from math import inf
from typing import Final, NamedTuple

from hal.board.messages import TICK_HZ

NS_PER_TICK: Final = 1_000_000_000 // TICK_HZ
MOST_WANDER: Final = 5e-15
"""How fast the rate of a board against its host changes at most, a nanosecond: 5 ppm a second (ours). A ceramic
resonator has some 40 ppm a kelvin, and a board in a table warms by less than 0.1 K a second."""
MOST_OFF: Final = 0.01
"""How far a board's rate is off at most (ours): resonators are within 0.5 %, and a UART works up to 2 %."""
POSSIBLE_RATES: Final = (1 - MOST_OFF, 1 + MOST_OFF)
WINDOW_NS: Final = 30_000_000_000
"""Older points are forgotten (ours): the wander has made them loose."""
FLAT_NS: Final = 100.0
"""A corner that stands out by less is left out (ours): that proves a little less, and keeps the corners few."""


class Exchange(NamedTuple):
    """One question for the board's time, as two points in ticks and host nanoseconds."""

    after_ticks: int
    after_ns: int
    """The board's `after_ticks` was not before this."""
    before_ticks: int
    before_ns: int
    """The board's `before_ticks` was not after this."""


class Fit(NamedTuple):
    """Where the true map is at one tick, and its slope there."""

    ticks: int
    ns: float
    """The middle of where it can be, from `base_ns`."""
    base_ns: int
    spread_ns: float
    """It can be so far off."""
    rate: float
    """The middle of what the slope can be: host nanoseconds for each that the board counts."""
    rate_spread: float

    def at(self, ticks: int) -> float:
        """Where it says the true map is, from `base_ns`."""
        return self.ns + (ticks - self.ticks) * NS_PER_TICK * self.rate

    def error_at(self, ticks: int) -> float:
        """How far that can be off."""
        away_ns = abs(ticks - self.ticks) * NS_PER_TICK
        return self.spread_ns + away_ns * self.rate_spread + MOST_WANDER / 2 * away_ns * away_ns


class _Hull:
    """The corners of the points that the map lies above (`sign` 1), or below (`sign` -1), in the order of ticks."""

    __slots__ = ("points", "sign")

    def __init__(self, sign: int, points: list[tuple[int, int]] | None = None) -> None:
        self.sign = sign
        self.points = points or []

    def with_point(self, ticks: int, ns: int) -> _Hull:
        """The corners when the next point is one of them."""
        oldest = ticks - WINDOW_NS // NS_PER_TICK
        points = [point for point in self.points if oldest <= point[0] < ticks]
        while len(points) >= 2:
            (x0, y0), (x1, y1) = (self._seen_from(ticks, ns, point) for point in points[-2:])
            if y1 - y0 * x1 / x0 > FLAT_NS:  # the last stands out from the line between the one before and the new
                break
            points.pop()
        points.append((ticks, ns))
        return _Hull(self.sign, points)

    def seen_from(self, ticks: int, ns: int) -> list[tuple[float, float]]:
        """The corners in nanoseconds from there, each moved as far as the wander can have bent it."""
        return [self._seen_from(ticks, ns, point) for point in self.points]

    def _seen_from(self, ticks: int, ns: int, point: tuple[int, int]) -> tuple[float, float]:
        x = float((point[0] - ticks) * NS_PER_TICK)
        return x, self.sign * (point[1] - ns) - MOST_WANDER / 2 * x * x


class Bounds:
    """What the exchanges of the last half minute prove. Immutable: `with_exchange` makes another."""

    __slots__ = ("_above", "_below", "_rates")

    def __init__(self, rates: tuple[float, float] = POSSIBLE_RATES) -> None:
        """`rates` are the least and the greatest slope that is thought possible."""
        self._above = _Hull(1)
        self._below = _Hull(-1)
        self._rates = rates

    def with_exchange(self, exchange: Exchange) -> Bounds:
        """The bounds with one exchange more; it is later than the others."""
        made = Bounds(self._rates)
        made._above = self._above.with_point(exchange.after_ticks, exchange.after_ns)
        made._below = self._below.with_point(exchange.before_ticks, exchange.before_ns)
        return made

    def without_oldest(self, rates: tuple[float, float]) -> Bounds | None:
        """The bounds without their oldest point, and with other slopes; None when there is nothing left to leave."""
        above, below = self._above.points, self._below.points
        if len(above) + len(below) <= 2:
            return None
        made = Bounds(rates)
        older = len(above) > 1 and (len(below) == 1 or above[0][0] <= below[0][0])
        made._above = _Hull(1, above[1:] if older else above)
        made._below = _Hull(-1, below if older else below[1:])
        return made

    def fit(self) -> Fit | None:
        """Where the map is at the end of the last exchange; None when no line fits between the points."""
        ticks, base_ns = self._below.points[-1]
        above = self._above.seen_from(ticks, base_ns)
        below = [(x, -y) for x, y in self._below.seen_from(ticks, base_ns)]
        least, most = self._rates
        most = _steepest(above, below, most)
        least = -_steepest([(x, -y) for x, y in below], [(x, -y) for x, y in above], -least)
        if least > most:
            return None
        # All points are in the past, so the highest line has the greatest slope, and the lowest the least.
        high = min(y - most * x for x, y in below)
        low = max(y - least * x for x, y in above)
        if high < low - 1:
            return None
        middle, rate = (high + low) / 2, (most + least) / 2
        return Fit(ticks, middle, base_ns, max(high - low, 0.0) / 2, rate, (most - least) / 2)


def _steepest(lows: list[tuple[float, float]], highs: list[tuple[float, float]], rate: float) -> float:
    """The greatest slope up to `rate` of a line that no low point keeps from passing under a later high one.

    Dinkelbach's way to the least quotient: with the slope of the worst pair of points, look for a worse one.
    """
    points = sorted([*((x, y, True) for x, y in lows), *((x, y, False) for x, y in highs)])
    while True:
        least, found = -1e-3, rate
        top, top_x, top_y = -inf, 0.0, 0.0
        for x, y, is_low in points:
            value = y - rate * x
            if is_low:
                if value > top:
                    top, top_x, top_y = value, x, y
            elif value - top < least and x > top_x:
                least, found = value - top, (y - top_y) / (x - top_x)
        if found == rate:
            return rate
        rate = found
