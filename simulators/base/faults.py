"""The named faults of simulated tables, and what each of them means.

A *physical* fault changes what the wheel, the ball, the dice or the dealer do, and so the truth. A *line* fault changes
only the signals: the truth of the round stays the same.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulators.base.geometry import Geometry


class FaultError(ValueError):
    """No fault has this name, or this table cannot have it."""


@dataclass(frozen=True, slots=True)
class SimulatedFault:
    """A named fault.

    `explanation` is what happens; `expected` is what a correct controller may report; `lacking` returns what a geometry
    lacks for the fault to be possible, or None.
    """

    name: str
    physical: bool
    explanation: str
    expected: str
    lacking: Callable[[Geometry], str | None] = lambda geometry: None


def fault_named(name: str, geometry: Geometry) -> SimulatedFault:
    """The fault of this name, if this table can have it.

    Raises:
        FaultError: an unknown name, with the nearest ones; or a table that cannot have it, with the reason.
    """
    known = {fault.name: fault for fault in geometry.faults()}
    fault = known.get(name)
    if fault is None:
        near = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
        hint = f"; nearest: {', '.join(near)}" if near else ""
        raise FaultError(f'no fault is named "{name}"{hint} (`--fault list` explains them all)')
    lacking = fault.lacking(geometry)
    if lacking is not None:
        raise FaultError(f'fault "{name}" needs {lacking}, which this table does not have')
    return fault


def faults_for(geometry: Geometry) -> tuple[SimulatedFault, ...]:
    """Every fault that this table can have, `none` first, in the order of its family's list."""
    return tuple(fault for fault in geometry.faults() if fault.lacking(geometry) is None)
