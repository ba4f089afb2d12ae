"""What each game's statistics count, as its table publishes it and its outcomes have it."""

from __future__ import annotations

from collections import Counter

import msgspec
import pytest

from controller.bench.simulation import simulate
from controller.configuration.values import TableConfig
from controller.games.catalogue import GAMES
from controller.games.load import check_text
from feed import events
from feed.events import TableOpened
from feed.results import RESULTS
from feed.state import TableState
from feed.statistics import MOST_HISTORY, PastOutcome, values_at
from feed.wire import MAX_ANSWER_FRAME
from tests.tables.problems import only_problem

GAME_NAMES = [spec.name for spec in GAMES]
FILE = '[table]\nid = "t-1"\ngame = "{game}"\n[lines]\nbackend = "sim"\n'


def config_of(game: str, more: str = "") -> TableConfig:
    report = check_text(FILE.format(game=game) + more)
    assert not report.errors
    return report.tables[0]


@pytest.mark.parametrize("game", GAME_NAMES)
def test_every_value_that_comes_is_one_that_the_table_published(game: str) -> None:
    said = [event for played in simulate(config_of(game), 12, 1, {}) for event in played.events]
    opened = said[0].data
    assert isinstance(opened, TableOpened)
    assert (opened.history, bool(opened.statistics)) == (100, game != "let_it_ride")  # of 52 cards nothing is hot
    fields = {field.encode_name for field in msgspec.structs.fields(RESULTS[game])}
    results = [event.data.result for event in said if isinstance(event.data, events.Outcome)]
    state = TableState("t-1")
    for event in said:
        state.apply(event)
    statistics = state.history.statistics
    assert statistics.outcomes == len(results) > 3
    for key, counted in zip(opened.statistics, statistics.fields, strict=True):
        assert key.field.partition(".")[0] in fields
        assert len(set(key.values)) == len(key.values)
        came = Counter(value for result in results for value in values_at(result, key.field))
        assert came.keys() <= set(key.values)
        assert {one.value: one.count for one in counted.counts} == {value: came[value] for value in key.values}


@pytest.mark.parametrize(
    ("wheel", "numbers"),
    [
        ("", ["0", "00", *map(str, range(1, 37))]),
        ('[device.wheel]\npockets = "european"\n', [*map(str, range(37))]),
        ('[device.wheel]\npockets = "american_as_single_zero"\n', [*map(str, range(37))]),
        ('[device.wheel]\ndriver = "star_x"\npockets = "european"\n', [*map(str, range(37))]),
    ],
)
def test_a_wheel_publishes_the_numbers_that_it_can_give_in_their_order(wheel: str, numbers: list[str]) -> None:
    config = config_of("roulette", wheel)
    spec = next(spec for spec in GAMES if spec.name == "roulette")
    assert spec.statistics(config)[0].values == numbers


@pytest.mark.parametrize("game", GAME_NAMES)
def test_the_longest_history_of_every_game_fits_in_one_frame(game: str) -> None:
    config = config_of(game, f"[feed]\nhistory = {MOST_HISTORY}\n")
    state = TableState("t-1")
    for event in (event for played in simulate(config, 4, 2, {}) for event in played.events):
        state.apply(event)
    longest = max(state.history.outcomes, key=lambda one: len(msgspec.json.encode(one)))
    for number in range(10**9, 10**9 + MOST_HISTORY + 10):
        one = PastOutcome(round=number, time=longest.time, result=longest.result, corrected=True)
        state.history.put(one)
    body = msgspec.json.encode(state.snapshot())
    assert state.history.statistics.outcomes == MOST_HISTORY
    assert len(body) < MAX_ANSWER_FRAME / 2


def test_the_length_of_the_history_is_the_file_s() -> None:
    config = config_of("money_wheel", "[feed]\nhistory = 30\n")
    opened = next(iter(simulate(config, 1, 1, {}))).events[0].data
    assert isinstance(opened, TableOpened)
    assert opened.history == 30


@pytest.mark.parametrize(
    ("value", "wrong"),
    [("19", "19 is out of range"), ("1001", "1001 is out of range"), ('"30"', '"30" is not a whole number')],
)
def test_a_history_out_of_bounds_is_named_with_the_bounds(value: str, wrong: str) -> None:
    problem = only_problem(FILE.format(game="roulette") + f"[feed]\nhistory = {value}\n")
    assert problem.startswith("7: feed.history: " + wrong)
    assert "from 20 to 1000" in problem
