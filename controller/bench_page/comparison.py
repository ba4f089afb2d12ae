"""Everything in which two captures differ, over a tolerance that a person chooses.

    first    ____|‾‾‾|______|‾‾|________        an edge is the same where it comes within the tolerance,
    second   ____|‾‾‾‾|________________         moved where it comes later or earlier than that,
                     ^moved  ^alone             alone where the other capture has none near it

A reading is the same where the other capture had such a value within the tolerance of its time, a frame where it has
the same bytes, a verdict where it is the same. The list is bounded; where each line differs is given in full, in spans.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import islice, zip_longest
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
"""Of more verdicts than these between two that are the same, each is compared with that of its own place (ours)."""
VERDICTS: Final = ""
"""In place of a line's name, where verdicts differ."""

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
        if same and -reach_ns <= apart <= reach_ns and _nearest(times, others, (i, j), (i + 2, j + 2), shift_ns):
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


def _nearest(
    times: Sequence[int], others: Sequence[int], at: tuple[int, int], following: tuple[int, int], shift_ns: int
) -> bool:
    """Whether each of the two at `at` is nearer to the other than the next of its own capture is, at `following`.

    Next are those that could be meant instead: of edges the next but one, which has the same level.
    """
    (i, j), (next_i, next_j) = at, following
    apart = others[j] + shift_ns - times[i]
    if apart > 0:
        return next_i >= len(times) or abs(others[j] + shift_ns - times[next_i]) >= apart
    return next_j >= len(others) or abs(others[next_j] + shift_ns - times[i]) >= -apart


def _readings(
    line: str, first: Readings, second: Readings, tolerance: Tolerance, shift_ns: int
) -> Iterator[Difference]:
    """Readings that the other capture does not have at their time; those that follow each other are one difference."""
    first_near, second_near = _HeldNear(first, tolerance), _HeldNear(second, tolerance)
    begun: Difference | None = None
    until_ns = count = 0
    for i, j in _moments(first.times, second.times, tolerance.time_ns, shift_ns):
        # Of a reading that both have, either may be the one that differs; it is one difference all the same.
        shown: tuple[float, float] | None = None
        t_ns = 0
        if j is not None:
            t_ns, value = second.times[j] + shift_ns, second.values[j]
            if (other := first_near.off(t_ns, value)) is not None:
                shown = other, value
        if i is not None:
            t_ns, value = first.times[i], first.values[i]
            if (other := second_near.off(t_ns - shift_ns, value)) is not None:
                shown = value, other
        if shown is None:
            if begun is not None:
                yield msgspec.structs.replace(begun, until_ns=until_ns, count=count)
            begun = None
            continue
        if begun is None:
            begun = Difference("reading", line, t_ns, t_ns, f"{shown[0]:.4g}", f"{shown[1]:.4g}")
            count = 0
        until_ns, count = t_ns, count + 1
    if begun is not None:
        yield msgspec.structs.replace(begun, until_ns=until_ns, count=count)


def _moments(
    times: Sequence[int], others: Sequence[int], same_ns: int, shift_ns: int
) -> Iterator[tuple[int | None, int | None]]:
    """The places of what both captures have at the same time, and of what one has alone."""
    i = j = 0
    while i < len(times) and j < len(others):
        apart = others[j] + shift_ns - times[i]
        if apart == 0 or (-same_ns <= apart <= same_ns and _nearest(times, others, (i, j), (i + 1, j + 1), shift_ns)):
            yield i, j
            i, j = i + 1, j + 1
        elif apart > 0:
            yield i, None
            i += 1
        else:
            yield None, j
            j += 1
    for k in range(i, len(times)):
        yield k, None
    for k in range(j, len(others)):
        yield None, k


