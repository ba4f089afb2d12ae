"""A simple decoder of simulated lines, written independently of the simulators and the drivers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hal.values import Edge

COUNT_OF = {(1, 0): 0, (1, 1): 1, (0, 1): 2, (0, 0): 3}


class LineFollower:
    """Follows A, B and the index, one edge at a time, and refuses anything but a step of one count."""

    def __init__(self, a: str, b: str, index: str, slots: int) -> None:
        self.a, self.b, self.index, self.slots = a, b, index, slots
        self.levels: dict[str, int] = {}
        self.count = 0
        self.zero: int | None = None
        self.steps: list[tuple[int, int]] = []
        self.index_counts: list[int] = []
        self.way = 0

    def take(self, edge: Edge) -> None:
        """Takes an edge; the first of each line is its level at the start."""
        known = edge.line in self.levels
        if known:
            assert self.levels[edge.line] != edge.level, f"{edge} repeats the level of its line"
        before = self._phase()
        self.levels[edge.line] = edge.level
        if edge.line in (self.a, self.b) and known:
            step = (self._phase() - before) % 4
            assert step in (1, 3), f"{edge} is not a step of a Gray code"
            self.way = 1 if step == 1 else -1
            self.count += self.way
            self.steps.append((edge.t_ns, self.count))
        elif edge.line == self.index and known and edge.level == (1 if self.way > 0 else 0):
            # Count 0 begins at angle 0: turning positive it has just begun, turning negative it has just been left.
            zero = self.count if self.way > 0 else self.count + 1
            self.index_counts.append(zero)
            self.zero = zero

    def _phase(self) -> int:
        return COUNT_OF[self.levels.get(self.a, 0), self.levels.get(self.b, 0)]

    def angle_deg(self) -> float:
        """The middle of the count where it stands, from the last index."""
        assert self.zero is not None, "no index was seen"
        return (self.count - self.zero + 0.5) * 90.0 / self.slots

    def take_all(self, edges: Iterable[Edge]) -> None:
        """Takes many edges."""
        for edge in edges:
            self.take(edge)


def pulses(edges: Sequence[Edge], line: str) -> list[tuple[int, int]]:
    """When each whole pulse of a line began and ended."""
    found: list[tuple[int, int]] = []
    rise: int | None = None
    for edge in edges:
        if edge.line == line:
            if edge.level:
                rise = edge.t_ns
            elif rise is not None:
                found.append((rise, edge.t_ns))
                rise = None
    return found


def passes(edges: Sequence[Edge], lines: Sequence[str]) -> list[tuple[int, int]]:
    """When the ball was in front of which track sensor (by its place in `lines`), in the order of time."""
    return sorted(((rise + fall) // 2, i) for i, line in enumerate(lines) for rise, fall in pulses(edges, line))
