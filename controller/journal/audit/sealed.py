"""The seals of a journal, checked; what they vouch for; and the base of archived history held against them."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from controller.journal.audit.chain import Vouch
from controller.journal.audit.findings import AuditFinding, FindingKind
from controller.journal.records import Head
from controller.journal.seals import FIRST, START, STOP, Seal, Statement, read_seals


class UnsealedTail(NamedTuple):
    """Records that stood without a seal when the service started: between the last seal and that of the start."""

    first_n: int
    last_n: int
    start: str
    """The seal of the start, in words; empty where none has followed yet."""
    stopped: str
    """The seal of an orderly end before them, in words: nobody wrote them in order. Empty after a crash."""


class CheckedSeals(NamedTuple):
    """The result of the check of all seals."""

    findings: list[AuditFinding]
    vouches: dict[str, dict[int, list[Vouch]]]
    """By chain and number; only of seals that are genuine and of a trusted key."""
    heads: dict[int, dict[str, Head]]
    """By the last row that a good seal covers: the heads that it states. Only of those rows that were asked for."""
    keys: tuple[bytes, ...]
    """The public keys that were trusted."""
    seals: int
    covered: int
    """The last row that a good seal covers."""
    last_time: str
    """Of the last good seal."""
    tails: list[UnsealedTail]
    stopped: str
    """The last seal in words, where it is good and of an orderly end; empty otherwise."""


def check_seals(
    connection: sqlite3.Connection,
    trusted: Collection[bytes],
    wanted: Collection[int],
    witnesses: Iterable[Vouch] = (),
) -> CheckedSeals:
    """Checks all seals. With no trusted key, the key of the first seal is taken for it; `witnesses` name seals.

    Raises:
        sqlite3.Error: the file cannot be read.
    """
    checker = _SealChecker(tuple(trusted), frozenset(wanted), tuple(witnesses))
    for seal in read_seals(connection):
        checker.check(seal)
    checker.end()
    return CheckedSeals(
        checker.findings,
        checker.vouches,
        checker.heads,
        checker.keys,
        checker.count,
        checker.covered,
        checker.last_time,
        checker.tails,
        checker.stopped,
    )


class _SealChecker:
    def __init__(self, keys: tuple[bytes, ...], wanted: frozenset[int], witnesses: tuple[Vouch, ...]) -> None:
        self._witnesses = witnesses
        self.tails: list[UnsealedTail] = []
        self.stopped = ""
        self.keys = keys
        self.wanted = wanted
        self.findings: list[AuditFinding] = []
        self.vouches: dict[str, dict[int, list[Vouch]]] = {}
        self.heads: dict[int, dict[str, Head]] = {}
        self.count = self.covered = 0
        self.last_time = ""
        self._n = 0
        self._before: str | None = FIRST
        """The hash of the seal before; None where it is not known."""

    def end(self) -> None:
        """Seals that a witness names and the file does not hold."""
        beyond = [vouch for vouch in self._witnesses if vouch.seq > self._n]
        if beyond:
            furthest = max(beyond, key=lambda vouch: vouch.seq)
            there = f"the last seal is {self._n}" if self._n else "no seal is left"
            detail = f"{there}, and {furthest.by} names seal {furthest.seq}: the end of the history was cut off"
            self._found(FindingKind.MISSING, self._n + 1, furthest.seq, detail, self.covered + 1)

    def check(self, seal: Seal) -> None:
        self.count += 1
        if not _typed(seal):
            self._found(FindingKind.CHANGED, self._n + 1, self._n + 1, "its columns do not hold what a seal has", 0)
            self._n, self._before = self._n + 1, None
            return
        if seal.n != self._n + 1:
            last = seal.n - 1
            detail = f"{'it is' if last == self._n + 1 else 'they are'} missing before seal {seal.n}"
            self._found(FindingKind.MISSING, self._n + 1, last, detail, seal.after_n)
            self._before = None
        if not self.keys:
            self.keys = (seal.public_key,)
        self._n = seal.n
        for vouch in self._witnesses:
            if vouch.seq == seal.n and vouch.hash != seal.hash:
                what = f"{vouch.by} names {vouch.hash.hex()[:16]}…, and {seal.hash.hex()[:16]}… stands there"
                self._found(FindingKind.REWRITTEN, seal.n, seal.n, what, seal.after_n)
        statement = self._statement(seal)
        if statement is None:
            self._before = None
            self.stopped = ""
            return
        self._follow(seal, statement)
        self._before = seal.hash.hex()
        self.covered, self.last_time = max(self.covered, seal.after_n), statement.time
        if seal.after_n in self.wanted and statement.is_full:
            self.heads[seal.after_n] = statement.heads
        for chain, head, digest in _hashes(statement):
            given = self.vouches.setdefault(chain, {}).setdefault(head.seq, [])
            # A chain that rests is stated by many seals alike: the first of them counts.
            if not any(vouch.hash == digest for vouch in given):
                given.append(Vouch(head.seq, digest, f"seal {seal.n} of {statement.time}", seal.after_n))

    def _follow(self, seal: Seal, statement: Statement) -> None:
        """What stands between this seal and the good one before it."""
        is_next = self._before is not None and statement.previous == self._before
        if is_next and self.stopped and statement.why != START:
            what = f"it is of a {statement.why}, and follows {self.stopped}: only a start may"
            self._found(FindingKind.INSERTED, seal.n, seal.n, what, seal.after_n)
        tail = seal.after_n - self.covered
        if is_next and statement.why == START:
            if tail > 0:
                start = f"seal {seal.n}, of the start at {statement.time}"
                self.tails.append(UnsealedTail(self.covered + 1, seal.after_n, start, self.stopped))
            if statement.unsealed is not None and statement.unsealed != tail:
                what = f"it states that {statement.unsealed} records stood without a seal before it, and {tail} do"
                self._found(FindingKind.CHANGED, seal.n, seal.n, what, seal.after_n)
        self.stopped = f"seal {seal.n}, of the orderly end at {statement.time}" if statement.why == STOP else ""

    def _statement(self, seal: Seal) -> Statement | None:
        """The statement of a seal; None, and a finding, where it cannot be trusted."""
        n = seal.n
        if not seal.is_genuine:
            own = [key for key in self.keys if seal._replace(public_key=key).is_genuine]
            what = (
                "its public key was changed: its signature is of a trusted key"
                if own
                else "its signature does not go with what it states"
            )
            self._found(FindingKind.CHANGED, n, n, what, seal.after_n)
            return None
        try:
            statement = seal.content
            list(_hashes(statement))
        except ValueError as error:
            self._found(FindingKind.CHANGED, n, n, f"what it states cannot be read: {error}", seal.after_n)
            return None
        if seal.public_key not in self.keys:
            what = f"its key is {seal.public_key.hex()}; trusted is {' or '.join(key.hex() for key in self.keys)}"
            self._found(FindingKind.OTHER_KEY, n, n, what, seal.after_n)
            return None
        if (statement.n, statement.records) != (n, seal.after_n):
            signed = f"seal {statement.n} after row {statement.records}"
            what = f"it was signed as {signed}, and stands as seal {n} after row {seal.after_n}"
            self._found(FindingKind.CHANGED, n, n, what, seal.after_n)
            return None
        if self._before is not None and statement.previous != self._before:
            self._found(FindingKind.CHANGED, n, n, "it was not made after the seal before it", seal.after_n)
        elif seal.after_n < self.covered:
            what = f"it covers {seal.after_n} rows, and one before it {self.covered}"
            self._found(FindingKind.CHANGED, n, n, what, seal.after_n)
        return statement

    def _found(self, kind: FindingKind, first: int, last: int, detail: str, order: int) -> None:
        self.findings.append(AuditFinding(kind=kind, first=first, last=max(first, last), detail=detail, order=order))


def _typed(seal: Seal) -> bool:
    numbers = type(seal.n) is int and type(seal.after_n) is int
    return numbers and all(type(part) is bytes for part in seal[2:])


def _hashes(statement: Statement) -> Iterator[tuple[str, Head, bytes]]:
    """The heads of a statement. A hash that is none raises a `ValueError`."""
    for chain, head in statement.heads.items():
        yield chain, head, bytes.fromhex(head.hash)


# --- the base of archived history ------------------------------------------------------------------------------------

_HASH_BYTES: Final = 32


class ArchivedBase(NamedTuple):
    """The last archived record of a chain, after which the history in this file begins."""

    chain: str
    head: Head
    n: int


def read_base(connection: sqlite3.Connection) -> list[ArchivedBase]:
    """The rows of the base; values of a wrong type become such that fit nothing.

    Raises:
        sqlite3.Error: the file cannot be read.
    """
    rows = connection.execute("SELECT chain, seq, epoch, hash, n FROM base ORDER BY chain")
    return [
        ArchivedBase(
            str(chain),
            Head(seq if type(seq) is int else 0, str(epoch), _digest(digest).hex()),
            n if type(n) is int else 0,
        )
        for chain, seq, epoch, digest, n in rows
    ]


def check_base(base: Sequence[ArchivedBase], seals: CheckedSeals) -> Iterator[AuditFinding]:
    """History is archived up to a seal: that seal states the heads with which this file begins."""
    if not base:
        return
    n = max(one.n for one in base)
    stated = seals.heads.get(n)
    if stated is None:
        detail = f"it reaches to row {n}, and no good seal ends there, as one does where history is archived"
        yield AuditFinding(kind=FindingKind.BASE, detail=detail, order=n)
        return
    there = {one.chain: one.head for one in base}
    for chain in sorted(stated.keys() | there.keys()):
        if stated.get(chain) != there.get(chain):
            begins, sealed_as = _shown(there.get(chain)), _shown(stated.get(chain))
            detail = f"it states {begins}, and the seal up to which history was archived {sealed_as}"
            yield AuditFinding(kind=FindingKind.BASE, chain=chain, detail=detail, order=n)


def _shown(head: Head | None) -> str:
    return "nothing" if head is None else f"record {head.seq} of {head.epoch} with {head.hash[:16]}…"


def _digest(value: object) -> bytes:
    return value if isinstance(value, bytes) and len(value) == _HASH_BYTES else b"\0" * _HASH_BYTES
