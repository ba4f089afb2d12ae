"""Read access while the service writes: for the history server, and for finding a command."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Final

import msgspec

from audit.errors import UNREADABLE, journal_error
from audit.reading import connect_reader
from audit.records import COMMANDS, Head
from audit.schema import CHAINS, COMMAND_TERM
from audit.seals import newest_seals, signed
from audit.table_state import archived_head, head_of, state_of
from feed.history_server import Page
from feed.state import encode_snapshot
from feed.wire import REWRITTEN, UNKNOWN_TABLE, SealList

MOST_EVENTS: Final = 10_000
"""In one page, at most (ours): during a read the write-ahead log cannot be used again."""

_EPOCH = "SELECT epoch FROM record WHERE chain = ? AND seq = ?"
_EVENTS = "SELECT topic, body FROM record WHERE chain = ? AND seq > ? ORDER BY seq LIMIT ?"
_COMMAND = f"SELECT body FROM record WHERE {COMMAND_TERM} AND id = ? ORDER BY seq LIMIT 1"


class Reader:
    """A read-only connection. Calls may come from any thread, one at a time."""

    def __init__(self, path: Path) -> None:
        """Opens the journal for reading.

        Raises:
            JournalError: it is not there, or cannot be opened.
        """
        self._path = path
        self._one_at_a_time = Lock()
        try:
            self._connection = connect_reader(path)
        except UNREADABLE as error:
            raise journal_error(path, error, "opening it for reading") from error

    def find_command(self, identity: str) -> bytes | None:
        """The body of the first durable command with this id; None where there is none.

        Raises:
            JournalError: the journal cannot be read.
        """
        with self._reading("looking for a command") as connection:
            row = connection.execute(_COMMAND, (identity,)).fetchone()
        return None if row is None else bytes(row[0])

    def close(self) -> None:
        """Closes the connection."""
        with self._one_at_a_time:
            self._connection.close()

    @contextmanager
    def _reading(self, doing: str) -> Iterator[sqlite3.Connection]:
        """One state of the file, for as long as the block lasts."""
        with self._one_at_a_time:
            connection = self._connection
            try:
                connection.execute("BEGIN")
                try:
                    yield connection
                finally:
                    if connection.in_transaction:
                        connection.execute("COMMIT")
            except UNREADABLE as error:
                raise journal_error(self._path, error, doing) from error


class JournalHistory(Reader):
    """A `feed.history_server.History` that reads a journal; a call that fails raises JournalError."""

    def tables(self) -> list[str]:
        """The tables that have events."""
        with self._reading("listing its tables") as connection:
            return [chain for (chain,) in connection.execute(CHAINS) if chain != COMMANDS]

    def snapshot(self, table: str) -> bytes | None:
        """The state of a table after its last durable event, as JSON; None for an unknown table."""
        with self._reading("taking a snapshot") as connection:
            if table == COMMANDS or head_of(connection, table).seq == 0:
                return None
            return encode_snapshot(state_of(connection, table, self._path).snapshot())

    def page(self, table: str, epoch: str, after: int, limit: int) -> Page:
        """At most `limit` events with a `seq` above `after`, the lowest first.

        Where older history was archived away, it begins after that, and the page's `after` is where.
        """
        with self._reading("reading events") as connection:
            head = head_of(connection, table)
            if table == COMMANDS or head.seq == 0:
                # A subscriber that has seen events of this table knows its name rightly: the history was lost.
                problem = REWRITTEN if after > 0 and table != COMMANDS else UNKNOWN_TABLE
                return Page([], "", 0, head.hash, problem, f"no event of {table} was ever journalled here")
            base = archived_head(connection, table)
            wrong = _contradicts(connection, table, epoch, after, head, base)
            if wrong is not None:
                return Page([], head.epoch, head.seq, head.hash, REWRITTEN, wrong)
            begin = max(after, base.seq)
            rows = connection.execute(_EVENTS, (table, begin, max(0, min(limit, MOST_EVENTS))))
            events = [(topic.encode(), bytes(body)) for topic, body in rows]
            return Page(events, head.epoch, head.seq, head.hash, after=begin if begin != after else None)

    def seals(self) -> bytes:
        """Of each chain the newest seal that names it, as JSON."""
        with self._reading("reading its seals") as connection:
            return msgspec.json.encode(SealList(seals=[signed(seal) for seal in newest_seals(connection)]))


def _contradicts(
    connection: sqlite3.Connection, table: str, epoch: str, after: int, head: Head, base: Head
) -> str | None:
    """Why a subscriber with the event `after` of `epoch` has seen another history; None where it fits or is too old."""
    if after > head.seq:
        return f"{table} ends at {head.seq} ({head.epoch}) here, and {after} was asked for"
    if after == 0:
        return None
    if after == base.seq:
        held = base.epoch
    else:
        row = connection.execute(_EPOCH, (table, after)).fetchone()
        held = "" if row is None else row[0]
    if epoch and held and held != epoch:
        return f"the event {after} of {table} belongs to {held} here, and not to {epoch}"
    return None
