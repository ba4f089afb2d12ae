"""Rounds of Caribbean stud, let it ride and joker seven: where each card goes, what is turned, and misdeals."""

from __future__ import annotations

from typing import Final

import pytest

from controller.games.fixed_hands.rules import CaribbeanStudRules, FixedHandsRules
from controller.games.fixed_hands.seven import JokerSevenRules
from controller.rules.profile import profile
from controller.service.event_lines import line_of
from drivers.cards.card_wire import DECK
from feed import events
from feed.data import USUAL_CALL
from tests.tables.bench import EventList
from tests.tables.card_shoe import ShoeHands, card_toml, opened, together

STUD = "2s 3s Ah 4s 5s Kh 6s 7s 4h 8s 9s 3h Ts Js 2h"
"""Two hands and the dealer, five times: the dealer has ace, king, four, three, two, all of hearts."""


def at_table(game: str, hands: int = 2, **keys: str) -> ShoeHands:
    """A table whose dealer has declared the hands, with a fresh deck."""
    table = ShoeHands(card_toml(game, **keys))
    table.ordered(f"hands count={hands} by=ann")
    table.ordered("new_shoe deck=one by=ann")
    return table


@pytest.fixture
def stud() -> ShoeHands:
    return at_table("caribbean_stud")


def reasons(said: EventList) -> list[str]:
    return [one.reason for one in said.of(events.ProcedureViolation)]


# --- what rests on our own order ----------------------------------------------------------------------------------


@pytest.mark.parametrize("game", ["caribbean_stud", "let_it_ride", "joker_seven"])
def test_an_outcome_that_rests_on_the_order_of_an_automated_shoe_is_marked_as_the_houses(game: str) -> None:
    each = {"caribbean_stud": 5, "let_it_ride": 3, "joker_seven": 7}[game]
    table = at_table(game, 1, shoe=f"stack_cards = {each}\n")
    (posted,) = [one for one in table.bench.said.one(events.TableOpened).notices if one.rule == "ours"]
    assert "hand after hand" in posted.words
    table.call()
    table.deal(" ".join(DECK[: each * (1 if game == "joker_seven" else 2)]))
    turned = [table.call() for _ in range({"caribbean_stud": 1, "let_it_ride": 2, "joker_seven": 0}[game])]
    outcome = EventList(table.bench.said).one(events.Outcome)
    assert outcome.rule == "ours", turned
    assert f"house rule: {posted.words}" in outcome.notices


# --- Caribbean stud -------------------------------------------------------------------------------------------------


def test_the_dealers_hand_is_the_outcome_once_its_hole_cards_are_turned(stud: ShoeHands) -> None:
    stud.call()
    said = stud.deal(STUD)
    assert said.verdicts() == []
    for hole in (b'"Ah"', b'"Kh"', b'"4h"', b'"3h"', b'"2s"'):
        assert hole not in said.body()
    assert b'"2h"' in said.body()  # the fifth card is dealt face up
    outcome = stud.call().one(events.Outcome)
    assert outcome.result == {
        "dealer": {"cards": ["Ah", "Kh", "4h", "3h", "2h"], "rank": "flush", "qualifies": True},
    }
    assert (outcome.winning, outcome.rule) == ([], "13:47-20.23(h)9")
    assert outcome.evidence.card_counts == {"hand 1": 5, "hand 2": 5, "dealer": 5}
    assert opened(stud.wait(5.0)) == [2]


def test_k6_each_round_has_one_fresh_deck_and_the_stub_stays_unexposed(stud: ShoeHands) -> None:
    stud.call()
    stud.deal(STUD)
    stud.call()
    stud.wait(5.0)
    said = together(stud.call(), stud.card("2s"))
    (violation,) = said.of(events.ProcedureViolation)
    assert (violation.reason, violation.rule) == ("not_shuffled", "ours")
    assert said.verdicts() == []


def test_k5_two_decks_of_one_back_alternate_by_their_names(stud: ShoeHands) -> None:
    stud.call()
    stud.deal(STUD)
    stud.call()
    stud.wait(5.0)
    said = stud.ordered("new_shoe deck=two by=ann")
    assert said.one(events.CarriedStateChanged).course["deck"] == "two"


