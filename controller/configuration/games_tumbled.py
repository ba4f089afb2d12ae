"""Beat the dealer, chuck-a-luck and under/over, their devices and their drivers, as the configuration sees them."""

from __future__ import annotations

from controller.configuration import wires_dice
from controller.configuration.registry import SLOTS_OF_ALL, SLOTS_OF_VALUES, DriverEntry, GameEntry, Slot
from controller.rounds.tumbled_options import TumbledOptions
from drivers.base.device_spec import BoardPlace, LineUse
from drivers.dice.cage import CageConfig
from drivers.dice.cage_motor import HOME, MOTOR, SHAFT, CageMotorConfig
from drivers.dice.chute import ChuteConfig


def cage_motor_lines(config: CageMotorConfig) -> dict[str, LineUse]:
    """The lines of the motor of a cage: its drive, and what senses it."""
    del config  # a motor has no keys that change its wires
    driver = "input of a motor driver with a supply of its own; 10 kΩ from there to GND"
    mark, sensor = "the mark is before it, once a turn", "output of the sensor"
    return {
        MOTOR: LineUse("motor of the cage", "it turns", driver, "output", drives="motor", at=_own("motor")),
        HOME: LineUse("home sensor of the cage", mark, sensor, at=_own("home", active_low=True)),
        SHAFT: LineUse("sensor of the motor's shaft", "a slot is before it", sensor, at=_own("shaft", active_low=True)),
    }


def _own(name: str, *, active_low: bool = False) -> BoardPlace:
    """The board stops the motor itself, by sensors of its own (docs/boards.md): at other terminals it cannot."""
    return BoardPlace("table", name, active_low)


DRIVERS: tuple[DriverEntry, ...] = (
    DriverEntry("cage", CageConfig, wires_dice.cage_lines),
    DriverEntry("chute", ChuteConfig, wires_dice.chute_lines),
    DriverEntry("cage_motor", CageMotorConfig, cage_motor_lines),
)

_SLOTS = {
    "cage": Slot(("cage",), unless="chute"),
    "chute": Slot(("chute",), always=False, excludes="cage"),
    "motor": Slot(("cage_motor",), always=False, excludes="chute"),
    **SLOTS_OF_VALUES,
    **SLOTS_OF_ALL,
}

GAMES: tuple[GameEntry, ...] = tuple(
    GameEntry(name, TumbledOptions, _SLOTS) for name in ("beat_the_dealer", "chuck_a_luck", "under_over")
)
"""A cage stands at the table unless the file names a chute, 13:47-20.21(a)1, 20.24(a)1, 20.33(a)1."""
