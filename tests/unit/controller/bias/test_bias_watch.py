"""The bias watch warns of dice and wheels that are not fair, and seldom of those that are."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from controller.games.base.wheels import published_places, wheel_plan
from controller.games.catalogue import GAME
from controller.games.dice.setup import dice_plan
from controller.table.bias import EVERY, FALSE_ALARM, WINDOW, BiasWatch
from feed import events
from feed.events import StatisticsKey
from feed.fairness import Plan, fit, survival
from tests.tables.bench import EventList, configured
from tests.tables.craps_hands import CrapsHands, craps_toml

TABLE = '[table]\nid = "t"\ngame = "{game}"\n{more}\n[lines]\nbackend = "sim"\n'

THRESHOLDS = {
    37: (52.19, 59.89, 69.35),
    36: (51.00, 58.62, 67.99),
    49: (66.34, 74.92, 85.35),
    5: (11.07, 15.09, 20.52),
    51: (68.67, 77.39, 87.97),
    2601: (2720.76, 2771.72, 2829.59),
}
"""The values that 5, 1 and 0.1 % exceed, as tables print them."""


@pytest.mark.parametrize("degrees", THRESHOLDS)
def test_the_survival_function_is_that_of_the_printed_tables(degrees: int) -> None:
    found = [survival(value, degrees) for value in THRESHOLDS[degrees]]
    assert found == pytest.approx([0.05, 0.01, 0.001], rel=3e-3)


def test_nothing_exceeds_less_than_nothing_and_there_is_a_degree_at_least() -> None:
    assert survival(0.0, 5) == 1.0
    with pytest.raises(ValueError, match="degrees of freedom"):
        survival(1.0, 0)
    with pytest.raises(ValueError, match="degrees of freedom"):
        survival(-1.0, 3)


def test_too_few_counts_say_nothing_and_rare_cells_are_put_together() -> None:
    assert fit([1, 0, 1], [1 / 3] * 3) is None
    total = next(test for test in dice_plan(3).tests if test.name == "total")
    fitted = fit([round(600 * p) for p in total.probabilities.values()], [*total.probabilities.values()])
    assert fitted is not None
    assert fitted.degrees == 13
    assert fitted.p > 0.99


def alarms(windows: int, seed: int, dice: int = 2, loaded: float = 0.0, *, ascending: bool = False) -> int:
    """In how many of this many windows, each begun again, something was found. A loaded die shows more sixes.

    `ascending` is the habit of keying the lowest first.
    """
    rng = Random(seed)
    weights = [1.0] * 5 + [1.0 + loaded]
    found = 0
    for _ in range(windows):
        watch = BiasWatch(dice_plan(dice))
        said = False
        for number in range(WINDOW):
            first = rng.choices(range(1, 7), weights)[0] if loaded else rng.randint(1, 6)
            thrown = [first, *(rng.randint(1, 6) for _ in range(dice - 1))]
            told = sorted(thrown) if ascending else thrown
            said = bool(watch.outcome(number, {"dice": told})) or said
        found += said
    return found


@pytest.mark.long
def test_fair_dice_are_seldom_suspected() -> None:
    # One in a thousand is allowed: of 300 windows more than 3 come once in 3,000 times.
    assert alarms(300, seed=1) <= 3


def test_fair_dice_that_are_keyed_in_ascending_order_are_not_suspected_for_that() -> None:
    assert alarms(30, seed=4, dice=3, ascending=True) == 0


@pytest.mark.soak
@pytest.mark.parametrize("dice", [2, 3])
def test_one_window_in_a_thousand_of_fair_dice_is_suspected_at_most(dice: int) -> None:
    windows = 4000
    # Four standard deviations above what is allowed.
    assert alarms(windows, seed=7, dice=dice) <= windows * FALSE_ALARM + 4 * (windows * FALSE_ALARM) ** 0.5


def test_c7_a_loaded_die_is_found_within_one_window() -> None:
    assert alarms(20, seed=3, loaded=1.5) == 20


def test_the_warning_names_face_counts_window_and_p_and_comes_once() -> None:
    watch = BiasWatch(dice_plan(2))
    found = []
    for number in range(3 * EVERY):
        found += watch.outcome(number, {"dice": [1 + number % 6, 6]})
    first = next(bias for bias in found if bias.test == "face")
    assert first.category == 6
    assert first.detail.startswith("face: 6 came 70 times in the last 120, 20.0 expected; chi-squared 150.0")
    assert "5 degrees of freedom" in first.detail
    assert "reported below 5e-05" in first.detail
    assert [bias.test for bias in found].count("face") == 1


def test_a_corrected_result_counts_as_corrected() -> None:
    watch = BiasWatch(dice_plan(2))
    for number in range(EVERY - 1):
        watch.outcome(number, {"dice": [6, 1 + number % 6]})
    for number in range(EVERY - 1):
        watch.corrected(number, {"dice": [1 + number % 6, 1 + (number // 6) % 6]} if number % 2 else None)
    watch.corrected(5000, {"dice": [6, 6]})
    assert watch.outcome(EVERY, {"dice": [1, 2]}) == []


@pytest.mark.parametrize(
    ("plan", "result", "limit"),
    [(dice_plan(2), {"dice": [6, 6]}, 0.001 / (10 * 2)), (wheel_plan("space", range(5)), {"space": 3}, 0.001 / 10)],
)
def test_the_looks_of_a_window_share_the_chance_of_a_false_alarm(
    plan: Plan, result: dict[str, Any], limit: float
) -> None:
    watch = BiasWatch(plan)
    found = [bias for number in range(EVERY) for bias in watch.outcome(number, result)]
    assert found
    assert all(f"reported below {limit:.1g})" in bias.detail for bias in found)


def test_a_wheel_that_favours_a_place_is_found() -> None:
    rng = Random(2)
    watch = BiasWatch(wheel_plan("space", range(50)))
    found = []
    for number in range(WINDOW):
        space = 17 if rng.random() < 0.08 else rng.randrange(50)
        found += watch.outcome(number, {"space": space, "face": "$1"})
    assert {bias.category for bias in found} == {17}
    assert {bias.device for bias in found} == {"wheel"}


def test_a_wheel_that_a_table_published_has_a_thousand_places_at_most() -> None:
    plans = [published_places("space")([StatisticsKey(field="space", values=[*range(n)])]) for n in (1000, 1001)]
    assert plans == [wheel_plan("space", range(1000)), None]


def test_every_game_has_what_is_watched_and_a_house_may_want_none() -> None:
    def named(game: str, more: str = "") -> list[tuple[str, int]]:
        plan = GAME[game].bias(configured(TABLE.format(game=game, more=more)))
        assert plan is not None
        return [(test.name, len(test.probabilities)) for test in plan.tests]

    assert named("craps") == [("face", 6), ("total", 11)]
    assert named("money_wheel") == [("space", 50)]
    assert named("roulette") == [("pocket", 38)]
    single = configured(
        TABLE.format(game="roulette", more="") + '[device.wheel]\npockets = "american_as_single_zero"\n'
    )
    plan = GAME["roulette"].bias(single)
    assert plan is not None
    assert [len(test.probabilities) for test in plan.tests] == [37]
    assert not configured(TABLE.format(game="craps", more="bias_watch = false")).table.bias_watch


def test_a_table_warns_of_a_loaded_die_and_its_outcomes_stay_as_they_were() -> None:
    def played(more: str) -> list[tuple[str, str]]:
        hands = CrapsHands(craps_toml("njac-13:47-20", more=more, options="settle_after_s = 0.1"))
        said = EventList()
        for number in range(EVERY):
            said += hands.key(6, 1 + number % 6, settle=False) + hands.wait(0.2)
        assert len(said.of(events.Outcome)) == EVERY
        return [(warning.warning, warning.detail[:24]) for warning in said.of(events.DeviceWarning)]

    assert played("") == [("dice_bias", "face: 6 came 70 times in"), ("dice_bias", "total: 12 came 10 times ")]
    assert played("bias_watch = false") == []
