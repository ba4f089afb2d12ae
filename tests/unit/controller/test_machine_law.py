"""The law of machines, by the ids of the laboratory rules: what is recorded, held, recalled, and paid by hand."""

from __future__ import annotations

import msgspec
import pytest

from controller.games.load import check_text
from controller.games.machines.account import MODULUS, balance_error
from feed import events
from feed.events import MachineEvent, Meters
from feed.state import MachineState, TableState, decode_snapshot, encode_snapshot
from hal.values import Edge
from tests.tables.bench import EventList
from tests.tables.pusher_machine import PusherMachine, pusher_toml


def faults(said: EventList) -> list[str]:
    return [one.fault for one in said.of(events.DeviceFault)]


def results(said: EventList) -> list[int]:
    return [one.result["tokens_won"] for one in said.of(events.Outcome)]


# --- 13:47-20.2 and the token --------------------------------------------------------------------------------------


def test_m4_a_token_in_the_chute_begins_a_play_and_what_falls_is_won() -> None:
    machine = PusherMachine()
    machine.token()
    machine.fall()
    machine.fall("house")
    machine.fall()
    said = machine.wait(9)
    outcome = said.one(events.Outcome)
    assert outcome.result == {"tokens_in": 1, "tokens_won": 2}
    assert (outcome.evidence.ended_by, len(outcome.evidence.falls_ns or ())) == ("time", 2)
    assert machine.meters == Meters(
        tokens_in=1, tokens_played=1, tokens_won=2, tokens_paid=2, tokens_to_house=1, plays=1, power_ups=1
    )


def test_m4_the_next_token_ends_a_play_and_begins_one() -> None:
    machine = PusherMachine()
    machine.token()
    machine.fall()
    said = machine.token()
    assert results(said) == [1]
    assert said.one(events.Outcome).evidence.ended_by == "token"
    assert [one.round for one in said.of(events.RoundStarted)] == [2]
    machine.fall()
    assert results(machine.wait(9)) == [1]


def test_a_play_that_has_ended_does_not_go_on_after_a_power_cut() -> None:
    machine = PusherMachine()
    machine.token()
    machine.fall()
    machine.wait(9)
    said = machine.restart()
    assert said.of(events.RoundStarted) == []
    assert results(machine.wait(30)) == []
    assert (machine.meters.tokens_played, machine.meters.plays) == (1, 1)


def test_m5_tokens_are_whole_dollars() -> None:

    assert check_text(pusher_toml("token_value = 5")).problems == []
    (problem,) = check_text(pusher_toml("token_value = 0.5")).problems
    assert problem.key == "game.token_value"
    machine = PusherMachine(pusher_toml("token_value = 5"))
    machine.token()
    machine.fall()
    machine.fall()
    assert machine.wait(9).one(events.Outcome).notices == ["2 tokens won: $10 of imitation money"]


def test_m1_a_change_of_what_touches_play_shuts_the_machine() -> None:
    machine = PusherMachine()
    machine.token()
    machine.wait(9)
    machine.text = pusher_toml("play_s = 4")
    said = machine.restart()
    assert faults(said) == ["configuration_changed"]
    assert machine.table.state == "shut"
    machine.ok("clear device=machine by=ann")
    assert faults(machine.restart()) == []


# --- power ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("before_s", [0.0, 0.5, 3.0, 7.5])
def test_t2_37_a_play_goes_on_where_the_power_failed(before_s: float) -> None:
    machine = PusherMachine()
    machine.token()
    machine.fall()
    machine.wait(before_s)
    said = machine.restart()
    assert said.of(events.Void) == []
    assert said.of(events.RoundOpened) == []
    assert [one.act for one in said.of(MachineEvent)] == ["power_on", "play_resumed"]
    machine.fall()
    assert results(machine.wait(9)) == [2]
    assert (machine.meters.tokens_won, machine.meters.plays) == (2, 1)


@pytest.mark.parametrize("records", [0, 1], ids=["no record", "a record"])
def test_t2_37_a_held_play_survives_starts_at_which_it_does_not_go_on(records: int) -> None:
    machine = PusherMachine()
    machine.token()
    machine.fall()
    machine.shelf_moves = False
    machine.wait(3)
    machine.shelf_moves = True
    for _ in range(2):
        machine.restart()
        assert machine.table.state == "shut"
        for level in (1, 0) * records:
            machine.level("door", level)
    machine.wait(1)
    machine.ok("clear device=bed by=ann")
    machine.fall()
    assert results(machine.wait(9)) == [2]
    assert (machine.meters.tokens_won, machine.meters.plays) == (2, 1)
    assert balance_error(machine.meters, machine.credits) is None


