"""Appends records and seals to a journal's file, in transactions."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from audit.errors import UNREADABLE, JournalError, journal_error
from audit.records import Entry, Head, genesis, link
from audit.seals import COUNT, SEALS, SECOND, SealSigner
from controller.journal.files import gone

MISTAKE = "report this: it is a mistake in Feltwire"
_INSERT_RECORD = "INSERT INTO record VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
INSERT_SEAL = "INSERT INTO seal VALUES (?, ?, ?, ?, ?, ?)"


class JournalEnd(NamedTuple):
    """Where a journal ends."""

    n: int
    """The number of the last record, over all chains."""
    heads: Mapping[str, Head]


class Store:
    """Appends to the file. Unusable after an error: its heads in memory may be ahead of the file."""

    def __init__(
        self, path: Path, connection: sqlite3.Connection, end: JournalEnd, signer: SealSigner, seal_every: int
    ) -> None:
        """Continues from `end`; a seal of all chains follows when `seal_every` records were written since such a
        one."""
        self._path = path
        self._folder = os.fspath(path.parent)
        """Made here: after a commit has waited for the disk, each step of Python takes ten times as long."""
        self._connection = connection
        self._n = self._sealed_n = self._fully_sealed_n = end.n
        self._unsealed_chains: set[str] = set()
        self._heads = {chain: (head.seq, head.epoch, bytes.fromhex(head.hash)) for chain, head in end.heads.items()}
        self._sealer = signer
        self._seal_every = seal_every

    @property
    def written(self) -> int:
        """How many records were ever written."""
        return self._n

    @property
    def heads(self) -> dict[str, Head]:
        """The head of every chain."""
        return {chain: self._head(chain) for chain in self._heads}

    @property
    def seals(self) -> dict[str, Head]:
        """The last seal, as the witness notes it."""
        return {SEALS: self._sealer.head}

    def append(self, submissions: Iterable[Sequence[Entry]]) -> list[dict[str, Head]]:
        """Writes all entries in one transaction; they are durable when it returns.

        Returns, for each submission, the heads of its chains after it.

        Raises:
            JournalError: nothing of it is written.
        """
        rows: list[tuple[object, ...]] = []
        after: list[dict[str, Head]] = []
        for entries in submissions:
            for entry in entries:
                rows.append(self._row(entry))
            after.append({chain: self._head(chain) for chain in {entry.chain for entry in entries}})
        seal_due = self._n - self._fully_sealed_n >= self._seal_every
        if len(rows) == 1 and not seal_due:
            self._insert_alone(rows[0])
            return after
        with self._transaction("writing events"):
            self._connection.executemany(_INSERT_RECORD, rows)
            if seal_due:
                self._insert_seal(COUNT)
        return after

    def seal(self, why: str) -> None:
        """Seals what is there, in a transaction of its own.

        Raises:
            JournalError: the seal is not written.
        """
        with self._transaction("sealing"):
            self._insert_seal(why)

    def seal_second(self) -> bool:
        """Seals what was written since the last seal, if anything was: only its chains, so that many tables that rest
        cost nothing. Returns whether it did.

        Raises:
            JournalError: the seal is not written.
        """
        if self._n == self._sealed_n:
            return False
        self.seal(SECOND)
        return True

    def checkpoint(self) -> None:
        """Moves what the write-ahead log holds into the file, as far as readers allow, so that the log is used again.

        Raises:
            JournalError: it cannot be moved. It stays durable in the log.
        """
        try:
            self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
        except UNREADABLE as error:
            raise journal_error(self._path, error, "moving the write-ahead log into it") from error

    def close(self) -> None:
        """Closes the file.

        Raises:
            JournalError: SQLite could not.
        """
        try:
            self._connection.close()
        except UNREADABLE as error:
            raise journal_error(self._path, error, "closing it") from error

    def _row(self, entry: Entry) -> tuple[object, ...]:
        chain = entry.chain
        seq, _, digest = self._heads.get(chain) or (0, "", genesis(chain))
        if entry.seq != seq + 1:
            what = f"{entry.id} ({chain}, seq {entry.seq}) was to be written after seq {seq}"
            raise JournalError(self._path, what, MISTAKE)
        digest = link(digest, entry.body)
        self._heads[chain] = (entry.seq, entry.epoch, digest)
        self._unsealed_chains.add(chain)
        self._sealer.written(entry.time)
        self._n += 1
        return (self._n, *entry, digest)

    def _head(self, chain: str) -> Head:
        seq, epoch, digest = self._heads[chain]
        return Head(seq, epoch, digest.hex())

    def _insert_alone(self, row: tuple[object, ...]) -> None:
        """Writes one record: SQLite makes a statement by itself a transaction, as durable as one with BEGIN and COMMIT.

        At each statement a thread releases the interpreter lock, and waits until the submitting thread releases it too:
        with one in place of three a lone event is durable some 30 µs sooner, of 550 until its subscriber has it.
        """
        try:
            self._connection.execute(_INSERT_RECORD, row)
        except UNREADABLE as error:
            raise journal_error(self._path, error, "writing events") from error
        self._require_writable("writing events")

    def _insert_seal(self, why: str) -> None:
        heads = {chain: self._head(chain) for chain in self._unsealed_chains} if why == SECOND else self.heads
        self._connection.execute(INSERT_SEAL, self._sealer.seal(why, self._n, heads))
        self._sealed_n = self._n
        self._unsealed_chains.clear()
        if why != SECOND:
            self._fully_sealed_n = self._n

    @contextmanager
    def _transaction(self, doing: str) -> Iterator[None]:
        """Durable when it ends; undone by whatever goes wrong in it."""
        connection = self._connection
        try:
            connection.execute("BEGIN IMMEDIATE")
            yield
            connection.execute("COMMIT")
        except UNREADABLE as error:
            raise journal_error(self._path, error, doing) from error
        finally:
            if connection.in_transaction:
                # The first error is the one that is raised. Even if the roll-back fails, the transaction never commits.
                with suppress(*UNREADABLE):
                    connection.execute("ROLLBACK")
        self._require_writable(doing)

    def _require_writable(self, doing: str) -> None:
        """Refuses to call durable what was committed while its file system is read-only: ext4 and f2fs that were turned
        read-only under an open file answer its sync with yes, and write nothing.
        """
        try:
            if os.statvfs(self._folder).f_flag & os.ST_RDONLY:
                raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        except FileNotFoundError as error:
            raise gone(self._path, f"{self._path.name} is not there any more ({error.strerror})") from error
        except OSError as error:
            raise journal_error(self._path, error, doing) from error
