"""The records of a journal as they stand in a file that nobody vouches for: any column may hold anything."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Final, NamedTuple

from controller.journal.records import genesis, link

_COLUMNS: Final = "n, chain, seq, id, epoch, kind, round, time, topic, body, hash"
_HASH_BYTES: Final = 32


class Held(NamedTuple):
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

    @property
    def number(self) -> int | None:
        """`seq` where it is a whole number."""
        return self.seq if type(self.seq) is int else None


class Located(NamedTuple):
    """Where the parts of a broken chain stand, found by their hashes in the whole file."""

    successor: Held | None = None
    """The record that was written after the given hash."""
    body_home: Held | None = None
    """The record that now has the body to which the hash of the broken one belongs."""
    after: Held | None = None
    """The record after which the broken one was written."""
    begins: str | None = None
    """The chain whose first record the broken one is."""
    twin: Held | None = None
    """Another record with the same body and hash."""


class HeldRecords:
    """Reads rows from a connection, in the order that each question needs."""

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

    def row_gaps(self, after: int) -> list[tuple[int, int]]:
        """The first and last `n` of each run of rows that is missing after row `after`, up to ten of them."""
        query = (
            f"SELECT before + 1, n - 1 FROM (SELECT n, lag(n, 1, ?) OVER (ORDER BY n) AS before FROM {self._table})"
            " WHERE n <> before + 1 LIMIT 10"
        )
        return [(int(first), int(last)) for first, last in self._connection.execute(query, (after,))]

    def chains(self) -> list[object]:
        """The values of the column `chain`, each once."""
        return [row[0] for row in self._connection.execute(f"SELECT DISTINCT chain FROM {self._table} ORDER BY chain")]

    def of(self, chain: object) -> Iterator[Held]:
        """The records of a chain, by `seq`."""
        query = f"SELECT {_COLUMNS} FROM {self._table} WHERE chain IS ? ORDER BY seq, n"
        return map(_held, self._connection.execute(query, (chain,)))

    def at(self, chain: object, seq: int) -> Held | None:
        """The record of a chain with this number."""
        query = f"SELECT {_COLUMNS} FROM {self._table} WHERE chain IS ? AND seq = ? ORDER BY n LIMIT 1"
        row = self._connection.execute(query, (chain, seq)).fetchone()
        return None if row is None else _held(row)

    def locate(self, previous: bytes, broken: Held) -> Located:
        """Looks through the whole file for what fits `previous` and `broken`. Takes as long as reading all of it."""
        successor = body_home = after = twin = None
        begins: str | None = None
        chains: set[object] = set()
        for row in self._connection.execute(f"SELECT {_COLUMNS} FROM {self._table} ORDER BY n"):
            one = _held(row)
            if isinstance(one.chain, str) and one.chain not in chains:
                chains.add(one.chain)
                if link(genesis(one.chain), broken.body) == broken.hash:
                    begins = one.chain
            if one.n == broken.n:
                continue
            follows = link(previous, one.body)
            if successor is None and follows == one.hash:
                successor = one
            if body_home is None and follows == broken.hash:
                body_home = one
            if after is None and link(one.hash, broken.body) == broken.hash:
                after = one
            if twin is None and one.hash == broken.hash and one.body == broken.body:
                twin = one
        return Located(successor, body_home, after, begins, twin)


def _held(row: tuple[object, ...]) -> Held:
    n, *others, body, hash_ = row
    mistyped: list[str] = []
    if type(body) is not bytes:
        mistyped.append("body")
    if type(hash_) is not bytes or len(hash_) != _HASH_BYTES:
        mistyped.append("hash")
    chain, seq, id_, epoch, kind, round_, time, topic = others
    number = n if isinstance(n, int) else 0
    return Held(number, chain, seq, id_, epoch, kind, round_, time, topic, _bytes(body), _bytes(hash_), tuple(mistyped))


def _bytes(value: object) -> bytes:
    if isinstance(value, bytes):
        return value
    return b"" if value is None else str(value).encode("utf-8", "replace")
