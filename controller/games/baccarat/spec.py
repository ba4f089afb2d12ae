"""Baccarat and mini-baccarat, as the catalogue lists them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, get_args

from controller.configuration.problems import ConfigFinding
from controller.configuration.registry import SLOTS_OF_ALL, SetUp, Slot
from controller.configuration.values import TableConfig
from controller.games.baccarat.hands import Winner
from controller.games.baccarat.orders import ORDERS
from controller.games.baccarat.rounds import BaccaratGame, BaccaratOptions, cards_in_order
from controller.games.baccarat.rules import BaccaratRules
from controller.games.base.spec import GameSpec, GameWords, TableDevices
from controller.rules.profile import profile
from controller.table.game import Game, GameContext
from drivers.cards.shoe import ShoeConfig
from drivers.cards.shuffler import ShufflerConfig
from feed.events import RoundStarted, StatisticsKey

if TYPE_CHECKING:
    from simulators.cards.baccarat_table import BaccaratGeometry


def _build(config: TableConfig, context: GameContext, devices: TableDevices) -> Game:
    devices.make("shoe")
    rules = profile(config.rules).text(config.game, BaccaratRules)
    devices.make("shuffler")
    section = config.devices.get("shuffler")
    shuffler = None if section is None else section.keys(ShufflerConfig)
    return BaccaratGame(context, rules, config.game_options(BaccaratOptions), shuffler=shuffler)


def _check(setup: SetUp) -> list[ConfigFinding]:
    """The decks must be as many as the text wants."""
    options = setup.options
    if not isinstance(options, BaccaratOptions):
        return []
    least = profile(setup.profile).text(setup.game, BaccaratRules).decks
    if options.decks >= least.value:
        return []
    wrong = f"{options.decks} is too few: at least {least.value} are used ({least.cite})"
    return [ConfigFinding(("game", "decks"), wrong, f"load {least.value} decks or more, such as 8")]


def _statistics(config: TableConfig) -> list[StatisticsKey]:
    totals = [*range(10)]
    return [
        StatisticsKey(field="winner", values=[*get_args(Winner)]),
        StatisticsKey(field="player.total", values=[*totals]),
        StatisticsKey(field="banker.total", values=[*totals]),
    ]


def _geometry(config: TableConfig) -> BaccaratGeometry:
    from simulators.cards.baccarat_table import BaccaratGeometry

    shoe = config.devices["shoe"].keys(ShoeConfig)
    options = config.game_options(BaccaratOptions)
    return BaccaratGeometry(
        game=config.game,
        no_more_bets_button="dealer_no_more_bets" in config.buttons,
        settled_button="dealer_settled" in config.buttons,
        decks=options.decks,
        barriers=shoe.barriers,
        body=shoe.body,
        link=shoe.link,
        read_wait_s=shoe.read_wait_s,
        jam_s=shoe.jam_s,
        settle_after_s=options.settle_after_s,
        third_card_table=options.third_card_table,
    )


def _result_words(result: Mapping[str, Any]) -> str:
    hands = (f"{side} {' '.join(result[side]['cards'])} = {result[side]['total']}" for side in ("player", "banker"))
    winner = result["winner"]
    return f"{', '.join(hands)}: {'tie' if winner == 'tie' else f'{winner} wins'}"


def _begun(data: RoundStarted) -> str:
    return "the cards are dealt"


def _spec(name: str) -> GameSpec:
    return GameSpec(
        name=name,
        rules=BaccaratRules,
        options=BaccaratOptions,
        devices={"shoe": Slot(("shoe",)), "shuffler": Slot(("shuffler",), always=False), **SLOTS_OF_ALL},
        build=_build,
        geometry=_geometry,
        rests=cards_in_order,
        words=GameWords(_result_words, _begun),
        statistics=_statistics,
        check=_check,
        orders=ORDERS,
    )


BACCARAT = _spec("baccarat")
MINI_BACCARAT = _spec("mini_baccarat")
