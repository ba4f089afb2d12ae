"""What a sic bo table does when people, boards and shakers do something else than a round has them do."""

from __future__ import annotations

import pytest

from drivers.dice.frame_wire import FROM_HOST, FrameCommand, ShakerFrame, encode_frame
from feed import events
from hal.capture.command_text import read_command
from hal.lamp_fields import CHAIN, read_back
from hal.values import Edge, Frame, Output, SendFrame
from tests.tables.sic_bo_table import BUTTONS, MS, NEW, OLD, BoardBench, S, SicBoBench, sic_bo_toml

AUTOMATED = "[device.automated_shaker]"
BOTH = "[device.automated_shaker]\n[device.shaker]"
SENSED = "[device.automated_shaker]\npresent_sensor = true\n[device.shaker]"
SERIAL = '[device.automated_shaker]\ncontrol = "serial"'
STOP = encode_frame(ShakerFrame(FrameCommand.STOP, FROM_HOST))


def bench(devices: str = "", rules: str = NEW) -> SicBoBench:
    return SicBoBench(sic_bo_toml(rules, devices=devices))


def read_by_board(devices: str = "[device.reader]\n[device.shaker]") -> BoardBench:
    return BoardBench(sic_bo_toml(NEW, devices=devices))


def disturbed(table: SicBoBench) -> SicBoBench:
    """An unresolved round: it was shaken again after everybody saw its dice."""
    table.shaken().wait(2)
    table.pulse("shake", 0.02, 2.0)
    assert table.said.verdicts()[-1] == "unresolved dice_disturbed"
    return table


def standing(table: SicBoBench) -> list[tuple[str, str]]:
    return [(fault.device, fault.fault) for fault in table.table.faults.standing]


# --- a reading board -----------------------------------------------------------------------------------------------


def test_what_a_board_read_before_the_shaking_is_never_the_rounds_result() -> None:
    table = read_by_board()
    table.moves().wait(1)
    table.sees("1-1-1").wait(3)
    table.call().cover()
    table.shake(3).wait(2.5).uncover()
    table.wait(3)
    assert table.said.verdicts() == [], "the board has said nothing of these dice"
    table.moves().wait(0.1)
    assert table.said.verdicts() == ["unresolved dice_disturbed"]


def test_a_board_that_sees_the_dice_only_when_the_cover_comes_off_is_waited_for() -> None:
    table = read_by_board()
    table.moves().wait(1)
    table.sees("1-1-1").wait(3)
    table.call().cover().shake(3).wait(2.5)
    table.moves().uncover()
    table.sees("6-5-4").wait(3)
    assert table.said.verdicts() == ["6-5-4"]


def test_a_board_that_repeats_its_last_throw_after_the_shaking_says_nothing_of_it() -> None:
    table = read_by_board()
    table.moves().wait(1)
    table.sees("1-1-1").wait(3)
    table.call().cover().shake(3)
    table.state, table.dice = table.state.EMPTY, ()
    table.wait(2.5)
    table.sees("1-1-1").uncover().wait(25)
    assert table.said.verdicts() == ["unresolved value_missing"]


def test_what_was_read_under_the_cover_is_over_when_it_is_shaken_again() -> None:
    table = read_by_board()
    table.call().cover()
    table.moves().shake(3)
    table.sees("1-2-3").wait(2.5)
    table.shake(3).wait(2.5).uncover().wait(3)
    assert table.said.verdicts() == []


def test_dice_that_the_board_saw_move_after_the_reveal_are_nobodys_result() -> None:
    table = read_by_board("[device.reader]\n[device.keypad]\n[device.shaker]")
    table.call().cover()
    table.moves().shake(3)
    table.sees("1-2-3").wait(2.5).uncover().wait(2)
    table.moves().wait(1)
    assert table.said.verdicts() == ["unresolved dice_disturbed"]


@pytest.mark.parametrize(("after_ms", "verdicts"), [(1_000, []), (1_001, ["unresolved dice_disturbed"])])
def test_what_a_board_sees_move_until_the_cover_is_away_is_the_cover(after_ms: int, verdicts: list[str]) -> None:
    table = read_by_board("[device.reader]\n[device.keypad]\n[device.shaker]")
    table.call().cover()
    table.moves().shake(3)
    uncovered_ns = table.sees("1-2-3").wait(2.5).now_ns + MS
    table.uncover()
    # The bench has the board report 10 ms after each step.
    table.wait((uncovered_ns + (after_ms - 10) * MS - table.now_ns) / S)
    table.moves().wait(0.1)
    assert table.said.verdicts() == verdicts


