"""Where the history in a file begins, once older history was archived: held against the seal that archived it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from controller.journal.audit.findings import Finding, Kind
from controller.journal.audit.sealed import Sealed
from controller.journal.records import Head

_HASH_BYTES = 32


class Base(NamedTuple):
    """The last archived record of a chain."""

    chain: str
    head: Head
    n: int


def read_base(connection: sqlite3.Connection) -> list[Base]:
    """The rows of the base; values of a wrong type become such that fit nothing.

    Raises:
        sqlite3.Error: the file cannot be read.
    """
    rows = connection.execute("SELECT chain, seq, epoch, hash, n FROM base ORDER BY chain")
    return [
        Base(
            str(chain),
            Head(seq if type(seq) is int else 0, str(epoch), _digest(digest).hex()),
            n if type(n) is int else 0,
        )
        for chain, seq, epoch, digest, n in rows
    ]


def check_base(base: Sequence[Base], sealed: Sealed) -> Iterator[Finding]:
    """History is archived up to a seal: that seal states the heads with which this file begins."""
    if not base:
        return
    n = max(one.n for one in base)
    stated = sealed.heads.get(n)
    if stated is None:
        yield _wrong(
            "", f"it reaches to row {n}, and no good seal ends there, as one does where history is archived", n
        )
        return
    there = {one.chain: one.head for one in base}
    for chain in sorted(stated.keys() | there.keys()):
        if stated.get(chain) != there.get(chain):
            begins, sealed_as = _shown(there.get(chain)), _shown(stated.get(chain))
            detail = f"it says {begins}, and the seal up to which history was archived {sealed_as}"
            yield _wrong(chain, detail, n)


def _wrong(chain: str, detail: str, n: int) -> Finding:
    return Finding(kind=Kind.BASE, chain=chain, detail=detail, order=n)


def _shown(head: Head | None) -> str:
    return "nothing" if head is None else f"record {head.seq} of {head.epoch} with {head.hash[:16]}…"


def _digest(value: object) -> bytes:
    return value if isinstance(value, bytes) and len(value) == _HASH_BYTES else b"\0" * _HASH_BYTES
