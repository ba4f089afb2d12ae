"""Reports the boards of a live table: their identities, the loss of one, its return, and what it reports of itself.

    being opened ──up──► up ──down──► lost ──up──► up
         │               │ its identity is known      │ the fault's cause is gone: a supervisor may clear it
         └──too long─────┴──► a fault board_lost, in the board's own words

What a board reports of itself in its state is published too, each time that it begins: keys that it cannot tell apart,
an input that it does not listen to, a memory that is nearly worn out, a device of it that has had a fault for
`FAULT_NS` (warnings), and a memory that keeps nothing (a fault).

The lines of a lost board are reported as unplugged by their source, and block play where the game needs them, as in a
replay. So this fault does not block play itself.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from controller.boards.identity import facts, words
from controller.configuration.values import TableConfig
from controller.table.table import Table
from feed.events import Event
from hal.backends.board_wiring import OPENING_NS
from hal.board.message import BoardReport
from hal.board.messages import KINDS, Flag, IdentityAnswer, SensorsReport, StateReport

if TYPE_CHECKING:
    from hal.board.link import BoardWatcher

log = logging.getLogger(__name__)

BOARD_LOST: Final = "board_lost"
BOARD_IDENTIFIED: Final = "board_identified"
STORE_FAILED: Final = "store_failed"

BOARD_FAULT: Final = "board_fault"
FAULT_NS: Final = 5_000_000_000
"""A board that reports a fault for this long has one (ours): it tests its sensors within a second."""

_WARNINGS: Final[Mapping[Flag, tuple[str, str]]] = {
    Flag.KEYS_AMBIGUOUS: (
        "keys_ambiguous",
        "keys are pressed that the board cannot distinguish from others; until their release all its keys stay as "
        "they were",
    ),
    Flag.STORE_WORN: (
        "store_worn",
        "its EEPROM has had 80 % of the writes that it bears; fit a FRAM, or replace the board",
    ),
    Flag.STORM: (
        "input_masked",
        "an input changes faster than the board can follow, and it does not listen to it now; look at its wire, screen "
        "and pull-up",
    ),
}
"""Of each flag of a board's state that is not a fault: the warning and its words."""
_PUBLISHED: Final = Flag.STORE_FAILED | Flag.KEYS_AMBIGUOUS | Flag.STORE_WORN | Flag.STORM | Flag.FAULT


class WatchedLink(Protocol):
    """The part of a board's link that is used here."""

    def open(self, watcher: BoardWatcher) -> None:
        """Notifies the watcher from now on."""

    def close(self, watcher: BoardWatcher) -> None:
        """Notifies the watcher no more."""


class _Flagged(NamedTuple):
    """A state with other flags than the one before."""

    flags: Flag
    """Those that are published."""
    state: StateReport


def _inputs(kind: str, bits: int) -> list[str]:
    """The inputs of a board whose bit is set."""
    return [name for number, (name, _) in enumerate(KINDS[kind].inputs) if bits >> number & 1]


def _active_inputs(kind: str, levels: int) -> list[str]:
    """The inputs of a board that are active in its state, of those whose active level its kind has."""
    known, found = KINDS[kind], _inputs(kind, levels)
    return [name for name, _ in known.inputs if name in (known.active_high if name in found else known.active_low)]


def _tested(kind: str, found: SensorsReport) -> str:
    """What a board's last test of its sensors has found, in words."""
    parts = [("shorted", found.shorted), ("dark", found.dark)]
    named = [f"{what} in its last test: {', '.join(_inputs(kind, bits))}" for what, bits in parts if bits]
    return "".join(f"; {one}" for one in named)


class _WatchedBoard:
    """The state of one board, and the changes that are not reported yet."""

    def __init__(self, name: str, kind: str, link: WatchedLink, wake: Callable[[], None]) -> None:
        self.device = f"board.{name}"
        self.kind = kind
        self.link = link
        self.identity: IdentityAnswer | None = None
        self.cause = f"the board {name}"
        self.is_up = False
        self.reported_reason = ""
        """The reason for its loss that was reported last."""
        self.changes: list[IdentityAnswer | str | _Flagged] = []
        """Changes that are not reported yet: an identity, the reason for a loss, or a state with other flags."""
        self.flags = Flag(0)
        """Those of its last state that are published."""
        self._seen = Flag(0)
        self.sensors = SensorsReport(0, 0, 0)
        """What its last test of its sensors has found, as far as it has reported that."""
        self._fault_ns: int | None = None
        """Since when it reports that a device of it has a fault."""
        self._wake = wake

    def up(self, identity: IdentityAnswer, t_ns: int) -> None:
        """It takes commands."""
        self.is_up, self.identity = True, identity
        self.changes.append(identity)
        self._wake()

    def down(self, t_ns: int, reason: str) -> None:
        """It takes none, for this reason."""
        self.is_up, self._fault_ns, self.sensors = False, None, SensorsReport(0, 0, 0)
        self.changes.append(reason)
        self._wake()

    def reported(self, report: BoardReport, t_ns: int) -> None:
        """Notes flags that have changed; the sources of its lines handle all else."""
        if isinstance(report, SensorsReport):
            self.sensors = report
        if not isinstance(report, StateReport):
            return
        flags = Flag(report.flags) & _PUBLISHED
        if Flag.FAULT in flags:
            if self._fault_ns is None:
                self._fault_ns = t_ns
            if t_ns - self._fault_ns < FAULT_NS:
                flags &= ~Flag.FAULT
        else:
            self._fault_ns = None
        if flags == self._seen:
            return
        self._seen = flags
        self.changes.append(_Flagged(flags, report))
        self._wake()

    @property
    def facts(self) -> dict[str, str]:
        """Its identity, as far as it is known."""
        return facts(self.device, self.kind, self.identity)


