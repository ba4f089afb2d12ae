"""A simulated money wheel and its dealer, one round after another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import copysign, floor
from random import Random

from hal.clock import NS_PER_S
from hal.values import Batch, Edge
from simulators.base.faults import fault_named
from simulators.base.geometry import CALL, SETTLED, buttons_of
from simulators.base.motion import Path, Segment, shifted
from simulators.base.sensors import MarkRing, press, quadrature_marks, settle_order, window_marks
from simulators.base.truth import SimRound, Truth, doubted
from simulators.money_wheel.geometry import MoneyWheelGeometry
from simulators.wheel.flapper import (
    Flapper,
    coast_to_slow,
    random_flapper,
    rest_against_flapper,
    rest_on_peg,
    speed_for_travel,
    varied_flapper,
)
from simulators.wheel.line_faults import (
    AFTERMATH_REASONS,
    ENCODER_FAULTS,
    INDEX_SLIP_REASONS,
    LineContext,
    corrupted_round,
    off_its_place,
    random_slip,
    remounted,
    slipped,
)
from simulators.wheel.wear import AS_NEW, worn_edges

# --- the plan of a round: what the dealer and other hands do ---

PEG_ZONE_SPACES = 0.05
"""Nearer to a peg than this, the indicator is between two spaces."""


@dataclass(frozen=True, slots=True)
class MoneyWheelPlan:
    """One round as planned; the physics gives its outcome."""

    direction: int
    travel_deg: float
    """About how far the wheel is to turn."""
    push_deg: float
    """Over which angle the hand brings it to speed."""
    call_after_s: float | None
    """From the round's start to the call."""
    spin_after_s: float
    """From the round's start to the hand's first movement of the wheel."""
    call_late_s: float | None = None
    """From the spin's start to a call that comes too late."""
    wind_up_deg: float = 0.0
    wind_up_s: float = 0.8
    pause_s: float = 0.0
    reverse_below_deg_s: float | None = None
    """A hand turns the wheel back when it has slowed to this."""
    reverse_deg_s: float = 0.0
    off_peg_deg: float | None = None
    """The flapper catches on a peg, this far from its middle."""
    nudge_deg: float = 0.0
    nudge_after_verdict: bool = False
    settled: bool = True


def clean_plan(geometry: MoneyWheelGeometry, rng: Random) -> MoneyWheelPlan:
    """A regular round: the call, a spin with up to five turns to spare (one in seven with a wind-up), rest."""
    call_after_s = rng.uniform(1.0, 3.0)
    plan = MoneyWheelPlan(
        direction=rng.choice((1, -1)),
        travel_deg=360.0 * rng.uniform(geometry.minimum_revolutions + 0.5, geometry.minimum_revolutions + 5.0),
        push_deg=rng.uniform(60.0, 150.0),
        call_after_s=call_after_s if geometry.no_more_bets_button else None,
        spin_after_s=call_after_s + rng.uniform(0.7, 2.5),
    )
    return _wind_up(plan, geometry, rng) if rng.random() < 0.15 else plan


def _short_spin(plan: MoneyWheelPlan, geometry: MoneyWheelGeometry, rng: Random) -> MoneyWheelPlan:
    # From 0.6 of a turn, so that it is a spin and not a nudge.
    least = geometry.minimum_revolutions
    turns = rng.uniform(max(0.6, 0.8 * (least / 3.0)), least - 0.25)
    return replace(plan, travel_deg=360.0 * turns, push_deg=rng.uniform(40.0, 80.0))


def _near_limit(plan: MoneyWheelPlan, geometry: MoneyWheelGeometry, rng: Random) -> MoneyWheelPlan:
    return replace(
        plan, travel_deg=360.0 * rng.uniform(geometry.minimum_revolutions - 0.1, geometry.minimum_revolutions + 0.15)
    )


def _wind_up(plan: MoneyWheelPlan, geometry: MoneyWheelGeometry, rng: Random) -> MoneyWheelPlan:
    return replace(
        plan,
        wind_up_deg=rng.uniform(10.0, 165.0),
        wind_up_s=rng.uniform(0.5, 1.3),
        pause_s=rng.choice((0.0, rng.uniform(0.1, 1.2), rng.uniform(1.6, 4.5))),
    )


def _reversed_spin(plan: MoneyWheelPlan, geometry: MoneyWheelGeometry, rng: Random) -> MoneyWheelPlan:
    return replace(plan, reverse_below_deg_s=rng.uniform(60.0, 300.0), reverse_deg_s=rng.uniform(60.0, 200.0))


def _spun_early(plan: MoneyWheelPlan, geometry: MoneyWheelGeometry, rng: Random) -> MoneyWheelPlan:
    return replace(plan, call_after_s=None)


