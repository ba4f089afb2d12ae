"""A money wheel with a known truth: pushed by hand, slowed by friction and pegs, judged by 13:47-20.29 alone.

A run is one or more spins of one wheel. Each spin is made to turn an exact net angle, so that its truth does not
come from counting anything.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from random import Random

from hal.values import Edge
from tests.oracle.motion import TRUE_MARKS, Marks, Motion, encoder_edges, in_order, ns, pulse

REVOLUTIONS = 3.0
"""Complete revolutions of a valid spin (13:47-20.29)."""

KINDS = ("plain", "plain", "plain", "plain", "wound_up", "wound_up", "reversed", "wound_too_far", "too_early",
         "called_late", "nudge_first", "nudge_called", "nudge_after")  # fmt: skip
"""The kinds of spin; the plain ones are short or valid by their revolutions."""

BRIEF_S = 0.6
"""A pause that is not a rest: with the time within a count before the wheel stops and after it is pushed, under 1.5
s."""

CLEAN_KINDS = ("plain", "plain", "wound_up", "nudge_first", "nudge_after")
"""The kinds whose validity is the revolutions' alone."""


@dataclass(frozen=True, slots=True)
class Wheel:
    """The wheel: the geometry that a configuration would state."""

    spaces: int = 50
    slots: int = 100
    index_width_deg: float = 3.0
    index_offset_deg: float = 0.18
    button: bool = True
    marks_off: Marks = TRUE_MARKS

    @property
    def space_deg(self) -> float:
        """The width of a space."""
        return 360.0 / self.spaces

    @property
    def count_deg(self) -> float:
        """The width of a count, a quarter of a slot."""
        return 360.0 / (4 * self.slots)

    def space_at(self, deg: float) -> int:
        """The space under the indicator when the wheel has turned by `deg`."""
        return round(-deg * self.spaces / 360.0) % self.spaces

    def peg_margin_deg(self, deg: float) -> float:
        """How far the indicator is from the nearest peg."""
        into = (deg / self.space_deg + 0.5) % 1.0
        return min(into, 1.0 - into) * self.space_deg


@dataclass(frozen=True, slots=True)
class Spin:
    """The truth of one spin."""

    kind: str
    start_ns: int
    """When the wheel left rest."""
    called_first: bool
    revolutions: float
    reversed: bool
    furthest_ns: int
    rest_ns: int
    """When the wheel finally came to rest."""
    rest_deg: float
    space: int
    peg_margin_deg: float

    @property
    def valid(self) -> bool:
        """Whether the rules accept the spin."""
        return self.called_first and not self.reversed and self.revolutions >= REVOLUTIONS

    def looks_valid(self, count_deg: float) -> bool:
        """Whether its lines may be those of a valid spin: less than a count under three turns."""
        turns = self.revolutions + count_deg / 360.0
        return self.called_first and not self.reversed and turns > REVOLUTIONS

    def proven(self, count_deg: float) -> bool:
        """Whether its lines can only be those of a valid spin: more than a count over the three turns."""
        return self.valid and self.revolutions > REVOLUTIONS + count_deg / 360.0


@dataclass(frozen=True, slots=True)
class MoneyRun:
    """The lines of a run and the truth about it."""

    wheel: Wheel
    edges: list[Edge]
    spins: list[Spin]
    until_ns: int
    motion: Motion
    """The wheel's own."""
    description: str = field(default="")

    def spin_before(self, t_ns: int) -> Spin | None:
        """The spin that a verdict at this time can be about."""
        found = [spin for spin in self.spins if spin.start_ns < t_ns]
        return found[-1] if found else None


def revolutions(rng: Random) -> float:
    """Net revolutions, half of them near three."""
    dice = rng.random()
    if dice < 0.40:
        return rng.uniform(2.9, 3.1)
    if dice < 0.50:
        return rng.uniform(2.985, 3.015)
    if dice < 0.60:
        return rng.uniform(0.6, 2.5)
    return rng.uniform(2.5, 8.0)


def _push(motion: Motion, rng: Random, way: int, angle_deg: float, peg_stop: bool, wheel: Wheel) -> None:
    """Pushes the wheel and lets friction and pegs stop it after exactly `angle_deg`."""
    start = motion.deg
    push = min(rng.uniform(15.0, 140.0), 0.3 * angle_deg)
    coast = angle_deg - push
    slowing = rng.uniform(18.0, 60.0)
    tail = rng.uniform(1.0, 3.0) if peg_stop else 0.0
    peg_speed = rng.uniform(6.0, 30.0) if peg_stop else 0.0
    bend = rng.uniform(0.0, 0.25)  # air and pegs slow a fast wheel more than a slow one
    ripple = rng.uniform(0.0, 0.12)

    def speed_with(left: float) -> float:
        return math.sqrt(2.0 * slowing * left * (1.0 + bend * left / coast) + peg_speed * peg_speed)

    motion.turn_to(start + way * push, way * speed_with(coast - tail))
    marks = [coast * share for share in (0.25, 0.45, 0.6, 0.75)]
    near = min(12 * wheel.space_deg, 0.2 * coast)
    steps = int(near / (0.5 * wheel.space_deg))
    marks += [coast - near + i * 0.5 * wheel.space_deg for i in range(steps)]
    for i, mark in enumerate(marks):
        left = coast - tail - mark
        if left > 1.0 * wheel.space_deg:
            rippled = speed_with(left) * (1.0 + (ripple if i % 2 else -ripple) * (i >= 4))
            motion.turn_to(start + way * (push + mark), way * rippled)
    if peg_stop:
        motion.turn_to(start + way * (angle_deg - tail), way * peg_speed)
    motion.turn_to(start + way * angle_deg, 0.0)


