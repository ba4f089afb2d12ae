"""A simulated manual sic bo shaker, and the dealer who covers, shakes and uncovers it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Final

from hal.values import Batch, Edge
from simulators.base.device_faults import CABLE_PULLED, NamedFault, by_name
from simulators.base.geometry import GeometryError
from simulators.base.sensors import in_ns, settle_order
from simulators.dice.bodies import SMALL_DIE_M, Body, fall, new_dice
from simulators.dice.tumble_truth import Tumble, TumbleTruth
from simulators.dice.tumbling import MS, QUIET_AT_START_S, Draws, SpoiltLines, against_lying, as_they_lie

LINES: Final = ("cover", "shake")
REST_S: Final = 2.0
LEAST_SHAKES: Final = 3
DOUBTS: Final = ("too_few_shakes", "shaken_uncovered", "edges_lost", "sensor_missing", "sensor_stuck")
"""What may be reported of a round whose lines were spoilt."""

SHAKER_FAULTS: Final = by_name(
    (
        NamedFault("too_few_shakes", True, "It is shaken once or twice.", "Void: too_few_shakes."),
        NamedFault("paused", True, "It is shaken twice, rests, and is shaken twice.", "Void: too_few_shakes."),
        NamedFault("never_covered", True, "It is shaken without its cover.", "Void: shaken_uncovered."),
        NamedFault("cover_lifted", True, "The cover comes off while it is shaken.", "Void: shaken_uncovered."),
        NamedFault("lifted_early", True, "The cover comes off before the dice are at rest.", "Void: shaken_uncovered."),
        NamedFault("shaken_before_call", True, "It is shaken at once.", "Void: shaken_before_no_more_bets."),
        NamedFault("covered_again", True, "The cover goes on again soon after.", "A violation: covered_before_paid."),
        NamedFault("die_cocked", True, "A die leans on the rim.", "Void: dice_not_flat."),
        NamedFault("die_stacked", True, "A die is on another.", "Void: dice_not_flat or die_on_die."),
        NamedFault("knocked_at_rest", True, "Somebody knocks at it after the dice are at rest.", "DiceStirred."),
        NamedFault("shake_dead", False, "The shake sensor feels nothing.", "Void: too_few_shakes; no values count."),
        NamedFault("shake_stuck", False, "The shake sensor stays high.", "Unresolved: sensor_stuck, and a fault."),
        NamedFault("cover_dead", False, "The cover's switch never closes.", "Void: shaken_uncovered."),
        NamedFault("lost_pulse", False, "One pulse of the shake sensor is lost.", "The tumble."),
        NamedFault("bounce", False, "The cover's switch trembles.", "The tumble."),
        NamedFault("noise_burst", False, "Short false pulses on the lines.", "The tumble, or a doubt."),
        CABLE_PULLED,
    )
)
"""Every fault, in the order in which they are listed."""


@dataclass(frozen=True, slots=True)
class ShakerGeometry:
    """A shaker with this many dice.

    Raises:
        GeometryError: a shaker that nobody can have.
    """

    dice: int = 3

    def __post_init__(self) -> None:
        if not 1 <= self.dice <= 5:
            raise GeometryError(f"a shaker takes 1 to 5 dice, not {self.dice}")


@dataclass(frozen=True, slots=True)
class ShakerPlan:
    """One round as planned."""

    shakes: tuple[int, ...]
    """How often it is shaken, and again after each rest."""
    covered: bool = True
    lift_after: int | None = None
    """The shake during which the cover comes off."""
    lifted_early: bool = False
    knock: bool = False
    cover_again: bool = False
    wait_s: float = 2.0


def clean_plan(rng: Random) -> ShakerPlan:
    """A round as it should be: covered, three to seven shakes, uncovered when the dice are at rest."""
    return ShakerPlan((rng.randint(LEAST_SHAKES, 7),), wait_s=rng.uniform(1.0, 3.0))


def _spoilt_plan(name: str, plan: ShakerPlan, rng: Random) -> ShakerPlan:
    match name:
        case "too_few_shakes":
            return replace(plan, shakes=(rng.randint(1, LEAST_SHAKES - 1),))
        case "paused":
            return replace(plan, shakes=(2, 2))
        case "never_covered":
            return replace(plan, covered=False)
        case "cover_lifted":
            return replace(plan, lift_after=rng.randrange(plan.shakes[0]))
        case "lifted_early":
            return replace(plan, lifted_early=True)
        case "shaken_before_call":
            return replace(plan, wait_s=0.05)
        case "covered_again":
            return replace(plan, cover_again=True)
        case "knocked_at_rest":
            return replace(plan, knock=True)
    return plan


class Handled:
    """One round as hands and dice make it: the cover goes on, the shaker is shaken, the cover comes off."""

    def __init__(self, dice: Sequence[Body], plan: ShakerPlan, t_s: float, rng: Random) -> None:
        self._dice = dice
        self._plan = plan
        self._rng = rng
        self._cover: list[tuple[int, float]] = []
        self._pulses_s: list[tuple[float, float]] = []
        self._lifted_s: float | None = None
        if plan.covered:
            self._cover.append((1, t_s))
            t_s += rng.uniform(0.4, 1.0)
        self.began_s = self.rest_s = t_s
        """When it was first shaken, and when the dice came to rest."""
        self._shake(t_s)
        if plan.covered:
            self._uncover()
        self.end_s = self._after()
        """When the next round may begin."""

    @property
    def edges(self) -> list[Edge]:
        """What cover and shake sensor make of it: those of the cover first."""
        cover = [Edge("cover", level, in_ns(t_s)) for level, t_s in self._cover]
        felt = [(Edge("shake", 1, in_ns(at_s)), Edge("shake", 0, in_ns(to_s))) for at_s, to_s in self._pulses_s]
        return [*cover, *(edge for pulse in felt for edge in pulse)]

    def _shake(self, t_s: float) -> None:
        """Shakes it as often as planned, and again after each rest."""
        rng = self._rng
        for k, shakes in enumerate(self._plan.shakes):
            if k:
                t_s = self.rest_s + REST_S + rng.uniform(1.0, 2.0)
            for shake in range(shakes):
                from_s, t_s = t_s, self._stroke(t_s)
                if shake == self._plan.lift_after:
                    self._lifted_s = (from_s + self._pulses_s[-1][1]) / 2
                t_s += rng.uniform(0.13, 0.3)
            for die in self._dice:
                fallen = fall(die, self._pulses_s[-1][1], rng.uniform(8.0, 20.0), rng)
                self.rest_s = max(self.rest_s, fallen.rest_s)

    def _stroke(self, t_s: float) -> float:
        """One stroke: the switch closes, and lets go a few times. Returns when it is over."""
        for _ in range(self._rng.randint(1, 3)):
            self._pulses_s.append((t_s, t_s + self._rng.uniform(0.006, 0.02)))
            t_s = self._pulses_s[-1][1] + self._rng.uniform(0.004, 0.02)
        return t_s

    def _uncover(self) -> None:
        """The cover comes off: while it was shaken, before the dice are at rest, or a while after."""
        if self._lifted_s is None and self._plan.lifted_early:
            self._lifted_s = self.rest_s - 0.05
        elif self._lifted_s is None:
            self._lifted_s = self.rest_s + REST_S + self._rng.uniform(0.5, 1.5)
        self._cover.append((0, self._lifted_s))

    def _after(self) -> float:
        """What is done to it after its dice were seen. Returns when that is over."""
        end_s = max(self.rest_s + REST_S, self._lifted_s or 0.0) + self._rng.uniform(1.0, 2.0)
        if self._plan.knock:
            self._pulses_s += [(end_s, end_s + 0.0015), (end_s + 0.02, end_s + 0.021)]
            end_s += REST_S + 1.0
        if self._plan.cover_again:
            self._cover += [(1, end_s), (0, end_s + 1.0)]
            end_s += 2.0
        return end_s


class ShakerSimulator:
    """A shaker whose dice and clock go on from round to round. Equal seeds give equal rounds."""

    def __init__(self, seed: int, geometry: ShakerGeometry = ShakerGeometry()) -> None:
        self._now_s = 0.0
        self._draws = Draws(seed, SHAKER_FAULTS, "shaker")
        self._dice = new_dice(geometry.dice, Random(f"{seed}/dice"), SMALL_DIE_M)

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines that its batches may name."""
        return LINES

    @property
    def now_s(self) -> float:
        """Until when it has been played."""
        return self._now_s

    @property
    def dice(self) -> tuple[Body, ...]:
        """Its dice, as they lie now."""
        return tuple(self._dice)

    def start(self) -> Batch:
        """Uncovered and quiet at time 0, and five quiet seconds."""
        self._now_s = QUIET_AT_START_S
        return Batch([Edge(line, 0, 0) for line in LINES], [], in_ns(self._now_s))

    def tumble(self, fault: str | None = None, begin_s: float | None = None) -> Tumble:
        """The next round of the shaker, with a named fault or without, from `begin_s` on (default: in a while).

        Raises:
            FaultError: a shaker has no fault of this name.
        """
        drawn = self._draws.next(fault)
        plan = drawn.plan(clean_plan, _spoilt_plan)
        from_s = self._now_s
        t_s = from_s + plan.wait_s if begin_s is None else max(begin_s, from_s)
        handled = Handled(self._dice, plan, t_s, drawn.rng)
        self._now_s = handled.end_s
        edges, end_ns = handled.edges, in_ns(handled.end_s)
        settle_order(edges, in_ns(from_s), end_ns)
        spoilt = SpoiltLines(edges, LINES, dict.fromkeys(LINES, 0), end_ns, drawn.fault_rng)
        if not drawn.fault.physical:
            at_ns = drawn.fault_rng.randrange(in_ns(handled.began_s), in_ns(handled.rest_s))
            _spoil(drawn.fault.name, spoilt, at_ns)
        return drawn.tumble(spoilt, self._truth(drawn.fault.name, plan, handled), DOUBTS)

    def _truth(self, fault: str, plan: ShakerPlan, handled: Handled) -> TumbleTruth:
        dice = as_they_lie(self._dice, fault)
        reasons = against_lying(dice)
        bare = not plan.covered or plan.lift_after is not None or plan.lifted_early
        enough = max(plan.shakes) >= LEAST_SHAKES
        if not enough:
            reasons.append("too_few_shakes")
        if bare:
            reasons.append("shaken_uncovered")
        return TumbleTruth(
            tumbled=enough and not bare,
            dice=tuple(dice),
            times=0 if not plan.covered else max(plan.shakes),
            began_ns=in_ns(handled.began_s),
            rest_ns=in_ns(handled.rest_s),
            reasons=tuple(reasons),
            detail=f"{'+'.join(map(str, plan.shakes))} shakes, rest at {handled.rest_s:.2f} s",
        )


def _spoil(name: str, lines: SpoiltLines, at_ns: int) -> None:
    """A fault of the lines, which begins at the first edge or at a moment of the shaking."""
    match name:
        case "shake_dead" | "cover_dead":
            lines.stuck(name.removesuffix("_dead"), 0, lines.edges[0].t_ns - 1)
        case "shake_stuck":
            lines.stuck("shake", 1, at_ns)
        case "lost_pulse":
            lines.without_a_pulse("shake")
        case "bounce":
            lines.bouncing(("cover",), 1.0, 15 * MS)
        case "noise_burst":
            lines.noisy(at_ns)
        case _:
            lines.unplugged(at_ns)
