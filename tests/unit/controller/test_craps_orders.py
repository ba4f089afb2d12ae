"""Orders between two rolls, and what a table says of them in a dealer's words."""

from __future__ import annotations

import pytest

from controller.service.event_lines import line_of
from feed import events
from hal.capture.command_text import read_command
from tests.tables.bench import EventList, TableBench
from tests.tables.craps_hands import CrapsHands, answered, craps_toml
from tests.tables.money_lines import money_toml


@pytest.mark.parametrize("dice_set", [5, 8])
def test_a_change_of_dice_names_how_many_others_the_set_has(dice_set: int) -> None:
    hands = CrapsHands(craps_toml(options=f"dice_set = {dice_set}"))
    hands.order("change_dice by=ann id=a")
    (answer,) = hands.bench.table.answers()
    assert answer.accepted
    assert answer.reason.endswith(f"; {dice_set - 2} others are in the dice cup")


@pytest.mark.parametrize("verb", ["pass_dice", "change_dice", "roll_for_come", "line_wager"])
def test_a_game_without_a_shooter_refuses_the_orders_of_craps(verb: str) -> None:
    said = TableBench(money_toml()).feed([], [read_command(f"{verb} by=ann", 10)])
    why = "this table plays money_wheel, which does not take it; it is an order of craps, mini_craps"
    assert answered(said) == f"{verb}: {why} (sent: {verb} by=ann)"


@pytest.mark.parametrize(
    ("order", "why"),
    [
        ("pass_dice", "by must be given"),
        ("pass_dice by=ann ordered=perhaps", "ordered is 'perhaps'; expected true or false"),
        ("change_dice by=ann dice=4-4", "key dice is not one of by, as"),
        ("roll_for_come by=ann", "expected a come out and come wagers"),
        ("void reason=die_on_bank", "add as=boxperson where that person calls it, not ''"),
        ("correct round=1 dice=4-9 by=ann why=x", "round 1 cannot be recalled"),
    ],
)
def test_a_wrong_order_is_refused_and_says_exactly_why(order: str, why: str) -> None:
    assert why in answered(CrapsHands(craps_toml()).order(order))


@pytest.mark.parametrize("dice", ["4-9", "4", "4-4-4", "four-four", "", "44"])
def test_a_correction_to_dice_that_no_roll_has_is_refused(dice: str) -> None:
    hands = CrapsHands(craps_toml())
    hands.key(4, 4)
    assert "correct: " in answered(hands.order(f"correct round=1 dice={dice} by=ann why=x"))
    assert hands.stands.point == 8


def test_no_order_changes_the_course_while_a_fault_shuts_the_table() -> None:
    hands = CrapsHands(craps_toml())
    hands.bench.table.raise_fault("keypad", "sensor_stuck", "a test", round(hands.now_s * 1e9))
    assert "must be over" in answered(hands.order("change_dice by=ann"))


def test_the_screen_says_what_the_stickperson_calls() -> None:
    hands = CrapsHands(craps_toml("njac-13:47-20"))
    said = EventList()
    for dice in ((6, 5), (1, 1), (4, 4), (2, 3), (4, 4), (4, 6), (3, 4)):
        said += hands.key(*dice)
    shown = [line_of(event) for event in said if isinstance(event.data, events.Outcome)]
    for line, words in zip(
        shown,
        (
            *("6-5, total 11, natural", "1-1, total 2, craps", "4-4, total 8, the point is 8"),
            *("2-3, total 5, no decision, the point is 8", "4-4, total 8, 8 is made, pass"),
            *("4-6, total 10, the point is 10", "3-4, total 7, seven out"),
        ),
        strict=True,
    ):
        assert f"OUTCOME {words}" in line


def test_the_screen_says_what_people_changed() -> None:
    hands = CrapsHands(craps_toml("njac-13:47-20"))
    hands.key(4, 4)
    (line,) = [line_of(event) for event in hands.order("pass_dice ordered=true by=boxperson")]
    assert line.endswith("the shooter passes the dice: the point is 8, shooter 2; by boxperson")
