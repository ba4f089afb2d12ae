"""A counting discard rack, an automated shoe and a double shoe at a table: what the game makes of them."""

from __future__ import annotations

import pytest

from controller.games.load import check_text
from drivers.base.driver import Observation, SensorAlive, SensorDead
from drivers.cards.card_wire import CardLine, encode
from drivers.cards.discard_rack import DiscardRack, DiscardRackConfig
from drivers.cards.observations import CardDiscarded, DiscardsLost
from feed import events
from hal.values import Edge, EdgesLost, Frame, Loss
from tests.tables.bench import EventList
from tests.tables.card_shoe import S, ShoeHands, card_toml, together

NATURAL = "9s 6h Kd 2c"


class RackHands(ShoeHands):
    """A table, of baccarat if nothing else is named, whose discard rack counts."""

    def __init__(self, text: str = "") -> None:
        super().__init__(text or card_toml(options="decks = 6", more="[device.discard_rack]\n"))
        self.feed([Edge("discard_card", 0, round(self.now_s * S) + 1)], [], 0.1)

    def discard(self, cards: int) -> EventList:
        at = round((self.now_s + 0.01) * S)
        pulses = [(level, at + n * 10_000_000 + (1 - level) * 5_000_000) for n in range(cards) for level in (1, 0)]
        return self.feed([Edge("discard_card", level, t_ns) for level, t_ns in pulses], [], 0.02 + cards * 0.01)

    def shuffled(self) -> list[str]:
        said = self.ordered("new_shoe by=ann")
        return [one.warning for one in said.of(events.DeviceWarning)]


def test_the_cards_in_the_rack_are_those_that_left_the_shoe() -> None:
    hands = RackHands()
    hands.shuffled()
    hands.round(NATURAL)
    hands.discard(4)
    assert hands.shuffled() == []


def test_a_card_that_is_missing_from_the_rack_is_a_warning_at_the_shuffle() -> None:
    hands = RackHands()
    hands.shuffled()
    hands.round(NATURAL)
    hands.discard(3)
    assert hands.shuffled() == ["discard_count"]
    assert hands.shuffled() == []


def test_k21_cards_of_two_batches_in_the_rack_are_a_violation_once() -> None:
    hands = RackHands()
    said = hands.discard(314)
    assert [one.reason for one in said.of(events.ProcedureViolation)] == ["two_batches_discarded"]


@pytest.mark.parametrize(("game", "rule"), [("let_it_ride", "13:47-20.27(f)3"), ("caribbean_stud", "ours")])
def test_k4_a_casino_night_has_one_deck_in_the_rack_at_let_it_ride_alone(game: str, rule: str) -> None:
    said = RackHands(card_toml(game, more="[device.discard_rack]\n")).discard(53)
    assert [(one.reason, one.rule) for one in said.of(events.ProcedureViolation)] == [("two_batches_discarded", rule)]


def test_a_rack_that_lost_count_says_so_and_warns_of_nothing_at_the_shuffle() -> None:
    hands = RackHands()
    hands.shuffled()
    hands.round(NATURAL)
    said = hands.unplug("discard_card")
    assert "discards_uncounted" in [one.warning for one in said.of(events.DeviceWarning)]
    assert "discard_count" not in hands.shuffled()


def test_the_rack_counts_rising_edges_and_none_that_it_did_not_see_rise() -> None:
    rack = DiscardRack(DiscardRackConfig())
    found: list[Observation] = rack.edges([Edge("discard_card", 1, 1), Edge("discard_card", 0, 2)])
    assert found == []  # a card may lie there as the table begins
    assert rack.edges([Edge("discard_card", 1, 3), Edge("discard_card", 0, 4)]) == [CardDiscarded(t_ns=3)]
    lost = rack.lost(EdgesLost("discard_card", Loss.UNPLUGGED, 5))
    assert [type(one) for one in lost] == [SensorDead, DiscardsLost]
    assert [type(one) for one in rack.edges([Edge("discard_card", 0, 6)])] == [SensorAlive]


STACKS = card_toml("caribbean_stud", shoe="stack_cards = 5\nstack_s = 3")


def stacks_dealt(*stacks: str) -> tuple[ShoeHands, EventList]:
    """A table of Caribbean stud with two hands; its automated shoe gives these stacks."""
    hands = ShoeHands(STACKS)
    hands.ordered("new_shoe by=ann")
    hands.ordered("hands count=1 by=ann")
    hands.call()
    said = EventList()
    for stack in stacks:
        said = together(said, hands.deal(stack), hands.wait(4.0))
    return hands, said


def test_k18_an_automated_shoe_that_deals_short_stops_the_round_and_the_cards_are_shuffled() -> None:
    hands, said = stacks_dealt("9s 6h Kd 2c 3h", "9h 6s Kh 2h")
    assert said.verdicts() == ["void shoe_short_deal"]
    assert {"shoe_short_deal"} <= set(hands.standing)


def test_an_automated_shoe_deals_hand_by_hand_and_the_dealers_last_card_is_face_up() -> None:
    hands, said = stacks_dealt("9s 6h Kd 2c 3h", "9h 6s Kh 2h 4d")
    assert hands.standing == []
    progress = said.of(events.RoundProgress)
    assert progress[-1].dealer_cards == ["4d"]
    outcome = hands.press("dealer_no_more_bets").one(events.Outcome)
    assert outcome.result["dealer"]["cards"] == ["9h", "6s", "Kh", "2h", "4d"]


