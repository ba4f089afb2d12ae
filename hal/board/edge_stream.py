"""Every edge of a board exactly once, in order, with the host's time; or the news of how many were lost.

The board numbers its edges from `watch` on, and keeps the last ones. What the wire lost shows as a number left out, or
as a `state` that knows of more; it is asked for again. The board's answer says from which number on it still has them:
only what lies before is lost.

    edges 0-9 ──► delivered
    edges 14-20 ──► kept, 10-13 asked for ──► held: first 12 ──► 10 and 11 told as lost; 12-20 delivered as 12, 13 come

After a loss nobody knows the level of an input until its next edge, and a button's next press would be that. The next
`state` that is not ahead of the edges tells the levels: those of which nothing was told since are told as edges with
`found`, whether they changed or not. Keys have no edge at `watch`, so the first `state` after those of the inputs
tells theirs in the same way.
"""

from __future__ import annotations

from collections import deque
from typing import Final, NamedTuple, TypeAlias

from hal.board.clock import ClockMap
from hal.board.errors import BoardError
from hal.board.message import BoardAnswer, MessageError
from hal.board.messages import EdgesFromCommand, EdgesReport, HeldAnswer, StateReport

LONG: Final = 4095
"""The distance in ticks that says: the long form follows."""
MOST_AHEAD: Final = 4096
"""Edges that wait for those before them (ours): a board keeps fewer."""
MOST_STATES: Final = 512
"""States that wait for the edges that they speak of (ours): ten seconds."""
KEYS_FROM: Final = 8
"""The first line that is a key: `state` has a field of their levels."""
LINES: Final = KEYS_FROM + 16
"""Lines whose levels a `state` knows."""
_MASK: Final = 0xFFFFFFFF


class BoardEdge(NamedTuple):
    """A line of a board took a level."""

    line: int
    """Index: input minus 1."""
    level: int
    t_ns: int
    """Host time."""
    ticks: int
    """Board time, 64 bits."""
    found: bool = False
    """It is the level found after a loss, or of a key at first, not an edge: when it changed is not known."""


class EdgesMissing(NamedTuple):
    """Edges that will never come: their lines are not known."""

    missing: int
    t_ns: int
    """Host time: they were before this, and after the edge told before."""


class PackedEdge(NamedTuple):
    """An edge as it is packed in a report."""

    line: int
    level: int
    after: int
    """Ticks since the time of the report."""


def unpack(report: EdgesReport) -> list[PackedEdge]:
    """The edges of a report.

    Raises:
        MessageError: its bytes are not `count` edges.
    """
    packed = report.packed
    edges: list[PackedEdge] = []
    at = after = 0
    while at + 2 <= len(packed):
        head = packed[at]
        distance = (head & 0x0F) << 8 | packed[at + 1]
        line = head >> 4 & 0x07
        at += 2
        if distance == LONG:
            if at + 5 > len(packed):
                raise MessageError(f"edges: the long form of edge {len(edges)} is cut off")
            line = packed[at]
            distance = int.from_bytes(packed[at + 1 : at + 5], "little")
            at += 5
        after += distance
        edges.append(PackedEdge(line, head >> 7, after))
    if at != len(packed) or len(edges) != report.count:
        raise MessageError(f"edges: expected {report.count}, found {len(edges)} in {len(packed)} bytes")
    return edges


StreamItem: TypeAlias = BoardEdge | EdgesMissing


class _Ahead(NamedTuple):
    """An edge that waits for those before it."""

    line: int
    level: int
    ticks: int


class _Stand(NamedTuple):
    """What a `state` said: the edges below `next` are all up to `ticks`, and left these levels."""

    next: int
    ticks: int
    levels: int


