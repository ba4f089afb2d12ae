"""One explanation of the passes of the track's sensors: a ball that runs in one direction, and how far it has run.

All expectations are in angle: time to a sensor = angle ÷ last speed. A hypothesis accepts only passes that its ball
can have made; a pass that may be noise just where the ball was due proves no travel by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import inf
from typing import Final, NamedTuple

import msgspec

from drivers.base.driver import NEVER_NS

FASTEST_LAP_S: Final = 0.35
"""No ball is faster: launches reach 2.4 laps a second (ours)."""

SLOWEST_LAP_S: Final = 4.5
"""A ball at this lap time has long dropped: the last laps take 2.0 to 2.4 s (ours)."""

QUICKENING: Final = 0.8
"""A pass may come this much of the expected time early: real laps quicken by up to 20 % (ours)."""

SLOWING: Final = 1.8
"""From one pass to the next the speed falls by no more than this: real laps by 1.55 at most (ours)."""

NEAR_DROP_LAP_S: Final = 1.9
"""From this lap time on a ball is near the speed at which it drops (ours)."""

PICKED_UP_LAP_S: Final = 1.1
"""A ball that vanishes at a shorter lap time did not drop: balls drop at 2.0 to 2.4 s (ours)."""

OVERDUE_NEAR_DROP: Final = 1.8
OVERDUE: Final = 2.8
OVERDUE_FAST: Final = 2 * SLOWING
"""Times the expectation after which the ball has left the track (ours). One that is too fast to
drop can only have been picked up: it is reported when no sensor that missed it explains the silence.
"""

WIDTH_CHANGE: Final = 2.5
"""A pulse wider or narrower than the ball's by this factor is not the ball's (ours)."""

SURE_WIDTH_CHANGE: Final = 1.3
SURE_LAP_S: Final = 2.75
SURE_QUICKENING: Final = 1.1
"""A pass whose pulse differs by this factor, that gives so slow a lap (balls drop at 2.0 to 2.4 s), or at which the
ball has quickened so much since the last sure one, may be noise just where it was due: it proves no travel until a sure
one follows. Near the drop none may prove it once that takes more than a lap (ours).
"""

LIKE_WIDTH_CHANGE: Final = 1.8
"""Pulses that differ by this factor are not of one ball, where nothing but them tells its speed (ours)."""

SAME_DEG: Final = 1e-6
"""Angles nearer to each other are the same."""


class Pass(NamedTuple):
    """The ball was in front of a sensor."""

    sensor: int
    t_ns: int
    """When it came."""
    width_ns: int


class Leg(NamedTuple):
    """The travel of a ball from one sensor to another, in one direction."""

    deg: float
    """0 < angle <= 360."""
    between: int
    """Sensors that the ball passes on the way."""


class Legs(NamedTuple):
    """The legs from one sensor, in one direction, and the travel after which a ball has left the track."""

    to: tuple[Leg, ...]
    """To each sensor."""
    away_deg: float
    """Travel at the last speed after which the ball has left the track; one sensor may have missed it."""
    away_fast_deg: float
    """The same of a ball that is too fast to drop."""
    away_near_drop_deg: float
    """The same near the speed at which balls drop."""


class BallRun(msgspec.Struct, frozen=True):
    """How a ball ran from its last pass to a new one."""

    to: Pass
    between: int
    """Sensors that it passed without a pulse."""
    counted_deg: float
    """Travel that the pass counts, to be proven by a sure one."""
    high_deg: float
    """Travel that is possible."""
    since_deg: float
    """Travel since the last sure pass."""
    deg_per_s: float
    quickening: float
    """That speed over the one before; 0 while there is none."""
    first_wider: bool
    """See `BallHypothesis.first_wider`."""
    pulse_deg: float
    """The angle that the ball covered before the sensor."""
    width_deg: float
    """The same, smoothed over the passes."""
    sure: bool
    """Whether the pass proves the travel, and is no noise just where the ball was due."""


class BallHypothesis:
    """One explanation of the passes: a ball that runs in one direction."""

    __slots__ = (
        "_before_deg_per_s",
        "_beside",
        "_legs",
        "_most_deg",
        "_since_deg",
        "_sure_deg_per_s",
        "_sure_ns",
        "before_deg",
        "deg_per_s",
        "direction",
        "doubted_deg",
        "first_wider",
        "lap_s",
        "last",
        "missed",
        "overdue_ns",
        "passes",
        "pulse_deg",
        "quickening",
        "travel_deg",
        "travel_high_deg",
        "width_deg",
    )

    def __init__(self, direction: int, first: Pass, legs: Sequence[Legs]) -> None:
        """`legs` are those of the direction, by the sensor where they begin."""
        self._legs = legs
        self.direction = direction
        """+1 or -1, the positive being that of growing angles."""
        self.last = first
        self.deg_per_s: float | None = None
        """Speed between the last two passes."""
        self.lap_s: float | None = None
        """Lap time at that speed."""
        self.quickening = 0.0
        """That speed over the one before; 0 while there is none."""
        self.travel_deg = 0.0
        """Travel that is proven."""
        self.before_deg = 0.0
        """Travel that was proven before the last pass."""
        self.travel_high_deg = 0.0
        """Travel that is possible."""
        self._sure_ns = first.t_ns
        """When the last sure pass came."""
        self._sure_deg_per_s: float | None = None
        """The speed up to it."""
        self._before_deg_per_s = 0.0
        """The speed up to the sure pass before."""
        self._since_deg = 0.0
        """The travel counted since."""
        self.doubted_deg = 0.0
        """Travel beyond the proven, counted by passes but not proven by a sure one."""
        self._beside = False
        """Whether it passed two sensors that are next to each other, one after the other."""
        self._most_deg = inf
        """Upper bound of the travel that can be proven."""
        self.first_wider = False
        """Whether the first pulse is wider than that of a ball as fast as the second: it may be another ball's."""
        self.passes = 1
        self.missed = 0
        """Sensors that the ball passed without a pulse."""
        self.pulse_deg = 0.0
        """The angle that the last pass covered before its sensor."""
        self.width_deg: float | None = None
        """The angle that the ball covers before a sensor, smoothed."""
        self.overdue_ns = NEVER_NS
        """When the ball has left the track, if no pass follows; `NEVER_NS` while its speed is unknown."""

    @property
    def sure_lap_s(self) -> float | None:
        """The lap time at the speed up to the last two sure passes, the shorter one: the last may be noise after all.

        None before the first.
        """
        return None if self._sure_deg_per_s is None else 360 / max(self._sure_deg_per_s, self._before_deg_per_s)

    def run_to(self, new: Pass) -> BallRun | None:
        """How this ball ran to a pass; None if it cannot have made it. Changes nothing."""
        sensor, t_ns, width_ns = new
        last = self.last
        seconds = (t_ns - last.t_ns) / 1e9
        if seconds <= 0:
            return None
        speed = self.deg_per_s
        angle, between = self._legs[last.sensor].to[sensor]
        lap_s = seconds * 360 / angle
        counted = high = angle
        quickening = 0.0
        first_wider = self.first_wider
        if speed is None:
            if not FASTEST_LAP_S <= lap_s <= SLOWEST_LAP_S:
                return None
            first_wider = last.width_ns * QUICKENING > width_ns
            if between or first_wider or last.width_ns * LIKE_WIDTH_CHANGE < width_ns:
                # With sensors missed before the second pass, the first may have been a hand; with a wider first pulse,
                # another ball; with a narrower one, noise: not proven.
                counted = 0.0
        else:
            expected = seconds * speed
            if not QUICKENING <= expected / angle <= SLOWING or lap_s < FASTEST_LAP_S:
                return None
            if expected / (angle + 360) >= QUICKENING:
                high = angle + 360
            if between and not self._beside:
                # Pulses of one sensor alone may be noise that comes as if a ball made laps past sensors that miss it.
                counted = 0.0
            quickening = angle / expected
        speed = angle / seconds
        width_deg = pulse_deg = width_ns / 1e9 * speed
        sure = lap_s < SURE_LAP_S
        since_deg = self._since_deg + angle
        if self._sure_deg_per_s is not None:
            # From the last sure pass: one in doubt may have come late, and the next then seems to come early.
            since_s = (t_ns - self._sure_ns) / 1e9
            sure = sure and since_deg / since_s / self._sure_deg_per_s < SURE_QUICKENING
        if self.width_deg is not None:
            wider = width_deg / self.width_deg
            if not 1 / WIDTH_CHANGE < wider < WIDTH_CHANGE:
                return None
            sure = sure and 1 / SURE_WIDTH_CHANGE < wider < SURE_WIDTH_CHANGE
            width_deg = (3 * self.width_deg + width_deg) / 4
        return BallRun(
            new, between, counted, high, since_deg, speed, quickening, first_wider, pulse_deg, width_deg, sure
        )

    def take(self, run: BallRun) -> None:
        """The ball has run so: its last pass is that of the run."""
        self.last = run.to
        sensor, t_ns, _ = run.to
        self.quickening = run.quickening
        self.first_wider = run.first_wider
        self.pulse_deg = run.pulse_deg
        self.width_deg = run.width_deg
        self.deg_per_s = speed = run.deg_per_s
        self.lap_s = lap_s = 360 / speed
        self.doubted_deg += run.counted_deg
        self.before_deg = self.travel_deg
        self._since_deg = run.since_deg
        if run.sure:
            self._before_deg_per_s = self._sure_deg_per_s or 0.0
            self._since_deg, self._sure_ns, self._sure_deg_per_s = 0.0, t_ns, speed
            proven_deg = min(self.travel_deg + self.doubted_deg, self._most_deg)
            self.doubted_deg -= proven_deg - self.travel_deg
            self.travel_deg = proven_deg
        elif run.since_deg > 360 and (self._sure_deg_per_s or inf) <= 360 / NEAR_DROP_LAP_S:
            # A ball so near to its drop may have dropped, and another may have run on in its place.
            self.prove_no_more_than(self.travel_deg)
        self.travel_high_deg += run.high_deg
        self.passes += 1
        self.missed += run.between
        if not run.between:
            self._beside = True
        legs = self._legs[sensor]
        if lap_s >= NEAR_DROP_LAP_S:
            away_deg = legs.away_near_drop_deg
        else:
            away_deg = legs.away_deg if lap_s >= PICKED_UP_LAP_S else legs.away_fast_deg
        self.overdue_ns = t_ns + round(away_deg / speed * 1e9)

    def is_like(self, other: Pass) -> bool:
        """Whether a pulse is as wide as this ball's would be at its last speed."""
        if self.deg_per_s is None or self.width_deg is None:
            return False
        return 1 / WIDTH_CHANGE < other.width_ns / 1e9 * self.deg_per_s / self.width_deg < WIDTH_CHANGE

    def prove_no_more_than(self, deg: float) -> None:
        """Limits the proven travel: what was and will be counted beyond `deg` may be another ball's."""
        self._most_deg = deg
        self.doubted_deg += max(0.0, self.travel_deg - deg)
        self.travel_deg = min(self.travel_deg, deg)


