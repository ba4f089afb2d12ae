"""Quadrature decoding with an index, in batches, that never absorbs a wrong transition.

Turning in the positive direction A leads B, and a slot of the disc gives four counts:

    quarter      0     1     2     3     0
    A         ___/‾‾‾‾‾‾‾‾‾‾‾\\___________/‾‾‾
    B         _________/‾‾‾‾‾‾‾‾‾‾‾\\_________
    count     0     1     2     3     4          (a count is the crossing of an edge)

One edge changes one line, so from any state each of the four possible edges has one meaning:

    edge to the level the line already has      a change was lost (`Stop.REPEATED`)
    edge of the line that did not change last   a step on in the same direction
    edge of the line that changed last          a step back: the disc turned round here, or the pulse of the other
                                                line between the two was lost, or the sensor bounced

A count that goes wrong is always wrong by the pulse, four counts, once both lines have moved again; so the index, which
crosses at the same count of every turn, tells. What happened between the last index and now is told by inertia:
a disc that does 1 / tau counts a second cannot be back at the same edge within a few tau.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from typing import Final

from hal.values import Edge

COUNTS_PER_SLOT: Final = 4
"""A slot is one high period of A: it has two edges of A and two of B."""

_A: Final = 0
_B: Final = 2
_OTHER: Final = 32
"""Codes of the lines in `_TABLE`; a line that is not the encoder's gets its code with its first edge."""

ANY_GAP_NS: Final = 1 << 62
"""No gap is too long."""

ANY_COUNT: Final = 1 << 62
"""No disc turns so far: a limit that is none."""


class Stop(IntEnum):
    """Why `Quadrature.run` handed an edge back."""

    END = 0
    """The edges are used up."""
    DUE = 1
    """The edge is later than the deadline given; it was not decoded."""
    LIMIT = 2
    """The edge was decoded and left the count outside the limits given."""
    BACK = 3
    """The edge turned the direction round; it was decoded."""
    REPEATED = 4
    """The edge repeats a level: a change of its line was lost. The count stayed."""
    GAP = 5
    """The edge came later after the last count than the gap given; it was not decoded."""
    OTHER = 6
    """The edge is of no line of the encoder's, or of its index, and was not decoded."""


END, DUE, LIMIT, BACK, REPEATED, GAP, OTHER = Stop
"""The same by themselves: to look up a member of an enum takes as long as to decode an edge."""

_STOPS: Final = {-stop: stop for stop in Stop}
"""What the negative entries of `_TABLE` mean."""


def phase_of(a: int, b: int) -> int:
    """The quarter of a slot, in the order of positive turning: A and B of (1,0) (1,1) (0,1) (0,0) are 0 1 2 3."""
    return (0 if b == 0 else 1) if a else (2 if b else 3)


def _build_table() -> list[int]:
    """What each edge means, from the picture above: index `16 * positive + 4 * phase + line + level`.

    An entry is the state after a step on in the same direction, in the same form, or minus the `Stop`.
    """
    levels = [(1, 0), (1, 1), (0, 1), (0, 0)]
    table: list[int] = [-OTHER] * 64
    for positive in (0, 1):
        for phase, (a, b) in enumerate(levels):
            for line in (_A, _B):
                for level in (0, 1):
                    new = (level, b) if line == _A else (a, level)
                    entry: int = -REPEATED
                    if new != (a, b):
                        step = (phase_of(*new) - phase) % 4
                        forward = step == 1
                        entry = 16 * positive + 4 * phase_of(*new) if forward == bool(positive) else -BACK
                    table[16 * positive + 4 * phase + line + level] = entry
    return table


_TABLE: Final = _build_table()


