"""What a table of cage or chute says of every way in which a round can go, 13:47-20.21, 20.24, 20.33.

The tests are named after the requirements on cages and chutes, C1 to C10 of the equipment rules, where they show one.
"""

from __future__ import annotations

import pytest

from controller.games.assembly import table_for
from feed import events
from feed.events import decode, encode
from feed.state import TableState
from hal.capture.command_text import read_command
from hal.values import Batch, EdgesLost, Loss
from tests.tables.bench import EventList, configured, events_of_run
from tests.tables.tumbled_lines import TumbledLines, tumbled_toml

OPENED = ["table.opened", "round.opened"]
TUMBLED = ["round.no_more_bets dealer", "round.started"]
NEXT = ["round.settled auto", "round.opened"]
DISTURBED = "unresolved dice_disturbed"
TOO_EARLY = "device.warning keyed_too_early"
MOVED = "device.warning moved_at_rest"
CHUTE = "[device.chute]"


def said_of(
    lines: TumbledLines,
    game: str = "chuck_a_luck",
    *,
    call: str = "button",
    buttons: str = "",
    device: str = "",
    options: str = "",
) -> EventList:
    text = tumbled_toml(game, call=call, buttons=buttons, device=device, options=options)
    return events_of_run(text, lines.edges(), lines.rare, lines.now_ns)


def lying(*dice: int) -> TumbledLines:
    """A clean tumble of three dice up to their values."""
    lines = TumbledLines().call().tumble()
    return lines.key(*dice) if dice else lines


# --- a tumble --------------------------------------------------------------------------------------------------------


def test_c10_a_tumble_of_three_dice_pays_each_number_that_shows() -> None:
    said = said_of(lying(4, 4, 1).wait(5))
    assert said.story() == [*OPENED, *TUMBLED, "4-4-1", *NEXT]
    outcome = said.one(events.Outcome)
    assert outcome.result == {"dice": [4, 4, 1], "total": 9}
    assert [(bet.bet, bet.odds) for bet in outcome.winning] == [("number 1", "1 to 1"), ("number 4", "2 to 1")]
    (tumbling,) = outcome.evidence.tumbles or []
    assert (tumbling.inversions, tumbling.minimum_inversions, tumbling.keyed) == (3, 3, [4, 4, 1])


@pytest.mark.parametrize(
    ("dice", "wins"), [((1, 2), ("under 7", "1 to 1")), ((3, 4), ("7", "4 to 1")), ((6, 6), ("over 7", "1 to 1"))]
)
def test_c10_under_over_pays_the_one_space_that_the_total_is_in(dice: tuple[int, int], wins: tuple[str, str]) -> None:
    said = said_of(TumbledLines().call().tumble().key(*dice).wait(1), "under_over")
    assert [(bet.bet, bet.odds) for bet in said.one(events.Outcome).winning] == [wins]


def test_c5_a_result_has_as_many_values_as_the_game_has_dice() -> None:
    said = said_of(TumbledLines().call().tumble().key(3, 4, 5).wait(1), "under_over")
    assert said.verdicts() == []
    assert {"device.warning key_surplus", "device.warning key_spoilt"} <= set(said.story())


def test_c9_values_keyed_before_the_dice_lie_are_of_another_tumble() -> None:
    said = said_of(TumbledLines().call().turn().key(1, 1, 1).wait(5).key(4, 4, 1).wait(5))
    assert said.story() == [*OPENED, *TUMBLED, TOO_EARLY, "4-4-1", *NEXT]


def test_c9_values_keyed_before_any_tumble_count_for_nothing() -> None:
    said = said_of(TumbledLines().key(1, 1, 1).call().tumble().key(4, 4, 1).wait(1))
    assert said.story() == [*OPENED, TOO_EARLY, *TUMBLED, "4-4-1"]


def test_c9_dice_that_were_moved_after_they_lay_are_the_dealers_to_call() -> None:
    said = said_of(lying().knock().wait(5).key(4, 4, 1).wait(1))
    assert said.story() == [*OPENED, *TUMBLED, DISTURBED]
    assert said.one(events.Unresolved).candidates == [{"dice": [4, 4, 1], "total": 9}]


