"""Every fault of the list at every game of cards: tried, or a reason why that game cannot have it, which is shown too.

`TRIED` has one entry a fault: how it is tried, and the games that cannot have it, each with what shows it. The test
goes through every pair of game and fault.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

import pytest

from controller.games.assembly import geometry_of
from controller.games.catalogue import GAMES as LISTED
from controller.games.load import check_text
from controller.table.phase import RUNNING
from drivers.cards.card_wire import ShufflerLine, ShufflerState, encode
from feed import events
from hal.values import Frame
from simulators.base.faults import FaultError, fault_named
from tests.tables.bench import EventList, configured
from tests.tables.card_shoe import S, ShoeHands, card_toml, together
from tests.tables.judged_cards import judge

GAMES: Final = (
    *("baccarat", "mini_baccarat", "red_dog", "blackjack", "multi_action_blackjack"),
    *("caribbean_stud", "let_it_ride", "joker_seven"),
)
ROUNDS: Final = 6
CARDS: Final = {"blackjack": 208, "multi_action_blackjack": 208, "red_dog": 52, "joker_seven": 54}
"""Cards of a stack, where they are neither 416 nor 52."""
BACCARATS: Final = ("baccarat", "mini_baccarat")
STACKS: Final = {"caribbean_stud": 5, "let_it_ride": 3, "joker_seven": 7}
FACE_UP: Final = ("red_dog", "caribbean_stud")
SERIAL: Final = '[device.shuffler]\ncontrol = "serial"\n'
FIRST_CARDS: Final = "9s 6h"

Try = Callable[[str], None]


class Fault(NamedTuple):
    """How a fault is tried, and which games cannot have it: by game, how that is shown."""

    tries: tuple[Try, ...]
    instead: Mapping[str, Try] = {}


def simulated(fault: str, shoe: Callable[[str], str] = lambda game: "", options: str = "") -> Try:
    """Rounds of the simulator, of which some have its named fault, are held against the truth."""

    def attempt(game: str) -> None:
        config = configured(card_toml(game, shoe=shoe(game), options=options))
        score = judge(config, fault, ROUNDS, 3)
        assert score.verdicts["outcome"] > 0, "the table never came back"

    return attempt


def lacks(fault: str, what: str) -> Try:
    """The table lacks what the fault needs, and the simulator refuses it for that."""

    def attempt(game: str) -> None:
        with pytest.raises(FaultError, match=what):
            fault_named(fault, geometry_of(configured(card_toml(game))))

    return attempt


def no_stacks(game: str) -> None:
    """Hands grow card by card: an automated shoe is refused."""
    (found,) = check_text(card_toml(game, shoe="stack_cards = 4")).errors
    assert "no stack of a fixed number of cards" in str(found)


def not_in_the_text(game: str) -> None:
    """The text says nothing of a card that is found face up."""
    refused = ShoeHands(card_toml(game)).order("face_up_card card=next by=ann")
    assert not refused.accepted
    assert "says nothing of a card that is found face up" in refused.reason


def begun(game: str, text: str = "") -> ShoeHands:
    """A round in which cards are being dealt."""
    hands = ShoeHands(text or card_toml(game))
    hands.order("new_shoe by=ann")
    if hands.game.shoe.book.burn_due and not hands.game.terms.deal.burns_after_call:
        hands.deal("5d")
    hands.order("hands count=1 by=ann")
    hands.call()
    hands.deal(FIRST_CARDS)
    assert hands.game.rounds.phase is RUNNING
    return hands


def power_cut(game: str) -> None:
    """The power fails in mid-hand: the round is void, and nothing of it is known after it."""
    hands = begun(game)
    again = ShoeHands(card_toml(game), before=hands.bench.state())
    assert again.bench.said.verdicts() == ["void power_loss"]
    assert again.game.rounds.phase is not RUNNING
    later = together(again.wait(6.0), again.call())
    assert later.of(events.Outcome) == []


def shuffler_counts(difference: int) -> Try:
    """The shuffler counts a deck that is not whole: it is not dealt."""

    def attempt(game: str) -> None:
        hands = ShoeHands(card_toml(game, more=SERIAL))
        whole = CARDS.get(game, 416 if game in BACCARATS else 52)
        cycle(hands, whole + difference)
        refused = hands.order("new_shoe by=ann")
        assert not refused.accepted
        assert "no whole batch is ready" in refused.reason
        hands.order("void by=ann")
        hands.wait(6.0)
        assert "card_count" in [one.fault for one in hands.bench.said.of(events.DeviceFault)]
        cycle(hands, whole)
        assert hands.order("new_shoe by=ann").accepted

    return attempt


def cycle(hands: ShoeHands, count: int) -> EventList:
    """A cycle of the shuffler, with this count."""
    states = (ShufflerState.IDLE, ShufflerState.BUSY, ShufflerState.COMPLETE)
    said = EventList()
    for state in states:
        line = ShufflerLine(1, state, count if state is ShufflerState.COMPLETE else None)
        said += hands.feed([], [Frame("shuffler", encode(line), round((hands.now_s + 0.1) * S))], 0.3)
    return said


def hand_shuffle(game: str) -> None:
    """The cards are shuffled by hand while the shuffler stands at the table."""
    hands = ShoeHands(card_toml(game, more=SERIAL))
    refused = hands.order("new_shoe method=hand by=ann")
    assert not refused.accepted
    assert "remove it before the cards are shuffled by hand" in refused.reason
    assert hands.order("shuffler_removed by=ann").accepted
    assert hands.order("new_shoe method=hand by=ann").accepted


def card_too_often(game: str) -> None:
    """A card leaves more often than the decks of the shoe hold it."""
    hands = ShoeHands(card_toml(game))
    hands.order("new_shoe by=ann")
    left = sum(doubted(hands, "9s") for _ in range(9))
    assert left == 1, "of nine equal cards of eight decks one is too many"


def doubted(hands: ShoeHands, card: str) -> bool:
    """Whether the books of the shoe doubt a card that leaves."""
    found = hands.game.shoe.book.take(card)
    return found is not None and found.reason == "card_twice"


TRIED: Final[Mapping[str, Fault]] = {
    "jam": Fault((simulated("jam"),)),
    "short stack": Fault(
        (simulated("short_stack", shoe=lambda game: f"stack_cards = {STACKS[game]}"),),
        dict.fromkeys(set(GAMES) - set(STACKS), no_stacks),
    ),
    "double draw": Fault((simulated("excess_card"),)),
    "card pushed back": Fault((simulated("card_pushed_back"), simulated("card_returned"))),
    "card out of turn": Fault((simulated("dealt_before_no_more_bets"),)),
    "51 cards": Fault((shuffler_counts(-1),)),
    "53 cards": Fault((shuffler_counts(1),)),
    "twice the same card": Fault(
        (simulated("card_twice"),),
        {
            **dict.fromkeys(BACCARATS, card_too_often),
            **dict.fromkeys(("blackjack", "multi_action_blackjack"), simulated("card_twice", options="decks = 1")),
        },
    ),
    "cutting card early": Fault((simulated("cut_card_early"),)),
    "cutting card never": Fault((simulated("shoe_empty"),)),
    "shoe swapped in play": Fault((simulated("shoe_restarted"),)),
    "face-up card": Fault((simulated("face_up_card"),), dict.fromkeys(set(GAMES) - set(FACE_UP), not_in_the_text)),
    "misread": Fault((simulated("misread"),)),
    "two cards at once": Fault((simulated("two_cards_at_once"),)),
    "dead barrier": Fault((simulated("dead_barrier"),)),
    "cable pulled": Fault((simulated("cable_pulled"),)),
    "power cut in mid-hand": Fault((power_cut,)),
    "shuffler beside the hand shuffle": Fault((hand_shuffle,)),
}


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("fault", TRIED)
def test_every_fault_is_tried_at_every_game_of_cards(fault: str, game: str) -> None:
    how = TRIED[fault]
    for attempt in (how.instead[game],) if game in how.instead else how.tries:
        attempt(game)


def test_a_fault_whose_equipment_is_not_there_is_refused_and_not_played() -> None:
    for game in GAMES:
        lacks("short_stack", "an automated shoe")(game)
        lacks("both_compartments", "a double shoe")(game)
        lacks("card_added", "a continuous shuffling shoe")(game)


def test_every_game_of_cards_is_in_the_list() -> None:
    assert set(GAMES) == {spec.name for spec in LISTED if "shoe" in spec.devices}
