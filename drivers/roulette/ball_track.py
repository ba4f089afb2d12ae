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

from drivers.base.driver import NEVER_NS, Observation
from drivers.roulette.ball_hypothesis import FASTEST_LAP_S, PICKED_UP_LAP_S, Course, Pass, ways
from drivers.roulette.device import BallLeftTrack, BallPassed, BallSeen, ForeignObject, TrackQuiet
from drivers.roulette.pocket_head import PocketHead
from drivers.roulette.rotor import Rotor
from hal.values import Edge

# The runs of the ball in the track, one after the other: each has its own `BallTrack`.
#
# BallSeen    first pass on a quiet track
#    │ BallPassed ...             each pass that a ball running on explains
#    ▼
# BallLeftTrack                   the ball is overdue at every sensor
#    │
#    ▼
# TrackQuiet  no edge of a track sensor for the quiet time: what comes next is a new run


class BallRuns:
    """Follows the ball by the edges of `ball_1` to `ball_n`."""

    __slots__ = (
        "_foreign_told",
        "_head",
        "_heard",
        "_joined",
        "_left",
        "_overdue_ns",
        "_quiet_due_ns",
        "_quiet_ns",
        "_rotor",
        "_rotor_rpm",
        "_sensors",
        "_sensors_deg",
        "_track",
        "due_ns",
        "lines",
        "stranger",
    )

    def __init__(self, sensors_deg: Sequence[float], quiet_ns: int, rotor: Rotor, head: PocketHead) -> None:
        """A run begins with a rotor that nothing is held against, and a head that has read nothing."""
        self._sensors_deg = sensors_deg
        self._quiet_ns = quiet_ns
        self._rotor = rotor
        self._head = head
        self._sensors = TrackSensors(len(sensors_deg))
        self.lines = self._sensors.lines
        self._heard: set[str] = set()
        """The lines whose level is known: what else they tell is a change."""
        self._track: BallTrack | None = None
        self._left = self._foreign_told = False
        self._rotor_rpm = 0.0
        self._joined = True
        self._overdue_ns = NEVER_NS
        """When the ball has left the track."""
        self._quiet_due_ns = NEVER_NS
        """When the track is quiet, if nothing stands in front of a sensor."""
        self.due_ns = NEVER_NS
        """When something becomes known if nothing comes, or earlier."""
        self.stranger = False
        """Whether a ball was in a pocket while one of known direction ran."""

    @property
    def running(self) -> bool:
        """Whether a ball of known direction is in the track."""
        return self._track is not None and not self._left and self._track.direction is not None

    def take(self, edge: Edge, found: list[Observation]) -> None:
        """Takes an edge of a track sensor."""
        line, level, t_ns = edge
        if t_ns > self.due_ns:
            self.pass_time(t_ns - 1, found)
        if self._joined or line in self._heard:
            self._quiet_due_ns = t_ns + self._quiet_ns
        self._heard.add(line)
        new = self._sensors.take(edge)
        if new is not None:
            self._pass(new, t_ns, found)
        if not level:
            # While something stands in front of a sensor the track is not quiet.
            self.due_ns = min(self._overdue_ns, self._quiet_due_ns)

    def forget(self, line: str) -> None:
        """Changes of a track sensor's line were lost: what it began is not a pass."""
        self._heard.discard(line)
        self._sensors.forget(line)
        self.due_ns = min(self._overdue_ns, self._quiet_due_ns)

    # --- one pass ------------------------------------------------------------------------------------------------

    def _pass(self, new: Pass, t_ns: int, found: list[Observation]) -> None:
        """A pulse of a track sensor that may be a ball."""
        track = self._track
        if track is None:
            self._begin(new, t_ns, found)
            return
        known = track.direction
        course = track.take(new)
        if course is not None and self._left:
            self._left = False
            self._head.forget()
        self._overdue_ns = NEVER_NS if self._left else track.overdue_ns
        if course is None or course.lap_s is None:
            if track.crowded:
                self._tell_foreign(t_ns, "passes of the track sensors that one ball cannot make", found)
            return
        self._rotor_rpm = self._rotor.rpm(t_ns)
        if self.stranger:
            self._tell_foreign(t_ns, "a ball in a pocket while another is in the track", found)
        found.append(
            BallPassed(
                t_ns=t_ns,
                passes=course.passes,
                direction=track.direction,
                travel=course.travel_deg / 360,
                travel_high=course.travel_high_deg / 360,
                doubted=course.doubted_deg / 360,
                lap_s=round(course.lap_s, 4),
                missed=course.missed,
                proves=known is None and track.direction is not None,
                rotor_rpm=self._rotor_rpm,
            )
        )

    def _begin(self, first: Pass, t_ns: int, found: list[Observation]) -> None:
        """A first pass on a quiet track."""
        self._track = BallTrack(self._sensors_deg)
        self._track.take(first)
        self._left = self._foreign_told = self.stranger = False
        self._head.forget()
        self._rotor.encoder.begin_run()
        found.append(BallSeen(t_ns=t_ns, joined=self._joined))

    def _tell_foreign(self, t_ns: int, detail: str, found: list[Observation]) -> None:
        """Something beside one ball is in the wheel: told once a run."""
        if not self._foreign_told:
            self._foreign_told = True
            found.append(ForeignObject(t_ns=t_ns, detail=detail))

    # --- time ----------------------------------------------------------------------------------------------------

    def pass_time(self, t_ns: int, found: list[Observation]) -> None:
        """Says what has become known up to a time because nothing came."""
        if t_ns < self.due_ns:
            return
        # Under a hand, or while only noise has been heard since the last run, no time makes the track quiet.
        asleep = self._track is None and not self._joined
        quiet_ns = NEVER_NS if asleep or self._sensors.blocked else self._quiet_due_ns
        if self._overdue_ns <= min(t_ns, quiet_ns):
            self._leave(self._overdue_ns, found)
        if quiet_ns <= t_ns:
            self._be_quiet(quiet_ns, found)
            quiet_ns = NEVER_NS
        self.due_ns = min(self._overdue_ns, quiet_ns)

    def _leave(self, t_ns: int, found: list[Observation]) -> None:
        self._left = True
        self._overdue_ns = NEVER_NS
        self._head.forget()
        track = self._track
        course = None if track is None else track.course
        if track is None or course is None:
            return
        lap_s = course.lap_s
        found.append(
            BallLeftTrack(
                t_ns=t_ns,
                last_ns=course.last.t_ns,
                lap_s=None if lap_s is None else round(lap_s, 4),
                picked_up=lap_s is not None and lap_s < PICKED_UP_LAP_S,
                rotor_rpm=round(self._rotor_rpm, 2),
                swapped=track.swapped(),
            )
        )

    def _be_quiet(self, t_ns: int, found: list[Observation]) -> None:
        if self._overdue_ns < NEVER_NS:
            self._leave(t_ns, found)
        self._quiet_due_ns = NEVER_NS
        self._joined = False
        track, self._track = self._track, None
        if track is not None:
            course = track.course
            self._left = False
            found.append(TrackQuiet(t_ns=t_ns, passes=0 if course is None else course.passes))


