"""Whether dice and wheels fall as fair ones do: of each device, and of all devices of a type together.

Counted as the bias watch of a table counts, and tested as it tests (Pearson's chi-squared, neighbours put together
while too few are expected); here over all outcomes, once, for many devices. Where many tests are made some look bad by
chance, so p is adjusted for all of them (Holm 1979): with fair equipment, a report suspects anything at all in one of a
hundred events (`FALSE_ALARM`).

A test that found nothing shows little without its power. So each one states how large a bias it would have found:

    bias        one of k places or faces comes x more often than it should, at the cost of all others alike
    power       the probability that n outcomes with that bias are suspected
    would find  the x for which the power of these n is `POWER`; rounds for x: the n for which it is
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from math import ceil, exp, inf, sqrt
from typing import Any, Final

import msgspec

from feed.fairness import LEAST_EXPECTED, Plan, Sample, fit, holm, survival

FALSE_ALARM: Final = 0.01
"""The chance that a report on fair equipment suspects anything (ours)."""
POWER: Final = 0.8
"""The probability with which a bias of the stated size is found (ours): the usual one."""
EFFECTS: Final = (0.1, 0.25, 0.5, 1.0)
"""How much more often one place comes, for which the rounds needed are stated (ours)."""


_STEPS: Final = 32
_WIDEST: Final = 5.0
"""Standard deviations of a place's count that the power is summed over, in this many steps to each side."""


class Category(msgspec.Struct, frozen=True):
    """One place, face or sum."""

    value: int | str
    count: int
    expected: float


class FairnessTest(msgspec.Struct, frozen=True, kw_only=True):
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
        """A result came this many times."""
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


def judge(counted: Sequence[Counted]) -> list[FairnessTest]:
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
            FairnessTest(
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
                would_find=would_find(len(shares), level, falls) if even and one.rounds >= needed else None,
                rounds_for=_rounds_for(len(shares), per_round, level, needed) if even else {},
            )
        )
    return tested


@lru_cache
def power(places: int, level: float, falls: int, bias: float) -> float:
    """The probability that a test at this level finds one of this many equal places that comes `bias` more often.

    Chi-squared is the square of that place's own deviation, and what the others differ among each other:

        chi² = D² + Q      D by the binomial distribution of that place's count, here as a normal one
                           Q = s χ² with k-2 degrees of freedom, s the share of the others over what it should be

    The usual noncentral distribution takes D to vary as without a bias, and promises too much where the bias is large.
    """
    fair = 1 / places
    share = min(1.0, fair * (1 + bias))
    critical = _critical(places - 1, level)
    mean, deviation = falls * share, sqrt(falls * share * (1 - share))
    found = total = 0.0
    for step in range(-_STEPS, _STEPS + 1):
        z = step * _WIDEST / _STEPS
        weight = exp(-z * z / 2)
        count = min(max(0.0, mean + z * deviation), float(falls))
        own = (count - falls * fair) ** 2 / (falls * fair * (1 - fair))
        others = (1 - count / falls) / (1 - fair)
        found += weight * _exceeds(critical - own, others, places - 2)
        total += weight
    return found / total


def _exceeds(value: float, scale: float, degrees: int) -> float:
    """The probability that a scaled chi-squared variable exceeds a value; one without a degree of freedom is 0."""
    if value < 0:
        return 1.0
    return survival(value / scale, degrees) if degrees and scale > 0 else 0.0


@lru_cache
def _critical(degrees: int, level: float) -> float:
    return _least(lambda value: survival(value, degrees) < level)


def _least(holds: Callable[[float], bool], most: float = inf) -> float:
    """From where on something holds; `most` where it holds nowhere below."""
    low, high = 0.0, 1.0
    while not holds(high):
        low, high = high, high * 2
        if high > most:
            return most
    while high - low > 1e-6 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


@lru_cache
def would_find(places: int, level: float, falls: int) -> float:
    """The bias of one place that this many outcomes show with the probability `POWER`."""
    return _least(lambda bias: power(places, level, falls, bias) > POWER, most=float(places))


@lru_cache
def falls_for(places: int, level: float, bias: float) -> int:
    """How many outcomes show this bias of one place with the probability `POWER`."""
    return ceil(_least(lambda falls: falls >= 1 and power(places, level, ceil(falls), bias) > POWER))


def _rounds_for(places: int, per_round: float, level: float, needed: int) -> dict[str, int]:
    return {f"{bias:g}": max(needed, ceil(falls_for(places, level, bias) / per_round)) for bias in EFFECTS}


def _distance(category: Category, falls: int) -> float:
    variance = category.expected * (1 - category.expected / falls) if falls else 0.0
    return abs(category.count - category.expected) / sqrt(variance) if variance else 0.0