def test_c9_dice_that_are_tumbled_again_before_their_values_have_no_result() -> None:
    said = said_of(lying().tumble().key(4, 4, 1).wait(1))
    assert said.verdicts()[0] == DISTURBED
    assert said.of(events.Unresolved)[0].candidates == []


def test_dice_that_are_moved_after_the_verdict_change_nothing() -> None:
    assert said_of(lying(4, 4, 1).knock().wait(8)).story() == [*OPENED, *TUMBLED, "4-4-1", *NEXT]


def test_two_inversions_are_no_tumble() -> None:
    said = said_of(TumbledLines().call().tumble(2).key(4, 4, 1).wait(1))
    assert said.story() == [*OPENED, *TUMBLED, "void too_few_inversions", "round.opened", TOO_EARLY]
    void = said.one(events.Void)
    assert (void.call, void.rule) == ("No roll", "ours")


def test_the_least_number_of_inversions_is_the_houses() -> None:
    lines = TumbledLines().call().tumble(2).key(4, 4, 1).wait(1)
    assert said_of(lines, device="[device.cage]\nminimum_inversions = 2").verdicts() == ["4-4-1"]


def test_dice_that_were_only_shaken_up_after_the_call_and_are_keyed_were_not_tumbled() -> None:
    said = said_of(TumbledLines().call().knock().wait(5).key(4, 4, 1).wait(1))
    assert said.story() == [*OPENED, TUMBLED[0], MOVED, "void too_few_inversions", "round.opened"]


def test_a_knock_at_the_cage_before_the_tumble_changes_nothing() -> None:
    said = said_of(TumbledLines().call().knock().wait(5).tumble().key(4, 4, 1).wait(1))
    assert said.story() == [*OPENED, TUMBLED[0], MOVED, TUMBLED[1], "4-4-1"]


def test_inversions_that_may_have_been_missed_leave_the_round_to_the_dealer() -> None:
    lines = TumbledLines().call().turn()
    lines.rare.append(EdgesLost("cage_turn", Loss.OVERFLOW, lines.now_ns, 2))
    assert said_of(lines.wait(5)).verdicts() == ["unresolved edges_lost"]


def test_dice_that_tumbled_already_when_the_table_opened_prove_nothing() -> None:
    lines = TumbledLines(button=False)
    lines.wait(-4.9).tumble()
    assert said_of(lines, call="auto").verdicts() == ["unresolved joined_mid_tumble"]


# --- the call --------------------------------------------------------------------------------------------------------


def test_a_tumble_without_a_call_is_void() -> None:
    said = said_of(TumbledLines().tumble().wait(1))
    assert said.story() == [*OPENED, "round.started", "void tumbled_before_no_more_bets", "round.opened"]
    assert said.one(events.Void).evidence.no_more_bets == "never"


def test_a_call_during_the_tumble_comes_too_late() -> None:
    lines = TumbledLines().turn(2)
    said = said_of(lines.wait(-1.5).call().wait(5))
    assert "void tumbled_before_no_more_bets" in said.story()


def test_without_a_button_the_tumble_is_the_call() -> None:
    said = said_of(TumbledLines(button=False).tumble().key(4, 4, 1).wait(5), call="auto")
    assert said.story() == [*OPENED, "round.no_more_bets auto", "round.started", "4-4-1", *NEXT]


# --- beat the dealer -------------------------------------------------------------------------------------------------


def beaten(dealer: tuple[int, int], player: tuple[int, int]) -> TumbledLines:
    return TumbledLines().call().tumble().key(*dealer).wait(1).tumble(4).key(*player).wait(5)


