"""The game sic bo, its devices and their drivers, as the configuration sees them."""

from __future__ import annotations

from controller.configuration import wires_dice
from controller.configuration.registry import SLOTS_OF_ALL, SLOTS_OF_VALUES, DriverEntry, GameEntry, Slot
from controller.rounds.sic_bo_options import SicBoOptions
from drivers.base.device_spec import LineUse
from drivers.dice.automated_shaker import BUSY, FAULT, PRESENT, START, AutomatedShakerConfig
from drivers.dice.shaker import ShakerConfig
from drivers.lamps.lamp_board import LampBoardConfig
from hal.lamp_fields import CHAIN


def automated_shaker_lines(config: AutomatedShakerConfig) -> dict[str, LineUse]:
    """The lines of an automated shaker, or its serial link; and the sensor of its place, where it has one."""
    lines: dict[str, LineUse] = {}
    if config.control == "serial":
        lines[config.link] = LineUse("automated shaker", "9600 8N1", "serial port of the shaker", "link")
    else:
        start = "input START of the shaker"
        lines[START] = LineUse("start of the automated shaker", "a pulse starts it", start, "output", drives="signal")
        lines[BUSY] = LineUse("automated shaker, at work", "it tosses", "output BUSY of the shaker")
        lines[FAULT] = LineUse("automated shaker, fault", "it has failed", "output FAULT of the shaker")
    if config.present_sensor:
        lines[PRESENT] = LineUse("place of the automated shaker", "it stands there", "output of the place's switch")
    return lines


def lamp_board_lines(config: LampBoardConfig) -> dict[str, LineUse]:
    """The lamp chain, which hangs on its board and takes no terminal of it."""
    del config  # the chain is where its board is
    purpose = "read-back of the lamp chain"
    return {CHAIN: LineUse(purpose, "its report", "lamp chain of the board", "link", required=False)}


DRIVERS: tuple[DriverEntry, ...] = (
    DriverEntry("shaker", ShakerConfig, wires_dice.shaker_lines),
    DriverEntry("automated_shaker", AutomatedShakerConfig, automated_shaker_lines),
    DriverEntry("lamp_board", LampBoardConfig, lamp_board_lines),
)

GAMES: tuple[GameEntry, ...] = (
    GameEntry(
        "sic_bo",
        SicBoOptions,
        {
            "shaker": Slot(("shaker",), unless="automated_shaker"),
            "automated_shaker": Slot(("automated_shaker",), always=False),
            "lamp_board": Slot(("lamp_board",)),
            **SLOTS_OF_VALUES,
            **SLOTS_OF_ALL,
        },
    ),
)
