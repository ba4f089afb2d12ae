"""A roulette wheel with a known truth, judged by 13:47-20.32 alone.

A run is one or more spins of one wheel. The travel that counts is what the sensors can show, from the first passed to
the last; the truth knows it from the ball's angles, not from the lines.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from random import Random
from typing import Final

from hal.values import Edge, Rare, Reading
from tests.oracle import ball
from tests.oracle.motion import Motion, encoder_edges, in_order, ns, pulse
from tests.oracle.wear import AS_NEW, Wear

REVOLUTIONS = 4.0
"""Complete revolutions of the ball around the fixed track (13:47-20.32)."""

_AMERICAN = "0 28 9 26 30 11 7 20 32 17 5 22 34 15 3 24 36 13 1 00 27 10 25 29 12 8 19 31 18 6 21 33 16 4 23 35 14 2"
_EUROPEAN = "0 32 15 19 4 21 2 25 17 34 6 27 13 36 11 30 8 23 10 5 24 16 33 1 20 14 31 9 22 18 29 7 28 12 35 3 26"
AMERICAN = tuple(_AMERICAN.split())
EUROPEAN = tuple(_EUROPEAN.split())

LAYOUTS: tuple[tuple[float, ...], ...] = (
    (0.0, 120.0, 240.0), (0.0, 120.0, 240.0), (0.0, 100.0, 220.0), (0.0, 100.0, 220.0), (0.0, 90.0), (0.0, 115.0),
    (0.0, 90.0, 180.0, 270.0), (10.0, 95.0, 170.0, 280.0), (0.0, 72.0, 144.0, 216.0, 288.0),
    (0.0, 60.0, 120.0, 180.0, 240.0, 300.0), (5.0, 50.0, 110.0, 160.0, 215.0, 265.0, 320.0),
    (0.0, 45.0, 90.0, 135.0, 180.0, 225.0, 270.0, 315.0),
)  # fmt: skip
"""The positions that the track sensors of a wheel may have."""

KINDS = ("plain", "plain", "plain", "plain", "plain", "real_laps", "with_rotor", "with_rotor", "picked_up",
         "hand_placed", "two_balls", "old_ball", "object_early", "object_late", "rotor_stopped", "rotor_reversed",
         "rotor_slow", "tilted", "tilt_blip", "called_late", "taken_out")  # fmt: skip
"""The kinds of spin."""

SOUND_KINDS = frozenset({"plain", "real_laps", "object_late", "tilt_blip", "called_late"})
"""The kinds whose validity depends on the ball's travel alone."""

ROTOR_LOSS = 0.24
"""What a rotor loses, deg/s each second (0.04 rpm)."""
BEAMS_APART_S = 0.03
"""What the rotor carries from one beam to the next takes this long: they are some centimetres apart."""

CLEAN_KINDS = ("plain", "plain", "real_laps", "tilt_blip", "called_late")


@dataclass(frozen=True, slots=True)
class Wheel:
    """The wheel: the geometry that a configuration would state."""

    pockets: str = "european"
    """`american`, `european` or `american_as_single_zero`."""
    sensors_deg: tuple[float, ...] = (0.0, 120.0, 240.0)
    head_deg: float = 0.0
    slots: int = 37
    index_width_deg: float = 3.0
    index_offset_deg: float = 0.48
    button: bool = False
    level: bool = False
    beams: int = 0

    @property
    def order(self) -> tuple[str, ...]:
        """The pockets in wheel order from the index."""
        return EUROPEAN if self.pockets == "european" else AMERICAN

    @property
    def object_lines(self) -> tuple[str, ...]:
        """The lines of its beams for foreign objects."""
        return ("object", "object_2")[: self.beams]

    @property
    def pocket_deg(self) -> float:
        """The width of a pocket."""
        return 360.0 / len(self.order)


