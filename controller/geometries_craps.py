"""What the simulators need to know of a craps table's configuration."""

from __future__ import annotations

from controller.configuration.values import TableConfig
from controller.rounds.craps_options import CrapsOptions
from drivers.dice.automated_shaker import AutomatedShakerConfig
from drivers.dice.reader import DiceReaderConfig
from simulators.dice.craps_table import CrapsGeometry


def craps_geometry(config: TableConfig) -> CrapsGeometry:
    """The geometry of a simulated table of craps or mini-craps."""
    reader = config.devices.get("reader")
    keys = None if reader is None else reader.keys(DiceReaderConfig)
    shaker = config.devices.get("automated_shaker")
    toss = None if shaker is None else shaker.keys(AutomatedShakerConfig)
    timed = toss or AutomatedShakerConfig()
    return CrapsGeometry(
        game=config.game,
        no_more_bets_button="dealer_no_more_bets" in config.buttons,
        settled_button="dealer_settled" in config.buttons,
        keypad="keypad" in config.devices,
        reader=None if keys is None else keys.format,
        link="dice_serial" if keys is None else keys.link,
        automated=None if toss is None else toss.control,
        present_sensor=timed.present_sensor,
        shaker_link=timed.link,
        activate_after_s=config.game_options(CrapsOptions).activate_after_s,
        toss_s=timed.shake_s,
        rest_s=timed.rest_s,
    )
