"""The records of a journal that may become leaves of its tree: those that a seal of the log's key proves.

    record ─ hash ─► record ─ hash ─► record ◄─ head ─ seal ◄─ previous ─ seal ◄─ signature of the log's key

Each record has to follow the one before it in its chain, its columns have to be what its body states, a seal has to
state the last record of each chain, and the next seal that seal: then one signature proves all of it, and a seal of an
older key too. What no such seal covers yet waits for one. Whatever contradicts stops the reading, since a leaf is never
taken back.
"""

from __future__ import annotations

import sqlite3
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

from audit.base import read_base
from audit.errors import RUN_VERIFY, JournalDamaged, JournalError
from audit.reading import reading
from audit.records import COLUMNS, BodyError, Record, column_differences, columns_of, genesis, link
from audit.sealed import reach_of
from audit.seals import AT_REST, BEFORE_ALL, FIRST, SEAL_COLUMNS, SEAL_EVERY, Seal, Statement, read_seals
from audit.transparency.tree import leaf_hash

NOTHING_SIGNED: Final = f"no checkpoint is signed any more; {RUN_VERIFY}"
OTHER_HISTORY: Final = (
    "no checkpoint is signed any more; run `feltwire journal witnesses`, which shows what others have signed: "
    "`feltwire journal verify` finds nothing where the seals were made again with their key"
)
GIVE_ARCHIVES: Final = "give the archives too, oldest first and the journal last"
_PIECE: Final = 2000
"""Records that are read, and leaves that are added, at a time (ours)."""
_TYPES: Final = (int, str, int, bytes, bytes)
_SEAL_TYPES: Final = (int, int, bytes, bytes, bytes, bytes)

Leaves: TypeAlias = Callable[[Sequence[bytes], int], None]
"""Takes hashes of leaves, and how many there are before them."""


class RecordChanged(JournalDamaged):
    """The columns of a record, by which it is found, are not what its body states: that alone is hashed and signed."""


class RecordMissing(RecordChanged):
    """A record after the last verdict that is found of a round is missing, or may be: it may be a correction."""


def must_be_as_stated(path: Path, record: Record, fix: str) -> None:
    """The columns of a record are what its body states.

    Raises:
        RecordChanged: they are not.
    """
    try:
        wrong = "; ".join(column_differences(record[1:9], columns_of(record)).values())
    except BodyError as error:
        wrong = str(error)
    if wrong:
        raise RecordChanged(path, f"record {record.n} ({record.id!a}) was changed beside its body: {wrong}", fix)


def next_rows(connection: sqlite3.Connection, path: Path, columns: str, size: int) -> list[tuple[Any, ...]]:
    """Some columns, `n` first, of the next records after the first `size`; none at the end.

    Raises:
        JournalError: records are missing.
        sqlite3.Error: the file cannot be read.
    """
    query = f"SELECT {columns} FROM record WHERE n > ? ORDER BY n LIMIT ?"
    rows = connection.execute(query, (size, _PIECE)).fetchall()
    if rows and rows[0][0] > size + 1:
        what = f"it begins with record {rows[0][0]}, and the tree ends with record {size}"
        raise JournalError(path, what, GIVE_ARCHIVES)
    if [row[0] for row in rows] != list(range(size + 1, size + 1 + len(rows))):
        raise JournalDamaged(path, f"records are missing after record {size}", RUN_VERIFY)
    return rows


