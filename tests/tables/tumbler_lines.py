"""Lines of cages, chutes, shakers and keypads, written down pulse by pulse for the tests of their drivers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from drivers.base.driver import Driver, Observation
from hal.values import Edge, EdgesLost

S = 1_000_000_000
MS = 1_000_000
O = TypeVar("O", bound=Observation)  # noqa: E741


def found(*lines: str) -> list[Edge]:
    """Every line low when the table opens."""
    return [Edge(line, 0, 0) for line in lines]


def high(line: str, at_s: float, for_ms: float) -> list[Edge]:
    """One high pulse."""
    start_ns = round(at_s * S)
    return [Edge(line, 1, start_ns), Edge(line, 0, start_ns + round(for_ms * MS))]


def knocks(line: str, *at_s: float) -> list[Edge]:
    """A shake sensor's pulses, 2 ms each."""
    return [edge for t_s in at_s for edge in high(line, t_s, 2)]


def rattle(line: str, from_s: float, until_s: float, every_s: float = 0.05) -> list[Edge]:
    """Dice that tumble: knocks close together."""
    count = round((until_s - from_s) / every_s)
    return knocks(line, *(from_s + k * every_s for k in range(count)))


def in_order(*parts: Iterable[Edge]) -> list[Edge]:
    """All edges by time, those of equal times as they were given."""
    return sorted((edge for part in parts for edge in part), key=lambda edge: edge.t_ns)


def told(
    driver: Driver, edges: Sequence[Edge], rare: Sequence[EdgesLost] = (), until_s: float = 60.0
) -> list[Observation]:
    """What a driver says of edges and losses, and of the time until then."""
    seen: list[Observation] = []
    both: list[Edge | EdgesLost] = [*edges, *rare]
    for value in sorted(both, key=lambda one: one.t_ns):
        seen += driver.lost(value) if isinstance(value, EdgesLost) else driver.edges([value])
    return seen + driver.due(round(until_s * S))


def of(seen: Iterable[Observation], kind: type[O]) -> list[O]:
    """The observations of one kind."""
    return [one for one in seen if isinstance(one, kind)]


def one_of(seen: Iterable[Observation], kind: type[O]) -> O:
    """The only observation of a kind."""
    (only,) = of(seen, kind)
    return only
