"""Tables on simulated devices, and how their verdicts are held against the truth."""

from __future__ import annotations

import pytest

from controller.bench.simulation import Played, Score, fault_plan, simulate
from controller.configuration.values import TableConfig
from controller.games.assembly import geometry_of
from feed import events
from feed.events import Event
from hal.values import Batch
from simulators.base.faults import FaultError
from simulators.base.truth import Truth
from simulators.money_wheel.geometry import MoneyWheelGeometry
from simulators.roulette.geometry import RouletteGeometry
from tests.tables.bench import EventList, configured
from tests.tables.money_lines import money_toml
from tests.tables.roulette_lines import roulette_toml

SIM = '[lines]\nbackend = "sim"\n'
SHORTEST = {game: f'[table]\nid = "t"\ngame = "{game}"\n' + SIM for game in ("money_wheel", "roulette")}


def play(config: TableConfig, rounds: int, seed: int, faults: dict[int | None, str] | None = None) -> list[Played]:
    return list(simulate(config, rounds, seed, faults or {}))


def body(played: list[Played]) -> bytes:
    return EventList(event for one in played for event in one.events).body()


@pytest.mark.parametrize("game", SHORTEST)
def test_the_shortest_file_plays(game: str) -> None:
    played = play(configured(SHORTEST[game]), 2, 1)
    assert [one.number for one in played] == [0, 1, 2]
    assert EventList(event for one in played for event in one.events).of(events.RoundOpened)


@pytest.mark.parametrize("game", SHORTEST)
def test_equal_seeds_give_equal_bytes_and_others_do_not(game: str) -> None:
    config = configured(SHORTEST[game])
    first, again, other = (body(play(config, 3, seed)) for seed in (5, 5, 6))
    assert first == again
    assert first != other


@pytest.mark.parametrize("game", SHORTEST)
def test_no_outcome_of_a_simulated_evening_is_false(game: str) -> None:
    score = Score()
    for one in play(configured(SHORTEST[game]), 12, 3):
        score.add(one)
    assert score.rounds == 12
    assert score.unsupported == []
    assert score.verdicts["outcome"] > 6


@pytest.mark.parametrize(
    ("game", "fault", "words"),
    [
        ("money_wheel", "short_spin", "void wheel_revolutions"),
        ("money_wheel", "reversed_spin", "void wheel_reversed"),
        ("money_wheel", "between_spaces", "void indicator_between_spaces"),
        ("roulette", "short_spin", "void ball_revolutions"),
        ("roulette", "same_direction", "void ball_direction"),
        ("roulette", "tilt", "void not_level"),
        ("roulette", "foreign_object", "void foreign_object"),
    ],
)
def test_a_fault_in_one_round_is_found_in_that_round(game: str, fault: str, words: str) -> None:
    played = play(configured(SHORTEST[game]), 3, 2, {2: fault})
    assert [one.fault for one in played] == [None, None, fault, None]
    assert words in EventList(played[2].events).verdicts()
    assert words not in EventList([*played[1].events, *played[3].events]).verdicts()


def test_what_shut_the_table_is_cleared_by_the_simulated_supervisor_and_play_goes_on() -> None:
    played = play(configured(SHORTEST["roulette"]), 3, 2, {1: "tilt"})
    said = EventList(event for one in played for event in one.events)
    assert said.one(events.DeviceFault).fault == "not_level"
    assert said.one(events.DeviceCleared).by == "simulated-supervisor"
    assert said.of(events.Outcome)


def test_a_fault_of_every_round_yields_to_that_of_one() -> None:
    played = play(configured(SHORTEST["roulette"]), 3, 2, {None: "short_spin", 2: "none"})
    assert [one.fault for one in played[1:]] == ["short_spin", "none", "short_spin"]


def test_everything_that_is_simulated_says_so() -> None:
    for one in play(configured(SHORTEST["roulette"]), 1, 1):
        for event in one.events:
            assert event.data.simulated
            assert event.topic.startswith("sim/v1/t/")
            assert event.id.startswith("t.sim.")


# --- the plan of faults --------------------------------------------------------------------------------------------


