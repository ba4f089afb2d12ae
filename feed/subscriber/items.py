"""What a subscriber gives: facts, each once and in order, and notices of how far they can be relied on."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Final, NamedTuple

import msgspec

from feed.events import Event
from feed.state import Snapshot

SIMULATED: Final = "sim/"
"""Before the name of a simulated table, in positions and notices."""


class Position(NamedTuple):
    """A place in a table's history: after the event `seq`, which the epoch's service said."""

    epoch: str
    """Empty where it is not known."""
    seq: int
    head: str = ""
    """Head of the chain there, in hexadecimal; empty where it is not known."""

    def __str__(self) -> str:
        return f"{self.seq} of epoch {self.epoch or '?'}" + (f", head {self.head[:12]}" if self.head else "")


class Fact(NamedTuple):
    """An event of the feed. `event.data.simulated` tells a bench round from a real one."""

    event: Event
    body: bytes
    """Exactly as it was published."""
    head: str = ""
    """Head of the table's chain after it, in hexadecimal, as the subscriber worked it out; empty for what is not
    durable, and until the chain is known."""


class Notice(msgspec.Struct, frozen=True, kw_only=True):
    """Something about a table's feed rather than about the table."""

    table: str


class Waiting(Notice, frozen=True, kw_only=True):
    """Nothing has come from this address yet, of any table; `table` is empty."""

    endpoint: str

    def __str__(self) -> str:
        return f"no publisher at {self.endpoint} yet; waiting"


class NotShown(Notice, frozen=True, kw_only=True):
    """The service has this table, and it is not of the kind asked for."""

    simulated: bool

    def __str__(self) -> str:
        kind, asked = ("simulated", "real") if self.simulated else ("real", "simulated")
        return f"{self.table} is {kind}, and only {asked} tables are asked for: not shown"


class Joined(Notice, frozen=True, kw_only=True):
    """Where the table stands. The facts that follow begin after it; what was known before is to be forgotten."""

    snapshot: Snapshot

    def __str__(self) -> str:
        shot = self.snapshot
        where = f", round {shot.round} {shot.phase}" if shot.round else ""
        faults = ", ".join(f"{fault.fault} of {fault.device}" for fault in shot.faults)
        return f"{self.table} is {shot.state}{where}, after event {shot.last}" + (
            f"; faults: {faults}" if faults else ""
        )


class CaughtUp(Notice, frozen=True, kw_only=True):
    """All that was said before has been given; what follows is live."""

    position: Position

    def __str__(self) -> str:
        return f"{self.table}: up to date with event {self.position.seq}"


class Gap(Notice, frozen=True, kw_only=True):
    """These events did not come; they are being asked for."""

    first: int
    last: int

    def __str__(self) -> str:
        return f"{self.table}: events {self.first} to {self.last} did not come; asking for them"


class Filled(Notice, frozen=True, kw_only=True):
    """The gap is closed: its events have been given."""

    first: int
    last: int

    def __str__(self) -> str:
        return f"{self.table}: gap filled, events {self.first} to {self.last}"


class Missing(Notice, frozen=True, kw_only=True):
    """These events cannot be had here any more: the journal has archived them."""

    first: int
    last: int

    def __str__(self) -> str:
        return f"{self.table}: events {self.first} to {self.last} are archived and cannot be had here"


class Restarted(Notice, frozen=True, kw_only=True):
    """The service was started again, and its history goes on from what was given: nothing is lost."""

    epoch: str
    previous: Position

    def __str__(self) -> str:
        return f"{self.table}: the service was started again after event {self.previous.seq}"


class Rewritten(Notice, frozen=True, kw_only=True):
    """The journal no longer holds what it said. Facts come again from the first one that differs.

    Whoever keeps facts forgets those that are not in the journal any more: all above `journal.seq`, and from the number
    of the next fact on.
    """

    held: Position
    """What was received or heard of."""
    journal: Position
    """What the journal says now."""
    why: str

    def __str__(self) -> str:
        return f"{self.table}: HISTORY REWRITTEN: {self.why}. Received: {self.held}. The journal: {self.journal}"


class Stale(Notice, frozen=True, kw_only=True):
    """No heartbeat: what is known of the table may be old. A table that is only quiet goes on with its heartbeat."""

    silent_ns: int
    heard: bool = True
    """Whether there was ever a heartbeat. Without one the journal knows the table, and no service plays it now."""

    def __str__(self) -> str:
        if not self.heard:
            return f"{self.table}: STALE, the journal knows it, and no service plays it now"
        return f"{self.table}: STALE, no heartbeat for {self.silent_ns / 1e9:.0f} s"


class Fresh(Notice, frozen=True, kw_only=True):
    """The heartbeat is back."""

    silent_ns: int

    def __str__(self) -> str:
        return f"{self.table}: the heartbeat is back after {self.silent_ns / 1e9:.0f} s"


class Halted(Notice, frozen=True, kw_only=True):
    """The service lives and every table of it is stopped, because its journal failed: nothing that a table showed goes
    on. It ends with a new start of the service.
    """

    def __str__(self) -> str:
        return f"{self.table}: HALTED, the service cannot journal and every table is stopped; see its log"


class Trouble(Notice, frozen=True, kw_only=True):
    """The history cannot be had just now; it is asked for again and again."""

    detail: str

    def __str__(self) -> str:
        return (f"{self.table}: " if self.table else "") + self.detail


Item = Fact | Notice


class ItemQueue:
    """The queue between a subscription and its reader."""

    def __init__(self) -> None:
        self._items: deque[Item] = deque()
        self.position: dict[str, Position] = {}
        """For each table the place after the last fact that was handed over."""

    def __len__(self) -> int:
        return len(self._items)

    def add(self, items: Iterable[Item]) -> None:
        """Puts items at the end."""
        self._items.extend(items)

    def next(self) -> Item:
        """Hands over the oldest item.

        Raises:
            IndexError: there is none.
        """
        item = self._items.popleft()
        match item:
            case Fact(event=event, head=head):
                if event.seq is not None:
                    self.position[name_of(event)] = Position(event.epoch, event.seq, head)
            case Joined(table=table, snapshot=snapshot):
                self.position[table] = Position(snapshot.epoch, snapshot.last)
            case Missing(table=table, last=last):
                self.position[table] = Position("", last)
        return item


def name_of(event: Event) -> str:
    """What a table is called in positions and notices: a simulated one begins with `sim/`."""
    return (SIMULATED if event.data.simulated else "") + event.data.table
