"""The parameters of a simulated roulette wheel: its pockets, its sensors, their positions and its buttons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulators.base.faults import SimulatedFault
from simulators.base.geometry import GeometryError, at_least, within_turn
from simulators.wheel.faults import FAULTS_OF_A_ROULETTE_WHEEL

if TYPE_CHECKING:
    from simulators.base.hand import SimulatedHand
    from simulators.base.truth import TableSimulator

# fmt: off
AMERICAN = (
    "0", "28", "9", "26", "30", "11", "7", "20", "32", "17", "5", "22", "34", "15", "3", "24", "36", "13", "1",
    "00", "27", "10", "25", "29", "12", "8", "19", "31", "18", "6", "21", "33", "16", "4", "23", "35", "14", "2",
)
# fmt: on
"""Wheel order of a double-zero wheel, in the positive direction from the index."""

# fmt: off
EUROPEAN = (
    "0", "32", "15", "19", "4", "21", "2", "25", "17", "34", "6", "27", "13", "36", "11", "30", "8", "23", "10",
    "5", "24", "16", "33", "1", "20", "14", "31", "9", "22", "18", "29", "7", "28", "12", "35", "3", "26",
)
# fmt: on
"""Wheel order of a single-zero wheel, in the positive direction from the index."""


@dataclass(frozen=True, slots=True)
class RouletteGeometry:
    """A roulette wheel's sensors and buttons.

    `pockets` are the names in wheel order; `single_zero` says that 00 is not in play on a wheel that has it.
    `encoder_slots` None means as many as pockets. `ball_sensors_deg` are fixed to the bowl. `level_hz` 0 means no level
    lines.

    Raises:
        GeometryError: a number that no wheel can have.
    """

    pockets: tuple[str, ...] = AMERICAN
    single_zero: bool = False
    encoder_slots: int | None = None
    index_width_deg: float = 3.0
    index_offset_deg: float = 0.0
    ball_sensors_deg: tuple[float, ...] = (0.0, 120.0, 240.0)
    pocket_head_deg: float = 0.0
    object_beams: int = 1
    """0, 1 or 2; what crosses the first crosses the second."""
    level_hz: float = 0.0
    minimum_revolutions: float = 4.0
    """What the ball must complete, by the rules that are played."""
    no_more_bets_button: bool = False
    settled_button: bool = False

    def __post_init__(self) -> None:
        at_least("pockets", len(self.pockets), 3)
        at_least("encoder_slots", self.slots, 2)
        at_least("ball_sensors_deg", len(self.ball_sensors_deg), 2)
        if not 0 <= self.object_beams <= 2:
            raise GeometryError(f"object_beams is 0, 1 or 2, not {self.object_beams}")
        within_turn("index_width_deg", self.index_width_deg)
        if self.level_hz < 0.0:
            raise GeometryError(f"level_hz is readings a second, 0 for none, not {self.level_hz}")

    @property
    def slots(self) -> int:
        """High periods of the rotor's encoder a turn."""
        return len(self.pockets) if self.encoder_slots is None else self.encoder_slots

    @property
    def ball_lines(self) -> tuple[str, ...]:
        """The names of the track sensors' lines, in the order of `ball_sensors_deg`."""
        return tuple(f"ball_{i}" for i in range(1, len(self.ball_sensors_deg) + 1))

    @property
    def object_lines(self) -> tuple[str, ...]:
        """The names of the object beams' lines."""
        return ("object", "object_2")[: self.object_beams]

    def faults(self) -> tuple[SimulatedFault, ...]:
        """Every fault of such a wheel, `none` first; those that need a sensor which this one lacks among them."""
        return FAULTS_OF_A_ROULETTE_WHEEL

    def simulator(self, seed: int) -> TableSimulator:
        """A table that plays it. Equal seeds give equal rounds."""
        from simulators.roulette.wheel import RouletteSimulator

        return RouletteSimulator(self, seed)

    def hand(self, seed: int) -> SimulatedHand:
        """A hand that moves the wheel as a calibration asks."""
        from simulators.roulette.hand import RouletteHand

        return RouletteHand(self, seed)
