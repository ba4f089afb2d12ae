"""Random lives of a card table: dealer, cards, shuffler, faults, orders and power cuts; the books hold.

A model shoe knows every card. Whatever happens, an outcome has exactly the cards that left for it, in their order, and
is what the drawing rules make of them; each card that was read and left is exposed once or sealed once, and opened
once; no card is named before; and from wherever a life ends people can bring the table back to an outcome.
"""

from __future__ import annotations

import json
from collections import Counter
from random import Random

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from controller.table.phase import OPEN, RUNNING, SETTLING
from controller.table.salts import KeyedSalts
from drivers.cards.card_way import BARRIERS
from drivers.cards.card_wire import DECK, ShoeLine, ShoeState, ShufflerLine, ShufflerState, encode
from feed import events
from feed.commitments import card_commitment
from feed.events import CardOpened, CardSealed, Event, StackLoaded
from feed.state import TableState
from hal.values import Frame
from simulators.cards.baccarat_table import draws
from tests.tables.bench import EventList
from tests.tables.card_shoe import S, ShoeHands, card_toml

TEXT = card_toml(options="decks = 6", more='[device.shuffler]\ncontrol = "serial"\n')
STACK = 6 * 52
ORDERS = (
    *("settle", "void", "excess_card use=discard", "excess_card use=next_round", "break_up", "reshuffle", "new_dealer"),
    *("new_shoe", "new_shoe method=hand", "new_shoe cut=100 behind=78", "new_shoe cut=3"),
    *("shuffler_removed", "shuffler_placed", "clear device=shoe", "clear device=shuffler", "close reason=late", "open"),
)


