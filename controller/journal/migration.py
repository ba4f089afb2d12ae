"""Journals of older versions, brought to this one.

A journal is migrated when the service opens it, step by step from version to version, after a copy of it was made
beside it. A step is one transaction with the new version number: cut off anywhere, it has happened or it has not.
Bodies and hashes are never touched: a journal that verified before verifies after.

    1 → 2   records had no columns `round` and `topic`, and the base kept no `state`
"""

from __future__ import annotations

import logging
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Final

from controller.journal.errors import VERIFY, JournalDamaged, JournalError
from controller.journal.files import sync_folder
from controller.journal.records import COMMANDS, Entry
from controller.journal.schema import TABLES, VERSION, create, version
from feed.events import EventError, decode
from hal.clock import Clock, wall_time

_LOG = logging.getLogger(__name__)
_PAGES_AT_ONCE: Final = 4096

Migration = Callable[[sqlite3.Connection], None]
"""Changes a file of one version into one of the next. It runs inside a transaction and neither begins nor ends one.

It raises `EventError` where a body cannot be read, and `sqlite3.Error`."""


def _from_1(connection: sqlite3.Connection) -> None:
    connection.execute("ALTER TABLE record RENAME TO record_1")
    connection.execute("ALTER TABLE base RENAME TO base_1")
    for statement in TABLES:
        if not statement.startswith("CREATE TABLE seal"):
            connection.execute(statement)
    rows = connection.execute("SELECT n, chain, seq, id, epoch, kind, time, body, hash FROM record_1 ORDER BY n")
    connection.executemany("INSERT INTO record VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", _with_round_and_topic(rows))
    connection.execute("INSERT INTO base (chain, seq, epoch, hash, n) SELECT chain, seq, epoch, hash, n FROM base_1")
    connection.execute("DROP TABLE record_1")
    connection.execute("DROP TABLE base_1")


def _with_round_and_topic(rows: sqlite3.Cursor) -> Iterator[tuple[object, ...]]:
    for n, chain, seq, identity, epoch, kind, time, body, digest in rows:
        round_: int | None = None
        topic = ""
        if chain != COMMANDS:
            entry = Entry.of(decode(body), body)
            round_, topic = entry.round, entry.topic
        yield n, chain, seq, identity, epoch, kind, round_, time, topic, body, digest


MIGRATIONS: Final[Mapping[int, Migration]] = {1: _from_1}
"""By the version that each starts from."""


def prepare(connection: sqlite3.Connection, path: Path, clock: Clock) -> None:
    """Makes the file a journal of this version: creates the tables in an empty one, migrates an older one.

    Raises:
        JournalError: the file is something else, was written by a newer Feltwire, or cannot be migrated.
        sqlite3.Error: it cannot be read or written.
    """
    if not connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone():
        create(connection)
        return
    found = version(connection, path)
    if found == VERSION:
        return
    _known(path, found)
    copy = back_up(connection, path, found, clock)
    _LOG.warning("%s: its version is %d, now %d; as it was before it is kept as %s", path, found, VERSION, copy)
    migrate(connection, path)


def migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Brings an older journal to this version, without a copy.

    Raises:
        JournalError: there is no way from its version to this one, or a record cannot be read.
        sqlite3.Error: it cannot be read or written.
    """
    found = version(connection, path)
    while found < VERSION:
        step = _known(path, found)
        connection.execute("BEGIN IMMEDIATE")
        try:
            step(connection)
            connection.execute(f"PRAGMA user_version = {found + 1}")
            connection.execute("COMMIT")
        except EventError as error:
            raise JournalDamaged(path, f"while migrating it from version {found}: {error}", VERIFY) from error
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        found += 1


def back_up(connection: sqlite3.Connection, path: Path, found: int, clock: Clock) -> Path:
    """Copies a journal, and what its write-ahead log holds, to a file beside it; returns the name of that.

    The copy has its name only when it is complete and durable.

    Raises:
        JournalError: it cannot be made.
        sqlite3.Error: SQLite could not.
    """
    stamp = wall_time(clock)[:19].replace(":", "")
    copy = path.with_name(f"{path.name}.version-{found}.{stamp}Z")
    part = copy.with_name(copy.name + ".part")
    try:
        part.unlink(missing_ok=True)
        os.close(os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        with closing(sqlite3.connect(part)) as target:
            connection.backup(target, pages=_PAGES_AT_ONCE)
            target.execute("PRAGMA journal_mode = DELETE")
        with part.open("rb") as written:
            os.fsync(written.fileno())
        part.rename(copy)
        sync_folder(path.parent)
    except OSError as error:
        what = f"while copying it to {copy.name} before it is migrated: {error.strerror}"
        raise JournalError(path, what, "make room, or make the folder writable; then start again") from error
    return copy


def _known(path: Path, found: int) -> Migration:
    step = MIGRATIONS.get(found)
    if step is None:
        raise JournalDamaged(path, f"its version is {found}, and no Feltwire ever wrote such a journal", VERIFY)
    return step
