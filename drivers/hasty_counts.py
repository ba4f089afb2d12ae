"""The counts of a wheel's last turn, looked at once more when it rests: did noise count where no disc turned?

A pulse of noise on A or B alone is a bounce, and counts nothing. Noise on both at once can be four edges in the order
of a disc that turns, and so a whole slot; but no disc does a slot in the time in which it did a count just before and
does one again just after:

    disc     |      |      |      |      |      |          a count as long as the one before
    noise    |      |   ||||      |      |      |          four counts in the time of one

This is asked for each rest only, of the edges since the index last proved the count.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import chain, pairwise
from typing import Final

from drivers.quadrature import COUNTS_PER_SLOT
from hal.values import Edge

HASTE_COUNTS: Final = 1.0
"""A slot in less time than so many counts before and after it was noise (ours)."""

COUNTS_AROUND: Final = 4
"""Two counts before and two after."""

STEADY_NS: Final = 250_000
"""Counts quicker than this are not judged: clocks and discs are not even enough (ours)."""


class RecentEdges:
    """The edges of the last turn or so, kept by the batch: nothing is done for each edge."""

    __slots__ = ("_batches", "_held", "_least")

    def __init__(self, least: int) -> None:
        """`least` is how many edges are kept at least."""
        self._least = least
        self._batches: deque[Sequence[Edge]] = deque()
        self._held = 0

    def add(self, batch: Sequence[Edge]) -> None:
        """Keeps a batch, and forgets those that are no longer wanted."""
        self._batches.append(batch)
        self._held += len(batch)
        while self._held - len(self._batches[0]) >= self._least:
            self._held -= len(self._batches.popleft())

    def times_ns(self, lines: tuple[str, str], since_ns: int, until_ns: int) -> list[int]:
        """When the edges of these lines came, between two times."""
        return [
            t_ns
            for line, _, t_ns in chain.from_iterable(self._batches)
            if since_ns <= t_ns <= until_ns and line in lines
        ]


def hasty(times_ns: Sequence[int]) -> bool:
    """Whether four counts came in the time of one, with two counts before and two after that took their time."""
    slot = COUNTS_PER_SLOT
    slots_ns = zip(times_ns, times_ns[1:], times_ns[2:], times_ns[2 + slot :], strict=False)
    quick = [k for k, (before, last, start, end) in enumerate(slots_ns) if end - start < HASTE_COUNTS * (last - before)]
    for k in quick:
        around = (*pairwise(times_ns[k : k + 3]), *pairwise(times_ns[k + 2 + slot : k + 5 + slot]))
        around_ns = min(after_ns - before_ns for before_ns, after_ns in around)
        slot_ns = times_ns[k + 2 + slot] - times_ns[k + 2]
        if len(around) == COUNTS_AROUND and around_ns > STEADY_NS and slot_ns < HASTE_COUNTS * around_ns:
            return True
    return False
