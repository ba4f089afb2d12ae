"""Follows one table: its facts each once, in order and without a hole, out of two unreliable sources.

    feed      facts as they happen, and heartbeats; loses some, above all the first and the last
    history   what was missed, and where the table stands; answers late, partly or not at all

A fact that is the next one is given at once. Any other is kept, and what lies between is asked for. A heartbeat that
tells a higher number than the last fact has is a gap too.

    joining ──snapshot──► catching up ──all there is──► in step ──gap, doubt──► catching up
                               ▲  └──the journal differs──► comparing ─┐
                               └───────────────────────────────────────┘

`comparing`: the journal no longer holds what it said. What it holds now is read from the oldest event remembered on;
from the first that differs, facts are given anew.

Nothing here does I/O or reads a clock.
"""

from __future__ import annotations

from enum import Enum
from typing import Final

from feed import wire
from feed.events import Heartbeat
from feed.state import Snapshot
from feed.subscriber.items import Fact, Fresh, Halted, Item, Joined, Position, Stale
from feed.subscriber.memory import Comparison, ComparisonResult
from feed.subscriber.stream import KEPT, NOWHERE, GapNotices, Stream

HALTED: Final = "halted"
"""The `state` of the heartbeats of a service whose journal failed."""

STALE_NS: Final = 3_000_000_000
"""Without a heartbeat for so long, what is known may be old (ours; a heartbeat comes each second)."""

ANSWER_NS: Final = 3_000_000_000
"""How long a request may be without a frame of its answer (ours)."""
LONGEST_WAIT_NS: Final = 8_000_000_000
"""The longest wait between two tries; the first is `FIRST_WAIT_NS`, and each doubles it (ours)."""
FIRST_WAIT_NS: Final = 250_000_000


class Step(Enum):
    """What the follower is doing, and so what it asks for."""

    JOINING = "joining"
    """Asks for a snapshot."""
    CATCHING_UP = "catching up"
    """Asks for what comes after its place."""
    COMPARING = "comparing"
    """Asks for what the journal holds now, to find where it differs."""
    IN_STEP = "in step"
    """Asks for nothing."""


class Liveness:
    """Whether a table's publisher can be heard."""

    def __init__(self, table: str, items: list[Item], now_ns: int) -> None:
        self.stale = False
        self._table = table
        self._items = items
        self._heard_ns = now_ns
        self._ever = False
        self._halted = False

    def heard(self, now_ns: int) -> None:
        """Something came from the publisher."""
        silent_ns, self._heard_ns = now_ns - self._heard_ns, now_ns
        self._ever = True
        if self.stale:
            self.stale = False
            self._items.append(Fresh(table=self._table, silent_ns=silent_ns))

    def told(self, state: str) -> None:
        """A heartbeat says how the table stands; that it is halted is said once."""
        halted, self._halted = self._halted, state == HALTED
        if self._halted and not halted:
            self._items.append(Halted(table=self._table))

    def forget(self) -> None:
        """What was said of the table is to be forgotten: what still holds is said again."""
        self._halted = False

    def tick(self, now_ns: int) -> None:
        """Time has passed."""
        silent_ns = now_ns - self._heard_ns
        if not self.stale and silent_ns >= STALE_NS:
            self.stale = True
            self._items.append(Stale(table=self._table, silent_ns=silent_ns, heard=self._ever))


