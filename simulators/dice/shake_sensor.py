"""What a shake sensor makes of knocks: short pulses, those that run together being one."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import Final

from hal.clock import NS_PER_S
from hal.values import Edge
from simulators.base.sensors import any_of

PULSE_S: Final = (0.0008, 0.0035)
"""How long a knock is felt (ours)."""
MISSED: Final = 0.02
"""The share of knocks that are too soft to be felt (ours)."""


def felt(line: str, knocks_s: Iterable[float], rng: Random, missed: float = MISSED) -> list[Edge]:
    """The pulses of a shake sensor that feels these knocks."""
    edges: list[Edge] = []
    for t_s in sorted(knocks_s):
        if rng.random() < missed:
            continue
        edges.append(Edge(line, 1, int(t_s * NS_PER_S)))
        edges.append(Edge(line, 0, int((t_s + rng.uniform(*PULSE_S)) * NS_PER_S)))
    return any_of(edges, {})
