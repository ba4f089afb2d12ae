"""A craps table with an automated shaker: a house option, after sic bo's (13:69F-9)."""

from __future__ import annotations

import re

import pytest

from controller.games.craps.rounds import CrapsGame
from controller.games.load import check_text
from controller.service.event_lines import line_of
from drivers.dice.frame_wire import FROM_HOST, FrameCommand, ShakerFrame, encode_frame
from feed import events
from feed.events import decode, encode
from feed.state import TableState
from hal.values import SendFrame, SetLine
from tests.tables.craps_shaker_table import ShakerHands, shaker_toml

NIGHT = "njac-13:47-20"
CONTROLS = pytest.mark.parametrize("control", ["lines", "serial"])
FAILURES = [
    *(("lines", fault) for fault in ("no_start", "stops_early", "never_stops", "fails")),
    *(("serial", fault) for fault in ("no_start", "fails", "garbled")),
]


# --- a toss --------------------------------------------------------------------------------------------------------


@CONTROLS
@pytest.mark.parametrize("rules", ["njac-19:47", NIGHT])
def test_after_the_call_the_controller_starts_the_shaker_and_its_dice_are_a_roll(control: str, rules: str) -> None:
    table = ShakerHands(shaker_toml(rules, control)).tossed().key(3, 5)
    assert table.said.story() == [
        *("table.opened", "round.opened", "round.no_more_bets dealer", "round.started", "3-5"),
    ]
    assert table.said.one(events.Outcome).result["decision"] == "point_set"
    assert table.said.one(events.RoundStarted).tossed_by == "shaker"
    assert table.starts == 1
    assert table.on == {"puck_on", "point_8"}


@CONTROLS
def test_it_is_never_started_without_a_call(control: str) -> None:
    table = ShakerHands(shaker_toml(control=control)).wait(600).key(3, 5)
    assert table.starts == 0
    assert table.said.verdicts() == []
    assert [one.warning for one in table.said.of(events.DeviceWarning)] == ["keyed_too_early"]


def test_it_is_started_so_long_after_the_call_as_the_house_says() -> None:
    table = ShakerHands(shaker_toml(options="activate_after_s = 20"))
    table.call().wait(19)
    assert table.starts == 0
    assert table.wait(1).starts == 1


def test_an_order_is_a_call() -> None:
    table = ShakerHands()
    assert table.order("no_more_bets").accepted
    assert table.wait(13).key(3, 5).said.verdicts() == ["3-5"]


def test_a_round_that_is_called_void_while_it_tosses_starts_nothing_more() -> None:
    table = ShakerHands(shaker_toml(control="serial")).call().wait(4)
    assert table.order("void reason=improper_throw by=stickperson").accepted
    table.wait(20)
    assert (table.said.verdicts(), table.starts) == (["void improper_throw"], 1)
    assert table.tossed().key(3, 5).said.verdicts()[-1] == "3-5"


def test_a_call_that_is_void_before_the_start_is_up_starts_nothing() -> None:
    table = ShakerHands().call()
    assert table.order("void by=ann").accepted
    assert table.wait(20).starts == 0


def test_the_screen_says_who_sets_the_dice_going() -> None:
    table = ShakerHands().tossed()
    (line,) = [line_of(event) for event in table.said if isinstance(event.data, events.RoundStarted)]
    assert line.endswith("the shaker tosses the dice")
    table.order("void by=ann")
    table.order("shaker_removed by=ann")
    table.key(2, 2)
    line = [line_of(event) for event in table.said if isinstance(event.data, events.RoundStarted)][-1]
    assert line.endswith("the dice are thrown")


# --- failures ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("control", "fault"), FAILURES)
def test_a_shaker_that_fails_when_activated_voids_the_round_and_shuts_the_table(control: str, fault: str) -> None:
    table = ShakerHands(shaker_toml(control=control)).plan(fault).call().wait(40)
    void = table.said.one(events.Void)
    assert (void.reason, void.call, void.rule) == ("shaker_failed", "Round void", "ours")
    failed = table.said.one(events.DeviceFault)
    assert (failed.device, failed.fault, failed.blocks_play) == ("automated_shaker", "shaker_failed", True)
    assert table.said.story()[-2:] == ["void shaker_failed", "device.fault shaker_failed"]
    assert table.table.state == "shut"
    assert "shaker_start" not in table.on
    assert table.order("clear device=automated_shaker by=ann").accepted
    assert table.plan().tossed().key(3, 5).said.verdicts()[-1] == "3-5"


