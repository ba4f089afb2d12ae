"""Rounds of baccarat: from the cards in the order in which they leave the shoe to the verdict."""

from __future__ import annotations

import pytest

from controller.service.event_lines import line_of
from drivers.cards.card_wire import ShoeState
from feed import events
from feed.events import Event
from hal.values import Frame
from tests.tables.bench import EventList
from tests.tables.card_shoe import S, ShoeHands, card_toml, opened, together
from tests.tables.orders import CommandBench

NATURAL = "9s 6h Kd 2c"
STAND = "7s 5h Kd Kc 3s"
BOTH_DRAW = "2s 5h Kd Kc 7s 3s"
STOOD = "2s 5h Kd Kc 9s"
BY_TABLE = (BOTH_DRAW, STOOD)
"""The text is silent on a banker of five after the player drew."""
AUTO = card_toml(table='no_more_bets = "auto"')
BY_BUTTON = card_toml(more='[device.dealer]\nbuttons = ["dealer_no_more_bets", "dealer_settled"]\n')


@pytest.fixture
def hands() -> ShoeHands:
    return ShoeHands()


def warnings(said: EventList) -> list[str]:
    return [data.warning for data in said.of(events.DeviceWarning)]


# --- outcomes -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cards", "verdict", "winner", "pays"),
    [
        (NATURAL, "9s-Kd/6h-2c", "player", "1 to 1"),
        (STAND, "7s-Kd/5h-Kc-3s", "banker", "1 to 1"),
        (BOTH_DRAW, "2s-Kd-7s/5h-Kc-3s", "player", "1 to 1"),
        (STOOD, "2s-Kd-9s/5h-Kc", "banker", "1 to 1"),
        ("6s 6h Kd Jc", "6s-Kd/6h-Jc", "tie", "8 to 1"),
    ],
)
@pytest.mark.parametrize("game", ["baccarat", "mini_baccarat"])
def test_two_complete_hands_are_the_outcome(game: str, cards: str, verdict: str, winner: str, pays: str) -> None:
    said = ShoeHands(card_toml(game)).round(cards)
    assert said.verdicts() == [verdict]
    outcome = said.one(events.Outcome)
    assert outcome.result["winner"] == winner
    assert [(bet.bet, bet.odds) for bet in outcome.winning] == [(winner, pays)]
    text = "13:47-20.20(e)" if game == "baccarat" else "13:47-20.28(e)"
    assert outcome.rule.startswith("ours" if cards in BY_TABLE else f"{text}4")
    assert "commission of 5 percent" in outcome.notices[0]
    assert opened(said) == [2]


@pytest.mark.parametrize("game", ["baccarat", "mini_baccarat"])
@pytest.mark.parametrize(
    ("cards", "banker", "did"),
    [
        ("2s 3h Kd Kc 7s 3s", 3, "drew"),
        (STOOD, 5, "stood"),
        ("2s 7h Kd Kc 7s", 7, "stood"),
        (STAND, None, ""),  # the player stood: (e)3i
        ("2s 2h Kd Kc 7s 3s", None, ""),  # a banker of two: (e)3ii
        ("Ks 8h Kd Kc", None, ""),  # a natural: (e)1
    ],
)
def test_an_outcome_by_our_table_is_marked_as_the_houses(game: str, cards: str, banker: int | None, did: str) -> None:
    hands = ShoeHands(card_toml(game))
    (posted,) = hands.bench.said.one(events.TableOpened).notices
    text = "13:47-20.20(e)3" if game == "baccarat" else "13:47-20.28(e)3"
    assert posted.rule == "ours"
    assert f"{text} is silent on a bank of three to seven" in posted.words
    (event,) = [one for one in hands.round(cards) if isinstance(one.data, events.Outcome)]
    assert isinstance(event.data, events.Outcome)
    silent = f"house rule: {text}ii is silent on a banker of {banker} after the player drew"
    marked = f"{silent}, and it {did} by the house's table"
    assert (event.data.rule == "ours") == (banker is not None)
    assert (marked in event.data.notices) == (banker is not None)
    assert (marked in line_of(event)) == (banker is not None)


