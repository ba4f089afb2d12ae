"""Puts the tables of wheels together: money wheel and roulette."""

from __future__ import annotations

from collections.abc import Sequence

from controller.configuration.values import TableConfig
from controller.rounds.automatic_roulette import AutomaticRouletteGame
from controller.rounds.game import Game
from controller.rounds.money_wheel import MoneyWheelGame, MoneyWheelOptions
from controller.rounds.roulette import RouletteGame
from controller.rounds.roulette_result import RouletteOptions
from controller.rounds.voice import Seat
from controller.rules.profile import profile
from drivers.driver import Driver
from drivers.money_wheel import MoneyWheel
from drivers.money_wheel_config import MoneyWheelConfig
from drivers.peg_wheel import PegWheel
from drivers.roulette_wheel import RouletteWheel
from drivers.roulette_wheel_config import RouletteWheelConfig
from drivers.star_x import StarXConfig, StarXWheel


def money_wheel(config: TableConfig, seat: Seat) -> tuple[Game, Sequence[Driver]]:
    """A money wheel, sensed by an encoder or by its pegs."""
    rules = profile(config.rules).money_wheel_rules()
    keys = config.devices["wheel"].keys(MoneyWheelConfig)
    wheel = MoneyWheel(keys) if keys.sensing == "quadrature" else PegWheel(keys)
    return MoneyWheelGame(seat, rules, config.game_options(MoneyWheelOptions), keys), [wheel]


def roulette(config: TableConfig, seat: Seat) -> tuple[Game, Sequence[Driver]]:
    """A roulette wheel with track sensors, or an automatic one that tells its own state."""
    rules = profile(config.rules).roulette_rules()
    options = config.game_options(RouletteOptions)
    device = config.devices["wheel"]
    if isinstance(device.config, StarXConfig):
        return AutomaticRouletteGame(seat, rules, options, device.config), [StarXWheel(device.name, device.config)]
    keys = device.keys(RouletteWheelConfig)
    return RouletteGame(seat, rules, options, keys), [RouletteWheel(keys)]
