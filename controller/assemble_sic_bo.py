"""Puts the tables of sic bo together."""

from __future__ import annotations

from collections.abc import Sequence

from controller.configuration.values import TableConfig
from controller.games.dice.setup import value_devices
from controller.games.sic_bo.areas import AREAS
from controller.rounds.game import Game
from controller.rounds.lamp_watch import LampWatch
from controller.rounds.sic_bo import SicBoGame
from controller.rounds.sic_bo_options import SicBoOptions
from controller.rounds.toss_watch import TossWatch
from controller.rounds.tossing import Tossing
from controller.rounds.voice import Seat
from controller.rules.profile import profile
from drivers.base.driver import Driver
from drivers.dice.automated_shaker import AutomatedShaker, AutomatedShakerConfig
from drivers.dice.shaker import Shaker, ShakerConfig
from drivers.lamps.lamp_board import LampBoard, LampBoardConfig


def sic_bo(config: TableConfig, seat: Seat) -> tuple[Game, Sequence[Driver]]:
    """A sic bo table: its lamps, who gives the values, and a manual shaker, an automated one, or both."""
    rules = profile(config.rules).sic_bo_rules()
    options = config.game_options(SicBoOptions)
    given = value_devices(config, rules.dice_count.value)
    drivers: list[Driver] = [LampBoard(len(AREAS)), *given.drivers]
    if "shaker" in config.devices:
        drivers.append(Shaker(config.devices["shaker"].keys(ShakerConfig)))
    tossing = None
    if "automated_shaker" in config.devices:
        keys = config.devices["automated_shaker"].keys(AutomatedShakerConfig)
        drivers.append(AutomatedShaker(keys))
        tossing = Tossing(TossWatch(keys), options.activate_after_s, present_sensor=keys.present_sensor)
    lamps = LampWatch(config.devices["lamp_board"].keys(LampBoardConfig), lambda lamp: AREAS[lamp - 1].name)
    game = SicBoGame(seat, rules, options, given.values, given.reader, lamps, tossing)
    if "shaker" not in config.devices:
        game.device = "automated_shaker"
    return game, drivers
