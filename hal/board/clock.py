"""Maps a board's clock to the host's time: monotonic, without steps, and with a bound on the error.

Each exchange of the command `clock` narrows the bounds of the true map (`ClockBounds`). Times already mapped stay as
they are; from the end of the exchange on, the map slews towards the middle of the bounds, by at most MOST_SLEW. So the
interval between two edges is wrong by at most the rate's error plus that slew, however the offset is corrected, and
equal ticks give equal times.

    map   = straight pieces, each beginning where the previous one ends
    fit   = the middle of the bounds
    error = |map - fit| + half the width of the bounds, which grows with the distance from the last exchange
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from math import inf
from operator import itemgetter
from typing import Final, NamedTuple

from hal.board.messages import BAUD, TICK_HZ, ClockAnswer

NS_PER_TICK: Final = 1_000_000_000 // TICK_HZ
MOST_WANDER: Final = 5e-15 * 1.035
"""The fastest change of the map's slope, per nanosecond of the board: a board's rate changes by at most 5 ppm a second
(ours), and one that is 1 % slow bends the map by 3 % more. A ceramic resonator has some 40 ppm a kelvin, and a board in
a table warms by less than 0.1 K a second."""
MOST_OFF: Final = 0.01
"""The greatest error of a board's rate (ours): resonators are within 0.5 %, and a UART works up to 2 %."""
POSSIBLE_RATES: Final = (1 - MOST_OFF, 1 + MOST_OFF)
WINDOW_NS: Final = 30_000_000_000
"""Older points are dropped, except for the last of them (ours): the wander has made them useless."""
FLAT_NS: Final = 100.0
"""A corner that protrudes by less is dropped (ours): slightly looser bounds, but fewer corners."""
LEAST_EXCHANGES: Final = 8
"""Exchanges before the map is used (ours)."""
GOOD_RATE: Final = 25e-6
"""The map is used as soon as its rate is known to this (ours)…"""
LONGEST_LEARNING_NS: Final = 2_000_000_000
"""… or after this long (ours): on some USB adapters the rate takes half a minute."""
MOST_SLEW: Final = 100e-6
"""The greatest change of the map's rate to return to the fit (ours)."""
CATCH_UP_NS: Final = 1000_000_000
"""The time in which the map returns to the fit (ours)."""
EARLY_NS: Final = 3_000
"""A board may timestamp a byte before the end of its stop bit: half a bit, and the rounding to ticks."""
ROUNDED_NS: Final = 1_000
"""The resolution of `kept`."""
REJECTED_IN_A_ROW: Final = 3
"""Consecutive exchanges that contradict the earlier ones, after which those are dropped (ours)."""
MOST_RATE_STEP: Final = 1000e-6
"""The greatest step of the rate (ours): the host's own clock is steered by up to 500 ppm."""
MOST_STEP_NS: Final = 20_000_000
"""A clock that jumps further outside its bounds is not followed (ours): the session ends and another begins."""
BOUND_FOR_NS: Final = 1_000_000_000
"""How long after an exchange `ClockMap.bound_ns` holds (ours): ten times the period of exchanges. A board that leaves a
command unanswered for as long is down."""
PIECES: Final = 512
"""Pieces of the map that are kept (ours): some fifty seconds."""
_AHEAD: Final = 3 * TICK_HZ
"""Ticks after the last exchange up to which a tick is trusted; a later one was corrupted."""
_ONE: Final = 1 << 32


# The bounds that exchanges prove: for each tick of the board, the earliest and the latest host time.
#
# Whatever the latencies, a command is not received before it was sent and had its time on the wire, and an answer is
# not read before it was sent and had its own. So each exchange gives a point above which the true map from ticks to
# host time lies, and one below which it lies:
#
#     host ns
#       │            ╷ read                 . ´   The true map is nearly a straight line: its slope is within 1 %, and
#       │            ▼              ╷   . ´       changes by at most MOST_WANDER. The lines that fit between all points
#       │     ╷         . ´         ▼´            say where it can be at the last exchange, and with which slope.
#       │     ▼   . ´        ▲  . ´
#       │    . ´             ╵´                   No latency is assumed to be equal to another, or the same again; the
#       │. ´    ▲ sent       ▲                    best exchanges of each direction decide by themselves.
#       └───────┴────────────┴──────────── ticks
#
# A changing slope bends the bound of an older point by half its age squared: a parabola, which moves no point past the
# line through two others. So on each side only the corners of the convex hull count, and they are few.


