"""Checks the free space of the journal's disk: play stops while the stop can still be journalled."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final

from audit.errors import JournalError
from hal.clock import NS_PER_S, Clock

log = logging.getLogger(__name__)

STOP_BYTES: Final = 16 * 1024 * 1024
"""Play stops with less free space than this (ours)."""
ENOUGH_BYTES: Final = 2 * STOP_BYTES
"""The fault can be cleared with as much free space as this."""
LOW_BYTES: Final = 256 * 1024 * 1024
"""With less than this a warning is logged; captures are not kept below 128 MB."""
EVERY_NS: Final = NS_PER_S
"""How often it is read: a call that costs microseconds. A fast writer fills what is left in seconds."""
LOG_EVERY_NS: Final = 600 * NS_PER_S
"""How often it is logged that little is left (ours)."""
DEVICE: Final = "disk"
FAULT: Final = "disk_nearly_full"
REMEDY: Final = "free space on it; a supervisor then clears the fault"
CAUSE: Final = "too little room on the disk"

_MB: Final = 1024 * 1024


class DiskWatch:
    """Reads the free space every `EVERY_NS`. Play stops when too little is left, or will be by the next reading where
    the space shrinks as fast as since the last one.
    """

    def __init__(self, free: Callable[[], int], clock: Clock) -> None:
        """`free` gives the free space in bytes, and raises JournalError where the disk is gone."""
        self._free = free
        self._clock = clock
        self._next_ns = clock.now_ns()
        self._stopped = False
        self._again = False
        self._before: int | None = None
        """The free space at the last reading."""
        self._log_ns: int | None = None
        """When it was last logged that little is left; None while enough is."""

    def check(self) -> str | None:
        """Why play has to stop, returned once; None otherwise."""
        if self._clock.now_ns() < self._next_ns:
            return None
        # The caller's beat is not exact: a reading that comes late does not put off the next one.
        self._next_ns = max(self._next_ns + EVERY_NS, self._clock.now_ns() + EVERY_NS // 2)
        try:
            free = self._free()
        except JournalError as error:
            log.warning("%s", error)
            return None
        self._log(free)
        before, self._before = self._before, free
        shrinks = 0 if before is None or before >= LOW_BYTES else max(0, before - free)
        if self._stopped:
            self._stopped = free < ENOUGH_BYTES
            self._again = not self._stopped
            return None
        self._stopped = free - shrinks < STOP_BYTES
        if not self._stopped:
            return None
        fast = f", {shrinks // _MB} MB less than a second ago" if free >= STOP_BYTES else ""
        return f"the journal's disk has only {free // _MB} MB left{fast}: {REMEDY}"

    def _log(self, free: int) -> None:
        """Warns when little is left, once in a while: play continues, and there is nothing to clear."""
        now_ns = self._clock.now_ns()
        if free >= LOW_BYTES:
            self._log_ns = None
        elif self._log_ns is None or now_ns - self._log_ns >= LOG_EVERY_NS:
            self._log_ns = now_ns
            log.warning(
                "the journal's disk has only %d MB left, and play stops at %d MB: free space on it",
                free // _MB,
                STOP_BYTES // _MB,
            )

    def has_room_again(self) -> bool:
        """Whether there is enough space again after play had to stop; returned once."""
        again, self._again = self._again, False
        return again
