"""Simulated skill-stop reels with every fault: outcomes are where the reels stand, and no token is made or lost."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Final

import pytest
from click.testing import CliRunner

from controller.bench.simulated_journal import SimulatedJournal
from controller.bench.simulation import Played, Score, simulate
from controller.cli import main
from controller.games.assembly import geometry_of, table_for
from controller.games.machines.account import balance_error
from controller.table.table import Table
from drivers.reels.reels_wire import home_line
from feed.events import DeviceFault, Event, MachineEvent, Meters, Outcome
from feed.state import TableState
from hal.values import Batch, Edge, Output
from simulators.base.answering import play_through
from simulators.base.faults import faults_for
from simulators.coins.equipment import TOKENS
from simulators.reels.table import ReelsSimulator
from tests.tables.bench import configured
from tests.tables.reel_machine import reel_toml

FIVE: Final = reel_toml('model = "fruit_5"', "[device.reels]\nreels = 5\n")
TABLES: Final = {"three": reel_toml(), "five": FIVE}
CASES: Final = [
    pytest.param(text, fault.name, id=f"{name}-{fault.name}")
    for name, text in TABLES.items()
    for fault in faults_for(geometry_of(configured(text)))
]
NAMED: Final = {
    "reel_jammed": {"reel_jammed", "reel_home_blocked"},
    "reel_slips": {"reel_slipped"},
    "reel_moved": {"reel_moved"},
    "reel_heavy": {"reel_moved", "reel_slipped"},
    "home_blind": {"reel_jammed"},
    "home_blocked": {"reel_slipped", "reel_home_blocked"},
    "home_unplugged": {"sensor_missing"},
    "board_lost": {"reel_not_answering"},
    "button_held": {"sensor_stuck"},
}
"""One of these codes is given in every round with the fault; with the others no fault at all."""


def judge(text: str, fault: str, rounds: int, seed: int) -> None:
    """Plays with a fault in some rounds: every outcome is true, and every fault is named in its round."""
    score, last = Score(), None
    plan: dict[int | None, str] = dict.fromkeys(range(1, rounds + 1, 2), fault)
    for played in simulate(configured(text), rounds, seed, plan):
        score.add(played)
        found = {event.data.fault for event in played.events if isinstance(event.data, DeviceFault)}
        wanted = NAMED.get(fault, set()) if played.fault == fault else set()
        assert found <= wanted
        assert bool(found) == bool(wanted)
        if played.fault == "reel_jammed":
            assert found == {jammed(played)}
        for event in played.events:
            last = event.data if isinstance(event.data, MachineEvent) else last
    assert score.unsupported == []
    assert score.refused == []
    assert score.verdicts == {"outcome": rounds}
    assert last is not None
    assert balance_error(last.meters, last.credits) is None


def jammed(played: Played) -> str:
    """What the jammed reel is reported as, by where its flag was: the sensor's level at the fault."""
    at_ns = next(event.data.mono_ns for event in played.events if isinstance(event.data, DeviceFault))
    levels = [edge.level for edge in played.batch.edges if edge.line == home_line(2) and edge.t_ns <= at_ns]
    return "reel_home_blocked" if levels[-1] else "reel_jammed"


def test_a_reel_that_sticks_with_its_flag_in_the_sensor_is_reported_so() -> None:
    (*_, played) = simulate(configured(reel_toml()), 3, 1001, {1: "reel_jammed", 3: "reel_jammed"})
    found = [event.data.fault for event in played.events if isinstance(event.data, DeviceFault)]
    assert found == [jammed(played)] == ["reel_home_blocked"]


@pytest.mark.parametrize(("text", "fault"), CASES)
def test_every_play_has_the_outcome_that_is_true(text: str, fault: str) -> None:
    judge(text, fault, 2, 1)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("text", "fault"), CASES)
def test_every_play_of_many_has_the_outcome_that_is_true(text: str, fault: str) -> None:
    judge(text, fault, 150, 1000)


def test_an_acceptor_takes_the_tokens_and_a_hopper_pays_every_award() -> None:
    config = configured(reel_toml("", "[device.coins]\n"))
    simulator = geometry_of(config).simulator(5)
    assert isinstance(simulator, ReelsSimulator)
    coins = simulator.coins
    assert coins is not None
    table = table_for(config, epoch="sim", simulated=True, opens=True)
    journal = SimulatedJournal(simulator, table)
    said = table.open(0) + table.feed(simulator.start())

    def feed(batch: Batch) -> list[Output]:
        new = table.feed(batch)
        journal.publish(new, batch.until_ns)
        said.extend(new)
        return table.outputs()

    for number in range(12):
        fault = "token_while_spinning" if number == 3 else None
        play_through(journal, simulator.round(fault).batch, feed, lambda: table.next_due_ns)
    play_through(journal, Batch([], [], simulator.told_ns + 10_000_000_000), feed, lambda: table.next_due_ns)
    last = [event.data for event in said if isinstance(event.data, MachineEvent)][-1]
    awards = [event.data.result["award"] for event in said if isinstance(event.data, Outcome)]
    assert len(awards) == 12
    assert sum(awards) == last.meters.tokens_won > 0
    assert [event.data.fault for event in said if isinstance(event.data, DeviceFault)] == []
    assert last.meters.tokens_in == len(simulator.tokens_ns) == 13
    assert last.credits == 0
    assert last.meters.tokens_paid == sum(awards) + 1 == TOKENS - coins.hopper.tokens
    assert last.meters.tokens_hand_paid == 0