class BoardWatch:
    """Watches all boards of one table."""

    def __init__(
        self, config: TableConfig, links: Mapping[str, WatchedLink], wake: Callable[[], None] = lambda: None
    ) -> None:
        """`wake` is called when a change should be reported soon."""
        self._table_id = config.id
        self._boards = [_WatchedBoard(name, config.boards[name].kind, link, wake) for name, link in links.items()]
        self._patience_until_ns = 0

    def open(self, now_ns: int) -> None:
        """Starts watching; called before the lines are opened, so that changes of a board come first."""
        self._patience_until_ns = now_ns + OPENING_NS
        for board in self._boards:
            board.link.open(board)

    def close(self) -> None:
        """Stops watching."""
        for board in self._boards:
            board.link.close(board)

    def awaited(self, now_ns: int) -> bool:
        """Whether a board may still come up within `OPENING_NS` of the opening."""
        return now_ns < self._patience_until_ns and not all(board.is_up for board in self._boards)

    def introduce(self, table: Table) -> None:
        """Gives a table that has not begun the identities of its boards."""
        for board in self._boards:
            table.lifecycle.devices[board.device] = board.facts

    def report(self, table: Table, t_ns: int) -> list[Event]:
        """Reports the changes since the last call to a table that has begun."""
        return [event for board in self._boards for event in self._report(board, table, t_ns)]

    def _report(self, board: _WatchedBoard, table: Table, t_ns: int) -> list[Event]:
        changes, board.changes = board.changes, []
        events: list[Event] = []
        for one in changes:
            if isinstance(one, str):
                log.error("table %s: %s", self._table_id, one)
                events += self._lost(board, one, table, t_ns)
            elif isinstance(one, _Flagged):
                events += self._flagged(board, one.flags, one.state, table, t_ns)
            else:
                log.info("table %s: %s is up: %s", self._table_id, board.device, words(one))
                events += self._came(board, one, table, t_ns)
        return events

    def _lost(self, board: _WatchedBoard, reason: str, table: Table, t_ns: int) -> list[Event]:
        """Latches its fault; where that is latched already, a warning gives the new reason."""
        before, board.reported_reason = board.reported_reason, reason
        events = table.raise_fault(board.device, BOARD_LOST, reason, t_ns, blocks_play=False, cause=board.cause)
        return events if events or before == reason else table.warn(board.device, BOARD_LOST, reason, t_ns)

    def _flagged(self, board: _WatchedBoard, flags: Flag, state: StateReport, table: Table, t_ns: int) -> list[Event]:
        """Publishes the flags that it has and had not; a fault's cause may be gone."""
        begun, board.flags = flags & ~board.flags, flags
        events: list[Event] = []
        for flag, (warning, detail) in _WARNINGS.items():
            if flag in begun:
                events += table.warn(board.device, warning, f"{board.device}: {detail}", t_ns)
        if Flag.FAULT in begun:
            active = ", ".join(_active_inputs(board.kind, state.levels)) or "none"
            detail = f"{board.device}: a device of it has had a fault for {FAULT_NS / 1e9:g} s; active inputs: {active}"
            events += table.warn(board.device, BOARD_FAULT, detail + _tested(board.kind, board.sensors), t_ns)
        if Flag.STORE_FAILED in begun:
            detail = f"{board.device}: its memory does not keep what is written: it counts nothing; replace it"
            cause = f"the memory of {board.device}"
            events += table.raise_fault(board.device, STORE_FAILED, detail, t_ns, blocks_play=False, cause=cause)
        elif Flag.STORE_FAILED not in flags:
            table.cause_gone(board.device, f"the memory of {board.device}")
        return events

    def _came(self, board: _WatchedBoard, identity: IdentityAnswer, table: Table, t_ns: int) -> list[Event]:
        """It is up: its fault may be cleared, and an identity that no opening has published is published."""
        table.cause_gone(board.device, board.cause)
        known = facts(board.device, board.kind, identity)
        before = table.lifecycle.devices.get(board.device)
        table.lifecycle.devices[board.device] = known
        if before == known or not table.lifecycle.taking_part:
            return []  # published already, or published by the next opening
        return table.warn(board.device, BOARD_IDENTIFIED, words(identity), t_ns)
