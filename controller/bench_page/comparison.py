"""Everything in which two captures differ, over a tolerance that a person chooses.

    first    ____|‾‾‾|______|‾‾|________        an edge is the same where it comes within the tolerance,
    second   ____|‾‾‾‾|________________         moved where it comes later or earlier than that,
                     ^moved  ^alone             alone where the other capture has none near it

A reading is the same where the other capture had such a value within the tolerance of its time, a frame where it has
the same bytes, a verdict where it is the same. The list is bounded; where each line differs is given in full, in spans.
"""

from __future__ import annotations

import heapq
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import islice, zip_longest
from operator import itemgetter
from typing import Final, Literal, NamedTuple

import msgspec

from controller.bench_page.line_display import SEALED_TEXT, binned, frame_text
from controller.service.event_lines import words_of
from feed import events
from feed.events import Event
from hal.values import Batch, Frame, Reading

MOST_LISTED: Final = 500
"""Differences that are listed, those of verdicts and the earliest others; of the rest the page has their number and
their spans (ours)."""
SPANS: Final = 2000
"""Spans of differences of one line (ours): more than a pixel has of them, no screen shows."""
REACH_NS: Final = 50_000_000
"""An edge or a frame further from its like than this is not a moved one: both are alone (ours)."""
MOST_REACH: Final = 20
"""Or further than so many tolerances, where those are more."""
MOST_ALIGNED: Final = 2000
"""Of more verdicts than these each is compared with that of its own place (ours)."""
VERDICTS: Final = ""
"""In place of a line's name, where verdicts differ."""

_T_NS: Final = itemgetter(0)

What = Literal["edge", "level", "reading", "frame", "verdict"]