def _late_call(plan: MoneyWheelPlan, geometry: MoneyWheelGeometry, rng: Random) -> MoneyWheelPlan:
    return replace(plan, call_after_s=None, wind_up_deg=0.0, pause_s=0.0, call_late_s=rng.uniform(0.7, 3.0))


def _between_spaces(plan: MoneyWheelPlan, geometry: MoneyWheelGeometry, rng: Random) -> MoneyWheelPlan:
    zone_deg = 0.8 * PEG_ZONE_SPACES * 360.0 / geometry.spaces
    return replace(plan, off_peg_deg=rng.uniform(-zone_deg, zone_deg))


def _nudged(plan: MoneyWheelPlan, geometry: MoneyWheelGeometry, rng: Random) -> MoneyWheelPlan:
    return replace(
        plan,
        nudge_deg=rng.choice((1, -1)) * rng.uniform(10.0, 160.0),
        # Without a button, the wheel's own movement is the call: a nudge would be a spin.
        nudge_after_verdict=rng.random() < 0.5 or not geometry.no_more_bets_button,
    )


def _no_settle(plan: MoneyWheelPlan, geometry: MoneyWheelGeometry, rng: Random) -> MoneyWheelPlan:
    return replace(plan, settled=False)


PLANS: dict[str, Callable[[MoneyWheelPlan, MoneyWheelGeometry, Random], MoneyWheelPlan]] = {
    "none": lambda plan, geometry, rng: plan,
    "short_spin": _short_spin,
    "near_limit": _near_limit,
    "wind_up": _wind_up,
    "reversed_spin": _reversed_spin,
    "spun_early": _spun_early,
    "late_call": _late_call,
    "between_spaces": _between_spaces,
    "wheel_nudged_at_rest": _nudged,
    "no_settle": _no_settle,
}
"""How each physical fault changes the plan."""


# --- the wheel ---

REST_S = 1.5
"""How long a correct controller waits until it takes the wheel to be at rest."""
QUIET_AT_START_S = 5.0
PEG_WIDTH_DEG = 1.2
"""A peg of 15 mm before a beam, 0.7 m from the hub."""


