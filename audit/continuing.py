"""Whether archives and the journal, oldest first, go on from each other: their chains, and the state of each table."""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from audit.base import BaseRow, read_base
from audit.errors import JournalDamaged
from audit.findings import AuditReport
from audit.reading import reading
from audit.records import COMMANDS
from audit.table_state import state_of
from feed.state import RoundRecord, Snapshot, decode_snapshot, encode_snapshot


def breaks_between(reports: Sequence[AuditReport]) -> list[str]:
    """Where files that were verified, oldest first, do not go on from each other, a sentence each.

    Raises:
        JournalError: a file cannot be read any more.
    """
    return [wrong for before, after in itertools.pairwise(reports) for wrong in _breaks(before, after)]


def _breaks(before: AuditReport, after: AuditReport) -> Iterator[str]:
    wrong = False
    for chain in sorted(before.heads.keys() | after.archived.keys()):
        ended, begins = before.heads.get(chain), after.archived.get(chain)
        if ended is not None and begins is None and chain not in after.heads and ended.seq == 0:
            continue
        if ended is None or begins is None or (ended.seq, ended.hash) != (begins.seq, begins.hash):
            end = "nothing" if ended is None else f"record {ended.seq} ({ended.hash[:16]}…)"
            then = "the beginning" if begins is None else f"record {begins.seq} ({begins.hash[:16]}…)"
            wrong = True
            yield f"{chain}: {before.path} ends with {end}, and {after.path} goes on after {then}"
    if not wrong and before.ok and after.archived:
        yield from _other_states(Path(before.path), Path(after.path))


def _other_states(archive: Path, path: Path) -> Iterator[str]:
    """Tables that were elsewhere at the end of an archive than the file after it states."""
    with reading(path, "reading where its history begins") as connection:
        base = [row for row in read_base(connection) if row.chain != COMMANDS and row.state]
    with reading(archive, "reading the state of each table at its end") as connection:
        for row in base:
            wrong = _other_state(connection, archive, row)
            if wrong:
                yield f"{row.chain}: the state of the table after record {row.seq}, by {path} and by {archive}: {wrong}"


def _other_state(connection: sqlite3.Connection, archive: Path, row: BaseRow) -> str:
    try:
        stated = row.snapshot()
        # As it was written: what is longer than an answer of the feed is shortened.
        proven = decode_snapshot(encode_snapshot(state_of(connection, row.chain, archive).snapshot()))
    except (ValueError, JournalDamaged) as error:
        return str(error)
    return "" if stated is None else other_values(stated, proven)


def other_values(stated: Snapshot, proven: Snapshot) -> str:
    """What a stated snapshot has otherwise than the one that is proven, in words; empty where they are the same."""
    if stated.progressive is None:
        # An older Feltwire wrote none. It follows from `course` and `rounds`, which are compared.
        proven = msgspec.structs.replace(proven, progressive=None)
    if stated.rounds == [_without_epochs(record) for record in stated.rounds]:
        # Nor did it write these. They follow from the events, whose numbers are compared.
        proven = msgspec.structs.replace(proven, rounds=[_without_epochs(record) for record in proven.rounds])
    if not stated.wear_game:
        # An older Feltwire wrote neither, and looked less far back for the wear of a wheel.
        wear = None if stated.wear is None else proven.wear
        proven = msgspec.structs.replace(proven, wear=wear, wear_game="", wear_before={})
    others = [name for name in Snapshot.__struct_fields__ if getattr(stated, name) != getattr(proven, name)]
    return "; ".join(f"{name} is {_shown(stated, name)}, proven is {_shown(proven, name)}" for name in others)


def _without_epochs(record: RoundRecord) -> RoundRecord:
    corrections = [msgspec.structs.replace(one, epoch="") for one in record.corrections]
    return msgspec.structs.replace(record, epoch="", corrections=corrections)


def _shown(snapshot: Snapshot, name: str) -> str:
    text = msgspec.json.encode(getattr(snapshot, name)).decode()
    return text if len(text) <= 120 else f"{text[:117]}..."