@dataclass(frozen=True, slots=True)
class Spin:
    """The truth of one spin."""

    kind: str
    launch_ns: int
    """When the ball began to run."""
    ball_way: int
    rotor_way: int
    travel: float
    """Turns that the ball really made on the track."""
    measurable: float
    """Turns from the first sensor passed to the last."""
    passes_ns: tuple[int, ...]
    left_ns: int
    """When the ball left the track."""
    rest_ns: int
    """When the ball lay still in its pocket, or would have."""
    pocket: str | None
    """The pocket of the ball; None where it was taken out."""
    readings: int
    """How often the pocket passed the head with the ball in it."""
    single_zero: bool = False

    @property
    def valid_run(self) -> bool:
        """Whether the rules accept the run of the ball, and enough of it can be sensed."""
        return self.kind in SOUND_KINDS and self.ball_way != self.rotor_way and self.measurable >= REVOLUTIONS - 1e-9

    def without_object(self) -> Spin:
        """The spin without its object, as the other lines show it where the beam missed it."""
        return replace(self, kind="plain") if self.kind == "object_early" else self

    def longer(self, turns: float) -> Spin:
        """The spin as if the ball had made so many turns more between its first pass and its last."""
        return replace(self, measurable=self.measurable + turns)

    @property
    def valid(self) -> bool:
        """Whether a number may be called."""
        return self.valid_run and self.pocket is not None and not (self.single_zero and self.pocket == "00")


@dataclass(frozen=True, slots=True)
class RouletteRun:
    """The lines of a run and the truth about it."""

    wheel: Wheel
    edges: list[Edge]
    rare: list[Rare]
    spins: list[Spin]
    until_ns: int
    description: str = field(default="")

    def spin_before(self, t_ns: int) -> Spin | None:
        """The spin that a verdict at this time can be about."""
        found = [spin for spin in self.spins if spin.launch_ns < t_ns]
        return found[-1] if found else None


def random_wheel(rng: Random, layouts: Sequence[tuple[float, ...]] = LAYOUTS) -> Wheel:
    """A random wheel."""
    pockets = rng.choice(("american", "european", "european", "american_as_single_zero"))
    slots = (37 if pockets == "european" else 38) * rng.choice((1, 1, 2))
    return Wheel(
        pockets=pockets, sensors_deg=rng.choice(layouts), head_deg=rng.choice((0.0, 0.0, 45.0, 210.0)), slots=slots,
        index_offset_deg=rng.uniform(0.1, 0.9) * 90.0 / slots,
        button=rng.random() < 0.4, level=rng.random() < 0.3, beams=int(rng.random() < 0.5),
    )  # fmt: skip


def recommended_wheel(rng: Random) -> Wheel:
    """The wheel that `random_wheel` would give, with track sensors, index and object beams as the pages advise them."""
    wheel = random_wheel(rng)
    return replace(wheel, sensors_deg=(0.0, 80.0, 200.0), index_width_deg=135.0 / wheel.slots, beams=2)


