"""The games craps and mini-craps, their devices and their drivers, as the configuration sees them."""

from __future__ import annotations

from controller.configuration.registry import SLOTS_OF_ALL, SLOTS_OF_VALUES, DriverEntry, GameEntry, Slot
from controller.rounds.craps_options import CrapsOptions
from drivers.base.device_spec import LineUse
from drivers.lamps.puck import FIRE_LINES, POINT_LINES, PUCK_LINE, PuckConfig

WIRE = "input of the marker's driver or relay; a pin gives a few mA only"


def puck_lines(config: PuckConfig) -> dict[str, LineUse]:
    """The lines of puck and point markers; a table may have some of them."""
    del config  # a puck has no keys that change its wires
    purposes = {PUCK_LINE: "puck On/Off"}
    purposes |= {line: f"marker of the point {point}" for point, line in POINT_LINES.items()}
    purposes |= {line: f"marker of the fire bet's point {point}" for point, line in FIRE_LINES.items()}
    return {line: LineUse(purpose, "lit", WIRE, "output", required=False) for line, purpose in purposes.items()}


DRIVERS: tuple[DriverEntry, ...] = (DriverEntry("puck", PuckConfig, puck_lines),)

_DEVICES = {
    **SLOTS_OF_VALUES,
    **SLOTS_OF_ALL,
    "puck": Slot(("puck",), always=False),
    "automated_shaker": Slot(("automated_shaker",), always=False),
}

GAMES: tuple[GameEntry, ...] = (
    GameEntry("craps", CrapsOptions, _DEVICES),
    GameEntry("mini_craps", CrapsOptions, _DEVICES),
)
