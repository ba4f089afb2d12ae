"""Motion along one angle, as stretches of constant acceleration: every crossing of a mark has an exact time.

Angles are degrees, times are seconds from the start of the run; a run turns them into nanoseconds at the end.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, repeat
from operator import itemgetter
from typing import Final, TypeAlias

from hal.values import Edge

NS = 1_000_000_000


def ns(t_s: float) -> int:
    """Seconds as nanoseconds."""
    return round(t_s * NS)


LINE: Final = itemgetter(0)
LEVEL: Final = itemgetter(1)
T_NS: Final = itemgetter(2)
"""Line, level and time of an edge; as a key of `sorted` and `map` several times as fast as a function of ours."""


def edges_of(values: Iterable[tuple[str, int, int]]) -> Iterable[Edge]:
    """Edges of (line, level, time), several times as fast as by calling `Edge` for each."""
    return map(tuple.__new__, repeat(Edge), values)


@dataclass(frozen=True, slots=True)
class Stretch:
    """From `t_s` for `duration_s`, an angle that starts at `deg` with `speed` (deg/s) and `acceleration` (deg/s²)."""

    t_s: float
    duration_s: float
    deg: float
    speed: float
    acceleration: float

    def at(self, t_s: float) -> float:
        """The angle at a time inside the stretch."""
        d = t_s - self.t_s
        return self.deg + self.speed * d + 0.5 * self.acceleration * d * d

    def one_way(self) -> Iterator[Stretch]:
        """The stretch, cut where it turns back."""
        turn = -self.speed / self.acceleration if self.acceleration else -1.0
        if not 0.0 < turn < self.duration_s:
            yield self
            return
        top = self.at(self.t_s + turn)
        yield Stretch(self.t_s, turn, self.deg, self.speed, self.acceleration)
        yield Stretch(self.t_s + turn, self.duration_s - turn, top, 0.0, self.acceleration)

    def time_of(self, deg: float) -> float:
        """When a stretch that goes one way is at an angle that it passes."""
        way = deg - self.deg
        root = math.sqrt(max(0.0, self.speed * self.speed + 2.0 * self.acceleration * way))
        end_speed = root if way > 0 else -root
        total = self.speed + end_speed  # the form that does not cancel: t = 2s / (v0 + v1)
        return self.t_s + (2.0 * way / total if total else 0.0)

    def times_ns(self, angles: Sequence[float]) -> list[int]:
        """`time_of` in nanoseconds for many angles in the order of the motion, bit for bit, without a call for each."""
        t_s, deg, speed = self.t_s, self.deg, self.speed
        square, twice, sqrt = speed * speed, 2.0 * self.acceleration, math.sqrt
        if (angles[0] - deg) * speed > 0.0 and square + twice * (angles[-1] - deg) > 0.0:
            # Most edges: all lie ahead, and the motion comes to rest beyond the last.
            if not twice:
                total = speed + math.copysign(sqrt(square), speed)
                return [round((t_s + 2.0 * (angle - deg) / total) * NS) for angle in angles]
            ways = [angle - deg for angle in angles]
            if speed > 0.0:
                return [round((t_s + 2.0 * way / (speed + sqrt(square + twice * way))) * NS) for way in ways]
            return [round((t_s + 2.0 * way / (speed - sqrt(square + twice * way))) * NS) for way in ways]
        times = []
        for angle in angles:
            way = angle - deg
            reached = square + twice * way
            root = sqrt(reached) if reached > 0.0 else 0.0
            total = speed + (root if way > 0 else -root)
            times.append(round((t_s + (2.0 * way / total if total else 0.0)) * NS))
        return times


class Motion:
    """An angle over time, built stretch by stretch."""

    def __init__(self, deg: float) -> None:
        self.stretches: list[Stretch] = []
        self.t_s = 0.0
        self.deg = deg
        self.speed = 0.0
        self._parts: list[tuple[Stretch, float, float]] = []
        self._parts_of = 0
        """Of this many stretches."""

    def accelerate(self, duration_s: float, acceleration: float) -> Motion:
        """Goes on for a time under a constant acceleration."""
        if duration_s > 0.0:
            stretch = Stretch(self.t_s, duration_s, self.deg, self.speed, acceleration)
            self.stretches.append(stretch)
            self.deg = stretch.at(self.t_s + duration_s)
            self.speed += acceleration * duration_s
            self.t_s += duration_s
        return self

    def rest(self, duration_s: float) -> Motion:
        """Stands still."""
        self.speed = 0.0
        return self.accelerate(duration_s, 0.0)

    def turn_to(self, deg: float, end_speed: float) -> Motion:
        """Goes to an angle under the constant acceleration that gives it `end_speed` there."""
        mean = 0.5 * (self.speed + end_speed)
        way = deg - self.deg
        if way == 0.0 and mean == 0.0:
            return self
        if mean == 0.0 or way / mean <= 0.0:
            raise ValueError(f"a motion at {self.deg}° and {self.speed}°/s cannot reach {deg}° with {end_speed}°/s")
        duration = way / mean
        self.accelerate(duration, (end_speed - self.speed) / duration)
        self.deg, self.speed = deg, end_speed
        return self

    def swing(self, by_deg: float, duration_s: float) -> Motion:
        """Moves from rest to rest, gaining speed for half of the way and losing it for the other half."""
        start = self.deg
        peak = 2.0 * by_deg / duration_s
        self.speed = 0.0
        return self.turn_to(start + 0.5 * by_deg, peak).turn_to(start + by_deg, 0.0)

    def at(self, t_s: float) -> float:
        """The angle at a time; before the first stretch where it begins, after the last where it ended."""
        i = bisect_right(self.stretches, t_s, key=lambda s: s.t_s) - 1
        if i < 0:
            return self.stretches[0].deg if self.stretches else self.deg
        stretch = self.stretches[i]
        return stretch.at(min(t_s, stretch.t_s + stretch.duration_s))

    def moving_at(self, t_s: float) -> Motion:
        """A new motion that has the angle and the speed of this one at a time, and goes on from there."""
        stretch = self.stretches[bisect_right(self.stretches, t_s, key=lambda s: s.t_s) - 1]
        motion = Motion(stretch.at(t_s))
        motion.t_s, motion.speed = t_s, stretch.speed + stretch.acceleration * (t_s - stretch.t_s)
        return motion

    def crossings(self, period_deg: float, offset_deg: float = 0.0) -> Iterator[tuple[float, int, int]]:
        """Yields (time, k, way) each time that the angle crosses `offset + k × period`, `way` being +1 or -1."""
        for part, marks, way in self.crossed(period_deg, offset_deg):
            for k in marks:
                yield part.time_of(offset_deg + k * period_deg), k, way

    def crossed(self, period_deg: float, offset_deg: float = 0.0) -> Iterator[tuple[Stretch, range, int]]:
        """Yields each part that crosses angles `offset + k × period`, in one way, with those k and the way."""
        floor = math.floor
        for part, from_deg, to_deg in self._one_way_parts():
            low = (from_deg - offset_deg) / period_deg
            high = (to_deg - offset_deg) / period_deg
            if high > low:
                first, last = floor(low), floor(high)
                if last > first:
                    yield part, range(first + 1, last + 1), 1
            elif high < low:
                first, last = floor(low), floor(high)
                if first > last:
                    yield part, range(first, last, -1), -1

    def _one_way_parts(self) -> list[tuple[Stretch, float, float]]:
        """Each part that goes one way, with the angles at which it begins and ends."""
        if self._parts_of != len(self.stretches):
            self._parts_of = len(self.stretches)
            ways = (part for whole in self.stretches for part in whole.one_way())
            self._parts = [(part, part.deg, part.at(part.t_s + part.duration_s)) for part in ways]
        return self._parts


Marks: TypeAlias = tuple[float, float, float, float]

TRUE_MARKS: Final[Marks] = (0.0, 0.0, 0.0, 0.0)


def encoder_edges(
    motion: Motion,
    prefix: str,
    slots: int,
    *,
    index_width_deg: float = 3.0,
    index_offset_deg: float = 0.0,
    marks_off: Marks = TRUE_MARKS,
) -> list[Edge]:
    """The edges of quadrature A, B and the index of a disc in a motion, initial levels first.

    A is high in the first half of a slot, B a quarter slot later; the index is high from `index_offset_deg` (less than
    a count) to `index_width_deg`. `marks_off` is by how many counts the rising A, the rising B, the falling A and the
    falling B of every slot stand off their places.
    """
    count_deg = 360.0 / (4 * slots)
    a, b, index = f"{prefix}_a", f"{prefix}_b", f"{prefix}_index"
    start = motion.at(0.0)
    places = [k + off for k, off in enumerate(marks_off)]
    into_slot = (start / count_deg - places[0]) % 4
    cell = sum(place - places[0] <= into_slot for place in places) - 1
    into = (start - index_offset_deg) % 360.0
    edges = [
        Edge(a, int(cell in (0, 1)), 0),
        Edge(b, int(cell in (1, 2)), 0),
        Edge(index, int(into < index_width_deg - index_offset_deg), 0),
    ]
    rising = ((a, 1), (b, 1), (a, 0), (b, 0))
    falling = ((b, 1), (a, 1), (b, 0), (a, 0))
    if marks_off != TRUE_MARKS:
        for (line, level), place in zip(rising, places, strict=True):
            for t_s, _, way in motion.crossings(4 * count_deg, place * count_deg):
                edges.append(Edge(line, level if way > 0 else 1 - level, ns(t_s)))
        turning: Iterable[tuple[Stretch, range, int]] = ()
    else:
        turning = motion.crossed(count_deg)
    for part, marks, way in turning:
        # The quarter of the first mark; in the negative direction the quarters come in the other order.
        at = marks[0] % 4 if way > 0 else 3 - marks[0] % 4
        signals = rising if way > 0 else falling
        lines, levels = zip(*signals[at:], *signals[:at], strict=True)
        times = part.times_ns([k * count_deg for k in marks])
        edges += edges_of(zip(cycle(lines), cycle(levels), times, strict=False))
    for t_s, _, way in motion.crossings(360.0, index_offset_deg):
        edges.append(Edge(index, int(way > 0), ns(t_s)))
    for t_s, _, way in motion.crossings(360.0, index_width_deg):
        edges.append(Edge(index, int(way < 0), ns(t_s)))
    return edges


def pulse(line: str, start_s: float, width_s: float) -> list[Edge]:
    """One high pulse."""
    return [Edge(line, 1, ns(start_s)), Edge(line, 0, ns(start_s + width_s))]


def in_order(edges: list[Edge]) -> list[Edge]:
    """The edges in the order of time; equal times keep their order, so that an initial level stays first."""
    return sorted(edges, key=T_NS)
