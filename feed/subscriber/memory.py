"""A subscriber's memory of a table's history: its position, and enough of the chain to be a witness of it.

Each event accepted moves the head of the chain, computed here from the bodies. Each head that the service reports, in a
heartbeat or at the end of an answer, is compared with ours of the same number: at once, later when it is reached, or
among the remembered events.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from enum import Enum, auto
from hashlib import sha256
from typing import Final, NamedTuple

from ..events import genesis, link
from .items import Fact, Position

REMEMBERED: Final = 256
"""How many of the last events are remembered (ours)."""
ANNOUNCED: Final = 64
"""How many heads of events not received yet are kept (ours)."""
EPOCHS: Final = 256
"""How many epochs are kept (ours)."""

_HEAD: Final = re.compile("[0-9a-f]{64}")


class RememberedEvent(NamedTuple):
    """The epoch, digest and head of one of the last events."""

    epoch: str
    digest: bytes
    """SHA-256 of its body."""
    head: bytes | None
    """Of the chain after it; None where it is unknown."""


class Memory:
    """The history of one table up to a position."""

    def __init__(self, table: str) -> None:
        self._table = table
        self._started = False
        self._epoch = ""
        self._seq = 0
        self._head: bytes | None = None
        self._remembered: OrderedDict[int, RememberedEvent] = OrderedDict()
        self._announced: dict[int, bytes] = {}
        self._epochs: OrderedDict[str, int] = OrderedDict()
        """The last number delivered of each."""

    @property
    def started(self) -> bool:
        """Whether there is a position yet."""
        return self._started

    @property
    def position(self) -> Position:
        """The position after the last event."""
        return Position(self._epoch, self._seq, self._head.hex() if self._head else "")

    @property
    def epoch(self) -> str:
        """Of the last event; empty where it is unknown."""
        return self._epoch

    @property
    def seq(self) -> int:
        """Of the last event."""
        return self._seq

    @property
    def before(self) -> int:
        """The number before the oldest remembered event."""
        return next(iter(self._remembered), self._seq + 1) - 1

    def start(self, position: Position) -> None:
        """Begins at a position and forgets everything else."""
        self._started = True
        self._epoch, self._seq = position.epoch, position.seq
        self._head = _hash(position.head) if position.seq else genesis(self._table)
        self._remembered.clear()
        self._announced.clear()
        self._epochs.clear()
        self._note_epoch()

    def stop(self) -> None:
        """Forgets everything; there is no position until the next `start`."""
        self.start(Position("", 0))
        self._started = False

    def accept(self, seq: int, epoch: str, body: bytes) -> bool:
        """Accepts the next event. Returns False where the head after it differs from the one announced."""
        if self._head is not None:
            self._head = link(self._head, body)
        if epoch == self._epoch:
            # The same text once, and not with each of the remembered events.
            epoch = self._epoch
        self._remembered[seq] = RememberedEvent(epoch, sha256(body).digest(), self._head)
        if len(self._remembered) > REMEMBERED:
            self._remembered.popitem(last=False)
        self._epoch, self._seq = epoch, seq
        self._note_epoch()
        announced = self._announced.pop(seq, None)
        return announced is None or self._agrees(announced)

    def witness(self, seq: int, head: str) -> bool:
        """Checks a head that the service reports. Returns False where it contradicts ours."""
        reported = _hash(head)
        if reported is None:
            return True
        if seq == self._seq:
            return self._agrees(reported)
        if seq < self._seq:
            event = self._remembered.get(seq)
            return event is None or event.head is None or event.head == reported
        if len(self._announced) >= ANNOUNCED and seq not in self._announced:
            # The oldest come first: they are the next to be compared.
            return True
        return self._announced.setdefault(seq, reported) == reported

    def is_same(self, seq: int, body: bytes) -> bool | None:
        """Whether a body equals that of a remembered event; None where the event is not remembered."""
        event = self._remembered.get(seq)
        return None if event is None else event.digest == sha256(body).digest()

    def last_of(self, epoch: str) -> int | None:
        """The last number delivered of an epoch; None where none was, or too many epochs came since."""
        return self._epochs.get(epoch)

    def adopt_head(self, head: str) -> None:
        """Adopts the head that the service reports for this position, where ours is unknown."""
        self._head = _hash(head)

    def skip_to(self, seq: int) -> None:
        """Skips archived events. The head is unknown after them."""
        self._epoch, self._seq, self._head = "", seq, None
        self._remembered.clear()
        self._announced = {ahead: head for ahead, head in self._announced.items() if ahead > seq}

    def rewind(self, seq: int) -> None:
        """Goes back to a remembered event, or to the one before them. All heads become unknown."""
        while self._remembered and next(reversed(self._remembered)) > seq:
            self._remembered.popitem()
        for kept, event in self._remembered.items():
            self._remembered[kept] = event._replace(head=None)
        event = self._remembered.get(seq, RememberedEvent("", b"", None))
        self._epoch, self._seq, self._head = event.epoch, seq, None
        self._announced.clear()
        self._note_epoch()

    def forget_announced(self) -> None:
        """Forgets the heads announced: they belong to a history that was rewritten."""
        self._announced.clear()

    def _note_epoch(self) -> None:
        if self._epoch:
            self._epochs[self._epoch] = self._seq
            if len(self._epochs) > EPOCHS:
                self._epochs.popitem(last=False)

    def _agrees(self, reported: bytes) -> bool:
        if self._head is None:
            self._head = reported
        return self._head == reported


class ComparisonResult(Enum):
    """The result of comparing one event."""

    SAME = auto()
    DIFFERENT = auto()
    """The first event that differs; those before it are the same."""
    ALL_DIFFERENT = auto()
    """Not even the oldest remembered event is the same: where the difference begins is unknown."""


class Comparison:
    """Finds the first event that the journal holds differently, from the oldest remembered one on."""

    def __init__(self, memory: Memory) -> None:
        self.cursor = memory.before
        """The number of the last event that is the same."""
        self._memory = memory
        self._first = memory.before

    def compare(self, fact: Fact) -> ComparisonResult:
        """Compares the event after the cursor, as the journal holds it now."""
        if self._memory.is_same(self.cursor + 1, fact.body):
            self.cursor += 1
            return ComparisonResult.SAME
        if self.cursor == self._first and self._first > 0:
            return ComparisonResult.ALL_DIFFERENT
        return ComparisonResult.DIFFERENT


def _hash(head: str) -> bytes | None:
    """The hash in a head as it is reported; None where it is empty or malformed."""
    return bytes.fromhex(head) if _HEAD.fullmatch(head) else None
