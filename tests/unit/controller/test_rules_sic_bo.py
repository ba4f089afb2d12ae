"""The fifty areas of sic bo: their names, their places on the lamp chain, and how many of them a result lights."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest

from controller.games.sic_bo.areas import AREAS, SicBoLayout
from controller.games.sic_bo.rules import SicBoRules
from controller.rules.profile import profile

LAYOUT = SicBoLayout(profile("njac-13:69F").text("sic_bo", SicBoRules))
GENEROUS = SicBoLayout(profile("njac-13:69F").text("sic_bo", SicBoRules), two_of_a_kind_on_triple=True)
RESULTS = list(product(range(1, 7), repeat=3))


def test_s20_there_are_fifty_areas_numbered_from_one_and_named_apart() -> None:
    assert [area.number for area in AREAS] == list(range(1, 51))
    assert len({area.name for area in AREAS}) == 50
    assert LAYOUT.rules.electrical_device.areas.value == len(AREAS)
    assert Counter(area.kind for area in AREAS) == {
        "three_of_a_kind": 6,
        "two_of_a_kind": 6,
        "any_three_of_a_kind": 1,
        "total": 14,
        "two_dice": 15,
        "small": 1,
        "big": 1,
        "one_of_a_kind": 6,
    }


@pytest.mark.parametrize(
    ("number", "name"),
    [
        (1, "three of a kind 1"),
        (6, "three of a kind 6"),
        (7, "two of a kind 1"),
        (13, "any three of a kind"),
        (14, "total value of 4"),
        (27, "total value of 17"),
        (28, "two dice 1-2"),
        (32, "two dice 1-6"),
        (33, "two dice 2-3"),
        (42, "two dice 5-6"),
        (43, "small"),
        (44, "big"),
        (45, "one of a kind 1"),
        (50, "one of a kind 6"),
    ],
)
def test_the_place_of_an_area_on_the_lamp_chain_never_changes(number: int, name: str) -> None:
    assert AREAS[number - 1].name == name


def test_s20_a_result_lights_eight_six_four_or_three_areas() -> None:
    for dice in RESULTS:
        faces = set(dice)
        expected = 8 if len(faces) == 3 else 6 if len(faces) == 2 else 3 if faces <= {1, 6} else 4
        assert len(LAYOUT.lit(dice)) == expected, dice


def test_a_house_that_pays_two_of_a_kind_on_a_triple_lights_one_area_more() -> None:
    for dice in RESULTS:
        more = [area.name for area in GENEROUS.lit(dice) if area not in LAYOUT.lit(dice)]
        assert more == ([f"two of a kind {dice[0]}"] if len(set(dice)) == 1 else [])


def test_s20_small_and_big_win_on_105_results_each_and_lose_on_every_triple() -> None:
    for name in ("small", "big"):
        won = [dice for dice in RESULTS if name in [bet.bet for bet in LAYOUT.winning(dice)]]
        assert len(won) == 105
        assert all(len(set(dice)) > 1 for dice in won)


def test_all_that_is_lit_by_two_two_five() -> None:
    assert [(bet.bet, bet.odds) for bet in LAYOUT.winning((2, 5, 2))] == [
        ("two of a kind 2", "8 to 1"),
        ("total value of 9", "6 to 1"),
        ("two dice 2-5", "5 to 1"),
        ("small", "1 to 1"),
        ("one of a kind 2", "2 to 1"),
        ("one of a kind 5", "1 to 1"),
    ]


def test_s18_one_of_a_kind_pays_one_two_or_three_to_one() -> None:
    for dice, odds in (((4, 1, 2), "1 to 1"), ((4, 1, 4), "2 to 1"), ((4, 4, 4), "3 to 1")):
        assert ("one of a kind 4", odds) in [(bet.bet, bet.odds) for bet in LAYOUT.winning(dice)]


def test_the_order_in_which_dice_are_entered_lights_nothing_else() -> None:
    for dice in RESULTS:
        assert LAYOUT.lit(dice) == LAYOUT.lit(tuple(sorted(dice)))


@pytest.mark.parametrize("dice", [(1, 2), (1, 2, 3, 4), (0, 1, 2), (1, 2, 7)])
def test_what_three_dice_cannot_show_lights_nothing_and_is_refused(dice: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"expected 3 values from 1 to 6 \(13:69F-9\.1\)"):
        LAYOUT.lit(dice)
