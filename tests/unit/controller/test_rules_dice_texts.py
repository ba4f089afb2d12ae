"""What the three texts say of the dice games: data with citations, misprints with a note, and gaps that are named."""

from __future__ import annotations

import pytest

from controller.games.craps.rules import CrapsRules
from controller.games.dice.rules import DiceRules
from controller.games.sic_bo.rules import SicBoRules
from controller.games.tumbled.rules import BeatTheDealerRules, ChuckALuckRules, TumbledRules, UnderOverRules
from controller.rules.profile import FILES, default_profile, profile, profiles_that_play

NIGHT, OLD, NEW = profile("njac-13:47-20"), profile("njac-19:47"), profile("njac-13:69F")
TUMBLED: list[TumbledRules] = [
    NIGHT.text("beat_the_dealer", BeatTheDealerRules),
    NIGHT.text("chuck_a_luck", ChuckALuckRules),
    NIGHT.text("under_over", UnderOverRules),
]
SIC_BO = [OLD.text("sic_bo", SicBoRules), NEW.text("sic_bo", SicBoRules)]
CRAPS = [NIGHT.text("craps", CrapsRules), OLD.text("craps", CrapsRules), OLD.text("mini_craps", CrapsRules)]
ALL: list[DiceRules] = [*TUMBLED, *SIC_BO, *CRAPS]


def section(rules: DiceRules) -> str:
    return rules.section


# -------------------------------------------------------------------------------------------- which text, which game


@pytest.mark.parametrize(
    ("game", "able"),
    [
        ("beat_the_dealer", ("njac-13:47-20",)),
        ("chuck_a_luck", ("njac-13:47-20",)),
        ("under_over", ("njac-13:47-20",)),
        ("sic_bo", ("njac-19:47", "njac-13:69F")),
        ("craps", ("njac-13:47-20", "njac-19:47")),
        ("mini_craps", ("njac-19:47",)),
        ("automated_craps", ()),
    ],
)
def test_a_game_is_played_by_the_profiles_that_have_its_text_and_refused_by_the_others(
    game: str, able: tuple[str, ...]
) -> None:
    assert profiles_that_play(game) == able
    for name in FILES:
        assert (profile(name).refusal(game) is None) == (name in able)


def test_the_profile_of_a_table_that_names_none_is_one_that_has_the_game() -> None:
    assert default_profile("craps") == "njac-13:47-20"
    assert default_profile("mini_craps") == "njac-19:47"
    assert default_profile("sic_bo") == "njac-13:69F"
    assert default_profile("automated_craps") == "njac-13:47-20"


@pytest.mark.parametrize(("game", "first"), [("craps", "13:69F-1."), ("automated_craps", "13:69F-1A.")])
def test_of_the_newer_craps_there_are_titles_only(game: str, first: str) -> None:
    text = NEW.no_text[game]
    assert all(title.section.startswith(first) for title in text.titles)
    assert "gives only the titles" in str(NEW.refusal(game))


def test_a_casino_night_has_no_mini_craps_though_its_wagers_are_named() -> None:
    assert "13:47-20.4 does not have mini-craps" in str(NIGHT.refusal("mini_craps"))
    with pytest.raises(KeyError, match="has no text for mini_craps"):
        NIGHT.text("mini_craps", CrapsRules)


def test_a_game_that_a_text_never_names_is_refused_by_name() -> None:
    assert NIGHT.refusal("sic_bo") == "no text: njac-13:47-20 does not speak of sic_bo"
    with pytest.raises(KeyError, match=r"njac-13:47-20 has no text for sic_bo: it does not speak of it"):
        NIGHT.text("sic_bo", SicBoRules)


# ---------------------------------------------------------------------------------------------------- every game


@pytest.mark.parametrize("rules", ALL, ids=section)
def test_every_game_can_void_a_round_by_hand_and_after_a_power_cut(rules: DiceRules) -> None:
    for reason in ("dealer_call", "power_loss"):
        assert rules.reasons[reason].call is not None
        assert rules.reasons[reason].rule == "ours"


