"""The life cycle of a table: opening, closing, inspections, faults, and restarts."""

from __future__ import annotations

import pytest

from controller.games.load import check_text
from controller.table.inspection import Inspections, no_inspection
from feed import events
from feed.events import Verdict, decode, encode
from feed.state import TableState
from hal.capture.command_text import read_command
from hal.values import Batch, Edge, EdgesLost, Loss, Rare
from tests.tables.bench import EventList
from tests.tables.money_lines import TURN, MoneyLines, S, money_toml
from tests.tables.orders import CommandBench
from tests.tables.roulette_lines import RouletteLines, roulette_toml

KEYED = '"dealer_no_more_bets", "supervisor_key"'
BY_HAND = '"dealer_no_more_bets", "dealer_settled"'
CHECKS = "turns_freely,pegs_and_indicator,parts_secure"


def inspected() -> str:
    """A table that opens only after an inspection."""
    return money_toml(buttons=KEYED).replace("[lines]", 'inspection = "opening"\n[lines]')


def closed(text: str = "", lines: MoneyLines | None = None) -> CommandBench:
    """A table that waits for a person to open it."""
    bench = CommandBench(text or money_toml(buttons=KEYED), opens=False)
    if lines is not None:
        bench.feed(Batch(lines.edges(), [], lines.now_ns))
    return bench


# --- opening -------------------------------------------------------------------------------------------------------


def test_a_table_that_opens_by_order_begins_closed() -> None:
    bench = closed()
    assert bench.said.story() == ["table.closed not opened yet"]
    assert bench.table.state == "closed"


def test_a_supervisor_opens_it_and_the_event_names_her() -> None:
    bench = closed()
    assert bench.done("open by=ann", 2 * S) == "the table is open"
    assert bench.said.story()[1:] == ["table.opened ann", "round.opened"]
    assert bench.said.one(events.TableOpened).rules == "njac-13:47-20"
    assert bench.table.state == "open"


def test_at_a_closed_table_a_spin_is_read_and_no_event_is_published() -> None:
    lines = MoneyLines().rest(3).call().spin(4 * TURN).rest(8)
    bench = closed(lines=lines)
    assert bench.said.story() == ["table.closed not opened yet"]
    why = "no round is open: the table is closed"
    assert bench.refused("void", lines.now_ns) == f"void: {why}"
    bench.done("open by=ann", lines.now_ns)
    assert bench.said.one(events.RoundOpened).round == 1


def test_a_table_opened_while_the_wheel_turns_waits_until_it_rests() -> None:
    lines = MoneyLines().rest(3).spin(6 * TURN).rest(8)
    bench = closed()
    bench.feed(Batch(lines.edges(), [read_command("open by=ann", 6 * S)], lines.now_ns))
    assert bench.said.verdicts() == []
    assert bench.said.one(events.TableOpened).mono_ns == 6 * S
    assert bench.said.one(events.RoundOpened).mono_ns > lines.now_ns - 8 * S


def test_a_fault_at_a_closed_table_latches_and_keeps_it_from_opening() -> None:
    bench = closed(lines=MoneyLines().rest(3))
    bench.feed(Batch([], [EdgesLost("wheel_a", Loss.UNPLUGGED, 4 * S)], 4 * S))
    assert bench.said.story()[1:] == ["device.fault sensor_missing"]
    assert bench.refused("open by=ann", 5 * S) == "open: sensor_missing of wheel is latched: clear it first"
    bench.feed(Batch([Edge("wheel_a", 1, 6 * S)], [], 6 * S))
    bench.done("clear device=wheel by=ann", 7 * S)
    assert bench.said.of(events.RoundOpened) == []
    bench.done("open by=ann", 8 * S)
    assert bench.table.state == "open"


def test_the_supervisors_key_opens_a_closed_table() -> None:
    bench = closed(lines=MoneyLines().rest(3).press("supervisor_key").rest(1))
    assert bench.said.story()[1:] == ["table.opened supervisor_key", "round.opened"]


def test_the_key_clears_a_fault_first_and_opens_with_the_next_turn() -> None:
    lines = MoneyLines().rest(6).press("supervisor_key").rest(3).press("supervisor_key").rest(3)
    bench = closed()
    edges = sorted([*lines.edges(), Edge("wheel_a", 1, 5 * S)], key=lambda edge: edge.t_ns)
    bench.feed(Batch(edges, [EdgesLost("wheel_a", Loss.UNPLUGGED, 3 * S)], lines.now_ns))
    assert bench.said.story()[2:] == ["device.cleared supervisor_key", "table.opened supervisor_key", "round.opened"]