def test_a_card_of_the_other_deck_leaves_the_round_to_the_dealer(stud: ShoeHands) -> None:
    stud.call()
    assert stud.deal("2s 3s 2s").verdicts() == ["unresolved card_twice"]


def test_a_card_in_excess_is_of_no_use_in_the_round(stud: ShoeHands) -> None:
    stud.call()
    said = stud.deal(f"{STUD} Qd")
    assert reasons(said) == ["card_out_of_turn"]
    assert b'"Qd"' not in said.body()
    assert "not one of discard" in stud.order("excess_card use=next_card by=ann").reason
    stud.ordered("excess_card use=discard by=ann")
    assert stud.call().one(events.Outcome).result["dealer"]["rank"] == "flush"


def test_k15_one_face_up_card_is_discarded(stud: ShoeHands) -> None:
    stud.call()
    stud.deal("2s 3s")
    stud.ordered("face_up_card card=next by=ann")
    assert stud.deal("Qd " + STUD.split(" ", 2)[2]).verdicts() == []
    assert stud.call().one(events.Outcome).result["dealer"]["cards"] == ["Ah", "Kh", "4h", "3h", "2h"]


def test_k15_a_card_that_was_drawn_face_up_is_taken_back(stud: ShoeHands) -> None:
    stud.call()
    stud.deal("Qd")
    stud.ordered("face_up_card card=last by=ann")
    stud.deal(STUD)
    assert stud.call().one(events.Outcome).result["dealer"]["cards"] == ["Ah", "Kh", "4h", "3h", "2h"]


def test_k15_more_than_one_face_up_card_voids_every_hand(stud: ShoeHands) -> None:
    stud.call()
    stud.deal("2s 3s")
    stud.ordered("face_up_card card=next by=ann")
    void = stud.ordered("face_up_card card=next by=ann").one(events.Void)
    assert (void.reason, void.rule) == ("face_up_cards", "13:47-20.23(j)2")
    stud.wait(6.0)
    said = together(stud.call(), stud.card("4s"))
    assert reasons(said) == ["not_shuffled"]  # the cards are to be reshuffled


def test_k15_a_hand_with_a_wrong_number_of_cards_is_void_and_the_dealer_calls_the_rest(stud: ShoeHands) -> None:
    stud.call()
    stud.deal(f"{STUD} Qd")
    assert "hand 2 is void (13:47-20.23(j)4)" in stud.order("misdeal hand=2 by=ann").reason
    assert stud.call().verdicts() == ["unresolved hand_misdealt"]
    said = stud.ordered("correct round=1 cards=Ah-Kh-4h-3h-2h by=ann why=as they lay")
    result = said.one(events.RoundCorrected).to.result
    assert result is not None
    assert result["void_hands"] == [2]


def test_k15_a_hand_short_of_a_card_ends_the_deal_early(stud: ShoeHands) -> None:
    stud.call()
    stud.deal(STUD.rsplit(" ", 1)[0])
    stud.ordered("misdeal hand=1 by=ann")
    assert stud.call().verdicts() == ["unresolved hand_misdealt"]


def test_k15_a_dealer_of_four_cards_is_dealt_one_more(stud: ShoeHands) -> None:
    stud.call()
    assert stud.deal(STUD.rsplit(" ", 1)[0]).verdicts() == []
    assert not stud.order("announce by=ann").accepted
    stud.card("2h")
    assert stud.call().one(events.Outcome).result["dealer"]["rank"] == "flush"


def test_k15_any_other_misdeal_to_the_dealer_voids_every_hand(stud: ShoeHands) -> None:
    stud.call()
    stud.deal("2s 3s Ah")
    void = stud.ordered("misdeal hand=dealer by=ann").one(events.Void)
    assert (void.reason, void.rule) == ("dealer_misdeal", "13:47-20.23(j)4")


