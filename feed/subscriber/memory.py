"""What a subscriber remembers of a table's history: where it is, and enough of the chain to be a witness of it.

Each event accepted moves the head of the chain, worked out here from the bodies. Each head that the service tells, in a
heartbeat or at the end of an answer, is compared with ours of the same number: now, later when we get there, or among
the last ones.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from enum import Enum, auto
from hashlib import sha256
from typing import Final, NamedTuple

from feed.events import genesis, link
from feed.subscriber.items import Fact, Position

# Where a rewritten history begins to differ: what the journal holds now, against what is remembered of it.


class ComparisonResult(Enum):
    """What a comparison of the next event says."""

    SAME = auto()
    DIFFERENT = auto()
    """From here on. Those before it are the same."""
    ALL_DIFFERENT = auto()
    """Not one of those remembered is left: where it begins cannot be told."""


class Comparison:
    """Compares event by event, from the oldest that is remembered on."""

    def __init__(self, memory: Memory) -> None:
        self.cursor = memory.before
        """The last event that is the same."""
        self._memory = memory
        self._first = memory.before

    def next(self, fact: Fact) -> ComparisonResult:
        """The event after the cursor, as the journal holds it now."""
        if self._memory.is_same(self.cursor + 1, fact.body):
            self.cursor += 1
            return ComparisonResult.SAME
        if self.cursor == self._first and self._first > 0:
            return ComparisonResult.ALL_DIFFERENT
        return ComparisonResult.DIFFERENT


REMEMBERED: Final = 256
"""The last events of which the hashes are kept (ours)."""
ANNOUNCED: Final = 64
"""Heads kept of events that have not come yet (ours)."""
EPOCHS: Final = 256
"""The epochs that are known, at most (ours)."""

_HEAD: Final = re.compile("[0-9a-f]{64}")


class RememberedEvent(NamedTuple):
    """What is kept of an event."""

    epoch: str
    digest: bytes
    """SHA-256 of its body."""
    head: bytes | None
    """Of the chain after it."""


class Memory:
    """The history of one table up to a place."""

    def __init__(self, table: str) -> None:
        self._table = table
        self._started = False
        self._epoch = ""
        self._seq = 0
        self._head: bytes | None = None
        self._marks: OrderedDict[int, RememberedEvent] = OrderedDict()
        self._announced: dict[int, bytes] = {}
        self._epochs: OrderedDict[str, int] = OrderedDict()
        """The last number of each."""

    @property
    def started(self) -> bool:
        """Whether there is a place yet."""
        return self._started

    @property
    def position(self) -> Position:
        """After which event it is."""
        return Position(self._epoch, self._seq, self._head.hex() if self._head else "")

    @property
    def epoch(self) -> str:
        """Of the last event; empty where that is not known."""
        return self._epoch

    @property
    def seq(self) -> int:
        """Of the last event."""
        return self._seq

    @property
    def before(self) -> int:
        """The number before the oldest event that is remembered."""
        return next(iter(self._marks), self._seq + 1) - 1

    def start(self, position: Position) -> None:
        """Begins at a place and forgets all else."""
        self._started = True
        self._epoch, self._seq = position.epoch, position.seq
        self._head = _hash(position.head) if position.seq else genesis(self._table)
        self._marks.clear()
        self._announced.clear()
        self._epochs.clear()
        self._note_epoch()

    def stop(self) -> None:
        """Forgets all; there is no place until the next `start`."""
        self.start(Position("", 0))
        self._started = False

    def accept(self, seq: int, epoch: str, body: bytes) -> bool:
        """The next event. Returns False where the head after it is not the one that was announced."""
        if self._head is not None:
            self._head = link(self._head, body)
        self._marks[seq] = RememberedEvent(epoch, sha256(body).digest(), self._head)
        if len(self._marks) > REMEMBERED:
            self._marks.popitem(last=False)
        self._epoch, self._seq = epoch, seq
        self._note_epoch()
        announced = self._announced.pop(seq, None)
        return announced is None or self._agrees(announced)

    def witness(self, seq: int, head: str) -> bool:
        """A head that the service tells. Returns False where it contradicts what is held."""
        told = _hash(head)
        if told is None:
            return True
        if seq == self._seq:
            return self._agrees(told)
        if seq < self._seq:
            mark = self._marks.get(seq)
            return mark is None or mark.head is None or mark.head == told
        if len(self._announced) >= ANNOUNCED and seq not in self._announced:
            # The oldest come first: they are the next to be compared.
            return True
        return self._announced.setdefault(seq, told) == told

    def is_same(self, seq: int, body: bytes) -> bool | None:
        """Whether a body is that of an event accepted; None where it is not remembered."""
        mark = self._marks.get(seq)
        return None if mark is None else mark.digest == sha256(body).digest()

    def last_of(self, epoch: str) -> int | None:
        """The last number given of an epoch; None where nothing of it was given, or long ago."""
        return self._epochs.get(epoch)

    def trust(self, head: str) -> None:
        """Takes the head at this place from the service, for want of a better one."""
        self._head = _hash(head)

    def skip_to(self, seq: int) -> None:
        """Goes over events that cannot be had. What is known of the chain ends there."""
        self._epoch, self._seq, self._head = "", seq, None
        self._marks.clear()
        self._announced = {ahead: head for ahead, head in self._announced.items() if ahead > seq}

    def rewind(self, seq: int) -> None:
        """Goes back to an event that is remembered, or that stands before those. The heads are to be learned anew."""
        while self._marks and next(reversed(self._marks)) > seq:
            self._marks.popitem()
        for kept, mark in self._marks.items():
            self._marks[kept] = mark._replace(head=None)
        mark = self._marks.get(seq, RememberedEvent("", b"", None))
        self._epoch, self._seq, self._head = mark.epoch, seq, None
        self._announced.clear()
        self._note_epoch()

    def forget_announced(self) -> None:
        """The heads announced were of a history that is no more."""
        self._announced.clear()

    def _note_epoch(self) -> None:
        if self._epoch:
            self._epochs[self._epoch] = self._seq
            if len(self._epochs) > EPOCHS:
                self._epochs.popitem(last=False)

    def _agrees(self, told: bytes) -> bool:
        if self._head is None:
            self._head = told
        return self._head == told


def _hash(head: str) -> bytes | None:
    """The hash of a head as it is told; None where there is none, or it is not one."""
    return bytes.fromhex(head) if _HEAD.fullmatch(head) else None