class Tolerance(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is no difference yet."""

    time_ns: int = 100_000
    """Times nearer than this are the same: ten times what a Pi is late with an edge (ours)."""
    value: float = 0.05
    """Readings nearer than this are the same, in the unit of their line (ours)."""


class Edges(NamedTuple):
    """The edges of one line: nine bytes each."""

    times: array[int]
    levels: bytearray


class Readings(NamedTuple):
    """The readings of one line."""

    times: array[int]
    values: array[float]


class VerdictAt(NamedTuple):
    """One verdict: when, what makes it the same as another, and its words."""

    t_ns: int
    same: str
    words: str


class CaptureContent:
    """What a capture holds, to be compared. Times are since its beginning."""

    def __init__(self, sealed: Iterable[str] = ()) -> None:
        """`sealed` are the links whose frames nobody may see."""
        self.edges: dict[str, Edges] = {}
        self.readings: dict[str, Readings] = {}
        self.frames: dict[str, list[tuple[int, bytes]]] = {}
        self.verdicts: list[VerdictAt] = []
        self.length_ns = 0
        self.sealed = frozenset(sealed)

    def take(self, batch: Batch, published: Iterable[Event], origin_ns: int) -> None:
        """Takes the next batch, and what the table published of it."""
        edges = self.edges
        for line, level, t_ns in batch.edges:
            kept = edges.get(line)
            if kept is None:
                kept = edges[line] = Edges(array("q"), bytearray())
            kept.times.append(t_ns - origin_ns)
            kept.levels.append(level)
        for rare in batch.rare:
            if isinstance(rare, Frame):
                self.frames.setdefault(rare.link, []).append((rare.t_ns - origin_ns, rare.data))
            elif isinstance(rare, Reading):
                readings = self.readings.setdefault(rare.line, Readings(array("q"), array("d")))
                readings.times.append(rare.t_ns - origin_ns)
                readings.values.append(rare.value)
        for event in published:
            data = event.data
            if isinstance(data, events.Outcome):
                self.verdicts.append(VerdictAt(data.mono_ns - origin_ns, repr(data.result), words_of(event)))
            elif isinstance(data, events.Void | events.Unresolved):
                same = f"{type(data).kind} {data.reason}"
                self.verdicts.append(VerdictAt(data.mono_ns - origin_ns, same, words_of(event)))
        self.length_ns = batch.until_ns - origin_ns

    @property
    def first_change_ns(self) -> int:
        """When a line first leaves the level that it has at the beginning."""
        return min((times[1] for times, _ in self.edges.values() if len(times) > 1), default=0)


class Difference(msgspec.Struct, frozen=True):
    """One difference. Times are those of the first capture, with the second one shifted onto it."""

    what: What
    line: str
    first_ns: int | None
    """None where the first capture has nothing of it."""
    second_ns: int | None
    first: str = ""
    """The level after an edge (`0`, `1`), the value, the frame or the verdict."""
    second: str = ""
    until_ns: int | None = None
    """Of readings that differ one after another: the time of the last one."""
    count: int = 1
    """How many they are."""

    @property
    def at_ns(self) -> int:
        """When it begins."""
        return min(t_ns for t_ns in (self.first_ns, self.second_ns) if t_ns is not None)


class CaptureComparison(msgspec.Struct, frozen=True):
    """Two captures, compared."""

    tolerance: Tolerance
    shift_ns: int
    """By how much later the second capture is drawn, and was compared."""
    total: int
    counts: dict[str, int]
    """How many of them each line has."""
    listed: list[Difference]
    more: int
    """How many are not listed."""
    spans: dict[str, list[tuple[int, int, int]]]
    """Where each line differs, all of it: from, to, and how many differences."""
    only_first: list[str]
    """Lines that the first capture alone has."""
    only_second: list[str]


def compare(
    first: CaptureContent, second: CaptureContent, tolerance: Tolerance | None = None, shift_ns: int = 0
) -> CaptureComparison:
    """Compares two captures; `shift_ns` is added to the times of the second one."""
    tolerance = Tolerance() if tolerance is None else tolerance
    reach_ns = max(REACH_NS, tolerance.time_ns * MOST_REACH)
    found: list[Difference] = []
    counts: dict[str, int] = {}
    spans: dict[str, list[tuple[int, int, int]]] = {}

    def take(line: str, differing: Iterator[Difference]) -> None:
        kept = list(islice(differing, MOST_LISTED))
        times = [(one.at_ns, one.count) for one in kept]
        times += [(one.at_ns, one.count) for one in differing]
        if not times:
            return
        found.extend(kept)
        counts[line] = sum(count for _, count in times)
        times.sort()
        if len(times) <= SPANS:
            spans[line] = [(t_ns, t_ns, count) for t_ns, count in times]
        else:
            spans[line] = [(from_ns, to_ns, count) for from_ns, to_ns, count, _ in binned(times, SPANS)]

    for line in sorted(first.edges.keys() & second.edges.keys()):
        take(line, _edges(line, first.edges[line], second.edges[line], tolerance.time_ns, reach_ns, shift_ns))
    for line in sorted(first.readings.keys() & second.readings.keys()):
        take(line, _readings(line, first.readings[line], second.readings[line], tolerance, shift_ns))
    for link in sorted(first.frames.keys() & second.frames.keys()):
        sealed = link in first.sealed or link in second.sealed
        shown = _sealed if sealed else frame_text
        pair = first.frames[link], [(t_ns + shift_ns, data) for t_ns, data in second.frames[link]]
        take(link, _frames(link, *pair, tolerance.time_ns, reach_ns, shown))
    later = [one._replace(t_ns=one.t_ns + shift_ns) for one in second.verdicts]
    take(VERDICTS, _verdicts(first.verdicts, later, tolerance.time_ns))
    # A line that differs all along would leave no room for verdicts, which are few.
    found.sort(key=lambda one: (one.what != "verdict", one.at_ns, one.line))
    total = sum(counts.values())
    listed = sorted(found[:MOST_LISTED], key=lambda one: (one.at_ns, one.line))
    of_first, of_second = _lines(first), _lines(second)
    return CaptureComparison(
        tolerance=tolerance,
        shift_ns=shift_ns,
        total=total,
        counts=counts,
        listed=listed,
        more=total - sum(one.count for one in listed),
        spans=spans,
        only_first=sorted(of_first - of_second),
        only_second=sorted(of_second - of_first),
    )


def _lines(one: CaptureContent) -> set[str]:
    return {*one.edges, *one.readings, *one.frames}


def _sealed(data: bytes) -> str:
    del data  # nobody may see it
    return SEALED_TEXT


def _edges(line: str, first: Edges, second: Edges, same_ns: int, reach_ns: int, shift_ns: int) -> Iterator[Difference]:
    times, levels = first
    others, other_levels = second
    i = j = 0
    # What a line is at the beginning is a level, not an edge.
    at_first, at_second = times[0] == 0, others[0] == 0
    if at_first and at_second and levels[0] != other_levels[0]:
        yield Difference("level", line, 0, shift_ns, str(levels[0]), str(other_levels[0]))
    i, j = int(at_first), int(at_second)
    ends, other_ends = len(times), len(others)
    while i < ends and j < other_ends:
        apart = others[j] + shift_ns - times[i]
        same = levels[i] == other_levels[j]
        if same and -same_ns <= apart <= same_ns:
            i += 1
            j += 1
            continue
        if same and -reach_ns <= apart <= reach_ns and _nearest(times, others, i, j, apart, shift_ns):
            level = str(levels[i])
            yield Difference("edge", line, times[i], others[j] + shift_ns, level, level)
            i += 1
            j += 1
        elif apart > 0:
            yield Difference("edge", line, times[i], None, str(levels[i]), "")
            i += 1
        else:
            yield Difference("edge", line, None, others[j] + shift_ns, "", str(other_levels[j]))
            j += 1
    for k in range(i, ends):
        yield Difference("edge", line, times[k], None, str(levels[k]), "")
    for k in range(j, other_ends):
        yield Difference("edge", line, None, others[k] + shift_ns, "", str(other_levels[k]))


def _nearest(times: array[int], others: array[int], i: int, j: int, apart: int, shift_ns: int) -> bool:
    """Whether neither of two edges has one of the same level, the next but one, that is nearer to the other."""
    if apart > 0:
        return i + 2 >= len(times) or abs(others[j] + shift_ns - times[i + 2]) >= apart
    return j + 2 >= len(others) or abs(others[j + 2] + shift_ns - times[i]) >= -apart


def _readings(
    line: str, first: Readings, second: Readings, tolerance: Tolerance, shift_ns: int
) -> Iterator[Difference]:
    """Readings that the other capture does not have at their time; those that follow each other are one difference."""
    mine = (
        (t_ns, value, _off(second, t_ns - shift_ns, value, tolerance), True) for t_ns, value in zip(*first, strict=True)
    )
    theirs = (
        (t_ns + shift_ns, value, _off(first, t_ns + shift_ns, value, tolerance), False)
        for t_ns, value in zip(*second, strict=True)
    )
    begun: Difference | None = None
    for t_ns, value, other, of_first in heapq.merge(mine, theirs, key=_T_NS):
        if other is None:
            if begun is not None:
                yield begun
            begun = None
        elif begun is None:
            one, two = (value, other) if of_first else (other, value)
            begun = Difference("reading", line, t_ns, t_ns, f"{one:.4g}", f"{two:.4g}", t_ns)
        else:
            begun = msgspec.structs.replace(begun, until_ns=t_ns, count=begun.count + 1)
    if begun is not None:
        yield begun


def _off(readings: Readings, t_ns: int, value: float, tolerance: Tolerance) -> float | None:
    """The value that a line had at a time, where that is off by more than the tolerance; None where it is not."""
    times, values = readings
    begin = bisect_left(times, t_ns - tolerance.time_ns)
    end = bisect_right(times, t_ns + tolerance.time_ns)
    held = values[max(0, begin - 1) : end]
    if not held or min(held) - tolerance.value <= value <= max(held) + tolerance.value:
        return None
    return held[-1]


def _frames(
    link: str,
    first: Sequence[tuple[int, bytes]],
    second: Sequence[tuple[int, bytes]],
    same_ns: int,
    reach_ns: int,
    shown: Callable[[bytes], str],
) -> Iterator[Difference]:
    i = j = 0
    while i < len(first) and j < len(second):
        (t_ns, data), (other_ns, other) = first[i], second[j]
        apart = other_ns - t_ns
        if data == other and abs(apart) <= reach_ns:
            if abs(apart) > same_ns:
                yield Difference("frame", link, t_ns, other_ns, shown(data), shown(other))
            i, j = i + 1, j + 1
        elif abs(apart) <= same_ns:
            yield Difference("frame", link, t_ns, other_ns, shown(data), shown(other))
            i, j = i + 1, j + 1
        elif apart > 0:
            yield Difference("frame", link, t_ns, None, shown(data), "")
            i += 1
        else:
            yield Difference("frame", link, None, other_ns, "", shown(other))
            j += 1
    for t_ns, data in first[i:]:
        yield Difference("frame", link, t_ns, None, shown(data), "")
    for other_ns, other in second[j:]:
        yield Difference("frame", link, None, other_ns, "", shown(other))


def _verdicts(first: Sequence[VerdictAt], second: Sequence[VerdictAt], same_ns: int) -> Iterator[Difference]:
    for one, other in _paired(first, second):
        if one is not None and other is not None and one.same == other.same and abs(one.t_ns - other.t_ns) <= same_ns:
            continue
        yield Difference(
            "verdict",
            VERDICTS,
            None if one is None else one.t_ns,
            None if other is None else other.t_ns,
            "" if one is None else one.words,
            "" if other is None else other.words,
        )


def _paired(
    first: Sequence[VerdictAt], second: Sequence[VerdictAt]
) -> Iterator[tuple[VerdictAt | None, VerdictAt | None]]:
    """The verdicts that belong together: a round that one capture lacks does not shift all that follow."""
    if max(len(first), len(second)) > MOST_ALIGNED:
        yield from zip_longest(first, second)
        return
    matcher = SequenceMatcher(None, [one.same for one in first], [one.same for one in second], autojunk=False)
    for _, a, b, c, d in matcher.get_opcodes():
        yield from zip_longest(first[a:b], second[c:d])
