"""What the track sensors, the reading head and the object beam see of the balls in a roulette wheel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hal.values import Edge
from simulators.ball import BALL_WIDTH_DEG, POCKET_PULSE_DEG, Fall
from simulators.geometry import RouletteGeometry
from simulators.motion import Segment, clipped, shifted
from simulators.sensors import MarkRing, any_of, window_marks


@dataclass(frozen=True, slots=True)
class Run:
    """A ball's time on the track and what came of it."""

    track: list[Segment]
    fall: Fall | None

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
    """A ball in a pocket: where on the rotor, and what the reading head last saw of it."""

    on_rotor_deg: float
    head: MarkRing


class BallSensing:
    """The sensors of one wheel, and the balls that lie in its pockets from round to round."""

    def __init__(self, geometry: RouletteGeometry) -> None:
        sensors = zip(geometry.ball_lines, geometry.ball_sensors_deg, strict=True)
        self._track_marks = [mark for line, at in sensors for mark in window_marks(line, at, BALL_WIDTH_DEG)]
        self._head_marks = window_marks("pocket", geometry.pocket_head_deg, POCKET_PULSE_DEG)
        self._resting: list[_Resting] = []

    @property
    def ball_in_pocket(self) -> bool:
        """Whether a ball lies in a pocket."""
        return bool(self._resting)

    @property
    def pocket_level(self) -> int:
        """The level of the reading head's line."""
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
        runs: Sequence[Run],
        rotor: Sequence[Segment],
        take_out_s: float | None,
        others: Sequence[Edge] = (),
    ) -> list[Edge]:
        """The edges of a round, in which every ball at rest is taken out at `take_out_s` (None: is forgotten).

        `others` are pulses of whatever else is seen by the same sensors.
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
        # One thing alone needs no merging.
        return any_of(edges, seen_at_start) if several else edges

    def _in_pocket(self, fall: Fall, rotor: Sequence[Segment]) -> list[Edge]:
        """The ball from its first touch of the pocket ring to the end of the round."""
        riding = shifted(clipped(rotor, fall.rest_s, rotor[-1].end_s), fall.rest_on_rotor_deg)
        start = (fall.among_pockets or riding)[0]
        head = MarkRing(self._head_marks, start.angle_deg)
        edges = head.enter(start.start_s)
        edges += head.edges(fall.among_pockets)
        edges += head.edges(riding)
        self._resting.append(_Resting(fall.rest_on_rotor_deg, head))
        return edges
