"""All benchmarks, and how much each of them does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from benchmarks.bench_page import bench_page
from benchmarks.captures import merging, reading
from benchmarks.decoding import decoding
from benchmarks.figures import Section
from benchmarks.simulation import baccarat, simulation
from benchmarks.verdicts import money_wheel, roulette
from benchmarks.watch_cost import watch_cost


@dataclass(frozen=True, slots=True)
class SuiteSizes:
    """How much is measured."""

    turns: int = 100
    """Of the encoder."""
    rounds: int = 40
    """Of each table."""
    repeats: int = 9


SMALLEST = SuiteSizes(turns=2, rounds=1, repeats=1)
"""Shows that everything works; its times mean nothing."""


SECTIONS: Final[tuple[Callable[[SuiteSizes], Section], ...]] = (
    lambda sizes: decoding(sizes.turns, sizes.repeats),
    lambda sizes: money_wheel(sizes.rounds, sizes.repeats),
    lambda sizes: roulette(sizes.rounds, sizes.repeats),
    lambda sizes: simulation(sizes.rounds, sizes.repeats),
    lambda sizes: baccarat(sizes.rounds, sizes.repeats),
    lambda sizes: watch_cost(sizes.repeats),
    lambda sizes: reading(sizes.rounds, sizes.repeats),
    lambda sizes: merging(sizes.rounds, sizes.repeats),
    lambda sizes: bench_page(sizes.repeats),
)
"""In the order of the report."""


def sections(sizes: SuiteSizes) -> Iterator[Section]:
    """Measures one section after the other."""
    for section in SECTIONS:
        yield section(sizes)
