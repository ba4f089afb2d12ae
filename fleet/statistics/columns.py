"""One event as one row of typed columns: the schema of the Parquet files.

    event ──► row_of ──► {"seq":17,"type":"round.outcome","data":{...},"stated":{...},...} ──► SELECT_ROWS ──► columns

Python encodes what was decoded and checked, as it is; DuckDB takes it apart, many rows at once.

A column is never renamed and never changes its type; new ones may come with a new version of the schema. What a type
of event does not state is null. An event of a type or version that is not known here is a row too: `known` is false,
and `data` holds what it states.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple

import msgspec

from feed.calls import is_measured
from feed.data import USUAL_CALL
from feed.events import (
    Data,
    DeviceCleared,
    DeviceCondition,
    DeviceFault,
    DeviceWarning,
    Event,
    EventParts,
    Evidence,
    InspectionFailed,
    InspectionPassed,
    MachineEvent,
    NoMoreBets,
    Outcome,
    ProcedureViolation,
    RoundCorrected,
    RoundDisputed,
    RoundOpened,
    RoundStarted,
    Settled,
    StackLoaded,
    TableClosed,
    TableOpened,
    Unknown,
    Unresolved,
    Void,
)
from feed.pace import cards_of
from feed.shakes import shake_of
from fleet.subjects import TableName

SCHEMA: Final = 4
"""The version of the columns."""


class Column(NamedTuple):
    """A column of the files."""

    type: str
    """As DuckDB names it."""
    meaning: str


_TEXT: Final = "VARCHAR"
_WHOLE: Final = "BIGINT"
_NUMBER: Final = "DOUBLE"
_FLAG: Final = "BOOLEAN"
TIME: Final = "TIMESTAMP_NS"

COLUMNS: Final[Mapping[str, Column]] = {
    "venue": Column(_TEXT, "the venue, as in the subject"),
    "simulated": Column(_FLAG, "of a simulated table; such a row is in a file of its own"),
    "table": Column(_TEXT, "the table's id"),
    "game": Column(_TEXT, "what is played"),
    "seq": Column(_WHOLE, "number among the table's events, without a gap"),
    "epoch": Column(_TEXT, "the start of the service that wrote it"),
    "time": Column(TIME, "wall time, UTC; null where the event's own cannot be read"),
    "mono_ns": Column(_WHOLE, "the clock that times the edges, in nanoseconds; comparable within one epoch"),
    "type": Column(_TEXT, "`round.outcome`, `device.fault`, …; the whole `type` of one that is not known"),
    "known": Column(_FLAG, "whether this version knows the type; otherwise only `data` holds what it states"),
    "round": Column(_WHOLE, "number of the round, where it belongs to one"),
    "verdict": Column(_TEXT, "`outcome`, `void` or `unresolved`, as it is after this event"),
    "result": Column(_TEXT, "the result in force after it, as JSON"),
    "reason": Column(_TEXT, "reason code of a void, an unresolved one, a violation"),
    "rule": Column(_TEXT, "the rule that is applied; `ours` where no rule is"),
    "call": Column(_TEXT, "what the dealer calls"),
    "from_verdict": Column(_TEXT, "of a correction: the verdict until then"),
    "from_result": Column(_TEXT, "of a correction: the result until then, as JSON"),
    "confirmed": Column(_FLAG, "of a correction: the dealer named the result of an unresolved round"),
    "device": Column(_TEXT, "device of a fault, warning, inspection or stack"),
    "fault": Column(_TEXT, "fault code, of a fault and of its clearing"),
    "warning": Column(_TEXT, "warning code"),
    "blocks_play": Column(_FLAG, "of a fault: the table is shut until it is cleared"),
    "before_restart": Column(_FLAG, "of a fault: it was latched before, and is published again"),
    "act": Column(_TEXT, "of a machine: what happened"),
    "tokens": Column(_WHOLE, "of a machine: how many tokens it concerns"),
    "by": Column(_TEXT, "who did it"),
    "detail": Column(_TEXT, "in words, what was seen, measured or stated"),
    "rules": Column(_TEXT, "of an opening: the profile of rules"),
    "software": Column(_TEXT, "of an opening: name and version of the controller"),
    "devices": Column(_TEXT, "of an opening: the devices with driver, identity and firmware, as JSON"),
    "statistics": Column(_TEXT, "of an opening: the fields of results, with every value that can come, as JSON"),
    "previous_epoch": Column(_TEXT, "in the first event of an epoch: the one before"),
    "previous_seq": Column(_WHOLE, "... and its last number"),
    "direction": Column(_TEXT, "of wheel or ball"),
    "revolutions": Column(_NUMBER, "measured, of wheel or ball"),
    "revolutions_low": Column(_NUMBER, "proven"),
    "revolutions_high": Column(_NUMBER, "possible"),
    "rotor_rpm": Column(_NUMBER, "speed of the rotor, revolutions a minute"),
    "last_lap_s": Column(_NUMBER, "of the ball, seconds"),
    "left_track_ns": Column(_WHOLE, "when the ball was known to have left the track, on the clock of `mono_ns`"),
    "left_track_deg": Column(_NUMBER, "where the ball left the track, an angle on the bowl"),
    "left_track_doubt_deg": Column(_NUMBER, "how far from there, either way, it may have"),
    "passes": Column(_WHOLE, "of the ball at track sensors"),
    "missed_passes": Column(_WHOLE, "track sensors that it passed without a pulse"),
    "off_center": Column(_NUMBER, "distance from the middle of the pocket or space, in pockets or spaces"),
    "moved_s": Column(_NUMBER, "of dice, in the last tumble of the round: how long they moved, seconds"),
    "pulses": Column(_WHOLE, "... pulses of its shake sensor, or breaks of the beams of a chute"),
    "turns": Column(_WHOLE, "... inversions or shakes"),
    "unevenness": Column(_NUMBER, "... of the intervals between them: standard deviation over mean"),
    "no_more_bets": Column(_TEXT, "`in_time`, `late` or `never`"),
    "began_ns": Column(_WHOLE, "when play began that was before the call, on the clock of `mono_ns`"),
    "measured_by": Column(_TEXT, "`wheel`, where the device measures the run itself"),
    "measured": Column(_FLAG, "of a verdict: whether its evidence has anything measured"),
    "card_count": Column(_WHOLE, "of a verdict: cards that were dealt"),
    "wear": Column(_TEXT, "of a device's condition: the history of its wear, as JSON; null where it has none"),
    "data": Column(_TEXT, "of an event that is not known: its data, as JSON"),
}
"""The schema of the files, in their order."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_MOST: Final = 2**63 - 1
_EARLIEST_NS: Final = -(2**63) + 1_000_000_000
_moment_of: Final = datetime.fromisoformat
_encode: Final = msgspec.json.Encoder().encode


