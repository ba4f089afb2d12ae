"""Rounds of blackjack and multi-action blackjack: the dealer's own hand, and the cards of each hand by their count."""

from __future__ import annotations

import pytest

from controller.games.load import check_text
from controller.service.event_lines import line_of
from feed import events
from hal.values import Frame
from tests.tables.bench import EventList
from tests.tables.card_shoe import S, ShoeHands, card_toml, opened, together
from tests.tables.problems import only_problem

AUTO = card_toml("blackjack", table='no_more_bets = "auto"')
READER = card_toml("blackjack", more="[device.card_reader]\n")


def at_table(text: str = "", hands: int = 2) -> ShoeHands:
    """A table whose dealer has declared the hands."""
    table = ShoeHands(text or card_toml("blackjack"))
    table.ordered(f"hands count={hands} by=ann")
    return table


@pytest.fixture
def hands() -> ShoeHands:
    return at_table()


def dealer_of(said: EventList) -> list[str]:
    result = said.one(events.Outcome).result
    cards: list[str] = result["dealer"]["cards"] if result.get("dealer") else []
    return cards


def peek(table: ShoeHands, answer: str) -> EventList:
    """The card reader looks at the hole card."""
    body = f"P;{answer};".encode()
    check = 0
    for byte in body:
        check ^= byte
    return table.feed([], [Frame("card_reader", body + b"%02X" % check, round((table.now_s + 0.1) * S))], 0.3)


# --- outcomes -------------------------------------------------------------------------------------------------------


def test_the_dealers_hand_is_the_outcome_and_nothing_of_a_player_is_paid(hands: ShoeHands) -> None:
    hands.call()
    said = hands.deal("2s 3s 9d 4h 5h 7d 6c 8c")  # two hands, dealer 9d and 7d, two cards to players
    assert said.verdicts() == []
    said = together(hands.call(), hands.card("5d"))
    assert dealer_of(said) == ["9d", "7d", "5d"]
    outcome = said.one(events.Outcome)
    assert outcome.result["dealer"] == {"cards": ["9d", "7d", "5d"], "total": 21, "blackjack": False}
    assert (outcome.winning, outcome.rule) == ([], "13:47-20.22(g)10v")
    assert outcome.evidence.card_counts == {"hand 1": 2, "hand 2": 2, "dealer": 3, "players": 2}
    assert opened(hands.wait(5.0)) == [2]


def test_the_hole_card_is_in_no_event_before_the_dealer_turns_it(hands: ShoeHands) -> None:
    hands.call()
    said = hands.deal("2s 3s 9d 4h 5h 7d 6c")
    assert b'"7d"' not in said.body()
    assert len(said.of(events.CardSealed)) == 1
    said = hands.ordered("announce by=ann")
    (card,) = said.of(events.CardOpened)
    assert (card.card, card.why) == ("7d", "exposed")


def test_a_player_card_that_is_dealt_face_down_is_in_no_event() -> None:
    table = at_table(card_toml("blackjack", options="one_face_down = true"))
    table.call()
    said = together(table.deal("2s 3s 9d 4h 5h 8d"), table.ordered("announce by=ann"))
    assert b'"4h"' not in said.body()
    assert dealer_of(said) == ["9d", "8d"]


@pytest.mark.parametrize(
    ("cards", "drawn", "total", "notice"),
    [
        ("As 6d", "", 17, False),
        ("Td 6d", "9d", 25, True),
        ("2d 2h", "2c 3c 4c 5c", 18, False),
        ("As Ah", "As", 13, False),
    ],
)
def test_the_dealer_draws_to_17_and_no_further(cards: str, drawn: str, total: int, notice: bool) -> None:
    table = at_table(hands=1)
    table.call()
    up, hole = cards.split()
    table.deal(f"9h {up} 9c {hole}")
    said = together(table.call(), table.deal(drawn))
    if total < 17:
        assert said.verdicts() == []
        return
    outcome = said.one(events.Outcome)
    assert outcome.result["dealer"]["total"] == total
    assert [bool("(13:47-20.22(h)2)" in one) for one in outcome.notices] == ([True] if notice else [])


def test_a_card_beyond_17_belongs_to_nothing(hands: ShoeHands) -> None:
    hands.call()
    hands.deal("2s 3s 9d 4h 5h 8d")
    hands.call()
    said = hands.card("Kc")
    assert said.story()[-1] == "procedure.violation card_out_of_turn"
    assert b'"Kc"' not in said.body()
    hands.ordered("excess_card use=discard by=ann")
    assert opened(hands.wait(5.0)) == [2]


def test_the_cards_that_players_draw_are_exposed_and_the_dealers_are_shown_as_the_round_goes_on(
    hands: ShoeHands,
) -> None:
    hands.call()
    said = hands.deal("2s 3s 9d 4h 5h 8d 6c 8c")
    shown = [one.dealer_cards for one in said.of(events.RoundProgress)]
    assert (shown[0], shown[-1]) == (None, ["9d"])
    cards = hands.call().one(events.Outcome).evidence.cards
    assert cards is not None
    assert [one.card for one in cards if one.to == "players"] == ["6c", "8c"]


