"""Follows one table: delivers each fact once, in order and without a gap, from two unreliable sources.

    feed      facts as they happen, and heartbeats; loses some, above all the first and the last
    history   missed events and snapshots; answers late, partly or not at all

The next fact in order is delivered at once. A later one is kept, and the events between are requested. A heartbeat with
a higher number than the last fact is a gap too.

    joining ──snapshot──► catching up ──complete──► live ──gap, other epoch──► catching up
                               ▲  └──the journal differs──► comparing ─┐
                               └───────────────────────────────────────┘

`comparing`: the journal no longer holds events that were delivered. It is read from the oldest remembered event on;
from the first event that differs, facts are delivered again.

Nothing here does I/O or reads a clock.
"""

from __future__ import annotations

from enum import Enum
from typing import Final

from .. import wire
from ..events import Heartbeat
from ..state import Snapshot
from .items import Fact, Fresh, Halted, Item, Joined, Position, Stale
from .memory import Comparison, ComparisonResult
from .sequencer import BEFORE_FIRST, MAX_KEPT, CompletenessNotices, FactSequencer

HALTED: Final = "halted"
"""The `state` in the heartbeats of a service whose journal failed."""

STALE_NS: Final = 3_000_000_000
"""A table without a heartbeat for this long is stale (ours; a heartbeat comes each second)."""

ANSWER_NS: Final = 3_000_000_000
"""The longest time without a frame of the answer to a request (ours)."""
LONGEST_WAIT_NS: Final = 8_000_000_000
"""The longest wait between two attempts; the first is `FIRST_WAIT_NS`, and each failure doubles it (ours)."""
FIRST_WAIT_NS: Final = 250_000_000


class FollowerState(Enum):
    """The state of a follower, which decides what it requests."""

    JOINING = "joining"
    """Requests a snapshot."""
    CATCHING_UP = "catching up"
    """Requests the events after its position."""
    COMPARING = "comparing"
    """Requests the events that the journal holds now, to find the first that differs."""
    LIVE = "live"
    """Requests nothing."""


class Liveness:
    """Detects that a table's publisher is silent, or that its service has halted; how old what was delivered may be."""

    def __init__(self, table: str, items: list[Item], now_ns: int) -> None:
        self.stale = False
        self._table = table
        self._items = items
        self._received_ns = now_ns
        self._had_heartbeat = False
        self._complete_ns: int | None = None
        """When a message was received last after which no event was missing; None where that is not known."""
        self._halted = False

    def silent_ns(self, now_ns: int) -> int | None:
        """How old what was delivered may be: a publisher that announces events which are missing makes nothing newer.
        None where that is not known."""
        return None if self._complete_ns is None else now_ns - self._complete_ns

    def complete(self) -> None:
        """As of the last message received, no event is missing."""
        if self._had_heartbeat:
            self._complete_ns = self._received_ns

    def received(self, now_ns: int) -> None:
        """A message of the publisher was received."""
        silent_ns, self._received_ns = now_ns - self._received_ns, now_ns
        self._had_heartbeat = True
        if self.stale:
            self.stale = False
            self._items.append(Fresh(table=self._table, silent_ns=silent_ns))

    def forget(self) -> None:
        """How old what is known of the table may be is unknown until something is received."""
        self._had_heartbeat = False
        self._complete_ns = None

    def reported(self, state: str) -> None:
        """The state of the table in a heartbeat. `Halted` is notified once."""
        halted, self._halted = self._halted, state == HALTED
        if self._halted and not halted:
            self._items.append(Halted(table=self._table))

    def reset(self) -> None:
        """After a new snapshot, or a restart of the service: a table that is halted then is notified again."""
        self._halted = False

    def tick(self, now_ns: int) -> None:
        """Detects a missing heartbeat."""
        silent_ns = now_ns - self._received_ns
        if not self.stale and silent_ns >= STALE_NS:
            self.stale = True
            self._items.append(Stale(table=self._table, silent_ns=silent_ns, had_heartbeat=self._had_heartbeat))


