"""A simulated manual sic bo shaker, and the dealer who covers, shakes and uncovers it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from typing import Final

from hal.clock import NS_PER_S
from hal.values import Batch, Edge, EdgesLost, Rare
from simulators.base.corruption import bounce, noise_burst, pulses_of, repaired, stuck, unplugged, without_pulses
from simulators.base.device_faults import CABLE_PULLED, DeviceFault, by_name, device_fault
from simulators.base.sensors import settle_order
from simulators.dice.bodies import SMALL_DIE_M, Body, fall, new_dice, shown
from simulators.dice.tumble_truth import Tumble, TumbleTruth

LINES: Final = ("cover", "shake")
QUIET_AT_START_S: Final = 5.0
REST_S: Final = 2.0
LEAST_SHAKES: Final = 3
MS: Final = 1_000_000

SHAKER_FAULTS: Final = by_name(
    (
        DeviceFault("too_few_shakes", True, "It is shaken once or twice.", "Void: too_few_shakes."),
        DeviceFault("paused", True, "It is shaken twice, rests, and is shaken twice.", "Void: too_few_shakes."),
        DeviceFault("never_covered", True, "It is shaken without its cover.", "Void: shaken_uncovered."),
        DeviceFault("cover_lifted", True, "The cover comes off while it is shaken.", "Void: shaken_uncovered."),
        DeviceFault("lifted_early", True, "The cover comes off before the dice lie.", "Void: shaken_uncovered."),
        DeviceFault("shaken_before_call", True, "It is shaken at once.", "Void: shaken_before_no_more_bets."),
        DeviceFault("covered_again", True, "The cover goes on again soon after.", "A violation: covered_before_paid."),
        DeviceFault("die_cocked", True, "A die leans on the rim.", "Void: dice_not_flat."),
        DeviceFault("die_stacked", True, "A die lies on another.", "Void: dice_not_flat or die_on_die."),
        DeviceFault("knocked_at_rest", True, "Somebody knocks at it after the dice lie.", "DiceStirred."),
        DeviceFault("shake_dead", False, "The shake sensor feels nothing.", "Void: too_few_shakes; no values count."),
        DeviceFault("shake_stuck", False, "The shake sensor stays high.", "Unresolved: sensor_stuck, and a fault."),
        DeviceFault("cover_dead", False, "The cover's switch never closes.", "Void: shaken_uncovered."),
        DeviceFault("lost_pulse", False, "One pulse of the shake sensor is lost.", "The tumble."),
        DeviceFault("bounce", False, "The cover's switch trembles.", "The tumble."),
        DeviceFault("noise_burst", False, "Short false pulses on the lines.", "The tumble, or a doubt."),
        CABLE_PULLED,
    )
)
"""Every fault, in the order in which they are listed."""


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
    """A round as it should be: covered, three to seven shakes, uncovered when the dice lie."""
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


class ShakerSimulator:
    """A shaker whose three dice and clock go on from round to round. Equal seeds give equal rounds."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._now_s = 0.0
        self._number = 0
        self._dice = new_dice(3, Random(f"{seed}/dice"), SMALL_DIE_M)

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines that its batches may name."""
        return LINES

    @property
    def now_s(self) -> float:
        """Until when it has been played."""
        return self._now_s

    def start(self) -> Batch:
        """Uncovered and quiet at time 0, and five quiet seconds."""
        self._now_s = QUIET_AT_START_S
        return Batch([Edge(line, 0, 0) for line in LINES], [], _ns(self._now_s))

    def tumble(self, fault: str | None = None, begin_s: float | None = None) -> Tumble:
        """The next round of the shaker, with a named fault or without, from `begin_s` on (default: in a while).

        Raises:
            FaultError: a shaker has no fault of this name.
        """
        named = device_fault(fault, SHAKER_FAULTS, "shaker")
        self._number += 1
        rng = Random(f"{self._seed}/{self._number}")
        fault_rng = Random(f"{self._seed}/{self._number}/{named.name}")
        plan = clean_plan(rng)
        if named.physical:
            plan = _spoilt_plan(named.name, plan, fault_rng)
        from_s = self._now_s
        t_s = from_s + plan.wait_s if begin_s is None else max(begin_s, from_s)
        edges, pulses = list[Edge](), list[tuple[float, float]]()
        if plan.covered:
            edges.append(Edge("cover", 1, _ns(t_s)))
            t_s += rng.uniform(0.4, 1.0)
        began_s, rest_s, lifted_s = self._shake(plan, t_s, pulses, rng)
        if plan.covered:
            if lifted_s is None:
                lifted_s = rest_s - 0.05 if plan.lifted_early else rest_s + REST_S + rng.uniform(0.5, 1.5)
            edges.append(Edge("cover", 0, _ns(lifted_s)))
        end_s = max(rest_s + REST_S, lifted_s or 0.0) + rng.uniform(1.0, 2.0)
        if plan.knock:
            pulses += [(end_s, end_s + 0.0015), (end_s + 0.02, end_s + 0.021)]
            end_s += REST_S + 1.0
        if plan.cover_again:
            edges += [Edge("cover", 1, _ns(end_s)), Edge("cover", 0, _ns(end_s + 1.0))]
            end_s += 2.0
        self._now_s = end_s
        edges += [edge for at_s, to_s in pulses for edge in (Edge("shake", 1, _ns(at_s)), Edge("shake", 0, _ns(to_s)))]
        settle_order(edges, _ns(from_s), _ns(end_s))
        truth = self._truth(named.name, plan, began_s, rest_s)
        rare: list[Rare] = []
        if not named.physical:
            edges, lost = self._spoil(named.name, edges, _ns(began_s), _ns(rest_s), _ns(end_s), fault_rng)
            doubts = ("too_few_shakes", "shaken_uncovered", "edges_lost", "sensor_missing", "sensor_stuck")
            rare, truth = [*lost], truth.doubted(named.name.replace("_", " "), doubts)
        return Tumble(Batch(edges, rare, _ns(end_s)), truth, self._number, fault)

    def _shake(
        self, plan: ShakerPlan, t_s: float, pulses: list[tuple[float, float]], rng: Random
    ) -> tuple[float, float, float | None]:
        """Shakes it: when it was first shaken, when the dice lay, and when the cover came off before that."""
        began_s, rest_s, lifted_s = t_s, t_s, None
        for k, shakes in enumerate(plan.shakes):
            if k:
                t_s = rest_s + REST_S + rng.uniform(1.0, 2.0)
            for shake in range(shakes):
                # The switch closes at each stroke, and lets go a few times.
                from_s = t_s
                for _ in range(rng.randint(1, 3)):
                    pulses.append((t_s, t_s + rng.uniform(0.006, 0.02)))
                    t_s = pulses[-1][1] + rng.uniform(0.004, 0.02)
                if shake == plan.lift_after:
                    lifted_s = (from_s + pulses[-1][1]) / 2
                t_s += rng.uniform(0.13, 0.3)
            for die in self._dice:
                rest_s = max(rest_s, fall(die, pulses[-1][1], rng.uniform(8.0, 20.0), rng).rest_s)
        return began_s, rest_s, lifted_s

    def _truth(self, fault: str, plan: ShakerPlan, began_s: float, rest_s: float) -> TumbleTruth:
        dice = [shown(die) for die in self._dice]
        reasons: list[str] = []
        if fault == "die_cocked":
            dice[-1] = shown(self._dice[-1], "cocked")
            reasons.append("dice_not_flat")
        elif fault == "die_stacked":
            dice[-1] = shown(self._dice[-1], "stacked")
            reasons.append("die_on_die")
        bare = not plan.covered or plan.lift_after is not None or plan.lifted_early
        if max(plan.shakes) < LEAST_SHAKES:
            reasons.append("too_few_shakes")
        if bare:
            reasons.append("shaken_uncovered")
        return TumbleTruth(
            tumbled=max(plan.shakes) >= LEAST_SHAKES and not bare,
            dice=tuple(dice),
            times=0 if not plan.covered else max(plan.shakes),
            began_ns=_ns(began_s),
            rest_ns=_ns(rest_s),
            reasons=tuple(reasons),
            detail=f"{'+'.join(map(str, plan.shakes))} shakes, rest at {rest_s:.2f} s",
        )

    def _spoil(
        self, name: str, edges: list[Edge], from_ns: int, rest_ns: int, end_ns: int, rng: Random
    ) -> tuple[list[Edge], list[EdgesLost]]:
        """What a line fault makes of the edges; by the end of the round it is repaired."""
        levels = dict.fromkeys(LINES, 0)
        at_ns = rng.randrange(from_ns, rest_ns)
        lost: list[EdgesLost] = []
        first_ns = edges[0].t_ns - 1
        if name in ("shake_dead", "cover_dead"):
            line = name.removesuffix("_dead")
            spoilt = stuck(line, 0, first_ns, end_ns - MS, levels)(edges)
        elif name == "shake_stuck":
            spoilt = stuck("shake", 1, at_ns, end_ns - MS, levels)(edges)
        elif name == "lost_pulse":
            gone = rng.randrange(max(1, len(pulses_of(edges, "shake"))))
            spoilt = without_pulses("shake", gone.__eq__)(edges)
        elif name == "bounce":
            spoilt = bounce(("cover",), 1.0, 15 * MS, rng, levels)(edges)
        elif name == "noise_burst":
            spoilt = noise_burst(LINES, at_ns, at_ns + 200 * MS, 20, rng, levels)(edges)
        else:
            corrupt, lost = unplugged(LINES, at_ns, min(at_ns + 800 * MS, end_ns - MS), levels)
            spoilt = corrupt(edges)
        return repaired(spoilt, edges, levels, end_ns), lost

    @property
    def dice(self) -> tuple[Body, ...]:
        """Its dice, as they lie now."""
        return tuple(self._dice)


def _ns(t_s: float) -> int:
    return int(t_s * NS_PER_S)
