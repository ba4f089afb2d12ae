"""What lines do to find the limits of a board: steady edges, bursts, and crowds of edges on many lines at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple

from hal.values import Batch, Edge
from tests.firmware.emulated import MS, S

INPUTS = 8
CHUNK = 500


class Burst(NamedTuple):
    """Edges close to each other, with quiet before and after."""

    edges: list[Edge]

    @property
    def begins_ns(self) -> int:
        return self.edges[0].t_ns

    @property
    def ends_ns(self) -> int:
        return self.edges[-1].t_ns


class Wires:
    """Lines that only change: each edge is to the other level."""

    def __init__(self, lines: int) -> None:
        self.lines = tuple(f"line_{number}" for number in range(1, lines + 1))
        self._levels = dict.fromkeys(self.lines, 0)

    def change(self, line: str, t_ns: int) -> Edge:
        self._levels[line] ^= 1
        return Edge(line, self._levels[line], t_ns)

    def steady(self, from_ns: int, per_s: float, seconds: float) -> Iterator[Edge]:
        """One line after the other, this many edges a second."""
        for number in range(int(per_s * seconds)):
            yield self.change(self.lines[number % len(self.lines)], from_ns + round(number * S / per_s))

    def bursts(self, rng: Random, from_ns: int, count: int, size: int, per_s: float) -> list[Burst]:
        """Bursts of evenly spaced edges, each on any line; with enough quiet between them to be told."""
        made, t_ns = [], from_ns
        for _ in range(count):
            t_ns += rng.randint(30 * MS, 60 * MS)
            edges = []
            for _ in range(size):
                edges.append(self.change(rng.choice(self.lines), t_ns))
                t_ns += round(S / per_s)
            made.append(Burst(edges))
        return made

    def crowds(self, rng: Random, from_ns: int, count: int, apart_ns: int, most: int) -> list[Burst]:
        """Any number of lines at once, each with edges that are `apart_ns` or a little more from one another."""
        made, t_ns = [], from_ns
        for _ in range(count):
            t_ns += rng.randint(30 * MS, 60 * MS)
            together = rng.sample(self.lines, rng.randint(1, len(self.lines)))
            edges = []
            for line in together:
                at_ns = t_ns + rng.randint(0, 30_000)
                for _ in range(rng.randint(1, max(1, most // len(together)))):
                    edges.append((at_ns, line))
                    at_ns += apart_ns + round(rng.expovariate(1 / 1_000))
            made.append(Burst([self.change(line, at_ns) for at_ns, line in sorted(edges)]))
            t_ns = made[-1].ends_ns
        return made


def batches(edges: Iterator[Edge] | Sequence[Edge]) -> Iterator[Batch]:
    """Edges in batches, made as they are needed."""
    chunk: list[Edge] = []
    for edge in edges:
        chunk.append(edge)
        if len(chunk) == CHUNK:
            yield Batch(chunk, [], edge.t_ns)
            chunk = []
    if chunk:
        yield Batch(chunk, [], chunk[-1].t_ns)


def edges_of(bursts: Sequence[Burst]) -> list[Edge]:
    return [edge for burst in bursts for edge in burst.edges]
