"""What watches the rounds of a table beside their verdicts, and what of it goes on after a restart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol, runtime_checkable

from feed.data import WatchCounts
from feed.events import Data, Outcome, StackLoaded, Unresolved

PUBLISHED: Final = 100
"""Rounds after which counts are published at the latest (ours): whose power is cut loses no more."""
PUBLISHED_LOADED: Final = 5
"""Rounds after which they are published once another deck was loaded (ours)."""


COUNTED: Final = frozenset({Outcome, Unresolved, StackLoaded})
"""The events at which counts may have to be published."""


class Watched(NamedTuple):
    """What is to be warned of."""

    warning: str
    detail: str
    device: str = ""
    """Empty for the device of the game."""


class RoundWatch(Protocol):
    """Takes the events of one table's rounds, all but their progress. It changes nothing of them."""

    def see(self, data: Data) -> Sequence[Watched]:
        """Takes an event; returns what is to be warned of."""


@runtime_checkable
class KeepsCounts(Protocol):
    """A watch whose counts go on after a restart."""

    def counted(self, counts: WatchCounts) -> WatchCounts:
        """These counts, with its own."""

    def restore(self, counts: WatchCounts) -> bool:
        """Goes on with counts of before; returns whether they are of what it watches."""


class KeptCounts:
    """What the watches of one table have counted, from start to start."""

    def __init__(self, watches: Sequence[KeepsCounts], since_day: float | None) -> None:
        """`since_day` is when a part of the device was exchanged last, in days since 1970."""
        self._watches = watches
        self._since_day = since_day
        self._before: WatchCounts | None = None
        self._begun = 0.0
        self._rounds = 0
        """Rounds of which the journal does not have the counts."""
        self._deck = ""
        """The name of the cards that were loaded last."""

    def restore(self, counts: WatchCounts) -> None:
        """What the journal holds."""
        self._before = counts

    def begin(self, day: float) -> bool:
        """Goes on with what the journal holds; returns whether something of it is of another device. `day` is now."""
        before, self._begun = self._before, day
        if before is None:
            return False
        # A beginning that is still to come was dated by a wrong clock.
        if self._since_day is not None and self._since_day <= day and not self._since_day <= before.since <= day:
            return True
        self._begun = before.since
        taken = [one.restore(before) for one in self._watches]
        return not all(taken)

    def see(self, data: Data) -> bool:
        """Takes one of the events `COUNTED`, as the watches did before; returns whether the counts are to be
        published."""
        if not isinstance(data, StackLoaded):
            self._rounds += 1
            return self._rounds >= PUBLISHED
        if data.deck != self._deck:
            # Which deck is in the shoe is known from here alone.
            self._deck = data.deck
            self._rounds = max(self._rounds, PUBLISHED - PUBLISHED_LOADED)
        return False

    @property
    def is_new(self) -> bool:
        """Whether the journal does not have all of them."""
        return self._rounds > 0

    def published(self) -> WatchCounts:
        """All of them, which are published now."""
        self._rounds = 0
        counts = WatchCounts(since=self._begun)
        for one in self._watches:
            counts = one.counted(counts)
        return counts
