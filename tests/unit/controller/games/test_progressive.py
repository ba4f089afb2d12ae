"""The progressive wager of Caribbean stud: acceptors, lock-out, the meter and its shares, over power cuts too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.games.assembly import geometry_of
from controller.games.cards.progressive import HANDS, Meter, ProgressiveHand, ProgressiveRules, ProgressiveTerms
from controller.games.fixed_hands.rules import CaribbeanStudRules
from controller.rules.profile import profile
from controller.table.phase import SETTLING
from drivers.cards.card_wire import DECK
from drivers.cards.observations import AcceptorFailed
from drivers.cards.progressive import LOCK, acceptor, lamp
from feed import events
from feed.state import TableState
from hal.values import Edge, SetLine
from simulators.cards.card_table import CardGeometry
from tests.tables.bench import configured
from tests.tables.card_shoe import S, ShoeHands, card_toml, opened, together
from tests.tables.problems import only_problem

RULES: ProgressiveRules = profile("njac-13:47-20").text("caribbean_stud", CaribbeanStudRules).progressive
TERMS = ProgressiveTerms(wager=1.0, rate=70, start=10_000.0, straight_flush_fixed=False)
TEXT = card_toml("caribbean_stud", more="[device.progressive]\npositions = 5\n")


class ProgressiveHands(ShoeHands):
    """A Caribbean stud table with acceptors, whose first cards are shuffled."""

    def __init__(self, before: TableState | None = None) -> None:
        super().__init__(TEXT, before=before)
        self.feed([Edge(acceptor(position), 0, round(self.now_s * S) + 1) for position in range(1, 6)], [], 0.1)

    @property
    def meter(self) -> int:
        assert self.game.progressive is not None
        return self.game.progressive.meter.cents

    def wager(self, *positions: int, lies: bool = True) -> Any:
        edges = [Edge(acceptor(position), int(lies), round((self.now_s + 0.1) * S)) for position in positions]
        return self.feed(edges, [], 0.5)

    def lines(self) -> dict[str, bool]:
        """What was commanded of each output, in the end."""
        return {one.line: one.on for one in self.bench.table.outputs() if isinstance(one, SetLine)}

    def pay(self, hand: str, positions: str, why: str = "") -> Any:
        reason = f" why={why}" if why else ""
        return self.order(f"progressive_pay hand={hand} positions={positions} by=ann{reason}")

    def dealt(self, hands: int, *, at: str = "") -> ProgressiveHands:
        """The cards of a round are dealt, and the dealer's hole cards are turned."""
        self.declared(hands, at=at)
        self.call()
        self.deal(" ".join(DECK[: 5 * (hands + 1)]))
        self.call()
        return self

    def declared(self, hands: int, *, at: str = "") -> None:
        self.ordered(f"hands count={hands}{at and f' positions={at}'} by=ann")
        self.ordered("new_shoe deck=one by=ann")


@pytest.fixture
def hands() -> ProgressiveHands:
    return ProgressiveHands()


def test_a_wager_in_an_acceptor_that_fails_is_not_accepted(hands: ProgressiveHands) -> None:
    hands.wager(2, 5)
    progressive = hands.game.progressive
    assert progressive is not None
    assert progressive.accepted == {2, 5}
    assert progressive.handle(AcceptorFailed(t_ns=round(hands.now_s * S), position=2))
    assert progressive.accepted == {5}


def test_a_table_without_a_progressive_wager_has_no_acceptors() -> None:
    for text, acceptors in ((TEXT, 5), (card_toml("caribbean_stud"), 0)):
        geometry = geometry_of(configured(text))
        assert isinstance(geometry, CardGeometry)
        assert geometry.acceptors == acceptors