@pytest.mark.parametrize("game", ["baccarat", "mini_baccarat", "red_dog", "blackjack", "multi_action_blackjack"])
def test_an_automated_shoe_is_refused_where_hands_grow_card_by_card(game: str) -> None:
    (found,) = check_text(card_toml(game, shoe="stack_cards = 4")).errors
    assert "no stack of a fixed number of cards is dealt at this game" in str(found)


def test_a_stack_that_is_no_hand_is_refused() -> None:
    (found,) = check_text(card_toml("let_it_ride", shoe="stack_cards = 5")).errors
    assert "5 cards are not a hand: each has 3 (13:47-20.27" in str(found)


def test_k20_two_open_compartments_stop_the_table_until_one_is_closed() -> None:
    hands = ShoeHands(card_toml(shoe="double = true"))
    hands.sense("shoe_gate_1", 1)
    assert hands.standing == []
    hands.sense("shoe_gate_2", 1)
    assert hands.standing == ["two_compartments_open"]
    assert not hands.order("clear device=shoe by=ann").accepted
    hands.sense("shoe_gate_1", 0)
    assert hands.order("clear device=shoe by=ann").accepted


# --- the determinant card of a double shoe --------------------------------------------------------------------------

DOUBLE = card_toml("blackjack", shoe="double = true", options="determinant_card = true")


def determined(card: str, *gates: int) -> EventList:
    """A round of blackjack with one hand; after the determinant card these compartments are open."""
    hands = ShoeHands(DOUBLE)
    hands.sense("shoe_gate_1", 1)
    hands.ordered("new_shoe by=ann")
    hands.ordered("hands count=1 by=ann")
    hands.call()
    said = hands.deal(f"3c {card}")
    for gate, level in ((1, 0), (2, 0), *((gate, 1) for gate in gates)):
        hands.sense(f"shoe_gate_{gate}", level)
    return together(said, hands.deal("9h Ts 9c 9d"), hands.press("dealer_no_more_bets"), hands.wait(5.0))


@pytest.mark.parametrize(("card", "side"), [("7d", 1), ("7h", 1), ("7s", 2), ("7c", 2)])
def test_k20_the_determinant_card_belongs_to_no_hand_and_chooses_the_compartment(card: str, side: int) -> None:
    said = determined(card, side)
    assert said.one(events.Outcome).result["dealer"]["cards"] == ["Ts", "9d"]
    assert said.of(events.ProcedureViolation) == []
    evidence = said.one(events.Outcome).evidence
    assert evidence.cards is not None
    assert [one.card for one in evidence.cards if one.to == "determinant"] == [card]
    assert evidence.card_counts == {"hand 1": 2, "dealer": 2}


@pytest.mark.parametrize("gates", [(2,), ()])
def test_k20_cards_from_another_compartment_than_the_determinant_card_chose_are_a_violation_once(
    gates: tuple[int, ...],
) -> None:
    said = determined("7d", *gates)
    assert said.one(events.Outcome).result["dealer"]["cards"] == ["Ts", "9d"]
    violation = said.one(events.ProcedureViolation)
    assert (violation.reason, violation.rule) == ("wrong_compartment", "ours")


def gate_after(at_left: int, after: int) -> EventList:
    """A red card chooses the first compartment. A card leaves while `at_left` alone is open, and before it is named
    `after` alone is."""
    hands = ShoeHands(DOUBLE)
    hands.sense("shoe_gate_1", 1)
    hands.ordered("new_shoe by=ann")
    hands.ordered("hands count=1 by=ann")
    hands.call()
    hands.deal("3c 7d")
    hands.sense("shoe_gate_1", 0)
    hands.sense(f"shoe_gate_{at_left}", 1)
    at = round((hands.now_s + 0.1) * S)
    hands.number += 1
    spans = (("shoe_card_1", 0, 120), ("shoe_card_2", 40, 160))
    ways = [(line, level, ms) for line, start, end in spans for level, ms in ((1, start), (0, end))]
    gates = [(f"shoe_gate_{at_left}", 0, 200), (f"shoe_gate_{after}", 1, 210)]
    edges = [Edge(line, level, at + ms * 1_000_000) for line, level, ms in [*ways, *gates]]
    named = Frame("shoe", encode(CardLine(hands.number, "9h")), at + 300_000_000)
    return hands.feed(sorted(edges, key=lambda edge: edge.t_ns), [named], 1.0)


@pytest.mark.parametrize(("at_left", "after", "violations"), [(1, 2, []), (2, 1, ["wrong_compartment"])])
def test_what_counts_is_the_compartment_that_was_open_when_the_card_left(
    at_left: int, after: int, violations: list[str]
) -> None:
    said = gate_after(at_left, after)
    assert [one.cards_dealt for one in said.of(events.RoundProgress)] == [1]
    assert [one.reason for one in said.of(events.ProcedureViolation)] == violations


def test_a_determinant_card_that_nobody_read_chooses_nothing() -> None:
    said = determined("??", 2)
    assert said.one(events.Outcome).result["dealer"]["cards"] == ["Ts", "9d"]
    assert said.of(events.ProcedureViolation) == []
    assert "determinant_unread" in [one.warning for one in said.of(events.DeviceWarning)]


def test_a_determinant_card_needs_two_compartments() -> None:
    (found,) = check_text(card_toml("blackjack", options="determinant_card = true")).errors
    assert "this shoe has one" in str(found)


def test_a_table_without_a_rack_that_counts_warns_of_no_count() -> None:
    hands = ShoeHands(card_toml(options="decks = 6"))
    hands.ordered("new_shoe by=ann")
    hands.round(NATURAL)
    said = hands.ordered("new_shoe by=ann")
    assert [one.warning for one in said.of(events.DeviceWarning)] == []
