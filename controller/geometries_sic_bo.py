"""What the simulators need to know of a sic bo table's configuration."""

from __future__ import annotations

from controller.configuration.values import TableConfig
from controller.rounds.sic_bo_options import SicBoOptions
from drivers.dice.automated_shaker import AutomatedShakerConfig
from drivers.dice.reader import DiceReaderConfig
from drivers.dice.shaker import ShakerConfig
from simulators.dice.sic_bo_geometry import SicBoGeometry


def sic_bo(config: TableConfig) -> SicBoGeometry:
    """The geometry of a sic bo table."""
    devices, options = config.devices, config.game_options(SicBoOptions)
    shaker = devices["automated_shaker"].keys(AutomatedShakerConfig) if "automated_shaker" in devices else None
    reader = devices["reader"].keys(DiceReaderConfig) if "reader" in devices else None
    by_hand = devices["shaker"].keys(ShakerConfig) if "shaker" in devices else ShakerConfig()
    keys = shaker or AutomatedShakerConfig()
    return SicBoGeometry(
        game=config.game,
        no_more_bets_button="dealer_no_more_bets" in config.buttons,
        settled_button="dealer_settled" in config.buttons,
        manual="shaker" in devices,
        automated=None if shaker is None else shaker.control,
        present_sensor=keys.present_sensor,
        shaker_link=keys.link,
        keypad="keypad" in devices,
        reader=None if reader is None else reader.format,
        reader_link=DiceReaderConfig().link if reader is None else reader.link,
        activate_after_s=options.activate_after_s,
        toss_s=keys.shake_s,
        rest_s=by_hand.rest_s if shaker is None else keys.rest_s,
        settle_after_s=options.settle_after_s,
    )