class CardTableLife(RuleBasedStateMachine):
    """One table, from its opening over restarts."""

    def __init__(self) -> None:
        super().__init__()
        self.salts = KeyedSalts()
        self.hands = ShoeHands(TEXT, salts=self.salts)
        self.told = 0
        self.state = TableState("b-1")
        self.rng = Random(0)
        self.cards: list[str] = []
        self.log: list[str] = []
        """The cards that left and were read, in their order, since the last outcome."""
        self.read: Counter[str] = Counter()
        """The cards that left and were read, in this life of the process."""
        self.shown: Counter[str] = Counter()
        self.sealed: dict[str, bool] = {}
        """Commitments to cards of this stack, over restarts, and whether each was opened."""
        self.before = 0
        """Those of them that waited at the last restart."""
        self.outcomes = 0

    @initialize(seed=st.integers(0, 2**32 - 1))
    def shuffle(self, seed: int) -> None:
        self.rng = Random(seed)
        self.load()

    def load(self) -> None:
        self.cards = list(DECK) * 6
        self.rng.shuffle(self.cards)

    # --- what happens --------------------------------------------------------------------------------------------

    @rule()
    def call(self) -> None:
        self.take(self.hands.call())

    @rule(count=st.integers(1, 6))
    def deal(self, count: int) -> None:
        for _ in range(count):
            if self.cards:
                self.leave(self.cards.pop())

    @rule(how=st.sampled_from(["misread", "unseen", "lost"]))
    def spoil(self, how: str) -> None:
        if not self.cards:
            return
        card = self.cards.pop()
        if how == "unseen":
            self.read[card] += 1
            self.take(self.hands.card(card, passes=False))
        else:
            self.take(self.hands.card("??") if how == "misread" else self.hands.card(card, named=False))

    def leave(self, card: str) -> None:
        self.read[card] += 1
        self.log.append(card)
        self.take(self.hands.card(card))

    @rule(button=st.sampled_from(["dealer_void", "dealer_settled"]))
    def press(self, button: str) -> None:
        self.take(self.hands.press(button))

    @rule(seconds=st.sampled_from([0.5, 2.0, 6.0]))
    def wait(self, seconds: float) -> None:
        self.take(self.hands.wait(seconds))

    @rule(sensor=st.sampled_from(["shoe_lid", "shoe_jam", "shoe_empty", "shoe_cut"]))
    def trouble(self, sensor: str) -> None:
        self.take(self.hands.sense(sensor, 1))
        self.take(self.hands.sense(sensor, 0))

    @rule(order=st.sampled_from(ORDERS))
    def order(self, order: str) -> None:
        self.send(order)

    def send(self, order: str) -> bool:
        first = len(self.hands.bench.said)
        answer = self.hands.order(f"{order} by=ann")
        if answer.accepted and order.startswith("new_shoe"):
            self.load()
        self.take(EventList(self.hands.bench.said[first:]))
        return answer.accepted

    @rule(end=st.sampled_from("CCCJDI"), count=st.sampled_from([STACK, STACK, STACK, STACK - 1, None]))
    def shuffler(self, end: str, count: int | None) -> None:
        self.cycle(end, count)

    def cycle(self, end: str = "C", count: int | None = STACK) -> None:
        for state in (ShufflerState.IDLE, ShufflerState.BUSY, ShufflerState(end)):
            data = encode(ShufflerLine(1, state, count if state == end else None))
            self.take(self.hands.feed([], [Frame("shuffler", data, round((self.hands.now_s + 0.1) * S))], 0.3))

    @rule()
    def power_cut(self) -> None:
        self.salts = KeyedSalts(self.salts.kept)
        hands = ShoeHands(TEXT, before=self.state, salts=self.salts)
        hands.number = self.hands.number
        self.hands = hands
        self.read, self.shown = Counter(), Counter()
        self.before = sum(not opened for opened in self.sealed.values())
        self.take(EventList(hands.bench.said))

    # --- what must hold ------------------------------------------------------------------------------------------

    def take(self, said: EventList) -> None:
        for event in said:
            if event.data.durable:
                self.state.apply(event)
            self.judge(event)

    def judge(self, event: Event) -> None:
        match event.data:
            case CardSealed(commitment=commitment):
                assert commitment not in self.sealed, "one commitment twice"
                self.sealed[commitment] = False
                text = json.dumps([event.id, event.data.place, event.data.round])
                assert not any(f'"{card}"' in text for card in DECK)
            case CardOpened(commitment=commitment, card=card, salt=salt):
                assert self.sealed[commitment] is False, "opened twice, or never sealed"
                assert card_commitment(bytes.fromhex(salt), card) == commitment
                self.sealed[commitment] = True
            case StackLoaded():
                self.sealed, self.before = {}, 0  # those of the stack before stay sealed
                self.salts.loading_durable()
            case events.Outcome(result=result, evidence=evidence):
                cards = [one.card for one in evidence.cards or ()]
                assert len(cards) >= 4
                assert not draws(cards)
                assert all(draws(cards[:count]) for count in range(4, len(cards))), "a hand drew when it stands"
                hands = [*result["player"]["cards"], *result["banker"]["cards"]]
                assert Counter(hands) == Counter(cards)
                left = iter(self.log)
                assert all(card in left for card in cards), "cards that did not leave so, in this order"
                self.log = []
                self.shown.update(cards)
                self.outcomes += 1
            case events.Void(evidence=evidence) | events.Unresolved(evidence=evidence):
                self.shown.update(one.card for one in evidence.cards or ())

    @invariant()
    def no_card_is_shown_that_did_not_leave(self) -> None:
        assert self.shown <= self.read, self.shown - self.read

    @invariant()
    def no_card_is_lost_or_doubled_in_the_books(self) -> None:
        if self.hands.game.rounds.phase is RUNNING:
            return  # the cards of the round are exposed, and their evidence comes with the verdict
        waiting = sum(not opened for opened in self.sealed.values())
        assert waiting == self.hands.game.shoe.ledger.sealed
        assert self.shown.total() + waiting <= self.read.total() + self.before

    def teardown(self) -> None:
        """No dead end: people bring the table back, and a natural is dealt."""
        self.recover()
        before = self.outcomes
        self.take(self.hands.call())
        for card in ("9s", "6h", "Kd", "2c"):
            self.leave(card)
        assert self.outcomes == before + 1, [event.data for event in self.hands.bench.said[-12:]]

    def recover(self) -> None:
        for _ in range(8):
            self.take(
                self.hands.feed(
                    [], [Frame("shoe", encode(ShoeLine(self.hands.number, ShoeState.READY)), self.at())], 0.2
                )
            )
            game, table = self.hands.game, self.hands.bench.table
            if table.state == "closed":
                self.send("inspect_start device=shoe")
                self.send("inspect_pass device=shoe checks=cards,shown,shuffled,shoe")
                self.send("open")
            if game.dealing.excess:
                self.send("excess_card use=discard")
            if game.rounds.uncalled is not None:
                self.send(f"void round={game.rounds.uncalled} why=x")
            if game.rounds.phase is RUNNING or (game.rounds.phase is OPEN and game.rounds.called_ns is not None):
                self.send("void")
            if "sensor_stuck" in self.hands.standing:
                for barrier in BARRIERS:  # a person wipes them, and sees that they answer
                    self.take(self.hands.sense(barrier, 1))
                    self.take(self.hands.sense(barrier, 0))
            self.cycle()
            self.send("shuffler_placed")
            self.send("new_shoe")
            for device in ("shoe", "shuffler"):
                self.send(f"clear device={device}")
            self.take(self.hands.wait(6.0))
            if game.rounds.phase is SETTLING:
                self.send("settle")
            if self.hands.game.rounds.phase is OPEN and self.hands.game.rounds.called_ns is None:
                return
        raise AssertionError(f"a dead end: {table.state} {game.rounds.phase} {self.hands.standing}")

    def at(self) -> int:
        return round((self.hands.now_s + 0.1) * S)


def lives(examples: int, steps: int) -> None:
    run_state_machine_as_test(
        CardTableLife,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            print_blob=True,
        ),
    )


def test_random_lives_of_a_card_table_keep_the_books() -> None:
    lives(20, 25)


@pytest.mark.soak
@pytest.mark.timeout(7200)
def test_many_random_lives_of_a_card_table_keep_the_books() -> None:
    lives(1000, 50)