def test_a_refusal_by_our_table_is_not_said_to_be_the_texts(hands: ShoeHands) -> None:
    hands.round(NATURAL)
    order = "correct round=1 cards={} by=ann why=as they lay"
    ours = hands.order(order.format("2s-5h-Kd-Kc-7s")).reason
    assert "by the house's table: 13:47-20.20(e)3ii is silent on a banker of 5 after the player drew" in ours
    texts = hands.order(order.format("9s-6h-Kd-2c-3d")).reason
    corrected = hands.ordered(order.format(STOOD.replace(" ", "-"))).one(events.RoundCorrected)
    assert any(
        "a banker of 5 after the player drew, and it stood by the house's table" in one for one in corrected.notices
    )
    assert "by the drawing rules (13:47-20.20(e)1, 13:47-20.20(e)2i, 13:47-20.20(e)3i, 13:47-20.20(e)3ii)" in texts


def test_a_card_in_excess_of_hands_that_our_table_completed_says_so(hands: ShoeHands) -> None:
    hands.call()
    violation = hands.deal(f"{STOOD} 3d").one(events.ProcedureViolation)
    assert "by the house's table" in violation.detail


def test_without_our_table_no_outcome_rests_on_it() -> None:
    hands = ShoeHands(card_toml(options="third_card_table = false"))
    assert hands.bench.said.one(events.TableOpened).notices == []
    hands.call()
    assert hands.deal("2s 7h Kd Kc 7s").verdicts() == ["unresolved no_text"]
    said = hands.ordered("correct round=1 cards=2s-7h-Kd-Kc-7s by=ann why=as they lay")
    silent = "house rule: 13:47-20.20(e)3ii is silent on a banker of 7 after the player drew"
    assert f"{silent}, and a person decided that it stood" in said.one(events.RoundCorrected).notices


def test_the_evidence_has_each_card_with_its_hand_and_when_it_left(hands: ShoeHands) -> None:
    dealt = hands.round(STAND).one(events.Outcome).evidence.cards
    assert dealt is not None
    assert [(one.card, one.to) for one in dealt] == [
        ("7s", "player"),
        ("5h", "banker"),
        ("Kd", "player"),
        ("Kc", "banker"),
        ("3s", "banker"),
    ]
    assert [one.left_ns for one in dealt] == sorted(one.left_ns for one in dealt)


def test_each_card_is_published_with_the_hand_that_is_next(hands: ShoeHands) -> None:
    hands.call()
    said = hands.deal(BOTH_DRAW).of(events.RoundProgress)
    assert [one.next_card for one in said] == ["banker", "player", "banker", "player", "banker", None]
    assert (said[-1].player_cards, said[-1].banker_cards) == (["2s", "Kd", "7s"], ["5h", "Kc", "3s"])


def test_nothing_is_published_of_a_card_that_is_still_in_the_shoe(hands: ShoeHands) -> None:
    hands.call()
    assert hands.card("9s", passes=False, named=False).body() == b""


def test_where_the_text_is_silent_and_no_table_is_played_the_dealer_calls() -> None:
    hands = ShoeHands(card_toml(options="third_card_table = false"))
    hands.call()
    assert hands.deal("2s 5h Kd Kc 7s").verdicts() == ["unresolved no_text"]
    said = hands.ordered("correct round=1 cards=2s-5h-Kd-Kc-7s-3s by=ann why=as they lay")
    assert said.one(events.RoundCorrected).to.result == {
        "player": {"cards": ["2s", "Kd", "7s"], "total": 9},
        "banker": {"cards": ["5h", "Kc", "3s"], "total": 8},
        "winner": "player",
    }
    assert opened(hands.wait(5.0)) == [2]
    assert hands.round("2s 2h Kd Kc 7s 3s").verdicts() == ["2s-Kd-7s/2h-Kc-3s"]  # (e)3ii: a banker of two draws