class Quadrature:
    """Decodes the edges of one encoder.

    `count` grows in the positive direction and is 0 where decoding began. It means something only against the index,
    which belongs to the driver: an index edge comes back from `run` as `Stop.OTHER`.

    `direction` is that of the last count, +1 or -1. `t1_ns`, `t2_ns`, `t3_ns`, `t4_ns` are the times of the last four
    counts, newest first.
    """

    __slots__ = (
        "_codes",
        "_levels",
        "_state",
        "a",
        "b",
        "count",
        "direction",
        "t1_ns",
        "t2_ns",
        "t3_ns",
        "t4_ns",
    )

    def __init__(self, a: str, b: str) -> None:
        self.a = a
        self.b = b
        self.count = 0
        self.direction = 1
        self.t1_ns = self.t2_ns = self.t3_ns = self.t4_ns = 0
        self._codes: Final[dict[str, int]] = {a: _A, b: _B}
        self._levels: dict[str, int] = {}
        self._state: int | None = None

    @property
    def phase(self) -> int | None:
        """The quarter of the slot, 0 to 3 in the order of positive turning; None while a level is unknown."""
        return None if self._state is None else (self._state >> 2) & 3

    def forget(self) -> None:
        """The levels are no longer known (a cable was pulled): the next edge of each line only tells its level."""
        self._state = None
        self._levels = {}

    def run(
        self, edges: Iterator[Edge], low: int, high: int, due_ns: int, gap_ns: int = ANY_GAP_NS, quiet_ns: int = 0
    ) -> tuple[Stop, Edge | None]:
        """Decodes edges until one deserves a look, and says which and why.

        Takes edges from the iterator until the count leaves `low` to `high`, an edge is later than `due_ns`, comes more
        than `gap_ns` after the count before, or is out of the ordinary. The caller looks, and calls again with the rest
        of the same iterator; an edge that was not decoded is the caller's to give again.

        A deadline that counts put off has a `quiet_ns`: an edge is late only if it is also later than that after the
        third count before it.
        """
        if self._state is None:
            stop, edge = self._learn(edges, due_ns)
            if stop is not END or self._state is None:
                return stop, edge
        table = _TABLE
        codes = self._codes
        state = self._state
        count = self.count
        step = self.direction
        t1, t2, t3, t4 = self.t1_ns, self.t2_ns, self.t3_ns, self.t4_ns
        # Until it turns round, the disc can leave the limits at one end only, if it stands within them.
        beyond = high + 1 if step > 0 else low - 1
        if not low <= count + step <= high:
            beyond = count + step
        stop = END
        edge = None
        try:
            for edge in edges:
                line, level, t = edge
                if t > due_ns:
                    if quiet_ns:
                        due_ns = t3 + quiet_ns
                    if t > due_ns:
                        stop = DUE
                        break
                if t - t1 > gap_ns:
                    stop = GAP
                    break
                after = table[state + codes[line] + level]
                if after < 0:
                    stop = _STOPS[after]
                    break
                state = after
                count += step
                t4 = t3
                t3 = t2
                t2 = t1
                t1 = t
                if count == beyond:
                    stop = LIMIT
                    break
            else:
                edge = None
        except KeyError:
            codes[line] = _OTHER
            stop = OTHER
        self._state = state
        self.count = count
        self.t1_ns, self.t2_ns, self.t3_ns, self.t4_ns = t1, t2, t3, t4
        if stop is BACK and edge is not None:
            self._turn_round(state, edge)
        return stop, edge

    def _turn_round(self, state: int, edge: Edge) -> None:
        self.direction = -self.direction
        self._state = _TABLE[(state ^ 16) + self._codes[edge.line] + edge.level]
        self.count += self.direction
        self.t1_ns, self.t2_ns, self.t3_ns, self.t4_ns = edge.t_ns, self.t1_ns, self.t2_ns, self.t3_ns

    def _learn(self, edges: Iterator[Edge], due_ns: int) -> tuple[Stop, Edge | None]:
        """Takes edges until both levels are known; none of them is a count."""
        for edge in edges:
            if edge.t_ns > due_ns:
                return DUE, edge
            if edge.line not in (self.a, self.b):
                return OTHER, edge
            self._levels[edge.line] = edge.level
            if len(self._levels) == 2:
                phase = phase_of(self._levels[self.a], self._levels[self.b])
                self._state = 16 * (self.direction > 0) + 4 * phase
                self.t1_ns = self.t2_ns = self.t3_ns = self.t4_ns = edge.t_ns
                break
        return END, None