@cache
def legs_by_sensor(sensors_deg: tuple[float, ...], direction: int) -> tuple[Legs, ...]:
    """The legs in a direction, by the sensor where they begin; cached, as every run on a wheel has the same."""
    found: list[Legs] = []
    for start in sensors_deg:
        angles = [(end - start) * direction % 360 for end in sensors_deg]
        angles = [angle if angle > SAME_DEG else 360.0 for angle in angles]
        to = tuple(Leg(angle, sum(other < angle - SAME_DEG for other in angles)) for angle in angles)
        nearest, after_it = sorted([*angles, min(angles) + 360])[:2]
        # With equal gaps both are the same; otherwise the leg past a sensor that misses the ball may be the longer one.
        away, fast = (max(times * nearest, times / 2 * after_it) for times in (OVERDUE, OVERDUE_FAST))
        found.append(Legs(to, away, fast, OVERDUE_NEAR_DROP * nearest))
    return tuple(found)


@cache
def sensors_between(sensors_deg: tuple[float, ...], direction: int) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """The sensors that a ball passes on its way from one, `[start]`, to another, `[start][end]`; cached."""
    places = range(len(sensors_deg))

    def ahead(start: int, end: int) -> float:
        return (sensors_deg[end] - sensors_deg[start]) * direction % 360 or 360.0

    return tuple(
        tuple(
            tuple(k for k in places if k != start and ahead(start, k) < ahead(start, end) - SAME_DEG) for end in places
        )
        for start in places
    )
