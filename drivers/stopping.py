"""The end of a wheel's run: has it come to rest where its edges end, or were the last ones lost?

A wheel that stops is seen to stop: the square of its speed falls evenly with its way, so its last counts say how many
more it would do. Where they say that it would have gone on, nobody knows where it is.

    stops    |   |    |    |     |       |           rest      it would go on for less than one count
    lost     |   |    |    |    (|     |       |   )           its edges end as if it ran on

A wheel that rocks turns within a few counts, often too few to show how it slows: it is held to what its spring can do.
"""

from __future__ import annotations

from math import sqrt
from typing import Final

from drivers.lost_pulses import STOPPING_COUNTS, Chain, still_goes_for, stops_after_counts
from drivers.quadrature import Quadrature

STOP_DEG_PER_S2: Final = 1100.0
"""Pegs and flapper stop a wheel with no more than this; faster stops are lost edges, or a hand (ours)."""

ROCKING_DEG_PER_S2: Final = 300.0
"""Pegs and flapper stop a wheel that rocks with no more than this, unless it is seen to slow down (ours)."""

CRAWL_DEG_PER_S: Final = 10.0
"""A wheel that is slower than this can be stopped anywhere, also by a hand (ours)."""

LEAST_DEG_PER_S2: Final = 5.0
"""Bearing and pegs slow a wheel by more than this (ours)."""

LEAST_STOPPING: Final = 3
"""Counts one way from which the slowing of a wheel shows (ours)."""

ROCKING_PART: Final = 20
"""A swing of less than this part of a turn is a disc that rocks at the end of its run (ours)."""


class Stopping:
    """What the last counts of a disc say of its rest."""

    __slots__ = ("_counts_per_turn", "_crawl_ns", "_least_rocking_ns", "_least_stop_ns", "least_slowing")

    def __init__(self, counts_per_turn: int) -> None:
        count_deg = 360 / counts_per_turn
        self._counts_per_turn = counts_per_turn
        self._least_stop_ns = _quickest_last_ns(count_deg, STOP_DEG_PER_S2)
        self._least_rocking_ns = _quickest_last_ns(count_deg, ROCKING_DEG_PER_S2)
        self._crawl_ns = round(count_deg / CRAWL_DEG_PER_S * 1e9)
        self.least_slowing: float = LEAST_DEG_PER_S2 / count_deg * 1e-18
        """What every wheel slows by, in counts per nanosecond squared."""

    def cannot_stop(self, quadrature: Quadrature, swing: int, chain: Chain | None) -> bool:
        """Whether a disc cannot have stopped after its last count, `swing` counts from where it last turned.

        `chain` are the edges of one line with which it ends, if it does: the disc has stayed at one edge since.
        """
        if chain is not None:
            return 0 < chain.slowed[1] < self._least_stop_ns
        t1_ns, t2_ns, t3_ns, t4_ns = quadrature.t1_ns, quadrature.t2_ns, quadrature.t3_ns, quadrature.t4_ns
        last_ns = t1_ns - t2_ns
        if last_ns < self._least_stop_ns:
            return last_ns > 0
        if swing < LEAST_STOPPING or last_ns > self._crawl_ns:
            return False
        if stops_after_counts(t2_ns - t3_ns, last_ns) <= STOPPING_COUNTS:
            return False
        if swing * ROCKING_PART <= self._counts_per_turn:
            return last_ns < self._least_rocking_ns
        return still_goes_for(t1_ns, t2_ns, t3_ns, t4_ns) > STOPPING_COUNTS


def _quickest_last_ns(count_deg: float, slowing_deg_per_s2: float) -> int:
    """The shortest last count of a disc that this slowing stops within one more."""
    return round(sqrt(count_deg / (2 * slowing_deg_per_s2)) * 1e9)
