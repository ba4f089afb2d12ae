"""Delivers every edge of a board exactly once, in order, with the host's time, or the number of edges lost.

The board numbers its edges from `watch` on, and stores the latest. A report lost on the wire shows as a gap in the
numbers, or as a `state` with a higher number; the edges are requested again. The board's answer states the first number
that it still stores: only the edges before it are lost.

    edges 0-9 ──► delivered
    edges 14-20 ──► held, 10-13 requested ──► held: first 12 ──► 10, 11 reported lost; 12-20 wait for 12 and 13

After a loss the level of an input is unknown until its next edge, which for a button is its next press. The next
`state` that is not ahead of the edges has the levels: each line without an edge since the loss is delivered as an edge
with `found`, whether it changed or not. Keys have no edge at `watch`, so the first `state` after the inputs' first
edges delivers theirs in the same way.

A board does not listen to an input that changes faster than it can follow: it is `masked` in the `state`. Edges of it
are lost without a number until the board listens again, so its level is unknown until then.
"""

from __future__ import annotations

from collections import deque
from typing import Final, NamedTuple, TypeAlias

from hal.board.clock import ClockMap
from hal.board.errors import BoardError
from hal.board.message import BoardAnswer, MessageError
from hal.board.messages import EdgesFromCommand, EdgesReport, HeldAnswer, StateReport

LONG: Final = 4095
"""The distance in ticks that marks the long form."""
MOST_AHEAD: Final = 4096
"""Edges that may wait for earlier ones (ours): a board stores fewer."""
MOST_STATES: Final = 512
"""States that may wait for the edges they count (ours): ten seconds."""
KEYS_FROM: Final = 8
"""The first line that is a key; `state` has a field with their levels."""
LINES: Final = KEYS_FROM + 16
"""Lines whose levels are in a `state`."""
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
    """The level found after a loss, or initially for a key, rather than an edge: the time of its change is unknown."""


class EdgesMissing(NamedTuple):
    """Edges that are lost: their lines are not known, except for those of inputs that the board masked."""

    missing: int
    """How many; 0 where that is not known, as of masked inputs."""
    t_ns: int
    """Host time: they are before this, and after the previous edge."""
    masked: tuple[int, ...] = ()
    """The lines to which the board does not listen now; empty: edges of any line."""


class PackedEdge(NamedTuple):
    """An edge as packed in a report."""

    line: int
    level: int
    after: int
    """Ticks since the time of the report."""


