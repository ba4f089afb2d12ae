"""What the simulators need to know of the tables of cage and chute."""

from __future__ import annotations

from controller.configuration.values import TableConfig
from controller.games.tumbled.rules import BeatTheDealerRules, TumbledRules
from controller.rounds.tumbled_options import TumbledOptions
from controller.rules.profile import NoText, profile
from drivers.dice.cage import CageConfig
from drivers.dice.chute import ChuteConfig
from drivers.dice.reader import DiceReaderConfig
from simulators.dice.cage import CageGeometry
from simulators.dice.chute import ChuteGeometry
from simulators.dice.tumbled_geometry import TumbledGeometry


def tumbled(config: TableConfig) -> TumbledGeometry:
    """The geometry of a table of beat the dealer, chuck-a-luck or under/over.

    Raises:
        NoSimulatorError: a motor and a reading board together have no simulator.
        ValueError: its rules profile has no such game.
    """
    from controller.geometries import NoSimulatorError

    rules = profile(config.rules).rules_of(config.game)
    if isinstance(rules, NoText) or not isinstance(rules, TumbledRules):
        raise ValueError(f"{config.game} is no game of cage or chute by {config.rules}")
    dice = rules.dice_count.value
    options = config.game_options(TumbledOptions)
    devices = config.devices
    tumbler: CageGeometry | ChuteGeometry
    if "chute" in devices:
        chute = devices["chute"].keys(ChuteConfig)
        tumbler, rest_s = ChuteGeometry(dice, chute.baffles), chute.rest_s
    else:
        cage = devices["cage"].keys(CageConfig)
        tumbler, rest_s = CageGeometry(dice, cage.sensing, cage.encoder_slots), cage.rest_s
    if "motor" in devices and "reader" in devices:
        raise NoSimulatorError("no simulator plays device.motor beside device.reader; simulate one of the two")
    reader = devices["reader"].keys(DiceReaderConfig) if "reader" in devices else None
    return TumbledGeometry(
        game=config.game,
        no_more_bets_button="dealer_no_more_bets" in config.buttons,
        settled_button="dealer_settled" in config.buttons,
        tumbler=tumbler,
        tumbles=len(rules.tumbles.value) if isinstance(rules, BeatTheDealerRules) else 1,
        keypad="keypad" in devices,
        reader=None if reader is None else reader.format,
        reader_link="dice_serial" if reader is None else reader.link,
        motor="motor" in devices,
        rest_s=rest_s,
        values_wait_s=options.values_wait_s,
        settle_after_s=options.settle_after_s,
    )