def test_a_wager_is_acknowledged_by_its_lamp_until_no_more_bets_and_none_is_taken_then(hands: ProgressiveHands) -> None:
    hands.wager(2, 5)
    assert {line for line, on in hands.lines().items() if on} == {lamp(2), lamp(5)}
    hands.wager(5, lies=False)
    assert hands.lines() == {lamp(5): False}
    hands.call()
    assert hands.lines() == {LOCK: True}
    said = hands.wager(3)
    assert said.one(events.ProcedureViolation).reason == "wager_after_no_more_bets"
    assert hands.lines() == {}
    assert hands.meter == 1_000_070


def test_p4_the_meter_grows_by_seventy_percent_of_each_wager_and_no_house_may_take_less(
    hands: ProgressiveHands,
) -> None:
    hands.wager(1, 2, 3)
    said = hands.call()
    assert hands.meter == 1_000_000 + 210
    assert said.one(events.CarriedStateChanged).course["meter_cents"] == hands.meter
    wrong = only_problem(TEXT.replace("[game]\n", "[game]\nprogressive_rate = 69\n"))
    assert "at least 70 percent (19:47-16.12(f))" in wrong


def test_p1_nothing_is_paid_where_the_lamp_is_not_lit_or_bets_are_open_and_a_supervisor_validates(
    hands: ProgressiveHands,
) -> None:
    hands.wager(2)
    assert "bets are still open" in hands.pay("flush", "2").reason
    hands.dealt(3)
    refused = hands.pay("flush", "3")
    assert "the acceptor of position 3 is not lit" in refused.reason
    assert "19:47-16.11(b)" in refused.reason
    answer = hands.pay("flush", "2")
    assert answer.reason == "flush paid (position 2: 50.00)"
    assert "was paid in this round" in hands.pay("flush", "2").reason
    for wrong in ("x", "2-x", "-1", "999"):
        assert not hands.pay("flush", wrong).accepted
    assert "is not one of" in hands.pay("two_pairs", "2").reason


def test_p2_a_progressive_hand_is_paid_whatever_the_dealer_has(hands: ProgressiveHands) -> None:
    hands.wager(2)
    hands.dealt(2)
    assert hands.pay("full_house", "2").accepted


# --- what is not paid -----------------------------------------------------------------------------------------------


def test_nothing_is_paid_before_the_hands_are_shown(hands: ProgressiveHands) -> None:
    hands.wager(1)
    hands.declared(1)
    hands.call()
    assert "no card of round 1 has been dealt" in hands.pay("flush", "1").reason
    hands.deal(" ".join(DECK[:10]))
    assert "round 1 is being dealt" in hands.pay("flush", "1").reason
    hands.call()
    assert hands.pay("flush", "1").accepted


VOIDS = {
    "hole_card_exposed": ("void reason=hole_card_exposed by=ann", "13:47-20.23(j)1, 19:47-16.13(a)"),
    "face_up_cards": ("face_up_card card=next by=ann", "13:47-20.23(j)2, 19:47-16.13(b)"),
    "dealer_misdeal": ("misdeal hand=dealer by=ann", "13:47-20.23(j)4, 19:47-16.13(d)"),
    "dealer_call": ("void by=ann", "(dealer_call: house rule)"),
}


@pytest.mark.parametrize("reason", VOIDS)
def test_no_hand_of_a_void_round_is_paid(hands: ProgressiveHands, reason: str) -> None:
    order, cites = VOIDS[reason]
    hands.wager(1)
    hands.declared(1)
    if reason != "hole_card_exposed":
        hands.call()
        hands.deal("2s 3s")
    meter = hands.meter
    hands.ordered(order)
    if reason == "face_up_cards":
        hands.ordered(order)
    refused = hands.pay("royal_flush", "1")
    assert not refused.accepted
    assert hands.meter == meter
    assert cites in refused.reason


def test_a_misdealt_hand_is_not_paid_and_another_one_is_once_the_round_is_called(hands: ProgressiveHands) -> None:
    hands.wager(1, 2)
    hands.declared(2)
    hands.call()
    hands.deal(" ".join(DECK[:16]))
    hands.ordered("misdeal hand=1 by=ann")
    hands.call()
    assert "round 1 is unresolved: call it first" in hands.pay("flush", "2").reason
    hands.ordered(f"correct round=1 cards={'-'.join(DECK[2:15:3])} by=ann why=as they lay")
    refused = hands.pay("flush", "1")
    assert "hand 1 at position 1 is void (13:47-20.23(j)4, 19:47-16.13(d))" in refused.reason
    assert hands.pay("flush", "2").accepted


