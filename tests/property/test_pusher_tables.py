"""Simulated token pushers with every fault: outcomes and meters are the physical truth, over power cuts too."""

from __future__ import annotations

from random import Random
from typing import Final

import pytest

from controller.bench.simulation import Score, simulate
from controller.games.assembly import geometry_of, table_for
from controller.games.machines.account import balance_error
from feed.events import MachineEvent
from feed.state import MachineState, TableState
from hal.values import Batch, Edge
from simulators.base.faults import faults_for
from simulators.pusher.table import PusherSimulator
from tests.tables.bench import configured
from tests.tables.pusher_machine import pusher_toml

TABLES: Final = {"plain": pusher_toml(), "short plays": pusher_toml("play_s = 3")}
CASES: Final = [
    pytest.param(text, fault.name, id=f"{name}-{fault.name}")
    for name, text in TABLES.items()
    for fault in faults_for(geometry_of(configured(text)))
]
SOAK_CUTS: Final = 800


def judge(text: str, fault: str, rounds: int, seed: int) -> Score:
    rng = Random(seed)
    score = Score()
    plan: dict[int | None, str] = {number: fault for number in range(1, rounds + 1) if rng.random() < 0.4}
    last: MachineEvent | None = None
    for played in simulate(configured(text), rounds, seed, {1: fault, **plan}):
        score.add(played)
        for event in played.events:
            last = event.data if isinstance(event.data, MachineEvent) else last
    assert score.unsupported == []
    assert score.refused == []
    assert score.verdicts == {"outcome": rounds}
    assert last is not None
    assert balance_error(last.meters, last.credits) is None
    return score


@pytest.mark.parametrize(("text", "fault"), CASES)
def test_every_play_has_the_outcome_that_is_true(text: str, fault: str) -> None:
    for seed in range(2):
        judge(text, fault, 10, seed)


def powered(batches: list[Batch], moments: list[int]) -> MachineState:
    """A machine whose power is cut at these moments, and comes back at once: how it stands at the end."""
    config = configured(pusher_toml())
    state, levels = TableState("pusher-1"), dict[str, int]()
    edges = [edge for batch in batches for edge in batch.edges]
    rare = [one for batch in batches for one in batch.rare]
    until_ns = batches[-1].until_ns + 20_000_000_000
    table = table_for(config, epoch="e0", simulated=True)
    said = table.open(0)
    for piece in cut(Batch(edges, rare, until_ns), moments):
        said += table.feed(piece)
        levels |= {edge.line: edge.level for edge in piece.edges}
        if piece.until_ns in moments:
            for event in said:
                state.apply(event)
            table = table_for(config, epoch=f"e{piece.until_ns}", simulated=True)
            table.restore(state)
            said = table.open(piece.until_ns)
            start = [Edge(line, level, piece.until_ns) for line, level in levels.items()]
            said += table.feed(Batch(start, [], piece.until_ns))
    for event in said:
        state.apply(event)
    assert state.machine is not None
    assert balance_error(state.machine.meters, state.machine.credits) is None
    assert state.machine.meters.power_ups == 1 + len(moments)
    return state.machine


def cut(batch: Batch, moments: list[int]) -> list[Batch]:
    """A batch cut at some moments."""
    pieces, edges, rare = [], batch.edges, batch.rare
    for moment in [*moments, batch.until_ns]:
        now = [edge for edge in edges if edge.t_ns <= moment]
        others = [one for one in rare if one.t_ns <= moment]
        edges, rare = edges[len(now) :], rare[len(others) :]
        pieces.append(Batch(now, others, moment))
    return pieces


def simulated(seed: int) -> PusherSimulator:
    simulator = geometry_of(configured(pusher_toml())).simulator(seed)
    assert isinstance(simulator, PusherSimulator)
    return simulator


def evening(seed: int, rounds: int, cuts: int) -> None:
    """Plays with any fault, and a power cut at this many moments: the meters balance, whatever is lost in a sensor."""
    simulator, rng = simulated(seed), Random(seed)
    faults = [fault.name for fault in simulator.geometry.faults()]
    batches = [simulator.start()]
    batches += [simulator.round(rng.choice((None, rng.choice(faults)))).batch for _ in range(rounds)]
    powered(batches, sorted({rng.randrange(batches[-1].until_ns) for _ in range(cuts)}))


def test_meters_balance_over_power_cuts_at_any_moment() -> None:
    for seed in range(4):
        evening(seed, 12, 6)


def clean_evening(seed: int, rounds: int, cuts: int) -> None:
    """Plays without a fault, cut from power while no token is in a sensor: each token counts, and each play once."""
    simulator, rng = simulated(seed), Random(seed)
    batches = [simulator.start(), *(simulator.round().batch for _ in range(rounds))]
    edges = [edge for batch in batches for edge in batch.edges]
    machine = powered(batches, quiet_moments(rng, edges, batches[-1].until_ns, cuts))
    meters = machine.meters
    assert (meters.tokens_in, meters.plays, machine.credits) == (simulator.tokens_in, rounds, 0)
    assert meters.tokens_paid == simulator.to_player
    assert meters.tokens_to_house == simulator.to_house


def quiet_moments(rng: Random, edges: list[Edge], until_ns: int, cuts: int) -> list[int]:
    """Moments at which no sensor of a token is covered."""
    covered: list[tuple[int, int]] = []
    since: dict[str, int] = {}
    for line, level, t_ns in edges:
        if line.startswith(("token", "fall")):
            if level:
                since[line] = t_ns
            elif line in since:
                covered.append((since.pop(line) - 1, t_ns + 1))
    found: set[int] = set()
    while len(found) < cuts:
        moment = rng.randrange(1_000_000_000, until_ns)
        if not any(first <= moment <= last for first, last in covered):
            found.add(moment)
    return sorted(found)


def test_power_cuts_lose_and_make_no_token() -> None:
    for seed in range(6):
        clean_evening(seed, 15, 10)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("part", range(8))
def test_power_cuts_at_800_moments_lose_and_make_no_token(part: int) -> None:
    for number in range(SOAK_CUTS // 8 // 10):
        clean_evening(1000 * (part + 1) + number, 15, 10)
        evening(1000 * (part + 1) + number, 12, 10)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("text", "fault"), CASES)
def test_every_play_of_many_has_the_outcome_that_is_true(text: str, fault: str) -> None:
    judge(text, fault, 600, 1000)
