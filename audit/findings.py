"""What the verification of a journal found: which records are not as they were written, and how that is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum

import msgspec

from audit.records import Head


class FindingKind(StrEnum):
    """What is wrong with records, seals, or the file."""

    CHANGED = "changed"
    COLUMNS = "columns changed"
    MISSING = "missing"
    INSERTED = "inserted"
    REWRITTEN = "rewritten"
    OTHER_KEY = "sealed with another key"
    OPENING = "wrong opening"
    BASE = "archived base changed"
    LAYOUT = "layout changed"
    DAMAGED = "damaged"


class AuditFinding(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing that is wrong: the records of a chain that it concerns, and in words what was found and expected."""

    kind: FindingKind
    detail: str
    chain: str = ""
    """Empty where it concerns no chain but the file or its seals."""
    first: int | None = None
    """`seq` of the first record concerned, as it was when it was written; of a seal, its number."""
    last: int | None = None
    since: int | None = None
    """The first of the records before `first` that may be changed too, as no seal or head vouches for them."""
    columns: Sequence[str] = ()
    """Those that disagree, where it is of that kind."""
    rows: tuple[int, int] | None = None
    """`n` of the first and the last row, where no chain can be named."""
    order: int = 0
    """The position of the first bad record among all records of the file; 0 for the file itself."""

    @property
    def place(self) -> str:
        """The records concerned, in words: `wheel-1 records 3 to 5`."""
        if self.rows is not None:
            return _span("row", *self.rows)
        if self.first is None:
            return self.chain or "the file"
        owner = f"{self.chain} record" if self.chain else "seal"
        return _span(owner, self.first, self.first if self.last is None else self.last)

    def __str__(self) -> str:
        before = ""
        if self.since is not None and self.first is not None:
            before = f"; nothing vouches for {_span('record', self.since, self.first - 1)} before it"
        return f"{self.place}: {self.kind}: {self.detail}{before}"


def _span(what: str, first: int, last: int) -> str:
    return f"{what} {first}" if first == last else f"{what}s {first} to {last}"


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


class AuditReport(msgspec.Struct, frozen=True, kw_only=True):
    """The result of the verification of one file."""

    path: str
    chains: Sequence[ChainSummary]
    seals: int
    public_keys: Sequence[str]
    """With which the seals were checked, hexadecimal."""
    keys_given: bool
    """Whether they came from outside. One taken from the file proves only that the seals are of one hand."""
    findings: Sequence[AuditFinding]
    notes: Sequence[str]
    archived: Mapping[str, Head]
    """By chain: the last record that was moved into an archive, where one was."""
    heads: Mapping[str, Head]
    """By chain: the last record."""
    unproven: int = 0
    """Records of which no seal shows that they were not changed or put in: those that a start found without a seal
    after a crash, and the last ones, which have none yet."""
    end_is_proven: bool
    """Whether something shows what is cut off at the end: the witness, a kept head of the seals, or that it is an
    archive, whose end is sealed as one."""

    @property
    def ok(self) -> bool:
        """Whether nothing was found."""
        return not self.findings

    @property
    def first(self) -> AuditFinding | None:
        """The finding that concerns the record written first."""
        return self.findings[0] if self.findings else None

    @property
    def records(self) -> int:
        """How many records the file holds."""
        return sum(chain.records for chain in self.chains)
