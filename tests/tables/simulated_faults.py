"""Every fault of every simulated example, as parameters of a test."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any, Final

import pytest

from controller.games.assembly import geometry_of
from controller.games.load import check_text
from simulators.base.faults import SimulatedFault, faults_for
from simulators.base.geometry import Geometry
from simulators.cards.card_table import CardGeometry, faults_of

CARD_TABLES: Final = 8
"""Examples of games of cards: together they have every fault that such games share."""
EXAMPLES: Final = Path(__file__).parents[2] / "examples"


def faults_of_examples() -> list[Any]:
    """The table's configuration and the name of the fault, for each simulated table of the examples."""
    turns = count()
    return [
        pytest.param(config, fault.name, id=f"{config.id}-{fault.name}")
        for path in sorted(EXAMPLES.glob("*.toml"))
        for config in check_text(path.read_text()).tables
        if config.lines.backend == "sim"
        for fault in _tried(geometry_of(config), turns)
    ]


def _tried(geometry: Geometry, turns: Iterator[int]) -> list[SimulatedFault]:
    """Every fault of a table; of those that all games of cards share, a part at each (`test_card_tables` has all)."""
    faults = faults_for(geometry)
    if not isinstance(geometry, CardGeometry):
        return [*faults]
    shared, turn = {fault.name for fault in faults_of(geometry.game)} - {"none"}, next(turns) % CARD_TABLES
    return [fault for at, fault in enumerate(faults) if fault.name not in shared or at % CARD_TABLES == turn]
