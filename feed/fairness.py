"""What can be counted of a game's published results to find a bias, and Pearson's chi-squared test of the counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import erfc, exp, lgamma, log, sqrt
from typing import Any, Final, NamedTuple, Protocol

Sample = Mapping[str, int | str]
"""What one fall showed, by the name of each test."""


class Test(NamedTuple):
    """One thing that is counted: a die, the total, the pockets."""

    name: str
    probabilities: Mapping[int | str, float]
    """Of each category, in their order."""


class Plan(Protocol):
    """What is watched at a table."""

    @property
    def device(self) -> str:
        """Whose bias it is: `dice` or `wheel`."""

    @property
    def tests(self) -> Sequence[Test]:
        """All that is counted."""

    def samples(self, result: Mapping[str, Any]) -> Sequence[Sample]:
        """What the dice or the wheel showed in a result; more than once where they fell more than once."""


# Pearson's chi-squared test of counts against exact probabilities.
#
# The survival function for whole degrees of freedom is a finite sum (Abramowitz and Stegun 26.4.4 and 26.4.5). It is
# our
# own because the kept libraries that have it (scipy) are larger than all the rest of the service on a Pi.

LEAST_EXPECTED: Final = 10.0
"""Cells with fewer expected are put together with their neighbours (ours): five is the usual condition of one test at
95 %, and too few for the far tail that repeated looks need."""


class Fit(NamedTuple):
    """How well counts fit."""

    chi_squared: float
    degrees: int
    p: float
    """How probable so bad a fit is where nothing is wrong."""


def survival(chi_squared: float, degrees: int) -> float:
    """The probability that a chi-squared variable exceeds a value.

    Raises:
        ValueError: there is no such variable.
    """
    if degrees < 1 or chi_squared < 0:
        raise ValueError(
            f"chi-squared {chi_squared:g} with {degrees} degrees of freedom: expected 0 or more, and 1 or more"
        )
    if chi_squared == 0:
        return 1.0
    half = chi_squared / 2
    even = degrees % 2 == 0
    found = exp(-half) if even else erfc(sqrt(half))
    power = 1.0 if even else 0.5
    while power < degrees / 2:
        # The terms as logarithms: far in the tail their factors neither fit nor vanish alone.
        found += exp(power * log(half) - half - lgamma(power + 1))
        power += 1.0
    return min(1.0, found)


def fit(counts: Sequence[int], probabilities: Sequence[float]) -> Fit | None:
    """Tests counts of cells; None while there are too few for a test.

    Neighbouring cells are put together until each expects `LEAST_EXPECTED`.
    """
    total = sum(counts)
    cells: list[list[float]] = []
    for count, probability in zip(counts, probabilities, strict=True):
        if cells and cells[-1][1] < LEAST_EXPECTED:
            cells[-1][0] += count
            cells[-1][1] += total * probability
        else:
            cells.append([count, total * probability])
    if len(cells) > 1 and cells[-1][1] < LEAST_EXPECTED:
        count_left, expected_left = cells.pop()
        cells[-1][0] += count_left
        cells[-1][1] += expected_left
    if len(cells) < 2 or cells[0][1] < LEAST_EXPECTED:
        return None
    chi_squared = sum((count - expected) ** 2 / expected for count, expected in cells)
    return Fit(chi_squared, len(cells) - 1, survival(chi_squared, len(cells) - 1))


def holm(values: Sequence[float | None]) -> list[float | None]:
    """p-values adjusted for as many tests as were made, so that all of them together err as rarely as one.

    Holm's step-down method: the least of m counts m-fold, the next (m-1)-fold, and none less than the one before it.
    """
    order = sorted((value, at) for at, value in enumerate(values) if value is not None)
    adjusted: list[float | None] = [None] * len(values)
    least = 0.0
    for rank, (value, at) in enumerate(order):
        least = max(least, min(1.0, value * (len(order) - rank)))
        adjusted[at] = least
    return adjusted
