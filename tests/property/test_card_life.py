"""Whatever people and the shoe do at a table of cards: no outcome that was not dealt, right books, and a way back.

The oracle knows only what happened: which card left when, whether it passed and was named, and when bets were closed.
What a hand is worth it takes from the simulators, which decide it by the words of the rules once more.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any, Final, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.cards.card_wire import DECK, JOKER
from feed import events
from feed.events import Event
from simulators.cards.baccarat_table import BaccaratDeal, draws, points
from simulators.cards.blackjack_table import BlackjackDeal, MultiActionDeal, count
from simulators.cards.card_table import Announce, Deal, Draw
from simulators.cards.fixed_hands_table import CaribbeanStudDeal, JokerSevenDeal, LetItRideDeal
from simulators.cards.red_dog_table import ORDER, RedDogDeal, apart
from tests.tables.card_shoe import S, ShoeHands, card_toml

DEALS: Final[dict[str, type[Any]]] = {
    "baccarat": BaccaratDeal,
    "red_dog": RedDogDeal,
    "blackjack": BlackjackDeal,
    "multi_action_blackjack": MultiActionDeal,
    "caribbean_stud": CaribbeanStudDeal,
    "let_it_ride": LetItRideDeal,
    "joker_seven": JokerSevenDeal,
}
FRESH: Final = ("caribbean_stud", "let_it_ride", "joker_seven")
HIDDEN: Final = ("blackjack", "multi_action_blackjack", *FRESH)
"""Games that count the cards which nobody reads."""
BUTTONS: Final = '[device.dealer]\nbuttons = ["dealer_no_more_bets", "dealer_settled", "dealer_void"]\n'
WRONG: Final = ("unread", "unnamed", "unseen", "pushed", "trouble", "cut", "twice", "lost", "restart")
STEPS: Final = (
    *("play",) * 8,
    *("card",) * 4,
    *WRONG,
    *("call", "call", "announce", "announce", "settle", "settle_button", "void", "wait", "long_wait"),
    *("discard", "next_card", "next_round", "face_up", "face_down", "misdeal", "dealer_misdeal", "all_bust", "hands"),
    *("new_shoe", "new_shoe", "reshuffle", "new_dealer", "break_up", "close", "open", "clear", "correct", "cancel"),
)
MEDDLING: Final = ("discard", "next_card", "next_round", "face_up", "face_down", "misdeal", "new_shoe", "break_up")
"""What lets a card be used for nothing, or later than it left."""


class Left(NamedTuple):
    """A card that left the shoe."""

    card: str
    proper: bool
    """It passed both barriers, and its line came."""
    burned: bool = False


@dataclass
class Evening:
    """A table, the people at it, and what the oracle noted."""

    game: str
    auto: bool
    rng: Random
    cards: list[str] = field(default_factory=list)
    left: dict[int, Left] = field(default_factory=dict)
    """Each card that left, by when."""
    since: int | None = None
    """Cards that left since the last shuffle that was reported; None where a card may have left unseen since."""
    meddled: list[int] = field(default_factory=list)
    """When somebody had a card used otherwise."""
    restarted: bool = False

    def __post_init__(self) -> None:
        table = 'no_more_bets = "auto"' if self.auto else ""
        self.text = card_toml(self.game, table=table, more="" if self.auto else BUTTONS)
        self.table = ShoeHands(self.text)
        self.said: list[Event] = []
        self.load()

    # --- steps ---------------------------------------------------------------------------------------------------

    def load(self) -> None:
        decks = {"baccarat": 8, "blackjack": 4, "multi_action_blackjack": 4}.get(self.game, 1)
        jokers = [JOKER, JOKER] if self.game == "joker_seven" else []
        self.cards = [*DECK, *jokers] * decks
        self.rng.shuffle(self.cards)

    def step(self, name: str) -> None:
        if name in MEDDLING:
            self.meddled.append(round(self.table.now_s * S))
        getattr(self, name)()

    def order(self, text: str) -> bool:
        return self.table.order(f"{text} by=ann").accepted

    def play(self) -> None:
        """A round as it should be, except for one thing in some of them."""
        rng = self.rng
        if rng.random() < 0.9:
            self.tidy()
        deal: Deal = DEALS[self.game](rng, "none")
        if self.game in FRESH or len(self.cards) < deal.most:
            self.new_shoe()
        for wanted in deal.before():
            self.order(" ".join([wanted.verb, *(f"{key}={value}" for key, value in wanted.given)]))
        if self.table.game.shoe.book.burn_due and self.game == "red_dog":
            self.card()
        self.call()
        if self.table.game.shoe.book.burn_due:
            self.card()
        wrong = rng.randrange(60)
        dealt: list[str] = []
        acts = 0
        for _ in range(200):
            step = deal.next(dealt, acts)
            if step is None or not self.cards:
                break
            if isinstance(step, Draw):
                dealt.append(self.cards[-1])
                self.card()
            elif isinstance(step, Announce):
                acts += 1
                self.announce()
            if len(dealt) == wrong:
                self.step(rng.choice(STEPS[8:]))
                return

    def _leaves(self, card: str, *, proper: bool, **how: bool) -> None:
        at_ns = round((self.table.now_s + 0.1 + 0.16) * S)
        self.left[at_ns] = Left(card, proper)
        if self.since is not None:
            self.since += 1
        self.table.card(card if how.get("named", True) else "9s", **how)

    def card(self) -> None:
        if self.cards:
            self._leaves(self.cards.pop(), proper=True)

    def unread(self) -> None:
        if self.cards:
            self.cards.pop()
            self._leaves("??", proper=False)

    def unnamed(self) -> None:
        if self.cards:
            self._leaves(self.cards.pop(), proper=False, named=False)
            self.since = None
            self.table.state()

    def unseen(self) -> None:
        if self.cards:
            self._leaves(self.cards.pop(), proper=False, passes=False)
            self.table.wait(1.5)

    def twice(self) -> None:
        """A card of another deck."""
        if self.left:
            self._leaves(self.rng.choice([one.card for one in self.left.values()]), proper=True)

    def pushed(self) -> None:
        self.table.sense("shoe_card_1", 1)
        self.table.sense("shoe_card_1", 0)

    def trouble(self) -> None:
        line = self.rng.choice(("shoe_jam", "shoe_empty", "shoe_lid"))
        self.table.sense(line, 1)
        self.table.sense(line, 0)

    def cut(self) -> None:
        self.table.card("XX")

    def lost(self) -> None:
        self.since = None
        self.table.number += 1
        self.table.state()

    def restart(self) -> None:
        if not self.restarted:
            self.restarted, self.since = True, None
            self.said += self.table.bench.said
            again = ShoeHands(self.text, before=self.table.bench.state())
            again.now_s, again.number = again.now_s, self.table.number
            self.left, self.meddled = {}, []
            self.table = again
            self.table.state()

    def call(self) -> None:
        if not self.auto:
            self.table.call()

    def announce(self) -> None:
        if self.auto or self.rng.random() < 0.5:
            self.order("announce")
        else:
            self.table.call()

    def settle(self) -> None:
        self.order("settle")

    def settle_button(self) -> None:
        if not self.auto:
            self.table.press("dealer_settled")

    def cancel(self) -> None:
        if not self.auto:
            self.table.press("dealer_void")

    def void(self) -> None:
        self.order(self.rng.choice(("void", "void reason=hole_card_exposed", "void reason=dealer_misdeal")))

    def wait(self) -> None:
        self.table.wait(self.rng.choice((0.5, 2.0)))

    def long_wait(self) -> None:
        self.table.wait(8.0)

    def discard(self) -> None:
        self.order("excess_card use=discard")

    def next_card(self) -> None:
        self.order("excess_card use=next_card")

    def next_round(self) -> None:
        self.order("excess_card use=next_round")

    def face_up(self) -> None:
        self.order("face_up_card card=next")

    def face_down(self) -> None:
        self.order("face_up_card card=last")

    def misdeal(self) -> None:
        self.order("misdeal hand=1")

    def dealer_misdeal(self) -> None:
        self.order("misdeal hand=dealer")

    def all_bust(self) -> None:
        self.order("all_bust")

    def hands(self) -> None:
        self.order(f"hands count={self.rng.randint(1, 5)}")

    def new_shoe(self) -> None:
        if self.order(f"new_shoe deck={self.rng.choice(('one', 'two'))}"):
            self.load()
            self.since = 0

    def reshuffle(self) -> None:
        self.order("reshuffle")

    def new_dealer(self) -> None:
        self.order("new_dealer")

    def break_up(self) -> None:
        self.order("break_up")

    def close(self) -> None:
        self.order(self.rng.choice(("close reason=end", "close reason=end force=true")))

    def open(self) -> None:
        self.order("inspect_start device=shoe")
        self.order("inspect_pass device=shoe checks=cards,shown,shuffled,shoe")
        self.order("open")

    def clear(self) -> None:
        self.order("clear device=shoe")

    def correct(self) -> None:
        cards = "-".join(self.rng.sample(DECK, self.rng.randint(2, 5)))
        self.order(f"correct round={self.rng.randint(1, 9)} cards={cards} why=a-try")

    # --- what must hold ------------------------------------------------------------------------------------------

    def judge(self) -> None:
        """Every outcome was dealt, and the books have every card."""
        said = self.table.bench.said
        called: dict[int, int] = {}
        for event in said:
            data = event.data
            if isinstance(data, events.NoMoreBets) and data.call == "No more bets":
                called[data.round] = data.mono_ns - (S if data.by == "auto" else 0)  # the first card is that call
            if isinstance(data, events.Outcome):
                self._supported(data, called.get(data.round, 0))
        if self.since is not None and self.table.game.shoe.book.dealt:
            assert self.table.game.shoe.book.dealt <= self.since

    def _supported(self, data: events.Outcome, called_ns: int) -> None:
        shown = data.evidence.cards or []
        for one in shown:
            assert self.left.get(one.left_ns) == Left(one.card, True), (one, data)
        meddled = any(called_ns - 20 * S < t_ns <= data.mono_ns for t_ns in self.meddled)
        faces = [one.card for one in shown]
        if self.game == "baccarat":
            assert not draws(faces)
            assert all(draws(faces[:end]) for end in range(len(faces)))
            player, bank = data.result["player"], data.result["banker"]
            assert (player["total"], bank["total"]) == (points(*player["cards"]), points(*bank["cards"]))
        elif self.game == "red_dog":
            first, second, *third = (ORDER.index(card[0]) for card in faces)
            kind = {0: "pair", 1: "consecutive"}.get(apart(*faces[:2]), "spread")
            expected = "three_of_a_kind" if kind == "pair" and third == [first] else kind
            assert data.result["kind"] == expected
            if kind == "spread":
                assert data.result["wins"] == (min(first, second) < third[0] < max(first, second))
        elif self.game == "blackjack" and data.result.get("dealer"):
            hand = data.result["dealer"]["cards"]
            assert [one.card for one in shown if one.to == "dealer"] == hand
            assert count(hand) == data.result["dealer"]["total"] >= 17
            assert len(hand) == 2 or count(hand[:-1]) < 17
        if not shown or meddled or self.restarted:
            return
        first_ns, last_ns = shown[0].left_ns, max(one.left_ns for one in shown)
        between = [one for t_ns, one in self.left.items() if first_ns <= t_ns <= last_ns]
        if self.game in HIDDEN:
            counts = data.evidence.card_counts or {}
            before = [one for t_ns, one in self.left.items() if called_ns < t_ns <= data.mono_ns]
            assert sum(counts.values()) <= len(before) <= sum(counts.values()) + 1  # one may be burned
            if self.game == "caribbean_stud" and len(before) == sum(counts.values()):
                every = len(counts)
                assert data.result["dealer"]["cards"] == [one.card for one in before[every - 1 :: every]]
        else:
            assert [one.card for one in between] == faces
            assert all(one.proper for one in between)

    def way_back(self) -> None:
        """Staff bring the table back, and a round that is dealt as it should be has its outcome."""
        for line in ("shoe_jam", "shoe_empty", "shoe_lid", "shoe_cut", "shoe_card_1", "shoe_card_2"):
            self.table.sense(line, 0)
        table = self.table
        for _ in range(12):
            self.tidy()
            before = len(table.bench.said)
            if table.game.rounds.phase.name == "OPEN":
                self._clean()
            if any(isinstance(event.data, events.Outcome) for event in table.bench.said[before:]):
                return
            if table.game.rounds.undecided:
                self.order("void")
        raise AssertionError((self.game, table.bench.said.story()[-25:]))

    def tidy(self) -> None:
        """Staff do what is to be done before a round can be dealt."""
        game = self.table.game
        if game.rounds.phase.name == "RUNNING":
            self.order("void")
        for verb, keys in game.recovery():
            self.order(" ".join([verb, *(f"{key}={value}" for key, value in keys.items())]))
        if game.rounds.phase.name in ("OPEN", "SETTLING") and game.settle_refused is None:
            self.order("settle")
        elif game.rounds.phase.name != "OPEN":
            self.table.wait(9.0)
            self.new_shoe()
            self.order("clear device=shoe")
            self.open()
            self.table.wait(9.0)

    def _clean(self) -> None:
        deal: Deal = DEALS[self.game](self.rng, "none")
        self.new_shoe()
        for wanted in deal.before():
            self.order(" ".join([wanted.verb, *(f"{key}={value}" for key, value in wanted.given)]))
        if self.table.game.shoe.book.burn_due and self.game == "red_dog":
            self.card()
        self.call()
        if self.table.game.shoe.book.burn_due:
            self.card()
        dealt: list[str] = []
        acts = 0
        while (step := deal.next(dealt, acts)) is not None:
            if isinstance(step, Draw):
                dealt.append(self.cards[-1])
                self.card()
            else:
                acts += 1
                self.order("announce")


def live(game: str, seed: int, steps: int) -> None:
    """One evening."""
    rng = Random(f"{game}/{seed}")
    evening = Evening(game, rng.random() < 0.3, rng)
    for _ in range(steps):
        evening.step(rng.choice(STEPS))
    evening.judge()
    evening.way_back()
    evening.judge()


@pytest.mark.parametrize("game", DEALS)
@settings(max_examples=6)
@given(seed=st.integers(0, 2**32))
def test_no_outcome_was_not_dealt_and_there_is_always_a_way_back(game: str, seed: int) -> None:
    live(game, seed, 40)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("game", DEALS)
@pytest.mark.parametrize("piece", range(10))
def test_many_evenings_have_no_outcome_that_was_not_dealt(game: str, piece: int) -> None:
    for number in range(12):
        live(game, 1_000_000 + 100 * piece + number, 60)
