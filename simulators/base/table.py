"""Which simulator plays which game, and the fixed script of the benchmark."""

from __future__ import annotations

from collections.abc import Iterator

from hal.values import Batch
from simulators.base.faults import BOTH, MONEY_WHEEL, ROULETTE
from simulators.base.geometry import Geometry, GeometryError, MoneyWheelGeometry, RouletteGeometry
from simulators.base.truth import SimRound, TableSimulator
from simulators.dice.geometry import DiceGeometry
from simulators.money_wheel.wheel import MoneyWheelSimulator
from simulators.roulette.star_x_geometry import StarXGeometry
from simulators.roulette.wheel import Pace, RouletteSimulator

FIXED_SCRIPT_GEOMETRY = RouletteGeometry(object_beam=False)
"""38 pockets and slots, three track sensors, no buttons, no level lines."""


def simulator_for(game: str, geometry: Geometry, seed: int) -> TableSimulator:
    """A simulated table of a game.

    Raises:
        GeometryError: no simulator plays this game, or the geometry is that of another.
    """
    if isinstance(geometry, DiceGeometry | StarXGeometry) and geometry.game == game:
        return geometry.simulator(seed)
    if game == MONEY_WHEEL and isinstance(geometry, MoneyWheelGeometry):
        return MoneyWheelSimulator(geometry, seed)
    if game == ROULETTE and isinstance(geometry, RouletteGeometry):
        return RouletteSimulator(geometry, seed)
    if game in BOTH:
        raise GeometryError(f"a {game} simulator cannot use a {type(geometry).__name__}")
    raise GeometryError(f'no simulator plays "{game}"; there are: {", ".join(BOTH)}')


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
