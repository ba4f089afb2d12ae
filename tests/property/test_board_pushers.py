"""Simulated token pushers on their own boards, with every fault: outcomes and meters are the physical truth."""

from __future__ import annotations

import pytest

from controller.bench.simulation import Score, simulate
from controller.games.machines.account import balance_error
from feed.events import DeviceFault, MachineEvent
from simulators.pusher.board_table import BOARD_FAULTS, VOIDED
from tests.tables.bench import EventList, configured

TOML = '[table]\nid = "pusher-1"\ngame = "token_pusher"\n[lines]\nbackend = "sim"\n[device.board]\n'
SHUTS = {
    "shelf_stalled": {"shelf_stalled"},
    "tilted": {"tilt"},
    "board_unplugged": {"sensor_missing"},
    "win_stuck": {"sensor_stuck"},
    "board_hopper_empty": {"payout_in_doubt"},
}


@pytest.mark.parametrize("fault", ["none", *(fault.name for fault in BOARD_FAULTS)])
def test_t2_42_each_fault_of_a_pusher_on_its_board_is_named_and_every_token_is_in_the_meters(fault: str) -> None:
    for seed in range(3):
        score, said = Score(), EventList()
        for played in simulate(configured(TOML), 6, seed, {2: fault, 4: fault}):
            score.add(played)
            said += played.events
        assert score.unsupported == score.refused == []
        void = 2 * (fault in VOIDED)
        assert score.verdicts["outcome"] == 6 - void
        assert {one.fault for one in said.of(DeviceFault)} == SHUTS.get(fault, set())
        last = said.of(MachineEvent)[-1]
        assert (last.credits, last.meters.tokens_in, last.meters.plays) == (0, 6, 6)
        assert last.meters.tokens_refunded == void
        assert balance_error(last.meters, last.credits) is None