def test_a_failure_is_no_invalid_roll_of_the_shooters_and_leaves_the_point() -> None:
    table = ShakerHands().tossed().key(3, 5).pulse("dealer_settled").plan("no_start").call().wait(10)
    assert table.said.verdicts() == ["3-5", "void shaker_failed"]
    stands = table.game.history.now
    assert (stands.point, stands.invalid_rolls, stands.shooter) == (8, 0, 1)
    assert table.on == {"puck_on", "point_8"}


def test_a_toss_before_the_call_is_a_malfunction() -> None:
    table = ShakerHands().plan("unasked").wait(20)
    assert table.said.verdicts() == ["void shaker_failed"]
    assert table.said.one(events.Void).evidence.detail == "it began to toss unasked"
    assert table.starts == 0


def test_its_fault_cannot_be_cleared_while_it_says_that_it_has_failed() -> None:
    table = ShakerHands().level("shaker_fault", 1)
    assert table.said.verdicts() == ["void shaker_failed"]
    assert "stays, because of" in table.order("clear device=automated_shaker by=ann").reason
    table.level("shaker_fault", 0)
    assert table.order("clear device=automated_shaker by=ann").accepted


def test_a_cable_that_comes_out_while_it_tosses_voids_the_round() -> None:
    table = ShakerHands().call().wait(4).lose("shaker_busy").wait(1)
    assert table.said.verdicts() == ["void shaker_failed"]


@pytest.mark.parametrize("noticed", [True, False])
def test_a_serial_shaker_whose_cable_was_out_in_its_toss_is_stopped_once_it_is_back(noticed: bool) -> None:
    table = ShakerHands(shaker_toml(control="serial")).call().wait(4)
    table.cut = True
    if noticed:  # otherwise it is out behind an adapter, whose port stays open
        table.lose("shaker_serial")
    table.wait(60)
    assert table.shaker.tossing
    assert table.said.verdicts() == ["void shaker_failed"]
    answer = table.order("clear device=automated_shaker by=ann").reason
    assert ("sensor_missing stays, because of shaker_serial" in answer) is noticed
    table.cut = False
    assert not table.wait(5.1).shaker.tossing
    stops = len(table.shown)
    assert len(table.wait(600).shown) == stops
    table.order("clear device=automated_shaker by=ann")
    assert table.plan().tossed().key(3, 5).said.verdicts()[-1] == "3-5"


def test_a_toss_that_was_called_void_and_never_ends_is_a_failure_too_and_the_shaker_can_be_taken_away() -> None:
    table = ShakerHands().plan("never_stops").call().wait(4)
    table.order("void by=ann")
    assert (table.wait(5).table.state, table.said.of(events.DeviceFault)) == ("open", [])
    table.wait(14)
    assert [one.fault for one in table.said.of(events.DeviceFault)] == ["shaker_failed"]
    assert table.order("shaker_removed by=ann").accepted
    assert table.order("clear device=automated_shaker by=ann").accepted
    assert table.key(2, 2).said.verdicts() == ["void dealer_call", "2-2"]


def test_a_toss_that_was_called_void_is_waited_for_and_then_the_next_round_opens() -> None:
    table = ShakerHands().call().wait(4)
    table.order("void by=ann")
    assert table.said.story()[-1] == "void dealer_call"
    assert table.wait(8).said.story()[-1] == "round.opened"
    assert table.said.of(events.DeviceFault) == []


# --- values --------------------------------------------------------------------------------------------------------


def test_values_keyed_before_the_dice_lie_count_for_nothing() -> None:
    table = ShakerHands().call().wait(3).key(3, 5)
    assert [one.warning for one in table.said.of(events.DeviceWarning)] == ["keyed_too_early"]
    assert table.wait(10).key(3, 5).said.verdicts() == ["3-5"]


def test_what_a_serial_shaker_says_of_its_dice_must_be_what_is_entered() -> None:
    table = ShakerHands(shaker_toml(control="serial")).tossed().key(3, 4)
    assert table.said.verdicts() == ["unresolved values_disagree"]
    assert [one["dice"] for one in table.said.one(events.Unresolved).candidates] == [[3, 4], [3, 5]]
    assert table.order("confirm dice=3-5 by=ann").accepted


