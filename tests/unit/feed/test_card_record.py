"""What the events of a table of cards show of its reader, its cards, its decks and its shuffler."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Any, Final

import pytest

from drivers.cards.card_wire import DECK
from feed import events
from feed.card_record import BIN_CARDS, BINS, LOOK_BINS, CardFinding, CardRecord, DeckRecord, Rise, rise
from feed.data import DealtCard
from feed.events import Evidence

FALSE_ALARM: Final = 0.001
UNREAD: Final = "?"


class Dealer:
    """Events of one table as its rounds are dealt, and what its record finds in them."""

    def __init__(self, misreads_in_1000: float = 2.0) -> None:
        self.record = CardRecord(misreads_in_1000, FALSE_ALARM)
        self.found: list[CardFinding] = []
        self.place = 0

    def say(self, kind: type[Any], **fields: Any) -> None:
        self.found += self.record.see(kind(table="t", game="baccarat", simulated=True, mono_ns=0, **fields))

    def load(self, **how: Any) -> None:
        self.place = 0
        self.say(events.StackLoaded, device="shoe", **how)

    def deal(self, cards: Sequence[str], *, verdict: str = "", placed: bool = True) -> None:
        """A round; after a card that is not read the others are sealed, as a table does it."""
        self.say(events.RoundStarted, round=1)
        shown, after = [], 0
        for number, card in enumerate(cards):
            self.place += 1
            if card == UNREAD:
                after = len(cards) - number - 1
                break
            shown.append(DealtCard(card=card, to="player", left_ns=number, place=self.place if placed else None))
        evidence = Evidence(cards=shown or None)
        if UNREAD in cards:
            self.say(events.Unresolved, round=1, reason="card_unread", candidates=[], rule="ours", evidence=evidence)
        elif verdict:
            self.say(events.Void, round=1, reason=verdict, rule="ours", call="Round void", evidence=Evidence())
        else:
            self.say(events.Outcome, round=1, result={}, winning=[], rule="ours", evidence=evidence)
        for _ in range(after):
            self.seal()

    def seal(self) -> None:
        self.place += 1
        self.say(events.CardSealed, device="shoe", commitment="0" * 64, nonce="", place=self.place, round=1)

    def open(self, cards: Sequence[str], batch: int = 1, *, agrees: bool = True) -> None:
        salts = [""] * len(cards)
        self.say(
            events.StackOpened, device="shuffler", batch=batch, root="", cards=[*cards], salts=salts, agrees=agrees
        )

    @property
    def warned(self) -> list[str]:
        return [one.warning for one in self.found]


# --- reader -----------------------------------------------------------------------------------------------------------


def test_a_reader_that_fails_clearly_more_often_than_is_borne_is_found_once() -> None:
    dealer = Dealer()
    for number in range(300):
        dealer.deal(["9s", "6h", "Kd", UNREAD if number % 25 == 0 else "2c"])
    assert dealer.warned.count("reader_misreads") == 1
    found = next(one for one in dealer.found if one.warning == "reader_misreads")
    assert found.detail.startswith("the shoe did not read ")
    assert "(2 in 1,000): clean its reader" in found.detail
    assert (dealer.record.cards, dealer.record.misreads) == (1200, 12)


def test_a_reader_within_its_bound_is_not_warned_of_and_another_bound_counts() -> None:
    for borne, warned in ((10.0, []), (0.2, ["reader_misreads"])):
        dealer = Dealer(borne)
        for number in range(250):
            dealer.deal(["9s", "6h", "Kd", UNREAD if number % 50 == 0 else "2c"])
        assert dealer.warned == warned


# --- a card by its name -----------------------------------------------------------------------------------------------


def dealt(
    dealer: Dealer, order: Sequence[str], unread: set[int], batch: int = 1, rounds: int = 10, cut: int = 0
) -> None:
    """An order is loaded, cut and dealt in rounds of four; cards at some places of the order are not read."""
    dealer.load(batch=batch)
    turned = [*order[cut:], *order[:cut]]
    named = [UNREAD if (at + cut) % len(order) in unread else card for at, card in enumerate(turned)]
    for number in range(rounds):
        dealer.deal(named[4 * number : 4 * number + 4])


@pytest.mark.parametrize("place", range(8))
@pytest.mark.parametrize("cut", [0, 17])
def test_which_card_was_not_read_is_known_once_the_order_is_opened(place: int, cut: int) -> None:
    """The first, the last or another one of a round; after it the others of the round are sealed."""
    dealer, order = Dealer(), list(DECK)
    dealt(dealer, order, {(place + cut) % 52}, cut=cut)
    assert dealer.record.unread == Counter()
    dealer.open(order)
    assert dealer.record.unread == Counter([order[(place + cut) % 52]])


def test_of_a_round_without_its_cards_nothing_is_guessed() -> None:
    """After a void round nobody knows at which place the next one began: only a gap among known cards counts."""
    dealer, order = Dealer(), list(DECK)
    dealer.load(batch=1)
    dealer.deal(order[:4])
    dealer.deal(order[4:8], verdict="shoe_jam")
    dealer.deal([UNREAD, *order[9:12]])
    dealer.deal(order[12:16])
    dealer.deal([*order[16:18], UNREAD, *order[19:20]])
    dealer.open(order)
    assert dealer.record.unread == Counter([order[18]])


def test_nothing_is_named_by_an_order_that_does_not_agree_or_may_have_been_cut_in_two_ways() -> None:
    dealer = Dealer()
    dealt(dealer, list(DECK), {5})
    dealer.open(list(DECK), agrees=False)
    same = ["9s", "9h"] * 26
    dealt(dealer, same, {5})
    dealer.open(same)
    assert dealer.record.unread == Counter()


def test_a_card_that_is_not_read_again_and_again_is_named_and_cards_at_random_are_not() -> None:
    rng = Random(1)
    marked, random = Dealer(), Dealer()
    for _ in range(12):
        order = rng.sample(DECK, 52)
        dealt(marked, order, {order.index("7d")}, rounds=13)
        marked.open(order)
        dealt(random, order, {rng.randrange(52)}, rounds=13)
        random.open(order)
    named = [one for one in marked.found if one.warning == "card_misread"]
    assert [one.detail.split(",")[0] for one in named] == [
        "7d was not read 4 of 4 times that the shoe did not read a card"
    ]
    assert "card_misread" not in random.warned


# --- a deck -----------------------------------------------------------------------------------------------------------


def test_a_rise_of_misreads_is_that_of_their_mean_place() -> None:
    assert rise([100, 100], [0, 0]) is None
    assert rise([200], [3]) is None
    flat = rise([100] * 10, [1] * 10)
    assert flat is not None
    assert (flat.p, flat.slope) == (0.5, 0.0)
    # Six hits in the last bin of ten: the mean of six places with a standard deviation of 0.287, at 0.45.
    late = rise([100] * 10, [0] * 9 + [6])
    assert late is not None
    assert late.p == pytest.approx(6.2e-5, rel=0.02)
    assert rise([100] * 10, [6] + [0] * 9).p == pytest.approx(1 - late.p)  # type: ignore[union-attr]


def test_a_forecast_has_a_range_and_says_where_a_share_is_reached_already() -> None:
    found = Rise(1e-5, 0.0, 0.001, 1e-6, 0.2e-6)
    assert found.cards_until(0.002) == pytest.approx((1000, 1000 / 1.328, 1000 / 0.672))
    assert found.cards_until(0.001) is None
    assert found._replace(doubt=1e-6).cards_until(0.002) == pytest.approx((1000, 1000 / 2.64, None))


def worn(shares: Sequence[float], of: str = "misreads") -> tuple[list[CardFinding], DeckRecord]:
    """A deck of which these shares are not read, or drawn badly, of 250 cards each."""
    deck = DeckRecord("red", 0.02, FALSE_ALARM)
    found: list[CardFinding] = []
    for share in shares:
        for at in range(50):
            bad = round((at + 1) * 5 * share) - round(at * 5 * share)
            if of == "drawing":
                for _ in range(bad):
                    deck.troubled()
            found += deck.drawn(5, bad if of == "misreads" else 0)
    return found, deck


def test_a_deck_that_is_read_worse_and_worse_is_found_once_with_a_forecast() -> None:
    found, deck = worn([0.0004 * at for at in range(40)])
    assert [one.warning for one in found] == ["deck_worn"]
    assert found[0].detail.startswith("deck red: misreads went from 0.0 to ")
    assert "20 in 1,000 are reached after some " in found[0].detail
    assert "replace it before" in found[0].detail
    assert deck.worn("misreads") is not None
    assert deck.worn("drawing") is None


def test_a_deck_beyond_the_bound_is_to_be_replaced_and_one_that_jams_more_often_too() -> None:
    beyond, _ = worn([0.0] * 20 + [0.06] * 20)
    assert beyond[-1].detail.endswith("replace it")
    jams, _ = worn([0.0] * 20 + [0.06] * 20, "drawing")
    assert jams[0].detail.startswith("deck red: jams and cards pushed back went from ")


def test_a_jam_whose_card_is_pushed_back_is_one_trouble_of_the_deck() -> None:
    once, twice = (DeckRecord("red", 0.02, FALSE_ALARM) for _ in range(2))
    for at in range(400):
        for deck, times in ((once, 1), (twice, 3)):
            for _ in range(times if at % 50 == at // 40 else 0):
                deck.troubled()
            deck.drawn(25, 0)
    assert once.rise("drawing") is not None
    assert twice.rise("drawing") == once.rise("drawing")
    assert twice.drawing == 3 * once.drawing


def test_a_deck_that_is_read_evenly_is_not_suspected() -> None:
    rng = Random(1)
    assert worn([rng.choice([0.004, 0.008]) for _ in range(BINS)])[0] == []
    assert LOOK_BINS * BIN_CARDS == 1000


def test_decks_are_told_apart_by_name_or_batch() -> None:
    dealer = Dealer()
    for how in ({"deck": "red"}, {"deck": "blue"}, {"deck": "red"}, {"batch": 2}, {}):
        dealer.load(**how)
        dealer.deal(["9s", "6h", "Kd", "2c"])
    dealer.say(events.DeviceWarning, device="shoe", warning="card_pushed_back", detail="")
    dealer.say(events.DeviceFault, device="shoe", fault="shoe_jam", detail="", blocks_play=True, before_restart=True)
    dealer.say(events.DeviceFault, device="shoe", fault="shoe_jam", detail="", blocks_play=True)
    decks = dealer.record.decks
    assert {name: (one.loads, one.cards) for name, one in decks.items()} == {
        "red": (2, 8), "blue": (1, 4), "batch 2": (1, 4), "": (1, 4),
    }  # fmt: skip
    assert decks[""].drawing == 2


# --- orders -----------------------------------------------------------------------------------------------------------


def test_an_order_is_held_against_the_one_of_its_batch_that_was_opened_before() -> None:
    dealer = Dealer()
    order = Random(1).sample(DECK, 52)
    for batch in (1, 2, 1):
        dealt(dealer, order, set(), batch=batch)
        dealer.open(order, batch)
    assert [one.warning for one in dealer.found] == ["shuffler_order_kept"]
    assert dealer.found[0].device == "shuffler"
    assert dealer.record.orders.judged == 1


def test_an_order_is_held_against_the_cards_that_came_out_where_the_one_before_was_not_opened() -> None:
    dealer = Dealer()
    order = Random(1).sample(DECK, 52)
    dealt(dealer, order, set(), rounds=8)
    dealt(dealer, order, set())
    dealer.open(order)
    assert [one.warning for one in dealer.found] == ["shuffler_order_kept"]


def test_where_nothing_was_opened_nothing_is_claimed() -> None:
    dealer = Dealer()
    order = Random(1).sample(DECK, 52)
    for _ in range(12):
        dealt(dealer, order, set())
    dealt(dealer, order, set())
    dealer.open(order, agrees=False)
    assert dealer.found == []
    assert dealer.record.orders.judged == 0


def test_fair_orders_are_judged_and_not_suspected() -> None:
    dealer, rng = Dealer(), Random(1)
    for _ in range(21):
        order = rng.sample(DECK, 52)
        dealt(dealer, order, set())
        dealer.open(order)
    assert dealer.found == []
    assert dealer.record.orders.judged == 20
