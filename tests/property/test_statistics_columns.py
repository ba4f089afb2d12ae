"""The columns of a row have what its event states, of any event of any type."""

from __future__ import annotations

from typing import Any

import duckdb
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from feed import events
from feed.events import Data, Event, encode, kind_of
from fleet.statistics.columns import COLUMNS, SELECT_ROWS, row_of, time_ns
from fleet.subjects import TableName
from tests.property.test_event_bodies import said

SAME: dict[type[Data], str] = {
    events.TableOpened: "rules software by previous_epoch",
    events.TableClosed: "by previous_epoch",
    events.NoMoreBets: "by rule call",
    events.RoundStarted: "direction",
    events.Outcome: "rule",
    events.Void: "reason rule call",
    events.Unresolved: "reason",
    events.RoundCorrected: "by confirmed",
    events.RoundDisputed: "by",
    events.Settled: "by",
    events.ProcedureViolation: "reason rule detail",
    events.DeviceFault: "device fault detail blocks_play before_restart",
    events.DeviceCleared: "device fault by",
    events.DeviceWarning: "device warning detail",
    events.DeviceCondition: "device",
    events.MachineEvent: "act tokens by detail",
    events.InspectionPassed: "device by",
    events.InspectionFailed: "device by",
    events.StackLoaded: "device by",
}
"""Columns that are fields of the same name."""
MEASURED = (
    *("direction", "revolutions", "revolutions_low", "revolutions_high", "rotor_rpm", "last_lap_s", "left_track_deg"),
    *("left_track_doubt_deg", "passes", "missed_passes", "off_center", "no_more_bets", "detail"),
    *("left_track_ns", "began_ns", "measured_by"),
)


def as_json(value: object) -> str | None:
    return None if value is None else msgspec.json.encode(value).decode()


def otherwise(data: Data) -> dict[str, object]:
    """Columns that are not."""
    match data:
        case events.TableOpened():
            stated = {"devices": as_json(data.devices), "statistics": as_json(data.statistics)}
            return {**stated, "previous_seq": data.previous_sequence}
        case events.TableClosed():
            statistics = as_json(data.statistics) if data.statistics else None
            return {"detail": data.reason, "statistics": statistics, "previous_seq": data.previous_sequence}
        case events.Outcome():
            return {"verdict": "outcome", "result": as_json(data.result), **measured(data.evidence)}
        case events.Void():
            return {"verdict": "void", **measured(data.evidence)}
        case events.Unresolved():
            return {"verdict": "unresolved", "rule": "ours", **measured(data.evidence)}
        case events.RoundCorrected():
            before = {"from_verdict": data.from_.verdict, "from_result": as_json(data.from_.result)}
            return {**before, **verdict(data.to), "detail": data.why}
        case events.RoundDisputed():
            return {**verdict(data.stands), "detail": data.why}
        case events.DeviceCondition():
            measured_wear = msgspec.structs.replace(data.history, counts=None)
            return {"wear": as_json(measured_wear) if measured_wear.spins or measured_wear.begun else None}
        case events.InspectionPassed():
            return {"detail": ", ".join(data.checks)}
        case events.InspectionFailed():
            return {"detail": ", ".join(data.checks) + (f": {data.detail}" if data.detail else "")}
        case events.Unknown():
            return {"data": bytes(data.raw).decode(), "known": False}
    return {}


def verdict(of: events.Verdict) -> dict[str, object]:
    return {"verdict": of.verdict, "result": as_json(of.result), "reason": of.reason}


def measured(evidence: events.Evidence) -> dict[str, object]:
    found: dict[str, object] = {name: getattr(evidence, name) for name in MEASURED}
    empty = events.Evidence(detail=evidence.detail, capture=evidence.capture)
    found["measured"] = evidence != empty
    counts = evidence.card_counts
    found["card_count"] = (sum(counts.values()) if counts else len(evidence.cards or ())) or None
    if evidence.tumbles:
        last = evidence.tumbles[-1]
        turns = last.shakes if last.inversions is None else last.inversions
        found |= {"moved_s": last.moved_s, "pulses": last.pulses, "turns": turns, "unevenness": last.unevenness}
    return found


def columns_of(event: Event) -> dict[str, object]:
    """Every column of an event: null where nothing is stated, or an empty text."""
    data = event.data
    found: dict[str, object] = dict.fromkeys(COLUMNS)
    known = not isinstance(data, events.Unknown)
    found |= {"venue": "hall", "simulated": data.simulated, "table": data.table, "game": data.game, "seq": event.seq}
    found |= {"epoch": event.epoch, "mono_ns": data.mono_ns, "type": kind_of(event.type) if known else event.type}
    found |= {"time": time_ns(event.time), "known": True, "round": getattr(data, "round", None)}
    found |= {name: getattr(data, name) for name in SAME.get(type(data), "").split()}
    found |= otherwise(data)
    return {name: None if value == "" else value for name, value in found.items()}


@pytest.fixture(scope="module")
def sql() -> duckdb.DuckDBPyConnection:
    return duckdb.connect()


@st.composite
def durable(draw: st.DrawFn) -> Event:
    """An event with a number, of a type that is known, or of one that is not."""
    event = draw(said().filter(lambda one: one.seq is not None))
    name = draw(st.sampled_from([event.type] * 4 + ["feltwire.round.outcome.v2", kind_of(event.type)]))
    return events.decode(encode(msgspec.structs.replace(event, type=name)))


@pytest.mark.long
@settings(max_examples=60, deadline=None)
@given(st.lists(durable(), max_size=20))
def test_the_columns_of_any_event_are_those_that_plain_python_finds(
    sql: duckdb.DuckDBPyConnection, tmp_path_factory: pytest.TempPathFactory, stated: list[Event]
) -> None:
    file = tmp_path_factory.getbasetemp() / "rows.jsonl"
    for simulated in (False, True):
        chosen = [event for event in stated if event.data.simulated is simulated]
        names = [TableName("hall", simulated, event.data.table) for event in chosen]
        file.write_bytes(
            b"".join(row_of(name, one, time_ns(one.time)) for name, one in zip(names, chosen, strict=True))
        )
        values: Any = {"files": [str(file)], "venue": "hall", "simulated": simulated}
        found = sql.execute(f"SELECT * REPLACE (epoch_ns(time) AS time) FROM ({SELECT_ROWS})", values).fetchall()
        assert [dict(zip(COLUMNS, row, strict=True)) for row in found] == [columns_of(event) for event in chosen]
