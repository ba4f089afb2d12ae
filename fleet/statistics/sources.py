"""Where events come from: a stream of JetStream, a table's journal, or a file that was exported of either."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path
from typing import Final

from audit.queries import Selection, select
from feed.events import EventError, parts_of
from fleet.connection import NatsRefusedError
from fleet.history import MOST_LINE, event_of
from fleet.statistics.dataset import Announced, Collector, StreamPlace
from fleet.streams import JetStream, StoredMessage
from fleet.subjects import SEAL, TableName, parse_subject, venue_of_stream
from fleet.verify import held_streams, live_tables

_BUFFER: Final = 1 << 16

Progress = Callable[[int, int], None]
"""What was read so far, and of how much."""


class SourceError(Exception):
    """A source that cannot be read; the message has the fix."""


async def collect_streams(
    jetstream: JetStream, collector: Collector, *, venue: str = "", progress: Progress | None = None
) -> list[str]:
    """Collects what the streams hold, each from where it was read up to before. Returns their names.

    Raises:
        NatsUnavailableError, NatsRefusedError: they cannot be read.
        HistoryChangedError, DatasetError: see `Collector.add`.
    """
    streams = await held_streams(jetstream, venue)
    for stream in streams:
        collector.begin()
        start = await _start(jetstream, stream, collector.contents.places.get(stream))
        info = await jetstream.info(stream)
        end = 0 if info is None else info.last_seq
        async for message in jetstream.read(stream, start=start):
            _take(collector, stream, message, venue)
            if progress is not None and message.seq % 1000 == 0:
                progress(message.seq - start + 1, end - start + 1)
    for table, one in (await live_tables(jetstream, venue)).items():
        beat = one.heartbeat
        if beat is not None:
            collector.announce(table, Announced(beat.last, beat.head, one.time))
    return streams


async def _start(jetstream: JetStream, stream: str, place: StreamPlace | None) -> int:
    """The first message to read: behind the last one that was read, if that is still there as it was."""
    if place is None:
        return 1
    message = await jetstream.next(stream, ">", place.n)
    if message is None or message.seq != place.n:
        # The stream was made again, or purged: all of it is read again, and what is held is not taken twice.
        return 1
    try:
        return place.n + 1 if event_of(message).id == place.id else 1
    except NatsRefusedError:
        return 1


def _take(collector: Collector, stream: str, message: StoredMessage, venue: str) -> None:
    parsed = parse_subject(message.subject)
    table = None if parsed is None else parsed.of_table
    where = f"{stream} message {message.seq}"
    if parsed is not None and parsed.table == SEAL:
        return
    if table is None:
        collector.unreadable(where, f"its subject {message.subject} names no table")
        return
    if venue and table.venue != venue:
        return
    try:
        event = event_of(message)
    except NatsRefusedError as error:
        collector.unreadable(where, str(error))
        return
    collector.add(table, event, message.body, where)
    if not venue or venue_of_stream(stream) == venue:
        # Of a hub that was read for one venue, the others are still to be read.
        collector.reached(stream, StreamPlace(message.seq, event.id))


def collect_journal(path: Path, venue: str, collector: Collector, progress: Progress | None = None) -> None:
    """Collects the events of a journal; the service may run.

    Raises:
        JournalError: it cannot be read.
        HistoryChangedError, DatasetError: see `Collector.add`.
    """
    collector.begin()
    for number, chosen in enumerate(select(path, Selection())):
        record = chosen.record
        _take_body(collector, venue, record.body, f"{venue}={path.name} record {record.n}")
        if progress is not None and number % 1000 == 0:
            progress(chosen.done, chosen.total)


def collect_export(path: Path, venue: str, collector: Collector, progress: Progress | None = None) -> None:
    """Collects the events of a file of JSON lines, as `fleet export` and `journal export` write it.

    Raises:
        SourceError: it cannot be read, or its first line is not an event.
        HistoryChangedError, DatasetError: see `Collector.add`.
    """
    collector.begin()
    try:
        size = path.stat().st_size
        where, before = f"{venue}={path.name} line", collector.refused
        with path.open("rb", _BUFFER) as file:
            for number, line in enumerate(iter(partial(file.readline, MOST_LINE), b""), 1):
                if body := line.rstrip(b"\r\n"):
                    _take_body(collector, venue, body, f"{where} {number}")
                if number == 1 and collector.refused > before:
                    why = collector.contents.unreadable.pop(f"{where} 1", "")
                    raise SourceError(
                        f"{path} line 1: {why}; expected JSON lines, as feltwire fleet export or journal export write "
                        "without --format, or a journal"
                    )
                if progress is not None and number % 1000 == 0:
                    progress(file.tell(), size)
    except OSError as error:
        raise SourceError(f"{path}: it cannot be read ({error.strerror}); name a file that was exported") from error


def _take_body(collector: Collector, venue: str, body: bytes, where: str) -> None:
    try:
        event = parts_of(body)
    except EventError as error:
        collector.unreadable(where, str(error))
        return
    collector.add(_name(venue, event.data.simulated, event.data.table), event, body, where)


@lru_cache
def _name(venue: str, simulated: bool, table: str) -> TableName:
    # A name is looked up in half the time that it takes to make one.
    return TableName(venue, simulated, table)
