"""Fakes for a service: a journal in memory, a feed that records, and clocks that can be set."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from audit.errors import JournalError
from audit.records import COMMANDS, Entry, Head, link, nothing
from controller.journal.writer import AtOnce, Done
from controller.service.counters import ServiceCounters
from controller.service.pipeline import Pipeline
from feed.events import Event, decode
from hal.clock import VirtualClock

FULL = JournalError(Path("journal.sqlite"), "the disk is full", "free space")


class MemoryJournal:
    """Takes entries, and makes them durable when the test asks for it (`by_itself`: at once)."""

    def __init__(self, *, by_itself: bool = True) -> None:
        self.by_itself = by_itself
        self.entries: list[Entry] = []
        self.commits: list[list[str]] = []
        """The ids that came together."""
        self.failure: JournalError | None = None
        self.heads: dict[str, Head] = {}
        self.deliver: Callable[[Done, Mapping[str, Head]], None] = lambda done, heads: done(heads)
        """Reports what is durable, after it was published."""
        self._waiting: list[tuple[Sequence[Entry], Done, AtOnce | None]] = []

    def submit(self, entries: Sequence[Entry], done: Done, at_once: AtOnce | None = None) -> None:
        self._waiting.append((entries, done, at_once))
        if self.by_itself:
            self.commit()

    def commit(self, most: int | None = None) -> None:
        """What waits becomes durable, in order: `most` commits, and behind them what has nothing to be written."""
        while self._waiting and (most != 0 or not self._waiting[0][0]):
            entries, done, at_once = self._waiting.pop(0)
            if most is not None and entries:
                most -= 1
            if self.failure is not None:
                done(self.failure)
                continue
            touched: dict[str, Head] = {}
            for entry in entries:
                before = self.heads.get(entry.chain, nothing(entry.chain))
                assert entry.seq == before.seq + 1, f"{entry.id} follows {before}"
                assert entry.id not in {known.id for known in self.entries}, f"{entry.id} comes twice"
                head = Head(entry.seq, entry.epoch, link(bytes.fromhex(before.hash), entry.body).hex())
                self.heads[entry.chain] = touched[entry.chain] = head
                self.entries.append(entry)
            if entries:
                self.commits.append([entry.id for entry in entries])
            if at_once is not None:
                at_once(touched)
            self.deliver(done, touched)

    def fail(self, failure: JournalError = FULL) -> None:
        """Nothing is written from now on."""
        self.failure = failure

    def find_command(self, identity: str) -> bytes | None:
        found = [entry.body for entry in self.entries if entry.chain == COMMANDS and entry.id == identity]
        return found[0] if found else None

    def recall(self, identity: str, found: Callable[[bytes | JournalError | None], None]) -> None:
        """As the service looks for a command; it is answered at once."""
        found(self.find_command(identity))

    def of(self, chain: str) -> list[Entry]:
        return [entry for entry in self.entries if entry.chain == chain]


class RecordingFeed:
    """A feed that remembers what was published."""

    def __init__(self) -> None:
        self.messages: list[tuple[bytes, bytes]] = []

    def send(self, topic: bytes, body: bytes) -> None:
        self.messages.append((topic, body))

    def poke(self) -> None:
        """Nobody has sent anything."""

    @property
    def events(self) -> list[Event]:
        return [decode(body) for _, body in self.messages]

    @property
    def kinds(self) -> list[str]:
        return [topic.decode().split("/")[-2] for topic, _ in self.messages]


class PipelineBench:
    """A pipeline on stand-ins."""

    def __init__(self, *, by_itself: bool = True, heads: Mapping[str, Head] | None = None) -> None:
        self.journal = MemoryJournal(by_itself=by_itself)
        self.feed = RecordingFeed()
        self.clock = VirtualClock(1)
        self.counters = ServiceCounters()
        self.halted: list[JournalError] = []
        self.pipeline = Pipeline(
            self.journal,
            self.feed,
            self.clock,
            self.counters,
            heads=heads or {},
            halted=self.halted.append,
        )


class SetClock:
    """A computer's clock whose calendar somebody can set."""

    def __init__(self, now_ns: int = 10**12, wall_ns: int = 1_700_000_000 * 10**9) -> None:
        self.now = now_ns
        self.wall = wall_ns
        self.held_up: Callable[[], None] = lambda: None
        """Called between the reading of the one clock and of the other."""

    def pass_by(self, ns: int) -> None:
        self.now += ns
        self.wall += ns

    def now_ns(self) -> int:
        return self.now

    def wall_time_ns(self, at_ns: int | None = None) -> int:
        self.held_up()
        return self.wall if at_ns is None else self.wall - (self.now - at_ns)
