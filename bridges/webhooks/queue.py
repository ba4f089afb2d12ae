"""The queue on disk: what each target has not received yet, and where its reading of the feed continues.

An event and the position after it are in one transaction, which is on the disk before the event is sent: a table whose
first position a cut of the power took would begin with now, and what was played before would be lost.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from feed.data import TYPE_PREFIX
from feed.subscriber import Position

SCHEMA: Final = """
CREATE TABLE waiting (n INTEGER PRIMARY KEY, target TEXT NOT NULL, name TEXT NOT NULL, id TEXT NOT NULL,
    body BLOB NOT NULL) STRICT;
CREATE TABLE position (target TEXT NOT NULL, name TEXT NOT NULL, epoch TEXT NOT NULL, seq INTEGER NOT NULL,
    head TEXT NOT NULL, PRIMARY KEY (target, name)) STRICT, WITHOUT ROWID;
"""
BEGINNINGS: Final = """
CREATE TABLE IF NOT EXISTS beginning (target TEXT NOT NULL, name TEXT NOT NULL, epoch TEXT NOT NULL,
    seq INTEGER NOT NULL, time TEXT NOT NULL, PRIMARY KEY (target, name)) STRICT, WITHOUT ROWID
"""
HELD: Final = """
ALTER TABLE waiting ADD COLUMN held INTEGER NOT NULL DEFAULT 0;
DROP INDEX IF EXISTS waiting_lane;
CREATE INDEX waiting_lane ON waiting (target, name, n) WHERE NOT held
"""
"""Both are added to the files of earlier versions, which can still be read by those."""
_EVENT: Final = "CAST(body AS TEXT)"
ROUND: Final = f"""CASE WHEN json_valid({_EVENT}) AND
    ({_EVENT} ->> '$.type' GLOB '{TYPE_PREFIX}round.*' OR {_EVENT} ->> '$.type' GLOB '{TYPE_PREFIX}procedure.*')
    THEN {_EVENT} ->> '$.data.round' END"""
"""The round of which an event is; NULL of the others, which are of the table itself. What those state (a fault, a
closed table) ends with a later one of them, whatever round they came in."""
_SEQ: Final = "CAST(substr(id, length(rtrim(id, '0123456789')) + 1) AS INTEGER)"
"""The sequence number of an event: its id ends with it."""
PASSED: Final = f"CREATE INDEX IF NOT EXISTS waiting_round ON waiting (target, name, {ROUND}) WHERE held = 1"
"""`held` is 0 of an event that waits, 1 of one that is held back, and 2 of one that a later event has passed."""
APPLICATION: Final = 0x46575748
"""The mark of such a file: `FWWH`."""
VERSION: Final = 1


_NOT_A_QUEUE: Final = (0, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
"""SQLite's codes of a file that holds something else, or is damaged; 0 is ours. After any other error it is whole."""


class QueueError(Exception):
    """The file cannot be used; the message names it and the fix."""


class WaitingEvent(NamedTuple):
    """An event that a target has not received yet."""

    number: int
    id: str
    body: bytes
    """As it was published."""


class Held(NamedTuple):
    """How many events of a target stay in the queue, unsent."""

    back: int
    """They are not wanted."""
    passed: int
    """They are wanted again, and a later event of their round, or of the table itself, may have reached the target
    meanwhile."""


class Dropped(NamedTuple):
    """How many events of a target were removed."""

    waiting: int
    """They were not held back."""
    passed: int
    """As of `Held`."""


class Beginning(NamedTuple):
    """The last event of a table before a target began with it."""

    epoch: str
    seq: int
    time: str


