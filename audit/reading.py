"""Opens a journal read-only: for an auditor, beside the service or on an old copy."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import quote

from audit.errors import RETIRE, UNREADABLE, JournalDamaged, JournalError, journal_error
from audit.schema import check_version
from audit.witness import witness_path

GIVE_A_JOURNAL: Final = "give the path of a journal, such as journal.sqlite in the service's state folder"
_BEGINNING: Final = b"SQLite format 3\0"
BUSY_SECONDS: Final = 5.0
"""How long SQLite waits for a lock: readers hold none for long (ours)."""


def connect_reader(path: Path) -> sqlite3.Connection:
    """A connection that can only read. It sees what is durable, and does not block the writer.

    Raises:
        sqlite3.Error: it cannot be opened.
    """
    return connect(path, "ro")


def connect(path: Path, mode: str) -> sqlite3.Connection:
    """A connection in a mode of SQLite: `ro`, or `rw` of a file that exists.

    Raises:
        sqlite3.Error: it cannot be opened.
    """
    return sqlite3.connect(
        f"file:{quote(str(path.absolute()))}?mode={mode}",
        uri=True,
        isolation_level=None,
        timeout=BUSY_SECONDS,
        check_same_thread=False,
    )


@contextmanager
def reading(path: Path, doing: str) -> Iterator[sqlite3.Connection]:
    """Opens a journal for reading, for as long as the block lasts: one state of it, whatever the service writes.

    Nothing is written to it, nor left beside it.

    Raises:
        JournalError: it is not there, is not a journal, is of another version, or cannot be read.
    """
    _look(path)
    try:
        with _connected(path) as connection:
            check_version(connection, path)
            yield _careful(connection)
    except UNREADABLE as error:
        raise journal_error(path, error, doing) from error


def _look(path: Path) -> None:
    """Checks what SQLite reports unclearly or accepts."""
    try:
        if path.is_dir():
            raise JournalError(path, "it is a folder", GIVE_A_JOURNAL)
        if not path.exists():
            raise JournalError(path, "there is no such file", GIVE_A_JOURNAL)
        if not path.is_file():
            raise JournalError(path, "it is not an ordinary file", GIVE_A_JOURNAL)
        log = _beside(path, "-wal")
        if path.stat().st_size == 0:
            if log.exists() and log.stat().st_size:
                # SQLite deletes the log of an empty file when it is opened, and with it the last trace.
                raise JournalDamaged(path, f"it is empty, and its log {log.name} is not: the history is lost", RETIRE)
            raise JournalError(path, "it is empty: nothing was ever written to it, or it was cut off", GIVE_A_JOURNAL)
        with path.open("rb") as file:
            if file.read(len(_BEGINNING)) != _BEGINNING:
                if log.exists() or witness_path(path).exists():
                    raise JournalDamaged(path, "it was a journal, and its beginning is destroyed", RETIRE)
                raise JournalError(path, "this is not a journal", GIVE_A_JOURNAL)
    except OSError as error:
        raise journal_error(path, error, "looking for it") from error


@contextmanager
def _connected(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that leaves no files: SQLite makes some for its readers, and only a writer removes them."""
    before = _stamp(path)
    if not _beside(path, "-wal").exists() and not _beside(path, "-journal").exists():
        # There is no writer, so it is read as a file that never changes; that is checked at the end.
        with closing(_begun(_connect_unchanging(path))) as connection:
            try:
                yield connection
            except UNREADABLE as error:
                if _stamp(path) != before:
                    raise _changed(path) from error
                raise
        if _stamp(path) != before:
            raise _changed(path)
        return
    shared = _beside(path, "-shm")
    was_there = shared.exists()
    try:
        with closing(_begun(connect_reader(path))) as connection:
            yield connection
    finally:
        # Beside a service's lock, it may be in use by the service by now.
        if not was_there and not _beside(path, ".lock").exists():
            _remove(path, shared)


def _remove(path: Path, made: Path) -> None:
    try:
        made.unlink(missing_ok=True)
    except OSError as error:
        raise journal_error(path, error, f"removing {made.name}, which was made to read it") from error


def _connect_unchanging(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1", uri=True, isolation_level=None)


def _begun(connection: sqlite3.Connection) -> sqlite3.Connection:
    """Begins a transaction: one state of the file from now on."""
    try:
        connection.execute("BEGIN")
        connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone()
    except UNREADABLE:
        connection.close()
        raise
    return connection


def _stamp(path: Path) -> tuple[int, int, int]:
    """Inode, size and time of change: they differ when the file was changed."""
    try:
        status = path.stat()
    except OSError as error:
        raise journal_error(path, error, "looking at it") from error
    return status.st_ino, status.st_size, status.st_mtime_ns


def _changed(path: Path) -> JournalError:
    return JournalError(path, "it was changed while it was read: a service was started on it", "run the command again")


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)


def _careful(connection: sqlite3.Connection) -> sqlite3.Connection:
    """Triggers and functions in the file are not run, and text that is not UTF-8 can be shown."""
    connection.execute("PRAGMA query_only = ON")
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    connection.text_factory = _text
    return connection


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")
