"""The roulette wheel: rotor, ball track, pocket head, object beams and level as one device.

lines       rotor_a rotor_b rotor_index   ball_1 ... ball_n   pocket   object object_2  level_x level_y
                      │                        │             │            │              │
part                Rotor                  BallRuns      PocketHead  ObjectBeams       Level
                      │                        │             │            │              │
reports     RotorTurning ...         BallSeen, BallPassed,  PocketRead  ForeignObject  NotLevel
            RotorDoubt           BallLeftTrack, TrackQuiet                            LevelAgain
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Final

from drivers.base.driver import NEVER_NS, Observation, SensorHealth
from drivers.base.view import Fact, dead_lines, turn_words
from drivers.roulette.ball_track import BallRuns, track_lines
from drivers.roulette.device import (
    BallSeen,
    ForeignObject,
    LevelAgain,
    NotLevel,
    PocketLost,
    PocketRead,
    RotorDoubt,
    RouletteWheelConfig,
    TrackClear,
    TrackCovered,
    TrackLost,
)
from drivers.roulette.object_beams import ObjectBeams
from drivers.roulette.pocket_head import PocketHead
from drivers.roulette.rotor import Rotor
from drivers.roulette.view import BallView, RouletteWheelView
from hal.values import Edge, EdgesLost, Frame, Loss, Reading

# --- level: two inclinations in degrees, and for how long they have exceeded the tolerance ---
#
# 13:47-20.15(c): "horizontal and level at all times during its operation". The text gives no tolerance.


SAMPLE_EVERY_NS: Final = 120_000_000_000
"""How often the inclination is sampled for the watch over wear (ours)."""
SAMPLES_KEPT: Final = 720
"""Samples that wait for the edges of their time at most (ours): those of a day in which no ball ran."""


class Level:
    """Detects an inclination beyond the tolerance for too long, and its return."""

    def __init__(self, x: str, y: str, tolerance_deg: float, patience_ns: int) -> None:
        self.lines = frozenset((x, y))
        self._tolerance_deg = tolerance_deg
        self._patience_ns = patience_ns
        self._deg = {x: 0.0, y: 0.0}
        self.due_ns = NEVER_NS
        """When the wheel is out of level, if no reading within the tolerance follows."""
        self.out = False
        """Whether the wheel is out of level."""
        self._sample_ns = 0
        """From when on the inclination is sampled next."""
        self._samples: deque[tuple[int, float]] = deque(maxlen=SAMPLES_KEPT)
        """Times and inclinations. A calm reading may come before edges that are earlier, so each has its time."""

    def sampled_deg(self, t_ns: int) -> float | None:
        """The last inclination that was sampled up to a time; None where there is none. Times asked for only grow."""
        samples = self._samples
        while len(samples) > 1 and samples[1][0] <= t_ns:
            samples.popleft()
        return samples[0][1] if samples and samples[0][0] <= t_ns else None

    def sample_no_more(self) -> None:
        """From now on nothing is sampled."""
        self._sample_ns = NEVER_NS

    def _sample(self, t_ns: int, tilt_deg: float) -> None:
        self._sample_ns = t_ns + SAMPLE_EVERY_NS
        if math.isfinite(tilt_deg):
            self._samples.append((t_ns, tilt_deg))

    @property
    def tilt_deg(self) -> float:
        """The inclination of the wheel's plane, from the last reading of each axis."""
        return math.hypot(*self._deg.values())

    def handle(self, reading: Reading) -> bool:
        """Handles a reading; returns whether it brings the wheel back to level.

        A value that is not finite is beyond every tolerance: a failed inclinometer does not prove a level wheel.
        """
        self._deg[reading.line] = reading.value if math.isfinite(reading.value) else math.inf
        tilt_deg = self.tilt_deg
        if reading.t_ns >= self._sample_ns:
            self._sample(reading.t_ns, tilt_deg)
        if tilt_deg > self._tolerance_deg:
            if not self.out and self.due_ns == NEVER_NS:
                self.due_ns = reading.t_ns + self._patience_ns
            return False
        self.due_ns = NEVER_NS
        back, self.out = self.out, False
        return back

    def calm(self, reading: Reading) -> bool:
        """Takes a reading of a level wheel that stays level; returns False, and takes nothing, at any other."""
        if self.out or self.due_ns != NEVER_NS:
            return False
        line = reading.line
        before, self._deg[line] = self._deg[line], reading.value
        tilt_deg = self.tilt_deg
        if tilt_deg <= self._tolerance_deg:
            if reading.t_ns >= self._sample_ns:
                self._sample(reading.t_ns, tilt_deg)
            return True
        self._deg[line] = before
        return False

    def due(self, t_ns: int) -> int | None:
        """Advances time; returns when the wheel went out of level, once."""
        if t_ns < self.due_ns:
            return None
        self.out = True
        due_ns, self.due_ns = self.due_ns, NEVER_NS
        return due_ns


