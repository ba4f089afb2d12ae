"""Puts the tables of craps and mini-craps together."""

from __future__ import annotations

from collections.abc import Sequence

from controller.configuration.values import TableConfig
from controller.games.dice.setup import value_devices
from controller.rounds.craps import CrapsGame
from controller.rounds.craps_options import CrapsOptions
from controller.rounds.game import Game
from controller.rounds.toss_watch import TossWatch
from controller.rounds.tossing import Tossing
from controller.rounds.voice import Seat
from controller.rules.profile import profile
from drivers.base.driver import Driver
from drivers.dice.automated_shaker import AutomatedShaker, AutomatedShakerConfig
from drivers.lamps.puck import LINES, PuckMarkers


def craps(config: TableConfig, seat: Seat) -> tuple[Game, Sequence[Driver]]:
    """Craps or mini-craps, by the game that the table plays."""
    texts = profile(config.rules)
    rules = texts.craps_rules() if config.game == "craps" else texts.mini_craps_rules()
    options = config.game_options(CrapsOptions)
    # Where one source is all there is, no other is waited for.
    alone = not {"keypad", "reader"} <= config.devices.keys()
    wait_s = options.call_time_s if alone else options.values_wait_s
    givers = value_devices(config, rules.dice_count.value, wait_s)
    wired = [line for line in LINES if not config.live or config.wired(line)]
    puck = PuckMarkers(wired) if "puck" in config.devices else None
    drivers: list[Driver] = [*givers.drivers]
    tossing = None
    if "automated_shaker" in config.devices:
        keys = config.devices["automated_shaker"].keys(AutomatedShakerConfig)
        drivers.append(AutomatedShaker(keys))
        tossing = Tossing(TossWatch(keys), options.activate_after_s, present_sensor=keys.present_sensor)
    game = CrapsGame(seat, rules, options, givers.values, givers.reader, puck, tossing)
    return game, drivers
