"""The ball in the track: which way it runs, how far it has run, and when it left.

Sensors stand at fixed angles of the bowl. All expectations are in angle, never in "the next sensor": after a pass at
one sensor a ball of known speed and direction has one time at which it can be at each other sensor. So unequal angles,
a missed sensor and a slowing ball are one rule:

    sensor     0°        120°        240°        0°         120°                    0°
    line    ___|‾|________|‾|________|‾|_________|‾|_________|‾|__ (240° missed) ___|‾|___
    travel     0°        120°        240°        360°        480°                   720°
    time       t0        t1          t2    ->  direction: three passes agree

Both directions are followed until one cannot explain a pass, or explains the passes only by more misses. Travel counts
from the first pass to the last (13:47-20.32(j)1, (m)2: around the track, never relative to the rotor).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise
from math import log
from statistics import median
from typing import Final, NamedTuple

FASTEST_LAP_S: Final = 0.35
"""No ball is faster: launches reach 2.4 laps a second (ours)."""

SLOWEST_LAP_S: Final = 4.5
"""A ball at this lap time has long dropped: the last laps take 2.0 to 2.4 s (ours)."""

QUICKENING: Final = 0.8
"""A pass may come this much of the expected time early: real laps quicken by up to 20 % (design, section 4)."""

SLOWING: Final = 1.8
"""From one pass to the next the speed falls by no more than this: real laps by 1.55 at most (ours)."""

NEAR_DROP_LAP_S: Final = 1.9
"""From this lap time on a ball is near the speed at which it drops (ours; design, section 4)."""

OVERDUE_NEAR_DROP: Final = 1.8
OVERDUE: Final = 2.8
"""Times the expectation after which the ball has left the track (ours; design, section 4)."""

WIDTH_CHANGE: Final = 2.5
"""A pulse wider or narrower than the ball's by this is not the ball's (ours)."""

AGREEING: Final = 3
"""Passes that must agree on the direction; two, where the other direction would be impossibly fast."""


SWAP_PASSES: Final = 6
"""Passes from which on an uneven speed tells of sensors that stand elsewhere (ours)."""

LEAST_UNEVEN: Final = 0.05
EVENER_SHARE: Final = 0.6
"""A change of speed of 5 % from pass to pass that a swap would bring down to this share (ours)."""

FOREIGN_PASSES: Final = 3
"""Passes that the ball cannot have made, after which something else is in the track (ours)."""


class Pass(NamedTuple):
    """The ball was in front of a sensor."""

    sensor: int
    t_ns: int
    """When it came."""
    width_ns: int


class Course(NamedTuple):
    """One explanation of the passes so far: the ball runs in this direction."""

    direction: int
    last: Pass
    deg_per_s: float | None = None
    travel_deg: float = 0.0
    travel_high_deg: float = 0.0
    passes: int = 1
    missed: int = 0
    width_deg: float | None = None

    @property
    def lap_s(self) -> float | None:
        """Lap time at the speed between the last two passes."""
        return None if self.deg_per_s is None else 360 / self.deg_per_s

    @property
    def patience(self) -> float:
        """Times the expected interval for which the ball may still be in the track."""
        lap = self.lap_s
        return OVERDUE_NEAR_DROP if lap is not None and lap >= NEAR_DROP_LAP_S else OVERDUE


class BallTrack:
    """Follows one run of the ball over its passes. A new run is a new `BallTrack`."""

    def __init__(self, sensors_deg: Sequence[float]) -> None:
        self._deg = tuple(sensors_deg)
        self.courses: list[Course] = []
        self.direction: int | None = None
        self.strays: list[Pass] = []
        """Passes that the ball which is followed cannot have made."""
        self.false_starts = 0
        """Passes on which no run could be built."""
        self._taken: list[Pass] = []
        """The passes of the run that is followed."""

    @property
    def course(self) -> Course | None:
        """The explanation that stands: the proven direction's, else the one with the fewest misses."""
        if not self.courses:
            return None
        return min(self.courses, key=lambda c: (c.missed, c.deg_per_s or 0.0))

    @property
    def crowded(self) -> bool:
        """Whether something beside one ball is in the track."""
        return len(self.strays) >= FOREIGN_PASSES or self.false_starts >= 2 * FOREIGN_PASSES

    def take(self, new: Pass) -> bool:
        """Takes a pass; returns whether a ball that runs on explains it."""
        if not self.courses:
            self._begin(new)
            return True
        followed = [on for course in self.courses if (on := self._follow(course, new)) is not None]
        if not followed:
            if self.direction is None and all(course.passes < AGREEING for course in self.courses):
                # Too little to hold on to: what came before may have been the hand that threw the ball.
                self.false_starts += 1
                self._begin(new)
            else:
                self.strays.append(new)
            return False
        self.courses = followed
        self._taken.append(new)
        self._decide()
        return True

    def _begin(self, new: Pass) -> None:
        self.courses = [Course(direction, new) for direction in (1, -1)]
        self._taken = [new]

    def swapped(self) -> str | None:
        """Which two sensors explain the run better the other way round, or None.

        Sensors at unequal angles cut a lap in unequal parts, so the speed from pass to pass is even only where each
        stands in its place. At equal angles no swap shows.
        """
        if len(self._taken) < SWAP_PASSES:
            return None
        places = list(self._deg)
        own = min(self._unevenness(places, direction) for direction in (1, -1))
        for one, other in combinations(range(len(places)), 2):
            places[one], places[other] = places[other], places[one]
            evener = min(self._unevenness(places, direction) for direction in (1, -1))
            places[one], places[other] = places[other], places[one]
            if own > LEAST_UNEVEN and evener < own * EVENER_SHARE:
                return f"ball_{one + 1} and ball_{other + 1} look swapped: the other way round the ball runs evenly"
        return None

    def _unevenness(self, places: Sequence[float], direction: int) -> float:
        """The median change of the logarithm of the speed from pass to pass."""
        speeds = [
            log((((places[b.sensor] - places[a.sensor]) * direction % 360) or 360.0) / (b.t_ns - a.t_ns))
            for a, b in pairwise(self._taken)
        ]
        return median(abs(b - a) for a, b in pairwise(speeds))

    def overdue_ns(self) -> int | None:
        """When the ball, if no pass comes, has left the track; None while its speed is unknown."""
        latest: int | None = None
        for course in self.courses:
            if course.deg_per_s is None:
                continue
            ahead = min(self._angle(course, sensor) for sensor in range(len(self._deg)))
            t_ns = course.last.t_ns + round(ahead / course.deg_per_s * course.patience * 1e9)
            latest = t_ns if latest is None else max(latest, t_ns)
        return latest

    def _angle(self, course: Course, sensor: int) -> float:
        """From the last pass on to a sensor, in the direction of the course: 0 < angle <= 360."""
        angle = (self._deg[sensor] - self._deg[course.last.sensor]) * course.direction % 360
        return angle if angle > 1e-6 else 360.0

    def _follow(self, course: Course, new: Pass) -> Course | None:
        """The course with the pass added, or None if a ball on it cannot have made the pass."""
        seconds = (new.t_ns - course.last.t_ns) / 1e9
        angle = self._angle(course, new.sensor)
        high = angle
        if seconds <= 0:
            return None
        if course.deg_per_s is None:
            if not FASTEST_LAP_S <= seconds * 360 / angle <= SLOWEST_LAP_S:
                return None
        else:
            ratio = seconds * course.deg_per_s / angle
            lap_more = seconds * course.deg_per_s / (angle + 360)
            if not QUICKENING <= ratio <= SLOWING:
                return None
            if lap_more >= QUICKENING:
                high = angle + 360
            if seconds * 360 / angle < FASTEST_LAP_S:
                return None
        between = len(self._between(course, angle))
        # A first pass with sensors missed before the second may have been the hand: its travel is not proven.
        counted = 0.0 if course.deg_per_s is None and between else angle
        deg_per_s = angle / seconds
        width_deg = new.width_ns / 1e9 * deg_per_s
        if course.width_deg is not None and not 1 / WIDTH_CHANGE < width_deg / course.width_deg < WIDTH_CHANGE:
            return None
        return Course(
            direction=course.direction,
            last=new,
            deg_per_s=deg_per_s,
            travel_deg=course.travel_deg + counted,
            travel_high_deg=course.travel_high_deg + high,
            passes=course.passes + 1,
            missed=course.missed + between,
            width_deg=width_deg if course.width_deg is None else (3 * course.width_deg + width_deg) / 4,
        )

    def _between(self, course: Course, angle: float) -> list[int]:
        """The sensors that a ball passes on the way without their telling."""
        return [sensor for sensor in range(len(self._deg)) if self._angle(course, sensor) < angle - 1e-6]

    def _decide(self) -> None:
        if self.direction is not None:
            return
        best, *others = sorted(self.courses, key=lambda c: c.missed)
        if not others:
            proven = best.passes >= AGREEING or (best.passes == AGREEING - 1 and best.missed == 0)
        else:
            proven = best.passes >= AGREEING and others[0].missed >= best.missed + AGREEING - 1
        if proven:
            self.direction = best.direction
            self.courses = [best]
