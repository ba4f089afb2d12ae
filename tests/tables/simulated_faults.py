"""Every fault of every simulated example, as parameters of a test."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest

from controller.games.assembly import geometry_of
from controller.games.load import check_text
from simulators.base.faults import faults_for

EXAMPLES: Final = Path(__file__).parents[2] / "examples"


def faults_of_examples() -> list[Any]:
    """The table's configuration and the name of the fault, for each simulated table of the examples."""
    return [
        pytest.param(config, fault.name, id=f"{config.id}-{fault.name}")
        for path in sorted(EXAMPLES.glob("*.toml"))
        for config in check_text(path.read_text()).tables
        if config.lines.backend == "sim"
        for fault in faults_for(geometry_of(config))
    ]
