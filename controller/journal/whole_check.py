"""Verifies what a start did not read, piece by piece, while the service runs.

    1 ───────────────── trusted seal ──────── last record
      read by this check             read at the start

A start reads the records after a seal of its own key, and trusts those before it for as long as this check takes. Each
piece is a read of its own, so that the write-ahead log can be used again in between.
"""

from __future__ import annotations

from collections import deque
from pathlib import Path
from typing import Final

from audit.errors import VERIFY, JournalDamaged
from audit.records import COLUMNS, Record
from audit.seals import SEAL_COLUMNS, Seal
from controller.journal.history import Reader
from controller.journal.walk import FirstFault, Walk

PIECE: Final = 200
"""Records of a piece (ours): some 10 ms."""
_SEALS: Final = 400
_QUERY: Final = f"SELECT {COLUMNS} FROM record WHERE n > ? AND n <= ? ORDER BY n LIMIT {PIECE}"
_SEAL_QUERY: Final = f"SELECT {SEAL_COLUMNS} FROM seal WHERE n > ? AND n <= ? ORDER BY n LIMIT {_SEALS}"


class WholeCheck(Reader):
    """Call `piece` until it returns false. Calls may come from any thread, one at a time."""

    def __init__(self, path: Path, until: Seal) -> None:
        """Verifies all up to the seal `until`.

        Raises:
            JournalError: it cannot be opened.
        """
        super().__init__(path)
        self._until = until
        self._walk: Walk | None = None
        self._seals: deque[Seal] = deque()

    @property
    def done(self) -> int:
        """The last record that was verified."""
        return 0 if self._walk is None else self._walk.n

    @property
    def until(self) -> int:
        """The record up to which it verifies."""
        return self._until.after_n

    def piece(self) -> bool:
        """Verifies the pages of the file first, then the next records; returns whether more are left.

        Raises:
            JournalDamaged: something is not as it was written: what.
            JournalError: it cannot be read.
        """
        with self._reading("verifying its older records") as connection:
            if self._walk is None:
                problems = [str(row[0]) for row in connection.execute("PRAGMA integrity_check(3)")]
                if problems != ["ok"]:
                    raise JournalDamaged(self._path, f"its pages are damaged: {'; '.join(problems)}", VERIFY)
                self._walk = Walk(connection)
                return True
            walked = self._walk
            rows = connection.execute(_QUERY, (walked.n, self._until.after_n)).fetchall()
            for row in rows:
                self._take_seals(walked)
                self._must(walked.record(Record(*row)))
            self._take_seals(walked)
            if rows:
                return True
            if (walked.n, walked.last_seal) != (self._until.after_n, self._until):
                what = f"it ends with record {walked.n} before seal {self._until.n}, which covers {self._until.after_n}"
                raise JournalDamaged(self._path, what, VERIFY)
            return False

    def _take_seals(self, walked: Walk) -> None:
        """Walks over the seals that are here."""
        while True:
            if not self._seals:
                found = self._connection.execute(_SEAL_QUERY, (walked.seals, self._until.n))
                self._seals.extend(Seal(*row) for row in found)
            if not self._seals or self._seals[0].after_n > walked.n:
                return
            self._must(walked.seal(self._seals.popleft()))

    def _must(self, fault: FirstFault | None) -> None:
        if fault is not None:
            raise JournalDamaged(self._path, f"{fault.where} is not as it was written: {fault.what}", VERIFY)

    def interrupt(self) -> None:
        """Ends a piece that is under way; it fails."""
        self._connection.interrupt()
