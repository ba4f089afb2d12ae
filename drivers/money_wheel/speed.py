"""How fast a wheel turns by the pegs that pass a sensor, and between which speeds it may be.

    pegs     |        |          |             |  . . . . t
             t3       t2         t1                now
                |------space-----|---space-----|---since--|

The mean speed from peg to peg is known. Between two pegs the flapper slows the wheel and lets it go again, by about the
energy that each peg costs. The greatest change of the square of the speed from one space to the next, of the last
pegs, shows that energy, and so how much faster or slower than its mean the wheel can be just now.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import sqrt
from typing import Final, NamedTuple

PEGS_KEPT: Final = 10
"""The last pegs from which a speed and its doubt follow (ours)."""
CHANGES: Final = 2.0
"""By this many of the greatest change the square of the speed may differ from that of the mean (ours): of the simulated
wheel's speeds 99 in 100 are then within the doubt."""


class Speed(NamedTuple):
    """A speed in revolutions a minute, and its doubt."""

    rpm: float
    """The mean of the last space; of the time since the last peg, once the next one is overdue."""
    doubt: tuple[float, float] | None = None
    """The lowest and the highest that it can be; None where two pegs alone give it."""

    @property
    def words(self) -> str:
        """It in words: `34.2 rpm, 33.8 to 34.6`."""
        if self.doubt is None:
            return f"about {self.rpm:.0f} rpm, by two pegs"
        low, high = self.doubt
        return f"{self.rpm:.1f} rpm, {low:.1f} to {high:.1f}"


STILL: Final = Speed(0.0, (0.0, 0.0))


def speed_by_pegs(passed_ns: Sequence[int], t_ns: int, pegs: int) -> Speed:
    """The speed at `t_ns` of a wheel of `pegs` pegs.

    `passed_ns` are the times of its last pegs, two at least.
    """
    means = [mean_rpm(after - before, pegs) for before, after in pairwise(passed_ns)]
    last = means[-1]
    rpm = min(last, mean_rpm(t_ns - passed_ns[-1], pegs))
    if len(means) < 2:
        return Speed(rpm)
    change = CHANGES * max(abs(one * one - other * other) for one, other in pairwise(means))
    low = sqrt(max(0.0, last * last - change))
    # A wheel at the lowest speed would have brought the next peg by now: it may be at rest.
    return Speed(rpm, (low if low <= rpm else 0.0, sqrt(last * last + change)))


def mean_rpm(apart_ns: int, pegs: int) -> float:
    """The mean speed, in revolutions a minute, of a wheel whose pegs come so far apart."""
    return 60e9 / (max(1, apart_ns) * pegs)