def test_the_key_opens_a_table_though_a_fault_stands_that_does_not_keep_it_from_playing() -> None:
    lines = MoneyLines().rest(6).press("supervisor_key").rest(3)
    bench = closed(money_toml(buttons=f'{KEYED}, "dealer_void"'))
    bench.feed(Batch(lines.edges(), [EdgesLost("dealer_void", Loss.UNPLUGGED, 3 * S)], lines.now_ns))
    assert bench.said.of(events.DeviceWarning)[0].warning == "not_cleared"
    assert bench.said.story()[-2:] == ["table.opened supervisor_key", "round.opened"]


def test_a_dead_call_button_shuts_the_table_though_another_button_was_dead_before() -> None:
    bench = CommandBench(money_toml(call="button", buttons='"dealer_no_more_bets", "dealer_void"'))
    bench.feed(Batch([], [EdgesLost("dealer_void", Loss.UNPLUGGED, 2 * S)], 2 * S))
    assert bench.table.state == "open"
    bench.feed(Batch([], [EdgesLost("dealer_no_more_bets", Loss.UNPLUGGED, 3 * S)], 3 * S))
    assert bench.table.state == "shut" == bench.state().state
    assert bench.said.verdicts() == ["void sensor_missing"]
    assert [fault.blocks_play for fault in bench.said.of(events.DeviceFault)] == [False, True]


def test_the_key_does_not_open_what_was_not_inspected_and_says_so() -> None:
    bench = closed(inspected(), MoneyLines().rest(3).press("supervisor_key").rest(1))
    warning = bench.said.one(events.DeviceWarning)
    assert (warning.warning, warning.device) == ("not_opened", "table")
    assert warning.detail.startswith("wheel was not inspected")
    assert bench.table.state == "closed"


# --- closing -------------------------------------------------------------------------------------------------------


def test_closing_gives_open_bets_back_before_the_table_is_closed() -> None:
    bench = CommandBench(money_toml())
    assert bench.done("close reason=end of the night by=ann", 2 * S) == "the table is closed, and round 1 is void"
    assert bench.said.story()[2:] == ["void dealer_call", "table.closed ann"]
    void, shut = bench.said.one(events.Void), bench.said.one(events.TableClosed)
    assert (void.call, void.evidence.detail) == ("No spin", "the table closed: end of the night")
    assert (shut.reason, shut.by) == ("end of the night", "ann")
    assert bench.table.state == "closed"


def test_a_running_round_is_interrupted_only_with_force() -> None:
    lines = MoneyLines().rest(3).call().spin(6 * TURN).rest(8)
    bench = CommandBench(money_toml())
    soft, hard = (
        read_command("close reason=late by=ann id=a", 6 * S),
        read_command("close reason=fire by=ann force=true id=b", 7 * S),
    )
    bench.feed(Batch(lines.edges(), [soft, hard], lines.now_ns))
    refused, done = bench.table.answers()
    running = "close: round 1 is running; wait for its verdict, or give force=true to make it void"
    assert (refused.accepted, refused.reason) == (False, running)
    assert done.accepted
    assert bench.said.verdicts() == ["void dealer_call"]
    assert bench.said.story()[-1] == "table.closed ann"


def test_bets_that_are_being_paid_are_settled_before_the_table_closes() -> None:
    lines = MoneyLines().rest(3).call().spin(3 * TURN).rest(3)
    bench = CommandBench(money_toml(buttons=BY_HAND))
    bench.feed(Batch(lines.edges(), [], lines.now_ns))
    assert bench.done("close reason=late by=ann", lines.now_ns + S) == "the table is closed"
    assert bench.said.story()[-2:] == ["round.settled dealer", "table.closed ann"]


def test_a_closed_table_is_not_closed_again_and_opens_again() -> None:
    bench = CommandBench(money_toml())
    bench.done("close reason=pause by=ann", 2 * S)
    assert bench.refused("close reason=pause by=ann", 3 * S) == "close: the table is closed already"
    bench.done("open by=ann", 4 * S)
    assert bench.said.of(events.RoundOpened)[-1].round == 2


