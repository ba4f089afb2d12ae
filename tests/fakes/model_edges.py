"""The edges of a model board: numbered, stored, packed, sent again, and lost when there is no room."""

from __future__ import annotations

from typing import NamedTuple

from hal.board.messages import LONGEST, EdgesReport

KEPT = 255
"""Edges that the board stores."""
A_REPORT = 24
"""A report is sent when this many are pending."""
LONG = 4095
_MASK = 0xFFFFFFFF


class ModelEdge(NamedTuple):
    """One edge as the board has it."""

    number: int
    line: int
    level: int
    ticks: int


def pack(edges: list[ModelEdge]) -> tuple[EdgesReport, int]:
    """The report of as many consecutive edges as fit, and their number."""
    packed = bytearray()
    count = 0
    room = LONGEST - 5 - EdgesReport.layout.size
    for edge in edges:
        if count and edge.number != edges[count - 1].number + 1:
            break
        distance = edge.ticks - edges[count - 1].ticks if count else 0
        if distance < LONG and edge.line < 8:
            made = bytes((edge.level << 7 | edge.line << 4 | distance >> 8, distance & 0xFF))
        else:
            made = bytes((edge.level << 7 | LONG >> 8, LONG & 0xFF, edge.line))
            made += (distance & _MASK).to_bytes(4, "little")
        if len(packed) + len(made) > room:
            break
        packed += made
        count += 1
    first = edges[0]
    return EdgesReport(first.number & _MASK, first.ticks & _MASK, count, bytes(packed)), count


class ModelEdges:
    """The store of one `watch`."""

    def __init__(self, first: int = 0) -> None:
        """`first` is the number of the first edge: 0 on a board."""
        self.store: list[ModelEdge] = []
        self.next = first
        """The number of the next edge."""
        self.lost = 0
        self.unsent = first
        """The first number not yet sent."""
        self.again: int | None = None
        """The next number to send again."""
        self.sent_levels = 0
        self.sent_keys = 0
        self.not_before = 0
        """The earliest time that an edge may have: a state has promised every edge before it."""
        self.history: dict[int, ModelEdge] = {}
        """Every edge that got a number, stored or not: the ground truth."""

    @property
    def waiting(self) -> list[ModelEdge]:
        """The edges that were not sent."""
        count = 0
        for edge in reversed(self.store):
            if edge.number < self.unsent:
                break
            count += 1
        return self.store[len(self.store) - count :]

    @property
    def repeating(self) -> list[ModelEdge]:
        """The edges that are to be sent again."""
        again = self.again
        return [] if again is None else [edge for edge in self.store if again <= edge.number < self.unsent]

    def add(self, line: int, level: int, ticks: int) -> None:
        """Stores an edge; it is lost if everything stored is still to be sent.

        As the firmware does, it dates an edge in the tick of a state one tick later: a state promises every edge up to
        its time.
        """
        if len(self.store) >= KEPT:
            if self.store[0].number >= self.unsent:
                self.lose(1)
                return
            del self.store[0]
        self.history[self.next] = ModelEdge(self.next, line, level, max(ticks, self.not_before))
        self.store.append(self.history[self.next])
        self.next += 1

    def lose(self, count: int) -> None:
        """Skips the numbers of missed edges, which are never sent."""
        self.next += count
        self.lost += count

    def stand(self, now: int) -> tuple[int, int]:
        """Time and number of a state: every edge up to that time has a lower number, and was sent."""
        waiting = self.waiting
        # Numbers that no edge has are told by going on behind them.
        self.unsent = waiting[0].number if waiting else self.next
        time = waiting[0].ticks - 1 if waiting else now
        self.not_before = max(self.not_before, time + 1)
        return time, self.unsent

    def ask(self, number: int) -> int:
        """Sends again from this number on; returns the first one stored."""
        number += (self.next - number) & ~_MASK  # the upper half, which does not go over the wire
        if number >= self.unsent:
            return number & _MASK
        self.again = number
        kept = [edge.number for edge in self.store if edge.number >= number]
        return (kept[0] if kept else self.next) & _MASK

    def due_ticks(self) -> int | None:
        """When the next report is due; None for never."""
        if self.repeating:
            return 0
        waiting = self.waiting
        if not waiting:
            return None
        return 0 if len(waiting) >= A_REPORT else waiting[0].ticks + 10_000

    def report(self) -> EdgesReport:
        """The next report."""
        repeating = self.repeating
        report, count = pack(repeating or self.waiting)
        if repeating:
            self.again = repeating[count - 1].number + 1
            return report
        self.again = None
        for edge in self.waiting[:count]:
            if edge.line < 8:
                self.sent_levels = self.sent_levels & ~(1 << edge.line) | edge.level << edge.line
            else:
                self.sent_keys = self.sent_keys & ~(1 << edge.line - 8) | edge.level << edge.line - 8
        self.unsent = self.waiting[count - 1].number + 1
        return report
