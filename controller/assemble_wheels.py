"""Puts the tables of wheels together: money wheel and roulette."""

from __future__ import annotations

from collections.abc import Sequence

from controller.configuration.values import TableConfig
from controller.games.money_wheel.rounds import MoneyWheelGame, MoneyWheelOptions
from controller.games.roulette.automatic import AutomaticRouletteGame
from controller.games.roulette.results import RouletteOptions
from controller.games.roulette.rounds import RouletteGame
from controller.rounds.game import Game
from controller.rounds.voice import Seat
from controller.rules.profile import profile
from drivers.base.driver import Driver
from drivers.money_wheel.device import MoneyWheelConfig
from drivers.money_wheel.encoder_wheel import MoneyWheel
from drivers.money_wheel.peg_wheel import PegWheel
from drivers.roulette.device import RouletteWheelConfig
from drivers.roulette.star_x import StarXConfig, StarXWheel
from drivers.roulette.wheel import RouletteWheel


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
