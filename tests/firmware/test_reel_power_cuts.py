"""A skill-stop reel whose power fails in a play: its service, its boards with their own programs, or all of them.

What is true is where the simulated reels stand when an outcome is published, and which tokens were put in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

import pytest

from controller.games.machines.account import balance_error
from controller.live.live_table import KnownTable, LiveTable
from feed import events
from feed.events import MachineEvent
from feed.state import TableState
from hal.loop import sleep_ns
from simulators.reels.table import ReelsSimulator
from tests.firmware.emulated import MS, S
from tests.firmware.live_evening import CLOSED, LOOK_NS
from tests.firmware.test_examples_on_boards import PlayedOnBoards

NAME: Final = "skill_stop_reel_board"
SYMBOL: Final = 10
"""Steps."""
ALL: Final = ("service", "reels", "cabinet")
WHO: Final = (("service",), ("reels",), ("cabinet",), ("reels", "cabinet"), ALL)
OFF_NS: Final = 300 * MS
AFTER_NS: Final = 40 * S
"""The last play has ended by then."""
QUIET_NS: Final = 5 * S
"""So long after the last cut a play that was on has been taken up again."""
SOAK_CUTS: Final = 500
SOAK_PARTS: Final = 20
EVENING: Final = (4, 12)
"""Plays and cuts of an evening of the soak: a cut every 5 s."""


class Cut(NamedTuple):
    """The power of these fails, and comes back after `OFF_NS`."""

    t_ns: int
    who: tuple[str, ...]


class CutEvening(PlayedOnBoards):
    """Plays on emulated boards with power cuts."""

    def __init__(self, folder: Path, rounds: int, cuts: list[Cut]) -> None:
        super().__init__(NAME, folder, rounds)
        assert isinstance(self.simulator, ReelsSimulator)
        self.reels = self.simulator
        self.state = TableState(self.config.id)
        """What is durable."""
        self.services = 0
        self._cuts = sorted(cuts)
        self._counted = (0, 0)
        """The service and the record whose doubt the attendant has counted last."""

    async def _live(self, until_ns: int, script: Callable[[], object]) -> None:
        with ExitStack() as opened:
            self._start(lambda: self._wire(opened))
            for cut in self._cuts:
                await self._until(cut.t_ns)
                await self._cut(cut)
            await self._until(until_ns)
            while not self._played_out() and self.clock.now_ns() < until_ns + AFTER_NS:
                await self._until(self.clock.now_ns() + S)
            self._keep(self.table.close(CLOSED))
            await self._ended()

    def _played_out(self) -> bool:
        """Whether every play that was begun has its outcome, and none can be taken up again."""
        machine = self.state.machine
        quiet = self.clock.now_ns() >= self._cuts[-1].t_ns + QUIET_NS
        return quiet and machine is not None and machine.meters.plays == len(self.said.of(events.Outcome))

    def _start(self, wires: Callable[[], object]) -> None:
        self.services += 1
        wiring = wires()
        epoch = f"{self.services:016x}"
        self.table = LiveTable(self.config, wiring, self.clock, epoch=epoch, known=KnownTable(self.state))  # type: ignore[arg-type]
        self.table.open_wires()
        self._keep(self.table.open())

    async def _cut(self, cut: Cut) -> None:
        boards = [self.steps[name] for name in cut.who if name in self.steps]
        for step in boards:
            step.power_board(False)
        if "service" in cut.who:
            for step in self.steps.values():
                step.unplug()
            self.table.safe()
            await self._ended()
        await sleep_ns(OFF_NS)
        for step in boards:
            step.power_board(True)
        if "service" in cut.who:
            for step in self.steps.values():
                step.plug_in()
            self._start(self._plug_in)

    async def _until(self, t_ns: int) -> None:
        while self.clock.now_ns() < t_ns:
            await sleep_ns(LOOK_NS)
            self._keep(self.table.tick().events)
            self._count_tokens()
            self.table.supervise()

    def _count_tokens(self) -> None:
        """An attendant has counted the tokens in the machine, and decides what is in doubt: each doubt once, in each
        service. A service whose boards are not up yet carries it out later.
        """
        machine = self.state.machine
        if machine is None or not machine.carried.get("doubts"):
            return
        doubt = (self.services, machine.carried["record"])
        if doubt != self._counted:
            self._counted = doubt
            there = len([one for one in self.reels.tokens_ns if one <= self.clock.now_ns()])
            missing = min(1, max(0, there - machine.meters.tokens_in))
            assert self.table.command("reconcile", {"tokens": str(missing), "by": "ann"}) is None

    def _keep(self, said: Sequence[events.Event]) -> None:
        self.said += said
        for event in said:
            self.state.apply(event)
            if isinstance(event.data, events.Outcome):
                places = [body.place for body in self.reels.bodies.values()]
                assert event.data.result["stops"] == [place // SYMBOL for place in places], self.said.story()
                assert all(place % SYMBOL == 0 for place in places)
        self.table.show(said)


def evening(folder: Path, seed: int, rounds: int, cuts: int) -> None:
    """Plays with cuts at any moment."""
    rng = Random(seed)
    last_ns = CutEvening(folder, rounds, []).evening.until_ns
    judge(folder, rounds, [Cut(rng.randrange(9 * S, last_ns), rng.choice(WHO)) for _ in range(cuts)])


def judge(folder: Path, rounds: int, cuts: list[Cut]) -> None:
    machine = CutEvening(folder, rounds, cuts)
    machine.run()
    held = machine.state.machine
    assert held is not None
    meters, outcomes = held.meters, machine.said.of(events.Outcome)
    assert balance_error(meters, held.credits) is None
    assert len({one.round for one in outcomes}) == len(outcomes)
    assert meters.plays == len(outcomes), machine.said.story()
    assert meters.plays == len([one for one in machine.said.of(MachineEvent) if one.act == "play_begun"])
    assert meters.tokens_won == sum(one.result["award"] for one in outcomes)
    starts = [one for one in machine.said.of(MachineEvent) if one.act == "power_on"]
    # A service that is cut before its boards are up has not begun.
    assert meters.power_ups == len(starts) <= machine.services
    # A token whose edges nobody saw, because the power was off, is one that the machine cannot know of.
    assert 0 <= len(machine.reels.tokens_ns) - meters.tokens_in <= len(cuts)


def test_power_cuts_of_service_and_boards_in_a_play_neither_lose_it_nor_change_its_result(tmp_path: Path) -> None:
    spins_ns = [10 * S + 200 * MS, 27 * S, 35 * S]
    judge(tmp_path, 2, [Cut(t_ns, who) for t_ns, who in zip(spins_ns, (("reels",), ("service",), ALL), strict=True)])


@pytest.mark.soak
@pytest.mark.timeout(36_000)
@pytest.mark.parametrize("part", range(SOAK_PARTS))
def test_500_power_cuts_of_service_and_boards_leave_every_meter_true(part: int, tmp_path: Path) -> None:
    plays, cuts = EVENING
    for number in range(-(-SOAK_CUTS // SOAK_PARTS // cuts)):
        evening(tmp_path, 1_000 * (part + 1) + number, plays, cuts)
