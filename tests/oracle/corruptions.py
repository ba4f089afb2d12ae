"""Corruptions between a sensor and the controller, each a pure function of the edges.

A corruption takes the edges of a run in the order of time, first of each line the level found at the start, and gives
those that arrive, the losses that a backend reports, and what it did. Whether a loss is reported is drawn: gpiod
reports some, gpiozero none.

Buttons are left alone by what would look like a press: a level that stays for as long as a press is one.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import compress, count, islice
from random import Random
from typing import NamedTuple

from hal.values import Edge, EdgesLost, Loss, Rare
from tests.oracle.motion import LINE, NS, T_NS, edges_of

MS = NS // 1000


class Corrupted(NamedTuple):
    """The edges that arrive, the losses that the backend reports, and what was done, for a failure report."""

    edges: list[Edge]
    rare: list[Rare]
    description: str
    wiring: tuple[str, ...] = ()
    """What was wired wrongly: `("swap", line, line)` or `("invert", line)`."""


Corruption = Callable[[list[Edge], Random], Corrupted]


def sensor_lines(edges: Iterable[Edge]) -> list[str]:
    """The lines of a run that are not buttons."""
    return [line for line in dict.fromkeys(map(LINE, edges)) if not line.startswith(("dealer_", "supervisor_"))]


def _founds(edges: list[Edge]) -> set[int]:
    """The place of each line's initial level in the list."""
    missing = set(map(LINE, edges))
    found = set()
    for i, (line, _, _) in enumerate(edges):
        if line in missing:
            missing.remove(line)
            found.add(i)
            if not missing:
                break
    return found


def _changes(edges: list[Edge], lines: Iterable[str] | None = None) -> list[int]:
    """The places of the changes of some lines; of all but the buttons where none are named."""
    wanted = set(sensor_lines(edges) if lines is None else lines)
    is_change = bytearray(map(wanted.__contains__, map(LINE, edges)))
    for i in _founds(edges):
        is_change[i] = False
    return [*compress(count(), is_change)]


def _a_line(edges: list[Edge], rng: Random) -> str:
    """A random line; every line is equally likely."""
    return rng.choice(sensor_lines(edges))


def _a_moment(edges: list[Edge], rng: Random) -> int:
    """A random time: most often that of an edge, otherwise any in the run."""
    if rng.random() < 0.7:
        return rng.choice(edges).t_ns + rng.randrange(-20 * MS, 20 * MS)
    return rng.randrange(0, edges[-1].t_ns + 1)


def _a_span_ns(rng: Random) -> int:
    """A random duration: from some edges to some turns."""
    return round(NS * math.pow(10.0, rng.uniform(-2.0, 1.0)))


def _told(rng: Random, edges: list[Edge], gone: Sequence[int], cause: Loss) -> list[Rare]:
    """In half of the cases, reports of the lost edges, by line.

    A board reports them soon; a kernel with a line's next change, which may be long after, or never. Which of the two
    reports them is drawn from the time of the first.
    """
    last = {edges[i].line: i for i in gone}
    if rng.random() < 0.5:
        return []
    if edges[gone[0]].t_ns % 2:
        return [EdgesLost(line, cause, edges[gone[-1]].t_ns + MS, None) for line in last]
    nexts = {
        line: next((edge.t_ns for edge in islice(edges, i + 1, None) if edge.line == line), None)
        for line, i in last.items()
    }
    told = [EdgesLost(line, cause, t_ns - 1, None) for line, t_ns in nexts.items() if t_ns is not None]
    return sorted(told, key=lambda loss: loss.t_ns)


def without(edges: list[Edge], gone: Iterable[int]) -> list[Edge]:
    """The edges except for those at these places."""
    kept = bytearray(b"\1") * len(edges)
    for i in gone:
        kept[i] = False
    return [*compress(edges, kept)]


def _by_time(edges: list[Edge]) -> list[Edge]:
    return sorted(edges, key=T_NS)


def whole_pulses(edges: list[Edge], line: str, level: int = 1) -> list[tuple[int, int]]:
    """The places where a line goes to `level` and leaves it, for each whole pulse."""
    own = map(line.__eq__, map(LINE, edges))
    return _pulses([(i, edges[i].level) for i in compress(count(), own)], level)


