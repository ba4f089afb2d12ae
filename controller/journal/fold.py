"""Where a table stands, folded from its records in the journal: as many of them as it takes, not the whole history."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import msgspec

from controller.journal.errors import VERIFY, JournalDamaged
from controller.journal.schema import OPENING_TERM, STATE_TERM
from feed.events import EventError, decode
from feed.state import RECENT_ROUNDS, Snapshot, TableState

ROUNDS_BACK = RECENT_ROUNDS + 1
"""The last rounds with a verdict, and the one that may have none."""

_ELEVENTH = f"SELECT seq FROM record WHERE chain = ? AND {OPENING_TERM} ORDER BY seq DESC LIMIT 1 OFFSET ?"
_STANDING = f"SELECT body FROM record WHERE chain = ? AND seq < ? AND {STATE_TERM} ORDER BY seq"
_BASE = "SELECT state FROM base WHERE chain = ?"
_SINCE = "SELECT body FROM record WHERE chain = ? AND seq >= ? ORDER BY seq"


def state_of(connection: sqlite3.Connection, chain: str, path: Path) -> TableState:
    """The state of a table after its last record.

    What faults, inspections, opening and closing said is read from the beginning on; all else from eleven rounds back.
    Where older history was archived, the beginning is where the table stood then.

    Raises:
        JournalDamaged: a record cannot be read.
        sqlite3.Error: the file cannot be read.
    """
    eleventh = connection.execute(_ELEVENTH, (chain, ROUNDS_BACK - 1)).fetchone()
    since = eleventh[0] if eleventh else 0
    state = _begin(connection, chain, path)
    for query in (_STANDING, _SINCE):
        for (body,) in connection.execute(query, (chain, since)):
            try:
                state.apply(decode(body))
            except (EventError, ValueError) as error:
                raise JournalDamaged(path, f"a record of {chain} after seq {state.last}: {error}", VERIFY) from error
    return state


def _begin(connection: sqlite3.Connection, chain: str, path: Path) -> TableState:
    row = connection.execute(_BASE, (chain,)).fetchone()
    if row is None or not row[0]:
        return TableState(chain)
    try:
        return TableState.from_snapshot(msgspec.json.decode(row[0], type=Snapshot))
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        what = f"where {chain} stood when its older history was archived cannot be read: {error}"
        raise JournalDamaged(path, what, VERIFY) from error
