"""The wagers of craps: what each text offers, and what wins where."""

from __future__ import annotations

import pytest

from controller.games.craps.decision import CrapsState, FireSeries
from controller.games.craps.layout import CrapsLayout
from controller.games.craps.rules import CrapsRules
from controller.rules.profile import profile

NIGHT = profile("njac-13:47-20").text("craps", CrapsRules)
CASINO = profile("njac-19:47").text("craps", CrapsRules)
MINI = profile("njac-19:47").text("mini_craps", CrapsRules)
COMING_OUT = CrapsState()


def point(number: int, *come: int, fire: tuple[FireSeries, ...] = ()) -> CrapsState:
    return CrapsState(phase="point", point=number, come_points=come, fire=fire)


def won(layout: CrapsLayout, state: CrapsState, *dice: int) -> dict[str, str]:
    return {bet.bet: bet.odds for bet in layout.winning(state, dice)}


def test_all_that_wins_on_a_hard_six_at_a_casino_night() -> None:
    assert won(CrapsLayout(NIGHT, optional=("buy",)), point(6, 6), 3, 3) == {
        "pass": "1 to 1",
        "come 6": "1 to 1",
        "place 6 to win": "7 to 6",
        "buy 6": "6 to 5",
        "six the hardway": "9 to 1",
    }


def test_all_that_wins_on_a_seven_out_at_a_casino_night() -> None:
    assert won(CrapsLayout(NIGHT), point(4, 9), 5, 2) == {
        "don't pass": "1 to 1",
        "come": "1 to 1",
        "don't come 9": "1 to 1",
        "place 4 to lose": "5 to 11",
        "place 5 to lose": "5 to 8",
        "place 6 to lose": "4 to 5",
        "place 8 to lose": "4 to 5",
        "place 9 to lose": "5 to 8",
        "place 10 to lose": "5 to 11",
        "any seven": "4 to 1",
    }


def test_a_horn_is_paid_as_four_wagers_and_craps_eleven_as_two() -> None:
    layout = CrapsLayout(NIGHT)
    assert won(layout, COMING_OUT, 6, 6) == {
        "field": "2 to 1",
        "any craps": "7 to 1",
        "craps twelve": "30 to 1",
        "craps-eleven: any craps": "7 to 1",
        "horn: craps twelve": "30 to 1",
        "horn high: craps twelve": "30 to 1",
    }
    assert won(layout, COMING_OUT, 6, 5)["craps-eleven: 11 in one roll"] == "15 to 1"


def test_hops_whirl_odds_and_fire_are_of_the_casino_only() -> None:
    layout = CrapsLayout(CASINO)
    assert won(layout, point(6), 1, 6)["one-six on the hop"] == "15 to 1"
    assert won(layout, point(6), 4, 4)["eight the hardway on the hop"] == "30 to 1"
    assert won(layout, point(6), 5, 1)["pass odds"] == "6 to 5"
    assert won(layout, point(10), 3, 4)["don't pass odds"] == "1 to 2"
    assert won(layout, point(6), 2, 5)["whirl: any seven"] == "4 to 1"
    names = {wager.bet for wager in NIGHT.wagers.one_roll} | {wager.bet for wager in NIGHT.wagers.combined}
    assert not any("hop" in name or name in ("whirl", "6-7-8") for name in names)
    assert NIGHT.wagers.supplemental is None


@pytest.mark.parametrize(
    ("dice", "odds"), [((1, 5), "1 to 1"), ((3, 3), "2 to 1"), ((2, 5), "1 to 1"), ((4, 4), "2 to 1"), ((4, 5), None)]
)
def test_six_seven_eight_pays_double_the_hardway_where_the_house_offers_it(
    dice: tuple[int, int], odds: str | None
) -> None:
    assert won(CrapsLayout(CASINO, optional=("6-7-8",)), point(9), *dice).get("6-7-8") == odds
    assert "6-7-8" not in won(CrapsLayout(CASINO), point(9), *dice)


def test_the_field_pays_double_on_two_and_twelve_and_loses_on_five_six_seven_eight() -> None:
    layout = CrapsLayout(NIGHT)
    assert won(layout, COMING_OUT, 1, 1)["field"] == "2 to 1"
    assert won(layout, COMING_OUT, 1, 3)["field"] == "1 to 1"
    for dice in ((1, 4), (2, 4), (3, 4), (4, 4)):
        assert "field" not in won(layout, COMING_OUT, *dice)