def test_a_board_reads_the_dice_once_they_lie_and_what_it_saw_before_the_toss_is_of_another() -> None:
    table = ShakerHands(shaker_toml(reader=True, keypad=False))
    table.board().board(1, 1)
    assert table.said.verdicts() == []
    table.call().wait(1.5)
    table.board().wait(4).board(3, 5).wait(9)
    assert table.said.verdicts() == ["3-5"]


def test_a_board_that_reads_the_dice_long_before_the_shaker_reports_them_at_rest_is_a_roll_then() -> None:
    text = shaker_toml(reader=True, keypad=False).replace(
        "present_sensor = false", "present_sensor = false\nrest_s = 4"
    )
    table = ShakerHands(text).call().wait(1.5)
    table.board().wait(5).board(3, 5).wait(9)
    assert table.said.verdicts() == ["3-5"]


def test_a_board_that_only_answers_is_refused_where_no_shaker_shows_that_dice_were_thrown() -> None:
    text = shaker_toml(reader=True, keypad=False).replace("[device.reader]", '[device.reader]\nformat = "frames_7a"')
    assert check_text(text).errors == []
    (problem,) = check_text(re.sub(r"\[device.automated_shaker\][^\[]*", "", text)).errors
    assert "no throw would be read" in str(problem)


def test_a_board_that_reads_nothing_of_the_toss_leaves_it_unresolved() -> None:
    table = ShakerHands(shaker_toml(reader=True, keypad=False))
    table.board().board(1, 1).call().wait(30)
    assert table.said.verdicts() == ["unresolved value_missing"]


def test_what_a_board_read_in_the_toss_is_nobodys_once_the_dice_move_again_before_they_lie() -> None:
    table = ShakerHands(shaker_toml(reader=True, keypad=False)).call().wait(1.5)
    table.board().wait(4).board(3, 5).board().wait(9)
    assert table.said.verdicts() == ["unresolved value_missing"]


def test_dice_that_are_moved_before_all_their_values_are_there_are_unresolved() -> None:
    table = ShakerHands(shaker_toml(reader=True)).call().wait(1.5).board().wait(4).board(3, 5).wait(6).board()
    assert table.said.verdicts() == ["unresolved dice_disturbed"]
    assert table.said.one(events.Unresolved).candidates[0]["dice"] == [3, 5]


def test_a_shaker_that_tosses_again_before_they_are_keyed_has_failed_and_they_are_unresolved() -> None:
    table = ShakerHands().tossed().level("shaker_busy", 1).wait(3).level("shaker_busy", 0).wait(1)
    assert table.said.verdicts() == ["unresolved dice_disturbed"]
    assert [one.fault for one in table.said.of(events.DeviceFault)] == ["shaker_failed"]
    assert table.order("void round=1 by=ann").accepted
    table.pulse("dealer_settled")
    assert table.order("clear device=automated_shaker by=ann").accepted
    assert table.tossed().key(2, 2).said.verdicts()[-1] == "2-2"


# --- by hand -------------------------------------------------------------------------------------------------------


def test_while_the_shaker_is_taken_away_the_shooter_throws() -> None:
    table = ShakerHands()
    assert table.order("shaker_removed by=ann").accepted
    table.key(2, 2).pulse("dealer_settled")
    assert (table.said.verdicts(), table.starts) == (["2-2"], 0)
    assert table.order("shaker_placed by=ann").accepted
    assert table.tossed().key(3, 5).said.verdicts() == ["2-2", "3-5"]


def test_a_sensor_says_whether_it_stands_there_and_an_order_may_not() -> None:
    table = ShakerHands(shaker_toml(sensor=True))
    assert "its sensor reports" in table.order("shaker_removed by=ann").reason
    table.level("automated_shaker_present", 0).key(2, 2)
    assert table.said.verdicts() == ["2-2"]


def test_a_shaker_that_is_taken_away_after_its_failure_leaves_the_play_to_the_shooter() -> None:
    table = ShakerHands().plan("no_start").call().wait(10)
    assert table.order("shaker_removed by=ann").accepted
    assert table.order("clear device=automated_shaker by=ann").accepted
    assert table.key(2, 2).said.verdicts() == ["void shaker_failed", "2-2"]


def restarted(table: ShakerHands) -> CrapsGame:
    """The game of a table that starts again from what this one has published."""
    state = TableState(table.table.identity.table)
    for event in table.said:
        state.apply(decode(encode(event)))
    again = ShakerHands().game
    again.restore(state)
    return again


