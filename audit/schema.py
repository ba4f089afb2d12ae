"""The tables of a journal's file, and its version.

    record   what happened, in the order in which it was written: `n` counts over all chains without a gap
    seal     signatures over the heads of all chains, each bound to the one before
    base     where the history of a chain begins in this file, once older history was archived: its last record there,
             and `state`, the table's state after it: a snapshot in JSON, empty for the commands

The file is known by its `application_id`; its version is `user_version`, and a file of another version is refused.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from audit.errors import RETIRE, JournalDamaged, JournalError

VERSION: Final = 3
OLDEST: Final = 2
"""The oldest version that is read. Its tables are the same; its seals state nothing of what archiving left behind. A
service, or an archiving, makes it one of this version."""
APPLICATION_ID: Final = 0x46574A4C
""" "FWJL"."""

STATE_KINDS: Final = (
    "device.fault",
    "device.cleared",
    "inspection.failed",
    "inspection.passed",
    "table.closed",
    "table.opened",
)
"""What an event of these kinds states holds until another one of them: recovery reads all of them."""
STATE_TERM: Final = f"kind IN {STATE_KINDS}"
"""SQLite uses a partial index only where a query has the index's own words."""
OPENING_TERM: Final = "kind = 'round.opened'"
OUTCOME: Final = "round.outcome"
CORRECTED: Final = "round.corrected"
VERDICTS: Final = (OUTCOME, "round.void", "round.unresolved", CORRECTED)
"""What decides a round, and what changes that."""
VERDICT_TERM: Final = f"kind IN {VERDICTS}"
COMMAND_TERM: Final = "chain = '@commands'"

CHAINS: Final = """
    WITH RECURSIVE one (chain) AS (
        SELECT min(chain) FROM record
        UNION ALL
        SELECT (SELECT min(chain) FROM record WHERE record.chain > one.chain) FROM one WHERE one.chain IS NOT NULL
    )
    SELECT chain FROM one WHERE chain IS NOT NULL UNION SELECT chain FROM base ORDER BY chain
"""
"""All chains, from the one to the next by the index: DISTINCT would read all of it."""

TABLES: Final = (
    """CREATE TABLE record (
        n INTEGER PRIMARY KEY,
        chain TEXT NOT NULL,
        seq INTEGER NOT NULL,
        id TEXT NOT NULL,
        epoch TEXT NOT NULL,
        kind TEXT NOT NULL,
        round INTEGER,
        time TEXT NOT NULL,
        topic TEXT NOT NULL,
        body BLOB NOT NULL,
        hash BLOB NOT NULL,
        UNIQUE (chain, seq)
    ) STRICT""",
    """CREATE TABLE seal (
        n INTEGER PRIMARY KEY,
        after_n INTEGER NOT NULL,
        statement BLOB NOT NULL,
        public_key BLOB NOT NULL,
        signature BLOB NOT NULL,
        hash BLOB NOT NULL
    ) STRICT""",
    """CREATE TABLE base (
        chain TEXT PRIMARY KEY NOT NULL,
        seq INTEGER NOT NULL,
        epoch TEXT NOT NULL,
        hash BLOB NOT NULL,
        n INTEGER NOT NULL,
        state BLOB NOT NULL DEFAULT x''
    ) STRICT""",
    # Partial: a record that is none of these costs them nothing.
    f"CREATE INDEX record_state ON record (chain, seq) WHERE {STATE_TERM}",
    f"CREATE INDEX record_opening ON record (chain, seq) WHERE {OPENING_TERM}",
    f"CREATE INDEX record_command ON record (id) WHERE {COMMAND_TERM}",
)


def prepare(connection: sqlite3.Connection, path: Path) -> None:
    """Creates the tables in an empty file; checks the version of any other.

    Raises:
        JournalError: the file is something else, or of another version.
        sqlite3.Error: it cannot be read or written.
    """
    if connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone():
        if check_version(connection, path) < VERSION:
            connection.execute(f"PRAGMA user_version = {VERSION}")
    else:
        create(connection)


def check_version(connection: sqlite3.Connection, path: Path) -> int:
    """Checks that a file is a journal of a version that can be read; returns which.

    Raises:
        JournalError: the file is something else, or of another version.
        sqlite3.Error: it cannot be read.
    """
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    if application != APPLICATION_ID:
        what = f"it is an SQLite file, and not a journal (application_id is {application}, expected {APPLICATION_ID})"
        raise JournalError(path, what, "give the path of a journal")
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    if found > VERSION:
        what = f"it was written by a newer Feltwire (version {found}; this one reads version {VERSION})"
        raise JournalError(path, what, "install the newer Feltwire again")
    if found < OLDEST:
        what = f"its version is {found}, and no released Feltwire wrote such a journal; expected version {VERSION}"
        raise JournalDamaged(path, what, RETIRE)
    return int(found)


def create(connection: sqlite3.Connection) -> None:
    """Makes the tables in an empty file.

    Raises:
        sqlite3.Error: it cannot be written.
    """
    connection.execute("BEGIN IMMEDIATE")
    for statement in TABLES:
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute("COMMIT")


def layout_faults(connection: sqlite3.Connection) -> Iterator[str]:
    """What differs between the tables of a file and those of a new journal, a sentence each.

    A table that was made again without its constraints, a trigger, or a view in place of a table could show one history
    to this program and another to the next.

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
            yield f"the {_type(statement)} {name} is missing"
        elif _plain(there[name][1]) != _plain(statement):
            yield f"the {_type(statement)} {name} was made otherwise: {there[name][1] or there[name][0]}"
    for name, (kind, sql) in there.items():
        if name not in right and sql:
            yield f"there is {'an' if kind == 'index' else 'a'} {kind} {name} that no journal has"


def has_tables(connection: sqlite3.Connection) -> bool:
    """Whether the tables are there at all, as tables.

    Raises:
        sqlite3.Error: the file cannot be read.
    """
    kinds = dict(connection.execute("SELECT name, type FROM sqlite_schema"))
    return all(kinds.get(name) == "table" for name in ("record", "seal", "base"))


def _type(statement: str) -> str:
    return statement.split()[1].lower()


def _name(statement: str) -> str:
    return statement.split()[2]


def _plain(sql: str) -> str:
    return re.sub(r"\s+", " ", sql).strip()