@pytest.mark.parametrize("rules", ALL, ids=section)
def test_bets_close_before_the_dice_move(rules: DiceRules) -> None:
    expected = {"13:47-20.25": "before_throw", "19:47-1": "before_throw", "19:47-9": "before_shake"}
    expected["13:69F-9"] = "before_shake"
    assert rules.no_more_bets.when.value == expected.get(rules.section, "before_tumble")
    assert rules.no_more_bets.call.value == "No more bets"


@pytest.mark.parametrize("rules", CRAPS, ids=section)
def test_only_a_class_a_operator_runs_craps(rules: DiceRules) -> None:
    assert rules.operator_classes.value == ("A",)
    assert CRAPS[0].operator_classes.cite == "13:47-20.2, 20.9(d)"


@pytest.mark.parametrize("rules", TUMBLED, ids=section)
def test_a_class_b_operator_may_run_a_cage_under_a_class_a_operator(rules: DiceRules) -> None:
    assert rules.operator_classes.value == ("A", "B")
    assert rules.supervisor_classes.value == ("A",)


# ------------------------------------------------------------------------------------------------ cages and chutes


@pytest.mark.parametrize("rules", TUMBLED, ids=section)
def test_cage_chute_and_dice_are_those_of_the_text(rules: TumbledRules) -> None:
    assert rules.tumbler.cage_diameter_in.value == 18
    assert rules.tumbler.minimum_baffles.value == 3
    assert (rules.dice.side_in.value, rules.dice.opposite_sum.value) == (2.5, 7)
    cites = (rules.tumbler.cage, rules.tumbler.minimum_baffles, rules.dice.side_in, rules.dice.weight)
    assert all(value.cite.startswith(f"{rules.section}(a)") for value in cites)


def test_only_under_over_has_an_hourglass_and_only_chuck_a_luck_no_clear_view() -> None:
    assert ["hourglass" in rules.tumbler.cage.value for rules in TUMBLED] == [False, False, True]
    assert [rules.tumbler.clear_view.value for rules in TUMBLED] == [True, False, True]


@pytest.mark.parametrize("rules", TUMBLED, ids=section)
def test_how_often_a_cage_is_turned_is_ours_and_the_text_is_said_to_be_silent(rules: TumbledRules) -> None:
    assert rules.tumbler.minimum_inversions.ours
    assert rules.no_roll.ours
    assert all(reason.call is None or reason.call.ours for reason in rules.reasons.values())
    assert any("how often" in gap for gap in rules.silent_on)


# --------------------------------------------------------------------------------------------------------- sic bo


@pytest.mark.parametrize("rules", SIC_BO, ids=section)
def test_sic_bo_has_three_dice_sealed_in_its_shaker(rules: SicBoRules) -> None:
    assert (rules.dice_count.value, rules.dice_count.cite) == (3, f"{rules.section}.1")
    assert rules.sealed.value == "sealed inside a sic bo shaker"


def test_only_the_newer_text_limits_the_age_of_dice_to_24_hours() -> None:
    old, new = (rules.dice_hours for rules in SIC_BO)
    assert old is None
    assert new is not None
    assert (new.value, new.cite) == (24, "13:69F-9.1")


def test_only_the_newer_text_has_an_automated_shaker() -> None:
    assert [rules.automated_shaker is None for rules in SIC_BO] == [True, False]
    assert ["shaker_failed" in rules.reasons for rules in SIC_BO] == [False, True]


@pytest.mark.parametrize("rules", SIC_BO, ids=section)
def test_three_values_are_entered_and_all_winning_combinations_seen_before_the_table_opens(
    rules: SicBoRules,
) -> None:
    device = rules.electrical_device
    assert device.values_entered_at_opening.value == 3
    assert device.verified_at_opening.value == "all winning combinations are properly illuminated"
    assert rules.inspection.opening.value
    assert rules.inspection.checks[0].check == "electrical_device"