def test_dice_that_the_board_reads_otherwise_while_their_areas_are_lit_are_disturbed() -> None:
    table = read_by_board()
    table.call().cover()
    table.moves().shake(3)
    table.sees("1-2-3").wait(2.5)
    table.answers.silent = True
    table.uncover()
    assert table.lit
    table.sees("1-2-4").wait(0.5)
    assert table.said.verdicts() == ["unresolved dice_disturbed"]


def test_a_board_at_an_automated_shaker_speaks_only_of_the_toss_that_was_called() -> None:
    table = read_by_board("[device.reader]\n[device.automated_shaker]")
    table.moves().wait(1)
    table.sees("1-1-1").wait(3)
    table.call().wait(1.5)
    table.moves().wait(9.5)
    assert table.said.verdicts() == [], "the board sees them move still"
    table.sees("6-5-4").wait(3)
    assert table.said.verdicts() == ["6-5-4"]


def test_a_board_that_reads_dice_while_they_are_shaken_sets_no_deadline_of_the_past() -> None:
    table = read_by_board()
    table.call().cover()
    table.moves().shake(3)
    table.sees("1-2-3").wait(0.5)
    table.wait(60)
    assert table.said.verdicts() == []
    table.uncover().wait(1)
    assert table.said.verdicts() == ["1-2-3"]


def test_a_deadline_that_a_run_sets_for_the_past_does_not_stop_the_time() -> None:
    game = bench().game
    due = list[int]()

    def run_due(t_ns: int) -> None:
        due.append(t_ns)
        game.rounds.set_run_due(0)

    game.run_due = run_due  # type: ignore[method-assign]
    game.rounds.set_run_due(5 * S)
    game.rounds.due(6 * S)
    assert due == list(range(5 * S, 6 * S + 1, MS))


# --- an automated shaker that was removed ---------------------------------------------------------------------------


def test_the_cable_of_a_shaker_that_was_removed_shuts_nothing() -> None:
    table = bench(SERIAL + "\n[device.shaker]")
    table.order("shaker_removed by=ann")
    table.lose("shaker_serial").wait(1)
    assert (table.table.state, standing(table)) == ("open", [])
    assert table.played().said.verdicts() == ["4-2-1"]
    table.settle().order("shaker_placed by=ann")
    assert standing(table) == [("automated_shaker", "sensor_missing")]
    assert "sensor_missing stays" in table.order("clear device=automated_shaker by=ann").reason
    table.order("shaker_removed by=ann")
    assert table.order("clear device=automated_shaker by=ann").accepted
    assert table.played().said.verdicts()[-1] == "4-2-1"


def test_a_shaker_that_is_removed_takes_the_cause_of_its_fault_with_it() -> None:
    table = bench(SERIAL + "\n[device.shaker]")
    table.lose("shaker_serial").wait(1)
    assert standing(table) == [("automated_shaker", "sensor_missing")]
    table.order("shaker_removed by=ann")
    assert table.order("clear device=automated_shaker by=ann").accepted
    assert table.played().said.verdicts()[-1] == "4-2-1"


def test_a_busy_contact_of_a_shaker_that_was_removed_holds_nothing_up() -> None:
    table = bench(BOTH)
    table.order("shaker_removed by=ann")
    table.level("shaker_busy", 1).shaken(2).wait(1)
    assert table.said.verdicts() == ["void too_few_shakes"]
    assert table.played().said.verdicts()[-1] == "4-2-1"


def test_a_round_that_runs_out_for_a_stuck_contact_ends_when_the_shaker_is_removed() -> None:
    table = bench(BOTH).call().wait(3)
    table.order("void by=bob")
    table.level("shaker_busy", 1).wait(60)
    table.order("clear device=automated_shaker by=ann")
    table.order("shaker_removed by=ann")
    table.order("clear device=automated_shaker by=ann")
    assert table.played().said.verdicts()[-1] == "4-2-1"