# --- the call -------------------------------------------------------------------------------------------------------


def test_a_card_before_the_call_voids_and_the_next_round_waits_until_they_are_collected(hands: ShoeHands) -> None:
    said = hands.card("9s")
    assert said.verdicts() == ["void dealt_before_no_more_bets"]
    assert said.one(events.Void).call == "Round void"
    said = together(hands.deal("6h Kd"), hands.wait(4.0))
    assert opened(said) == []
    assert opened(hands.wait(2.0)) == [2]
    assert hands.round(NATURAL).verdicts() == ["9s-Kd/6h-2c"]


def test_without_a_button_the_first_card_is_the_call() -> None:
    said = ShoeHands(AUTO).deal(NATURAL)
    assert said.one(events.NoMoreBets).by == "auto"
    assert said.verdicts() == ["9s-Kd/6h-2c"]


def test_a_round_that_the_dealer_voids_opens_the_next_once_no_card_leaves(hands: ShoeHands) -> None:
    hands.call()
    hands.deal("9s 6h")
    assert hands.ordered("void by=ann").verdicts() == ["void dealer_call"]
    assert opened(hands.deal("Kd 2c")) == []
    assert opened(hands.wait(6.0)) == [2]


# --- doubt ----------------------------------------------------------------------------------------------------------


def spoilt(hands: ShoeHands, how: str) -> EventList:
    """The third card of a round goes wrong."""
    hands.call()
    said = hands.deal("9s 6h")
    if how == "unread":
        said += hands.card("??")
    elif how == "no line":
        said += together(hands.card("Kd", named=False), hands.state())
    elif how == "no passage":
        said += together(hands.card("Kd", passes=False), hands.wait(1.5))
    elif how == "joker":
        said += hands.card("JK")
    elif how == "restart":
        hands.number = 0
        said += hands.card("Kd")
    return said


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ("unread", "card_unread"),
        ("no line", "card_count"),
        ("no passage", "card_unseen"),
        ("joker", "foreign_card"),
        ("restart", "card_count"),
    ],
)
def test_a_card_in_doubt_leaves_the_round_to_the_dealer(hands: ShoeHands, how: str, reason: str) -> None:
    said = spoilt(hands, how)
    assert said.verdicts() == [f"unresolved {reason}"]
    cards = said.one(events.Unresolved).evidence.cards
    assert cards is not None
    assert [one.card for one in cards] == ["9s", "6h"]
    later = together(hands.deal("2c 4d"), hands.wait(20.0))
    assert later.verdicts() == []
    assert opened(later) == []
    assert "is unresolved: call it first" in hands.order("settle by=ann").reason
    hands.ordered("void round=1 by=ann")
    assert opened(hands.wait(5.0)) == [2]
    assert hands.round(NATURAL).verdicts() == ["9s-Kd/6h-2c"]


def test_a_supervisor_names_the_cards_of_an_unresolved_round(hands: ShoeHands) -> None:
    spoilt(hands, "unread")
    said = hands.ordered("correct round=1 cards=9s-6h-Kd-2c by=ann why=as they lay")
    corrected = said.one(events.RoundCorrected)
    assert [(bet.bet, bet.odds) for bet in corrected.winning] == [("player", "1 to 1")]
    assert opened(hands.wait(5.0)) == [2]


@pytest.mark.parametrize(
    ("cards", "why"),
    [
        ("9s-6h-Kd", "are not dealt so by the drawing rules"),
        ("9s-6h-Kd-2c-3c", "are not dealt so by the drawing rules"),
        ("9s-6h-Kd-1c", "'1c' is not a card"),
        ("", "cards"),
    ],
)
def test_cards_that_cannot_be_dealt_are_refused(hands: ShoeHands, cards: str, why: str) -> None:
    spoilt(hands, "unread")
    answer = hands.order(f"correct round=1 cards={cards} by=ann why=x")
    assert not answer.accepted
    assert why in answer.reason


