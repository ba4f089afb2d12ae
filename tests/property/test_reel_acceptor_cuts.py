"""Tokens that a reel board counts, with the service cut from power at any moment: each token once, and no play twice.

What is published becomes durable some milliseconds later; a cut takes what was not. The board has its power all the
while: it takes and counts tokens until its dead-man ends that.
"""

from __future__ import annotations

from random import Random
from typing import Final

import pytest

from controller.bench.simulated_journal import COMMIT_NS, SimulatedJournal
from controller.bench.simulation import Score, simulate
from controller.games.assembly import geometry_of, table_for
from controller.games.load import check_text
from controller.games.machines.account import balance_error
from controller.games.machines.model import hash_of
from controller.games.skill_stop_reel.spec import SKILL_STOP_REEL
from feed.events import DeviceFault, Event, MachineEvent, Outcome
from feed.state import TableState
from hal.values import Batch, Edge, Output
from simulators.base.answering import play_through
from simulators.reels.board import TOKEN_NS
from simulators.reels.table import ReelsSimulator
from tests.tables.bench import EventList, configured
from tests.tables.reel_machine import reel_toml

MS: Final = 1_000_000
S: Final = 1_000_000_000
DEAD_MAN_NS: Final = 300 * MS
SOON_NS: Final = TOKEN_NS + 12 * MS
"""Within this long of a token its count is reported, recorded and durable."""
ACCEPTOR: Final = "[device.reels]\nacceptor = true\n"
TOML: Final = reel_toml("", ACCEPTOR)
HASH: Final = "717243a03b6ae16d68c1b878751336a1d6c7c7d31800df9549ac657d3e2a3ef7"
"""What touches play of a machine with a chute and the keys as they are written: no key of an acceptor is in it."""


class CutMachine:
    """A machine with an acceptor on its board, and a journal that takes its time."""

    def __init__(self, seed: int) -> None:
        self.config = configured(TOML)
        simulator = geometry_of(self.config).simulator(seed)
        assert isinstance(simulator, ReelsSimulator)
        assert simulator.acceptor is not None
        self.simulator = simulator
        self.acceptor = simulator.acceptor
        self.board = simulator.boards["reels"]
        self.state = TableState("reel-1")
        """What the journal holds."""
        self.durable = EventList()
        self.lost = 0
        """Events that a cut has taken."""
        self.now_ns = self.starts = 0
        self._waiting: list[tuple[int, list[Event]]] = []
        levels = simulator.start().edges
        self.start(levels)

    def start(self, levels: list[Edge]) -> None:
        """The service starts, and continues from what is durable."""
        self.starts += 1
        self.table = table_for(self.config, epoch=f"e{self.starts}", simulated=True, opens=True)
        self.table.restore(self.state)
        self.journal = SimulatedJournal(self.simulator, self.table)
        self._publish(self.table.open(self.now_ns), self.now_ns)
        for output in self._feed(Batch(levels, [], self.now_ns)):
            self.simulator.command(output)

    def run(self, batch: Batch) -> None:
        """The wires do something, up to a time."""
        play_through(self.journal, batch, self._feed, lambda: self.table.next_due_ns)
        self.now_ns = batch.until_ns

    def cut(self) -> None:
        """The service loses its power. Its board takes one token more before the dead-man ends that."""
        self._commit(self.now_ns)
        self.lost += sum(len(events) for _, events in self._waiting)
        self._waiting.clear()
        self.board.down = True
        self.acceptor.insert(self.now_ns + 100 * MS)
        self.now_ns += DEAD_MAN_NS
        self.simulator.answers(self.now_ns)
        self.board.lose()
        self.board.begin(self.now_ns + 100 * MS)
        homes = [Edge(f"reel_{number}_home", one.home, self.now_ns) for number, one in self.simulator.bodies.items()]
        rest = [Edge(line, 0, self.now_ns) for line in ("stop_1", "stop_2", "stop_3", "token_in", "door")]
        self.start([*homes, *rest])

    def _feed(self, batch: Batch) -> list[Output]:
        self._commit(batch.until_ns)
        self._publish(self.table.feed(batch), batch.until_ns)
        return self.table.outputs()

    def _publish(self, events: list[Event], t_ns: int) -> None:
        if events:
            self._waiting.append((t_ns, events))
            self.journal.publish(events, t_ns)

    def _commit(self, t_ns: int) -> None:
        while self._waiting and self._waiting[0][0] + COMMIT_NS <= t_ns:
            events = self._waiting.pop(0)[1]
            self.durable += events
            for event in events:
                self.state.apply(event)


