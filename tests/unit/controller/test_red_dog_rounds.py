"""Rounds of red dog: spreads, raises, and the irregularities of 13:47-20.31(g)."""

from __future__ import annotations

import pytest

from controller.games.red_dog.rules import RedDogRules
from controller.rules.profile import default_profile, profile
from controller.service.event_lines import line_of
from feed import events
from tests.tables.bench import EventList
from tests.tables.card_shoe import ShoeHands, card_toml, opened, together
from tests.tables.problems import only_problem

AUTO = card_toml("red_dog", table='no_more_bets = "auto"')


@pytest.fixture
def hands() -> ShoeHands:
    return ShoeHands(card_toml("red_dog"))


def restarted(hands: ShoeHands) -> ShoeHands:
    return ShoeHands(card_toml("red_dog"), before=hands.bench.state())


def to_a_spread(hands: ShoeHands) -> None:
    hands.call()
    hands.deal("4s 9d")


# --- outcomes -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cards", "verdict", "paid"),
    [
        ("4s 5d", "4s-5d consecutive", []),
        ("Ks Ad", "Ks-Ad consecutive", []),
        ("4s 4d 4h", "4s-4d-4h three_of_a_kind", ["wager 11 to 1"]),
        ("4s 4d 5h", "4s-4d-5h pair", []),
    ],
)
def test_without_a_spread_no_raise_is_waited_for(hands: ShoeHands, cards: str, verdict: str, paid: list[str]) -> None:
    hands.call()
    said = hands.deal(cards)
    assert said.verdicts() == [verdict]
    assert [f"{bet.bet} {bet.odds}" for bet in said.one(events.Outcome).winning] == paid
    assert opened(hands.wait(5.0)) == [2]


@pytest.mark.parametrize(
    ("third", "wins", "paid"),
    [("6h", True, ["wager 1 to 1", "raise 1 to 1"]), ("4h", False, []), ("9h", False, []), ("Kh", False, [])],
)
def test_a_spread_is_played_to_a_third_card_once_raises_are_closed(
    hands: ShoeHands, third: str, wins: bool, paid: list[str]
) -> None:
    to_a_spread(hands)
    (closed,) = hands.call().of(events.NoMoreBets)
    assert (closed.call, closed.by, closed.rule) == ("Raises closed", "dealer", "13:47-20.31(d)13")
    said = hands.card(third)
    result = said.one(events.Outcome).result
    assert (result["kind"], result["spread"], result["wins"]) == ("spread", 4, wins)
    assert [f"{bet.bet} {bet.odds}" for bet in said.one(events.Outcome).winning] == paid


@pytest.mark.parametrize(
    ("cards", "announced", "notices"),
    [
        ("4s 4d 4h", ["We have a pair"], ['"Three of a kind" (13:47-20.31(d)9)']),
        (
            "4s 4d 5h",
            ["We have a pair"],
            ['"No three of a kind--tie hand": all wagers are void (13:47-20.31(d)10)'],
        ),
        ("4s 5d", [], ['"The cards are consecutive--tie hand": all wagers are void (13:47-20.31(d)7)']),
    ],
)
def test_what_the_dealer_announces_is_published(
    hands: ShoeHands, cards: str, announced: list[str], notices: list[str]
) -> None:
    hands.call()
    said = hands.deal(cards)
    told = [one.announce for one in said.of(events.RoundProgress) if one.announce]
    assert (told, said.one(events.Outcome).notices) == (announced, notices)


def test_raises_are_closed_by_an_order_too(hands: ShoeHands) -> None:
    to_a_spread(hands)
    assert hands.order("announce by=ann").reason == '"Raises closed"'
    assert hands.card("6h").verdicts() == ["4s-9d-6h spread"]
    assert not hands.order("announce by=ann").accepted


def test_without_a_button_the_third_card_closes_the_raises() -> None:
    hands = ShoeHands(AUTO)
    said = hands.deal("4s 9d 6h")
    assert [(one.call, one.by) for one in said.of(events.NoMoreBets)] == [
        ("No more bets", "auto"),
        ("Raises closed", "auto"),
    ]
    assert said.verdicts() == ["4s-9d-6h spread"]


