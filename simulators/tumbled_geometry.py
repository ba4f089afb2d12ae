"""A simulated table with a cage or a chute, as its configuration has it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from simulators.cage import CageGeometry
from simulators.chute import ChuteGeometry
from simulators.dice_geometry import DiceGeometry
from simulators.dice_values import LINK
from simulators.tumbled_faults import faults_of

if TYPE_CHECKING:
    from simulators.fault_registry import Fault
    from simulators.truth import TableSimulator


@dataclass(frozen=True, slots=True, kw_only=True)
class TumbledGeometry(DiceGeometry):
    """The tumbler, who gives the values, and what is waited for."""

    tumbler: CageGeometry | ChuteGeometry = field(default_factory=CageGeometry)
    tumbles: int = 1
    """Tumbles in a round: two at beat the dealer."""
    keypad: bool = True
    reader: str | None = None
    """The format of the reading board; None where there is none."""
    reader_link: str = LINK
    motor: bool = False
    """Whether a motor turns the cage."""
    rest_s: float = 2.0
    """How long the controller waits before it believes that the dice lie."""
    values_wait_s: float = 20.0
    settle_after_s: float = 3.0

    @property
    def is_chute(self) -> bool:
        """Whether the dice fall through a chute."""
        return isinstance(self.tumbler, ChuteGeometry)

    def faults(self) -> tuple[Fault, ...]:
        """Every fault that such a table can have, `none` first."""
        return faults_of(self)

    def simulator(self, seed: int) -> TableSimulator:
        """A table that plays it. Equal seeds give equal rounds."""
        from simulators.tumbled_asked import AskedTumbledSimulator
        from simulators.tumbled_motor_table import MotorTumbledSimulator
        from simulators.tumbled_table import TumbledSimulator

        if self.motor:
            return MotorTumbledSimulator(self, seed)
        asked = self.reader not in (None, "lines")
        return AskedTumbledSimulator(self, seed) if asked else TumbledSimulator(self, seed)
