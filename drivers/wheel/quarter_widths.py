"""The widths of the four quarters of a slot, learned from the disc's own edges.

A and B of a disc that was made by hand are not a quarter slot apart, and no slot is half open: at one speed the counts
take turns at being long and short. Where two counts are compared to see how the disc slows, that is no slowing.

    quarter      0        1     2        3    0
    A         ___/‾‾‾‾‾‾‾‾‾‾‾‾‾‾\\_____________/‾‾‾
    B         ____________/‾‾‾‾‾‾‾‾‾‾‾‾‾‾\\________        widths 1.2, 0.8, 1.2, 0.8
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import median
from typing import Final, TypeAlias

from drivers.wheel.quadrature import COUNTS_PER_SLOT
from hal.values import Edge

Widths: TypeAlias = tuple[float, float, float, float]
"""How wide each quarter is, in counts; the four add up to about 4."""

# Not Final: mypyc, which compiles this module for the soaks, loses the value of a Final tuple of floats.
EVEN: Widths = (1.0, 1.0, 1.0, 1.0)

LEAST_SAMPLES: Final = 8
"""Slots that are needed before a width is believed (ours)."""

NARROWEST: Final = 0.25
WIDEST: Final = 1.75
"""A quarter beyond these is no disc's: its widths are not used (ours)."""

_QUARTERS: Final = {(1, 0): 0, (1, 1): 1, (0, 1): 2, (0, 0): 3}
"""Which quarter the levels of A and B show."""


def quarter_widths(edges: Sequence[Edge], a: str) -> Widths:
    """The median width of each quarter over edges of A and B; `EVEN` where they are too few, or no disc's.

    Each count is divided by the mean of the two slots that lie around it, so that a disc may slow meanwhile. Counts
    about which one line changed twice in a row are left out.
    """
    shares: tuple[list[float], ...] = ([], [], [], [])
    times_ns = [edge.t_ns for edge in edges]
    is_a = [edge.line == a for edge in edges]
    turns = [one == other for one, other in pairwise(is_a)]
    for k in range(2, len(edges) - 3):
        if any(turns[k - 2 : k + 3]):
            continue
        around_ns = times_ns[k + 2] - times_ns[k - 2] + times_ns[k + 3] - times_ns[k - 1]
        # The last edge of each line before the count gives its level.
        last, other = edges[k], edges[k - 1]
        levels = (last.level, other.level) if is_a[k] else (other.level, last.level)
        if around_ns > 0:
            shares[_QUARTERS[levels]].append(2 * COUNTS_PER_SLOT * (times_ns[k + 1] - times_ns[k]) / around_ns)
    if min(map(len, shares)) < LEAST_SAMPLES:
        return EVEN
    first, second, third, fourth = (median(found) for found in shares)
    widths = (first, second, third, fourth)
    return widths if min(widths) >= NARROWEST and max(widths) <= WIDEST else EVEN
