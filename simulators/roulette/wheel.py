"""A simulated roulette wheel and its dealer, one round after another."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil, cos, radians, sin, sqrt
from random import Random

from hal.clock import NS_PER_S
from hal.values import Batch, Edge, Rare, Reading
from simulators.base.faults import fault_named
from simulators.base.geometry import CALL, SETTLED, buttons_of
from simulators.base.motion import Path, Segment, angle_at, clipped, shifted, speed_at
from simulators.base.sensors import MarkRing, press, quadrature_marks, settle_order, window_marks
from simulators.base.truth import SimRound, doubted
from simulators.roulette.ball import (
    BALL_WIDTH_DEG,
    BallFall,
    BallSensing,
    TrackRun,
    fall_into_pocket,
    run_on_track,
    slowed,
)
from simulators.roulette.geometry import RouletteGeometry
from simulators.roulette.plan import LEVEL_AT_REST_DEG, PLANS, RoulettePlan, clean_plan
from simulators.roulette.truth import RoundFacts, truth_of
from simulators.wheel.line_faults import (
    AFTERMATH_REASONS,
    ENCODER_FAULTS,
    INDEX_SLIP_REASONS,
    LineContext,
    corrupted_round,
    off_its_place,
    remounted,
    slipped,
)
from simulators.wheel.wear import AS_NEW, worn_edges

# --- the rotor: the dealer brings it to speed, and it slows down steadily ---

DEG_S_PER_RPM = 6.0
LOSS_DEG_S2 = 0.04 * DEG_S_PER_RPM
"""A real rotor's loss, 0.04 rpm a second: in the film of one spin its laps took 4.617, 4.683 and 4.751 s."""
READING_TURNS = 6.5
"""Turns after the drop within which a correct controller has read the number or given up."""
READING_LEAST_S = 21.0
SETTLING_S = 4.5
"""From there to the end of the round: the settled button, or the time after which a round settles by itself."""
LEAST_TURNING_DEG_S = 18.0


def rotor_motion(
    plan: RoulettePlan,
    begin_s: float,
    angle_deg: float,
    speed_deg_s: float,
    drop_s: float,
    rng: Random,
    loss_deg_s2: float = LOSS_DEG_S2,
) -> list[Segment]:
    """The rotor's motion through a round, to its end."""
    path = Path(begin_s, angle_deg, speed_deg_s)
    path.coast(begin_s + plan.rotor_after_s, loss_deg_s2)
    path.ramp(plan.rotor_rpm * DEG_S_PER_RPM, rng.uniform(1.2, 2.0))
    if plan.rotor_reverses_s is not None:
        path.coast(begin_s + plan.throw_after_s + plan.rotor_reverses_s, loss_deg_s2)
        path.ramp(-0.8 * path.speed_deg_s, rng.uniform(0.5, 1.2))
    # The hand may turn the rotor back when a short run is over; a round lasts from whichever comes later.
    drop_s = max(drop_s, path.now_s)
    path.coast(drop_s, loss_deg_s2)
    path.coast(drop_s + after_the_drop_s(path.speed_deg_s, loss_deg_s2) + SETTLING_S, loss_deg_s2)
    return path.segments


def after_the_drop_s(speed_deg_s: float, loss_deg_s2: float = LOSS_DEG_S2) -> float:
    """How long after the drop a controller may take to read the number."""
    speed, turns_deg = abs(speed_deg_s), READING_TURNS * 360.0
    left = speed * speed - 2.0 * loss_deg_s2 * turns_deg
    if speed < LEAST_TURNING_DEG_S or left <= 0.0:
        return READING_LEAST_S
    return max(READING_LEAST_S, 2.0 * turns_deg / (speed + sqrt(left)))


# --- the two level sensors ---

NOISE_DEG = 0.008


def level_readings(
    hz: float,
    from_s: float,
    until_s: float,
    tilt: tuple[float, float],
    tilted: tuple[float, float, float] | None,
    rng: Random,
) -> list[Reading]:
    """Readings of `level_x` and `level_y` in degrees, `hz` times a second; none when `hz` is 0.

    `tilt` is the inclination and its direction; `tilted` (from, until, degrees) is a time of greater inclination, None
    if there is none.
    """
    if hz <= 0.0:
        return []
    out: list[Reading] = []
    steady_deg, towards_deg = tilt
    for n in range(ceil(from_s * hz), ceil(until_s * hz)):
        t_s = n / hz
        leaning = tilted is not None and tilted[0] <= t_s < tilted[1]
        tilt_deg = tilted[2] if tilted is not None and leaning else steady_deg
        t_ns = int(t_s * NS_PER_S)
        for line, share in (("level_x", cos(radians(towards_deg))), ("level_y", sin(radians(towards_deg)))):
            out.append(Reading(line, round(tilt_deg * share + rng.gauss(0.0, NOISE_DEG), 4), t_ns))
    return out


