"""Faults that the service found before a table began: they are raised when it begins, and shut it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from controller.table.faults import LatchedFault
from controller.table.table import Table
from feed.events import Event


class ServiceFault(NamedTuple):
    """A fault that the service found before the table began."""

    device: str
    fault: str
    detail: str
    cause: str = ""
    """The cause that must be gone before it can be cleared."""


class PendingFaults:
    """The faults of one table that has not begun yet."""

    def __init__(self, faults: Iterable[ServiceFault]) -> None:
        self._faults = list(faults)
        self._warnings: list[ServiceFault] = []

    def warn(self, warning: ServiceFault) -> None:
        """Adds a warning: it is published when the table begins, and shuts nothing."""
        self._warnings.append(warning)

    def add(self, fault: ServiceFault) -> None:
        """Adds a fault that was found meanwhile."""
        self._faults.append(fault)

    def cause_gone(self, device: str, cause: str) -> None:
        """The cause of such a fault is gone: a person may clear it as soon as it is raised."""
        self._faults = [
            one._replace(cause="") if (one.device, one.cause) == (device, cause) else one for one in self._faults
        ]

    def begin(self, table: Table, t_ns: int) -> list[Event]:
        """Opens the table; it is shut where there are faults."""
        # Latched while it opens, so that no round opens only to be void; raised with their events afterwards.
        new = [one for one in self._faults if table.faults.latch(LatchedFault(one.device, one.fault, one.detail, True))]
        events = table.open(t_ns)
        for one in new:
            table.faults.forget(one.device, one.fault)
        for one in self._faults:
            events += table.raise_fault(one.device, one.fault, one.detail, t_ns, cause=one.cause)
        for one in self._warnings:
            events += table.warn(one.device, one.fault, one.detail, t_ns)
        return events
