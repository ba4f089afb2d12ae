"""The parameters of a simulated table with a number generator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulators.base.faults import SimulatedFault
    from simulators.base.truth import TableSimulator


@dataclass(frozen=True, slots=True)
class GeneratorGeometry:
    """How many numbers a generator has, its link, and the table's buttons."""

    numbers: int
    link: str
    no_more_bets_button: bool
    settled_button: bool

    def faults(self) -> tuple[SimulatedFault, ...]:
        """Every fault that such a table can have, `none` first."""
        from simulators.numbers.table import FAULTS

        return FAULTS

    def simulator(self, seed: int) -> TableSimulator:
        """A table that plays it. Equal seeds give equal rounds."""
        from simulators.numbers.table import GeneratorTable

        return GeneratorTable(self, seed)
