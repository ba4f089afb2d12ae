"""When a table's rounds opened and were decided, so that a capture of one begins where a replay can begin.

    round 5 opened ─ verdict ─ round 6 opened ─ verdict ─ round 7 opened ─ verdict
    │                                                                            │
    └─────────────────────────── capture of round 7 ─────────────────────────────┘

A capture holds the two rounds before too. Bets open when the device is at rest, so a replay that begins there has not
joined in the middle of a spin; and in those rounds the wheel passes its index, which is part of the proof of the next
one. Where the last minutes do not reach back so far, it begins with the earliest opening that they hold.
What a wheel had learnt of itself even earlier is not in it: see docs/service.md, "Captures".
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from feed.events import CaptureFile, Event, Outcome, RoundOpened, Unresolved, Void

KEEP: Final = 13
"""Rounds that are noted (ours): those that can be corrected, and the ones before."""
LEAD: Final = 2
"""Rounds before it that a capture holds (ours): with one, three in a hundred of faulty sensors' verdicts came out
differently, with two none but those that docs/service.md names."""


class RoundSpan(NamedTuple):
    """The time that a capture of a round covers."""

    from_ns: int
    to_ns: int
    complete: bool
    """Whether it reaches back to the round before, or to the table's opening."""


class RoundSpans:
    """When the last rounds of one table opened and were decided, and which of them have a capture."""

    def __init__(self) -> None:
        self._opened: dict[int, int] = {}
        self._decided: dict[int, int] = {}
        self._kept: dict[int, CaptureFile] = {}

    def note(self, events: Iterable[Event], until_ns: int) -> None:
        """Notes openings and verdicts among a table's events, up to the time `until_ns` of its lines."""
        for event in events:
            data = event.data
            if isinstance(data, RoundOpened):
                self._opened[data.round] = data.mono_ns
            elif isinstance(data, Outcome | Void | Unresolved) and data.round in self._opened:
                self._decided.setdefault(data.round, until_ns)
        for old in [*self._opened][:-KEEP]:
            del self._opened[old]
            self._decided.pop(old, None)
            self._kept.pop(old, None)

    def keep(self, number: int, name: CaptureFile) -> None:
        """Notes that a round has a capture, up to its verdict."""
        self._kept[number] = name

    def is_decided(self, number: int) -> bool:
        """Whether a round has its verdict, so that a capture of it now is the whole round."""
        return number in self._decided

    def kept(self, number: int) -> CaptureFile | None:
        """The capture that a round has; None where it has none."""
        return self._kept.get(number)

    def span_of(self, number: int, now_ns: int, held_ns: int) -> RoundSpan | None:
        """The span of a round's capture, up to its verdict or now; None for a round that is too old.

        `held_ns` is the beginning of what is held of the lines.
        """
        if number not in self._opened:
            return None
        before = [self._opened[one] for one in range(number - LEAD, number + 1) if one in self._opened]
        held = [opened_ns for opened_ns in before if opened_ns >= held_ns]
        complete = len(held) > 1 or (len(held) == len(before) == 1)
        return RoundSpan(held[0] if held else held_ns, self._decided.get(number, now_ns), complete)
