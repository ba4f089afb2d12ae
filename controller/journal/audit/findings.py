"""What the verification of a journal found: what was done to it, to which records, and how that is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum

import msgspec

from controller.journal.records import Head


class Kind(StrEnum):
    """What was done to a journal."""

    BODY = "body edited"
    HASH = "hash edited"
    BODY_AND_HASH = "body and hash edited together"
    COLUMNS = "columns changed"
    REMOVED = "removed"
    INSERTED = "inserted"
    MOVED = "moved"
    SWAPPED = "swapped"
    CUT = "cut off at the end"
    REWRITTEN = "rewritten"
    SEAL_EDITED = "seal edited"
    SEAL_REMOVED = "seal removed"
    SEAL_FOREIGN = "sealed with another key"
    BASE = "archived base changed"
    LAYOUT = "layout changed"
    DAMAGED = "damaged"


class Alternative(msgspec.Struct, frozen=True):
    """What else would leave the same traces."""

    kind: Kind
    first: int
    last: int


class Finding(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing that is wrong: the records of a chain that it concerns, and in words what was seen and expected."""

    kind: Kind
    detail: str
    chain: str = ""
    """Empty where it concerns no chain but the file or its seals."""
    first: int | None = None
    """`seq` of the first record concerned, as it was when it was written; of a seal, its number."""
    last: int | None = None
    alternatives: Sequence[Alternative] = ()
    columns: Sequence[str] = ()
    """Those that disagree, where it is of that kind."""
    rows: tuple[int, int] | None = None
    """`n` of the first and the last row, where no chain can be named."""
    order: int = 0
    """Where the first bad record stands among all records of the file; 0 for the file itself."""

    @property
    def place(self) -> str:
        """The records concerned, in words: `wheel-1 records 3 to 5`."""
        if self.rows is not None:
            return f"row {self.rows[0]}" if self.rows[0] == self.rows[1] else f"rows {self.rows[0]} to {self.rows[1]}"
        if self.first is None:
            return self.chain or "the file"
        owner = f"{self.chain} record" if self.chain else "seal"
        if self.last is None or self.last == self.first:
            return f"{owner} {self.first}"
        return f"{owner}s {self.first} to {self.last}"

    def reaching(self, last: int) -> Finding:
        """The same of more records."""
        return msgspec.structs.replace(self, last=last)

    def __str__(self) -> str:
        others = "".join(f"; or {other.kind}: {_span(other)}" for other in self.alternatives)
        return f"{self.place}: {self.kind}: {self.detail}{others}"


def _span(other: Alternative) -> str:
    return f"record {other.first}" if other.first == other.last else f"records {other.first} to {other.last}"


class ChainSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A chain as the file holds it."""

    chain: str
    first: int
    """`seq` of the first record here; older ones are archived."""
    last: int
    records: int
    head: str
    """Hash of the last record, hexadecimal."""
    epoch: str
    """Of the last record."""
    sealed: int
    """`seq` up to which a seal vouches for it; what comes after can be changed without a trace."""


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What a verification says of one file."""

    path: str
    chains: Sequence[ChainSummary]
    seals: int
    public_keys: Sequence[str]
    """With which the seals were checked, hexadecimal."""
    keys_given: bool
    """Whether they came from outside. One taken from the file proves only that the seals are of one hand."""
    findings: Sequence[Finding]
    notes: Sequence[str]
    archived: Mapping[str, Head]
    """By chain: the last record that was moved into an archive, where one was."""
    heads: Mapping[str, Head]
    """By chain: the last record."""

    @property
    def ok(self) -> bool:
        """Whether nothing was found."""
        return not self.findings

    @property
    def first(self) -> Finding | None:
        """The finding that concerns the record written first."""
        return self.findings[0] if self.findings else None

    @property
    def records(self) -> int:
        """How many records the file holds."""
        return sum(chain.records for chain in self.chains)
