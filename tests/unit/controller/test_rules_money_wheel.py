"""The money wheel's faces, counts and odds."""

from __future__ import annotations

import pytest

from controller.games.money_wheel.rules import MoneyWheelRules
from controller.rules.profile import profile
from drivers.wheel.faces import DEFAULT_FACES
from feed.data import WinningBet

RULES = profile("njac-13:47-20").text("money_wheel", MoneyWheelRules)

COUNTS = {"$1": 22, "$2": 14, "$5": 7, "$10": 3, "$20": 2, "flag": 1, "joker": 1}


def test_the_wheel_has_the_spaces_of_the_text() -> None:
    assert {face.face: face.count.value for face in RULES.faces} == COUNTS
    assert sum(COUNTS.values()) == RULES.spaces.value == 50
    assert len(RULES.faces) == RULES.layout_spaces.value == 7
    assert RULES.diameters_in.value == (48, 60)


def test_a_valid_spin_has_three_revolutions_in_either_direction() -> None:
    assert (RULES.minimum_revolutions.value, RULES.minimum_revolutions.cite) == (3, "13:47-20.29(b)3")
    assert RULES.spin_direction.value == "either"


@pytest.mark.parametrize(
    ("face", "odds"),
    [("$1", 1), ("$2", 2), ("$5", 5), ("$10", 10), ("$20", 20), ("flag", 50), ("joker", 50)],
)
def test_the_face_under_the_indicator_wins_at_its_odds(face: str, odds: int) -> None:
    assert RULES.winning(face) == (WinningBet(face, f"{odds} to 1"),)


def test_a_face_that_the_wheel_has_not_is_refused() -> None:
    with pytest.raises(KeyError, match=r"\$50"):
        RULES.winning("$50")


def test_the_default_order_has_the_right_faces_and_no_two_equal_neighbours() -> None:
    assert RULES.order_problems(DEFAULT_FACES) == []
    around = zip(DEFAULT_FACES, DEFAULT_FACES[1:] + DEFAULT_FACES[:1], strict=True)
    assert all(left != right for left, right in around)


def test_a_wrong_order_is_told_face_by_face() -> None:
    order = ["$1"] * 22 + ["$2"] * 14 + ["$5"] * 7 + ["$10"] * 3 + ["$20"] * 1 + ["flag", "joker", "star"]
    assert RULES.order_problems(order) == [
        "1 spaces show $20, and 13:47-20.29(a)1 wants 2",
        "'star' is not a face of 13:47-20.29",
    ]
