"""What a wheel shows of its own wear: values of one spin, measured now and then beside what decides the round.

    spins      1  2  3  [4]  5  6  7  [8]  ...           one in four is measured until the wheel is learnt, then one
                                                         in twenty-four
    values     slowing of ball, rotor or wheel; width of a sensor's pulses and passes that it missed; bounces;
               how uneven the encoder's counts are; level; how long the flapper rocks the wheel

Nothing here decides anything. A value depends on edges and readings up to the last pass alone, or up to the rest, so
that it is the same however a stream is cut into batches.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import tau
from statistics import median
from typing import Final

from drivers.base.driver import Observation

LEARNING_SPINS: Final = 4
"""Of a wheel that is not learnt, one spin in so many is measured (ours): an evening is to be enough for it."""
LEARNT_SPINS: Final = 24
"""Of one that is learnt, one in so many (ours): what wears does so over thousands."""
TWO_LAPS_NS: Final = 6_000_000_000
"""Two passes of one sensor that are further apart are not two laps of one ball (ours)."""
FAST_LAP_NS: Final = 1_050_000_000
"""The ball's slowing is that of its fast laps, up to this one (ours): later it slows in another way."""
LAPS_OF_WIDTH: Final = 4
"""Passes of each sensor whose width is measured (ours)."""


SEEN_PASSES: Final = 3
"""A disc with an encoder is measured at one pass of the ball in so many (ours)."""
LEAST_SEEN: Final = 4
"""So often a disc must have been measured, for its slowing (ours)."""


class WheelMeasured(Observation, frozen=True, kw_only=True):
    """The wear values of one spin. It means the same whatever is played."""

    values: Mapping[str, float]
    """By their names, which `feed.wear` explains."""


class MeasuredSpins:
    """Counts spins, and says which one is measured: of a wheel that is being learnt more than later."""

    __slots__ = ("_left", "to_learn")

    def __init__(self) -> None:
        self._left = LEARNING_SPINS
        """Spins until one is measured, with that one. Of each evening one of the first is."""
        self.to_learn: int | None = 0
        """Measured spins until the wheel is learnt; None where none is measured any more."""

    def begin(self) -> bool:
        """A spin begins; returns whether it is measured."""
        self._left -= 1
        if self._left > 0 or self.to_learn is None:
            return False
        if self.to_learn:
            self.to_learn -= 1
        self._left = LEARNING_SPINS if self.to_learn else LEARNT_SPINS
        return True


# --- the ball at its sensors ---


def ball_values(
    passes: Sequence[tuple[int, int, int]], on_the_way: Sequence[Sequence[tuple[int, ...]]]
) -> dict[str, float]:
    """Slowing of the ball, and of each sensor the width of its pulses and the share of passes that it missed.

    `passes` are sensor, time and width; `on_the_way` has the sensors between two of them, in the ball's direction.
    """
    values: dict[str, float] = {}
    sensors = len(on_the_way)
    times_ns: list[list[int]] = [[] for _ in range(sensors)]
    widths_ns: list[list[int]] = [[] for _ in range(sensors)]
    missed = [0] * sensors
    seen: list[int] = []
    before = -1
    for sensor, t_ns, width_ns in passes:
        own_ns = times_ns[sensor]
        if not own_ns:
            seen.append(sensor)
        own_ns.append(t_ns)
        widths_ns[sensor].append(width_ns)
        if before >= 0:
            for other in on_the_way[before][sensor]:
                missed[other] += 1
        before = sensor
    widths_deg: dict[int, float] = {}
    longest_ns: list[int] = []
    for sensor in seen:
        own_ns, own = times_ns[sensor], widths_ns[sensor]
        if len(own_ns) > len(longest_ns):
            longest_ns = own_ns
        found: list[float] = []
        for lap in range(min(LAPS_OF_WIDTH, len(own_ns) - 2)):
            laps_ns = own_ns[lap + 2] - own_ns[lap]
            if 0 < laps_ns < TWO_LAPS_NS:
                found.append(720 * own[lap + 1] / laps_ns)
        if len(found) == LAPS_OF_WIDTH:
            widths_deg[sensor] = median(found)
    if widths_deg:
        usual = median(widths_deg.values())
        for sensor, width_deg in widths_deg.items():
            values[f"ball_{sensor + 1}_width"] = width_deg / usual
    for sensor in range(sensors):
        gone, passed = missed[sensor], len(times_ns[sensor])
        if gone or passed:
            values[f"ball_{sensor + 1}_missed"] = gone / (gone + passed)
    slowing = ball_slowing(longest_ns)
    if slowing is not None:
        values["ball_slowing"] = slowing
    return values


def ball_slowing(passed_ns: list[int]) -> float | None:
    """How much a ball slows in its fast laps, rad/s², by its passes at one sensor; None where they are too few."""
    fast = 0
    first = last = (0, 0)
    for lap in range(1, len(passed_ns)):
        before_ns, after_ns = passed_ns[lap - 1], passed_ns[lap]
        if after_ns - before_ns <= FAST_LAP_NS:
            last = (before_ns, after_ns)
            if not fast:
                first = last
            fast += 1
    return None if fast < 3 else _slowing(first, last) * tau


def _slowing(first: tuple[int, int], last: tuple[int, int]) -> float:
    """Turns a second squared, from one turn, between two times, to another."""
    speeds = 1e9 / (first[1] - first[0]) - 1e9 / (last[1] - last[0])
    return speeds * 2e9 / (last[0] + last[1] - first[0] - first[1])


# --- a disc with an encoder, or pegs ---


def turn_slowing(turned_ns: Sequence[int]) -> float | None:
    """How much a wheel slows, deg/s², by the times of its whole turns; None where they are too few."""
    if len(turned_ns) < 3:
        return None
    return _slowing((turned_ns[0], turned_ns[1]), (turned_ns[-2], turned_ns[-1])) * 360


CountTimes = tuple[int, int, int, int, int]
"""The times of a disc's last four counts, the newest first, and the count after them."""


def disc_slowing(seen: Sequence[CountTimes], counts_per_turn: int) -> float | None:
    """How much a disc slows, rpm a second, from a first, a middle and a last count; None where they are too few."""
    if len(seen) < LEAST_SEEN:
        return None
    (t0, c0), (t1, c1), (t2, c2) = ((one[0], one[4]) for one in (seen[0], seen[len(seen) // 2], seen[-1]))
    if not t0 < t1 < t2:
        return None
    change = (c1 - c0) / (t1 - t0) - (c2 - c1) / (t2 - t1)
    forwards = 1 if c2 > c0 else -1
    return forwards * change * 2e18 / (t2 - t0) / counts_per_turn * 60


def unevenness(seen: Sequence[CountTimes]) -> float | None:
    """How much longer the longest of three counts in a row is than their mean, as a share: the median; 0 if even."""
    found = [3 * max(max(t1 - t2, t2 - t3), t3 - t4) / (t1 - t4) - 1 for t1, t2, t3, t4, _ in seen if t4 < t3 < t2 < t1]
    return median(found) if found else None
