"""The service's counters: read by `status`, by systemd's status line and by the monitoring port."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from controller.table.lifecycle import LifecycleState
from hal.clock import NS_PER_S

HALTED: Final = "halted"
"""Of a table whose service cannot journal any more."""
STATES: Final = (*map(str, LifecycleState), HALTED)
"""The states that a table of a service can be in."""
BOUNDS_S: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
"""Upper bounds of the buckets of a latency, in seconds (ours): from a fast disk to one that hangs."""
_BOUNDS_NS: Final = tuple(round(bound * NS_PER_S) for bound in BOUNDS_S)


@dataclass
class LatencyHistogram:
    """How many took how long. Any thread may read it: a bucket is never ahead of its sum by more than one."""

    counts: list[int] = field(default_factory=lambda: [0] * (len(BOUNDS_S) + 1))
    """By bucket; the last is of those above all bounds."""
    sum_ns: int = 0

    def add(self, took_ns: int, times: int = 1) -> None:
        """Counts a latency, `times` over."""
        self.counts[bisect_left(_BOUNDS_NS, took_ns)] += times
        self.sum_ns += took_ns * times


class LiveNumbers(NamedTuple):
    """Numbers that are read where they are, at each scrape of the monitoring port."""

    subscribers: int = 0
    """Connections to the feed now."""
    connections_refused: int = 0
    """Handshakes and connections that failed, on all sockets."""
    connections_ended: int = 0
    """Connections that had shown no key and were ended, because there were too many."""
    feed_malformed: int = 0
    """Messages of subscribers that are not a subscription."""
    lines_dropped: int = 0
    """Printed lines that were not read in time."""


@dataclass
class ServiceCounters:
    """Plain numbers, changed on the loop's thread only; any thread may read them."""

    events: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Published, by table and kind."""
    verdicts: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    """By table, kind and reason; the reason of an outcome is empty."""
    faults: dict[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    """Device and code of the faults that are latched now, by table."""
    states: dict[str, str] = field(default_factory=dict)
    """Of each table: one of `STATES`."""
    latency: LatencyHistogram = field(default_factory=LatencyHistogram)
    """Of each journalled event, from its decision to its publication."""
    commits: int = 0
    """Submissions that became durable."""
    commit_ns: int = 0
    """Sum of the times from submission to durable."""
    longest_commit_ns: int = 0
    waiting: int = 0
    """Submissions that are not yet durable."""
    commands: Counter[str] = field(default_factory=Counter)
    """By result: `accepted`, `refused`, `again`, `malformed`, `unjournalled`."""
    captures: Counter[str] = field(default_factory=Counter)
    """By result: `kept`, `skipped`, `removed`."""
    late_ticks: int = 0
    """Ticks that came much too late."""
    longest_tick_ns: int = 0
