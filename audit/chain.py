"""The records of one chain, held against their hashes, their bodies, and what witnesses state of them.

A record follows another when its hash is that of the other's hash and its own body. Where a record does not follow
the one before it, that place is named, and the check continues from there:

    | found                                                  | reported                                              |
    |--------------------------------------------------------|-------------------------------------------------------|
    | `seq` or the body skips numbers, and r does not follow | the records between are missing                       |
    | r does not follow                                      | r is changed, and so may be those before it back to   |
    |                                                        | the last that a witness vouches for                   |
    | neither r nor records after it follow                  | all of them, up to the first that follows its own     |
    | r follows a record before those that do not            | those were inserted                                   |
    | `seq` is taken, or the body belongs to another chain   | r was inserted                                        |
    | r follows, and a column does not agree with its body   | its columns are changed                               |
    | all follow, and a witness names another hash           | rewritten, at some record since the last good witness |
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from msgspec.structs import replace

from audit.findings import AuditFinding, FindingKind
from audit.records import COLUMNS, COMMANDS, BodyError, column_differences, columns_of, link

MOST_ROWS: Final = 2**63 - 1
"""The largest `n` that a row can have."""
_HASH_BYTES: Final = 32


# --- rows of a file that nobody vouches for ---------------------------------------------------------------------------


class UntrustedRow(NamedTuple):
    """One row of the table of records. What should be a number or a text may be something else."""

    n: int
    chain: object
    seq: object
    id: object
    epoch: object
    kind: object
    round: object
    time: object
    topic: object
    body: bytes
    hash: bytes
    mistyped: tuple[str, ...] = ()
    """Of body and hash, those that are not stored as bytes of the right length."""

    def follows(self, hashes: Iterable[bytes]) -> bool:
        """Whether it was written after a record with one of these hashes."""
        return any(link(digest, self.body) == self.hash for digest in hashes)


class RecordTable:
    """Reads the rows of a file, any column of which may hold anything."""

    def __init__(self, connection: sqlite3.Connection, *, indexed: bool = True) -> None:
        """Without `indexed` no index is used: one that is damaged hides rows."""
        self._connection = connection
        self._table = "record" if indexed else "record NOT INDEXED"

    def count(self) -> int:
        """How many there are."""
        return int(self._connection.execute(f"SELECT count(*) FROM {self._table}").fetchone()[0])

    def count_after(self, n: int) -> int:
        """How many rows there are after row `n`."""
        return int(self._connection.execute(f"SELECT count(*) FROM {self._table} WHERE n > ?", (n,)).fetchone()[0])

    def spans(self, first_n: int, last_n: int) -> list[tuple[str, str, int, int, int]]:
        """By chain, of the rows from `first_n` to `last_n`: the chain, its records in words, the first and last of
        them, and the `n` of the first.
        """
        query = (
            f"SELECT chain, min(seq), max(seq), min(n) FROM {self._table} WHERE n BETWEEN ? AND ?"
            " GROUP BY chain ORDER BY min(n)"
        )
        return [
            (str(chain), str(first) if first == last else f"{first} to {last}", first, last, int(n))
            for chain, first, last, n in self._connection.execute(query, (first_n, last_n))
            if isinstance(first, int) and isinstance(last, int)
        ]

    def row_gaps(self, after: int) -> list[tuple[int, int]]:
        """The first and last `n` of each run of rows that is missing after row `after`, up to ten of them."""
        query = (
            "SELECT before + 1, n - 1 FROM"
            f" (SELECT n, lag(n, 1, ?) OVER (ORDER BY n) AS before FROM {self._table} WHERE n > ?)"
            " WHERE n <> before + 1 LIMIT 10"
        )
        return [(int(first), int(last)) for first, last in self._connection.execute(query, (after, after))]

    def rows_before(self, first: int) -> list[int]:
        """The `n` of rows up to `first`, where none can be; up to ten of them."""
        query = f"SELECT n FROM {self._table} WHERE n <= ? ORDER BY n LIMIT 10"
        return [int(n) for (n,) in self._connection.execute(query, (first,))]

    def chains(self) -> list[object]:
        """The values of the column `chain`, each once."""
        return [row[0] for row in self._connection.execute(f"SELECT DISTINCT chain FROM {self._table} ORDER BY chain")]

    def of(self, chain: object) -> Iterator[UntrustedRow]:
        """The records of a chain, by `seq`."""
        query = f"SELECT {COLUMNS} FROM {self._table} WHERE chain IS ? ORDER BY seq, n"
        return map(_row, self._connection.execute(query, (chain,)))


def _row(row: tuple[object, ...]) -> UntrustedRow:
    n, *others, body, digest = row
    mistyped: list[str] = []
    if type(body) is not bytes:
        mistyped.append("body")
    if type(digest) is not bytes or len(digest) != _HASH_BYTES:
        mistyped.append("hash")
    number = n if isinstance(n, int) else 0
    chain, seq, id_, epoch, kind, round_, time, topic = others
    return UntrustedRow(
        number, chain, seq, id_, epoch, kind, round_, time, topic, _bytes(body), _bytes(digest), tuple(mistyped)
    )


def _bytes(value: object) -> bytes:
    if isinstance(value, bytes):
        return value
    return b"" if value is None else str(value).encode("utf-8", "replace")


class _BodyCheck(NamedTuple):
    """What a body states of the columns beside it."""

    chain: object
    """Whose record it is; None where the body does not state it."""
    number: int | None
    """`seq` by the body; None where the body does not state it."""
    differ: Mapping[str, str]
    """Columns that do not agree with it, each with a sentence."""


def _check_body(row: UntrustedRow) -> _BodyCheck:
    differ = {name: f"{name} is not stored as bytes of the right length" for name in row.mistyped}
    try:
        expected = columns_of(row)
    except BodyError as error:
        return _BodyCheck(None, None, {**differ, "body": str(error)})
    number = expected.seq if row.chain != COMMANDS and isinstance(expected.seq, int) else None
    return _BodyCheck(expected.chain, number, differ | column_differences(row[1:9], expected))


# --- one chain -------------------------------------------------------------------------------------------------------


class Vouch(NamedTuple):
    """The hash that a record must have, by a witness that is not the record itself."""

    seq: int
    hash: bytes
    by: str
    """`seal 3 of 2026-07-04T21:00:00Z`."""
    after_n: int | None = None
    """Of a seal: the row up to which it seals; None for other witnesses."""
    is_late: bool = False
    """Whether it is the seal of a start that found records without one: it states what it found."""
    is_kept: bool = False
    """Whether it was kept where nobody who can write the file, or has the key of its seals, could change it."""


class ChainCheck:
    """Checks one chain. Iterate over `follow` to its end; `findings` then has what was found, in order."""

    def __init__(self, chain: str, start_seq: int, start_hash: bytes, vouches: Mapping[int, Sequence[Vouch]]) -> None:
        """Begins after the record `start_seq`, whose hash is `start_hash`: the archived base, or the genesis."""
        self._chain = chain
        self._vouches = vouches
        self.findings: list[AuditFinding] = []
        self.last = self._place = self._trusted = self.sealed = start_seq
        """The number of the last record, as it was written; `seq` of its row; the last number at which a witness
        agreed; the last at which a seal did."""
        self._kept = start_seq
        """The last number at which a witness agreed that was kept."""
        self._disputed: tuple[int, int] | None = None
        """The finding that a witness which was kept contradicts the last record, or one that it continues; and the last
        number before at which such a one agreed."""
        self.head = start_hash
        """The hash of that record."""
        self.records = 0
        self._hashes: tuple[bytes, ...] = (start_hash,)
        """What the next record may follow: one, or several after a record that is not as it was written; none where
        that is not known."""
        self._before = (start_seq, start_hash)
        """The record before the last one, or before those of `_doubtful`."""
        self._doubtful = False
        """The last record does not follow the one before it: the next may be reported with it."""
        self._last_row: tuple[bytes, bytes] | None = None
        """Body and hash of the last record that followed the one before it."""
        self._last_n: int | None = None
        self._sealed_to: int | None = None
        self._reached = 0

    def follow(self, rows: Iterable[UntrustedRow]) -> Iterator[UntrustedRow]:
        """Follows the rows of the chain, by `seq`; gives each after it was checked."""
        row: UntrustedRow | None = None
        for following in rows:
            if row is not None:
                self._take(row, following)
                yield row
            row = following
        if row is not None:
            self._take(row, None)
            yield row
        self._end()

    def _take(self, row: UntrustedRow, following: UntrustedRow | None) -> None:
        self.records += 1
        if self._last_n is not None:
            self._reached = self._last_n
        body = _check_body(row)
        follows = not self._hashes or row.follows(self._hashes)
        if type(row.seq) is not int or row.seq <= self._place:
            self._last_n = self._sealed_to = None
            self._found(FindingKind.INSERTED, None, None, f"a record is at {row.seq!r} where none can be")
        elif follows:
            self._accept(row, row.seq, body, following)
        elif (row.body, row.hash) == self._last_row:
            self._last_n = self._sealed_to = None
            self._found(FindingKind.INSERTED, self.last + 1, self.last + 1, "it is a copy of the record before it")
            self._place = row.seq
        elif row.follows((self._before[1],)):
            self._end_of_inserted(row, row.seq)
            self._accept(row, row.seq, body, following)
        else:
            self._last_n = self._sealed_to = None
            self._broken(row, row.seq, body, following)

    def _accept(self, row: UntrustedRow, seq: int, body: _BodyCheck, following: UntrustedRow | None) -> None:
        """The record follows the one before it."""
        if not row.follows((self.head,)):
            self._disputed = None  # it continues what the witness states
        self._before = (self.last, self.head)
        self.last += 1
        self._columns(row, seq, body)
        self._rows_in_order(row, following)
        self._place, self.head, self._hashes, self._doubtful = seq, row.hash, (row.hash,), False
        self._last_row = (row.body, row.hash)
        self._vouch(row)

    def _end_of_inserted(self, row: UntrustedRow, seq: int) -> None:
        """The record follows one before the last: what is between was put in."""
        number, digest = self._before
        first = number + 1
        self._disputed = None
        while self.findings and (self.findings[-1].last or 0) >= first:
            self.findings.pop()
        detail = f"the record at {seq} was written after record {number}"
        self._found(FindingKind.INSERTED, first, self.last, detail)
        self.last, self.head, self._hashes = number, digest, (digest,)
        self._last_n = self._sealed_to = None

    def _broken(self, row: UntrustedRow, seq: int, body: _BodyCheck, following: UntrustedRow | None) -> None:
        """The record does not follow the one before it."""
        if body.chain is not None and body.chain != self._chain:
            self._found(FindingKind.INSERTED, seq, seq, f"its body belongs to {body.chain}")
            return
        skips = seq > self._place + 1
        if skips and body.chain is None:
            self._found(FindingKind.INSERTED, seq, seq, "; ".join(body.differ.values()))
            return
        if skips and body.number is not None and body.number <= self.last:
            self._found(FindingKind.INSERTED, seq, seq, f"its body states that it is record {body.number}")
            return
        number = body.number if body.number is not None else self.last + seq - self._place
        if number > self.last + 1 and (skips or self._goes_on(row, number, following)):
            first, last = self.last + 1, number - 1
            before = f"record {self.last}" if self.last else "the beginning"
            self._found(FindingKind.MISSING, first, last, f"after {before} comes record {number}")
            self.last, self._place = last, seq - 1
            self._hashes = tuple(vouch.hash for vouch in self._vouches.get(last, ()))
            self.head = self._hashes[0] if self._hashes else b""
            self._doubtful = False
            if not self._hashes or row.follows(self._hashes):
                self._accept(row, seq, body, following)
                return
        self._changed(row, seq, body, following)

    def _goes_on(self, row: UntrustedRow, number: int, following: UntrustedRow | None) -> bool:
        """Whether the next record follows this one, and has the next number by its body."""
        return following is not None and following.follows((row.hash,)) and _check_body(following).number == number + 1

    def _changed(self, row: UntrustedRow, seq: int, body: _BodyCheck, following: UntrustedRow | None) -> None:
        computed = tuple(link(digest, row.body) for digest in self._hashes[:1])
        if self._doubtful and self.findings and self.findings[-1].kind is FindingKind.CHANGED:
            self.last += 1
            detail = "their hashes do not follow from their bodies and the records before them"
            self.findings[-1] = replace(self.findings[-1], last=self.last, detail=detail)
        else:
            self._before = (self.last, self.head)
            self.last += 1
            detail = "its hash does not follow from its body and the record before it"
            if body.number is not None and body.number != self.last:
                detail += f"; its body states that it is record {body.number}"
            only_hash = following is not None and following.follows(computed)
            since = None if only_hash or self._trusted + 1 >= self.last else self._trusted + 1
            self._found(FindingKind.CHANGED, self.last, self.last, detail, since=since)
        self._place, self.head, self._hashes, self._doubtful = seq, row.hash, (row.hash, *computed), True
        self._vouch(row)

    def _columns(self, row: UntrustedRow, seq: int, body: _BodyCheck) -> None:
        differ = dict(body.differ)
        number = self.last
        if seq - self._place != 1 and self._chain == COMMANDS:
            differ["seq"] = f"seq is {seq}, and it follows record {number - 1}"
        if not differ:
            return
        names = sorted(differ)
        last = self.findings[-1] if self.findings else None
        if last is not None and last.kind is FindingKind.COLUMNS and last.last == number - 1 and last.columns == names:
            self.findings[-1] = replace(last, last=number)
            return
        self._found(FindingKind.COLUMNS, number, number, "; ".join(differ.values()), columns=names)

    def _rows_in_order(self, row: UntrustedRow, following: UntrustedRow | None) -> None:
        """`n` grows along a chain, and a seal is between the rows that it states."""
        last_n = self._last_n
        detail = ""
        if last_n is not None and row.n <= last_n:
            detail = f"n is {row.n}, and record {self.last - 1} has {last_n}"
        elif following is not None and (last_n or 0) < following.n <= row.n and following.follows((row.hash,)):
            self._n_wrong(f"n is {row.n}, and the record after it has {following.n}")
            return
        elif self._sealed_to is not None and row.n <= self._sealed_to:
            detail = f"n is {row.n}, and the seal before it reaches to {self._sealed_to}"
        if detail:
            self._n_wrong(detail)
        self._last_n, self._sealed_to = row.n, None

    def _n_wrong(self, detail: str) -> None:
        self._found(FindingKind.COLUMNS, self.last, self.last, detail, columns=["n"])

    def _vouch(self, row: UntrustedRow) -> None:
        """Holds the record that was just accounted for against what witnesses state of it."""
        trusted, kept = self._trusted, self._kept
        seal: Vouch | None = None
        for vouch in self._vouches.get(self.last, ()):
            if vouch.hash in self._hashes:
                self._trusted = self.last
                if vouch.is_kept:
                    self._kept = self.last
                if vouch.after_n is not None:
                    seal = vouch
                    self.sealed = self.last
                    self._sealed_to = vouch.after_n
                    if row.n > vouch.after_n and self._last_n is not None:
                        self._n_wrong(f"n is {row.n}, and {vouch.by} reaches to {vouch.after_n} and covers it")
                continue
            self._hashes += (vouch.hash,)
            if not self._doubtful:
                self._differs(vouch, trusted)
                if vouch.is_kept:
                    self._disputed = (len(self.findings) - 1, kept)
        if seal is not None and self._disputed is not None:
            if not seal.is_late:
                self._sealed_again(*self._disputed)
            self._disputed = None

    def _sealed_again(self, at: int, kept: int) -> None:
        """A seal states a record that a witness which was kept contradicts: who made it has the key of the seals."""
        found = self.findings[at]
        since = f"since record {kept}, which an earlier head has" if kept else "from the first record on"
        what, _, _ = found.detail.partition("; changed at")
        why = "seals state what is there, so they were made again with their key and prove nothing"
        detail = f"{what}; {why}: changed at some place {since}"
        self.findings[at] = replace(found, first=min(kept + 1, found.first or 1), detail=detail)

    def _differs(self, vouch: Vouch, trusted: int) -> None:
        last = self.findings[-1] if self.findings else None
        if last is not None and last.kind is FindingKind.REWRITTEN:
            self.findings[-1] = replace(last, last=self.last)
            return
        since = f"since record {trusted}" if trusted else "from the first record on"
        detail = (
            f"its hashes fit each other, and not {vouch.by}: that names {vouch.hash.hex()[:16]}… for record "
            f"{self.last}, and {self.head.hex()[:16]}… is there; changed at some place {since}"
        )
        self._found(FindingKind.REWRITTEN, min(trusted + 1, self.last), self.last, detail)

    def _end(self) -> None:
        beyond = [vouch for seq, given in self._vouches.items() if seq > self.last for vouch in given]
        if beyond:
            furthest = max(beyond, key=lambda vouch: vouch.seq)
            first = min(beyond, key=lambda vouch: vouch.seq)
            also = "" if first.by == furthest.by else f", and {first.by} record {first.seq}"
            there = f"the chain ends at record {self.last}" if self.last else "no record is left"
            detail = f"{there}, and {furthest.by} names record {furthest.seq}{also}"
            self._found(FindingKind.MISSING, self.last + 1, furthest.seq, detail)

    def _found(
        self,
        kind: FindingKind,
        first: int | None,
        last: int | None,
        detail: str,
        *,
        since: int | None = None,
        columns: Sequence[str] = (),
    ) -> None:
        self.findings.append(
            AuditFinding(
                kind=kind,
                chain=self._chain,
                first=first,
                last=last,
                detail=detail,
                since=since,
                columns=columns,
                order=self._reached + 1,
            )
        )