class PendingRequest:
    """The life of requests for one thing."""

    def __init__(self) -> None:
        self.request_id: bytes | None = None
        """Of the request that is out; answers to another are too late."""
        self.failures = 0
        """In a row."""
        self._overdue_ns = 0
        self._not_before_ns = 0

    def may_ask(self, now_ns: int) -> bool:
        """Whether a request can go out now."""
        return self.request_id is None and now_ns >= self._not_before_ns

    def asked(self, request_id: bytes, now_ns: int) -> None:
        """A request goes out."""
        self.request_id = request_id
        self._overdue_ns = now_ns + ANSWER_NS

    def is_answer(self, request_id: bytes, now_ns: int) -> bool:
        """Whether a frame that came belongs to the request that is out; if so, there may be more."""
        if self.request_id is None or request_id != self.request_id:
            return False
        self._overdue_ns = now_ns + ANSWER_NS
        return True

    def answered(self) -> None:
        """The answer is complete: the next request may go out at once."""
        self.request_id = None
        self.failures = 0
        self._not_before_ns = 0

    def failed(self, now_ns: int) -> None:
        """There was no answer, or no good one: the next request waits, each time longer."""
        self.request_id = None
        self._not_before_ns = now_ns + min(FIRST_WAIT_NS << min(self.failures, 16), LONGEST_WAIT_NS)
        self.failures += 1

    def overdue(self, now_ns: int) -> bool:
        """Whether the request that is out has been without an answer for too long."""
        return self.request_id is not None and now_ns >= self._overdue_ns

    def forget(self) -> None:
        """What is out no longer matters, or is lost with its connection: the next request may go out at once."""
        self.request_id = None
        self._not_before_ns = 0


