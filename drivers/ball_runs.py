"""The runs of the ball in the track, one after the other: each has its own `BallTrack`.

BallSeen    first pass on a quiet track
   │ BallPassed ...             each pass that a ball running on explains
   ▼
BallLeftTrack                   the ball is overdue at every sensor
   │
   ▼
TrackQuiet  no edge of a track sensor for the quiet time: what comes next is a new run
"""

from __future__ import annotations

from collections.abc import Sequence

from drivers.ball_course import PICKED_UP_LAP_S, Pass
from drivers.ball_track import BallTrack
from drivers.driver import NEVER_NS, Observation
from drivers.pocket_head import PocketHead
from drivers.rotor import Rotor
from drivers.roulette_observations import BallLeftTrack, BallPassed, BallSeen, ForeignObject, TrackQuiet
from drivers.track_sensors import TrackSensors
from hal.values import Edge


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
