"""Walks a journal from its first record to its last, and finds the first thing that is not as it was written.

Records and seals come in the order in which they were written. Each record must be the next of the file and of its
chain, carry the hash that follows from the one before, and have columns that agree with its body. Each seal must
follow the one before, be signed, and state the heads that the chains had at its place. After the seal of an orderly
end or of an archiving only the seal of a start or of an archiving may be stored: a record there was put in by
somebody without the key. Where the history begins must be what the last seal of all heads states of it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

from audit.base import base_digest, read_base
from audit.records import COLUMNS, BodyError, Head, Record, columns_of, genesis, link, nothing
from audit.seals import (
    AFTER_REST,
    AT_REST,
    BEFORE_ALL,
    CLOSED,
    FIRST,
    MOVES_BASE,
    Seal,
    Statement,
    read_seals,
)

_AT_ONCE = 500


class FirstFault(NamedTuple):
    """The first thing that is not as it was written."""

    where: str
    """`record 17 (roulette-1, seq 9)` or `seal 3`."""
    what: str
    n: int
    """The number of the record, or of the last one before the seal."""


class Walk:
    """Checks records and seals in order; has the heads at the place that it has reached."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        """Begins where the history of this file begins: at its first record, or where it was archived away.

        Raises:
            sqlite3.Error: the file cannot be read.
        """
        self.first_n = self.n = 0
        """The record before the first of the file; the last record walked over."""
        self.after_n = self.after_seal = BEFORE_ALL
        """The record and the seal after which the file is read."""
        self.seals = 0
        self._seal_hash = FIRST
        self.last_seal: Seal | None = None
        self.newest = ""
        """The latest wall time of the records and seals walked over; it need not be the last."""
        self._rest = ""
        """What the last seal was made at, where nobody writes a record after it: `orderly end`."""
        self._base_stated: str | None = None
        """The digest of the base that the seals walked over state; None where all of them are older."""
        self._moved: set[str] = set()
        """Chains with records since the last seal."""
        self._heads: dict[str, tuple[int, str, bytes]] = {}
        base = read_base(connection)
        for row in base:
            if not row.is_typed:
                raise _damaged(f"a row of base has a value of another type or length: that of {row.chain!r}")
            self._heads[row.chain] = (row.seq, row.epoch, row.hash)
            self.first_n = self.n = max(self.n, row.n)
        self.base = base_digest(base)
        """The digest of where the history of the file begins."""

    @classmethod
    def after(cls, connection: sqlite3.Connection, seal: Seal) -> Walk:
        """Begins after a seal that is trusted: with the heads that it states.

        Raises:
            sqlite3.Error: the file cannot be read.
        """
        content = seal.content
        one = cls(connection)
        one.after_n, one.after_seal = seal.after_n, seal.n
        one.first_n = one.n = seal.after_n
        one.seals, one._seal_hash, one.last_seal = seal.n, seal.hash.hex(), seal
        one.newest, one._rest = max(content.newest, content.time), AT_REST.get(content.why, "")
        one._base_stated = content.base
        one._heads = {chain: (head.seq, head.epoch, bytes.fromhex(head.hash)) for chain, head in content.heads.items()}
        return one

    @property
    def heads(self) -> dict[str, Head]:
        """By chain: the last record walked over."""
        return {chain: Head(seq, epoch, digest.hex()) for chain, (seq, epoch, digest) in self._heads.items()}

    def record(self, record: Record) -> FirstFault | None:
        """Walks over the next record."""
        chain = record.chain
        seq, _, digest = self._heads.get(chain) or (0, "", genesis(chain))
        wrong = self._wrong(record, seq + 1, digest)
        if wrong is not None:
            return FirstFault(f"record {record.n} ({chain}, seq {record.seq})", wrong, record.n)
        self.n = record.n
        self._heads[chain] = (record.seq, record.epoch, record.hash)
        self._moved.add(chain)
        self.newest = max(self.newest, record.time)
        return None

    def _wrong(self, record: Record, seq: int, digest: bytes) -> str | None:
        if self._rest:
            return f"it is after seal {self.seals}, of an {self._rest}, and only the seal of a start may follow that"
        if record.n != self.n + 1:
            return f"it follows record {self.n}: {_missing(self.n + 1, record.n)}"
        if record.seq != seq:
            return f"seq {seq} of {record.chain} was expected here: {_missing(seq, record.seq)}"
        if link(digest, record.body) != record.hash:
            return "its hash does not follow from its body and the record before it: one of them was changed"
        return _columns_wrong(record)

    def seal(self, seal: Seal) -> FirstFault | None:
        """Walks over the next seal. Only those at the place that was reached can be compared with the heads."""
        wrong = self._seal_wrong(seal)
        if wrong is not None:
            return FirstFault(f"seal {seal.n}", wrong, min(seal.after_n, self.n))
        content = seal.content
        self.seals, self._seal_hash, self.last_seal = seal.n, seal.hash.hex(), seal
        self._rest = AT_REST.get(content.why, "")
        if content.base is not None:
            self._base_stated = content.base
        self._moved.clear()
        self.newest = max(self.newest, content.newest, content.time)
        return None

    def _seal_wrong(self, seal: Seal) -> str | None:
        if seal.n != self.seals + 1:
            return f"it follows seal {self.seals}: {_missing(self.seals + 1, seal.n)}"
        if not seal.is_genuine:
            return "its signature does not fit what it states"
        try:
            content = seal.content
        except ValueError as error:
            return f"it cannot be read: {error}"
        if (content.n, content.records) != (seal.n, seal.after_n):
            return f"it was signed as seal {content.n} after record {content.records}, and is after {seal.after_n}"
        if content.previous != self._seal_hash:
            return "it does not follow from the seal before it: one of them was changed"
        if self._rest == AT_REST[CLOSED]:
            return f"it follows the {self._rest}, and nothing may"
        if self._rest and content.why not in AFTER_REST:
            return f"it is of a {content.why}, and follows the {self._rest}: only a start may"
        moved = content.base is not None and self._base_stated not in (None, content.base)
        if moved and content.why not in MOVES_BASE:
            return "it states another beginning of the history than the seal before, and no archiving changed that"
        if seal.after_n < self.first_n:
            return None
        if seal.after_n != self.n:
            return f"it covers {seal.after_n} records, and the journal has {self.n} up to here"
        return self._heads_wrong(content)

    def base_fault(self) -> FirstFault | None:
        """Compares where the history begins with what the seals state, at the end of the walk."""
        if self._base_stated in (None, self.base):
            return None
        return FirstFault("the base", "what archived history left behind is not what the last seal states", self.n)

    def _heads_wrong(self, content: Statement) -> str | None:
        heads = self.heads
        if not content.is_full:
            heads = {chain: head for chain, head in heads.items() if chain in self._moved}
        for chain in sorted(content.heads.keys() | heads.keys()):
            there, sealed = heads.get(chain, nothing(chain)), content.heads.get(chain, nothing(chain))
            if there != sealed:
                return (
                    f"it states that {chain} ended at seq {sealed.seq} with the hash {sealed.hash[:16]}…, "
                    f"and it ends at {there.seq} with {there.hash[:16]}…"
                )
        return None


def _damaged(what: str) -> sqlite3.DatabaseError:
    """Reported as SQLite reports a damaged page: the disk may be sound, and somebody has written that."""
    error = sqlite3.DatabaseError(what)
    error.sqlite_errorname = "SQLITE_CORRUPT"
    return error


def walk(connection: sqlite3.Connection, walked: Walk) -> Iterator[FirstFault | None]:
    """Walks over the whole file, or what follows a trusted seal. Gives a value for each record; a fault is the last.

    Raises:
        sqlite3.Error: the file cannot be read.
    """
    seals = read_seals(connection, walked.after_seal)
    waiting = next(seals, None)
    rows = connection.execute(f"SELECT {COLUMNS} FROM record WHERE n > ? ORDER BY n", (walked.after_n,))
    while some := rows.fetchmany(_AT_ONCE):
        for row in some:
            while waiting is not None and waiting.after_n <= walked.n:
                fault = walked.seal(waiting)
                if fault is not None:
                    yield fault
                    return
                waiting = next(seals, None)
            fault = walked.record(Record(*row))
            yield fault
            if fault is not None:
                return
    while waiting is not None:
        fault = walked.seal(waiting)
        if fault is not None:
            yield fault
            return
        waiting = next(seals, None)
    fault = walked.base_fault()
    if fault is not None:
        yield fault
        return
    if walked.n and walked.last_seal is None:
        yield FirstFault(
            "seal 1", "it is missing: each start of the service writes one before its first record", walked.n
        )


def _missing(expected: int, seen: int) -> str:
    if seen > expected:
        return f"{expected} is missing" if seen == expected + 1 else f"{expected} to {seen - 1} are missing"
    return f"{seen} was there already"


def _columns_wrong(record: Record) -> str | None:
    try:
        columns = columns_of(record)
    except BodyError as error:
        return f"its {error}"
    seen = record[1:9]
    if columns == seen:
        return None
    expected, found = next((one, other) for one, other in zip(columns, seen, strict=True) if one != other)
    return f"its body states {expected!r}, and its column has {found!r}"