def test_where_every_player_is_bust_the_hole_card_is_never_shown(hands: ShoeHands) -> None:
    hands.call()
    hands.deal("2s 3s 9d 4h 5h 7d Kc Kd")
    said = hands.ordered("all_bust by=ann")
    assert said.one(events.Outcome).result == {}
    assert b'"7d"' not in said.body()
    assert not hands.order("all_bust by=ann").accepted


def test_multi_action_has_three_hands_that_begin_with_the_same_card() -> None:
    table = at_table(card_toml("multi_action_blackjack"), hands=1)
    table.call()
    table.deal("2s 9d 3s Kh")
    for drawn in ("Tc", "4c 6h", "Ad"):
        table.call()
        table.deal(drawn)
    outcome = table.bench.said.one(events.Outcome)
    assert [hand["cards"] for hand in outcome.result["parts"]] == [["9d", "Tc"], ["9d", "4c", "6h"], ["9d", "Ad"]]
    assert [hand["total"] for hand in outcome.result["parts"]] == [19, 19, 20]


def test_a_card_between_two_parts_waits_for_a_person() -> None:
    table = at_table(card_toml("multi_action_blackjack"), hands=1)
    table.call()
    table.deal("2s 9d 3s")
    table.call()
    said = table.deal("Tc 4c")
    assert said.story()[-1] == "procedure.violation card_out_of_turn"
    table.ordered("excess_card use=next_card by=ann")
    table.call()
    table.deal("6h")
    table.call()
    said = table.card("Ad")
    assert [hand["cards"] for hand in said.one(events.Outcome).result["parts"]][1] == ["9d", "4c", "6h"]


# --- what is declared and called ------------------------------------------------------------------------------------


def test_without_a_declaration_no_card_has_its_place() -> None:
    table = ShoeHands(card_toml("blackjack"))
    table.call()
    said = table.card("9d")
    assert said.verdicts() == ["unresolved hands_unknown"]
    assert b'"9d"' not in said.body()


def test_hands_count_until_they_are_declared_anew_over_a_restart_too(hands: ShoeHands) -> None:
    again = ShoeHands(card_toml("blackjack"), before=hands.bench.state())
    assert again.game.cards.declared_hands == 2
    assert again.order("hands count=7 by=ann").reason == "7 hands from round 2 on"


@pytest.mark.parametrize(("count", "why"), [("8", "expected 1 to 7"), ("0", "expected 1 to 7"), ("x", "count is 'x'")])
def test_hands_that_cannot_be_are_refused(hands: ShoeHands, count: str, why: str) -> None:
    assert why in hands.order(f"hands count={count} by=ann").reason


def test_hands_are_not_declared_while_they_are_dealt_nor_at_baccarat(hands: ShoeHands) -> None:
    hands.call()
    hands.card("9d")
    assert "is being dealt" in hands.order("hands count=3 by=ann").reason
    assert "this table plays baccarat, which does not take it" in ShoeHands().order("hands count=3 by=ann").reason


def test_cards_before_the_call_void_the_round(hands: ShoeHands) -> None:
    assert hands.card("9d").verdicts() == ["void dealt_before_no_more_bets"]


def test_the_first_card_of_shuffled_cards_is_burned_once_bets_are_placed(hands: ShoeHands) -> None:
    hands.order("new_shoe by=ann")
    hands.call()
    said = hands.deal("Qc 2s 3s 9d 4h 5h 8d")
    assert b'"Qc"' not in said.body()
    assert dealer_of(hands.call()) == ["9d", "8d"]


@pytest.mark.parametrize(
    ("game", "rule"), [("blackjack", "13:47-20.22(g)6"), ("multi_action_blackjack", "ours"), ("red_dog", None)]
)
def test_a_card_that_is_burned_before_the_bets_are_placed_is_a_violation(game: str, rule: str | None) -> None:
    table = ShoeHands(card_toml(game))
    table.order("new_shoe by=ann")
    found = [(one.reason, one.rule) for one in table.card("Qc").of(events.ProcedureViolation)]
    assert found == ([] if rule is None else [("burned_before_call", rule)])


@pytest.mark.parametrize(
    ("game", "decks", "problem"),
    [
        ("blackjack", "decks = 1", "game.decks: each side of a double shoe has decks of its own: at least 2 in all"),
        ("blackjack", "decks = 2", ""),
        ("red_dog", "decks = 1", "game.decks: each side of a double shoe"),
        ("joker_seven", "", "device.shoe.double: each side of a double shoe has decks of its own"),
    ],
)
def test_k20_a_double_shoe_has_decks_on_each_side(game: str, decks: str, problem: str) -> None:
    found = [str(one) for one in check_text(card_toml(game, shoe="double = true", options=decks)).problems]
    assert len(found) == bool(problem) and all(problem in one for one in found)


