"""Every fault of every simulated example, as parameters of a test."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any, Final

import pytest

from controller.configuration.values import TableConfig
from controller.games.assembly import geometry_of
from controller.games.load import check_text
from simulators.base.faults import SimulatedFault, faults_for
from simulators.base.geometry import Geometry
from simulators.cards.card_table import CardGeometry, faults_of

CARD_TABLES: Final = 8
"""Examples of games of cards: together they have every fault that such games share."""
EXAMPLES: Final = Path(__file__).parents[2] / "examples"


def faults_of_examples(others: pytest.MarkDecorator) -> list[Any]:
    """The table's configuration and the name of the fault, for each simulated table of the examples.

    Of the examples of a game, each has its share of the game's faults; the others are marked.
    """
    turns = count()
    faults = [
        (config, fault.name)
        for path in sorted(EXAMPLES.glob("*.toml"))
        for config in check_text(path.read_text()).tables
        if config.lines.backend == "sim"
        for fault in _tried(geometry_of(config), turns)
    ]
    sample = _sample(faults)
    return [
        pytest.param(config, name, id=f"{config.id}-{name}", marks=() if (config.id, name) in sample else others)
        for config, name in faults
    ]


def _sample(faults: list[tuple[TableConfig, str]]) -> set[tuple[str, str]]:
    """Each fault of a game at one of its examples, the one that has the fewest yet."""
    having: dict[tuple[str, str], list[str]] = {}
    for config, name in faults:
        having.setdefault((config.game, name), []).append(config.id)
    shares: Counter[str] = Counter()
    sample = set()
    for (_, name), tables in having.items():
        table = min(tables, key=lambda one: shares[one])
        shares[table] += 1
        sample.add((table, name))
    return sample


def _tried(geometry: Geometry, turns: Iterator[int]) -> list[SimulatedFault]:
    """Every fault of a table; of those that all games of cards share, a part at each (`test_card_tables` has all)."""
    faults = faults_for(geometry)
    if not isinstance(geometry, CardGeometry):
        return [*faults]
    shared, turn = {fault.name for fault in faults_of(geometry.game)} - {"none"}, next(turns) % CARD_TABLES
    return [fault for at, fault in enumerate(faults) if fault.name not in shared or at % CARD_TABLES == turn]
