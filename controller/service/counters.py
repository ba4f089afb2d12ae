"""The service's counters: read by `status`, by systemd's status line and by the monitoring port."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple


class LiveNumbers(NamedTuple):
    """Numbers that are read where they are, at each scrape of the monitoring port."""

    subscribers: int = 0
    """Connections to the feed now."""
    connections_refused: int = 0
    """Handshakes and connections that failed, on all sockets."""
    connections_ended: int = 0
    """Connections that had shown no key and were ended, because there were too many."""
    feed_malformed: int = 0
    """Messages of subscribers that are no subscription."""
    lines_dropped: int = 0
    """Printed lines that nobody read in time."""


@dataclass
class ServiceCounters:
    """Plain numbers, changed on the loop's thread only; any thread may read them."""

    events: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Published, by table and kind."""
    verdicts: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    """By table, kind and reason; the reason of an outcome is empty."""
    faults: dict[str, int] = field(default_factory=dict)
    """Faults latched now, by table."""
    states: dict[str, str] = field(default_factory=dict)
    """Of each table: `open`, `closed`, `shut`, `halted`."""
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
