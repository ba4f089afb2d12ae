"""Every fault of every simulated example, as parameters of a test."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any, Final, TypeVar

import pytest

from controller.configuration.values import TableConfig
from controller.games.assembly import geometry_of
from controller.games.load import check_text
from simulators.base.faults import SimulatedFault, faults_for
from simulators.base.geometry import Geometry
from simulators.cards.card_table import CardGeometry, faults_of

CARD_TABLES: Final = 8
"""Examples of games of cards: together they have every fault that such games share."""
K = TypeVar("K")
EXAMPLES: Final = Path(__file__).parents[2] / "examples"


def faults_of_examples(others: pytest.MarkDecorator) -> list[Any]:
    """The table's configuration and the name of the fault, for each simulated table of the examples.

    Of the examples of a family of games, which share faults and the simulator that plays them, each has its share of
    the family's faults; the others are marked.
    """
    turns = count()
    faults = [
        (config, fault)
        for path in sorted(EXAMPLES.glob("*.toml"))
        for config in check_text(path.read_text()).tables
        if config.lines.backend == "sim"
        for fault in _tried(geometry_of(config), turns)
    ]
    sample = _sample(faults)
    return [
        pytest.param(
            config,
            fault.name,
            id=f"{config.id}-{fault.name}",
            marks=() if (config.id, fault.name) in sample else others,
        )
        for config, fault in faults
    ]


def _sample(faults: list[tuple[TableConfig, SimulatedFault]]) -> set[tuple[str, str]]:
    """Each fault of a family at one of its examples, the one that has the fewest yet; and each game without a fault."""
    having: dict[tuple[object, SimulatedFault], list[str]] = {}
    for config, fault in faults:
        family = config.game if fault.name == "none" else type(geometry_of(config))
        having.setdefault((family, fault), []).append(config.id)
    return {(table, fault.name) for (_, fault), table in in_turns(having).items()}


def in_turns(having: Mapping[K, Iterable[str]]) -> dict[K, str]:
    """For each key one of the names that have it: the one that was chosen least so far."""
    shares: Counter[str] = Counter()
    chosen = {}
    for key, names in having.items():
        chosen[key] = min(names, key=lambda name: shares[name])
        shares[chosen[key]] += 1
    return chosen


def _tried(geometry: Geometry, turns: Iterator[int]) -> list[SimulatedFault]:
    """Every fault of a table; of those that all games of cards share, a part at each (`test_card_tables` has all)."""
    faults = faults_for(geometry)
    if not isinstance(geometry, CardGeometry):
        return [*faults]
    shared, turn = {fault.name for fault in faults_of(geometry.game)} - {"none"}, next(turns) % CARD_TABLES
    return [fault for at, fault in enumerate(faults) if fault.name not in shared or at % CARD_TABLES == turn]