def test_k15_a_hole_card_that_is_exposed_before_the_call_voids_every_hand(stud: ShoeHands) -> None:
    void = stud.ordered("void reason=hole_card_exposed by=ann").one(events.Void)
    assert (void.reason, void.rule) == ("hole_card_exposed", "13:47-20.23(j)1")
    stud.wait(6.0)
    stud.ordered("new_shoe deck=two by=ann")
    stud.call()
    assert '"No more bets" was called' in stud.order("void reason=hole_card_exposed by=ann").reason


@pytest.mark.parametrize(
    ("order", "why"),
    [
        ("misdeal hand=2 by=ann", "is not being dealt"),
        ("misdeal hand=3 by=ann", "is not being dealt"),
        ("announce by=ann", "has nothing to announce now"),
    ],
)
def test_an_order_out_of_its_time_is_refused(stud: ShoeHands, order: str, why: str) -> None:
    assert why in stud.order(order).reason


def test_k16_the_older_text_has_the_same_irregularities_and_no_deal() -> None:
    refusal = profile("njac-19:47").refusal("caribbean_stud") or ""
    assert '19:47-16.13 "Irregularities"' in refusal
    assert "nothing of how the cards are dealt" in refusal


def test_a_dealers_card_that_was_not_read_is_called_by_a_person(stud: ShoeHands) -> None:
    stud.call()
    stud.deal(STUD.replace("4h", "??"))
    assert stud.call().verdicts() == ["unresolved card_unread"]
    assert "expected 5 cards of one deck" in stud.order("correct round=1 cards=Ah-Kh-4h-3h by=ann why=x").reason
    assert "'4x' is not a card" in stud.order("correct round=1 cards=Ah-Kh-4x-3h-2h by=ann why=x").reason
    said = stud.ordered("correct round=1 cards=none by=ann why=nobody looked")
    assert said.one(events.RoundCorrected).to.result == {}


# --- let it ride ----------------------------------------------------------------------------------------------------

RIDE = "2s 3s Ah 4s 5s Kh 6s 7s 4h"


def test_k31_the_community_cards_are_turned_one_after_the_other() -> None:
    table = at_table("let_it_ride")
    table.call()
    said = table.deal(RIDE)
    assert all(card.encode() not in said.body() for card in RIDE.split())
    said = table.call()
    assert [one.card for one in said.of(events.CardOpened)] == ["Kh"]
    assert said.verdicts() == []
    outcome = table.call().one(events.Outcome)
    assert outcome.result == {"community": ["Kh", "4h"]}
    assert b'"Ah"' not in table.bench.said.body()  # burned


def test_k4_the_same_deck_in_two_rounds_is_a_violation() -> None:
    table = at_table("let_it_ride")
    said = table.ordered("new_shoe deck=one by=ann")
    (violation,) = said.of(events.ProcedureViolation)
    assert (violation.reason, violation.rule) == ("deck_not_alternated", "13:47-20.27(f)2")
    assert reasons(table.ordered("new_shoe deck=two by=ann")) == []


def test_let_it_ride_has_no_text_for_misdeals() -> None:
    table = at_table("let_it_ride")
    table.call()
    table.card("2s")
    assert "says nothing of a wrong number of cards" in table.order("misdeal hand=1 by=ann").reason
    assert "says nothing of a card that is found face up" in table.order("face_up_card card=next by=ann").reason


# --- joker seven ----------------------------------------------------------------------------------------------------

SEVEN = "2s 3h Ah JK 4s 5d 6s 7h 8s 9c Ts JK Qs Kd"


def test_every_hand_of_joker_seven_is_the_outcome_with_its_colours() -> None:
    table = at_table("joker_seven")
    table.call()
    outcome = table.deal(SEVEN).one(events.Outcome)
    first, second = outcome.result["hands"]
    assert first == {"cards": ["2s", "Ah", "4s", "6s", "8s", "Ts", "Qs"], "red": 1, "black": 6, "jokers": 0}
    assert second == {"cards": ["3h", "JK", "5d", "7h", "9c", "JK", "Kd"], "red": 4, "black": 1, "jokers": 2}
    assert [(bet.bet, bet.odds) for bet in outcome.winning] == [
        ("hand 1: four or more black", "1 to 1"),
        ("hand 1: six black", "15 to 1"),
        ("hand 1: no pairs", "3 to 1"),
        ("hand 2: four or more red", "1 to 1"),
        ("hand 2: two jokers", "20 to 1"),
    ]
    (notice,) = outcome.notices
    left = "hand 2: the dealer decides on four red, five red, six red: our copy is torn off after "
    assert notice.startswith(f'{left}"The joker has no color"')