def test_a_fourth_card_belongs_to_nothing_and_is_not_named(hands: ShoeHands) -> None:
    hands.call()
    said = hands.deal("4s 5d 9h")
    assert said.story()[-1] == "procedure.violation card_out_of_turn"
    assert b'"9h"' not in said.body()
    assert hands.order("excess_card use=next_round by=ann").reason == "1 card for the next round"
    hands.wait(4.0)
    said = together(hands.call(), hands.card("Td"))
    assert said.verdicts() == ["9h-Td consecutive"]


def test_a_supervisor_names_the_cards_of_a_round(hands: ShoeHands) -> None:
    hands.call()
    assert together(hands.card("4s"), hands.card("??")).verdicts() == ["unresolved card_unread"]
    assert "two consecutive cards, or a pair" in hands.order("correct round=1 cards=4s-9d by=ann why=x").reason
    assert "'9x' is not a card" in hands.order("correct round=1 cards=4s-9x by=ann why=x").reason
    said = hands.ordered("correct round=1 cards=4s-9d-6h by=ann why=as they lay")
    assert said.one(events.RoundCorrected).to.result == {
        "cards": ["4s", "9d", "6h"],
        "kind": "spread",
        "spread": 4,
        "wins": True,
    }


def test_k11_cards_are_dealt_from_a_shoe() -> None:
    assert "device.shoe" in only_problem(card_toml("red_dog", shoe='driver = "hand"'))


@pytest.mark.parametrize(("decks", "accepted"), [(1, True), (2, True), (9, False)])
def test_k7_red_dog_has_a_deck_and_the_text_is_silent_on_more(decks: int, accepted: bool) -> None:
    rules = profile(default_profile("red_dog")).text("red_dog", RedDogRules)
    assert "more than one deck" in rules.silent_on
    if accepted:
        ShoeHands(card_toml("red_dog", options=f"decks = {decks}"))
    else:
        assert "out of range" in only_problem(card_toml("red_dog", options=f"decks = {decks}"))


# --- burning --------------------------------------------------------------------------------------------------------


def test_k12_the_first_card_of_a_new_shoe_is_burned_and_named_nowhere(hands: ShoeHands) -> None:
    assert hands.order("new_shoe by=ann").reason == "the cards are shuffled; burn 1 of them"
    said = hands.card("Qc")
    assert [(one.act, one.course.get("burn_due", 0)) for one in said.of(events.CarriedStateChanged)] == [("burned", 0)]
    assert b'"Qc"' not in said.body()
    assert hands.round("4s 5d").verdicts() == ["4s-5d consecutive"]


def test_k12_cards_that_are_dealt_without_burning_one_are_a_violation(hands: ShoeHands) -> None:
    hands.order("new_shoe by=ann")
    said = hands.round("4s 5d")
    (violation,) = said.of(events.ProcedureViolation)
    assert (violation.reason, violation.rule) == ("not_burned", "13:47-20.31(d)1")
    assert said.verdicts() == ["4s-5d consecutive"]


def test_k12_a_new_dealer_has_the_cards_shuffled_and_burns_one(hands: ShoeHands) -> None:
    hands.ordered("new_dealer by=bob")
    assert "burn 1 of them, then clear" in hands.order("new_shoe by=bob").reason
    hands.card("Qc")
    hands.ordered("clear device=shoe by=ann")
    said = hands.round("4s 5d")
    assert said.of(events.ProcedureViolation) == []
    assert said.verdicts() == ["4s-5d consecutive"]


def test_a_card_that_is_to_be_burned_is_remembered_over_a_restart(hands: ShoeHands) -> None:
    hands.order("new_shoe by=ann")
    again = restarted(hands)
    again.card("Qc")
    assert again.round("4s 5d").verdicts() == ["4s-5d consecutive"]


def test_k13_after_the_cutting_card_the_round_is_finished_and_the_cards_are_shuffled(hands: ShoeHands) -> None:
    hands.call()
    hands.deal("4s XX 9d")
    hands.call()
    said = hands.card("6h")
    assert said.story() == ["4s-9d-6h spread", "device.fault reshuffle_due"]
    assert opened(hands.wait(5.0)) == []
    hands.order("new_shoe by=ann")
    hands.card("Qc")
    assert opened(hands.ordered("clear device=shoe by=ann")) == [2]


# --- irregularities -------------------------------------------------------------------------------------------------


def third_card_too_early(hands: ShoeHands) -> EventList:
    to_a_spread(hands)
    return hands.card("6h")


