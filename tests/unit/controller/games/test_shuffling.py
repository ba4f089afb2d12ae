"""The shuffler of a table: which batch may be dealt, what a failed cycle means, and what must be removed first."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from controller.games.load import check_text
from drivers.cards.card_wire import (
    AskedOrderLine,
    LineOfShuffler,
    OpenedCardLine,
    SealedOrderLine,
    ShufflerLine,
    ShufflerState,
    encode,
)
from feed import events
from feed.commitments import order_root
from feed.events import StackLoaded, StackOpened, StackSealed
from feed.state import StackState, TableState
from hal.values import Edge, Frame, SendFrame
from tests.tables.bench import EventList
from tests.tables.card_shoe import S, ShoeHands, card_toml, together

NATURAL = "9s 6h Kd 2c"
SERIAL = '[device.shuffler]\ncontrol = "serial"\n'
PLACED = '[device.shuffler]\ncontrol = "serial"\npresent_sensor = true\n'


class ShufflerHands(ShoeHands):
    """A baccarat table with a shuffler of 416 cards a batch."""

    def __init__(self, more: str = SERIAL, *, before: TableState | None = None) -> None:
        super().__init__(card_toml(more=more), before=before)
        self.line(ShufflerLine(1, ShufflerState.IDLE, None), ShufflerLine(2, ShufflerState.IDLE, None))

    def line(self, *lines: LineOfShuffler) -> EventList:
        at = round((self.now_s + 0.1) * S)
        return self.feed([], [Frame("shuffler", encode(line), at + n) for n, line in enumerate(lines)], 0.5)

    def cycle(self, batch: int = 1, count: int | None = 416, *, end: str = "C") -> EventList:
        busy = self.line(ShufflerLine(batch, ShufflerState.BUSY, None))
        return together(busy, self.line(ShufflerLine(batch, ShufflerState(end), count)))

    def take_out(self, batch: int) -> None:
        self.line(ShufflerLine(batch, ShufflerState.IDLE, None))

    def sealed(self, batch: int, cards: Sequence[str]) -> tuple[str, ...]:
        """The shuffler commits itself to an order; returns the salts."""
        salts = tuple(f"{n:032x}" for n in range(len(cards)))
        self.line(SealedOrderLine(batch, len(cards), order_root(cards, salts)))
        return salts

    def opened(self, batch: int, cards: Sequence[str], salts: Sequence[str]) -> EventList:
        both = zip(cards, salts, strict=True)
        return self.line(*(OpenedCardLine(batch, n, card, salt) for n, (card, salt) in enumerate(both, 1)))


@pytest.fixture
def hands() -> ShufflerHands:
    return ShufflerHands()


def test_k3_one_batch_is_dealt_and_the_other_is_left_in_the_shuffler_for_the_next(hands: ShufflerHands) -> None:
    hands.cycle(1)
    assert "batch 1 is in play; put batch 2 into the shuffler" in hands.order("new_shoe by=ann").reason
    hands.take_out(1)
    hands.cycle(2)
    said = hands.ordered("new_shoe by=ann")
    assert [(one.batch, one.method) for one in said.of(StackLoaded)] == [(2, "shuffler")]
    assert said.of(events.ProcedureViolation) == []


def test_k21_a_batch_that_is_dealt_twice_running_is_a_violation(hands: ShufflerHands) -> None:
    for _ in range(2):
        hands.cycle(1)
        said = hands.ordered("new_shoe by=ann")
        hands.take_out(1)
    violation = said.one(events.ProcedureViolation)
    assert (violation.reason, violation.rule) == ("batch_not_alternated", "13:47-20.18(a)5")


@pytest.mark.parametrize(
    ("end", "fault"), [("J", "shuffler_jam"), ("D", "shuffle_incomplete"), ("I", "shuffle_incomplete")]
)
def test_k17_a_cycle_that_fails_stops_the_play_until_the_cards_are_reshuffled(
    hands: ShufflerHands, end: str, fault: str
) -> None:
    hands.call()
    hands.deal("9s 6h")
    said = hands.cycle(1, end=end)
    said = together(said, hands.line(ShufflerLine(1, ShufflerState.IDLE, None)))
    assert said.verdicts() == []  # no round is void for it
    said = hands.deal("Kd 2c")
    assert said.verdicts() == ["9s-Kd/6h-2c"]
    assert fault in hands.standing
    assert "no whole batch is ready" in hands.order("new_shoe by=ann").reason
    hands.order("clear device=shuffler by=ann")
    assert hands.standing == [fault]  # its cause is not gone
    hands.cycle(1)
    assert hands.order("clear device=shuffler by=ann").accepted
    assert hands.order("new_shoe by=ann").accepted


@pytest.mark.parametrize("count", [415, 417, 0, None])
def test_a_deck_with_the_wrong_count_is_removed_and_not_dealt(hands: ShufflerHands, count: int | None) -> None:
    hands.cycle(1, count)
    hands.round(NATURAL)
    assert hands.standing == ["card_count"]
    assert not hands.order("new_shoe by=ann").accepted
    assert not hands.order("clear device=shuffler by=ann").accepted


@pytest.mark.parametrize("counter", [True, False])
def test_without_a_counter_a_complete_cycle_is_a_batch_that_a_person_counts(counter: bool) -> None:
    hands = ShoeHands(card_toml(more=f"[device.shuffler]\ncounter = {str(counter).lower()}\n"))
    at = round(hands.now_s * S) + 1
    hands.feed([Edge(line, 0, at) for line in ("shuffler_busy", "shuffler_complete")], [], 1.0)
    hands.sense("shuffler_busy", 1)
    hands.wait(30.0)
    hands.feed([Edge("shuffler_complete", 1, round(hands.now_s * S) + 1)], [], 0.1)
    hands.sense("shuffler_busy", 0)
    hands.wait(2.0)
    answer = hands.order("new_shoe by=ann")
    assert answer.accepted is not counter
    assert ("the shuffler has no counter: count its cards" in answer.reason) is not counter


def test_a_batch_that_is_being_shuffled_again_is_not_dealt(hands: ShufflerHands) -> None:
    hands.cycle(1)
    hands.line(ShufflerLine(1, ShufflerState.BUSY, None))
    assert "no whole batch is ready in the shuffler" in hands.order("new_shoe by=ann").reason


def test_k19_the_shuffler_leaves_the_table_before_the_cards_are_shuffled_by_hand(hands: ShufflerHands) -> None:
    refused = hands.order("new_shoe method=hand by=ann")
    assert "remove it before the cards are shuffled by hand" in refused.reason
    hands.ordered("shuffler_removed by=ann")
    assert "the shuffler is not at the table" in hands.order("new_shoe by=ann").reason
    assert hands.order("new_shoe method=hand by=ann").accepted
    hands.ordered("shuffler_placed by=ann")
    assert "remove it" in hands.order("new_shoe method=hand by=ann").reason


def test_a_sensor_of_its_place_decides_where_there_is_one() -> None:
    hands = ShufflerHands(PLACED)
    hands.feed([Edge("shuffler_present", 1, round((hands.now_s + 0.1) * S))], [], 0.5)
    assert "its sensor reports" in hands.order("shuffler_removed by=ann").reason
    assert not hands.order("new_shoe method=hand by=ann").accepted
    hands.sense("shuffler_present", 0)
    hands.wait(1.0)
    assert hands.order("new_shoe method=hand by=ann").accepted


ORDER = ("9s", "6h", "Kd", "2c", "Ts", "3d", "4d", "5d")


def reading(hands: ShufflerHands, dealt: str) -> EventList:
    """A reading shuffler seals an order, the shoe deals, and the shuffler opens it."""
    hands.cycle(1)
    salts = hands.sealed(1, ORDER)
    hands.ordered("new_shoe by=ann")
    hands.round(dealt)
    hands.order("break_up by=ann")
    return hands.opened(1, ORDER, salts)


def test_the_order_of_a_reading_shuffler_is_what_the_shoe_dealt_but_for_the_cut(hands: ShufflerHands) -> None:
    said = reading(hands, "9s 6h Kd 2c")
    assert hands.bench.said.one(StackSealed).root == said.one(StackOpened).root
    assert said.one(StackOpened).agrees
    assert "order_differs" not in hands.standing


def test_an_order_that_is_opened_while_its_stack_is_dealt_is_not_published(hands: ShufflerHands) -> None:
    hands.cycle(1)
    salts = hands.sealed(1, ORDER)
    hands.ordered("new_shoe by=ann")
    hands.round(NATURAL)
    said = hands.opened(1, ORDER, salts)
    assert said.of(StackOpened) == []
    assert "order_differs" in hands.standing
    fault = next(one for one in said.of(events.DeviceFault) if one.fault == "order_differs")
    assert fault.detail == "an order was opened while its stack is dealt: reshuffle"


def test_an_order_stays_closed_until_the_round_with_the_cutting_card_has_its_verdict(hands: ShufflerHands) -> None:
    hands.cycle(1)
    salts = hands.sealed(1, ORDER)
    hands.ordered("new_shoe by=ann")
    hands.call()
    hands.deal("9s 6h")
    hands.sense("shoe_cut", 1)
    assert hands.opened(1, ORDER, salts).of(StackOpened) == []
    assert hands.deal("Kd 2c").verdicts() == ["9s-Kd/6h-2c"]


def test_an_order_may_be_opened_once_the_round_with_the_cutting_card_has_its_verdict(hands: ShufflerHands) -> None:
    hands.cycle(1)
    salts = hands.sealed(1, ORDER)
    hands.ordered("new_shoe by=ann")
    hands.sense("shoe_cut", 1)
    hands.round(NATURAL)
    assert hands.opened(1, ORDER, salts).one(StackOpened).agrees


@pytest.mark.parametrize(("dealt", "agrees"), [(NATURAL, True), ("9s 6h Kd 8c", False)])
def test_an_order_is_held_against_its_own_stack_where_the_next_one_is_dealt_already(
    hands: ShufflerHands, dealt: str, agrees: bool
) -> None:
    hands.cycle(1)
    salts = hands.sealed(1, ORDER)
    hands.ordered("new_shoe by=ann")
    hands.round(dealt)
    hands.order("break_up by=ann")
    hands.take_out(1)
    hands.state()
    hands.cycle(2)
    hands.state()
    hands.ordered("new_shoe by=ann")
    hands.order("clear device=shoe by=ann")
    hands.wait(5.0)
    assert hands.round("8s Ah Qd 2c").verdicts() == ["8s-Qd/Ah-2c"]
    said = hands.opened(1, ORDER, salts)
    assert said.one(StackOpened).agrees is agrees
    hands.round("8h Ac Qs 2d")
    assert ("order_differs" in hands.standing) is not agrees


def test_an_order_of_which_no_card_is_known_to_be_dealt_is_not_published(hands: ShufflerHands) -> None:
    salts = hands.sealed(1, ORDER)
    said = hands.opened(1, ORDER, salts)
    assert said.of(StackOpened) == []
    assert said.one(events.DeviceWarning).warning == "order_not_compared"
    assert "order_differs" not in hands.standing


def test_an_order_that_was_sealed_after_the_deal_is_not_held_against_it(hands: ShufflerHands) -> None:
    reading(hands, NATURAL)
    salts = hands.sealed(1, ORDER[::-1])
    said = hands.opened(1, ORDER[::-1], salts)
    assert said.of(StackOpened) == []
    assert "order_differs" not in hands.standing


def test_a_card_that_came_from_elsewhere_differs_from_the_order(hands: ShufflerHands) -> None:
    assert not reading(hands, "9s 6h Kd 8c").one(StackOpened).agrees
    assert "order_differs" in hands.standing


def test_an_order_that_is_opened_otherwise_than_sealed_differs(hands: ShufflerHands) -> None:
    salts = hands.sealed(1, ORDER)
    said = hands.opened(1, (*ORDER[1:], ORDER[0]), salts)
    assert not said.one(StackOpened).agrees


def test_a_shuffler_on_plain_lines_alternates_without_a_number() -> None:
    hands = ShufflerHands("[device.shuffler]\n")
    assert hands.order("new_shoe by=ann").reason.startswith("new_shoe: no whole batch is ready")
    for line in ("busy", "complete", "card"):
        hands.sense(f"shuffler_{line}", 0)
    for batch in (1, 2, 1):
        hands.sense("shuffler_busy", 1)
        at = round((hands.now_s + 0.1) * S)
        passing = [Edge("shuffler_card", 1 - n % 2, at + n * S // 1000) for n in range(2 * 416)]
        hands.feed(passing, [], 2.0)
        for line, level in (("complete", 1), ("busy", 0), ("complete", 0)):
            hands.sense(f"shuffler_{line}", level)
        assert f"batch {batch} is in play" in hands.order("new_shoe by=ann").reason


GAMES = (
    "baccarat",
    "blackjack",
    "caribbean_stud",
    "joker_seven",
    "let_it_ride",
    "mini_baccarat",
    "multi_action_blackjack",
    "red_dog",
)


@pytest.mark.parametrize("game", GAMES)
def test_k2_a_shuffler_is_optional_in_each_game_of_cards(game: str) -> None:
    for more in ("", SERIAL, "[device.shuffler]\n"):
        assert [one for one in check_text(card_toml(game, more=more)).problems if one.severity == "error"] == []


# --- a withheld order -----------------------------------------------------------------------------------------------


class Withholding:
    """A reading shuffler that opens a part of an order, and what it is asked."""

    def __init__(self, opens: int = 0) -> None:
        self.hands = ShufflerHands()
        self.hands.cycle(1)
        self.salts = self.hands.sealed(1, ORDER)
        self.hands.ordered("new_shoe by=ann")
        self.hands.take_out(1)
        self.hands.round(NATURAL)
        self.hands.order("break_up by=ann")
        self.hands.bench.table.outputs()
        self.open(1, opens)

    def open(self, first: int, last: int) -> EventList:
        places = range(first, last + 1)
        return self.hands.line(*(OpenedCardLine(1, n, ORDER[n - 1], self.salts[n - 1]) for n in places))

    def asked(self) -> list[bytes]:
        sent = self.hands.bench.table.outputs()
        return [one.data for one in sent if isinstance(one, SendFrame)]

    def next_shoe(self) -> None:
        self.hands.cycle(2)
        self.hands.ordered("new_shoe by=ann")
        self.hands.order("clear device=shoe by=ann")


@pytest.mark.parametrize("opens", [0, 1, len(ORDER) - 1])
def test_an_order_that_is_withheld_is_asked_for_once_and_shuts_the_table_at_the_next_shoe(opens: int) -> None:
    case = Withholding(opens)
    hands = case.hands
    hands.wait(11.0)
    assert case.asked() == [encode(AskedOrderLine(1, opens + 1)) + b"\r\n"]
    hands.wait(60.0)
    assert case.asked() == []
    assert hands.standing == ["reshuffle_due"]
    case.next_shoe()
    assert hands.standing == ["order_withheld"]
    fault = next(one for one in hands.bench.said.of(events.DeviceFault) if one.fault == "order_withheld")
    assert f"from place {opens + 1} on" in fault.detail
    assert not hands.order("clear device=shuffler by=ann").accepted, "before a new shuffle"
    hands.take_out(2)
    hands.cycle(1)
    assert hands.order("clear device=shuffler by=ann").accepted
    assert "order_withheld" not in hands.standing


@pytest.mark.parametrize("opens", [0, 3])
def test_an_order_that_is_opened_once_it_was_asked_for_agrees(opens: int) -> None:
    case = Withholding(opens)
    case.hands.wait(11.0)
    said = case.open(opens + 1, len(ORDER))
    assert said.one(StackOpened).agrees
    case.next_shoe()
    assert case.hands.standing == []


def test_an_order_is_asked_for_as_a_whole_where_its_batch_is_shuffled_again_before_it_was_opened() -> None:
    case = Withholding(opens=3)
    case.hands.line(ShufflerLine(1, ShufflerState.BUSY, None))
    case.hands.wait(11.0)
    assert case.asked() == [encode(AskedOrderLine(1, 1)) + b"\r\n"]
    case.hands.line(SealedOrderLine(1, len(ORDER), order_root(ORDER, case.salts)))
    assert case.open(1, len(ORDER)).one(StackOpened).agrees


def test_an_order_is_asked_for_as_soon_as_its_stack_is_shuffled_again(hands: ShufflerHands) -> None:
    """Its next order takes the place of this one, and the next shoe may be loaded later than that is sealed."""
    hands.cycle(1)
    salts = hands.sealed(1, ORDER)
    hands.ordered("new_shoe by=ann")
    hands.take_out(1)
    hands.sense("shoe_cut", 1)
    hands.round(NATURAL)
    hands.bench.table.outputs()
    hands.line(ShufflerLine(1, ShufflerState.BUSY, None))
    hands.wait(11.0)
    asked = [one.data for one in hands.bench.table.outputs() if isinstance(one, SendFrame)]
    assert asked == [encode(AskedOrderLine(1, 1)) + b"\r\n"]
    hands.sealed(1, ORDER)
    assert hands.opened(1, ORDER, salts).one(StackOpened).agrees


def test_a_shoe_that_was_loaded_meanwhile_is_shut_as_soon_as_the_order_is_withheld() -> None:
    case = Withholding()
    case.next_shoe()
    assert case.hands.standing == []
    case.hands.wait(25.0)
    assert "order_withheld" in case.hands.standing


def test_a_batch_that_is_sealed_anew_before_its_order_was_opened_is_withheld() -> None:
    case = Withholding()
    case.hands.sealed(1, ORDER[::-1])
    case.next_shoe()
    assert case.hands.standing == ["order_withheld"]


def test_an_order_is_owed_over_a_restart_and_without_break_up() -> None:
    hands = ShufflerHands()
    hands.cycle(1)
    hands.sealed(1, ORDER)
    hands.ordered("new_shoe by=ann")
    hands.round(NATURAL)
    again = ShufflerHands(before=hands.bench.state())
    again.cycle(2)
    again.ordered("new_shoe by=ann")
    again.wait(25.0)
    assert "order_withheld" in again.standing


def test_a_withheld_order_is_not_cleared_by_a_restart_either() -> None:
    case = Withholding()
    case.hands.wait(25.0)
    case.next_shoe()
    again = ShufflerHands(before=case.hands.bench.state())
    assert again.standing == ["order_withheld"]
    assert not again.order("clear device=shuffler by=ann").accepted
    again.take_out(1)
    again.cycle(1)
    assert again.order("clear device=shuffler by=ann").accepted
    assert again.bench.table.state == "open"


def test_the_cause_of_a_withheld_order_is_gone_with_a_stack_that_is_shuffled_by_hand() -> None:
    case = Withholding()
    hands = case.hands
    hands.wait(25.0)
    hands.ordered("shuffler_removed by=ann")
    hands.ordered("new_shoe method=hand by=ann")
    hands.order("clear device=shoe by=ann")
    assert hands.standing == ["order_withheld"]
    assert not hands.order("clear device=shuffler by=ann").accepted
    hands.ordered("new_shoe method=hand by=ann")
    assert hands.order("clear device=shuffler by=ann").accepted


# --- over a restart -------------------------------------------------------------------------------------------------


def test_an_order_that_is_opened_mid_stack_is_not_published_after_a_restart_either(hands: ShufflerHands) -> None:
    hands.cycle(1)
    salts = hands.sealed(1, ORDER)
    hands.ordered("new_shoe by=ann")
    hands.round(NATURAL)
    again = ShufflerHands(before=hands.bench.state())
    again.sealed(2, ORDER)
    again.line(SealedOrderLine(1, len(ORDER), order_root(ORDER, salts)))
    said = again.opened(1, ORDER, salts)
    assert said.of(StackOpened) == []
    fault = next(one for one in said.of(events.DeviceFault) if one.fault == "order_differs")
    assert fault.detail == "an order was opened while its stack is dealt: reshuffle"


def test_an_order_that_was_sealed_before_a_restart_is_no_other_order_after_it(hands: ShufflerHands) -> None:
    hands.cycle(1)
    salts = hands.sealed(1, ORDER)
    hands.ordered("new_shoe by=ann")
    hands.round(NATURAL)
    state = hands.bench.state()
    root = order_root(ORDER, salts)
    assert state.stack == StackState(batch=1, orders={"1": root}, dealt=root)
    again = ShufflerHands(before=state)
    again.order("break_up by=ann")
    again.line(SealedOrderLine(1, len(ORDER), order_root(ORDER, salts)))
    said = again.opened(1, ORDER, salts)
    assert said.of(StackOpened) == []  # nobody knows any more which cards of it left
    assert said.one(events.DeviceWarning).warning == "order_not_compared"


@pytest.mark.parametrize("game", ["baccarat", "blackjack"])
@pytest.mark.parametrize("rounds", [0, 1])
def test_a_shuffler_that_was_removed_by_order_is_so_after_restarts(game: str, rounds: int) -> None:
    text = card_toml(game, more="[device.shuffler]\n")
    hands = ShoeHands(text)
    hands.ordered("shuffler_removed by=ann")
    if rounds:
        hands.ordered("void reason=dealer_call by=ann")  # its record has it
    for _ in range(2):
        hands = ShoeHands(text, before=hands.bench.state())
        assert hands.order("new_shoe method=hand by=ann").accepted
    placed = hands.ordered("shuffler_placed by=ann").one(events.CarriedStateChanged)
    assert (placed.act, placed.by, "shuffler_removed" in placed.course) == ("shuffler_placed", "ann", False)
    again = ShoeHands(text, before=hands.bench.state())
    assert "the shuffler is at the table" in again.order("new_shoe method=hand by=ann").reason
