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
from operator import add, eq, sub, truediv
from statistics import median
from typing import Final, TypeAlias

from drivers.wheel.quadrature import COUNTS_PER_SLOT
from hal.values import Edge

Widths: TypeAlias = tuple[float, float, float, float]
"""How wide each quarter is, in counts; the four add up to about 4."""

EVEN: Final = 1.0
"""The width of each quarter, in counts, where none is believed."""

LEAST_SAMPLES: Final = 8
"""Slots that are needed before a width is believed (ours)."""

COUNT_EDGES: Final = 6
"""Edges that show the width of a count: three on each side of its middle."""

IN_SLOTS: Final = 2 * COUNTS_PER_SLOT
"""Counts in the two slots of which a share is one."""

NARROWEST: Final = 0.25
WIDEST: Final = 1.75
"""A quarter beyond these is not a disc's: its widths are not used (ours)."""

_QUARTERS: Final = {(1, 0): 0, (1, 1): 1, (0, 1): 2, (0, 0): 3}
"""Which quarter the levels of A and B show."""


class QuarterWidths:
    """Learns the widths again and again, each time from the edges of A and B since the time before.

    The share that a count has of the slots about it depends on six edges only, so it is kept: the medians are those of
    the last turn's edges taken again. They are worked out for the quarters that are asked for.
    """

    __slots__ = ("_a", "_all_within", "_found", "_last", "_places", "_seen", "_shares", "_window")

    def __init__(self, a: str, window: int) -> None:
        """`a` is line A; all other edges are taken for those of B. The last `window` edges count."""
        self._a = a
        self._window = window
        self._forget()

    def _forget(self) -> None:
        self._last: list[Edge] = []
        """The last edges, as many as the next one needs before it to show the width of a count."""
        self._seen = 0
        """Edges until the last one."""
        self._shares: tuple[list[float], ...] = ([], [], [], [])
        """For each quarter the counts in it, as shares of the two slots about them."""
        self._places: tuple[list[int], ...] = ([], [], [], [])
        """Of each share the place of the first of its six edges."""
        self._all_within = True
        """Whether each share is of a quarter as narrow or wide as a disc's can be."""
        self._found: dict[int, float] = {}
        """The widths that were asked for since an edge was added."""

    @property
    def last(self) -> Edge | None:
        """The last edge that was learned from."""
        return self._last[-1] if self._last else None

    def learn(self, edges: Sequence[Edge]) -> None:
        """Learns from the edges of a stream since `last`, and `last` before them; or from the last ones of it.

        Each count is divided by the mean of the two slots that are around it, so that a disc may slow meanwhile. Counts
        about which one line changed twice in a row are left out.
        """
        if edges and self._last and edges[0] is self._last[-1]:
            added = len(edges) - 1
            edges = [*self._last[:-1], *edges]
        else:
            self._forget()
            added = len(edges)
        self._add(edges, self._seen + added - len(edges))
        self._seen += added
        self._last = list(edges[1 - COUNT_EDGES :])
        first = self._seen - self._window
        for shares, places in zip(self._shares, self._places, strict=True):
            gone = bisect_left(places, first)
            del shares[:gone], places[:gone]
        self._found.clear()

    def width(self, quarter: int) -> float:
        """The median width of a quarter, 0 to 3; 1 where the edges are too few, or no disc's."""
        if not self._found and not self._is_disc():
            self._found.update(dict.fromkeys(range(COUNTS_PER_SLOT), EVEN))
        return self._width(quarter)

    def _width(self, quarter: int) -> float:
        found = self._found.get(quarter)
        if found is None:
            found = self._found[quarter] = IN_SLOTS * median(self._shares[quarter])
        return found

    def _is_disc(self) -> bool:
        """Whether the median width of each quarter can be a disc's."""
        if min(map(len, self._shares)) < LEAST_SAMPLES:
            return False
        # A median is within what its samples are within.
        return self._all_within or all(NARROWEST <= self._width(k) <= WIDEST for k in range(COUNTS_PER_SLOT))

    def _add(self, edges: Sequence[Edge], before: int) -> None:
        """Adds the counts of edges; `before` is the place in the stream of the first of them."""
        if len(edges) < COUNT_EDGES:
            return
        lines, levels, times_ns = zip(*edges, strict=True)
        twice: list[int] = []
        if lines[0] == lines[1] or not _repeat(lines, 2):
            twice = [k for k, same in enumerate(map(eq, lines, lines[1:]), 1) if same]
        for begin, end in pairwise((0, *twice, len(edges))):
            if end - begin >= COUNT_EDGES:
                self._add_stretch(lines[begin:end], levels[begin:end], times_ns[begin:end], before + begin)

    def _add_stretch(self, lines: Sequence[str], levels: Sequence[int], times_ns: Sequence[int], place: int) -> None:
        """Adds the counts of a stretch of edges in which A and B take turns.

        Where every change of a line is the opposite of the one before it, the quarters repeat every four counts, and
        the levels of the first four name those of all others.
        """
        counts_ns = list(map(sub, times_ns[3:], times_ns[2:]))
        slots_ns = list(map(sub, times_ns[COUNTS_PER_SLOT:], times_ns))
        around_ns = list(map(add, slots_ns, slots_ns[1:]))
        opposite = levels[0] != levels[2] and levels[1] != levels[3]
        regular = opposite and _repeat(levels, COUNTS_PER_SLOT) and 0 not in around_ns
        period = COUNTS_PER_SLOT if regular else len(lines)
        for k in range(min(period, len(around_ns))):
            if not around_ns[k]:
                continue
            # The last edge of each line before the count gives its level.
            last, other = levels[k + 2], levels[k + 1]
            quarter = _QUARTERS[(last, other) if lines[k + 2] == self._a else (other, last)]
            shares = list(map(truediv, counts_ns[k::period], around_ns[k::period]))
            self._all_within = (
                self._all_within and min(shares) * IN_SLOTS >= NARROWEST and max(shares) * IN_SLOTS <= WIDEST
            )
            self._shares[quarter].extend(shares)
            self._places[quarter].extend(range(place + k, place + len(around_ns), period))


def _repeat(values: Sequence[object], period: int) -> bool:
    """Whether the first `period` values are repeated again and again."""
    parts = (values[k::period] for k in range(period))
    return all(part.count(part[0]) == len(part) for part in parts)