class EdgeStream:
    """The edges of one `watch`: give it the reports in the order in which they came.

    The board's clock must be known, which it is when a session is up.
    """

    def __init__(self, clock: ClockMap, watched: int = 0xFF) -> None:
        """`clock` is that of the board's session; `watched` has bit i for line i, keys included."""
        self.lost = 0
        """Edges told as missing, since the start."""
        self._clock = clock
        self._lines = [line for line in range(LINES) if watched >> line & 1]
        self._untold_keys = {line for line in self._lines if line >= KEYS_FROM}
        """Keys whose level was never told."""
        self._next = 0
        """The first number that was neither told nor counted as missing. Numbers are widened beyond 32 bits."""
        self._known = 0
        """The board has sent, or lost, all numbers below."""
        self._ahead: dict[int, _Ahead] = {}
        self._stands: deque[_Stand] = deque(maxlen=MOST_STATES)
        self._missing = 0
        """Numbers just before `_next` that are lost, and not yet told."""
        self._levels: dict[int, int] = {}
        self._doubtful: set[int] = set()
        """Lines of which nothing was told since the last loss."""
        self._told: list[StreamItem] = []
        self._until: int | None = None
        self._wanted = False
        self._asked = False
        self._repeating = False
        """What was asked for is on its way."""
        self._patient = False
        """A state may pass then before it is asked for again."""

    @property
    def until_ns(self) -> int | None:
        """Nothing at or before this host time is still to come, once `take` was called; None before it is known."""
        return None if self._until is None else self._clock.host_ns(self._until)

    def edges(self, report: EdgesReport) -> None:
        """Takes edges.

        Raises:
            MessageError: they are not packed as edges are; nothing of them is taken.
        """
        edges = unpack(report)
        first, ticks = self._widen(report.first), self._clock.extend(report.time)
        before = self._next
        for number, edge in enumerate(edges, first):
            if number == self._next:
                self._ahead.pop(number, None)
                self._tell(edge.line, edge.level, ticks + edge.after)
            elif self._next < number < self._next + MOST_AHEAD:
                self._ahead.setdefault(number, _Ahead(edge.line, edge.level, ticks + edge.after))
        self._known = max(self._known, first + len(edges))
        self._drain()
        if self._ahead:
            # The board repeats from the first number on: what is missing before others is not on its way.
            self._wanted = True
        elif self._repeating and self._next != before:
            self._patient = True

    def state(self, report: StateReport) -> None:
        """Takes the word of the board of how many edges it has sent, and how they left the levels.

        Raises:
            MessageError: it has sent fewer than it had before.
        """
        known = self._widen(report.next)
        if known < self._next:
            raise MessageError(f"state: the next edge is number {report.next}; {self._next & _MASK} or later was due")
        self._known = known
        for number in [number for number in self._ahead if number >= self._known]:
            del self._ahead[number]  # there is no such edge: it was garbled
        levels = report.levels | report.keys << KEYS_FROM
        self._stands.append(_Stand(self._known, self._clock.extend(report.time), levels))
        self._drain()
        if self._next >= self._known:
            self._repeating = self._patient = False
        elif self._patient:
            self._patient = False
        else:
            self._wanted = True

    def take_request(self) -> EdgesFromCommand | None:
        """What to submit now, or None: edges are missing. Its answer goes to `held`; until then none is made."""
        if self._asked or not self._wanted:
            return None
        self._wanted = False
        if self._next >= self._known:
            return None
        self._asked = True
        return EdgesFromCommand(self._next & _MASK)

    def held(self, answer: BoardAnswer | BoardError) -> None:
        """Takes what became of the command that `take_request` gave."""
        if isinstance(answer, BoardError):
            return  # the session is over, and so is this stream: nothing is asked any more
        self._asked = self._wanted = False
        self._repeating = self._patient = True
        if not isinstance(answer, HeldAnswer):
            return
        first = self._widen(answer.first)
        self._known = max(self._known, first)
        while self._next < first:
            end = min([first, *(number for number in self._ahead if number < first)])
            self._missing += end - self._next
            self._next = end
            self._drain()
        self._drain()

    def take(self) -> list[StreamItem]:
        """What is complete and was not yet taken, in order."""
        told, self._told = self._told, []
        return told

    def _widen(self, number: int) -> int:
        away = (number - self._next) & _MASK
        return self._next + (away if away <= _MASK >> 1 else away - _MASK - 1)

    def _drain(self) -> None:
        """Tells what is complete."""
        while (edge := self._ahead.pop(self._next, None)) is not None:
            self._tell(edge.line, edge.level, edge.ticks)
        self._pass_stands()

    def _tell(self, line: int, level: int, ticks: int) -> None:
        """Tells the next edge."""
        if self._stands:
            self._pass_stands()
        if self._until is not None and ticks <= self._until:
            ticks = self._until + 1  # nothing comes at or before a time that is over, whatever the board says
        t_ns = self._clock.host_ns(ticks)
        if self._missing:
            self._tell_missing(self._missing, t_ns - 1)
        self._told.append(BoardEdge(line, level, t_ns, ticks))
        self._levels[line] = level
        self._doubtful.discard(line)
        self._untold_keys.discard(line)
        self._until = ticks - 1
        self._next += 1

    def _pass_stands(self) -> None:
        while self._stands and self._stands[0].next <= self._next:
            self._pass(self._stands.popleft())

    def _pass(self, stand: _Stand) -> None:
        """All edges that it speaks of are told, or missing."""
        self._until = stand.ticks if self._until is None else max(stand.ticks, self._until)
        t_ns = self._clock.host_ns(self._until)
        self._tell_missing(self._missing - (self._next - stand.next), t_ns)
        levels = {line: stand.levels >> line & 1 for line in self._lines}
        # A line whose level was never told is one whose first edge is still to come.
        changed = {line for line, level in levels.items() if self._levels.get(line, level) != level}
        if changed and not self._doubtful:
            self._tell_missing(1, t_ns)  # the board knows of no loss, and yet there must have been one
        if stand.next:
            self._doubtful |= self._untold_keys
            self._untold_keys = set()
        found = sorted(changed | self._doubtful)
        self._told += [BoardEdge(line, levels[line], t_ns, self._until, found=True) for line in found]
        self._levels |= {line: levels[line] for line in found}
        self._doubtful.clear()

    def _tell_missing(self, count: int, t_ns: int) -> None:
        if count > 0:
            self._told.append(EdgesMissing(count, t_ns))
            self._doubtful.update(self._lines)
            self._missing = max(self._missing - count, 0)
            self.lost += count
