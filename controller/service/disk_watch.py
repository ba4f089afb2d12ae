"""Checks the free space of the journal's disk: play stops while the stop can still be journalled."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final

from controller.journal.errors import JournalError
from hal.clock import NS_PER_S, Clock

log = logging.getLogger(__name__)

STOP_BYTES: Final = 16 * 1024 * 1024
"""Play stops with less free space than this (ours)."""
ENOUGH_BYTES: Final = 2 * STOP_BYTES
"""The fault can be cleared with as much free space as this."""
LOW_BYTES: Final = 256 * 1024 * 1024
"""With less than this a warning is logged; captures are not kept below 128 MB."""
EVERY_NS: Final = 10 * NS_PER_S
DEVICE: Final = "disk"
FAULT: Final = "disk_nearly_full"
REMEDY: Final = "free space on it; a supervisor then clears the fault"
CAUSE: Final = "too little room on the disk"

_MB: Final = 1024 * 1024


class DiskWatch:
    """Reads the free space every `EVERY_NS`."""

    def __init__(self, free: Callable[[], int], clock: Clock) -> None:
        """`free` gives the free space in bytes, and raises JournalError where the disk is gone."""
        self._free = free
        self._clock = clock
        self._next_ns = clock.now_ns()
        self._stopped = False
        self._again = False
        self._warned: int | None = None
        """The free space that was logged last as little."""

    def check(self) -> str | None:
        """Why play has to stop, returned once; None otherwise."""
        if self._clock.now_ns() < self._next_ns:
            return None
        self._next_ns = self._clock.now_ns() + EVERY_NS
        try:
            free = self._free()
        except JournalError as error:
            log.warning("%s", error)
            return None
        self._warn_if_low(free)
        if self._stopped:
            self._stopped = free < ENOUGH_BYTES
            self._again = not self._stopped
            return None
        self._stopped = free < STOP_BYTES
        if not self._stopped:
            return None
        return f"the journal's disk has only {free // _MB} MB left: {REMEDY}"

    def _warn_if_low(self, free: int) -> None:
        """Logs little space once, and again at each half of what was logged before: nothing else changes until then."""
        if free >= LOW_BYTES:
            self._warned = None
        elif free >= STOP_BYTES and (self._warned is None or free <= self._warned // 2):
            self._warned = free
            log.warning(
                "the journal's disk has only %d MB left: free space on it; below %d MB play stops",
                free // _MB,
                STOP_BYTES // _MB,
            )

    def has_room_again(self) -> bool:
        """Whether there is enough space again after play had to stop; returned once."""
        again, self._again = self._again, False
        return again