def test_a_hand_found_misdealt_when_it_is_turned_over_is_not_paid_and_the_round_waits(hands: ProgressiveHands) -> None:
    hands.wager(1, 2)
    hands.dealt(2)
    assert "correct round=1 cards=" in hands.order("misdeal hand=2 by=ann").reason
    assert "hand 2 at position 2 is void" in hands.pay("flush", "2").reason
    assert "hand 2 is void: name the dealer's cards as they lie" in hands.order("settle by=ann").reason
    assert opened(hands.wait(20.0)) == []
    hands.ordered(f"correct round=1 cards={'-'.join(DECK[2:15:3])} by=ann why=as they lay")
    assert opened(hands.ordered("settle by=ann")) == [2]
    hands.dealt(2)
    said = hands.ordered(f"correct round=1 cards={'-'.join(DECK[1:14:3])} by=ann why=looked again")
    result = said.one(events.RoundCorrected).to.result
    assert result is not None
    assert result["void_hands"] == [2]


def test_a_position_without_a_hand_is_not_paid_and_its_wager_is_reported(hands: ProgressiveHands) -> None:
    hands.wager(2, 5)
    hands.declared(2)
    hands.call()
    said = hands.deal(" ".join(DECK[:15]))
    violation = said.one(events.ProcedureViolation)
    assert (violation.reason, violation.rule) == ("wager_without_hand", "ours")
    assert "position 5" in violation.detail
    hands.call()
    assert "position 5 has no hand in round 1: the hands are at 1, 2" in hands.pay("flush", "5").reason
    hands.order("hands count=5 by=ann")  # for the next round
    assert "position 5 has no hand in round 1" in hands.pay("flush", "5").reason


def test_hands_may_be_declared_at_the_positions_where_players_sit(hands: ProgressiveHands) -> None:
    hands.wager(2, 5)
    for wrong in ("2", "2-6", "2-2", "x-2", "0-2"):
        assert "hands: positions" in hands.order(f"hands count=2 positions={wrong} by=ann").reason
    hands.dealt(2, at="5-2")
    assert "position 1 has no hand in round 1: the hands are at 2, 5" in hands.pay("flush", "1").reason
    assert hands.pay("flush", "5-2").accepted
    state = TableState("b-1")
    for event in hands.bench.said:
        if event.data.durable:
            state.apply(event)
    again = ProgressiveHands(before=state)
    again.wager(5)
    again.ordered("new_shoe deck=two by=ann")
    again.call()
    again.deal(" ".join(DECK[:15]))
    again.call()
    assert again.pay("flush", "5").accepted
    plain = ShoeHands(card_toml("caribbean_stud"))
    assert "hands: positions" in plain.order("hands count=2 positions=2-5 by=ann").reason


def test_where_nobody_declared_the_hands_nothing_is_paid(hands: ProgressiveHands) -> None:
    hands.wager(1)
    hands.ordered("new_shoe deck=one by=ann")
    hands.call()
    hands.deal("2s")
    hands.ordered("correct round=1 cards=none by=ann why=nobody declared them")
    assert "nobody has declared how many hands were dealt" in hands.pay("flush", "1").reason


def test_a_round_with_a_wager_waits_until_a_person_settles_it(hands: ProgressiveHands) -> None:
    hands.wager(1)
    hands.dealt(1)
    assert opened(hands.wait(30.0)) == []
    assert opened(hands.ordered("settle by=ann")) == [2]
    hands.wager(1, lies=False)
    hands.dealt(1)
    assert opened(hands.wait(5.0)) == [3]


