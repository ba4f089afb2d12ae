"""Where a rewritten history begins to differ: what the journal holds now, against what is remembered of it."""

from __future__ import annotations

from enum import Enum, auto

from feed.subscriber.items import Fact
from feed.subscriber.memory import Memory


class Found(Enum):
    """What a comparison of the next event says."""

    SAME = auto()
    DIFFERENT = auto()
    """From here on. Those before it are the same."""
    ALL_DIFFERENT = auto()
    """Not one of those remembered is left: where it begins cannot be told."""


class Comparison:
    """Compares event by event, from the oldest that is remembered on."""

    def __init__(self, memory: Memory) -> None:
        self.cursor = memory.before
        """The last event that is the same."""
        self._memory = memory
        self._first = memory.before

    def next(self, fact: Fact) -> Found:
        """The event after the cursor, as the journal holds it now."""
        if self._memory.is_same(self.cursor + 1, fact.body):
            self.cursor += 1
            return Found.SAME
        if self.cursor == self._first and self._first > 0:
            return Found.ALL_DIFFERENT
        return Found.DIFFERENT
