"""One event as one row of typed columns: the schema of the Parquet files.

    event ──► row_of ──► {"venue": "hall", "table": "roulette-1", "seq": 17, "type": "round.outcome", ...}

A column is never renamed and never changes its type; new ones may come with a new version of the schema. What a type
of event does not state is null. An event of a type or version that is not known here is a row too: `known` is false,
and `data` holds what it states.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec

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
    RoundStarted,
    Settled,
    StackLoaded,
    TableClosed,
    TableOpened,
    Unknown,
    Unresolved,
    Void,
    kind_of,
)
from feed.shakes import shake_of
from fleet.subjects import TableName

SCHEMA: Final = 3
"""The version of the columns."""

Row: TypeAlias = dict[str, object]
"""The columns of one event that are not null."""


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
    "wear": Column(_TEXT, "of a device's condition: the history of its wear, as JSON"),
    "data": Column(_TEXT, "of an event that is not known: its data, as JSON"),
}
"""The schema of the files, in their order."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_MOST: Final = 2**63 - 1
_EARLIEST_NS: Final = -(2**63) + 1_000_000_000
_JSON: Final = msgspec.json.Encoder()


def row_of(table: TableName, event: Event | EventParts) -> Row:
    """The row of a durable event.

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
    known = not isinstance(data, Unknown)
    row: Row = {
        "venue": table.venue,
        "simulated": table.simulated,
        "table": table.table,
        "seq": seq,
        "epoch": event.epoch,
        "known": known,
    }
    if data.game:
        row["game"] = data.game
    if (time := time_ns(event.time)) is not None:
        row["time"] = time
    if -_MOST <= data.mono_ns <= _MOST:
        row["mono_ns"] = data.mono_ns
    if event.type:
        row["type"] = kind_of(event.type) if known else event.type
    number: int | None = getattr(data, "round", None)
    if number is not None and -_MOST <= number <= _MOST:
        row["round"] = number
    stated = _STATED.get(type(data))
    if stated is not None:
        for name, value in stated(data).items():
            if value is not None and value != "":
                row[name] = value
    return row


def time_ns(text: str) -> int | None:
    """Nanoseconds since 1970 in UTC; None where it is not a time, has no zone, or no column can hold it."""
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is None:
            return None
        found = (moment - _EPOCH) // _MICROSECOND * 1000
    except (ValueError, OverflowError):
        return None
    return found if _EARLIEST_NS <= found <= _MOST else None


def _whole(value: int | None) -> int | None:
    """None for a number that the column cannot hold: no counter comes so far."""
    return value if value is not None and -_MOST <= value <= _MOST else None


def _json(value: object) -> str | None:
    return None if value is None else _JSON.encode(value).decode()


def _measured(evidence: Evidence) -> Row:
    return {
        "direction": evidence.direction,
        "revolutions": evidence.revolutions,
        "revolutions_low": evidence.revolutions_low,
        "revolutions_high": evidence.revolutions_high,
        "rotor_rpm": evidence.rotor_rpm,
        "last_lap_s": evidence.last_lap_s,
        "left_track_deg": evidence.left_track_deg,
        "left_track_doubt_deg": evidence.left_track_doubt_deg,
        "passes": _whole(evidence.passes),
        "missed_passes": _whole(evidence.missed_passes),
        "off_center": evidence.off_center,
        **_shaken(evidence),
        "no_more_bets": evidence.no_more_bets,
        "detail": evidence.detail,
    }


def _shaken(evidence: Evidence) -> Row:
    if not evidence.tumbles:
        return {}
    one = shake_of(evidence.tumbles[-1])
    return one._replace(pulses=_whole(one.pulses), turns=_whole(one.turns))._asdict()


def _opened(data: TableOpened) -> Row:
    return {
        "rules": data.rules,
        "software": data.software,
        "devices": _json(data.devices),
        "statistics": _json(data.statistics),
        "by": data.by,
        "previous_epoch": data.previous_epoch,
        "previous_seq": _whole(data.previous_sequence),
    }


def _closed(data: TableClosed) -> Row:
    return {
        "detail": data.reason,
        "by": data.by,
        "statistics": _json(data.statistics) if data.statistics else None,
        "previous_epoch": data.previous_epoch,
        "previous_seq": _whole(data.previous_sequence),
    }


def _outcome(data: Outcome) -> Row:
    return {"verdict": "outcome", "result": _json(data.result), "rule": data.rule, **_measured(data.evidence)}


def _void(data: Void) -> Row:
    measured = _measured(data.evidence)
    return {"verdict": "void", "reason": data.reason, "rule": data.rule, "call": data.call, **measured}


def _unresolved(data: Unresolved) -> Row:
    # Events of older versions name the unproven rule: it refuses nothing, so the refusal is ours always.
    return {"verdict": "unresolved", "reason": data.reason, "rule": "ours", **_measured(data.evidence)}


def _corrected(data: RoundCorrected) -> Row:
    return {
        "verdict": data.to.verdict,
        "result": _json(data.to.result),
        "reason": data.to.reason,
        "from_verdict": data.from_.verdict,
        "from_result": _json(data.from_.result),
        "confirmed": data.confirmed,
        "by": data.by,
        "detail": data.why,
    }


def _fault(data: DeviceFault) -> Row:
    return {
        "device": data.device,
        "fault": data.fault,
        "detail": data.detail,
        "blocks_play": data.blocks_play,
        "before_restart": data.before_restart,
    }


def _machine(data: MachineEvent) -> Row:
    return {"act": data.act, "tokens": _whole(data.tokens), "by": data.by, "detail": data.detail}


def _inspected(data: InspectionPassed | InspectionFailed) -> Row:
    checks = ", ".join(data.checks)
    detail = f"{checks}: {data.detail}" if isinstance(data, InspectionFailed) and data.detail else checks
    return {"device": data.device, "by": data.by, "detail": detail}


_STATED: Final[dict[type[Data], Callable[[Any], Row]]] = {
    TableOpened: _opened,
    TableClosed: _closed,
    NoMoreBets: lambda data: {"by": data.by, "rule": data.rule, "call": data.call},
    RoundStarted: lambda data: {"direction": data.direction},
    Outcome: _outcome,
    Void: _void,
    Unresolved: _unresolved,
    RoundCorrected: _corrected,
    RoundDisputed: lambda data: {
        "verdict": data.stands.verdict,
        "result": _json(data.stands.result),
        "reason": data.stands.reason,
        "by": data.by,
        "detail": data.why,
    },
    Settled: lambda data: {"by": data.by},
    ProcedureViolation: lambda data: {"reason": data.reason, "rule": data.rule, "detail": data.detail},
    DeviceFault: _fault,
    DeviceCleared: lambda data: {"device": data.device, "fault": data.fault, "by": data.by},
    DeviceWarning: lambda data: {"device": data.device, "warning": data.warning, "detail": data.detail},
    DeviceCondition: lambda data: {"device": data.device, "wear": _json(data.history)},
    MachineEvent: _machine,
    InspectionPassed: _inspected,
    InspectionFailed: _inspected,
    StackLoaded: lambda data: {"device": data.device, "by": data.by},
    Unknown: lambda data: {"data": bytes(data.raw).decode()},
}
"""What each type of event states beyond what all have."""


def sql_columns(names: Iterable[str] = COLUMNS) -> str:
    """The columns as a struct of SQL, in which a time is still a number of nanoseconds."""
    types = {name: _WHOLE if COLUMNS[name].type == TIME else COLUMNS[name].type for name in names}
    return "{" + ", ".join(f"'{name}': '{kind}'" for name, kind in types.items()) + "}"
