"""From motion to edges: the signals of fixed sensors that marks on a circle pass.

A `MarkRing` holds the marks: the slots of an encoder, the index vane, a peg, a ball in front of track sensors. Each
mark is an angle at which one line takes a level when it is passed in the positive direction, and the opposite level in
the other:

    angle     0        1/4       1/2       3/4        1 (slot)
    A         ┌───────────────────┐                   ┌──
              ┘                   └───────────────────┘
    B                   ┌───────────────────┐
              ──────────┘                   └───────────

Edges are given in the order of the motion; a sort by time merges several streams.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from itertools import repeat
from math import floor, sqrt
from operator import itemgetter
from typing import NamedTuple, cast

from hal.clock import NS_PER_S
from hal.values import Edge
from simulators.base.motion import Segment

MANY = 12
"""From this many marks in one segment, whole lists are faster than a loop."""

by_time = itemgetter(2)
"""The sort key of an edge."""


class RingMark(NamedTuple):
    """At `offset_deg` within its period, `line` takes `level` when passed in the positive direction."""

    offset_deg: float
    line: str
    level: int


def quadrature_marks(slots: int, line_a: str, line_b: str) -> tuple[float, list[RingMark]]:
    """The period (one slot) and marks of an encoder: A high in the first half slot, B a quarter slot later."""
    slot_deg = 360.0 / slots
    return slot_deg, [
        RingMark(0.0, line_a, 1),
        RingMark(slot_deg * 0.25, line_b, 1),
        RingMark(slot_deg * 0.5, line_a, 0),
        RingMark(slot_deg * 0.75, line_b, 0),
    ]


def window_marks(line: str, centre_deg: float, width_deg: float, period_deg: float = 360.0) -> list[RingMark]:
    """The two marks of a line that is high within `width_deg` around `centre_deg`, once a period."""
    half_deg = width_deg / 2.0
    return [
        RingMark((centre_deg - half_deg) % period_deg, line, 1),
        RingMark((centre_deg + half_deg) % period_deg, line, 0),
    ]


class MarkRing:
    """Marks that repeat every `period_deg`, and the position of the motion among them.

    A mark d away is reached after 2d / (v ± √(v² + 2ad)), a form that holds for every acceleration, 0 included.

    Each motion must begin where the last one ended; the ring keeps which marks are behind, so that rounding at the
    joints neither loses an edge nor repeats one.
    """

    def __init__(self, marks: Iterable[RingMark], angle_deg: float, period_deg: float = 360.0) -> None:
        ordered = sorted(marks)
        self._period_deg = period_deg
        self._offsets = [mark.offset_deg for mark in ordered]
        self._up = [(mark.line, mark.level) for mark in ordered]
        self._down = [(mark.line, 1 - mark.level) for mark in ordered]
        self._lines = [mark.line for mark in ordered]
        self._levels = ([level for _, level in self._down], [level for _, level in self._up])
        """The levels of the marks when passed in the negative direction, and in the positive."""
        self._behind = 0
        self._stand_at(self._marks_below(angle_deg))

    def levels(self) -> dict[str, int]:
        """The level of each line at the current position."""
        count = len(self._up)
        # From the mark furthest behind to the nearest: the last one passed decides.
        return dict(self._up[(self._behind + i) % count] for i in range(count))

    def enter(self, t_s: float) -> list[Edge]:
        """An object appears at the current position: the lines that go high at once."""
        return [Edge(line, 1, int(t_s * NS_PER_S)) for line, level in self.levels().items() if level]

    def leave(self, t_s: float) -> list[Edge]:
        """The object is removed: the lines that go low at once."""
        return [Edge(line, 0, int(t_s * NS_PER_S)) for line, level in self.levels().items() if level]

    def edges(self, segments: Sequence[Segment]) -> list[Edge]:
        """The edges of a motion that begins where the last one ended."""
        out: list[Edge] = []
        for start_s, duration_s, angle_deg, speed, accel in segments:
            if speed * (speed + accel * duration_s) < 0.0:
                turn_s = -speed / accel
                peak_deg = angle_deg + 0.5 * speed * turn_s
                self._leg(out, start_s, turn_s, angle_deg, speed, accel)
                self._leg(out, start_s + turn_s, duration_s - turn_s, peak_deg, 0.0, accel)
            else:
                self._leg(out, start_s, duration_s, angle_deg, speed, accel)
        return out

    def _leg(
        self, out: list[Edge], start_s: float, duration_s: float, angle_deg: float, speed: float, accel: float
    ) -> None:
        """One segment that does not turn back."""
        end_deg = angle_deg + (speed + 0.5 * accel * duration_s) * duration_s
        if self._low_deg <= end_deg < self._high_deg:
            return
        before, behind = self._behind, self._marks_below(end_deg)
        self._stand_at(behind)
        way = 1.0 if behind > before else -1.0
        passed = range(before, behind) if behind > before else range(before - 1, behind - 1, -1)
        start_ns = start_s * NS_PER_S
        if len(passed) < MANY or speed * (speed + accel * duration_s) <= 0.0:
            labels, count = (self._up if way > 0.0 else self._down), len(self._offsets)
            for n in passed:
                away_deg = n // count * self._period_deg + self._offsets[n % count] - angle_deg
                # Rounding may put a mark beyond the point where the motion turns, or at the very start of it.
                divisor = speed + way * sqrt(max(0.0, speed * speed + 2.0 * accel * away_deg))
                after_s = 2.0 * away_deg / divisor if divisor else 0.0
                line, level = labels[n % count]
                out.append(Edge(line, level, int(start_ns + after_s * NS_PER_S)))
        else:
            self._many(out, passed, way, start_ns, angle_deg, speed, accel)

    def _many(
        self,
        out: list[Edge],
        passed: range,
        way: float,
        start_ns: float,
        angle_deg: float,
        speed: float,
        accel: float,
    ) -> None:
        """As `_leg`, for many marks, by whole lists: most edges of a rotor are made here."""
        count, period = len(self._offsets), self._period_deg
        first, last = min(passed[0], passed[-1]), max(passed[0], passed[-1])
        turns = range(first // count, last // count + 1)
        inside = slice(first - turns[0] * count, last + 1 - turns[0] * count)
        bases, offsets = [turn * period - angle_deg for turn in turns], self._offsets
        if accel == 0.0:
            per_deg_ns = NS_PER_S / speed
            times = [int(start_ns + (base + offset) * per_deg_ns) for base in bases for offset in offsets][inside]
        else:
            twice_ns, forward = 2.0 * way * NS_PER_S, speed * way
            squared, twice_accel = speed * speed, 2.0 * accel
            away = [base + offset for base in bases for offset in offsets][inside]
            times = [int(start_ns + twice_ns * d / (forward + sqrt(squared + twice_accel * d))) for d in away]
        lines, levels = (self._lines * len(turns))[inside], (self._levels[way > 0.0] * len(turns))[inside]
        if way < 0.0:
            for values in (times, lines, levels):
                values.reverse()
        # The constructor of a NamedTuple costs a Python call for each edge; this is the same without it.
        made = map(tuple.__new__, repeat(Edge), zip(lines, levels, times, strict=True))
        out += cast("list[Edge]", list(made))

    def _marks_below(self, angle_deg: float) -> int:
        turn = floor(angle_deg / self._period_deg)
        within_deg = angle_deg - turn * self._period_deg
        return turn * len(self._offsets) + bisect_right(self._offsets, within_deg)

    def _stand_at(self, behind: int) -> None:
        count = len(self._offsets)
        self._behind = behind
        self._low_deg = (behind - 1) // count * self._period_deg + self._offsets[(behind - 1) % count]
        self._high_deg = behind // count * self._period_deg + self._offsets[behind % count]


def in_ns(t_s: float) -> int:
    """A time in whole nanoseconds, as a value of the wires has it."""
    return int(t_s * NS_PER_S)


def press(line: str, at_s: float, held_s: float) -> list[Edge]:
    """A button pressed and released."""
    return [Edge(line, 1, in_ns(at_s)), Edge(line, 0, in_ns(at_s + held_s))]


def any_of(edges: Iterable[Edge], present_at_start: Mapping[str, int]) -> list[Edge]:
    """Merges the pulses of several objects before the same sensors: a line is high while any of them is there.

    `present_at_start` is the number of them before each sensor at the start; 0 for a line that it does not contain.
    """
    present = dict(present_at_start)
    out: list[Edge] = []
    for edge in sorted(edges, key=by_time):
        before = present.get(edge.line, 0)
        after = present[edge.line] = before + (1 if edge.level else -1)
        if (before == 0) != (after == 0):
            out.append(edge)
    return out


def settle_order(edges: list[Edge], after_ns: int, until_ns: int) -> None:
    """Sorts a round's edges by time, and moves those that rounding put outside the round into it."""
    edges.sort(key=by_time)
    first, last = 0, len(edges) - 1
    while first <= last and edges[first].t_ns <= after_ns:
        edges[first] = edges[first]._replace(t_ns=after_ns + 1)
        first += 1
    while last >= first and edges[last].t_ns > until_ns:
        edges[last] = edges[last]._replace(t_ns=until_ns)
        last -= 1
