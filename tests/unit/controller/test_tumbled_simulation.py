"""Simulated tables of cage and chute: clean rounds have their outcome, and every named fault gives what it says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from controller.bench.simulation import Score, simulate
from controller.games.assembly import geometry_of
from feed import events
from simulators.base.faults import faults_for
from simulators.base.truth import Truth
from tests.tables.bench import configured

pytestmark = pytest.mark.long

GAMES = ("chuck_a_luck", "beat_the_dealer", "under_over")
TABLES = {
    "level": "",
    "pulse": '[device.cage]\nsensing = "pulse"\n',
    "encoder": '[device.cage]\nsensing = "encoder"\n',
    "chute": "[device.chute]\nbaffles = 5\n",
    "reader": "[device.reader]\n",
    "chute and reader": "[device.chute]\n[device.reader]\n",
    "both": "[device.reader]\n[device.keypad]\n",
    "motor": "[device.motor]\n",
    "motor and reader": "[device.motor]\n[device.reader]\n",
    "motor and both": "[device.motor]\n[device.reader]\n[device.keypad]\n",
}
"""The quickest first."""
TABLES_OF_A_FAULT = 3
"""As many as the ways in which a cage is sensed."""
CLEAN = {
    "none",
    "keyed_while_tumbling",
    "player_forgets",
    "cage_bounce",
    "cage_drumming",
    "chute_bounce",
    "keypad_corrected",
    "keypad_enter_twice",
    "keypad_key_bounce",
}
"""Faults after which there is an outcome all the same."""
REFUSED = {
    "tumbled_before_no_more_bets": "void tumbled_before_no_more_bets",
    "late_call": "void tumbled_before_no_more_bets",
    "dealer_voids": "void dealer_call",
    "cage_too_few_inversions": "void too_few_inversions",
    "cage_rocked": "void too_few_inversions",
    "cage_paused": "void too_few_inversions",
    "cage_die_cocked": "void dice_not_flat",
    "chute_die_jammed": "void die_jammed",
    "chute_beam_broken": "void die_jammed",
    "chute_baffle_missed": "void baffles_missed",
    "chute_dice_together": "unresolved dice_together",
    "chute_something_else": "unresolved too_many_passes",
    "chute_die_cocked": "void dice_not_flat",
    "reader_board_fault": "unresolved reader_fault",
    "reader_disagrees": "unresolved values_disagree",
    "motor_jams": "unresolved motor_stalled",
    "motor_dead": "void motor_stalled",
    "shaft_dead": "unresolved motor_stalled",
    "home_dead": "unresolved motor_too_long",
}
"""What must be said in a round with these, whatever else is."""


def toml(game: str, table: str, call: str = "button") -> str:
    return f'[table]\nid = "t"\ngame = "{game}"\nno_more_bets = "{call}"\n[lines]\nbackend = "sim"\n{TABLES[table]}'


def every_fault() -> Iterator[tuple[str, str, str]]:
    played = Counter[str]()
    for place, table in enumerate(TABLES):
        # Every game meets every kind of table with every fault in the soak; here each table has one game.
        game = GAMES[place % len(GAMES)]
        for fault in faults_for(geometry_of(configured(toml(game, table)))):
            if played[fault.name] < TABLES_OF_A_FAULT:
                played[fault.name] += 1
                yield game, table, fault.name


def scored(game: str, table: str, fault: str, rounds: int, seed: int, call: str = "button") -> tuple[Score, set[str]]:
    """Every second round has the fault; what was said in those."""
    score, said = Score(), set[str]()
    faults: dict[int | None, str] = dict.fromkeys(range(2, rounds + 1, 2), fault)
    for played in simulate(configured(toml(game, table, call)), rounds, seed, faults):
        score.add(played)
        if played.fault is not None:
            for event in played.events:
                data = event.data
                if isinstance(data, events.Void | events.Unresolved):
                    said.add(f"{type(data).kind.removeprefix('round.')} {data.reason}")
                elif isinstance(data, events.Outcome):
                    said.add("outcome")
    return score, said


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("game", GAMES)
def test_every_clean_round_has_its_outcome(game: str, table: str) -> None:
    score, _ = scored(game, table, "none", 2, seed=3)
    assert (score.verdicts, score.unsupported, score.refused) == (Counter(outcome=2), [], [])


@pytest.mark.parametrize(("game", "table", "fault"), [*every_fault()])
def test_every_fault_gives_what_it_says_and_no_outcome_that_is_not_true(game: str, table: str, fault: str) -> None:
    score, said = scored(game, table, fault, 2, seed=11)
    assert (score.unsupported, score.refused) == ([], [])
    if fault in CLEAN:
        assert "outcome" in said
    if fault in REFUSED:
        assert REFUSED[fault] in said
        assert "outcome" not in said


def test_a_knock_after_the_board_has_given_its_values_leaves_the_round_to_be_played_on() -> None:
    # A dealer who gave the round up without a call had the next round's tumble taken for the player's.
    score, said = scored("beat_the_dealer", "reader", "cage_knocked_at_rest", 6, seed=0)
    assert (score.unsupported, score.refused, said) == ([], [], {"outcome"})


@pytest.mark.soak
@pytest.mark.parametrize(
    ("table", "call"),
    # Where a motor turns the cage, the call is what starts it: `check` refuses the automatic call there.
    [
        (table, call)
        for table in TABLES
        for call in ("button", "auto")
        if not (table.startswith("motor") and call == "auto")
    ],
)
@pytest.mark.parametrize("game", GAMES)
def test_over_many_seeds_no_outcome_is_untrue(game: str, table: str, call: str) -> None:
    for fault in faults_for(geometry_of(configured(toml(game, table, call)))):
        for seed in range(10):
            score, _ = scored(game, table, fault.name, 6, seed, call)
            assert (score.unsupported, score.refused) == ([], []), f"{fault.name}, seed {seed}"


@pytest.mark.parametrize("table", TABLES)
def test_equal_seeds_give_equal_rounds(table: str) -> None:
    geometry = geometry_of(configured(toml("under_over", table)))

    def played() -> list[Truth]:
        simulator = geometry.simulator(5)
        simulator.start()
        return [simulator.round().truth for _ in range(3)]

    assert played() == played()


@pytest.mark.parametrize("devices", ["[device.cage]", "[device.chute]", "[device.motor]"])
def test_a_board_that_only_answers_proves_its_values_at_every_tumbler(devices: str) -> None:
    text = toml("under_over", "level") + f'{devices}\n[device.reader]\nformat = "frames_7a"\n'
    score = Score()
    for played in simulate(configured(text), 5, 3, {}):
        score.add(played)
    assert (score.verdicts, score.unsupported, score.refused) == ({"outcome": 5}, [], [])
