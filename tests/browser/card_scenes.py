"""Tables of card games in the states in which their boards are tested and pictured.

The results are those of the games' own code, so that no board is tested with a hand that cannot be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from random import Random
from typing import Any

from controller.games.blackjack.counts import complete, hand_of
from controller.games.fixed_hands.layouts import CaribbeanStudLayout, JokerSevenLayout, seven_cards
from controller.games.fixed_hands.seven import JokerSevenRules
from controller.games.red_dog.spread import decided
from controller.rules.profile import profile
from drivers.cards.card_wire import DECK, JOKER
from feed import events
from feed.data import DealtCard
from tests.fakes.board_site import PlayedTable

CardScene = tuple[PlayedTable, list[events.Event]]
STUD = CaribbeanStudLayout(ace_low=True)
SEVEN = JokerSevenLayout(profile("njac-13:47-20").text("joker_seven", JokerSevenRules))


def dealt(to: str, *cards: str) -> list[DealtCard]:
    """Cards that were exposed at a place, as evidence has them."""
    return [DealtCard(card=card, to=to, left_ns=0) for card in cards]


def _begin(game: str, number: int = 1, **more: Any) -> tuple[PlayedTable, list[events.Event]]:
    name = game.replace("_", "-")
    table = PlayedTable(f"{name}-{number}", game)
    return table, [table.open(**more)]


def _round(table: PlayedTable, hands: int | None = None) -> list[events.Event]:
    """A round opens, is called and begins."""
    return [table.bets(course=None if hands is None else {"hands": hands}), table.call(), table.start()]


def _drawn(rng: Random) -> dict[str, Any]:
    """A dealer's hand of blackjack."""
    deck = rng.sample(DECK, 12)
    cards = deck[:2]
    while not complete(cards):
        cards.append(deck[len(cards)])
    return hand_of(cards)


def _blackjack(number: int, last: dict[str, Any], seed: int = 31, **evidence: Any) -> CardScene:
    table, made = _begin("blackjack", number)
    rng = Random(seed)
    made += table.played({"dealer": _drawn(rng)} for _ in range(60))
    return table, [*made, *_round(table, 4), table.outcome(last, **evidence)]


def _of_dealer(*cards: str) -> dict[str, Any]:
    return {"dealer": hand_of(cards)}


def blackjack() -> CardScene:
    """The dealer has nineteen."""
    return _blackjack(1, _of_dealer("8h", "2d", "9c"))


def blackjack_bust() -> CardScene:
    """The dealer is bust."""
    return _blackjack(2, _of_dealer("Ts", "6h", "Kd"))


def blackjack_natural() -> CardScene:
    """The dealer has a blackjack."""
    return _blackjack(3, _of_dealer("As", "Kh"))


def blackjack_longest() -> CardScene:
    """The longest hand that four decks give."""
    return _blackjack(4, _of_dealer("2s", "2s", "2h", "2h", "2d", "2d", "2c", "2c", "Td"))


def blackjack_all_bust() -> CardScene:
    """Every player is bust: the hole card is never turned."""
    counts = {"hand 1": 2, "hand 2": 2, "dealer": 2, "players": 3}
    return _blackjack(5, {}, card_counts=counts, cards=dealt("dealer", "Qd"))


def blackjack_unread() -> CardScene:
    """A shuffling shoe: cards are counted, and none is read."""
    table, made = _begin("blackjack", 6)
    counts = {"hand 1": 2, "hand 2": 2, "hand 3": 2, "dealer": 3, "players": 4}
    return table, [*made, *table.played([{}] * 24, card_counts=counts)]


def blackjack_dealing() -> CardScene:
    """Each hand has its two cards, and the dealer's second one is face down."""
    table, made = _begin("blackjack", 7)
    made += [*table.played({"dealer": _drawn(Random(seed))} for seed in range(12)), *_round(table, 3)]
    return table, [*made, table.event(events.RoundProgress, dealer_cards=["9d"], cards_dealt=8)]


def blackjack_first_cards() -> CardScene:
    """The dealer has no card yet."""
    table, made = _begin("blackjack", 8)
    return table, [*made, *_round(table, 3), table.event(events.RoundProgress, cards_dealt=1)]


def blackjack_playing() -> CardScene:
    """The dealer has turned the hole card, and draws."""
    table, made = _begin("blackjack", 9)
    made += [*table.played({"dealer": _drawn(Random(seed))} for seed in range(5)), *_round(table, 3)]
    return table, [*made, table.event(events.RoundProgress, dealer_cards=["9d", "2c", "3h"], cards_dealt=14)]


def blackjack_corrected() -> CardScene:
    """A person corrected the last hand, and the next round is open."""
    table, made = _blackjack(10, _of_dealer("8h", "2d", "9c"))
    made += [table.correct(table.round, _of_dealer("8h", "2d", "9c"), _of_dealer("8h", "2d", "7c"))]
    return table, [*made, table.bets(course={"hands": 4})]