def test_t2_37_a_machine_without_a_play_opens_the_same_play_again() -> None:
    machine = PusherMachine()
    said = machine.restart()
    assert said.of(events.Void) == []
    assert said.of(events.RoundOpened) == []
    machine.token()
    assert EventList(machine.said).of(events.RoundStarted)[-1].round == 1


def test_t2_38_the_same_fault_shuts_it_again_after_the_power_comes_back() -> None:
    machine = PusherMachine()
    machine.token()
    machine.level("tilt", 1)
    machine.wait(1)
    assert machine.table.state == "shut"
    said = machine.restart()
    assert [(one.fault, one.before_restart) for one in said.of(events.DeviceFault)] == [("tilt", True)]
    assert machine.table.state == "shut"
    machine.token()
    assert machine.meters.plays == 1


def test_t2_39_no_token_is_staked_before_the_machine_has_begun_and_two_inputs_at_once_are_both_counted() -> None:
    machine = PusherMachine()
    machine.token()
    machine.chute("1+ 2+ 1-")
    machine.now_ns += 5_000_000

    machine.feed([Edge("token_in_2", 0, machine.now_ns), Edge("fall_player", 1, machine.now_ns)])
    machine.now_ns += 12_000_000
    machine.feed([Edge("fall_player", 0, machine.now_ns)])
    machine.wait(9)
    assert results(EventList(machine.said)) == [0, 1]
    assert machine.meters.tokens_in == 2


def test_t2_51_a_power_failure_in_a_play_and_each_start_are_reported() -> None:
    machine = PusherMachine()
    assert machine.said.one(MachineEvent).act == "power_on"
    machine.token()
    said = machine.restart()
    assert said.of(MachineEvent)[0].detail == "it failed in a play"
    assert machine.meters.power_ups == 2


def test_t2_61_a_machine_goes_on_after_its_fault_or_the_stake_goes_back() -> None:
    machine = PusherMachine()
    machine.token()
    machine.ok("void why=broken by=ann")
    assert machine.credits == 1
    assert (machine.meters.tokens_refunded, machine.meters.tokens_won) == (1, 0)
    refund = [one for one in machine.said.of(MachineEvent) if one.act == "stake_refunded"]
    assert [(one.tokens, one.credits, one.round) for one in refund] == [(1, 1, 1)]
    assert machine.ok("hand_pay by=ann") == "1 token paid by hand"
    machine.token()
    assert results(machine.wait(9)) == [0]
    assert balance_error(machine.meters, machine.credits) is None


def test_t2_51_a_play_that_a_fault_holds_can_be_made_void_and_its_stake_goes_back() -> None:
    machine = PusherMachine()
    machine.token()
    machine.shelf_moves = False
    machine.wait(3)
    assert machine.table.state == "shut"
    assert machine.ok("void why=broken by=ann") == "round 1 is void: dealer_call"
    assert (machine.credits, machine.meters.tokens_refunded, machine.meters.tokens_won) == (1, 1, 0)
    assert "no round is open" in machine.refused("void by=ann")
    machine.restart()
    assert (machine.credits, machine.table.state) == (1, "shut")
    machine.ok("hand_pay by=ann")
    machine.shelf_moves = True
    machine.wait(1)
    machine.ok("clear device=bed by=ann")
    machine.token()
    assert results(machine.wait(9)) == [0]
    assert balance_error(machine.meters, machine.credits) is None


# --- faults, door, test --------------------------------------------------------------------------------------------


def test_t2_42_a_jam_a_string_and_a_reverse_token_are_each_reported() -> None:
    for story, fault in (
        ("1+ 2+ 1- 1+ 2- 1-", "token_stringed"),
        ("2+ 1+ 2- 1-", "token_backwards"),
        ("2+ 2-", "token_in_doubt"),
    ):
        assert faults(PusherMachine().chute(story)) == [fault]
    machine = PusherMachine()
    machine.level("token_in_1", 1)
    assert faults(machine.wait(2)) == ["token_jam"]
    assert "chute" in machine.refused("clear device=chute by=ann")
    machine.level("token_in_1", 0)
    machine.ok("clear device=chute by=ann")
    assert machine.table.state == "open"


