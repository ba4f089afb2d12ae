"""The hashes of a journal's records, for comparison with what a stream holds."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from audit.errors import UNREADABLE, journal_error
from audit.reading import reading
from audit.records import COMMANDS
from audit.schema import CHAINS


class JournalHashes:
    """One state of a journal, which was verified by its seals before."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.name = f"the journal {path.name}"
        self._path = path
        self._connection = connection

    def tables(self) -> dict[str, tuple[bool, int]]:
        """By table, whether it is simulated, and its last event.

        Raises:
            JournalError: it cannot be read.
        """
        found = {}
        for (chain,) in self._rows(CHAINS, ()):
            query = "SELECT topic, seq FROM record WHERE chain = ? ORDER BY seq DESC LIMIT 1"
            last = [] if chain == COMMANDS else self._rows(query, (chain,))
            if last:
                found[str(chain)] = (str(last[0][0]).startswith("sim/"), int(last[0][1]))
        return found

    def hash_of(self, table: str, seq: int) -> bytes | None:
        """The hash of an event; None where it was archived, or the journal ends before it.

        Raises:
            JournalError: it cannot be read.
        """
        rows = self._rows("SELECT hash FROM record WHERE chain = ? AND seq = ?", (table, seq))
        return bytes(rows[0][0]) if rows else None

    def _rows(self, query: str, values: tuple[object, ...]) -> list[Any]:
        try:
            return self._connection.execute(query, values).fetchall()
        except UNREADABLE as error:
            raise journal_error(self._path, error, "comparing it with a stream") from error


@contextmanager
def journal_hashes(path: Path) -> Iterator[JournalHashes]:
    """The hashes of the journal at `path`, for the block; the service may run.

    Raises:
        JournalError: it cannot be read.
    """
    with reading(path, "comparing it with a stream") as connection:
        yield JournalHashes(path, connection)
