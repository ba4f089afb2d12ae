"""Puts the tables of beat the dealer, chuck-a-luck and under/over together."""

from __future__ import annotations

from collections.abc import Sequence

from controller.configuration.values import TableConfig
from controller.games.dice.setup import value_devices
from controller.games.tumbled.bets import BeatTheDealerBets, ChuckALuckBets, TumbledBets, UnderOverBets
from controller.rounds.game import Game
from controller.rounds.tumbled import TumbledGame
from controller.rounds.tumbled_motor import MotorTumbledGame
from controller.rounds.tumbled_options import TumbledOptions
from controller.rounds.voice import Seat
from controller.rules.profile import profile
from drivers.base.driver import Driver
from drivers.dice.cage import Cage, CageConfig
from drivers.dice.cage_motor import CageMotor, CageMotorConfig
from drivers.dice.chute import Chute, ChuteConfig


def beat_the_dealer(config: TableConfig, seat: Seat) -> tuple[Game, Sequence[Driver]]:
    """Two dice, tumbled by the dealer and then by the player."""
    return _table(config, seat, BeatTheDealerBets(profile(config.rules).beat_the_dealer_rules()))


def chuck_a_luck(config: TableConfig, seat: Seat) -> tuple[Game, Sequence[Driver]]:
    """Three dice."""
    return _table(config, seat, ChuckALuckBets(profile(config.rules).chuck_a_luck_rules()))


def under_over(config: TableConfig, seat: Seat) -> tuple[Game, Sequence[Driver]]:
    """Two dice, under seven, over seven, or seven."""
    return _table(config, seat, UnderOverBets(profile(config.rules).under_over_rules()))


def _table(config: TableConfig, seat: Seat, bets: TumbledBets) -> tuple[Game, Sequence[Driver]]:
    dice = bets.rules.dice_count.value
    options = config.game_options(TumbledOptions)
    tumbler: Cage | Chute
    if "chute" in config.devices:
        tumbler = Chute(config.devices["chute"].keys(ChuteConfig), dice)
    else:
        tumbler = Cage(config.devices["cage"].keys(CageConfig))
    givers = value_devices(config, dice, options.values_wait_s)
    if "motor" in config.devices and isinstance(tumbler, Cage):
        motor = config.devices["motor"].keys(CageMotorConfig)
        least = tumbler.config.minimum_inversions
        turned = MotorTumbledGame(seat, bets, options, givers.values, givers.reader, motor, least)
        return turned, [tumbler, CageMotor(motor), *givers.drivers]
    game = TumbledGame(seat, bets, options, givers.values, givers.reader, tumbler.name)
    return game, [tumbler, *givers.drivers]