def _pulses(own: list[tuple[int, int]], level: int = 1) -> list[tuple[int, int]]:
    """The whole pulses of a line, of the places and levels of its edges; the first is the level found at the start."""
    found = []
    rise: int | None = None
    for i, shown in own[1:]:
        if shown == level:
            rise = i
        elif rise is not None:
            found.append((rise, i))
            rise = None
    return found


def nothing(edges: list[Edge], rng: Random) -> Corrupted:
    """Leaves the lines as they are."""
    return Corrupted(edges, [], "nothing")


def drop_one_edge(edges: list[Edge], rng: Random) -> Corrupted:
    """Loses one change of one line."""
    line = _a_line(edges, rng)
    changes = _changes(edges, [line]) or _changes(edges)
    if not changes:
        return nothing(edges, rng)
    i = rng.choice(changes)
    rare = _told(rng, edges, [i], Loss.REPEATED_LEVEL)
    return Corrupted(without(edges, [i]), rare, f"dropped {edges[i]}, reported: {bool(rare)}")


def drop_pulse(edges: list[Edge], rng: Random) -> Corrupted:
    """Loses a whole high pulse of one line: the levels do not show it."""
    pulses = {line: found for line in sensor_lines(edges) if (found := whole_pulses(edges, line))}
    if not pulses:
        return nothing(edges, rng)
    pair = rng.choice(pulses[rng.choice(list(pulses))])
    rare = _told(rng, edges, pair, Loss.OVERFLOW)
    return Corrupted(without(edges, pair), rare, f"dropped the pulse at {edges[pair[0]]}, reported: {bool(rare)}")


def drop_burst(edges: list[Edge], rng: Random) -> Corrupted:
    """Loses some successive changes of all lines, or of one."""
    one = rng.random() < 0.3
    changes = _changes(edges, [_a_line(edges, rng)] if one else None) or _changes(edges)
    if not changes:
        return nothing(edges, rng)
    start = rng.randrange(len(changes))
    gone = changes[start : start + rng.choice((2, 3, 4, 4, 8, 12, 16, rng.randint(1, 60), rng.randint(1, 600)))]
    rare = _told(rng, edges, gone, Loss.OVERFLOW)
    what = f"dropped {len(gone)} edges of {'one line' if one else 'all lines'} from {edges[gone[0]]}"
    return Corrupted(without(edges, gone), rare, f"{what}, reported: {bool(rare)}")


def drop_at_random(edges: list[Edge], rng: Random) -> Corrupted:
    """Loses a share of all changes."""
    share = math.pow(10.0, rng.uniform(-3.0, -0.5))
    gone = [i for i in _changes(edges) if rng.random() < share]
    return Corrupted(without(edges, gone), [], f"dropped {len(gone)} edges at random, a share of {share:.4f}")


def stuck(edges: list[Edge], rng: Random) -> Corrupted:
    """A line is stuck at a level for a while, or for ever; then it takes its true level."""
    line, level, start = _a_line(edges, rng), rng.randrange(2), max(1, _a_moment(edges, rng))
    end = start + _a_span_ns(rng) if rng.random() < 0.6 else edges[-1].t_ns + 1
    own = [e for e in edges if e.line == line]
    held = [e for e in own if not start <= e.t_ns < end]
    for at, shown in ((start, level), (end, _level_at(own, line, end - 1))):
        if _level_at(held, line, at) != shown and at <= edges[-1].t_ns:
            held = _by_time([*held, Edge(line, shown, at)])
    kept = [e for e in edges if e.line != line]
    return Corrupted(_by_time(kept + held), [], f"{line} stuck at {level} from {start} to {end}")


def dead(edges: list[Edge], rng: Random) -> Corrupted:
    """A line that is dead from the start: it stays at its initial level, or at the other."""
    line, level = _a_line(edges, rng), rng.randrange(2)
    found = next(e for e in edges if e.line == line)
    kept = [e for e in edges if e.line != line]
    return Corrupted(_by_time([Edge(line, level, found.t_ns), *kept]), [], f"{line} is dead at {level}")