def test_place_buy_hardways_and_come_odds_are_off_on_a_casino_come_out_and_lay_is_on() -> None:
    layout = CrapsLayout(CASINO, optional=("buy", "lay"))
    coming_out = CrapsState(come_points=(4,))
    assert {name for name in won(layout, coming_out, 2, 2) if name.endswith(", if on")} == {
        "come odds 4, if on",
        "place 4 to win, if on",
        "buy 4, if on",
        "four the hardway, if on",
    }
    seven = won(layout, coming_out, 3, 4)
    assert {"lay 4", "place 4 to lose", "don't come 4", "don't come odds 4"} <= set(seven)
    assert not any(name.endswith(", if on") for name in won(layout, point(4), 2, 2))


def test_all_place_bets_are_off_on_a_casino_night_come_out_and_hardways_are_on() -> None:
    layout = CrapsLayout(NIGHT, optional=("lay",))
    assert {"place 4 to win, if on", "four the hardway"} <= set(won(layout, COMING_OUT, 2, 2))
    assert {"place 4 to lose, if on", "lay 4, if on"} <= set(won(layout, COMING_OUT, 3, 4))


def test_d14_on_twelve_dont_pass_and_dont_come_go_back_and_do_not_win() -> None:
    layout = CrapsLayout(CASINO)
    assert layout.returned(COMING_OUT, (6, 6)) == ("don't pass",)
    assert layout.returned(point(8), (6, 6)) == ("don't come",)
    assert layout.returned(COMING_OUT, (1, 1)) == ()
    assert "don't pass" not in won(layout, COMING_OUT, 6, 6)
    assert "don't pass" in won(layout, COMING_OUT, 1, 1)


def test_no_come_wager_can_be_new_on_a_come_out_roll() -> None:
    layout = CrapsLayout(CASINO)
    assert "come" in won(layout, point(8), 5, 6)
    assert "come" not in won(layout, COMING_OUT, 5, 6)


def test_without_line_wagers_neither_pass_nor_dont_pass_wins() -> None:
    state = CrapsState(phase="come_only", come_points=(9,))
    layout = CrapsLayout(CASINO)
    for total in ((3, 4), (5, 6), (1, 2)):
        assert not {"pass", "don't pass", "come", "don't come"} & set(won(layout, state, *total))
    assert won(layout, state, 4, 5)["come 9"] == "1 to 1"
    assert layout.returned(state, (6, 6)) == ()


@pytest.mark.parametrize(
    ("points", "table", "odds"),
    [
        (3, "A", None),
        (4, "A", "24 to 1"),
        (5, "A", "249 to 1"),
        (6, "A", "999 to 1"),
        (4, "B", "39 to 1"),
        (5, "B", "199 to 1"),
        (6, "B", "499 to 1"),
    ],
)
def test_d12_a_fire_bet_pays_by_the_different_points_made_before_the_loser_seven(
    points: int, table: str, odds: str | None
) -> None:
    layout = CrapsLayout(CASINO, fire_table="A" if table == "A" else "B")
    state = point(8, fire=(FireSeries(1, (4, 5, 6, 8, 9, 10)[:points]),))
    assert won(layout, state, 3, 4).get(f"fire bet, {points} points") == odds
    assert not any(name.startswith("fire bet") for name in won(layout, state, 4, 4))


@pytest.mark.parametrize(("rules", "section"), [(NIGHT, "13:47-20.25"), (MINI, "19:47-1")])
def test_d12_the_fire_bet_is_refused_where_the_text_does_not_permit_it(rules: object, section: str) -> None:
    with pytest.raises(ValueError, match=f"cannot be offered: {section} does not permit it"):
        CrapsLayout(NIGHT if rules is NIGHT else MINI, fire_table="A")


def test_a_wager_that_is_not_optional_or_not_there_is_refused_with_those_that_are() -> None:
    with pytest.raises(ValueError, match=r"optional wager 'field': 19:47-1 has buy, lay, 6-7-8"):
        CrapsLayout(CASINO, optional=("field",))
    with pytest.raises(ValueError, match=r"optional wager '6-7-8': 13:47-20\.25 has buy, lay"):
        CrapsLayout(NIGHT, optional=("6-7-8",))


@pytest.mark.parametrize("dice", [(1,), (1, 2, 3), (0, 6), (6, 7)])
def test_what_two_dice_cannot_show_is_refused(dice: tuple[int, ...]) -> None:
    layout = CrapsLayout(CASINO)
    for ask in (layout.winning, layout.returned):
        with pytest.raises(ValueError, match="expected 2 values from 1 to 6"):
            ask(COMING_OUT, dice)
