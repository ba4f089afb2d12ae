"""What the two texts of craps say, and what they leave open: dice, people, invalid rolls, wagers."""

from __future__ import annotations

import pytest

from controller.games.craps.rules import CrapsRules
from controller.rules.profile import Profile, profile

NIGHT, OLD = profile("njac-13:47-20"), profile("njac-19:47")
CRAPS = [NIGHT.text("craps", CrapsRules), OLD.text("craps", CrapsRules), OLD.text("mini_craps", CrapsRules)]


@pytest.mark.parametrize("rules", CRAPS, ids=["casino night", "craps", "mini-craps"])
def test_there_are_five_dice_or_more_and_two_in_play(rules: CrapsRules) -> None:
    assert (rules.dice_count.value, rules.dice.minimum_set.value) == (2, 5)


def test_the_size_of_craps_dice_is_that_of_a_casino_night() -> None:
    dice = NIGHT.text("craps", CrapsRules).dice
    assert dice.least_side_in is not None
    assert dice.most_side_in is not None
    assert dice.spot_tolerance_in is not None
    sizes = (dice.least_side_in.value, dice.most_side_in.value, dice.spot_tolerance_in.value)
    assert sizes == (0.75, 0.775, 0.0004)


def test_a_die_off_the_table_or_on_the_other_makes_a_roll_invalid_by_itself() -> None:
    for rules in CRAPS:
        assert not any(rules.reasons[reason].by_call for reason in ("die_off_table", "die_on_die"))
    assert OLD.text("craps", CrapsRules).reasons["die_on_die"].rule == "19:47-1.9(a)"


def test_the_other_reasons_are_called_and_some_of_them_before_the_dice_rest() -> None:
    paragraphs = {
        "dice_not_together": "1",
        "end_not_struck": "2",
        "die_on_bank": "3",
        "die_in_dice_cup": "4",
        "die_on_rail": "4",
        "cheating_device": "5",
        "improper_throw": "6",
    }
    for name, paragraph in paragraphs.items():
        reason = OLD.text("craps", CrapsRules).reasons[name]
        assert reason.rule == f"19:47-1.9(b){paragraph}"
        assert reason.call is not None
        assert (reason.call.value, reason.call.cite) == ("No Roll", "19:47-1.9(b)")
        assert reason.by_call
        assert reason.before_rest == (paragraph in "126")


def test_a_die_that_rests_on_more_than_one_side_voids_the_roll_and_is_thrown_again() -> None:
    reason = OLD.text("craps", CrapsRules).reasons["die_on_two_sides"]
    assert (reason.rule, reason.again, reason.by_call) == ("19:47-1.10(a)1", True, False)
    assert "directly opposite" in OLD.text("craps", CrapsRules).cocked_die.value


def test_the_people_of_craps_and_of_mini_craps_differ() -> None:
    craps, mini = OLD.text("craps", CrapsRules).people, OLD.text("mini_craps", CrapsRules).people
    assert craps.calls_no_roll.value == ("boxperson", "stickperson")
    assert mini.calls_no_roll.value == ("dealer", "stickperson", "floorperson")
    assert (craps.decides_face.value, mini.decides_face.value) == (("boxperson",), ("floorperson",))


def test_a_fire_bet_is_one_to_five_dollars_at_craps_and_not_permitted_at_mini_craps() -> None:
    craps, mini = OLD.text("craps", CrapsRules).wagers.fire_bet, OLD.text("mini_craps", CrapsRules).wagers.fire_bet
    assert craps is not None
    assert mini is not None
    assert (craps.least_dollars.value, craps.most_dollars.value, craps.step_dollars.value) == (1, 5, 1)
    assert (craps.surveillance_at.value, craps.surveillance_at.cite) == (4, "19:47-1.12(a)6")
    assert (craps.permitted.value, mini.permitted.value) == (True, False)
    assert NIGHT.text("craps", CrapsRules).wagers.fire_bet is None


def test_what_makes_a_casino_night_throw_invalid_is_ours_and_said_to_be_missing() -> None:
    rules = NIGHT.text("craps", CrapsRules)
    calls = [reason.call for reason in rules.reasons.values()]
    assert all(call is not None and call.ours for call in calls)
    assert "what makes a throw invalid" in rules.silent_on


def test_mini_craps_has_all_of_the_text_but_its_people_and_the_fire_bet() -> None:
    craps, mini = OLD.text("craps", CrapsRules), OLD.text("mini_craps", CrapsRules)
    of_people = ("die_on_bank", "face_disputed")
    assert craps.reasons | {name: mini.reasons[name] for name in of_people} == mini.reasons
    # The boxperson decides which face is uppermost; at mini-craps, which has none, the floorperson.
    assert [rules.reasons["face_disputed"].rule for rules in (craps, mini)] == ["19:47-1.10(a)2i", "19:47-1.10(a)2ii"]
    # The bank of 1.9(b)3 lies in front of the boxperson, and mini-craps has none.
    assert [rules.reasons["die_on_bank"].rule for rules in (craps, mini)] == ["19:47-1.9(b)3", "ours"]
    assert craps.wagers.one_roll == mini.wagers.one_roll
    assert craps.throw == mini.throw


def test_labels_that_the_print_has_lost_are_noted() -> None:
    wagers = NIGHT.text("craps", CrapsRules).wagers
    assert "10 to Win" in wagers.buy.odds.note
    assert "10 to Lose" in wagers.lay.odds.note
    eleven = next(wager for wager in wagers.one_roll if wager.bet == "11 in one roll")
    assert "lost its label" in eleven.pays[0].odds.note


@pytest.mark.parametrize("text", [NIGHT, OLD], ids=["13:47-20", "19:47"])
def test_a_wager_in_parts_names_wagers_that_there_are(text: Profile) -> None:
    wagers = text.text("craps", CrapsRules).wagers
    names = {wager.bet for wager in wagers.one_roll if not wager.optional}
    for combined in wagers.combined:
        assert set(combined.parts.value) <= names
        if combined.extra is not None:
            assert set(combined.extra.value) <= set(combined.parts.value)


@pytest.mark.parametrize("text", [NIGHT, OLD], ids=["13:47-20", "19:47"])
def test_the_totals_of_a_come_out_roll_are_naturals_craps_and_points_each_once(text: Profile) -> None:
    rules = text.text("craps", CrapsRules)
    totals = [*rules.naturals.value, *rules.craps.value, *rules.points.value]
    assert sorted(totals) == list(range(2, 13))
    assert rules.barred.value in rules.craps.value
