"""Cards that left the shoe unexposed: committed to, opened when they are exposed or the stack is broken up."""

from __future__ import annotations

import re

import msgspec
import pytest

from controller.table.salts import KeyedSalts, StackKey
from feed import events
from feed.commitments import card_commitment
from feed.events import CardOpened, CardSealed, StackLoaded
from feed.state import StackState
from tests.tables.bench import EventList
from tests.tables.card_shoe import ShoeHands, card_toml, together

NATURAL = "9s 6h Kd 2c"
AUTO = card_toml(table='no_more_bets = "auto"')


@pytest.fixture
def hands() -> ShoeHands:
    return ShoeHands()


def commits(opened: CardOpened) -> bool:
    return card_commitment(bytes.fromhex(opened.salt), opened.card) == opened.commitment


def shows(said: EventList, card: str) -> bool:
    alone = re.compile(rf"(?<![0-9a-zA-Z]){card}(?![0-9a-zA-Z])")
    return any(alone.search(msgspec.json.encode(event).decode() + str(event.data)) for event in said)


def test_a_card_in_excess_is_sealed_and_opened_as_the_first_of_the_next_round(hands: ShoeHands) -> None:
    hands.call()
    said = hands.deal(f"{NATURAL} 5c")
    sealed = said.one(CardSealed)
    assert not shows(said, "5c")
    hands.order("excess_card use=next_round by=ann")
    assert not shows(hands.wait(5.0), "5c")
    opened = hands.call().one(CardOpened)
    assert (opened.card, opened.why, opened.commitment) == ("5c", "exposed", sealed.commitment)
    assert commits(opened)
    assert hands.game.shoe.ledger.sealed == 0


def test_a_discarded_card_stays_sealed_until_a_supervisor_has_the_stack_broken_up(hands: ShoeHands) -> None:
    hands.call()
    hands.deal(f"{NATURAL} 5c")
    hands.order("excess_card use=discard by=ann")
    later = together(hands.wait(5.0), hands.round(NATURAL))
    assert not shows(later, "5c")
    assert hands.order("break_up by=ann").reason == "the stack is broken up; 1 card opened"
    opened = hands.bench.said.one(CardOpened)
    assert (opened.card, opened.why, commits(opened)) == ("5c", "broken_up", True)
    assert hands.standing == ["reshuffle_due"]


def test_sealed_cards_of_the_stack_before_leave_memory_and_are_not_opened_with_the_next_one(hands: ShoeHands) -> None:
    hands.order("new_shoe by=ann")
    hands.call()
    hands.deal(f"{NATURAL} 5c")
    hands.order("excess_card use=discard by=ann")
    hands.wait(5.0)
    hands.order("new_shoe by=ann")
    assert hands.game.shoe.ledger.sealed == 0
    hands.call()
    hands.deal(f"{NATURAL} 7h")
    hands.order("excess_card use=discard by=ann")
    hands.wait(5.0)
    assert hands.order("break_up by=ann").reason == "the stack is broken up; 1 card opened"
    assert [one.card for one in hands.bench.said.of(CardOpened)] == ["7h"]


def test_burned_cards_and_those_after_a_void_are_sealed_each_with_its_own_salt() -> None:
    hands = ShoeHands(AUTO)
    hands.deal("9s")
    hands.sense("shoe_lid", 1)
    said = hands.deal("5c 5c 5c")
    sealed = [event.data.commitment for event in said if isinstance(event.data, CardSealed)]
    assert len(set(sealed)) == 3
    hands.order("break_up by=ann")
    opened = [event.data for event in hands.bench.said if isinstance(event.data, CardOpened)]
    assert [one.card for one in opened] == ["5c"] * 3
    assert all(commits(one) for one in opened)
    assert len({one.salt for one in opened}) == 3


def test_a_card_that_nobody_read_has_no_commitment(hands: ShoeHands) -> None:
    hands.call()
    said = hands.deal(f"{NATURAL} ??")
    assert not [event for event in said if isinstance(event.data, CardSealed)]


def test_places_count_from_the_new_shoe_until_cards_may_have_left_unseen(hands: ShoeHands) -> None:
    hands.order("new_shoe by=ann")
    said = hands.round(NATURAL)
    cards = said.one(events.Outcome).evidence.cards
    assert cards is not None
    assert [one.place for one in cards] == [1, 2, 3, 4]
    hands.number += 1
    hands.state()
    said = together(hands.call(), hands.deal(NATURAL))
    assert said.verdicts() == ["unresolved card_count"]
    hands.order("void round=2 by=ann")
    hands.wait(5.0)
    cards = hands.round(NATURAL).one(events.Outcome).evidence.cards
    assert cards is not None
    assert {one.place for one in cards} == {None}