class _HeldNear:
    """The values that a line held around a time which only goes forward: each reading enters and leaves once."""

    def __init__(self, readings: Readings, tolerance: Tolerance) -> None:
        self._times, self._values = readings
        self._tolerance = tolerance
        self._begin = self._end = 0
        # Indices of values that rise (fall): the first is that of the least (greatest). A value that comes replaces
        # those before it that are greater (less): they leave before it does, and never matter again.
        self._least: deque[int] = deque()
        self._greatest: deque[int] = deque()

    def off(self, t_ns: int, value: float) -> float | None:
        """The value that the line had at a time, where that is off by more than the tolerance; None where it is not."""
        times, values, least, greatest = self._times, self._values, self._least, self._greatest
        reach_ns, apart = self._tolerance.time_ns, self._tolerance.value
        while self._end < len(times) and times[self._end] <= t_ns + reach_ns:
            entering = values[self._end]
            while least and values[least[-1]] >= entering:
                least.pop()
            while greatest and values[greatest[-1]] <= entering:
                greatest.pop()
            least.append(self._end)
            greatest.append(self._end)
            self._end += 1
        if not self._end:
            return None
        while self._begin < self._end and times[self._begin] < t_ns - reach_ns:
            self._begin += 1
        # The one before is what the line still was at the beginning.
        for places in (least, greatest):
            while places[0] < self._begin - 1:
                places.popleft()
        if values[least[0]] - apart <= value <= values[greatest[0]] + apart:
            return None
        return values[self._end - 1]


class _FramePlaces:
    """Where a capture has each frame."""

    def __init__(self, frames: Sequence[tuple[int, bytes]]) -> None:
        self.times = array("q", [t_ns for t_ns, _ in frames])
        self._of: dict[bytes, list[int]] = {}
        for place, (_, data) in enumerate(frames):
            self._of.setdefault(data, []).append(place)

    def following(self, data: bytes, place: int) -> int:
        """The first place from `place` on of a frame with these bytes; behind the last one where there is none."""
        places = self._of.get(data, [])
        at = bisect_left(places, place)
        return places[at] if at < len(places) else len(self.times)

    def has(self, data: bytes, place: int, t_ns: int, same_ns: int) -> bool:
        """Whether a frame with these bytes is there from `place` on, within the tolerance of a time."""
        at = self.following(data, place)
        return at < len(self.times) and abs(self.times[at] - t_ns) <= same_ns


def _frames(
    link: str,
    first: Sequence[tuple[int, bytes]],
    second: Sequence[tuple[int, bytes]],
    same_ns: int,
    reach_ns: int,
    shown: Callable[[bytes], str],
) -> Iterator[Difference]:
    of_first, of_second = _FramePlaces(first), _FramePlaces(second)
    i = j = 0
    while i < len(first) and j < len(second):
        (t_ns, data), (other_ns, other) = first[i], second[j]
        apart = other_ns - t_ns
        # If these are no pair, the earlier one is alone, or of two at the same time that which the other lacks.
        first_alone = apart > 0
        if data == other:
            following = of_first.following(data, i + 1), of_second.following(data, j + 1)
            pair = abs(apart) <= same_ns or (
                abs(apart) <= reach_ns and _nearest(of_first.times, of_second.times, (i, j), following, 0)
            )
        elif pair := abs(apart) <= same_ns:
            comes = of_first.has(other, i + 1, other_ns, same_ns)
            pair = not comes and not of_second.has(data, j + 1, t_ns, same_ns)
            first_alone = comes
        if pair:
            if data != other or abs(apart) > same_ns:
                yield Difference("frame", link, t_ns, other_ns, shown(data), shown(other))
            i, j = i + 1, j + 1
        elif first_alone:
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
    """Verdicts that the other capture does not have at their time; those between two that are the same are paired."""
    i = j = begin = other_begin = 0
    while i < len(first) and j < len(second):
        apart = second[j].t_ns - first[i].t_ns
        if abs(apart) <= same_ns and first[i].same == second[j].same:
            yield from _differing(first[begin:i], second[other_begin:j])
            i, j = i + 1, j + 1
            begin, other_begin = i, j
        elif apart > 0:
            i += 1
        else:
            j += 1
    yield from _differing(first[begin:], second[other_begin:])


def _differing(first: Sequence[VerdictAt], second: Sequence[VerdictAt]) -> Iterator[Difference]:
    for one, other in _paired(first, second):
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
    if not first or not second or max(len(first), len(second)) > MOST_ALIGNED:
        yield from zip_longest(first, second)
        return
    matcher = SequenceMatcher(None, [one.same for one in first], [one.same for one in second], autojunk=False)
    for _, a, b, c, d in matcher.get_opcodes():
        yield from zip_longest(first[a:b], second[c:d])
