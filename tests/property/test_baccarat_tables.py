"""Simulated baccarat tables with every fault: no outcome without support of the truth, no refusal without a reason."""

from __future__ import annotations

from typing import Final

import pytest

from controller.bench.simulation import simulate
from controller.configuration.values import TableConfig
from controller.games.assembly import geometry_of
from feed import events
from simulators.base.faults import faults_for
from tests.tables.bench import configured
from tests.tables.card_shoe import card_toml
from tests.tables.judged_cards import judge

CI_ROUNDS: Final = 12
SOAK_ROUNDS: Final = 2000
BUTTONS: Final = '[device.dealer]\nbuttons = ["dealer_no_more_bets", "dealer_settled"]\n'
TABLES: Final = {
    "plain": card_toml(),
    "auto": card_toml(table='no_more_bets = "auto"'),
    "settled by button": card_toml("mini_baccarat", more=BUTTONS),
    "no barriers": card_toml(shoe="barriers = false"),
    "no body, no table": card_toml(shoe="body = false", options="third_card_table = false"),
    "shuffler": card_toml(more='[device.shuffler]\ncontrol = "serial"\n[device.discard_rack]\n'),
    "shuffler on lines": card_toml("mini_baccarat", more="[device.shuffler]\npresent_sensor = true\n"),
    "slow": card_toml(shoe="read_wait_s = 4\njam_s = 10", options="settle_after_s = 20"),
}
CASES: Final = [
    pytest.param(config, fault.name, id=f"{name}-{fault.name}")
    for name, config in ((name, configured(text)) for name, text in TABLES.items())
    for fault in faults_for(geometry_of(config))
    # The faults of the shoe are the same beside a shuffler: there its own are tried.
    if not name.startswith("shuffler") or fault.name.startswith("shuffler") or fault.name == "none"
]


@pytest.mark.parametrize(("config", "fault"), CASES)
def test_no_verdict_contradicts_the_truth(config: TableConfig, fault: str) -> None:
    score = judge(config, fault, CI_ROUNDS, 1)
    assert score.verdicts["outcome"] > 0


def test_shoes_are_played_to_the_cutting_card_and_shuffled() -> None:
    config = configured(card_toml())
    said = [event.data for played in simulate(config, 160, 7, {}) for event in played.events]
    assert len([data for data in said if isinstance(data, events.Outcome)]) == 160
    raised = [data.fault for data in said if isinstance(data, events.DeviceFault)]
    cleared = [data.fault for data in said if isinstance(data, events.DeviceCleared)]
    assert raised == cleared == ["reshuffle_due"] * 2


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("config", "fault"), CASES)
def test_no_verdict_of_many_contradicts_the_truth(config: TableConfig, fault: str) -> None:
    judge(config, fault, SOAK_ROUNDS, 1000)
