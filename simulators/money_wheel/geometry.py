"""The parameters of a simulated money wheel: its sensors and its buttons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulators.base.faults import SimulatedFault
from simulators.base.geometry import GeometryError, at_least, within_turn
from simulators.wheel.faults import FAULTS_OF_A_VERTICAL_WHEEL

if TYPE_CHECKING:
    from simulators.base.hand import SimulatedHand
    from simulators.base.truth import TableSimulator


@dataclass(frozen=True, slots=True)
class MoneyWheelGeometry:
    """A money wheel's sensors and buttons.

    Space `k` is centred at `k × 360/spaces` in the wheel's own frame. `encoder_slots` high periods a turn. The index
    is high from `index_offset_deg` (0 on a wheel that is set up well) for `index_width_deg`.

    Raises:
        GeometryError: a number that no wheel can have.
    """

    spaces: int = 50
    sensing: str = "quadrature"
    encoder_slots: int = 100
    index_width_deg: float = 3.0
    index_offset_deg: float = 0.0
    indicator_deg: float = 0.0
    minimum_revolutions: float = 3.0
    """What a spin must have, by the rules that are played."""
    no_more_bets_button: bool = True
    settled_button: bool = False

    def __post_init__(self) -> None:
        if self.sensing not in ("quadrature", "pegs"):
            raise GeometryError(f'sensing is "quadrature" or "pegs", not "{self.sensing}"')
        at_least("spaces", self.spaces, 3)
        at_least("encoder_slots", self.encoder_slots, 2)
        within_turn("index_width_deg", self.index_width_deg)

    def faults(self) -> tuple[SimulatedFault, ...]:
        """Every fault of such a wheel, `none` first; those that need a sensor which this one lacks among them."""
        return FAULTS_OF_A_VERTICAL_WHEEL

    def simulator(self, seed: int) -> TableSimulator:
        """A table that plays it. Equal seeds give equal rounds."""
        from simulators.money_wheel.wheel import MoneyWheelSimulator

        return MoneyWheelSimulator(self, seed)

    def hand(self, seed: int) -> SimulatedHand:
        """A hand that moves the wheel as a calibration asks."""
        from simulators.money_wheel.hand import MoneyWheelHand

        return MoneyWheelHand(self, seed)
