"""Whether the computer keeps up with its tables: by how much turns of the work came late, over the last seconds.

Lateness changes no verdict: edges have the times of the kernel or of a board. Outputs and what is published come later,
and simulated tables run slower.
"""

from __future__ import annotations

import logging
from typing import Final

from hal.clock import NS_PER_S

log = logging.getLogger(__name__)

DEVICE: Final = "service"
WARNING: Final = "overloaded"
WINDOW_NS: Final = 10 * NS_PER_S
"""Lateness is counted over this long (ours)."""
OVERLOADED_SHARE: Final = 0.1
"""Late by this share of a window: overloaded (ours)."""
KEEPS_UP_SHARE: Final = 0.02
"""Late by less than this share of a window: not overloaded any more (ours)."""
AGAIN_NS: Final = 60 * NS_PER_S
"""Between two warnings at least (ours): they would add to the load."""


class LoadWatch:
    """The lateness of one service."""

    def __init__(self, now_ns: int, speed: float | None = None) -> None:
        """`speed` is that of simulated tables, times real time; None where there are none."""
        self._speed = speed
        self._begun_ns = self._now_ns = now_ns
        self._late_ns = 0
        self._warned_ns: int | None = None
        self.words = ""
        """By how much the computer was late in the last window; empty where it keeps up."""

    def turned(self, now_ns: int, late_ns: int) -> None:
        """A turn of the work begins, late by this much."""
        self._now_ns = now_ns
        self._late_ns += late_ns

    def check(self) -> str | None:
        """Once a second: the warning that is to be published, where the computer has become overloaded."""
        window_ns, late_ns = self._now_ns - self._begun_ns, self._late_ns
        if window_ns < WINDOW_NS:
            return None
        self._begun_ns, self._late_ns = self._now_ns, 0
        share, was = late_ns / window_ns, bool(self.words)
        if share < (KEEPS_UP_SHARE if was else OVERLOADED_SHARE):
            if was:
                log.info("the computer keeps up with its tables again")
            self.words = ""
            return None
        self.words = self._words(window_ns, late_ns)
        if was or (self._warned_ns is not None and self._now_ns - self._warned_ns < AGAIN_NS):
            return None
        self._warned_ns = self._now_ns
        log.warning("overloaded: %s", self.words)
        return self.words

    def _words(self, window_ns: int, late_ns: int) -> str:
        late = f"late by {late_ns / NS_PER_S:.1f} s in {window_ns / NS_PER_S:.1f} s: the computer does not keep up"
        if self._speed is None:
            return f"{late}; run fewer tables on it, or end what else uses it"
        reached = self._speed * max(0.0, 1 - late_ns / window_ns)
        return f"{late}; simulated tables run {reached:.2g} times real time, not {self._speed:g}: run fewer, or slower"
