"""How a disc slows: whether it can rest where its edges end (`Stopping`), and gaps in time (`GapWatch`)."""

from __future__ import annotations

from math import ceil, floor, sqrt
from typing import Final, NamedTuple

from drivers.wheel.lost_pulses import STOPPING_COUNTS, Chain, still_goes_for, stops_after_counts
from drivers.wheel.quadrature import ANY_GAP_NS, COUNTS_PER_SLOT, QuadratureDecoder

# --- the end of a run: did the wheel come to rest where its edges end, or were the last ones lost? ---
#
# The square of a stopping wheel's speed falls evenly with its travel, so its last counts predict how many would
# follow. Where more would follow than were decoded, the position is unknown.
#
#     stops    |   |    |    |     |       |           rest      it would go on for less than one count
#     lost     |   |    |    |    (|     |       |   )           its edges end as if it ran on
#
# A wheel that rocks turns within a few counts, often too few to show how it slows: its spring limits what it can do.

STOP_DEG_PER_S2: Final = 1100.0
"""Pegs and flapper stop a wheel with no more than this; faster stops are lost edges, or a hand (ours)."""

ROCKING_DEG_PER_S2: Final = 300.0
"""Pegs and flapper stop a wheel that rocks with no more than this, unless it is seen to slow down (ours)."""

MOST_DEG_PER_S2: Final = 10_000.0
"""No hand and no flapper reverses a wheel with more than this, about 175 rad/s^2 (ours)."""

HAND_DEG_PER_S2: Final = 3_000.0
"""No hand stops a wheel with more than this: at the rim of a wheel of 1.5 m some four times gravity (ours)."""

START_DEG_PER_S2: Final = 1_500.0
"""No hand sets a wheel of 1.5 m off with more than this: some 150 N at its rim (ours)."""

CRAWL_DEG_PER_S: Final = 10.0
"""A wheel that is slower than this can be stopped anywhere, also by a hand (ours)."""

LEAST_DEG_PER_S2: Final = 5.0
"""Bearing and pegs slow a wheel by more than this (ours)."""

FLAPPER_COUNTS: Final = 3.0
"""A wheel that, as it slows, would go on for more counts than this may have done so, and its last edges been lost, or a
flapper may have stopped it; beyond `STOPPING_COUNTS` none does (ours)."""

LEAST_STOPPING: Final = 3
"""Counts one way from which the slowing of a wheel shows (ours)."""

ROCKING_PART: Final = 20
"""A swing of less than this part of a turn is a disc that rocks at the end of its run (ours)."""


