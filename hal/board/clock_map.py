"""A board's clock in the host's time: never going back, never stepping, with a bound on its error.

Each exchange of the command `clock` tells more of where the true map is (`hal.board.clock_bounds`). What is mapped
already stays as it is; from the end of the exchange on, the map turns towards the middle of what is possible, by at
most MOST_SLEW. So intervals between edges are right to the rate's own error and that, however the offset is corrected,
and equal ticks give equal times.

    map  ── straight pieces, each beginning where the one before ends
    fit  ── the middle of where the true map can be
    error = |map - fit| + half of where it can be, which grows with the distance from the last exchange
"""

from __future__ import annotations

from bisect import bisect_right
from math import inf
from operator import itemgetter
from typing import Final, NamedTuple

from hal.board.clock_bounds import NS_PER_TICK, POSSIBLE_RATES, Bounds, Exchange, Fit
from hal.board.messages import BAUD, TICK_HZ, ClockAnswer

LEAST_EXCHANGES: Final = 8
"""Before the map is used (ours)."""
GOOD_RATE: Final = 25e-6
"""The map is used as soon as its rate is known so well (ours)…"""
LONGEST_LEARNING_NS: Final = 2_000_000_000
"""… or when so much time has passed (ours): on some USB adapters it takes half a minute to know it."""
MOST_SLEW: Final = 100e-6
"""By how much the map is turned at most to come back to the fit (ours)."""
CATCH_UP_NS: Final = 1000_000_000
"""In about this time it comes back (ours)."""
EARLY_NS: Final = 3_000
"""A board may date a byte before its stop bit has ended: half a bit, and the ticks that it is rounded to."""
ROUNDED_NS: Final = 1_000
"""What `kept` is rounded to."""
REJECTED_IN_A_ROW: Final = 3
"""Exchanges in a row that contradict the ones before, after which those are thought wrong (ours)."""
MOST_RATE_STEP: Final = 1000e-6
"""The rate is thought to have stepped by no more (ours): the host's own clock is steered by up to 500 ppm."""
MOST_STEP_NS: Final = 20_000_000
"""A clock that is found so far from where it can have been is not followed (ours): a session begins anew."""
PIECES: Final = 512
"""Pieces of the map that are kept (ours): some fifty seconds."""
_AHEAD: Final = 3 * TICK_HZ
"""Ticks after the last exchange that are mapped in earnest; what lies later was garbled."""
_ONE: Final = 1 << 32


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
        """`byte_ns` is how long a byte takes on the wire: 0 where there is none, as on a pty without an emulator."""
        self.exchanges = 0
        """How many were taken."""
        self.rejected = 0
        """How many contradicted the others, and were not taken."""
        self.failed: str | None = None
        """Why it can no longer be relied on; None while it can."""
        self._byte_ns = byte_ns
        self._bounds = Bounds()
        self._fit: Fit | None = None
        self._suspects: list[Exchange] = []
        self._first_ticks = 0
        self._pieces: list[_Piece] = []
        self._mapped: int | None = None
        """The latest tick that was mapped: up to there the map is not changed any more. None: it was not used yet."""

    @property
    def ready(self) -> bool:
        """Whether it maps."""
        return bool(self._pieces)

    @property
    def rate_ppm(self) -> float:
        """How much faster than the host's the board's clock runs, in millionths."""
        return 0.0 if self._fit is None else (1 / self._fit.rate - 1) * 1e6

    @property
    def rate_error_ppm(self) -> float:
        """How far `rate_ppm` can be from the truth; infinite before the first exchange."""
        return inf if self._fit is None else self._fit.rate_spread * 1e6

    def exchange(self, sent_ns: int, read_ns: int, answer: ClockAnswer, command_bytes: int, answer_bytes: int) -> None:
        """Takes one exchange: the command was written at `sent_ns`, the last byte of its answer read at `read_ns`.

        The lengths are those on the wire. A command that was sent twice is no exchange: nobody knows which is answered.
        """
        received = answer.received_high << 32 | answer.received
        wire_ticks = answer_bytes * self._byte_ns // NS_PER_TICK
        made = Exchange(
            received,
            sent_ns + command_bytes * self._byte_ns - EARLY_NS,
            received + answer.kept + wire_ticks,
            read_ns + ROUNDED_NS,
        )
        if self._fit is not None and made.before_ticks <= self._fit.ticks:
            self.failed = f"its clock went back from tick {self._fit.ticks} to {made.before_ticks}"
            return
        bounds = self._bounds.with_exchange(made)
        fit = bounds.fit()
        if fit is None:
            self._reject(made)
            return
        self._suspects.clear()
        self._take(bounds, fit, 1)

    def extend(self, low: int) -> int:
        """The board time of 64 bits whose low half this is, nearest to the last exchange."""
        near = 0 if self._fit is None else self._fit.ticks
        away = (low - near) & (_ONE - 1)
        return near + (away if away < _ONE >> 1 else away - _ONE)

    def host_ns(self, ticks: int) -> int:
        """The host's time at this board time (64 bits). Equal ticks give equal times, later ones never earlier.

        Raises:
            RuntimeError: it is not ready; hold what is to be mapped until it is.
        """
        if not self._pieces:
            raise RuntimeError(f"clock map: not ready after {self.exchanges} exchanges; ask `ready` first")
        if self._mapped is None:
            self._mapped = self._pieces[-1].ticks
        if self._mapped < ticks <= self._pieces[-1].ticks + _AHEAD:
            self._mapped = ticks
        return self._piece(ticks).at(ticks)

    def error_ns(self, ticks: int) -> int:
        """How far `host_ns` of this board time can be from the truth.

        It holds as long as the rate is within 1 % and changes by at most 5 ppm a second.

        Raises:
            RuntimeError: it is not ready.
        """
        if self._fit is None or not self._pieces:
            raise RuntimeError(f"clock map: not ready after {self.exchanges} exchanges; ask `ready` first")
        away = self._piece(ticks).at(ticks) - self._fit.base_ns - self._fit.at(ticks)
        return int(abs(away) + self._fit.error_at(ticks)) + 2

    def _take(self, bounds: Bounds, fit: Fit, count: int) -> None:
        """The clock is known better."""
        if self._fit is None:
            self._first_ticks = fit.ticks
        elif abs(away_ns := self._away_ns(fit)) > fit.spread_ns + self._fit.error_at(fit.ticks) + MOST_STEP_NS:
            self.failed = f"its clock, or the host's, has jumped by {away_ns / 1e6:+.1f} ms"
            return
        self.exchanges += count
        self._bounds = bounds
        self._fit = fit
        if self._mapped is not None:
            self._turn(fit, self._mapped)
        elif self.ready or self._known_well(fit):
            self._pieces = [
                _Piece(fit.ticks, fit.base_ns + round(fit.ns), round(fit.rate * NS_PER_TICK * _ONE)),
            ]

    def _known_well(self, fit: Fit) -> bool:
        """Whether the map can be used."""
        if self.exchanges < LEAST_EXCHANGES:
            return False
        learning_ns = (fit.ticks - self._first_ticks) * NS_PER_TICK
        return fit.rate_spread <= GOOD_RATE or learning_ns >= LONGEST_LEARNING_NS

    def _away_ns(self, fit: Fit) -> float:
        """How far a new fit is from where the clock was thought to be."""
        thought = self._fit or fit
        thought_ns = self._pieces[-1].at(fit.ticks) if self._pieces else thought.base_ns + thought.at(fit.ticks)
        return fit.base_ns - thought_ns + fit.ns

    def _turn(self, fit: Fit, mapped: int) -> None:
        """From here on, and after what is mapped already, the map goes towards the fit."""
        ticks = max(fit.ticks, mapped)
        ns = self._pieces[-1].at(ticks)
        slew = (fit.base_ns - ns + fit.at(ticks)) / CATCH_UP_NS
        rate = fit.rate + min(max(slew, -MOST_SLEW), MOST_SLEW)
        self._pieces.append(_Piece(ticks, ns, round(rate * NS_PER_TICK * _ONE)))
        del self._pieces[:-PIECES]

    def _reject(self, made: Exchange) -> None:
        """An exchange contradicts those before: one of the two is wrong."""
        self.rejected += 1
        self._suspects.append(made)
        if len(self._suspects) < REJECTED_IN_A_ROW:
            return
        suspects, self._suspects = self._suspects, []
        rates = POSSIBLE_RATES
        if self._fit is not None:
            rates = (self._fit.rate - MOST_RATE_STEP, self._fit.rate + MOST_RATE_STEP)
        bounds: Bounds | None = self._bounds
        for suspect in suspects:
            bounds = bounds and bounds.with_exchange(suspect)
        while bounds is not None:
            fit = bounds.fit()
            if fit is not None:
                self._take(bounds, fit, REJECTED_IN_A_ROW)
                return
            bounds = bounds.without_oldest(rates)
        self.failed = "its answers come sooner than the wire could have carried them; is it another baud rate?"

    def _piece(self, ticks: int) -> _Piece:
        last = self._pieces[-1]
        if ticks >= last.ticks:
            return last
        at = bisect_right(self._pieces, ticks, key=itemgetter(0))
        return self._pieces[max(at - 1, 0)]