def _union(spans: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    merged: list[tuple[float, float]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


_reading: Final = partial(tuple.__new__, Reading)


class _Session:
    """Builds the spins of a run one after another on one wheel."""

    def __init__(self, rng: Random, wheel: Wheel, wear: Wear, *, moving: bool, rotor_way: int, rpm: float) -> None:
        self.rng = rng
        self.wear = wear
        self.wheel = wheel
        self.rotor = Motion(rng.uniform(0.0, 360.0))
        self.rotor_way = rotor_way
        self.spans: dict[str, list[tuple[float, float]]] = defaultdict(list)
        self.buttons: list[Edge] = []
        self.tilts: list[tuple[float, float, float]] = []
        self.spins: list[Spin] = []
        self.slowing = rng.choice((0.0, 0.0, rng.uniform(0.0, 0.05) * 6.0))  # deg/s each second
        self.slowing += max(0.0, ROTOR_LOSS * (wear.rotor_loss - 1.0))
        if moving:
            self.rotor.speed = rotor_way * rpm * 6.0
        else:
            self.rotor.rest(rng.uniform(0.8, 1.5))
            self.rotor.accelerate(2.0, rotor_way * rpm * 3.0)

    def turn_rotor(self, until_s: float) -> None:
        """The rotor runs on until a time, slowing a little."""
        duration = until_s - self.rotor.t_s
        if duration > 0.0:
            loss = self.slowing if abs(self.rotor.speed) > 40.0 else 0.0
            self.rotor.accelerate(duration, -self.rotor_way * loss)

    def plan_ball(self, start_s: float, way: int, count: int, drop: float, width: float) -> tuple[Motion, float]:
        """A ball that passes `count` sensors and leaves between two; and its travel in turns."""
        rng, sensors = self.rng, sorted(s % 360.0 for s in self.wheel.sensors_deg)
        n = len(sensors)
        first = rng.randrange(n)

        def angle(i: int) -> float:  # of the i-th sensor met, i may be negative
            k, j = divmod(first + way * i, n)
            return sensors[j] + 360.0 * k

        def between(i: int) -> float:  # somewhere between sensors i and i + 1, in front of neither
            gap = abs(angle(i + 1) - angle(i))
            return angle(i) + way * rng.uniform(0.5 * width + 1.5, gap - 0.5 * width - 1.5)

        begin, end = between(-1), between(count - 1)
        turns = abs(end - begin) / 360.0
        return ball.slowing(start_s, begin, way, turns, rng, drop, self.wear.ball_loss), turns

    def show(self, passes: Iterable[ball.Pass]) -> None:
        """Adds the pulses of the ball at the track sensors."""
        for seen in passes:
            self.spans[f"ball_{seen.sensor + 1}"].append((seen.start_s, seen.end_s))

    def lie(self, pocket: int, off: float, from_s: float, to_s: float) -> int:
        """Adds the pulses of the ball at the pocket head; the rotor has been turned to `to_s`."""
        pitch = self.wheel.pocket_deg
        at = self.wheel.head_deg - (pocket + off) * pitch
        half = 0.5 * pitch * self.rng.uniform(0.2, 0.4)
        marks = [t for edge in (-half, half) for t, _, _ in self.rotor.crossings(360.0, at + edge)]
        marks = sorted(t for t in marks if from_s <= t <= to_s)
        spans = [(a, b) for a, b in pairwise(marks) if self._in_front(a, b, at, half)]
        self.spans["pocket"] += spans
        return len(spans)

    def _in_front(self, start_s: float, end_s: float, at: float, half: float) -> bool:
        middle = self.rotor.at(0.5 * (start_s + end_s))
        return abs((middle - at + 180.0) % 360.0 - 180.0) < half * 1.01

    def cross_beams(self, at_s: float, for_s: float) -> None:
        """An object breaks the first beam for a time, and each further one a little later."""
        for place, line in enumerate(self.wheel.object_lines):
            start_s = at_s + place * BEAMS_APART_S
            self.spans[line].append((start_s, start_s + for_s))

    def finish(self, until_s: float) -> RouletteRun:
        """The run: its lines and its truth."""
        wheel, rng = self.wheel, self.rng
        self.turn_rotor(until_s)
        edges = encoder_edges(
            self.rotor, "rotor", wheel.slots,
            index_width_deg=wheel.index_width_deg, index_offset_deg=wheel.index_offset_deg,
        )  # fmt: skip
        lines = [f"ball_{i + 1}" for i in range(len(wheel.sensors_deg))] + ["pocket"]
        lines += [*wheel.object_lines, *["dealer_no_more_bets"] * wheel.button]
        for line in lines:
            edges.append(Edge(line, 0, 0))
            for start, end in _union(self.spans[line]):
                edges += pulse(line, start, end - start)
        edges += self.buttons
        rare: list[Rare] = []
        if wheel.level:
            t_s, period = 0.0, rng.choice((0.05, 0.1, 0.2))
            still = (rng.uniform(-0.05, 0.05), rng.uniform(-0.05, 0.05))
            while t_s < until_s:
                tilt = sum(by for start, end, by in self.tilts if start <= t_s < end) if self.tilts else 0
                t_ns = ns(t_s)
                level_x = still[0] + tilt + rng.uniform(-0.02, 0.02) + self.wear.tilt_deg
                rare.append(_reading(("level_x", level_x, t_ns)))
                rare.append(_reading(("level_y", still[1] + rng.uniform(-0.02, 0.02), t_ns)))
                t_s += period
        what = "; ".join(
            f"{s.kind} {s.measurable:.3f} of {s.travel:.3f} turns, way {s.ball_way:+d} on {s.rotor_way:+d}, {s.pocket}"
            for s in self.spins
        )
        return RouletteRun(wheel, in_order(edges), rare, self.spins, ns(until_s), what)


def pass_count(rng: Random, sensors: int) -> int:
    """How many sensors the ball passes: often one to either side of four turns."""
    dice = rng.random()
    if dice < 0.45:
        return 4 * sensors + rng.choice((-1, 0, 0, 1, 1, 2))
    if dice < 0.6:
        return rng.randint(sensors, 4 * sensors)
    return rng.randint(4 * sensors + 1, 14 * sensors)


def make_run(
    rng: Random,
    wheel: Wheel | None = None,
    *,
    spins: int = 1,
    clean: bool = False,
    kinds: Sequence[str] | None = None,
    count: int | None = None,
    laps: str | None = None,
    wear: Wear = AS_NEW,
) -> RouletteRun:
    """A run of some spins; with `clean`, from rest, and nothing refuses a spin but the ball's travel.

    `count` is how many sensors the ball passes, `laps` which filmed spin a `real_laps` one repeats.
    """
    wheel = wheel or random_wheel(rng)
    kinds = kinds or (CLEAN_KINDS if clean else KINDS)
    kinds = [k for k in kinds if _possible(k, wheel)]
    moving = not clean and rng.random() < 0.15
    plans = [rng.choice(kinds) for _ in range(spins)]
    rpm = rng.uniform(0.4, 2.6) if plans[0] == "rotor_slow" else rng.uniform(11.0, 22.0)
    session = _Session(rng, wheel, wear, moving=moving, rotor_way=rng.choice((-1, 1)), rpm=rpm)
    t_s = rng.uniform(7.0, 9.0)
    for plan in plans:
        kind = "rotor_slow" if plans[0] == "rotor_slow" else ("plain" if plan == "rotor_slow" else plan)
        t_s = _spin(session, kind, t_s, count, laps)
        if kind.startswith("rotor_") or kind == "tilted":
            break  # what comes after a stopped rotor or a shut table is another story
        t_s += rng.uniform(9.0, 11.0)
    return session.finish(t_s + 9.0)


def _possible(kind: str, wheel: Wheel) -> bool:
    if kind.startswith("object"):
        return wheel.beams > 0
    if kind.startswith("tilt"):
        return wheel.level
    return wheel.button or kind != "called_late"


def _spin(session: _Session, kind: str, start_s: float, count: int | None, filmed: str | None) -> float:
    """One spin of a kind, launched at a time; returns when its last effect is over."""
    rng, wheel = session.rng, session.wheel
    way = session.rotor_way if kind == "with_rotor" else -session.rotor_way
    width = rng.uniform(2.6, 4.8)
    n = len(wheel.sensors_deg)
    drop = rng.uniform(6.0, 8.5) if kind in ("picked_up", "hand_placed") else rng.uniform(2.62, 3.05)
    if kind == "real_laps":
        laps = ball.REAL_LAPS_S[filmed or rng.choice("abcd")]
        at = min(wheel.sensors_deg, key=lambda s: abs(s - 360.0 * rng.random()))
        gap = 0.5 * width + rng.uniform(1.0, 8.0)
        motion = ball.lapped(start_s, at - way * gap, way, laps, 1.0 + 2.0 * gap / 360.0 if rng.random() < 0.5 else 1.0)
        travel = sum(1.0 for _ in laps)
    else:
        motion, travel = session.plan_ball(start_s, way, count or pass_count(rng, n), drop, width)
    seen = ball.passes(motion, wheel.sensors_deg, width)
    session.show(seen)
    left_s = motion.t_s
    rest_s = left_s + rng.uniform(2.5, 6.5)
    taken = kind in ("picked_up", "taken_out")
    pocket: int | None = rng.randrange(len(wheel.order))
    if kind == "two_balls":
        other, _ = session.plan_ball(start_s + rng.uniform(0.25, 2.5), rng.choice((way, way, -way)),
                                     rng.randint(2 * n, 5 * n), rng.uniform(2.62, 3.05), width)  # fmt: skip
        session.show(ball.passes(other, wheel.sensors_deg, width))
        rest_s = max(rest_s, other.t_s + 2.5)
    if kind == "object_early":
        at_s = rng.uniform(start_s + 0.5, rest_s - 0.8)
        session.cross_beams(at_s, rng.uniform(0.03, 1.5))
    _call(session, kind, start_s, left_s)
    _turn(session, kind, start_s, left_s, rest_s)
    turns = rng.randint(4, 8)
    period = 360.0 / max(abs(session.rotor.speed), 30.0)
    end_s = rest_s + min(turns * period, 60.0) + rng.uniform(0.05, 0.6) * period
    session.turn_rotor(end_s)
    readings = 0
    if taken:
        pocket = None
    if pocket is not None:
        readings = session.lie(pocket, rng.uniform(-0.18, 0.18), rest_s, end_s)
    if kind == "two_balls" and rng.random() < 0.8:
        session.lie(rng.randrange(len(wheel.order)), rng.uniform(-0.18, 0.18), rest_s, end_s)
    if kind == "old_ball":
        session.lie(rng.randrange(len(wheel.order)), rng.uniform(-0.18, 0.18), start_s - 6.0, end_s)
    if kind == "object_late":
        at_s = rng.uniform(rest_s + 0.2, end_s)
        session.cross_beams(at_s, rng.uniform(0.03, 1.5))
    _tilt(session, kind, start_s, rest_s)
    session.spins.append(
        Spin(kind=kind, launch_ns=ns(start_s), ball_way=way, rotor_way=session.rotor_way, travel=travel,
             measurable=ball.measurable_turns(seen), passes_ns=tuple(ns(p.t_s) for p in seen), left_ns=ns(left_s),
             rest_ns=ns(rest_s), pocket=None if pocket is None else wheel.order[pocket], readings=readings,
             single_zero=wheel.pockets == "american_as_single_zero")
    )  # fmt: skip
    return end_s


def _call(session: _Session, kind: str, start_s: float, left_s: float) -> None:
    rng = session.rng
    if session.wheel.button:
        at = (
            left_s + rng.uniform(0.2, 1.8)
            if kind == "called_late"
            else start_s + rng.uniform(0.3, 0.8) * (left_s - start_s)
        )
        session.buttons += pulse("dealer_no_more_bets", at, rng.uniform(0.08, 0.3))


def _turn(session: _Session, kind: str, start_s: float, left_s: float, rest_s: float) -> None:
    """Turns the rotor until the ball rests, with what happens to it in between."""
    rng, rotor = session.rng, session.rotor
    if kind in ("rotor_stopped", "rotor_reversed"):
        session.turn_rotor(rng.uniform(start_s + 0.3, left_s - 0.3))
        braking_s = rng.uniform(0.7, 1.5)
        rotor.accelerate(braking_s, -rotor.speed / braking_s)
        rotor.speed = 0.0
        if kind == "rotor_reversed":
            rotor.accelerate(1.0, -session.rotor_way * rng.uniform(40.0, 110.0))
        else:
            rotor.rest(rng.uniform(2.5, 12.0))
            if rng.random() < 0.3:
                rotor.accelerate(1.0, session.rotor_way * rng.uniform(60.0, 110.0))
    session.turn_rotor(rest_s)


def _tilt(session: _Session, kind: str, start_s: float, rest_s: float) -> None:
    rng = session.rng
    by = rng.choice((-1, 1)) * rng.uniform(0.3, 1.5)
    if kind == "tilted":
        at = rng.uniform(start_s + 0.5, rest_s - 2.0)
        session.tilts.append((at, at + rng.uniform(1.5, 6.0), by))
    elif kind == "tilt_blip":
        at = rng.uniform(start_s + 0.5, rest_s)
        session.tilts.append((at, at + rng.uniform(0.1, 0.7), by))
