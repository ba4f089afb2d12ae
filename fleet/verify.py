"""Verifies what a stream holds: each table's events as a chain, against heads that were published or kept.

Nothing in the stream is trusted: the chain is computed again from the bodies. A head vouches for all events up to its
own: one of a heartbeat, of a seal in the stream, of a journal that verifies by its seals, or one that somebody kept.
The header with the head that the relay computed vouches for nothing, since who can change a body can change it; where
it disagrees, it names the place.

A chain without a difference is complete only where a head vouches for its last event and nothing announces a later
one. Otherwise whoever can write the stream may have changed or cut off its end, and the result states that. Where the
stream begins later, because of what a note in `feltwire-archived` states, an archive or a journal has to have what is
before: whoever can write notes could otherwise remove a history.

    body 1 ─► body 2 ─► ... ─► body n        computed head n  =?=  head n of a heartbeat, a journal, a note
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Callable, Collection, Iterable, Mapping, Sequence
from typing import Annotated, NamedTuple

import msgspec

from feed.events import Event, EventError, Heartbeat, decode, genesis, link
from feed.wire import is_table
from fleet.connection import NatsRefusedError
from fleet.report import REFUSED, REWRITTEN, RelayedTable, decode_report
from fleet.seals import sealed_heads
from fleet.streams import HEAD, JetStream, StoredMessage
from fleet.subjects import (
    ARCHIVED_STREAM,
    HEARTBEAT,
    HUB_STREAM,
    LIVE_STREAM,
    RELAY,
    SEAL,
    SIM,
    TableName,
    archived_subject,
    event_subject,
    parse_archived,
    parse_subject,
    stream_of,
    venue_of_stream,
)


class VouchedHead(NamedTuple):
    """A head of a table, and who vouches for it."""

    seq: int
    hash: bytes
    by: str
    sealed: bool = False
    """A seal names it."""


class JournalOfTable(NamedTuple):
    """A journal that was verified by its seals, for one table of it."""

    name: str
    last: int
    """Its last event of the table."""
    hash_of: Callable[[int], bytes | None]
    """The hash of an event; None where it was archived, or the journal ends before it."""


class FleetFinding(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The first difference of a table."""

    table: str
    """`atlantic-hall/roulette-1`, `atlantic-hall/sim/roulette-1`."""
    detail: str
    seq: int | None = None
    """Of the first event that may differ."""
    message: int | None = None
    """Its number in the stream."""

    def __str__(self) -> str:
        where = "" if self.seq is None else f" event {self.seq}"
        place = "" if self.message is None else f" (message {self.message})"
        return f"{self.table}{where}{place}: {self.detail}"


