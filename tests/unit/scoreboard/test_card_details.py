"""What the boards of card games show beside results: cards that nobody sees, and counts over the outcomes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from controller.games.blackjack.counts import hand_of
from feed import events
from feed.data import DealtCard
from feed.state import TableState, decode_snapshot, encode_snapshot
from scoreboard.board import Live, view_of
from scoreboard.card_details import CARD_DETAILS
from tests.fakes.board_site import PlayedTable


def details(table: PlayedTable) -> dict[str, Any]:
    """As the board has them, from the events and from a snapshot of them."""
    joined = TableState.from_snapshot(decode_snapshot(encode_snapshot(table.state.snapshot())))
    shown, of_joined = (view_of(state, Live()).details for state in (table.state, joined))
    assert shown == of_joined
    return shown


def played(game: str, results: Sequence[dict[str, Any]], **evidence: Any) -> PlayedTable:
    table = PlayedTable("t-1", game)
    table.open()
    table.played(results, **evidence)
    return table


def dealer(*cards: str) -> dict[str, Any]:
    return hand_of(cards)


def test_hands_are_those_declared_last() -> None:
    table = played("blackjack", [])
    assert "hands" not in details(table)
    table.bets(course={"hands": 3})
    assert details(table)["hands"] == 3
    table.event(events.CarriedStateChanged, act="hands", course={"hands": 5})
    table.call()
    table.outcome({"dealer": dealer("Th", "9s")})
    assert details(table)["hands"] == 5  # the next round has them too, until others are declared


def test_a_course_of_another_shape_declares_nothing() -> None:
    table = played("let_it_ride", [])
    table.bets(course={"hands": "three"})
    assert "hands" not in details(table)


def test_cards_of_a_hand_that_was_not_shown_are_counted_and_those_that_were_exposed_are_named() -> None:
    counts = {"hand 1": 2, "hand 2": 2, "dealer": 2, "players": 3}
    exposed = [DealtCard(card=card, to=to, left_ns=0) for card, to in (("Kd", "hand 1"), ("8h", "dealer"))]
    table = played("blackjack", [{}], card_counts=counts, cards=exposed)
    assert details(table)["dealt"] == {"cards": 9, "hands": 2, "held": 2, "exposed": ["8h"]}
    table.bets()
    table.void("shoe_jam")
    assert details(table)["dealt"]["cards"] == 9  # still of the newest outcome


def test_cards_of_a_round_that_a_person_changed_are_not_shown_as_measured() -> None:
    table = played("caribbean_stud", [{}], card_counts={"hand 1": 5, "dealer": 5})
    assert details(table)["dealt"]["held"] == 5
    table.correct(1, {}, {"void_hands": [1]})
    assert "dealt" not in details(table)


def test_an_outcome_without_measured_cards_has_none() -> None:
    assert "dealt" not in details(played("blackjack", [{"dealer": dealer("Th", "9s")}]))


HIGH = {"cards": ["2s", "4h", "6d", "8c", "Ts"], "rank": "high_card", "qualifies": False}
PAIR = {"cards": ["2s", "2h", "6d", "8c", "Ts"], "rank": "one_pair", "qualifies": True}


@pytest.mark.parametrize(
    ("game", "results", "came"),
    [
        (
            "blackjack",
            [{"dealer": dealer("As", "Kd")}, {"dealer": dealer("9s", "Kd")}, {}],
            {"blackjacks": 1},
        ),
        (
            "multi_action_blackjack",
            [{"parts": [dealer("As", "Kd"), dealer("As", "Qd"), dealer("As", "8d")]}, {}],
            {"blackjacks": 2},
        ),
        (
            "red_dog",
            [
                {"cards": ["2s", "9s", "5d"], "kind": "spread", "spread": 6, "wins": True},
                {"cards": ["2s", "9s", "Td"], "kind": "spread", "spread": 6, "wins": False},
                {"cards": ["2s", "2h", "2d"], "kind": "three_of_a_kind", "wins": True},
                {"cards": ["2s", "3h"], "kind": "consecutive"},
            ],
            {"won": 2, "lost": 1, "tied": 1},
        ),
        (
            "caribbean_stud",
            [{"dealer": HIGH}, {"dealer": PAIR}, {"dealer": PAIR}, {}],
            {"qualified": 2, "unqualified": 1},
        ),
        (
            "let_it_ride",
            [{"community": ["Ts", "Th"]}, {"community": ["2s", "9s"]}, {"community": ["2s", "9d"]}, {}],
            {"pair": 1, "suited": 1, "neither": 1},
        ),
        ("joker_seven", [{"hands": []}], {}),
    ],
)
def test_what_came_is_counted(game: str, results: list[dict[str, Any]], came: dict[str, int]) -> None:
    assert details(played(game, results))["came"] == came


def test_only_outcomes_that_the_statistics_count_are_counted() -> None:
    table = PlayedTable("t-1", "let_it_ride")
    table.open(history=20)
    table.played([{"community": ["Ts", "Th"]}] * 30)
    assert details(table)["came"]["pair"] == table.state.history.statistics.outcomes == 20


@pytest.mark.parametrize(
    ("game", "shown"),
    [
        ("blackjack", {"dealer_cards": ["9d"], "cards_dealt": 8}),
        ("red_dog", {"cards": ["8s", "8h"], "announce": "We have a pair"}),
        ("red_dog", {"cards": ["4s", "9h"], "spread": 4}),
        ("let_it_ride", {"cards": ["Th"], "cards_dealt": 15}),
    ],
)
def test_the_cards_so_far_are_what_moves_until_the_next_round(game: str, shown: dict[str, Any]) -> None:
    table, live = PlayedTable("t-1", game), Live()
    for event in (table.open(), table.bets(), table.start(), table.event(events.RoundProgress, **shown)):
        live.event(event)
    motion = view_of(table.state, live).motion
    assert motion is not None
    assert {name: getattr(motion, name) for name in shown} == shown
    live.event(table.bets())
    assert view_of(table.state, live).motion is None


ODD: list[dict[str, Any]] = [
    {"dealer": 3, "parts": 4, "community": 5, "kind": 6, "wins": "yes", "hands": 7},
    {"dealer": {"cards": None}, "parts": [None, 1], "community": [1, None], "wins": []},
    {"dealer": [], "parts": {"a": 1}, "community": {"a": 1, "b": 2}, "kind": {}},
]


@pytest.mark.parametrize("game", CARD_DETAILS)
def test_results_of_a_later_version_break_no_board(game: str) -> None:
    assert set(details(played(game, ODD))) == {"came"}