def multi_action() -> CardScene:
    """Twenty, bust, and a blackjack, all from the same ace."""
    table, made = _begin("multi_action_blackjack")
    rng = Random(32)
    made += table.played({"parts": [_drawn(rng) for _ in range(3)]} for _ in range(40))
    parts = [hand_of(cards) for cards in (("As", "9h"), ("As", "4d", "9c", "8h"), ("As", "Kd"))]
    return table, [*made, *_round(table, 2), table.outcome({"parts": parts})]


def multi_action_dealing() -> CardScene:
    """The dealer plays a part."""
    table, made = _begin("multi_action_blackjack", 2)
    made += _round(table, 2)
    return table, [*made, table.event(events.RoundProgress, dealer_cards=["As", "4d"], cards_dealt=9)]


def _between(rng: Random) -> dict[str, Any]:
    cards = rng.sample(DECK, 3)
    result = decided(cards[:2]) or decided(cards)
    assert result is not None
    return result


def _red_dog(number: int, *cards: str, winning: Iterable[tuple[str, str]] = ()) -> CardScene:
    table, made = _begin("red_dog", number)
    rng = Random(33)
    made += table.played(_between(rng) for _ in range(80))
    result = decided(cards)
    assert result is not None
    return table, [*made, *_round(table), table.outcome(result, winning=winning)]


def red_dog() -> CardScene:
    """The third card falls between."""
    return _red_dog(1, "4s", "9h", "7d", winning=[("wager", "1 to 1"), ("raise", "1 to 1")])


def red_dog_outside() -> CardScene:
    """The third card does not fall between."""
    return _red_dog(2, "Th", "Qd", "2c")


def red_dog_consecutive() -> CardScene:
    """Two consecutive cards: there is no third one."""
    return _red_dog(3, "9s", "Td")


def red_dog_pair() -> CardScene:
    """A pair, and a third card of another rank."""
    return _red_dog(4, "Qs", "Qd", "5c")


def red_dog_three() -> CardScene:
    """Three of a kind."""
    return _red_dog(5, "Qs", "Qd", "Qc", winning=[("wager", "11 to 1")])


def red_dog_spread() -> CardScene:
    """Two cards, and the third one is awaited."""
    table, made = _begin("red_dog", 6)
    made += [*table.played([{"cards": ["9s", "Td"], "kind": "consecutive"}]), *_round(table)]
    return table, [*made, table.event(events.RoundProgress, cards=["4s", "9h"], spread=4)]


def red_dog_announced() -> CardScene:
    """A pair is announced."""
    table, made = _begin("red_dog", 7)
    made += _round(table)
    return table, [*made, table.event(events.RoundProgress, cards=["8s", "8h"], announce="We have a pair")]


def _studs(count: int, seed: int = 34) -> list[dict[str, Any]]:
    rng = Random(seed)
    return [STUD.result_named("-".join(rng.sample(DECK, 5))) for _ in range(count)]


def _stud(number: int, last: dict[str, Any], *, many: int = 60, **evidence: Any) -> CardScene:
    table, made = _begin("caribbean_stud", number)
    made += table.played(_studs(many))
    return table, [*made, *_round(table, 4), table.outcome(last, **evidence)]


def stud() -> CardScene:
    """The dealer qualifies with an ace and a king."""
    return _stud(1, STUD.result_named("Ks-Ah-Td-4c-2s"))


def stud_unqualified() -> CardScene:
    """The dealer does not qualify, and a hand is void."""
    return _stud(2, {**STUD.result_named("Qs-9h-Td-4c-2s"), "void_hands": [2]})


def stud_unread() -> CardScene:
    """No card is read."""
    table, made = _begin("caribbean_stud", 3)
    counts = {"hand 1": 5, "hand 2": 5, "dealer": 5}
    return table, [*made, *table.played([{}] * 12, card_counts=counts)]


def stud_dealing() -> CardScene:
    """Every card is dealt, and the dealer's last one is face up."""
    table, made = _begin("caribbean_stud", 4)
    made += [*table.played(_studs(8)), *_round(table, 4)]
    return table, [*made, table.event(events.RoundProgress, dealer_cards=["2s"], cards_dealt=25)]


def stud_first_cards() -> CardScene:
    """Some cards are dealt: no message says which of them are the dealer's."""
    table, made = _begin("caribbean_stud", 5)
    made += _round(table, 4)
    return table, [*made, table.event(events.RoundProgress, cards_dealt=12)]


def stud_progressive() -> CardScene:
    """The meter of a progressive wager, in dollars; bets are open."""
    table, made = _begin("caribbean_stud", 6, limits_unit="USD", limits=[events.StakeLimit(minimum=5, maximum=100)])
    made += table.played(_studs(40))
    return table, [*made, table.bets(course={"hands": 4, "meter_cents": 2_541_360})]


def stud_progressive_result() -> CardScene:
    """The dealer qualifies with a pair, and the meter has grown by the wagers of the round."""
    table, made = _begin("caribbean_stud", 8, limits_unit="USD", limits=[events.StakeLimit(minimum=5, maximum=100)])
    made += [*table.played(_studs(70)), table.bets(course={"hands": 4, "meter_cents": 2_541_360}), table.call()]
    grown = {"hands": 4, "meter_cents": 2_541_570}
    made += [table.event(events.CarriedStateChanged, act="progressive_wagers", course=grown), table.start()]
    return table, [*made, table.outcome(STUD.result_named("8s-8h-Kd-3c-Tc"))]


