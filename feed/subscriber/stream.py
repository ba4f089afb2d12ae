"""The facts of one table in order: the next one is given, those beyond it are kept, those of another past are told."""

from __future__ import annotations

from typing import Final

from feed.events import Event, TableClosed, TableOpened
from feed.subscriber.items import CaughtUp, Fact, Filled, Gap, Item, Missing, Position, Restarted, Rewritten, Trouble
from feed.subscriber.memory import EPOCHS, Memory

# What is told of how complete the facts are: each gap when it opens and when it closes, each trouble once.


class GapNotices:
    """The notices of one table."""

    def __init__(self, table: str, items: list[Item]) -> None:
        self._table = table
        self._items = items
        self._caught_up = False
        self._gap: tuple[int, int] | None = None
        self._trouble = ""

    def lacking(self, first: int, last: int) -> None:
        """These did not come."""
        if first <= last:
            self._gap = (first, last)
            self._items.append(Gap(table=self._table, first=first, last=last))

    def missing(self, first: int, last: int) -> None:
        """These cannot be had."""
        self._items.append(Missing(table=self._table, first=first, last=last))

    def trouble(self, detail: str) -> None:
        """Something goes wrong, perhaps again."""
        if detail and detail != self._trouble:
            self._trouble = detail
            self._items.append(Trouble(table=self._table, detail=detail))

    def complete(self, position: Position) -> None:
        """All there is has been given."""
        self._trouble = ""
        if not self._caught_up:
            self._caught_up = True
            self._items.append(CaughtUp(table=self._table, position=position))
        elif self._gap is not None:
            self._items.append(Filled(table=self._table, first=self._gap[0], last=self._gap[1]))
        self._gap = None

    def begin_again(self, *, caught_up: bool) -> None:
        """What was said of a gap no longer counts; `caught_up` says whether that is to be said again, too."""
        self._gap = None
        self._caught_up = self._caught_up and caught_up


KEPT: Final = 2000
"""The most facts kept while those before them are asked for; what comes on top is asked for again (ours)."""

NOWHERE: Final = Position("", 0)


