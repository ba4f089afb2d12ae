"""From a table to the feed, by way of the journal: nothing is published that is not durable.

    put ──► [ parcel ][ parcel ][ parcel ] ──front is durable──► publish, answer
                │ its entries
                └──► journal.submit ──► one commit ──► done, in the order of submission

Events that are not durable (live revolutions) keep their place among the others; where nothing waits they go at once.

After the first failure of the journal the pipeline is halted: what waits is neither published nor accepted, and what
comes later is refused at once. Only heartbeats still go out, with the last number that was durable.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from controller.journal.errors import JournalError
from controller.journal.records import COMMANDS, Entry, Head, nothing
from controller.journal.writer import Done
from controller.service.tally import Tally
from feed.events import Event, Outcome, Unresolved, Void, encode
from hal.clock import Clock

Heard = Callable[[Event, bytes], None]
"""Is given each event with its body as it is published: for the lines that `feltwire run` prints."""
Then = Callable[[JournalError | None], None]
"""Told when a parcel is durable and published, or with the error when it never will be."""


class Writer(Protocol):
    """Makes entries durable: the journal."""

    def submit(self, entries: Sequence[Entry], done: Done) -> None:
        """Takes entries of one transaction; `done` comes in the order of submission."""


class Publishes(Protocol):
    """Sends to everybody who listens: the feed."""

    def publish(self, topic: bytes, body: bytes) -> None:
        """Sends one event. Never blocks."""


@dataclass(slots=True)
class _Parcel:
    """What is published together."""

    messages: list[tuple[Event, bytes]]
    then: Then | None
    durable: bool
    """Whether nothing of it is still to be written."""
    since_ns: int
    heads: Mapping[str, Head] = field(default_factory=dict)


class Pipeline:
    """Journals, then publishes, in order. Used on the loop's thread only."""

    def __init__(
        self,
        journal: Writer,
        publisher: Publishes,
        clock: Clock,
        tally: Tally,
        *,
        heads: Mapping[str, Head],
        halted: Callable[[JournalError], None],
        heard: Heard = lambda event, body: None,
    ) -> None:
        """`heads` are those that the journal was found with; `halted` is called once, at the first failure."""
        self._journal = journal
        self._publisher = publisher
        self._clock = clock
        self._tally = tally
        self._heads = dict(heads)
        self._commands = self.head(COMMANDS).seq
        self._parcels: deque[_Parcel] = deque()
        self._on_halt = halted
        self._heard = heard
        self.failure: JournalError | None = None
        """Why nothing is journalled any more; None while it is."""

    def head(self, chain: str) -> Head:
        """The last record of a chain that is durable and, where it is an event, published."""
        return self._heads.get(chain) or nothing(chain)

    def next_command(self) -> int:
        """The number of the next record in the chain of commands; each call takes one."""
        self._commands += 1
        return self._commands

    @property
    def waiting_since_ns(self) -> int | None:
        """When the oldest parcel that is not yet durable was put in; None where none waits."""
        return self._parcels[0].since_ns if self._parcels else None

    def put(self, said: Sequence[Event], commands: Sequence[Entry] = (), then: Then | None = None) -> None:
        """Takes what one table said, and the commands that are journalled in the same commit."""
        if self.failure is not None:
            if then is not None:
                then(self.failure)
            return
        messages = [(event, encode(event)) for event in said]
        entries = [Entry.of(event, body) for event, body in messages if type(event.data).durable]
        entries += commands
        parcel = _Parcel(messages, then, not entries, self._clock.now_ns())
        if parcel.durable and not self._parcels:
            self._publish(parcel)
            return
        self._parcels.append(parcel)
        if entries:
            self._tally.waiting += 1
            self._journal.submit(entries, lambda result: self._done(parcel, result))

    def beat(self, event: Event) -> None:
        """Publishes a heartbeat, ahead of what waits: it tells of what is published, and no more."""
        self._publisher.publish(event.topic.encode(), encode(event))

    def _done(self, parcel: _Parcel, result: Mapping[str, Head] | JournalError) -> None:
        self._tally.waiting -= 1
        if isinstance(result, JournalError):
            self.halt(result)
            return
        if self.failure is not None:
            return
        parcel.durable = True
        parcel.heads = result
        took_ns = self._clock.now_ns() - parcel.since_ns
        self._tally.commits += 1
        self._tally.commit_ns += took_ns
        self._tally.longest_commit_ns = max(self._tally.longest_commit_ns, took_ns)
        while self._parcels and self._parcels[0].durable:
            self._publish(self._parcels.popleft())

    def _publish(self, parcel: _Parcel) -> None:
        self._heads.update(parcel.heads)
        for event, body in parcel.messages:
            self._publisher.publish(event.topic.encode(), body)
            self._heard(event, body)
            self._count(event)
        if parcel.then is not None:
            parcel.then(None)

    def halt(self, failure: JournalError) -> None:
        """Publishes and accepts nothing any more. Halting again does nothing."""
        if self.failure is not None:
            return
        self.failure = failure
        waiting, self._parcels = self._parcels, deque()
        self._on_halt(failure)
        for parcel in waiting:
            if parcel.then is not None:
                parcel.then(failure)

    def _count(self, event: Event) -> None:
        data = event.data
        self._tally.events[data.table, type(data).kind] += 1
        if isinstance(data, Outcome | Void | Unresolved):
            reason = "" if isinstance(data, Outcome) else data.reason
            self._tally.verdicts[data.table, type(data).kind, reason] += 1
