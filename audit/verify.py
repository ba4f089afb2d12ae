"""Verifies a journal: whether it is as it was written, and which is the first record that is not.

Nothing in the file is trusted but what a signature, the heads file beside it or a head from outside vouches for:

    pages and tables ─► seals ─► base (what was archived) ─► each chain, record by record ─► rows of no chain
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from audit.base import read_base
from audit.chain import MOST_ROWS, ChainCheck, RecordTable, Vouch
from audit.errors import UNREADABLE, VERIFY, JournalDamaged, journal_error
from audit.findings import AuditFinding, AuditReport, ChainSummary, FindingKind
from audit.openings import Openings
from audit.reading import reading
from audit.records import Head, genesis
from audit.schema import has_tables, layout_faults
from audit.sealed import (
    CheckedSeals,
    UnsealedTail,
    base_notes,
    check_base,
    check_seals,
    head_of,
    reach_of,
)
from audit.seals import SEAL_EVERY, SEALS
from audit.witness import Noted, State, read_witness, witness_path

Progress: TypeAlias = Callable[[int, int], None]
"""Records verified so far, and how many there are."""
Step: TypeAlias = Callable[[str], None]
"""The next step, in words."""
REPORT_EVERY: Final = 500
"""Records between two calls of `Progress`."""
_HEADER: Final = 100
"""Bytes of the header of an SQLite file."""
_MOST_PROBLEMS: Final = 20
"""Problems of pages that are reported, at most."""


class KnownHead(NamedTuple):
    """A head that was kept outside of the journal, from a heartbeat of the feed."""

    chain: str
    seq: int
    hash: bytes

    @classmethod
    def parse(cls, text: str) -> KnownHead:
        """Reads `TABLE:SEQ:HASH`.

        Raises:
            ValueError: it is something else; the message states what was expected.
        """
        chain, _, rest = text.partition(":")
        seq, _, digest = rest.partition(":")
        is_number = seq.isascii() and seq.isdigit() and 0 < len(seq) < 19
        if not chain or not is_number or len(digest) != 64 or set(digest.lower()) - set("0123456789abcdef"):
            raise ValueError(
                f"{text!r} is not a head; expected TABLE:SEQ:HASH as a heartbeat has it (its table, last and head), "
                "the hash with 64 hexadecimal digits"
            )
        return cls(chain, int(seq), bytes.fromhex(digest))


def verify(
    path: Path,
    *,
    heads: Sequence[KnownHead] = (),
    keys: Collection[bytes] = (),
    progress: Progress | None = None,
    step: Step | None = None,
) -> AuditReport:
    """Verifies the journal at `path`, also while the service writes it.

    `heads` were kept outside; `keys` are the public keys that seals may be of, by default the one in the file.

    Raises:
        JournalError: the file cannot be used: it is not there, is not a journal, is newer, locked or cannot be read.
    """
    # Before the file: while the service writes, the witness is behind what is read after it, and never ahead.
    try:
        noted = read_witness(path)
    except OSError as error:
        raise journal_error(path, error, "reading the heads file beside it") from error
    try:
        with reading(path, "verifying it") as connection:
            verification = _Verification(path, connection, noted, heads, keys, progress, step)
            verification.run()
            return verification.report()
    except JournalDamaged as error:
        if error.fix != VERIFY:
            raise
        # No page can be read, as of a file that is cut off.
        return _unreadable(path, error, keys_given=bool(keys))


def _unreadable(path: Path, error: JournalDamaged, *, keys_given: bool) -> AuditReport:
    detail = f"{_cut_off(path)}{error.__cause__}: nothing of it can be read"
    return AuditReport(
        path=str(path),
        chains=[],
        seals=0,
        public_keys=[],
        keys_given=keys_given,
        findings=[AuditFinding(kind=FindingKind.DAMAGED, detail=detail, order=-1)],
        notes=[],
        archived={},
        heads={},
        end_is_proven=False,
    )


def _cut_off(path: Path) -> str:
    """That a file is shorter than its header has it (SQLite's file format, 1.3); empty where it is not."""
    try:
        with path.open("rb") as file:
            header = file.read(_HEADER)
        size = path.stat().st_size
    except OSError as error:
        raise journal_error(path, error, "looking at it") from error
    page_size = int.from_bytes(header[16:18], "big")
    whole = (65536 if page_size == 1 else page_size) * int.from_bytes(header[28:32], "big")
    return f"it is cut off, and has {size:,} of {whole:,} bytes: " if size < whole else ""


class _Verification:
    def __init__(
        self,
        path: Path,
        connection: sqlite3.Connection,
        noted: Noted,
        kept: Sequence[KnownHead],
        keys: Collection[bytes],
        progress: Progress | None,
        step: Step | None,
    ) -> None:
        self.path = path
        self.connection = connection
        self.witness = noted.state
        self.end_is_kept = any(one.chain == SEALS for one in kept)
        self.witnesses = [*_noted(noted.heads), *_kept(kept)]
        """Which hash a record of a chain must have, by witnesses outside of the file."""
        self.keys = keys
        self.progress = progress
        self.step = step or (lambda what: None)
        self.findings: list[AuditFinding] = []
        self.notes: list[str] = []
        self.unproven = 0
        self.chains: list[ChainSummary] = []
        self.archived: dict[str, Head] = {}
        self.sealed = CheckedSeals(
            [], {}, {}, (), 0, 0, "", [], "", closed=False, base=None, base_by="", adopted="", unwitnessed=[]
        )
        self.done = self.total = 0

    def run(self) -> None:
        try:
            self.step("the pages of the file")
            whole = self._pages()
            self.findings += (
                AuditFinding(kind=FindingKind.LAYOUT, detail=fault) for fault in layout_faults(self.connection)
            )
            if has_tables(self.connection):
                self.step("every record")
                self._history(RecordTable(self.connection, indexed=whole))
        except UNREADABLE as error:
            self._damaged(str(error))

    def report(self) -> AuditReport:
        self.findings.sort(key=lambda finding: finding.order)
        return AuditReport(
            path=str(self.path),
            chains=self.chains,
            seals=self.sealed.seals,
            public_keys=[key.hex() for key in self.sealed.keys],
            keys_given=bool(self.keys),
            findings=self.findings,
            notes=self.notes,
            unproven=self.unproven,
            archived=self.archived,
            heads={one.chain: Head(one.last, "", one.head) for one in self.chains},
            end_is_proven=self.witness is State.GOOD or self.end_is_kept or self.sealed.closed,
        )

    # --- the steps -----------------------------------------------------------------------------------------------

    def _pages(self) -> bool:
        """Whether SQLite finds its pages, tables and indexes whole."""
        problems: list[str] = []
        try:
            for (problem,) in self.connection.execute(f"PRAGMA integrity_check({_MOST_PROBLEMS})"):
                problems += str(problem).splitlines()
        except UNREADABLE as error:
            problems.append(str(error))
        if problems == ["ok"]:
            return True
        shown = [problem for problem in problems if not problem.startswith("***")] or problems
        self._damaged("; ".join(shown[:3]) + (f"; and {len(shown) - 3} more" if len(shown) > 3 else ""))
        return False

    def _history(self, records: RecordTable) -> None:
        base = read_base(self.connection)
        self.archived = {str(row.chain): head_of(row) for row in base}
        first_n = reach_of(base)
        self.total = records.count()
        of_seals = [vouch for owner, vouch in self.witnesses if owner == SEALS]
        self.sealed = check_seals(self.connection, self.keys, [first_n], of_seals)
        self.findings += self.sealed.findings
        self.findings += check_base(base, self.sealed)
        self.notes += base_notes(base, self.sealed)
        self._unwitnessed()
        starts = {chain: (head.seq, bytes.fromhex(head.hash)) for chain, head in self.archived.items()}
        there = records.chains()
        named = {chain for chain, _ in self.witnesses if chain != SEALS} | self.sealed.vouches.keys() | starts.keys()
        others = {one for one in there if isinstance(one, str)} - named
        for chain in [*sorted(named), *sorted(others)]:
            vouches = dict(self.sealed.vouches.get(chain, {}))
            for owner, vouch in self.witnesses:
                if owner == chain:
                    vouches[vouch.seq] = [*vouches.get(vouch.seq, ()), vouch]
            start = starts.get(chain, (0, genesis(chain)))
            self._chain(chain, start, vouches, records)
        self._rest(records, first_n)

    def _unwitnessed(self) -> None:
        """Witnesses that are not there: each journal has one from its first start on; copies and archives have none."""
        for start, found in self.sealed.unwitnessed:
            self.notes.append(
                f"{start}, found the heads file {found}: whether records and seals before it had been cut off, "
                "no witness shows"
            )
        if self.sealed.seals and not self.sealed.closed and self.witness is not State.GOOD:
            self.notes.append(
                f"the heads file {witness_path(self.path).name} is {self.witness}: each journal has one (a copy has "
                "none), and without it records and seals cut off at the end show only by a head that was kept (--head)"
            )

    def _chain(
        self, chain: str, start: tuple[int, bytes], vouches: dict[int, list[Vouch]], records: RecordTable
    ) -> None:
        seq, digest = start
        self._at_start(chain, seq, digest, vouches)
        check = ChainCheck(chain, seq, digest, vouches)
        openings = Openings(chain, whole=seq == 0)
        epoch = ""
        try:
            for row in check.follow(records.of(chain)):
                self.done += 1
                self.findings += openings.take(row)
                epoch = str(row.epoch)
                if self.progress is not None and (self.done % REPORT_EVERY == 0 or self.done == self.total):
                    self.progress(self.done, self.total)
        except UNREADABLE as error:
            self._damaged(f"{chain} cannot be read after record {check.last}: {error}", chain, check.last + 1)
        self.findings += check.findings
        self.chains.append(
            ChainSummary(
                chain=chain,
                first=seq + 1,
                last=check.last,
                records=check.records,
                head=check.head.hex(),
                epoch=epoch,
                sealed=check.sealed,
            )
        )

    def _at_start(self, chain: str, seq: int, digest: bytes, vouches: dict[int, list[Vouch]]) -> None:
        for vouch in vouches.get(seq, ()):
            if vouch.hash != digest and vouch.after_n is None:
                ended, named = digest.hex()[:16], vouch.hash.hex()[:16]
                detail = f"its archived history ended with {ended}…, and {vouch.by} names {named}…"
                self.findings.append(
                    AuditFinding(kind=FindingKind.REWRITTEN, chain=chain, first=1, last=seq, detail=detail)
                )
        if any(vouch.seq < seq and vouch.after_n is None for given in vouches.values() for vouch in given):
            self.notes.append(f"{chain}: a head before record {seq + 1} is in an archive; verify that with it")

    def _rest(self, records: RecordTable, first_n: int) -> None:
        """Rows that belong to nothing, and seals that are not there."""
        if self.done < self.total and not any(one.kind is FindingKind.DAMAGED for one in self.findings):
            detail = f"{self.total - self.done} rows belong to no chain that can be named"
            self.findings.append(AuditFinding(kind=FindingKind.INSERTED, detail=detail))
        self._row_gaps(records, first_n)
        self._tails(records)
        covered = max(self.sealed.covered, first_n)
        loose = records.count_after(covered)
        if self.sealed.seals == 0 and self.total:
            self._unsealed("it has records and no seal, and each start of the service writes one", covered + 1)
        elif loose > 0 and self.sealed.stopped:
            self._after_stop(records, UnsealedTail(covered + 1, MOST_ROWS, "", self.sealed.stopped))
        elif loose > 2 * SEAL_EVERY:
            detail = f"{loose} records after the last good seal, and one is written every {SEAL_EVERY}"
            self._unsealed(detail, covered + 1)
        elif loose > 0:
            last = f"the last seal is of {self.sealed.last_time}" if self.sealed.last_time else "there is no good seal"
            self.unproven += loose
            records_are, it = ("record is", "it") if loose == 1 else (f"{loose} records are", "them")
            named = ", ".join(f"{chain} {span}" for chain, span, *_ in records.spans(covered + 1, MOST_ROWS))
            self.notes.append(
                f"the last {records_are} not sealed yet ({named}): until the next seal, whoever can write the file can "
                f"change {it} unnoticed; {last}"
            )
        if self.archived:
            self.notes.append("older history was archived: verify the archives with it, oldest first, this file last")

    def _tails(self, records: RecordTable) -> None:
        """What was without a seal when a start sealed it."""
        for tail in self.sealed.tails:
            if tail.stopped:
                self._after_stop(records, tail)
                continue
            count = tail.last_n - tail.first_n + 1
            self.unproven += count
            spans = records.spans(tail.first_n, tail.last_n)
            named = ", ".join(f"{chain} {span}" for chain, span, *_ in spans) or "archived by now"
            self.notes.append(
                f"after a crash {count} record{' was' if count == 1 else 's were'} found without a seal ({named}): "
                f"no seal proves them before {tail.start}"
            )

    def _after_stop(self, records: RecordTable, tail: UnsealedTail) -> None:
        """Records after the seal of an orderly end: the service writes none there."""
        then = f"; {tail.start}, sealed it afterwards" if tail.start else ""
        for chain, _, first, last, n in records.spans(tail.first_n, tail.last_n):
            detail = f"it is after {tail.stopped}, and only the seal of a start may follow that{then}"
            self.findings.append(
                AuditFinding(kind=FindingKind.INSERTED, chain=chain, first=first, last=last, detail=detail, order=n)
            )

    def _row_gaps(self, records: RecordTable, first_n: int) -> None:
        """`n` counts over all chains: a gap shows a removed end of a chain that no witness knows of."""
        explained = {FindingKind.MISSING, FindingKind.INSERTED, FindingKind.DAMAGED, FindingKind.BASE}
        if any(finding.kind in explained or "n" in finding.columns for finding in self.findings):
            return
        stray = records.rows_before(first_n)
        if stray:
            named = " and ".join(str(n) for n in stray)
            detail = f"the rows of this file begin at {first_n + 1}, and there is n {named}: n was changed"
            self.findings.append(AuditFinding(kind=FindingKind.COLUMNS, detail=detail, columns=["n"]))
        for first, last in records.row_gaps(first_n):
            rows = f"row {first} is" if first == last else f"rows {first} to {last} are"
            detail = f"{rows} missing, and no chain has a gap: they were the last of their chain, or n was changed"
            self.findings.append(AuditFinding(kind=FindingKind.MISSING, rows=(first, last), detail=detail, order=first))

    def _unsealed(self, detail: str, order: int) -> None:
        first = self.sealed.seals + 1
        self.findings.append(
            AuditFinding(kind=FindingKind.MISSING, first=first, last=first, detail=detail, order=order)
        )

    def _damaged(self, detail: str, chain: str = "", seq: int | None = None) -> None:
        found = AuditFinding(kind=FindingKind.DAMAGED, chain=chain, first=seq, last=seq, detail=detail, order=-1)
        if found not in self.findings:
            self.findings.append(found)


def _noted(noted: Mapping[str, Head]) -> Iterator[tuple[str, Vouch]]:
    for chain, head in noted.items():
        if head.seq:
            yield chain, Vouch(head.seq, bytes.fromhex(head.hash), "the heads file")


def _kept(heads: Iterable[KnownHead]) -> Iterator[tuple[str, Vouch]]:
    for known in heads:
        yield known.chain, Vouch(known.seq, known.hash, "the head that was given", is_kept=True)
