"""The items that a subscriber delivers: facts, each once and in order, and notices of how complete they are."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

import msgspec

from ..events import Event
from ..state import Snapshot, TableState

SIMULATED: Final = "sim/"
"""Prefix of the name of a simulated table in positions, and in notices for people."""


def named(table: str, *, simulated: bool, venue: str = "") -> str:
    """The name of a table in positions: `sim/` begins that of a simulated one, and before it comes the venue where a
    subscriber follows several: `atlantic-hall/sim/roulette-1`."""
    return (f"{venue}/" if venue else "") + (SIMULATED if simulated else "") + table


class Position(NamedTuple):
    """A position in a table's history: after the event `seq` of an epoch."""

    epoch: str
    """Empty where it is unknown."""
    seq: int
    head: str = ""
    """Head of the chain there, in hexadecimal; empty where it is unknown."""

    def __str__(self) -> str:
        return f"{self.seq} of epoch {self.epoch or '?'}" + (f", head {self.head[:12]}" if self.head else "")


class FromBeginning(Mapping[str, Position]):
    """Where to continue, by the names of tables: after what is known of each, and at the beginning of a table of which
    nothing is. It shows what the mapping that it is given has at the time."""

    def __init__(self, known: Mapping[str, Position]) -> None:
        self._known = known

    def __getitem__(self, name: str) -> Position:
        return self._known.get(name, Position("", 0))

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)


class Fact(NamedTuple):
    """An event of the feed. `event.data.simulated` distinguishes a bench round from a real one."""

    event: Event
    body: bytes
    """Exactly as it was published."""
    head: str = ""
    """Head of the table's chain after it, in hexadecimal, as the subscriber computed it; empty for events that are not
    durable, and until the chain is known."""
    venue: str = ""
    """Its venue, where a subscriber follows several; otherwise empty."""

    @property
    def name(self) -> str:
        """The name of its table in positions."""
        return named(self.event.data.table, simulated=self.event.data.simulated, venue=self.venue)


class Notice(msgspec.Struct, frozen=True, kw_only=True):
    """A notice about a table's feed, not about the table."""

    table: str
    """The table's id, as events have it."""
    simulated: bool = False
    """Whether it is a simulated table: one with this id may be beside a real one."""
    venue: str = ""
    """Its venue, where a subscriber follows several; otherwise empty."""

    @property
    def name(self) -> str:
        """The table's name in positions, and for people: that of a simulated one begins with `sim/`."""
        return named(self.table, simulated=self.simulated, venue=self.venue)


class Waiting(Notice, frozen=True, kw_only=True):
    """Nothing was received from this address yet, of any table; `table` is empty."""

    endpoint: str

    def __str__(self) -> str:
        return f"no publisher at {self.endpoint} yet; waiting"


class Refused(Notice, frozen=True, kw_only=True):
    """The service at this address does not let this reader in; `table` is empty. It is tried again: a key that is
    allowed later needs nothing here."""

    endpoint: str
    why: str

    def __str__(self) -> str:
        return f"{self.endpoint} is connected, and {self.why}"


class NotShown(Notice, frozen=True, kw_only=True):
    """The service has this table, and it is not of the kind requested: real or simulated."""

    simulated: bool

    def __str__(self) -> str:
        kind, asked = ("simulated", "real") if self.simulated else ("real", "simulated")
        return f"{self.table} is {kind}, and only {asked} tables are asked for: not shown (simulated=None shows both)"


class Joined(Notice, frozen=True, kw_only=True):
    """The table's snapshot. The facts that follow begin after it; everything known before is to be discarded."""

    snapshot: Snapshot

    def __str__(self) -> str:
        shot = self.snapshot
        where = f", round {shot.round} {shot.phase}" if shot.round else ""
        faults = ", ".join(f"{fault.fault} of {fault.device}" for fault in shot.faults)
        return f"{self.name} is {shot.state}{where}, after event {shot.last}" + (
            f"; faults: {faults}" if faults else ""
        )


class CaughtUp(Notice, frozen=True, kw_only=True):
    """All earlier events were delivered; those that follow are live."""

    position: Position

    def __str__(self) -> str:
        return f"{self.name}: up to date with event {self.position.seq}"


class Gap(Notice, frozen=True, kw_only=True):
    """These events are missing, and were requested."""

    first: int
    last: int

    def __str__(self) -> str:
        return f"{self.name}: events {self.first} to {self.last} did not arrive; asking for them"


class Filled(Notice, frozen=True, kw_only=True):
    """The gap is closed: its events were delivered."""

    first: int
    last: int

    def __str__(self) -> str:
        return f"{self.name}: gap filled, events {self.first} to {self.last}"