class SealedLeaves:
    """Reads what archives, oldest first, and a journal have more than a tree, and gives on what is proven."""

    def __init__(self, size: int, key: bytes, take: Leaves) -> None:
        """`size` is that of the tree, `key` the public key of the log."""
        self.size = size
        """How many leaves were given on, and were there before."""
        self._key = key
        self._take = take
        self._waiting: list[bytes] = []
        """Leaves after `size` that are not given on yet."""
        self._heads: dict[str, tuple[int, bytes]] = {}
        """Of the chains that were read: number and hash of the last record."""
        self._unstated: set[str] = set()
        """Chains whose last record no seal of this file has stated yet."""
        self._seal: Seal | None = None
        """The last that was read."""
        self._rest = ""
        """Words for it, where nobody writes a record after such a one."""
        self._proof: Seal | None = None
        """The last of the log's key that states all records up to it."""

    def read(self, path: Path) -> None:
        """Reads a file.

        Raises:
            JournalDamaged: it contradicts itself, or its seals.
            JournalError: it cannot be read, or records are missing.
        """
        first = True
        while self._piece(path, first=first):
            first = False

    def end(self, path: Path) -> None:
        """Called after the last file: what waits has to be what a seal is soon written for.

        Raises:
            JournalDamaged: its seals are missing.
            JournalError: they are of another key.
        """
        waiting, seal = len(self._waiting), self._seal
        if waiting and seal is not None and seal.after_n > self.size and seal.public_key != self._key:
            what = f"records {self.size + 1} to {seal.after_n} are sealed with another key, {seal.public_key.hex()}"
            fix = "give the key that seals it with --signing-key; after a change of it restart the service, then this"
            raise JournalError(path, what, fix)
        if waiting > 2 * SEAL_EVERY:
            what = f"{waiting} records after record {self.size} have no seal, and one is written every {SEAL_EVERY}"
            raise JournalDamaged(path, what, NOTHING_SIGNED)

    def _piece(self, path: Path, *, first: bool) -> bool:
        """Reads a piece, in a reading of its own; whether there was any."""
        with reading(path, "reading its records") as connection:
            if first:
                self._begin(connection, path)
            size = self.size + len(self._waiting)
            rows = next_rows(connection, path, COLUMNS, size)
            seals = self._seals(connection, path, size + len(rows), is_end=len(rows) < _PIECE)
            for row in rows:
                record = Record(*row)
                while seals and seals[0].after_n < record.n:
                    self._take_seal(path, seals.popleft())
                self._take_record(connection, path, record)
            for seal in seals:
                self._take_seal(path, seal)
        self._give_on(path)
        return bool(rows)

    def _begin(self, connection: sqlite3.Connection, path: Path) -> None:
        """The last seal of a file over what was read before it. The seals of a file before it are not those of this."""
        size, base = self.size + len(self._waiting), reach_of(read_base(connection))
        if base > size:
            raise JournalError(
                path, f"its history begins after record {base}, and {size} are in the tree", GIVE_ARCHIVES
            )
        query = f"SELECT {SEAL_COLUMNS} FROM seal WHERE after_n <= ? ORDER BY n DESC LIMIT 1"
        row = connection.execute(query, (size,)).fetchone()
        self._seal, self._rest = None, ""
        if row is not None:
            self._seal = Seal(*row)
            self._rest = AT_REST.get(_content(path, self._seal).why, "")
        if self._waiting:
            self._unstated = set(self._heads)

    def _seals(self, connection: sqlite3.Connection, path: Path, until_n: int, *, is_end: bool) -> deque[Seal]:
        """Those that follow the last one, over at most so many records: at the end of a file over no more."""
        found = deque[Seal]()
        for seal in read_seals(connection, BEFORE_ALL if self._seal is None else self._seal.n):
            if tuple(map(type, seal)) != _SEAL_TYPES or (is_end and seal.after_n > until_n):
                what = f"seal {seal.n!a} is of records up to {seal.after_n!a}, and the last is {until_n}"
                raise JournalDamaged(path, what, NOTHING_SIGNED)
            if seal.after_n > until_n:
                break
            found.append(seal)
        return found

    def _take_record(self, connection: sqlite3.Connection, path: Path, record: Record) -> None:
        n, chain, seq, body, digest = record.n, record.chain, record.seq, record.body, record.hash
        if tuple(map(type, (n, chain, seq, body, digest))) != _TYPES:
            raise JournalDamaged(path, f"record {n} does not hold what a record has", NOTHING_SIGNED)
        if self._rest:
            what = f"record {n} is after the seal of an {self._rest}, and only the seal of a start may follow that"
            raise JournalDamaged(path, what, NOTHING_SIGNED)
        before, previous = self._heads.get(chain) or _head_before(connection, chain, seq)
        if seq != before + 1 or link(previous, body) != digest:
            what = f"record {n} ({chain!a} {seq}) does not follow the one before it: one of them was changed"
            raise JournalDamaged(path, what, NOTHING_SIGNED)
        must_be_as_stated(path, record, NOTHING_SIGNED)
        self._heads[chain] = (seq, digest)
        self._unstated.add(chain)
        self._waiting.append(leaf_hash(body))

    def _take_seal(self, path: Path, seal: Seal) -> None:
        content = _content(path, seal)
        after = (1, FIRST) if self._seal is None else (self._seal.n + 1, self._seal.hash.hex())
        if (seal.n, content.previous) != after:
            raise JournalDamaged(path, f"seal {seal.n} was not made after the one before it", NOTHING_SIGNED)
        for chain, head in content.heads.items():
            seq, digest = self._heads.get(chain, (head.seq, b""))
            if digest and (head.seq, head.hash) != (seq, digest.hex()):
                what = f"seal {seal.n} states another record than {seq} as the last of {chain!a}: it was rewritten"
                raise JournalDamaged(path, what, NOTHING_SIGNED)
        self._unstated -= content.heads.keys()
        if self._unstated and content.is_full:
            raise JournalDamaged(path, f"seal {seal.n} does not state all chains", NOTHING_SIGNED)
        self._seal, self._rest = seal, AT_REST.get(content.why, "")
        if not self._unstated and seal.public_key == self._key:
            self._proof = seal

    def _give_on(self, path: Path) -> None:
        """Gives on what the last seal of the log's key proves: it states, by the seals before it, all of that."""
        proof, self._proof = self._proof, None
        if proof is None or proof.after_n <= self.size:
            return
        if not proof.is_genuine:
            raise JournalDamaged(path, f"the signature of seal {proof.n} is not good", NOTHING_SIGNED)
        count = proof.after_n - self.size
        self._take(self._waiting[:count], self.size)
        self.size += count
        del self._waiting[:count]


def _content(path: Path, seal: Seal) -> Statement:
    """What a seal states, where it is as it was made: by whom, its signature shows."""
    try:
        content = seal.content
        if seal.is_whole and (content.n, content.records) == (seal.n, seal.after_n):
            return content
    except (ValueError, TypeError) as error:
        raise JournalDamaged(path, f"what seal {seal.n!a} states cannot be read", NOTHING_SIGNED) from error
    raise JournalDamaged(path, f"seal {seal.n!a} is not as it was signed", NOTHING_SIGNED)


def _head_before(connection: sqlite3.Connection, chain: str, seq: int) -> tuple[int, bytes]:
    """Number and hash of the record before one of a chain, by the file; a hash that fits nothing where it has none."""
    if seq == 1:
        return 0, genesis(chain)
    queries = (f"SELECT hash FROM {table} WHERE chain = ? AND seq = ?" for table in ("record", "base"))
    row = connection.execute(" UNION ALL ".join(queries), (chain, seq - 1) * 2).fetchone()
    return seq - 1, row[0] if row is not None and isinstance(row[0], bytes) else b""
