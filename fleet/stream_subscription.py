"""Follows the tables of venues as JetStream has them: messages in, items and requests out. No I/O, no clock.

    stored        handles a message of a stream, in the order of the stream
    live          handles a heartbeat, a live measure, or a relay's report
    answered      handles a frame of the answer to a request
    on_time       handles the passing of time, after all messages received until then
    requests      what to read now: a snapshot of a table, or its events after a position
    take          items for the reader

Order, gaps, snapshots and notices are those of the subscriber of a service (`feed.subscriber.tables`). What is special
here follows from the relay between:

- A heartbeat overtakes the events that it announces, and a relay may be behind. So one counts only when the stream has
  been read up to the event that it announces, and then as of the moment at which it came: a table of which the stream
  lags by more than `STALE_NS` is stale, as one that is silent, and an old number is not shown as new.
- A stream never shows that a journal was rewritten: the relay publishes no further. A heartbeat that contradicts what
  was read does not count, so that the table becomes stale, and why is notified.
- A stream may lose events that were read (a server that lost its disk); its relay sends them again. That is no
  rewritten history, unless heartbeats agree with the stream as it is now, and not with what was read.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Collection, Iterator
from typing import Final

import msgspec

from feed import wire
from feed.events import Heartbeat
from feed.subscriber import Fact, Item, Refused, Trouble, Waiting
from feed.subscriber.follower import STALE_NS, Follower
from feed.subscriber.tables import FollowedTables, Since, TableOf
from feed.subscriber.tables import event_of as event_of_body
from fleet.history import NoEventError, event_of
from fleet.report import decode_report
from fleet.streams import StoredMessage
from fleet.subjects import (
    HEARTBEAT,
    RELAY,
    SEAL,
    TableName,
    event_subject,
    parse_subject,
    relay_subject,
    root_of,
)
from hal.plain_text import plain

AT_ONCE: Final = 16
"""Tables of which history is read at one time (ours)."""
BEHIND_NS: Final = 1_000_000_000
"""A stream that does not reach an announced event for this long is asked for it by its number (ours): what follows a
stream may have been begun behind it."""
GIVE_UP_NS: Final = 2_000_000_000
"""Between two times that what was read of a table is given up (ours): meanwhile its relay publishes a snapshot."""
WAITING_NS: Final = 1_000_000_000
"""Without a table for this long after the connection, `Waiting` is notified (ours)."""
PROGRESS: Final = "round.progress"
MOST_STRANGE: Final = 64
"""Tables without an event of which a message was ignored, that are named (ours)."""


class _Table:
    """What is known of one table beside its follower."""

    def __init__(self, place: TableOf, follower: Follower, now_ns: int) -> None:
        self.place = place
        self.follower = follower
        self.found_ns = self.verified_ns = now_ns
        self.announced: deque[tuple[int, Heartbeat]] = deque()
        """Heartbeats of events that the stream was not read up to yet, and when they came."""
        self.contradictions = 0
        """Consecutive heartbeats that contradict what was read."""
        self.contradicting: Heartbeat | None = None
        """The last of them."""
        self.given_up_ns = now_ns - GIVE_UP_NS
        """When what was read was given up for what the stream holds now."""
        self.troubles: dict[str, str] = {}
        """What was notified last, by what it is about."""


class StreamSubscription:
    """Follows the tables of one venue, or of all that a server has."""

    def __init__(
        self,
        endpoint: str,
        venue: str = "",
        *,
        tables: Collection[str] | None = None,
        since: Since = None,
        simulated: bool | None = False,
    ) -> None:
        """See `feed.subscriber.Subscriber` for `tables`, `since` and `simulated`; `endpoint` is for notices only.
        Without a venue, that of a table is in its name."""
        self._endpoint = endpoint
        self._venue = venue
        self._items: list[Item] = []
        self._numbers = itertools.count(1)
        self._tables = FollowedTables(self._items, self._next_id, tables=tables, since=since, simulated=simulated)
        self._known: dict[TableName, _Table] = {}
        self._strange: dict[TableName | None, dict[str, str]] = {}
        """What was notified of tables that are not known."""
        self._notified = ""
        """The trouble of the whole server that was notified last."""
        self._connected_ns: int | None = None
        self._waiting_notified = False
        self.refused = ""
        """Why the server does not let this reader in, or read; empty where it does."""
        self.malformed = 0
        """Messages that are not what their subject says; they are ignored."""

    # --- what to read --------------------------------------------------------------------------------------------

    @property
    def live_subjects(self) -> list[str]:
        """The subjects to subscribe to: heartbeats, live measures and the relays' reports."""
        found = []
        for simulated in self._tables.kinds:
            root = root_of(self._venue or "*", simulated=simulated, live=True)
            for table in ("*",) if self._tables.wanted is None else sorted(self._tables.wanted):
                found += [f"{root}.{table}.{kind}" for kind in (HEARTBEAT, PROGRESS)]
        return [*found, relay_subject(self._venue or "*", "*")]

    def event_subjects(self, stream_venue: str | None) -> list[str]:
        """The filters of a stream's messages; `stream_venue` is whose it is, None for that of a hub."""
        if self._tables.wanted is None:
            if not self._venue or stream_venue is not None:
                return [">"]
            return [f"{root_of(self._venue, simulated=simulated)}.>" for simulated in self._tables.kinds]
        return [
            TableName(self._venue or "*", simulated, table).events
            for simulated in self._tables.kinds
            for table in sorted(self._tables.wanted)
        ]

    # --- for the reader ------------------------------------------------------------------------------------------

    @property
    def stale(self) -> frozenset[str]:
        """The tables whose heartbeat is missing."""
        return self._tables.stale

    def silent_ns(self, now_ns: int) -> dict[str, int | None]:
        """For each table how long ago it was as it is shown; None where that is not known."""
        return self._tables.silent_ns(now_ns)

    def take(self) -> list[Item]:
        """The items since the last call, in order."""
        items = self._items[:]
        self._items.clear()
        return items

    def join_again(self, name: str) -> None:
        """A table begins with its snapshot, as if nothing of it had been delivered; the others go on.

        Raises:
            KeyError: no such table is followed.
        """
        self._tables.join_again(name)
        for one in self._known.values():
            if one.place.name == name:
                # Its snapshot may be older than what was read: only heartbeats from now on show how old.
                one.follower.liveness.forget()

    # --- the connection ------------------------------------------------------------------------------------------

    def connected(self, now_ns: int) -> None:
        """There is a connection, and everything is read again from the positions on."""
        self.refused = self._notified = ""
        self._connected_ns = now_ns
        self.verify()

    def verify(self) -> None:
        """What follows the streams begins behind their last message now: what each table lacks is read by number."""
        for one in self._known.values():
            one.follower.pending.reset()
            one.follower.forget_announced()
            one.follower.verify_position()

    def disconnected(self, why: str, *, refused: bool = False) -> None:
        """There is no connection, or this user may not read. The same reason is notified once."""
        self._connected_ns = None
        for one in self._known.values():
            one.follower.pending.reset()
            one.announced.clear()
        if refused:
            self.refused = why
        if why != self._notified:
            self._notified = why
            trouble = Trouble(table="", detail=f"{why}; trying again")
            self._items.append(Refused(table="", endpoint=self._endpoint, why=why) if refused else trouble)

    def has_venue(self) -> None:
        """The server has the venue; if it is gone later, that is notified again."""
        self._notified = ""

    def no_venue(self, there: Collection[str]) -> None:
        """The server has no stream of the venue; `there` are those that it has."""
        none = "feltwire fleet init makes its stream"
        if not self._venue:
            what = f"the server has no venue yet: {none}"
        elif there:
            what = f"the server has no venue {self._venue}; it has: {', '.join(sorted(there))}"
        else:
            what = f"the server has no venue {self._venue}, and no other: {none}"
        if what != self._notified:
            self._notified = what
            self._waiting_notified = True
            self._items.append(Trouble(table="", detail=what))

    def found(self, tables: Collection[TableName], now_ns: int) -> None:
        """The tables of which the streams hold events."""
        for table in sorted(tables):
            if self._wants(table):
                self._table(table, now_ns).follower.set_existing()
        there = sorted({table.table for table in tables if self._venue in ("", table.venue)})
        for wanted in sorted((self._tables.wanted or frozenset()).difference(there)):
            detail = f"no such table has events here yet; there are: {', '.join(there) or 'none'}"
            self._items.append(Trouble(table=wanted, detail=detail))

    # --- received ------------------------------------------------------------------------------------------------

    def stored(self, message: StoredMessage, now_ns: int) -> None:
        """Handles a message of a stream."""
        parsed = parse_subject(message.subject)
        if parsed is not None and parsed.table == SEAL and not parsed.live:
            # For whoever verifies.
            return
        table = None if parsed is None or parsed.live else parsed.of_table
        if table is None:
            self.malformed += 1
            self._trouble(None, "subject", f"message {message.seq} ({message.subject}): the subject is of no table")
            return
        if not self._wants(table):
            return
        try:
            event = event_of(message)
        except NoEventError as error:
            self.unreadable(table, error)
            return
        one = self._table(table, now_ns)
        self._tables.fact(one.place, Fact(event, message.body), now_ns, live=False)
        self._release(table, one, now_ns)

    def unreadable(self, table: TableName, error: NoEventError) -> None:
        """A message of the stream is not an event of the table on whose subject it is. It is ignored, and
        notified: once for each reason."""
        self.malformed += 1
        self._trouble(table, error.why, str(error), about="message")

    def live(self, subject: str, body: bytes, now_ns: int) -> bool:
        """Handles a message of a live subject. Returns whether its table announces an event that was not read yet."""
        parsed = parse_subject(subject)
        if parsed is None or not parsed.live or (self._venue and parsed.venue != self._venue):
            self.malformed += 1
            return False
        if parsed.table == RELAY:
            self._report(parsed.venue, body)
            return False
        table = parsed.of_table
        if table is None or not self._wants(table):
            return False
        event = event_of_body(body)
        if event is None or event.seq is not None or event_subject(table.venue, event, live=True) != subject:
            self.malformed += 1
            self._trouble(table, subject, f"a message of {subject} is not what its subject says; it is ignored")
            return False
        one = self._table(table, now_ns)
        if isinstance(event.data, Heartbeat):
            one.announced.append((now_ns, event.data))
            self._release(table, one, now_ns)
        elif not one.announced:
            # Of a table that the stream lags behind, a measure is of a later round than the one that is shown.
            self._tables.fact(one.place, Fact(event, body), now_ns, live=False)
        return bool(one.announced)

    def answered(self, answer: wire.HistoryAnswer, now_ns: int) -> None:
        """Handles a frame of an answer."""
        self._tables.answer(self._judged(answer, now_ns), now_ns)
        for table, one in self._known.items():
            self._release(table, one, now_ns)

    def on_time(self, now_ns: int) -> None:
        """Handles the passing of time, after every message received until now."""
        for one in self._known.values():
            self._on_time_of(one, now_ns)
        self._tables.tick(now_ns)
        for table, one in self._known.items():
            self._notify_lag(table, one, now_ns)
        since = self._connected_ns
        if since is not None and not self._waiting_notified and not self._known and now_ns - since >= WAITING_NS:
            self._waiting_notified = True
            self._items.append(Waiting(table="", endpoint=self._endpoint))

    def requests(self, now_ns: int) -> Iterator[tuple[TableName, wire.HistoryRequest]]:
        """What to read now."""
        if self._connected_ns is None:
            return
        free = AT_ONCE - sum(pending.request_id is not None for pending in self._tables.pending())
        for place, request in self._tables.requests(free, now_ns):
            yield TableName(place.venue or self._venue, place.simulated, place.table), request

    # --- one table -----------------------------------------------------------------------------------------------

    def _on_time_of(self, one: _Table, now_ns: int) -> None:
        announced = one.announced
        while len(announced) > 1 and now_ns - announced[0][0] >= STALE_NS:
            # Too old to show that the table is not stale.
            announced.popleft()
        if announced and now_ns - max(announced[0][0], one.verified_ns) >= BEHIND_NS:
            one.verified_ns = now_ns
            one.follower.verify_position()

    def _notify_lag(self, table: TableName, one: _Table, now_ns: int) -> None:
        position = one.follower.position
        if position is None:
            if self._connected_ns is not None and now_ns - max(one.found_ns, self._connected_ns) >= STALE_NS:
                what = "no snapshot of it is on the server: its relay publishes one while the service runs"
                self._trouble(table, "", what, about="snapshot")
        elif one.announced and one.follower.liveness.stale:
            last = one.announced[-1][1].last
            what = (
                f"the table is at event {last}, and the stream at event {position.seq}: its relay is behind, or relays "
                "it no further"
            )
            self._trouble(table, "", what, about="lag")
        elif not one.announced:
            one.troubles.pop("lag", None)

    def _release(self, table: TableName, one: _Table, now_ns: int) -> None:
        """Hands on the heartbeats of events up to which the stream was read."""
        follower = one.follower
        while one.announced:
            came_ns, beat = one.announced[0]
            position = follower.position
            if position is None:
                # It is joined at its snapshot, which may be older than this.
                follower.set_existing()
                return
            if beat.last > position.seq:
                return
            one.announced.popleft()
            if follower.contradicts(beat):
                self._contradicted(table, one, beat)
                continue
            one.contradictions, one.contradicting = 0, None
            one.troubles.pop("history", None)
            if now_ns - came_ns < STALE_NS:
                self._tables.heartbeat(one.place, beat, came_ns)

    def _contradicted(self, table: TableName, one: _Table, beat: Heartbeat) -> None:
        one.contradictions += 1
        one.contradicting = beat
        one.follower.verify_position()
        if one.contradictions > 1:
            # One alone may be late, of a service that has been restarted since.
            what = (
                f"the heartbeats report another history than the stream holds, up to event {beat.last}: the journal or "
                "the stream was rewritten; run feltwire fleet verify"
            )
            self._trouble(table, "", what, about="history")

    def _judged(self, answer: wire.HistoryAnswer, now_ns: int) -> wire.HistoryAnswer:
        """The answer, where a stream ends before what came of it: it may have lost events, which the relay sends again.
        Where heartbeats agree with the stream, what was read is not the table's history any more."""
        one = next((one for one in self._known.values() if one.follower.pending.request_id == answer.request_id), None)
        if one is None:
            return answer
        if isinstance(answer, wire.EndAnswer) and not answer.more and answer.end.last < one.follower.announced:
            end = answer.end
            detail = (
                f"the stream ends with event {end.last}, and event {one.follower.announced} arrived: it lost events"
            )
            refusal = wire.RequestRefusal(
                code=wire.UNAVAILABLE, detail=detail, table=end.table, epoch=end.epoch, last=end.last
            )
            return wire.ErrorAnswer(answer.request_id, refusal)
        if not isinstance(answer, wire.ErrorAnswer) or answer.refusal.code != wire.UNAVAILABLE:
            return answer
        beat, refusal = one.contradicting, answer.refusal
        agrees = beat is not None and (beat.epoch, beat.last) == (refusal.epoch, refusal.last)
        if agrees and now_ns - one.given_up_ns >= GIVE_UP_NS:
            one.given_up_ns = now_ns
            return wire.ErrorAnswer(answer.request_id, msgspec.structs.replace(refusal, code=wire.REWRITTEN))
        return answer

    def _report(self, venue: str, body: bytes) -> None:
        try:
            report = decode_report(body)
        except ValueError:
            self.malformed += 1
            return
        for name, relayed in report.tables.items():
            kind, _, simple = name.rpartition("/")
            table = TableName(venue, bool(kind), simple)
            if relayed.detail and self._wants(table):
                what = f"its relay {report.name}: {relayed.detail}"
                self._trouble(table, what, what, about="relay")
            elif table in self._known:
                self._known[table].troubles.pop("relay", None)

    def _wants(self, table: TableName) -> bool:
        return self._venue in ("", table.venue) and self._tables.wants(table.table, simulated=table.simulated)

    def _place(self, table: TableName) -> TableOf:
        return TableOf(table.table, table.simulated, "" if self._venue else table.venue)

    def _table(self, table: TableName, now_ns: int) -> _Table:
        one = self._known.get(table)
        if one is None:
            place = self._place(table)
            one = self._known[table] = _Table(place, self._tables.follower(place, now_ns), now_ns)
        return one

    def _trouble(self, table: TableName | None, why: str, detail: str, *, about: str = "live") -> None:
        """Notifies what is wrong, once as long as the reason is the same."""
        one = None if table is None else self._known.get(table)
        if one is not None:
            troubles = one.troubles
        elif len(self._strange) < MOST_STRANGE:
            troubles = self._strange.setdefault(table, {})
        else:
            return
        if troubles.get(about) == why:
            return
        troubles[about] = why
        place = TableOf("", False) if table is None else self._place(table)
        # Subjects and bodies are anybody's who may write there: no terminal obeys them.
        self._items.append(
            Trouble(table=plain(place.table), simulated=place.simulated, venue=plain(place.venue), detail=plain(detail))
        )

    def _next_id(self) -> bytes:
        return b"%d" % next(self._numbers)
