"""Writes events out: JSON lines, which are the bodies of the feed byte for byte, or a table for a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, TypeAlias

import msgspec

from audit.records import COMMANDS, Record
from hal.plain_text import plain

Line: TypeAlias = Callable[[Record], bytes]
Causes: TypeAlias = Mapping[str, str]
"""The commands by the events that they caused: `roulette-1.9f3c.17` to the command's id in the journal."""

COLUMNS: Final = {
    "table": "the table; @commands for a command",
    "seq": "number among the table's events, without a gap",
    "time": "RFC 3339, UTC",
    "kind": "round.outcome, round.void, device.fault, command, …",
    "round": "number of the round, where it belongs to one",
    "result": "result of an outcome, or the one to which it was corrected, as JSON",
    "reason": "reason code of a void, unresolved or refused one",
    "call": "what the dealer calls",
    "rule": "citation",
    "by": "who did it, or sent the command",
    "device": "device of a fault, warning or inspection",
    "detail": "fault, warning or order, and its description",
    "revolutions": "measured of wheel or ball",
    "simulated": "yes or no",
    "epoch": "start of the service that wrote it",
    "id": "of the event or command",
    "hash": "of the chain, hexadecimal",
    "sender": "whose key or console sent a command, and in which role",
    "said": "in words, what was measured, seen or stated, or why a command was refused",
    "capture": "file of the capture of the lines, and its SHA-256",
    "command": "id of the command that caused the event, in @commands; of a command, the events that it caused",
}
"""Of the spreadsheet: the name of each column, and what it holds."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def json_line(record: Record) -> bytes:
    """The body and a line end."""
    return record.body + b"\n"


def csv_lines(causes: Causes) -> Line:
    """Makes rows for a spreadsheet; `causes` are the commands of the journal, by their events."""
    return lambda record: _csv(_cells(record, causes))


def caused_by(record: Record) -> Iterator[tuple[str, str]]:
    """The events that a record of a command names, each with the command's id."""
    events = _fields(record).get("events")
    for event in events if isinstance(events, list) else ():
        if isinstance(event, str):
            yield event, record.id


def csv_heading() -> bytes:
    """The names of the columns."""
    return _csv(COLUMNS)


def _csv(cells: Iterable[str]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(cells)
    return text.getvalue().encode()


def _cells(record: Record, causes: Causes) -> Iterator[str]:
    fields = _fields(record)
    evidence = fields.get("evidence")
    to = fields.get("to")
    in_force = to if isinstance(to, dict) else {}
    parts = [fields.get(name) for name in ("fault", "warning", "command", "detail", "why")]
    values: dict[str, object] = {
        "table": record.chain,
        "seq": record.seq,
        "time": record.time,
        "kind": record.kind,
        "round": record.round,
        "result": _json(fields.get("result", in_force.get("result"))),
        "reason": fields.get("reason", in_force.get("reason")),
        "call": fields.get("call"),
        "rule": fields.get("rule"),
        "by": fields.get("by", fields.get("sender")),
        "device": fields.get("device"),
        "detail": ": ".join(str(one) for one in parts if one),
        "revolutions": evidence.get("revolutions") if isinstance(evidence, dict) else None,
        "simulated": "" if record.chain == COMMANDS else "yes" if fields.get("simulated") else "no",
        "epoch": record.epoch,
        "id": record.id,
        "hash": record.hash.hex(),
        "sender": _sender(fields),
        "said": _description(fields, evidence),
        "capture": _capture(fields, evidence),
        "command": _link(record, causes),
    }
    for name in COLUMNS:
        yield _cell(name, values[name])


def _sender(fields: Mapping[str, Any]) -> str | None:
    sender, role = fields.get("sender"), fields.get("role")
    if not isinstance(sender, str):
        return None
    return f"{sender} ({role})" if isinstance(role, str) else sender


def _description(fields: Mapping[str, Any], evidence: object) -> str | None:
    inner = evidence.get("detail") if isinstance(evidence, dict) else None
    parts = (
        fields.get("detail"),
        inner,
        fields.get("why"),
        None if fields.get("accepted", True) else fields.get("reason"),
    )
    return "; ".join(str(one) for one in parts if one) or None


def _capture(fields: Mapping[str, Any], evidence: object) -> str | None:
    capture = fields.get("capture", evidence.get("capture") if isinstance(evidence, dict) else None)
    return f"{capture.get('file')} {capture.get('sha256')}" if isinstance(capture, dict) else None


def _link(record: Record, causes: Causes) -> str | None:
    if record.chain != COMMANDS:
        return causes.get(record.id)
    return " ".join(one for one, _ in caused_by(record)) or None


def _cell(name: str, value: object) -> str:
    if value is None:
        return ""
    text = plain(value if isinstance(value, str) else str(value))
    # A spreadsheet takes a text that begins so for a formula; what people typed must not be run.
    return f"'{text}" if text.startswith(_FORMULA) and text != COMMANDS and isinstance(value, str) else text


def _json(value: object) -> str:
    return "" if value is None else msgspec.json.encode(value).decode()


def _fields(record: Record) -> dict[str, Any]:
    """The content of the body: the data of an event, or a command; nothing where it cannot be read."""
    try:
        body = msgspec.json.decode(record.body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return {}
    fields = body if record.chain == COMMANDS else body.get("data") if isinstance(body, dict) else None
    return fields if isinstance(fields, dict) else {}