# --- the wheel ---

QUIET_AT_START_S = 5.0
BEAMS_APART_S = 0.03
"""How much later an object breaks the second beam: some centimetres on a rotor."""
PUT_BACK_S = 2.0
"""A tilted wheel is put right this long before its round ends."""


@dataclass(frozen=True, slots=True)
class Pace:
    """A fixed pace: every round lasts `round_s`, and the rotor turns at `rotor_rpm` throughout."""

    round_s: float = 60.0
    rotor_rpm: float = 17.0


class RouletteSimulator:
    """A roulette wheel whose rotor, ball and clock persist from round to round. Equal seeds give equal rounds."""

    def __init__(self, geometry: RouletteGeometry, seed: int, pace: Pace | None = None) -> None:
        self._geometry = geometry
        self._seed = seed
        self._pace = pace
        rng = Random(f"{seed}/rotor")
        self._now_s = 0.0
        self._angle_deg = rng.uniform(0.0, 360.0)
        self._rotor_way = rng.choice((1, -1))
        self._speed_deg_s = 0.0 if pace is None else pace.rotor_rpm * 6.0
        if pace is not None:
            self._rotor_way = 1 if pace.rotor_rpm > 0.0 else -1
        self._tilt_deg = rng.uniform(0.0, LEVEL_AT_REST_DEG)
        self._tilt_towards_deg = rng.uniform(0.0, 360.0)
        self._number = 0
        self._slip_deg = 0.0
        self._repaired = False
        self._balls = BallSensing(geometry)
        self.wear = AS_NEW
        """How worn the wheel is from the next round on."""
        slot_deg, marks = quadrature_marks(geometry.slots, "rotor_a", "rotor_b")
        self._slot_deg = slot_deg
        self._count_deg = slot_deg / 4.0
        self._encoder = MarkRing(marks, self._angle_deg, slot_deg)
        centre_deg = geometry.index_offset_deg + geometry.index_width_deg / 2.0
        self._index = MarkRing(window_marks("rotor_index", centre_deg, geometry.index_width_deg), self._angle_deg)

    @property
    def geometry(self) -> RouletteGeometry:
        """The sensors it simulates."""
        return self._geometry

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines that its batches may name, levels included."""
        levels = ("level_x", "level_y") if self._geometry.level_hz else ()
        return (*self._digital_lines(), *levels)

    @property
    def _loss_deg_s2(self) -> float:
        return LOSS_DEG_S2 * self.wear.bearing

    @property
    def _inclination(self) -> tuple[float, float]:
        """How far the wheel is out of level, and in which direction."""
        return self._tilt_deg + self.wear.tilt_deg, self._tilt_towards_deg

    def start(self) -> Batch:
        """The level of every line at time 0, and five quiet seconds (none with a `Pace`)."""
        self._now_s = QUIET_AT_START_S if self._pace is None else 0.0
        levels = self._levels()
        rng = Random(f"{self._seed}/start")
        tilt = self._inclination
        rare: list[Rare] = [*level_readings(self._geometry.level_hz, 0.0, self._now_s, tilt, None, rng)]
        return Batch([Edge(line, levels[line], 0) for line in self._digital_lines()], rare, _ns(self._now_s))

    def wait(self, seconds: float) -> Batch:
        """The rotor runs on, with the ball of the last round in its pocket, and slows down."""
        begin_s, end_s = self._now_s, self._now_s + seconds
        path = Path(begin_s, self._angle_deg, self._speed_deg_s)
        path.coast(end_s, self._loss_deg_s2)
        rotor = path.segments
        edges, _ = self._rotor_edges(rotor, None, Random(f"{self._seed}/wait"))
        edges += self._balls.edges((), rotor, None)
        settle_order(edges, _ns(begin_s), _ns(end_s))
        hz, tilt = self._geometry.level_hz, self._inclination
        rng = Random(f"{self._seed}/wait/{begin_s}")
        rare: list[Rare] = [*level_readings(hz, begin_s, end_s, tilt, None, rng)]
        last = rotor[-1]
        self._now_s, self._angle_deg = end_s, last.angle_after(last.duration_s)
        self._speed_deg_s = last.speed_after(last.duration_s)
        return Batch(edges, rare, _ns(end_s))

    def round(self, fault: str | None = None) -> SimRound:
        """The next round, with a named fault or without.

        Raises:
            FaultError: no fault has this name, or this table cannot have it.
        """
        named = fault_named(fault or "none", self._geometry)
        self._number += 1
        rng = Random(f"{self._seed}/{self._number}")
        fault_rng = Random(f"{self._seed}/{self._number}/{named.name}")
        if self._pace is None and rng.random() < 0.12:
            self._rotor_way = -self._rotor_way
        plan = clean_plan(self._geometry, rng, self._rotor_way, *self._inclination)
        if self.wear.ball_track != 1.0:
            plan = replace(plan, throw=slowed(plan.throw, self.wear.ball_track))
        if named.physical:
            plan = PLANS[named.name](plan, self._geometry, fault_rng)
            if plan.take_out_after_s is None and not self._balls.ball_in_pocket:
                plan = replace(plan, second_ball_s=0.3)
        return self._play(plan, rng, named.name, fault_rng, fault)

    def _play(self, plan: RoulettePlan, rng: Random, fault: str, fault_rng: Random, asked: str | None) -> SimRound:
        begin_s, levels = self._now_s, self._levels()
        way = self._rotor_way if plan.with_rotor else -self._rotor_way
        tilt_s, track = self._track(plan, begin_s + plan.throw_after_s, way, rng, fault_rng)
        rotor = self._rotor(plan, begin_s, track[-1].end_s, rng)
        end_s = rotor[-1].end_s
        run = TrackRun(track, self._fall(plan, track, rotor, rng))
        runs = [run]
        if plan.second_ball_s is not None:
            second = shifted(track, fault_rng.uniform(30.0, 330.0), plan.second_ball_s)
            runs.append(TrackRun(second, fall_into_pocket(second, rotor, len(self._geometry.pockets), fault_rng)))

        edges, slip_counts = self._rotor_edges(rotor, run if fault in ENCODER_FAULTS else None, fault_rng)
        forgotten = plan.take_out_after_s is None and self._balls.ball_in_pocket
        take_out_s = None if plan.take_out_after_s is None else begin_s + plan.take_out_after_s
        edges += self._balls.edges(runs, rotor, take_out_s, self._others(plan, run, fault_rng))
        edges += self._people(plan, run, speed_at(rotor, run.end_s), rng)
        settle_order(edges, _ns(begin_s), _ns(end_s))
        if self.wear is not AS_NEW:
            wear_rng = Random(f"{self._seed}/{self._number}/wear")
            edges = worn_edges(edges, self.wear, ("rotor_a", "rotor_b"), levels, wear_rng)

        hz, tilt = self._geometry.level_hz, self._inclination
        tilted = None if tilt_s is None else (tilt_s, end_s - PUT_BACK_S, plan.tilted_deg)
        rare: list[Rare] = [*level_readings(hz, begin_s, end_s, tilt, tilted, rng)] if hz else []
        rotor_deg_s = speed_at(rotor, run.start_s)
        truth = truth_of(RoundFacts(plan, run.track, run.fall, rotor_deg_s, forgotten), self._geometry)
        if fault in ENCODER_FAULTS:
            truth = doubted(truth, f"encoder slipped by {slip_counts:.1f} counts", INDEX_SLIP_REASONS)
        last = rotor[-1]
        self._now_s, self._angle_deg = end_s, last.angle_after(last.duration_s)
        self._speed_deg_s = last.speed_after(last.duration_s)

        if self._repaired:
            truth = truth._replace(reasons=tuple(dict.fromkeys((*truth.reasons, *AFTERMATH_REASONS))))
        self._repaired = fault not in PLANS
        played = SimRound(Batch(edges, rare, _ns(end_s)), truth, self._number, asked)
        if fault in ENCODER_FAULTS or fault in PLANS:
            return played
        return corrupted_round(played, self._line_context(levels, begin_s, end_s, run, fault_rng))

    def _rotor_edges(self, rotor: list[Segment], slips_in: TrackRun | None, rng: Random) -> tuple[list[Edge], float]:
        """The edges of encoder and index, and by how many counts the encoder slipped in a run, if it did.

        One that slipped before is mounted again as the round begins.
        """
        encoder = rotor
        if slips_in is None:
            off_deg = off_its_place(self._slip_deg, self._slot_deg)
            if off_deg:
                encoder = remounted(rotor, rotor[0].start_s, off_deg)
        else:
            at_s = rng.uniform(slips_in.start_s, slips_in.end_s + 12.0)
            encoder = slipped(rotor, at_s, self._count_deg * rng.uniform(2.0, 40.0))
        edges = self._encoder.edges(shifted(encoder, -self._slip_deg))
        edges += self._index.edges(rotor)
        slip_deg = rotor[-1].angle_deg - encoder[-1].angle_deg
        self._slip_deg += slip_deg
        return edges, abs(slip_deg) / self._count_deg

    def _track(
        self, plan: RoulettePlan, throw_s: float, way: int, rng: Random, fault_rng: Random
    ) -> tuple[float | None, list[Segment]]:
        """When the wheel was tilted, and the ball's motion on the track."""
        from_deg = self._balls.clear_of_sensors(rng.uniform(0.0, 360.0))
        track = run_on_track(plan.throw, throw_s, from_deg, way, rng)
        tilt_s: float | None = None
        if plan.tilt_share is not None:
            tilt_s = throw_s + plan.tilt_share * (track[-1].end_s - throw_s)
            speed_rad_s = radians(abs(speed_at(track, tilt_s)))
            throw = replace(plan.throw, speed_rad_s=speed_rad_s, tilt_deg=plan.tilted_deg)
            rest = run_on_track(throw, tilt_s, angle_at(track, tilt_s), way, fault_rng)
            track = clipped(track, throw_s, tilt_s) + rest
        if plan.pick_up_share is not None:
            track = clipped(track, throw_s, throw_s + plan.pick_up_share * (track[-1].end_s - throw_s))
            return tilt_s, track
        # A ball that leaves the track before a sensor is still seen until it has rolled past.
        last = track[-1]
        end_deg, speed = last.angle_after(last.duration_s), last.speed_after(last.duration_s)
        if self._balls.before_a_sensor(end_deg):
            track.append(Segment(last.end_s, BALL_WIDTH_DEG / abs(speed), end_deg, speed, 0.0))
        return tilt_s, track

    def _rotor(self, plan: RoulettePlan, begin_s: float, drop_s: float, rng: Random) -> list[Segment]:
        if self._pace is not None:
            speed = self._speed_deg_s
            return [Segment(begin_s, self._pace.round_s, self._angle_deg, speed, 0.0)]
        return rotor_motion(plan, begin_s, self._angle_deg, self._speed_deg_s, drop_s, rng, self._loss_deg_s2)

    def _fall(self, plan: RoulettePlan, track: list[Segment], rotor: list[Segment], rng: Random) -> BallFall | None:
        if plan.flies_off is not None:
            return None
        pockets = len(self._geometry.pockets)
        if plan.pick_up_share is None:
            return fall_into_pocket(track, rotor, pockets, rng, plan.aim)
        if plan.put_in_pocket_s is None:
            return None
        pocket, at_s = rng.randrange(pockets), track[-1].end_s + plan.put_in_pocket_s
        return BallFall([], at_s, pocket * 360.0 / pockets, pocket)

    def _others(self, plan: RoulettePlan, run: TrackRun, rng: Random) -> list[Edge]:
        """The pulses of a foreign object."""
        if plan.object_share is None:
            return []
        at_s = run.start_s + plan.object_share * (run.end_s - run.start_s)
        if plan.object_on_sensor:
            return press(rng.choice(self._geometry.ball_lines), at_s, plan.object_s)
        beams = enumerate(self._geometry.object_lines)
        return [edge for beam, line in beams for edge in press(line, at_s + beam * BEAMS_APART_S, plan.object_s)]

    def _people(self, plan: RoulettePlan, run: TrackRun, rotor_deg_s: float, rng: Random) -> list[Edge]:
        """The dealer's buttons."""
        edges: list[Edge] = []
        if plan.call_share is not None:
            at_s = run.start_s + plan.call_share * (run.end_s - run.start_s)
            edges += press(CALL, at_s, rng.uniform(0.12, 0.3))
        if plan.call_late_s is not None:
            edges += press(CALL, run.end_s + plan.call_late_s, rng.uniform(0.12, 0.3))
        if self._geometry.settled_button and plan.settled:
            at_s = run.end_s + after_the_drop_s(rotor_deg_s, self._loss_deg_s2) + rng.uniform(0.2, 1.0)
            edges += press(SETTLED, at_s, rng.uniform(0.12, 0.3))
        return edges

    def _line_context(
        self, levels: dict[str, int], begin_s: float, end_s: float, run: TrackRun, rng: Random
    ) -> LineContext:
        return LineContext(
            encoder=("rotor_a", "rotor_b"),
            marks=("rotor_index", "pocket"),
            ball=self._geometry.ball_lines,
            beams=self._geometry.object_lines,
            buttons=buttons_of(self._geometry),
            levels=levels,
            begin_ns=_ns(begin_s),
            end_ns=_ns(end_s),
            run_from_ns=_ns(run.start_s),
            run_until_ns=_ns(run.end_s),
            rng=rng,
        )

    def _levels(self) -> dict[str, int]:
        levels = dict.fromkeys(self._digital_lines(), 0)
        levels.update(self._encoder.levels())
        levels.update(self._index.levels())
        levels["pocket"] = self._balls.pocket_level
        return levels

    def _digital_lines(self) -> tuple[str, ...]:
        wheel = ("rotor_a", "rotor_b", "rotor_index")
        return (*wheel, *self._geometry.ball_lines, "pocket", *self._geometry.object_lines, *buttons_of(self._geometry))


def _ns(t_s: float) -> int:
    return int(t_s * NS_PER_S)