def test_k14_a_third_card_before_raises_closed_is_a_violation_and_named_nowhere(hands: ShoeHands) -> None:
    said = third_card_too_early(hands)
    (violation,) = said.of(events.ProcedureViolation)
    assert (violation.reason, violation.rule) == ("card_before_raises_closed", "13:47-20.31(d)13")
    assert b'"6h"' not in said.body()
    assert hands.call().of(events.NoMoreBets) == []  # a person decides first


def test_k14_a_third_card_that_was_not_exposed_is_the_next_one(hands: ShoeHands) -> None:
    third_card_too_early(hands)
    hands.ordered("excess_card use=next_card by=ann")
    said = hands.call()
    assert said.verdicts() == ["4s-9d-6h spread"]
    assert said.one(events.Outcome).notices == []


def test_k14_a_third_card_that_was_exposed_is_discarded_and_another_one_dealt(hands: ShoeHands) -> None:
    third_card_too_early(hands)
    hands.ordered("excess_card use=discard by=ann")
    hands.call()
    outcome = hands.card("Kh").one(events.Outcome)
    assert outcome.result["cards"] == ["4s", "9d", "Kh"]
    assert outcome.notices == ["players who voided the round have their wagers back (13:47-20.31(g)3)"]


def test_k14_a_face_up_card_is_used_for_nothing(hands: ShoeHands) -> None:
    hands.call()
    hands.card("4s")
    hands.ordered("face_up_card card=next by=ann")
    assert hands.card("Qc").verdicts() == []
    assert hands.card("5d").verdicts() == ["4s-5d consecutive"]


def test_k14_a_card_that_was_drawn_face_up_is_taken_back(hands: ShoeHands) -> None:
    to_a_spread(hands)
    hands.ordered("face_up_card card=last by=ann")
    assert hands.card("5d").verdicts() == ["4s-5d consecutive"]


@pytest.mark.parametrize(
    ("order", "why"),
    [
        ("face_up_card card=last by=ann", "no card of this round has left"),
        ("face_up_card card=first by=ann", "card first is not one of next, last"),
        ("excess_card use=discard by=ann", "no card has left that belongs to nothing"),
        ("excess_card use=next_card by=ann", "use next_card is not one of discard, next_round"),
        ("announce by=ann", "has nothing to announce now"),
    ],
)
def test_an_order_on_no_such_card_is_refused(hands: ShoeHands, order: str, why: str) -> None:
    answer = hands.order(order)
    assert not answer.accepted
    assert why in answer.reason


def test_another_card_before_anybody_decided_leaves_the_round_to_the_dealer(hands: ShoeHands) -> None:
    third_card_too_early(hands)
    assert hands.card("Kh").verdicts() == ["unresolved card_out_of_turn"]


def test_a_card_of_another_deck_leaves_the_round_to_the_dealer(hands: ShoeHands) -> None:
    hands.call()
    said = hands.deal("4s 4s")
    assert said.verdicts() == ["unresolved card_twice"]
    assert "4s" not in said.one(events.Unresolved).evidence.detail


def test_shuffled_cards_may_give_the_same_card_again(hands: ShoeHands) -> None:
    hands.round("4s 5d")
    hands.order("new_shoe by=ann")
    hands.card("Qc")
    assert hands.round("4s 5d").verdicts() == ["4s-5d consecutive"]


@pytest.mark.parametrize("sense", ["shoe_jam", "shoe_empty", "shoe_lid"])
def test_a_shoe_that_gives_no_card_voids_the_round(hands: ShoeHands, sense: str) -> None:
    to_a_spread(hands)
    assert hands.sense(sense, 1).verdicts() == [f"void {'shoe_open' if sense == 'shoe_lid' else sense}"]


def test_the_words_of_a_round_are_those_of_the_table(hands: ShoeHands) -> None:
    hands.order("new_shoe by=ann deck=red")
    to_a_spread(hands)
    hands.call()
    hands.card("6h")
    lines = [line_of(event) for event in hands.bench.said]
    for words in (
        "shuffled cards are in the shoe, deck red, burn 1",
        "4s 9d, spread of 4",
        '"Raises closed" (the dealer)',
        "OUTCOME 4s 9d 6h: spread of 4, the third card falls between; wins: wager (1 to 1), raise (1 to 1)",
    ):
        assert any(words in line for line in lines), words


@pytest.mark.parametrize("name", ["njac-19:47", "njac-13:69F"])
def test_a_text_without_red_dog_is_refused(name: str) -> None:
    assert profile(name).refusal("red_dog") is not None
