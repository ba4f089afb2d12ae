"""Copies a journal while the service writes it: what it held at one moment, as a journal that verifies by itself.

journal.sqlite + -wal ──► COPY.part ──► verified, durable ──► COPY
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Collection
from contextlib import closing
from pathlib import Path
from typing import Final, NamedTuple

from audit.errors import UNREADABLE, JournalError, journal_error
from audit.reading import connect_reader
from audit.verify import verify
from controller.journal.files import make_file
from hal.durable_files import sync_folder

DAMAGED: Final = ".damaged"


class BackedUp(NamedTuple):
    """What was copied."""

    copy: Path
    records: int
    wrong: str | None
    """What is wrong with the journal, and so with its copy; None where it verifies."""


def back_up(
    path: Path, out: Path, *, keys: Collection[bytes] = (), progress: Callable[[str], None] = lambda _: None
) -> BackedUp:
    """Copies a journal; `keys` are the public keys that seals may be of, by default the one in the file.

    A journal that does not verify is copied too, under another name: it is evidence, and no backup.

    Raises:
        JournalError: a file cannot be used. What was begun is deleted.
    """
    if not path.is_file():
        raise JournalError(path, "there is no such file", "give the path of a journal")
    if out.exists() or not out.absolute().parent.is_dir():
        what = "it is there already" if out.exists() else "its folder is not there"
        raise JournalError(out, what, "name a new file, in a folder that is there")
    part = out.with_name(out.name + ".part")
    try:
        part.unlink(missing_ok=True)
        records = _copy(path, part, progress)
        progress("verifying the copy")
        fault = verify(part, keys=keys).first
        copy = out if fault is None else out.with_name(out.name + DAMAGED)
        with part.open("rb") as written:
            os.fsync(written.fileno())
        part.rename(copy)
        sync_folder(out.absolute().parent)
    except UNREADABLE as error:
        part.unlink(missing_ok=True)
        raise journal_error(path, error, f"copying it to {out}") from error
    except OSError as error:
        part.unlink(missing_ok=True)
        raise journal_error(out, error, "writing it") from error
    return BackedUp(copy, records, None if fault is None else str(fault))


def _copy(path: Path, part: Path, progress: Callable[[str], None]) -> int:
    """Copies all pages in one read of the journal, which holds up no writer; returns the number of records."""
    make_file(part)
    progress(f"copying {path}")
    with closing(connect_reader(path)) as journal, closing(sqlite3.connect(part, isolation_level=None)) as copy:
        journal.backup(copy)
        # One file, without a log beside it: on a stick it is carried away as it is.
        copy.execute("PRAGMA journal_mode = DELETE").fetchall()
        (records,) = copy.execute("SELECT count(*) FROM record").fetchone()
    return int(records)
