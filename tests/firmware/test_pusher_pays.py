"""The shipped example of a token pusher on its emulated Nano, with the real link: its hopper pays what is owed."""

from __future__ import annotations

from pathlib import Path

import pytest

from feed.events import DeviceFault, MachineEvent
from simulators.pusher.board_table import BoardPusherSimulator
from tests.fakes.time_limits import HANG_S
from tests.firmware.emulated import S
from tests.firmware.test_examples_on_boards import PlayedOnBoards

UNTIL_NS = 11 * S
"""The board's power comes on, a token goes in after 8 s, and its play is void."""


class Voided(PlayedOnBoards):
    """Its first play is made void as soon as it has begun."""

    void = False

    def _look(self) -> None:
        super()._look()
        if not self.void and any(event.act == "play_begun" for event in self.said.of(MachineEvent)):
            self.void = True
            assert self.table.command("void", {"by": "ann", "why": "test"}) is None


@pytest.mark.timeout(HANG_S)
@pytest.mark.long
def test_a_void_play_gives_a_credit_that_the_hopper_pays(tmp_path: Path) -> None:
    table = Voided("token_pusher_board", tmp_path, faults={1: "play_voided"})
    simulator = table.simulator
    assert isinstance(simulator, BoardPusherSimulator)
    tokens = simulator.board.tokens
    said = table.run(UNTIL_NS)
    acts = [(event.act, event.tokens, event.credits) for event in said.of(MachineEvent)]
    assert acts[acts.index(("stake_refunded", 1, 1)) :][:2] == [("stake_refunded", 1, 1), ("payout_planned", 1, 1)]
    assert ("payout_ended", 1, 0) in acts
    assert tokens - simulator.board.tokens == 1
    assert said.of(DeviceFault) == []