def evening(seed: int, plays: int, cuts: int) -> CutMachine:
    """Plays with cuts, most of them in the milliseconds in which a token is counted and recorded."""
    machine, rng = CutMachine(seed), Random(seed)
    for _ in range(plays):
        batch = machine.simulator.round().batch
        for _ in range(cuts):
            had = len(machine.simulator.tokens_ns)
            while len(machine.simulator.tokens_ns) == had and machine.now_ns < batch.until_ns + 20 * S:
                machine.run(Batch([], [], machine.now_ns + 50 * MS))
            in_ns = machine.simulator.tokens_ns[-1]
            machine.run(Batch([], [], max(machine.now_ns, in_ns + rng.randrange(SOON_NS))))
            machine.cut()
            machine.acceptor.insert(machine.now_ns + rng.randrange(4 * S, 8 * S))
        machine.run(Batch([], [], max(batch.until_ns, machine.now_ns) + 15 * S))
        machine.simulator.pass_to(machine.now_ns)
    held, tokens = machine.state.machine, machine.simulator.tokens_ns
    assert held is not None
    meters, outcomes = held.meters, machine.durable.of(Outcome)
    assert meters.tokens_in == len(tokens) == machine.board.tokens_in > plays * cuts
    assert balance_error(meters, held.credits) is None
    begun = [one.round for one in machine.durable.of(MachineEvent) if one.act == "play_begun"]
    assert len(begun) == len(set(begun)) == meters.plays == meters.tokens_played == len(outcomes) > 0
    assert len({one.round for one in outcomes}) == len(outcomes)
    assert meters.tokens_won == sum(one.result["award"] for one in outcomes)
    assert meters.power_ups == machine.starts == 1 + plays * cuts
    assert machine.durable.of(DeviceFault) == []
    return machine


def test_cuts_of_the_service_between_tokens_neither_lose_one_nor_count_it_twice() -> None:
    machines = [evening(seed, 2, 2) for seed in (1, 2)]
    assert sum(machine.lost for machine in machines) > 0, "some cuts took records that were not durable"


@pytest.mark.parametrize("fault", [None, "token_while_spinning", "token_in_test", "board_lost", "door_opened"])
def test_every_play_has_the_outcome_that_is_true(fault: str | None) -> None:
    score, last = Score(), None
    for played in simulate(configured(TOML), 2, 1, {1: fault} if fault is not None else {}):
        score.add(played)
        for event in played.events:
            last = event.data if isinstance(event.data, MachineEvent) else last
    assert score.unsupported == []
    assert score.refused == []
    assert score.verdicts == {"outcome": 2}
    assert last is not None
    assert balance_error(last.meters, last.credits) is None
    assert last.meters.tokens_in == (3 if fault == "token_while_spinning" else 2)


# --- the file ---------------------------------------------------------------------------------------------------------


def test_a_machine_with_an_acceptor_has_no_chute_and_one_without_has() -> None:
    config = configured(TOML)
    assert "chute" not in config.devices
    assert {"token_in", "reels"} <= set(config.uses)
    assert not {"token_in_1", "token_in_2"} & set(config.uses)
    assert "chute" in configured(reel_toml("", "[device.reels]\nacceptor = false\n")).devices


@pytest.mark.parametrize("other", ["chute", "coins"])
def test_two_ways_in_for_tokens_are_refused(other: str) -> None:
    (problem,) = check_text(f"{TOML}[device.{other}]\n").errors
    wrong = f"device.{other}: tokens come in by the board's acceptor already; leave [device.{other}] out"
    assert wrong in str(problem)


def test_what_touches_play_of_a_machine_without_an_acceptor_is_as_it_was() -> None:
    touches_play = SKILL_STOP_REEL.model
    assert touches_play is not None
    hashes = {text: hash_of(touches_play(configured(text))) for text in (reel_toml(), TOML)}
    assert hashes[reel_toml()] == HASH
    assert hashes[TOML] != HASH
