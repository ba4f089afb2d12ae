"""What a disk cannot be beaten at: the bare limits that a commit of ours is measured against."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

BODY_BYTES = 256


@contextmanager
def bare_append(folder: Path) -> Iterator[Callable[[], None]]:
    """Appends a body and waits until it is on the disk: `fdatasync`."""
    file = os.open(folder / "appended", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    body = os.urandom(BODY_BYTES)

    def append() -> None:
        os.write(file, body)
        os.fdatasync(file)

    yield append
    os.close(file)


@contextmanager
def bare_sqlite(folder: Path) -> Iterator[Callable[[], None]]:
    """Commits one row of a body in a table of its own: WAL, synchronous=FULL."""
    connection = sqlite3.connect(folder / "bare.sqlite", isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE event (n INTEGER PRIMARY KEY, body BLOB)")
    body = os.urandom(BODY_BYTES)

    def commit() -> None:
        connection.execute("INSERT INTO event (body) VALUES (?)", (body,))

    yield commit
    connection.close()
