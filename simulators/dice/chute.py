"""A simulated dice chute: dice are dropped in at the top, tumble over the baffles, and come to rest in the tray."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Final

from hal.values import Batch, Edge
from simulators.base.device_faults import CABLE_PULLED, NamedFault, by_name
from simulators.base.geometry import GeometryError
from simulators.base.sensors import any_of, in_ns, settle_order
from simulators.dice.bodies import ROLLS, Body, fall, new_dice, shown
from simulators.dice.tumble_truth import Tumble, TumbleTruth
from simulators.dice.tumbling import MS, QUIET_AT_START_S, Draws, SpoiltLines, against_lying, as_they_lie

QUIET_S: Final = (4.0, 5.5)
"""After the dice are at rest: longer than a correct driver waits."""
PASS_S: Final = (0.03, 0.12)
"""How long a die is in a beam (ours)."""
BETWEEN_S: Final = (0.15, 0.4)
"""From one baffle to the next (ours)."""
APART_S: Final = (0.6, 1.2)
"""From one die to the next, where they are dropped one after the other (ours)."""
LEAST_BAFFLES: Final = 3
DOUBTS: Final = ("baffles_missed", "too_many_passes", "dice_together", "die_jammed", "edges_lost", "sensor_missing",
                 "sensor_stuck")  # fmt: skip
"""What may be reported of a tumble whose lines were spoilt."""

CHUTE_FAULTS: Final = by_name(
    (
        NamedFault("die_jammed", True, "A die sticks in a beam.", "Void: die_jammed, and a fault."),
        NamedFault(
            "die_stuck_between",
            True,
            "A die sticks between two baffles.",
            "Void: dice_not_flat, called by who sees it, or baffles_missed.",
        ),
        NamedFault("baffle_missed", True, "A die goes round a baffle.", "Void: baffles_missed."),
        NamedFault("dice_together", True, "Two dice fall as one.", "Unresolved: dice_together."),
        NamedFault(
            "too_few_dice",
            True,
            "A die is not dropped in.",
            "Void: dice_not_flat, called by who sees it, or baffles_missed.",
        ),
        NamedFault("something_else", True, "Something else falls after the dice.", "Unresolved: too_many_passes."),
        NamedFault("die_cocked", True, "A die leans on another in the tray.", "Void: dice_not_flat."),
        NamedFault(
            "die_off", True, "A die jumps out of the tray.", "Void: dice_not_flat called, or die_off_table by a board."
        ),
        NamedFault("beam_dead", False, "One beam sees nothing.", "Void: baffles_missed; then a fault, sensor_stuck."),
        NamedFault("beam_broken", False, "One beam stays broken.", "Void: die_jammed, and a fault."),
        NamedFault("lost_pulse", False, "One pass is not seen by one beam.", "The tumble, or baffles_missed."),
        NamedFault("bounce", False, "The beams flutter as a die goes by.", "The tumble."),
        NamedFault("noise_burst", False, "Short false pulses on the beams.", "The tumble, or a doubt."),
        CABLE_PULLED,
    )
)
"""Every fault, in the order in which they are listed."""


@dataclass(frozen=True, slots=True)
class ChuteGeometry:
    """A chute, its dice and its beams, one a baffle.

    Raises:
        GeometryError: a chute that nobody can have.
    """

    dice: int = 2
    baffles: int = LEAST_BAFFLES

    def __post_init__(self) -> None:
        if self.baffles < LEAST_BAFFLES:
            raise GeometryError(f"a chute has three baffles or more, not {self.baffles}")
        if not 1 <= self.dice <= 5:
            raise GeometryError(f"a chute takes 1 to 5 dice, not {self.dice}")

    @property
    def lines(self) -> tuple[str, ...]:
        """The names of the beams' lines, from the uppermost."""
        return tuple(f"chute_{k}" for k in range(1, self.baffles + 1))


