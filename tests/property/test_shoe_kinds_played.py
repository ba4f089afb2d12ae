"""Simulated tables with every kind of shoe and every fault of it: no outcome without support of the truth, no refusal
without a reason of it."""

from __future__ import annotations

from typing import Final

import pytest

from controller.configuration.values import TableConfig
from controller.games.assembly import geometry_of
from simulators.base.faults import faults_for
from tests.tables.bench import configured
from tests.tables.card_kinds import KINDS
from tests.tables.judged_cards import judge

CI_ROUNDS: Final = 8
SOAK_ROUNDS: Final = 1000
CASES: Final = [
    pytest.param(config, fault.name, id=f"{name}-{fault.name}")
    for name, config in ((name, configured(text)) for name, text in KINDS.items())
    for fault in faults_for(geometry_of(config))
]


@pytest.mark.parametrize(("config", "fault"), CASES)
def test_no_verdict_contradicts_the_truth(config: TableConfig, fault: str) -> None:
    score = judge(config, fault, CI_ROUNDS, 1)
    assert score.verdicts["outcome"] > 0


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("config", "fault"), CASES)
def test_no_verdict_of_many_contradicts_the_truth(config: TableConfig, fault: str) -> None:
    judge(config, fault, SOAK_ROUNDS, 1000)
