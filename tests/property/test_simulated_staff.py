"""Whatever a simulated table falls into, its simulated staff bring it back, on a busy computer too.

Whatever it publishes until then, its codes are explained, and it cites a rule only for what that refuses.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Final

import pytest

from controller.configuration.values import TableConfig
from controller.rules.cited import OURS
from controller.rules.profile import profile
from feed import events
from feed.codes import CODES
from tests.fakes.virtual_service import VirtualService
from tests.shares import one_in
from tests.tables.bench import EventList
from tests.tables.simulated_faults import faults_of_examples

S: Final = 1_000_000_000
LONGEST_S: Final = 700
"""A fault, the longest time until it is detected, and a round after it."""

LAST_CLEARED_S: Final = 60
"""Within this time after the last round, staff have cleared every fault."""

ROUNDS: Final = 3
"""The one before the fault, and two after it where it has no outcome."""

STEPS_NS: Final = (S // 50, S // 2, 3 * S)
"""How often the tables are looked at: as on an idle computer, a busy one, and one that is hardly there."""
STEP_WEIGHTS: Final = (1, 50, 150)
"""To look as often as an idle computer does takes 25 times as long."""


@pytest.mark.parametrize(("config", "fault"), one_in(2, faults_of_examples(others=pytest.mark.soak)))
def test_after_a_fault_the_staff_bring_the_table_back_and_what_was_published_is_explained(
    config: TableConfig, fault: str
) -> None:
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
    said, until_ns = hall.said, hall.clock.now_ns() + LAST_CLEARED_S * S
    while standing(said) and hall.clock.now_ns() < until_ns:
        said = hall.run(3, step_ns=3 * S)
    assert standing(said) == []
    for event in said:
        check_codes(config, event.data)


def standing(said: EventList) -> list[tuple[str, str]]:
    """The faults that were raised and not cleared, or cleared and not raised."""
    cleared = Counter((data.device, data.fault) for data in said.of(events.DeviceCleared))
    raised = Counter((data.device, data.fault) for data in said.of(events.DeviceFault))
    return sorted(((raised - cleared) + (cleared - raised)).elements())


def check_codes(config: TableConfig, data: events.Data) -> None:
    """The codes of what is published are explained, and it cites no rule for more than that says."""
    for key in ("reason", "fault", "warning"):
        code = getattr(data, key, None)
        assert not isinstance(code, str) or isinstance(data, events.TableClosed) or code in CODES
    reasons = profile(config.rules).texts[config.game]["reasons"]
    if isinstance(data, events.Unresolved):
        assert data.rule == OURS
        assert data.unproven_rule in ("", reasons.get(data.reason, {}).get("rule"))
        assert data.unproven_rule != OURS
    elif isinstance(data, events.Void | events.ProcedureViolation):
        assert data.rule in (OURS, reasons.get(data.reason, {}).get("rule"))