class Missing(Notice, frozen=True, kw_only=True):
    """The journal has archived these events: they are not delivered."""

    first: int
    last: int

    def __str__(self) -> str:
        return f"{self.name}: events {self.first} to {self.last} are archived and are not in this journal"


class Restarted(Notice, frozen=True, kw_only=True):
    """The service was started again, and its history continues from the events delivered: nothing is lost."""

    epoch: str
    previous: Position

    def __str__(self) -> str:
        return f"{self.name}: the service was started again after event {self.previous.seq}"


class Rewritten(Notice, frozen=True, kw_only=True):
    """The journal no longer holds events that it held. Facts are delivered again from the first one that differs.

    A reader that stores facts discards those that are no longer in the journal: all above `journal.seq`, and from the
    number of the next fact on.
    """

    held: Position
    """The last event received or announced."""
    journal: Position
    """The last event that the journal holds now."""
    why: str

    def __str__(self) -> str:
        return f"{self.name}: HISTORY REWRITTEN: {self.why}. Received: {self.held}. The journal: {self.journal}"


class Stale(Notice, frozen=True, kw_only=True):
    """No heartbeat: the table's facts may be out of date. A table without events still sends heartbeats."""

    silent_ns: int
    had_heartbeat: bool = True
    """Whether there was ever a heartbeat. Without one the journal knows the table, and no service runs it now."""

    def __str__(self) -> str:
        if not self.had_heartbeat:
            return f"{self.name}: STALE, the journal knows it, and no service runs it now"
        return f"{self.name}: STALE, no heartbeat for {self.silent_ns / 1e9:.0f} s"


class Fresh(Notice, frozen=True, kw_only=True):
    """The heartbeat was received again."""

    silent_ns: int

    def __str__(self) -> str:
        return f"{self.name}: the heartbeat is back after {self.silent_ns / 1e9:.0f} s"


class Halted(Notice, frozen=True, kw_only=True):
    """The service runs, its journal failed, and all its tables are stopped: no round continues. A restart of the
    service ends it.
    """

    def __str__(self) -> str:
        return f"{self.name}: HALTED, the service cannot journal and every table is stopped; see its log"


class Trouble(Notice, frozen=True, kw_only=True):
    """The history cannot be read now; the request is repeated."""

    detail: str

    def __str__(self) -> str:
        return (f"{self.name}: " if self.table else "") + self.detail


Item = Fact | Notice
COMPLETENESS: Final = (Joined, CaughtUp, Gap, Filled, Missing, Restarted, Rewritten)
"""Notices about which facts were delivered. All others are about the connection: each comes once, when it changes."""


class ItemQueue:
    """The queue between a subscription and its reader, and the reader's position."""

    def __init__(self) -> None:
        self._items: deque[Item] = deque()
        self.position: dict[str, Position] = {}
        """For each table the position after the last fact delivered."""
        self.states: dict[str, TableState] = {}
        """For each table the fold of its snapshot, or of its whole history, and the facts delivered since."""

    def __len__(self) -> int:
        return len(self._items)

    def add(self, items: Iterable[Item]) -> None:
        """Appends items."""
        self._items.extend(items)

    def discard(self, name: str) -> None:
        """Removes the facts of a table that were not read, the notices of how complete they are, its position and its
        state. Whether its service is silent, halted or in trouble still holds, and is not reported a second time.
        """
        self._items = deque(item for item in self._items if not _is_history_of(name, item))
        self.position.pop(name, None)
        self.states.pop(name, None)

    def next(self) -> Item:
        """Removes and returns the oldest item.

        Raises:
            IndexError: the queue is empty.
        """
        item = self._items.popleft()
        match item:
            case Fact(event=event, head=head):
                if event.seq is not None:
                    self.position[item.name] = Position(event.epoch, event.seq, head)
                    self._apply(item.name, event)
            case Joined(snapshot=snapshot):
                self.position[item.name] = Position(snapshot.epoch, snapshot.last)
                self.states[item.name] = TableState.from_snapshot(snapshot)
            case Missing(last=last):
                self.position[item.name] = Position("", last)
                self.states.pop(item.name, None)
            case Rewritten(journal=journal) if item.name in self.states and journal.seq < self.states[item.name].last:
                self.states.pop(item.name)
        return item

    def _apply(self, name: str, event: Event) -> None:
        if event.seq == 1:
            self.states[name] = TableState(event.data.table)
        state = self.states.get(name)
        if state is not None and event.seq is not None and event.seq <= state.last:
            # Delivered again with another content: what was folded is not the table's history any more.
            del self.states[name]
        elif state is not None:
            state.apply(event)


def _is_history_of(name: str, item: Item) -> bool:
    return item.name == name and isinstance(item, (Fact, *COMPLETENESS))