def test_a_loss_before_the_first_card_leaves_the_round_to_the_dealer(hands: ShoeHands) -> None:
    hands.card("9s", named=False, passes=False)  # counted, and neither named nor seen
    hands.state()
    hands.call()
    hands.number += 1
    hands.state()
    assert hands.card("6h").verdicts() == ["unresolved card_count"]


def test_a_loss_after_the_outcome_leaves_the_next_round_to_the_dealer(hands: ShoeHands) -> None:
    hands.call()
    hands.deal(NATURAL)
    hands.number += 1
    hands.state()
    hands.wait(5.0)
    hands.call()
    assert hands.card("6h").verdicts() == ["unresolved card_count"]


def test_a_card_that_was_pushed_in_leaves_the_round_to_the_dealer(hands: ShoeHands) -> None:
    hands.call()
    hands.deal("9s 6h")
    way = [("shoe_card_2", 1), ("shoe_card_1", 1), ("shoe_card_2", 0), ("shoe_card_1", 0)]
    said = EventList()
    for line, level in way:
        said += hands.sense(line, level)
    assert said.verdicts() == ["unresolved card_returned"]
    assert warnings(said) == ["card_pushed_back"]


def test_a_card_that_was_drawn_and_pushed_back_changes_nothing(hands: ShoeHands) -> None:
    hands.call()
    hands.deal("9s 6h")
    said = together(hands.sense("shoe_card_1", 1), hands.sense("shoe_card_1", 0))
    assert warnings(said) == ["card_pushed_back"]
    assert hands.deal("Kd 2c").verdicts() == ["9s-Kd/6h-2c"]


def test_a_line_that_cannot_be_read_is_not_repeated(hands: ShoeHands) -> None:
    hands.call()
    said = hands.feed([], [Frame("shoe", b"C;00001;9s;FF", round((hands.now_s + 0.1) * S))], 0.2)
    assert warnings(said) == ["line_garbled"]
    assert b"9s" not in said.body()


# --- a card in excess -----------------------------------------------------------------------------------------------


def test_a_card_in_excess_is_a_violation_and_waits_for_a_person(hands: ShoeHands) -> None:
    hands.call()
    said = hands.deal(f"{NATURAL} 5c")
    assert said.verdicts() == ["9s-Kd/6h-2c"]
    violation = said.one(events.ProcedureViolation)
    assert (violation.reason, violation.rule) == ("card_out_of_turn", "ours")
    assert "when player 9 in 2 cards and banker 8 in 2 cards were complete" in violation.detail
    assert b'"5c"' not in said.body()  # it may not be exposed, and may be the first card of the next round
    assert opened(hands.wait(20.0)) == []
    assert "decide with excess_card" in hands.order("settle by=ann").reason
    assert hands.ordered("excess_card use=discard by=ann") == []
    assert opened(hands.wait(4.0)) == [2]
    assert hands.round(STAND).verdicts() == ["7s-Kd/5h-Kc-3s"]


def test_a_card_in_excess_can_begin_the_next_round(hands: ShoeHands) -> None:
    hands.call()
    hands.deal(f"{NATURAL} 7s")
    assert hands.order("excess_card use=next_round by=ann").reason == "1 card for the next round"
    assert opened(hands.wait(4.0)) == [2]
    said = together(hands.call(), hands.deal("5h Kd Kc 3s"))
    assert said.verdicts() == ["7s-Kd/5h-Kc-3s"]
    assert said.of(events.Void) == []


def test_a_kept_card_begins_the_next_round_without_a_button_too() -> None:
    hands = ShoeHands(AUTO)
    hands.deal(f"{NATURAL} 7s")
    hands.order("excess_card use=next_round by=ann")
    hands.wait(4.0)
    assert hands.deal("5h Kd Kc 3s").verdicts() == ["7s-Kd/5h-Kc-3s"]


