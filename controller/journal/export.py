"""Writes events out: JSON lines, which are the bodies of the feed byte for byte, or a table for a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, TypeAlias

import msgspec

from controller.journal.records import COMMANDS, Record
from hal.plain_text import plain

Line: TypeAlias = Callable[[Record], bytes]

COLUMNS: Final = {
    "table": "the table; @commands for a command",
    "seq": "number among the table's events, without a gap",
    "time": "RFC 3339, UTC",
    "kind": "round.outcome, round.void, device.fault, command, …",
    "round": "number of the round, where it belongs to one",
    "result": "result of an outcome, or the one to which it was corrected, as JSON",
    "reason": "reason code of a void, unresolved or refused one",
    "call": "what the dealer says",
    "rule": "citation",
    "by": "who did it, or sent the command",
    "device": "device of a fault, warning or inspection",
    "detail": "fault, warning or order, and what was said of it",
    "revolutions": "measured of wheel or ball",
    "simulated": "yes or no",
    "epoch": "start of the service that wrote it",
    "id": "of the event or command",
    "hash": "of the chain, hexadecimal",
}
"""Of the spreadsheet: the name of each column, and what it holds."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def json_line(record: Record) -> bytes:
    """The body and a line end."""
    return record.body + b"\n"


def csv_line(record: Record) -> bytes:
    """A row for a spreadsheet."""
    return _csv(_cells(record))


def csv_heading() -> bytes:
    """The names of the columns."""
    return _csv(COLUMNS)


def _csv(cells: Iterable[str]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(cells)
    return text.getvalue().encode()


def _cells(record: Record) -> Iterator[str]:
    fields = _fields(record)
    evidence = fields.get("evidence")
    to = fields.get("to")
    stands = to if isinstance(to, dict) else {}
    parts = [fields.get(name) for name in ("fault", "warning", "command", "detail", "why")]
    values: dict[str, object] = {
        "table": record.chain,
        "seq": record.seq,
        "time": record.time,
        "kind": record.kind,
        "round": record.round,
        "result": _json(fields.get("result", stands.get("result"))),
        "reason": fields.get("reason", stands.get("reason")),
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
    }
    for name in COLUMNS:
        yield _cell(name, values[name])


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
