"""What a simulated table with an automatic wheel has: its link, its pockets and its buttons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulators.base.faults import SimulatedFault
    from simulators.base.truth import TableSimulator


@dataclass(frozen=True, slots=True, kw_only=True)
class StarXGeometry:
    """The link of an automatic wheel, its pockets in wheel order, and the table's buttons."""

    pockets: tuple[str, ...]
    link: str = "wheel_serial"
    single_zero: bool = False
    """Whether 00 is not in play on a wheel that has it."""
    trusted: bool = True
    """Whether the table takes the wheel's number without a measure of the ball's revolutions."""
    no_more_bets_button: bool = False
    settled_button: bool = False

    def faults(self) -> tuple[SimulatedFault, ...]:
        """Every fault that such a table can have, `none` first."""
        from simulators.roulette.star_x_table import table_faults

        return table_faults()

    def simulator(self, seed: int) -> TableSimulator:
        """A table that plays it. Equal seeds give equal rounds."""
        from simulators.roulette.star_x_table import StarXTable

        return StarXTable(self, seed)
