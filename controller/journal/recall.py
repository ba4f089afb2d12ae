"""The last rounds of a table with their evidence, as a regulator's recall screen shows them."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Final, NamedTuple

from controller.journal.errors import JournalError
from controller.journal.reading import reading
from controller.journal.records import COMMANDS
from controller.journal.schema import CHAINS
from feed.events import Event, EventError, Outcome, Unresolved, Void, decode

ROUNDS: Final = 10
"""How many are recalled unless more are asked for (ours)."""
_VERDICTS: Final = (Outcome.kind, Void.kind, Unresolved.kind)


class RecalledRound(NamedTuple):
    """A round that has its verdict."""

    number: int
    events: list[Event]
    """All that was said of it, corrections too, oldest first."""
    bodies: list[bytes]
    """The same as they were published."""


class Recall(NamedTuple):
    """What a table is asked to recall."""

    table: str
    rounds: list[RecalledRound]
    """Oldest first."""
    archived: bool
    """Older rounds are in an archive."""


def recall(path: Path, table: str, rounds: int = ROUNDS) -> Recall:
    """The last `rounds` rounds of a table that have a verdict. The service may run meanwhile.

    Raises:
        JournalError: the journal cannot be read, has no such table, or holds something that is no event.
    """
    with reading(path, "recalling rounds") as connection:
        known = [str(chain) for (chain,) in connection.execute(CHAINS) if chain != COMMANDS]
        base = connection.execute("SELECT 1 FROM base WHERE chain = ?", (table,)).fetchone()
        if table not in known:
            there = ", ".join(known) or "no table yet"
            raise JournalError(path, f"it has no table {table}", f"give one that it has: {there}")
        numbers = _last(connection, table, rounds)
        found: dict[int, RecalledRound] = {number: RecalledRound(number, [], []) for number in sorted(numbers)}
        if found:
            query = "SELECT round, body FROM record WHERE chain = ? AND seq >= ? AND round IS NOT NULL ORDER BY seq"
            for number, body in connection.execute(query, (table, _first_seq(connection, table, min(found)))):
                if number in found:
                    found[number].events.append(_event(path, table, body))
                    found[number].bodies.append(body)
    return Recall(table, list(found.values()), base is not None)


def _last(connection: sqlite3.Connection, table: str, rounds: int) -> list[int]:
    """The numbers of the last rounds with a verdict, the last first. Read backwards: old history costs nothing."""
    numbers: list[int] = []
    rows = connection.execute("SELECT kind, round FROM record WHERE chain = ? ORDER BY seq DESC", (table,))
    for kind, number in rows:
        if kind in _VERDICTS and number not in numbers:
            numbers.append(number)
            if len(numbers) == rounds:
                break
    return numbers


def _first_seq(connection: sqlite3.Connection, table: str, number: int) -> int:
    """Where the round begins: the record after the last one of any round before it."""
    query = "SELECT seq, round FROM record WHERE chain = ? AND round IS NOT NULL ORDER BY seq DESC"
    first = 0
    for seq, there in connection.execute(query, (table,)):
        if there < number and first:
            break
        if there == number:
            first = seq
    return first


def _event(path: Path, table: str, body: bytes) -> Event:
    try:
        return decode(body)
    except EventError as error:
        raise JournalError(
            path, f"a record of {table} is {error}", "run `feltwire journal verify` to see more"
        ) from error
