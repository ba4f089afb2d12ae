"""A shake sensor: pulses while dice knock about, nothing while they are at rest.

shake    __|||||||||||||||||_||__|___|_______________________
           tumbling: knocks    rocking: single    at rest: none for
           close together      knocks             as long as no die rocks
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import sqrt
from typing import Final

from drivers.base.driver import NEVER_NS
from hal.values import Edge

STUCK_NS: Final = 5_000_000_000
"""A sensor that is high for this long without a change is stuck: a knock is over within milliseconds (ours)."""


class ShakeLine:
    """The pulses of one shake sensor, and since when it is quiet."""

    __slots__ = ("_level", "first_ns", "gap_ns", "last_ns", "line", "pulses", "since_ns")

    def __init__(self, line: str) -> None:
        self.line = line
        self._level: int | None = None
        self.since_ns = 0
        """The last change, in either direction."""
        self.begin()

    def begin(self) -> None:
        """A new run: its pulses are counted again."""
        self.pulses = 0
        self.first_ns = self.last_ns = 0
        """The first and the last pulse of the run."""
        self.gap_ns = 0
        """From the pulse before to the last one."""

    @property
    def high(self) -> bool:
        """Whether the sensor feels something right now."""
        return self._level == 1

    @property
    def stuck_ns(self) -> int:
        """When a sensor that stays as it is, is stuck."""
        return self.since_ns + STUCK_NS if self.high else NEVER_NS

    def missed(self, edge: Edge) -> bool:
        """Whether an edge must have come before this one: the line has its level already."""
        return self._level == edge.level

    def edge(self, edge: Edge) -> bool:
        """Takes an edge; returns whether it began a pulse."""
        known, self._level = self._level, edge.level
        if known is None and not edge.level:
            return False
        self.since_ns = edge.t_ns
        if not edge.level:
            return False
        if self.pulses:
            self.gap_ns = edge.t_ns - self.last_ns
        else:
            self.first_ns = edge.t_ns
        self.pulses += 1
        self.last_ns = edge.t_ns
        return True

    def lost(self, t_ns: int) -> None:
        """Pulses were lost some time before: until then nothing was quiet."""
        self.since_ns = t_ns

    def forget(self) -> None:
        """The line is not driven: its level is not known."""
        self._level = None


def unevenness(times_ns: Sequence[int]) -> float | None:
    """How uneven the intervals between these times are: their standard deviation over their mean, 0 for even ones.

    None for fewer than two intervals.
    """
    gaps = [later - earlier for earlier, later in pairwise(times_ns)]
    mean = sum(gaps) / max(1, len(gaps))
    if len(gaps) < 2 or mean <= 0:
        return None
    return round(sqrt(sum((gap - mean) ** 2 for gap in gaps) / len(gaps)) / mean, 3)