def unpack(report: EdgesReport) -> list[PackedEdge]:
    """Decodes the edges of a report.

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
    """An edge that waits for earlier ones."""

    line: int
    level: int
    ticks: int


class _State(NamedTuple):
    """The content of a `state`: the edges numbered below `next` are all those up to `ticks`, and give these levels."""

    next: int
    ticks: int
    levels: int
    masked: int
    """Bit i: the board did not listen to line i."""


class EdgeStream:
    """The edges of one `watch`, from its reports in the order in which they arrive.

    The board's clock must be ready, as it is when a session is up.
    """

    def __init__(self, clock: ClockMap, watched: int = 0xFF) -> None:
        """`clock` is the board's clock in this session; `watched` has bit i set for line i, keys included."""
        self.lost = 0
        """Edges reported as missing, since the start."""
        self._clock = clock
        self._lines = [line for line in range(LINES) if watched >> line & 1]
        self._unreported_keys = {line for line in self._lines if line >= KEYS_FROM}
        """Keys whose level has not been delivered yet."""
        self._next = 0
        """The first number neither delivered nor counted as missing. Numbers are widened beyond 32 bits."""
        self._known = 0
        """The board has sent, or lost, all numbers below this."""
        self._ahead: dict[int, _Ahead] = {}
        self._states: deque[_State] = deque(maxlen=MOST_STATES)
        self._missing = 0
        """Numbers just before `_next` that are lost and not yet reported."""
        self._levels: dict[int, int] = {}
        self._doubtful: set[int] = set()
        """Lines without an edge since the last loss."""
        self._ready: list[StreamItem] = []
        self._until: int | None = None
        self._wanted = False
        self._asked = False
        self._repeating = False
        """The requested edges are on their way."""
        self._patient = False
        """While repeating: one more `state` may pass before the edges are requested again."""

    @property
    def until_ns(self) -> int | None:
        """Nothing at or before this host time follows, once `take` was called; None before it is known."""
        return None if self._until is None else self._clock.host_ns(self._until)

    def edges(self, report: EdgesReport) -> None:
        """Handles an edge report.

        Raises:
            MessageError: its bytes are not packed edges; none of them is delivered.
        """
        edges = unpack(report)
        first, ticks = self._widen(report.first), self._clock.extend(report.time)
        before = self._next
        for number, edge in enumerate(edges, first):
            if number == self._next:
                self._ahead.pop(number, None)
                self._deliver(edge.line, edge.level, ticks + edge.after)
            elif self._next < number < self._next + MOST_AHEAD:
                self._ahead.setdefault(number, _Ahead(edge.line, edge.level, ticks + edge.after))
        self._known = max(self._known, first + len(edges))
        self._drain()
        if self._ahead:
            # The board repeats in ascending order: a gap before later edges is not being repeated.
            self._wanted = True
        elif self._repeating and self._next != before:
            self._patient = True

    def state(self, report: StateReport) -> None:
        """Handles a `state` report: how many edges the board has sent, and the levels after them.

        Raises:
            MessageError: the number is lower than before.
        """
        known = self._widen(report.next)
        if known < self._next:
            raise MessageError(f"state: the next edge is number {report.next}; {self._next & _MASK} or later was due")
        self._known = known
        for number in [number for number in self._ahead if number >= self._known]:
            del self._ahead[number]  # no such edge exists: its report was corrupted
        levels = report.levels | report.keys << KEYS_FROM
        self._states.append(_State(self._known, self._clock.extend(report.time), levels, report.masked))
        self._drain()
        if self._next >= self._known:
            self._repeating = self._patient = False
        elif self._patient:
            self._patient = False
        else:
            self._wanted = True

    def take_request(self) -> EdgesFromCommand | None:
        """The command that requests missing edges, or None. Its result goes to `held`; until then there is no other."""
        if self._asked or not self._wanted:
            return None
        self._wanted = False
        if self._next >= self._known:
            return None
        self._asked = True
        return EdgesFromCommand(self._next & _MASK)

    def held(self, answer: BoardAnswer | BoardError) -> None:
        """Handles the result of the command from `take_request`."""
        if isinstance(answer, BoardError):
            return  # the session is over, and with it this stream
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
        """Removes and returns what is complete, in order."""
        ready, self._ready = self._ready, []
        return ready

    def _widen(self, number: int) -> int:
        away = (number - self._next) & _MASK
        return self._next + (away if away <= _MASK >> 1 else away - _MASK - 1)

    def _drain(self) -> None:
        """Delivers what is complete."""
        while (edge := self._ahead.pop(self._next, None)) is not None:
            self._deliver(edge.line, edge.level, edge.ticks)
        self._pass_states()

    def _deliver(self, line: int, level: int, ticks: int) -> None:
        """Delivers the next edge."""
        if self._states:
            self._pass_states()
        if self._until is not None and ticks <= self._until:
            ticks = self._until + 1  # never at or before a time already promised, whatever the board states
        t_ns = self._clock.host_ns(ticks)
        if self._missing:
            self._deliver_missing(self._missing, t_ns - 1)
        self._ready.append(BoardEdge(line, level, t_ns, ticks))
        self._levels[line] = level
        self._doubtful.discard(line)
        self._unreported_keys.discard(line)
        self._until = ticks - 1
        self._next += 1

    def _pass_states(self) -> None:
        while self._states and self._states[0].next <= self._next:
            self._pass(self._states.popleft())

    def _pass(self, state: _State) -> None:
        """Handles a state whose edges are all delivered or missing."""
        self._until = state.ticks if self._until is None else max(state.ticks, self._until)
        t_ns = self._clock.host_ns(self._until)
        self._deliver_missing(self._missing - (self._next - state.next), t_ns)
        masked = self._mask(state.masked, t_ns) if state.masked else frozenset()
        levels = {line: state.levels >> line & 1 for line in self._lines if line not in masked}
        # A line without a level yet is one whose first edge is still to come.
        changed = {line for line, level in levels.items() if self._levels.get(line, level) != level}
        if not changed <= self._doubtful:
            self._deliver_missing(1, t_ns)  # the board reported no loss, but the levels prove one
        if state.next:
            self._doubtful |= self._unreported_keys
            self._unreported_keys = set()
        found = sorted(changed | self._doubtful - masked)
        self._ready += [BoardEdge(line, levels[line], t_ns, self._until, found=True) for line in found]
        self._levels |= {line: levels[line] for line in found}
        self._doubtful &= masked

    def _mask(self, mask: int, t_ns: int) -> frozenset[int]:
        """Returns the masked lines; reports a loss of each that the board listened to until now."""
        masked = frozenset(line for line in self._lines if mask >> line & 1)
        newly = masked - self._doubtful
        if newly:
            self._ready.append(EdgesMissing(0, t_ns, tuple(sorted(newly))))
            self._doubtful |= newly
        return masked

    def _deliver_missing(self, count: int, t_ns: int) -> None:
        if count > 0:
            self._ready.append(EdgesMissing(count, t_ns))
            self._doubtful.update(self._lines)
            self._missing = max(self._missing - count, 0)
            self.lost += count
