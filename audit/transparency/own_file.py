"""SQLite files of one program, or of several that add the same: how they are opened, and their transactions."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import quote

_BUSY_S: Final = 10.0
"""How long another program may hold the file (ours)."""


def connect(path: Path) -> sqlite3.Connection:
    """Opens a file that is there, to read and to write: a reader, too, has to undo what a power cut left half written.

    Raises:
        sqlite3.Error: it cannot be opened.
    """
    uri = f"file:{quote(str(path.absolute()))}?mode=rw"
    return sqlite3.connect(uri, uri=True, isolation_level=None, timeout=_BUSY_S, check_same_thread=False)


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All of a block or nothing of it; no other program writes meanwhile.

    Raises:
        sqlite3.Error: the file cannot be written.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