def test_t2_43_an_open_door_stops_play_and_closing_brings_it_back_as_it_was() -> None:
    machine = PusherMachine()
    machine.token()
    machine.wait(3)
    machine.level("door", 1)
    assert machine.game.account.credits == 0
    machine.token()
    assert (machine.credits, machine.meters.plays) == (1, 1)
    assert results(machine.wait(60)) == []
    machine.level("door", 0)
    assert results(machine.wait(4)) == []
    assert results(machine.wait(2)) == [0]
    assert machine.meters.door_openings == 1
    assert [act for act in machine.acts() if "door" in act] == ["door_opened", "door_closed"]


def test_t2_43_a_door_whose_sensor_is_gone_is_open() -> None:
    machine = PusherMachine()
    said = machine.unplug("door")
    assert [one.act for one in said.of(MachineEvent)] == ["door_opened"]
    assert faults(said) == ["sensor_missing"]
    machine.token()
    assert machine.meters.plays == 0


def test_t2_49_test_mode_touches_no_meter_and_leaves_the_machine_as_it_was() -> None:
    machine = PusherMachine()
    machine.token()
    machine.wait(9)
    before = machine.meters
    machine.ok("test_begin by=tom")
    machine.token()
    machine.fall()
    machine.fall("house")
    assert machine.meters == before
    machine.ok("test_end by=tom")
    assert machine.acts()[-5:] == ["test_begun", "test_token", "test_fall", "test_fall", "test_ended"]
    machine.token()
    assert machine.meters.plays == before.plays + 1


def test_t2_49_test_mode_waits_for_the_end_of_a_play() -> None:
    machine = PusherMachine()
    machine.token()
    assert "play 1 is on" in machine.refused("test_begin by=tom")
    assert "test mode is not on" in machine.refused("test_end by=tom")


def test_t2_50_no_play_begins_in_a_fault_and_its_token_is_paid_back() -> None:
    machine = PusherMachine()
    machine.level("tilt", 1)
    machine.wait(1)
    machine.token()
    assert (machine.meters.plays, machine.credits) == (0, 1)
    machine.level("tilt", 0)
    machine.wait(1)
    machine.ok("hand_pay by=ann")
    machine.ok("clear device=machine by=ann")
    machine.token()
    assert machine.meters.plays == 1


def test_t2_51_a_fault_and_its_clearing_are_recorded() -> None:
    machine = PusherMachine()
    machine.shelf_moves = False
    machine.wait(3)
    machine.shelf_moves = True
    machine.wait(1)
    machine.ok("clear device=bed by=ann")
    assert faults(machine.said) == ["shelf_stalled"]
    assert [one.by for one in machine.said.of(events.DeviceCleared)] == ["ann"]


def test_t2_59_a_stalled_shelf_locks_play_and_the_time_of_a_play_stands() -> None:
    machine = PusherMachine()
    machine.token()
    machine.wait(2)
    machine.shelf_moves = False
    assert faults(machine.wait(5)) == ["shelf_stalled"]
    machine.shelf_moves = True
    assert results(machine.wait(30)) == []
    machine.ok("clear device=bed by=ann")
    assert machine.acts()[-1] == "play_resumed"
    assert results(machine.wait(8)) == [0]


# --- memory --------------------------------------------------------------------------------------------------------


def test_t2_44_meters_have_seven_digits_and_begin_again() -> None:
    machine = PusherMachine()
    machine.token()
    account = machine.game.account
    account.meters = msgspec.structs.replace(account.meters, tokens_in=MODULUS - 1, tokens_played=MODULUS - 1)
    machine.token()
    assert MODULUS == 10**7
    assert (machine.meters.tokens_in, machine.meters.tokens_played) == (0, 0)
    assert balance_error(machine.meters, machine.credits) is None


def test_t2_7_the_last_ten_plays_are_kept_with_the_one_that_is_on() -> None:
    machine = PusherMachine()
    for _ in range(12):
        machine.token()
    state = machine.state
    assert [record.round for record in state.rounds] == list(range(2, 12))
    assert state.unfinished_round == 12