# The track sensors' lines: which pulses may be a ball.
#
# ball      ______|‾‾‾‾|_________      0.3 % to 3 % of a lap, so 1 ms to 130 ms over all speeds
# bounce    ______|‾|_|‾|________      gaps of less than 4 ms belong to one pulse
# noise     ______|______________      under 0.8 ms: not a ball
# hand      ______|‾‾‾‾‾‾‾‾‾‾‾‾‾‾      longer: a hand, or a stuck sensor; not a ball

NARROWEST_NS: Final = 800_000
"""0.3 % of the fastest lap is 1.05 ms; a quarter less for the sensor's hysteresis (ours)."""

WIDEST_NS: Final = 140_000_000
"""3 % of the slowest lap (ours)."""

BOUNCE_NS: Final = 4_000_000
"""A pulse so soon after the last of the same sensor is part of it (ours)."""


class TrackSensors:
    """Makes passes of the edges of `ball_1` to `ball_n`."""

    def __init__(self, number: int) -> None:
        self.lines = tuple(f"ball_{i + 1}" for i in range(number))
        self._index = {line: i for i, line in enumerate(self.lines)}
        self._rise_ns: list[int | None] = [None] * number
        self._fall_ns: list[int | None] = [None] * number
        self._high = [False] * number
        self._told = [False] * number

    @property
    def blocked(self) -> bool:
        """Whether something stands in front of a sensor."""
        return True in self._high

    def forget(self, line: str) -> None:
        """Changes of the line were lost: what it began is not a pass."""
        sensor = self._index[line]
        self._rise_ns[sensor] = self._fall_ns[sensor] = None
        self._high[sensor] = False

    def take(self, edge: Edge) -> Pass | None:
        """Takes an edge; returns the pass that it completes."""
        line, level, t_ns = edge
        sensor = self._index[line]
        if level:
            if self._high[sensor]:
                return None
            self._high[sensor] = True
            fall_ns = self._fall_ns[sensor]
            if fall_ns is None or t_ns - fall_ns > BOUNCE_NS or self._rise_ns[sensor] is None:
                self._rise_ns[sensor] = t_ns
                self._told[sensor] = False
            return None
        self._high[sensor] = False
        self._fall_ns[sensor] = t_ns
        rise_ns = self._rise_ns[sensor]
        if rise_ns is None or self._told[sensor]:
            return None
        width_ns = t_ns - rise_ns
        if not NARROWEST_NS <= width_ns <= WIDEST_NS:
            return None
        self._told[sensor] = True
        return Pass(sensor, rise_ns, width_ns)


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
