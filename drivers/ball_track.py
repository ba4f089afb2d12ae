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
from math import inf, log
from statistics import fmean
from typing import Final

from drivers.ball_course import FASTEST_LAP_S, Course, Pass, ways
from drivers.driver import NEVER_NS

AGREEING: Final = 3
"""Passes that must agree on the direction; two, where the other direction would be impossibly fast."""

SWAP_PASSES: Final = 6
"""Passes from which on an uneven speed tells of sensors that stand elsewhere (ours)."""

LEAST_UNEVEN: Final = 0.05
EVENER_SHARE: Final = 0.6
"""A change of speed of 5 % from pass to pass that a swap would bring down to this share (ours)."""

FOREIGN_PASSES: Final = 3
"""Passes that the ball cannot have made, after which something else is in the track (ours)."""

OTHER_BALL_PASSES: Final = 2
"""Of those, passes as wide as the ball's, after which no travel since the first of them is proven: it may be another
ball's (ours).
"""


class BallTrack:
    """Follows one run of the ball over its passes. A new run is a new `BallTrack`."""

    def __init__(self, sensors_deg: Sequence[float]) -> None:
        """`sensors_deg` are the angles of the sensors on the bowl."""
        self._deg = tuple(sensors_deg)
        self._legs = {direction: ways(self._deg, direction) for direction in (1, -1)}
        self.courses: list[Course] = []
        self.direction: int | None = None
        """+1 or -1 once it is proven."""
        self.strays: list[Pass] = []
        """Passes that the ball which is followed cannot have made."""
        self.false_starts = 0
        """Passes on which no run could be built."""
        self._taken: list[Pass] = []
        """The passes of the run that is followed."""
        self._alike: list[float] = []
        """What was proven, in degrees, at each stray as wide as the ball's passes."""

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
            self._stray(new)
            return None
        followed = [course for course in self.courses if course.follow(new)]
        if not followed:
            if all(course.passes < AGREEING for course in self.courses):
                # Too little to hold on to: what came before may have been the hand that threw the ball.
                self.false_starts += 1
                self._begin(new)
            else:
                self._stray(new)
            return None
        self.courses = followed
        self._taken.append(new)
        self._decide()
        return self.course

    def _stray(self, new: Pass) -> None:
        """A pass that the ball which is followed cannot have made; two like a ball's, and it may be one of two."""
        self.strays.append(new)
        course = self.course
        if course is not None and course.is_like(new):
            self._alike.append(course.travel_deg)
            if len(self._alike) >= OTHER_BALL_PASSES:
                for followed in self.courses:
                    followed.prove_no_more_than(self._alike[0])

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