class _Common(msgspec.Struct, frozen=True, gc=False):
    """What the data of every event has."""

    table: str
    game: str
    mono_ns: int
    round: int | None


class _Stated(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """Columns that an event's data states otherwise than in a field of their name."""

    known: bool | None = None
    verdict: str | None = None
    result: str | None = None
    reason: str | None = None
    rule: str | None = None
    from_verdict: str | None = None
    from_result: str | None = None
    confirmed: bool | None = None
    device: str | None = None
    by: str | None = None
    detail: str | None = None
    rules: str | None = None
    software: str | None = None
    devices: str | None = None
    statistics: str | None = None
    previous_epoch: str | None = None
    previous_seq: int | None = None
    moved_s: float | None = None
    pulses: int | None = None
    turns: int | None = None
    unevenness: float | None = None
    measured: bool | None = None
    card_count: int | None = None
    wear: str | None = None
    data: str | None = None


class _Row(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """What is encoded of an event."""

    seq: int
    time: int | None
    epoch: str
    type: str
    data: Data | _Common
    """All of it where its fields are columns by their names."""
    stated: _Stated | None = None


def row_of(table: TableName, event: Event | EventParts, time: int | None) -> bytes:
    """The row of a durable event, one line of JSON for `SELECT_ROWS`; `time` is that of `time_ns`.

    Raises:
        ValueError: the event is not durable, or is of another table.
    """
    data = event.data
    seq = event.seq
    if seq is None:
        raise ValueError("it is not durable")
    if data.table != table.table or data.simulated != table.simulated:
        kind = "a simulated" if data.simulated else "a real"
        raise ValueError(f'it is of {kind} table "{data.table}", and was published as one of {table}')
    if seq > _MOST:
        raise ValueError(f"its number is {seq}, and the files hold numbers up to {_MOST}")
    kind_of_data = type(data)
    stated = _STATED.get(kind_of_data)
    if kind_of_data in _BY_NAME:
        shown: Data | _Common = data
    else:
        shown = _Common(data.table, data.game, data.mono_ns, getattr(data, "round", None))
    name = event.type if isinstance(data, Unknown) else kind_of_data.kind
    return _encode(_Row(seq, time, event.epoch, name, shown, None if stated is None else stated(data))) + b"\n"


def time_ns(text: str) -> int | None:
    """Nanoseconds since 1970 in UTC; None where it is not a time, has no zone, or no column can hold it."""
    try:
        found = (_moment_of(text) - _EPOCH) // _MICROSECOND * 1000
    except (ValueError, TypeError, OverflowError):
        # A TypeError: it has no zone.
        return None
    return found if _EARLIEST_NS <= found <= _MOST else None


def _json(value: object) -> str | None:
    return None if value is None else _encode(value).decode()


def _evidence(evidence: Evidence) -> Mapping[str, Any]:
    """What of evidence is in columns of other names."""
    shaken = shake_of(evidence.tumbles[-1])._asdict() if evidence.tumbles else {}
    return {"measured": is_measured(evidence), "card_count": cards_of(evidence) or None, **shaken}


def _opened(data: TableOpened) -> _Stated:
    return _Stated(
        rules=data.rules,
        software=data.software,
        devices=_json(data.devices),
        statistics=_json(data.statistics),
        by=data.by,
        previous_epoch=data.previous_epoch,
        previous_seq=data.previous_sequence,
    )


def _closed(data: TableClosed) -> _Stated:
    return _Stated(
        detail=data.reason,
        by=data.by,
        statistics=_json(data.statistics) if data.statistics else None,
        previous_epoch=data.previous_epoch,
        previous_seq=data.previous_sequence,
    )


def _worn(data: DeviceCondition) -> _Stated:
    history = msgspec.structs.replace(data.history, counts=None)
    return _Stated(device=data.device, wear=_json(history) if history.spins or history.begun else None)


def _corrected(data: RoundCorrected) -> _Stated:
    return _Stated(
        verdict=data.to.verdict,
        result=_json(data.to.result),
        reason=data.to.reason,
        from_verdict=data.from_.verdict,
        from_result=_json(data.from_.result),
        confirmed=data.confirmed,
        by=data.by,
        detail=data.why,
    )


def _disputed(data: RoundDisputed) -> _Stated:
    stands = data.stands
    result = _json(stands.result)
    return _Stated(verdict=stands.verdict, result=result, reason=stands.reason, by=data.by, detail=data.why)


def _inspected(data: InspectionPassed | InspectionFailed) -> _Stated:
    checks = ", ".join(data.checks)
    detail = f"{checks}: {data.detail}" if isinstance(data, InspectionFailed) and data.detail else checks
    return _Stated(device=data.device, by=data.by, detail=detail)


_BY_NAME: Final[frozenset[type[Data]]] = frozenset(
    {
        RoundOpened,
        NoMoreBets,
        RoundStarted,
        Outcome,
        Void,
        Unresolved,
        Settled,
        ProcedureViolation,
        DeviceFault,
        DeviceCleared,
        DeviceWarning,
        MachineEvent,
        StackLoaded,
    }
)
"""Types whose fields are columns by their names, as those of their evidence are."""

_STATED: Final[dict[type[Data], Callable[[Any], _Stated]]] = {
    TableOpened: _opened,
    TableClosed: _closed,
    Outcome: lambda data: _Stated(verdict="outcome", result=_json(data.result), **_evidence(data.evidence)),
    Void: lambda data: _Stated(verdict="void", **_evidence(data.evidence)),
    # Events of older versions name the unproven rule: it refuses nothing, so the refusal is ours always.
    Unresolved: lambda data: _Stated(verdict="unresolved", rule="ours", **_evidence(data.evidence)),
    RoundCorrected: _corrected,
    RoundDisputed: _disputed,
    DeviceCondition: _worn,
    InspectionPassed: _inspected,
    InspectionFailed: _inspected,
    Unknown: lambda data: _Stated(known=False, data=bytes(data.raw).decode()),
}
"""What each type of event states otherwise: it comes before what has a column's name."""


def _usual(kind: type[Data], value: str) -> str:
    return f"CASE WHEN type = '{kind.kind}' AND stated.known IS NULL THEN {value} END"


def _fields(*kinds: type[msgspec.Struct]) -> list[str]:
    """The columns that are fields of these, in the order of the columns."""
    names = {field.encode_name for kind in kinds for field in msgspec.structs.fields(kind)}
    return [name for name in COLUMNS if name in names]


_USUAL: Final = {"call": _usual(NoMoreBets, f"'{USUAL_CALL}'"), "before_restart": _usual(DeviceFault, "false")}
"""What a field of this type has where its data leaves it out."""
_FIELDS: Final = {"stated": _fields(_Stated), "data": _fields(_Common, *_BY_NAME), "data.evidence": _fields(Evidence)}
"""The columns in each part of a row; the first part that has one comes first."""
_ALWAYS: Final = {
    "venue": "$venue",
    "simulated": "$simulated",
    "seq": "seq",
    "epoch": "epoch",
    "time": "make_timestamp_ns(time)",
    "type": "type",
    "known": "coalesce(stated.known, true)",
}
"""Columns that every event has, as expressions of SQL."""


def _value_of(name: str) -> str:
    """A column of a row, as an expression of SQL."""
    stated = [f'{part}."{name}"' for part, names in _FIELDS.items() if name in names]
    value = _ALWAYS.get(name, f"coalesce({', '.join([*stated, *([_USUAL[name]] if name in _USUAL else [])])})")
    kind = COLUMNS[name].type
    if kind == _TEXT:
        return f"nullif({value}, '')"
    return f"try_cast({value} AS {_WHOLE})" if kind == _WHOLE else value


def _type_of(part: str, *more: str) -> str:
    """A part of a row, as a type of SQL. Whole numbers are text in it: there may be one that no column holds."""
    types = {name: COLUMNS[name].type for name in _FIELDS[part]}
    members = [f'"{name}" {_TEXT if kind == _WHOLE else kind}' for name, kind in types.items()]
    return f"STRUCT({', '.join([*members, *more])})"


_PARTS: Final = {
    "seq": _WHOLE,
    "time": _WHOLE,
    "epoch": _TEXT,
    "type": _TEXT,
    "data": _type_of("data", f"evidence {_type_of('data.evidence')}"),
    "stated": _type_of("stated"),
}
_VALUES: Final = ", ".join(f'{_value_of(name)} AS "{name}"' for name in COLUMNS)
_LIMITS: Final = "maximum_object_size = 67108864"
"""A row is at most as long as an event, several times over."""
SELECT_ROWS: Final = (
    f"SELECT {_VALUES} FROM read_json($files, format = 'newline_delimited', columns = {_PARTS}, {_LIMITS})"
)
"""The columns of files of rows; `$venue` and `$simulated` are those of all of their tables."""