class PendingRequest:
    """One request to the history: sent, answered or overdue, and sent again with a back-off."""

    def __init__(self) -> None:
        self.request_id: bytes | None = None
        """The id of the request that was sent; None while none is pending. Answers with another id are ignored."""
        self.failures = 0
        """Consecutive failures."""
        self._overdue_ns = 0
        self._not_before_ns = 0

    def may_send(self, now_ns: int) -> bool:
        """Whether a request may be sent now."""
        return self.request_id is None and now_ns >= self._not_before_ns

    def sent(self, request_id: bytes, now_ns: int) -> None:
        """A request was sent."""
        self.request_id = request_id
        self._overdue_ns = now_ns + ANSWER_NS

    def is_answer(self, request_id: bytes, now_ns: int) -> bool:
        """Whether a frame belongs to the pending request; if so, its deadline starts again."""
        if self.request_id is None or request_id != self.request_id:
            return False
        self._overdue_ns = now_ns + ANSWER_NS
        return True

    def completed(self) -> None:
        """The answer is complete: the next request may be sent at once."""
        self.request_id = None
        self.failures = 0
        self._not_before_ns = 0

    def failed(self, now_ns: int) -> None:
        """No usable answer was received: the next request waits, each time longer."""
        self.request_id = None
        self._not_before_ns = now_ns + min(FIRST_WAIT_NS << min(self.failures, 16), LONGEST_WAIT_NS)
        self.failures += 1

    def overdue(self, now_ns: int) -> bool:
        """Whether the answer to the pending request is overdue."""
        return self.request_id is not None and now_ns >= self._overdue_ns

    def reset(self) -> None:
        """The pending request is obsolete, or lost with its connection: the next one may be sent at once, and where it
        fails the waits begin again. They may be longer than a connection that brings nothing is kept."""
        self.request_id = None
        self.failures = 0
        self._not_before_ns = 0


