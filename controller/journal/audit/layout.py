"""The tables of a journal's file as they are, held against what they must be.

A table that was made anew without its constraints, a trigger, or a view in place of a table could show one history
to this program and another to the next.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator

from controller.journal.audit.findings import Finding, Kind
from controller.journal.schema import TABLES

_NEEDED = ("record", "seal", "base")


def check_layout(connection: sqlite3.Connection) -> Iterator[Finding]:
    """What is not as a new journal has it.

    Raises:
        sqlite3.Error: the file cannot be read.
    """
    right = {_name(statement): statement for statement in TABLES}
    there = {
        str(name): (str(kind), "" if sql is None else str(sql))
        for kind, name, sql in connection.execute("SELECT type, name, sql FROM sqlite_schema")
    }
    for name, statement in right.items():
        if name not in there:
            yield _wrong(f"the {_kind(statement)} {name} is missing")
        elif _plain(there[name][1]) != _plain(statement):
            yield _wrong(f"the {_kind(statement)} {name} was made otherwise: {there[name][1] or there[name][0]}")
    for name, (kind, sql) in there.items():
        if name not in right and sql:
            yield _wrong(f"there is a {kind} {name} that no journal has")


def is_readable(connection: sqlite3.Connection) -> bool:
    """Whether the tables are there at all, as tables."""
    kinds = dict(connection.execute("SELECT name, type FROM sqlite_schema"))
    return all(kinds.get(name) == "table" for name in _NEEDED)


def _wrong(detail: str) -> Finding:
    return Finding(kind=Kind.LAYOUT, detail=detail)


def _kind(statement: str) -> str:
    return statement.split()[1].lower()


def _name(statement: str) -> str:
    return statement.split()[2]


def _plain(sql: str) -> str:
    return re.sub(r"\s+", " ", sql).strip()