class Stream:
    """What was given of a table, and what waits to be. What it gives is appended to `items`."""

    def __init__(self, table: str, items: list[Item], kept: int = KEPT) -> None:
        self.memory = Memory(table)
        self.ahead = NOWHERE
        """The highest number heard of."""
        self._table = table
        self._items = items
        self._kept: dict[int, Fact] = {}
        self._kept_at_most = kept
        self._sent: dict[str, int] = {}
        """For each epoch that sent facts beyond our place, the highest number of them."""
        self._doubted: dict[str, int] = {}
        """For each epoch not known that sent facts with numbers given already, the highest. They count once the history
        proves to be rewritten."""
        self._rewritten = False
        self._disowned: set[str] = set()
        """Epochs of which it was told already that some of their events are gone."""

    @property
    def lacks(self) -> bool:
        """Whether more was heard of than was given."""
        return self.ahead.seq > self.memory.seq

    def start(self, place: Position) -> None:
        """Begins at a place."""
        self.memory.start(place)
        # Of what it covers nothing is known any more.
        self._sent = {epoch: seq for epoch, seq in self._sent.items() if seq > place.seq}

    def hear_of(self, place: Position) -> None:
        """The service told of an event with this number, or sent it."""
        if place.seq > self.ahead.seq:
            self.ahead = place

    def keep(self, fact: Fact, seq: int) -> None:
        """Keeps a fact until those before it are there. The newer one of a number counts."""
        _note(self._sent, Position(fact.event.epoch, seq))
        if seq in self._kept or len(self._kept) < self._kept_at_most:
            self._kept[seq] = fact

    def follows(self, event: Event) -> bool:
        """Whether an event with the next number belongs to the history that was given.

        The first event of an epoch names the epoch before it and its last number.
        """
        memory = self.memory
        if memory.epoch in (event.epoch, ""):
            return True
        named = _named(event)
        return named is not None and (named.epoch, named.seq) == (memory.epoch, memory.seq)

    def accept(self, fact: Fact, seq: int) -> bool:
        """Gives the next fact. Returns False where what is given must be compared with the journal."""
        event, memory = fact.event, self.memory
        before = memory.position
        if before.epoch and event.epoch != before.epoch:
            self._new_epoch(event, before)
        agrees = memory.accept(seq, event.epoch, fact.body)
        self._items.append(fact._replace(head=memory.position.head))
        self._kept.pop(seq, None)
        if not agrees:
            self.disown(memory.position, memory.position, f"a heartbeat told another head of event {seq}")
        return agrees

    def take_kept(self) -> bool:
        """Gives what was kept, as far as it goes on from here. Returns what `accept` does."""
        memory = self.memory
        agrees = True
        while agrees:
            seq = memory.seq + 1
            fact = self._kept.get(seq)
            if fact is None or not self.follows(fact.event):
                break
            agrees = self.accept(fact, seq)
        for seq in [seq for seq in self._kept if seq <= memory.seq]:
            del self._kept[seq]
        return agrees

    def is_past(self, told: Position) -> bool:
        """Whether something told late is of an epoch before this one."""
        last = self.memory.last_of(told.epoch)
        if last is None or told.epoch == self.memory.epoch:
            return False
        self._compare_end(told, last)
        return True

    def doubt(self, place: Position) -> None:
        """A fact came with a number that was given already, in an epoch that is not known."""
        _note(self._doubted, place)

    def settle(self) -> None:
        """All there is was given: an epoch that sent facts which are not in the history has lost them."""
        told = self._sent | self._doubted if self._rewritten else self._sent
        self._rewritten = False
        self._doubted = {}
        # What is not reached yet, or is of the epoch that goes on, is looked at later.
        memory = self.memory
        self._sent = {epoch: seq for epoch, seq in told.items() if seq > memory.seq or epoch == memory.epoch}
        for epoch in told.keys() - self._sent.keys():
            self._compare_end(Position(epoch, told[epoch]), memory.last_of(epoch) or 0)

    def disown(self, held: Position, journal: Position, why: str) -> None:
        """The journal no longer holds what it said. What was heard of beyond our place counts no more."""
        self._items.append(Rewritten(table=self._table, held=held, journal=journal, why=why))
        self._rewritten = True
        if held.epoch != journal.epoch:
            self._disowned.add(held.epoch)
        self.forget_ahead()

    def forget_ahead(self) -> None:
        """Forgets all that lies beyond our place."""
        self._kept.clear()
        self.memory.forget_announced()
        self.ahead = NOWHERE

    def _new_epoch(self, event: Event, before: Position) -> None:
        named = _named(event)
        if named is not None and (named.epoch, named.seq) != (before.epoch, before.seq):
            why = f"the epoch {event.epoch} begins after event {named.seq} of epoch {named.epoch or 'none'}"
            self._items.append(Rewritten(table=self._table, held=before, journal=named, why=why))
            return
        self._items.append(Restarted(table=self._table, epoch=event.epoch, previous=before))
        self._compare_end(Position(before.epoch, self._sent.pop(before.epoch, 0)), before.seq)

    def _compare_end(self, told: Position, last: int) -> None:
        """If more was told of an epoch than the journal has of it, the journal lost it: that is told, once."""
        if told.seq > last and told.epoch not in self._disowned:
            self._disowned.add(told.epoch)
            where = f"ends it with event {last}" if last else "has nothing of it"
            why = f"epoch {told.epoch} went on to event {told.seq}, and the journal {where}"
            self.disown(told, self.memory.position, why)


def _named(event: Event) -> Position | None:
    """The place after which an event says that its epoch begins; None where it says nothing of it."""
    data = event.data
    if not isinstance(data, TableOpened | TableClosed):
        return None
    return Position(data.previous_epoch or "", data.previous_sequence or 0)


def _note(highest: dict[str, int], place: Position) -> None:
    """Notes the highest number of an epoch, of not too many epochs."""
    if place.epoch in highest or len(highest) < EPOCHS:
        highest[place.epoch] = max(place.seq, highest.get(place.epoch, 0))
