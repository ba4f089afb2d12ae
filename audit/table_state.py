"""The state of a table as its records in a journal's file give it, and the last record of a chain."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from operator import itemgetter
from pathlib import Path

from audit.errors import VERIFY, JournalDamaged
from audit.records import Head, nothing
from audit.schema import CORRECTED, OPENING_TERM, OUTCOME, STATE_TERM, VERDICT_TERM
from feed.events import Data, DeviceCondition, EventError, RoundCorrected, TableClosed, TableOpened, decode
from feed.state import RECENT_ROUNDS, TableState, decode_snapshot
from feed.statistics import MOST_HISTORY

_LAST = "SELECT seq, epoch, hash FROM record WHERE chain = ? ORDER BY seq DESC LIMIT 1"
_BASE = "SELECT seq, epoch, hash FROM base WHERE chain = ?"


def head_of(connection: sqlite3.Connection, chain: str) -> Head:
    """The last record of a chain, or where it was archived.

    Raises:
        sqlite3.Error: the file cannot be read.
    """
    head = _head_at(connection, _LAST, chain)
    return head if head.seq else archived_head(connection, chain)


def archived_head(connection: sqlite3.Connection, chain: str) -> Head:
    """The record of a chain after which the history in this file begins.

    Raises:
        sqlite3.Error: the file cannot be read.
    """
    return _head_at(connection, _BASE, chain)


def _head_at(connection: sqlite3.Connection, query: str, chain: str) -> Head:
    row: tuple[int, str, bytes] | None = connection.execute(query, (chain,)).fetchone()
    return nothing(chain) if row is None else Head(row[0], row[1], row[2].hex())


# --- the state of a table ---------------------------------------------------------------------------------------------

ROUNDS_BACK = RECENT_ROUNDS + 1
"""The last rounds with a verdict, and the one that may have none."""

CONDITION_BACK = 10_000
"""Records of a game in which the last wear of its wheel is looked for (ours): it is published after 72 spins, of some
ten records each, and at each end of a service."""

_ELEVENTH = f"SELECT seq FROM record WHERE chain = ? AND {OPENING_TERM} ORDER BY seq DESC LIMIT 1 OFFSET ?"
_STANDING = f"SELECT body FROM record WHERE chain = ? AND seq < ? AND {STATE_TERM} ORDER BY seq"
_COUNTED = f"""
    SELECT body FROM record WHERE chain = ? AND seq >= ? AND seq < ? AND ({STATE_TERM} OR {VERDICT_TERM}) ORDER BY seq
"""
_SINCE = "SELECT body FROM record WHERE chain = ? AND seq >= ? ORDER BY seq"
_BASE_STATE = "SELECT state FROM base WHERE chain = ?"
_POSTED = f"""
    SELECT seq, body FROM record WHERE chain = ? AND {STATE_TERM} AND kind IN ('table.opened', 'table.closed')
    ORDER BY seq DESC
"""
_CONDITION = f"""
    SELECT seq, body FROM record WHERE chain = ? AND seq < ? AND seq >= ? AND kind = '{DeviceCondition.kind}'
    ORDER BY seq DESC LIMIT 1
"""
_VERDICTS = f"""
    SELECT seq, kind, round, CASE kind WHEN '{CORRECTED}' THEN body END FROM record
    WHERE chain = ? AND {VERDICT_TERM} ORDER BY seq DESC