class Follower:
    """One table's feed. What it gives is appended to `items`."""

    def __init__(self, table: str, *, simulated: bool, start: Position | None, now_ns: int, kept: int = KEPT) -> None:
        """`start` is the place after which facts are wanted; None for a snapshot and what comes after it."""
        self.table = table
        self.simulated = simulated
        self.items: list[Item] = []
        self.liveness = Liveness(table, self.items, now_ns)
        self.step = Step.JOINING
        self._start = start
        self._notices = GapNotices(table, self.items)
        self._stream = Stream(table, self.items, kept)
        self._comparison = Comparison(self._stream.memory)
        self.asking = PendingRequest()
        self._asked_seq = 0
        self._asked_ahead = 0
        self._ended_early = False
        """An answer ended before what had been heard of. Once more, and that is gone."""
        self._known_there = False
        self._heard_epoch = ""
        if start is not None:
            self._stream.start(start)
            self.step = Step.CATCHING_UP

    # --- from the feed -------------------------------------------------------------------------------------------

    def fact(self, fact: Fact, now_ns: int) -> None:
        """An event as it happens."""
        self._hear(fact.event.epoch, now_ns)
        event, seq = fact.event, fact.event.seq
        stream, memory = self._stream, self._stream.memory
        if seq is None:
            # For the eye: shown only where it belongs to what is shown.
            if self.step is Step.IN_STEP and event.epoch == memory.epoch:
                self.items.append(fact)
            return
        place = Position(event.epoch, seq)
        if memory.started and stream.is_past(place):
            return
        if memory.started and seq <= memory.seq:
            if event.epoch != memory.epoch:
                # A number that was given already, in an epoch that is not known: the journal must say.
                stream.doubt(place)
                self._doubt()
            return
        stream.hear_of(place)
        in_order = self.step in (Step.CATCHING_UP, Step.IN_STEP) and seq == memory.seq + 1 and stream.follows(event)
        if in_order:
            self._heed(stream.accept(fact, seq) and stream.take_kept())
        else:
            stream.keep(fact, seq)
            self._lack(seq - 1)

    def heartbeat(self, beat: Heartbeat, now_ns: int) -> None:
        """The publisher lives, and tells how far its journal is."""
        self._hear(beat.epoch, now_ns)
        if self.step is not Step.JOINING:
            self.liveness.told(beat.state)
        stream, memory = self._stream, self._stream.memory
        told = Position(beat.epoch, beat.last, beat.head)
        if not memory.started or self.step is Step.COMPARING or stream.is_past(told):
            return
        if not memory.witness(beat.last, beat.head):
            self._rewritten(told, f"a heartbeat tells another head of event {beat.last}")
        elif beat.last > memory.seq:
            stream.hear_of(told)
            self._lack(beat.last)
        elif beat.last < memory.seq and beat.epoch != memory.epoch:
            # The service was started again on a journal that ends before our place: the journal must say.
            self._doubt()

    def tick(self, now_ns: int) -> None:
        """Time has passed, and all that came until now was given."""
        self.liveness.tick(now_ns)
        if self.asking.overdue(now_ns):
            self._failed("the history does not answer" if self.asking.failures else "", now_ns)

    def _hear(self, epoch: str, now_ns: int) -> None:
        self.liveness.heard(now_ns)
        self._known_there = True
        if epoch != self._heard_epoch:
            # Another process: what was asked of the one before will not be answered.
            self._heard_epoch = epoch
            self.asking.forget()

    def _lack(self, last: int) -> None:
        if self.step is Step.IN_STEP:
            self.step = Step.CATCHING_UP
            self._notices.lacking(self._stream.memory.seq + 1, last)

    def _doubt(self) -> None:
        """The journal is asked whether it still holds our place."""
        if self.step is Step.IN_STEP:
            self.step = Step.CATCHING_UP

    # --- what to ask ---------------------------------------------------------------------------------------------

    def exists(self) -> None:
        """The history knows the table: it can be asked though nothing was heard yet."""
        self._known_there = True

    def ask(self, request_id: bytes, now_ns: int) -> wire.HistoryRequest | None:
        """The request that is to be sent now, if any."""
        if self.step is Step.IN_STEP or not self._known_there or not self.asking.may_ask(now_ns):
            return None
        self.asking.asked(request_id, now_ns)
        self._asked_ahead = self._stream.ahead.seq
        if self.step is Step.JOINING:
            return wire.AskSnapshot(request_id, self.table)
        comparing = self.step is Step.COMPARING
        place = Position("", self._comparison.cursor) if comparing else self._stream.memory.position
        self._asked_seq = place.seq
        return wire.AskSince(request_id, self.table, place.epoch, place.seq)

    # --- what is answered ----------------------------------------------------------------------------------------

    def answer(self, answer: wire.HistoryAnswer, content: Fact | Snapshot | None, now_ns: int) -> None:
        """A frame of an answer; `content` is what its body says, where it can be read.

        What was not asked is passed over.
        """
        if not self.asking.is_answer(answer.request_id, now_ns):
            return
        match answer:
            case wire.EventAnswer() if isinstance(content, Fact) and self.step is not Step.JOINING:
                self._told(content, now_ns)
            case wire.EndAnswer(_, more, end) if self.step is Step.COMPARING:
                self._compared(end, more, now_ns)
            case wire.EndAnswer(_, more, end) if self.step is Step.CATCHING_UP:
                self._end(end, more, now_ns)
            case wire.JsonAnswer() if isinstance(content, Snapshot) and self.step is Step.JOINING:
                self._join(content, now_ns)
            case wire.ErrorAnswer(_, refusal):
                self._refused(refusal, now_ns)
            case _:
                self._failed("the history answers what was not asked, or cannot be read", now_ns)

    def _join(self, snapshot: Snapshot, now_ns: int) -> None:
        if (snapshot.table, snapshot.simulated) != (self.table, self.simulated):
            self._failed("the snapshot is of another table", now_ns)
            return
        self._stream.start(Position(snapshot.epoch, snapshot.last))
        self.items.append(Joined(table=self.table, snapshot=snapshot))
        self.liveness.forget()
        self.asking.answered()
        self.step = Step.CATCHING_UP
        self._heed(self._stream.take_kept())

    def _told(self, fact: Fact, now_ns: int) -> None:
        seq, expected = fact.event.seq, self._stream.memory.seq + 1
        if seq is None or (fact.event.data.table, fact.event.data.simulated) != (self.table, self.simulated):
            self._failed("the history tells events of another table", now_ns)
        elif self.step is Step.COMPARING:
            self._compare(fact, seq)
        elif seq == expected:
            self._heed(self._stream.accept(fact, seq))
        elif seq > expected:
            # What is before it was archived, or lost on the way; the end of the answer tells which.
            self._stream.keep(fact, seq)

    def _end(self, end: wire.EndOfEvents, more: bool, now_ns: int) -> None:
        stream, memory = self._stream, self._stream.memory
        told = Position(end.epoch, end.last, end.head)
        if end.last < self._asked_seq:
            self._rewritten(told, "the journal ends before what was received")
            return
        if end.after > memory.seq:
            self._notices.missing(memory.seq + 1, end.after)
            memory.skip_to(end.after)
        if not stream.take_kept():
            self._compare_from_the_start()
        elif not memory.witness(end.last, end.head):
            self._rewritten(told, f"the journal tells another head of event {end.last}")
        elif memory.seq == self._asked_seq < end.last:
            self._failed("", now_ns)
        else:
            self.asking.answered()
            if not more and memory.seq >= end.last:
                self._all_told(told, now_ns)

    def _all_told(self, told: Position, now_ns: int) -> None:
        """The answer was complete. What was heard of since is asked for next."""
        stream = self._stream
        if not stream.lacks:
            self._in_step()
        elif self._asked_ahead <= told.seq:
            return
        elif not self._ended_early:
            self._ended_early = True
            self._failed("", now_ns)
        else:
            stream.disown(stream.ahead, told, "the journal ends before what was heard of")

    def _in_step(self) -> None:
        self.step = Step.IN_STEP
        self._ended_early = False
        self._stream.settle()
        self._notices.complete(self._stream.memory.position)

    def _refused(self, refusal: wire.RequestRefusal, now_ns: int) -> None:
        nothing_held = refusal.code == wire.UNKNOWN_TABLE
        gone = refusal.code == wire.REWRITTEN or (nothing_held and self._stream.memory.seq > 0)
        if gone and self.step is Step.COMPARING:
            self._start_over()
        elif gone and self.step is Step.CATCHING_UP:
            self._rewritten(Position(refusal.epoch, refusal.last, refusal.head), refusal.detail)
        else:
            # A table that is not known has said nothing durable yet.
            self._failed("" if nothing_held else f"the history refuses: {refusal.code}: {refusal.detail}", now_ns)

    def _failed(self, detail: str, now_ns: int) -> None:
        self.asking.failed(now_ns)
        self._notices.trouble(detail)

    # --- a history that was rewritten ----------------------------------------------------------------------------

    def _heed(self, agrees: bool) -> None:
        if not agrees:
            self._compare_from_the_start()

    def _rewritten(self, journal: Position, why: str) -> None:
        self._stream.disown(self._stream.memory.position, journal, why)
        self._compare_from_the_start()

    def _compare_from_the_start(self) -> None:
        self.step = Step.COMPARING
        self._comparison = Comparison(self._stream.memory)
        self._ended_early = False
        self._notices.begin_again(caught_up=True)
        self.asking.forget()

    def _compare(self, fact: Fact, seq: int) -> None:
        if seq != self._comparison.cursor + 1:
            return
        match self._comparison.next(fact):
            case ComparisonResult.DIFFERENT:
                self._stream.memory.rewind(self._comparison.cursor)
                self.step = Step.CATCHING_UP
                self._heed(self._stream.accept(fact, seq))
            case ComparisonResult.ALL_DIFFERENT:
                self._start_over()

    def _compared(self, end: wire.EndOfEvents, more: bool, now_ns: int) -> None:
        """All that was told is the same as what was given."""
        memory, cursor = self._stream.memory, self._comparison.cursor
        nothing_left = cursor == memory.before and cursor > 0
        if nothing_left or end.last < memory.before or end.after > self._asked_seq:
            self._start_over()
        elif cursor == self._asked_seq < min(end.last, memory.seq):
            self._failed("", now_ns)
        else:
            self.asking.answered()
            if not more and cursor >= min(end.last, memory.seq):
                memory.rewind(cursor)
                if cursor == end.last:
                    memory.trust(end.head)
                self.step = Step.CATCHING_UP

    def _start_over(self) -> None:
        """The journal is another one: all that was given is to be forgotten."""
        self._stream.forget_ahead()
        self.asking.forget()
        self._notices.begin_again(caught_up=False)
        if self._start is None:
            self._stream.memory.stop()
            self.step = Step.JOINING
        else:
            self._stream.start(NOWHERE)
            self.step = Step.CATCHING_UP
