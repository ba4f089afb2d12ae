"""Takes the time and the memory of things to be compared, so that the machine's noise hits all of them alike.

Subjects that are compared take turns: every round runs each of them once, one after the other, and a ratio is that of
two runs of the same round. What is reported is the median over the rounds.

    round 1   decoder  bare loop  gpiozero      ratios of round 1
    round 2   decoder  bare loop  gpiozero      ratios of round 2
    ...                                         median of each

Time is what the thread had of its core. Everything measured is one thread that never waits, so on an idle machine this
is the time that passes; on a busy one it leaves out the time that others had.

The garbage collector runs as it does in the service, but what a subject starts with is hidden from it: walking through
our input lists is no part of what is measured.
"""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from time import thread_time


class WrongWorkError(Exception):
    """A subject did not do the work that its time would be counted for."""


@dataclass(frozen=True, slots=True)
class Subject:
    """Something whose speed is measured."""

    name: str
    amount: int
    """How many edges, values or rounds one run deals with."""
    ready: Callable[[], Callable[[], int]]
    """Builds, untimed, what a run starts with; the run returns a number that shows that the work was done."""
    expected: int
    """That number."""


@dataclass(frozen=True, slots=True)
class Timings:
    """What the rounds gave for each subject, by name."""

    rates: dict[str, list[float]]
    """Amount a second, a number for each round."""
    peaks: dict[str, int]
    """Most bytes that Python had allocated during one run, beyond what there was before it."""

    def rate(self, name: str) -> float:
        """Median amount a second."""
        return median(self.rates[name])

    def ratio(self, name: str, peer: str) -> float:
        """Median of the ratios between two runs of the same round."""
        return median(mine / theirs for mine, theirs in zip(self.rates[name], self.rates[peer], strict=True))


def measure(subjects: Sequence[Subject], repeats: int, *, reverse: bool = False) -> Timings:
    """Measures subjects in turns: first an untimed turn for the peak memory, then `repeats` timed ones.

    With `reverse` every second turn goes the other way round: none of two subjects is favored by what runs before it.

    Raises:
        WrongWorkError: a subject did other work than expected.
    """
    peaks = {subject.name: _peak(subject) for subject in subjects}
    rates: dict[str, list[float]] = {subject.name: [] for subject in subjects}
    for turn in range(repeats):
        for subject in reversed(subjects) if reverse and turn % 2 else subjects:
            rates[subject.name].append(subject.amount / _seconds(subject))
    return Timings(rates, peaks)


def _seconds(subject: Subject) -> float:
    run = subject.ready()
    gc.collect()
    gc.freeze()
    try:
        begin = thread_time()
        shown = run()
        seconds = thread_time() - begin
    finally:
        gc.unfreeze()
    _check(subject, shown)
    return seconds


def _peak(subject: Subject) -> int:
    """Runs under `tracemalloc`, which slows everything down: never together with the timing."""
    run = subject.ready()
    gc.collect()
    tracemalloc.start()
    try:
        shown = run()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    _check(subject, shown)
    return peak


def _check(subject: Subject, shown: int) -> None:
    if shown != subject.expected:
        raise WrongWorkError(
            f"{subject.name}: expected {subject.expected} as the sign of its work, saw {shown}; "
            "its time means nothing until that is fixed"
        )
