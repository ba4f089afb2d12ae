"""Read access while the service writes: for the history server, for finding a command, and for a table's state."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Final

import msgspec

from controller.journal.errors import UNREADABLE, VERIFY, JournalDamaged, journal_error
from controller.journal.files import connect_reader
from controller.journal.records import COMMANDS, Head, nothing
from controller.journal.schema import CHAINS, COMMAND_TERM, CORRECTED, OPENING_TERM, OUTCOME, STATE_TERM, VERDICT_TERM
from controller.journal.seals import newest_seals, signed
from feed.events import Data, EventError, RoundCorrected, TableClosed, TableOpened, decode
from feed.history_server import Page
from feed.state import RECENT_ROUNDS, TableState, decode_snapshot, encode_snapshot
from feed.statistics import MOST_HISTORY
from feed.wire import REWRITTEN, UNKNOWN_TABLE, SealList

MOST_EVENTS: Final = 10_000
"""In one page, at most (ours): during a read the write-ahead log cannot be used again."""

_LAST = "SELECT seq, epoch, hash FROM record WHERE chain = ? ORDER BY seq DESC LIMIT 1"
_BASE = "SELECT seq, epoch, hash FROM base WHERE chain = ?"
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
            base = _head_at(connection, _BASE, table)
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


def head_of(connection: sqlite3.Connection, chain: str) -> Head:
    """The last record of a chain, or where it was archived.

    Raises:
        sqlite3.Error: the file cannot be read.
    """
    head = _head_at(connection, _LAST, chain)
    return head if head.seq else _head_at(connection, _BASE, chain)


def _head_at(connection: sqlite3.Connection, query: str, chain: str) -> Head:
    row: tuple[int, str, bytes] | None = connection.execute(query, (chain,)).fetchone()
    return nothing(chain) if row is None else Head(row[0], row[1], row[2].hex())


# --- the state of a table ---------------------------------------------------------------------------------------------

ROUNDS_BACK = RECENT_ROUNDS + 1
"""The last rounds with a verdict, and the one that may have none."""

_ELEVENTH = f"SELECT seq FROM record WHERE chain = ? AND {OPENING_TERM} ORDER BY seq DESC LIMIT 1 OFFSET ?"
_STANDING = f"SELECT body FROM record WHERE chain = ? AND seq < ? AND {STATE_TERM} ORDER BY seq"
_COUNTED = f"""
    SELECT body FROM record WHERE chain = ? AND seq >= ? AND seq < ? AND ({STATE_TERM} OR {VERDICT_TERM}) ORDER BY seq
"""
_SINCE = "SELECT body FROM record WHERE chain = ? AND seq >= ? ORDER BY seq"
_BASE_STATE = "SELECT state FROM base WHERE chain = ?"
_POSTED = f"""
    SELECT body FROM record WHERE chain = ? AND {STATE_TERM} AND kind IN ('table.opened', 'table.closed')
    ORDER BY seq DESC
"""
_VERDICTS = f"""
    SELECT seq, kind, round, CASE kind WHEN '{CORRECTED}' THEN body END FROM record
    WHERE chain = ? AND {VERDICT_TERM} ORDER BY seq DESC
"""


def state_of(connection: sqlite3.Connection, chain: str, path: Path) -> TableState:
    """The state of a table after its last record.

    Folded from as few records as it takes: faults, inspections, opening and closing from the beginning on, verdicts and
    corrections as far back as the statistics count, all else from eleven rounds back. Where older history was archived,
    the beginning is the state of the table then.

    Raises:
        JournalDamaged: a record cannot be read.
        sqlite3.Error: the file cannot be read.
    """
    state = _begin(connection, chain, path)
    eleventh = connection.execute(_ELEVENTH, (chain, ROUNDS_BACK - 1)).fetchone()
    since = eleventh[0] if eleventh else 0
    state.history.kept_at_least = _history_length(connection, chain, path, state)
    earlier = min(since, _first_counted(connection, chain, state.history.kept_at_least, path))
    for query, numbers in ((_STANDING, (earlier,)), (_COUNTED, (earlier, since)), (_SINCE, (since,))):
        for (body,) in connection.execute(query, (chain, *numbers)):
            try:
                state.apply(decode(body))
            except (EventError, ValueError) as error:
                raise JournalDamaged(path, f"a record of {chain} after seq {state.last}: {error}", VERIFY) from error
    return state


def _history_length(connection: sqlite3.Connection, chain: str, path: Path, base: TableState) -> int:
    """Over how many outcomes the table's statistics count, as it published last."""
    for (body,) in connection.execute(_POSTED, (chain,)):
        data = _data_of(body, chain, path)
        if isinstance(data, TableOpened | TableClosed) and data.history is not None:
            return min(data.history, MOST_HISTORY)
    return base.history.limit


def _first_counted(connection: sqlite3.Connection, chain: str, length: int, path: Path) -> int:
    """The record from which on the last `length` outcomes have their verdicts, and as many more as can be corrected
    away; 0 where all records are needed."""
    corrected: dict[int, bool] = {}
    """By round, whether its last correction gave it an outcome."""
    count = 0
    for seq, kind, number, body in connection.execute(_VERDICTS, (chain,)):
        if kind == CORRECTED:
            if number not in corrected:
                corrected[number] = _gives_outcome(body, chain, path)
        else:
            count += corrected.pop(number, kind == OUTCOME)
            if count >= length + RECENT_ROUNDS:
                return int(seq)
    return 0


def _gives_outcome(body: bytes, chain: str, path: Path) -> bool:
    data = _data_of(body, chain, path)
    return isinstance(data, RoundCorrected) and data.to.verdict == "outcome"


def _data_of(body: bytes, chain: str, path: Path) -> Data:
    try:
        return decode(body).data
    except EventError as error:
        raise JournalDamaged(path, f"a record of {chain}: {error}", VERIFY) from error


def _begin(connection: sqlite3.Connection, chain: str, path: Path) -> TableState:
    row = connection.execute(_BASE_STATE, (chain,)).fetchone()
    if row is None or not row[0]:
        return TableState(chain)
    try:
        return TableState.from_snapshot(decode_snapshot(row[0]))
    except ValueError as error:
        what = f"where {chain} stood when its older history was archived cannot be read: {error}"
        raise JournalDamaged(path, what, VERIFY) from error
