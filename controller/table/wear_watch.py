"""The watch over a wheel's wear: what is measured of spins, block after block, against the wheel's own history.

    measured spin ── 6 of them ──► block ──► history ──► worn? ──► wheel_wear          feed.wear judges
                                                │
                                                └─ 18 spins, later 3, or the end of the service ──► device.condition

The history is journalled with `device.condition`, so that it survives a restart, with the spins of a block that is not
full; a power cut loses what was measured since the last of these events. A value is warned of once, and
again at each further quarter of its way to the limit; after a restart from the beginning, so that each evening's report
has it. Nothing of it changes a verdict, and all of it is ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

import msgspec

from controller.table.bias import FALSE_ALARM
from feed.events import WearHistory
from feed.wear import BLOCK, CLOCK_DAYS, since, to_learn, with_block, worn

PUBLISHED_LEARNING: Final = 3 * BLOCK
"""Measured spins of a wheel that is being learnt after which its history is published (ours)."""
PUBLISHED_LEARNT: Final = 3
"""The same of a learnt one, so after as many spins of the ball: whose power is cut loses no more (ours)."""
WHEEL_WEAR: Final = "wheel_wear"
"""The warning."""
QUARTERS: Final = 4


class WearLimits(NamedTuple):
    """What the table's file sets."""

    since_day: float | None
    """From which day on the history counts, in days since 1970; None where all of it does."""
    limits: Mapping[str, float]
    """The limits of the values that have one there."""


class WearWatch:
    """The wear of one wheel."""

    def __init__(self, keys: WearLimits) -> None:
        self._keys = keys
        self._history = WearHistory(limits=dict(keys.limits))
        self._block: list[Mapping[str, float]] = []
        self._begun_day: float | None = None
        """When its first spin was measured; None where that is not known."""
        self._unpublished = 0
        """Measured spins that the journal does not have."""
        self._warned: dict[tuple[str, float], int] = {}
        """By value and limit: the quarter of the way at which it was last warned of."""

    def restore(self, history: WearHistory) -> None:
        """Continues from what the journal holds."""
        self._history = history
        self._block = [*history.begun]
        # An older version did not write when they were measured: after the last block.
        self._begun_day = history.days[-1] if history.begun_day is None and history.days else history.begun_day

    def forget(self, day: float) -> None:
        """Forgets what is from before the part was exchanged. `day` is now, since 1970."""
        from_day = self._keys.since_day
        if from_day is None or from_day > day:  # a day that is still to come takes nothing away
            return
        if self._begun_day is not None and not from_day <= self._begun_day <= day + CLOCK_DAYS:
            self._block = []
        self._history = since(self._history, from_day, day)

    @property
    def to_learn(self) -> int:
        """Measured spins until the wheel is learnt and a first window is full."""
        return max(0, to_learn(self._history) * BLOCK - len(self._block))

    def measured(self, values: Mapping[str, float], day: float) -> bool:
        """Takes what was measured of a spin; returns whether a block is full, and `judge` is to be called. `day` is
        now, since 1970."""
        if not self._block:
            self._begun_day = day
        self._block.append(values)
        self._unpublished += 1
        return len(self._block) >= BLOCK

    def judge(self, day: float) -> list[str]:
        """Adds the block to the history; returns what is to be warned of, in words. `day` is now, since 1970."""
        self.forget(day)
        block, self._block = self._block, []
        if not block:
            return []
        first = self._history.days[:1]
        self._history = with_block(self._history, day, block, self._keys.limits)
        if self._history.days[:1] != first:
            self._warned = {}  # it is learnt again
        words = []
        for one in worn(self._history, FALSE_ALARM):
            place, quarter = (one.name, one.limit), int(one.progress * QUARTERS)
            if quarter > self._warned.get(place, -1):
                self._warned[place] = quarter
                words.append(one.words)
        return words

    def published(self, *, at_end: bool = False) -> WearHistory | None:
        """The history, where it is to be published now: after some spins, or at the end with any that is new."""
        if self._unpublished < (1 if at_end else PUBLISHED_LEARNING if self.to_learn else PUBLISHED_LEARNT):
            return None
        return self.kept()

    def kept(self) -> WearHistory:
        """The history with all that is new, which is published now."""
        self._unpublished = 0
        begun, day = [dict(one) for one in self._block], self._begun_day
        begun_day = round(day, 3) if begun and day is not None else None
        return msgspec.structs.replace(self._history, begun=begun, begun_day=begun_day)
