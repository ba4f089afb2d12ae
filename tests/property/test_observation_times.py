"""An observation is dated when it became known: never before a value that the driver was given earlier.

Else a table that is fed batch by batch would put it behind what the table already heard, and a replay before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from controller.games.assembly import geometry_of, table_for
from controller.games.load import load
from drivers.base.driver import Driver, Observation
from hal.values import Batch, Command, Edge, EdgesLost, Frame, Reading
from simulators.base.faults import faults_for
from tests.shares import one_in

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
TABLES = ("roulette", "roulette_european", "money_wheel", "money_wheel_pegs")
CASES = [
    (table, fault.name) for table in TABLES for fault in faults_for(geometry_of(load([EXAMPLES / f"{table}.toml"])[0]))
]


@pytest.mark.parametrize(("table", "fault"), one_in(2, CASES))
def test_no_observation_is_dated_before_what_was_already_given(table: str, fault: str) -> None:
    config = load([EXAMPLES / f"{table}.toml"])[0]
    simulator = geometry_of(config).simulator(3)
    batches = [simulator.start(), *(simulator.round(name).batch for name in (None, fault, None))]
    for driver in table_for(config, epoch="sim", simulated=True).drivers:
        for given_ns, seen in _one_at_a_time(driver, batches):
            assert seen.t_ns >= given_ns, f"{seen} was told after the time {given_ns}"


def _one_at_a_time(driver: Driver, batches: Iterable[Batch]) -> Iterator[tuple[int, Observation]]:
    """Each observation, with the time up to which the driver had been given everything before."""
    given_ns = -1
    for batch in batches:
        for value in sorted([*batch.edges, *batch.rare], key=lambda one: one.t_ns):
            if (
                isinstance(value, Command)
                or (value.link if isinstance(value, Frame) else value.line) not in driver.lines
            ):
                continue
            for seen in driver.due(value.t_ns - 1):
                yield given_ns, seen
            for seen in _given(driver, value):
                yield value.t_ns, seen
            given_ns = value.t_ns
        for seen in driver.due(batch.until_ns):
            yield given_ns, seen
        given_ns = batch.until_ns


def _given(driver: Driver, value: Edge | Reading | Frame | EdgesLost) -> list[Observation]:
    match value:
        case Edge():
            return driver.edges([value])
        case Reading():
            return driver.reading(value)
        case Frame():
            return driver.frame(value)
        case EdgesLost():
            return driver.lost(value)
