"""The parameters of a simulated table: its sensors, their positions and its buttons."""

from __future__ import annotations

from dataclasses import dataclass

from simulators.dice.geometry import DiceGeometry
from simulators.roulette.star_x_geometry import StarXGeometry

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


class GeometryError(ValueError):
    """Parameters that no table can have."""


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
    no_more_bets_button: bool = True
    settled_button: bool = False

    def __post_init__(self) -> None:
        if self.sensing not in ("quadrature", "pegs"):
            raise GeometryError(f'sensing is "quadrature" or "pegs", not "{self.sensing}"')
        _at_least("spaces", self.spaces, 3)
        _at_least("encoder_slots", self.encoder_slots, 2)
        _within_turn("index_width_deg", self.index_width_deg)


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
    object_beam: bool = True
    level_hz: float = 0.0
    no_more_bets_button: bool = False
    settled_button: bool = False

    def __post_init__(self) -> None:
        _at_least("pockets", len(self.pockets), 3)
        _at_least("encoder_slots", self.slots, 2)
        _at_least("ball_sensors_deg", len(self.ball_sensors_deg), 2)
        _within_turn("index_width_deg", self.index_width_deg)
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


Geometry = MoneyWheelGeometry | RouletteGeometry | StarXGeometry | DiceGeometry


def _at_least(name: str, value: int, least: int) -> None:
    if value < least:
        raise GeometryError(f"{name} is at least {least}, not {value}")


def _within_turn(name: str, value: float) -> None:
    if not 0.0 < value < 360.0:
        raise GeometryError(f"{name} is more than 0 and less than 360 degrees, not {value}")