class ClockExchange(NamedTuple):
    """One exchange of the command `clock`, as two points in ticks and host nanoseconds."""

    after_ticks: int
    after_ns: int
    """Tick `after_ticks` was not before this."""
    before_ticks: int
    before_ns: int
    """Tick `before_ticks` was not after this."""


class ClockFit(NamedTuple):
    """The estimate of the true map at one tick, and of its slope there."""

    ticks: int
    ns: float
    """The middle of the bounds, relative to `base_ns`."""
    base_ns: int
    spread_ns: float
    """Half the width of the bounds."""
    rate: float
    """The middle of the possible slopes: host nanoseconds per board nanosecond."""
    rate_spread: float

    def at(self, ticks: int) -> float:
        """The estimate at `ticks`, relative to `base_ns`."""
        return self.ns + (ticks - self.ticks) * NS_PER_TICK * self.rate

    def error_at(self, ticks: int) -> float:
        """The bound on its error."""
        away_ns = abs(ticks - self.ticks) * NS_PER_TICK
        return self.spread_ns + away_ns * self.rate_spread + MOST_WANDER / 2 * away_ns * away_ns


class _Hull:
    """The corners of the points above which (`sign` 1) or below which (-1) the map lies, in the order of ticks."""

    __slots__ = ("points", "sign")

    def __init__(self, sign: int, points: list[tuple[int, int]] | None = None) -> None:
        self.sign = sign
        self.points = points or []

    def with_point(self, ticks: int, ns: int) -> _Hull:
        """The hull with one more, later point."""
        points = [point for point in self.points if point[0] < ticks]
        # One corner before the window stays: those within it may be but a moment old, and give no slope.
        first = bisect_left(points, ticks - WINDOW_NS // NS_PER_TICK, key=itemgetter(0))
        del points[: max(first - 1, 0)]
        while len(points) >= 2:
            (x0, y0), (x1, y1) = (self._seen_from(ticks, ns, point) for point in points[-2:])
            if y1 - y0 * x1 / x0 > FLAT_NS:  # the last point protrudes from the line between its neighbours
                break
            points.pop()
        points.append((ticks, ns))
        return _Hull(self.sign, points)

    def seen_from(self, ticks: int, ns: int) -> list[tuple[float, float]]:
        """The corners in nanoseconds relative to that point, each moved as far as the wander allows."""
        return [self._seen_from(ticks, ns, point) for point in self.points]

    def _seen_from(self, ticks: int, ns: int, point: tuple[int, int]) -> tuple[float, float]:
        x = float((point[0] - ticks) * NS_PER_TICK)
        return x, self.sign * (point[1] - ns) - MOST_WANDER / 2 * x * x


class ClockBounds:
    """The bounds proven by the exchanges of the last half minute. Immutable: `with_exchange` returns another."""

    __slots__ = ("_above", "_below", "_rates")

    def __init__(self, rates: tuple[float, float] = POSSIBLE_RATES) -> None:
        """`rates` are the least and the greatest possible slope."""
        self._above = _Hull(1)
        self._below = _Hull(-1)
        self._rates = rates

    def with_exchange(self, exchange: ClockExchange) -> ClockBounds:
        """The bounds with one more exchange, later than the others."""
        made = ClockBounds(self._rates)
        made._above = self._above.with_point(exchange.after_ticks, exchange.after_ns)
        made._below = self._below.with_point(exchange.before_ticks, exchange.before_ns)
        return made

    def without_oldest(self, rates: tuple[float, float]) -> ClockBounds | None:
        """The bounds without their oldest point, and with other slopes; None if no point can be dropped."""
        above, below = self._above.points, self._below.points
        if len(above) + len(below) <= 2:
            return None
        made = ClockBounds(rates)
        older = len(above) > 1 and (len(below) == 1 or above[0][0] <= below[0][0])
        made._above = _Hull(1, above[1:] if older else above)
        made._below = _Hull(-1, below if older else below[1:])
        return made

    def fit(self) -> ClockFit | None:
        """The estimate at the end of the last exchange; None if no line fits between the points."""
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
        return ClockFit(ticks, middle, base_ns, max(high - low, 0.0) / 2, rate, (most - least) / 2)


def _steepest(lows: list[tuple[float, float]], highs: list[tuple[float, float]], rate: float) -> float:
    """The greatest slope, up to `rate`, of a line above all low points and below all high ones.

    Dinkelbach's method for the least quotient: with the slope of the worst pair of points, look for a worse one.
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


class _Piece(NamedTuple):
    """From `ticks` on: `ns`, and `rate` / 2^32 nanoseconds a tick."""

    ticks: int
    ns: int
    rate: int

    def at(self, ticks: int) -> int:
        return self.ns + ((ticks - self.ticks) * self.rate >> 32)


class ClockMap:
    """Maps a board's ticks to the host's nanoseconds, from the exchanges of one session."""

    def __init__(self, byte_ns: int = 10 * 1_000_000_000 // BAUD) -> None:
        """`byte_ns` is the time of a byte on the wire: 0 where there is no wire, as on a pty without an emulator."""
        self.exchanges = 0
        """How many exchanges were accepted."""
        self.rejected = 0
        """How many contradicted the others and were rejected."""
        self.failed: str | None = None
        """Why the map is no longer valid; None while it is."""
        self._byte_ns = byte_ns
        self._bounds = ClockBounds()
        self._fit: ClockFit | None = None
        self._suspects: list[ClockExchange] = []
        self._first_ticks = 0
        self._pieces: list[_Piece] = []
        self._mapped: int | None = None
        """The latest tick mapped: up to there the map no longer changes. None if it was not used yet."""

    @property
    def ready(self) -> bool:
        """Whether the map can be used."""
        return bool(self._pieces)

    @property
    def bound_ns(self) -> int:
        """The bound on the error of `host_ns` for every tick from now on, until the next exchange.

        It is that of a second after the last exchange (`BOUND_FOR_NS`), or of a tick before where that is greater.

        Raises:
            RuntimeError: the map is not ready.
        """
        first = 0 if self._fit is None else self._fit.ticks
        last = first + BOUND_FOR_NS // NS_PER_TICK
        # On each piece the bound is convex: it is greatest at an end.
        corners = [piece.ticks for piece in self._pieces if first < piece.ticks < last]
        return max(map(self.error_ns, (first, *corners, last)))

    @property
    def rate_ppm(self) -> float:
        """How much faster than the host's the board's clock runs, in ppm."""
        return 0.0 if self._fit is None else (1 / self._fit.rate - 1) * 1e6

    def exchange(self, sent_ns: int, read_ns: int, answer: ClockAnswer, command_bytes: int, answer_bytes: int) -> None:
        """Adds one exchange: the command was written at `sent_ns`, the last byte of its answer read at `read_ns`.

        The lengths are those on the wire. A command that was sent twice is not an exchange: either try may be answered.
        """
        received = answer.received_high << 32 | answer.received
        wire_ticks = answer_bytes * self._byte_ns // NS_PER_TICK
        made = ClockExchange(
            received,
            sent_ns + command_bytes * self._byte_ns - EARLY_NS,
            received + answer.kept + wire_ticks,
            read_ns + ROUNDED_NS,
        )
        if self._fit is not None and made.before_ticks <= self._fit.ticks:
            self.failed = f"its clock went backwards from tick {self._fit.ticks} to {made.before_ticks}"
            return
        bounds = self._bounds.with_exchange(made)
        fit = bounds.fit()
        if fit is None:
            self._reject(made)
            return
        self._suspects.clear()
        self._accept(bounds, fit, 1)

    def extend(self, low: int) -> int:
        """The 64-bit board time with this low half, nearest to the last exchange."""
        near = 0 if self._fit is None else self._fit.ticks
        away = (low - near) & (_ONE - 1)
        return near + (away if away < _ONE >> 1 else away - _ONE)

    def host_ns(self, ticks: int) -> int:
        """The host's time at this board time (64 bits). Equal ticks give equal times, later ones never earlier.

        Raises:
            RuntimeError: the map is not ready; hold the ticks until it is.
        """
        if not self._pieces:
            raise RuntimeError(f"clock map: not ready after {self.exchanges} exchanges; ask `ready` first")
        if self._mapped is None:
            self._mapped = self._pieces[-1].ticks
        if self._mapped < ticks <= self._pieces[-1].ticks + _AHEAD:
            self._mapped = ticks
        return self._piece(ticks).at(ticks)

    def error_ns(self, ticks: int) -> int:
        """The bound on the error of `host_ns` at this board time.

        It holds while the rate is within 1 % and changes by at most 5 ppm a second.

        Raises:
            RuntimeError: the map is not ready.
        """
        if self._fit is None or not self._pieces:
            raise RuntimeError(f"clock map: not ready after {self.exchanges} exchanges; ask `ready` first")
        away = self._piece(ticks).at(ticks) - self._fit.base_ns - self._fit.at(ticks)
        return int(abs(away) + self._fit.error_at(ticks)) + 2

    def _accept(self, bounds: ClockBounds, fit: ClockFit, count: int) -> None:
        """Accepts new bounds and their fit."""
        if self._fit is None:
            self._first_ticks = fit.ticks
        elif abs(away_ns := self._away_ns(fit)) > fit.spread_ns + self._fit.error_at(fit.ticks) + MOST_STEP_NS:
            self.failed = f"its clock, or the host's, has jumped by {away_ns / 1e6:+.1f} ms"
            return
        self.exchanges += count
        self._bounds = bounds
        self._fit = fit
        if self._mapped is not None:
            self._slew(fit, self._mapped)
        elif self.ready or self._good_enough(fit):
            self._pieces = [
                _Piece(fit.ticks, fit.base_ns + round(fit.ns), round(fit.rate * NS_PER_TICK * _ONE)),
            ]

    def _good_enough(self, fit: ClockFit) -> bool:
        """Whether the fit is good enough to start using the map."""
        if self.exchanges < LEAST_EXCHANGES:
            return False
        learning_ns = (fit.ticks - self._first_ticks) * NS_PER_TICK
        return fit.rate_spread <= GOOD_RATE or learning_ns >= LONGEST_LEARNING_NS

    def _away_ns(self, fit: ClockFit) -> float:
        """The difference between a new fit and the current map."""
        thought = self._fit or fit
        thought_ns = self._pieces[-1].at(fit.ticks) if self._pieces else thought.base_ns + thought.at(fit.ticks)
        return fit.base_ns - thought_ns + fit.ns

    def _slew(self, fit: ClockFit, mapped: int) -> None:
        """Adds a piece that slews towards the fit, from here on and after the last tick mapped."""
        ticks = max(fit.ticks, mapped)
        ns = self._pieces[-1].at(ticks)
        slew = (fit.base_ns - ns + fit.at(ticks)) / CATCH_UP_NS
        rate = fit.rate + min(max(slew, -MOST_SLEW), MOST_SLEW)
        self._pieces.append(_Piece(ticks, ns, round(rate * NS_PER_TICK * _ONE)))
        del self._pieces[:-PIECES]

    def _reject(self, made: ClockExchange) -> None:
        """Rejects an exchange that contradicts the earlier ones; after several in a row, drops the oldest instead."""
        self.rejected += 1
        self._suspects.append(made)
        if len(self._suspects) < REJECTED_IN_A_ROW:
            return
        suspects, self._suspects = self._suspects, []
        rates = POSSIBLE_RATES
        if self._fit is not None:
            rates = (self._fit.rate - MOST_RATE_STEP, self._fit.rate + MOST_RATE_STEP)
        bounds: ClockBounds | None = self._bounds
        for suspect in suspects:
            bounds = bounds and bounds.with_exchange(suspect)
        while bounds is not None:
            fit = bounds.fit()
            if fit is not None:
                self._accept(bounds, fit, REJECTED_IN_A_ROW)
                return
            bounds = bounds.without_oldest(rates)
        self.failed = "its answers arrive sooner than the wire could have carried them; is it another baud rate?"

    def _piece(self, ticks: int) -> _Piece:
        last = self._pieces[-1]
        if ticks >= last.ticks:
            return last
        at = bisect_right(self._pieces, ticks, key=itemgetter(0))
        return self._pieces[max(at - 1, 0)]