def stud_paid() -> CardScene:
    """A straight flush has been paid of the meter, in chips, at a house that counts large."""
    table, made = _begin("caribbean_stud", 7, limits_unit="chips")
    made += [*table.played(_studs(40)), *_round(table, 4), table.outcome(_studs(1, 41)[0])]
    payment = {"hand": "straight_flush", "round": table.round, "paid": {"2": 118_001_640}, "by": "ann", "from_meter": 1}
    course = {"hands": 4, "meter_cents": 1_062_014_765, "payment": payment}
    return table, [*made, table.event(events.CarriedStateChanged, act="progressive_paid", course=course)]


def _rides(count: int, seed: int = 35) -> list[dict[str, Any]]:
    rng = Random(seed)
    return [{"community": rng.sample(DECK, 2)} for _ in range(count)]


def let_it_ride() -> CardScene:
    """Both community cards are turned."""
    table, made = _begin("let_it_ride")
    made += [*table.played(_rides(60)), *_round(table, 4)]
    return table, [*made, table.outcome({"community": ["Th", "Ts"]})]


def let_it_ride_turned() -> CardScene:
    """The first community card is turned."""
    table, made = _begin("let_it_ride", 2)
    made += [*table.played(_rides(9)), *_round(table, 4)]
    return table, [*made, table.event(events.RoundProgress, cards=["Th"], cards_dealt=15)]


def let_it_ride_dealt() -> CardScene:
    """Every card is dealt, and none is turned."""
    table, made = _begin("let_it_ride", 3)
    made += _round(table, 4)
    return table, [*made, table.event(events.RoundProgress, cards_dealt=15)]


def let_it_ride_unread() -> CardScene:
    """No card is read."""
    table, made = _begin("let_it_ride", 4)
    return table, [*made, *table.played([{}] * 5, card_counts={"hand 1": 3, "community": 3})]


def _sevens(rng: Random, hands: int) -> dict[str, Any]:
    deck = rng.sample([*DECK, JOKER, JOKER], 7 * hands)
    return {"hands": [seven_cards(deck[7 * at : 7 * at + 7]) for at in range(hands)]}


def _joker_seven(number: int, hands: Sequence[str] | int, seed: int = 36) -> CardScene:
    table, made = _begin("joker_seven", number)
    rng = Random(seed)
    made += table.played(_sevens(rng, rng.randint(1, 4)) for _ in range(30))
    result = _sevens(rng, hands) if isinstance(hands, int) else SEVEN.result_named("/".join(hands))
    winning = [(bet.bet, bet.odds) for bet in SEVEN.pays(result)[0]]
    return table, [*made, *_round(table, len(result["hands"])), table.outcome(result, winning=winning)]


def joker_seven() -> CardScene:
    """Three hands: five red, two pairs with a joker, and nothing."""
    hands = ("4h-9d-Kh-2d-7h-Js-3c", "8s-8h-Kd-Kc-JK-2s-5s", "As-Ah-Ad-6c-6h-6s-9c")
    return _joker_seven(1, hands)


def joker_seven_full() -> CardScene:
    """Seven hands, as many as the deck has."""
    return _joker_seven(2, 7)


def joker_seven_one() -> CardScene:
    """One hand of two jokers."""
    return _joker_seven(3, ("JK-JK-Td-Th-Ts-2d-3d",))


def joker_seven_bets() -> CardScene:
    """Bets are open: the last round has five hands."""
    table, made = _joker_seven(4, 5)
    return table, [*made, table.settle(), table.bets(course={"hands": 5})]


def joker_seven_dealing() -> CardScene:
    """Cards are dealt."""
    table, made = _begin("joker_seven", 5)
    made += _round(table, 4)
    return table, [*made, table.event(events.RoundProgress, cards_dealt=17)]


CARD_SCENES: dict[str, Callable[[], CardScene]] = {
    scene.__name__: scene
    for scene in (
        blackjack,
        blackjack_bust,
        blackjack_natural,
        blackjack_longest,
        blackjack_all_bust,
        blackjack_unread,
        blackjack_dealing,
        blackjack_first_cards,
        blackjack_playing,
        blackjack_corrected,
        multi_action,
        multi_action_dealing,
        red_dog,
        red_dog_outside,
        red_dog_consecutive,
        red_dog_pair,
        red_dog_three,
        red_dog_spread,
        red_dog_announced,
        stud,
        stud_unqualified,
        stud_unread,
        stud_dealing,
        stud_first_cards,
        stud_progressive,
        stud_progressive_result,
        stud_paid,
        let_it_ride,
        let_it_ride_turned,
        let_it_ride_dealt,
        let_it_ride_unread,
        joker_seven,
        joker_seven_full,
        joker_seven_one,
        joker_seven_bets,
        joker_seven_dealing,
    )
}

IN_A_HALL = ("blackjack", "multi_action", "red_dog", "stud_paid", "stud_dealing", "let_it_ride", "joker_seven_full")
"""Those that are in a hall of every game."""