def renamed(edges: list[Edge], names: dict[str, str]) -> list[Edge]:
    """The edges with two lines exchanged, initial levels still first."""
    return [Edge(names[e[0]], e[1], e[2]) if e[0] in names else e for e in edges]


def swapped(first: str, second: str) -> Corruption:
    """The corruption that exchanges two given lines."""

    def swap(edges: list[Edge], rng: Random) -> Corrupted:
        exchanged = renamed(edges, {first: second, second: first})
        return Corrupted(exchanged, [], f"swapped {first} and {second}", ("swap", first, second))

    return swap


def swap_lines(edges: list[Edge], rng: Random) -> Corrupted:
    """Exchanges two lines: A and B, two track sensors, or any two."""
    lines = sensor_lines(edges)
    pairs = [(a, b) for a in lines for b in lines if a < b]
    alike = [(a, b) for a, b in pairs if a[:-1] == b[:-1]]
    return swapped(*rng.choice(alike if alike and rng.random() < 0.6 else pairs))(edges, rng)


def inverted(line: str) -> Corruption:
    """The corruption that inverts a given line."""

    def invert(edges: list[Edge], rng: Random) -> Corrupted:
        turned = [Edge(line, 1 - e[1], e[2]) if e[0] == line else e for e in edges]
        return Corrupted(turned, [], f"inverted {line}", ("invert", line))

    return invert


def invert_line(edges: list[Edge], rng: Random) -> Corrupted:
    """Inverts a line for the whole run."""
    return inverted(_a_line(edges, rng))(edges, rng)


def bounce(edges: list[Edge], rng: Random) -> Corrupted:
    """Contact bounce on some edges: the contact opens and closes again a few times, irregularly."""
    changes = _changes(edges, [_a_line(edges, rng)] if rng.random() < 0.5 else None)
    if not changes:
        return nothing(edges, rng)
    share = rng.choice((1.0 / len(changes), 0.02, 0.2, 1.0))
    longest = rng.choice((0.05, 0.3, 1.0))
    extra: list[tuple[str, int, int]] = []
    for i in changes:
        if rng.random() < share:
            line, level, t_ns = edges[i]
            for _ in range(rng.randint(1, 4)):
                t_ns += round(rng.uniform(0.01, longest) * MS)
                extra.append((line, 1 - level, t_ns))
                t_ns += round(rng.uniform(0.01, longest) * MS)
                extra.append((line, level, t_ns))
    return Corrupted(_by_time([*edges, *edges_of(extra)]), [], f"{len(extra) // 2} bounces of up to {longest} ms")


def _level_at(edges: list[Edge], line: str, t_ns: int) -> int:
    level = 0
    for edge in edges:
        if edge.t_ns > t_ns:
            break
        if edge.line == line:
            level = edge.level
    return level


def _flips(edges: list[Edge], line: str, starts: list[tuple[int, int]]) -> list[Edge]:
    """The line, inverted within the given spans."""
    marks = [(e.t_ns, 0, e.level) for e in edges if e.line == line]
    found, changes = marks[0], marks[1:]
    events = changes + [(start, 1, 1) for start, _ in starts] + [(end, 1, -1) for _, end in starts]
    out = [Edge(line, found[2], found[0])]
    true = now = found[2]
    flipped = 0
    for t_ns, kind, value in sorted(events):
        if kind:
            flipped += value
        else:
            if value == now and value == true:
                out.append(Edge(line, value, t_ns))  # a repeated level stays repeated
            true = value
        shown = true ^ (flipped > 0)
        if shown != now:
            now = shown
            out.append(Edge(line, now, t_ns))
    return out


def _noisy(edges: list[Edge], rng: Random, line: str, start: int, end: int, count: int, width_ms: float) -> list[Edge]:
    spans = []
    for _ in range(count):
        at = rng.randrange(max(1, start), max(2, end))
        spans.append((at, at + max(1, round(rng.uniform(0.02, 1.0) * width_ms * MS))))
    rest = [e for e in edges if e.line != line]
    return _by_time(rest + _flips(edges, line, spans))