def test_a_kept_card_waits_for_the_settle_button() -> None:
    hands = ShoeHands(BY_BUTTON)
    hands.call()
    hands.deal(f"{NATURAL} 7s")
    assert warnings(hands.press("dealer_settled")) == ["not_settled"]
    hands.order("excess_card use=next_round by=ann")
    assert opened(hands.wait(20.0)) == []
    assert opened(hands.press("dealer_settled")) == [2]
    assert together(hands.call(), hands.deal("5h Kd Kc 3s")).verdicts() == ["7s-Kd/5h-Kc-3s"]


def test_a_kept_card_is_forgotten_with_the_round_that_it_began(hands: ShoeHands) -> None:
    hands.call()
    hands.deal(f"{NATURAL} 7s")
    hands.order("excess_card use=next_round by=ann")
    hands.wait(4.0)
    hands.ordered("void by=ann")
    hands.wait(6.0)
    assert hands.round(NATURAL).verdicts() == ["9s-Kd/6h-2c"]


def test_an_excess_card_that_was_not_read_leaves_the_next_round_to_the_dealer(hands: ShoeHands) -> None:
    hands.call()
    hands.deal(f"{NATURAL} ??")
    hands.order("excess_card use=next_round by=ann")
    hands.wait(4.0)
    assert hands.call().verdicts() == ["unresolved card_unread"]


def test_cards_kept_behind_one_that_was_not_read_wait_for_a_person_again(hands: ShoeHands) -> None:
    hands.call()
    hands.deal(f"{NATURAL} ?? 5c 7s")
    hands.order("excess_card use=next_round by=ann")
    hands.wait(4.0)
    said = hands.call()
    assert said.verdicts() == ["unresolved card_unread"]
    assert [one.reason for one in said.of(events.ProcedureViolation)] == ["card_out_of_turn"] * 2
    assert hands.order("excess_card use=discard by=ann").reason == "2 cards discarded"


@pytest.mark.parametrize(
    ("order", "why"),
    [
        ("excess_card use=discard by=ann", "no card has left that belongs to nothing"),
        ("excess_card use=burn by=ann", "use burn is not one of discard, next_round"),
        ("excess_card by=ann", "use must be given"),
    ],
)
def test_an_order_on_no_card_in_excess_is_refused(hands: ShoeHands, order: str, why: str) -> None:
    answer = hands.order(order)
    assert not answer.accepted
    assert why in answer.reason


@pytest.mark.parametrize("verb", ["new_shoe", "excess_card use=discard"])
def test_a_table_without_a_shoe_refuses_its_orders(verb: str) -> None:
    bench = CommandBench('[table]\nid = "r"\ngame = "roulette"\n[lines]\nbackend = "sim"\n')
    assert "this table plays roulette, which does not take it; it is an order of baccarat, mini_baccarat" in (
        bench.refused(f"{verb} by=ann", S)
    )


# --- the shoe -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "fault"), [("shoe_jam", "shoe_jam"), ("shoe_empty", "shoe_empty"), ("shoe_lid", "shoe_open")]
)
def test_a_shoe_that_gives_no_card_voids_the_round_until_it_is_cleared(hands: ShoeHands, line: str, fault: str) -> None:
    hands.call()
    hands.deal("9s 6h")
    said = hands.sense(line, 1)
    assert said.story() == [f"device.fault {fault}", f"void {fault}"]
    hands.order("clear device=shoe by=ann")
    assert hands.standing == [fault]
    hands.sense(line, 0)
    hands.wait(6.0)
    assert opened(hands.ordered("clear device=shoe by=ann")) == [2]
    assert hands.round(NATURAL).verdicts() == ["9s-Kd/6h-2c"]


