"""A counting discard rack, an automated shoe and a double shoe at a table: what the game makes of them."""

from __future__ import annotations

from drivers.base.driver import Observation, SensorAlive, SensorDead
from drivers.cards.discard_rack import DiscardRack, DiscardRackConfig
from drivers.cards.observations import CardDiscarded, DiscardsLost
from feed import events
from hal.values import Edge, EdgesLost, Loss
from tests.tables.bench import EventList
from tests.tables.card_shoe import S, ShoeHands, card_toml, together

NATURAL = "9s 6h Kd 2c"


class RackHands(ShoeHands):
    """A baccarat table whose discard rack counts."""

    def __init__(self) -> None:
        super().__init__(card_toml(options="decks = 6", more="[device.discard_rack]\n"))
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


def test_k18_an_automated_shoe_that_deals_short_stops_the_round_and_the_cards_are_shuffled() -> None:
    hands = ShoeHands(card_toml(shoe="stack_cards = 4\nstack_s = 3"))
    hands.call()
    said = together(hands.deal("9s 6h Kd"), hands.wait(4.0))
    assert said.verdicts() == ["void shoe_short_deal"]
    assert {"shoe_short_deal"} <= set(hands.standing)
    whole = ShoeHands(card_toml(shoe="stack_cards = 4\nstack_s = 3"))
    whole.call()
    assert together(whole.deal(NATURAL), whole.wait(4.0)).verdicts() == ["9s-Kd/6h-2c"]
    assert whole.standing == []


def test_k20_two_open_compartments_stop_the_table_until_one_is_closed() -> None:
    hands = ShoeHands(card_toml(shoe="double = true"))
    hands.sense("shoe_gate_1", 1)
    assert hands.standing == []
    hands.sense("shoe_gate_2", 1)
    assert hands.standing == ["two_compartments_open"]
    assert not hands.order("clear device=shoe by=ann").accepted
    hands.sense("shoe_gate_1", 0)
    assert hands.order("clear device=shoe by=ann").accepted
