"""Whether dice and wheels fall as fair ones do: of each device, and of all devices of a type together.

Counted as the bias watch of a table counts, and tested as it tests (Pearson's chi-squared, neighbours put together
while too few are expected); here over all outcomes, once, for many devices. Where many tests are made some look bad by
chance, so p is adjusted for all of them (Holm 1979): with fair equipment, a report suspects anything at all in one of a
hundred events (`FALSE_ALARM`).

A test that found nothing says little without its power. So each one states how large a bias it would have found:

    effect      one place or face comes x more often than it should, at the cost of all others alike:  w² = x² p / (1-p)
    λ           the noncentrality at which the test finds it with the probability `POWER`
    outcomes    n = λ / w², and with the n that there are:  x = √(λ (1-p) / (n p))
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import ceil, exp, lgamma, log, sqrt
from typing import Any, Final

import msgspec

from controller.table.bias import LEAST_EXPECTED, Plan, Sample, fit, survival

FALSE_ALARM: Final = 0.01
"""The chance that a report on fair equipment suspects anything (ours)."""
POWER: Final = 0.8
"""The probability with which a bias of the stated size is found (ours): the usual one."""
EFFECTS: Final = (0.1, 0.25, 0.5, 1.0)
"""How much more often one place comes, for which the rounds needed are stated (ours)."""


class Category(msgspec.Struct, frozen=True):
    """One place, face or sum."""

    value: int | str
    count: int
    expected: float


class Tested(msgspec.Struct, frozen=True, kw_only=True):
    """One test."""

    scope: str
    """`device` or `type`."""
    name: str
    """Of a device `hall/roulette-1 wheel`; of a type its driver and game."""
    devices: int
    """How many are counted together."""
    test: str
    """What is counted: `pocket`, `space`, `face`, `total`."""
    rounds: int
    """Rounds with an outcome that are counted."""
    falls: int
    """What was counted in them: two dice fall twice."""
    categories: list[Category]
    chi_squared: float | None
    """None while there are too few for a test."""
    degrees: int | None
    p: float | None
    adjusted_p: float | None
    """Adjusted for all tests of the report."""
    suspected: bool
    worst: Category
    """The one that is furthest from what is expected."""
    rounds_needed: int
    """Rounds from which on each place is tested for itself."""
    would_find: float | None
    """The bias of one place that these rounds show with the probability `POWER`: 0.5 for one that comes half as often
    again. None below `rounds_needed`, and of sums, whose places differ."""
    rounds_for: dict[str, int]
    """Rounds after which a bias of this size is found so: of "0.1", "0.25", … None are stated of sums."""


class Counted:
    """What is counted of one device, or of all of a type."""

    def __init__(self, scope: str, name: str, plan: Plan) -> None:
        self.scope, self.name, self.plan = scope, name, plan
        self.devices: set[object] = set()
        self.rounds = 0
        self.counts: dict[str, Counter[int | str]] = {test.name: Counter() for test in plan.tests}

    def take(self, device: object, samples: Sequence[Sample], times: int) -> None:
        """A result came so many times."""
        self.devices.add(device)
        self.rounds += times
        for sample in samples:
            for name, value in sample.items():
                self.counts[name][value] += times


def samples_of(plan: Plan, result: Mapping[str, Any]) -> Sequence[Sample] | None:
    """What a result shows; None where it is not one of the plan's game, or has a value that cannot come."""
    try:
        samples = plan.samples(result)
        known = {test.name: test.probabilities for test in plan.tests}
        right = all(value in known[name] for sample in samples for name, value in sample.items())
    except (KeyError, TypeError, ValueError):
        return None
    return samples if samples and right else None


def judge(counted: Sequence[Counted]) -> list[Tested]:
    """Tests all that was counted, with p adjusted for all the tests."""
    made = [(one, test) for one in counted for test in one.plan.tests]
    fits = [fit([one.counts[test.name][value] for value in test.probabilities], [*test.probabilities.values()])
            for one, test in made]  # fmt: skip
    adjusted = holm([None if found is None else found.p for found in fits])
    level = FALSE_ALARM / max(1, sum(found is not None for found in fits))
    tested = []
    for (one, test), found, p in zip(made, fits, adjusted, strict=True):
        counts = one.counts[test.name]
        falls = sum(counts.values())
        categories = [Category(value, counts[value], falls * share) for value, share in test.probabilities.items()]
        shares = [*test.probabilities.values()]
        per_round = falls / one.rounds if one.rounds else 1.0
        even = max(shares) - min(shares) < 1e-12
        needed = ceil(LEAST_EXPECTED / min(shares) / per_round)
        tested.append(
            Tested(
                scope=one.scope,
                name=one.name,
                devices=len(one.devices),
                test=test.name,
                rounds=one.rounds,
                falls=falls,
                categories=categories,
                chi_squared=None if found is None else found.chi_squared,
                degrees=None if found is None else found.degrees,
                p=None if found is None else found.p,
                adjusted_p=p,
                suspected=p is not None and p < FALSE_ALARM,
                worst=max(categories, key=lambda each: _distance(each, falls)),
                rounds_needed=needed,
                would_find=_would_find(shares, falls, level) if even and one.rounds >= needed else None,
                rounds_for=_rounds_for(shares, per_round, level, needed) if even else {},
            )
        )
    return tested


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


@lru_cache
def noncentrality(degrees: int, level: float, power: float = POWER) -> float:
    """The noncentrality at which a chi-squared test at this level finds a bias with this power."""
    critical = _solve(lambda x: survival(x, degrees) < level)
    return _solve(lambda x: _power(critical, degrees, x) > power)


def _power(critical: float, degrees: int, noncentral: float) -> float:
    """The probability that a noncentral chi-squared variable exceeds a value: a Poisson mixture of central ones
    (Abramowitz and Stegun 26.4.25)."""
    half = noncentral / 2
    if half == 0:
        return survival(critical, degrees)
    width = 12 * sqrt(half) + 30
    first, last = max(0, int(half - width)), int(half + width)
    return sum(
        exp(-half + term * log(half) - lgamma(term + 1)) * survival(critical, degrees + 2 * term)
        for term in range(first, last + 1)
    )


def _solve(above: Any) -> float:
    """The value from which on something holds."""
    low, high = 0.0, 1.0
    while not above(high):
        low, high = high, high * 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if above(middle) else (middle, high)
    return high


def _would_find(shares: Sequence[float], falls: int, level: float) -> float:
    share = shares[0]
    return sqrt(noncentrality(len(shares) - 1, level) * (1 - share) / (falls * share))


def _rounds_for(shares: Sequence[float], per_round: float, level: float, needed: int) -> dict[str, int]:
    share = shares[0]
    bound = noncentrality(len(shares) - 1, level)
    falls = {effect: bound * (1 - share) / (effect**2 * share) for effect in EFFECTS}
    return {f"{effect:g}": max(needed, ceil(count / per_round)) for effect, count in falls.items()}


def _distance(category: Category, falls: int) -> float:
    variance = category.expected * (1 - category.expected / falls) if falls else 0.0
    return abs(category.count - category.expected) / sqrt(variance) if variance else 0.0