class Follower:
    """Follows one table. Facts and notices are appended to `items`."""

    def __init__(
        self, table: str, *, simulated: bool, start: Position | None, now_ns: int, kept: int = MAX_KEPT
    ) -> None:
        """`start` is the position after which facts are delivered; None begins with a snapshot."""
        self.table = table
        self.simulated = simulated
        self.items: list[Item] = []
        self.liveness = Liveness(table, self.items, now_ns)
        self._kept = kept
        self._exists = False
        self._feed_epoch = ""
        self._begin(start)

    def _begin(self, start: Position | None) -> None:
        self.state = FollowerState.JOINING
        self._start = start
        self._notices = CompletenessNotices(self.table, self.items)
        self._facts = FactSequencer(self.table, self.items, self._kept, self.liveness.reset)
        self._comparison = Comparison(self._facts.memory)
        self.pending = PendingRequest()
        self._requested_seq = 0
        self._requested_highest = 0
        self._ended_early = False
        """An answer ended before the highest number announced. A second time, those events are lost."""
        if start is not None:
            self._facts.start(start)
            self.state = FollowerState.CATCHING_UP

    def join_again(self) -> None:
        """Begins with the table's snapshot, as if nothing had been delivered. Its silence is still counted."""
        self._begin(None)

    # --- the feed ------------------------------------------------------------------------------------------------

    @property
    def position(self) -> Position | None:
        """The position after the last fact; None before the first snapshot."""
        memory = self._facts.memory
        return memory.position if memory.started else None

    def fact(self, fact: Fact, now_ns: int, *, live: bool = True) -> None:
        """Handles an event of the feed. `live` is False for one that a store delivers: it may be old, and shows nothing
        of whether the publisher is silent."""
        if live:
            self._received(fact.event.epoch, now_ns)
        else:
            self._exists = True
        event, seq = fact.event, fact.event.seq
        facts, memory = self._facts, self._facts.memory
        if seq is None:
            # Not durable: delivered only while live, and of the current epoch.
            if self.state is FollowerState.LIVE and event.epoch == memory.epoch:
                self.items.append(fact)
            return
        place = Position(event.epoch, seq)
        if memory.started and facts.is_past_epoch(place):
            return
        if memory.started and seq <= memory.seq:
            if event.epoch != memory.epoch:
                # A number that was delivered already, in an unknown epoch: the journal decides.
                facts.note_unconfirmed(place)
                self.verify_position()
            return
        facts.note_announced(place)
        in_order = (
            self.state in (FollowerState.CATCHING_UP, FollowerState.LIVE)
            and seq == memory.seq + 1
            and facts.follows(event)
        )
        if in_order:
            self._compare_unless(facts.accept(fact, seq) and facts.release_kept())
            if live and self.state is not FollowerState.COMPARING and not facts.incomplete:
                self.liveness.complete()
        else:
            facts.keep(fact, seq)
            self._catch_up_to(seq - 1)

    def heartbeat(self, beat: Heartbeat, now_ns: int) -> None:
        """Handles a heartbeat: the number and chain head of the last journalled event."""
        self._received(beat.epoch, now_ns)
        facts, memory = self._facts, self._facts.memory
        is_late = beat.epoch != memory.epoch and memory.last_of(beat.epoch) is not None
        if self.state is not FollowerState.JOINING and not is_late:
            self.liveness.reported(beat.state)
        reported = Position(beat.epoch, beat.last, beat.head)
        if not memory.started or self.state is FollowerState.COMPARING or facts.is_past_epoch(reported):
            return
        if not memory.witness(beat.last, beat.head):
            self._rewritten(reported, f"a heartbeat reports another head of event {beat.last}")
        elif beat.last > memory.seq:
            facts.note_announced(reported)
            self._catch_up_to(beat.last)
        elif beat.last < memory.seq and beat.epoch != memory.epoch:
            # The service was started again on a journal that ends before our position: the journal decides.
            self.verify_position()
        elif not facts.incomplete:
            self.liveness.complete()

    @property
    def announced(self) -> int:
        """The highest number that was announced when the last request was made."""
        return self._requested_highest

    def forget_announced(self) -> None:
        """Forgets what came beyond our position: the history is asked for it."""
        self._facts.forget_unreached()

    def contradicts(self, beat: Heartbeat) -> bool:
        """Whether a heartbeat of an event that was delivered reports another history than ours: another head of the
        chain, or an epoch of which we have nothing and an earlier end."""
        memory = self._facts.memory
        if not memory.started or beat.last > memory.seq:
            return False
        unknown_epoch = beat.epoch != memory.epoch and memory.last_of(beat.epoch) is None
        return (unknown_epoch and beat.last < memory.seq) or not memory.witness(beat.last, beat.head)

    def tick(self, now_ns: int) -> None:
        """Handles the passing of time, after every message received until now."""
        self.liveness.tick(now_ns)
        if self.pending.overdue(now_ns):
            self._failed("the history does not answer" if self.pending.failures else "", now_ns)

    def _received(self, epoch: str, now_ns: int) -> None:
        self.liveness.received(now_ns)
        self._exists = True
        if epoch != self._feed_epoch:
            # Another process: it does not answer the requests sent to the one before.
            self._feed_epoch = epoch
            self.pending.reset()

    def _catch_up_to(self, last: int) -> None:
        if self.state is FollowerState.LIVE:
            self.state = FollowerState.CATCHING_UP
            self._notices.gap(self._facts.memory.seq + 1, last)

    def verify_position(self) -> None:
        """Has the history asked whether it has our position, and for what follows it."""
        if self.state is FollowerState.LIVE:
            self.state = FollowerState.CATCHING_UP

    # --- requests ------------------------------------------------------------------------------------------------

    def set_existing(self) -> None:
        """The history knows the table: requests may be sent though nothing of it was received yet."""
        self._exists = True

    def ask(self, request_id: bytes, now_ns: int) -> wire.HistoryRequest | None:
        """The request to send now, if any."""
        if self.state is FollowerState.LIVE or not self._exists or not self.pending.may_send(now_ns):
            return None
        self.pending.sent(request_id, now_ns)
        self._requested_highest = self._facts.highest.seq
        if self.state is FollowerState.JOINING:
            return wire.AskSnapshot(request_id, self.table)
        comparing = self.state is FollowerState.COMPARING
        place = Position("", self._comparison.cursor) if comparing else self._facts.memory.position
        self._requested_seq = place.seq
        return wire.AskSince(request_id, self.table, place.epoch, place.seq)

    # --- answers -------------------------------------------------------------------------------------------------

    def answer(self, answer: wire.HistoryAnswer, content: Fact | Snapshot | None, now_ns: int) -> None:
        """Handles a frame of an answer; `content` is its decoded body, where there is one.

        Answers to other requests are ignored.
        """
        if not self.pending.is_answer(answer.request_id, now_ns):
            return
        match answer:
            case wire.EventAnswer() if isinstance(content, Fact) and self.state is not FollowerState.JOINING:
                self._event_answered(content, now_ns)
            case wire.EndAnswer(_, more, end) if self.state is FollowerState.COMPARING:
                self._comparison_page_ended(end, more, now_ns)
            case wire.EndAnswer(_, more, end) if self.state is FollowerState.CATCHING_UP:
                self._page_ended(end, more, now_ns)
            case wire.JsonAnswer() if isinstance(content, Snapshot) and self.state is FollowerState.JOINING:
                self._join(content, now_ns)
            case wire.ErrorAnswer(_, refusal):
                self._refused(refusal, now_ns)
            case _:
                self._failed("the history sent an answer that does not match the request, or cannot be read", now_ns)

    def _join(self, snapshot: Snapshot, now_ns: int) -> None:
        if (snapshot.table, snapshot.simulated) != (self.table, self.simulated):
            self._failed("the snapshot is of another table", now_ns)
            return
        self._facts.start(Position(snapshot.epoch, snapshot.last))
        self.items.append(Joined(table=self.table, snapshot=snapshot))
        self.liveness.reset()
        self.pending.completed()
        self.state = FollowerState.CATCHING_UP
        self._compare_unless(self._facts.release_kept())

    def _event_answered(self, fact: Fact, now_ns: int) -> None:
        seq, expected = fact.event.seq, self._facts.memory.seq + 1
        if seq is None or (fact.event.data.table, fact.event.data.simulated) != (self.table, self.simulated):
            self._failed("the history sent events of another table", now_ns)
        elif self.state is FollowerState.COMPARING:
            self._compare(fact, seq)
        elif seq == expected:
            self._compare_unless(self._facts.accept(fact, seq))
        elif seq > expected:
            # Those before it were archived, or lost on the way; the end of the answer decides which.
            self._facts.keep(fact, seq)

    def _page_ended(self, end: wire.EndOfEvents, more: bool, now_ns: int) -> None:
        facts, memory = self._facts, self._facts.memory
        reported = Position(end.epoch, end.last, end.head)
        if end.last < self._requested_seq:
            self._rewritten(reported, "the journal ends before what was received")
            return
        if end.after > memory.seq:
            self._notices.missing(memory.seq + 1, end.after)
            memory.skip_to(end.after)
        if not facts.release_kept():
            self._start_comparison()
        elif not memory.witness(end.last, end.head):
            self._rewritten(reported, f"the journal reports another head of event {end.last}")
        elif memory.seq == self._requested_seq < end.last:
            self._failed("", now_ns)
        else:
            self.pending.completed()
            if not more and memory.seq >= end.last:
                self._history_complete(reported, now_ns)

    def _history_complete(self, reported: Position, now_ns: int) -> None:
        """The answer was complete. Events announced since are requested next."""
        facts = self._facts
        if not facts.incomplete:
            self._go_live()
        elif self._requested_highest <= reported.seq:
            return
        elif not self._ended_early:
            self._ended_early = True
            self._failed("", now_ns)
        else:
            # Events that came while the answer was on its way are in the journal, and beyond the end that it reported.
            why = "the journal ends before an event that was announced"
            facts.report_rewritten(facts.highest, facts.memory.position, why)

    def _go_live(self) -> None:
        self.state = FollowerState.LIVE
        self._ended_early = False
        self._facts.check_epochs()
        self._notices.completed(self._facts.memory.position)
        self.liveness.complete()

    def _refused(self, refusal: wire.RequestRefusal, now_ns: int) -> None:
        nothing_held = refusal.code == wire.UNKNOWN_TABLE
        gone = refusal.code == wire.REWRITTEN or (nothing_held and self._facts.memory.seq > 0)
        if gone and self.state is FollowerState.COMPARING:
            self._start_over()
        elif gone and self.state is FollowerState.CATCHING_UP:
            self._rewritten(Position(refusal.epoch, refusal.last, refusal.head), refusal.detail)
        else:
            # An unknown table has no durable event yet.
            self._failed("" if nothing_held else f"the history refuses: {refusal.code}: {refusal.detail}", now_ns)

    def _failed(self, detail: str, now_ns: int) -> None:
        self.pending.failed(now_ns)
        self._notices.trouble(detail)

    # --- a rewritten history -------------------------------------------------------------------------------------

    def _compare_unless(self, agrees: bool) -> None:
        if not agrees:
            self._start_comparison()

    def _rewritten(self, journal: Position, why: str) -> None:
        self._facts.report_rewritten(self._facts.memory.position, journal, why)
        self._start_comparison()

    def _start_comparison(self) -> None:
        self.state = FollowerState.COMPARING
        self._comparison = Comparison(self._facts.memory)
        self._ended_early = False
        self._notices.reset(caught_up=True)
        self.pending.reset()

    def _compare(self, fact: Fact, seq: int) -> None:
        if seq != self._comparison.cursor + 1:
            return
        match self._comparison.compare(fact):
            case ComparisonResult.DIFFERENT:
                self._facts.memory.rewind(self._comparison.cursor)
                self.state = FollowerState.CATCHING_UP
                self._compare_unless(self._facts.accept(fact, seq))
            case ComparisonResult.ALL_DIFFERENT:
                self._start_over()

    def _comparison_page_ended(self, end: wire.EndOfEvents, more: bool, now_ns: int) -> None:
        """No event of this page differs from those delivered."""
        memory, cursor = self._facts.memory, self._comparison.cursor
        nothing_left = cursor == memory.before and cursor > 0
        if nothing_left or end.last < memory.before or end.after > self._requested_seq:
            self._start_over()
        elif cursor == self._requested_seq < min(end.last, memory.seq):
            self._failed("", now_ns)
        else:
            self.pending.completed()
            if not more and cursor >= min(end.last, memory.seq):
                memory.rewind(cursor)
                if cursor == end.last:
                    memory.adopt_head(end.head)
                self.state = FollowerState.CATCHING_UP

    def _start_over(self) -> None:
        """No remembered event is in the journal: everything delivered is to be discarded."""
        self._facts.forget_unreached()
        self.pending.reset()
        self._notices.reset(caught_up=False)
        if self._start is None:
            self._facts.memory.stop()
            self.state = FollowerState.JOINING
        else:
            self._facts.start(BEFORE_FIRST)
            self.state = FollowerState.CATCHING_UP