def test_c8_the_dealer_tumbles_first_and_then_the_player() -> None:
    said = said_of(beaten((3, 4), (6, 2)), "beat_the_dealer")
    assert said.story() == [*OPENED, *TUMBLED, "round.started", "3-4/6-2", *NEXT]
    assert [data.tumble for data in said.of(events.RoundStarted)] == ["dealer", "player"]
    outcome = said.one(events.Outcome)
    assert outcome.result == {
        "dice": [6, 2],
        "total": 8,
        "dealer_dice": [3, 4],
        "dealer_total": 7,
        "winner": "player",
    }
    assert [(bet.bet, bet.odds) for bet in outcome.winning] == [("player", "1 to 1")]
    assert [(one.by, one.inversions) for one in outcome.evidence.tumbles or []] == [("dealer", 3), ("player", 4)]


def test_c8_the_dealers_dice_are_shown_while_the_player_tumbles() -> None:
    said = said_of(beaten((3, 4), (6, 2)), "beat_the_dealer")
    shown = [data for data in said.of(events.RoundProgress) if data.dice is not None]
    assert [(data.tumble, data.dice) for data in shown] == [("dealer", [3, 4])]


@pytest.mark.parametrize("player", [(6, 1), (5, 2)])
def test_c8_the_dealer_wins_ties(player: tuple[int, int]) -> None:
    outcome = said_of(beaten((3, 4), player), "beat_the_dealer").one(events.Outcome)
    assert (outcome.result["winner"], outcome.winning) == ("dealer", [])


def test_c8_a_player_who_does_not_tumble_has_no_dice() -> None:
    lines = TumbledLines().call().tumble().key(3, 4).wait(1).key(6, 6).wait(1)
    assert said_of(lines, "beat_the_dealer").story() == [*OPENED, *TUMBLED, TOO_EARLY]


def test_c8_a_player_who_inverts_the_cage_too_seldom_voids_the_round() -> None:
    lines = TumbledLines().call().tumble().key(3, 4).wait(1).tumble(1).wait(1)
    said = said_of(lines, "beat_the_dealer")
    assert said.verdicts() == ["void too_few_inversions"]
    assert [one.by for one in said.one(events.Void).evidence.tumbles or []] == ["dealer", "player"]


def test_c8_a_doubt_about_the_dealers_dice_has_no_candidates_for_the_player_has_not_tumbled() -> None:
    lines = TumbledLines().call().tumble().knock().wait(5).key(3, 4).wait(1)
    said = said_of(lines, "beat_the_dealer")
    assert said.verdicts() == [DISTURBED]
    assert said.one(events.Unresolved).candidates == []


def test_c8_a_person_names_both_tumbles() -> None:
    lines = beaten((3, 4), (6, 2)).order("correct round=1 dice=3-4/6-1 by=floor why=keyed wrongly").wait(1)
    said = said_of(lines, "beat_the_dealer")
    corrected = said.one(events.RoundCorrected)
    assert corrected.to.result is not None
    assert (corrected.to.result["winner"], corrected.winning) == ("dealer", [])


# --- the chute -------------------------------------------------------------------------------------------------------


def test_c4_every_die_passes_every_baffle_of_the_chute() -> None:
    said = said_of(TumbledLines(chute=True).call().drop(3).key(4, 4, 1).wait(5), device=CHUTE)
    assert said.story() == [*OPENED, *TUMBLED, "4-4-1", *NEXT]
    (tumbling,) = said.one(events.Outcome).evidence.tumbles or []
    assert tumbling.baffle_passes == [3, 3, 3]


def test_c4_a_die_that_goes_round_a_baffle_voids_the_round() -> None:
    lines = TumbledLines(chute=True).call().drop(2).wait(-4.5).drop(1, (1, 3)).key(4, 4, 1).wait(1)
    assert said_of(lines, device=CHUTE).verdicts() == ["void baffles_missed"]


def test_c4_a_chute_with_two_beams_is_refused_by_check() -> None:
    from controller.games.load import check_text

    report = check_text(tumbled_toml("chuck_a_luck", device="[device.chute]\nbaffles = 2"))
    (problem,) = report.errors
    assert "baffles" in str(problem)


