"""The files of a journal: made private, made durable, locked, opened, and set aside.

journal.sqlite          the journal            journal.sqlite.lock    the writing process holds this
journal.sqlite-wal      its write-ahead log    journal.sqlite.heads   the witness, see `witness`
journal.sqlite-shm      shared by its readers
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
from pathlib import Path
from types import TracebackType
from typing import Final
from urllib.parse import quote

from controller.journal.errors import REPLACE_DISK, UNREADABLE, VERIFY, JournalDamaged, JournalError, journal_error
from controller.journal.witness import SUFFIX as WITNESS_SUFFIX
from hal.clock import Clock, wall_time

BUSY_SECONDS: Final = 5.0
"""How long SQLite waits for a lock: readers hold none for long (ours)."""
WAL_KEEPS_BYTES: Final = 16 * 1024 * 1024
"""A write-ahead log that grew beyond this, because a reader took long, is truncated to it (ours)."""
LOG_BYTES: Final = 4 * 1024 * 1024
"""To this a write-ahead log is filled when a service opens it (ours): as much as comes between two checkpoints."""


class Lock:
    """Keeps every other service from the same journal. The kernel releases it when the process ends."""

    def __init__(self, path: Path) -> None:
        """Takes the lock.

        Raises:
            JournalError: another process holds it, or the file cannot be made.
        """
        file_path = path.with_name(path.name + ".lock")
        try:
            self._file = os.open(file_path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise journal_error(path, error, f"making {file_path.name} beside it") from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.truncate(self._file, 0)
            os.write(self._file, b"%d\n" % os.getpid())
        except BlockingIOError as error:
            holder = os.read(self._file, 32).decode(errors="replace").strip()
            os.close(self._file)
            what = f"process {holder or '(unknown)'} writes this journal already"
            raise JournalError(path, what, "end it first, or give this service another --state folder") from error
        except OSError as error:
            os.close(self._file)
            raise journal_error(path, error, f"locking {file_path.name} beside it") from error

    def release(self) -> None:
        """Releases it. The file stays: another process might otherwise lock one that was just deleted."""
        os.close(self._file)

    def __enter__(self) -> Lock:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def make_folder(path: Path) -> None:
    """Makes the folder of a journal, for its owner only, durable.

    Raises:
        JournalError: it cannot be made.
    """
    folder = path.parent
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    try:
        for one in reversed(missing):
            one.mkdir(mode=0o700, exist_ok=True)
            sync_folder(one.parent)
    except OSError as error:
        raise journal_error(path, error, "making its folder") from error


def make_file(path: Path) -> None:
    """Makes an empty file for a journal where there is none, for its owner only, and makes its name durable.

    Raises:
        JournalError: it cannot be made, or what is there shows that a journal was and is destroyed.
    """
    try:
        log = path.with_name(path.name + "-wal")
        # SQLite deletes the log of an empty file, and with it the last trace.
        if _size(path) == 0 and _size(log) > 0:
            what = f"it is {'empty' if path.exists() else 'gone'}, and its log {log.name} is not: the history is lost"
            raise JournalDamaged(path, what, f"{REPLACE_DISK}; {VERIFY}")
        if not path.exists():
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
            sync_folder(path.parent)
    except OSError as error:
        raise journal_error(path, error, "making it") from error


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def sync_folder(folder: Path) -> None:
    """Makes the names in a folder durable: without it a new file may be gone after a power cut, synced or not.

    Raises:
        OSError: the disk cannot.
    """
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def connect_writer(path: Path) -> sqlite3.Connection:
    """The connection that writes: every commit is on the disk when it returns.

    The writer makes checkpoints, at a time that delays no commit; SQLite never makes one inside a commit.

    Raises:
        JournalError: it cannot be opened, or its file system cannot do what is needed.
    """
    try:
        connection = _connect(path, "rw")
        try:
            _set_up_writing(connection, path)
        except (*UNREADABLE, JournalError):
            connection.close()
            raise
    except UNREADABLE as error:
        raise journal_error(path, error, "opening it") from error
    return connection


def _set_up_writing(connection: sqlite3.Connection, path: Path) -> None:
    (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
    if mode != "wal":
        what = f"it stays in the journal mode {mode}, and needs WAL: its file system cannot share memory"
        raise JournalError(path, what, "put the state folder on a local disk")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    connection.execute(f"PRAGMA journal_size_limit = {WAL_KEEPS_BYTES}")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA cell_size_check = ON")
    (level,) = connection.execute("PRAGMA synchronous").fetchone()
    if level != 2:
        raise JournalError(path, f"synchronous is {level}, expected 2 (FULL)", "install SQLite 3.37 or newer")


def fill_log(path: Path) -> None:
    """Fills the write-ahead log with zeros behind what it holds, so that commits write over what is there.

    A commit that makes a file longer makes the file system write its own journal as well: with that it takes half as
    long again. SQLite takes zeros for what they are, the end of the log. Nobody else may write meanwhile.

    Raises:
        JournalError: the disk takes no more.
    """
    try:
        log = os.open(path.with_name(path.name + "-wal"), os.O_WRONLY | os.O_CLOEXEC)
        try:
            size = os.fstat(log).st_size
            while size < LOG_BYTES:
                size += os.pwrite(log, bytes(LOG_BYTES - size), size)
            os.fsync(log)
        finally:
            os.close(log)
    except OSError as error:
        raise journal_error(path, error, "filling its write-ahead log") from error


def connect_reader(path: Path) -> sqlite3.Connection:
    """A connection that can only read. It sees what is durable, and does not block the writer.

    Raises:
        sqlite3.Error: it cannot be opened.
    """
    return _connect(path, "ro")


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    return sqlite3.connect(
        f"file:{quote(str(path.absolute()))}?mode={mode}",
        uri=True,
        isolation_level=None,
        timeout=BUSY_SECONDS,
        check_same_thread=False,
    )


# --- setting a journal aside ------------------------------------------------------------------------------------------

# The file itself goes first: a log without its file is never taken for a new journal, a file without its log may be.
_PARTS: Final = ("", "-wal", "-shm", WITNESS_SUFFIX, WITNESS_SUFFIX + ".new")
_MARK: Final = ".retired-"


def retire(path: Path, clock: Clock) -> Path:
    """Renames a journal, its log and its witness; returns the new name. Cut off in between, a second call goes on.

    Raises:
        JournalError: there is none, the service holds it, or it cannot be renamed.
    """
    if path.is_dir():
        raise JournalError(path, "it is a folder", "give the path of a journal")
    there = [part for part in _PARTS if _part(path, part).exists()]
    if not there:
        raise JournalError(path, "there is no such file", "give the path of the journal that is to be set aside")
    with Lock(path):
        aside = _unfinished(path) if "" not in there else None
        if aside is None:
            stamp = wall_time(clock)[:19].replace(":", "")
            aside = path.with_name(f"{path.name}{_MARK}{stamp}Z")
        if "" in there and aside.exists():
            raise JournalError(path, f"{aside.name} is there already", "wait a second, and try again")
        try:
            for part in there:
                _part(path, part).rename(_part(aside, part))
            sync_folder(path.parent)
        except OSError as error:
            raise journal_error(path, error, f"renaming it to {aside.name}") from error
    return aside


def set_aside(path: Path) -> list[Path]:
    """The journals that were once at this path and were retired, oldest first."""
    others = tuple(part for part in _PARTS if part)
    return sorted(one for one in path.parent.glob(f"{path.name}{_MARK}*") if not one.name.endswith(others))


def _part(path: Path, part: str) -> Path:
    return path.with_name(path.name + part)


def _unfinished(path: Path) -> Path | None:
    """The newest one that was set aside: what is left belongs to it."""
    return max(set_aside(path), default=None)
