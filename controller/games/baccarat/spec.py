"""Baccarat and mini-baccarat, as the catalogue lists them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, get_args

from controller.configuration.problems import ConfigFinding
from controller.configuration.registry import SetUp
from controller.configuration.values import TableConfig
from controller.games.baccarat.hands import BaccaratWinner
from controller.games.baccarat.rounds import BaccaratHands, BaccaratOptions, cards_in_order
from controller.games.baccarat.rules import BaccaratRules
from controller.games.baccarat.wagers import wrong_wagers
from controller.games.base.spec import GameSpec, GameWords, TableDevices
from controller.games.base.texts import texts_of
from controller.games.cards.game import CardGame, CardTerms, card_rounds
from controller.games.cards.orders import ORDERS
from controller.games.cards.setup import CARD_WATCH, SLOTS_OF_CARDS, card_geometry, decks_wanted, make_cards, no_stacks
from controller.games.cards.words import carried_words, deal_begun
from controller.rules.cited import Cited
from controller.rules.profile import profile
from controller.table.context import GameContext
from controller.table.rounds import Game
from drivers.cards.card_wire import DECK
from feed.events import StatisticsKey
from feed.results.baccarat import RESULTS

if TYPE_CHECKING:
    from simulators.cards.card_table import CardGeometry

ROOM: Final = Path(__file__).parent
TEXTS: Final = texts_of(ROOM)


def _build(config: TableConfig, context: GameContext, devices: TableDevices) -> Game:
    equipment = make_cards(config, devices)
    rules = profile(config.rules).text(config.game, BaccaratRules)
    options = config.game_options(BaccaratOptions)
    rounds = card_rounds(context, rules, options.settle_after_s)
    terms = CardTerms(options.decks, DECK, equipment, carries=False)
    return CardGame(rounds, rules, terms, partial(BaccaratHands, rules=rules, options=options))


def _check(setup: SetUp) -> list[ConfigFinding]:
    """The decks must be as many as the text wants, and its wagers those that it has."""
    options = setup.options
    if not isinstance(options, BaccaratOptions):
        return []
    rules = profile(setup.profile).text(setup.game, BaccaratRules)
    found = [
        *decks_wanted(rules, options.decks, setup.devices),
        *no_stacks(setup.devices),
        *wrong_wagers(rules, options, setup.profile),
    ]
    if not options.third_card_table and not rules.draws_by_text:
        wrong = f"of the drawing rules {setup.profile} gives only the titles: without our table no hand can be dealt"
        found.append(ConfigFinding(("game", "third_card_table"), wrong, "leave the key out"))
    return found


def _notices(config: TableConfig) -> Sequence[Cited[str]]:
    """A table that plays by a table of the house states so."""
    rules = profile(config.rules).text(config.game, BaccaratRules)
    return [rules.house_table] if config.game_options(BaccaratOptions).third_card_table else []


def _statistics(config: TableConfig) -> list[StatisticsKey]:
    totals = [*range(10)]
    return [
        StatisticsKey(field="winner", values=[*get_args(BaccaratWinner)]),
        StatisticsKey(field="player.total", values=[*totals]),
        StatisticsKey(field="banker.total", values=[*totals]),
    ]


def _geometry(config: TableConfig) -> CardGeometry:
    from simulators.cards.baccarat_table import BaccaratDeal

    options = config.game_options(BaccaratOptions)
    dealing = partial(BaccaratDeal, by_table=options.third_card_table)
    return card_geometry(config, dealing, decks=options.decks, settle_after_s=options.settle_after_s)


def _result_words(result: Mapping[str, Any]) -> str:
    hands = (f"{side} {' '.join(result[side]['cards'])} = {result[side]['total']}" for side in ("player", "banker"))
    winner = result["winner"]
    return f"{', '.join(hands)}: {'tie' if winner == 'tie' else f'{winner} wins'}"


def _spec(name: str) -> GameSpec:
    return GameSpec(
        name=name,
        result=RESULTS[name],
        texts=TEXTS,
        page="baccarat",
        rules=BaccaratRules,
        options=BaccaratOptions,
        devices=SLOTS_OF_CARDS,
        build=_build,
        geometry=_geometry,
        rests=cards_in_order,
        words=GameWords(_result_words, deal_begun, carried_words),
        statistics=_statistics,
        check=_check,
        notices=_notices,
        watch=CARD_WATCH,
        orders=ORDERS,
    )


BACCARAT = _spec("baccarat")
MINI_BACCARAT = _spec("mini_baccarat")
