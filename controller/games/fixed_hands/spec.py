"""Caribbean stud, let it ride and joker seven, as the catalogue lists them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from controller.configuration.problems import ConfigFinding
from controller.configuration.registry import SetUp, Slot
from controller.configuration.values import TableConfig
from controller.games.base.spec import Build, GameSpec, GameWords, TableDevices
from controller.games.base.texts import texts_of
from controller.games.cards.dealing import DealTerms
from controller.games.cards.game import CardEquipment, CardGame, CardTerms, ProgressiveEquipment, card_rounds
from controller.games.cards.progressive import ProgressiveTerms
from controller.games.cards.setup import CARD_WATCH, SLOTS_OF_CARDS, card_geometry, decks_wanted, make_cards, stacks_of
from controller.games.cards.words import carried_words, deal_begun
from controller.games.fixed_hands.layouts import CaribbeanStudLayout, HandLayout, JokerSevenLayout, LetItRideLayout
from controller.games.fixed_hands.orders import ORDERS
from controller.games.fixed_hands.poker import RANKS
from controller.games.fixed_hands.rounds import CaribbeanStudOptions, FixedHands, FixedHandsOptions
from controller.games.fixed_hands.rules import CaribbeanStudRules, FixedHandsRules
from controller.games.fixed_hands.seven import JokerSevenRules
from controller.rules.cited import Cited
from controller.rules.profile import profile
from controller.table.context import GameContext
from controller.table.rounds import Game
from drivers.cards.card_wire import DECK, JOKER
from drivers.cards.progressive import AcceptorActuator
from feed.events import StatisticsKey
from feed.results.fixed_hands import RESULTS

if TYPE_CHECKING:
    from simulators.cards.card_table import CardGeometry

DECK_WITH_JOKERS: Final = (*DECK, JOKER, JOKER)

ROOM: Final = Path(__file__).parent
TEXTS: Final = texts_of(ROOM)


def _game(
    config: TableConfig,
    context: GameContext,
    rules: FixedHandsRules,
    equipment: CardEquipment,
    layout: HandLayout,
    deck: Sequence[str] = DECK,
) -> Game:
    options = _options(config)
    deal = DealTerms(must_be_read=False, most_hands=rules.most_hands.value)
    terms = CardTerms(1, deck, equipment, deal, fresh_each_round=True)
    stacks = bool(stacks_of(config.devices))
    hands = partial(FixedHands, rules=rules, options=options, layout=layout, stacks=stacks)
    rounds = card_rounds(context, rules, options.settle_after_s)
    return CardGame(rounds, rules, terms, hands)


def _caribbean(config: TableConfig, context: GameContext, devices: TableDevices) -> Game:
    equipment = make_cards(config, devices)
    acceptors = devices.commanded("progressive", AcceptorActuator)
    rules = profile(config.rules).text(config.game, CaribbeanStudRules)
    options = config.game_options(CaribbeanStudOptions)
    if acceptors is not None:
        terms = ProgressiveTerms(
            options.progressive_wager,
            options.progressive_rate,
            options.progressive_start,
            options.straight_flush_fixed,
        )
        equipment = equipment._replace(progressive=ProgressiveEquipment(rules.progressive, terms, acceptors))
    return _game(config, context, rules, equipment, CaribbeanStudLayout(ace_low=rules.ace_low.value))


def _notices(kind: type[FixedHandsRules], config: TableConfig) -> Sequence[Cited[str]]:
    """The odds, and that no text has the order of an automated shoe, or a progressive wager."""
    rules = profile(config.rules).text(config.game, kind)
    found = [*rules.odds.values(), *([rules.stacks] if stacks_of(config.devices) else [])]
    if isinstance(rules, CaribbeanStudRules) and "progressive" in config.devices:
        found.append(rules.progressive.notice)
    return found


def _check(setup: SetUp) -> list[ConfigFinding]:
    """An automated shoe deals a hand a stack; the rate of progression is what the text wants at least."""
    return [*_stacks_wanted(setup, CaribbeanStudRules), *_rate_wanted(setup)]


def _stacks_wanted(setup: SetUp, rules: type[FixedHandsRules] = FixedHandsRules) -> list[ConfigFinding]:
    stack = stacks_of(setup.devices)
    text = profile(setup.profile).text(setup.game, rules)
    each, too_few = text.cards_each, decks_wanted(text, 1, setup.devices)
    if stack in (0, each.value):
        return too_few
    wrong = f"{stack} cards are not a hand: each has {each.value} ({each.cite})"
    fix = f"write {each.value}, or leave the key out"
    return [*too_few, ConfigFinding(("device", "shoe", "stack_cards"), wrong, fix)]


def _rate_wanted(setup: SetUp) -> list[ConfigFinding]:
    options = setup.options
    if not isinstance(options, CaribbeanStudOptions) or "progressive" not in setup.devices:
        return []
    least = profile(setup.profile).text(setup.game, CaribbeanStudRules).progressive.rate
    if options.progressive_rate >= least.value:
        return []
    wrong = f"{options.progressive_rate} percent is too low: at least {least.value} percent ({least.cite})"
    return [ConfigFinding(("game", "progressive_rate"), wrong, f"give {least.value} or more")]


def _let_it_ride(config: TableConfig, context: GameContext, devices: TableDevices) -> Game:
    rules = profile(config.rules).text(config.game, FixedHandsRules)
    return _game(config, context, rules, make_cards(config, devices), LetItRideLayout())


def _joker_seven(config: TableConfig, context: GameContext, devices: TableDevices) -> Game:
    rules = profile(config.rules).text(config.game, JokerSevenRules)
    return _game(config, context, rules, make_cards(config, devices), JokerSevenLayout(rules), DECK_WITH_JOKERS)


def _options(config: TableConfig) -> FixedHandsOptions:
    wanted = CaribbeanStudOptions if config.game == "caribbean_stud" else FixedHandsOptions
    return config.game_options(wanted)


def _geometry(config: TableConfig) -> CardGeometry:
    from simulators.cards.fixed_hands_table import DEALS, STUD_FAULTS

    stacks = bool(stacks_of(config.devices))
    return card_geometry(
        config,
        partial(DEALS[config.game], stacks=stacks),
        decks=1,
        settle_after_s=_options(config).settle_after_s,
        deck=DECK_WITH_JOKERS if DEALS[config.game].jokers else DECK,
        fresh_each_round=True,
        decks_named=DEALS[config.game].decks,
        own_faults=STUD_FAULTS if config.game == "caribbean_stud" and not stacks else (),
    )


def _stud_words(result: Mapping[str, Any]) -> str:
    hand = result.get("dealer")
    if not hand:
        return "the dealer's hand was not shown"
    how = "qualifies" if hand["qualifies"] else "does not qualify"
    void = f", void: hand {', '.join(map(str, result['void_hands']))}" if result.get("void_hands") else ""
    return f"dealer {' '.join(hand['cards'])}: {hand['rank'].replace('_', ' ')}, {how}{void}"


def _community_words(result: Mapping[str, Any]) -> str:
    return f"community cards {' '.join(result.get('community') or ('not shown',))}"


def _seven_words(result: Mapping[str, Any]) -> str:
    hands = (
        f"hand {number} {' '.join(hand['cards'])} ({hand['red']} red, {hand['black']} black)"
        for number, hand in enumerate(result.get("hands") or (), 1)
    )
    return "; ".join(hands) or "the hands were not shown"


def _stud_rests(result: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(result["dealer"]["cards"]) if result.get("dealer") else ()


def _community_rests(result: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(result.get("community") or ())


def _seven_rests(result: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(card for hand in result.get("hands") or () for card in hand["cards"])


def _spec(
    name: str,
    rules: type[FixedHandsRules],
    build: Build,
    rests: Callable[[Mapping[str, Any]], tuple[str, ...]],
    words: Callable[[Mapping[str, Any]], str],
    statistics: list[StatisticsKey],
    options: type[FixedHandsOptions] = FixedHandsOptions,
    check: Callable[[SetUp], list[ConfigFinding]] = _stacks_wanted,
    devices: Mapping[str, Slot] = SLOTS_OF_CARDS,
) -> GameSpec:
    return GameSpec(
        name=name,
        result=RESULTS[name],
        texts=TEXTS,
        page=name,
        rules=rules,
        options=options,
        devices=devices,
        build=build,
        geometry=_geometry,
        rests=rests,
        words=GameWords(words, deal_begun, carried_words),
        statistics=lambda config: statistics,
        watch=CARD_WATCH,
        orders=ORDERS,
        check=check,
        notices=partial(_notices, rules),
    )


CARIBBEAN_STUD = _spec(
    "caribbean_stud",
    CaribbeanStudRules,
    _caribbean,
    _stud_rests,
    _stud_words,
    [StatisticsKey(field="dealer.rank", values=[*RANKS])],
    CaribbeanStudOptions,
    _check,
    {**SLOTS_OF_CARDS, "progressive": Slot(("progressive",), always=False)},
)
LET_IT_RIDE = _spec("let_it_ride", FixedHandsRules, _let_it_ride, _community_rests, _community_words, [])
JOKER_SEVEN = _spec(
    "joker_seven",
    JokerSevenRules,
    _joker_seven,
    _seven_rests,
    _seven_words,
    [StatisticsKey(field="hands.red", values=[*range(8)])],
    check=partial(_stacks_wanted, rules=JokerSevenRules),
)
