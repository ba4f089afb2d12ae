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
from functools import cache
from itertools import combinations, pairwise
from math import inf, log
from statistics import fmean
from typing import Final, NamedTuple

from drivers.driver import NEVER_NS

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

PICKED_UP_LAP_S: Final = 1.1
"""A ball that vanishes at a shorter lap time did not drop: balls drop at 2.0 to 2.4 s (ours)."""

OVERDUE_NEAR_DROP: Final = 1.8
OVERDUE: Final = 2.8
OVERDUE_FAST: Final = 2 * SLOWING
"""Times the expectation after which the ball has left the track (ours; design, section 4). One that is too fast to
drop can only have been picked up: that is told when no sensor that missed it explains the silence.
"""

WIDTH_CHANGE: Final = 2.5
"""A pulse wider or narrower than the ball's by this is not the ball's (ours)."""

AGREEING: Final = 3
"""Passes that must agree on the direction; two, where the other direction would be impossibly fast."""

SAME_DEG: Final = 1e-6
"""Angles nearer to each other are the same."""

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


class Leg(NamedTuple):
    """The way of a ball from one sensor to another, in one direction."""

    deg: float
    """0 < angle <= 360."""
    between: int
    """Sensors that the ball passes on the way."""


class Legs(NamedTuple):
    """The ways from one sensor, in one direction."""

    to: tuple[Leg, ...]
    """To each sensor."""
    away_deg: float
    """What the ball would have made at its last speed when it has left the track; a sensor may miss it on the way."""
    away_fast_deg: float
    """The same of a ball that is too fast to drop."""
    away_near_drop_deg: float
    """The same near the speed at which balls drop."""


class Course:
    """One explanation of the passes so far: the ball runs in this direction."""

    __slots__ = (
        "_legs",
        "deg_per_s",
        "direction",
        "lap_s",
        "last",
        "missed",
        "overdue_ns",
        "passes",
        "travel_deg",
        "travel_high_deg",
        "width_deg",
    )

    def __init__(self, direction: int, first: Pass, legs: Sequence[Legs]) -> None:
        """`legs` are those of the direction, from each sensor."""
        self._legs = legs
        self.direction = direction
        """+1 or -1, the positive being that of growing angles."""
        self.last = first
        self.deg_per_s: float | None = None
        """Speed between the last two passes."""
        self.lap_s: float | None = None
        """Lap time at that speed."""
        self.travel_deg = 0.0
        self.travel_high_deg = 0.0
        self.passes = 1
        self.missed = 0
        """Sensors that the ball passed without their telling."""
        self.width_deg: float | None = None
        """What the ball covers of the track as the sensors see it, smoothed."""
        self.overdue_ns = NEVER_NS
        """When the ball, if no pass comes, has left the track; never while its speed is unknown."""

    def follow(self, new: Pass) -> bool:
        """Adds a pass; returns False, and stays as it is, if a ball on this course cannot have made it."""
        sensor, t_ns, width_ns = new
        last = self.last
        seconds = (t_ns - last.t_ns) / 1e9
        if seconds <= 0:
            return False
        speed = self.deg_per_s
        angle, between = self._legs[last.sensor].to[sensor]
        lap_s = seconds * 360 / angle
        counted = high = angle
        if speed is None:
            if not FASTEST_LAP_S <= lap_s <= SLOWEST_LAP_S:
                return False
            if between:
                # With sensors missed before the second pass the first may have been the hand: this is not proven.
                counted = 0.0
        else:
            expected = seconds * speed
            if not QUICKENING <= expected / angle <= SLOWING or lap_s < FASTEST_LAP_S:
                return False
            if expected / (angle + 360) >= QUICKENING:
                high = angle + 360
        speed = angle / seconds
        width_deg = width_ns / 1e9 * speed
        if self.width_deg is not None:
            if not 1 / WIDTH_CHANGE < width_deg / self.width_deg < WIDTH_CHANGE:
                return False
            width_deg = (3 * self.width_deg + width_deg) / 4
        self.last = new
        self.deg_per_s = speed
        self.lap_s = lap_s = 360 / speed
        self.travel_deg += counted
        self.travel_high_deg += high
        self.passes += 1
        self.missed += between
        self.width_deg = width_deg
        legs = self._legs[sensor]
        if lap_s >= NEAR_DROP_LAP_S:
            away_deg = legs.away_near_drop_deg
        else:
            away_deg = legs.away_deg if lap_s >= PICKED_UP_LAP_S else legs.away_fast_deg
        self.overdue_ns = t_ns + round(away_deg / speed * 1e9)
        return True


