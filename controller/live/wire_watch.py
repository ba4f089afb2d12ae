"""Reports the chips and ports of a live table that are lost, and their return.

    up ──lost──► down: a fault, with the cause ──another end fails too──► a warning
    ▲             │
    └──opened again: the cause is gone, a supervisor may clear the fault

A chip's fault does not block play itself: its lines are unplugged, which stops the games that need them, as in a
replay. The port of a display is needed by no game; whenever it has been opened, the display is sent what it is to show:
it may show what it was sent before. The port of a device that is read is logged only: its device
reports that its frames are missing.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, Protocol

from controller.live.wiring import Wiring
from controller.table.table import Table
from feed.events import Event
from hal.link_status import BEFORE_OPENING

if TYPE_CHECKING:
    from hal.serial_link import SerialLink

log = logging.getLogger(__name__)

WIRES: Final = "wires"
WIRES_FAILED: Final = "wires_failed"
DISPLAY: Final = "display"
PORT_DOWN: Final = "port_down"
DISPLAY_FAULT: Final = (DISPLAY, PORT_DOWN)
OPENED_AGAIN: Final = "it is opened again by itself once it is there; then clear this"


class WireEnd(Protocol):
    """A chip's lines, or a port: something that may be lost and comes back by itself."""

    @property
    def name(self) -> str:
        """Its name, for people."""

    @property
    def down(self) -> str | None:
        """Why it is lost; None while it is not."""


class _Port:
    """A serial port; it is not lost before it was first tried."""

    def __init__(self, name: str, link: SerialLink) -> None:
        self.name = name
        self._link = link
        self._down: str | None = None

    @property
    def down(self) -> str | None:
        """Why it is down; None while it is up."""
        status = self._link.status
        if status.up:
            self._down = None
        elif status.reason not in BEFORE_OPENING:
            self._down = status.reason
        return self._down


class _Watched:
    """One end of wires, what was reported of it, and how."""

    def __init__(self, end: WireEnd, fault: tuple[str, str] | None, returned: Callable[[], None]) -> None:
        self.end = end
        self.fault = fault
        """Its device and fault; None where it is logged only."""
        self.returned = returned
        self.reported: str | None = None
        """Why it is lost, as reported last; None while it is not."""


class WireWatch:
    """Watches the chips and ports of one table."""

    def __init__(self, table_id: str, wiring: Wiring, display_again: Callable[[int], None]) -> None:
        """Reports nothing before `report`. `display_again` sends the display what it is to show."""
        self._table_id = table_id
        self._display = wiring.display
        self._display_again = display_again
        self._display_up_ns: int | None = None
        """Since when its port was open when the display was sent that last."""
        self._watched = [_Watched(lines, (WIRES, WIRES_FAILED), wiring.reclaim_outputs) for lines in wiring.reopening]
        for name, link in wiring.links.items():
            is_display = link is wiring.display
            fault = DISPLAY_FAULT if is_display else None
            port = _Port("the display's port" if is_display else f"the port of {name}", link)
            self._watched.append(_Watched(port, fault, _nothing))

    @property
    def missing(self) -> list[str]:
        """What is lost, each with the cause."""
        return [f"{one.end.name}: {one.reported}" for one in self._watched if one.reported is not None]

    def report(self, table: Table, t_ns: int) -> list[Event]:
        """Reports what was lost or came back since the last call, to a table that has begun."""
        if self._display is not None:
            status = self._display.status
            if status.up and status.since_ns != self._display_up_ns:
                self._display_up_ns = status.since_ns
                self._display_again(t_ns)
        return [event for one in self._watched for event in self._report(one, table, t_ns)]

    def _report(self, one: _Watched, table: Table, t_ns: int) -> Sequence[Event]:
        why, before = one.end.down, one.reported
        if why == before:
            return ()
        one.reported = why
        cause = f"what failed ({one.end.name})"
        if why is None:
            log.info("table %s: %s is up again", self._table_id, one.end.name)
            one.returned()
            if one.fault is not None:
                table.cause_gone(one.fault[0], cause)
            return ()
        old = ", and the display may show an old number" if one.fault == DISPLAY_FAULT else ""
        detail = f"{one.end.name} is down{old}: {why}"
        log.error("table %s: %s; it is tried again by itself", self._table_id, detail)
        if one.fault is None:
            return ()
        detail = f"{detail}; {OPENED_AGAIN}"
        events = table.raise_fault(*one.fault, detail, t_ns, blocks_play=False, cause=cause)
        return events if events or before is not None else table.warn(*one.fault, detail, t_ns)


def _nothing() -> None:
    """A port that comes back needs nothing else."""