def _settle(motion: Motion, rng: Random, way: int, back_deg: float) -> None:
    """Rolls back off the peg and rocks like any damped swing, each as long as the last and shorter by the same share.

    Dry friction ends it at some size of swing.
    """
    if back_deg <= 0.0:
        return
    half_period, share = rng.uniform(0.25, 0.6), rng.uniform(0.2, 0.65)
    least = rng.uniform(0.1, 3.0)
    swing, sign = back_deg, -way
    while swing > least or swing == back_deg:
        motion.swing(sign * swing, half_period * rng.uniform(0.97, 1.03))
        sign, swing = -sign, swing * share * rng.uniform(0.95, 1.05)


def _stop_by_hand(motion: Motion, rng: Random) -> None:
    """A hand stops a moving wheel; no wheel stops at once."""
    slowing = rng.uniform(600.0, 1500.0)
    duration = abs(motion.speed) / slowing
    motion.accelerate(duration, -math.copysign(slowing, motion.speed))
    motion.speed = 0.0


class _Session:
    """Builds the spins of a run one after another on one wheel."""

    def __init__(self, rng: Random, wheel: Wheel, start_deg: float) -> None:
        self.rng = rng
        self.wheel = wheel
        self.motion = Motion(start_deg)
        self.motion.rest(rng.uniform(4.0, 6.0))
        self.buttons: list[Edge] = []
        self.spins: list[Spin] = []

    def call(self, t_s: float) -> None:
        """The dealer presses the button."""
        if self.wheel.button:
            self.buttons += pulse("dealer_no_more_bets", t_s, self.rng.uniform(0.08, 0.3))

    def spin(self, kind: str, turns: float, way: int, back_deg: float) -> None:
        """One spin of a kind, from the call to rest and the pause after it."""
        rng, motion = self.rng, self.motion
        called = kind not in ("too_early", "called_late")
        if kind == "nudge_first":
            motion.swing(rng.choice((-1, 1)) * rng.uniform(9.0, 150.0), rng.uniform(0.8, 2.5))
            motion.rest(rng.uniform(7.0, 9.0))
        if called:
            self.call(motion.t_s)
            motion.rest(rng.uniform(0.5, 4.0))
        start_s = motion.t_s
        if kind == "nudge_called":
            turns = rng.uniform(0.06, 0.45)
            motion.swing(way * turns * 360.0, rng.uniform(0.8, 2.5))
            self.done(kind, start_s, called, turns, False, motion.t_s)
            return
        reverse = kind in ("reversed", "wound_too_far")
        if kind == "wound_up":
            motion.swing(-way * rng.uniform(8.0, 168.0), rng.uniform(0.7, 2.5))
            if rng.random() < 0.8:
                motion.rest(rng.choice((0.0, rng.uniform(0.0, 1.4), rng.uniform(1.6, 4.6))))
        elif kind == "wound_too_far":
            motion.swing(-way * rng.uniform(195.0, 700.0), rng.uniform(2.0, 4.0))
            motion.rest(rng.uniform(0.0, BRIEF_S))
        begun_deg = motion.deg
        if kind == "reversed":
            self._reverse(turns, way)
            turns = abs(motion.deg - begun_deg) / 360.0
            furthest_s = motion.t_s
        else:
            _push(motion, rng, way, turns * 360.0, back_deg > 0.0, self.wheel)
            furthest_s = motion.t_s
            _settle(motion, rng, way, back_deg)
        if kind == "called_late":
            self.call(start_s + rng.uniform(1.2, motion.t_s - start_s + 0.5))
        self.done(kind, start_s, called or not self.wheel.button, turns, reverse, furthest_s)
        if kind == "nudge_after":
            motion.rest(rng.uniform(2.2, 4.0))
            motion.swing(rng.choice((-1, 1)) * rng.uniform(9.0, 150.0), rng.uniform(0.8, 2.5))

    def _reverse(self, turns: float, way: int) -> None:
        rng, motion, begun = self.rng, self.motion, self.motion.deg
        peak = way * rng.uniform(150.0, 400.0)
        motion.turn_to(begun + way * 40.0, peak)
        motion.turn_to(begun + way * max(60.0, turns * 360.0), peak * rng.uniform(0.3, 0.9))
        _stop_by_hand(motion, rng)
        if rng.random() < 0.5:
            motion.rest(rng.uniform(0.0, BRIEF_S))
        if rng.random() < 0.5:
            motion.swing(-way * rng.uniform(12.5, 90.0), rng.uniform(0.5, 1.5))
        else:
            _push(motion, rng, -way, rng.uniform(90.0, 1500.0), False, self.wheel)

    def done(self, kind: str, start_s: float, called: bool, turns: float, back: bool, furthest_s: float) -> None:
        """Records the truth of the spin that has just come to rest."""
        deg = self.motion.deg
        self.spins.append(
            Spin(kind=kind, start_ns=ns(start_s), called_first=called, revolutions=turns, reversed=back,
                 furthest_ns=ns(furthest_s), rest_ns=ns(self.motion.t_s), rest_deg=deg,
                 space=self.wheel.space_at(deg), peg_margin_deg=self.wheel.peg_margin_deg(deg))
        )  # fmt: skip

    def finish(self, index_offset_deg: float) -> MoneyRun:
        """The run: its lines and its truth."""
        wheel = self.wheel
        edges = encoder_edges(
            self.motion, "wheel", wheel.slots,
            index_width_deg=wheel.index_width_deg, index_offset_deg=index_offset_deg, marks_off=wheel.marks_off,
        )  # fmt: skip
        if wheel.button:
            edges = [Edge("dealer_no_more_bets", 0, 0), *edges, *self.buttons]
        what = "; ".join(f"{s.kind} {s.revolutions:.4f} turns to space {s.space}" for s in self.spins)
        return MoneyRun(wheel, in_order(edges), self.spins, ns(self.motion.t_s), self.motion, what)