class VerifiedTable(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the stream holds of a table."""

    table: str
    events: int
    first: int = 1
    """The first event of the stream; those before it were moved to an archive."""
    last: int
    head: str
    vouched: int = 0
    """Up to this event a head from elsewhere vouches for it."""
    by: str = ""
    """Whose head that is."""
    sealed: int = 0
    """Up to this event a seal vouches for it."""
    behind: int = 0
    """Events that the journal announced, and the stream does not hold yet."""
    unproven: str = ""
    """What nothing vouches for, or is not there yet, in words; empty where the table is complete, or differs."""
    finding: FleetFinding | None = None


class FleetReport(msgspec.Struct, frozen=True, kw_only=True):
    """What was verified."""

    stream: str
    tables: list[VerifiedTable]
    notes: list[str]

    @property
    def findings(self) -> list[FleetFinding]:
        """The first difference of each table that has one."""
        return [one.finding for one in self.tables if one.finding is not None]

    @property
    def unproven(self) -> list[VerifiedTable]:
        """The tables without a difference that are not known to be complete."""
        return [one for one in self.tables if one.unproven]


class TableCheck:
    """Takes the messages of one table in the order of the stream, and finds the first difference."""

    def __init__(
        self,
        table: TableName,
        heads: Iterable[VouchedHead],
        journal: JournalOfTable | None = None,
        start: VouchedHead | None = None,
        archived: Mapping[int, bytes] | None = None,
    ) -> None:
        """`start` is the last event of the history that was moved to an archive, as a note has it, and `archived` has
        the heads of the archive that was given; None where none was. A note vouches for nothing."""
        self._table = table
        self._start = start
        self._archived = archived
        self._apart = 0
        """Of the events before `start`, the first that the stream has; 0 where it has all of them, or none."""
        self.first = 1
        self._journal = journal
        self._heads: dict[int, list[VouchedHead]] = {}
        for head in heads:
            self._heads.setdefault(head.seq, []).append(head)
        self._hash = genesis(table.table)
        self._header_differs: tuple[int, int] | None = None
        self.events = 0
        self.last = 0
        self.vouched = self.sealed = 0
        self.by = ""
        self.finding: FleetFinding | None = None

    @property
    def head(self) -> bytes:
        """The head after the last event that was taken."""
        return self._hash

    def take(self, message: StoredMessage) -> None:
        """Takes the next message."""
        if self.finding is not None:
            self.events += 1
            return
        try:
            event = decode(message.body)
        except EventError as error:
            self.events += 1
            self._found(f"it is {error}", self.last + 1, message.seq)
            return
        if self._is_before_start(event.seq):
            return
        self.events += 1
        wrong = self._misplaced(event, message)
        if wrong is not None:
            self._found(wrong, event.seq, message.seq)
            return
        seq = self.last + 1
        self._hash = link(self._hash, message.body)
        self.last = seq
        stated = message.headers.get(HEAD)
        if stated is not None and stated != self._hash.hex() and self._header_differs is None:
            self._header_differs = (seq, message.seq)
        for head in (*self._of_journal(seq, message), *self._heads.get(seq, ())):
            if head.hash == self._hash:
                self.vouched, self.by = seq, head.by
                self.sealed = seq if head.sealed else self.sealed
            else:
                self._differs(head)
                return
        start = self._start
        if start is not None and start.seq == seq and start.hash != self._hash:
            self._differs(start)

    def _is_before_start(self, seq: int | None) -> bool:
        """Whether an event was moved to an archive, and those before it are removed: its chain cannot be computed. The
        chain then begins at the note."""
        start = self._start
        if start is None or seq is None or self.last > start.seq:
            return False
        if self.first == 1 and self.last < start.seq and seq > self.last + 1:
            self._apart = 1 if self.events else seq if seq <= start.seq else 0
            self._begin_at(start)
        return self.first > seq

    def _begin_at(self, start: VouchedHead) -> None:
        self._hash, self.last, self.first, self.events = start.hash, start.seq, start.seq + 1, 0
        for head in (*self._journal_head(start.seq), *self._heads.get(start.seq, ())):
            if head.hash == start.hash:
                self.vouched, self.by = head.seq, head.by
            else:
                self._differs(head)

    def end(
        self, announced: int = 0, relayed: RelayedTable | None = None, *, must_be_sealed: bool = False
    ) -> VerifiedTable:
        """The result; `announced` is the last event that a heartbeat names."""
        announced = max(announced, 0 if self._journal is None else self._journal.last)
        start = self._start
        if self.finding is None and start is not None:
            if not self.last:
                self._begin_at(start)
            if self._archived is not None and self._archived.get(start.seq) != start.hash:
                what = f"it goes on after event {start.seq}, head {start.hash.hex()[:16]}…"
                self._found(f"{what}, and the archive does not end there", None, None)
        if self.finding is None:
            for seq in sorted(seq for seq in self._heads if seq > self.last):
                head = self._heads[seq][0]
                if not head.by.startswith(HEARTBEAT):
                    self._found(f"the stream ends with event {self.last}, and {head.by} names event {seq}", seq, None)
                    break
        if self.finding is None and self._header_differs is not None:
            seq, number = self._header_differs
            self._found("its body is not the one of which the relay computed the head", seq, number)
        if self.finding is None and relayed is not None and relayed.state == REWRITTEN:
            self._found(f"the relay reports: {relayed.detail}", None, None)
        behind = max(0, announced - self.last)
        return VerifiedTable(
            table=str(self._table),
            events=self.events,
            first=self.first,
            last=self.last,
            head=self._hash.hex(),
            vouched=self.vouched,
            by=self.by,
            sealed=self.sealed,
            behind=behind,
            unproven=self._unproven(behind, relayed, must_be_sealed) if self.finding is None else "",
            finding=self.finding,
        )

    def _unproven(self, behind: int, relayed: RelayedTable | None, must_be_sealed: bool) -> str:
        """Why a table without a difference may still not be complete, or not as published; empty where it is."""
        why = self._unproven_start()
        first = max(self.vouched + 1, self.first)
        if first < self.last:
            why.append(f"no head vouches for events {first} to {self.last}")
        elif first == self.last:
            why.append(f"no head vouches for event {first}")
        if behind:
            why.append(f"{behind} of its journal {'is' if behind == 1 else 'are'} not there")
        if must_be_sealed and not self.sealed and self._journal is None:
            why.append("no seal of a key that was given vouches for any of it")
        if relayed is not None and relayed.state == REFUSED:
            why.append(f"the relay reports: {relayed.detail}")
        return "; ".join(why)

    def _unproven_start(self) -> list[str]:
        """Why what is before the note may have been removed, or changed."""
        start, journal = self._start, self._journal
        if start is None:
            return []
        if self.last < start.seq:
            return [f"{start.by} names event {start.seq}, and the stream ends with event {self.last}"]
        why = []
        in_journal = journal is not None and journal.hash_of(1) is not None and self._journal_head(start.seq)
        if self.first > 1 and self._archived is None and not in_journal:
            moved = f"{start.by} states that an archive has events 1 to {start.seq}"
            why.append(f"{moved}: give it with --archive")
        if self._apart:
            there = f"events before {self.first} are in the stream from event {self._apart} on, and not all of them"
            why.append(f"{there}: run feltwire fleet archive --trim again, which removes them")
        return why

    def _journal_head(self, seq: int) -> list[VouchedHead]:
        digest = None if self._journal is None else self._journal.hash_of(seq)
        return [] if self._journal is None or digest is None else [VouchedHead(seq, digest, self._journal.name)]

    def _of_journal(self, seq: int, message: StoredMessage) -> list[VouchedHead]:
        journal = self._journal
        if journal is None:
            return []
        if seq > journal.last:
            self._found(f"{journal.name} ends with event {journal.last}", seq, message.seq)
            return []
        return self._journal_head(seq)

    def _misplaced(self, event: Event, message: StoredMessage) -> str | None:
        """Why a message is not where it belongs; None where it does."""
        expected = self.last + 1
        if message.source not in (None, stream_of(self._table.venue)):
            return f"it came from the stream {message.source}: another venue wrote it"
        if event.seq is None:
            return "it is not durable, and no journal holds it"
        if message.subject != event_subject(self._table.venue, event):
            return f"its subject is {message.subject}, and it is {event.type} of {event.data.table}"
        if event.seq > expected:
            one = event.seq == expected + 1
            return f"{f'event {expected} is' if one else f'events {expected} to {event.seq - 1} are'} missing before it"
        if event.seq < expected:
            return f"it is behind event {self.last}: it is there twice, or out of order"
        return None

    def _differs(self, head: VouchedHead) -> None:
        since = self.vouched + 1
        what = f"{head.by} names the head {head.hash.hex()[:16]}… of event {head.seq}, and the stream has "
        what += f"{self._hash.hex()[:16]}…"
        if self._header_differs is not None:
            seq, number = self._header_differs
            self._found(f"its body was changed: {what}", seq, number)
        elif since == head.seq:
            self._found(f"it is not the journal's: {what}", since, None)
        else:
            self._found(f"it, or one up to event {head.seq}, is not the journal's: {what}", since, None)

    def _found(self, detail: str, seq: int | None, message: int | None) -> None:
        self.finding = FleetFinding(table=str(self._table), detail=detail, seq=seq, message=message)


async def verify_messages(
    messages: AsyncIterable[StoredMessage],
    heads: Mapping[TableName, Sequence[VouchedHead]],
    journals: Mapping[TableName, JournalOfTable],
    starts: Mapping[TableName, VouchedHead],
    archived: Mapping[TableName, Mapping[int, bytes]] | None,
) -> tuple[dict[TableName, TableCheck], list[str]]:
    """Checks all messages of a stream; the second is what is there and is of no table."""

    def check(table: TableName) -> TableCheck:
        kept = None if archived is None else archived.get(table, {})
        return TableCheck(table, heads.get(table, ()), journals.get(table), starts.get(table), kept)

    checks = {table: check(table) for table in {*heads, *journals, *starts}}
    strange: list[str] = []
    async for message in messages:
        parsed = parse_subject(message.subject)
        table = None if parsed is None else parsed.of_table
        if table is None and parsed is not None and parsed.table == SEAL:
            # Read before, and held against the tables here.
            continue
        if table is None:
            strange.append(f"message {message.seq} has the subject {message.subject}, of no table")
            continue
        if table not in checks:
            checks[table] = check(table)
        checks[table].take(message)
    return checks, strange


class AnnouncedTable(NamedTuple):
    """What the live messages have of a table."""

    heartbeat: Heartbeat | None
    time: str
    """Of the heartbeat, by the clock of the table's computer."""
    relayed: RelayedTable | None
    relay: str
    """The relay that reports it, and when it did."""


async def live_tables(jetstream: JetStream, venue: str = "") -> dict[TableName, AnnouncedTable]:
    """The last heartbeat of each table, and what its relay reported last.

    Raises:
        NatsUnavailableError, NatsRefusedError: they cannot be read.
    """
    beats: dict[TableName, tuple[Heartbeat, str]] = {}
    relayed: dict[TableName, tuple[RelayedTable, str]] = {}
    info = await jetstream.info(LIVE_STREAM, subjects=">")
    subjects = [] if info is None else sorted(info.subjects)
    for message in await asyncio.gather(*(jetstream.last(LIVE_STREAM, subject) for subject in subjects)):
        if message is None:
            continue
        parsed = parse_subject(message.subject)
        if parsed is None or (venue and parsed.venue != venue):
            continue
        table = parsed.of_table
        if table is not None and parsed.kind == HEARTBEAT:
            event = _heartbeat(message.body)
            if event is not None and isinstance(event.data, Heartbeat):
                beats[table] = (event.data, event.time)
        elif parsed.table == RELAY:
            for name, one, reported_by in _reported(message.body):
                simple = name.removeprefix(f"{SIM}/")
                if is_table(simple):
                    relayed[TableName(parsed.venue, simple != name, simple)] = (one, reported_by)
    return {
        table: AnnouncedTable(*beats.get(table, (None, "")), *relayed.get(table, (None, "")))
        for table in sorted({*beats, *relayed})
    }


async def held_streams(jetstream: JetStream, venue: str = "") -> list[str]:
    """The streams that hold events: that of the hub where there is one, otherwise those of the venues.

    Raises:
        NatsUnavailableError, NatsRefusedError: they cannot be listed.
    """
    there = await jetstream.streams()
    if HUB_STREAM in there:
        return [HUB_STREAM]
    if venue:
        return [stream_of(venue)] if stream_of(venue) in there else []
    return [name for name in there if venue_of_stream(name) is not None]


async def held_venues(jetstream: JetStream, streams: Iterable[str], venue: str = "") -> set[str]:
    """The venues whose events these streams are to hold, or of them the one that is asked for.

    Raises:
        NatsUnavailableError, NatsRefusedError: they cannot be read.
    """
    found: set[str] = set()
    for stream in streams:
        names = [stream]
        if venue_of_stream(stream) is None:
            info = await jetstream.info(stream)
            names = [] if info is None else [str(one["name"]) for one in info.config.get("sources") or ()]
        found |= {one for one in map(venue_of_stream, names) if one is not None}
    return found & {venue} if venue else found


async def verify_stream(
    jetstream: JetStream,
    stream: str,
    heads: Mapping[TableName, Sequence[VouchedHead]],
    journals: Mapping[TableName, JournalOfTable],
    *,
    venue: str = "",
    keys: Collection[bytes] = (),
    archived: Mapping[TableName, Mapping[int, bytes]] | None = None,
) -> FleetReport:
    """Verifies the tables of a stream, or those of one venue, against journals, heads, the seals in it, and the heads
    of last heartbeats. With `keys`, only their seals count, and each table must have one. `archived` has the heads of
    an archive that was verified, of which each table goes on; None where none was given.

    Raises:
        NatsUnavailableError, NatsRefusedError: it cannot be read.
    """
    # Before the events: what a heartbeat announced then may be there now, and never the other way round.
    live = await live_tables(jetstream, venue)
    of_stream = venue_of_stream(stream)
    known: dict[TableName, list[VouchedHead]] = {table: list(given) for table, given in heads.items()}
    for table, one in live.items():
        beat = one.heartbeat
        if beat is not None and beat.last and beat.head and of_stream in (None, table.venue):
            by = f"{HEARTBEAT} of {one.time}"
            known.setdefault(table, []).append(VouchedHead(beat.last, bytes.fromhex(beat.head), by))
    sealed = await sealed_heads(jetstream, stream, keys, venue)
    for table, found_heads in sealed.heads.items():
        known.setdefault(table, []).extend(
            VouchedHead(head.seq, head.hash, head.seal.name, sealed=True) for head in found_heads
        )
    starts = await archived_starts(jetstream, stream, venue)
    checks, notes = await verify_messages(_of_venue(jetstream.read(stream), venue), known, journals, starts, archived)
    tables = []
    for table, check in sorted(checks.items()):
        found = live.get(table)
        announced = found.heartbeat.last if found is not None and found.heartbeat is not None else 0
        relayed = None if found is None else found.relayed
        if check.events or relayed or any(table in one for one in (heads, journals, sealed.heads, starts)):
            tables.append(check.end(announced, relayed, must_be_sealed=bool(keys)))
            if archived is not None and check.first > 1 and check.finding is None:
                notes.append(f"events 1 to {check.first - 1} of {table} are in the archive")
    return FleetReport(stream=stream, tables=tables, notes=[*sealed.notes, *notes])


class _Start(msgspec.Struct, frozen=True):
    """What `feltwire-archived` has of a table: its last event that was removed from the stream."""

    seq: Annotated[int, msgspec.Meta(ge=1)]
    head: Annotated[str, msgspec.Meta(min_length=64, max_length=64)]


async def archived_starts(jetstream: JetStream, stream: str, venue: str = "") -> dict[TableName, VouchedHead]:
    """By table, the last event that was moved from a stream to an archive, as the notes of that have it.

    Raises:
        NatsUnavailableError, NatsRefusedError: it cannot be read.
    """
    found: dict[TableName, VouchedHead] = {}
    info = await jetstream.info(ARCHIVED_STREAM, subjects=">")
    for subject in () if info is None else info.subjects:
        table = parse_archived(subject, stream)
        if table is None or venue not in ("", table.venue):
            continue
        message = await jetstream.last(ARCHIVED_STREAM, subject)
        if message is None:
            continue
        try:
            start = msgspec.json.decode(message.body, type=_Start)
            head = bytes.fromhex(start.head)
        except (ValueError, RecursionError) as error:
            raise NatsRefusedError(f"message {message.seq} of {ARCHIVED_STREAM} ({subject}): {error}") from error
        found[table] = VouchedHead(start.seq, head, f"a note in {ARCHIVED_STREAM}")
    return found


async def note_archived(jetstream: JetStream, stream: str, table: TableName, seq: int, head: bytes) -> None:
    """States that the history of a table goes on in a stream after an event, and is archived up to it.

    Raises:
        NatsUnavailableError, NatsRefusedError: it cannot be written.
    """
    body = msgspec.json.encode(_Start(seq, head.hex()))
    await jetstream.publish(ARCHIVED_STREAM, archived_subject(stream, table), body, {})


async def _of_venue(messages: AsyncIterable[StoredMessage], venue: str) -> AsyncIterator[StoredMessage]:
    """Those of one venue, and those that are of none."""
    async for message in messages:
        parsed = parse_subject(message.subject)
        if not venue or parsed is None or parsed.venue == venue:
            yield message


def _heartbeat(body: bytes) -> Event | None:
    try:
        event = decode(body)
    except EventError:
        return None
    beat = event.data
    whole = isinstance(beat, Heartbeat) and (not beat.head or len(beat.head) == 64)
    return event if whole and _is_hex(beat.head if isinstance(beat, Heartbeat) else "") else None


def _is_hex(text: str) -> bool:
    return not set(text) - set("0123456789abcdef")


def _reported(body: bytes) -> Iterable[tuple[str, RelayedTable, str]]:
    try:
        report = decode_report(body)
    except (ValueError, msgspec.MsgspecError):
        return []
    return [(name, one, f"{report.name} at {report.time}") for name, one in report.tables.items()]