def test_c4_more_passes_than_dice_are_the_dealers_to_call() -> None:
    lines = TumbledLines(chute=True).call().drop(4).key(4, 4, 1).wait(1)
    assert said_of(lines, device=CHUTE).verdicts() == ["unresolved too_many_passes"]


def test_a_die_that_jams_voids_the_round_and_the_chute_is_cleared_once_it_is_out() -> None:
    lines = TumbledLines(chute=True).call().drop(2).wait(-4.5).jam(2, 4.0)
    lines.wait(-1).order("clear device=chute by=floor").wait(1.5).wait(5)
    lines.order("clear device=chute by=floor").wait(1).call().drop(3).key(4, 4, 1).wait(1)
    said = said_of(lines, device=CHUTE)
    assert said.verdicts() == ["void die_jammed", "4-4-1"]
    assert "device.warning not_cleared" in said.story()
    assert said.one(events.DeviceCleared).fault == "die_jammed"


# --- what people say -------------------------------------------------------------------------------------------------


def test_dice_that_do_not_lie_flat_are_void_by_the_dealers_word() -> None:
    said = said_of(lying().order("void reason=dice_not_flat by=dealer").wait(1))
    assert said.story() == [*OPENED, *TUMBLED, "void dice_not_flat", "round.opened"]
    assert said.one(events.Void).call == "No roll"


def test_the_dealer_calls_what_was_left_unresolved() -> None:
    lines = lying().knock().wait(5).key(4, 4, 1).wait(1).order("confirm round=1 dice=4-4-1 by=dealer").wait(1)
    corrected = said_of(lines).one(events.RoundCorrected)
    assert corrected.confirmed
    assert corrected.to.result == {"dice": [4, 4, 1], "total": 9}


UNRESOLVED = ["round.no_more_bets dealer", "round.started", DISTURBED]


@pytest.mark.parametrize(
    ("order", "after"),
    [
        ("", []),
        ("settle by=dealer", []),
        ("confirm round=1 dice=4-4-1 by=dealer", ["round.corrected dealer", *NEXT]),
        ("void round=1 by=dealer", ["round.corrected dealer", *NEXT]),
        ("correct round=1 dice=4-4-2 by=floor why=seen", ["round.corrected floor", *NEXT]),
    ],
)
def test_an_unresolved_round_waits_for_a_person(order: str, after: list[str]) -> None:
    lines = lying().knock().wait(5).key(4, 4, 1).wait(60)
    said = said_of(lines.order(order).wait(5) if order else lines)
    story = [line for line in said.story() if "device.warning" not in line]
    assert story == [*OPENED, *UNRESOLVED, *after]


def test_a_button_settles_no_unresolved_round() -> None:
    lines = TumbledLines(buttons=("dealer_settled",)).call().tumble().knock().wait(5).key(4, 4, 1)
    lines.wait(5).press("dealer_settled").order("confirm round=1 dice=4-4-1 by=dealer").press("dealer_settled").wait(1)
    said = said_of(lines, buttons='"dealer_no_more_bets", "dealer_settled"')
    assert said.story()[-4:] == [
        "device.warning not_settled",
        "round.corrected dealer",
        "round.settled dealer",
        "round.opened",
    ]


def test_a_table_that_closes_on_an_unresolved_round_asks_for_it_when_it_opens_again() -> None:
    lines = lying().knock().wait(5).key(4, 4, 1).wait(2).order("close reason=late by=ann").wait(1)
    lines.order("open by=ann").wait(10).order("confirm dice=4-4-1 by=ann").wait(5)
    assert said_of(lines).story()[-6:] == [
        *("table.closed ann", "table.opened ann", "device.warning not_settled", "round.corrected ann"),
        *NEXT,
    ]


def test_an_unresolved_round_that_is_called_while_the_table_is_closed_is_settled_by_the_call() -> None:
    lines = lying().knock().wait(5).key(4, 4, 1).wait(2).order("close reason=late by=ann").wait(1)
    lines.order("confirm round=1 dice=4-4-1 by=ann").wait(5).order("open by=ann").wait(10)
    assert said_of(lines).story()[-5:] == [
        *("table.closed ann", "round.corrected ann", "round.settled dealer", "table.opened ann", "round.opened"),
    ]


