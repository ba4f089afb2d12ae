"""The watch for a reader that is stuck: one pocket, one space, or the same faces of the dice, again and again.

    19  19  19  19  19         the fifth equal pocket of 38: a warning, or a fault, at once
    p = 1/38 each; in 600 spins of a sound wheel this comes with a chance of 0.00028

A display that repeats its number, a head that sees a stain, a dealer who keys what was keyed before: each gives runs
that chance does not. What is compared is what the reader gave, whatever a person made of it: of an unresolved round its
one candidate. Never a face of a money wheel or a color, which come in runs by themselves.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol

from feed import events
from feed.events import Data
from feed.state import TableState

FALLS: Final = 600
"""Results in a row for which the chance of a false alarm is stated (ours): the window of the bias watch."""
MOST_FALSE_ALARM: Final = 3.2e-4
"""The greatest chance of a false alarm in this many results (ours): five equal pockets of a wheel of 38 give 0.00028,
of a wheel of 37 0.00031."""
LONGEST_RUN: Final = 40
"""No device needs a longer run (ours): coins that are tossed need 21."""

REPEATED: Final = "result_repeated"
"""The warning, or the fault."""


class RepeatPlan(Protocol):
    """What can come at a device."""

    @property
    def device(self) -> str:
        """Whose reader it is: `dice` or `wheel`."""

    @property
    def places(self) -> Mapping[Hashable, float]:
        """Everything that a fair device can show, with its probability."""

    def falls(self, result: Mapping[str, Any]) -> Sequence[Hashable]:
        """What it showed in a result; more than once where it fell more than once. Empty where the result has none."""


def false_alarm(run: int, probabilities: Iterable[float], falls: int = FALLS) -> float:
    """The chance that a sound device shows one thing `run` times in a row at some point of this many results.

    It is the expected number of such runs, which is at least that chance and, where it is small, nearly it: a run
    begins with the first result, or after another one.
    """
    if run > falls:
        return 0.0
    return sum(p**run * (1 + (falls - run) * (1 - p)) for p in probabilities)


def least_run(probabilities: Iterable[float]) -> int:
    """The shortest run that a sound device shows seldom enough; `LONGEST_RUN` where none is."""
    chances = [*probabilities]
    return next(
        (run for run in range(2, LONGEST_RUN) if false_alarm(run, chances) <= MOST_FALSE_ALARM),
        LONGEST_RUN,
    )


class RepeatedResult(NamedTuple):
    """One thing that came again and again."""

    place: Hashable
    length: int
    detail: str


class RepeatWatch:
    """The results of one table, one after another; it continues over a restart from what the journal holds."""

    def __init__(self, plan: RepeatPlan, *, shuts: bool = False) -> None:
        """`shuts` is whether the house shuts the table for it."""
        self.shuts = shuts
        self._plan = plan
        self._least = least_run(plan.places.values())
        self._false_alarm = false_alarm(self._least, plan.places.values())
        self._last: Hashable | None = None
        self._length = 0

    def restore(self, state: TableState) -> None:
        """Counts what the journal holds of the last rounds."""
        recalled = {record.round for record in state.rounds}
        for outcome in state.history.outcomes:
            if outcome.round not in recalled:
                self._count(outcome.result)
        for record in state.rounds:
            self._count(_read(record.result, record.candidates))

    def see(self, data: Data) -> RepeatedResult | None:
        """Takes an event; returns a run that is too long, at its result and at each further one."""
        if isinstance(data, events.Outcome):
            return self._count(data.result)
        return self._count(_read(None, data.candidates)) if isinstance(data, events.Unresolved) else None

    def _count(self, result: Mapping[str, Any] | None) -> RepeatedResult | None:
        found: RepeatedResult | None = None
        for place in () if result is None else self._plan.falls(result):
            self._length = self._length + 1 if place == self._last else 1
            self._last = place
            if self._length >= self._least:
                found = RepeatedResult(place, self._length, self._detail(place))
        return found

    def _detail(self, place: Hashable) -> str:
        named = "-".join(map(str, place)) if isinstance(place, tuple) else str(place)
        return (
            f"{named} came {self._length} times in a row; {self._least} times come at a sound {self._plan.device} with "
            f"a chance of {self._false_alarm:.1g} in {FALLS} results: is the reader stuck?"
        )


def _read(result: Mapping[str, Any] | None, candidates: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """What the reader gave for a round: its result, or its one candidate."""
    return result if result is not None else candidates[0] if len(candidates) == 1 else None
