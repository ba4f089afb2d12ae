"""The law of plays where tokens come by a ccTalk acceptor and go by a hopper: what a player and an attendant see."""

from __future__ import annotations

from controller.games.machines.account import balance_error
from feed import events
from feed.events import MachineEvent
from hal.values import Command
from tests.tables.coin_machine import MS, CoinMachine


def acts(machine: CoinMachine) -> list[str]:
    return [one.act for one in machine.said.of(MachineEvent)]


def test_m4_a_token_in_the_acceptor_is_a_play() -> None:
    machine = CoinMachine()
    assert not machine.token()
    machine.run(2)
    assert machine.token()
    machine.run(10)
    assert (machine.meters.tokens_in, machine.meters.plays, machine.credits) == (1, 1, 0)
    assert [one.result for one in machine.said.of(events.Outcome)] == [{"tokens_in": 1, "tokens_won": 0}]


def test_t2_39_no_token_is_accepted_before_every_device_has_reported_who_it_is() -> None:
    machine = CoinMachine()
    machine.coins.hopper.power_cut(0)
    machine.run(6)
    assert not machine.token()
    assert machine.faults == {"hopper_silent"}
    machine.devices_on()
    machine.run(6)
    machine.order("clear device=coins")
    machine.run(2)
    assert machine.token()


def test_t2_42_an_empty_hopper_is_paid_by_hand_or_filled() -> None:
    machine = CoinMachine()
    machine.run(2)
    machine.coins.hopper.tokens = 0
    for _ in range(2):
        machine.token()
        machine.run(1)
        machine.order("void why=broken")
        machine.run(7)
        assert machine.faults == {"hopper_empty", "payout_short"}
        assert (machine.credits, machine.meters.tokens_refunded - machine.meters.tokens_hand_paid) == (1, 1)
        assert not machine.token()
        assert machine.order("hand_pay").reason == "1 token paid by hand"
        machine.order("clear device=coins")
        machine.run(2)
    machine.token()
    machine.run(1)
    machine.order("void why=broken")
    machine.run(7)
    machine.coins.hopper.tokens = 10
    machine.order("clear device=coins")
    machine.run(4)
    assert (machine.credits, machine.coins.hopper.paid, machine.meters.tokens_paid) == (0, 1, 1)
    assert machine.meters.tokens_hand_paid == 2
    assert balance_error(machine.meters, machine.credits) is None


def test_a_payout_leaves_only_after_its_plan_is_durable() -> None:
    machine = CoinMachine(commit_ns=3_000 * MS)
    machine.run(12)
    machine.token()
    machine.run(1)
    machine.order("void why=broken")
    machine.run(2.5)
    assert machine.coins.hopper.paid == 0
    machine.run(6)
    assert machine.coins.hopper.paid == 1
    assert acts(machine).index("payout_planned") < acts(machine).index("payout_ended")


def test_a_person_cannot_state_that_a_record_is_durable() -> None:
    machine = CoinMachine()
    machine.run(1)
    for given in ((), (("record", "x"),), (("record", "-1"),)):
        machine.send(Command("journalled", given, machine.now_ns))
    machine.run(1)
    refused = [one for one in machine.said.of(events.DeviceWarning) if one.warning == "command_refused"]
    assert len(refused) == 3


def test_t2_43_an_open_door_inhibits_the_acceptor_and_closing_brings_it_back() -> None:
    from hal.values import Edge

    machine = CoinMachine()
    machine.run(2)
    machine._feed([Edge("door", 1, machine.now_ns)], [])
    machine.run(1)
    assert not machine.token()
    machine._feed([Edge("door", 0, machine.now_ns)], [])
    machine.run(2)
    assert machine.token()
    machine.run(1)
    assert machine.meters.door_openings == 1


def test_t2_49_test_mode_inhibits_the_acceptor() -> None:
    machine = CoinMachine()
    machine.run(2)
    machine.order("test_begin")
    machine.run(1)
    before = machine.meters
    assert not machine.token()
    machine.order("test_end")
    machine.run(2)
    assert machine.meters == before
    assert machine.token()


def test_t2_38_a_doubt_stands_again_after_a_power_cut() -> None:
    machine = CoinMachine()
    machine.run(2)
    machine.coins.acceptor.reset(machine.now_ns)
    machine.run(3)
    assert machine.faults == {"token_in_doubt"}
    machine.kill()
    machine.run(0.5)
    machine.start()
    machine.run(3)
    assert machine.faults == {"token_in_doubt"}
    assert not machine.token()
    assert not machine.order("clear device=machine").accepted
    assert machine.order("reconcile tokens=0").accepted
    machine.order("clear device=machine")
    machine.run(2)
    assert machine.token()


def test_t2_47_a_device_that_was_exchanged_is_recorded_once() -> None:
    machine = CoinMachine()
    machine.run(2)
    machine.kill()
    machine.start()
    machine.run(3)
    known = [one.detail for one in machine.said.of(MachineEvent) if one.act == "device_identified"]
    assert [detail.split(":")[0] for detail in known] == ["coins.acceptor", "coins.hopper"]
    machine.kill()
    machine.coins.hopper.serial = bytes((88, 0, 0))
    machine.start()
    machine.run(3)
    known = [one.detail for one in machine.said.of(MachineEvent) if one.act == "device_identified"]
    assert len(known) == 3
    assert "serial 88" in known[-1]
