"""Whatever a simulated table publishes: its codes are explained, and it cites a rule only for what that refuses."""

from __future__ import annotations

import pytest

from controller.bench.simulation import simulate
from controller.configuration.values import TableConfig
from controller.rules.cited import OURS
from controller.rules.profile import profile
from feed import events
from feed.codes import CODES
from tests.tables.simulated_faults import faults_of_examples


@pytest.mark.parametrize(("config", "fault"), faults_of_examples())
def test_what_is_published_is_explained_and_cites_no_rule_for_more_than_it_has(config: TableConfig, fault: str) -> None:
    reasons = profile(config.rules).texts[config.game]["reasons"]
    for played in simulate(config, 2, 7, {1: fault}):
        for event in played.events:
            data = event.data
            for key in ("reason", "fault", "warning"):
                code = getattr(data, key, None)
                assert not isinstance(code, str) or isinstance(data, events.TableClosed) or code in CODES
            if isinstance(data, events.Unresolved):
                assert data.rule == OURS
                assert data.unproven_rule in ("", reasons.get(data.reason, {}).get("rule"))
                assert data.unproven_rule != OURS
            elif isinstance(data, events.Void | events.ProcedureViolation):
                assert data.rule in (OURS, reasons.get(data.reason, {}).get("rule"))
