"""The fixed script of simulated roulette, with which speed is measured."""

from __future__ import annotations

from collections.abc import Iterator

from hal.values import Batch
from simulators.base.truth import SimRound
from simulators.roulette.geometry import RouletteGeometry
from simulators.roulette.wheel import Pace, RouletteSimulator

FIXED_SCRIPT_GEOMETRY = RouletteGeometry(object_beams=0)
"""38 pockets and slots, three track sensors, no buttons, no level lines."""


def fixed_roulette_script(rounds: int, seed: int = 1) -> Iterator[SimRound]:
    """The script with which speed is measured: 60 s a round, rotor at 17 rpm throughout, 38 slots.

    The first round's batch begins with the levels that the lines have at time 0.
    """
    simulator = RouletteSimulator(FIXED_SCRIPT_GEOMETRY, seed, Pace())
    levels = simulator.start()
    for _ in range(rounds):
        played = simulator.round()
        if levels.edges:
            batch = Batch(levels.edges + played.batch.edges, played.batch.rare, played.batch.until_ns)
            played, levels = played._replace(batch=batch), Batch([], [], 0)
        yield played
