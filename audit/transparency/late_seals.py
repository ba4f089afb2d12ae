"""The mark of records that were without a seal after a crash: a proof of one states it, as witnesses cannot.

    record ─► record ─► crash ─► [whoever can write the file may put one in here] ─► start, with its seal

The seal of that start proves them from then on: that they are as they were then, and not who wrote them. In a proof
(C2SP tlog-proof) the mark is extra data, which nobody signs: who makes proofs can leave it out.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec

from audit.errors import RUN_VERIFY, JournalDamaged
from audit.reading import reading
from audit.seals import AFTER_REST, AT_REST, FIRST, SEAL_COLUMNS, START, Seal, Statement, read_seals
from hal.wording import counted

_FIRST_OVER: Final = f"SELECT {SEAL_COLUMNS} FROM seal WHERE after_n >= ? ORDER BY n LIMIT 1"


class LateSeal(msgspec.Struct, frozen=True):
    """The first seal over records that were without one after a crash."""

    seal: int
    """Its number."""
    time: str
    made_at: str
    """What it was made at, in words."""

    @property
    def which(self) -> str:
        """Which seal it is, in words."""
        return f"seal {self.seal}, of the {self.made_at} at {self.time}"

    def __str__(self) -> str:
        return (
            "found without a seal after a crash: whoever could write the journal may have put it there, and no seal "
            f"proves it before {self.which}"
        )

    def extra(self) -> bytes:
        """As a proof has it: JSON, in words too."""
        return msgspec.json.encode({"note": str(self), "late_seal": self})


class LateRecords(msgspec.Struct, frozen=True):
    """Records that were without a seal after a crash."""

    first_n: int
    last_n: int
    by: LateSeal

    @property
    def count(self) -> int:
        """How many they are."""
        return self.last_n - self.first_n + 1

    def __str__(self) -> str:
        numbers, were, them = f"{self.first_n} to {self.last_n}", "were", "them"
        if self.count == 1:
            numbers, were, them = str(self.first_n), "was", "it"
        found = f"{counted(self.count, 'record')} {were} found without a seal ({numbers})"
        return f"after a crash {found}: no seal proves {them} before {self.by.which}"


class _Extra(msgspec.Struct):
    late_seal: LateSeal


def read_mark(extra: bytes) -> LateSeal | None:
    """The mark in the extra data of a proof; None where there is none, or the data is somebody else's."""
    try:
        return msgspec.json.decode(extra, type=_Extra).late_seal
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return None


def late_seal(path: Path, n: int) -> LateSeal | None:
    """The mark of record `n`, by the seals of the journal, or of the archive that has it; None where it has none.

    Raises:
        JournalDamaged: the seal over it is not there, or is not as it was signed.
        JournalError: the file cannot be read.
    """
    with reading(path, "looking for its seal") as connection:
        row = connection.execute(_FIRST_OVER, (n,)).fetchone()
    if row is None:
        raise JournalDamaged(path, f"no seal covers record {n}", RUN_VERIFY)
    seal = Seal(*row)
    if not seal.is_genuine:
        raise _changed(path, seal)
    return _mark(seal, _content(path, seal))


def late_records(path: Path) -> list[LateRecords]:
    """All records of a journal that were without a seal after a crash, also those that are archived by now.

    Raises:
        JournalDamaged: a seal is not as it was signed.
        JournalError: the file cannot be read.
    """
    found, covered, last, before = [], 0, None, FIRST
    with reading(path, "reading its seals") as connection:
        for seal in read_seals(connection):
            content = _content(path, seal)
            if not seal.is_whole or content.previous != before:
                raise _changed(path, seal)
            if seal.after_n > covered and (mark := _mark(seal, content)) is not None:
                found.append(LateRecords(covered + 1, seal.after_n, mark))
            last, covered, before = seal, max(covered, seal.after_n), seal.hash.hex()
    # Each has the hash of the one before it in what is signed: one signature proves all.
    if last is not None and not last.is_genuine:
        raise _changed(path, last)
    return found


def _mark(seal: Seal, content: Statement) -> LateSeal | None:
    if content.why not in AFTER_REST:
        return None
    return LateSeal(seal.n, content.time, AT_REST.get(content.why, START))


def _content(path: Path, seal: Seal) -> Statement:
    try:
        content = seal.content
    except (ValueError, TypeError) as error:
        raise _changed(path, seal) from error
    if (content.n, content.records) != (seal.n, seal.after_n):
        raise _changed(path, seal)
    return content


def _changed(path: Path, seal: Seal) -> JournalDamaged:
    return JournalDamaged(path, f"seal {seal.n!a} is not as it was signed", RUN_VERIFY)
