"""What every simulated dice table has in common: its buttons, its faults, and who plays it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulators.base.geometry import buttons_of

if TYPE_CHECKING:
    from simulators.base.faults import SimulatedFault
    from simulators.base.hand import SimulatedHand
    from simulators.base.truth import TableSimulator


@dataclass(frozen=True, slots=True, kw_only=True)
class DiceGeometry(ABC):
    """A dice table's buttons; a family adds its devices."""

    no_more_bets_button: bool = True
    settled_button: bool = False

    @property
    def buttons(self) -> tuple[str, ...]:
        """The lines of the dealer's buttons."""
        return buttons_of(self)

    @abstractmethod
    def faults(self) -> tuple[SimulatedFault, ...]:
        """Every fault that such a table can have, `none` first."""

    @abstractmethod
    def simulator(self, seed: int) -> TableSimulator:
        """A table that plays it. Equal seeds give equal rounds."""

    def hand(self, seed: int) -> SimulatedHand:
        """A hand that moves the equipment as a calibration asks."""
        from simulators.dice.hand import DiceHand

        return DiceHand(seed)
