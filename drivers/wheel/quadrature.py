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

A wrong count is always wrong by whole pulses of four counts once both lines have moved again, so the index, which
crosses at the same count of every turn, shows it. Since the last index, inertia decides: a disc that does 1 / tau
counts a second cannot be back at the same edge within a few tau.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from enum import IntEnum
from itertools import chain
from typing import Final, TypeAlias

from hal.values import Edge

COUNTS_PER_SLOT: Final = 4
"""A slot is one high period of A: it has two edges of A and two of B."""

ANY_GAP_NS: Final = 1 << 62
"""A gap limit that no gap exceeds."""

ANY_COUNT: Final = 1 << 62
"""A count limit that no disc reaches."""


class Stop(IntEnum):
    """Why `QuadratureDecoder.run` returned an edge."""

    END = 0
    """The edges are used up."""
    DUE = 1
    """The edge is later than the deadline given; it was not decoded."""
    LIMIT = 2
    """The edge was decoded and left the count outside the limits given."""
    BACK = 3
    """The edge reversed the direction; it was decoded."""
    REPEATED = 4
    """The edge repeats a level: a change of its line was lost. The count stayed."""
    GAP = 5
    """The edge came later after the last count than the gap given; it was not decoded."""
    OTHER = 6
    """The edge is of the index or of another device's line; it was not decoded."""


END: Final = Stop.END
DUE: Final = Stop.DUE
LIMIT: Final = Stop.LIMIT
BACK: Final = Stop.BACK
REPEATED: Final = Stop.REPEATED
GAP: Final = Stop.GAP
OTHER: Final = Stop.OTHER
"""The members as module constants: looking up a member of an enum takes as long as decoding an edge."""

_LEVELS: Final = ((1, 0), (1, 1), (0, 1), (0, 0))
"""A and B in the quarters of a slot."""

_State: TypeAlias = "dict[str, tuple[_State, _State]]"
"""A quarter of a slot in one direction: for each line the states after its edge to 0 and its edge to 1."""

_NO_STEP: Final[tuple[_State, _State]] = ({}, {})
"""Empty states: the edge is not a step in this direction, and `run` stops for it."""

_PASSED: Final[_State] = {}
"""The empty state at which `run` goes on: the edge is another device's, which takes it later."""


def _ring(a: str, b: str, step: int, passed: Collection[str]) -> list[_State]:
    """The states of the four quarters in the direction `step`, as in the diagram above."""
    ring: list[_State] = [dict.fromkeys(passed, ({}, _PASSED)) for _ in _LEVELS]
    for quarter, state in enumerate(ring):
        onward = (quarter + step) % COUNTS_PER_SLOT
        for line, level, after in zip((a, b), _LEVELS[quarter], _LEVELS[onward], strict=True):
            if after == level:
                state[line] = _NO_STEP
            else:
                state[line] = ({}, ring[onward]) if after else (ring[onward], {})
    return ring