# --- covered track sensors ---

COVERED_NS: Final = 20_000_000_000
"""A track sensor that is 1 for this long is covered or inverted (ours): a hand in the bowl is gone before."""


class CoveredSensors:
    """Detects track sensors that stay 1. While one does, the track is never quiet; where all do, no ball is seen."""

    def __init__(self) -> None:
        self._since_ns: dict[str, int] = {}
        self._reported: dict[str, int] = {}
        """The covered lines that were reported, and when last."""
        self.due_ns = NEVER_NS
        """The next report, or earlier."""

    def handle_edge(self, edge: Edge, found: list[Observation]) -> None:
        """Handles an edge of a track sensor; its deadlines up to then are met."""
        line, level, t_ns = edge
        if level:
            self._since_ns.setdefault(line, t_ns)
            if t_ns + COVERED_NS < self.due_ns:
                self.due_ns = t_ns + COVERED_NS
            return
        self._since_ns.pop(line, None)
        if self._reported and self._reported.pop(line, None) is not None:
            found.append(TrackClear(t_ns=t_ns, line=line))

    def forget(self, line: str) -> None:
        """Changes of the line were lost: since when it is 1 is not known."""
        self._since_ns.pop(line, None)

    def meet(self, t_ns: int, found: list[Observation]) -> None:
        """Reports what is covered at each deadline up to `t_ns`."""
        while self.due_ns <= t_ns:
            now_ns, self.due_ns = self.due_ns, NEVER_NS
            for line, since_ns in self._since_ns.items():
                next_ns = self._reported.get(line, since_ns) + COVERED_NS
                if next_ns <= now_ns:
                    self._reported[line] = now_ns
                    found.append(TrackCovered(t_ns=now_ns, line=line, for_s=round((now_ns - since_ns) / 1e9, 1)))
                    next_ns = now_ns + COVERED_NS
                self.due_ns = min(self.due_ns, next_ns)


# --- the wheel ---

ROTOR_LINES: Final = ("rotor_a", "rotor_b", "rotor_index")

_moment: Final = attrgetter("t_ns")


