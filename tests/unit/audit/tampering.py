"""All that a person can do to a journal with the `sqlite3` shell, and the finding that it must give."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from random import Random
from typing import NamedTuple

from audit.findings import AuditFinding, FindingKind
from audit.records import COMMANDS, genesis, link
from audit.seals import START, SealSigner, Statement, read_seals
from hal.clock import VirtualClock
from tests.unit.audit.making import OTHER_KEY

COLUMNS = "n, chain, seq, id, epoch, kind, round, time, topic, body, hash"


class Done(NamedTuple):
    """What was done: a finding that must be reported."""

    kinds: tuple[FindingKind, ...]
    """The finding is of one of these: where several records are out of place, the hashes decide."""
    chain: str
    first: int | None
    last: int | None = None
    """Where given, the finding ends here; otherwise the record after it may be named with it."""
    fits: bool = False
    """It was made to fit, so that several records may be the one: the finding names them all."""
    put_into: str | None = None
    """The chain in which a record was put; what is found there may come first."""

    def is_reported_by(self, finding: AuditFinding) -> bool:
        if finding.chain != self.chain or finding.kind not in self.kinds:
            return False
        if self.fits:
            since = finding.first if finding.since is None else finding.since
            return (since or 0) <= (self.first or 0) <= (finding.last or 0)
        if self.last is not None:
            return (finding.first, finding.last) == (self.first, self.last)
        return finding.first == self.first and (finding.last or 0) <= (finding.first or 0) + 1


class Tampered:
    """A journal that is being changed."""

    def __init__(self, connection: sqlite3.Connection, random: Random) -> None:
        self.connection = connection
        self.random = random
        self.chains: list[str] = [
            row[0] for row in connection.execute("SELECT DISTINCT chain FROM record ORDER BY chain")
        ]

    def chain(self, *, tables_only: bool = False) -> str:
        return self.random.choice([one for one in self.chains if not tables_only or one != COMMANDS])

    def length(self, chain: str) -> int:
        return int(self.connection.execute("SELECT max(seq) FROM record WHERE chain = ?", (chain,)).fetchone()[0])

    def seq(self, chain: str, low: int = 1, high: int = 0) -> int:
        """A number between `low` and the last one, or `high` places before that."""
        return self.random.randint(low, self.length(chain) - high)

    def body(self, chain: str, seq: int) -> bytes:
        return bytes(self._one("body", chain, seq))

    def hash(self, chain: str, seq: int) -> bytes:
        return bytes(self._one("hash", chain, seq))

    def set(self, chain: str, seq: object, /, **columns: object) -> None:
        names = ", ".join(f"{name} = ?" for name in columns)
        self.connection.execute(
            f"UPDATE record SET {names} WHERE chain = ? AND seq = ?", (*columns.values(), chain, seq)
        )

    def shift(self, chain: str, first: int, last: int, by: int) -> None:
        """Renumbers records; through numbers that are free, as each statement must be unique."""
        self.connection.execute(
            "UPDATE record SET seq = -seq WHERE chain = ? AND seq BETWEEN ? AND ?", (chain, first, last)
        )
        self.connection.execute(
            "UPDATE record SET seq = -seq + ? WHERE chain = ? AND seq BETWEEN ? AND ?", (by, chain, -last, -first)
        )

    def edited(self, body: bytes) -> bytes:
        """Another body, whose columns are the same."""
        before, found, after = body.partition(b'"mono_ns":')
        return before + found + b"1" + after if found else body.replace(b'"role": ', b'"role":  ')

    def insert(self, chain: str, seq: int, body: bytes, digest: bytes) -> None:
        (n,) = self.connection.execute("SELECT max(n) + 1 FROM record").fetchone()
        time = "2026-07-04T20:00:00Z"
        row = (n, chain, seq, f"forged-{n}", "0" * 16, "round.opened", None, time, "v1/x/", body, digest)
        self.connection.execute(f"INSERT INTO record ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)

    def _one(self, column: str, chain: str, seq: int) -> bytes:
        query = f"SELECT {column} FROM record WHERE chain = ? AND seq = ?"
        row = self.connection.execute(query, (chain, seq)).fetchone()
        return bytes(row[0])


def body_edited(at: Tampered) -> Done:
    chain = at.chain()
    seq = at.seq(chain)
    at.set(chain, seq, body=at.edited(at.body(chain, seq)))
    return Done((FindingKind.CHANGED,), chain, seq, seq)


def hash_edited(at: Tampered) -> Done:
    chain = at.chain()
    seq = at.seq(chain)
    at.set(chain, seq, hash=at.random.randbytes(32))
    return Done((FindingKind.CHANGED,), chain, seq, seq)


def body_and_hash_edited(at: Tampered) -> Done:
    chain = at.chain()
    seq = at.seq(chain, 2, 1)
    body = at.edited(at.body(chain, seq))
    at.set(chain, seq, body=body, hash=link(at.hash(chain, seq - 1), body))
    return Done((FindingKind.CHANGED, FindingKind.REWRITTEN), chain, seq, fits=True)


def body_and_hash_replaced_by_anything(at: Tampered) -> Done:
    chain = at.chain()
    seq = at.seq(chain, 1, 1)
    at.set(chain, seq, body=at.edited(at.body(chain, seq)), hash=at.random.randbytes(32))
    return Done((FindingKind.CHANGED,), chain, seq)


def body_no_longer_json(at: Tampered) -> Done:
    chain = at.chain()
    seq = at.seq(chain)
    at.set(chain, seq, body=at.random.randbytes(at.random.randint(0, 50)))
    return Done((FindingKind.CHANGED,), chain, seq, seq)


def removed(at: Tampered) -> Done:
    chain = at.chain()
    first = at.seq(chain, 1, 1)
    last = at.random.randint(first, at.length(chain) - 1)
    at.connection.execute("DELETE FROM record WHERE chain = ? AND seq BETWEEN ? AND ?", (chain, first, last))
    return Done((FindingKind.MISSING,), chain, first, last)


def removed_and_the_rest_renumbered(at: Tampered) -> Done:
    chain = at.chain(tables_only=True)
    first = at.seq(chain, 1, 2)
    last = at.random.randint(first, at.length(chain) - 2)
    end = at.length(chain)
    at.connection.execute("DELETE FROM record WHERE chain = ? AND seq BETWEEN ? AND ?", (chain, first, last))
    at.shift(chain, last + 1, end, -(last - first + 1))
    return Done((FindingKind.MISSING,), chain, first, last)


def cut_off(at: Tampered) -> Done:
    chain = at.chain()
    first, last = at.seq(chain), at.length(chain)
    at.connection.execute("DELETE FROM record WHERE chain = ? AND seq >= ?", (chain, first))
    return Done((FindingKind.MISSING,), chain, first, last)


def a_whole_chain_removed(at: Tampered) -> Done:
    chain = at.chain()
    last = at.length(chain)
    at.connection.execute("DELETE FROM record WHERE chain = ?", (chain,))
    return Done((FindingKind.MISSING,), chain, 1, last)


def inserted_to_fit(at: Tampered) -> Done:
    chain = at.chain()
    seq = at.seq(chain, 2)
    body = at.edited(at.body(chain, seq))
    digest = link(at.hash(chain, seq - 1), body)
    at.shift(chain, seq, at.length(chain), 1)
    at.insert(chain, seq, body, digest)
    return Done((FindingKind.INSERTED,), chain, seq, seq)


def inserted_with_any_hash(at: Tampered) -> Done:
    chain = at.chain()
    seq = at.seq(chain)
    body = at.edited(at.body(chain, seq))
    at.shift(chain, seq, at.length(chain), 1)
    at.insert(chain, seq, body, at.random.randbytes(32))
    return Done((FindingKind.INSERTED,), chain, seq, seq)


def a_copy_inserted(at: Tampered) -> Done:
    chain = at.chain()
    seq = at.seq(chain, 2)
    copied = at.random.randint(1, seq - 1)
    body, digest = at.body(chain, copied), at.hash(chain, copied)
    at.shift(chain, seq, at.length(chain), 1)
    at.insert(chain, seq, body, digest)
    return Done((FindingKind.INSERTED,), chain, seq, seq)


def swapped_by_number(at: Tampered) -> Done:
    chain = at.chain()
    first, second = sorted(at.random.sample(range(1, at.length(chain) + 1), 2))
    at.set(chain, first, seq=-1)
    at.set(chain, second, seq=first)
    at.set(chain, -1, seq=second)
    return Done((FindingKind.CHANGED, FindingKind.INSERTED), chain, first)


def bodies_swapped(at: Tampered) -> Done:
    chain = at.chain()
    first, second = sorted(at.random.sample(range(1, at.length(chain) + 1), 2))
    one, other = at.body(chain, first), at.body(chain, second)
    at.set(chain, first, body=other)
    at.set(chain, second, body=one)
    return Done((FindingKind.CHANGED,), chain, first)


def bodies_and_hashes_swapped(at: Tampered) -> Done:
    chain = at.chain()
    first, second = sorted(at.random.sample(range(1, at.length(chain) + 1), 2))
    one, other = at.body(chain, first), at.body(chain, second)
    one_hash, other_hash = at.hash(chain, first), at.hash(chain, second)
    at.set(chain, first, body=other, hash=other_hash)
    at.set(chain, second, body=one, hash=one_hash)
    return Done((FindingKind.CHANGED, FindingKind.INSERTED), chain, first)


def moved_later(at: Tampered) -> Done:
    chain = at.chain()
    first = at.seq(chain, 1, 3)
    to = at.random.randint(first + 2, at.length(chain) - 1)
    at.set(chain, first, seq=-1_000_000)
    at.shift(chain, first + 1, to, -1)
    at.set(chain, -1_000_000, seq=to)
    return Done((FindingKind.CHANGED, FindingKind.MISSING), chain, first)


def moved_earlier(at: Tampered) -> Done:
    chain = at.chain()
    seq = at.seq(chain, 3, 1)
    to = at.random.randint(1, seq - 2)
    at.set(chain, seq, seq=-1_000_000)
    at.shift(chain, to, seq - 1, 1)
    at.set(chain, -1_000_000, seq=to)
    return Done((FindingKind.INSERTED,), chain, to, to)


def moved_behind_the_end(at: Tampered) -> Done:
    chain = at.chain()
    seq = at.seq(chain, 1, 1)
    at.set(chain, seq, seq=at.length(chain) + at.random.randint(1, 100))
    return Done((FindingKind.MISSING,), chain, seq, seq)


def moved_before_the_beginning(at: Tampered) -> Done:
    chain = at.chain()
    seq = at.seq(chain, 1, 1)
    at.set(chain, seq, seq=-at.random.randint(0, 100))
    return Done((FindingKind.MISSING,), chain, seq, seq, put_into=chain)


def moved_to_another_table(at: Tampered) -> Done:
    chain = at.chain()
    seq = at.seq(chain, 1, 1)
    at.set(chain, seq, chain="zzz")
    return Done((FindingKind.MISSING,), chain, seq, seq, put_into="zzz")


def moved_into_another_table(at: Tampered) -> Done:
    chain = at.chain()
    others = [one for one in at.chains if one != chain]
    seq, other = at.seq(chain, 1, 1), at.random.choice(others)
    at.set(chain, seq, chain=other, seq=at.length(other) + 1)
    return Done((FindingKind.MISSING,), chain, seq, seq, put_into=other)


def overwritten_with_a_copy(at: Tampered) -> Done:
    chain = at.chain()
    seq, copied = at.random.sample(range(1, at.length(chain)), 2)
    at.set(chain, seq, body=at.body(chain, copied), hash=at.hash(chain, copied))
    return Done((FindingKind.CHANGED, FindingKind.INSERTED), chain, seq)


def put_behind_the_end(at: Tampered) -> Done:
    chain = at.chain()
    seq = at.length(chain) + 1
    at.insert(chain, seq, at.edited(at.body(chain, seq - 1)), at.random.randbytes(32))
    return Done((FindingKind.CHANGED,), chain, seq, seq)


def all_after_it_renumbered(at: Tampered) -> Done:
    chain = at.chain()
    seq, end = at.seq(chain, 2), at.length(chain)
    at.shift(chain, seq, end, at.random.randint(1, 50))
    return Done((FindingKind.COLUMNS,), chain, seq, None if chain == COMMANDS else end)


def _column(name: str, value: object) -> Callable[[Tampered], Done]:
    def change(at: Tampered) -> Done:
        chain = at.chain(tables_only=name in {"epoch", "time", "kind"})
        seq = at.seq(chain)
        at.set(chain, seq, **{name: value})
        return Done((FindingKind.COLUMNS,), chain, seq, seq)

    change.__name__ = f"{name}_changed"
    return change


def rows_renumbered(at: Tampered) -> Done:
    chain = at.chain()
    seq = at.seq(chain, 1, 1)
    at.set(chain, seq, n=1_000_000)
    return Done((FindingKind.COLUMNS,), chain, seq, seq)


def rewritten_to_the_end(at: Tampered) -> Done:
    """The range named reaches back to what a seal vouches for, so that its beginning depends on the seals."""
    chain = at.chain()
    seq, end = at.seq(chain), at.length(chain)
    at.set(chain, seq, body=at.edited(at.body(chain, seq)))
    _relink(at, chain, seq, end)
    return Done((FindingKind.REWRITTEN,), chain, seq, fits=True)


def rewritten_for_a_while(at: Tampered) -> Done:
    """Some records in a row, each made to fit: the chain breaks after the last of them."""
    chain = at.chain()
    seq = at.seq(chain, 1, 2)
    last = at.random.randint(seq, at.length(chain) - 1)
    at.set(chain, seq, body=at.edited(at.body(chain, seq)))
    _relink(at, chain, seq, last)
    return Done((FindingKind.CHANGED, FindingKind.REWRITTEN), chain, seq, fits=True)


def _relink(at: Tampered, chain: str, first: int, last: int) -> None:
    digest = genesis(chain) if first == 1 else at.hash(chain, first - 1)
    for seq in range(first, last + 1):
        digest = link(digest, at.body(chain, seq))
        at.set(chain, seq, hash=digest)


# --- seals -----------------------------------------------------------------------------------------------------------


def seal_removed(at: Tampered) -> Done:
    (count,) = at.connection.execute("SELECT count(*) FROM seal").fetchone()
    n = at.random.randint(1, count - 1)
    at.connection.execute("DELETE FROM seal WHERE n = ?", (n,))
    return Done((FindingKind.MISSING,), "", n, n)


def seal_statement_edited(at: Tampered) -> Done:
    n = _seal(at)
    (statement,) = at.connection.execute("SELECT statement FROM seal WHERE n = ?", (n,)).fetchone()
    at.connection.execute("UPDATE seal SET statement = ? WHERE n = ?", (bytes(statement).replace(b"2026", b"2025"), n))
    return Done((FindingKind.CHANGED,), "", n)


def seal_column_edited(at: Tampered) -> Done:
    n = _seal(at)
    # With another key in the first seal, all that is known of the right one is gone.
    name = at.random.choice(["signature", "hash", "after_n", *(["public_key"] if n > 1 else [])])
    value = at.random.randbytes(32) if name != "after_n" else 77_777
    at.connection.execute(f"UPDATE seal SET {name} = ? WHERE n = ?", (value, n))
    return Done((FindingKind.CHANGED,), "", n)


def seal_made_with_another_key(at: Tampered) -> Done:
    seals = list(read_seals(at.connection))
    seal = at.random.choice(seals[1:])
    before = seals[seal.n - 2]
    said: Statement = seal.content
    forged = SealSigner(OTHER_KEY, VirtualClock(), before).seal(START, said.records, said.heads)
    at.connection.execute(
        "UPDATE seal SET statement = ?, public_key = ?, signature = ?, hash = ? WHERE n = ?",
        (forged.statement, forged.public_key, forged.signature, forged.hash, seal.n),
    )
    return Done((FindingKind.OTHER_KEY,), "", seal.n)


def _seal(at: Tampered) -> int:
    (count,) = at.connection.execute("SELECT count(*) FROM seal").fetchone()
    return at.random.randint(1, count)


RECORDS: tuple[Callable[[Tampered], Done], ...] = (
    body_edited,
    hash_edited,
    body_and_hash_edited,
    body_and_hash_replaced_by_anything,
    body_no_longer_json,
    removed,
    removed_and_the_rest_renumbered,
    cut_off,
    a_whole_chain_removed,
    inserted_to_fit,
    inserted_with_any_hash,
    a_copy_inserted,
    swapped_by_number,
    bodies_swapped,
    bodies_and_hashes_swapped,
    moved_later,
    moved_earlier,
    moved_behind_the_end,
    moved_before_the_beginning,
    moved_to_another_table,
    moved_into_another_table,
    overwritten_with_a_copy,
    put_behind_the_end,
    all_after_it_renumbered,
    _column("id", "another"),
    _column("epoch", "ffffffffffffffff"),
    _column("kind", "device.warning"),
    _column("round", 4711),
    _column("topic", "v1/elsewhere/round.outcome/"),
    _column("time", "2020-01-01T00:00:00Z"),
    rows_renumbered,
)
"""Each on records; the finding names the records concerned."""

SEALS = (seal_removed, seal_statement_edited, seal_column_edited, seal_made_with_another_key)