def _rest_target(rng: Random, wheel: Wheel, anywhere: bool) -> float:
    """Where the wheel shall come to rest within its space, as an angle from the space's centre."""
    half = 0.5 * wheel.space_deg
    clear = half - 0.05 * wheel.space_deg - 1.5 * wheel.count_deg
    if anywhere and rng.random() < 0.15:
        return half + rng.uniform(-1.0, 1.0) * 1.5 * wheel.count_deg  # on a peg, or by it
    return rng.uniform(-clear, clear)


def make_run(
    rng: Random,
    wheel: Wheel | None = None,
    *,
    spins: int = 1,
    clean: bool = False,
    kinds: tuple[str, ...] | None = None,
    turns: float | None = None,
) -> MoneyRun:
    """A run of some spins.

    With `clean`, a spin is refused for nothing but its revolutions, and comes to rest clear of the pegs.
    """
    wheel = wheel or Wheel()
    kinds = kinds or (CLEAN_KINDS if clean else KINDS)
    plans: list[tuple[str, float, int, float]] = []
    for _ in range(spins):
        back = rng.uniform(0.5, 1.3 * wheel.space_deg) if rng.random() < 0.6 else 0.0
        kind = rng.choice(kinds)
        if plans and plans[-1][0] == "called_late" and kind in ("too_early", "called_late"):
            kind = "plain"  # else whose the late call was would be a matter of opinion
        plans.append((kind, turns or revolutions(rng), rng.choice((-1, 1)), back))
    # The first spin is built once to find where it ends, then again from the start that gives the wanted end.
    target = _rest_target(rng, wheel, not clean) + wheel.space_deg * rng.randrange(wheel.spaces)
    again = rng.getrandbits(64)
    trial = _Session(Random(again), wheel, 0.0)
    trial.spin(*plans[0])
    session = _Session(Random(again), wheel, target - trial.spins[0].rest_deg)
    session.spin(*plans[0])
    for kind, wanted, way, back in plans[1:]:
        session.motion.rest(session.rng.uniform(8.5, 11.0))
        if clean:  # a little more or less, so that this one too ends clear of the pegs
            probe = _probe(session, kind, wanted, way, back)
            into = (probe / wheel.space_deg + 0.5) % 1.0 - 0.5
            wanted_into = _rest_target(rng, wheel, False) / wheel.space_deg
            wanted += way * (wanted_into - into) * wheel.space_deg / 360.0
        session.spin(kind, wanted, way, back)
    session.motion.rest(rng.uniform(8.5, 10.0))
    return session.finish(wheel.index_offset_deg)


def _probe(session: _Session, kind: str, turns: float, way: int, back: float) -> float:
    """Where a spin would come to rest, without adding it to the run."""
    saved = session.rng.getstate()
    twin = _Session(Random(0), session.wheel, 0.0)
    twin.rng.setstate(saved)
    twin.motion = Motion(session.motion.deg).rest(session.motion.t_s)
    twin.spin(kind, turns, way, back)
    return twin.spins[-1].rest_deg
