"""The parts of a table of cards, each alone: they report, and no game is there."""

from __future__ import annotations

from typing import Final

import pytest

from controller.games.blackjack.rules import BlackjackRules
from controller.games.cards.ledger import CardLedger
from controller.games.cards.on_table import CardsOnTable
from controller.games.cards.reshuffle import Reshuffle
from controller.games.cards.rules import CardRules
from controller.games.cards.shoe import CardShoe
from controller.games.cards.shoe_book import ShoeBook
from controller.games.cards.stock import ContinuousStock
from controller.games.fixed_hands.rules import CaribbeanStudRules, FixedHandsRules
from controller.rules.profile import profile
from controller.table.salts import RepeatableSalts
from drivers.base.driver import Observation
from drivers.cards.card_wire import DECK, JOKER
from drivers.cards.hidden_card import HiddenCard
from drivers.cards.observations import (
    CardDealt,
    CardPushedBack,
    CardsLost,
    CompartmentsOpen,
    LineGarbled,
    ShoeRestarted,
    ShoeTroubled,
    ShoeUntroubled,
)
from hal.values import Frame
from tests.fakes.report_kept import ReportKept

STUD: Final[CardRules] = profile("njac-13:47-20").text("caribbean_stud", CaribbeanStudRules)
LET_IT_RIDE: Final[CardRules] = profile("njac-13:47-20").text("let_it_ride", FixedHandsRules)
BLACKJACK: Final[CardRules] = profile("njac-13:47-20").text("blackjack", BlackjackRules)


def dealt(card: str | None, t_ns: int = 1, *, doubt: str = "") -> CardDealt:
    hidden = None if card is None else HiddenCard(card, Frame("shoe", b"line", t_ns))
    return CardDealt(t_ns=t_ns, card=hidden, left_ns=t_ns, doubt=doubt)


class Parts:
    """A shoe of one deck with its books, and the cards on its table."""

    def __init__(self, rules: CardRules = STUD, *, fresh: bool = False, continuous: bool = False) -> None:
        self.report = ReportKept()
        self.book = ShoeBook(DECK, 1)
        ledger = CardLedger(self.report, RepeatableSalts())
        stock = ContinuousStock(self.report, 52, "shoe") if continuous else None
        self.shoe = CardShoe(self.report, ledger, self.book, stock)
        self.cards = CardsOnTable(self.report, ledger, rules.reasons)
        self.reshuffle = Reshuffle(self.report, rules, self.book, fresh_each_round=fresh)

    @property
    def said(self) -> list[str]:
        said = self.report.said
        self.report.kept.clear()
        return said


# --- when cards are shuffled ---


@pytest.mark.parametrize(("at_once", "shuts"), [(False, "after verdict"), (True, "unless called")])
def test_a_reshuffle_is_news_once_and_its_fault_waits_for_the_round(at_once: bool, shuts: str) -> None:
    parts = Parts(BLACKJACK)
    assert parts.reshuffle.order(1, "ann has the cards shuffled", at_once=at_once)
    assert parts.said == [f"reshuffle_due {shuts}"]
    assert not parts.reshuffle.order(2, "the cutting card was reached")
    parts.reshuffle.cutting_card(3)
    assert parts.said == []
    assert parts.reshuffle.loaded(4, "")
    assert not parts.reshuffle.loaded(5, "")
    parts.reshuffle.cutting_card(6)
    assert parts.said == ["cutting_card", "reshuffle_due after verdict"]


def test_cards_that_are_fresh_each_round_shut_no_table_and_a_deal_without_a_shuffle_is_a_violation() -> None:
    parts = Parts(LET_IT_RIDE, fresh=True)
    parts.reshuffle.loaded(1, "red")
    parts.reshuffle.dealt(2, burn_is_over=True)
    assert parts.said == []
    parts.reshuffle.dealt(3, burn_is_over=True)
    assert parts.said == ["not_shuffled"]
    parts.reshuffle.loaded(4, "red")
    assert parts.said == ["deck_not_alternated"]
    assert not parts.reshuffle.order(5, "the stack was broken up")
    assert (parts.said, parts.reshuffle.shuffled) == ([], False)


def test_a_burn_that_is_owed_is_reported_once_and_not_where_it_may_still_come() -> None:
    parts = Parts(BLACKJACK)
    parts.reshuffle.loaded(1, "")
    parts.reshuffle.dealt(2, burn_is_over=False)
    assert (parts.said, parts.book.burn_due) == ([], 1)
    parts.reshuffle.dealt(3, burn_is_over=True)
    parts.reshuffle.dealt(4, burn_is_over=True)
    assert (parts.said, parts.book.burn_due) == (["not_burned"], 0)


# --- the one way down ---


