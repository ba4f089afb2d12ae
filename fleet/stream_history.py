"""Reads a table's history out of JetStream, and answers as the history server of a service does (`feed.wire`).

Events are found by their number: those of a table are in the stream in order, so a search by halves finds each.
A stream may have lost events that a reader has; that is never taken for a rewritten history.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Final, NamedTuple, Protocol

from feed import wire
from feed.events import Event
from feed.state import decode_snapshot
from fleet.history import NoEventError, event_of
from fleet.streams import StoredMessage
from fleet.subjects import LIVE_STREAM, SNAPSHOT, TableName

NEAR: Final = 64
"""Messages before the end of the stream in which an event is looked for first (ours)."""


class Messages(Protocol):
    """Reads single messages: `fleet.streams.JetStream`."""

    async def last(self, stream: str, subject: str) -> StoredMessage | None:
        """The last message of a filter; None where there is none."""

    async def next(self, stream: str, subject: str, seq: int) -> StoredMessage | None:
        """The first message of a filter from a number on; None where there is none."""


class _Found(NamedTuple):
    """An event, and its number in the stream."""

    at: int
    event: Event
    body: bytes

    @property
    def seq(self) -> int:
        """Of the event."""
        return self.event.seq or 0


class TableHistory:
    """The history of one table in one stream."""

    def __init__(
        self, messages: Messages, stream: str, table: TableName, unreadable: Callable[[NoEventError], None]
    ) -> None:
        """`unreadable` is called for each message that is not an event of the table, and is passed over."""
        self._messages = messages
        self._stream = stream
        self._table = table
        self._unreadable = unreadable

    async def answer(self, request: wire.HistoryRequest) -> AsyncIterator[wire.HistoryAnswer]:
        """The frames of the answer to a request.

        Raises:
            NatsUnavailableError, NatsRefusedError: the stream cannot be read.
        """
        if isinstance(request, wire.AskSnapshot):
            yield await self._snapshot(request)
        elif isinstance(request, wire.AskSince):
            async for answer in self._since(request):
                yield answer

    async def _snapshot(self, request: wire.AskSnapshot) -> wire.HistoryAnswer:
        message = await self._messages.last(LIVE_STREAM, self._table.live(SNAPSHOT))
        if message is None:
            return self._error(request.request_id, wire.UNKNOWN_TABLE, "no snapshot is there")
        try:
            last = decode_snapshot(message.body).last
        except ValueError as error:
            return self._error(request.request_id, wire.UNAVAILABLE, f"its snapshot cannot be read: {error}")
        first = await self._event_from(1)
        if first is not None and first.seq > last + 1:
            what = (
                f"its snapshot ends with event {last}, and the stream begins with event {first.seq}: its relay "
                "publishes a newer one while the service runs"
            )
            return self._error(request.request_id, wire.UNAVAILABLE, what)
        return wire.JsonAnswer(request.request_id, "snapshot", message.body)

    async def _since(self, request: wire.AskSince) -> AsyncIterator[wire.HistoryAnswer]:
        request_id, after = request.request_id, request.seq
        end = await self._messages.last(self._stream, self._table.events)
        last = None if end is None else await self._last_event(end)
        if end is None or last is None or last.seq < after:
            what = "holds nothing of it" if last is None else f"ends with event {last.seq}"
            refusal = wire.RequestRefusal(
                code=wire.UNAVAILABLE if after else wire.UNKNOWN_TABLE,
                detail=f"the stream {self._stream} {what}, and event {after} was read: it lost events, and the relay "
                "sends them again",
                table=self._table.table,
                epoch="" if last is None else last.event.epoch,
                last=0 if last is None else last.seq,
            )
            yield wire.ErrorAnswer(request_id, refusal)
            return
        if last.seq == after:
            found: _Found | None = last
        else:
            found = await (self._event_numbered(after, end.seq) if after else self._event_from(1))
        if found is not None and found.seq == after and request.epoch not in ("", found.event.epoch):
            what = f"event {after} is of epoch {found.event.epoch} in the stream, and not of {request.epoch}"
            refusal = wire.RequestRefusal(
                code=wire.REWRITTEN, detail=what, table=self._table.table, epoch=last.event.epoch, last=last.seq
            )
            yield wire.ErrorAnswer(request_id, refusal)
            return
        begins = after if found is None else max(after, found.seq - 1)
        sent = 0
        while found is not None and found.at <= end.seq and sent < wire.PAGE_EVENTS:
            if found.seq > after:
                yield wire.EventAnswer(request_id, found.event.topic.encode(), found.body)
                sent += 1
            found = await self._event_from(found.at + 1) if found.at < end.seq else None
        more = found is not None and found.at <= end.seq
        ended = wire.EndOfEvents(table=self._table.table, epoch=last.event.epoch, last=last.seq, head="", after=begins)
        yield wire.EndAnswer(request_id, more, ended)

    async def _last_event(self, end: StoredMessage) -> _Found | None:
        """The last event; where the last message is none, the last one before it."""
        found = self._read(end)
        if found is not None:
            return found
        begin = end.seq
        step = NEAR
        while begin > 1:
            begin = max(1, end.seq - step)
            step *= 8
            one = await self._event_from(begin)
            while one is not None and one.at < end.seq:
                found = one
                one = await self._event_from(one.at + 1)
            if found is not None:
                return found
        return None

    async def _event_numbered(self, seq: int, end: int) -> _Found | None:
        """The first event with this number or a higher one, among the messages up to `end`."""
        high, step = end, NEAR
        low, found = 1, None
        while high > 1:
            probe = max(1, end - step)
            one = await self._event_from(probe)
            if one is None or one.seq >= seq:
                found, high = one, probe
                step *= 8
            else:
                low = one.at + 1
                break
        while low < high:
            middle = (low + high) // 2
            one = await self._event_from(middle)
            if one is None or one.seq >= seq:
                found, high = one, middle
            else:
                low = one.at + 1
        one = await self._event_from(low)
        return one if one is not None and one.seq >= seq else found

    async def _event_from(self, at: int) -> _Found | None:
        """The first event from a number of the stream on."""
        while True:
            message = await self._messages.next(self._stream, self._table.events, at)
            if message is None:
                return None
            found = self._read(message)
            if found is not None:
                return found
            at = message.seq + 1

    def _read(self, message: StoredMessage) -> _Found | None:
        try:
            return _Found(message.seq, event_of(message), message.body)
        except NoEventError as error:
            self._unreadable(error)
            return None

    def _error(self, request_id: bytes, code: str, detail: str) -> wire.ErrorAnswer:
        return wire.ErrorAnswer(request_id, wire.RequestRefusal(code=code, detail=detail, table=self._table.table))