def test_a_burned_card_does_not_call_at_a_table_without_a_button() -> None:
    table = at_table(AUTO)
    table.order("new_shoe by=ann")
    assert table.card("Qc").of(events.NoMoreBets) == []
    table.deal("2s 3s 9d 4h 5h 8d")
    assert dealer_of(table.ordered("announce by=ann")) == ["9d", "8d"]


# --- what is found --------------------------------------------------------------------------------------------------


def test_a_natural_that_is_turned_after_players_drew_is_a_violation(hands: ShoeHands) -> None:
    hands.call()
    assert hands.deal("2s 3s Ad 4h 5h Kd 6c").of(events.ProcedureViolation) == []
    said = hands.call()
    (violation,) = said.of(events.ProcedureViolation)
    assert (violation.reason, violation.rule) == ("natural_not_announced", "13:47-20.22(g)8i")
    assert said.one(events.Outcome).result["dealer"]["blackjack"]


def test_a_natural_that_is_turned_at_once_is_none(hands: ShoeHands) -> None:
    hands.call()
    hands.deal("2s 3s Ad 4h 5h Kd")
    assert hands.call().of(events.ProcedureViolation) == []


def test_a_players_card_that_is_not_read_counts_and_the_dealers_is_the_dealers(hands: ShoeHands) -> None:
    hands.call()
    hands.deal("2s ?? 9d 4h 5h 8d")
    assert dealer_of(hands.call()) == ["9d", "8d"]
    hands.wait(5.0)
    hands.call()
    hands.deal("2d 3d 9h 4d 5d ??")
    assert hands.call().verdicts() == ["unresolved card_unread"]
    assert "expected one hand, drawn to 17" in hands.order("correct round=2 cards=9h-5s by=ann why=x").reason
    said = hands.ordered("correct round=2 cards=9h-Ts by=ann why=as they lay")
    corrected = {"cards": ["9h", "Ts"], "total": 19, "blackjack": False}
    assert said.one(events.RoundCorrected).to.result == {"dealer": corrected}


def test_two_cards_at_once_leave_the_round_to_the_dealer(hands: ShoeHands) -> None:
    hands.call()
    hands.card("2s")
    assert together(hands.card("3s", passes=False), hands.wait(1.5)).verdicts() == ["unresolved card_unseen"]


@pytest.mark.parametrize(
    ("answer", "hole", "verdict"),
    [("y", "Kd", "outcome"), ("n", "8d", "outcome"), ("y", "8d", "disagrees"), ("n", "Kd", "disagrees")],
)
def test_k26_the_card_reader_is_held_against_the_hand_once_it_is_turned(answer: str, hole: str, verdict: str) -> None:
    table = at_table(READER)
    table.call()
    table.deal(f"2s 3s Ad 4h 5h {hole}")
    assert peek(table, answer) == []  # nothing of what it reports is published
    said = table.call()
    expected = "unresolved card_reader_disagrees" if verdict == "disagrees" else ""
    assert (said.verdicts()[0] if expected else "") == expected
    assert len(said.of(events.Outcome)) == (verdict == "outcome")


def test_k26_a_reader_that_cannot_read_is_told_without_a_card() -> None:
    table = at_table(READER)
    table.call()
    table.deal("2s 3s Ad 4h 5h 8d")
    assert [one.warning for one in peek(table, "?").of(events.DeviceWarning)] == ["hole_card_unread"]
    assert dealer_of(table.call()) == ["Ad", "8d"]


def test_a_shoe_that_reads_no_cards_counts_them() -> None:
    table = at_table(card_toml("blackjack", options="dealer_hand = false"))
    table.call()
    table.deal("2s 3s 9d 4h 5h 7d")
    table.call()
    assert table.deal("5d").verdicts() == []
    said = table.call()
    assert said.one(events.Outcome).result == {}
    assert said.one(events.Outcome).evidence.card_counts == {"hand 1": 2, "hand 2": 2, "dealer": 3}


@pytest.mark.parametrize(
    ("game", "options", "problem"),
    [
        ("blackjack", "decks = 5", "game.decks: 5 is too many: at most 4 are used (13:47-20.22(b)2)"),
        ("multi_action_blackjack", "decks = 6", "at most 4 are used (13:47-20.30(b)2)"),
    ],
)
def test_k7_one_to_four_decks(game: str, options: str, problem: str) -> None:
    assert problem in only_problem(card_toml(game, options=options))


def test_multi_action_has_no_hole_card_to_read() -> None:
    assert "device.card_reader" in only_problem(card_toml("multi_action_blackjack", more="[device.card_reader]\n"))


def test_the_words_of_a_round_are_those_of_the_table(hands: ShoeHands) -> None:
    hands.call()
    hands.deal("2s 3s Ad 4h 5h Kd")
    hands.call()
    lines = [line_of(event) for event in hands.bench.said]
    for words in ("hands were declared, 2 hands", "a card left shoe unexposed", "OUTCOME dealer Ad Kd = 21, blackjack"):
        assert any(words in line for line in lines), words
