"""What statistics need of a game: how a bias is counted, by what its tables published."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from feed.data import StatisticsKey
from feed.fairness import Plan


class CountedGame(Protocol):
    """A game whose results can be counted."""

    @property
    def published_bias(self) -> Callable[[Sequence[StatisticsKey]], Plan | None]:
        """What is counted of a table, by the statistics keys that it published; None where nothing is."""

    @property
    def falls_in(self) -> Sequence[str]:
        """The devices in which it turns or falls: the first one that a table has is what a bias is compared by."""