class MoneyWheelSimulator:
    """A money wheel whose position, clock and friction persist from round to round. Equal seeds give equal rounds."""

    def __init__(self, geometry: MoneyWheelGeometry, seed: int) -> None:
        self._geometry = geometry
        self._seed = seed
        rng = Random(f"{seed}/wheel")
        self._space_deg = 360.0 / geometry.spaces
        self._flapper = random_flapper(self._space_deg, rng)
        # Pegs are between spaces; the flapper is at the indicator, so the wheel rests near whole spaces from it.
        self._now_s = 0.0
        self._angle_deg = self._space_deg * (rng.randrange(geometry.spaces) + rng.uniform(-0.1, 0.1))
        self._number = 0
        self._slip_deg = 0.0
        self._repaired = False
        self.wear = AS_NEW
        """How worn the wheel is from the next round on."""
        quadrature = geometry.sensing == "quadrature"
        if quadrature:
            self._encoder_lines: tuple[str, ...] = ("wheel_a", "wheel_b")
            period_deg, marks = quadrature_marks(geometry.encoder_slots, "wheel_a", "wheel_b")
            self._count_deg = period_deg / 4.0
        else:
            self._encoder_lines = ("wheel_peg",)
            period_deg, self._count_deg = self._space_deg, self._space_deg
            peg_deg = self._space_deg / 2.0 + geometry.indicator_deg
            marks = window_marks("wheel_peg", peg_deg, PEG_WIDTH_DEG, period_deg)
        self._slot_deg = period_deg
        bearing_deg = self._angle_deg + geometry.indicator_deg
        self._encoder = MarkRing(marks, bearing_deg, period_deg)
        centre_deg = geometry.index_offset_deg + geometry.index_width_deg / 2.0
        self._index = MarkRing(window_marks("wheel_index", centre_deg, geometry.index_width_deg), bearing_deg)

    @property
    def geometry(self) -> MoneyWheelGeometry:
        """The sensors it simulates."""
        return self._geometry

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines that its batches may name."""
        return (*self._encoder_lines, "wheel_index", *buttons_of(self._geometry))

    def start(self) -> Batch:
        """The level of every line at time 0, and five quiet seconds."""
        self._now_s = QUIET_AT_START_S
        levels = self._levels()
        return Batch([Edge(line, levels[line], 0) for line in self.lines], [], _ns(QUIET_AT_START_S))

    def wait(self, seconds: float) -> Batch:
        """The wheel is at rest: time passes, and no line changes."""
        self._now_s += seconds
        return Batch([], [], _ns(self._now_s))

    def round(self, fault: str | None = None) -> SimRound:
        """The next round, with a named fault or without.

        Raises:
            FaultError: no fault has this name, or this table cannot have it.
        """
        named = fault_named(fault or "none", self._geometry)
        self._number += 1
        rng = Random(f"{self._seed}/{self._number}")
        fault_rng = Random(f"{self._seed}/{self._number}/{named.name}")
        plan = clean_plan(self._geometry, rng)
        if named.physical:
            plan = PLANS[named.name](plan, self._geometry, fault_rng)
        return self._play(plan, rng, named.name, fault_rng, fault)

    def _play(self, plan: MoneyWheelPlan, rng: Random, fault: str, fault_rng: Random, asked: str | None) -> SimRound:
        begin_s, levels = self._now_s, self._levels()
        path = Path(begin_s, self._angle_deg)
        edges: list[Edge] = []
        wait_s = 0.0
        if plan.nudge_deg and not plan.nudge_after_verdict:
            path.push(0.0, 0.8)
            self._nudge(path, plan.nudge_deg)
            # The nudged wheel must have come to rest, for the controller too, before the call.
            wait_s = path.now_s + REST_S + 1.0 - begin_s
        if plan.call_after_s is not None:
            edges += press(CALL, begin_s + wait_s + plan.call_after_s, rng.uniform(0.12, 0.3))
        path.push(0.0, begin_s + wait_s + plan.spin_after_s - path.now_s)
        spin_s = path.now_s
        if plan.call_late_s is not None:
            edges += press(CALL, spin_s + plan.call_late_s, rng.uniform(0.12, 0.3))

        if plan.wind_up_deg:
            path.swing(-plan.direction * plan.wind_up_deg, plan.wind_up_s)
            path.push(0.0, plan.pause_s)
        turn_s, start_deg = path.now_s, path.angle_deg
        flapper = varied_flapper(self._flapper, rng)
        if self.wear is not AS_NEW:
            flapper = replace(
                flapper,
                bearing_deg_s2=flapper.bearing_deg_s2 * self.wear.bearing,
                stiffness_hz=flapper.stiffness_hz * self.wear.flapper,
            )
        _push_and_coast(path, plan, flapper)
        rest_s, rest_deg = path.now_s, path.angle_deg
        end_s = self._after_rest(path, plan, rng, edges)

        spin = [s for s in path.segments if turn_s <= s.start_s < rest_s]
        truth = self._truth(plan, start_deg, rest_deg, spin)
        wheel_edges, slip_counts = self._wheel_edges(path.segments, spin, fault, fault_rng)
        edges += wheel_edges
        if fault in ENCODER_FAULTS:
            truth = doubted(truth, f"encoder slipped by {slip_counts:.1f} counts", INDEX_SLIP_REASONS)
        settle_order(edges, _ns(begin_s), _ns(end_s))
        if self.wear is not AS_NEW:
            wear_rng = Random(f"{self._seed}/{self._number}/wear")
            edges = worn_edges(edges, self.wear, self._encoder_lines, levels, wear_rng)
        self._angle_deg, self._now_s = path.angle_deg, end_s

        if self._repaired:
            truth = truth._replace(reasons=tuple(dict.fromkeys((*truth.reasons, *AFTERMATH_REASONS))))
        self._repaired = fault not in PLANS
        played = SimRound(Batch(edges, [], _ns(end_s)), truth, self._number, asked)
        if fault in ENCODER_FAULTS or fault in PLANS:
            return played
        quadrature = len(self._encoder_lines) == 2
        context = LineContext(
            encoder=self._encoder_lines,
            marks=("wheel_index",) if quadrature else (*self._encoder_lines, "wheel_index"),
            ball=(),
            beams=(),
            buttons=buttons_of(self._geometry),
            levels=levels,
            begin_ns=_ns(begin_s),
            end_ns=_ns(end_s),
            run_from_ns=_ns(spin_s + 0.3),
            run_until_ns=_ns(rest_s),
            rng=fault_rng,
        )
        return corrupted_round(played, context)

    def _wheel_edges(
        self, wheel: list[Segment], spin: list[Segment], fault: str, rng: Random
    ) -> tuple[list[Edge], float]:
        """The edges of encoder and index, and by how many counts the encoder slipped, if that is the fault.

        One that slipped before is mounted again as the round begins.
        """
        shift_deg = self._geometry.indicator_deg
        index = self._index.edges(shifted(wheel, shift_deg))
        encoder = wheel
        if fault in ENCODER_FAULTS:
            last_index_s = max((edge.t_ns / NS_PER_S for edge in index), default=0.0)
            at_s, slip_deg = random_slip(spin, last_index_s, fault == "late_slip", self._count_deg, rng)
            encoder = slipped(wheel, at_s, slip_deg)
        elif off_deg := off_its_place(self._slip_deg, self._slot_deg):
            encoder = remounted(wheel, wheel[0].start_s, off_deg)
        # Encoder first: at angle 0 its edge and that of the index have one time, and keep this order.
        edges = self._encoder.edges(shifted(encoder, shift_deg - self._slip_deg)) + index
        slip_deg = wheel[-1].angle_deg - encoder[-1].angle_deg
        self._slip_deg += slip_deg
        return edges, abs(slip_deg) / self._count_deg

    def _after_rest(self, path: Path, plan: MoneyWheelPlan, rng: Random, edges: list[Edge]) -> float:
        """After the spin: a nudge if planned, the settled button, and quiet until the returned time."""
        path.push(0.0, REST_S + rng.uniform(0.7, 1.2))
        if plan.nudge_deg and plan.nudge_after_verdict:
            self._nudge(path, plan.nudge_deg)
            path.push(0.0, REST_S)
        if self._geometry.settled_button and plan.settled:
            edges += press(SETTLED, path.now_s + rng.uniform(0.1, 1.0), rng.uniform(0.12, 0.3))
        path.push(0.0, rng.uniform(3.5, 4.5))
        return path.now_s

    def _nudge(self, path: Path, by_deg: float) -> None:
        """A push by hand by whole spaces, so to the same place between two pegs."""
        spaces = round(by_deg / self._space_deg) or 1
        path.swing(spaces * self._space_deg, 0.4 + abs(by_deg) / 200.0)

    def _truth(self, plan: MoneyWheelPlan, start_deg: float, rest_deg: float, spin: list[Segment]) -> Truth:
        way = plan.direction
        furthest_deg = way * max(way * peak_deg(segment, way) for segment in spin)
        revolutions = way * (furthest_deg - start_deg) / 360.0
        counted = abs(floor(furthest_deg / self._count_deg) - floor(start_deg / self._count_deg))
        # The angle is already seen from the indicator: space k is in front when the wheel is at -k spaces.
        place = -rest_deg / self._space_deg
        space = floor(place + 0.5) % self._geometry.spaces
        off_peg = 0.5 - abs(place - floor(place + 0.5))
        back = way * (furthest_deg - rest_deg) / self._space_deg

        refused: list[str] = []
        doubtful: list[str] = []
        if self._geometry.no_more_bets_button and plan.call_after_s is None:
            refused.append("spun_before_no_more_bets")
        count_turns = self._count_deg / 360.0
        least = self._geometry.minimum_revolutions
        if revolutions < least:
            refused.append("wheel_revolutions")
        elif revolutions < least + 1.5 * count_turns:
            doubtful.append("wheel_revolutions")
        if plan.reverse_below_deg_s is not None:
            refused.append("wheel_reversed")
        if off_peg < PEG_ZONE_SPACES:
            refused.append("indicator_between_spaces")
        elif off_peg < PEG_ZONE_SPACES + 1.5 * self._count_deg / self._space_deg:
            doubtful.append("indicator_between_spaces")
        detail = (
            f"{revolutions:.3f} turns {'forwards' if way > 0 else 'backwards'}, rest on space {space}, "
            f"{off_peg:.2f} of a space from the peg, {back:.1f} spaces rolled back"
        )
        return Truth(
            valid=not refused,
            result=space,
            revolutions=revolutions,
            measurable=counted * count_turns,
            reasons=(*refused, *doubtful),
            detail=detail,
            notices=("device.warning",) if plan.nudge_deg else (),
            rest_ns=_ns(spin[-1].end_s),
        )

    def _levels(self) -> dict[str, int]:
        return {**self._encoder.levels(), **self._index.levels(), **dict.fromkeys(buttons_of(self._geometry), 0)}


def _push_and_coast(path: Path, plan: MoneyWheelPlan, flapper: Flapper) -> None:
    speed = plan.direction * speed_for_travel(flapper, max(90.0, plan.travel_deg - plan.push_deg))
    path.push(copysign(speed * speed / (2.0 * plan.push_deg), speed), 2.0 * plan.push_deg / abs(speed), speed)
    if plan.reverse_below_deg_s is not None:
        coast_to_slow(path, flapper, plan.reverse_below_deg_s)
        path.ramp(-plan.direction * plan.reverse_deg_s, 0.6)
    coast_to_slow(path, flapper)
    if plan.off_peg_deg is None:
        rest_against_flapper(path, flapper)
    else:
        rest_on_peg(path, flapper, plan.off_peg_deg)


def peak_deg(segment: Segment, way: int) -> float:
    """The furthest angle that a segment reaches in one direction."""
    ends = [segment.angle_deg, segment.angle_after(segment.duration_s)]
    speed, accel = segment.speed_deg_s, segment.accel_deg_s2
    if speed * segment.speed_after(segment.duration_s) < 0.0:
        ends.append(segment.angle_after(-speed / accel))
    return way * max(way * angle_deg for angle_deg in ends)


def _ns(t_s: float) -> int:
    return int(t_s * NS_PER_S)