OURS = " (ours)"
TWO = "two pairs"


@pytest.mark.parametrize(
    ("cards", "won", "left"),
    [
        ("2h 2d 3s 4s 5s 6s 7h", ["four or more black 1", "four black 2", "a pair of 2s 9"], ""),
        (
            "2h 2d 3s 3c 5d 6s 7h",
            ["four or more red 1", "four red 2", "two pairs 3", "a pair of 2s 9", "a pair of 3s 9"],
            "",
        ),
        ("2h 3h 4h 5h 6h 8h 9h", ["four or more red 1", "seven red 25", "no pairs 3"], "seven red" + OURS),
        (
            "2h 2d 3s 3c 5d 5s 7h",
            ["four or more red 1", "four red 2", *(f"a pair of {n}s 9" for n in "235")],
            "two pairs",
        ),
        ("Ks Kh Kd 4s 5s 6s 7s", ["four or more black 1", "five black 5", "prial 12"], "a pair of kings, no pairs"),
        ("Ks Kh Kd 4s 4c 6s 7s", ["four or more black 1", "five black 5", "a pair of 4s 9", "prial 12"], "two pairs"),
        (
            "Ks Kh Kd Kc 4s 5s 6d",
            ["four or more black 1", "four black 2", "a pair of kings 9", "two pairs 3", "prial 12"],
            "prial" + OURS,
        ),
        (
            "JK 2h 3h 4h 5s 6s 7s",
            ["one joker 3", "no pairs 3"],
            "four or more red, four red, four or more black, four black",
        ),
        ("JK JK 3h 3s 5s 6s 7d", ["two jokers 20", "two pairs 3", "a pair of 3s 9"], "four or more red, four red"),
        ("JK 2h 3h 4h 5h 6h 8s", ["four or more red 1", "one joker 3", "no pairs 3"], "five red, six red"),
    ],
)
def test_k28_the_wagers_of_a_hand_of_joker_seven_that_the_text_decides_are_published(
    cards: str, won: list[str], left: str
) -> None:
    table = at_table("joker_seven", hands=1)
    table.call()
    outcome = table.deal(cards).one(events.Outcome)
    assert [f"{bet.bet.removeprefix('hand 1: ')} {bet.odds.removesuffix(' to 1')}" for bet in outcome.winning] == won
    notices = " ".join(outcome.notices)
    assert all(part in notices for part in left.replace(OURS, "").split(", ")) and bool(left) == bool(notices)
    assert (OURS in left) == notices.endswith("(ours)")


def test_k7_joker_seven_has_two_jokers_and_no_third() -> None:
    table = at_table("joker_seven", hands=1)
    table.call()
    assert table.deal("JK 2s JK 3s JK").verdicts() == ["unresolved card_twice"]


def test_a_person_names_every_hand() -> None:
    table = at_table("joker_seven")
    table.call()
    assert table.card("2s", named=True).verdicts() == []
    table.card("3h", passes=False)
    assert table.wait(1.5).verdicts() == ["unresolved card_unseen"]
    named = "2s-Ah-4s-6s-8s-Ts-Qs/3h-JK-5d-7h-9c-JK-Kd"
    assert "expected 7 cards" in table.order("correct round=1 cards=2s-3s by=ann why=x").reason
    assert "of one deck" in table.order(f"correct round=1 cards={named.replace('Kd', '2s')} by=ann why=x").reason
    said = table.ordered(f"correct round=1 cards={named} by=ann why=as they lay")
    result = said.one(events.RoundCorrected).to.result
    assert result is not None
    assert len(result["hands"]) == 2


# --- all of them ----------------------------------------------------------------------------------------------------


