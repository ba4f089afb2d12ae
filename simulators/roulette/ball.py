"""The roulette ball: on its track, down over the deflectors, and into a pocket.

On the track it slows in two phases, as the published lap times of five filmed spins show (github.com/philipperemy,
Visual-Ballistic-Roulette): 0.63 to 0.82 rad/s² while a lap takes less than about 1.2 s, then 0.14 to 0.25, and it drops
when a lap would take 2.2 to 2.45 s. A tilt adds a pull that varies once a lap; it is constant along each piece of
track, so speeds are exact in energy.

Then it runs down the slope, hits a deflector, and hops over 8 to 20 pockets of the rotor below until it is in one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import copysign, degrees, pi, radians, sin, sqrt
from random import Random

from hal.values import Edge
from simulators.base.motion import Path, Segment, angle_at, clipped, riding, shifted, speed_at
from simulators.base.sensors import MarkRing, any_of, window_marks
from simulators.roulette.geometry import RouletteGeometry

# --- the signals of balls at the track sensors and the pocket head ---


@dataclass(frozen=True, slots=True)
class TrackRun:
    """A ball's run on the track, and its fall into a pocket, if it fell."""

    track: list[Segment]
    fall: BallFall | None

    @property
    def start_s(self) -> float:
        """When the ball left the hand."""
        return self.track[0].start_s

    @property
    def end_s(self) -> float:
        """When the ball left the track."""
        return self.track[-1].end_s


@dataclass(slots=True)
class _Resting:
    """A ball at rest in a pocket: its angle on the rotor, and its marks at the pocket head."""

    on_rotor_deg: float
    head: MarkRing


class BallSensing:
    """The ball sensors of one wheel, and the balls that are in its pockets from round to round."""

    def __init__(self, geometry: RouletteGeometry) -> None:
        sensors = zip(geometry.ball_lines, geometry.ball_sensors_deg, strict=True)
        self._track_marks = [mark for line, at in sensors for mark in window_marks(line, at, BALL_WIDTH_DEG)]
        self._head_marks = window_marks("pocket", geometry.pocket_head_deg, POCKET_PULSE_DEG)
        self._resting: list[_Resting] = []

    @property
    def ball_in_pocket(self) -> bool:
        """Whether a ball is in a pocket."""
        return bool(self._resting)

    @property
    def pocket_level(self) -> int:
        """The level of the line `pocket`."""
        return int(any(ball.head.levels()["pocket"] for ball in self._resting))

    def before_a_sensor(self, angle_deg: float) -> bool:
        """Whether a ball at this angle of the track is seen by a sensor."""
        return any(MarkRing(self._track_marks, angle_deg).levels().values())

    def clear_of_sensors(self, angle_deg: float) -> float:
        """The angle, or the next one at which no track sensor sees a ball."""
        while self.before_a_sensor(angle_deg):
            angle_deg += BALL_WIDTH_DEG
        return angle_deg

    def edges(
        self,
        runs: Sequence[TrackRun],
        rotor: Sequence[Segment],
        take_out_s: float | None,
        others: Sequence[Edge] = (),
    ) -> list[Edge]:
        """The edges of a round in which every ball at rest is taken out at `take_out_s` (None: stays in).

        `others` are pulses of other objects at the same sensors.
        """
        begin_s, end_s = rotor[0].start_s, rotor[-1].end_s
        lying_s = end_s if take_out_s is None else take_out_s
        seen_at_start = {"pocket": sum(ball.head.levels()["pocket"] for ball in self._resting)}
        several = len(runs) > 1 or bool(others) or len(self._resting) > 1
        several = several or (take_out_s is None and self.ball_in_pocket)
        edges: list[Edge] = [*others]
        for ball in self._resting:
            edges += ball.head.edges(shifted(clipped(rotor, begin_s, lying_s), ball.on_rotor_deg))
            if take_out_s is not None:
                edges += ball.head.leave(take_out_s)
        if take_out_s is not None:
            self._resting = []
        for run in runs:
            track = MarkRing(self._track_marks, run.track[0].angle_deg)
            edges += track.enter(run.start_s)
            edges += track.edges(run.track)
            edges += track.leave(run.end_s)
            if run.fall is not None:
                edges += self._in_pocket(run.fall, rotor)
        # The pulses of one object need no merging.
        return any_of(edges, seen_at_start) if several else edges

    def _in_pocket(self, fall: BallFall, rotor: Sequence[Segment]) -> list[Edge]:
        """The ball from its first touch of the pocket ring to the end of the round."""
        riding = shifted(clipped(rotor, fall.rest_s, rotor[-1].end_s), fall.rest_on_rotor_deg)
        start = (fall.among_pockets or riding)[0]
        head = MarkRing(self._head_marks, start.angle_deg)
        edges = head.enter(start.start_s)
        edges += head.edges(fall.among_pockets)
        edges += head.edges(riding)
        self._resting.append(_Resting(fall.rest_on_rotor_deg, head))
        return edges


# --- the motion of a ball ---

TRACK_RADIUS_M = 0.34
BALL_DIAMETER_M = 0.018
BALL_WIDTH_DEG = degrees(BALL_DIAMETER_M / TRACK_RADIUS_M)
"""How much of the track the ball covers before a sensor: 0.84 % of a lap."""
POCKET_RADIUS_M = 0.24
POCKET_PULSE_DEG = degrees(BALL_DIAMETER_M / POCKET_RADIUS_M)
"""How much of the pocket ring the ball covers before the reading head."""
PIECE_DEG = 30.0
"""The piece of track along which the pull of the tilt is taken as constant."""
TILT_PULL_RAD_S2 = 5.0 / 7.0 * 9.81 / TRACK_RADIUS_M
"""A rolling ball's acceleration along the track, for each radian of tilt, where it is steepest."""


