"""What the service found before a table began: told when it begins, and shutting it until a person clears it."""

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
    """What must be gone before it can be cleared."""


class PendingFaults:
    """The faults of one table that waits to begin: those found at first, and those found meanwhile."""

    def __init__(self, faults: Iterable[ServiceFault]) -> None:
        self._faults = list(faults)

    def add(self, fault: ServiceFault) -> None:
        """One more was found."""
        self._faults.append(fault)

    def cause_gone(self, device: str, cause: str) -> None:
        """The cause of such a fault is gone: a person may clear it as soon as it is told."""
        self._faults = [
            one._replace(cause="") if (one.device, one.cause) == (device, cause) else one for one in self._faults
        ]

    def begin(self, table: Table, t_ns: int) -> list[Event]:
        """Opens the table; shut, where there are faults."""
        # Latched while it opens, so that no round is opened only to be void; then told as the events that they are.
        new = [one for one in self._faults if table.faults.latch(LatchedFault(one.device, one.fault, one.detail, True))]
        said = table.open(t_ns)
        for one in new:
            table.faults.clear(one.device)
        for one in self._faults:
            said += table.raise_fault(one.device, one.fault, one.detail, t_ns, cause=one.cause)
        return said