KINDS: Final[dict[str, type[FixedHandsRules]]] = {
    "caribbean_stud": CaribbeanStudRules,
    "let_it_ride": FixedHandsRules,
    "joker_seven": JokerSevenRules,
}


@pytest.mark.parametrize(("game", "most"), [("caribbean_stud", 9), ("let_it_ride", 16), ("joker_seven", 7)])
def test_no_more_hands_are_declared_than_the_deck_deals(game: str, most: int) -> None:
    table = ShoeHands(card_toml(game))
    assert f"expected 1 to {most}" in table.order(f"hands count={most + 1} by=ann").reason
    rules = profile("njac-13:47-20").text(game, KINDS[game])
    shared = {"caribbean_stud": 1, "let_it_ride": 1}.get(game, 0)
    deck = 54 if game == "joker_seven" else 52
    assert rules.cards_each.value * (most + shared) <= deck < rules.cards_each.value * (most + shared + 1)


@pytest.mark.parametrize("game", ["caribbean_stud", "let_it_ride", "joker_seven"])
def test_the_call_that_closes_the_bets_has_no_words_of_its_own(game: str) -> None:
    (called,) = at_table(game).call().of(events.NoMoreBets)
    assert called.call == USUAL_CALL


@pytest.mark.parametrize("game", ["caribbean_stud", "let_it_ride", "joker_seven"])
def test_without_a_declaration_no_card_has_its_place(game: str) -> None:
    table = ShoeHands(card_toml(game))
    table.ordered("new_shoe by=ann")
    table.call()
    assert table.card("9d").verdicts() == ["unresolved hands_unknown"]


@pytest.mark.parametrize("game", ["caribbean_stud", "let_it_ride", "joker_seven"])
def test_k1_a_fresh_deck_is_reported_before_each_round_and_over_a_restart(game: str) -> None:
    table = at_table(game)
    again = ShoeHands(card_toml(game), before=table.bench.state())
    again.wait(1.0)
    again.call()
    assert reasons(again.card("2s")) == []
    assert again.game.reshuffle.deck_in_use == "one"


@pytest.mark.parametrize(("game", "cards"), [("caribbean_stud", 1), ("let_it_ride", 1), ("joker_seven", None)])
def test_k8_the_cutting_cards_are_as_many_as_the_text_has(game: str, cards: int | None) -> None:
    rule = profile("njac-13:47-20").text(game, KINDS[game]).cutting_cards
    assert (None if rule is None else rule.value) == cards


@pytest.mark.parametrize("game", ["caribbean_stud", "let_it_ride", "joker_seven", "blackjack", "red_dog", "baccarat"])
def test_k10_the_cards_are_sorted_verified_shown_and_shuffled_before_every_opening(game: str) -> None:
    table = ShoeHands(card_toml(game), opens=False)
    assert "was not inspected" in table.order("open by=ann").reason
    table.ordered("inspect_start device=shoe by=ann")
    assert "shown" in table.order("inspect_pass device=shoe checks=cards by=ann").reason
    table.ordered("inspect_pass device=shoe checks=cards,shown,shuffled,shoe by=ann")
    assert opened(table.ordered("open by=ann")) == [1]


def test_a_shoe_that_reads_no_cards_counts_them() -> None:
    table = at_table("caribbean_stud", options="reads = false")
    table.call()
    table.deal(" ".join(["??"] * 15))
    outcome = table.call().one(events.Outcome)
    assert (outcome.result, outcome.evidence.card_counts) == ({}, {"hand 1": 5, "hand 2": 5, "dealer": 5})


def test_the_words_of_a_round_are_those_of_the_table(stud: ShoeHands) -> None:
    stud.call()
    stud.deal(STUD)
    stud.call()
    lines = [line_of(event) for event in stud.bench.said]
    for words in (
        "shuffled cards are in the shoe, deck one, 2 hands",
        "dealer 2h, 15 cards dealt",
        "OUTCOME dealer Ah Kh 4h 3h 2h: flush, qualifies",
    ):
        assert any(words in line for line in lines), words
