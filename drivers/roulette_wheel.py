"""The roulette wheel: rotor, ball track, pocket head, object beam and level as one device."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from drivers.ball_track import BallTrack, Pass
from drivers.driver import Observation
from drivers.level import Level
from drivers.pocket_head import PocketHead
from drivers.rotor import NEVER_NS, Rotor
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
from drivers.sensor_health import SensorAlive, SensorDead
from drivers.track_sensors import TrackSensors
from drivers.wheel_faces import ORDERS
from hal.values import Edge, EdgesLost, Frame, Loss, Reading

PICKED_UP_LAP_S: Final = 1.1
"""A ball that vanishes at a shorter lap time did not drop: balls drop at 2.0 to 2.4 s (ours)."""

DEAD_TURNS: Final = 3
"""Turns of the rotor without an index after which the index sensor is dead (ours)."""

OBJECT_NS: Final = 2_000_000
"""A shorter signal of the object beam is noise (ours)."""


class RouletteWheelConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of a roulette wheel under `[device.wheel]`."""

    driver: Literal["roulette_wheel"] = "roulette_wheel"
    pockets: Annotated[
        Literal["american", "european", "american_as_single_zero"],
        Meta(description="the wheel: american (0 and 00), european (0), or american_as_single_zero (00 is no spin)"),
    ] = "american"
    order: Annotated[
        tuple[str, ...] | None,
        Meta(description="the pockets in the positive direction from the index, if they are not in the usual order"),
    ] = None
    encoder_slots: Annotated[
        Annotated[int, Meta(ge=8, le=5000)] | None,
        Meta(description="high periods of A in one turn of the rotor; default: the number of pockets"),
    ] = None
    ball_sensors_deg: Annotated[
        tuple[float, ...],
        Meta(min_length=2, max_length=8, description="angle of each track sensor ball_1, ball_2, ... on the bowl"),
    ] = (0.0, 120.0, 240.0)
    index_width_deg: Annotated[
        float, Meta(gt=0, lt=180, description="the index is high from angle 0 to here, in the positive direction")
    ] = 3.0
    pocket_head_deg: Annotated[float, Meta(ge=-360, le=360, description="angle of the pocket head on the bowl")] = 0.0
    pocket_tolerance: Annotated[
        float, Meta(gt=0, le=0.45, description="greatest distance from a pocket's centre, in pockets (ours)")
    ] = 0.3
    least_rotor_rpm: Annotated[float, Meta(gt=0, le=20, description="a slower rotor has no direction (ours)")] = 3.0
    track_quiet_s: Annotated[
        float, Meta(ge=1, le=60, description="the track is quiet after so long without an edge (ours)")
    ] = 4.0
    level_tolerance_deg: Annotated[
        float, Meta(gt=0, le=5, description="greatest inclination of the wheel (ours; the rule says level)")
    ] = 0.15
    level_patience_s: Annotated[float, Meta(ge=0, le=60, description="how long it may be beyond that (ours)")] = 1.0

    @property
    def wheel_order(self) -> tuple[str, ...]:
        """The names of the pockets in the positive direction from the index."""
        return self.order or ORDERS[self.pockets]

    @property
    def slots(self) -> int:
        """High periods of A in one turn."""
        return self.encoder_slots or len(self.wheel_order)

    def problems(self) -> list[tuple[str, str, str]]:
        """What is wrong between keys: (key, what, fix)."""
        found: list[tuple[str, str, str]] = []
        angles = sorted(angle % 360 for angle in self.ball_sensors_deg)
        gaps = [(b - a) % 360 for a, b in zip(angles, angles[1:] + angles[:1], strict=True)]
        if min(gaps) < 5:
            found.append(
                (
                    "ball_sensors_deg",
                    f"two track sensors stand {min(gaps):g} degrees apart; one ball would be in front of both",
                    "keep them at least 5 degrees apart",
                )
            )
        if len(angles) == 2 and abs(gaps[0] - 180) < 30:
            found.append(
                (
                    "ball_sensors_deg",
                    f"two track sensors {min(gaps):g} degrees apart cannot tell the ball's direction: both ways take "
                    "about the same time",
                    "put them more than 30 degrees off opposite, for example at 0 and 110, or add a third",
                )
            )
        if self.order is not None and sorted(self.order) != sorted(ORDERS[self.pockets]):
            found.append(
                (
                    "order",
                    f"the order must name each pocket of the {self.pockets} wheel once",
                    f"give the {len(ORDERS[self.pockets])} pockets, each once",
                )
            )
        return found


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
        self._foreign_told = False
        self._joined = True
        self._busy_ns: int | None = None
        self._object_ns: int | None = None
        self._levels: dict[str, int] = {}
        self._dead: set[str] = set()

    # --- time and values -----------------------------------------------------------------------------------------

    @property
    def next_due_ns(self) -> int | None:
        """When something becomes known if nothing comes."""
        dues = [due for due in self._dues() if due is not None]
        return min(dues) if dues else None

    def _dues(self) -> tuple[int | None, ...]:
        rotor_due = self.rotor.due_ns if self.rotor.due_ns < NEVER_NS else None
        return rotor_due, self._overdue_ns(), self._quiet_due_ns(), self._object_due_ns(), self._level.due_ns

    def edges(self, batch: Sequence[Edge]) -> list[Observation]:
        """Takes the wheel's edges; those of other lines are passed over."""
        found: list[Observation] = []
        if self._dead:
            self._revive(batch, found)
        edges: Iterator[Edge] = iter(batch)
        while True:
            edge, edges = self.rotor.run(edges, found)
            encoder = self.rotor.encoder
            if encoder.slip is not None or encoder.index_missing or encoder.stuck is not None:
                self._rotor_doubted(found)
            if edge is None:
                return _in_order(found)
            self._pass_time(edge.t_ns - 1, found)
            if edge.line in self.lines:
                self._take(edge, found)

    def reading(self, reading: Reading) -> list[Observation]:
        """Takes an inclination in degrees."""
        found: list[Observation] = []
        self._pass_time(reading.t_ns - 1, found)
        if reading.line in self._level.lines and self._level.take(reading):
            found.append(LevelAgain(t_ns=reading.t_ns, tilt_deg=round(self._level.tilt_deg, 3)))
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
            self._die(line, "sensor_missing", detail, loss.t_ns, found)
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
        if line in self._sensors.lines:
            if line in self._levels or self._joined:
                self._busy_ns = t_ns
            self._levels[line] = level
            new = self._sensors.take(edge)
            if new is not None:
                self._ball(new, t_ns, found)
            return
        known = line in self._levels
        if self._levels.get(line) == level:
            return
        self._levels[line] = level
        if line == "pocket":
            self._pocket(level, t_ns, known, found)
        elif line == "object":
            self._object_ns = t_ns if level else None

    def _ball(self, new: Pass, t_ns: int, found: list[Observation]) -> None:
        """A pulse of a track sensor that may be a ball."""
        if self._track is None:
            self._track = BallTrack(self.config.ball_sensors_deg)
            self._left = False
            self._foreign_told = False
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
                rotor_rpm=round(self.rotor.rpm(t_ns), 2),
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
            # The ball is in the track, so this one is not it; at rest it comes again a turn later.
            if pulse.turns >= 2 and not self._foreign_told:
                self._foreign_told = True
                detail = "a ball at rest in a pocket while another is in the track"
                found.append(ForeignObject(t_ns=t_ns, detail=detail))
            return
        found.append(
            PocketRead(t_ns=t_ns, pocket=pulse.pocket, off_pockets=round(pulse.off_pockets, 3), turns=pulse.turns)
        )

    # --- time ----------------------------------------------------------------------------------------------------

    def _overdue_ns(self) -> int | None:
        return None if self._track is None or self._left else self._track.overdue_ns()

    def _quiet_due_ns(self) -> int | None:
        if self._sensors.blocked or (self._track is None and not self._joined):
            return None
        return None if self._busy_ns is None else self._busy_ns + self._quiet_ns

    def _object_due_ns(self) -> int | None:
        return None if self._object_ns is None else self._object_ns + OBJECT_NS

    def _pass_time(self, t_ns: int, found: list[Observation]) -> None:
        self.rotor.pass_time(t_ns, found)
        while True:
            overdue_ns, quiet_ns, object_ns = self._overdue_ns(), self._quiet_due_ns(), self._object_due_ns()
            if overdue_ns is not None and overdue_ns <= t_ns and (quiet_ns is None or overdue_ns <= quiet_ns):
                self._leave(overdue_ns, found)
            elif quiet_ns is not None and quiet_ns <= t_ns:
                if overdue_ns is not None:
                    self._leave(quiet_ns, found)
                self._be_quiet(quiet_ns, found)
            elif object_ns is not None and object_ns <= t_ns:
                self._object_ns = None
                found.append(ForeignObject(t_ns=object_ns, detail="the object beam is interrupted"))
            else:
                break
        out_ns = self._level.due(t_ns)
        if out_ns is not None:
            found.append(NotLevel(t_ns=out_ns, tilt_deg=round(self._level.tilt_deg, 3)))

    def _leave(self, t_ns: int, found: list[Observation]) -> None:
        self._left = True
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
                    rotor_rpm=round(self.rotor.rpm(t_ns), 2),
                    swapped=None if self._track is None else self._track.swapped(),
                )
            )

    def _be_quiet(self, t_ns: int, found: list[Observation]) -> None:
        self._busy_ns = None
        self._joined = False
        if self._track is not None:
            course = self._track.course
            self._track = None
            self._left = False
            found.append(TrackQuiet(t_ns=t_ns, passes=0 if course is None else course.passes))

    def _rotor_doubted(self, found: list[Observation]) -> None:
        """The encoder says that its count was wrong, or is not proven any more."""
        encoder = self.rotor.encoder
        t_ns = encoder.quadrature.t1_ns
        slip, stuck, missing = encoder.slip, encoder.stuck, encoder.index_missing
        encoder.slip, encoder.stuck, encoder.index_missing = None, None, False
        self._head.forget()
        if slip is not None:
            found.append(
                RotorDoubt(t_ns=slip.t_ns, reason="encoder_slip", detail=slip.detail, explained=slip.explained)
            )
        if missing:
            detail = "more than 1.1 turns without an index"
            found.append(RotorDoubt(t_ns=t_ns, reason="sensor_missing", detail=detail, explained=True))
            if encoder.missed_turns >= DEAD_TURNS:
                self._die("rotor_index", "sensor_missing", f"no index in {encoder.missed_turns} turns", t_ns, found)
        if stuck is not None:
            detail = f"{stuck} did not change while the other line of the encoder did"
            found.append(RotorDoubt(t_ns=t_ns, reason="sensor_stuck", detail=detail, explained=True))
            self._die(stuck, "sensor_stuck", detail, t_ns, found)

    def _die(self, line: str, fault: str, detail: str, t_ns: int, found: list[Observation]) -> None:
        if line not in self._dead:
            self._dead.add(line)
            found.append(SensorDead(t_ns=t_ns, line=line, fault=fault, detail=detail))

    def _revive(self, batch: Sequence[Edge], found: list[Observation]) -> None:
        """A dead line that tells something again is alive."""
        for edge in batch:
            if edge.line in self._dead:
                self._dead.discard(edge.line)
                found.append(SensorAlive(t_ns=edge.t_ns, line=edge.line))


def _in_order(found: list[Observation]) -> list[Observation]:
    """The parts of the wheel meet their deadlines one after the other: put what they found in order."""
    if len(found) > 1:
        found.sort(key=lambda observation: observation.t_ns)
    return found
