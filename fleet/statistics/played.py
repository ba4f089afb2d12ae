"""How rounds went at the tables of a fleet: misfires, pace, calls and settling, by the code of an evening's report.

    rows of one table, in order ──► events, as far as it looks at them ──► PlayedRounds

Of one table after another, so that memory is that of the longest history, and not of all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, tzinfo
from itertools import groupby
from typing import Any, Final, NamedTuple

import duckdb

from audit.misfires import Misfire, PaceLine, PlayedRounds, misfires
from feed.calls import CallLine, call_line
from feed.events import (
    Data,
    DeviceFault,
    Evidence,
    NoMoreBets,
    Outcome,
    ProcedureViolation,
    RoundOpened,
    RoundStarted,
    Settled,
    Unresolved,
    Void,
)

_KINDS: Final[Mapping[str, type[Data]]] = {
    kind.kind: kind
    for kind in (
        *(RoundOpened, NoMoreBets, RoundStarted, Outcome, Void, Unresolved, Settled),
        *(ProcedureViolation, DeviceFault),
    )
}
_NS: Final = 1_000_000_000
_PAGE: Final = 10_000
_EVENTS: Final = f"""
SELECT venue, "table", game, epoch, type, epoch_ns(time), mono_ns, round, coalesce("by", ''), coalesce(reason, ''),
  coalesce(device, ''), coalesce(fault, ''), no_more_bets, began_ns, left_track_ns, passes, measured_by,
  coalesce(measured, false), card_count
FROM chosen WHERE type IN {tuple(_KINDS)} AND known AND time IS NOT NULL AND mono_ns IS NOT NULL
  AND (round IS NOT NULL OR type = '{DeviceFault.kind}')
ORDER BY venue, "table", game, seq
"""


class _Row(NamedTuple):
    venue: str
    table: str
    game: str
    epoch: str
    type: str
    time_ns: int
    mono_ns: int
    round: int | None
    by: str
    reason: str
    device: str
    fault: str
    no_more_bets: str | None
    began_ns: int | None
    left_track_ns: int | None
    passes: int | None
    measured_by: str | None
    measured: bool
    card_count: int | None


class PlayedLine(NamedTuple):
    """A table with one game: its name in the report, and how many results in force it has."""

    name: str
    outcomes: int


class FleetRounds(NamedTuple):
    """How the rounds of all tables went."""

    misfires: list[Misfire]
    pace: list[PaceLine]
    calls: dict[str, CallLine]
    """By the name of the table, where anything was timed."""


def played(
    sql: duckdb.DuckDBPyConnection, lines: Mapping[tuple[str, str, str], PlayedLine], zone: tzinfo
) -> FleetRounds:
    """Of the tables that are given by venue, table and game. Hours are those of the day, in the zone."""
    pace: list[PaceLine] = []
    calls: dict[str, CallLine] = {}

    def tables() -> Iterator[list[Any]]:
        for key, rows in groupby(_rows(sql), lambda row: row[:3]):
            line = lines[key]
            of = _folded(rows)
            rounds = of.rounds(line.name)
            pace.append(of.pace_line(line.name, line.outcomes))
            timed = call_line(one.call for one in rounds)
            if timed is not None:
                calls[line.name] = timed
            yield rounds

    def hour(time_ns: int) -> str:
        return datetime.fromtimestamp(time_ns // _NS, UTC).astimezone(zone).strftime("%H:00")

    return FleetRounds(misfires(tables(), hour), pace, calls)


def _rows(sql: duckdb.DuckDBPyConnection) -> Iterator[_Row]:
    result = sql.execute(_EVENTS)
    while rows := result.fetchmany(_PAGE):
        yield from map(_Row._make, rows)


def _folded(rows: Iterable[_Row]) -> PlayedRounds:
    found = PlayedRounds()
    epoch = ""
    for row in rows:
        if row.epoch != epoch:
            epoch = row.epoch
            found.restarted()
        found.take(_data_of(row), row.time_ns)
    return found


def _data_of(row: _Row) -> Any:
    kind: Any = _KINDS[row.type]
    common: dict[str, Any] = {"table": row.table, "game": row.game, "simulated": False, "mono_ns": row.mono_ns}
    common["round"] = row.round
    if kind is DeviceFault:
        about: dict[str, Any] = {"device": row.device, "fault": row.fault, "detail": "", "blocks_play": False}
        return kind(**common, **about)
    if kind in (RoundOpened, RoundStarted):
        return kind(**common)
    if kind is NoMoreBets:
        return kind(**common, by=row.by, rule="")
    if kind is Settled:
        return kind(**common, by=row.by)
    if kind is ProcedureViolation:
        return kind(**common, reason=row.reason, rule="", detail="")
    common |= {"rule": "", "evidence": _evidence_of(row)}
    if kind is Outcome:
        return kind(**common, result={}, winning=[])
    if kind is Void:
        return kind(**common, call="", reason=row.reason)
    return kind(**common, reason=row.reason, candidates=[])


def _evidence_of(row: _Row) -> Evidence:
    return Evidence(
        no_more_bets=row.no_more_bets,
        began_ns=row.began_ns,
        left_track_ns=row.left_track_ns,
        passes=row.passes,
        measured_by=row.measured_by,
        card_counts=None if row.card_count is None else {"": row.card_count},
        # Something that no column has was measured.
        falls_ns=[] if row.measured else None,
    )