def noise_burst(edges: list[Edge], rng: Random) -> Corrupted:
    """Short false pulses for a while, on one line or on all."""
    lines = [_a_line(edges, rng)] if rng.random() < 0.5 else sensor_lines(edges)
    start, span = _a_moment(edges, rng), _a_span_ns(rng)
    width, count = rng.choice((0.05, 0.5, 3.0)), rng.choice((1, 2, 5, 20, 60))
    noisy = edges
    for line in lines:
        noisy = _noisy(noisy, rng, line, start, start + span, count, width)
    what = f"{count} pulses of up to {width} ms on {', '.join(lines)} from {start} for {span / NS:.3f} s"
    return Corrupted(noisy, [], what)


def false_passes(edges: list[Edge], rng: Random) -> Corrupted:
    """Pulses as long as a ball's on the track sensors, the pocket head, the index or the object beam."""
    lines = [e for e in sensor_lines(edges) if e.startswith(("ball_", "pocket", "object")) or e.endswith("_index")]
    line = rng.choice(lines)
    count = rng.choice((1, 1, 2, 3, 6))
    start = _a_moment(edges, rng)
    span = _a_span_ns(rng)
    noisy = _noisy(edges, rng, line, start, start + span, count, rng.choice((8.0, 25.0, 60.0)))
    return Corrupted(noisy, [], f"{count} false pulses on {line} from {start} for {span / NS:.3f} s")


def _draws(rng: Random, below: int) -> Iterator[int]:
    """What `rng.randrange(below)` gives again and again, several times as fast."""
    bits, draw = below.bit_length(), rng.getrandbits
    while True:
        drawn = draw(bits)
        if drawn < below:
            yield drawn


def jitter(edges: list[Edge], rng: Random) -> Corrupted:
    """Moves edges a little in time, keeping their order."""
    most = round(math.pow(10.0, rng.uniform(-3.0, 0.7)) * MS)
    first = bisect_right(edges, 0, key=T_NS)
    by = zip(map(T_NS, edges[first:]), _draws(rng, 2 * most + 1), strict=False)
    times = [0] * first + sorted(max(0, t_ns + drawn - most) for t_ns, drawn in by)
    moved = edges_of((line, level, t) for (line, level, _), t in zip(edges, times, strict=True))
    return Corrupted(list(moved), [], f"jitter of {most / MS:.3f} ms")


def index_lost(edges: list[Edge], rng: Random) -> Corrupted:
    """Loses one, some or all index pulses."""
    line = next(e for e in sensor_lines(edges) if e.endswith("_index"))
    pulses = whole_pulses(edges, line)
    if not pulses:
        return nothing(edges, rng)
    gone = rng.sample(pulses, rng.choice((1, 1, min(2, len(pulses)), len(pulses))))
    return Corrupted(
        without(edges, [i for p in gone for i in p]), [], f"{len(gone)} index pulses of {len(pulses)} lost"
    )


def index_extra(edges: list[Edge], rng: Random) -> Corrupted:
    """A false index pulse, as long as a true one."""
    line = next(e for e in sensor_lines(edges) if e.endswith("_index"))
    at, width = max(1, _a_moment(edges, rng)), rng.randrange(2 * MS, 40 * MS)
    kept = [e for e in edges if e.line != line] + _flips(edges, line, [(at, at + width)])
    return Corrupted(_by_time(kept), [], f"an index pulse at {at} for {width / MS:.1f} ms")