def test_a_table_that_is_cleared_while_cards_leave_waits_until_they_are_collected() -> None:
    hands = ShoeHands(AUTO)
    hands.deal("9s 6h")
    hands.sense("shoe_lid", 1)
    hands.sense("shoe_lid", 0)
    hands.card("Kd")
    assert opened(hands.ordered("clear device=shoe by=ann")) == []
    said = together(hands.deal("2c 3c"), hands.wait(4.0))
    assert said.story() == ["card.sealed", "card.sealed"]
    assert opened(hands.wait(2.0)) == [2]


def test_a_table_that_was_closed_while_cards_left_opens_again(hands: ShoeHands) -> None:
    hands.ordered("close reason=end by=ann force=true")
    hands.card("Kd")
    hands.sense("shoe_lid", 1)  # it is shut once more, and the wait for the cards with it
    hands.sense("shoe_lid", 0)
    hands.ordered("clear device=shoe by=ann")
    hands.ordered("inspect_start device=shoe by=ann")
    hands.ordered("inspect_pass device=shoe checks=cards,shown,shuffled,shoe by=ann")
    said = together(hands.ordered("open by=ann"), hands.wait(8.0))
    assert opened(said) == [2]


def test_the_state_of_the_link_is_a_jam_too(hands: ShoeHands) -> None:
    hands.call()
    assert hands.state(ShoeState.JAM).verdicts() == ["void shoe_jam"]


@pytest.mark.parametrize("how", ["sensor", "line"])
def test_the_cutting_card_ends_the_shoe_after_the_round(hands: ShoeHands, how: str) -> None:
    hands.call()
    hands.deal("9s 6h")
    said = together(hands.sense("shoe_cut", 1), hands.sense("shoe_cut", 0)) if how == "sensor" else hands.card("XX")
    assert said.story() == ["device.warning cutting_card"]
    said = hands.deal("Kd 2c")
    assert said.story() == ["9s-Kd/6h-2c", "device.fault reshuffle_due"]
    said = hands.wait(5.0)
    assert said.story() == ["round.settled auto"]
    hands.order("clear device=shoe by=ann")
    assert hands.standing == ["reshuffle_due"]
    assert "clear device=shoe" in hands.order("new_shoe by=ann").reason
    assert opened(hands.ordered("clear device=shoe by=ann")) == [2]
    assert hands.round(STAND).verdicts() == ["7s-Kd/5h-Kc-3s"]


def test_a_new_shoe_is_refused_while_cards_are_dealt(hands: ShoeHands) -> None:
    hands.call()
    hands.deal("9s")
    answer = hands.order("new_shoe by=ann")
    assert (answer.accepted, answer.reason) == (False, "new_shoe: round 1 is being dealt: finish it, or void it")


def test_a_new_shoe_that_is_not_due_ends_a_doubt(hands: ShoeHands) -> None:
    hands.state()
    hands.number = 40
    hands.state()
    assert hands.order("new_shoe by=ann").reason == "the cards are shuffled; none were due"
    assert hands.round(NATURAL).verdicts() == ["9s-Kd/6h-2c"]


@pytest.mark.parametrize("line", ["shoe", "shoe_card_1", "shoe_card_2"])
def test_an_unplugged_line_leaves_the_round_to_the_dealer_and_shuts_the_table(hands: ShoeHands, line: str) -> None:
    hands.call()
    hands.deal("9s 6h")
    assert hands.unplug(line).story() == ["device.fault sensor_missing", "unresolved sensor_missing"]


def test_a_silent_link_leaves_the_round_to_the_dealer(hands: ShoeHands) -> None:
    hands.call()
    hands.state()
    hands.deal("9s 6h")
    assert hands.feed(wait_s=5.0).verdicts() == ["unresolved sensor_missing"]


def test_a_card_that_left_more_often_than_the_decks_hold_it_leaves_the_round_to_the_dealer() -> None:
    hands = ShoeHands(card_toml(options="decks = 6"))
    for _ in range(3):
        assert hands.round("9s 6h 9s 2c").verdicts() == ["9s-9s/6h-2c"]
    hands.call()
    said = hands.deal("9s")
    assert said.verdicts() == ["unresolved card_twice"]
    assert (
        "one card has left 7 times since the shuffle, and the shoe has 6 decks"
        in said.one(events.Unresolved).evidence.detail
    )