class BallTrack:
    """Follows one run of the ball over its passes. A new run is a new `BallTrack`."""

    def __init__(self, sensors_deg: Sequence[float]) -> None:
        """`sensors_deg` are the angles of the sensors on the bowl."""
        self._deg = tuple(sensors_deg)
        self._legs = {direction: _legs(self._deg, direction) for direction in (1, -1)}
        self.courses: list[Course] = []
        self.direction: int | None = None
        """+1 or -1 once it is proven."""
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
        if len(self.courses) == 1:
            return self.courses[0]
        return min(self.courses, key=lambda c: (c.missed, c.deg_per_s or 0.0))

    @property
    def overdue_ns(self) -> int:
        """When the ball, if no pass comes, has left the track; never while its speed is unknown."""
        if len(self.courses) == 1:
            return self.courses[0].overdue_ns
        return max((course.overdue_ns for course in self.courses), default=NEVER_NS)

    @property
    def crowded(self) -> bool:
        """Whether something beside one ball is in the track."""
        return len(self.strays) >= FOREIGN_PASSES or self.false_starts >= 2 * FOREIGN_PASSES

    def take(self, new: Pass) -> Course | None:
        """Takes a pass; returns the explanation that stands, if a ball that runs on explains the pass."""
        if not self.courses:
            self._begin(new)
            return self.course
        if self.direction is not None:
            (course,) = self.courses
            if course.follow(new):
                self._taken.append(new)
                return course
            self.strays.append(new)
            return None
        followed = [course for course in self.courses if course.follow(new)]
        if not followed:
            if all(course.passes < AGREEING for course in self.courses):
                # Too little to hold on to: what came before may have been the hand that threw the ball.
                self.false_starts += 1
                self._begin(new)
            else:
                self.strays.append(new)
            return None
        self.courses = followed
        self._taken.append(new)
        self._decide()
        return self.course

    def _begin(self, new: Pass) -> None:
        self.courses = [Course(direction, new, legs) for direction, legs in self._legs.items()]
        self._taken = [new]

    def swapped(self) -> str | None:
        """Which two sensors explain the run better the other way round, or None.

        Sensors at unequal angles cut a lap in unequal parts, so the speed from pass to pass is even only where each
        stands in its place. At equal angles no swap shows.
        """
        if len(self._taken) < SWAP_PASSES:
            return None
        places = list(self._deg)
        own = self._unevenness(places, self.direction or 1)
        if own <= LEAST_UNEVEN:
            return None
        for one, other in combinations(range(len(places)), 2):
            places[one], places[other] = places[other], places[one]
            evener = min(self._unevenness(places, direction) for direction in (1, -1))
            places[one], places[other] = places[other], places[one]
            if evener < own * EVENER_SHARE:
                return f"ball_{one + 1} and ball_{other + 1} look swapped: the other way round the ball runs evenly"
        return None

    def _unevenness(self, places: Sequence[float], direction: int) -> float:
        """The mean change of the logarithm of the speed from pass to pass; infinite where no ball is so fast."""
        laps_s = [
            (then_ns - t_ns) / 1e9 * 360 / ((places[other] - places[one]) * direction % 360 or 360.0)
            for (one, t_ns, _), (other, then_ns, _) in pairwise(self._taken)
        ]
        if min(laps_s) < FASTEST_LAP_S:
            return inf
        return fmean([abs(log(b / a)) for a, b in pairwise(laps_s)])

    def _decide(self) -> None:
        """The direction is proven once enough passes agree on it, and the other way explains them worse."""
        best, *others = sorted(self.courses, key=lambda c: c.missed)
        if not others:
            proven = best.passes >= AGREEING or (best.passes == AGREEING - 1 and best.missed == 0)
        else:
            proven = best.passes >= AGREEING and others[0].missed >= best.missed + AGREEING - 1
        if proven:
            self.direction = best.direction
            self.courses = [best]


@cache
def _legs(sensors_deg: tuple[float, ...], direction: int) -> tuple[Legs, ...]:
    """The ways of a direction, from each sensor: the same for every run on a wheel."""
    found: list[Legs] = []
    for start in sensors_deg:
        angles = [(end - start) * direction % 360 for end in sensors_deg]
        angles = [angle if angle > SAME_DEG else 360.0 for angle in angles]
        to = tuple(Leg(angle, sum(other < angle - SAME_DEG for other in angles)) for angle in angles)
        nearest, after_it = sorted([*angles, min(angles) + 360])[:2]
        # With equal gaps both are the same. Else the way past a sensor that misses the ball may be the longer one.
        away, fast = (max(times * nearest, times / 2 * after_it) for times in (OVERDUE, OVERDUE_FAST))
        found.append(Legs(to, away, fast, OVERDUE_NEAR_DROP * nearest))
    return tuple(found)
