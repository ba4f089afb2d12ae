"""The guided movements of a table's devices, made by a simulated hand and judged as a calibration judges them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from controller.calibration.movements import movements_of
from controller.configuration.values import TableConfig
from controller.games.assembly import geometry_of
from drivers.base.movement import Movement, MovementResult, Recording
from simulators.base.geometry import Geometry
from simulators.base.hand import HandMoved, WiringMistake

RIGHT = WiringMistake()


class Tried(NamedTuple):
    device: str
    movement: Movement
    result: MovementResult


def tried(
    config: TableConfig, mistake: WiringMistake = RIGHT, *, seed: int = 1, real: Geometry | None = None
) -> Iterator[Tried]:
    """Every movement of a table; `real` is the table as it is built, where it is not as the file has it."""
    geometry = real or geometry_of(config)
    assert isinstance(geometry, HandMoved)
    hand = geometry.hand(seed)
    for device, movements in movements_of(config).items():
        for movement in movements:
            batch = mistake.lines(hand.move(movement.name, movement.lines, movement.asked))
            yield Tried(device, movement, movement.judge(Recording(batch.edges, batch.rare, batch.until_ns)))


def failed_of(
    config: TableConfig, mistake: WiringMistake = RIGHT, *, seed: int = 1, real: Geometry | None = None
) -> dict[str, MovementResult]:
    """The movements that did not pass."""
    return {
        one.movement.name: one.result for one in tried(config, mistake, seed=seed, real=real) if not one.result.passed
    }
