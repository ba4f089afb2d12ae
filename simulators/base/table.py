"""Makes the simulated table of a game."""

from __future__ import annotations

from simulators.base.geometry import Geometry, GeometryError
from simulators.base.truth import TableSimulator


def simulator_for(game: str, geometry: Geometry, seed: int) -> TableSimulator:
    """A simulated table of a game.

    Raises:
        GeometryError: the geometry is that of another game.
    """
    if geometry.game != game:
        raise GeometryError(f"a {game} simulator cannot use a {type(geometry).__name__}, which plays {geometry.game}")
    return geometry.simulator(seed)