class Stopping:
    """Decides by the last counts of a disc whether it can have stopped there."""

    __slots__ = (
        "_counts_per_turn",
        "_crawl_ns",
        "_least_rocking_ns",
        "_least_start_ns",
        "_least_stop_ns",
        "least_by_hand_ns",
        "least_slowing",
    )

    def __init__(self, counts_per_turn: int) -> None:
        count_deg = 360 / counts_per_turn
        self._counts_per_turn = counts_per_turn
        self._least_stop_ns = _quickest_last_ns(count_deg, STOP_DEG_PER_S2)
        self._least_rocking_ns = _quickest_last_ns(count_deg, ROCKING_DEG_PER_S2)
        self.least_by_hand_ns: int = _quickest_last_ns(count_deg, HAND_DEG_PER_S2)
        """The shortest last count of a disc that a hand stops within one more."""
        # In the middle of its first two whole counts it has turned by two counts at most.
        self._least_start_ns = round(sqrt(count_deg / START_DEG_PER_S2) * 1e9)
        self._crawl_ns = round(count_deg / CRAWL_DEG_PER_S * 1e9)
        self.least_slowing: float = LEAST_DEG_PER_S2 / count_deg * 1e-18
        """The least slowing of any wheel, in counts per nanosecond squared."""

    def cannot_stop(
        self, quadrature: QuadratureDecoder, counts_ns: tuple[int, int], swing: int, chain: Chain | None
    ) -> bool:
        """Whether a disc cannot have stopped after its last count, `swing` counts from where it last turned.

        `counts_ns` are its last two counts as if all quarters of a slot were even, the later last; `chain` are the
        edges of one line with which the run ends, if it does: the disc has stayed at one edge since.
        """
        far = swing * ROCKING_PART > self._counts_per_turn
        before_ns, last_ns = counts_ns if chain is None else chain.slowed
        if last_ns < self._least_stop_ns:
            return last_ns > 0
        if swing < LEAST_STOPPING or last_ns > self._crawl_ns:
            return False
        if stops_after_counts(before_ns, last_ns) <= STOPPING_COUNTS:
            return False
        if chain is not None:
            # The counts before the last two are no longer known; and one that rocks turns where its pegs want it.
            return far
        if not far:
            return last_ns < self._least_rocking_ns
        return still_goes_for(*quadrature.times_ns) > STOPPING_COUNTS

    def may_go_on(self, quadrature: QuadratureDecoder, swing: int, bounce: Chain | None) -> int:
        """Counts by which a disc may have gone on after its last one, `swing` counts from where it last turned.

        `bounce` are the edges with which its last contact bounced, if it did.
        """
        last_ns = quadrature.t1_ns - quadrature.t2_ns if bounce is None else bounce.slowed[1]
        if swing * ROCKING_PART <= self._counts_per_turn or swing < LEAST_STOPPING or last_ns > self._crawl_ns:
            return 0
        # Of a disc that bounced, only the last two counts before that are known.
        more = still_goes_for(*quadrature.times_ns) if bounce is None else stops_after_counts(*bounce.slowed)
        return ceil(min(more, STOPPING_COUNTS)) + 1 if more > FLAPPER_COUNTS else 0

    def cannot_turn(self, chain: Chain) -> bool:
        """Whether pegs and flapper do not turn a disc back over an edge as soon as the first two of a chain came.

        Slowed evenly it would stop midway between them.
        """
        gap_ns = chain.times_ns[1] - chain.times_ns[0]
        return chain.slowed[1] * gap_ns < 4 * self._least_stop_ns**2

    def started_before(self, quadrature: QuadratureDecoder) -> int:
        """Counts that a disc must have turned before the first four counts of a start, which are the decoder's last.

        As many as it needs to come to its speed, if it gained speed before as it does now; 0 where it may have been at
        rest.
        """
        if quadrature.t2_ns - quadrature.t4_ns >= self._least_start_ns:
            return 0
        # As it would slow down and stop if time ran back.
        t1_ns, t2_ns, t3_ns, t4_ns = quadrature.times_ns
        gone = still_goes_for(-t4_ns, -t3_ns, -t2_ns, -t1_ns)
        return round(min(gone, self._counts_per_turn))

    def too_quick(self, quadrature: QuadratureDecoder) -> bool:
        """Whether not even a hand stops a disc within a count of its last one."""
        return 0 < quadrature.t1_ns - quadrature.t2_ns < self.least_by_hand_ns


def _quickest_last_ns(count_deg: float, slowing_deg_per_s2: float) -> int:
    """The shortest last count of a disc that this slowing stops within one more."""
    return round(sqrt(count_deg / (2 * slowing_deg_per_s2)) * 1e9)


# --- gaps in time: did the disc slow down, or were whole slots lost? ---
#
#     slows     |  |  |  |          |             |               the count after the gap is slow too
#     lost      |  |  |  |                 |  |  |  |             the count after the gap is as fast as the one before
#                        |<-- a gap, 3 counts or more -->|

GAP_COUNTS: Final = 3
"""A count that takes this many times as long as those around it hides whole slots (ours)."""

STARTING_COUNTS: Final = 4
"""Counts after a start or a turn before gaps are looked for as above (ours)."""

STOOD_NS: Final = 1_000_000_000
"""A disc whose edge comes back after this long was at rest meanwhile: it starts again, and does not turn (ours)."""

EVEN_SHARE: Final = 0.9
"""A disc that has turned gains speed: while it does, each two counts take a smaller share of the two before (ours)."""

EVEN_SPEED: Final = 0.8
"""A count within a gap takes no less than this share of the shorter count beside the gap, and no more than the longer
one divided by it (ours)."""


class Lost(NamedTuple):
    """What a gap hides."""

    low: int
    high: int
    """The true count less the decoded one is between these."""
    explained: tuple[int, int]
    """A slip of the index between these is explained by it: the whole slots that fit the time of the gap."""
    certain: bool = False
    """Whether the disc was too quick to be held meanwhile, even by a hand: such a slip has to come."""


