"""How well dice are shaken: what was measured of each tumble, against what the same device measured before.

    earlier   ● ●● ●●●● ●●●● ●  ●       a measure of earlier tumbles and of later ones: do these rank lower than
    later   ○○ ○○○ ○ ○                  chance has it? (Wilcoxon, Mann and Whitney)

Long, with many pulses, many turns and even intervals is well shaken. What the text asks of a tumble is judged
elsewhere, by the text alone: this changes no verdict.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from math import erfc, sqrt
from statistics import median
from typing import Final, NamedTuple

from .data import Tumbling


class Shake(NamedTuple):
    """What was measured of one tumble, shake, throw or toss; None where its device does not measure that."""

    moved_s: float | None
    pulses: int | None
    turns: int | None
    """Inversions or shakes."""
    unevenness: float | None

    @property
    def kind(self) -> tuple[bool, ...]:
        """What its device measures, by which the devices of one table differ."""
        return (self.moved_s is not None, self.pulses is not None, self.turns is not None)


def shake_of(one: Tumbling) -> Shake:
    """What was measured of a tumble."""
    return Shake(one.moved_s, one.pulses, one.shakes if one.inversions is None else one.inversions, one.unevenness)


NAMES: Final = ("the time in s", "the number of pulses", "the number of turns", "the unevenness")
"""Of the measures, for people."""
WORSE: Final = (-1, -1, -1, 1)
"""Whether dice are shaken less well where it is lower, or higher."""


LEAST: Final = 60
"""With fewer tumbles their halves are not compared (ours)."""
STINT: Final = 30
"""Tumbles in a row that are compared as one, by their median, where many evenings are (ours)."""
LEAST_STINTS: Final = 18
"""With fewer their halves are not compared: even where all of the later ones are lower, chance has that too often."""
HEADS: Final = ("time", "pulses", "turns", "unevenness")
"""Of columns with medians."""


class Weaker(NamedTuple):
    """The measure by which later tumbles fall most clearly behind earlier ones."""

    measure: str
    earlier: float
    """Its median in the earlier tumbles."""
    later: float
    numbers: tuple[int, int]
    """How many tumbles were earlier, and later."""
    p: float
    """How probable so clear a difference is where nothing changed, over all measures; at most 1."""

    @property
    def words(self) -> str:
        """It in words."""
        earlier, later = self.numbers
        return (
            f"{self.measure} has a median of {self.later:.3g} in {later} tumbles, and had {self.earlier:.3g} in the "
            f"{earlier} before, p {self.p:.1g}"
        )


def weaker(earlier: Sequence[Shake], later: Sequence[Shake], stint: int = 1) -> Weaker | None:
    """What fell behind most clearly; None where no measure is in all of them.

    People differ, and one person shakes alike for many tumbles in a row. With `stint`, the medians of this many in a
    row are ranked, which are more nearly independent than the tumbles are.
    """
    found = []
    columns = zip(*earlier, strict=True), zip(*later, strict=True)
    for name, worse, before, after in zip(NAMES, WORSE, *columns, strict=True):
        if None not in before and None not in after:
            p = rank_worse(_stints(before, stint), _stints(after, stint), worse)
            found.append((p, name, median(before), median(after)))
    if not found:
        return None
    p, name, then, now = min(found)
    return Weaker(name, then, now, (len(earlier), len(later)), min(1.0, p * len(found)))


def _stints(values: Sequence[float], stint: int) -> Sequence[float]:
    """The median of each stint; what is left at the end is in none."""
    if stint == 1:
        return values
    return [median(values[at : at + stint]) for at in range(0, len(values) - stint + 1, stint)]


class DeviceShakes(NamedTuple):
    """The tumbles of one device of a table."""

    number: int
    medians: tuple[float | None, ...]
    """Of each measure in the order of a `Shake`; None where the device does not measure it."""
    fell: Weaker | None
    """What fell behind most clearly in the later half; None of too few."""


def shaken(shakes: Sequence[Shake], stint: int = 1) -> list[DeviceShakes]:
    """What the tumbles of a table in their order show, by device: each for itself, or by stints of many evenings."""
    least = LEAST if stint == 1 else LEAST_STINTS * stint
    devices: dict[tuple[bool, ...], list[Shake]] = {}
    for one in shakes:
        if any(one.kind):
            devices.setdefault(one.kind, []).append(one)
    found = []
    for of in devices.values():
        half = len(of) // 2
        measured = [[value for value in values if value is not None] for values in zip(*of, strict=True)]
        medians = tuple(median(values) if values else None for values in measured)
        found.append(DeviceShakes(len(of), medians, weaker(of[:half], of[half:], stint) if len(of) >= least else None))
    return found


def rank_worse(earlier: Sequence[float], later: Sequence[float], worse: int) -> float:
    """How probable it is, at most, that `later` ranks so low (`worse` -1) or high (+1) where nothing changed.

    Equal values count half. The deviation is that without any, so the more there are, the less is found: corrected for
    them, the tail of the normal distribution would be too thin for small whole numbers.
    """
    first, second = len(earlier), len(later)
    ranked = sorted(earlier)
    above = sum([bisect_left(ranked, value) + bisect_right(ranked, value) for value in later]) / 2
    off = worse * (above - first * second / 2)
    return erfc((off - 0.5) / sqrt(first * second * (first + second + 1) / 6)) / 2
