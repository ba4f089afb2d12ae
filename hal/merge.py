"""Merges sources that deliver late, in batches and interleaved, into one order of time.

Every source (a GPIO chip, a board, a serial link) delivers values as it gets them, and states up to which time it has
delivered everything. The earliest of these times is the watermark: everything at or before it is complete, and is
sorted and released, once.

    source a   e1    e4   e5 │          until = 50 ──┐
    source b      e2   e3    │  e6      until = 40 ──┴─► watermark 40: released e1 e2 e3 (e4, e5, e6 wait)

The order is by time; at equal times by source, in the order in which sources were added; then by line name; then by
arrival. So the order in which different lines arrive does not matter. A source delivers the changes of one line in
their order.

A value at or before a watermark already released can no longer be put in its place. It is reported as
`EdgesLost(cause=LATE)` at the watermark, never released out of order, and never dropped silently.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from operator import attrgetter, itemgetter, le, lt
from typing import TypeVar

from hal.values import Batch, Command, Edge, EdgesLost, Frame, Loss, Rare

BEFORE_TIME_NS = -(1 << 63)
"""The watermark before anything was released."""
DEFAULT_MAX_HELD = 100_000
"""Values that one source may have waiting for the others (ours): some 15 MB of edges."""

T = TypeVar("T")

_edge_time = itemgetter(2)
_edge_order = itemgetter(2, 0)
_rare_time = attrgetter("t_ns")
_place = attrgetter("place")


class MergeError(ValueError):
    """A source violated its contract with the merge; says which and how."""


class _Source:
    """The values of one source that are not yet released."""

    __slots__ = ("edges", "lateness_ns", "lines", "name", "ordered", "overflow", "place", "rare", "until_ns")

    def __init__(self, name: str, place: int, lateness_ns: int, lines: tuple[str, ...], until_ns: int) -> None:
        self.name = name
        self.place = place
        self.lateness_ns = lateness_ns
        self.lines = lines
        self.until_ns = until_ns
        self.edges: list[Edge] = []
        self.ordered = True
        """Whether `edges` is sorted."""
        self.rare: list[Rare] = []
        self.overflow: dict[str, tuple[int, int]] = {}
        """Line -> (time of the first value refused, number of values refused)."""

    def hold(self, edges: Sequence[Edge], ordered: bool) -> None:
        """Keeps `edges` until they are released; `ordered` if they are sorted."""
        held = self.edges
        if self.ordered:
            self.ordered = ordered and not (held and edges and _edge_order(held[-1]) > _edge_order(edges[0]))
        held.extend(edges)

    def release_edges(self, watermark_ns: int) -> list[Edge]:
        """Removes and returns the edges up to the watermark, in order."""
        held = self.edges
        if not self.ordered:
            held.sort(key=_edge_order)
            self.ordered = True
        if not held or held[-1].t_ns <= watermark_ns:
            self.edges = []
            return held
        end = bisect_right(held, watermark_ns, key=_edge_time)
        released = held[:end]
        del held[:end]
        return released

    def release_rare(self, watermark_ns: int) -> list[Rare]:
        """Removes and returns the rare values up to the watermark, in order, with the losses by overflow."""
        for line, (t_ns, count) in list(self.overflow.items()):
            if t_ns <= watermark_ns:
                self.rare.append(EdgesLost(line, Loss.OVERFLOW, t_ns, count))
                del self.overflow[line]
        if not self.rare:
            return []
        self.rare.sort(key=_rare_order)
        end = bisect_right(self.rare, watermark_ns, key=_rare_time)
        released = self.rare[:end]
        del self.rare[:end]
        return released

    def refuse(self, line: str, t_ns: int) -> None:
        """Counts a value of `line` for which there was no room."""
        first_ns, count = self.overflow.get(line, (t_ns, 0))
        self.overflow[line] = (min(first_ns, t_ns), count + 1)


class Merge:
    """Merges sources by timestamp, up to the watermark.

    Memory is bounded: of a source whose values wait for a slower one, at most `max_held` edges and as many rare values
    are kept; further ones are reported as `EdgesLost(cause=OVERFLOW)` with their count.
    """

    def __init__(self, max_held: int = DEFAULT_MAX_HELD) -> None:
        if max_held < 1:
            raise MergeError(f"merge: max_held must be at least 1, not {max_held}")
        self._max_held = max_held
        self._sources: dict[str, _Source] = {}
        self._places = 0
        """The number of sources ever added: the place of the next one in the order."""
        self._watermark_ns = BEFORE_TIME_NS
        self._removed: list[_Source] = []
        """Removed sources that still have values to release."""
        self._late: dict[str, int] = {}
        """Line -> how many of its values were late since the last `take`."""
        self._restamped: list[Rare] = []
        """Late rare values that are released all the same, at the watermark."""

    @property
    def watermark_ns(self) -> int:
        """The time up to which everything has been released."""
        return self._watermark_ns

    @property
    def held(self) -> int:
        """How many values wait for the watermark."""
        sources = [*self._sources.values(), *self._removed]
        return sum(len(source.edges) + len(source.rare) for source in sources)

    def add(self, source: str, max_lateness_ns: int = 0, lines: Iterable[str] = ()) -> None:
        """Adds a source. From now on the watermark waits for it.

        `max_lateness_ns` is the longest time from a change to its delivery, used by `pass_to`. `lines` are
        reported as unplugged when the source is removed.

        Raises:
            MergeError: there is a source of this name, or the lateness is negative.
        """
        if source in self._sources:
            raise MergeError(f"merge: a source named {source!r} was already added; names must differ")
        if max_lateness_ns < 0:
            raise MergeError(f"merge: source {source!r} states a lateness of {max_lateness_ns} ns; it must be >= 0")
        self._sources[source] = _Source(source, self._places, max_lateness_ns, tuple(sorted(lines)), self._watermark_ns)
        self._places += 1

    def remove(self, source: str, t_ns: int) -> None:
        """Removes a source that failed or was closed at `t_ns`, so that it no longer holds the watermark back.

        What it delivered before is still released; then its lines are reported as unplugged.
        """
        gone = self._source(source)
        del self._sources[source]
        for line, (first_ns, count) in gone.overflow.items():
            gone.rare.append(EdgesLost(line, Loss.OVERFLOW, first_ns, count))
        gone.overflow.clear()
        held_ns = [*map(_edge_time, gone.edges), *map(_rare_time, gone.rare)]
        gone.until_ns = end_ns = max(t_ns, gone.until_ns, self._watermark_ns, *held_ns)
        gone.rare.extend(EdgesLost(line, Loss.UNPLUGGED, end_ns) for line in gone.lines)
        self._removed.append(gone)

    def deliver(self, source: str, edges: Sequence[Edge], rare: Sequence[Rare] = ()) -> None:
        """Accepts values of `source`: edges and rare values in any order, those of one line in their order.

        Raises:
            MergeError: there is no such source (never added, or removed).
        """
        to = self._source(source)
        if edges:
            times = list(map(_edge_time, edges))
            ordered = all(map(lt, times, times[1:])) or _are_ordered(edges)
            if (times[0] if ordered else min(times)) <= self._watermark_ns:
                edges = self._in_time(edges)
            room = self._max_held - len(to.edges)
            if len(edges) > room:
                for edge in edges[room:]:
                    to.refuse(edge.line, edge.t_ns)
                edges = edges[:room]
            to.hold(edges, ordered)
        for value in rare:
            self._deliver_rare(to, value)

    def until(self, source: str, t_ns: int) -> None:
        """Notes that `source` has delivered everything up to `t_ns`; it never goes back."""
        of = self._source(source)
        if t_ns > of.until_ns:
            of.until_ns = t_ns

    def pass_to(self, now_ns: int) -> None:
        """Advances the time to `now_ns`: no source has anything older than its stated lateness left to deliver."""
        for source in self._sources.values():
            source.until_ns = max(source.until_ns, now_ns - source.lateness_ns)

    def take(self) -> Batch | None:
        """Removes and returns everything up to the watermark; None if it has not advanced and nothing is new."""
        watermark_ns = self._next_watermark()
        if watermark_ns == self._watermark_ns and not (self._late or self._restamped or self._removed):
            return None  # whatever is held is later
        sources = sorted([*self._removed, *self._sources.values()], key=_place)
        edge_runs = [run for source in sources if (run := source.release_edges(watermark_ns))]
        rare_runs = [rare for source in sources if (rare := source.release_rare(watermark_ns))]
        if late := self._take_late():
            rare_runs.insert(0, late)
        self._removed = [source for source in self._removed if source.edges or source.rare]
        if watermark_ns == self._watermark_ns and not rare_runs:
            return None
        self._watermark_ns = watermark_ns
        return Batch(_merged(edge_runs, _edge_time), _merged(rare_runs, _rare_time), watermark_ns)

    def _source(self, name: str) -> _Source:
        try:
            return self._sources[name]
        except KeyError:
            known = ", ".join(self._sources) or "none"
            raise MergeError(f"merge: no source named {name!r} (there is: {known}); add it first") from None

    def _next_watermark(self) -> int:
        if self._sources:
            return min(source.until_ns for source in self._sources.values())
        # No source is left to wait for: the values of the removed ones are complete.
        return max((source.until_ns for source in self._removed), default=self._watermark_ns)

    def _in_time(self, edges: Sequence[Edge]) -> list[Edge]:
        watermark_ns = self._watermark_ns
        for edge in edges:
            if edge.t_ns <= watermark_ns:
                self._late[edge.line] = self._late.get(edge.line, 0) + 1
        return [edge for edge in edges if edge.t_ns > watermark_ns]

    def _deliver_rare(self, to: _Source, value: Rare) -> None:
        if value.t_ns <= self._watermark_ns:
            if isinstance(value, Command | EdgesLost):
                # A person's command, and a loss, are valid later too.
                self._restamped.append(value._replace(t_ns=self._watermark_ns))
            else:
                self._late[_rare_name(value)] = self._late.get(_rare_name(value), 0) + 1
        elif len(to.rare) < self._max_held or _must_be_kept(value):
            to.rare.append(value)
        else:
            to.refuse(_rare_name(value), value.t_ns)

    def _take_late(self) -> list[Rare]:
        late: list[Rare] = [
            EdgesLost(line, Loss.LATE, self._watermark_ns, count) for line, count in sorted(self._late.items())
        ]
        late += self._restamped
        self._late = {}
        self._restamped = []
        return late


def _are_ordered(edges: Sequence[Edge]) -> bool:
    orders = list(map(_edge_order, edges))
    return all(map(le, orders, orders[1:]))


def _rare_name(value: Rare) -> str:
    if isinstance(value, Frame):
        return value.link
    return "" if isinstance(value, Command) else value.line


def _must_be_kept(value: Rare) -> bool:
    """Whether a value is kept even if there is no room: these are few, and a count cannot replace them."""
    return isinstance(value, Command) or (isinstance(value, EdgesLost) and value.cause is Loss.UNPLUGGED)


def _rare_order(value: Rare) -> tuple[int, str]:
    return value.t_ns, _rare_name(value)


def _merged(runs: list[list[T]], time: Callable[[T], int]) -> list[T]:
    """Merges sorted runs: the sort detects the runs, and keeps the first run first among equals."""
    if len(runs) == 1:
        return runs[0]
    merged = list(chain.from_iterable(runs))
    merged.sort(key=time)
    return merged
