"""Corruptions of digital lines: what can go wrong between a sensor and the computer.

Each turns a round's edges into other edges; all lists are sorted by time. `levels` are the levels of the lines at the
beginning of the round.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random

from hal.values import Edge, EdgesLost, Loss
from simulators.base.sensors import by_time

Corruption = Callable[[list[Edge]], list[Edge]]
"""One corruption; several are applied one after another."""


def pulses_of(edges: Sequence[Edge], line: str) -> list[tuple[int, int]]:
    """The places in `edges` of the rise and fall of each whole pulse of `line`."""
    found: list[tuple[int, int]] = []
    rise: int | None = None
    for i, edge in enumerate(edges):
        if edge.line != line:
            continue
        if edge.level:
            rise = i
        elif rise is not None:
            found.append((rise, i))
            rise = None
    return found


def without_pulses(line: str, gone: Callable[[int], bool]) -> Corruption:
    """Removes whole pulses of `line`: those for whose number (from 0) `gone` is true."""

    def corrupt(edges: list[Edge]) -> list[Edge]:
        missing = {i for n, pulse in enumerate(pulses_of(edges, line)) if gone(n) for i in pulse}
        return [edge for i, edge in enumerate(edges) if i not in missing]

    return corrupt


def stuck(line: str, level: int, from_ns: int, until_ns: int, levels: Mapping[str, int]) -> Corruption:
    """Holds `line` at `level` between two times; then it takes its true level."""

    def corrupt(edges: list[Edge]) -> list[Edge]:
        before = [edge for edge in edges if edge.t_ns < from_ns]
        during = [edge for edge in edges if from_ns <= edge.t_ns < until_ns]
        after = [edge for edge in edges if edge.t_ns >= until_ns]
        at_start = _level_after(before, line, levels.get(line, 0))
        at_end = _level_after(during, line, at_start)
        begins = [Edge(line, level, from_ns)] if at_start != level else []
        ends = [Edge(line, at_end, until_ns)] if at_end != level else []
        return before + begins + [edge for edge in during if edge.line != line] + ends + after

    return corrupt


def swapped(one: str, other: str, at_ns: int, levels: Mapping[str, int]) -> Corruption:
    """Swaps two wires at `at_ns`, which is before the first edge."""
    names = {one: other, other: one}

    def corrupt(edges: list[Edge]) -> list[Edge]:
        crossed = [Edge(names.get(edge.line, edge.line), edge.level, edge.t_ns) for edge in edges]
        if levels.get(one, 0) != levels.get(other, 0):
            crossed = [
                Edge(one, levels.get(other, 0), at_ns),
                Edge(other, levels.get(one, 0), at_ns),
                *crossed,
            ]
        return crossed

    return corrupt


def toggled(toggles: Mapping[str, Sequence[int]], levels: Mapping[str, int]) -> Corruption:
    """Inverts lines between each odd toggle time and the next: the basis of bounce and noise."""

    def corrupt(edges: list[Edge]) -> list[Edge]:
        flips = [(t_ns, line) for line, times in toggles.items() for t_ns in times]
        mixed = [Edge(line, -1, t_ns) for t_ns, line in flips]
        true = {line: levels.get(line, 0) for line in toggles}
        wrong = dict.fromkeys(toggles, 0)
        seen = dict(true)
        out: list[Edge] = []
        for edge in sorted([*edges, *mixed], key=by_time):
            line = edge.line
            if line not in true:
                out.append(edge)
                continue
            if edge.level < 0:
                wrong[line] ^= 1
            else:
                true[line] = edge.level
            level = true[line] ^ wrong[line]
            if level != seen[line]:
                seen[line] = level
                out.append(Edge(line, level, edge.t_ns))
        return out

    return corrupt


def bounce(lines: Iterable[str], share: float, longest_ns: int, rng: Random, levels: Mapping[str, int]) -> Corruption:
    """Contact bounce: after a share of the edges, one to four false openings at irregular times."""
    chosen = frozenset(lines)

    def corrupt(edges: list[Edge]) -> list[Edge]:
        toggles: dict[str, list[int]] = {line: [] for line in sorted(chosen)}
        for edge in edges:
            if edge.line in chosen and rng.random() < share:
                count = 2 * rng.randint(1, 4)
                toggles[edge.line] += sorted(edge.t_ns + 1 + int(longest_ns * rng.random() ** 2) for _ in range(count))
        return toggled(toggles, levels)(edges)

    return corrupt


def noise_burst(
    lines: Sequence[str], from_ns: int, until_ns: int, count: int, rng: Random, levels: Mapping[str, int]
) -> Corruption:
    """A discharge near the wires: short false pulses on each of the lines, between two times."""

    def corrupt(edges: list[Edge]) -> list[Edge]:
        toggles: dict[str, list[int]] = {}
        for line in lines:
            times: list[int] = []
            for _ in range(count):
                begin_ns = rng.randrange(from_ns, until_ns)
                times += [begin_ns, begin_ns + int(10 ** rng.uniform(3.0, 5.7))]
            toggles[line] = sorted(times)
        return toggled(toggles, levels)(edges)

    return corrupt


def jittered(lines: Iterable[str], spread_ns: int, rng: Random, begin_ns: int, end_ns: int) -> Corruption:
    """Moves edges a little in time, without changing their order or leaving the round."""
    chosen = frozenset(lines)

    def corrupt(edges: list[Edge]) -> list[Edge]:
        out: list[Edge] = []
        last_ns = begin_ns + 1
        for i, edge in enumerate(edges):
            t_ns = edge.t_ns
            if edge.line in chosen:
                before_ns = (t_ns - last_ns) // 2
                after_ns = ((edges[i + 1].t_ns if i + 1 < len(edges) else end_ns) - t_ns) // 2
                t_ns += max(-before_ns, min(after_ns, int(rng.gauss(0.0, spread_ns))))
            t_ns = max(t_ns, last_ns)
            out.append(Edge(edge.line, edge.level, t_ns))
            last_ns = t_ns
        return out

    return corrupt


def unplugged(
    lines: Sequence[str], from_ns: int, until_ns: int, levels: Mapping[str, int]
) -> tuple[Corruption, list[EdgesLost]]:
    """An unplugged cable: no edges between the two times, then the levels at which the lines are found."""
    chosen = frozenset(lines)
    rare = [EdgesLost(line, Loss.UNPLUGGED, from_ns) for line in lines]

    def corrupt(edges: list[Edge]) -> list[Edge]:
        found = {line: levels.get(line, 0) for line in lines}
        out: list[Edge] = []
        for edge in edges:
            if edge.line in chosen and edge.t_ns < until_ns:
                found[edge.line] = edge.level
                if edge.t_ns >= from_ns:
                    continue
            out.append(edge)
        out += [Edge(line, level, until_ns) for line, level in found.items()]
        return sorted(out, key=by_time)

    return corrupt, rare


def repaired(edges: list[Edge], clean: Sequence[Edge], levels: Mapping[str, int], at_ns: int) -> list[Edge]:
    """Repairs the fault at `at_ns`, after the last edge: each line with a wrong level takes its true one."""
    seen, true = dict(levels), dict(levels)
    kept = [edge for edge in edges if edge.t_ns <= at_ns]
    for edge in kept:
        seen[edge.line] = edge.level
    for edge in clean:
        true[edge.line] = edge.level
    wrong = [Edge(line, level, at_ns) for line, level in true.items() if seen.get(line) != level]
    return kept + wrong


def _level_after(edges: Sequence[Edge], line: str, level: int) -> int:
    for edge in edges:
        if edge.line == line:
            level = edge.level
    return level