def test_an_unresolved_round_is_asked_for_after_a_restart() -> None:
    lines = lying().knock().wait(5).key(4, 4, 1).wait(2)
    state = TableState("dice-1")
    for event in said_of(lines):
        state.apply(decode(encode(event)))
    table = table_for(configured(tumbled_toml("chuck_a_luck")), epoch="again", simulated=True)
    table.restore(state)
    story = EventList(table.open(0)).story()
    assert story == ["table.opened", "device.warning not_settled"]
    assert table.rounds.uncalled == 1
    called = read_command("void round=1 by=ann", 60 * 10**9)
    said = EventList(table.feed(Batch([], [called], 70 * 10**9)))
    assert said.story() == ["round.corrected ann", *NEXT]


def test_a_round_that_is_left_to_the_dealer_is_so_by_the_house() -> None:
    unresolved = said_of(lying().knock().wait(5).key(4, 4, 1).wait(1)).one(events.Unresolved)
    assert (unresolved.rule, unresolved.unproven_rule) == ("ours", "")


def test_a_wrongly_keyed_value_is_corrected_and_the_first_entry_stays() -> None:
    lines = lying(4, 4, 1).wait(1).order("correct round=1 dice=4-4-2 by=floor why=keyed wrongly").wait(1)
    said = said_of(lines)
    assert said.one(events.Outcome).result["dice"] == [4, 4, 1]
    assert said.one(events.RoundCorrected).to.result == {"dice": [4, 4, 2], "total": 10}


@pytest.mark.parametrize("dice", ["4-4", "4-4-7", "4-4-1/1-1-1", "441", "", "4-4-x"])
def test_a_result_that_the_game_does_not_have_is_refused(dice: str) -> None:
    said = said_of(lying(4, 4, 1).wait(1).order(f"correct round=1 dice={dice} by=floor why=test").wait(1))
    assert said.of(events.RoundCorrected) == []
    assert "device.warning command_refused" in said.story()


def test_a_tumble_that_ends_before_the_bets_are_settled_counts_for_nothing() -> None:
    lines = TumbledLines(buttons=("dealer_settled",)).call().tumble().key(4, 4, 1).wait(1).tumble()
    lines.press("dealer_settled").call().tumble().key(2, 2, 2).wait(1)
    said = said_of(lines, buttons='"dealer_no_more_bets", "dealer_settled"')
    assert said.verdicts() == ["4-4-1", "2-2-2"]
    assert "device.warning tumbled_after_verdict" in said.story()


def test_a_tumble_that_goes_on_while_the_bets_are_settled_is_the_next_rounds() -> None:
    lines = TumbledLines(buttons=("dealer_settled",)).call().tumble().key(4, 4, 1).wait(1).turn(5)
    lines.wait(-1.5).press("dealer_settled").wait(7)
    said = said_of(lines, buttons='"dealer_no_more_bets", "dealer_settled"')
    assert said.verdicts() == ["4-4-1", "void tumbled_before_no_more_bets"]


def test_the_next_round_opens_once_the_dice_of_a_void_one_lie() -> None:
    lines = TumbledLines().call().turn().order("void by=dealer").wait(-0.1)
    said = said_of(lines.wait(1))
    assert said.story()[-1] == "void dealer_call"
    assert said_of(lines.wait(5)).story()[-1] == "round.opened"


# --- what no sensor sees ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", ["beat_the_dealer", "chuck_a_luck", "under_over"])
def test_c1_c2_c3_c6_what_no_sensor_sees_is_a_check_of_the_inspection(game: str) -> None:
    from controller.games.assembly import table_for
    from tests.tables.bench import configured

    table = table_for(configured(tumbled_toml(game)), epoch="sim", simulated=True)
    checks = {check.check for check in table.lifecycle.inspections.plan.checks}
    assert {"dice", "tumbler"} <= checks
    assert ("clear_view" in checks) == (game != "chuck_a_luck")
