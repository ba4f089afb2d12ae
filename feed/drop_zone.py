"""The drop zone of a roulette wheel: where the ball leaves the track, and a scan of the bowl for a preferred third.

A spin states an arc of the bowl, the angle of its middle and half its width: the ball passed the track sensor at one
end and never reached the one at the other. At a level wheel it leaves anywhere alike, so an arc's chance is its width.
The scan looks at a third of the bowl in each of twelve directions. A spin counts in it by the part of its arc that the
third covers:

    arc of the spin        |‾‾‾‾‾‾‾‾‾‾‾‾|          100°
    third             |‾‾‾‾‾‾‾‾‾|                  covers 60° of it: the spin counts 0.6

How probable so high a count is at a level wheel comes from the exact generating function of those parts (the saddle
point approximation of Lugannani and Rice, 1980). That of the direction that is furthest off, times twelve (Bonferroni),
is held against the chance of a false alarm.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import erfc, exp, log, pi, sqrt
from typing import Final, NamedTuple

from .data import Evidence, ZoneBlock, ZoneCounts

DIRECTIONS: Final = 12
"""Thirds of the bowl that are looked at, 30° apart (ours): more would be nearly the same ones again."""
THIRD_DEG: Final = 120.0
"""The width that is looked at (ours): a tilt of 0.2° keeps the ball in the track along a quarter to a third of it."""
LEAST_SPINS: Final = 60
"""With fewer spins nothing is judged (ours)."""
_ROUNDED_DEG: Final = 0.5
"""The arcs of a bowl add up to 360° except for this: they are rounded (ours)."""
_FAR: Final = 50.0
_NEAR: Final = 1e-9


class Arc(NamedTuple):
    """Where a ball left the track: the middle of an arc, on the bowl, and half its width."""

    deg: float
    doubt_deg: float


def bowl_of(counts: ZoneCounts) -> list[Arc]:
    """Every arc between two track sensors."""
    return [*map(Arc, counts.deg, counts.doubt_deg)]


def arc_of(evidence: Evidence) -> Arc | None:
    """Where the ball left the track; None where that is not known, or a sensor has missed the ball in that spin.

    A sensor that misses now and then moves the ends of arcs; a ball passes each of them often, so a spin in which none
    was missed has seldom a miss just at its end.
    """
    deg, doubt_deg = evidence.left_track_deg, evidence.left_track_doubt_deg
    if deg is None or doubt_deg is None or evidence.missed_passes:
        return None
    return Arc(deg, doubt_deg)


class Zone(NamedTuple):
    """The third of the bowl in which the ball left the track most strikingly often."""

    from_deg: float
    to_deg: float
    times: float
    """Spins; one whose arc is partly in it counts in part."""
    expected: float
    spins: int
    p: float
    """How probable so striking a third is at a level wheel, over all directions; at most 1."""

    @property
    def words(self) -> str:
        """It in words."""
        p = f"p {self.p:.1g}" if self.p else "p below 1e-300"
        return (
            f"between {self.from_deg:.0f}° and {self.to_deg:.0f}° of the bowl the ball left the track {self.times:.0f} "
            f"times in {self.spins} spins, {self.expected:.0f} expected, {p}"
        )


def scan(counts: Mapping[Arc, int], bowl: Sequence[Arc]) -> Zone | None:
    """Looks for the third that the ball prefers.

    `bowl` is every arc between two sensors, also those in which the ball has never left the track: that it never does
    is what a strong tilt shows. None where nothing can be judged: too few spins, a spin with an arc that is not of the
    bowl, or one arc that is all of it.
    """
    spins = sum(counts.values())
    arcs = sorted(bowl)
    if spins < LEAST_SPINS or not counts.keys() <= set(arcs):
        return None
    shares = [arc.doubt_deg / 180 for arc in arcs]
    whole = sum(shares)
    chances = [share / whole for share in shares]
    looked: list[tuple[float, float, float, list[float]]] = []
    for number in range(DIRECTIONS):
        begin_deg = 360 * number / DIRECTIONS
        parts = [covered(arc, begin_deg) for arc in arcs]
        times = sum(part * counts.get(arc, 0) for part, arc in zip(parts, arcs, strict=True))
        mean = sum(part * chance for part, chance in zip(parts, chances, strict=True))
        variance = sum(chance * (part - mean) ** 2 for part, chance in zip(parts, chances, strict=True))
        # Of two arcs a third may cover as much of each: whatever the counts, it shows nothing.
        if variance > _NEAR:
            looked.append(((times - spins * mean) / sqrt(spins * variance), begin_deg, times, parts))
    if not looked:
        return None
    _, begin_deg, times, parts = max(looked)
    expected = spins * sum(part * chance for part, chance in zip(parts, chances, strict=True))
    p = min(1.0, DIRECTIONS * tail(chances, parts, spins, times))
    return Zone(begin_deg, (begin_deg + THIRD_DEG) % 360, times, expected, spins, p)


def judged(counts: Mapping[Arc, int], bowl: Sequence[Arc] = ()) -> Zone | str:
    """The zone that a scan finds, or in words why it cannot. A bowl that is not given is known where its arcs all had a
    ball."""
    over_deg = sum(2 * arc.doubt_deg for arc in bowl or counts) - 360
    if sum(counts.values()) < LEAST_SPINS:
        return f"fewer than {LEAST_SPINS} spins"
    if over_deg > _ROUNDED_DEG:
        return "arcs overlap: the track sensors were moved between spins"
    if over_deg < -_ROUNDED_DEG:
        return (
            f"the ball never left the track in {-over_deg:.0f}° of the bowl, and events do not state the sensors "
            "there: a strong tilt looks like this; see the table's own warnings, and level the wheel"
        )
    return scan(counts, bowl or list(counts)) or "one arc is the whole bowl: it has no direction"


def covered(arc: Arc, begin_deg: float) -> float:
    """The part of an arc that the third which begins there covers."""
    width_deg = 2 * arc.doubt_deg
    start_deg = (arc.deg - arc.doubt_deg - begin_deg) % 360
    inside = max(0.0, min(THIRD_DEG, start_deg + width_deg) - start_deg) + max(
        0.0, min(THIRD_DEG, start_deg + width_deg - 360)
    )
    return min(1.0, inside / width_deg)


def tail(chances: Sequence[float], parts: Sequence[float], spins: int, count: float) -> float:
    """The chance that this many spins count `count` or more, where each counts `parts[k]` with chance `chances[k]`.

    It is corrected by half a step of the counts, so that it is not below the exact chance of whole ones. Near and below
    the mean it is 1: nothing is looked for there.
    """
    step = min((part for part in parts if part > 0), default=0.0)
    each = (count - step / 2) / spins
    mean = sum(chance * part for chance, part in zip(chances, parts, strict=True))
    if each <= mean + 1 / (4 * sqrt(spins)):
        return 1.0
    low, high, at = 0.0, _FAR, 0.0
    logarithm, slope, variance = _tilted(chances, parts, at)
    while abs(slope - each) > _NEAR and high - low > _NEAR:
        # Newton's step, or half of what is left where that leads out of it.
        step_to = at + (each - slope) / variance
        at = step_to if low < step_to < high else (low + high) / 2
        logarithm, slope, variance = _tilted(chances, parts, at)
        low, high = (at, high) if slope < each else (low, at)
    signed = sqrt(max(0.0, 2 * spins * (at * each - logarithm)))
    other = at * sqrt(spins * variance)
    if signed == 0 or other == 0:
        return 1.0
    density = exp(-signed * signed / 2) / sqrt(2 * pi)
    return min(1.0, max(0.0, erfc(signed / sqrt(2)) / 2 + density * (1 / other - 1 / signed)))


def _tilted(chances: Sequence[float], parts: Sequence[float], at: float) -> tuple[float, float, float]:
    """The logarithm of the generating function at a point, its slope and its curvature."""
    terms = [chance * exp(at * part) for chance, part in zip(chances, parts, strict=True)]
    total = sum(terms)
    mean = sum(term * part for term, part in zip(terms, parts, strict=True)) / total
    square = sum(term * part * part for term, part in zip(terms, parts, strict=True)) / total
    return log(total), mean, square - mean * mean


class DropZoneWatch:
    """The spins of one wheel, block after block: each block is judged once, so its chance of a false alarm is that of
    one test."""

    def __init__(self, bowl: Sequence[Arc], blocks: Sequence[int], false_alarm: float) -> None:
        """`bowl` is every arc between two sensors, `blocks` are numbers of spins; each length has blocks of its own."""
        self._bowl = bowl
        self._blocks = {spins: dict[Arc, int]() for spins in blocks}
        self._false_alarm = false_alarm
        self._since: dict[Arc, int] = {}
        """The spins since the last end of a block, which are in none of the blocks yet."""
        self._left = min(blocks, default=0)
        """How many spins there are until the next end of a block."""

    def left(self, arc: Arc) -> Sequence[Zone]:
        """A ball left the track there. Returns the zones of the blocks that are full now and found one."""
        self._since[arc] = self._since.get(arc, 0) + 1
        self._left -= 1
        return self._judged() if not self._left else ()

    def counts(self) -> ZoneCounts | None:
        """The blocks that have begun; None where no drop zone is looked for."""
        if not self._blocks:
            return None
        self._add()
        blocks = [
            ZoneBlock(of=spins, counts=[counts.get(arc, 0) for arc in self._bowl])
            for spins, counts in self._blocks.items()
        ]
        return ZoneCounts(
            deg=[arc.deg for arc in self._bowl], doubt_deg=[arc.doubt_deg for arc in self._bowl], blocks=blocks
        )

    def restore(self, counts: ZoneCounts) -> bool:
        """Goes on with blocks that have begun; returns whether they are of this bowl, and of these lengths."""
        blocks = {block.of: dict(zip(self._bowl, block.counts, strict=False)) for block in counts.blocks}
        if bowl_of(counts) != [*self._bowl] or blocks.keys() != self._blocks.keys():
            return False
        if any(sum(block.counts) >= block.of or len(block.counts) != len(self._bowl) for block in counts.blocks):
            return False
        self._blocks = blocks
        self._add()
        return True

    def _add(self) -> None:
        """Adds the spins since the last time to all blocks."""
        since, self._since = self._since, {}
        for counts in self._blocks.values():
            for arc, times in since.items():
                counts[arc] = counts.get(arc, 0) + times
        self._left = min(spins - sum(counts.values()) for spins, counts in self._blocks.items())

    def _judged(self) -> list[Zone]:
        self._add()
        found = []
        for spins, counts in self._blocks.items():
            if sum(counts.values()) == spins:
                zone = scan(counts, self._bowl)
                counts.clear()
                if zone is not None and zone.p < self._false_alarm:
                    found.append(zone)
        self._add()
        return found
