"""The bias watch: the last outcomes of a table, looked at now and then, against what fair dice or a fair wheel give.

    outcomes   ............................................................
    looks             60     120     180     240     …     600     660
    window     the last 600 outcomes at each look

It looks again and again, and more often than once it would find something by chance. So each test of each look has its
share only of the chance of a false alarm: `FALSE_ALARM` over all the tests of the looks that a window has (Bonferroni).
A look reports what it found once, and again only when a look in between found nothing.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping
from math import sqrt
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from feed import excess
from feed.data import FallCounts, WatchCounts
from feed.fairness import Fit, Plan, Sample, Test, fit

WINDOW: Final = 600
"""Outcomes that a look looks at (ours)."""
EVERY: Final = 60
"""Outcomes between two looks (ours)."""
FALSE_ALARM: Final = excess.FALSE_ALARM
"""The chance of a false alarm in one window (ours)."""


class Bias(NamedTuple):
    """What a look found."""

    device: str
    test: str
    category: int | str
    """The one that is furthest from what is expected."""
    detail: str
    fit: Fit


class BiasWatch:
    """The outcomes of one table. Those of a wheel go on after a restart."""

    def __init__(
        self, plan: Plan, *, window: int = WINDOW, every: int = EVERY, false_alarm: float = FALSE_ALARM
    ) -> None:
        self._plan = plan
        self._window = window
        self._every = every
        self._reported_below = false_alarm / (max(1, window // every) * len(plan.tests))
        self._outcomes: deque[tuple[int, tuple[Sample, ...]]] = deque()
        self._since = 0
        self._found: set[str] = set()

    def outcome(self, number: int, result: Mapping[str, Any]) -> list[Bias]:
        """A round has an outcome. Returns what a look finds, where it is time for one."""
        self._outcomes.append((number, tuple(self._plan.samples(result))))
        if len(self._outcomes) > self._window:
            self._outcomes.popleft()
        self._since += 1
        if self._since < self._every:
            return []
        self._since = 0
        return self._look()

    def corrected(self, number: int, result: Mapping[str, Any] | None) -> None:
        """A person put another result in place of one, or none."""
        samples = () if result is None else tuple(self._plan.samples(result))
        for at, (known, _) in enumerate(self._outcomes):
            if known == number:
                self._outcomes[at] = (number, samples)
                return

    @property
    def of_wheel(self) -> bool:
        """Whether it is a wheel, which is the same one after a restart; dice may be others."""
        return self._plan.device == "wheel"

    def counted(self, counts: WatchCounts) -> WatchCounts:
        """These counts, with the outcomes of a wheel that the next look has."""
        (test,) = self._plan.tests
        places = [*test.probabilities]
        number_of = {place: number for number, place in enumerate(places)}
        fell = [number_of[one[test.name]] for _, samples in self._outcomes for one in samples if test.name in one]
        return replace(counts, falls=FallCounts(places=places, fell=fell, since=self._since))

    def restore(self, counts: WatchCounts) -> bool:
        """Goes on with the outcomes of before; returns whether they are of a wheel that can show the same."""
        falls, (test,) = counts.falls, self._plan.tests
        if falls is None:
            return True
        if falls.places != [*test.probabilities] or max(falls.fell, default=0) >= len(falls.places):
            return False
        # None of them is corrected any more: no round has the number 0.
        self._outcomes.extend((0, ({test.name: falls.places[number]},)) for number in falls.fell[-self._window :])
        self._since = min(falls.since, self._every - 1)
        return True

    def _look(self) -> list[Bias]:
        found: list[Bias] = []
        biased: set[str] = set()
        for test in self._plan.tests:
            bias = self._judge(test)
            if bias is not None:
                biased.add(test.name)
                if test.name not in self._found:
                    found.append(bias)
        self._found = biased
        return found

    def _judge(self, test: Test) -> Bias | None:
        seen = Counter(one[test.name] for _, samples in self._outcomes for one in samples if test.name in one)
        counts = [seen[category] for category in test.probabilities]
        total = sum(counts)
        fitted = fit(counts, [*test.probabilities.values()])
        if fitted is None or fitted.p >= self._reported_below:
            return None

        def far(category: int | str) -> float:
            p = test.probabilities[category]
            return abs(seen[category] - total * p) / sqrt(total * p * (1 - p))

        worst = max(test.probabilities, key=far)
        expected = total * test.probabilities[worst]
        listed = ", ".join(f"{category}: {seen[category]}" for category in test.probabilities)
        detail = (
            f"{test.name}: {worst} came {seen[worst]} times in the last {total}, {expected:.1f} expected; chi-squared "
            f"{fitted.chi_squared:.1f}, {fitted.degrees} degrees of freedom, p {fitted.p:.1g} (reported below "
            f"{self._reported_below:.1g}); {listed}"
        )
        return Bias(self._plan.device, test.name, worst, detail, fitted)