class ChuteSimulator:
    """A chute whose dice and clock go on from tumble to tumble. Equal seeds give equal tumbles."""

    def __init__(self, geometry: ChuteGeometry, seed: int) -> None:
        self.geometry = geometry
        self._now_s = 0.0
        self._draws = Draws(seed, CHUTE_FAULTS, "chute")
        self._dice = new_dice(geometry.dice, Random(f"{seed}/dice"))

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines that its batches may name."""
        return self.geometry.lines

    @property
    def now_s(self) -> float:
        """Until when it has been played."""
        return self._now_s

    def start(self) -> Batch:
        """Every beam free at time 0, and five quiet seconds."""
        self._now_s = QUIET_AT_START_S
        return Batch([Edge(line, 0, 0) for line in self.lines], [], in_ns(self._now_s))

    def tumble(self, fault: str | None = None, begin_s: float | None = None) -> Tumble:
        """The next tumble, with a named fault or without, from `begin_s` on (default: in a while).

        Raises:
            FaultError: a chute has no fault of this name.
        """
        drawn = self._draws.next(fault)
        name, rng, fault_rng = drawn.fault.name, drawn.rng, drawn.fault_rng
        from_s = self._now_s
        begin_s = from_s + rng.uniform(1.0, 3.0) if begin_s is None else max(begin_s, from_s)
        pulses, passed, rest_s = self._drop(name, begin_s, rng, fault_rng)
        self._now_s = max(rest_s, *(end_s for _, _, end_s in pulses)) + rng.uniform(*QUIET_S)
        edges = any_of(
            [
                edge
                for line, at_s, end_s in pulses
                for edge in (Edge(line, 1, in_ns(at_s)), Edge(line, 0, in_ns(end_s)))
            ],
            {},
        )
        end_ns = in_ns(self._now_s)
        settle_order(edges, in_ns(from_s), end_ns)
        spoilt = SpoiltLines(edges, self.lines, dict.fromkeys(self.lines, 0), end_ns, fault_rng)
        if not drawn.fault.physical:
            _spoil(name, spoilt, in_ns(begin_s), in_ns(rest_s))
        return drawn.tumble(spoilt, self._truth(name, passed, begin_s, rest_s), DOUBTS)

    def _drop(
        self, fault: str, begin_s: float, rng: Random, fault_rng: Random
    ) -> tuple[list[tuple[str, float, float]], list[int], float]:
        """Drops the dice in: each break of a beam, how many baffles each die passed, and when the last one lay."""
        odd = fault_rng.randrange(len(self._dice))
        at_baffle = fault_rng.randrange(self.geometry.baffles)
        pulses: list[tuple[str, float, float]] = []
        passed = [0] * len(self._dice)
        drop_s = rest_s = begin_s
        for k, die in enumerate(self._dice):
            if k == odd and fault == "too_few_dice":
                continue
            t_s, stuck_here = drop_s, False
            for baffle, line in enumerate(self.lines):
                t_s += rng.uniform(*BETWEEN_S)
                through_s = rng.uniform(*PASS_S)
                die.roll(rng.randrange(ROLLS))
                if k == odd and baffle == at_baffle:
                    if fault == "baffle_missed":
                        continue
                    stuck_here = fault in ("die_jammed", "die_stuck_between")
                    if fault == "die_jammed":
                        # Somebody takes it out.
                        through_s = 8.0
                    elif fault == "die_stuck_between":
                        break
                pulses.append((line, t_s, t_s + through_s))
                t_s += through_s
                if stuck_here:
                    break
                passed[k] += 1
            if not stuck_here:
                t_s = fall(die, t_s, rng.uniform(3.0, 10.0), rng).rest_s
            rest_s = max(rest_s, t_s)
            # Together: nearer than a die takes to pass a beam.
            drop_s += (
                0.01 if fault == "dice_together" else rng.uniform(*APART_S) * self.geometry.baffles / LEAST_BAFFLES
            )
        if fault == "dice_together" and len(self._dice) > 1:
            # All in the beams of the first.
            ways = pulses[: self.geometry.baffles]
            pulses = [
                (line, at_s + k * 0.01, end_s + k * 0.01) for k in range(len(passed)) for line, at_s, end_s in ways
            ]
        if fault == "something_else":
            for line in self.lines:
                rest_s += rng.uniform(*BETWEEN_S)
                pulses.append((line, rest_s, rest_s + rng.uniform(*PASS_S)))
        return pulses, passed, rest_s

    def _truth(self, fault: str, passed: list[int], begin_s: float, rest_s: float) -> TumbleTruth:
        dice = as_they_lie(self._dice, fault)
        reasons = tuple(against_lying(dice))
        if not reasons and min(passed) < self.geometry.baffles:
            missing = passed.index(min(passed))
            reasons = ("baffles_missed", "dice_together", "die_jammed")
            if fault != "baffle_missed":
                dice[missing] = shown(self._dice[missing], "off_table")
        elif not reasons and fault in ("dice_together", "something_else"):
            reasons = ("dice_together", "baffles_missed", "too_many_passes")
        # Every die went through; that something else did too does not undo it, but nobody can distinguish them.
        clear = fault != "something_else" and not (fault == "dice_together" and len(passed) > 1)
        return TumbleTruth(
            tumbled=min(passed) == self.geometry.baffles and clear and fault != "die_off",
            dice=tuple(dice),
            times=min(passed),
            began_ns=in_ns(begin_s),
            rest_ns=in_ns(rest_s),
            reasons=reasons,
            detail=f"passed {'-'.join(map(str, passed))} of {self.geometry.baffles} baffles, rest at {rest_s:.2f} s",
        )

    @property
    def dice(self) -> tuple[Body, ...]:
        """Its dice, as they lie now."""
        return tuple(self._dice)


def _spoil(name: str, lines: SpoiltLines, from_ns: int, rest_ns: int) -> None:
    """A fault of the lines, between the beginning of the tumble and its rest."""
    line = lines.rng.choice(lines.lines)
    at_ns = lines.rng.randrange(from_ns, rest_ns)
    match name:
        case "beam_dead":
            lines.stuck(line, 0, from_ns)
        case "beam_broken":
            lines.stuck(line, 1, at_ns)
        case "lost_pulse":
            lines.without_a_pulse(line)
        case "bounce":
            lines.bouncing(lines.lines, 0.8, 6 * MS)
        case "noise_burst":
            lines.noisy(at_ns)
        case _:
            lines.unplugged(at_ns)