class RouletteWheel:
    """A roulette wheel with an encoder on the rotor and sensors round the track, sans-I/O."""

    def __init__(self, config: RouletteWheelConfig, name: str = "wheel") -> None:
        self.name = name
        self.config = config
        pockets = len(config.wheel_order)
        # Only the fall of a track sensor shows whether the ball passed, and is set beside the rotor.
        rises = track_lines(len(config.ball_sensors_deg))
        self.rotor = Rotor(config.slots, config.index_width_deg, pockets, config.least_rotor_rpm, rises)
        self._head = PocketHead(pockets, config.pocket_head_deg, config.pocket_tolerance)
        self._level = Level("level_x", "level_y", config.level_tolerance_deg, round(config.level_patience_s * 1e9))
        quiet_ns = round(config.track_quiet_s * 1e9)
        self._runs = BallRuns(config.ball_sensors_deg, quiet_ns, self.rotor, self._head, self._level.sampled_deg)
        self._covered = CoveredSensors()
        self._beams = ObjectBeams(config.object_beams)
        self._handlers: Final[dict[str, Callable[[Edge, list[Observation]], None]]] = {
            **dict.fromkeys(self._runs.lines, self._ball),
            "pocket": self._pocket,
            **dict.fromkeys(self._beams.lines, self._beams.handle_edge),
        }
        self.lines = frozenset((*ROTOR_LINES, *self._handlers, *self._level.lines))
        self._pocket_level: int | None = None
        """The level of the pocket head; None while it is not known."""
        self._pocket_ns = 0
        """When the pocket head's line changed last."""
        self._health = SensorHealth()

    # --- time and values -----------------------------------------------------------------------------------------

    @property
    def next_due_ns(self) -> int | None:
        """The next deadline of a part; None if there is none."""
        due_ns = min(self.rotor.due_ns, self._runs.due_ns, self._covered.due_ns, self._beams.due_ns, self._level.due_ns)
        return due_ns if due_ns < NEVER_NS else None

    def edges(self, batch: Sequence[Edge]) -> list[Observation]:
        """Decodes the wheel's edges; those of other lines are ignored."""
        found: list[Observation] = []
        if self._health.dead:
            self._health.lines_active(batch, found)
        rotor = self.rotor
        doubts = rotor.encoder.doubts
        rises = rotor.encoder.quadrature.passed
        handlers = self._handlers
        edges = iter(batch)
        while True:
            edge = rotor.run(edges, found)
            if doubts:
                self._head.forget()
                self._health.lines_active(batch, found, doubts[-1].t_ns)
                rotor.report_doubts(self._health, found)
            if rises:
                for rise in rises:
                    self._ball(rise, found)
                rises.clear()
            if edge is None:
                break
            handle = handlers.get(edge.line)
            if handle is not None:
                handle(edge, found)
        if self._health.dead:
            self._health.lines_active(batch, found)
        return found if len(found) < 2 else _in_order(found)

    def reading(self, reading: Reading) -> list[Observation]:
        """Handles an inclination in degrees."""
        found: list[Observation] = []
        self._pass_time(reading.t_ns - 1, found)
        self._health.line_active(reading.line, reading.t_ns, found)
        if reading.line in self._level.lines and self._level.handle(reading):
            found.append(LevelAgain(t_ns=reading.t_ns, tilt_deg=round(self._level.tilt_deg, 3)))
        return found if len(found) < 2 else _in_order(found)

    def calm(self, reading: Reading) -> bool:
        """Takes an inclination that leaves a level wheel level: edges change neither the level nor the line's health.

        The deadlines that `reading` would meet are met by the next edge or by `due`, and reported with the same times.
        """
        line = reading.line
        return line in self._level.lines and line not in self._health.dead and self._level.calm(reading)

    def frame(self, frame: Frame) -> list[Observation]:
        """A wheel with sensors has no link."""
        return []

    def lost(self, loss: EdgesLost) -> list[Observation]:
        """Handles a loss: what depends on the line is in doubt; an unplugged line is a fault."""
        found: list[Observation] = []
        self._pass_time(loss.t_ns - 1, found)
        line = loss.line
        if loss.cause is Loss.UNPLUGGED and line in self.lines:
            self._health.line_unplugged(line, loss.t_ns, found)
        if line in ROTOR_LINES:
            if loss.cause is Loss.UNPLUGGED:
                self.rotor.unplugged(loss.t_ns, found)
            else:
                self.rotor.encoder.lost(line, loss.missing)
            self._head.forget()
            found.append(
                RotorDoubt(t_ns=loss.t_ns, reason="edges_lost", detail=f"{line}: {loss.cause}", explained=True)
            )
        if line in self._beams.lines:
            self._beams.forget(line, loss.t_ns, str(loss.cause), found)
        if line in self._runs.lines:
            self._runs.forget(line)
            self._covered.forget(line)
            found.append(TrackLost(t_ns=loss.t_ns, detail=f"{line}: {loss.cause}"))
        if line == "pocket":
            self._pocket_level = None
            self._head.forget()
            found.append(PocketLost(t_ns=loss.t_ns, since_ns=self._pocket_ns, detail=f"{line}: {loss.cause}"))
        return _in_order(found)

    def due(self, t_ns: int) -> list[Observation]:
        """Advances time to `t_ns`."""
        found: list[Observation] = []
        self._pass_time(t_ns, found)
        return found if len(found) < 2 else _in_order(found)

    def view(self, t_ns: int) -> RouletteWheelView:
        """The wheel at `t_ns`."""
        config, rotor, ball = self.config, self.rotor, self._runs.view(t_ns)
        angle_deg, rpm = rotor.angle_deg(t_ns), rotor.rpm(t_ns)
        pocket, readings = self._head.reading
        tilt_deg, level = self._level.tilt_deg, not self._level.out
        named = "none" if pocket is None else f"{config.wheel_order[pocket]}, {readings} turns in a row"
        facts = (
            ("rotor", f"{rpm:.1f} rpm, {turn_words(rotor.direction) if rotor.direction else 'no direction'}"),
            ("angle", "no index yet" if angle_deg is None else f"{angle_deg % 360:.1f}°"),
            *_ball_facts(ball),
            ("pocket head", named),
            ("level", f"{tilt_deg:.2f}°" + ("" if level else ", NOT LEVEL")),
            *(
                (_beam_name(line), "INTERRUPTED" if self._beams.interrupted(line) else "free")
                for line in self._beams.lines
            ),
        )
        doubts = [f"{doubt.reason}: {doubt.detail}" for doubt in rotor.encoder.doubts]
        if self._runs.second_ball:
            doubts.append("a second ball: a pocket was read while one runs in the track")
        return RouletteWheelView(
            facts=facts,
            doubts=(*doubts, *dead_lines(self._health)),
            pockets=config.wheel_order,
            sensors_deg=tuple(config.ball_sensors_deg),
            head_deg=config.pocket_head_deg,
            rotor_deg=angle_deg,
            rotor_rpm=rpm,
            rotor_direction=rotor.direction,
            ball=ball,
            pocket=pocket,
            readings=readings,
            object=self._beams.interrupted(),
            tilt_deg=tilt_deg if math.isfinite(tilt_deg) else 90.0,
            level=level,
        )

    def measure_wear(self, to_learn: int | None) -> None:
        """How many spins are measured from now on."""
        self._runs.spins.to_learn = to_learn
        if to_learn is None:
            self._level.sample_no_more()

    # --- edges of the other lines; each part first meets its own deadlines ------------------------------------------

    def _ball(self, edge: Edge, found: list[Observation]) -> None:
        _, _, t_ns = edge
        covered = self._covered
        if self._beams.due_ns < t_ns:
            self._beams.meet(t_ns - 1, found)
        if covered.due_ns < t_ns:
            covered.meet(t_ns - 1, found)
        covered.handle_edge(edge, found)
        before = len(found)
        self._runs.handle_edge(edge, found)
        if len(found) > before and any(isinstance(seen, BallSeen) for seen in found[before:]):
            self._beams.still(t_ns, found)

    def _pocket(self, edge: Edge, found: list[Observation]) -> None:
        _, level, t_ns = edge
        runs, rotor = self._runs, self.rotor
        runs.pass_time(t_ns - 1, found)
        known = self._pocket_level
        self._pocket_level, self._pocket_ns = level, t_ns
        if known is None or known == level:
            return
        angle = rotor.angle_deg(t_ns)
        if level:
            self._head.rise(angle)
            return
        pulse = self._head.fall(angle, rotor.encoder.count * 360 / rotor.encoder.counts_per_turn, t_ns)
        if pulse is None or pulse.pocket is not None:
            # If the ball passes another track sensor, it is still in the track and this is a second ball; whose pocket
            # it is in does not matter, so neither does an angle that is not proven.
            runs.see_pocket(t_ns)
        if pulse is not None and pulse.before_ns is not None and pulse.before_ns < runs.began_ns:
            detail = "a ball in a pocket that was not seen empty since before the launch: another may be in it"
            found.append(ForeignObject(t_ns=t_ns, detail=detail))
        if runs.running:
            return
        if pulse is None or pulse.pocket is None:
            return
        found.append(
            PocketRead(t_ns=t_ns, pocket=pulse.pocket, off_pockets=round(pulse.off_pockets, 3), turns=pulse.turns)
        )

    # --- time ----------------------------------------------------------------------------------------------------

    def _pass_time(self, t_ns: int, found: list[Observation]) -> None:
        """Meets the deadlines of all parts up to `t_ns`."""
        if self.rotor.due_ns <= t_ns:
            self.rotor.pass_time(t_ns, found)
        if self._runs.due_ns <= t_ns:
            self._runs.pass_time(t_ns, found)
        if self._covered.due_ns <= t_ns:
            self._covered.meet(t_ns, found)
        if self._beams.due_ns <= t_ns:
            self._beams.meet(t_ns, found)
        if self._level.due_ns <= t_ns:
            out_ns = self._level.due(t_ns)
            if out_ns is not None:
                found.append(NotLevel(t_ns=out_ns, tilt_deg=round(self._level.tilt_deg, 3)))


def _beam_name(line: str) -> str:
    return line.replace("object", "object beam").replace("_", " ")


def _ball_facts(ball: BallView) -> tuple[Fact, ...]:
    laps = f"{ball.laps:.2f}" + (f" to {ball.laps_high:.2f}" if ball.laps_high - ball.laps > 0.005 else "")
    return (
        ("ball", ball.state),
        ("laps proven", laps + (", last run" if ball.state == "none" and ball.laps else "")),
        ("lap time", "-" if ball.lap_s is None else f"{ball.lap_s:.3f} s"),
        ("ball direction", turn_words(ball.direction) if ball.direction else "not proven"),
        ("passes missed", str(ball.missed)),
    )


def _in_order(found: list[Observation]) -> list[Observation]:
    """Sorts observations by time: the parts meet their deadlines one after another."""
    found.sort(key=_moment)
    return found