"""


def state_of(connection: sqlite3.Connection, chain: str, path: Path) -> TableState:
    """The state of a table after its last record.

    Folded from as few records as it takes: faults, inspections, opening and closing from the beginning on, verdicts and
    corrections as far back as the statistics count, all else from eleven rounds back. Where older history was archived,
    the beginning is the state of the table then.

    Raises:
        JournalDamaged: a record cannot be read.
        sqlite3.Error: the file cannot be read.
    """
    state = _begin(connection, chain, path)
    eleventh = connection.execute(_ELEVENTH, (chain, ROUNDS_BACK - 1)).fetchone()
    since = eleventh[0] if eleventh else 0
    state.history.kept_at_least = _history_length(connection, chain, path, state)
    earlier = min(since, _first_counted(connection, chain, state.history.kept_at_least, path))
    for condition in _conditions(connection, chain, path, state, since):
        state.put_wear(condition)
    for query, numbers in ((_STANDING, (earlier,)), (_COUNTED, (earlier, since)), (_SINCE, (since,))):
        for (body,) in connection.execute(query, (chain, *numbers)):
            try:
                state.apply(decode(body))
            except (EventError, ValueError) as error:
                raise JournalDamaged(path, f"a record of {chain} after seq {state.last}: {error}", VERIFY) from error
    return state


def _conditions(
    connection: sqlite3.Connection, chain: str, path: Path, base: TableState, before: int
) -> list[DeviceCondition]:
    """The last wear of each game's wheel before a record, as published, the last one last."""
    found: dict[str, tuple[int, DeviceCondition]] = {}
    left: dict[str, int] = {}
    """By game: how many of its records are still looked at."""
    for game, begin, end in _played(connection, chain, path, base, before):
        back = min(end - begin, left.setdefault(game, CONDITION_BACK))
        left[game] -= back
        if game in found or not back:
            continue
        for seq, body in connection.execute(_CONDITION, (chain, end, end - back)):
            data = _data_of(body, chain, path)
            if isinstance(data, DeviceCondition):
                found[game] = seq, data
    return [data for _, data in sorted(found.values(), key=itemgetter(0))]


def _played(
    connection: sqlite3.Connection, chain: str, path: Path, base: TableState, before: int
) -> Iterator[tuple[str, int, int]]:
    """Which game was played from which record until before which other one, the last first."""
    game, begin, end = "", before, before
    for seq, body in [*connection.execute(_POSTED, (chain,)), (0, b"")]:
        if seq >= before:
            continue
        played = _data_of(body, chain, path).game if seq else base.game or game
        if game and played != game:
            yield game, begin, end
            end = begin
        game, begin = played, seq
    yield game, begin, end


def _history_length(connection: sqlite3.Connection, chain: str, path: Path, base: TableState) -> int:
    """Over how many outcomes the table's statistics count, as it published last."""
    for _, body in connection.execute(_POSTED, (chain,)):
        data = _data_of(body, chain, path)
        if isinstance(data, TableOpened | TableClosed) and data.history is not None:
            return min(data.history, MOST_HISTORY)
    return base.history.limit


def _first_counted(connection: sqlite3.Connection, chain: str, length: int, path: Path) -> int:
    """The record from which on the last `length` outcomes have their verdicts, and as many more as can be corrected
    away; 0 where all records are needed."""
    corrected: dict[int, bool] = {}
    """By round, whether its last correction gave it an outcome."""
    count = 0
    for seq, kind, number, body in connection.execute(_VERDICTS, (chain,)):
        if kind == CORRECTED:
            if number not in corrected:
                corrected[number] = _gives_outcome(body, chain, path)
        else:
            count += corrected.pop(number, kind == OUTCOME)
            if count >= length + RECENT_ROUNDS:
                return int(seq)
    return 0


def _gives_outcome(body: bytes, chain: str, path: Path) -> bool:
    data = _data_of(body, chain, path)
    return isinstance(data, RoundCorrected) and data.to.verdict == "outcome"


def _data_of(body: bytes, chain: str, path: Path) -> Data:
    try:
        return decode(body).data
    except EventError as error:
        raise JournalDamaged(path, f"a record of {chain}: {error}", VERIFY) from error


def _begin(connection: sqlite3.Connection, chain: str, path: Path) -> TableState:
    row = connection.execute(_BASE_STATE, (chain,)).fetchone()
    if row is None or not row[0]:
        return TableState(chain)
    try:
        return TableState.from_snapshot(decode_snapshot(row[0]))
    except ValueError as error:
        what = f"the state of {chain} when its older history was archived cannot be read: {error}"
        raise JournalDamaged(path, what, VERIFY) from error
