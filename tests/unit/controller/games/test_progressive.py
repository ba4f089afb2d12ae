"""The progressive wager of Caribbean stud: acceptors, lock-out, the meter and its shares, over power cuts too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.games.cards.progressive import HANDS, Hand, Meter, ProgressiveRules, ProgressiveTerms
from controller.games.fixed_hands.rounds import FixedHandsGame
from controller.games.fixed_hands.rules import CaribbeanStudRules
from controller.rules.profile import profile
from drivers.cards.progressive import LOCK, acceptor, lamp
from feed import events
from feed.state import TableState
from hal.values import Edge, SetLine
from tests.tables.card_shoe import S, ShoeHands, card_toml, together
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
        assert isinstance(self.game, FixedHandsGame)
        assert self.game.progressive is not None
        return self.game.progressive.meter.cents

    def wager(self, *positions: int, lies: bool = True) -> Any:
        edges = [Edge(acceptor(position), int(lies), round((self.now_s + 0.1) * S)) for position in positions]
        return self.feed(edges, [], 0.5)

    def lines(self) -> dict[str, bool]:
        """What was commanded of each output, in the end."""
        return {one.line: one.on for one in self.bench.table.outputs() if isinstance(one, SetLine)}

    def pay(self, hand: str, positions: str) -> Any:
        return self.order(f"progressive_pay hand={hand} positions={positions} by=ann")


@pytest.fixture
def hands() -> ProgressiveHands:
    return ProgressiveHands()


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
    assert said.one(events.CourseChanged).course["meter_cents"] == hands.meter
    wrong = only_problem(TEXT.replace("[game]\n", "[game]\nprogressive_rate = 69\n"))
    assert "at least 70 percent (19:47-16.12(f))" in wrong


def test_p1_nothing_is_paid_where_the_lamp_is_not_lit_or_bets_are_open_and_a_supervisor_validates(
    hands: ProgressiveHands,
) -> None:
    hands.wager(2)
    assert "bets are still open" in hands.pay("flush", "2").reason
    hands.call()
    refused = hands.pay("flush", "3")
    assert "the acceptor of position 3 is not lit" in refused.reason
    assert "19:47-16.11(b)" in refused.reason
    answer = hands.pay("flush", "2")
    assert answer.reason == "flush paid (position 2: 50.00)"
    assert "was paid in this round" in hands.pay("flush", "2").reason
    for wrong in ("x", "2-x", "-1", "999"):
        assert not hands.pay("flush", wrong).accepted
    assert "is not one of" in hands.pay("two_pairs", "2").reason


def test_p2_a_progressive_hand_is_paid_whatever_became_of_the_round(hands: ProgressiveHands) -> None:
    hands.wager(2)
    hands.call()
    hands.press("dealer_void")
    assert hands.pay("full_house", "2").accepted


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
def test_p3_each_hand_is_paid_what_the_text_has(hand: Hand, cents: int, meter: int) -> None:
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
    assert [(part.position, part.cents) for part in paid] == [(1, 333_403), (3, 333_403), (5, 333_403)]
    assert fell == 3 * 333_403
    assert one.cents == 1_000_001  # reset, and the cent that cannot be shared


def test_p5_royal_flushes_of_one_round_are_paid_by_one_order(hands: ProgressiveHands) -> None:
    hands.wager(1, 2, 3)
    hands.call()
    assert hands.pay("royal_flush", "1").accepted
    meter = hands.meter
    refused = hands.pay("royal_flush", "2")
    assert not refused.accepted
    assert "a royal flush of this round was paid: name all positions in one order (19:47-16.12(g))" in refused.reason
    assert hands.meter == meter
    assert hands.pay("flush", "3").accepted
    assert isinstance(hands.game, FixedHandsGame)
    hands.game.open(round(hands.now_s * S))
    hands.call()
    assert hands.pay("royal_flush", "2-3").accepted


def test_p5_each_straight_flush_is_paid_by_the_meter_at_its_turn() -> None:
    one = Meter(RULES, TERMS)
    paid, _ = one.pay("straight_flush", [2, 1])
    assert [part.cents for part in paid] == [100_000, 90_000]


@given(st.lists(st.one_of(st.integers(0, 14), st.sampled_from(HANDS)), max_size=60), st.integers(70, 100))
def test_the_meter_never_falls_but_by_a_recorded_payment(steps: list[int | Hand], rate: int) -> None:
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
    hands.call()
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
