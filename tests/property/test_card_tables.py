"""Simulated tables of every game of cards with every fault: no outcome without support of the truth, no refusal without
a reason of it."""

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

CI_ROUNDS: Final = 8
SOAK_ROUNDS: Final = 1000
BUTTONS: Final = '[device.dealer]\nbuttons = ["dealer_no_more_bets", "dealer_settled"]\n'
TABLES: Final = {
    "red dog": card_toml("red_dog"),
    "red dog, auto": card_toml("red_dog", table='no_more_bets = "auto"', options="decks = 2"),
    "red dog, settled by button": card_toml("red_dog", more=BUTTONS),
    "blackjack": card_toml("blackjack"),
    "blackjack, auto": card_toml("blackjack", table='no_more_bets = "auto"', options="one_face_down = true"),
    "blackjack of one deck": card_toml("blackjack", options="decks = 1", more=BUTTONS),
    "multi-action": card_toml("multi_action_blackjack"),
    "caribbean stud": card_toml("caribbean_stud"),
    "caribbean stud, auto": card_toml("caribbean_stud", table='no_more_bets = "auto"'),
    "let it ride": card_toml("let_it_ride", shoe="barriers = false"),
    "joker seven": card_toml("joker_seven", more=BUTTONS),
    "baccarat of a casino": card_toml("baccarat", table='rules = "njac-13:69F"', options='vigorish = "dragon_7"'),
}
CASES: Final = [
    pytest.param(config, fault.name, id=f"{name}-{fault.name}")
    for name, config in ((name, configured(text)) for name, text in TABLES.items())
    for fault in faults_for(geometry_of(config))
]


@pytest.mark.parametrize(("config", "fault"), CASES)
def test_no_verdict_contradicts_the_truth(config: TableConfig, fault: str) -> None:
    score = judge(config, fault, CI_ROUNDS, 1)
    assert score.verdicts["outcome"] > 0


@pytest.mark.parametrize("name", TABLES)
def test_cards_are_played_through_many_shuffles_without_a_violation(name: str) -> None:
    config = configured(TABLES[name])
    said = [event.data for played in simulate(config, 60, 7, {}) for event in played.events]
    assert len([data for data in said if isinstance(data, events.Outcome)]) == 60
    assert [data for data in said if isinstance(data, events.ProcedureViolation)] == []


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("config", "fault"), CASES)
def test_no_verdict_of_many_contradicts_the_truth(config: TableConfig, fault: str) -> None:
    judge(config, fault, SOAK_ROUNDS, 1000)
