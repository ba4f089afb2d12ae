"""The seals of a journal, checked; and what they vouch for."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator
from typing import NamedTuple

from controller.journal.audit.findings import Finding, Kind
from controller.journal.audit.position import Vouch
from controller.journal.records import Head
from controller.journal.seals import FIRST, Seal, Statement, read_seals


class Sealed(NamedTuple):
    """What was found of the seals."""

    findings: list[Finding]
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


def check_seals(connection: sqlite3.Connection, trusted: Collection[bytes], wanted: Collection[int]) -> Sealed:
    """Checks all seals. With no trusted key, the key of the first seal is taken for it.

    Raises:
        sqlite3.Error: the file cannot be read.
    """
    checker = _Checker(tuple(trusted), frozenset(wanted))
    for seal in read_seals(connection):
        checker.take(seal)
    return Sealed(
        checker.findings,
        checker.vouches,
        checker.heads,
        checker.keys,
        checker.count,
        checker.covered,
        checker.last_time,
    )


class _Checker:
    def __init__(self, keys: tuple[bytes, ...], wanted: frozenset[int]) -> None:
        self.keys = keys
        self.wanted = wanted
        self.findings: list[Finding] = []
        self.vouches: dict[str, dict[int, list[Vouch]]] = {}
        self.heads: dict[int, dict[str, Head]] = {}
        self.count = self.covered = 0
        self.last_time = ""
        self._n = 0
        self._before: str | None = FIRST
        """The hash of the seal before; None where it is not known."""

    def take(self, seal: Seal) -> None:
        self.count += 1
        if not _typed(seal):
            self._found(Kind.SEAL_EDITED, self._n + 1, self._n + 1, "its columns do not hold what a seal has", 0)
            self._n, self._before = self._n + 1, None
            return
        if seal.n != self._n + 1:
            last = seal.n - 1
            told = f"{'it is' if last == self._n + 1 else 'they are'} missing before seal {seal.n}"
            self._found(Kind.SEAL_REMOVED, self._n + 1, last, told, seal.after_n)
            self._before = None
        if not self.keys:
            self.keys = (seal.public_key,)
        self._n = seal.n
        said = self._said(seal)
        if said is None:
            self._before = None
            return
        self._before = seal.hash.hex()
        self.covered, self.last_time = max(self.covered, seal.after_n), said.time
        if seal.after_n in self.wanted:
            self.heads[seal.after_n] = said.heads
        for chain, head, digest in _hashes(said):
            given = self.vouches.setdefault(chain, {}).setdefault(head.seq, [])
            # A chain that rests is stated by many seals alike: the first of them says it best.
            if not any(vouch.hash == digest for vouch in given):
                given.append(Vouch(head.seq, digest, f"seal {seal.n} of {said.time}", seal.after_n))

    def _said(self, seal: Seal) -> Statement | None:
        """What a seal says; None, and a finding, where it cannot be believed."""
        n = seal.n
        if not seal.is_genuine:
            own = [key for key in self.keys if seal._replace(public_key=key).is_genuine]
            what = (
                "its public key was changed: its signature is of a trusted key"
                if own
                else "its signature does not go with what it says"
            )
            self._found(Kind.SEAL_EDITED, n, n, what, seal.after_n)
            return None
        try:
            said = seal.said
            list(_hashes(said))
        except ValueError as error:
            self._found(Kind.SEAL_EDITED, n, n, f"what it says cannot be read: {error}", seal.after_n)
            return None
        if seal.public_key not in self.keys:
            what = f"its key is {seal.public_key.hex()}; trusted is {' or '.join(key.hex() for key in self.keys)}"
            self._found(Kind.SEAL_FOREIGN, n, n, what, seal.after_n)
            return None
        if (said.n, said.records) != (n, seal.after_n):
            signed = f"seal {said.n} after row {said.records}"
            what = f"it was signed as {signed}, and stands as seal {n} after row {seal.after_n}"
            self._found(Kind.SEAL_EDITED, n, n, what, seal.after_n)
            return None
        if self._before is not None and said.previous != self._before:
            self._found(Kind.SEAL_EDITED, n, n, "it was not made after the seal before it", seal.after_n)
        elif seal.after_n < self.covered:
            what = f"it covers {seal.after_n} rows, and one before it {self.covered}"
            self._found(Kind.SEAL_EDITED, n, n, what, seal.after_n)
        return said

    def _found(self, kind: Kind, first: int, last: int, detail: str, order: int) -> None:
        self.findings.append(Finding(kind=kind, first=first, last=max(first, last), detail=detail, order=order))


def _typed(seal: Seal) -> bool:
    numbers = type(seal.n) is int and type(seal.after_n) is int
    return numbers and all(type(part) is bytes for part in seal[2:])


def _hashes(said: Statement) -> Iterator[tuple[str, Head, bytes]]:
    """The heads of a statement. A hash that is none raises a `ValueError`."""
    for chain, head in said.heads.items():
        yield chain, head, bytes.fromhex(head.hash)
