"""The last rounds: the verdict that each has now, so that a person can call or correct it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from feed.events import Verdict
from feed.state import RoundRecord

RECENT: Final = 10
"""How many rounds can be recalled: the last game and nine before it (AGCO 13.1.1; N.J.A.C. 13:69E-1.28B(i))."""


class Ruling(NamedTuple):
    """A round that has its verdict."""

    round: int
    stands: Verdict
    """The verdict, or what a person put in its place."""
    candidates: tuple[dict[str, Any], ...] = ()
    """The results that an unresolved round may have had."""


class RecentRounds:
    """The last rounds that have a verdict, oldest first."""

    def __init__(self) -> None:
        self._rulings: dict[int, Ruling] = {}

    @property
    def last(self) -> Ruling | None:
        """The last round with a verdict."""
        return next(reversed(self._rulings.values()), None)

    @property
    def newest_first(self) -> list[Ruling]:
        """Every round that is there."""
        return list(reversed(self._rulings.values()))

    @property
    def span(self) -> str:
        """The rounds that are there, in words."""
        numbers = list(self._rulings)
        if not numbers:
            return "no round has a verdict yet"
        return f"rounds {numbers[0]} to {numbers[-1]} can be recalled" if len(numbers) > 1 else f"only {numbers[0]} can"

    def of(self, number: int) -> Ruling | None:
        """A round; None where it has no verdict, or was too long ago."""
        return self._rulings.get(number)

    def stands(self, ruling: Ruling) -> None:
        """A verdict was reached, or put in the place of another."""
        self._rulings[ruling.round] = ruling
        while len(self._rulings) > RECENT:
            del self._rulings[next(iter(self._rulings))]

    def forget(self, number: int) -> None:
        """A round that was another game's: no result of this one can be put in its place."""
        self._rulings.pop(number, None)

    def restore(self, records: Iterable[RoundRecord]) -> None:
        """The rounds of before a restart."""
        for record in records:
            self.stands(Ruling(record.round, record.stands, tuple(record.candidates)))
