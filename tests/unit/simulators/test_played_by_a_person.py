"""Simulated tables that wait for a person: their rounds, their buttons and their faults."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.games.assembly import geometry_of
from controller.games.load import load
from hal.merge import Merge
from hal.values import Batch
from simulators.base.faults import FaultError
from simulators.base.source import PRESS_NS, SimulatedSource
from simulators.base.truth import TableSimulator, WaitingSimulator
from tests.fakes.bench import MONEY_WHEEL, config_of

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
S = 1_000_000_000


class Sink:
    """Keeps what is delivered, in the order of time."""

    def __init__(self, source: SimulatedSource) -> None:
        self.source = source
        self.merge = Merge()
        self.merge.add(source.name, 0, source.lines)
        source.open(self)  # type: ignore[arg-type]

    def deliver(self, name: str, edges: list[object], rare: list[object]) -> None:
        self.merge.deliver(name, edges, rare)  # type: ignore[arg-type]

    def until(self, t_ns: int) -> Batch:
        self.merge.until(self.source.name, self.source.delivered_until(t_ns))
        batch = self.merge.take()
        assert batch is not None
        return batch


def source_of(text: str = MONEY_WHEEL) -> SimulatedSource:
    config = config_of(text)
    return SimulatedSource(geometry_of(config).simulator(1), 0, {})


def test_a_held_table_begins_no_round_until_it_is_told_to_and_then_one() -> None:
    source = source_of()
    sink = Sink(source)
    source.held = True
    sink.until(100 * S)
    assert source.rounds == 0
    assert source.truth is None
    source.play()
    sink.until(101 * S)
    assert source.rounds == 1
    assert source.truth is not None
    sink.until(300 * S)
    assert source.rounds == 1


def test_the_simulated_dealer_leaves_the_buttons_to_a_person() -> None:
    source = source_of()
    sink = Sink(source)
    sink.until(4 * S)
    source.by_hand = True
    played = sink.until(60 * S)
    assert not [edge for edge in played.edges if edge.line.startswith("dealer_")]
    assert [edge for edge in played.edges if edge.line == "wheel_index"]


def test_a_press_lasts_and_two_at_once_come_one_after_the_other() -> None:
    source = source_of()
    source.by_hand = True
    sink = Sink(source)
    sink.until(2 * S)
    source.press("dealer_no_more_bets", 2 * S)
    source.press("dealer_no_more_bets", 2 * S)
    presses = [edge for edge in sink.until(4 * S).edges if edge.line == "dealer_no_more_bets"]
    assert [edge.level for edge in presses] == [1, 0, 1, 0]
    assert presses[1].t_ns - presses[0].t_ns == PRESS_NS
    assert presses[2].t_ns > presses[1].t_ns


def test_an_armed_fault_is_that_of_the_next_round_alone() -> None:
    source = source_of()
    sink = Sink(source)
    source.arm("short_spin")
    sink.until(6 * S)
    assert (source.fault, source.armed) == ("short_spin", None)
    sink.until(200 * S)
    assert source.rounds > 1
    assert source.fault is None


def test_a_fault_that_the_table_cannot_have_is_refused_and_leaves_the_one_before() -> None:
    source = source_of()
    source.arm("short_spin")
    with pytest.raises(FaultError, match="nearest"):
        source.arm("short_spinn")
    assert source.armed == "short_spin"
    source.arm(None)
    assert source.armed is None


SIMULATED = [
    path.name
    for path in sorted(EXAMPLES.glob("*.toml"))
    if 'backend = "sim"' in path.read_text(encoding="utf-8") and "automatic" not in path.name
]


def simulator_of(name: str) -> TableSimulator:
    config = load([EXAMPLES / name])[0]
    return geometry_of(config).simulator(1)


WAITING = [name for name in SIMULATED if isinstance(simulator_of(name), WaitingSimulator)]


def test_wheels_dice_and_cards_wait() -> None:
    assert {"money_wheel.toml", "roulette.toml", "chuck_a_luck.toml", "sic_bo.toml", "craps.toml", "baccarat.toml"} <= {
        *WAITING
    }


@pytest.mark.parametrize("name", WAITING)
def test_every_example_that_can_waits_in_the_order_of_time_and_goes_on(name: str) -> None:
    simulator = simulator_of(name)
    assert isinstance(simulator, WaitingSimulator)
    until_ns = simulator.start().until_ns
    for _ in range(3):
        for _ in range(20):
            waited = simulator.wait(0.1)
            times = [value.t_ns for value in (*waited.edges, *waited.rare)]
            assert all(until_ns <= t_ns <= waited.until_ns for t_ns in times)
            assert waited.until_ns > until_ns
            until_ns = waited.until_ns
        played = simulator.round(None).batch
        assert played.until_ns > until_ns
        until_ns = played.until_ns