@dataclass(frozen=True, slots=True)
class BallThrow:
    """The throw of a ball, and the track on which it runs."""

    speed_rad_s: float
    fast_loss_rad_s2: float
    knee_rad_s: float
    """Below this speed the loss is the slow one."""
    slow_loss_rad_s2: float
    drop_rad_s: float
    tilt_deg: float
    tilt_towards_deg: float
    """The lowest point of the track."""


def random_throw(rng: Random, tilt_deg: float, tilt_towards_deg: float) -> BallThrow:
    """A random throw in the range of dealers' throws."""
    return BallThrow(
        speed_rad_s=rng.uniform(8.6, 12.5),
        fast_loss_rad_s2=rng.uniform(0.63, 0.82),
        knee_rad_s=2.0 * pi / rng.uniform(1.05, 1.35),
        slow_loss_rad_s2=rng.uniform(0.14, 0.25),
        drop_rad_s=2.0 * pi / rng.uniform(2.2, 2.45),
        tilt_deg=tilt_deg,
        tilt_towards_deg=tilt_towards_deg,
    )


def slowed(throw: BallThrow, factor: float) -> BallThrow:
    """The throw on a track that takes this many times the speed."""
    fast, slow = throw.fast_loss_rad_s2 * factor, throw.slow_loss_rad_s2 * factor
    return replace(throw, fast_loss_rad_s2=fast, slow_loss_rad_s2=slow)


def speed_for_travel(throw: BallThrow, travel_rad: float) -> float:
    """About the speed from which the ball runs `travel_rad` before it drops, in rad/s."""
    to_knee = (throw.knee_rad_s**2 - throw.drop_rad_s**2) / (2.0 * throw.slow_loss_rad_s2)
    if travel_rad <= to_knee:
        return sqrt(throw.drop_rad_s**2 + 2.0 * throw.slow_loss_rad_s2 * travel_rad)
    return sqrt(throw.knee_rad_s**2 + 2.0 * throw.fast_loss_rad_s2 * (travel_rad - to_knee))


def run_on_track(throw: BallThrow, at_s: float, from_deg: float, direction: int, rng: Random) -> list[Segment]:
    """The ball's motion from the hand until it leaves the track."""
    path = Path(at_s, from_deg, direction * degrees(throw.speed_rad_s))
    drop_deg_s, knee_deg_s = degrees(throw.drop_rad_s), degrees(throw.knee_rad_s)
    pull_deg_s2 = degrees(TILT_PULL_RAD_S2 * sin(radians(throw.tilt_deg)))
    pieces_a_lap = int(360.0 / PIECE_DEG)
    roughness, piece = 1.0, 0
    while True:
        if piece % pieces_a_lap == 0:
            # The ball skids and chatters: the loss varies from lap to lap.
            roughness = rng.uniform(0.8, 1.2)
        piece += 1
        speed = abs(path.speed_deg_s)
        loss = roughness * degrees(throw.fast_loss_rad_s2 if speed > knee_deg_s else throw.slow_loss_rad_s2)
        middle_deg = path.angle_deg + direction * PIECE_DEG / 2.0
        loss += direction * pull_deg_s2 * sin(radians(middle_deg - throw.tilt_towards_deg))
        squared = speed * speed - 2.0 * loss * PIECE_DEG
        if squared <= drop_deg_s * drop_deg_s:
            path.push(-direction * loss, (speed - drop_deg_s) / loss)
            return path.segments
        path.push(-direction * loss, 2.0 * PIECE_DEG / (speed + sqrt(squared)))


@dataclass(frozen=True, slots=True)
class BallFall:
    """The fall from the track into a pocket."""

    among_pockets: list[Segment]
    """In the bowl's frame, from the first touch of the pocket ring until it lies still in the rotor."""
    rest_s: float
    rest_on_rotor_deg: float
    """Where it lies, in the rotor's own frame, not wrapped."""
    pocket: int


def fall_into_pocket(
    track: Sequence[Segment], rotor: Sequence[Segment], pockets: int, rng: Random, aim: int | None = None
) -> BallFall:
    """The fall after the drop. `aim` is the pocket where it must end; None draws it."""
    last = track[-1]
    drop_s, drop_speed = last.end_s, last.speed_after(last.duration_s)
    free_s, down_s = rng.uniform(0.45, 0.9), rng.uniform(0.25, 0.5)
    kept = rng.uniform(0.3, 0.75)
    touch_s = drop_s + free_s + down_s
    touch_deg = last.angle_after(last.duration_s) + drop_speed * (free_s + kept * down_s)
    turning = speed_at(rotor, touch_s)
    slip = kept * drop_speed - turning
    if abs(slip) < 60.0:
        slip = copysign(60.0, drop_speed)

    pocket_deg = 360.0 / pockets
    on_rotor_deg = touch_deg - angle_at(rotor, touch_s)
    hop_deg = copysign(rng.uniform(8.0, 20.0) * pocket_deg, slip)
    pocket = round((on_rotor_deg + hop_deg) / pocket_deg)
    if aim is not None:
        ahead = (aim - pocket) % pockets
        pocket += ahead if slip > 0.0 else ahead - pockets
    rest_deg = (pocket + rng.uniform(-0.18, 0.18)) * pocket_deg
    hop_deg = rest_deg - on_rotor_deg
    hop_s = 2.0 * hop_deg / slip
    relative = [Segment(touch_s, hop_s, on_rotor_deg, slip, -slip / hop_s)]
    return BallFall(riding(rotor, relative), touch_s + hop_s, rest_deg, pocket % pockets)
