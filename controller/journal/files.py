"""The files of a journal: made private, made durable, locked, opened, and set aside.

journal.sqlite          the journal            journal.sqlite.lock    the writing process holds this
journal.sqlite-wal      its write-ahead log    journal.sqlite.heads   the witness, see `witness`
journal.sqlite-shm      shared by its readers         journal.sqlite.begin   orders a new journal, see `order_new`
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
from pathlib import Path
from types import TracebackType
from typing import Final

from audit.errors import (
    PUT_BACK,
    REPLACE_DISK,
    UNREADABLE,
    VERIFY,
    JournalDamaged,
    JournalError,
    journal_error,
)
from audit.reading import connect
from audit.signing import FILE_NAME as KEY_FILE
from audit.transparency.tree_file import SUFFIX as TREE_SUFFIX
from audit.witness import SUFFIX as WITNESS_SUFFIX
from audit.witness import witness_path
from hal.clock import Clock, wall_time
from hal.durable_files import sync_folder

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


def make_file(path: Path, *, key: Path | None = None) -> None:
    """Makes an empty file for a journal where there is none, for its owner only, and makes its name durable.

    `key` is the file of the signing key, where there is one: with it, or with a witness, there was a journal, and a new
    one is begun only where that was ordered.

    Raises:
        JournalError: it cannot be made, or what is there shows that a journal was and is destroyed.
    """
    try:
        log = path.with_name(path.name + "-wal")
        # SQLite deletes the log of an empty file, and with it the last trace.
        if _size(path) == 0 and _size(log) > 0:
            what = f"it is {'empty' if path.exists() else 'gone'}, and its log {log.name} is not: the history is lost"
            raise JournalDamaged(path, what, f"{REPLACE_DISK}; {VERIFY}")
        if _size(path) == 0 and not order_path(path).exists():
            kept = [file for file in (key, witness_path(path)) if file is not None and file.exists()]
            if kept:
                names = " and ".join(one.name for one in kept)
                what = f"it is {'empty' if path.exists() else 'gone'}, and {names} of the history before is still there"
                raise JournalDamaged(path, what, PUT_BACK)
        if not path.exists():
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
            sync_folder(path.parent)
    except OSError as error:
        raise journal_error(path, error, "making it") from error


def order_path(path: Path) -> Path:
    """The file that orders a new journal where the one before is gone; removed when the new one has its first seal."""
    return path.with_name(path.name + ".begin")


def order_new(path: Path) -> None:
    """Orders that the next start begins a new journal here, durably.

    Raises:
        JournalError: it cannot be written.
    """
    order = order_path(path)
    make_folder(path)
    try:
        os.close(os.open(order, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))
        sync_folder(path.parent)
    except OSError as error:
        raise journal_error(path, error, f"making {order.name} beside it") from error


def order_done(path: Path) -> None:
    """Removes the order: there is a journal now.

    Raises:
        JournalError: it cannot be removed.
    """
    order = order_path(path)
    try:
        if order.exists():
            order.unlink()
            sync_folder(path.parent)
    except OSError as error:
        raise journal_error(path, error, f"removing {order.name} beside it") from error


def is_untouched(path: Path) -> bool:
    """Whether nothing of a journal is here.

    Raises:
        JournalError: the folder cannot be read.
    """
    try:
        return not any(_part(path, part).exists() for part in _PARTS)
    except OSError as error:
        raise journal_error(path, error, "looking for it") from error


class PresentFiles:
    """The files of an open journal, compared with those at its path: SQLite itself goes on writing to files that have
    no name any more.

    Compared are device, inode and size by name alone: to open and close the journal's file would release SQLite's locks
    on it. Not found is a file whose content another program overwrites in place without making it shorter.
    """

    def __init__(self, path: Path) -> None:
        """Notes what is there; the write-ahead log is filled already.

        Raises:
            JournalError: a file cannot be looked at.
        """
        self._path = path
        try:
            self._there = {part: _part(path, part).stat() for part in _WATCHED}
        except OSError as error:
            raise journal_error(path, error, "looking at its files") from error

    def check(self) -> JournalError | None:
        """What happened to the files; None while they are there. The sizes that they reached are remembered."""
        for part, known in self._there.items():
            file = _part(self._path, part)
            try:
                now = file.stat()
            except OSError as error:
                return gone(self._path, f"{file.name} is not there any more ({error.strerror})")
            if (now.st_dev, now.st_ino) != (known.st_dev, known.st_ino):
                return gone(self._path, f"{file.name} is another file than the one that was opened")
            if part == "" and (now.st_size < known.st_size or _mostly_holes(now) > _mostly_holes(known)):
                return gone(
                    self._path, f"{file.name} was truncated: it had {known.st_size} bytes, and has {now.st_size}"
                )
            if part == "-wal" and now.st_size < LOG_BYTES:
                return gone(
                    self._path, f"{file.name} was truncated to {now.st_size} bytes, and is never below {LOG_BYTES}"
                )
            self._there[part] = now
        return None


def gone(path: Path, what: str) -> JournalError:
    """What happened to the files of the open journal at `path`."""
    return JournalDamaged(path, f"while the service ran, {what}", PUT_BACK)


def _mostly_holes(status: os.stat_result) -> bool:
    """Whether under half of a file has blocks: one that was truncated, and written to at its old end."""
    return status.st_blocks * 512 * 2 < status.st_size


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def connect_writer(path: Path) -> sqlite3.Connection:
    """The connection that writes: every commit is on the disk when it returns.

    The writer makes checkpoints, at a time that delays no commit; SQLite never makes one inside a commit.

    Raises:
        JournalError: it cannot be opened, or its file system cannot do what is needed.
    """
    try:
        connection = connect(path, "rw")
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


# --- setting a journal aside ------------------------------------------------------------------------------------------

# The file itself goes first: a log without its file is never taken for a new journal, a file without its log may be.
_PARTS: Final = ("", "-wal", "-shm", WITNESS_SUFFIX, WITNESS_SUFFIX + ".new")
_MARK: Final = ".retired-"
_WATCHED: Final = ("", "-wal", "-shm", ".lock")
"""Without any of these two programs could write, or what is written is lost. The witness is none of them."""


def retire(path: Path, clock: Clock) -> Path | None:
    """Renames a journal, its log, its witness and its tree, and orders a new one; returns the new name. Cut off in
    between, a second call goes on. Where nothing but a signing key is left, it only orders a new one, and returns None.

    Raises:
        JournalError: there is none, the service holds it, or it cannot be renamed.
    """
    if path.is_dir():
        raise JournalError(path, "it is a folder", "give the path of a journal")
    there = [part for part in _PARTS if _part(path, part).exists()]
    if not there and path.with_name(KEY_FILE).exists():
        with Lock(path):
            order_new(path)
        return None
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
            # Of an older journal that was set aside, the tree is its own.
            if _part(path, TREE_SUFFIX).exists() and not _part(aside, TREE_SUFFIX).exists():
                _part(path, TREE_SUFFIX).rename(_part(aside, TREE_SUFFIX))
            sync_folder(path.parent)
        except OSError as error:
            raise journal_error(path, error, f"renaming it to {aside.name}") from error
        order_new(path)
    return aside


def set_aside(path: Path) -> list[Path]:
    """The journals that were once at this path and were retired, oldest first."""
    others = (*(part for part in _PARTS if part), TREE_SUFFIX)
    return sorted(one for one in path.parent.glob(f"{path.name}{_MARK}*") if not one.name.endswith(others))


def _part(path: Path, part: str) -> Path:
    return path.with_name(path.name + part)


def _unfinished(path: Path) -> Path | None:
    """The newest one that was set aside: what is left belongs to it."""
    return max(set_aside(path), default=None)
