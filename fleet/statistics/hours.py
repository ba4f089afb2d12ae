"""How long tables were open, how long a fault shut them, and how long each fault lasted.

    table.opened        device.fault, blocks_play      device.cleared          table.closed, or the epoch's last event
    ├── open ───────────┬──────────── shut ────────────┬───────────────────────┤

Lengths are of the clock that times the edges (`audit.wall_span`). Between two epochs a table is not open: nothing is
known of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from audit.wall_span import WallSpan
from feed.events import DeviceCleared, DeviceFault, TableClosed, TableOpened
from fleet.subjects import TableName

TYPES = (TableOpened.kind, TableClosed.kind, DeviceFault.kind, DeviceCleared.kind)
"""The events that it rests on, besides the last one of each epoch."""


class Moment(NamedTuple):
    """An event that begins or ends a span, or the last one of an epoch."""

    table: TableName
    seq: int
    epoch: str
    type: str
    time_ns: int
    """Wall time."""
    mono_ns: int | None
    device: str
    fault: str
    blocks: bool
    again: bool
    """A fault that was latched before a restart."""
    by: str
    detail: str
    game: str = ""


class FaultSpan(NamedTuple):
    """A fault, and how it ended."""

    table: TableName
    time_ns: int
    device: str
    fault: str
    detail: str
    blocks: bool
    cleared_ns: int | None
    """None where it is not cleared as far as the events go."""
    cleared_by: str
    game: str


class Hours(NamedTuple):
    """What is known of one table."""

    open: list[WallSpan]
    shut: list[WallSpan]
    """Parts of those."""
    faults: list[FaultSpan]


def hours_of(moments: Iterable[Moment]) -> dict[TableName, Hours]:
    """The spans of tables, whose moments come in the order of their numbers."""
    found: dict[TableName, _Table] = {}
    for moment in moments:
        table = found.get(moment.table)
        if table is None:
            table = found[moment.table] = _Table()
        table.take(moment)
    return {name: table.end() for name, table in found.items()}


class _Table:
    def __init__(self) -> None:
        self._hours = Hours([], [], [])
        self._epoch = ""
        self._last: Moment | None = None
        self._open: Moment | None = None
        self._shut: Moment | None = None
        self._latched: set[tuple[str, str]] = set()
        self._faults: dict[tuple[str, str], list[Moment]] = {}
        """Not cleared; one may be raised again before it is."""

    def take(self, moment: Moment) -> None:
        if moment.epoch != self._epoch:
            self._end_of_epoch()
            self._epoch = moment.epoch
        key = (moment.device, moment.fault)
        if moment.type == TableOpened.kind and self._open is None:
            self._open = moment
            self._shut = moment if self._latched else None
        elif moment.type == TableClosed.kind:
            self._close(moment)
        elif moment.type == DeviceFault.kind:
            if not moment.again or key not in self._faults:
                self._faults.setdefault(key, []).append(moment)
            if moment.blocks:
                self._latched.add(key)
                if self._open is not None and self._shut is None:
                    self._shut = moment
        elif moment.type == DeviceCleared.kind:
            self._cleared(key, moment)
            self._latched.discard(key)
            if not self._latched:
                self._unshut(moment)
        self._last = moment

    def end(self) -> Hours:
        self._end_of_epoch()
        for key in list(self._faults):
            self._cleared(key, None)
        # In the order of the wall time, which may have been set back.
        self._hours.shut.sort()
        self._hours.faults.sort(key=lambda one: one.time_ns)
        return self._hours

    def _end_of_epoch(self) -> None:
        if self._last is not None:
            self._close(self._last)
        # What is still latched is published again in the next epoch.
        self._latched.clear()

    def _close(self, moment: Moment) -> None:
        self._unshut(moment)
        if self._open is not None:
            self._hours.open.append(_span(self._open, moment))
            self._open = None

    def _unshut(self, moment: Moment) -> None:
        if self._shut is not None:
            self._hours.shut.append(_span(self._shut, moment))
            self._shut = None

    def _cleared(self, key: tuple[str, str], moment: Moment | None) -> None:
        end, by = (None, "") if moment is None else (moment.time_ns, moment.by)
        self._hours.faults.extend(
            FaultSpan(
                fault.table,
                fault.time_ns,
                fault.device,
                fault.fault,
                fault.detail,
                fault.blocks,
                end,
                by,
                fault.game,
            )
            for fault in self._faults.pop(key, ())
            if not fault.again
        )


def _span(first: Moment, last: Moment) -> WallSpan:
    if first.mono_ns is not None and last.mono_ns is not None and first.epoch == last.epoch:
        length = last.mono_ns - first.mono_ns
    else:
        length = last.time_ns - first.time_ns
    return WallSpan(first.time_ns, max(first.time_ns, last.time_ns), max(0, length), first.game)