def test_t2_3_a_record_that_contradicts_itself_is_a_ram_error_and_shuts_the_machine() -> None:
    machine = PusherMachine()
    machine.token()
    machine.wait(9)
    assert machine.state.machine is not None
    wrong = msgspec.structs.replace(machine.state.machine, credits=3)
    machine.state.machine = wrong
    said = machine.restart()
    assert faults(said) == ["ram_error"]
    assert "3 are recorded" in said.one(events.DeviceFault).detail
    assert machine.table.state == "shut"


@pytest.mark.parametrize(
    "carried", [{"payouts": "many"}, {"acceptor": 5}, {"payout": {"tokens": 3}}, {"doubts": [["x"]]}]
)
def test_t2_3_a_record_that_cannot_be_read_is_a_ram_error(carried: dict[str, object]) -> None:
    machine = PusherMachine()
    machine.state.machine = MachineState(meters=Meters(), credits=0, carried=carried)
    assert faults(machine.restart()) == ["ram_error"]


def test_t2_48_a_snapshot_carries_meters_and_credits() -> None:
    machine = PusherMachine()
    machine.token()
    snapshot = decode_snapshot(encode_snapshot(machine.state.snapshot()))
    assert snapshot.machine == machine.state.machine
    assert TableState.from_snapshot(snapshot).machine == machine.state.machine


def test_t2_6_settings_changed_in_a_play_shut_the_machine_and_the_play_goes_on_after_that() -> None:
    machine = PusherMachine()
    machine.token()
    machine.fall()
    machine.text = pusher_toml("play_s = 20")
    assert faults(machine.restart()) == ["configuration_changed"]
    machine.ok("clear device=machine by=ann")
    assert machine.acts()[-1] == "play_resumed"
    assert results(machine.wait(21)) == [1]


# --- events, key and people ----------------------------------------------------------------------------------------


def test_t2_56_significant_events_have_a_time_a_code_and_every_meter() -> None:
    machine = PusherMachine()
    machine.token()
    machine.level("door", 1)
    for event in machine.said:
        if isinstance(event.data, MachineEvent):
            assert event.time
            assert event.sequence
            assert event.data.act
            assert balance_error(event.data.meters, event.data.credits) is None


def test_a_token_that_nobody_can_prove_is_counted_by_a_person() -> None:
    machine = PusherMachine()
    machine.chute("2+ 2-")
    assert "doubt" in machine.refused("clear device=machine by=ann")
    assert "2 is not between 0 and 1" in machine.refused("reconcile tokens=2 by=ann")
    assert "is not a number" in machine.refused("reconcile tokens=-1 by=ann")
    machine.restart()
    machine.ok("reconcile tokens=1 by=ann")
    assert "nothing is in doubt" in machine.refused("reconcile tokens=1 by=ann")
    machine.ok("hand_pay by=ann")
    machine.ok("clear device=machine by=ann")
    assert machine.table.state == "open"
    assert machine.meters.tokens_hand_paid == 1


def test_what_falls_out_of_play_is_recorded_and_won_by_nobody() -> None:
    machine = PusherMachine()
    machine.fall()
    assert machine.acts()[-1] == "falls_out_of_play"
    assert (machine.meters.tokens_won, machine.meters.tokens_paid, machine.meters.tokens_overpaid) == (0, 1, 1)


def test_a_tilt_ends_the_play_with_what_fell_before_it() -> None:
    machine = PusherMachine()
    machine.token()
    machine.fall()
    machine.level("tilt", 1)
    said = machine.wait(0.5)
    assert results(said) == [1]
    machine.fall()
    assert machine.meters.tokens_won == 1


def test_a_hand_pay_of_nothing_is_refused() -> None:
    assert "no tokens to be paid" in PusherMachine().refused("hand_pay by=ann")


def test_a_supervisor_corrects_what_a_play_won() -> None:
    machine = PusherMachine()
    machine.token()
    machine.wait(9)
    machine.ok("correct round=1 tokens=3 by=ann why=seen")
    assert machine.said.one(events.RoundCorrected).to.result == {"tokens_in": 1, "tokens_won": 3}
    assert "0 to 999" in machine.refused("correct round=1 tokens=x by=ann why=seen")


def test_a_service_that_is_stopped_leaves_the_play_as_it_is() -> None:
    machine = PusherMachine()
    machine.token()
    machine.fall()
    closing = machine.table.close(machine.now_ns, "maintenance")
    machine.publish(closing)
    assert EventList(closing).of(events.Void) == []
    machine.restart()
    assert results(machine.wait(9)) == [1]