NOTHING: Final = Lost(0, 0, (0, 0))


class CountGap(NamedTuple):
    """A count that took far longer than the one before."""

    at: int
    """The count as it was."""
    lasted_ns: int
    tau_ns: int
    """The count before."""
    stops_after: float
    """Counts that the disc would still have done, as it slowed before."""

    def lost(self, after_ns: int, direction: int) -> Lost:
        """What was lost in the gap, if the count after it was as fast as the one before."""
        tau_ns = max(1, self.tau_ns, 0 if self.stops_after > STOPPING_COUNTS else after_ns)
        if self.lasted_ns < GAP_COUNTS * tau_ns:
            return NOTHING
        slot, shortest_ns = direction * COUNTS_PER_SLOT, min(self.tau_ns or tau_ns, after_ns or tau_ns)
        counts = slot * (-(-self.lasted_ns // shortest_ns) // COUNTS_PER_SLOT + 1)
        fewest = max(0, ceil((EVEN_SPEED * self.lasted_ns / max(tau_ns, after_ns) - 1) / COUNTS_PER_SLOT))
        most = floor((self.lasted_ns / (EVEN_SPEED * shortest_ns) - 1) / COUNTS_PER_SLOT)
        explained = (min(slot * fewest, slot * most), max(slot * fewest, slot * most)) if fewest <= most else (0, 0)
        return Lost(min(counts, 0), max(counts, 0), explained)


class GapWatch:
    """Watches the counts of one encoder for gaps in time, while the disc runs one way."""

    __slots__ = (
        "_at",
        "_before_gap_ns",
        "_before_ns",
        "_by_hand_ns",
        "_gap",
        "_is_first",
        "_long_ns",
        "_starting",
        "_turned",
        "limit_ns",
        "started",
        "waits",
    )

    def __init__(self, quadrature: QuadratureDecoder, by_hand_ns: int) -> None:
        """No hand stops the disc within a count of one that is shorter than `by_hand_ns`."""
        self._by_hand_ns = by_hand_ns
        self._before_gap_ns: tuple[int, int, int] = (0, 0, 0)
        """The three counts before a gap."""
        self._is_first = True
        """Whether the next count is the first since the levels of the lines are known."""
        self.begin(quadrature)

    def begin(self, quadrature: QuadratureDecoder, *, turned: bool = False) -> None:
        """Begins again after a start or, with `turned`, after a turn: the next counts take any time."""
        self._gap: CountGap | None = None
        self._at, self._before_ns = quadrature.count, quadrature.t1_ns
        """The last count that was handled, and the time before the first of the start."""
        self._starting = STARTING_COUNTS
        self._turned = turned
        self._long_ns = 0
        """The first whole count after a turn."""
        self.started = False
        """Whether the last call of `count` was for the last of the first four counts from a rest."""
        self.limit_ns = ANY_GAP_NS
        """The longest count that is not a gap, in nanoseconds."""
        self.waits = True
        """Whether `count` must be called, after `room` counts at most: the disc starts, or a gap is open."""

    def open(self, t_ns: int, quadrature: QuadratureDecoder) -> Lost:
        """Opens a gap: the next count comes at `t_ns`. Returns what a gap that was still open hides."""
        before = self.broken(quadrature, 0)
        tau_ns = quadrature.t1_ns - quadrature.t2_ns
        stops_after = stops_after_counts(quadrature.t2_ns - quadrature.t3_ns, tau_ns)
        self._before_gap_ns = (tau_ns, quadrature.t2_ns - quadrature.t3_ns, quadrature.t3_ns - quadrature.t4_ns)
        self._gap = CountGap(quadrature.count, t_ns - quadrature.t1_ns, tau_ns, stops_after)
        self.limit_ns = GAP_COUNTS * (t_ns - quadrature.t1_ns)
        self.waits = True
        return before

    def room(self, count: int) -> int:
        """After how many more counts one way `GapWatch.count` must be called, while `waits`."""
        return 1 if self._is_first or self._gap is not None else self._starting - abs(count - self._at)

    def pending(self, count: int) -> bool:
        """Whether counts of a start up to this one are still to be handled."""
        return self._starting > 0 and count != self._at

    def forget(self) -> None:
        """The levels of the lines are unknown: what comes next is timed from when they are known."""
        self._is_first = True

    def from_rest(self, quadrature: QuadratureDecoder) -> bool:
        """Whether the disc, which turns now, started from a rest, and its first four counts were not complete."""
        turned_at = quadrature.count - quadrature.direction
        if self._starting and turned_at != self._at:
            self._start(turned_at, (*quadrature.times_ns[1:], self._before_ns))
        return self._starting > 0 and not self._turned

    def count(self, quadrature: QuadratureDecoder) -> Lost:
        """Handles the counts since the last call while `waits`; returns the offsets of the true count from the decoded
        one.
        """
        self.started = False
        gap = self._gap
        if gap is None:
            if not self._starting:
                return NOTHING
            self._start(quadrature.count, (*quadrature.times_ns, self._before_ns))
            if self._starting:
                return NOTHING
            self._arm(quadrature)
            return self._lost_after_turn(quadrature)
        if abs(quadrature.count - gap.at) < 2:
            # The second count after a gap shows whether the disc had slowed.
            return NOTHING
        self._gap = None
        self._arm(quadrature)
        after_ns = quadrature.t1_ns - quadrature.t2_ns
        lost = gap.lost(after_ns, quadrature.direction)
        if lost is NOTHING or max(self._before_gap_ns) >= self._by_hand_ns:
            return lost
        # Times that jitter make gaps of nothing, but no even counts before and after one.
        around_ns = (*self._before_gap_ns, after_ns)
        return lost._replace(certain=min(around_ns) >= EVEN_SPEED * max(around_ns))

    def _start(self, count: int, times_ns: tuple[int, ...]) -> None:
        """Handles the first counts of a start up to `count`, of which `times_ns` are the times, the last one first."""
        # The very first count of a decoder is one by which it seems to turn.
        for back in range(max(1, abs(count - self._at)) - 1, -1, -1):
            self.started = self._starting == 1 and not self._turned
            if times_ns[back] - times_ns[back + 1] > STOOD_NS:
                # What came before was a nudge.
                self._starting, self._turned = STARTING_COUNTS, False
            self._starting -= 1
            if self._turned and self._starting == 1:
                self._long_ns = times_ns[back + 2] - times_ns[back + 3]
        self._at = count
        if self._is_first:
            self._is_first, self._before_ns = False, times_ns[1]

    def _lost_after_turn(self, quadrature: QuadratureDecoder) -> Lost:
        """What was lost in a long count after a turn: a disc that comes to speed within it gains more in the next.

            turned   |           |     |    |   |    the first counts get shorter, and on
            lost     |                       |   |   |    the long one is followed by counts of one length

        Counts are compared in pairs, so that A and B need not be exactly a quarter slot apart.
        """
        if not self._turned:
            return NOTHING
        first_ns, next_ns = quadrature.t2_ns - quadrature.t4_ns, quadrature.t1_ns - quadrature.t3_ns
        if 2 * self._long_ns < GAP_COUNTS * first_ns or next_ns < EVEN_SHARE * first_ns:
            return NOTHING
        return CountGap(quadrature.count, self._long_ns, first_ns // 2, 0.0).lost(first_ns // 2, quadrature.direction)

    def broken(self, quadrature: QuadratureDecoder, back: int = 1) -> Lost:
        """Closes an open gap early: the disc turns or pauses before the count that would show what it hides.

        `back` is 1 if the turn is already counted.
        """
        gap = self._gap
        direction = -quadrature.direction if back else quadrature.direction
        if gap is None or quadrature.count + back * direction == gap.at:
            # The late edge is the turn itself, which may take any time.
            return NOTHING
        return gap.lost(gap.tau_ns, direction)

    def at_rest(self, quadrature: QuadratureDecoder) -> Lost:
        """What an open gap hides if the disc rests now."""
        gap = self._gap
        return NOTHING if gap is None else gap.lost(gap.lasted_ns, quadrature.direction)

    def adapt(self, quadrature: QuadratureDecoder) -> None:
        """Sets the gap limit by the disc's current speed."""
        if not self.waits:
            self._arm(quadrature)

    def _arm(self, quadrature: QuadratureDecoder) -> None:
        self.limit_ns = GAP_COUNTS * max(1, quadrature.t1_ns - quadrature.t2_ns)
        self.waits = False
