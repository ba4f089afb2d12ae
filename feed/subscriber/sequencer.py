"""Puts the facts of one table in order: delivers the next one, keeps later ones, detects a rewritten history."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ..events import Event, TableClosed, TableOpened
from .items import CaughtUp, Fact, Filled, Gap, Item, Missing, Position, Restarted, Rewritten, Trouble
from .memory import EPOCHS, Memory

MAX_KEPT: Final = 2000
"""The most facts kept while those before them are requested; those beyond are requested again (ours)."""

BEFORE_FIRST: Final = Position("", 0)


class CompletenessNotices:
    """Notifies how complete a table's facts are: each gap when it opens and when it closes, each trouble once."""

    def __init__(self, table: str, items: list[Item]) -> None:
        self._table = table
        self._items = items
        self._caught_up = False
        self._gap: tuple[int, int] | None = None
        self._trouble = ""

    def gap(self, first: int, last: int) -> None:
        """A gap was detected."""
        if first <= last:
            self._gap = (first, last)
            self._items.append(Gap(table=self._table, first=first, last=last))

    def missing(self, first: int, last: int) -> None:
        """These events are archived."""
        self._items.append(Missing(table=self._table, first=first, last=last))

    def trouble(self, detail: str) -> None:
        """The history cannot be read; the same detail is notified once."""
        if detail and detail != self._trouble:
            self._trouble = detail
            self._items.append(Trouble(table=self._table, detail=detail))

    def completed(self, position: Position) -> None:
        """Every event that the history holds was delivered."""
        self._trouble = ""
        if not self._caught_up:
            self._caught_up = True
            self._items.append(CaughtUp(table=self._table, position=position))
        elif self._gap is not None:
            self._items.append(Filled(table=self._table, first=self._gap[0], last=self._gap[1]))
        self._gap = None

    def reset(self, *, caught_up: bool) -> None:
        """Forgets an open gap; with `caught_up` false, `CaughtUp` is notified again too."""
        self._gap = None
        self._caught_up = self._caught_up and caught_up


