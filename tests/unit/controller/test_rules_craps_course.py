"""The course of craps: what a roll decides, who shoots, the markers, the fire bet, and the change of dice."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from itertools import product

import msgspec
import pytest

from controller.games.craps.decision import Craps, CrapsState, FireSeries, Puck, Rolled
from controller.games.craps.rules import CrapsRules
from controller.rules.profile import profile

NIGHT = Craps(profile("njac-13:47-20").text("craps", CrapsRules))
CASINO_RULES = profile("njac-19:47").text("craps", CrapsRules)
CASINO = Craps(CASINO_RULES)
FIRE = Craps(CASINO_RULES, fire=True)

DICE = {2: (1, 1), 3: (1, 2), 4: (1, 3), 5: (1, 4), 6: (2, 4), 7: (3, 4), 8: (3, 5), 9: (4, 5), 10: (4, 6), 11: (5, 6)}
DICE[12] = (6, 6)


def rolls(course: Craps, totals: Iterable[int], state: CrapsState | None = None) -> list[Rolled]:
    said: list[Rolled] = []
    now = CrapsState() if state is None else state
    for total in totals:
        said.append(course.roll(now, DICE[total]))
        now = said[-1].state
    return said


def last(course: Craps, *totals: int, state: CrapsState | None = None) -> Rolled:
    return rolls(course, totals, state)[-1]


@pytest.mark.parametrize(
    ("totals", "decision"),
    [
        ((7,), "natural"),
        ((11,), "natural"),
        ((2,), "craps"),
        ((3,), "craps"),
        ((12,), "craps"),
        ((4,), "point_set"),
        ((10,), "point_set"),
        ((6, 5), "none"),
        ((6, 11), "none"),
        ((6, 2), "none"),
        ((6, 6), "pass"),
        ((6, 7), "seven_out"),
        ((6, 8, 9, 7), "seven_out"),
        ((6, 8, 6, 7), "natural"),
        ((7, 12, 9, 9), "pass"),
    ],
)
def test_the_last_of_these_totals_decides(totals: tuple[int, ...], decision: str) -> None:
    for course in (NIGHT, CASINO):
        said = last(course, *totals)
        assert said.decision == decision
        assert said.total == totals[-1]


def chance_of_a_pass(course: Craps, state: CrapsState) -> Fraction:
    """Of a pass bet, over all 36 results; rolls that decide nothing are thrown again."""
    won = lost = Fraction(0)
    for dice in product(range(1, 7), repeat=2):
        said = course.roll(state, dice)
        share = Fraction(1, 36)
        if said.decision == "point_set":
            later = chance_of_a_pass(course, said.state)
            won, lost = won + share * later, lost + share * (1 - later)
        elif said.decision in ("natural", "pass"):
            won += share
        elif said.decision in ("craps", "seven_out"):
            lost += share
    return won / (won + lost)


@pytest.mark.parametrize("course", [NIGHT, CASINO], ids=["13:47-20.25", "19:47-1"])
def test_a_pass_bet_wins_244_times_of_495(course: Craps) -> None:
    assert chance_of_a_pass(course, CrapsState()) == Fraction(244, 495)


# ------------------------------------------------------------------------------------------------------- markers


def test_the_puck_is_on_the_point_and_off_otherwise() -> None:
    assert CrapsState().puck == Puck(on=False, point=None)
    assert last(NIGHT, 9).state.puck == Puck(on=True, point=9)
    assert last(NIGHT, 9, 9).state.puck == Puck(on=False, point=None)
    assert last(NIGHT, 9, 7).state.puck == Puck(on=False, point=None)


def test_come_wagers_can_stand_on_what_was_thrown_since_there_is_a_point() -> None:
    assert last(CASINO, 6).state.come_points == ()
    assert last(CASINO, 6, 5, 8).state.come_points == (5, 8)
    assert last(CASINO, 6, 5, 6).state.come_points == (5, 6)
    assert last(CASINO, 6, 5, 6, 5).state.come_points == (6,)
    assert last(CASINO, 6, 5, 6, 7).state.come_points == ()


# ------------------------------------------------------------------------------------------------------- shooters


def test_a_loser_seven_passes_the_dice_and_a_craps_on_the_come_out_does_not() -> None:
    assert last(NIGHT, 6, 7).shooter_passes
    assert last(NIGHT, 6, 7).state.shooter == 2
    assert last(NIGHT, 6, 7).state.dice_offered
    for totals in ((2,), (12,), (7,), (6, 6)):
        said = last(NIGHT, *totals)
        assert not said.shooter_passes
        assert (said.state.shooter, said.state.dice_offered) == (1, False)


def test_a_shooter_may_pass_the_dice_after_any_roll_in_a_casino_and_after_a_decision_at_a_casino_night() -> None:
    on_point = last(NIGHT, 6).state
    assert CASINO.pass_dice(on_point).shooter == 2
    assert CASINO.pass_dice(on_point).point == 6
    with pytest.raises(ValueError, match=r"the point is 6: .* after a decision \(13:47-20\.25\(g\)6\)"):
        NIGHT.pass_dice(on_point)
    assert NIGHT.pass_dice(last(NIGHT, 6, 6).state).shooter == 2


def test_a_shooter_can_be_ordered_to_pass_the_dice_at_any_time() -> None:
    for course in (NIGHT, CASINO):
        assert course.pass_dice(last(course, 6).state, ordered=True).shooter == 2


def test_dice_that_are_being_offered_cannot_be_passed() -> None:
    for state in (CrapsState(), last(CASINO, 6, 7).state):
        with pytest.raises(ValueError, match="still being offered"):
            CASINO.pass_dice(state, ordered=True)


def test_an_invalid_roll_decides_nothing_and_is_counted_for_its_shooter() -> None:
    on_point = last(CASINO, 6, 5).state
    once = CASINO.no_roll(on_point)
    assert msgspec.structs.replace(once, invalid_rolls=0) == on_point
    assert CASINO.no_roll(once).invalid_rolls == 2
    assert CASINO.pass_dice(once).invalid_rolls == 0
    assert not CASINO.no_roll(CrapsState()).dice_offered
    assert not CASINO.no_roll(CrapsState()).shooter_came_out


# ------------------------------------------------------------------------------------- rolling for come wagers only


def test_a_shooter_without_a_line_wager_rolls_on_for_the_come_wagers_with_the_marker_off() -> None:
    state = CASINO.roll_for_come(last(CASINO, 6, 5, 9, 6).state)
    assert state.puck == Puck(on=False, point=None, on_dont_pass=True)
    said = rolls(CASINO, (4, 11, 9, 6, 5), state)
    assert [one.decision for one in said] == ["none"] * 5
    assert [one.state.come_points for one in said] == [(5, 6, 9), (5, 6, 9), (5, 6), (5,), ()]
    assert [one.state.phase for one in said] == ["come_only"] * 4 + ["come_out"]


def test_a_seven_ends_a_roll_for_come_wagers_and_the_shooter_keeps_the_dice() -> None:
    said = last(CASINO, 7, state=CASINO.roll_for_come(last(CASINO, 6, 5, 6).state))
    assert (said.decision, said.shooter_passes, said.state.phase) == ("none", False, "come_out")


def test_a_new_line_wager_ends_a_roll_for_come_wagers() -> None:
    coming_out = last(CASINO, 6, 5, 6).state
    assert CASINO.line_wager_made(CASINO.roll_for_come(coming_out)) == coming_out
    assert CASINO.line_wager_made(coming_out) == coming_out


@pytest.mark.parametrize("totals", [(6,), (6, 7), (7,), (6, 5)])
def test_nobody_rolls_for_come_wagers_with_a_point_or_without_any(totals: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="expected a come out and come wagers"):
        CASINO.roll_for_come(last(CASINO, *totals).state)


def test_a_casino_night_knows_no_roll_without_a_line_wager() -> None:
    with pytest.raises(ValueError, match=r"no roll without a pass or don't pass bet \(ours\)"):
        NIGHT.roll_for_come(last(NIGHT, 6, 5, 6).state)


# ------------------------------------------------------------------------------------------------ change of dice


def test_d11_dice_are_changed_after_the_next_decision_and_once() -> None:
    for course in (NIGHT, CASINO):
        asked = course.ask_for_dice(last(course, 6).state)
        said = rolls(course, (5, 4, 6, 8, 8), asked)
        assert [one.change_dice for one in said] == [False, False, True, False, False]


def test_d11_a_seven_out_that_was_asked_for_changes_the_dice_too() -> None:
    said = last(NIGHT, 7, state=NIGHT.ask_for_dice(last(NIGHT, 6).state))
    assert (said.change_dice, said.shooter_passes) == (True, True)


def test_a_new_shooter_chooses_of_the_whole_set_and_needs_no_other_change() -> None:
    asked = CASINO.ask_for_dice(last(CASINO, 6).state)
    assert not CASINO.pass_dice(asked).dice_change_asked


# ------------------------------------------------------------------------------------------------------- fire bet


def test_d12_surveillance_is_notified_at_the_fourth_different_point_and_only_then() -> None:
    said = rolls(FIRE, (4, 4, 5, 5, 4, 4, 6, 6, 8, 8, 8, 8, 9, 9, 10, 10))
    assert [index for index, one in enumerate(said) if one.notify_surveillance] == [9]
    assert said[9].state.fire == (FireSeries(1, (4, 5, 6, 8)),)
    assert said[-1].state.fire == (FireSeries(1, (4, 5, 6, 8, 9, 10)),)


def test_d12_the_same_point_made_again_does_not_count() -> None:
    assert last(FIRE, 4, 4, 4, 4, 4, 4).state.fire == (FireSeries(1, (4,)),)


def test_the_markers_bear_the_number_of_points_made_so_far() -> None:
    assert last(FIRE, 9, 9, 4, 4, 9, 9, 6, 6).state.fire[0].markers == {9: 1, 4: 2, 6: 3}


def test_a_natural_and_a_craps_make_no_point() -> None:
    assert last(FIRE, 7, 11, 2, 12).state.fire == (FireSeries(1),)


def test_fire_bets_are_settled_by_the_loser_seven() -> None:
    said = last(FIRE, 4, 4, 5, 7)
    assert said.fire_settled == (FireSeries(1, (4,)),)
    assert said.state.fire == ()


def test_a_fire_bet_waits_for_the_loser_seven_of_a_successor_whose_points_count() -> None:
    state = FIRE.pass_dice(last(FIRE, 4, 4, 5, 5, 6).state)
    assert state.fire == (FireSeries(1, (4, 5)),)
    state = last(FIRE, 6, 8, 8, state=state).state
    assert state.fire == (FireSeries(1, (4, 5, 6, 8)), FireSeries(2, (8,)))
    assert last(FIRE, 4, 7, state=state).fire_settled == state.fire


def test_a_house_may_read_that_a_successors_points_do_not_count() -> None:
    bet = CASINO_RULES.wagers.fire_bet
    assert bet is not None
    own = msgspec.structs.replace(bet, carries_over=msgspec.structs.replace(bet.carries_over, value=False))
    wagers = msgspec.structs.replace(CASINO_RULES.wagers, fire_bet=own)
    course = Craps(msgspec.structs.replace(CASINO_RULES, wagers=wagers), fire=True)
    state = course.pass_dice(last(course, 4, 4).state)
    assert last(course, 5, 5, state=state).state.fire == (FireSeries(1, (4,)), FireSeries(2, (5,)))


def test_without_fire_bets_no_points_are_kept() -> None:
    assert last(CASINO, 4, 4, 5, 5, 6, 6, 8, 8).state.fire == ()
    assert not any(one.notify_surveillance for one in rolls(CASINO, (4, 4, 5, 5, 6, 6, 8, 8)))


@pytest.mark.parametrize(
    ("rules", "why"),
    [
        (profile("njac-13:47-20").text("craps", CrapsRules), "13:47-20.25 does not know it"),
        (profile("njac-19:47").text("mini_craps", CrapsRules), "19:47-1.2(a) permits it at craps only"),
    ],
    ids=["casino night", "mini-craps"],
)
def test_d12_no_fire_bet_is_offered_where_it_is_not_permitted(rules: CrapsRules, why: str) -> None:
    with pytest.raises(ValueError, match=re.escape(why)):
        Craps(rules, fire=True)


# --------------------------------------------------------------------------------------------- a state on the disk


def test_a_state_is_read_back_as_it_was_written() -> None:
    state = FIRE.ask_for_dice(FIRE.no_roll(last(FIRE, 4, 4, 9, 5, 10).state))
    assert msgspec.json.decode(msgspec.json.encode(state), type=CrapsState) == state


@pytest.mark.parametrize(
    "body",
    [
        b'{"phase":"point"}',
        b'{"phase":"point","point":7}',
        b'{"point":6}',
        b'{"phase":"come_only","point":6}',
        b'{"phase":"running"}',
        b'{"come_points":[8,6]}',
        b'{"come_points":[6,6]}',
        b'{"come_points":[7]}',
        b'{"puck":"on"}',
    ],
)
def test_a_state_that_cannot_be_is_refused(body: bytes) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(body, type=CrapsState)


@pytest.mark.parametrize("dice", [(), (6,), (1, 2, 3), (0, 5), (5, 7)])
def test_what_two_dice_cannot_show_decides_nothing(dice: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="expected 2 values from 1 to 6"):
        CASINO.roll(CrapsState(), dice)