def test_a_shut_table_can_be_closed() -> None:
    bench = CommandBench(money_toml())
    bench.feed(Batch([], [EdgesLost("wheel_a", Loss.UNPLUGGED, 4 * S)], 4 * S))
    assert bench.table.state == "shut"
    assert bench.refused("open by=ann", 5 * S) == "open: the table is shut by device.fault sensor_missing: clear it"
    bench.done("close reason=repair by=ann", 5 * S)
    assert bench.table.state == "closed"


def test_when_the_service_ends_open_bets_go_back() -> None:
    bench = CommandBench(money_toml())
    said = EventList(bench.table.close(5 * S, "the service stops"))
    assert said.story() == ["void service_stopped", "table.closed the service stops"]


# --- inspections ---------------------------------------------------------------------------------------------------


def test_a_house_that_asks_for_an_inspection_opens_only_after_it() -> None:
    bench = closed(inspected())
    missing = "open: wheel was not inspected: inspect_start device=wheel first, then inspect_pass"
    assert bench.refused("open by=ann", S) == missing
    assert bench.done("inspect_start device=wheel by=tom", 2 * S).startswith("look at wheel: turns_freely: the wheel")
    assert bench.table.state == "inspecting"
    assert bench.refused("open by=ann", 3 * S) == "open: an inspection is under way: pass or fail it first"
    assert bench.refused("close reason=x by=ann", 3 * S) == "close: an inspection is under way"
    assert bench.done(f"inspect_pass device=wheel checks={CHECKS} by=ann", 4 * S) == "wheel passed its inspection"
    passed = bench.said.one(events.InspectionPassed)
    assert (passed.device, passed.checks, passed.by) == ("wheel", CHECKS.split(","), "ann")
    assert bench.table.state == "closed"
    bench.done("open by=ann", 5 * S)


def test_an_inspection_is_good_for_one_opening() -> None:
    bench = closed(inspected())
    bench.done("inspect_start device=wheel by=tom", S)
    bench.done(f"inspect_pass device=wheel checks={CHECKS} by=ann", 2 * S)
    bench.done("open by=ann", 3 * S)
    bench.done("close reason=pause by=ann", 4 * S)
    assert "was not inspected" in bench.refused("open by=ann", 5 * S)


def test_an_inspection_that_fails_names_the_checks_and_the_table_stays_closed() -> None:
    bench = closed(inspected())
    bench.done("inspect_start device=wheel by=tom", S)
    failed = "wheel failed its inspection: pegs_and_indicator"
    assert bench.done("inspect_fail device=wheel checks=pegs_and_indicator why=bent by=tom", 2 * S) == failed
    said = bench.said.one(events.InspectionFailed)
    assert (said.checks, said.detail, said.by) == (["pegs_and_indicator"], "bent", "tom")
    assert "was not inspected" in bench.refused("open by=ann", 3 * S)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("inspect_pass device=wheel checks=turns_freely by=ann", "inspect_pass: pegs_and_indicator, parts_secure must"),
        ("inspect_pass device=wheel checks=turns_frely by=ann", "nearest: turns_freely"),
        ("inspect_fail device=wheel checks=, by=ann", "inspect_fail: checks names none of turns_freely"),
        ("inspect_pass device=dealer checks=x by=ann", "inspect_pass: device dealer is not one of wheel"),
        ("inspect_start device=wheel by=ann", "inspect_start: one is under way already"),
    ],
)
def test_an_inspection_that_is_not_whole_is_refused(text: str, why: str) -> None:
    bench = closed(inspected())
    bench.done("inspect_start device=wheel by=tom", S)
    assert why in bench.refused(text, 2 * S)


def test_without_checks_no_inspection_begins() -> None:
    bench = closed()
    bench.table.lifecycle.inspections = Inspections(no_inspection("wheel"))
    assert "name nothing to look at on wheel" in bench.refused("inspect_start device=wheel by=tom", S)
    bench.done("open by=ann", 2 * S)


def test_roulette_is_looked_at_as_the_list_of_its_profile_says() -> None:
    bench = closed(roulette_toml())
    look = bench.done("inspect_start device=wheel by=tom", S)
    assert look.count(";") == 4
    assert "level: the wheel stands level" in look


def test_a_table_cannot_open_at_its_start_and_be_inspected_first() -> None:
    text = money_toml().replace("[lines]", 'inspection = "opening"\nopens = "at_start"\n[lines]')
    (problem,) = check_text(text).problems
    assert problem.key == "table.opens"
    assert "requires an inspection before the table opens" in problem.wrong


