"""The games of this version, their devices, and the drivers that each device can have."""

from __future__ import annotations

from controller.configuration import games_craps, games_sic_bo, games_tumbled, wires, wires_dice
from controller.configuration.registry import GAMES_TO_COME, SLOTS_OF_ALL, DriverEntry, GameEntry, Registry, Slot
from controller.games.money_wheel.rounds import MoneyWheelOptions
from controller.games.roulette.results import RouletteOptions
from drivers.dealer.buttons import ButtonsConfig
from drivers.dealer.indicators import LampConfig, NumberDisplayConfig
from drivers.dice.keypad import DiceKeypadConfig
from drivers.dice.reader import DiceReaderConfig
from drivers.money_wheel.device import MoneyWheelConfig
from drivers.roulette.device import RouletteWheelConfig
from drivers.roulette.star_x import StarXConfig

_DRIVERS = (
    DriverEntry("money_wheel", MoneyWheelConfig, wires.money_wheel_lines),
    DriverEntry("roulette_wheel", RouletteWheelConfig, wires.roulette_wheel_lines),
    DriverEntry("star_x", StarXConfig, wires.star_x_lines),
    DriverEntry("buttons", ButtonsConfig, wires.buttons_lines),
    DriverEntry("lamp", LampConfig, wires.lamp_lines),
    DriverEntry("number_display", NumberDisplayConfig, wires.number_display_lines),
    DriverEntry("dice_keypad", DiceKeypadConfig, wires_dice.dice_keypad_lines),
    DriverEntry("dice_reader", DiceReaderConfig, wires_dice.dice_reader_lines),
    *games_tumbled.DRIVERS,
    *games_sic_bo.DRIVERS,
    *games_craps.DRIVERS,
)

_GAMES = (
    GameEntry(
        "money_wheel",
        MoneyWheelOptions,
        {"wheel": Slot(("money_wheel",)), **SLOTS_OF_ALL},
    ),
    GameEntry(
        "roulette",
        RouletteOptions,
        {
            "wheel": Slot(("roulette_wheel", "star_x")),
            **SLOTS_OF_ALL,
            "display": Slot(("number_display",), always=False),
        },
    ),
    *games_tumbled.GAMES,
    *games_sic_bo.GAMES,
    *games_craps.GAMES,
)

REGISTRY = Registry(
    games={game.name: game for game in _GAMES},
    drivers={driver.name: driver for driver in _DRIVERS},
    games_to_come=GAMES_TO_COME,
)
"""What a table's file can name."""