def test_that_a_person_took_it_away_is_told_and_outlives_a_restart() -> None:
    table = ShakerHands()
    table.order("shaker_removed by=ann")
    told = table.said.of(events.CarriedStateChanged)[-1]
    assert (told.act, told.by, told.course["shaker_removed"]) == ("shaker_removed", "ann", True)
    again = restarted(table)
    assert again.tossed is not None
    assert not again.tossed.present
    table.order("shaker_placed by=ann")
    assert "shaker_removed" not in table.said.of(events.CarriedStateChanged)[-1].course


@pytest.mark.parametrize(
    ("rolls", "then"), [([], ("point", 8, 1)), ([(4, 4)], ("come_out", None, 1)), ([(3, 4), (5, 5)], ("point", 10, 2))]
)
def test_a_restart_while_the_shaker_is_away_leaves_the_game_where_it_was(
    rolls: list[tuple[int, int]], then: tuple[str, int | None, int]
) -> None:
    table = ShakerHands().tossed().key(3, 5)
    assert table.pulse("dealer_settled").order("shaker_removed by=ann").accepted
    for roll in rolls:
        table.key(*roll).pulse("dealer_settled")
    now = restarted(table).history.now
    assert (now.phase, now.point, now.shooter) == then
    assert now == table.game.history.now


def test_lines_of_a_shaker_that_was_taken_away_void_nothing() -> None:
    table = ShakerHands()
    table.order("shaker_removed by=ann")
    table.level("shaker_busy", 1).level("shaker_busy", 0).level("shaker_fault", 1)
    assert table.key(2, 2).said.verdicts() == ["2-2"]


def test_a_shaker_that_is_taken_away_while_it_tosses_voids_the_round() -> None:
    table = ShakerHands(shaker_toml(sensor=True)).call().wait(4).level("automated_shaker_present", 0)
    assert table.said.verdicts() == ["void shaker_failed"]


# --- configuration -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rules", "game"), [("njac-19:47", "craps"), ("njac-19:47", "mini_craps"), (NIGHT, "craps")])
def test_it_is_an_option_of_the_house_under_every_text_of_craps(rules: str, game: str) -> None:
    assert check_text(shaker_toml(rules, game=game)).errors == []


def test_a_table_where_nobody_can_call_would_never_play_and_is_refused() -> None:
    text = shaker_toml().replace("[lines]", 'no_more_bets = "auto"\n[lines]').replace('"dealer_no_more_bets", ', "")
    text = text.replace("'dealer_no_more_bets', ", "")
    report = check_text(text)
    (error,) = report.errors
    assert "table.no_more_bets" in str(error)
    assert "the automated_shaker sets them going after the call" in str(error)
    assert 'write no_more_bets = "button"' in str(error)


def test_a_wheel_has_no_shaker() -> None:
    text = '[table]\nid = "w"\ngame = "money_wheel"\n[lines]\nbackend = "sim"\n[device.automated_shaker]\n'
    assert any("automated_shaker" in str(problem) for problem in check_text(text).errors)


# --- fire bet markers ----------------------------------------------------------------------------------------------


def test_d12_the_fire_bet_point_markers_show_each_different_point_until_the_shooter_sevens_out() -> None:
    table = ShakerHands(shaker_toml(options='fire_bet = "A"'))
    table.order("shaker_removed by=ann")
    for dice in ((2, 2), (3, 1), (4, 4), (5, 3), (2, 2), (3, 1)):
        table.key(*dice).pulse("dealer_settled")
    assert table.on == {"fire_4", "fire_8"}
    table.key(5, 5).pulse("dealer_settled")
    assert table.on == {"fire_4", "fire_8", "puck_on", "point_10"}
    table.key(3, 4).pulse("dealer_settled")
    assert table.on == set()


def test_where_no_fire_bet_is_offered_its_markers_stay_dark() -> None:
    table = ShakerHands()
    table.order("shaker_removed by=ann")
    table.key(2, 2).pulse("dealer_settled").key(3, 1)
    assert table.on == set()


def test_a_shaker_that_the_service_before_may_have_set_going_is_stopped_at_the_beginning() -> None:
    (stop,) = ShakerHands(shaker_toml(control="serial")).table.rest(7)
    assert isinstance(stop, SendFrame)
    assert (stop.link, stop.t_ns) == ("shaker_serial", 7)
    assert stop.data == encode_frame(ShakerFrame(FrameCommand.STOP, FROM_HOST))
    assert ShakerHands().table.rest(7) == [SetLine("shaker_start", False, 7)]
