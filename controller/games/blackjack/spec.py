"""Blackjack and multi-action blackjack, as the catalogue lists them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from controller.configuration.problems import ConfigFinding
from controller.configuration.registry import SetUp, Slot
from controller.configuration.values import TableConfig
from controller.games.base.spec import GameSpec, GameWords, TableDevices
from controller.games.base.texts import texts_of
from controller.games.blackjack.orders import ORDERS
from controller.games.blackjack.rounds import BlackjackHands, BlackjackOptions
from controller.games.blackjack.rules import BlackjackRules
from controller.games.cards.dealing import DealTerms
from controller.games.cards.game import CardGame, CardTerms, card_rounds
from controller.games.cards.setup import (
    CARD_WATCH,
    SLOTS_OF_CARDS,
    card_geometry,
    decks_wanted,
    is_continuous,
    is_double,
    make_cards,
    no_stacks,
)
from controller.games.cards.words import carried_words, deal_begun
from controller.rules.cited import Cited
from controller.rules.profile import profile
from controller.table.context import GameContext
from controller.table.rounds import Game
from drivers.cards.card_wire import DECK
from feed.events import StatisticsKey
from feed.results.blackjack import RESULTS

TOTALS: Final = range(17, 27)
"""What a dealer's complete hand can count."""

if TYPE_CHECKING:
    from simulators.cards.card_table import CardGeometry

ROOM: Final = Path(__file__).parent
TEXTS: Final = texts_of(ROOM)


def _build(config: TableConfig, context: GameContext, devices: TableDevices) -> Game:
    equipment = make_cards(config, devices)
    devices.make("card_reader")
    rules = profile(config.rules).text(config.game, BlackjackRules)
    options = config.game_options(BlackjackOptions)
    deal = DealTerms(burns_after_call=True, must_be_read=False, most_hands=rules.most_hands.value)
    continuous = is_continuous(config.devices)
    rounds = card_rounds(context, rules, options.settle_after_s)
    terms = CardTerms(options.decks, DECK, equipment, deal, continuous=continuous)
    return CardGame(rounds, rules, terms, partial(BlackjackHands, rules=rules, options=options))


def _check(setup: SetUp) -> list[ConfigFinding]:
    options = setup.options
    if not isinstance(options, BlackjackOptions):
        return []
    rules = profile(setup.profile).text(setup.game, BlackjackRules)
    found = [
        *decks_wanted(rules, options.decks, setup.devices),
        *no_stacks(setup.devices),
        *_shoe_wanted(setup, options),
    ]
    if "card_reader" in setup.devices and not rules.hole_card.value:
        wrong = f"{rules.section} deals the dealer no hole card that a reader could look at"
        found.append(ConfigFinding(("device", "card_reader"), wrong, "remove the section"))
    if not rules.ties and options.ties != BlackjackOptions().ties:
        wrong = f"{rules.section} leaves no choice of how ties are resolved"
        found.append(ConfigFinding(("game", "ties"), wrong, "leave the key out"))
    return found


def _notices(config: TableConfig) -> tuple[Cited[str], ...]:
    """What is posted: the organization's option for ties, what a natural pays under it, and the other odds."""
    rules = profile(config.rules).text(config.game, BlackjackRules)
    return rules.to_post(config.game_options(BlackjackOptions).ties)


def _shoe_wanted(setup: SetUp, options: BlackjackOptions) -> list[ConfigFinding]:
    """What a shuffling shoe cannot give, and that a determinant card chooses between two compartments."""
    found: list[ConfigFinding] = []
    if options.determinant_card and not is_double(setup.devices):
        wrong = "a determinant card chooses a compartment, and this shoe has one"
        found.append(ConfigFinding(("game", "determinant_card"), wrong, "write double = true for the shoe"))
    if not is_continuous(setup.devices):
        return found
    if options.dealer_hand:
        wrong = "a shuffling shoe reads no card, so the dealer's hand cannot be published"
        found.append(ConfigFinding(("game", "dealer_hand"), wrong, "write dealer_hand = false"))
    for device in ("shuffler", "discard_rack"):
        if device in setup.devices:
            wrong = "the cards go back into the shuffling shoe, which shuffles and counts them"
            found.append(ConfigFinding(("device", device), wrong, "remove the section"))
    return found


def _geometry(config: TableConfig) -> CardGeometry:
    from simulators.cards.blackjack_table import FAULTS, dealing_of

    options = config.game_options(BlackjackOptions)
    hole = profile(config.rules).text(config.game, BlackjackRules).hole_card.value
    return card_geometry(
        config,
        dealing_of(hole_card=hole, shown=options.dealer_hand, determinant=options.determinant_card),
        decks=options.decks,
        settle_after_s=options.settle_after_s,
        burn=1,
        burns_after_call=True,
        determinant=options.determinant_card,
        own_faults=FAULTS,
    )


def _hand_words(hand: Mapping[str, Any]) -> str:
    bust = ", bust" if hand["total"] > 21 else ", blackjack" if hand["blackjack"] else ""
    return f"{' '.join(hand['cards'])} = {hand['total']}{bust}"


def _result_words(result: Mapping[str, Any]) -> str:
    if result.get("parts"):
        parts = "; ".join(f"part {number} {_hand_words(hand)}" for number, hand in enumerate(result["parts"], 1))
        return f"dealer: {parts}"
    return f"dealer {_hand_words(result['dealer'])}" if result.get("dealer") else "the dealer's hand was not shown"


def _rests(result: Mapping[str, Any]) -> tuple[str, ...]:
    if result.get("dealer"):
        return tuple(result["dealer"]["cards"])
    words = "-/-".join("-".join(hand["cards"]) for hand in result.get("parts") or ())
    return tuple(words.split("-")) if words else ()


def _spec(name: str, statistics: list[StatisticsKey], devices: Mapping[str, Slot]) -> GameSpec:
    return GameSpec(
        name=name,
        result=RESULTS[name],
        texts=TEXTS,
        page="blackjack",
        rules=BlackjackRules,
        options=BlackjackOptions,
        devices={**SLOTS_OF_CARDS, "shoe": Slot(("shoe", "shuffling_shoe")), **devices},
        build=_build,
        geometry=_geometry,
        rests=_rests,
        words=GameWords(_result_words, deal_begun, carried_words),
        statistics=lambda config: statistics,
        check=_check,
        watch=CARD_WATCH,
        orders=ORDERS,
        notices=_notices,
    )


BLACKJACK = _spec(
    "blackjack",
    [StatisticsKey(field="dealer.total", values=[*TOTALS])],
    {"card_reader": Slot(("card_reader",), always=False)},
)
MULTI_ACTION_BLACKJACK = _spec("multi_action_blackjack", [StatisticsKey(field="parts.total", values=[*TOTALS])], {})