def index_slip(edges: list[Edge], rng: Random) -> Corrupted:
    """One index pulse is early or late, or all from one on: the disc has slipped on its shaft.

    The first is always right, or there would be nothing to compare with.
    """
    line = next(e for e in sensor_lines(edges) if e.endswith("_index"))
    pulses = whole_pulses(edges, line)
    if len(pulses) < 2:
        return nothing(edges, rng)
    start = rng.randrange(1, len(pulses))
    moved = pulses[start:] if rng.random() < 0.6 else [pulses[start]]
    counts = [i for i, (name, _, t_ns) in enumerate(edges) if t_ns and name.endswith(("_a", "_b"))]
    by = rng.choice((-1, 1)) * rng.choice((3, 4, 8, 12, rng.randint(3, 120)))
    gone, extra = set(), []
    for pair in moved:
        for i in pair:
            place = bisect_right(counts, i) + by
            if 0 < place < len(counts):
                gone.add(i)
                extra.append(Edge(line, edges[i].level, edges[counts[place]].t_ns + MS // 10))
    what = f"index slipped by {by} edges from {edges[pulses[start][0]].t_ns}, {len(moved)} pulses"
    return Corrupted(_by_time(without(edges, gone) + extra), [], what)


def cable_pulled(edges: list[Edge], rng: Random) -> Corrupted:
    """A cable is pulled, reported by the backend, and may be put back."""
    lines = [_a_line(edges, rng)] if rng.random() < 0.5 else sensor_lines(edges)
    start = max(1, _a_moment(edges, rng))
    end = start + _a_span_ns(rng) if rng.random() < 0.6 else None
    kept = [e for e in edges if e.line not in lines or e.t_ns < start or (end is not None and e.t_ns > end)]
    rare: list[Rare] = [EdgesLost(line, Loss.UNPLUGGED, start, None) for line in lines]
    if end is not None:
        kept += [Edge(line, _level_at(edges, line, end), end) for line in lines]
    return Corrupted(_by_time(kept), rare, f"{', '.join(lines)} unplugged from {start} to {end}")


def duplicates(edges: list[Edge], rng: Random) -> Corrupted:
    """Edges that arrive twice: a repeated level."""
    changes = _changes(edges)
    if not changes:
        return nothing(edges, rng)
    share = rng.choice((1.0 / len(changes), 0.01, 0.1))
    twice = [Edge(edges[i].line, edges[i].level, edges[i].t_ns + rng.randrange(2 * MS))
             for i in changes if rng.random() < share]  # fmt: skip
    return Corrupted(_by_time(edges + twice), [], f"{len(twice)} edges repeated")


def time_gap(edges: list[Edge], rng: Random) -> Corrupted:
    """No edge of any sensor arrives for a while."""
    start, span = _a_moment(edges, rng), _a_span_ns(rng) // 3
    gone = [i for i in _changes(edges) if start <= edges[i].t_ns < start + span]
    rare = _told(rng, edges, gone, Loss.OVERFLOW) if gone else []
    what = f"{len(gone)} edges lost from {start} for {span / NS:.3f} s, reported: {bool(rare)}"
    return Corrupted(without(edges, gone), rare, what)


def too_late(edges: list[Edge], rng: Random) -> Corrupted:
    """Some edges arrive after the watermark: the merge reports them lost, as LATE."""
    changes = _changes(edges)
    if not changes:
        return nothing(edges, rng)
    start = rng.randrange(len(changes))
    gone = changes[start : start + rng.choice((1, 2, 8, 50))]
    rare: list[Rare] = [
        EdgesLost(edges[i].line, Loss.LATE, edges[i].t_ns + rng.randrange(MS, 300 * MS), 1) for i in gone
    ]
    return Corrupted(without(edges, gone), sorted(rare, key=lambda r: r.t_ns), f"{len(gone)} edges too late")


def twice(edges: list[Edge], rng: Random) -> Corrupted:
    """Two corruptions, one after the other; at most one of them is the wiring."""
    first = rng.choice(SINGLE)(edges, rng)
    second = rng.choice([c for c in SINGLE if not (first.wiring and c in (swap_lines, invert_line))])(first.edges, rng)
    rare = sorted(first.rare + second.rare, key=lambda r: r.t_ns)
    what = f"{first.description}; then {second.description}"
    return Corrupted(second.edges, rare, what, first.wiring or second.wiring)


SINGLE: tuple[Corruption, ...] = (
    drop_one_edge, drop_pulse, drop_burst, drop_at_random, stuck, dead, swap_lines, invert_line, bounce, noise_burst,
    false_passes, jitter, index_lost, index_extra, index_slip, cable_pulled, duplicates, time_gap, too_late,
)  # fmt: skip
"""Every corruption of the lines."""

ALL: tuple[Corruption, ...] = (nothing, *SINGLE, twice)
