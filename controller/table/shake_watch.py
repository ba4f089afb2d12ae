"""The watch over dice that are shaken, tumbled or tossed: how well, beside their results.

    outcome ── each tumble of its evidence ──┬── below a bound of the house: stated once, until one is above
                                             └── 60 tumbles, and then 30 after 30: ranked against the 60

Each is the warning `weak_shakes`, all of it is ours, and nothing of it changes a verdict. A block gives a false alarm
as seldom as a window of the bias watch. It begins again with the service.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from controller.table.bias import FALSE_ALARM
from controller.table.round_watch import Watched
from feed import events
from feed.events import Data
from feed.shakes import Shake, shake_of, weaker

FIRST: Final = 60
"""Tumbles of a device that later ones are compared with: its first ones (ours)."""
BLOCK: Final = 30
"""Tumbles that are compared with them at once (ours): half an hour of play, or less."""
WEAK: Final = "weak_shakes"


class ShakeLimits(NamedTuple):
    """The bounds of the house: `[watch]` of the table's file."""

    least_moved_s: float | None = None
    least_pulses: int | None = None


NO_LIMITS: Final = ShakeLimits()


class ShakeHistory:
    """The tumbles of one device."""

    def __init__(self) -> None:
        self._first: list[Shake] = []
        self._block: list[Shake] = []

    def take(self, one: Shake) -> Watched | None:
        """Takes a tumble; returns what a block shows that it ends."""
        if len(self._first) < FIRST:
            self._first.append(one)
            return None
        self._block.append(one)
        if len(self._block) < BLOCK:
            return None
        found, self._block = weaker(self._first, self._block), []
        if found is None or found.p >= FALSE_ALARM:
            return None
        return Watched(WEAK, f"the dice are shaken less well: {found.words}")


class ShakeWatch:
    """Takes the events of one table's rounds, and returns what is to be warned of."""

    def __init__(self, limits: ShakeLimits) -> None:
        self._limits = limits
        self._below: set[tuple[tuple[bool, ...], str]] = set()
        """Of each device the measures that were below their bounds when they were measured last."""
        self._devices: dict[tuple[bool, ...], ShakeHistory] = {}

    def see(self, data: Data) -> list[Watched]:
        """Takes an event."""
        if not isinstance(data, events.Outcome):
            return []
        return [found for one in data.evidence.tumbles or () for found in self._shaken(shake_of(one))]

    def _shaken(self, one: Shake) -> Iterator[Watched]:
        if self._limits != NO_LIMITS:
            yield from self._bounded(one)
        found = self._devices.setdefault(one.kind, ShakeHistory()).take(one)
        if found is not None:
            yield found

    def _bounded(self, one: Shake) -> Iterator[Watched]:
        for value, least, unit in (
            (one.moved_s, self._limits.least_moved_s, "s"),
            (one.pulses, self._limits.least_pulses, "pulses"),
        ):
            if value is None or least is None:
                continue
            measure = (one.kind, unit)
            if value >= least:
                self._below.discard(measure)
            elif measure not in self._below:
                self._below.add(measure)
                yield Watched(WEAK, f"the dice were shaken too little: {value:g} {unit}, below the least, {least:g}")
