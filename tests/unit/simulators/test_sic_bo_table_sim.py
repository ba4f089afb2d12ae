"""Simulated sic bo tables: clean rounds get their outcome, faults what their list says, and nothing unsupported."""

from __future__ import annotations

import pytest

from controller.bench.simulation import Score, simulate
from controller.games.assembly import geometry_of
from feed import events
from hal.values import Frame
from simulators.base.faults import FaultError, fault_named, faults_for
from tests.tables.bench import EventList, configured
from tests.tables.sic_bo_table import NEW, OLD, sic_bo_toml

TWO_LINES = '[table]\nid = "s"\ngame = "sic_bo"\n[lines]\nbackend = "sim"\n'
TABLES = {
    "two lines": TWO_LINES,
    "old": sic_bo_toml(OLD, devices="[device.keypad]\n[device.reader]"),
    "read": sic_bo_toml(NEW, devices="[device.reader]"),
    "pulse": sic_bo_toml(NEW, devices="[device.automated_shaker]\npresent_sensor = true\n[device.shaker]"),
    "serial": sic_bo_toml(NEW, devices='[device.automated_shaker]\ncontrol = "serial"'),
    "called by the controller": TWO_LINES.replace("[lines]", 'no_more_bets = "auto"\n[lines]'),
}


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("seed", [1, 2])
def test_clean_rounds_all_get_their_outcome(table: str, seed: int) -> None:
    score = Score()
    for played in simulate(configured(TABLES[table]), 4, seed, {}):
        score.add(played)
    assert (score.verdicts["outcome"], score.unsupported, score.refused) == (4, [], [])


@pytest.mark.long
@pytest.mark.parametrize("table", TABLES)
def test_no_fault_gives_an_outcome_that_the_truth_does_not_support_and_play_goes_on(table: str) -> None:
    config = configured(TABLES[table])
    for fault in faults_for(geometry_of(config)):
        score = Score()
        said = EventList()
        for played in simulate(config, 3, 7, {2: fault.name}):
            score.add(played)
            said += played.events
        assert score.unsupported == [], fault.name
        assert score.refused == [], fault.name
        assert said.of(events.Outcome)[-1].round == said.of(events.NoMoreBets)[-1].round, fault.name


@pytest.mark.soak
@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("seed", range(20, 32))
def test_no_fault_of_any_seed_gives_an_unsupported_outcome(table: str, seed: int) -> None:
    config = configured(TABLES[table])
    for fault in faults_for(geometry_of(config)):
        score = Score()
        for played in simulate(config, 3, seed, {2: fault.name}):
            score.add(played)
        assert score.unsupported == [], fault.name


def test_a_table_has_the_faults_of_its_devices_only() -> None:
    by_hand = geometry_of(configured(TWO_LINES))
    for name in ("automated_shaker_fails", "reader_disagrees"):
        with pytest.raises(FaultError, match=f'no fault is named "{name}"'):
            fault_named(name, by_hand)
    assert fault_named("lamp_dead", by_hand).physical


@pytest.mark.parametrize("devices", ["[device.reader]", "[device.reader]\n[device.keypad]"])
def test_a_board_that_only_answers_is_asked_and_answers(devices: str) -> None:
    text = sic_bo_toml(NEW, devices=devices.replace("[device.reader]", '[device.reader]\nformat = "frames_7a"'))
    score, answers = Score(), 0
    for played in simulate(configured(text), 4, 1, {}):
        score.add(played)
        answers += sum(isinstance(value, Frame) and value.link == "dice_serial" for value in played.batch.rare)
    assert (score.verdicts["outcome"], score.unsupported, score.refused) == (4, [], [])
    assert answers == 4 * 2