@pytest.mark.parametrize(
    ("keys", "opens"), [("", "at_start"), ('opens = "by_order"', "by_order"), ('inspection = "opening"', "by_order")]
)
def test_a_simulated_table_opens_by_itself_unless_told_otherwise(keys: str, opens: str) -> None:
    report = check_text(money_toml().replace("[lines]", f"{keys}\n[lines]"))
    assert [table.opens for table in report.tables] == [opens]


def test_a_wrong_way_to_open_is_told_with_the_right_ones() -> None:
    (problem,) = check_text(money_toml().replace("[lines]", 'opens = "by_ordr"\n[lines]')).problems
    assert problem.fix == 'did you mean "by_order"? (one of "at_start", "by_order")'


# --- after a restart -----------------------------------------------------------------------------------------------


def again(before: CommandBench, *, opens: bool = False, state: TableState | None = None) -> CommandBench:
    """The table of the next start, with what the journal held."""
    state = state or before.state()
    return CommandBench(money_toml(), opens=opens, before=state, epoch="next", t_ns=100 * S)


def test_numbers_go_on_and_the_first_event_names_the_epoch_before() -> None:
    before = CommandBench(money_toml())
    before.table.close(2 * S, "the service stops")
    after = again(before, opens=True)
    opened = after.said.one(events.TableOpened)
    assert (opened.previous_epoch, opened.previous_sequence) == ("sim", 2)
    assert [event.id for event in after.said] == [f"wheel-1.next.{n}" for n in range(3, 3 + len(after.said))]


def test_a_table_that_stays_closed_names_the_epoch_before_too() -> None:
    before = CommandBench(money_toml())
    before.done("close reason=late by=ann", 2 * S)
    after = again(before)
    first = after.said.one(events.TableClosed)
    assert (first.reason, first.previous_epoch, first.previous_sequence) == ("not opened yet", "sim", 4)
    assert after.table.state == "closed"


def test_a_first_start_names_no_epoch_before_it() -> None:
    first = CommandBench(money_toml(), before=TableState("wheel-1"))
    opened = first.said.one(events.TableOpened)
    assert (opened.previous_epoch, opened.previous_sequence) == (None, None)
    assert first.said[0].seq == 1


def test_a_round_that_was_open_when_the_power_went_is_void_before_the_next_opens() -> None:
    after = again(CommandBench(money_toml()))
    assert after.said.story() == ["table.opened", "void power_loss", "round.opened"]
    void = after.said.one(events.Void)
    assert (void.round, void.rule, void.call) == (1, "ours", "No spin")
    assert after.said.one(events.RoundOpened).round == 2


def test_a_table_that_was_open_when_the_power_went_is_open_again_though_it_opens_by_order() -> None:
    assert again(CommandBench(money_toml()), opens=False).table.state == "open"


def test_a_table_that_was_closed_in_order_has_no_round_to_void() -> None:
    before = CommandBench(money_toml())
    before.said += before.table.close(2 * S, "the service stops")
    assert again(before).said.story() == ["table.closed not opened yet"]


def test_a_latched_fault_is_latched_and_published_again_after_a_restart() -> None:
    before = CommandBench(money_toml())
    before.feed(Batch([], [EdgesLost("wheel_a", Loss.UNPLUGGED, 4 * S)], 4 * S))
    after = again(before)
    assert after.said.story() == ["table.opened", "device.fault sensor_missing"]
    was, now = before.said.one(events.DeviceFault), after.said.one(events.DeviceFault)
    assert (now.device, now.fault, now.detail, now.blocks_play) == (was.device, was.fault, was.detail, True)
    assert (was.before_restart, now.before_restart) == (False, True)
    assert after.table.state == "shut"
    after.done("clear device=wheel by=ann", 101 * S)
    assert after.said.story()[-2:] == ["device.cleared ann", "round.opened"]


def test_a_fault_whose_cause_is_present_is_not_published_a_third_time_and_not_cleared() -> None:
    before = CommandBench(money_toml())
    before.feed(Batch([], [EdgesLost("wheel_a", Loss.UNPLUGGED, 4 * S)], 4 * S))
    after = again(before)
    after.feed(Batch([], [EdgesLost("wheel_a", Loss.UNPLUGGED, 101 * S)], 101 * S))
    assert len(after.said.of(events.DeviceFault)) == 1
    assert "stays, because of wheel_a" in after.refused("clear device=wheel by=ann", 102 * S)


