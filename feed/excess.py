"""Whether something happens more often than it should, trial by trial, however often one looks.

A trial hits with a chance p that is known before it, whatever came before. Somebody who bets on hits at the fair price
has, after each trial, his stake times

    θ / (1 + p (θ - 1))  at a hit        1 / (1 + p (θ - 1))  otherwise

which is what he had before on the average. So where nothing is wrong the stake reaches a thousandfold with a chance of
one in a thousand at most, over all looks together (Ville 1939); a chance that is below p only makes it rarer. The stake
is divided over several θ, for an excess that is small or large.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from math import exp, log, log1p
from typing import Final

FALSE_ALARM: Final = 0.001
"""The chance of a false alarm in one window (ours): 99.9 %, as the strictest column of the usual tables."""
FACTORS: Final = (1.5, 2.0, 4.0, 8.0, 16.0, 64.0)
"""θ, the odds that are bet on (ours)."""


class Excess:
    """The stake of one series of trials."""

    def __init__(self) -> None:
        self.trials = self.hits = 0
        self.expected = 0.0
        """Hits, where nothing is wrong."""
        self._logs = [0.0] * len(FACTORS)

    def take(self, chance: float, hits: int, trials: int = 1) -> None:
        """Trials of one chance, and how many of them hit."""
        self._took(trials, hits, trials * chance)
        for at, (hit, price) in enumerate(_steps(chance)):
            self._logs[at] += hits * hit - trials * price

    def take_each(self, chances: Iterable[float], hits: int) -> None:
        """Trials with a chance of their own each, and how many of them hit."""
        each = list(chances)
        self._took(len(each), hits, sum(each))
        each = [chance for chance in each if chance]
        for at, factor in enumerate(FACTORS):
            more = factor - 1
            self._logs[at] += hits * log(factor) - sum([log1p(chance * more) for chance in each])

    def _took(self, trials: int, hits: int, expected: float) -> None:
        self.trials += trials
        self.hits += hits
        self.expected += expected

    @property
    def log_odds(self) -> float:
        """The logarithm of the stake: the odds against chance alone."""
        return mean_of_logs(self._logs)


@lru_cache
def _steps(chance: float) -> list[tuple[float, float]]:
    """What a hit adds to the logarithm of each stake, and what a trial takes away."""
    return [(log(factor), log1p(chance * (factor - 1))) for factor in FACTORS]


def mean_of_logs(logs: Iterable[float]) -> float:
    """The logarithm of the mean of numbers of which the logarithms are known: a stake that is divided evenly."""
    each = list(logs)
    most = max(each)
    return most + log(sum(exp(one - most) for one in each) / len(each))
