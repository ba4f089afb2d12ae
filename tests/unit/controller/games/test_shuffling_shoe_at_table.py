"""A continuous shuffling shoe at a table of blackjack: what is inside is known by count, and a wrong count stops it."""

from __future__ import annotations

import pytest

from controller.games.load import check_text
from feed import events
from feed.state import TableState
from hal.values import Edge, EdgesLost, Loss
from tests.tables.bench import EventList
from tests.tables.card_shoe import S, ShoeHands, card_toml, together

SHOE = 'driver = "shuffling_shoe"'
OPTIONS = "dealer_hand = false\ndecks = 1"


class CountingHands(ShoeHands):
    """A table with one hand, whose shoe counts 52 cards."""

    def __init__(self, *, loaded: bool = True, before: TableState | None = None) -> None:
        super().__init__(card_toml("blackjack", shoe=SHOE, options=OPTIONS), before=before)
        self.feed([Edge("shoe_card_in", 0, round(self.now_s * S) + 1)], [], 0.1)
        self.ordered("hands count=1 by=ann")
        if loaded:
            self.ordered("new_shoe by=ann")

    def out(self, cards: int) -> EventList:
        return together(*(self.card("", named=False) for _ in range(cards)))

    def back(self, cards: int) -> EventList:
        at = round((self.now_s + 0.01) * S)
        pulses = [(level, at + n * 10_000_000 + (1 - level) * 5_000_000) for n in range(cards) for level in (1, 0)]
        return self.feed([Edge("shoe_card_in", level, t_ns) for level, t_ns in pulses], [], 0.02 + cards * 0.01)

    def played(self, burned: int = 0) -> EventList:
        """A round of four cards, or five with the burned one; both announcements, and time to settle."""
        said = together(self.call(), self.out(4 + burned))
        return together(said, self.press("dealer_no_more_bets"), self.press("dealer_no_more_bets"), self.wait(5.0))


def warnings(said: EventList) -> list[str]:
    return [one.warning for one in said.of(events.DeviceWarning)]


def test_k27_a_round_is_counted_and_its_cards_are_put_back() -> None:
    hands = CountingHands()
    said = hands.played(burned=1)
    outcome = said.one(events.Outcome)
    assert (outcome.result, outcome.evidence.card_counts) == ({}, {"hand 1": 2, "dealer": 2})
    assert hands.game.shoe.stock is not None
    assert hands.game.shoe.stock.inside == 47
    assert warnings(together(hands.back(5), hands.played())) == []
    assert hands.game.shoe.stock.inside == 48
    assert hands.standing == []


def test_k27_a_card_from_elsewhere_is_found_as_it_is_put_back() -> None:
    hands = CountingHands()
    hands.played(burned=1)
    said = hands.back(6)
    fault = said.one(events.DeviceFault)
    assert (fault.device, fault.fault) == ("shoe", "card_count")
    assert "53 cards are inside by count, and 52 belong" in fault.detail
    assert not hands.order("clear device=shoe by=ann").accepted
    hands.ordered("new_shoe by=ann")
    assert hands.order("clear device=shoe by=ann").accepted
    assert hands.standing == []


def test_k27_cards_that_nobody_put_back_are_a_warning_at_the_next_call() -> None:
    hands = CountingHands()
    hands.played(burned=1)
    hands.back(3)
    assert warnings(hands.call()) == ["cards_not_put_back"]
    assert together(hands.out(4), hands.press("dealer_no_more_bets"), hands.press("dealer_no_more_bets")).verdicts()


def test_k27_more_cards_than_were_inside_leave_the_round_to_the_dealer() -> None:
    hands = CountingHands()
    hands.call()
    said = hands.out(53)
    assert said.verdicts() == ["unresolved card_count"]
    assert "card_count" in hands.standing


def test_a_card_that_is_pushed_in_by_the_mouth_is_inside_again() -> None:
    hands = CountingHands()
    hands.played(burned=1)
    at = round((hands.now_s + 0.1) * S)
    spans = (("shoe_card_2", 0, 120), ("shoe_card_1", 40, 160))
    edges = [Edge(line, level, at + ms * 1_000_000) for line, a, b in spans for level, ms in ((1, a), (0, b))]
    hands.feed(sorted(edges, key=lambda edge: edge.t_ns), [], 0.5)
    assert hands.game.shoe.stock is not None
    assert hands.game.shoe.stock.inside == 48


@pytest.mark.parametrize("line", ["shoe_card_in", "shoe_card_1"])
def test_where_changes_were_lost_nobody_knows_what_is_inside_until_it_is_counted(line: str) -> None:
    hands = CountingHands()
    hands.played(burned=1)
    hands.feed([], [EdgesLost(line, Loss.OVERFLOW, round((hands.now_s + 0.1) * S))], 0.2)
    assert hands.game.shoe.stock is not None
    assert hands.game.shoe.stock.inside is None
    hands.back(9)
    assert hands.standing == []
    hands.ordered("new_shoe by=ann")
    assert hands.game.shoe.stock.inside == 52


def test_before_it_was_loaded_nothing_is_claimed() -> None:
    hands = CountingHands(loaded=False)
    hands.back(3)
    assert hands.played().one(events.Outcome).result == {}
    assert hands.standing == []


def test_after_a_restart_what_is_inside_is_not_known_and_that_is_reported() -> None:
    hands = CountingHands()
    assert warnings(hands.bench.said) == []
    hands.played(burned=1)
    after = CountingHands(loaded=False, before=hands.bench.state())
    warning = after.bench.said.one(events.DeviceWarning)
    assert (warning.device, warning.warning) == ("shoe", "inserts_uncounted")
    assert "new_shoe" in warning.detail
    first = after.bench.said[0].data
    assert isinstance(first, events.TableOpened), "it names the epoch before"
    assert first.previous_sequence == hands.bench.said[-1].seq
    after.ordered("new_shoe by=ann")
    assert after.game.shoe.stock is not None
    assert after.game.shoe.stock.inside == 52
    assert after.standing == []


def test_a_wrong_count_cannot_be_cleared_after_a_restart_before_the_cards_are_counted() -> None:
    hands = CountingHands()
    hands.played(burned=1)
    hands.back(6)
    after = CountingHands(loaded=False, before=hands.bench.state())
    assert after.standing == ["card_count"]
    assert not after.order("clear device=shoe by=ann").accepted
    after.ordered("new_shoe by=ann")
    assert after.order("clear device=shoe by=ann").accepted
    assert after.standing == []


@pytest.mark.parametrize(
    ("options", "more", "why"),
    [
        ("", "", "a shuffling shoe reads no card"),
        ("dealer_hand = false", "[device.shuffler]\n", "the cards go back into the shuffling shoe"),
        ("dealer_hand = false", "[device.discard_rack]\n", "the cards go back into the shuffling shoe"),
    ],
)
def test_what_cannot_stand_beside_it_is_refused(options: str, more: str, why: str) -> None:
    (found,) = check_text(card_toml("blackjack", shoe=SHOE, options=options, more=more)).errors
    assert why in str(found)


@pytest.mark.parametrize("game", ["baccarat", "red_dog", "caribbean_stud"])
def test_a_game_whose_cards_are_read_cannot_have_it(game: str) -> None:
    assert check_text(card_toml(game, shoe=SHOE)).errors
