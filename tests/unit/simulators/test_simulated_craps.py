"""Simulated craps tables: clean rolls are outcomes, every fault gives what it says, and no outcome is unsupported."""

from __future__ import annotations

import re

import pytest

from controller.bench.simulation import Score, simulate
from controller.games.assembly import geometry_of
from feed import events
from hal.values import Frame
from simulators.base.faults import FaultError, faults_for
from simulators.dice.craps_table import CrapsGeometry
from tests.tables.bench import EventList, configured
from tests.tables.craps_hands import craps_toml

TABLES = {
    "keypad": craps_toml("njac-13:47-20"),
    "board": craps_toml(keypad=False, reader=True),
    "both": craps_toml(game="mini_craps", reader=True),
    "buttons": craps_toml(reader=True) + '[device.dealer]\nbuttons = ["dealer_no_more_bets", "dealer_settled"]\n',
    "shaker": craps_toml(more='no_more_bets = "button"').replace("[game]", "[device.automated_shaker]\n[game]"),
    "shaker, serial, board": craps_toml(keypad=False, reader=True, game="mini_craps").replace(
        "[game]", '[device.automated_shaker]\ncontrol = "serial"\npresent_sensor = true\n[game]'
    ),
    "shaker, both": craps_toml("njac-13:47-20", reader=True).replace("[game]", "[device.automated_shaker]\n[game]"),
}
POLLED = craps_toml(keypad=False, reader=True).replace("[game]", "[device.automated_shaker]\n[game]")
"""A table whose reading board is made one that only answers."""
FAULTS = [(table, fault.name) for table, text in TABLES.items() for fault in faults_for(geometry_of(configured(text)))]


def played(table: str, rounds: int, seed: int, fault: str | None = None) -> tuple[Score, EventList]:
    score, said = Score(), EventList()
    for one in simulate(configured(TABLES[table]), rounds, seed, {} if fault is None else {None: fault}):
        score.add(one)
        said += one.events
    return score, said


@pytest.mark.parametrize("table", TABLES)
def test_every_clean_roll_is_an_outcome(table: str) -> None:
    score, said = played(table, 40, seed=4)
    assert (score.verdicts, score.unsupported, score.refused) == ({"outcome": 40}, [], [])
    # Dice as bodies come to lie on all six sides.
    assert {value for outcome in said.of(events.Outcome) for value in outcome.result["dice"]} == set(range(1, 7))


def test_a_board_that_only_answers_is_asked_and_answers() -> None:
    text = POLLED.replace("[device.reader]", '[device.reader]\nformat = "frames_7a"')
    assert "frames_7a" in text
    score, asked = Score(), 0
    for one in simulate(configured(text), 6, 4, {}):
        score.add(one)
        asked += sum(isinstance(value, Frame) for value in one.batch.rare)
    assert (score.verdicts, score.unsupported, score.refused) == ({"outcome": 6}, [], [])
    assert asked == 6 * 2


@pytest.mark.long
@pytest.mark.parametrize(("table", "fault"), FAULTS)
def test_a_fault_gives_what_it_says_and_no_outcome_that_the_truth_does_not_support(table: str, fault: str) -> None:
    score, said = played(table, 2, seed=9, fault=fault)
    assert (score.unsupported, score.refused) == ([], [])
    explained = {one.name: one for one in faults_for(geometry_of(configured(TABLES[table])))}[fault]
    void = re.match(r"Void: (\w+)", explained.expected)
    if void is not None:
        assert set(score.verdicts) == {f"void {void[1]}"}
    warned = re.search(r"warning: (\w+)", explained.expected)
    if warned is not None:
        assert warned[1] in {warning.warning for warning in said.of(events.DeviceWarning)}


@pytest.mark.soak
@pytest.mark.parametrize(("table", "fault"), FAULTS)
def test_no_outcome_is_unsupported_whatever_the_seed(table: str, fault: str) -> None:
    assert [seed for seed in range(40) if played(table, 6, seed, fault)[0].unsupported] == []


def test_equal_seeds_give_equal_rounds() -> None:
    assert played("both", 5, seed=3)[1].body() == played("both", 5, seed=3)[1].body()
    assert played("both", 5, seed=3)[1].body() != played("both", 5, seed=4)[1].body()


def test_a_table_without_a_board_has_none_of_its_faults() -> None:
    with pytest.raises(FaultError, match="no fault is named"):
        CrapsGeometry().simulator(1).round("reader_silent")
    assert "keyed_too_early" not in {fault.name for fault in CrapsGeometry().faults()}
