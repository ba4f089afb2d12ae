"""Sic bo, as the catalogue lists it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from controller.configuration.problems import ConfigFinding
from controller.configuration.registry import SLOTS_OF_ALL, SetUp, Slot
from controller.configuration.values import TableConfig
from controller.games.base.spec import GameSpec, GameWords, TableDevices
from controller.games.base.texts import texts_of
from controller.games.dice.orders import ORDERS as SHAKER_ORDERS
from controller.games.dice.setup import (
    SHAKE_WATCH,
    SLOTS_OF_VALUES,
    dice_rounds,
    dice_statistics,
    make_values,
    published_dice,
)
from controller.games.dice.words import begun_words, dice_of, thrown_words
from controller.games.sic_bo.areas import AREAS
from controller.games.sic_bo.inspection import trial_words
from controller.games.sic_bo.orders import ORDERS
from controller.games.sic_bo.rounds import SicBoGame, SicBoOptions
from controller.games.sic_bo.rules import SicBoRules
from controller.rules.profile import profile
from controller.table.context import GameContext
from controller.table.rounds import Game
from drivers.dice.automated_shaker import AutomatedShakerConfig, ShakerActuator
from drivers.dice.reader import DiceReaderConfig
from drivers.dice.shaker import ShakerConfig
from drivers.lamps.lamp_board import LampActuator
from feed.events import StatisticsKey
from feed.results.sic_bo import RESULTS

if TYPE_CHECKING:
    from simulators.dice.sic_bo_geometry import SicBoGeometry

_ACTS: Final = {
    "dice_placed": "dice were placed in the shaker",
    "dice_too_old": "the dice are too old, or nobody knows how old they are",
    "shift_begins": "a shift begins",
    "operate_shaker": "the shaker was operated",
    "shaker_removed": "the automated shaker was removed from the table",
    "shaker_placed": "the automated shaker is on the table",
}
"""What a restart must not lose, as it happens."""

ROOM: Final = Path(__file__).parent
TEXTS: Final = texts_of(ROOM)


def _build(config: TableConfig, context: GameContext, devices: TableDevices) -> Game:
    """The lamps, who gives the values, and a manual shaker, an automated one, or both."""
    rules = profile(config.rules).text(config.game, SicBoRules)
    options = config.game_options(SicBoOptions)
    lamps = devices.commanded("lamp_board", LampActuator, [area.name for area in AREAS])
    if lamps is None:
        raise ValueError(f"table {config.id}: sic bo is not played without its lamps; add [device.lamp_board]")
    values = make_values(config, devices, rules.dice_count.value)
    devices.make("shaker")
    by_hand = config.devices["shaker"].keys(ShakerConfig).minimum_shakes if "shaker" in config.devices else None
    shaker = devices.commanded("automated_shaker", ShakerActuator)
    rule = rules.electrical_device.settled_when.cite
    # Its areas are lit before a round is settled, which the table does when it is open again.
    rounds = dice_rounds(context, rules, rule, options.settle_after_s, settled_by_call=False)
    device = "shaker" if "shaker" in config.devices else "automated_shaker"
    return SicBoGame(rounds, rules, options, values, lamps, shaker, by_hand, device)


def _check(setup: SetUp) -> list[ConfigFinding]:
    """An automated shaker is for the text that knows one; no table shakes less often than the text has it shaken."""
    rules = profile(setup.profile).text(setup.game, SicBoRules)
    found: list[ConfigFinding] = []
    if "automated_shaker" in setup.devices and rules.automated_shaker is None:
        wrong = f"{rules.section} of {setup.profile} knows no automated shaker"
        fix = 'remove the section, or write rules = "njac-13:69F" in [table]'
        found.append(ConfigFinding(("device", "automated_shaker"), wrong, fix))
    least = rules.manual_shaker.minimum_shakes
    shakes = setup.devices["shaker"].keys(ShakerConfig).minimum_shakes if "shaker" in setup.devices else least.value
    if shakes < least.value:
        wrong = f"is {shakes}, and {least.cite} wants the shaker shaken at least {least.value} times"
        fix = f"write {least.value} or more, or leave the key out"
        found.append(ConfigFinding(("device", "shaker", "minimum_shakes"), wrong, fix))
    return found


def _statistics(config: TableConfig) -> list[StatisticsKey]:
    return dice_statistics(profile(config.rules).text(config.game, SicBoRules).dice_count.value)


def _geometry(config: TableConfig) -> SicBoGeometry:
    from simulators.dice.sic_bo_geometry import SicBoGeometry

    devices, options = config.devices, config.game_options(SicBoOptions)
    shaker = devices["automated_shaker"].keys(AutomatedShakerConfig) if "automated_shaker" in devices else None
    reader = devices["reader"].keys(DiceReaderConfig) if "reader" in devices else None
    by_hand = devices["shaker"].keys(ShakerConfig) if "shaker" in devices else ShakerConfig()
    keys = shaker or AutomatedShakerConfig()
    return SicBoGeometry(
        no_more_bets_button=config.called_by_button,
        settled_button=config.settled_by_button,
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


def _carried_words(act: str, state: Mapping[str, Any]) -> str:
    return _ACTS.get(act, act)


SIC_BO = GameSpec(
    name="sic_bo",
    result=RESULTS["sic_bo"],
    texts=TEXTS,
    page="sic_bo",
    rules=SicBoRules,
    options=SicBoOptions,
    devices={
        "shaker": Slot(("shaker",), unless="automated_shaker"),
        "automated_shaker": Slot(("automated_shaker",), always=False),
        "lamp_board": Slot(("lamp_board",)),
        **SLOTS_OF_VALUES,
        **SLOTS_OF_ALL,
    },
    build=_build,
    geometry=_geometry,
    rests=dice_of,
    statistics=_statistics,
    words=GameWords(thrown_words, begun_words("the shaker is shaken"), _carried_words, trial_words),
    check=_check,
    published_bias=published_dice,
    watch=SHAKE_WATCH,
    falls_in=("automated_shaker", "shaker"),
    orders=(*ORDERS, *SHAKER_ORDERS),
)