class Queue:
    """The queues of all targets, in one file. Every method raises QueueError where the file or its disk fails."""

    def __init__(self, path: Path) -> None:
        """Opens the file, or makes it.

        Raises:
            QueueError: it cannot be used, or another bridge uses it.
        """
        self._path = path
        with self._named():
            path.touch(0o600)
            # Autocommit: each transaction is written out below. One bridge alone has the file.
            self._file = sqlite3.connect(path, isolation_level=None, timeout=0)
            self._prepare()
            rows = self._file.execute("SELECT target, count(*) FROM waiting GROUP BY target")
            self._counts: dict[str, int] = dict(rows.fetchall())

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Names the file and the fix in the error of what fails."""
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise QueueError(f"{self._path}: {_words(error)}") from error

    def _prepare(self) -> None:
        self._file.execute("PRAGMA locking_mode = EXCLUSIVE")
        self._file.execute("PRAGMA journal_mode = WAL")
        self._file.execute("PRAGMA synchronous = FULL")
        self._file.execute("BEGIN EXCLUSIVE")
        (mark,) = self._file.execute("PRAGMA application_id").fetchone()
        (version,) = self._file.execute("PRAGMA user_version").fetchone()
        (there,) = self._file.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        if not there and not mark:
            self._run(SCHEMA)
            self._file.execute(f"PRAGMA application_id = {APPLICATION}")
            self._file.execute(f"PRAGMA user_version = {VERSION}")
        elif (mark, version) != (APPLICATION, VERSION):
            raise sqlite3.DatabaseError("it is not a queue of this version")
        self._file.execute(BEGINNINGS)
        if "held" not in {column[1] for column in self._file.execute("PRAGMA table_info(waiting)")}:
            self._run(HELD)
        self._file.execute(PASSED)
        self._file.execute("COMMIT")

    def _run(self, script: str) -> None:
        """In the transaction that is open, which `executescript` would end."""
        for statement in script.split(";"):
            self._file.execute(statement)

    def close(self) -> None:
        """Closes the file."""
        self._file.close()

    def count(self, target: str) -> int:
        """How many events wait for a target."""
        return self._counts.get(target, 0)

    def targets(self) -> Mapping[str, int]:
        """How many events wait, by target, also for those that the bridge no longer has."""
        return {target: count for target, count in self._counts.items() if count}

    def positions(self, target: str) -> dict[str, Position]:
        """After the last event of each table that was read for a target."""
        with self._named():
            rows = self._file.execute("SELECT name, epoch, seq, head FROM position WHERE target = ?", (target,))
            return {name: Position(epoch, seq, head) for name, epoch, seq, head in rows}

    def beginnings(self, target: str) -> dict[str, Beginning]:
        """Of the tables with which a target began at their present, and not at the first event."""
        with self._named():
            rows = self._file.execute("SELECT name, epoch, seq, time FROM beginning WHERE target = ?", (target,))
            return {name: Beginning(epoch, seq, time) for name, epoch, seq, time in rows}

    def begin(self, target: str, name: str, beginning: Beginning) -> None:
        """Stores where a target begins with a table."""
        with self._named():
            self._file.execute("INSERT OR REPLACE INTO beginning VALUES (?, ?, ?, ?, ?)", (target, name, *beginning))

    def hold_unless(self, target: str, wanted: Callable[[str, bytes], bool]) -> Held:
        """Holds back what waits for a target unless `wanted` holds of its table and body: it stays, and is neither sent
        nor counted until it is wanted again. What a later event has passed stays so."""
        self._file.create_function("wanted", 2, wanted)
        with self._named():
            self._file.execute(
                "UPDATE waiting SET held = NOT held WHERE target = ? AND held = wanted(name, body)", (target,)
            )
            count, unsent, passed = self._file.execute(
                "SELECT count(*), total(held > 0), total(held = 2 AND wanted(name, body)) FROM waiting"
                " WHERE target = ?",
                (target,),
            ).fetchone()
        self._counts[target] = count - int(unsent)
        return Held(int(unsent) - int(passed), int(passed))

    def pass_held(self, target: str, name: str, event: WaitingEvent) -> list[int]:
        """Notes that an event is sent before those of its round (where it is of the table itself, those of that) which
        are older and held back: sent after it they would look new, so they never are. Returns their numbers."""
        with self._named():
            passed = self._file.execute(
                f"UPDATE waiting SET held = 2 WHERE target = ? AND name = ? AND held = 1 AND n < ?"
                f" AND {ROUND} IS (SELECT {ROUND} FROM waiting WHERE n = ?) RETURNING n",
                (target, name, event.number, event.number),
            )
            return [number for (number,) in passed]

    def take_back(self, passed: Sequence[int]) -> None:
        """Notes that the event that was to pass these was not sent."""
        with self._named():
            self._file.execute("BEGIN IMMEDIATE")
            self._file.executemany(
                "UPDATE waiting SET held = 1 WHERE n = ? AND held = 2", [(number,) for number in passed]
            )
            self._file.execute("COMMIT")

    def names(self, target: str) -> list[str]:
        """The tables of which events wait, and are not held back."""
        with self._named():
            rows = self._file.execute(
                "SELECT DISTINCT name FROM waiting WHERE target = ? AND NOT held ORDER BY name", (target,)
            )
            return [name for (name,) in rows]

    def put(self, target: str, name: str, position: Position, event: tuple[str, bytes] | None) -> None:
        """Stores an event, by id and body, and the position after it; only the position where there is no event."""
        with self._named():
            self._file.execute("BEGIN IMMEDIATE")
            if event is not None:
                self._file.execute(
                    "INSERT INTO waiting (target, name, id, body) VALUES (?, ?, ?, ?)", (target, name, *event)
                )
            self._file.execute("INSERT OR REPLACE INTO position VALUES (?, ?, ?, ?, ?)", (target, name, *position))
            self._file.execute("COMMIT")
        if event is not None:
            self._counts[target] = self.count(target) + 1

    def first(self, target: str, name: str) -> WaitingEvent | None:
        """The oldest event of a table that waits for a target and is not held back; None where none does."""
        with self._named():
            row = self._file.execute(
                "SELECT n, id, body FROM waiting WHERE target = ? AND name = ? AND NOT held ORDER BY n LIMIT 1",
                (target, name),
            ).fetchone()
        return None if row is None else WaitingEvent(*row)

    def remove(self, target: str, event: WaitingEvent) -> None:
        """Removes an event that its target received. Nothing happens where it was dropped meanwhile."""
        # SQLite gives the number of the last event again once that is gone.
        self._delete(target, "n = ? AND id = ? AND body = ?", event)

    def drop(self, target: str, name: str, first: int, wanted: Callable[[str, bytes], bool]) -> Dropped:
        """Removes the events of a table that wait for a target, from the sequence number `first` on."""
        self._file.create_function("wanted", 2, wanted)
        passed = "CASE held WHEN 2 THEN wanted(name, body) ELSE 0 END"
        return self._delete(target, f"target = ? AND name = ? AND {_SEQ} >= ?", (target, name, first), passed)

    def _delete(self, target: str, which: str, values: tuple[object, ...], passed: str = "0") -> Dropped:
        dropped = Dropped(0, 0)
        with self._named():
            for waits, was_passed in self._file.execute(
                f"DELETE FROM waiting WHERE {which} RETURNING NOT held, {passed}", values
            ):
                dropped = Dropped(dropped.waiting + waits, dropped.passed + was_passed)
        self._counts[target] = self.count(target) - dropped.waiting
        return dropped


def _words(error: Exception) -> str:
    if isinstance(error, OSError):
        return f"the queue cannot be opened: {error.strerror}; see the folder and its owner"
    if "locked" in str(error):
        return "another bridge has this queue; stop that one, or give each its own"
    if "full" in str(error):
        fix = "make room on the disk"
    elif getattr(error, "sqlite_errorcode", 0) & 0xFF in _NOT_A_QUEUE:
        fix = (
            "move the file away. What waited is not sent then, and reading begins with now; "
            "write history = true first, and all of the journal comes again: a target drops doubles by id"
        )
    else:
        fix = "see the disk and its quota, the folder and its owner; what waits is in the file: keep it"
    return f"the queue cannot be used: {error}; {fix}"
