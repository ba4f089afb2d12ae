"""The boards of a live table, as people hear of them: what they are, that one is lost, that it is back.

    being opened ──up──► up ──down──► lost ──up──► up
         │               │ its identity is a fact     │ the fault's cause is gone: a supervisor may clear it
         └──too long─────┴──► a fault board_lost, in the board's own words

The lines of a lost board are told as unplugged by themselves, and stop the play where the game needs them, as in a
replay. So this fault stops none itself.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Final, Protocol

from controller.boards.identity import facts, words
from controller.configuration.values import TableConfig
from controller.table.table import Table
from feed.events import Event
from hal.backends.board import OPENING_NS
from hal.board.link import BoardWatcher
from hal.board.message import Report
from hal.board.messages import IdentityAnswer

log = logging.getLogger(__name__)

BOARD_LOST: Final = "board_lost"
BOARD_IDENTIFIED: Final = "board_identified"


class WatchedLink(Protocol):
    """What of a board's link is used here."""

    def open(self, watcher: BoardWatcher) -> None:
        """Tells the watcher of the board from now on."""

    def close(self, watcher: BoardWatcher) -> None:
        """Tells it nothing any more."""


class _Board:
    """One board: what was last heard of it, and what of that was told."""

    def __init__(self, name: str, kind: str, link: WatchedLink, wake: Callable[[], None]) -> None:
        self.device = f"board.{name}"
        self.kind = kind
        self.link = link
        self.identity: IdentityAnswer | None = None
        self.cause = f"the board {name}"
        self.is_up = False
        self.told = ""
        """Why it is lost, as it was told last."""
        self.news: list[IdentityAnswer | str] = []
        """What was heard and not yet told: what it is, or why it is lost."""
        self._wake = wake

    def up(self, identity: IdentityAnswer, t_ns: int) -> None:
        """It takes commands."""
        self.is_up, self.identity = True, identity
        self.news.append(identity)
        self._wake()

    def down(self, t_ns: int, reason: str) -> None:
        """It takes none, for this reason."""
        self.is_up = False
        self.news.append(reason)
        self._wake()

    def reported(self, report: Report, t_ns: int) -> None:
        """What it says of its lines is theirs to hear."""

    @property
    def facts(self) -> dict[str, str]:
        """What it is, as far as that is known."""
        return facts(self.device, self.kind, self.identity)


class BoardWatch:
    """All boards of one table."""

    def __init__(
        self, config: TableConfig, links: Mapping[str, WatchedLink], wake: Callable[[], None] = lambda: None
    ) -> None:
        """`wake` is called when something was heard that should be told soon."""
        self._table_id = config.id
        self._boards = [_Board(name, config.boards[name].kind, link, wake) for name, link in links.items()]
        self._patience_until_ns = 0

    def open(self, now_ns: int) -> None:
        """Begins to listen. Before the boards' lines, so that what happened to a board is heard first."""
        self._patience_until_ns = now_ns + OPENING_NS
        for board in self._boards:
            board.link.open(board)

    def close(self) -> None:
        """Listens no more."""
        for board in self._boards:
            board.link.close(board)

    def awaited(self, now_ns: int) -> bool:
        """Whether a board may still come up in the time that its lines give it after their opening."""
        return now_ns < self._patience_until_ns and not all(board.is_up for board in self._boards)

    def introduce(self, table: Table) -> None:
        """Tells a table that has not begun what its boards are."""
        for board in self._boards:
            table.lifecycle.devices[board.device] = board.facts

    def tell(self, table: Table, t_ns: int) -> list[Event]:
        """Tells a table that has begun what was heard since the last time."""
        return [event for board in self._boards for event in self._tell(board, table, t_ns)]

    def _tell(self, board: _Board, table: Table, t_ns: int) -> list[Event]:
        news, board.news = board.news, []
        said: list[Event] = []
        for one in news:
            if isinstance(one, str):
                log.error("table %s: %s", self._table_id, one)
                said += self._lost(board, one, table, t_ns)
            else:
                log.info("table %s: %s is up: %s", self._table_id, board.device, words(one))
                said += self._came(board, one, table, t_ns)
        return said

    def _lost(self, board: _Board, reason: str, table: Table, t_ns: int) -> list[Event]:
        """Latches its fault; where that stands already, a warning tells what else is wrong now."""
        before, board.told = board.told, reason
        said = table.raise_fault(board.device, BOARD_LOST, reason, t_ns, blocks_play=False, cause=board.cause)
        return said if said or before == reason else table.warn(board.device, BOARD_LOST, reason, t_ns)

    def _came(self, board: _Board, identity: IdentityAnswer, table: Table, t_ns: int) -> list[Event]:
        """It is up: its fault may be cleared, and a board that the table has not named yet is named."""
        table.cause_gone(board.device, board.cause)
        known = facts(board.device, board.kind, identity)
        before = table.lifecycle.devices.get(board.device)
        table.lifecycle.devices[board.device] = known
        if before == known or not table.lifecycle.taking_part:
            return []  # it was told, or the next opening tells it
        return table.warn(board.device, BOARD_IDENTIFIED, words(identity), t_ns)
