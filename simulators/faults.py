"""Finding the faults that a simulated table can have."""

from __future__ import annotations

import difflib

from simulators.dice_geometry import DiceGeometry
from simulators.fault_registry import FAULTS, MONEY_WHEEL, ROULETTE, Fault
from simulators.geometry import Geometry, MoneyWheelGeometry

__all__ = ["FAULTS", "Fault", "FaultError", "fault_named", "faults_for", "game_of"]


class FaultError(ValueError):
    """No fault has this name, or this table cannot have it."""


def game_of(geometry: Geometry) -> str:
    """The game that a geometry belongs to."""
    if isinstance(geometry, DiceGeometry):
        return geometry.game
    return MONEY_WHEEL if isinstance(geometry, MoneyWheelGeometry) else ROULETTE


def fault_named(name: str, geometry: Geometry) -> Fault:
    """The fault of this name, if this table can have it.

    Raises:
        FaultError: an unknown name, with the nearest ones; or a table that cannot have it, with the reason.
    """
    known = {fault.name: fault for fault in geometry.faults()} if isinstance(geometry, DiceGeometry) else FAULTS
    fault = known.get(name)
    if fault is None:
        near = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
        hint = f"; nearest: {', '.join(near)}" if near else ""
        raise FaultError(f'no fault is named "{name}"{hint} (`--fault list` explains them all)')
    game = game_of(geometry)
    if game not in fault.games:
        raise FaultError(f'fault "{name}" belongs to {" and ".join(fault.games)}; this table plays {game}')
    lacking = fault.lacking(geometry)
    if lacking is not None:
        raise FaultError(f'fault "{name}" needs {lacking}, which this table does not have')
    return fault


def faults_for(geometry: Geometry) -> tuple[Fault, ...]:
    """Every fault that this table can have, `none` first, in the order of the registry."""
    if isinstance(geometry, DiceGeometry):
        return geometry.faults()
    game = game_of(geometry)
    return tuple(f for f in FAULTS.values() if game in f.games and f.lacking(geometry) is None)