def test_k9_a_cut_leaves_ten_cards_at_either_end_and_the_cutting_card_stands_a_quarter_from_the_back(
    hands: ShoeHands,
) -> None:
    for cut in (0, 9, 416 - 9, 416, 9999):
        assert (
            "cut at least 10 cards from either end (13:47-20.19(b)3)"
            in hands.order(f"new_shoe cut={cut} by=ann").reason
        )
    for behind in (0, 60, 150, 416):
        assert "about 25% from the back (13:47-20.19(b)3)" in hands.order(f"new_shoe behind={behind} by=ann").reason
    for wrong in ("x", "-5", "1e2", "12345", "٣"):
        assert "expected a number of cards" in hands.order(f"new_shoe cut={wrong} by=ann").reason
    for cut in (10, 416 - 10):
        assert hands.order(f"new_shoe cut={cut} behind=104 by=ann").accepted
    loaded = hands.bench.said.of(StackLoaded)[-1]
    assert (loaded.cut, loaded.behind, loaded.method, loaded.by) == (406, 104, "hand", "ann")


def test_break_up_waits_for_the_round_and_for_the_card_in_excess(hands: ShoeHands) -> None:
    hands.call()
    hands.deal("9s 6h")
    assert "is being dealt" in hands.order("break_up by=ann").reason
    hands.deal("Kd 2c 5c")
    assert "is being dealt or decided" in hands.order("break_up by=ann").reason


# --- over a restart -------------------------------------------------------------------------------------------------


def restarted(hands: ShoeHands, salts: KeyedSalts) -> ShoeHands:
    """The table after a power cut: it has the journal, and the key that was kept."""
    return ShoeHands(card_toml(), before=hands.bench.state(), salts=salts)


def test_a_power_cut_in_mid_hand_leaves_its_commitments_to_be_opened() -> None:
    salts = KeyedSalts()
    hands = ShoeHands(salts=salts)
    hands.ordered("new_shoe by=ann")
    hands.call()
    hands.deal(f"{NATURAL} 5c")
    hands.order("excess_card use=discard by=ann")
    hands.wait(5.0)
    hands.call()
    hands.deal("9s 6h")
    again = restarted(hands, KeyedSalts(salts.kept))
    assert again.bench.said.verdicts() == ["void power_loss"]
    assert again.game.shoe.ledger.sealed == 1
    again.deal("7h")  # it belongs to nobody
    assert not shows(again.bench.said, "5c")
    assert again.order("break_up by=ann").reason == "the stack is broken up; 2 cards opened"
    opened = again.bench.said.of(CardOpened)
    assert [one.card for one in opened] == ["5c", "7h"]
    assert opened[0].commitment == hands.bench.said.one(CardSealed).commitment
    assert all(commits(one) for one in opened)
    assert again.bench.state().stack == StackState()


@pytest.mark.parametrize("kept", [None, StackKey(0, bytes(32)), StackKey(9, bytes(32))])
def test_without_their_key_commitments_stay_closed_and_a_warning_reports_it(kept: StackKey | None) -> None:
    hands = ShoeHands(salts=KeyedSalts())
    hands.call()
    hands.deal(f"{NATURAL} 5c")
    hands.order("excess_card use=discard by=ann")
    hands.wait(5.0)
    again = restarted(hands, KeyedSalts(kept))
    assert again.order("break_up by=ann").reason == "the stack is broken up; 0 cards opened"
    assert again.bench.said.of(CardOpened) == []
    assert again.bench.said.one(events.DeviceWarning).warning == "seal_not_opened"
    assert not shows(again.bench.said, "5c")


def test_cards_of_a_stack_that_was_replaced_stay_closed_after_a_restart() -> None:
    salts = KeyedSalts()
    hands = ShoeHands(salts=salts)
    hands.call()
    hands.deal(f"{NATURAL} 5c")
    hands.order("excess_card use=discard by=ann")
    hands.wait(5.0)
    hands.ordered("new_shoe by=ann")
    again = restarted(hands, KeyedSalts(salts.kept))
    assert again.game.shoe.ledger.sealed == 0
    assert again.order("break_up by=ann").reason == "the stack is broken up; 0 cards opened"