@pytest.mark.parametrize(
    ("order", "paid"),
    [
        (
            "correct round=1 reason=dealer_call by=ann why=a card of another deck",
            ["position 2: 1,000.14", "position 1: 50.00"],
        ),
        ("misdeal hand=1 by=ann", ["position 1: 50.00"]),
    ],
)
def test_what_was_paid_of_a_round_or_a_hand_that_becomes_void_is_reported_and_the_meter_stays(
    hands: ProgressiveHands, order: str, paid: list[str]
) -> None:
    hands.wager(1, 2)
    hands.dealt(2)
    hands.pay("straight_flush", "2")
    hands.pay("flush", "1")
    meter = hands.meter
    said = hands.ordered(order)
    (warning,) = [one for one in said.of(events.DeviceWarning) if one.warning == "void_hand_paid"]
    assert [part for part in ("position 2: 1,000.14", "position 1: 50.00") if part in warning.detail] == paid
    assert hands.meter == meter


# --- what is paid ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hand", "cents", "meter"),
    [
        ("royal_flush", 1_000_000, 1_000_000),
        ("straight_flush", 100_000, 900_000),
        ("four_of_a_kind", 50_000, 1_000_000),
        ("full_house", 10_000, 1_000_000),
        ("flush", 5_000, 1_000_000),
    ],
)
def test_p3_each_hand_is_paid_what_the_text_has(hand: ProgressiveHand, cents: int, meter: int) -> None:
    one = Meter(RULES, TERMS)
    paid, fell = one.pay(hand, [4])
    assert [(part.position, part.cents) for part in paid] == [(4, cents)]
    assert (one.cents, fell) == (meter, cents if hand in ("royal_flush", "straight_flush") else 0)


def test_p3_a_house_may_designate_five_thousand_for_a_straight_flush() -> None:
    one = Meter(RULES, TERMS._replace(straight_flush_fixed=True))
    assert one.pay("straight_flush", [1])[0][0].cents == 500_000
    assert one.cents == 1_000_000


def test_p5_several_royal_flushes_share_the_meter_as_it_is_when_the_first_is_paid() -> None:
    one = Meter(RULES, TERMS)
    one.wagers(3)
    assert one.cents == 1_000_210
    paid, fell = one.pay("royal_flush", {5, 1, 3})
    assert [(part.position, part.cents) for part in paid] == [(5, 333_403), (3, 333_403), (1, 333_403)]
    assert fell == 3 * 333_403
    assert one.cents == 1_000_001  # reset, and the cent that cannot be shared


def test_p5_royal_flushes_of_one_round_are_paid_by_one_order(hands: ProgressiveHands) -> None:
    hands.wager(1, 2, 3)
    hands.dealt(3)
    assert hands.pay("royal_flush", "2").accepted
    meter = hands.meter
    refused = hands.pay("royal_flush", "1")
    assert not refused.accepted
    assert "a royal flush of this round was paid: name all positions in one order (19:47-16.12(g))" in refused.reason
    assert hands.meter == meter
    assert hands.pay("flush", "1").accepted
    hands.ordered("settle by=ann")
    assert hands.dealt(3).pay("royal_flush", "2-3").accepted


@pytest.mark.parametrize("typed", ["5-2", "2-5"])
def test_p5_each_straight_flush_is_paid_by_the_meter_at_its_turn_the_farthest_right_first(
    hands: ProgressiveHands, typed: str
) -> None:
    hands.wager(2, 5)
    hands.dealt(5)
    assert hands.meter == 1_000_140
    answer = hands.pay("straight_flush", typed)
    assert answer.reason == "straight flush paid (position 5: 1,000.14, position 2: 900.12)"