@pytest.mark.parametrize("line", ["shaker_fault", "shaker_busy"])
def test_a_shaker_that_is_put_on_the_table_while_it_fails_is_not_started(line: str) -> None:
    table = bench(SENSED).level("automated_shaker_present", 1).level("automated_shaker_present", 0)
    table.level(line, 1).played().settle()
    table.level("automated_shaker_present", 1)
    assert standing(table) == [("automated_shaker", "shaker_failed")]
    table.call().wait(12)
    assert table.answers.starts == []
    table.level(line, 0)
    assert table.order("clear device=automated_shaker by=ann").accepted
    table.call().wait(12).key("1-2-3")
    assert table.said.verdicts()[-1] == "1-2-3"


# --- operations and lamps of an inspection --------------------------------------------------------------------------


def inspected(table: SicBoBench, operations: int = 0) -> SicBoBench:
    table.order("close reason=late by=ann")
    table.order(f"inspect_start device={table.game.device} by=ann")
    for dice in ("1-2-3", "4-4-4", "5-5-6"):
        table.order(f"inspect_dice dice={dice} by=ann")
        table.wait(1)
    for _ in range(operations):
        table.order("operate_shaker by=ann")
        table.wait(13)
    return table


PASS = "inspect_pass device=automated_shaker checks=electrical_device,automated_shaker by=ann"


def test_an_inspection_passes_only_when_the_shaker_has_ended_its_operation() -> None:
    table = inspected(bench(AUTOMATED), 3)
    table.order("operate_shaker by=ann")
    assert "is being operated" in table.order(PASS).reason
    table.wait(13)
    assert table.order(PASS).accepted
    table.order("open by=ann")
    table.call().wait(12).key("1-2-3")
    assert table.said.verdicts()[-1] == "1-2-3"


def test_a_round_opens_when_an_operation_that_went_on_has_ended() -> None:
    table = bench(AUTOMATED)
    table.order("shift_begins by=ann")
    for _ in range(3):
        table.order("operate_shaker by=ann")
        table.wait(13)
    table.game.upkeep.inspection.shift_due = True  # as one more operation than is owed
    table.order("operate_shaker by=ann")
    table.order("clear device=automated_shaker by=ann")
    table.wait(15)
    assert table.said.story()[-1] == "round.opened"


def test_an_operation_that_a_fault_breaks_off_fails_and_the_next_toss_is_the_rounds() -> None:
    table = inspected(bench(AUTOMATED), 3)
    table.order("operate_shaker by=ann")
    table.wait(2).lose("key_1").wait(0.5)
    failed = table.said.one(events.InspectionFailed)
    assert (failed.device, failed.checks, failed.by) == ("automated_shaker", ["operation"], "ann")
    table.level("key_1", 0).wait(15)
    table.order("clear device=keypad by=ann")
    assert table.order(PASS).accepted
    table.order("open by=ann")
    table.call().wait(12).key("1-2-3")
    assert table.said.verdicts()[-1] == "1-2-3"


def test_lamps_that_a_fault_breaks_off_lighting_fail_and_are_dark() -> None:
    table = bench()
    table.order("close reason=late by=ann")
    table.answers.silent = True
    table.order("lamp_test by=ann")
    table.lose("key_1").wait(0.2)
    assert table.said.one(events.InspectionFailed).checks == ["all lamps"]
    assert table.lit == frozenset()


def test_m6_a_dark_chain_passes_no_lamp_test() -> None:
    table = inspected(bench())
    table.order("inspect_pass device=shaker checks=electrical_device by=ann")
    table.answers.silent = True
    at_ns = table.now_ns
    orders = ["lamp_test by=ann", "open by=ann", "no_more_bets by=bob"]
    table._feed([], [read_command(text, at_ns + n * MS) for n, text in enumerate(orders, 1)], at_ns + 10 * MS)
    passed = len(table.said.of(events.InspectionPassed))
    table.answers.silent = False
    table._feed([], [Frame(CHAIN, read_back(set()), at_ns + 20 * MS)], at_ns + 50 * MS)
    assert len(table.said.of(events.InspectionPassed)) == passed
    assert table.table.state == "closed", "it does not open while its lamps are tried"


def test_s4_three_numeric_values_are_one_entry_of_three_dice() -> None:
    table = bench()
    table.order("close reason=late by=ann")
    table.order("inspect_start device=shaker by=ann")
    passes = "inspect_pass device=shaker checks=electrical_device by=ann"
    assert "0 of 3 values" in table.order(passes).reason
    table.order("inspect_dice dice=4-4-4 by=ann")
    table.wait(1)
    assert table.order(passes).accepted


# --- settling ------------------------------------------------------------------------------------------------------