# --- captures ---------------------------------------------------------------------------------------------------------


def shown(*arguments: str) -> list[tuple[object, ...]]:
    """What a command publishes: each fault, each record, and each outcome."""
    said = CliRunner().invoke(main, [*arguments, "--json"])
    assert said.exit_code == 0, said.output
    bodies = [json.loads(line) for line in said.stdout.splitlines()]
    found = [(body["type"], body["data"]) for body in bodies]
    return [(kind, data.get("fault"), data.get("act"), data.get("result"), data["mono_ns"]) for kind, data in found]


@pytest.mark.parametrize("fault", NAMED)
def test_a_capture_of_each_fault_replays(fault: str, tmp_path: Path) -> None:
    table, capture = tmp_path / "reel.toml", tmp_path / "fault.vcd"
    table.write_text(TABLES["three"], encoding="utf-8")
    played = shown("simulate", str(table), "--rounds", "1", "--fault", fault, "--vcd", str(capture))
    replayed = shown("replay", str(table), str(capture))
    assert replayed[: len(played)] == played
    assert {name for _, name, *_ in replayed} & NAMED[fault]
    assert [one for one in replayed if one[3]], "the outcome is there too"


# --- the power --------------------------------------------------------------------------------------------------------


class PoweredMachine:
    """A machine whose power fails at some moments, and comes back at once: the reels stay where they stand."""

    def __init__(self, seed: int, text: str = TABLES["three"]) -> None:
        self.config = configured(text)
        simulator = geometry_of(self.config).simulator(seed)
        assert isinstance(simulator, ReelsSimulator)
        self.simulator = simulator
        self.state = TableState("reel-1")
        self.published: list[Event] = []
        self.levels: dict[str, int] = {}
        self.starts = 0
        self.begin(0)
        self.feed(self.simulator.start())

    def begin(self, t_ns: int) -> None:
        """The service starts, and continues from what is durable."""
        self.starts += 1
        self.table: Table = table_for(self.config, epoch=f"e{self.starts}", simulated=True, opens=True)
        self.table.restore(self.state)
        self.keep(self.table.open(t_ns))

    def keep(self, said: list[Event]) -> None:
        """What was published is durable."""
        self.published += said
        for event in said:
            self.state.apply(event)

    def feed(self, batch: Batch) -> list[Output]:
        """The wires do something."""
        self.levels |= {edge.line: edge.level for edge in batch.edges}
        self.keep(self.table.feed(batch))
        return self.table.outputs()

    def cut(self, t_ns: int) -> None:
        """The power of the service and of the boards fails, and comes back."""
        for board in self.simulator.boards.values():
            board.lose()
            board.begin(t_ns + 100_000_000)
        self.begin(t_ns)
        start = [Edge(line, level, t_ns) for line, level in self.levels.items()]
        for output in self.feed(Batch(start, [], t_ns)):
            self.simulator.command(output)

    def play(self, cuts_s: list[float]) -> None:
        """One play, with this many cuts, each this long after it began; then the time that they took."""
        from_ns = self.simulator.told_ns
        batch = self.simulator.round().batch
        moments = sorted({from_ns + round(at_s * 1e9) for at_s in cuts_s})
        edges, rare = batch.edges, batch.rare
        for moment in [*moments, batch.until_ns + len(moments) * 15_000_000_000]:
            now = Batch(
                [edge for edge in edges if edge.t_ns <= moment], [one for one in rare if one.t_ns <= moment], moment
            )
            edges, rare = edges[len(now.edges) :], rare[len(now.rare) :]
            play_through(self.simulator, now, self.feed, lambda: self.table.next_due_ns)
            if moment in moments:
                self.cut(moment)
        self.simulator.pass_to(moment)

    @property
    def outcomes(self) -> list[Outcome]:
        """Every outcome."""
        return [event.data for event in self.published if isinstance(event.data, Outcome)]

    @property
    def meters(self) -> Meters:
        """The meters of the last record."""
        assert self.state.machine is not None
        return self.state.machine.meters


def evening(seed: int, plays: int, cuts: int) -> None:
    """Plays cut from power at any moment: each token is staked or owed, and each award is counted once."""
    machine, rng = PoweredMachine(seed), Random(seed)
    for _ in range(plays):
        machine.play([rng.uniform(0.0, 9.0) for _ in range(rng.randint(0, cuts))])
    meters, state = machine.meters, machine.state.machine
    assert state is not None
    assert balance_error(meters, state.credits) is None
    assert meters.power_ups == machine.starts
    assert meters.tokens_won == sum(one.result["award"] for one in machine.outcomes)
    assert meters.plays == len(machine.outcomes)
    assert len({one.round for one in machine.outcomes}) == len(machine.outcomes)
    # What a cut takes is a token that lies in a sensor then: its edges were never seen together.
    assert 0 <= len(machine.simulator.tokens_ns) - meters.tokens_in <= machine.starts - 1


def test_power_cuts_at_any_moment_neither_lose_a_play_nor_pay_it_twice() -> None:
    for seed in range(4):
        evening(seed, 4, 2)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("part", range(8))
def test_power_cuts_at_many_moments_neither_lose_a_play_nor_pay_it_twice(part: int) -> None:
    for number in range(10):
        evening(1000 * (part + 1) + number, 10, 2)
