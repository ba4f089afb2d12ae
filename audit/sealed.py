"""The seals of a journal, checked; what they vouch for; and the base of archived history held against them."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from audit.base import NO_BASE, BaseRow, base_digest
from audit.chain import Vouch
from audit.findings import AuditFinding, FindingKind
from audit.records import Head
from audit.seals import (
    AFTER_REST,
    AT_REST,
    CLOSED,
    FIRST,
    MOVES_BASE,
    START,
    Seal,
    Statement,
    read_seals,
)


class UnsealedTail(NamedTuple):
    """Records that were without a seal when the service started: between the last seal and that of the start."""

    first_n: int
    last_n: int
    start: str
    """The seal of the start (or archiving), in words; empty where none has followed yet."""
    stopped: str
    """The seal of an orderly end or an archiving before them, in words: nobody wrote them in order. Empty after a
    crash."""


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
    """The last seal in words, where it is good and nobody writes a record after such a one; empty otherwise."""
    closed: bool
    """The last seal is that of the end of an archive."""
    base: str | None
    """The digest of where the history begins, as the last good seal states it; None where all are older."""
    base_by: str
    """That seal, in words."""
    adopted: str
    """The first seal that states a base which no archiving before it signed, in words: an older Feltwire archived."""
    unwitnessed: list[tuple[str, str]]
    """The starts that found no good witness, in words, and what they found."""


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
        checker.closed,
        checker.base,
        checker.base_by,
        checker.adopted,
        checker.unwitnessed,
    )


class _SealChecker:
    def __init__(self, keys: tuple[bytes, ...], wanted: frozenset[int], witnesses: tuple[Vouch, ...]) -> None:
        self._witnesses = witnesses
        self.tails: list[UnsealedTail] = []
        self.stopped = ""
        self.closed = False
        self.base: str | None = None
        self.base_by = self.adopted = ""
        self.unwitnessed: list[tuple[str, str]] = []
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
                what = f"{vouch.by} names {vouch.hash.hex()[:16]}…, and {seal.hash.hex()[:16]}… is there"
                self._found(FindingKind.REWRITTEN, seal.n, seal.n, what, seal.after_n)
        statement = self._statement(seal)
        if statement is None:
            self._before = None
            self.stopped, self.closed = "", False
            return
        before = len(self.tails)
        self._follow(seal, statement)
        is_late = len(self.tails) > before
        self._before = seal.hash.hex()
        self.covered, self.last_time = max(self.covered, seal.after_n), statement.time
        if seal.after_n in self.wanted and statement.is_full:
            self.heads[seal.after_n] = statement.heads
        for chain, head, digest in _hashes(statement):
            given = self.vouches.setdefault(chain, {}).setdefault(head.seq, [])
            # A chain that rests is stated by many seals alike: the first of them counts.
            if not any(vouch.hash == digest for vouch in given):
                given.append(
                    Vouch(head.seq, digest, f"seal {seal.n} of {statement.time}", seal.after_n, is_late=is_late)
                )

    def _follow(self, seal: Seal, statement: Statement) -> None:
        """What is between this seal and the good one before it."""
        is_next = self._before is not None and statement.previous == self._before
        if is_next and self.stopped and (self.closed or statement.why not in AFTER_REST):
            allowed = "nothing" if self.closed else "only a start"
            what = f"it is of a {statement.why}, and follows {self.stopped}: {allowed} may"
            self._found(FindingKind.INSERTED, seal.n, seal.n, what, seal.after_n)
        tail = seal.after_n - self.covered
        if is_next and statement.why in AFTER_REST:
            if tail > 0:
                made_at = AT_REST.get(statement.why, START)
                start = f"seal {seal.n}, of the {made_at} at {statement.time}"
                self.tails.append(UnsealedTail(self.covered + 1, seal.after_n, start, self.stopped))
            if statement.unsealed is not None and statement.unsealed != tail:
                what = f"it states that {statement.unsealed} records were without a seal before it, and {tail} do"
                self._found(FindingKind.CHANGED, seal.n, seal.n, what, seal.after_n)
        rest = AT_REST.get(statement.why)
        self.stopped = f"seal {seal.n}, of the {rest} at {statement.time}" if rest else ""
        self.closed = statement.why == CLOSED
        if statement.witness:
            self.unwitnessed.append((f"seal {seal.n}, of the start at {statement.time}", statement.witness))
        self._take_base(seal, statement, is_next=is_next)

    def _take_base(self, seal: Seal, statement: Statement, *, is_next: bool) -> None:
        """Where the history begins, as a seal states it: only an archiving changes that."""
        stated = statement.base
        if stated is None:
            return
        moved = stated != (NO_BASE if self.base is None else self.base)
        if moved and statement.why not in MOVES_BASE:
            if self.base is not None and is_next:
                what = "it states another beginning of the history than the seals before it, and is of no archiving"
                self._found(FindingKind.BASE, seal.n, seal.n, what, seal.after_n)
            elif self.base is None:
                self.adopted = f"seal {seal.n} of {statement.time}"
        self.base, self.base_by = stated, f"seal {seal.n} of {statement.time}"

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
            what = f"it was signed as {signed}, and is stored as seal {n} after row {seal.after_n}"
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


def head_of(row: BaseRow) -> Head:
    """The head with which a chain begins; values of a wrong type become such that fit nothing."""
    seq = row.seq if type(row.seq) is int else 0
    digest = row.hash if row.is_typed else b"\0" * 32
    return Head(seq, str(row.epoch), digest.hex())


def reach_of(base: Sequence[BaseRow]) -> int:
    """The last row that was archived; 0 where none was."""
    return max((row.n for row in base if type(row.n) is int), default=0)


def check_base(base: Sequence[BaseRow], seals: CheckedSeals) -> Iterator[AuditFinding]:
    """History is archived up to a seal, which states the heads with which this file begins; what archiving left behind
    is what the seal of the archiving, and all after it, state.
    """
    n = reach_of(base)
    if seals.base is not None and base_digest(base) != seals.base:
        detail = f"what archived history left behind here (heads and `state`) is not what {seals.base_by} states"
        yield AuditFinding(kind=FindingKind.BASE, detail=detail, order=n)
    if not base:
        return
    for row in base:
        wrong = _state_wrong(row)
        if wrong:
            detail = f"the state of the table when its history was archived cannot be read: {wrong}"
            yield AuditFinding(kind=FindingKind.BASE, chain=str(row.chain), detail=detail, order=n)
    stated = seals.heads.get(n)
    if stated is None:
        detail = f"it reaches to row {n}, and no good seal ends there, as one does where history is archived"
        yield AuditFinding(kind=FindingKind.BASE, detail=detail, order=n)
        return
    there = {str(row.chain): head_of(row) for row in base}
    for chain in sorted(stated.keys() | there.keys()):
        if stated.get(chain) != there.get(chain):
            begins, sealed_as = _shown(there.get(chain)), _shown(stated.get(chain))
            detail = f"it states {begins}, and the seal up to which history was archived {sealed_as}"
            yield AuditFinding(kind=FindingKind.BASE, chain=chain, detail=detail, order=n)


def base_notes(base: Sequence[BaseRow], seals: CheckedSeals) -> Iterator[str]:
    """Of a base that no archiving signed: what proves it, in words. Of bad seals alone nothing follows."""
    if not base or not seals.last_time:
        return
    unsigned = "history was archived by an older Feltwire, which signed no record of it"
    compare = "verify it together with the archive, which shows the state of each table"
    if seals.base is None:
        yield f"{unsigned}: what it left behind (the base and its `state`) can be changed unnoticed; {compare}"
    elif seals.adopted:
        yield f"{unsigned}: what it left behind is proven only since {seals.adopted}; {compare}"


def _state_wrong(row: BaseRow) -> str:
    if not row.is_typed:
        return "a value is of a wrong type"
    try:
        row.snapshot()
    except ValueError as error:
        return str(error)
    return ""


def _shown(head: Head | None) -> str:
    return "nothing" if head is None else f"record {head.seq} of {head.epoch} with {head.hash[:16]}…"
