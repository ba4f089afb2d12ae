"""The last outcomes of a table, and how often each value came in them: what a scoreboard shows beside the last result.

    round       1   2   3   4   5   6   7   8   9  10  11  12
    verdict     9   0  void 17  9  30   0  22   ?   4   9  11
                └── final ──┘  └ may still be corrected ────┘        (the last ten rounds with a verdict)

An outcome counts with the result in force: one that a person corrected to void counts no more, an unresolved round
that the dealer called counts from then on. A correction may bring an older outcome back into the window, so that more
outcomes are kept than are counted: `limit` final ones, and those that may still be corrected.

What is counted is the table's own: it publishes its statistics keys (`StatisticsKey`), and no game is known here.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from .data import StatisticsKey
from .results import Result

DEFAULT_HISTORY: Final = 100
"""Outcomes that a table's statistics count where its configuration names no number (ours)."""
LEAST_HISTORY: Final = 20
"""The fewest: a board shows the last twenty."""
MOST_HISTORY: Final = 1000
"""The most (ours): a snapshot with this many is some 200 KB, a fifth of the longest frame of an answer."""


class PastOutcome(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The outcome of a round, as it is now."""

    round: int
    """The number of the round."""
    time: str
    """Of the event with the round's verdict."""
    result: Result
    """The result in force, by the game of the table."""
    corrected: bool = False
    """A person changed it after it was published; false where the dealer called a round that was unresolved."""


class ValueCount(msgspec.Struct, frozen=True, kw_only=True):
    """How often one value came."""

    value: int | str
    """The value, as results have it."""
    count: Annotated[int, Meta(ge=0)]
    """In how many of the outcomes it came; in a list of values it counts each time that it is there."""


class FieldStatistics(msgspec.Struct, frozen=True, kw_only=True):
    """How often each value of one field of the results came."""

    field: str
    """The field of `result`; a field inside another one with a dot: `player.total`."""
    counts: list[ValueCount]
    """Every value that can come, in the table's order, also those that did not; others after them."""


class Statistics(msgspec.Struct, frozen=True, kw_only=True):
    """Counts over the last outcomes of a table: hot and cold numbers."""

    outcomes: Annotated[int, Meta(ge=0)]
    """Over how many outcomes: the last ones of the table, each with the result in force."""
    fields: list[FieldStatistics]
    """One for each statistics key of the table."""


class OutcomeHistory:
    """The last outcomes of one table, oldest first, and their statistics."""

    def __init__(self, limit: int = DEFAULT_HISTORY, keys: Sequence[StatisticsKey] = ()) -> None:
        self.limit = limit
        """How many outcomes the statistics count, at most."""
        self.keys = list(keys)
        self.kept_at_least = 0
        """Final outcomes that are kept even where `limit` is lower: a fold of old events then forgets none that a
        higher limit, published later, counts."""
        self._outcomes: list[PastOutcome] = []

    @property
    def outcomes(self) -> tuple[PastOutcome, ...]:
        """Those that are kept: the ones that count, and a few older ones for corrections."""
        return tuple(self._outcomes)

    @property
    def counted(self) -> list[PastOutcome]:
        """Those that the statistics count: the last `limit`."""
        return self._outcomes[-self.limit :]

    @property
    def statistics(self) -> Statistics:
        """Counts over the last `limit` outcomes."""
        return statistics_of(self.keys, self.counted)

    def configure(self, limit: int, keys: Sequence[StatisticsKey]) -> None:
        """The table published what it counts, and over how many outcomes."""
        self.limit = min(max(limit, 1), MOST_HISTORY)
        self.keys = list(keys)

    def put(self, outcome: PastOutcome) -> None:
        """A round has this outcome, in place of another verdict where it had one."""
        at = self._place(outcome.round)
        self._outcomes[at : at + self._holds(at, outcome.round)] = [outcome]

    def remove(self, number: int) -> None:
        """A round has no outcome, or none any more."""
        at = self._place(number)
        del self._outcomes[at : at + self._holds(at, number)]

    def settle(self, oldest: int) -> None:
        """Rounds before `oldest` are not corrected any more: of their outcomes only the last ones are kept."""
        final = self._place(oldest)
        del self._outcomes[: max(0, final - max(self.limit, self.kept_at_least))]

    def restore(self, outcomes: Iterable[PastOutcome]) -> None:
        """The outcomes of a snapshot, in place of all."""
        self._outcomes = [one for _, one in sorted({one.round: one for one in outcomes}.items())]

    def clear(self) -> None:
        """The table plays another game: its results are others."""
        self._outcomes.clear()

    def _place(self, number: int) -> int:
        return bisect_left(self._outcomes, number, key=lambda one: one.round)

    def _holds(self, at: int, number: int) -> bool:
        return at < len(self._outcomes) and self._outcomes[at].round == number


def statistics_of(keys: Sequence[StatisticsKey], outcomes: Sequence[PastOutcome]) -> Statistics:
    """Counts the values of these outcomes."""
    return Statistics(outcomes=len(outcomes), fields=[_field_statistics(key, outcomes) for key in keys])


def _field_statistics(key: StatisticsKey, outcomes: Sequence[PastOutcome]) -> FieldStatistics:
    # A Counter keeps the order of its keys: the table's, then that in which others came.
    counter: Counter[int | str] = Counter(dict.fromkeys(key.values, 0))
    for outcome in outcomes:
        counter.update(values_at(outcome.result, key.field))
    counts = [ValueCount(value=value, count=count) for value, count in counter.items()]
    return FieldStatistics(field=key.field, counts=counts)


def values_at(result: Mapping[str, Any], field: str) -> list[int | str]:
    """The values of a field of a result: one, each of a list, or none where the result has no such field."""
    return [value for value in found_at(result, field) if isinstance(value, int | str) and not isinstance(value, bool)]


def found_at(result: Mapping[str, Any], field: str) -> list[Any]:
    """As `values_at`, whatever is there: what statistics do not count, too."""
    values: list[Any] = [result]
    for name in field.split("."):
        found = [one.get(name) for one in values if isinstance(one, Mapping)]
        values = [value for one in found for value in (one if isinstance(one, list | tuple) else [one])]
    return values