def test_s10_an_unresolved_round_is_not_settled_by_closing_the_table() -> None:
    table = disturbed(bench())
    assert "call it first" in table.order("close reason=late by=ann").reason
    assert table.table.state == "open"
    answer = table.order("close reason=late by=ann force=true")
    assert "stays as it is" in answer.reason
    assert table.said.of(events.Settled) == []
    inspected_and_opened(table)
    assert table.game.rounds.uncalled == 1
    table.order("void by=bob")
    table.settle()
    assert table.said.story()[-2:] == ["round.settled dealer", "round.opened"]


def inspected_and_opened(table: SicBoBench) -> None:
    inspected(table).order("inspect_pass device=shaker checks=electrical_device by=ann")
    assert table.order("open by=ann").accepted
    table.wait(1)


def test_s10_a_corrected_round_is_not_settled_by_closing_before_its_areas_are_lit() -> None:
    table = bench().played()
    table.answers.silent = True
    table.order("correct round=1 dice=1-1-1 by=ann why=seen")
    assert "are not lit yet" in table.order("close reason=late by=ann").reason
    assert table.said.of(events.Settled) == []


def test_s14_a_round_whose_lamps_failed_is_not_settled_by_closing_the_table() -> None:
    table = bench().shaken()
    table.answers.dead = {28}
    table.key("4-2-1").wait(2)
    assert "a supervisor settles round 1" in table.order("close reason=late by=ann").reason
    assert table.said.of(events.Settled) == []
    assert table.order("settle_attended by=ann").accepted
    assert table.order("close reason=late by=ann").accepted


def test_the_lamps_of_a_round_that_is_left_as_its_table_is_closed_by_force_go_dark() -> None:
    table = bench().shaken()
    table.answers.dead = {28}
    table.key("4-2-1").wait(2)
    assert table.lit
    assert "stays as it is" in table.order("close reason=late by=ann force=true").reason
    assert table.lit == frozenset()


def automatic() -> SicBoBench:
    """A table without a settle button."""
    return SicBoBench(sic_bo_toml().replace(str(list(BUTTONS)), str([one for one in BUTTONS if "settled" not in one])))


def test_a_round_that_is_corrected_twice_before_its_areas_are_lit_settles_by_itself() -> None:
    table = automatic().played()
    at_ns = table.now_ns
    orders = [f"correct round=1 {what} by=ann why=seen" for what in ("dice=1-1-1", "reason=dealer_call")]
    table._feed([], [read_command(text, at_ns + n * MS) for n, text in enumerate(orders, 1)], at_ns + 5 * MS)
    table.wait(60)
    assert table.said.story()[-2:] == ["round.settled auto", "round.opened"]


def test_the_lamps_of_a_round_that_nobody_can_decide_go_dark() -> None:
    table = bench().shaken().wait(2)
    table.answers.silent = True
    table.key("4-2-1")
    assert table.lit
    at_ns = table.now_ns
    table._feed([Edge("shake", 1, at_ns + 20 * MS), Edge("shake", 0, at_ns + 40 * MS)], [], at_ns + 400 * MS)
    assert table.said.verdicts() == ["unresolved dice_disturbed"]
    assert table.lit == frozenset()


def test_a_void_round_that_is_given_its_result_later_says_that_no_area_is_lit_for_it() -> None:
    table = bench().call().cover().shake(3).wait(2.5).uncover()
    table.order("void by=bob")
    table.order("correct round=1 dice=4-2-1 by=ann why=seen")
    (notice,) = table.said.one(events.RoundCorrected).notices
    assert notice.startswith("areas_not_lit")
    assert table.lit == frozenset()


def test_a_fault_line_alone_is_no_toss_while_bets_are_paid() -> None:
    table = bench(AUTOMATED).call().wait(12).key("1-2-3")
    table.level("shaker_fault", 1)
    assert [one.warning for one in table.said.of(events.DeviceWarning)] == []
    assert standing(table) == [("automated_shaker", "shaker_failed")]


# --- a restart -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", [OLD, NEW])
def test_an_unresolved_round_is_still_to_be_called_after_a_restart(rules: str) -> None:
    table = disturbed(bench(rules=rules)).rebooted()
    assert (table.game.rounds.uncalled, table.said.of(events.RoundOpened)) == (1, [])
    assert table.said.of(events.DeviceWarning)[-1].warning == "not_settled"
    table.settle()
    assert table.said.of(events.Settled) == []
    table.order("correct round=1 dice=4-2-1 by=ann why=seen")
    assert table.lit == bench(rules=rules).played().lit
    table.settle()
    assert table.said.story()[-2:] == ["round.settled dealer", "round.opened"]