def test_a_round_of_before_the_restart_can_be_corrected() -> None:
    before = CommandBench(money_toml(buttons=BY_HAND))
    lines = MoneyLines().rest(3).call().spin(3 * TURN).rest(3)
    before.feed(Batch(lines.edges(), [], lines.now_ns))
    before.done("correct round=1 space=4 by=ann why=touched", lines.now_ns + S)
    after = again(before)
    after.done("correct round=1 reason=dealer_call by=ann why=nobody knows", 101 * S)
    correction = after.said.one(events.RoundCorrected)
    assert correction.from_ == before.said.one(events.RoundCorrected).to
    assert correction.to == Verdict(verdict="void", reason="dealer_call")


def test_rounds_of_another_game_are_not_recalled() -> None:
    before = CommandBench(roulette_toml().replace("roulette-1", "wheel-1"))
    before.feed(Batch(RouletteLines().turn(3.0).edges(), [], 3 * S))
    before.done("void", 4 * S)
    after = again(before)
    for number in (1, 2):
        why = after.refused(f"correct round={number} space=1 by=ann why=x", 101 * S)
        assert why == f"correct: round {number} cannot be recalled: no round has a verdict yet"
    assert after.said.one(events.Void).reason == "power_loss"


def test_the_events_of_a_restarted_table_fold_to_its_state() -> None:
    before = CommandBench(money_toml())
    before.feed(Batch([], [EdgesLost("wheel_a", Loss.UNPLUGGED, 4 * S)], 4 * S))
    after = again(before)
    state = before.state()
    for event in after.said:
        state.apply(decode(encode(event)))
    assert (state.state, state.unfinished_round, state.epoch) == ("shut", None, "next")
    assert [fault.fault for fault in state.faults] == ["sensor_missing"]


# --- what the service adds -----------------------------------------------------------------------------------------


def test_a_heartbeat_has_the_state_of_the_table() -> None:
    bench = closed()
    beat = bench.table.heartbeat(2 * S, 1, "ab")
    assert isinstance(beat.data, events.Heartbeat)
    assert (beat.id, beat.seq, beat.topic) == ("wheel-1.sim.e1", None, "sim/v1/wheel-1/heartbeat/")
    assert (beat.data.epoch, beat.data.last, beat.data.head, beat.data.state) == ("sim", 1, "ab", "closed")
    halted = bench.table.heartbeat(3 * S, 1, "ab", "halted")
    assert isinstance(halted.data, events.Heartbeat)
    assert halted.data.state == "halted"


def test_a_fault_of_the_service_shuts_the_table_until_its_cause_is_gone_and_it_is_cleared() -> None:
    bench = CommandBench(money_toml())
    said = EventList(bench.table.raise_fault("journal", "journal_full", "no space is left", 2 * S, cause="disk"))
    assert said.story() == ["device.fault journal_full", "void journal_full"]
    assert bench.table.raise_fault("journal", "journal_full", "no space is left", 3 * S) == []
    assert "because of disk" in bench.refused("clear device=journal by=ann", 4 * S)
    bench.table.cause_gone("journal", "disk")
    bench.done("clear device=journal by=ann", 5 * S)
    assert bench.table.state == "open"


def test_a_fault_of_the_service_that_does_not_block_play_leaves_the_round_open() -> None:
    bench = CommandBench(money_toml())
    said = EventList(bench.table.raise_fault("clock", "clock_jumped", "by 3 h", 2 * S, blocks_play=False))
    assert said.story() == ["device.fault clock_jumped"]
    assert bench.table.state == "open"


def test_commands_in_a_stream_give_the_same_events_however_the_batches_are_cut() -> None:
    lines = MoneyLines().rest(3).call().spin(4 * TURN).rest(8).call().spin(4 * TURN).rest(8)
    rare: list[Rare] = [
        read_command("close reason=x by=ann id=1", 2 * S),
        read_command("open by=ann id=2", 4 * S),
        read_command("correct round=1 space=3 by=ann why=x id=3", lines.now_ns - 4 * S),
    ]
    whole = CommandBench(money_toml())
    whole.feed(Batch(lines.edges(), rare, lines.now_ns))
    cut = CommandBench(money_toml())
    for start_ns in range(0, lines.now_ns, S // 3):
        end_ns = min(start_ns + S // 3, lines.now_ns)
        first = start_ns if start_ns else -1
        edges = [edge for edge in lines.edges() if first < edge.t_ns <= end_ns]
        cut.feed(Batch(edges, [one for one in rare if first < one.t_ns <= end_ns], end_ns))
    assert cut.said.body() == whole.said.body()
    assert cut.table.answers() == whole.table.answers()
