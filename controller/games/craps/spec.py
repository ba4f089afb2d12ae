"""Craps and mini-craps, as the catalogue lists them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, get_args

from controller.configuration.problems import ConfigFinding
from controller.configuration.registry import SLOTS_OF_ALL, SetUp, Slot
from controller.configuration.values import TableConfig
from controller.games.base.spec import GameSpec, GameWords, TableDevices
from controller.games.base.texts import texts_of
from controller.games.craps.decision import RollDecision
from controller.games.craps.orders import ORDERS
from controller.games.craps.rounds import CrapsGame, CrapsOptions
from controller.games.craps.rules import CrapsRules
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
from controller.rules.profile import profile
from controller.table.context import GameContext
from controller.table.rounds import Game
from drivers.dice.automated_shaker import AutomatedShakerConfig, ShakerActuator
from drivers.dice.reader import DiceReaderConfig
from drivers.lamps.puck import LINES, PuckActuator
from feed.events import StatisticsKey
from feed.results.craps import RESULTS

if TYPE_CHECKING:
    from simulators.dice.craps_table import CrapsGeometry

_ACTS: Final = {
    "pass_dice": "the shooter passes the dice",
    "change_dice": "a player asks for other dice",
    "roll_for_come": "the shooter rolls for the come wagers",
    "line_wager": "a line wager is made again",
    "corrected": "after the correction",
    "shaker_removed": "the automated shaker was removed from the table",
    "shaker_placed": "the automated shaker is on the table",
}

ROOM: Final = Path(__file__).parent
TEXTS: Final = texts_of(ROOM)


def _rules(config: TableConfig) -> CrapsRules:
    return profile(config.rules).text(config.game, CrapsRules)


def _build(config: TableConfig, context: GameContext, devices: TableDevices) -> Game:
    rules, options = _rules(config), config.game_options(CrapsOptions)
    # Where one source is all there is, no other is awaited.
    alone = not {"keypad", "reader"} <= config.devices.keys()
    wait_s = options.call_time_s if alone else options.values_wait_s
    values = make_values(config, devices, rules.dice_count.value, wait_s)
    wired = [line for line in LINES if not config.live or config.wired(line)]
    puck = devices.commanded("puck", PuckActuator, wired)
    warning = ("dice", "roll_not_called")
    rounds = dice_rounds(context, rules, rules.result_read.cite, options.settle_after_s, uncalled_warning=warning)
    return CrapsGame(rounds, rules, options, values, puck, devices.commanded("automated_shaker", ShakerActuator))


def _check(setup: SetUp) -> list[ConfigFinding]:
    """What the house offers must be what the rules let it offer, and its board must read the throws."""
    if not isinstance(setup.options, CrapsOptions):
        return []
    rules = profile(setup.profile).text(setup.game, CrapsRules)
    found = [ConfigFinding(("game", key), wrong, fix) for key, wrong, fix in setup.options.against(rules)]
    reader = setup.devices.get("reader")
    asked = reader is not None and reader.keys(DiceReaderConfig).format == "frames_7a"
    if asked and "automated_shaker" not in setup.devices:
        wrong = "such a board only answers, and no device reports that dice were thrown: no throw would be read"
        fix = 'take a board of format = "lines", or add [device.automated_shaker]'
        found.append(ConfigFinding(("device", "reader", "format"), wrong, fix))
    return found


def _statistics(config: TableConfig) -> list[StatisticsKey]:
    decision = StatisticsKey(field="decision", values=[*get_args(RollDecision)])
    return [*dice_statistics(_rules(config).dice_count.value), decision]


def _geometry(config: TableConfig) -> CrapsGeometry:
    from simulators.dice.craps_table import CrapsGeometry

    reader = config.devices.get("reader")
    keys = None if reader is None else reader.keys(DiceReaderConfig)
    shaker = config.devices.get("automated_shaker")
    toss = None if shaker is None else shaker.keys(AutomatedShakerConfig)
    timed = toss or AutomatedShakerConfig()
    return CrapsGeometry(
        no_more_bets_button=config.called_by_button,
        settled_button=config.settled_by_button,
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


def _rolled(result: Mapping[str, Any]) -> str:
    """What the stickperson calls."""
    point = result.get("point")
    calls = {
        "natural": "natural",
        "craps": "craps",
        "point_set": f"the point is {point}",
        "pass": f"{point} is made, pass",
        "seven_out": "seven out",
        "none": "no decision" if point is None else f"no decision, the point is {point}",
    }
    return f"{thrown_words(result)}, {calls.get(result['decision'], result['decision'])}"


def _carried_words(act: str, state: Mapping[str, Any]) -> str:
    """What a person changed between two rolls, and where the game is now."""
    if act in ("shaker_removed", "shaker_placed"):
        return _ACTS[act]
    point = state.get("point")
    stands = "come out" if point is None else f"the point is {point}"
    return f"{_ACTS.get(act, act)}: {stands}, shooter {state.get('shooter')}"


def _spec(name: str) -> GameSpec:
    return GameSpec(
        name=name,
        result=RESULTS[name],
        texts=TEXTS,
        page="craps",
        rules=CrapsRules,
        options=CrapsOptions,
        devices={
            **SLOTS_OF_VALUES,
            **SLOTS_OF_ALL,
            "puck": Slot(("puck",), always=False),
            "automated_shaker": Slot(("automated_shaker",), always=False),
        },
        build=_build,
        geometry=_geometry,
        rests=dice_of,
        words=GameWords(_rolled, begun_words("the dice are thrown"), _carried_words),
        check=_check,
        statistics=_statistics,
        published_bias=published_dice,
        watch=SHAKE_WATCH,
        falls_in=("automated_shaker",),
        orders=(*ORDERS, *SHAKER_ORDERS),
    )


CRAPS = _spec("craps")
MINI_CRAPS = _spec("mini_craps")