WHEEL = MoneyWheelGeometry(no_more_bets_button=True)


def test_a_fault_can_be_given_for_one_round_or_for_all() -> None:
    assert fault_plan(["short_spin@2", "wind_up"], 5, WHEEL) == {2: "short_spin", None: "wind_up"}


@pytest.mark.parametrize("given", ["short_spin@0", "short_spin@6", "short_spin@", "short_spin@two", "short_spin@-1"])
def test_a_round_that_is_not_played_is_refused(given: str) -> None:
    with pytest.raises(FaultError, match="round"):
        fault_plan([given], 5, WHEEL)


def test_an_unknown_fault_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(FaultError, match="short_spin"):
        fault_plan(["shortspin"], 5, WHEEL)


def test_a_fault_of_another_game_is_refused() -> None:
    with pytest.raises(FaultError, match="no fault is named"):
        fault_plan(["same_direction"], 5, WHEEL)


# --- the geometry --------------------------------------------------------------------------------------------------


def test_the_simulated_sensors_are_those_of_the_configuration() -> None:
    device = 'pockets = "european"\nball_sensors_deg = [0, 100, 220]\npocket_head_deg = 30\nencoder_slots = 74'
    geometry = geometry_of(configured(roulette_toml(call="button", device=device)))
    assert isinstance(geometry, RouletteGeometry)
    assert (len(geometry.pockets), geometry.slots, geometry.pocket_head_deg) == (37, 74, 30.0)
    assert geometry.ball_sensors_deg == (0.0, 100.0, 220.0)
    assert (geometry.no_more_bets_button, geometry.settled_button, geometry.single_zero) == (True, False, False)


def test_a_double_zero_wheel_used_as_single_zero_is_simulated_as_such() -> None:
    geometry = geometry_of(configured(roulette_toml(device='pockets = "american_as_single_zero"')))
    assert isinstance(geometry, RouletteGeometry)
    assert geometry.single_zero


def test_the_simulated_money_wheel_is_that_of_the_configuration() -> None:
    geometry = geometry_of(configured(money_toml(device='sensing = "pegs"\nindicator_deg = 90')))
    assert isinstance(geometry, MoneyWheelGeometry)
    assert (geometry.sensing, geometry.indicator_deg, geometry.no_more_bets_button) == ("pegs", 90.0, True)


# --- the score -----------------------------------------------------------------------------------------------------


def outcome(pocket: str, index: int) -> Event:
    data = events.Outcome(
        table="t",
        game="roulette",
        simulated=True,
        mono_ns=0,
        round=1,
        result={"pocket": pocket, "index": index, "color": "red"},
        winning=[],
        evidence=events.Evidence(),
        rule="",
    )
    return Event(id="t.sim.1", source="/tables/t", type="feltwire.round.outcome.v1", time="", data=data)


def judged(said: list[Event], *, valid: bool, result: int | None = 9, reasons: tuple[str, ...] = ()) -> Score:
    truth = Truth(valid, result, 5.0, 5.0, reasons, "what really happened")
    score = Score()
    score.add(Played(1, None, Batch([], [], 0), said, truth))
    return score


def test_an_outcome_that_is_true_is_supported() -> None:
    score = judged([outcome("17", 9)], valid=True)
    assert (score.unsupported, score.refused, score.verdicts) == ([], [], {"outcome": 1})


def test_another_number_is_not_supported() -> None:
    assert "what really happened" in judged([outcome("5", 12)], valid=True).unsupported[0]


def test_an_outcome_of_an_invalid_run_is_not_supported() -> None:
    assert len(judged([outcome("17", 9)], valid=False).unsupported) == 1


def test_a_second_outcome_of_one_round_is_not_supported() -> None:
    assert len(judged([outcome("17", 9), outcome("17", 9)], valid=True).unsupported) == 1


def test_a_valid_run_without_an_outcome_is_told_unless_its_lines_excuse_it() -> None:
    assert len(judged([], valid=True).refused) == 1
    assert judged([], valid=True, reasons=("edges_lost",)).refused == []
    assert judged([], valid=False).refused == []