class FactSequencer:
    """Delivers facts in order, by appending them to `items`, and keeps those that came early."""

    def __init__(self, table: str, items: list[Item], kept: int, restarted: Callable[[], None]) -> None:
        """`kept` is the most facts that are kept; `restarted` is called where an epoch begins."""
        self.memory = Memory(table)
        self.highest = BEFORE_FIRST
        """The highest number announced."""
        self._table = table
        self._items = items
        self._kept: dict[int, Fact] = {}
        self._max_kept = kept
        self._restarted = restarted
        self._sent: dict[str, int] = {}
        """The highest number of the facts beyond our position, by epoch."""
        self._unconfirmed: dict[str, int] = {}
        """The highest number of the facts of unknown epochs whose numbers were delivered already. They count once the
        history proves to be rewritten."""
        self._rewritten = False
        self._rewritten_epochs: set[str] = set()
        """Epochs for which `Rewritten` was notified."""

    @property
    def incomplete(self) -> bool:
        """Whether events were announced that were not delivered."""
        return self.highest.seq > self.memory.seq

    def start(self, place: Position) -> None:
        """Begins after a position."""
        self.memory.start(place)
        # Nothing is known any more of the events that it covers.
        self._sent = {epoch: seq for epoch, seq in self._sent.items() if seq > place.seq}

    def note_announced(self, place: Position) -> None:
        """The service announced or sent an event with this number."""
        if place.seq > self.highest.seq:
            self.highest = place

    def keep(self, fact: Fact, seq: int) -> None:
        """Keeps a fact until those before it are delivered. The newer of two with one number counts."""
        _note_highest(self._sent, Position(fact.event.epoch, seq))
        if seq in self._kept or len(self._kept) < self._max_kept:
            self._kept[seq] = fact

    def follows(self, event: Event) -> bool:
        """Whether an event with the next number continues the history that was delivered.

        The first event of an epoch names the epoch before it and its last number.
        """
        memory = self.memory
        if memory.epoch in (event.epoch, ""):
            return True
        named = _previous_of(event)
        return named is not None and (named.epoch, named.seq) == (memory.epoch, memory.seq)

    def accept(self, fact: Fact, seq: int) -> bool:
        """Delivers the next fact. Returns False where the facts delivered must be compared with the journal."""
        event, memory = fact.event, self.memory
        before = memory.position
        if before.epoch and event.epoch != before.epoch:
            self._new_epoch(event, before)
        agrees = memory.accept(seq, event.epoch, fact.body)
        self._items.append(fact._replace(head=memory.position.head))
        self._kept.pop(seq, None)
        if not agrees:
            self.report_rewritten(memory.position, memory.position, f"a heartbeat reported another head of event {seq}")
        return agrees

    def release_kept(self) -> bool:
        """Delivers the kept facts that follow without a gap. Returns what `accept` does."""
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

    def is_past_epoch(self, reported: Position) -> bool:
        """Whether a late message is of an earlier epoch."""
        last = self.memory.last_of(reported.epoch)
        if last is None or reported.epoch == self.memory.epoch:
            return False
        self._compare_end(reported, last)
        return True

    def note_unconfirmed(self, place: Position) -> None:
        """A fact of an unknown epoch has a number that was delivered already."""
        _note_highest(self._unconfirmed, place)

    def check_epochs(self) -> None:
        """Detects epochs whose facts are not in the history, once all of it was delivered."""
        reported = self._sent | self._unconfirmed if self._rewritten else self._sent
        self._rewritten = False
        self._unconfirmed = {}
        # Events not reached yet, and the current epoch, are checked later.
        memory = self.memory
        self._sent = {epoch: seq for epoch, seq in reported.items() if seq > memory.seq or epoch == memory.epoch}
        for epoch in reported.keys() - self._sent.keys():
            self._compare_end(Position(epoch, reported[epoch]), memory.last_of(epoch) or 0)

    def report_rewritten(self, held: Position, journal: Position, why: str) -> None:
        """Notifies that the journal no longer holds what it held, and forgets everything beyond our position."""
        self._items.append(Rewritten(table=self._table, held=held, journal=journal, why=why))
        self._rewritten = True
        if held.epoch != journal.epoch:
            self._rewritten_epochs.add(held.epoch)
        self.forget_unreached()

    def forget_unreached(self) -> None:
        """Forgets everything beyond our position."""
        self._kept.clear()
        self.memory.forget_announced()
        self.highest = BEFORE_FIRST

    def _new_epoch(self, event: Event, before: Position) -> None:
        self._restarted()
        named = _previous_of(event)
        if named is not None and (named.epoch, named.seq) != (before.epoch, before.seq):
            why = f"the epoch {event.epoch} begins after event {named.seq} of epoch {named.epoch or 'none'}"
            self._items.append(Rewritten(table=self._table, held=before, journal=named, why=why))
            return
        self._items.append(Restarted(table=self._table, epoch=event.epoch, previous=before))
        self._compare_end(Position(before.epoch, self._sent.pop(before.epoch, 0)), before.seq)

    def _compare_end(self, reported: Position, last: int) -> None:
        """Notifies once for each epoch that the journal lost events which were announced of it."""
        if reported.seq > last and reported.epoch not in self._rewritten_epochs:
            self._rewritten_epochs.add(reported.epoch)
            where = f"ends it with event {last}" if last else "has nothing of it"
            why = f"epoch {reported.epoch} went on to event {reported.seq}, and the journal {where}"
            self.report_rewritten(reported, self.memory.position, why)


def _previous_of(event: Event) -> Position | None:
    """The position before an epoch, as its first event names it; None for other events."""
    data = event.data
    if not isinstance(data, TableOpened | TableClosed):
        return None
    return Position(data.previous_epoch or "", data.previous_sequence or 0)


def _note_highest(highest: dict[str, int], place: Position) -> None:
    """Stores the highest number of an epoch, for a bounded number of epochs."""
    if place.epoch in highest or len(highest) < EPOCHS:
        highest[place.epoch] = max(place.seq, highest.get(place.epoch, 0))