def test_a_card_goes_through_ledger_and_book_and_comes_out_doubted_where_it_cannot_be() -> None:
    parts = Parts()
    parts.shoe.loaded(0, by="ann")
    first = parts.shoe.left(dealt("9s"), booked=True)
    assert (first.doubt, parts.shoe.ledger.place, parts.book.dealt) == ("", 1, 1)
    assert parts.shoe.left(dealt("9s"), booked=True).doubt == "card_twice"
    assert parts.shoe.left(dealt(JOKER), booked=True).doubt == "foreign_card"
    assert parts.shoe.left(dealt("9s", doubt="card_unseen"), booked=True).doubt == "card_unseen"
    assert parts.shoe.left(dealt("9s"), booked=False).doubt == ""
    assert (parts.shoe.ledger.place, parts.book.dealt) == (5, 4)


def test_a_shuffling_shoe_counts_first_and_no_place_is_known() -> None:
    parts = Parts(continuous=True)
    assert parts.shoe.stock is not None
    parts.shoe.loaded(0, by="ann")
    for _ in range(52):
        assert parts.shoe.left(dealt(None), booked=True).doubt == ""
    assert parts.said == ["StackLoaded"]
    assert parts.shoe.left(dealt(None), booked=True).doubt == "card_count"
    assert (parts.said, parts.shoe.ledger.place) == (["card_count unless called"], None)


@pytest.mark.parametrize(
    ("seen", "reason"),
    [
        (CardsLost(t_ns=1, reason="edges_lost", detail="x"), "edges_lost"),
        (ShoeRestarted(t_ns=1), "card_count"),
        (CardPushedBack(t_ns=1, was_out=True), "card_returned"),
        (CardPushedBack(t_ns=1, was_out=False), None),
        (LineGarbled(t_ns=1, cause="x"), None),
    ],
)
def test_after_a_doubt_nobody_knows_which_card_of_the_stack_is_next(seen: Observation, reason: str | None) -> None:
    parts = Parts()
    parts.shoe.loaded(0, by="ann")
    doubt = parts.shoe.doubt_of(seen)
    assert (None if doubt is None else doubt.reason) == reason
    assert (parts.shoe.ledger.place is None) is (reason is not None)


@pytest.mark.parametrize("seen", [ShoeRestarted(t_ns=1), CardPushedBack(t_ns=1, was_out=True)])
def test_what_left_before_the_shoe_was_replaced_or_a_card_came_back_is_in_no_book(seen: Observation) -> None:
    parts = Parts()
    parts.shoe.loaded(0, by="ann")
    assert parts.shoe.left(dealt("9s"), booked=True).doubt == ""
    parts.shoe.doubt_of(seen)
    assert parts.book.dealt == 0
    assert parts.shoe.left(dealt("9s"), booked=True).doubt == ""


def test_troubles_of_the_shoe_are_faults_whose_causes_go() -> None:
    parts = Parts()
    parts.shoe.watch(ShoeTroubled(t_ns=1, trouble="lid", detail="open"))
    parts.shoe.watch(ShoeUntroubled(t_ns=2, trouble="lid"))
    parts.shoe.watch(CompartmentsOpen(t_ns=3, sides=(1, 2)))
    parts.shoe.watch(CompartmentsOpen(t_ns=4, sides=(2,)))
    parts.shoe.watch(CardPushedBack(t_ns=5, was_out=False))
    parts.shoe.watch(LineGarbled(t_ns=6, cause="x"))
    opened = ["shoe_open now", "gone: lid", "two_compartments_open now", "gone: compartments"]
    assert parts.said == [*opened, "card_pushed_back", "line_garbled"]
    assert [parts.shoe.compartments_open(t_ns) for t_ns in (2, 3, 9)] == [None, (1, 2), (2,)]


# --- the cards on the table ---


def test_a_card_is_hidden_by_one_commitment_and_its_face_comes_with_its_opening() -> None:
    parts = Parts()
    seen = dealt("9s")
    parts.cards.hide(seen, 1)
    parts.cards.hide(seen, 2)
    assert parts.said == ["CardSealed"]
    laid = parts.cards.lay_open(seen, "dealer", 3)
    assert laid is not None
    assert (laid.card, laid.to, parts.said) == ("9s", "dealer", ["exposed shoe", "CardOpened"])
    assert parts.cards.lay_open(dealt(None), "dealer", 4) is None


def test_a_foreign_card_may_be_shown_for_it_is_the_reason_of_the_verdict() -> None:
    parts = Parts()
    parts.cards.hide(dealt(JOKER, doubt="foreign_card"), 1)
    assert parts.said == ["CardSealed", "exposed shoe"]


def test_a_held_card_waits_for_a_decision_and_a_round_forgets_it() -> None:
    parts = Parts()
    parts.cards.hold(dealt("9s"), 1, "card_out_of_turn", "a card left", uses=("discard",), discarded=lambda: "gone")
    held = parts.cards.held
    assert held is not None
    assert (held.uses, held.discarded(), parts.said) == (("discard",), "gone", ["CardSealed", "card_out_of_turn"])
    parts.cards.next_card = held.seen
    assert parts.cards.take_next() is held.seen
    assert parts.cards.take_next() is None
    parts.cards.kept = [held.seen]
    parts.cards.reset()
    assert (parts.cards.held, parts.cards.kept) == (None, [held.seen])
