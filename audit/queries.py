"""What an auditor asks of a journal: records by table, time, kind and round, an event by its id, and rounds.

Records are read page by page: a slow reader never keeps the service's write-ahead log from being used again. The last
rounds come with their evidence, as a regulator's recall screen shows them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Final, NamedTuple

from audit.errors import JournalError
from audit.reading import reading
from audit.records import COLUMNS, COMMANDS, Record
from audit.schema import CHAINS, OPENING_TERM
from feed.events import Event, EventError, Outcome, Unresolved, Void, decode

_PAGE: Final = 1000
"""Records read in one transaction (ours)."""
_MOST: Final = 2**63 - 1


class Span(NamedTuple):
    """Numbers of events or rounds, both ends included; None where it is open."""

    first: int | None
    last: int | None

    def has(self, number: int) -> bool:
        return (self.first is None or number >= self.first) and (self.last is None or number <= self.last)


class Selection(NamedTuple):
    """Which records; what is left empty chooses all but the commands, which are not events."""

    tables: Collection[str] = ()
    kinds: Collection[str] = ()
    since: datetime | None = None
    """Inclusive."""
    until: datetime | None = None
    """Exclusive."""
    rounds: Span | None = None
    """The numbers of the rounds that they belong to."""

    def has(self, record: Record) -> bool:
        """Whether a record is chosen."""
        if self.tables:
            if record.chain not in self.tables:
                return False
        elif record.chain == COMMANDS:
            return False
        if self.kinds and record.kind not in self.kinds:
            return False
        if self.rounds is not None and (record.round is None or not self.rounds.has(record.round)):
            return False
        return self._has_time(record.time)

    def has_round(self, number: int, decided: str) -> bool:
        """Whether a round is chosen, by its number and the time of its verdict."""
        return (self.rounds is None or self.rounds.has(number)) and self._has_time(decided)

    def _has_time(self, time: str) -> bool:
        if self.since is None and self.until is None:
            return True
        at = _moment(time)
        return at is not None and (self.since is None or at >= self.since) and (self.until is None or at < self.until)


ALL: Final = Selection()


class Chosen(NamedTuple):
    """A chosen record, and how far the reading is."""

    record: Record
    done: int
    """Records read so far, chosen or not."""
    total: int


def parse_moment(text: str, zone: tzinfo = UTC) -> datetime:
    """Reads `2026-07-04`, the beginning of that day, or `2026-07-04T21:30:00`; in the zone unless it states its own.

    Raises:
        ValueError: it is neither.
    """
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise ValueError(f"{text!r} is no time; expected 2026-07-04 or 2026-07-04T21:30:00, in {zone}") from error
    return moment.replace(tzinfo=zone) if moment.tzinfo is None else moment


def select(path: Path, selection: Selection) -> Iterator[Chosen]:
    """The chosen records in the order in which they were written, up to the last that there is at the beginning.

    Raises:
        JournalError: the journal cannot be read.
    """
    with reading(path, "reading records") as connection:
        last, total = connection.execute("SELECT coalesce(max(n), 0), count(*) FROM record").fetchone()
        done = after = 0
        query = f"SELECT {COLUMNS} FROM record WHERE n > ? AND n <= ? ORDER BY n LIMIT {_PAGE}"
        while rows := _read(connection, query, (after, last)):
            for record in rows:
                done += 1
                if selection.has(record):
                    yield Chosen(record, done, total)
            after = rows[-1].n


def tables(path: Path) -> list[str]:
    """The chains that a journal has, the commands among them.

    Raises:
        JournalError: the journal cannot be read.
    """
    with reading(path, "listing its tables") as connection:
        return [str(chain) for (chain,) in connection.execute(CHAINS)]


def last_written(path: Path, count: int) -> Iterator[Record]:
    """The last `count` records of all tables in the order in which they were written; commands are none.

    Raises:
        JournalError: the journal cannot be read.
    """
    return _last(path, "chain <> ? ORDER BY n", COMMANDS, count)


def _last(path: Path, which: str, chain: str, count: int) -> Iterator[Record]:
    """The last `count` of those records of a chain, or of the others, in that order."""
    with reading(path, "reading records") as connection:
        rows = _read(connection, f"SELECT {COLUMNS} FROM record WHERE {which} DESC LIMIT ?", (chain, count))
    return reversed(rows)


def _read(connection: sqlite3.Connection, query: str, values: tuple[object, ...]) -> list[Record]:
    """Rows in a transaction of their own."""
    if not connection.in_transaction:
        connection.execute("BEGIN")
    rows = [Record(*row) for row in connection.execute(query, values)]
    connection.execute("COMMIT")
    return rows


def _moment(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def find(path: Path, identity: str) -> Record | None:
    """The record of an event's id; None where there is none.

    Raises:
        JournalError: the journal cannot be read.
    """
    chain, _, rest = identity.rpartition(".")
    table = chain.rpartition(".")[0]
    if not table or not (rest.isascii() and rest.isdigit() and len(rest) < 19):
        return None
    with reading(path, "looking for an event") as connection:
        query = f"SELECT {COLUMNS} FROM record WHERE chain = ? AND seq = ? AND id = ?"
        row = connection.execute(query, (table, int(rest), identity)).fetchone()
    return None if row is None else Record(*row)


def span_of(path: Path, chain: str, first: int | None, last: int | None) -> Iterator[Record]:
    """The records of a chain from number `first` to number `last`.

    Raises:
        JournalError: the journal cannot be read.
    """
    after, end = (first or 1) - 1, _MOST if last is None else last
    with reading(path, "reading records") as connection:
        query = f"SELECT {COLUMNS} FROM record WHERE chain = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT {_PAGE}"
        while rows := _read(connection, query, (chain, after, end)):
            yield from rows
            after = rows[-1].seq


def last_of(path: Path, chain: str, count: int) -> Iterator[Record]:
    """The last `count` records of a chain, oldest first.

    Raises:
        JournalError: the journal cannot be read.
    """
    return _last(path, "chain = ? ORDER BY seq", chain, count)


# --- the last rounds of a table ---------------------------------------------------------------------------------------

ROUNDS: Final = 10
"""How many are recalled unless more are asked for (ours)."""
_VERDICTS: Final = (Outcome.kind, Void.kind, Unresolved.kind)


class RecalledRound(NamedTuple):
    """A round that has its verdict."""

    number: int
    events: list[Event]
    """All events of it, corrections too, oldest first."""
    bodies: list[bytes]
    """Their bodies as they were published."""


class RecalledTable(NamedTuple):
    """The last rounds of a table."""

    table: str
    rounds: list[RecalledRound]
    """Oldest first."""
    archived: bool
    """Older rounds are in an archive."""


def recall(path: Path, table: str, rounds: int | None = ROUNDS, selection: Selection = ALL) -> RecalledTable:
    """The last `rounds` rounds of a table that have a verdict, of those whose verdict is selected; None for all of
    these. The service may run meanwhile.

    Raises:
        JournalError: the journal cannot be read, has no such table, or holds something that is not an event.
    """
    with reading(path, "recalling rounds") as connection:
        known = [str(chain) for (chain,) in connection.execute(CHAINS) if chain != COMMANDS]
        base = connection.execute("SELECT 1 FROM base WHERE chain = ?", (table,)).fetchone()
        if table not in known:
            there = ", ".join(known) or "no table yet"
            raise JournalError(path, f"it has no table {table}", f"give one that it has: {there}")
        numbers = _last_rounds(connection, table, rounds, selection)
        found: dict[int, RecalledRound] = {number: RecalledRound(number, [], []) for number in sorted(numbers)}
        if found:
            query = "SELECT round, body FROM record WHERE chain = ? AND seq >= ? AND round IS NOT NULL ORDER BY seq"
            for number, body in connection.execute(query, (table, _first_seq(connection, table, min(found)))):
                if number in found:
                    found[number].events.append(_event(path, table, body))
                    found[number].bodies.append(body)
    return RecalledTable(table, list(found.values()), base is not None)


def judged_rounds(path: Path, table: str) -> tuple[int, int] | None:
    """The first and the last round of a table that have a verdict in a journal; None where none has.

    Raises:
        JournalError: the journal cannot be read.
    """
    with reading(path, "recalling rounds") as connection:
        query = (
            f"SELECT min(round), max(round) FROM record WHERE chain = ? AND kind IN ({', '.join('?' * len(_VERDICTS))})"
        )
        first, last = connection.execute(query, (table, *_VERDICTS)).fetchone()
    return None if first is None else (int(first), int(last))


def _last_rounds(
    connection: sqlite3.Connection, table: str, rounds: int | None, selection: Selection
) -> dict[int, None]:
    """The numbers of the last rounds with a verdict, the last first. Read backwards: old history costs nothing."""
    numbers: dict[int, None] = {}
    rows = connection.execute("SELECT kind, round, time FROM record WHERE chain = ? ORDER BY seq DESC", (table,))
    for kind, number, time in rows:
        if kind in _VERDICTS and selection.has_round(number, time):
            numbers[number] = None
            if len(numbers) == rounds:
                break
    return numbers


def _first_seq(connection: sqlite3.Connection, table: str, number: int) -> int:
    """Where the round begins: after the last opening of a round before it. Between them may be what people did about
    older rounds.
    """
    query = f"SELECT seq, round FROM record WHERE chain = ? AND {OPENING_TERM} ORDER BY seq DESC"
    return next((seq for seq, there in connection.execute(query, (table,)) if there < number), 0)


def _event(path: Path, table: str, body: bytes) -> Event:
    try:
        return decode(body)
    except EventError as error:
        raise JournalError(
            path, f"a record of {table} is {error}", "run `feltwire journal verify` to see more"
        ) from error
