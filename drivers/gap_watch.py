"""Counts of an encoder that take far longer than the one before: did the disc slow down, or were whole slots lost?

slows     |  |  |  |          |             |               the count after the gap is slow too
lost      |  |  |  |                 |  |  |  |             the count after the gap is as fast as the one before
                   |<-- a gap, 3 counts or more -->|
"""

from __future__ import annotations

from typing import Final, NamedTuple

from drivers.lost_pulses import NONE, STOPPING_COUNTS, Offsets, stops_after_counts
from drivers.quadrature import ANY_GAP_NS, COUNTS_PER_SLOT, Quadrature

GAP_COUNTS: Final = 3
"""A count that takes so many times longer than those around it hides whole slots (ours)."""

STARTING_COUNTS: Final = 4
"""Counts after a start or a turn before gaps in time are looked for (ours)."""


class Gap(NamedTuple):
    """A count that took far longer than the one before."""

    at: int
    """The count as it stood."""
    lasted_ns: int
    tau_ns: int
    """The count before."""
    stops_after: float
    """Counts that the disc would still have gone on, as it slowed before."""

    def lost(self, after_ns: int, direction: int) -> Offsets:
        """What was lost in the gap, if the count after it was as fast as the one before."""
        tau_ns = max(1, self.tau_ns, 0 if self.stops_after > STOPPING_COUNTS else after_ns)
        if self.lasted_ns < GAP_COUNTS * tau_ns:
            return NONE
        slots = -(-self.lasted_ns // min(self.tau_ns or tau_ns, after_ns or tau_ns)) // COUNTS_PER_SLOT + 1
        counts = direction * COUNTS_PER_SLOT * slots
        return Offsets(min(counts, 0), max(counts, 0))


class GapWatch:
    """Watches the counts of one encoder for gaps in time, while the disc runs one way."""

    __slots__ = ("_gap", "_starting", "limit_ns", "waits")

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """The disc starts or turns: its next counts take any time."""
        self._gap: Gap | None = None
        self._starting = STARTING_COUNTS
        self.limit_ns = ANY_GAP_NS
        """The longest count that is nothing out of the ordinary, in nanoseconds."""
        self.waits = True
        """Whether every count is wanted: the disc starts, or a gap was seen."""

    def open(self, t_ns: int, quadrature: Quadrature) -> Offsets:
        """The next count comes as late as `t_ns`; returns what a gap shortly before it hides, if one was open."""
        before = self.broken(quadrature, 0)
        tau_ns = quadrature.t1_ns - quadrature.t2_ns
        stops_after = stops_after_counts(quadrature.t2_ns - quadrature.t3_ns, tau_ns)
        self._gap = Gap(quadrature.count, t_ns - quadrature.t1_ns, tau_ns, stops_after)
        self.limit_ns = GAP_COUNTS * (t_ns - quadrature.t1_ns)
        self.waits = True
        return before

    def count(self, quadrature: Quadrature) -> Offsets:
        """The disc has done a count that was wanted; returns between which offsets from it the truth lies."""
        gap = self._gap
        if gap is None:
            if self._starting:
                self._starting -= 1
                if not self._starting:
                    self._arm(quadrature)
            return NONE
        if abs(quadrature.count - gap.at) < 2:
            # The second count after a gap shows whether the disc had slowed.
            return NONE
        self._gap = None
        self._arm(quadrature)
        return gap.lost(quadrature.t1_ns - quadrature.t2_ns, quadrature.direction)

    def broken(self, quadrature: Quadrature, back: int = 1) -> Offsets:
        """The disc turns or pauses before the count that would have told what an open gap hides.

        `back` is 1 if the turn is already counted.
        """
        gap = self._gap
        direction = -quadrature.direction if back else quadrature.direction
        if gap is None or quadrature.count + back * direction == gap.at:
            # The edge back is what came so late: a turn takes its time.
            return NONE
        return gap.lost(gap.tau_ns, direction)

    def at_rest(self, quadrature: Quadrature) -> Offsets:
        """The disc rests before the count that would have told what an open gap hides."""
        gap = self._gap
        return NONE if gap is None else gap.lost(gap.lasted_ns, quadrature.direction)

    def adapt(self, quadrature: Quadrature) -> None:
        """Measures gaps by the disc's speed of now from here on."""
        if not self.waits:
            self._arm(quadrature)

    def _arm(self, quadrature: Quadrature) -> None:
        self.limit_ns = GAP_COUNTS * max(1, quadrature.t1_ns - quadrature.t2_ns)
        self.waits = False