def test_a_supervisor_or_a_new_dealer_has_the_cards_shuffled_after_the_round(hands: ShoeHands) -> None:
    hands.call()
    hands.deal("9s 6h")
    assert hands.order("reshuffle by=ann").reason == "the cards are shuffled before another round is dealt"
    assert hands.order("new_dealer by=bob").reason == "the cards are to be shuffled already"
    assert hands.deal("Kd 2c").story() == ["9s-Kd/6h-2c", "device.fault reshuffle_due"]
    hands.wait(5.0)
    hands.order("new_shoe by=bob")
    assert opened(hands.ordered("clear device=shoe by=ann")) == [2]


def test_k1_a_dealer_who_relieves_another_shuffles(hands: ShoeHands) -> None:
    said = hands.ordered("new_dealer by=bob")
    (fault,) = said.of(events.DeviceFault)
    assert (fault.fault, "13:47-20.19(a)1" in fault.detail) == ("reshuffle_due", True)


# --- restarts -------------------------------------------------------------------------------------------------------


def restarted(hands: ShoeHands, text: str = "") -> ShoeHands:
    """The controller is switched off and on."""
    return ShoeHands(text, before=hands.bench.state())


def test_a_round_that_was_dealt_is_void_after_a_power_cut(hands: ShoeHands) -> None:
    hands.call()
    hands.deal("9s 6h")
    again = restarted(hands)
    assert again.bench.said.verdicts() == ["void power_loss"]
    again.wait(1.0)
    assert again.round(NATURAL).verdicts() == ["9s-Kd/6h-2c"]


def test_the_rest_of_a_hand_that_was_cut_off_is_no_hand(hands: ShoeHands) -> None:
    hands.call()
    hands.deal("9s 6h")
    assert restarted(hands).deal("Kd 2c").verdicts() == ["void dealt_before_no_more_bets"]


def test_without_a_button_the_first_round_after_a_restart_is_the_dealers() -> None:
    hands = ShoeHands(AUTO)
    hands.deal("9s 6h")
    again = restarted(hands, AUTO)
    assert again.deal(NATURAL).verdicts() == ["unresolved power_loss"]
    again.ordered("void round=2 by=ann")
    again.wait(5.0)
    assert again.deal(NATURAL).verdicts() == ["9s-Kd/6h-2c"]


def test_a_card_that_may_have_been_kept_before_a_restart_leaves_the_round_to_the_dealer(hands: ShoeHands) -> None:
    hands.call()
    hands.deal(f"{NATURAL} 7s")
    hands.order("excess_card use=next_round by=ann")
    again = restarted(hands)
    assert together(again.call(), again.deal("5h")).verdicts() == ["unresolved power_loss"]


def test_a_shuffle_that_is_due_is_due_after_a_restart(hands: ShoeHands) -> None:
    hands.call()
    hands.card("XX")
    hands.deal(NATURAL)
    hands.wait(5.0)
    again = restarted(hands)
    again.order("clear device=shoe by=ann")
    assert again.standing == ["reshuffle_due"]
    again.ordered("new_shoe by=ann")
    assert opened(again.ordered("clear device=shoe by=ann")) == [2]
    assert again.round(NATURAL).verdicts() == ["9s-Kd/6h-2c"]


# --- the file -------------------------------------------------------------------------------------------------------


def test_the_words_of_a_round_are_those_of_the_table(hands: ShoeHands) -> None:
    said: list[Event] = hands.round(NATURAL)
    lines = [line_of(event) for event in said]
    assert any("player 9s, the next card is the banker's" in line for line in lines)
    assert any("OUTCOME player 9s Kd = 9, banker 6h 2c = 8: player wins" in line for line in lines)
