"""The widths of the four quarters of a slot, learned from the disc's own edges.

A and B of a disc that was made by hand are not a quarter slot apart, and no slot is half open: at one speed the counts
take turns at being long and short. Where two counts are compared to see how the disc slows, that is not a slowing.

    quarter      0        1     2        3    0
    A         ___/‾‾‾‾‾‾‾‾‾‾‾‾‾‾\\_____________/‾‾‾
    B         ____________/‾‾‾‾‾‾‾‾‾‾‾‾‾‾\\________        widths 1.2, 0.8, 1.2, 0.8
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise
from operator import add, eq, ne, sub, truediv
from statistics import median
from typing import Final, TypeAlias

from drivers.wheel.quadrature import COUNTS_PER_SLOT
from hal.values import Edge

Widths: TypeAlias = tuple[float, float, float, float]
"""How wide each quarter is, in counts; the four add up to about 4."""

EVEN: Final[Widths] = (1.0, 1.0, 1.0, 1.0)

LEAST_SAMPLES: Final = 8
"""Slots that are needed before a width is believed (ours)."""

COUNT_EDGES: Final = 6
"""Edges that show the width of a count: three on each side of its middle."""

NARROWEST: Final = 0.25
WIDEST: Final = 1.75
"""A quarter beyond these is not a disc's: its widths are not used (ours)."""

_QUARTERS: Final = {(1, 0): 0, (1, 1): 1, (0, 1): 2, (0, 0): 3}
"""Which quarter the levels of A and B show."""


class QuarterWidths:
    """Learns the widths again and again, each time from the last edges of A and B.

    Of those edges most were there the last time. The share that a count has of the slots about it depends on six edges
    only, so it is kept, and worked out for new edges alone: the medians are those of all edges taken again.
    """

    __slots__ = ("_a", "_last", "_places", "_seen", "_shares")

    def __init__(self, a: str) -> None:
        """`a` is line A; all other edges are taken for those of B."""
        self._a = a
        self._forget()

    def _forget(self) -> None:
        self._last: Edge | None = None
        self._seen = 0
        """Edges until the last one."""
        self._shares: tuple[list[float], ...] = ([], [], [], [])
        """For each quarter the counts in it, as shares of the two slots about them."""
        self._places: tuple[list[int], ...] = ([], [], [], [])
        """Of each share the place of the first of its six edges."""

    def learn(self, edges: Sequence[Edge]) -> Widths:
        """The median width of each quarter over `edges`; `EVEN` where they are too few, or no disc's.

        `edges` are the last ones of a stream, of which nothing was left out since those of the call before.

        Each count is divided by the mean of the two slots that are around it, so that a disc may slow meanwhile. Counts
        about which one line changed twice in a row are left out.
        """
        known = _place_after(self._last, edges)
        if not known:
            self._forget()
        self._last = edges[-1] if edges else None
        self._add(edges, max(0, known - COUNT_EDGES + 1), self._seen - known)
        self._seen += len(edges) - known
        first = self._seen - len(edges)
        for shares, places in zip(self._shares, self._places, strict=True):
            gone = bisect_left(places, first)
            del shares[:gone], places[:gone]
        if min(map(len, self._shares)) < LEAST_SAMPLES:
            return EVEN
        one, two, three, four = (2 * COUNTS_PER_SLOT * median(shares) for shares in self._shares)
        widths = (one, two, three, four)
        return widths if min(widths) >= NARROWEST and max(widths) <= WIDEST else EVEN

    def _add(self, edges: Sequence[Edge], start: int, before: int) -> None:
        """Adds the counts of the edges from `start` on; `before` is the place in the stream of the first edge."""
        lines = [edge[0] for edge in edges[start:]]
        twice = [k for k, same in enumerate(map(eq, lines, lines[1:]), start + 1) if same]
        for begin, end in pairwise((start, *twice, len(edges))):
            if end - begin >= COUNT_EDGES:
                self._add_stretch(edges[begin:end], before + begin)

    def _add_stretch(self, edges: Sequence[Edge], place: int) -> None:
        """Adds the counts of a stretch of edges in which A and B take turns.

        Where every change of a line is the opposite of the one before it, the quarters repeat every four counts, and
        the levels of the first four name those of all others.
        """
        levels = [edge[1] for edge in edges]
        times_ns = [edge[2] for edge in edges]
        counts_ns = list(map(sub, times_ns[3:], times_ns[2:]))
        slots_ns = list(map(sub, times_ns[COUNTS_PER_SLOT:], times_ns))
        around_ns = list(map(add, slots_ns, slots_ns[1:]))
        regular = all(around_ns) and all(map(ne, levels, levels[2:]))
        period = COUNTS_PER_SLOT if regular else len(edges)
        for k in range(min(period, len(around_ns))):
            if not around_ns[k]:
                continue
            # The last edge of each line before the count gives its level.
            last, other = levels[k + 2], levels[k + 1]
            quarter = _QUARTERS[(last, other) if edges[k + 2].line == self._a else (other, last)]
            self._shares[quarter].extend(map(truediv, counts_ns[k::period], around_ns[k::period]))
            self._places[quarter].extend(range(place + k, place + len(around_ns), period))


def _place_after(last: Edge | None, edges: Sequence[Edge]) -> int:
    """The place after an edge, the very one and not one that is equal to it; 0 if it is not there."""
    if last is not None:
        for place in range(len(edges), 0, -1):
            if edges[place - 1] is last:
                return place
    return 0
