"""Errors of a journal: which file, what is wrong with it, and what to do."""

from __future__ import annotations

import errno
import os
import resource
import sqlite3
from pathlib import Path
from typing import Final

from feed.history_server import HistoryError


class JournalError(HistoryError):
    """The journal cannot be opened, read or written. Nothing is published that it does not hold."""

    def __init__(self, path: Path, what: str, fix: str) -> None:
        super().__init__(f"{path}: {what}; {fix}")
        self.path = path
        self.what = what
        self.fix = fix


class JournalDamaged(JournalError):  # noqa: N818  (the name states what it is, not that it is an error)
    """What the file holds is not what was written to it: changed, torn or lost."""


UNREADABLE: Final = (sqlite3.Error, UnicodeDecodeError)
"""What SQLite's Python module may raise: its messages quote what it cannot read, and that need not be text."""

FREE_SPACE = "free space on this disk, or move old history away with `feltwire journal archive`; then start again"
MAKE_WRITABLE = "make the disk writable (a card that fails often turns read-only: replace it); then start again"
REPLACE_DISK = "look at the kernel's log, save a copy of the file, and replace the card or disk"
PUT_BACK = (
    "put it back (mount its disk, or copy it from a backup) and start again; to begin a new history in its place, "
    "order that with `feltwire journal retire`"
)
HELD = "end the program that holds it; only the service may write a journal"
RETIRE = "keep it, and run `feltwire journal retire` to begin a new file beside it"
RUN_VERIFY = "run `feltwire journal verify`"
VERIFY = f"{RUN_VERIFY} to see what is left, and `feltwire journal retire` to begin a new file beside it"

_MESSAGES: dict[str, tuple[str, str]] = {
    "SQLITE_FULL": ("the disk is full", FREE_SPACE),
    "SQLITE_READONLY": ("it cannot be written: the disk or the file is read-only", MAKE_WRITABLE),
    "SQLITE_PERM": ("it cannot be written: permission denied", "give the file to the user that the service runs as"),
    "SQLITE_AUTH": ("it cannot be written: permission denied", "give the file to the user that the service runs as"),
    "SQLITE_CANTOPEN": ("it cannot be opened", "check the path, the owner of the folder, and that the disk is there"),
    "SQLITE_BUSY": ("another program holds it locked", HELD),
    "SQLITE_LOCKED": ("another program holds it locked", HELD),
    "SQLITE_IOERR": ("the disk answered with an error", REPLACE_DISK),
    "SQLITE_NOMEM": (
        "there was no memory left",
        "end other programs, or give the service more memory; then start again",
    ),
    "SQLITE_CORRUPT": ("a page of it is damaged", VERIFY),
    "SQLITE_NOTADB": ("it is not a journal: not an SQLite file, or one whose beginning is destroyed", RETIRE),
    "SQLITE_CONSTRAINT": (
        "a record does not fit after those that it holds",
        "report this: it is a mistake in Feltwire",
    ),
    "FILE_LIMIT": (
        "a file grew to the largest size that this process may write",
        "raise that limit (`ulimit -f unlimited`, or LimitFSIZE=infinity in the service's unit); then start again",
    ),
    "FILE_SYSTEM": (
        "a file grew to the largest size that its file system takes",
        "move old history away with `feltwire journal archive`, or put the state folder on another file system",
    ),
}
_VAGUE = ("SQLITE_CANTOPEN", "SQLITE_IOERR")
"""SQLite reports no more than this when a disk fills up or turns read-only in the middle of a write."""
_BROKEN_TEXT = "Could not decode to UTF-8"
"""Python's message for text that is not UTF-8; it carries no SQLite error code."""
_DAMAGE = ("SQLITE_CORRUPT", "SQLITE_NOTADB")
_OF_DISK = (
    "SQLITE_FULL",
    "SQLITE_READONLY",
    "SQLITE_PERM",
    "SQLITE_AUTH",
    "SQLITE_CANTOPEN",
    "SQLITE_BUSY",
    "SQLITE_LOCKED",
    "SQLITE_IOERR",
    "SQLITE_NOMEM",
)
_NEAR_LIMIT: Final = 64 * 1024
"""A write that fails at the limit of a file's size begins at most so far below it (ours): SQLite writes by pages."""
_SYSTEM: dict[int, str] = {
    errno.EFBIG: "FILE_LIMIT",
    errno.ENOSPC: "SQLITE_FULL",
    errno.EDQUOT: "SQLITE_FULL",
    errno.EROFS: "SQLITE_READONLY",
    errno.EACCES: "SQLITE_PERM",
    errno.EPERM: "SQLITE_PERM",
    errno.EIO: "SQLITE_IOERR",
    errno.ENOENT: "SQLITE_CANTOPEN",
    errno.ENOTDIR: "SQLITE_CANTOPEN",
    errno.EISDIR: "SQLITE_CANTOPEN",
}


def journal_error(path: Path, error: sqlite3.Error | UnicodeDecodeError | OSError, doing: str) -> JournalError:
    """What an error of SQLite or of the system means for the journal at `path`, while `doing` something."""
    if isinstance(error, OSError):
        name, detail = _SYSTEM.get(error.errno or 0, ""), os.strerror(error.errno) if error.errno else str(error)
    elif isinstance(error, UnicodeDecodeError):
        name, detail = "SQLITE_CORRUPT", f"what is there is no text: {error.reason}"
    else:
        name, detail = str(getattr(error, "sqlite_errorname", "")), str(error)
    family = "_".join(name.split("_")[:2])
    if not name and _BROKEN_TEXT in detail:
        family = "SQLITE_CORRUPT"
    if family in _VAGUE:
        family = _disk_family(path) or family
    if family == "SQLITE_IOERR" and _at_limit(path):
        family = "FILE_LIMIT"
    if family == "FILE_LIMIT" and _limit() is None:
        family = "FILE_SYSTEM"
    what, fix = _MESSAGES.get(family, ("it cannot be used", REPLACE_DISK))
    kind = JournalDamaged if family in _DAMAGE else JournalError
    shown = f"{detail}, {name}" if name and not isinstance(error, OSError) else detail
    return kind(path, f"while {doing}, {what} ({shown})", fix)


def is_of_disk(error: Exception) -> bool:
    """Whether the disk, the system or another program is why a file cannot be used: what it holds may be whole."""
    if isinstance(error, OSError):
        return True
    return "_".join(str(getattr(error, "sqlite_errorname", "")).split("_")[:2]) in _OF_DISK


def _disk_family(path: Path) -> str | None:
    """The reason that the disk itself gives; None where it looks well."""
    try:
        disk = os.statvfs(path.parent)
    except OSError:
        # The disk is gone: SQLite's error is all there is.
        return None
    if disk.f_flag & os.ST_RDONLY:
        return "SQLITE_READONLY"
    return None if disk.f_bavail else "SQLITE_FULL"


def _limit() -> int | None:
    """The largest file that this process may write; None where there is no such limit."""
    soft, _ = resource.getrlimit(resource.RLIMIT_FSIZE)
    return None if soft == resource.RLIM_INFINITY else soft


def _at_limit(path: Path) -> bool:
    """Whether the journal or a file beside it has grown to the limit: SQLite reports only that it could not write."""
    limit = _limit()
    if limit is None:
        return False
    try:
        sizes = [one.stat().st_size for one in path.parent.glob(f"{path.name}*")]
    except OSError:
        # SQLite's error is all there is.
        return False
    return max(sizes, default=0) + _NEAR_LIMIT > limit
