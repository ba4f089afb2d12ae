"""The watch for a stuck reader: the run at which it warns, by device; over restarts; and what the house has follow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from controller.games.base.wheels import wheel_plan
from controller.games.catalogue import GAME, GAMES
from controller.games.dice.setup import dice_plan
from controller.table.repeats import FALLS, MOST_FALSE_ALARM, RepeatWatch, false_alarm, least_run
from feed import events
from feed.events import Evidence, Outcome, Unresolved, Void
from feed.state import TableState
from tests.tables.bench import EventList, TableBench, configured
from tests.tables.craps_hands import CrapsHands, craps_toml

ROULETTE = wheel_plan("pocket", [str(pocket) for pocket in range(38)])


def exactly(run: int, places: int) -> float:
    """The chance of a run of equal results among `FALLS` of a wheel, exactly: by the length of the run that is on."""
    again = 1 / places
    lengths = [1.0, *[0.0] * (run - 2)]
    found = 0.0
    for _ in range(FALLS - 1):
        found += lengths[-1] * again
        lengths = [sum(lengths) * (1 - again), *(chance * again for chance in lengths[:-1])]
    return found


@pytest.mark.parametrize(
    ("chances", "run", "alarm"),
    [
        ([1 / 38] * 38, 5, 2.8e-4),
        ([1 / 37] * 37, 5, 3.1e-4),
        ([1 / 50] * 50, 5, 9.3e-5),
        ([1 / 54] * 54, 5, 6.9e-5),
        ([1 / 24] * 24, 6, 7.2e-5),
        ([*dice_plan(2).places.values()], 6, 2.5e-4),
        ([*dice_plan(3).places.values()], 5, 2.0e-4),
    ],
)
def test_the_run_is_the_least_one_with_a_false_alarm_that_is_rare_enough(
    chances: Sequence[float], run: int, alarm: float
) -> None:
    assert sum(chances) == pytest.approx(1)
    assert least_run(chances) == run
    assert false_alarm(run, chances) == pytest.approx(alarm, rel=0.02)
    assert false_alarm(run - 1, chances) > MOST_FALSE_ALARM


@pytest.mark.parametrize("places", [24, 37, 38, 54])
def test_the_chance_is_the_exact_one_or_a_little_more(places: int) -> None:
    run = least_run([1 / places] * places)
    assert exactly(run, places) <= false_alarm(run, [1 / places] * places) <= exactly(run, places) * 1.001


def of_round(kind: type[Any], number: int, **fields: Any) -> Any:
    common = {"table": "t", "game": "roulette", "simulated": True, "mono_ns": number, "round": number}
    return kind(**common, evidence=Evidence(), rule="ours", **fields)


def outcome(number: int, pocket: str, color: str = "red") -> Outcome:
    made: Outcome = of_round(Outcome, number, result={"pocket": pocket, "color": color}, winning=[])
    return made


def test_the_candidate_of_an_unresolved_round_counts_and_a_void_round_is_no_other_number() -> None:
    watch = RepeatWatch(ROULETTE)
    seen = [outcome(1, "19"), outcome(2, "19")]
    doubtful = of_round(Unresolved, 3, reason="ball_revolutions", candidates=[{"pocket": "19"}])
    void = of_round(Void, 4, call="No spin", reason="dealer_call")
    assert [watch.see(one) for one in (*seen, doubtful, void, outcome(5, "19"))] == [None] * 5
    run = watch.see(outcome(6, "19"))
    assert run is not None
    assert (run.place, run.length) == ("19", 5)
    assert "19 came 5 times in a row; 5 times come at a sound wheel with a chance of 0.0003 in 600" in run.detail
    again = watch.see(outcome(7, "19"))
    assert again is not None
    assert again.length == 6
    assert watch.see(outcome(8, "20")) is None
    assert watch.see(outcome(9, "19")) is None


def test_one_color_or_one_face_in_a_row_is_nothing() -> None:
    watch = RepeatWatch(ROULETTE)
    assert [watch.see(outcome(number, str(number % 3))) for number in range(1, 30)] == [None] * 29


@pytest.mark.parametrize("spec", [spec for spec in GAMES if spec.falls_in], ids=lambda spec: spec.name)
def test_every_wheel_and_all_dice_are_watched(spec: Any) -> None:
    plan = GAME[spec.name].repeats(configured(f'[table]\nid = "t"\ngame = "{spec.name}"\n[lines]\nbackend = "sim"\n'))
    assert plan is not None
    assert sum(plan.places.values()) == pytest.approx(1)


def test_an_automatic_wheel_is_watched_too() -> None:
    text = '[table]\nid = "t"\ngame = "roulette"\n[lines]\nbackend = "sim"\n[device.wheel]\ndriver = "star_x"\n'
    plan = GAME["roulette"].repeats(configured(text))
    assert plan is not None
    assert len(plan.places) == 38


def thrown(hands: CrapsHands, times: int) -> EventList:
    said = EventList()
    for number in range(times):
        said += hands.key(*((3, 1) if number % 2 else (1, 3)))
    return said


def noted(said: EventList) -> list[str]:
    return [one.warning for one in said.of(events.DeviceWarning)] + [one.fault for one in said.of(events.DeviceFault)]


@pytest.mark.parametrize(
    ("repeats", "found", "state"),
    [
        ("", ["result_repeated"], "open"),
        ('repeats = "shut"', ["result_repeated"], "shut"),
        ('repeats = "off"', [], "open"),
    ],
)
def test_the_house_chooses_between_a_warning_a_shut_table_and_nothing(
    repeats: str, found: list[str], state: str
) -> None:
    hands = CrapsHands(craps_toml("njac-13:47-20", more=repeats))
    assert noted(thrown(hands, 5)) == []
    said = thrown(hands, 1)
    assert noted(said) == found
    assert hands.bench.table.state == state
    assert len(said.of(events.Settled)) == 1, "the bets of the last throw are settled first"


def test_a_run_goes_on_over_a_restart() -> None:
    text = craps_toml("njac-13:47-20")
    state = TableState("craps-1")
    before = CrapsHands(text)
    thrown(before, 5)
    for event in before.bench.said:
        state.apply(event)
    after = CrapsHands(text)
    after.bench = TableBench(text, state)
    after.up()
    assert noted(thrown(after, 1)) == ["result_repeated"]
