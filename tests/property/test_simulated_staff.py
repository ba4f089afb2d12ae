"""Whatever a simulated table falls into, its simulated staff bring it back, on a busy computer too."""

from __future__ import annotations

import random
from typing import Final

import pytest

from controller.configuration.values import TableConfig
from feed import events
from tests.fakes.virtual_service import VirtualService
from tests.tables.simulated_faults import faults_of_examples

S: Final = 1_000_000_000
LONGEST_S: Final = 700
"""A fault, the longest time until it is detected, and a round after it."""

ROUNDS: Final = 3
"""The one before the fault, and two after it where it has no outcome."""

STEPS_NS: Final = (S // 50, S // 2, 3 * S)
"""How often the tables are looked at: as on an idle computer, a busy one, and one that is hardly there."""
STEP_WEIGHTS: Final = (1, 6, 6)
"""Every other test looks as often as an idle computer does, which takes 25 times as long."""


@pytest.mark.parametrize(("config", "fault"), faults_of_examples())
def test_after_a_fault_the_staff_bring_the_table_back(config: TableConfig, fault: str) -> None:
    rng = random.Random(f"{config.id}/{fault}")
    hall = VirtualService([config], faults=[{2: fault}], seed=rng.randrange(1000))
    hall.open()
    until_ns = hall.clock.now_ns() + LONGEST_S * S
    played: list[events.Event] = []
    while hall.clock.now_ns() < until_ns and len(played) < ROUNDS:
        (step_ns,) = rng.choices(STEPS_NS, STEP_WEIGHTS)
        hall.run(20, step_ns=step_ns)
        played = [event for event in hall.said if isinstance(event.data, events.Settled)]
    assert len(played) >= ROUNDS, hall.said.story()[-12:]
    hall.run(60, step_ns=S // 2)
    cleared = [
        (event.data.device, event.data.fault) for event in hall.said if isinstance(event.data, events.DeviceCleared)
    ]
    raised = [
        (event.data.device, event.data.fault) for event in hall.said if isinstance(event.data, events.DeviceFault)
    ]
    assert sorted(raised) == sorted(cleared)
