"""The roulette wheel: rotor, ball track, pocket head, object beam and level as one device.

BallSeen    first pass on a quiet track
   │ BallPassed ...             each pass that a ball running on explains
   ▼
BallLeftTrack                   the ball is overdue at every sensor
   │ PocketRead ...             the pocket head names a pocket, once a turn of the rotor
   ▼
TrackQuiet  no edge of a track sensor for the quiet time: what comes next is a new run
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from drivers.ball_track import BallTrack, Pass
from drivers.driver import NEVER_NS, Observation
from drivers.level import Level
from drivers.pocket_head import PocketHead
from drivers.rotor import Rotor
from drivers.roulette_observations import (
    BallLeftTrack,
    BallPassed,
    BallSeen,
    ForeignObject,
    LevelAgain,
    NotLevel,
    PocketRead,
    RotorDoubt,
    TrackQuiet,
)
from drivers.roulette_wheel_config import RouletteWheelConfig
from drivers.sensor_health import SensorHealth
from drivers.track_sensors import TrackSensors
from hal.values import Edge, EdgesLost, Frame, Loss, Reading

PICKED_UP_LAP_S: Final = 1.1
"""A ball that vanishes at a shorter lap time did not drop: balls drop at 2.0 to 2.4 s (ours)."""

OBJECT_NS: Final = 2_000_000
"""A shorter signal of the object beam is noise (ours)."""


class RouletteWheel:
    """A roulette wheel with an encoder on the rotor and sensors round the track, sans-I/O."""

    def __init__(self, config: RouletteWheelConfig, name: str = "wheel") -> None:
        self.name = name
        self.config = config
        pockets = len(config.wheel_order)
        self.rotor = Rotor(config.slots, config.index_width_deg, pockets, config.least_rotor_rpm)
        self._sensors = TrackSensors(len(config.ball_sensors_deg))
        self._level = Level("level_x", "level_y", config.level_tolerance_deg, round(config.level_patience_s * 1e9))
        self.lines = frozenset(("rotor_a", "rotor_b", "rotor_index", "pocket", "object")) | {
            *self._sensors.lines,
            *self._level.lines,
        }
        self._head = PocketHead(pockets, config.pocket_head_deg, config.pocket_tolerance)
        self._quiet_ns = round(config.track_quiet_s * 1e9)
        self._track: BallTrack | None = None
        self._left = False
        self._foreign_told = self._stranger = False
        self._rotor_rpm = 0.0
        self._joined = True
        self._busy_ns: int | None = None
        self._overdue_ns = self._object_due_ns = NEVER_NS
        self._due_ns = NEVER_NS
        """Before this, time brings nothing, but perhaps from the rotor. Edges of the track put it off, unnoticed."""
        self._levels: dict[str, int] = {}
        self._health = SensorHealth()

    # --- time and values -----------------------------------------------------------------------------------------

    @property
    def next_due_ns(self) -> int | None:
        """When something becomes known if nothing comes."""
        due_ns = min(self.rotor.due_ns, self._due_ns)
        return due_ns if due_ns < NEVER_NS else None

    def edges(self, batch: Sequence[Edge]) -> list[Observation]:
        """Takes the wheel's edges; those of other lines are passed over."""
        found: list[Observation] = []
        if self._health.dead:
            self._health.revive(batch, found)
        rotor = self.rotor
        noted = rotor.encoder.noted
        lines = self.lines
        edges = iter(batch)
        while True:
            edge = rotor.run(edges, found)
            if noted:
                self._head.forget()
                rotor.tell_doubts(self._health, found)
            if edge is None:
                break
            if edge.t_ns > self._due_ns:
                self._meet_deadlines(edge.t_ns - 1, found)
            if edge.line in lines:
                self._take(edge, found)
        if self._health.dead:
            self._health.revive(batch, found)
        return _in_order(found)

    def reading(self, reading: Reading) -> list[Observation]:
        """Takes an inclination in degrees."""
        found: list[Observation] = []
        self._pass_time(reading.t_ns - 1, found)
        self._health.hear(reading.line, reading.t_ns, found)
        if reading.line in self._level.lines and self._level.take(reading):
            found.append(LevelAgain(t_ns=reading.t_ns, tilt_deg=round(self._level.tilt_deg, 3)))
        self._set_due()
        return _in_order(found)

    def frame(self, frame: Frame) -> list[Observation]:
        """A wheel on lines has no link."""
        return []

    def lost(self, loss: EdgesLost) -> list[Observation]:
        """The news of a loss: what depends on the line is in doubt, and an unplugged line is a fault."""
        found: list[Observation] = []
        self._pass_time(loss.t_ns - 1, found)
        line = loss.line
        if loss.cause is Loss.UNPLUGGED and line in self.lines:
            detail = f"{line} is not driven: its cable, its supply or its board is off"
            self._health.die(line, "sensor_missing", detail, loss.t_ns, found)
        if line in ("rotor_a", "rotor_b", "rotor_index"):
            if loss.cause is Loss.UNPLUGGED:
                self.rotor.unplugged(loss.t_ns, found)
            else:
                self.rotor.encoder.lost(line, loss.missing)
            self._head.forget()
            found.append(
                RotorDoubt(t_ns=loss.t_ns, reason="edges_lost", detail=f"{line}: {loss.cause}", explained=True)
            )
        self._levels.pop(line, None)
        if line in self._sensors.lines:
            self._sensors.forget(line)
            self._set_due()
        if line == "pocket":
            self._head.forget()
        return _in_order(found)

    def due(self, t_ns: int) -> list[Observation]:
        """Lets time pass."""
        found: list[Observation] = []
        self._pass_time(t_ns, found)
        return _in_order(found)

    # --- one edge ------------------------------------------------------------------------------------------------

    def _take(self, edge: Edge, found: list[Observation]) -> None:
        line, level, t_ns = edge
        known = self._levels.get(line)
        self._levels[line] = level
        if line in self._sensors.lines:
            if known is not None or self._joined:
                self._busy_ns = t_ns
            new = self._sensors.take(edge)
            if new is not None:
                self._ball(new, t_ns, found)
                self._overdue_ns = NEVER_NS if self._track is None or self._left else self._track.overdue_ns
            self._due_ns = min(self._due_ns, self._overdue_ns, t_ns + self._quiet_ns)
        elif known == level:
            return
        elif line == "pocket":
            self._pocket(level, t_ns, known is not None, found)
        elif line == "object":
            self._object_due_ns = t_ns + OBJECT_NS if level else NEVER_NS
            self._set_due()

    def _ball(self, new: Pass, t_ns: int, found: list[Observation]) -> None:
        """A pulse of a track sensor that may be a ball."""
        if self._track is None:
            self._track = BallTrack(self.config.ball_sensors_deg)
            self._left = False
            self._foreign_told = self._stranger = False
            self._head.forget()
            self.rotor.encoder.begin_run()
            self._track.take(new)
            found.append(BallSeen(t_ns=t_ns, joined=self._joined))
            return
        track = self._track
        known = track.direction
        if not track.take(new):
            if track.crowded and not self._foreign_told:
                self._foreign_told = True
                detail = "passes of the track sensors that one ball cannot make"
                found.append(ForeignObject(t_ns=t_ns, detail=detail))
            return
        course = track.course
        if course is None or course.lap_s is None:
            return
        if self._left:
            self._left = False
            self._head.forget()
        self._rotor_rpm = round(self.rotor.rpm(t_ns), 2)
        if self._stranger and not self._foreign_told:
            self._foreign_told = True
            detail = "a ball in a pocket while another is in the track"
            found.append(ForeignObject(t_ns=t_ns, detail=detail))
        found.append(
            BallPassed(
                t_ns=t_ns,
                passes=course.passes,
                direction=track.direction,
                travel=course.travel_deg / 360,
                travel_high=course.travel_high_deg / 360,
                lap_s=round(course.lap_s, 4),
                missed=course.missed,
                proves=known is None and track.direction is not None,
                rotor_rpm=self._rotor_rpm,
            )
        )

    def _pocket(self, level: int, t_ns: int, known: bool, found: list[Observation]) -> None:
        rotor = self.rotor
        if not known:
            return
        angle = rotor.angle_deg(t_ns)
        if level:
            self._head.rise(angle)
            return
        pulse = self._head.fall(angle, rotor.encoder.count * 360 / rotor.encoder.counts_per_turn)
        if pulse is None or pulse.pocket is None:
            return
        if self._track is not None and not self._left and self._track.direction is not None:
            # If the ball passes another sensor it is still in the track, and this one is not it.
            self._stranger = True
            return
        found.append(
            PocketRead(t_ns=t_ns, pocket=pulse.pocket, off_pockets=round(pulse.off_pockets, 3), turns=pulse.turns)
        )

    # --- time ----------------------------------------------------------------------------------------------------

    def _quiet_due_ns(self) -> int:
        """When the track, if none of its sensors tells anything, is quiet."""
        if self._busy_ns is None or self._sensors.blocked or (self._track is None and not self._joined):
            return NEVER_NS
        return self._busy_ns + self._quiet_ns

    def _set_due(self) -> None:
        self._due_ns = min(self._overdue_ns, self._quiet_due_ns(), self._object_due_ns, self._level.due_ns)

    def _pass_time(self, t_ns: int, found: list[Observation]) -> None:
        self.rotor.pass_time(t_ns, found)
        if t_ns >= self._due_ns:
            self._meet_deadlines(t_ns, found)

    def _meet_deadlines(self, t_ns: int, found: list[Observation]) -> None:
        """Says what has become known up to a time because nothing came. The rotor meets its own as it is decoded."""
        while True:
            overdue_ns, quiet_ns, object_ns = self._overdue_ns, self._quiet_due_ns(), self._object_due_ns
            if overdue_ns <= t_ns and overdue_ns <= quiet_ns:
                self._leave(overdue_ns, found)
            elif quiet_ns <= t_ns:
                if overdue_ns < NEVER_NS:
                    self._leave(quiet_ns, found)
                self._be_quiet(quiet_ns, found)
            elif object_ns <= t_ns:
                self._object_due_ns = NEVER_NS
                found.append(ForeignObject(t_ns=object_ns, detail="the object beam is interrupted"))
            else:
                break
        out_ns = self._level.due(t_ns)
        if out_ns is not None:
            found.append(NotLevel(t_ns=out_ns, tilt_deg=round(self._level.tilt_deg, 3)))
        self._set_due()

    def _leave(self, t_ns: int, found: list[Observation]) -> None:
        self._left = True
        self._overdue_ns = NEVER_NS
        self._head.forget()
        course = None if self._track is None else self._track.course
        if course is not None:
            lap_s = course.lap_s
            found.append(
                BallLeftTrack(
                    t_ns=t_ns,
                    last_ns=course.last.t_ns,
                    lap_s=None if lap_s is None else round(lap_s, 4),
                    picked_up=lap_s is not None and lap_s < PICKED_UP_LAP_S,
                    rotor_rpm=self._rotor_rpm,
                    swapped=None if self._track is None else self._track.swapped(),
                )
            )

    def _be_quiet(self, t_ns: int, found: list[Observation]) -> None:
        self._busy_ns = None
        self._overdue_ns = NEVER_NS
        self._joined = False
        if self._track is not None:
            course = self._track.course
            self._track = None
            self._left = False
            found.append(TrackQuiet(t_ns=t_ns, passes=0 if course is None else course.passes))


def _in_order(found: list[Observation]) -> list[Observation]:
    """The parts of the wheel meet their deadlines one after the other: put what they found in order."""
    if len(found) > 1:
        found.sort(key=lambda observation: observation.t_ns)
    return found