class QuadratureDecoder:
    """Decodes the edges of one encoder.

    `count` grows in the positive direction and is 0 where decoding began. It becomes an angle only with the index,
    which `Encoder` handles: `run` returns an index edge as `Stop.OTHER`.

    Most edges of other devices' lines stop `run`, which returns them. A rise of a line of `passed` is only kept there.

    `direction` is that of the last count, +1 or -1. `t1_ns`, `t2_ns`, `t3_ns`, `t4_ns` are the times of the last four
    counts, newest first.
    """

    __slots__ = (
        "_levels",
        "_origin",
        "_rings",
        "a",
        "b",
        "count",
        "direction",
        "passed",
        "t1_ns",
        "t2_ns",
        "t3_ns",
        "t4_ns",
    )

    def __init__(self, a: str, b: str, passed: Collection[str] = ()) -> None:
        """`a` and `b` are the encoder's lines; rises of the lines of `passed` need not stop `run`."""
        self.a = a
        self.b = b
        self.passed: list[Edge] = []
        """The rises that `run` passed; who takes them clears it."""
        self.count = 0
        self.direction = 1
        self.t1_ns = self.t2_ns = self.t3_ns = self.t4_ns = 0
        self._rings: Final = {step: _ring(a, b, step, passed) for step in (1, -1)}
        self._levels: dict[str, int] = {}
        self._origin: int | None = None
        """A count at which a slot begins, from 0 to 3."""

    @property
    def phase(self) -> int | None:
        """The quarter of the slot, 0 to 3 in the order of positive turning; None while a level is unknown."""
        return None if self._origin is None else (self.count - self._origin) % COUNTS_PER_SLOT

    @property
    def times_ns(self) -> tuple[int, int, int, int]:
        """The times of the last four counts, the last one first."""
        return self.t1_ns, self.t2_ns, self.t3_ns, self.t4_ns

    @property
    def last_line(self) -> str:
        """The line whose edge was the last count."""
        at = self.count if self.direction > 0 else self.count + 1
        return (self.a, self.b)[(at - (self._origin or 0)) % 2]

    def forget(self) -> None:
        """Forgets the levels (a cable was pulled): the next edge of each line only gives its level."""
        self._origin = None
        self._levels = {}

    def run(
        self, edges: Iterator[Edge], low: int, high: int, due_ns: int, gap_ns: int = ANY_GAP_NS, quiet_ns: int = 0
    ) -> tuple[Stop, Edge | None]:
        """Decodes edges until one needs the caller; returns the reason and that edge.

        Decodes until the count leaves `low` to `high`, or an edge is later than `due_ns`, follows the last count by
        more than `gap_ns`, or is not a step in the current direction. The caller handles the edge and calls again with
        the rest of the same iterator; an edge that was not decoded must be passed again.

        A deadline that counts postpone has a `quiet_ns`: an edge is late only if it is also later than that after the
        third count before it.
        """
        origin = self._origin
        if origin is None:
            stop, edge = self._learn(edges, due_ns)
            origin = self._origin
            if stop is not END or origin is None:
                return stop, edge
        count = self.count
        step = self.direction
        state = self._rings[step][(count - origin) % COUNTS_PER_SLOT]
        t1, t2, t3, t4 = self.t1_ns, self.t2_ns, self.t3_ns, self.t4_ns
        # Until it reverses, the disc can leave the limits at one end only, if it is within them.
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
                after = state[line][level]
                if not after:
                    if after is _PASSED:
                        self.passed.append(edge)
                        continue
                    stop = BACK if line in self._levels else OTHER
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
            # The first edge of a foreign line. For the next ones a look-up is cheaper than an exception.
            for known in chain(*self._rings.values()):
                known[line] = _NO_STEP
            stop = OTHER
        self.count = count
        self.t1_ns, self.t2_ns, self.t3_ns, self.t4_ns = t1, t2, t3, t4
        if stop is BACK and edge is not None:
            stop = self._no_step(edge)
        return stop, edge

    def _no_step(self, edge: Edge) -> Stop:
        """Classifies an edge of A or B that is not a step in the current direction; counts it if the disc reversed."""
        line, level, t_ns = edge
        if level == _LEVELS[self.phase or 0][line == self.b]:
            return REPEATED
        self.direction = -self.direction
        self.count += self.direction
        self.t1_ns, self.t2_ns, self.t3_ns, self.t4_ns = t_ns, self.t1_ns, self.t2_ns, self.t3_ns
        return BACK

    def _learn(self, edges: Iterator[Edge], due_ns: int) -> tuple[Stop, Edge | None]:
        """Consumes edges until both levels are known; none of them is a count."""
        for edge in edges:
            if edge.t_ns > due_ns:
                return DUE, edge
            if edge.line not in (self.a, self.b):
                return OTHER, edge
            self._levels[edge.line] = edge.level
            if len(self._levels) == 2:
                quarter = _LEVELS.index((self._levels[self.a], self._levels[self.b]))
                self._origin = (self.count - quarter) % COUNTS_PER_SLOT
                self.t1_ns = self.t2_ns = self.t3_ns = self.t4_ns = edge.t_ns
                break
        return END, None