def test_p5_a_payment_out_of_turn_wants_a_reason_and_it_is_on_record(hands: ProgressiveHands) -> None:
    hands.wager(1, 2, 3, 4, 5)
    hands.dealt(5)
    assert hands.pay("flush", "3").accepted
    meter = hands.meter
    refused = hands.pay("straight_flush", "5-1")
    assert "position 5 is out of turn: position 3 was paid before it" in refused.reason
    assert "13:47-20.23(h)12" in refused.reason
    assert "why=" in refused.reason
    assert hands.meter == meter
    assert hands.pay("straight_flush", "1").accepted
    first = len(hands.bench.said)
    assert hands.pay("straight_flush", "5", "the player was away").accepted
    (changed,) = [one.data for one in hands.bench.said[first:] if isinstance(one.data, events.CarriedStateChanged)]
    assert changed.course["payment"]["why"] == "the player was away"


def test_p5_royal_flushes_take_the_turn_of_the_first_of_them(hands: ProgressiveHands) -> None:
    """Another hand between them is paid in its own turn, by the meter that they leave."""
    hands.wager(2, 3, 5)
    hands.dealt(5)
    answer = hands.pay("royal_flush", "2-5")
    assert answer.reason == "royal flush paid (position 5: 5,001.05, position 2: 5,001.05)"
    assert hands.pay("straight_flush", "3").reason == "straight flush paid (position 3: 1,000.00)"


@given(st.lists(st.one_of(st.integers(0, 14), st.sampled_from(HANDS)), max_size=60), st.integers(70, 100))
def test_the_meter_never_falls_but_by_a_recorded_payment(steps: list[int | ProgressiveHand], rate: int) -> None:
    one = Meter(RULES, TERMS._replace(rate=rate))
    wagers = paid = resets = 0
    start = one.cents
    for step in steps:
        before = one.cents
        if isinstance(step, int):
            one.wagers(step)
            wagers += step
            assert one.cents >= before
        else:
            parts, fell = one.pay(step, [1, 2, 3])
            paid += fell
            reset = start if step == "royal_flush" else 0
            resets += reset
            assert one.cents == before - fell + reset
            assert sum(part.cents for part in parts) >= fell
    assert one.cents == start + wagers * rate + resets - paid


def test_the_meter_is_what_it_was_after_a_power_cut_and_the_payment_is_on_record(hands: ProgressiveHands) -> None:
    hands.wager(1, 2)
    hands.dealt(2)
    hands.pay("straight_flush", "2")
    meter = hands.meter
    assert meter == (1_000_140 * 9 + 9) // 10
    state = TableState("b-1")
    for event in hands.bench.said:
        if event.data.durable:
            state.apply(event)
    again = ProgressiveHands(before=state)
    assert again.meter == meter
    payment: Mapping[str, Any] = state.course["payment"] if state.course else {}
    assert (payment["hand"], payment["paid"], payment["by"]) == ("straight_flush", {"2": 100_014}, "ann")


def test_without_acceptors_there_is_nothing_to_pay() -> None:
    hands = ShoeHands(card_toml("caribbean_stud"))
    assert "has no progressive wager" in hands.order("progressive_pay hand=flush positions=1 by=ann").reason
    other = ShoeHands(card_toml("let_it_ride"))
    assert "has no progressive wager" in other.order("progressive_pay hand=flush positions=1 by=ann").reason
    assert together(hands.call()).of(events.NoMoreBets)


def test_the_table_states_that_the_wager_is_not_of_the_casino_night_text(hands: ProgressiveHands) -> None:
    *odds, notice = hands.bench.said.one(events.TableOpened).notices
    assert notice.rule == "ours"
    assert "13:47-20.10(c)2" in notice.words
    assert hands_without_acceptors().bench.said.one(events.TableOpened).notices == odds


def hands_without_acceptors() -> ShoeHands:
    return ShoeHands(card_toml("caribbean_stud"))


def test_a_table_that_is_shut_while_a_round_is_settled_takes_no_wager(hands: ProgressiveHands) -> None:
    """A round may be unresolved before the call: its acceptors are still open then."""
    assert hands.lines().get(LOCK) is not True
    hands.game.rounds.wait(SETTLING)
    hands.game.rounds.shut(round(hands.now_s * S), "card_count", "a card is missing")
    assert hands.lines() == {LOCK: True}
