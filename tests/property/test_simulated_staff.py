"""Whatever a simulated table falls into, its simulated staff bring it back, on a busy computer too."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any, Final

import pytest

from controller.configuration.values import TableConfig
from controller.games.assembly import geometry_of
from controller.games.load import check_text
from feed import events
from simulators.base.faults import faults_for
from tests.fakes.virtual_service import VirtualService

EXAMPLES: Final = Path(__file__).parents[2] / "examples"
S: Final = 1_000_000_000
LONGEST_S: Final = 700
"""A fault, the longest time until it is detected, and a round after it."""


def _cases() -> list[Any]:
    found = []
    for path in sorted(EXAMPLES.glob("*.toml")):
        for config in check_text(path.read_text()).tables:
            if config.lines.backend == "sim":
                found += [
                    pytest.param(config, fault.name, id=f"{config.id}-{fault.name}")
                    for fault in faults_for(geometry_of(config))
                ]
    return found


@pytest.mark.parametrize(("config", "fault"), _cases())
def test_after_a_fault_the_staff_bring_the_table_back(config: TableConfig, fault: str) -> None:
    rng = random.Random(f"{config.id}/{fault}")
    hall = VirtualService([config], faults=[{2: fault}], seed=rng.randrange(1000))
    hall.open()
    until_ns = hall.clock.now_ns() + LONGEST_S * S
    played: list[events.Event] = []
    while hall.clock.now_ns() < until_ns and len(played) < 5:
        hall.run(20, step_ns=rng.choice([S // 50, S // 2, 3 * S]))
        played = [event for event in hall.said if isinstance(event.data, events.Settled)]
    assert len(played) >= 5, hall.said.story()[-12:]
    hall.run(60)
    cleared = [
        (event.data.device, event.data.fault) for event in hall.said if isinstance(event.data, events.DeviceCleared)
    ]
    raised = [
        (event.data.device, event.data.fault) for event in hall.said if isinstance(event.data, events.DeviceFault)
    ]
    assert sorted(raised) == sorted(cleared)
