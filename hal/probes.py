"""What a supervisor of processes asks: can this one go on (`/livez`), and is it of use now (`/readyz`)?

A process that is not live is to be started again. One that is not ready is to be left alone: a restart repairs nothing,
and takes what else runs in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from hal.clock import NS_PER_S, Clock

LIFE_NS = 5 * NS_PER_S // 2
"""Without a sign of life for this long a process cannot go on (ours): a probe fails within 3 s of what stops it."""


@dataclass(frozen=True, slots=True)
class ProbeState:
    """The answer to a probe."""

    problems: Sequence[str] = ()
    """Why it fails, each in a line; empty where it passes."""
    unknown: bool = False
    """What was asked about does not exist."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """What else is known, for people: the states of tables."""

    @property
    def passed(self) -> bool:
        return not self.problems


class Probes(Protocol):
    """What answers the probes of a process. Called on any thread: it only reads."""

    def live(self) -> ProbeState:
        """Whether the process itself can go on."""

    def ready(self, table: str | None) -> ProbeState:
        """Whether it is of use now; of one `table` where that is given."""


class Pulse:
    """The last sign of life of a loop: set by the loop, read by any thread."""

    def __init__(self, clock: Clock, what: str) -> None:
        """`what` is the loop, in words: `the loop of the tables`."""
        self._clock = clock
        self._what = what
        self._beat_ns: int | None = None

    def beat(self) -> None:
        """Notes that the loop runs."""
        self._beat_ns = self._clock.now_ns()

    def end(self) -> None:
        """Notes that the loop ends in order: its silence means nothing from now on."""
        self._beat_ns = None

    @property
    def problem(self) -> str | None:
        """Why the loop cannot be believed to run; None while it does, before its first turn and after its end."""
        beat_ns = self._beat_ns
        if beat_ns is None:
            return None
        silent_ns = self._clock.now_ns() - beat_ns
        return f"{self._what} has not run for {silent_ns / NS_PER_S:.1f} s" if silent_ns > LIFE_NS else None

    def live(self) -> ProbeState:
        """The answer to a probe of a process that is its loop alone."""
        problem = self.problem
        return ProbeState(() if problem is None else (problem,))