def test_an_automated_shaker_is_operated_three_times_at_the_opening_and_in_each_shift() -> None:
    shaker = SIC_BO[1].automated_shaker
    assert shaker is not None
    assert (shaker.operations_at_opening.value, shaker.operations_at_opening.cite) == (3, "13:69F-9.5(a)2")
    assert (shaker.operations_each_shift.value, shaker.operations_each_shift.cite) == (3, "13:69F-9.5(b)")
    inspection = SIC_BO[1].inspection.with_devices({"automated_shaker"})
    assert [check.check for check in inspection.checks] == ["electrical_device", "automated_shaker"]
    assert [check.check for check in inspection.each_shift] == ["automated_shaker"]


def test_a_table_without_an_automated_shaker_is_not_asked_for_one() -> None:
    inspection = SIC_BO[1].inspection.with_devices(())
    assert [check.check for check in inspection.checks] == ["electrical_device"]
    assert inspection.each_shift == ()


@pytest.mark.parametrize("rules", SIC_BO, ids=section)
def test_no_more_bets_comes_before_three_shakes(rules: SicBoRules) -> None:
    assert not rules.no_more_bets.call.ours
    assert (rules.no_more_bets.when.value, rules.manual_shaker.minimum_shakes.value) == ("before_shake", 3)


@pytest.mark.parametrize(
    ("rules", "words"), list(zip(SIC_BO, ["No Roll", "No roll"], strict=True)), ids=["19:47-9", "13:69F-9"]
)
def test_dice_that_do_not_all_lie_flat_are_called_in_the_words_of_each_text(rules: SicBoRules, words: str) -> None:
    call = rules.reasons["dice_not_flat"].call
    assert call is not None
    assert (call.value, call.cite) == (words, f"{rules.section}.6(a)")
    assert "not every die lies flat" in call.reading


@pytest.mark.parametrize("rules", SIC_BO, ids=section)
def test_lamps_that_fail_after_the_reveal_void_nothing_and_stop_the_game_after_settling(rules: SicBoRules) -> None:
    failed = rules.reasons["lamps_failed"]
    assert (failed.rule, failed.call) == (f"{rules.section}.6(b)", None)
    before = rules.reasons["lamps_failed_before_reveal"]
    assert before.rule == "ours"


def test_a_shaker_that_fails_voids_the_round_and_leaves_the_table_before_a_manual_one_comes() -> None:
    rules = SIC_BO[1]
    failed = rules.reasons["shaker_failed"]
    assert failed.rule == "13:69F-9.6(c)"
    assert failed.call is not None
    assert failed.call.value == "Round void"
    assert rules.automated_shaker is not None
    assert rules.automated_shaker.removed_before_manual.value
    assert rules.reasons["shaker_not_removed"].rule == rules.automated_shaker.removed_before_manual.cite


def test_the_misprint_one_to_ten_is_read_as_one_to_one_and_noted() -> None:
    old, new = (rules.wagers.one_of_a_kind for rules in SIC_BO)
    assert old.odds.value.in_words() == new.odds.value.in_words() == "1 to 1"
    assert "1 to 10" in new.odds.reading
    assert old.odds.reading == ""
    for one in (old, new):
        assert (one.odds_on_two.value.in_words(), one.odds_on_three.value.in_words()) == ("2 to 1", "3 to 1")


def test_the_word_that_is_missing_in_the_big_bet_is_supplied_and_noted() -> None:
    old, new = (rules.wagers.big for rules in SIC_BO)
    assert old.totals.value == new.totals.value == tuple(range(11, 18))
    assert '"other"' in new.totals.reading
    assert old.totals.reading == ""


@pytest.mark.parametrize("rules", SIC_BO, ids=section)
def test_what_two_of_a_kind_does_on_a_triple_is_our_reading(rules: SicBoRules) -> None:
    assert rules.wagers.two_of_a_kind_on_triple.ours
    assert not rules.wagers.two_of_a_kind_on_triple.value