def test_a_round_that_was_being_paid_has_its_areas_lit_again_after_a_restart() -> None:
    before = bench().played()
    table = before.rebooted()
    assert table.lit == before.lit
    table.settle()
    assert table.said.of(events.Settled)[0].round == 1
    assert table.lit == frozenset()


def test_a_round_that_was_made_void_and_not_settled_waits_to_be_settled_after_a_restart() -> None:
    table = bench().played()
    table.order("correct round=1 reason=dealer_call by=ann why=seen")
    table = table.rebooted()
    assert (table.lit, table.said.of(events.RoundOpened)) == (frozenset(), [])
    table.settle()
    assert table.said.story()[-2:] == ["round.settled dealer", "round.opened"]


def test_s14_a_round_whose_lamps_failed_is_a_supervisors_after_a_restart_too() -> None:
    table = bench().shaken()
    table.answers.dead = {28}
    table = table.key("4-2-1").wait(2).rebooted()
    table.settle()
    assert table.said.of(events.Settled) == []
    assert table.order("settle_attended by=ann").accepted
    assert (table.said.one(events.Settled).by, table.table.state) == ("supervisor", "shut")
    assert table.rebooted().said.of(events.DeviceWarning) == [], "it is settled once"


def test_a_round_that_was_settled_is_not_settled_again_after_a_restart() -> None:
    assert bench().played().settle().rebooted().said.story()[-1] == "round.opened"


# --- a serial shaker that is stopped --------------------------------------------------------------------------------


def given_up(*, answers: int) -> tuple[SicBoBench, list[int]]:
    """A toss that the dealer calls void; `answers` of the orders to stop are heard. Returns when they were given."""
    table = bench(SERIAL).call().wait(3)
    tosser = table.answers.tosser
    assert tosser is not None
    command, told = tosser.command, list[int]()

    def hears(output: Output) -> None:
        if isinstance(output, SendFrame) and output.data == STOP:
            told.append(output.t_ns)
            if len(told) <= 2 - answers:
                return
        command(output)

    tosser.command = hears  # type: ignore[method-assign]
    table.order("void by=bob")
    return table, told


def test_a_toss_that_was_given_up_is_over_when_the_shaker_says_that_it_stops() -> None:
    table, told = given_up(answers=2)
    assert len(told) == 1
    table.wait(1)
    assert table.said.story()[-2:] == ["void dealer_call", "round.opened"]


def test_a_stop_that_is_not_answered_is_given_once_more() -> None:
    table, told = given_up(answers=1)
    table.wait(1.5)
    assert table.said.story()[-1] == "void dealer_call", "it may toss still"
    table.wait(1.5)
    assert [round((t_ns - told[0]) / S, 3) for t_ns in told] == [0, 2]
    assert table.said.story()[-1] == "round.opened"
    assert standing(table) == []


def test_a_shaker_that_does_not_answer_two_stops_has_failed() -> None:
    table, told = given_up(answers=0)
    table.wait(4.5)
    assert standing(table) == [("automated_shaker", "shaker_failed")]
    table.wait(30)
    assert [round((t_ns - told[0]) / S, 3) for t_ns in told] == [0, 2, 9], "sent until it is answered"
    assert table.order("clear device=automated_shaker by=ann").accepted
    table.call().wait(16).key("1-2-3")
    assert table.said.verdicts()[-1] == "1-2-3"


def test_a_round_that_is_void_as_the_shaker_starts_blames_nobody_for_the_toss() -> None:
    table = bench(AUTOMATED).call()
    table.wait(1.35)
    assert len(table.answers.starts) == 1
    table.order("void by=bob")
    table.wait(30)
    assert standing(table) == []
    table.call().wait(12).key("1-2-3")
    assert table.said.verdicts()[-1] == "1-2-3"


# --- the age of the dice -------------------------------------------------------------------------------------------


def test_the_time_of_events_does_not_go_back_when_old_dice_are_placed() -> None:
    table = bench().wait(100)
    table.order("dice_placed age_h=23.9 by=ann")
    table.wait(1)
    times = [event.data.mono_ns for event in table.said]
    assert times == sorted(times)
