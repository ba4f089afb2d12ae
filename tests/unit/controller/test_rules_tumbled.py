"""Beat the dealer, chuck-a-luck and under/over: who wins, at which odds, and what is not a result at all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.games.dice.rules import DiceRules
from controller.games.tumbled.rules import BeatTheDealerRules, ChuckALuckRules, UnderOverRules
from controller.rules.profile import profile
from feed.data import WinningBet

NIGHT = profile("njac-13:47-20")
DEALER = NIGHT.text("beat_the_dealer", BeatTheDealerRules)
CHUCK = NIGHT.text("chuck_a_luck", ChuckALuckRules)
UNDER = NIGHT.text("under_over", UnderOverRules)


def test_c5_the_games_have_two_three_and_two_dice() -> None:
    assert [rules.dice_count.value for rules in (DEALER, CHUCK, UNDER)] == [2, 3, 2]


def test_c8_the_dealer_tumbles_first_and_then_the_player() -> None:
    assert DEALER.tumbles.value == ("dealer", "player")


def test_c8_the_dealer_wins_ties() -> None:
    assert DEALER.winner((1, 6), (3, 4)) == "dealer"
    assert DEALER.winning((1, 6), (3, 4)) == ()


def test_c8_the_higher_point_count_wins() -> None:
    assert DEALER.winner((6, 5), (6, 6)) == "player"
    assert DEALER.winning((6, 5), (6, 6)) == (WinningBet("player", "1 to 1"),)
    assert DEALER.winner((1, 2), (1, 1)) == "dealer"


def test_the_layout_of_beat_the_dealer_shows_a_one_that_two_dice_never_total() -> None:
    assert DEALER.layout.value == tuple(str(n) for n in range(1, 13))
    assert "never total 1" in DEALER.layout.note


@pytest.mark.parametrize(
    ("dice", "won"),
    [
        ((3, 5, 6), [("number 3", "1 to 1"), ("number 5", "1 to 1"), ("number 6", "1 to 1")]),
        ((4, 2, 4), [("number 2", "1 to 1"), ("number 4", "2 to 1")]),
        ((1, 1, 1), [("number 1", "3 to 1")]),
    ],
)
def test_c10_chuck_a_luck_pays_by_how_many_dice_show_the_number(
    dice: tuple[int, ...], won: list[tuple[str, str]]
) -> None:
    assert [(bet.bet, bet.odds) for bet in CHUCK.winning(dice)] == won


@pytest.mark.parametrize(
    ("dice", "bet", "odds"),
    [
        ((1, 1), "under 7", "1 to 1"),
        ((1, 5), "under 7", "1 to 1"),
        ((2, 5), "7", "4 to 1"),
        ((3, 4), "7", "4 to 1"),
        ((4, 4), "over 7", "1 to 1"),
        ((6, 6), "over 7", "1 to 1"),
    ],
)
def test_c10_under_over_pays_one_space_and_seven_at_four_to_one(dice: tuple[int, ...], bet: str, odds: str) -> None:
    assert UNDER.winning(dice) == (WinningBet(bet, odds),)
    assert bet in UNDER.layout.value


@pytest.mark.parametrize("dice", [(), (1,), (1, 2, 3), (0, 1), (1, 7), (-1, 8)])
def test_what_two_dice_cannot_show_is_refused_and_named(dice: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"dice \[.*\]: expected 2 values from 1 to 6 \(13:47-20\.33\(a\)2\)"):
        UNDER.winning(dice)
    with pytest.raises(ValueError, match="expected 2 values"):
        DEALER.winner((1, 1), dice)


@given(st.lists(st.integers(-3, 9), max_size=5))
def test_dice_are_taken_if_and_only_if_they_can_be_shown(dice: list[int]) -> None:
    good = len(dice) == 3 and all(1 <= value <= 6 for value in dice)
    if good:
        assert CHUCK.winning(dice)
    else:
        with pytest.raises(ValueError, match="expected 3 values from 1 to 6"):
            CHUCK.winning(dice)


@pytest.mark.parametrize("rules", [DEALER, CHUCK, UNDER], ids=lambda rules: rules.section)
def test_a_person_names_dice_by_their_values_with_hyphens(rules: DiceRules) -> None:
    values = (6, 1, 4)[: rules.dice_count.value]
    assert rules.named("-".join(map(str, values))) == values


@pytest.mark.parametrize("name", ["", "1", "1-2-3", "12", "1 2", "0-3", "3-7", "-1-2", "1-2-", "a-b", "٣-٤", "1.0-2"])
def test_a_name_of_no_result_is_refused_with_an_example_of_one(name: str) -> None:
    with pytest.raises(ValueError, match="expected 2 values from 1 to 6"):
        UNDER.named(name)


@given(st.text(max_size=8))
def test_no_text_is_taken_for_dice_unless_it_names_some(name: str) -> None:
    try:
        dice = CHUCK.named(name)
    except ValueError:
        return
    assert name == "-".join(map(str, dice))
