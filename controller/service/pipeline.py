"""Journals the events of tables, then publishes them: nothing is published that is not durable.

    put ──► submission ──► journal.submit ──► one commit ──► published at once, by the thread that wrote it
                                                      └──► done, on the loop ──► shown, counted, answered

Events that are not durable (live revolutions) keep their place among the others; where nothing waits they go at once.
A heartbeat goes ahead of what waits. It is made between two submissions that are published, never while one is: it
names the last event that was sent before it.

After the first failure of the journal the pipeline is halted: what waits is neither published nor accepted, and later
submissions fail at once. Only heartbeats still go out, with the last number that was durable.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import NamedTuple, Protocol

from audit.errors import JournalError
from audit.records import COMMANDS, Entry, Head, nothing
from controller.journal.writer import AtOnce, Done
from controller.service.counters import ServiceCounters
from feed.events import Event, Outcome, Unresolved, Void, encode
from hal.clock import Clock

OnPublished = Callable[[Event, bytes], None]
"""Called with each event and its body as it is published: for the lines that `feltwire run` prints."""
OnDurable = Callable[[JournalError | None], None]
"""Called when a submission is durable and published, or with the error when it never will be."""


class EntrySink(Protocol):
    """The journal, which makes entries durable."""

    def submit(self, entries: Sequence[Entry], done: Done, at_once: AtOnce | None = None) -> None:
        """Submits entries of one transaction; `at_once` and `done` come in the order of submission, the first on the
        thread that wrote them.
        """


class EventSink(Protocol):
    """The feed, which sends events to all subscribers."""

    def send(self, topic: bytes, body: bytes) -> None:
        """Sends one event, from any thread. Never blocks."""

    def poke(self) -> None:
        """To be called on the loop after `send`."""


class EncodedEvent(NamedTuple):
    """An event and the message that is published for it."""

    event: Event
    topic: bytes
    body: bytes


class _Submission(NamedTuple):
    """Events that are journalled and published together."""

    messages: list[EncodedEvent]
    then: OnDurable | None
    written: bool
    """Whether any of it is journalled."""
    since_ns: int


class Pipeline:
    """Journals, then publishes, in order. Used on the loop's thread; the journal's thread sends what is durable."""

    def __init__(
        self,
        journal: EntrySink,
        publisher: EventSink,
        clock: Clock,
        counters: ServiceCounters,
        *,
        heads: Mapping[str, Head],
        halted: Callable[[JournalError], None],
        on_published: OnPublished = lambda event, body: None,
    ) -> None:
        """`heads` are those that the journal was opened with; `halted` is called once, at the first failure."""
        self._journal = journal
        self._publisher = publisher
        self._clock = clock
        self._counters = counters
        self._sending = Lock()
        """Held while events are sent, or a heartbeat is."""
        self._heads = dict(heads)
        """Of what is published."""
        self._commands = self.head(COMMANDS).seq
        self._submissions: deque[_Submission] = deque()
        self._on_halt = halted
        self._on_published = on_published
        self.failure: JournalError | None = None
        """Why nothing is journalled any more; None while it is."""

    def head(self, chain: str) -> Head:
        """The last record of a chain that is durable and, where it is an event, published."""
        return self._heads.get(chain) or nothing(chain)

    @property
    def heads(self) -> Mapping[str, Head]:
        """By chain: the last record that is durable."""
        with self._sending:
            return dict(self._heads)

    def next_command(self) -> int:
        """The number of the next record in the chain of commands; each call takes one."""
        self._commands += 1
        return self._commands

    @property
    def waiting_since_ns(self) -> int | None:
        """When the oldest submission that is not durable was made; None where none waits. Any thread may ask."""
        try:
            return self._submissions[0].since_ns
        except IndexError:
            return None

    def put(self, events: Sequence[Event], commands: Sequence[Entry] = (), then: OnDurable | None = None) -> None:
        """Submits the events of one table, and the commands that are journalled in the same commit."""
        if self.failure is not None:
            if then is not None:
                then(self.failure)
            return
        messages: list[EncodedEvent] = []
        entries: list[Entry] = []
        for event in events:
            topic, body = event.topic, encode(event)
            messages.append(EncodedEvent(event, topic.encode(), body))
            if type(event.data).durable:
                entries.append(Entry.of(event, body, topic))
        entries += commands
        submission = _Submission(messages, then, bool(entries), self._clock.now_ns())
        if not entries and not self._submissions:
            self._send(submission, {})
            self._settle(submission)
            return
        # Events that are not journalled queue behind those that wait, so that the order is kept.
        self._submissions.append(submission)
        self._counters.waiting += 1
        self._journal.submit(
            entries, lambda result: self._done(submission, result), lambda heads: self._send(submission, heads)
        )

    def beat(self, table: str, heartbeat: Callable[[Head], Event]) -> None:
        """Publishes the heartbeat that is made of a table's head, ahead of what waits: it states all that is published,
        and nothing else.
        """
        with self._sending:
            event = heartbeat(self.head(table))
            self._publisher.send(event.topic.encode(), encode(event))
        self._publisher.poke()

    def _done(self, submission: _Submission, result: Mapping[str, Head] | JournalError) -> None:
        self._counters.waiting -= 1
        if isinstance(result, JournalError):
            self.halt(result)
            return
        if self.failure is not None:
            return
        self._submissions.popleft()
        if submission.written:
            took_ns = self._clock.now_ns() - submission.since_ns
            self._counters.latency.add(took_ns, len(submission.messages))
            self._counters.commits += 1
            self._counters.commit_ns += took_ns
            self._counters.longest_commit_ns = max(self._counters.longest_commit_ns, took_ns)
        self._publisher.poke()
        self._settle(submission)

    def _send(self, submission: _Submission, heads: Mapping[str, Head]) -> None:
        """Publishes; called on the journal's thread as soon as the events are durable."""
        with self._sending:
            for message in submission.messages:
                self._publisher.send(message.topic, message.body)
            self._heads.update(heads)

    def _settle(self, submission: _Submission) -> None:
        """Prints, counts and answers what is published."""
        for message in submission.messages:
            self._on_published(message.event, message.body)
            self._count(message.event)
        if submission.then is not None:
            submission.then(None)

    def halt(self, failure: JournalError) -> None:
        """Publishes and accepts nothing any more. Halting again does nothing."""
        if self.failure is not None:
            return
        self.failure = failure
        waiting, self._submissions = self._submissions, deque()
        self._on_halt(failure)
        for submission in waiting:
            if submission.then is not None:
                submission.then(failure)

    def _count(self, event: Event) -> None:
        data = event.data
        self._counters.events[data.table, type(data).kind] += 1
        if isinstance(data, Outcome | Void | Unresolved):
            reason = "" if isinstance(data, Outcome) else data.reason
            self._counters.verdicts[data.table, type(data).kind, reason] += 1
