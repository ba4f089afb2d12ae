"""A simulated dice cage, and the dealer who turns it.

The dealer inverts the cage a few times, each time over its axle or back again. The dice fall when it goes over, tumble
and rock (`simulators.dice.bodies`); the sensors see the cage pass their marks, and feel every knock.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from typing import Final

from hal.values import Batch, Edge
from simulators.base.device_faults import CABLE_PULLED, NamedFault, by_name
from simulators.base.geometry import GeometryError
from simulators.base.motion import Path
from simulators.base.sensors import MarkRing, in_ns, quadrature_marks, settle_order, window_marks
from simulators.dice.bodies import Body, fall, new_dice
from simulators.dice.shake_sensor import felt
from simulators.dice.tumble_truth import Tumble, TumbleTruth
from simulators.dice.tumbling import MS, QUIET_AT_START_S, Draws, SpoiltLines, against_lying, as_they_lie

# What can go wrong with a dice cage, by name.

CAGE_FAULTS = by_name(
    (
        NamedFault("too_few_inversions", True, "The cage is inverted once or twice.", "Void: too_few_inversions."),
        NamedFault(
            "rocked",
            True,
            "The cage is rocked to and fro, and is never the other way up.",
            "Void: too_few_inversions.",
        ),
        NamedFault(
            "paused",
            True,
            "The dice come to rest between the inversions.",
            "Void: too_few_inversions; each later part: tumbled_before_no_more_bets.",
        ),
        NamedFault(
            "askew",
            True,
            "The cage is let go on its side.",
            "With an encoder cage_askew; a tilt switch cannot see it, but the dealer can.",
        ),
        NamedFault("die_cocked", True, "A die leans on the wire or on another.", "Void: dice_not_flat."),
        NamedFault("die_stacked", True, "A die is on another.", "Void: dice_not_flat or die_on_die."),
        NamedFault("die_off", True, "A die falls out of the cage.", "Void: die_off_table."),
        NamedFault(
            "knocked_at_rest",
            True,
            "Somebody knocks at the cage after the dice have come to rest.",
            "DiceStirred: whatever was read of them before is in doubt.",
        ),
        NamedFault("drumming", True, "A hand drums on the cage, and the dice do not lie.", "DiceRestless; no rest."),
        NamedFault("turn_dead", False, "The sensor of turning never changes.", "Void, or sensor_stuck."),
        NamedFault("shake_dead", False, "The shake sensor feels nothing.", "Unresolved: sensor_stuck, and a fault."),
        NamedFault("shake_stuck", False, "The shake sensor stays high.", "Unresolved: sensor_stuck, and a fault."),
        NamedFault("lost_pulse", False, "One pulse of a line of turning is lost.", "The tumble, or too few."),
        NamedFault("bounce", False, "The contacts bounce.", "The tumble."),
        NamedFault("noise_burst", False, "Short false pulses on the lines.", "The tumble, or a doubt."),
        CABLE_PULLED,
    )
)
"""Every fault, in the order in which they are listed."""


REST_S: Final = 2.0
"""How long a correct driver waits before it believes that dice are at rest."""
LEAST_INVERSIONS: Final = 3
ENERGY: Final = (6.0, 25.0)
"""Of a die that falls through the cage, in barriers."""
PULSE_WIDTH_DEG: Final = 14.0
SHAKE: Final = "cage_shake"
DOUBTS: Final = ("sensor_stuck", "sensor_missing", "edges_lost", "too_few_inversions", "cage_askew")
"""What may be reported of a tumble whose lines were spoilt."""


@dataclass(frozen=True, slots=True)
class CageGeometry:
    """A cage, its dice and its sensors.

    Raises:
        GeometryError: a cage that nobody can have.
    """

    dice: int = 2
    sensing: str = "level"
    encoder_slots: int = 100

    def __post_init__(self) -> None:
        if self.sensing not in ("level", "pulse", "encoder"):
            raise GeometryError(f'sensing is "level", "pulse" or "encoder", not "{self.sensing}"')
        if not 1 <= self.dice <= 5:
            raise GeometryError(f"a cage holds 1 to 5 dice, not {self.dice}")
        if self.encoder_slots < 2:
            raise GeometryError(f"an encoder has two slots or more, not {self.encoder_slots}")

    @property
    def turn_lines(self) -> tuple[str, ...]:
        """The lines that sense its turning."""
        return ("cage_a", "cage_b") if self.sensing == "encoder" else ("cage_turn",)

    def turn_ring(self) -> MarkRing:
        """The marks of its turning before their sensors, as it is at the beginning."""
        if self.sensing == "encoder":
            period_deg, marks = quadrature_marks(self.encoder_slots, *self.turn_lines)
        elif self.sensing == "level":
            period_deg, marks = 360.0, window_marks("cage_turn", 180.0, 180.0)
        else:
            period_deg, marks = 180.0, window_marks("cage_turn", 90.0, PULSE_WIDTH_DEG, 180.0)
        return MarkRing(marks, 0.0, period_deg)


@dataclass(frozen=True, slots=True)
class CagePlan:
    """One tumble as planned; what comes of it is physics."""

    ways: tuple[int, ...]
    """Each inversion: 1 onwards over the axle, -1 back."""
    each_s: float
    """How long an inversion takes."""
    pauses_s: tuple[float, ...]
    """After each inversion but the last."""
    rocks: int = 0
    """How often it is rocked instead, and how far."""
    rock_deg: float = 0.0
    askew_deg: float = 0.0
    knock_s: float | None = None
    """From the rest to a knock at the cage."""
    drum_s: float = 0.0
    """How long a hand drums on it."""


def clean_plan(rng: Random) -> CagePlan:
    """A tumble as it should be: three to six inversions, without a rest between them."""
    count = rng.randint(LEAST_INVERSIONS, 6)
    way = rng.choice((1, -1))
    ways = tuple(way if rng.random() < 0.7 else -way for _ in range(count))
    return CagePlan(ways, rng.uniform(0.45, 1.1), tuple(rng.uniform(0.05, 0.7) for _ in range(count - 1)))


def _spoilt_plan(name: str, plan: CagePlan, rng: Random) -> CagePlan:
    match name:
        case "too_few_inversions":
            count = rng.randint(1, LEAST_INVERSIONS - 1)
            return replace(plan, ways=plan.ways[:count], pauses_s=plan.pauses_s[: count - 1])
        case "rocked":
            return replace(plan, ways=(), pauses_s=(), rocks=rng.randint(4, 9), rock_deg=rng.uniform(30.0, 80.0))
        case "paused":
            pauses = tuple(rng.uniform(5.0, 8.0) for _ in range(3))
            return replace(plan, ways=plan.ways[:1] * 4, pauses_s=pauses)
        case "askew":
            return replace(plan, askew_deg=rng.choice((1, -1)) * rng.uniform(45.0, 75.0))
        case "knocked_at_rest":
            return replace(plan, knock_s=REST_S + rng.uniform(0.5, 2.0))
        case "drumming":
            return replace(plan, drum_s=rng.uniform(18.0, 25.0))
    return plan


class CageSimulator:
    """A cage whose dice, angle and clock go on from tumble to tumble. Equal seeds give equal tumbles."""

    def __init__(self, geometry: CageGeometry, seed: int) -> None:
        self.geometry = geometry
        self._now_s = 0.0
        self._angle_deg = 0.0
        self._draws = Draws(seed, CAGE_FAULTS, "cage")
        self._dice = new_dice(geometry.dice, Random(f"{seed}/dice"))
        self._ring = geometry.turn_ring()

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines that its batches may name."""
        return (*self.geometry.turn_lines, SHAKE)

    @property
    def now_s(self) -> float:
        """Until when it has been played."""
        return self._now_s

    def start(self) -> Batch:
        """The level of every line at time 0, and five quiet seconds."""
        self._now_s = QUIET_AT_START_S
        levels = self._levels()
        return Batch([Edge(line, levels[line], 0) for line in self.lines], [], in_ns(self._now_s))

    def tumble(self, fault: str | None = None, begin_s: float | None = None) -> Tumble:
        """The next tumble, with a named fault or without, from `begin_s` on (default: in a while).

        Raises:
            FaultError: a cage has no fault of this name.
        """
        drawn = self._draws.next(fault)
        rng = drawn.rng
        plan = drawn.plan(clean_plan, _spoilt_plan)
        from_s, levels = self._now_s, self._levels()
        path = Path(from_s, self._angle_deg)
        path.push(0.0, max(0.0, rng.uniform(1.0, 3.0) if begin_s is None else begin_s - from_s))
        knocks_s, runs, begin_s = self._turn(plan, path, rng)
        rest_s = max((path.now_s, *knocks_s))
        truth = self._truth(drawn.fault.name, plan, runs, begin_s, rest_s)
        self._after(plan, path, rest_s, knocks_s, rng)
        edges = self._ring.edges(path.segments) + felt(SHAKE, knocks_s, rng)
        end_ns = in_ns(path.now_s)
        settle_order(edges, in_ns(from_s), end_ns)
        self._angle_deg, self._now_s = path.angle_deg, path.now_s
        spoilt = SpoiltLines(edges, self.lines, levels, end_ns, drawn.fault_rng)
        if not drawn.fault.physical:
            self._spoil(drawn.fault.name, spoilt, in_ns(begin_s), in_ns(rest_s))
        return drawn.tumble(spoilt, truth, DOUBTS)

    def _turn(self, plan: CagePlan, path: Path, rng: Random) -> tuple[list[float], list[int], float]:
        """Turns the cage: when dice knocked, the inversions of each run between rests, and when it began."""
        begin_s = path.now_s
        knocks_s: list[float] = []
        for _ in range(plan.rocks):
            way = rng.choice((1, -1))
            path.swing(way * plan.rock_deg, plan.each_s * 0.6)
            knocks_s += [path.now_s - rng.uniform(0.0, 0.2) for _ in self._dice]
            path.swing(-way * plan.rock_deg, plan.each_s * 0.6)
        runs = [0]
        for k, way in enumerate(plan.ways):
            over_s = path.now_s + plan.each_s * rng.uniform(0.45, 0.6)
            path.swing(way * 180.0, plan.each_s * rng.uniform(0.9, 1.1))
            runs[-1] += 1
            until_s = path.now_s + plan.pauses_s[k] if k < len(plan.pauses_s) else None
            for die in self._dice:
                knocks = fall(die, over_s + rng.uniform(0.0, 0.15), rng.uniform(*ENERGY), rng).knocks_s
                # The next inversion takes the dice along before they are at rest.
                knocks_s += [t_s for t_s in knocks if until_s is None or t_s < until_s + plan.each_s * 0.5]
            if until_s is not None:
                path.push(0.0, plan.pauses_s[k])
                if plan.pauses_s[k] > REST_S + 2.0:
                    runs.append(0)
        if plan.askew_deg:
            path.swing(plan.askew_deg, plan.each_s * 0.6)
            knocks_s += [path.now_s for _ in self._dice]
        return knocks_s, runs, begin_s

    def _after(self, plan: CagePlan, path: Path, rest_s: float, knocks_s: list[float], rng: Random) -> None:
        """What follows the rest: perhaps a knock, and quiet."""
        if plan.drum_s:
            t_s = path.now_s
            while t_s < path.now_s + plan.drum_s:
                t_s += rng.uniform(0.1, 0.6)
                knocks_s.append(t_s)
            rest_s = t_s
        if plan.knock_s is not None:
            at_s = rest_s + plan.knock_s
            knocks_s += [at_s + k * rng.uniform(0.01, 0.05) for k in range(rng.randint(1, 4))]
            rest_s = max(knocks_s)
        path.push(0.0, rest_s + REST_S + rng.uniform(1.0, 2.0) - path.now_s)
        if plan.askew_deg:
            path.swing(-plan.askew_deg, 1.0)
            knocks_s += [path.now_s for _ in self._dice]
            path.push(0.0, REST_S + rng.uniform(1.0, 2.0))

    def _truth(self, fault: str, plan: CagePlan, runs: list[int], begin_s: float, rest_s: float) -> TumbleTruth:
        dice = as_they_lie(self._dice, fault)
        enough = max(runs) >= LEAST_INVERSIONS
        reasons: list[str] = [] if enough else ["too_few_inversions"]
        reasons += ["cage_askew"] if plan.askew_deg else []
        reasons += against_lying(dice)
        return TumbleTruth(
            tumbled=enough and not plan.askew_deg and fault != "die_off",
            dice=tuple(dice),
            times=max(runs),
            began_ns=in_ns(begin_s),
            rest_ns=in_ns(rest_s),
            reasons=tuple(dict.fromkeys(reasons)),
            detail=f"{'+'.join(map(str, runs))} inversions of {plan.each_s:.2f} s, rest at {rest_s:.2f} s",
        )

    def _spoil(self, name: str, lines: SpoiltLines, from_ns: int, rest_ns: int) -> None:
        """A fault of the lines, between the beginning of the tumble and its rest."""
        rng = lines.rng
        turn = rng.choice(self.geometry.turn_lines)
        match name:
            case "turn_dead" | "shake_dead":
                line = turn if name == "turn_dead" else SHAKE
                lines.stuck(line, lines.levels[line], from_ns)
            case "shake_stuck":
                lines.stuck(SHAKE, 1, rng.randrange(from_ns, rest_ns))
            case "lost_pulse":
                lines.without_a_pulse(turn)
            case "bounce":
                lines.bouncing(self.lines, 0.5, MS // 5 if self.geometry.sensing == "encoder" else 4 * MS)
            case "noise_burst":
                lines.noisy(rng.randrange(from_ns, rest_ns))
            case _:
                lines.unplugged(rng.randrange(from_ns, rest_ns))

    def _levels(self) -> dict[str, int]:
        return {**self._ring.levels(), SHAKE: 0}

    @property
    def dice(self) -> tuple[Body, ...]:
        """Its dice, as they lie now."""
        return tuple(self._dice)
