"""Whole machines with acceptor and hopper on a ccTalk bus: every fault, and power cuts of service and devices.

What is true is the simulated devices': the tokens in the acceptor's box, and those that left the hopper.
"""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Final

import pytest

from controller.bench.simulation import Score, simulate
from controller.games.machines.account import balance_error
from feed.events import DeviceFault, MachineEvent
from simulators.pusher.coin_table import COIN_FAULTS, VOIDED
from tests.tables.bench import EventList, configured
from tests.tables.coin_machine import MS, CoinMachine, attended, coin_toml

SOAK_CUTS: Final = 800
SHUTS: Final = {
    "acceptor_string": {"token_stringed"},
    "acceptor_blocked": {"token_jam"},
    "acceptor_light": {"acceptor_error"},
    "acceptor_reset": {"token_in_doubt"},
    "acceptor_silent": {"acceptor_silent", "token_in_doubt"},
    "hopper_silent": {"hopper_silent"},
    "bus_unplugged": {"sensor_missing"},
    "hopper_empty": {"payout_short", "hopper_empty"},
    "hopper_jam": {"payout_short", "hopper_jam"},
    "hopper_runaway": {"hopper_runaway"},
}
"""The faults that shut the machine."""


@pytest.mark.parametrize("fault", [fault.name for fault in COIN_FAULTS])
def test_t2_42_each_fault_of_the_coin_equipment_is_named_and_every_token_is_in_the_meters(fault: str) -> None:
    score, said = Score(), EventList()
    for played in simulate(configured(coin_toml()), 3, 7, {2: fault}):
        score.add(played)
        said += played.events
    assert score.unsupported == score.refused == []
    assert score.verdicts == ({"outcome": 2, "void dealer_call": 1} if fault in VOIDED else {"outcome": 3})
    assert {one.fault for one in said.of(DeviceFault)} == SHUTS.get(fault, set())
    last = said.of(MachineEvent)[-1]
    assert (last.credits, last.meters.tokens_in, last.meters.plays) == (0, 3, 3)
    assert balance_error(last.meters, last.credits) is None
    assert last.meters.tokens_refunded == (fault in VOIDED)
    assert last.meters.tokens_hand_paid == (fault in {"hopper_empty", "hopper_jam"})
    assert last.meters.tokens_overpaid == (fault == "hopper_runaway")


def life(seed: int, cuts: int) -> Counter[str]:
    """Plays, voids and payouts, and power cuts of the service, of the devices, and of both, at random moments."""
    rng = Random(seed)
    machine = CoinMachine(seed, commit_ns=rng.choice((1, 20, 100)) * MS, counts=rng.random() < 0.7)
    machine.run(1.5)
    doubts: Counter[str] = Counter()
    for _ in range(cuts):
        for _ in range(rng.randint(1, 4)):
            machine.token()
            machine.run(rng.uniform(0.0, 0.5))
            if rng.random() < 0.6:
                machine.order("void why=life")
            machine.run(rng.uniform(0.0, 0.4))
        before = (set(machine.faults), machine.table is not None)
        which = rng.randrange(3)
        if which != 1:
            machine.kill()
        if which != 0:
            machine.devices_off()
        machine.run(rng.uniform(0.05, 0.6))
        machine.devices_on()
        if machine.table is None:
            durable = {one.fault for one in machine.state.faults}
            machine.start()
            assert machine.faults >= durable, before
        machine.run(4.0)
        doubts += attended(machine)
    machine.run(6.0)
    doubts += attended(machine)
    machine.run(6.0)
    assert machine.missing_in == 0
    assert machine.missing_out == 0
    assert machine.credits == 0, machine.said.story()[-12:]
    assert balance_error(machine.meters, machine.credits) is None
    doubts["plays"] = machine.meters.plays
    doubts["paid"] = machine.coins.hopper.paid
    return doubts


def test_t2_37_power_cuts_of_service_and_devices_together_and_apart_lose_and_make_no_token() -> None:
    found = sum((life(seed, 6) for seed in range(6)), Counter[str]())
    assert found["plays"] > 30
    assert found["paid"] > 10


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("part", range(8))
def test_800_power_cuts_of_service_and_devices_lose_and_make_no_token(part: int) -> None:
    for number in range(SOAK_CUTS // 8 // 10):
        life(10_000 * (part + 1) + number, 10)
