"""What the simulated tumblers of dice share: how a tumble is drawn, how its dice lie, how a line fault spoils it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final, NamedTuple, TypeVar

from drivers.dice.reader_wire import Die, Lying
from hal.values import Batch, Edge, EdgesLost
from simulators.base.corruption import (
    Corruption,
    bounce,
    noise_burst,
    pulses_of,
    repaired,
    stuck,
    unplugged,
    without_pulses,
)
from simulators.base.device_faults import NamedFault, device_fault
from simulators.dice.bodies import Body, shown
from simulators.dice.tumble_truth import Tumble, TumbleTruth

P = TypeVar("P")

QUIET_AT_START_S: Final = 5.0
MS: Final = 1_000_000
NOISE_NS: Final = 200 * MS
NOISE_PULSES: Final = 20
UNPLUGGED_NS: Final = 800 * MS
"""How long a cable that was pulled out stays out (ours)."""

LYING_BY: Final[Mapping[str, Lying]] = {"die_cocked": "cocked", "die_stacked": "stacked", "die_off": "off_table"}
"""The faults that are ways in which the last die comes to rest."""

LYING_REASONS: Final[Mapping[Lying, str]] = {
    "cocked": "dice_not_flat",
    "two_sides": "die_on_two_sides",
    "stacked": "die_on_die",
    "off_table": "die_off_table",
    "unread": "not_recognised",
}
"""What a board that sees everything reports of a die that is not flat."""


def as_they_lie(bodies: Sequence[Body], fault: str) -> list[Die]:
    """How the dice came to rest; the last of them as the fault has it."""
    dice = [shown(body) for body in bodies]
    if fault in LYING_BY:
        dice[-1] = shown(bodies[-1], LYING_BY[fault])
    return dice


def against_lying(dice: Sequence[Die]) -> list[str]:
    """The reasons for which dice that came to rest so are not a result."""
    return [LYING_REASONS[die.lying] for die in dice if die.lying != "flat"]


class Drawn(NamedTuple):
    """One tumble as it was drawn: its number, its fault, and the chances of everything else."""

    number: int
    asked: str | None
    """The fault that was asked for, as it was asked for."""
    fault: NamedFault
    rng: Random
    fault_rng: Random
    """The chances of the fault alone: with it and without, all else of a tumble is the same."""

    def plan(self, clean: Callable[[Random], P], spoilt: Callable[[str, P, Random], P]) -> P:
        """The tumble as it is planned: `clean`, and then as a fault of what happens has it."""
        plan = clean(self.rng)
        return spoilt(self.fault.name, plan, self.fault_rng) if self.fault.physical else plan

    def tumble(self, spoilt: SpoiltLines, truth: TumbleTruth, doubts: Sequence[str]) -> Tumble:
        """The tumble as it was played; `doubts` are what may be reported of it where its lines were spoilt."""
        if not self.fault.physical:
            truth = truth.doubted(self.fault.name.replace("_", " "), doubts)
        return Tumble(Batch(spoilt.edges, [*spoilt.lost], spoilt.end_ns), truth, self.number, self.asked)


class Draws:
    """The tumbles of one tumbler, one after the other. Equal seeds give equal draws."""

    def __init__(self, seed: int, faults: dict[str, NamedFault], device: str) -> None:
        self._seed = seed
        self._faults = faults
        self._device = device
        self._number = 0

    def next(self, fault: str | None) -> Drawn:
        """The next tumble, with a named fault or without.

        Raises:
            FaultError: the device has no fault of this name.
        """
        named = device_fault(fault, self._faults, self._device)
        self._number += 1
        of_tumble = f"{self._seed}/{self._number}"
        return Drawn(self._number, fault, named, Random(of_tumble), Random(f"{of_tumble}/{named.name}"))


@dataclass(slots=True)
class SpoiltLines:
    """The edges of one tumble, and what a line fault makes of them. By the end of the tumble it is repaired."""

    edges: list[Edge]
    lines: tuple[str, ...]
    levels: Mapping[str, int]
    """Those of the lines when the tumble begins."""
    end_ns: int
    rng: Random
    lost: Sequence[EdgesLost] = ()

    def stuck(self, line: str, level: int, from_ns: int) -> None:
        """A line keeps a level from then on."""
        self._spoil(stuck(line, level, from_ns, self.end_ns - MS, self.levels))

    def without_a_pulse(self, line: str) -> None:
        """One pulse of a line is lost."""
        gone = self.rng.randrange(max(1, len(pulses_of(self.edges, line))))
        self._spoil(without_pulses(line, gone.__eq__))

    def bouncing(self, lines: tuple[str, ...], share: float, longest_ns: int) -> None:
        """The contacts of lines bounce after a share of their edges."""
        self._spoil(bounce(lines, share, longest_ns, self.rng, self.levels))

    def noisy(self, at_ns: int) -> None:
        """A discharge near the wires."""
        self._spoil(noise_burst(self.lines, at_ns, at_ns + NOISE_NS, NOISE_PULSES, self.rng, self.levels))

    def unplugged(self, at_ns: int) -> None:
        """The cable comes out, and is put back."""
        corrupt, self.lost = unplugged(self.lines, at_ns, min(at_ns + UNPLUGGED_NS, self.end_ns - MS), self.levels)
        self._spoil(corrupt)

    def _spoil(self, corrupt: Corruption) -> None:
        self.edges = repaired(corrupt(self.edges), self.edges, self.levels, self.end_ns)
