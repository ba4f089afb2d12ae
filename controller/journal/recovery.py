"""Reads a journal when the service starts: verifies it, then folds the state of each table."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from audit.errors import PUT_BACK, UNREADABLE, VERIFY, JournalDamaged, JournalError, journal_error
from audit.records import COMMANDS, Head, nothing
from audit.schema import layout_faults
from audit.seals import ARCHIVE, CLOSED, FIRST, SEAL_COLUMNS, SEALS, STOP, Seal, trusted_seal
from audit.table_state import state_of
from audit.witness import HistoryLost, State, read_witness
from controller.journal.walk import Walk, walk
from feed.state import TableState

Progress: TypeAlias = Callable[[int, int], None]
"""Records read so far, and how many there are."""

READ_AT_LEAST = 5000
"""Records that each start reads, however many there are (ours): the last rounds of every table are among them."""
REPORT_EVERY = 5000
"""Records between two calls of `Progress`."""
OPCODES: Final = 1_000_000
"""Instructions of SQLite between two calls of `Progress` while it checks the pages (ours): some 17,000 records."""


class RecoveredTable(NamedTuple):
    """A table as the journal left it."""

    head: Head
    state: TableState
    lost: HistoryLost | None = None
    """What was durable and is not there any more."""


class RecoveredJournal(NamedTuple):
    """All that the start of a service needs from its journal."""

    records: int
    """How many were ever written, over all chains."""
    heads: Mapping[str, Head]
    tables: Mapping[str, RecoveredTable]
    lost: Mapping[str, HistoryLost]
    """By chain, also of the commands: what the witness noted and the journal does not hold."""
    witnessed: Mapping[str, Head]
    """What the witness last noted of each chain."""
    witness: State
    """What was in the place of the witness."""
    base: str
    """The digest of where the history of the file begins."""
    last_time: str
    """The latest of all records and seals, which need not be of the last one; empty in a new journal."""
    unsealed: int
    """Records after the last seal: nobody vouches for them before the seal of this start."""
    last_seal: Seal | None
    trusted: Seal | None
    """The seal after which the journal was read: what it states was not read again. None where all was read."""
    clean: bool
    """The service before stopped in order: its seal is the last thing written. True of a new journal."""

    @property
    def unwitnessed(self) -> State | None:
        """What was in the place of the witness that every journal has, where it was no good one."""
        return None if self.last_seal is None or self.witness is State.GOOD else self.witness


def recover(
    connection: sqlite3.Connection,
    path: Path,
    progress: Progress | None = None,
    *,
    public_key: bytes | None = None,
    read_at_least: int = READ_AT_LEAST,
) -> RecoveredJournal:
    """Reads a journal from end to end; or, where a seal of `public_key` is before its last `read_at_least` records,
    what follows that seal: a service with this key had verified what the seal states, or written it itself.

    Raises:
        JournalDamaged: it is not as it was written; the message states where it first differs.
        JournalError: it cannot be read.
    """
    try:
        _check_layout(connection, path)
        (last_n,) = connection.execute("SELECT coalesce(max(n), 0) FROM record").fetchone()
        trusted = None if public_key is None else trusted_seal(connection, public_key, last_n - read_at_least)
        walked = Walk(connection) if trusted is None else Walk.after(connection, trusted)
        # Records are numbered without a gap; to count them would read the whole file.
        total = max(0, last_n - walked.n)
        if progress is not None and total:
            progress(0, total)
        if trusted is None:
            with nullcontext() if progress is None else _reporting(connection, partial(progress, 0, total)):
                _check_pages(connection, path)
        _walk_all(connection, path, walked, total, progress)
        heads = walked.heads
        witnessed, witness = read_witness(path)
        lost = _lost(connection, heads, witnessed)
        lost_seals = _lost_seals(connection, walked.last_seal, witnessed)
        if lost_seals is not None:
            lost[SEALS] = lost_seals
        names = {chain for chain in (*heads, *lost) if chain not in (COMMANDS, SEALS)}
        tables = {
            name: RecoveredTable(heads.get(name, nothing(name)), state_of(connection, name, path), lost.get(name))
            for name in sorted(names)
        }
        in_order = _ended_in_order(connection, walked)
    except (*UNREADABLE, OSError) as error:
        raise journal_error(path, error, "reading it from end to end") from error
    seal = walked.last_seal
    if seal is not None and seal.content.why == CLOSED:
        raise JournalError(path, "it is an archive, whose end is sealed as one", PUT_BACK)
    return RecoveredJournal(
        records=walked.n,
        heads=heads,
        tables=tables,
        lost=lost,
        witnessed=witnessed,
        witness=witness,
        base=walked.base,
        last_time=walked.newest,
        unsealed=walked.n - (seal.after_n if seal is not None else 0),
        last_seal=seal,
        trusted=trusted,
        clean=walked.n == 0 or in_order,
    )


def _ended_in_order(connection: sqlite3.Connection, walked: Walk) -> bool:
    """Whether the service before stopped in order; history may have been archived since."""
    for row in connection.execute(f"SELECT {SEAL_COLUMNS} FROM seal ORDER BY n DESC"):
        seal = Seal(*row)
        if seal.after_n != walked.n or seal.content.why != ARCHIVE:
            return seal.after_n == walked.n and seal.content.why == STOP
    return False


def _lost_seals(connection: sqlite3.Connection, last: Seal | None, witnessed: Mapping[str, Head]) -> HistoryLost | None:
    """Seals that were there once, and are not, or are others: lost by the disk, or taken out by somebody."""
    seen = witnessed.get(SEALS)
    if seen is None or seen.seq == 0:
        return None
    held = Head(0, "", FIRST) if last is None else Head(last.n, "", last.hash.hex())
    if seen.seq < held.seq:
        row = connection.execute("SELECT n, hash FROM seal WHERE n = ?", (seen.seq,)).fetchone()
        held = held if row is None else Head(row[0], "", row[1].hex())
    return None if held == seen else HistoryLost(SEALS, seen, held)


def _check_layout(connection: sqlite3.Connection, path: Path) -> None:
    """Tables with their constraints, and nothing beside them: a trigger would be run by who writes."""
    wrong = next(layout_faults(connection), None)
    if wrong is not None:
        raise JournalDamaged(path, f"its layout was changed: {wrong}", VERIFY)


def _check_pages(connection: sqlite3.Connection, path: Path) -> None:
    """The tree of pages, the types of all values, and that each index has what its table has."""
    problems = [str(row[0]) for row in connection.execute("PRAGMA integrity_check(3)")]
    if problems != ["ok"]:
        raise JournalDamaged(path, f"its pages are damaged: {'; '.join(problems)}", VERIFY)


@contextmanager
def _reporting(connection: sqlite3.Connection, progress: Callable[[], None]) -> Iterator[None]:
    """Calls `progress` while a statement runs; what that raises, also if it is called again, ends the statement."""

    def report() -> bool:
        progress()
        return False

    connection.set_progress_handler(report, OPCODES)
    try:
        yield
    except sqlite3.OperationalError:
        # SQLite's Python module raises this one in place of what `progress` raised.
        progress()
        raise
    finally:
        connection.set_progress_handler(None, 0)


def _walk_all(connection: sqlite3.Connection, path: Path, walked: Walk, total: int, progress: Progress | None) -> None:
    for count, fault in enumerate(walk(connection, walked), start=1):
        if fault is not None:
            raise JournalDamaged(path, f"{fault.where} is not as it was written: {fault.what}", VERIFY)
        if progress is not None and (count % REPORT_EVERY == 0 or count == total):
            progress(count, total)


def _lost(
    connection: sqlite3.Connection, heads: Mapping[str, Head], witnessed: Mapping[str, Head]
) -> dict[str, HistoryLost]:
    lost: dict[str, HistoryLost] = {}
    for chain, seen in witnessed.items():
        if chain == SEALS:
            continue
        held = heads.get(chain, nothing(chain))
        if seen.seq < held.seq:
            row = connection.execute(
                "SELECT seq, epoch, hash FROM record WHERE chain = ? AND seq = ?", (chain, seen.seq)
            ).fetchone()
            if row is None:
                # Archived, or noted before the first record.
                continue
            held = Head(row[0], row[1], row[2].hex())
        if held != seen:
            lost[chain] = HistoryLost(chain, seen, held)
    return lost
