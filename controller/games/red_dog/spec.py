"""Red dog, as the catalogue lists it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, get_args

from controller.configuration.problems import ConfigFinding
from controller.configuration.registry import SetUp
from controller.configuration.values import TableConfig
from controller.games.base.spec import GameSpec, GameWords, TableDevices
from controller.games.base.texts import texts_of
from controller.games.cards.game import CardGame, CardTerms, card_rounds
from controller.games.cards.orders import ORDERS
from controller.games.cards.setup import CARD_WATCH, SLOTS_OF_CARDS, card_geometry, decks_wanted, make_cards, no_stacks
from controller.games.cards.words import carried_words, deal_begun
from controller.games.red_dog.rounds import RedDogHands, RedDogOptions
from controller.games.red_dog.rules import RedDogRules
from controller.games.red_dog.spread import Kind
from controller.rules.profile import profile
from controller.table.context import GameContext
from controller.table.rounds import Game
from drivers.cards.card_wire import DECK
from feed.events import StatisticsKey
from feed.results.red_dog import RESULTS

if TYPE_CHECKING:
    from simulators.cards.card_table import CardGeometry

ROOM: Final = Path(__file__).parent
TEXTS: Final = texts_of(ROOM)


def _build(config: TableConfig, context: GameContext, devices: TableDevices) -> Game:
    equipment = make_cards(config, devices)
    rules = profile(config.rules).text(config.game, RedDogRules)
    options = config.game_options(RedDogOptions)
    rounds = card_rounds(context, rules, options.settle_after_s)
    terms = CardTerms(options.decks, DECK, equipment)
    return CardGame(rounds, rules, terms, partial(RedDogHands, rules=rules))


def _check(setup: SetUp) -> list[ConfigFinding]:
    options = setup.options
    if not isinstance(options, RedDogOptions):
        return []
    rules = profile(setup.profile).text(setup.game, RedDogRules)
    return [*decks_wanted(rules, options.decks, setup.devices), *no_stacks(setup.devices)]


def _statistics(config: TableConfig) -> list[StatisticsKey]:
    return [
        StatisticsKey(field="kind", values=[*get_args(Kind)]),
        StatisticsKey(field="spread", values=[*range(1, 12)]),
    ]


def _geometry(config: TableConfig) -> CardGeometry:
    from simulators.cards.red_dog_table import FAULTS, RedDogDeal

    options = config.game_options(RedDogOptions)
    return card_geometry(
        config,
        RedDogDeal,
        decks=options.decks,
        settle_after_s=options.settle_after_s,
        burn=1,
        own_faults=FAULTS,
    )


def _result_words(result: Mapping[str, Any]) -> str:
    kind, cards = result["kind"], " ".join(result["cards"])
    if kind == "spread":
        between = "the third card falls between" if result["wins"] else "the third card does not fall between"
        return f"{cards}: spread of {result['spread']}, {between}"
    return f"{cards}: " + {"consecutive": "consecutive, a tie", "pair": "no three of a kind, a tie"}.get(
        kind, "three of a kind"
    )


def _rests(result: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(result["cards"])


RED_DOG = GameSpec(
    name="red_dog",
    result=RESULTS["red_dog"],
    texts=TEXTS,
    page="red_dog",
    rules=RedDogRules,
    options=RedDogOptions,
    devices=SLOTS_OF_CARDS,
    build=_build,
    geometry=_geometry,
    rests=_rests,
    words=GameWords(_result_words, deal_begun, carried_words),
    statistics=_statistics,
    check=_check,
    watch=CARD_WATCH,
    orders=ORDERS,
)
