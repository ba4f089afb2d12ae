"""Past events out of a stream: the last rounds of a table, and records as a journal would hold them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Final

from audit.queries import RecalledRound, RecalledTable, Selection
from audit.records import Entry, Record
from feed.events import Event, EventError, Outcome, RoundData, Unresolved, Void, decode, genesis, link
from fleet.connection import NatsRefusedError
from fleet.streams import JetStream, StoredMessage
from fleet.subjects import TableName, event_subject, parse_subject, stream_of
from fleet.verify import archived_starts

MOST_LINE: Final = 16 << 20
"""Bytes of a line of a file of events (ours): sixteen times the longest event of the feed."""
VERDICTS: Final = (Outcome, Void, Unresolved)


class NoEventError(NatsRefusedError):
    """A message of a stream is not the durable event that its subject names; `why` is without its number."""

    def __init__(self, message: StoredMessage, why: str) -> None:
        super().__init__(f"message {message.seq} ({message.subject}): {why}; run feltwire fleet verify")
        self.why = why


async def recall_rounds(jetstream: JetStream, stream: str, table: TableName, rounds: int) -> RecalledTable:
    """The last rounds of a table that have a verdict.

    Raises:
        NatsUnavailableError, NatsRefusedError: the stream cannot be read, or holds something that is not an event.
    """
    found: dict[int, RecalledRound] = {}
    decided: set[int] = set()
    first = 0
    async for message in jetstream.read(stream, table.events):
        event = event_of(message)
        first = first or (event.seq or 0)
        number = getattr(event.data, "round", None)
        if not isinstance(event.data, RoundData) or number is None:
            continue
        one = found.setdefault(number, RecalledRound(number, [], []))
        one.events.append(event)
        one.bodies.append(message.body)
        if isinstance(event.data, VERDICTS):
            decided.add(number)
            for old in sorted(decided)[:-rounds]:
                # Those before it without a verdict go with it.
                found = {kept: given for kept, given in found.items() if kept > old}
                decided.discard(old)
    return RecalledTable(str(table), [one for number, one in sorted(found.items()) if number in decided], first > 1)


async def records(
    jetstream: JetStream,
    stream: str,
    selection: Selection,
    venue: str = "",
) -> AsyncIterator[tuple[TableName, Record]]:
    """The events that are chosen, in the order of the stream, with the hashes computed from their bodies. `n` is the
    number in the stream.

    Raises:
        NatsUnavailableError, NatsRefusedError: the stream cannot be read, or holds something that is not an event.
    """
    starts = await archived_starts(jetstream, stream, venue)
    hashes = {table: start.hash for table, start in starts.items()}
    async for message in jetstream.read(stream):
        parsed = parse_subject(message.subject)
        table = None if parsed is None else parsed.of_table
        if table is None:
            continue
        event = event_of(message)
        if table in starts and (event.seq or 0) <= starts[table].seq:
            # In the archive, and not removed yet.
            continue
        hashes[table] = link(hashes.get(table, genesis(table.table)), message.body)
        record = Record(message.seq, *Entry.of(event, message.body), hashes[table])
        if venue in ("", table.venue) and selection.has(record):
            yield table, record


def event_of(message: StoredMessage) -> Event:
    """The durable event of a message.

    Raises:
        NoEventError: it is none, or that of another table, type or venue than its subject names.
    """
    try:
        event = decode(message.body)
    except EventError as error:
        raise NoEventError(message, str(error)) from error
    if event.seq is None:
        raise NoEventError(message, "it is not durable")
    parsed = parse_subject(message.subject)
    if message.source is not None and (parsed is None or message.source != stream_of(parsed.venue)):
        raise NoEventError(message, f"it came from the stream {message.source}, of another venue")
    if parsed is None or message.subject != event_subject(parsed.venue, event):
        raise NoEventError(message, f"it is {event.type} of {event.data.table}, and its subject names another one")
    return event
