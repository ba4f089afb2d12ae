"""A continuous shuffling shoe: cards out and in are counted, and no card is read."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from drivers.base.driver import Observation, SensorAlive, SensorDead
from drivers.cards.observations import (
    CardDealt,
    CardInserted,
    CardPushedBack,
    CardsLost,
    InsertsLost,
    ShoeTroubled,
    ShoeUntroubled,
)
from drivers.cards.shuffling_shoe import INTAKE, ShufflingShoe, ShufflingShoeConfig
from drivers.cards.view import ShufflingShoeView
from hal.values import Edge, EdgesLost, Loss

MS = 1_000_000
LINES = ("shoe_card_1", "shoe_card_2", INTAKE, "shoe_empty", "shoe_lid", "shoe_jam")


def pulse(line: str, from_ms: int, until_ms: int) -> list[Edge]:
    return [Edge(line, 1, from_ms * MS), Edge(line, 0, until_ms * MS)]


def passage(at_ms: int, lines: tuple[str, ...] = ("shoe_card_1", "shoe_card_2")) -> list[Edge]:
    spans = {"shoe_card_1": (0, 120), "shoe_card_2": (40, 160)}
    found = [edge for line in lines for edge in pulse(line, at_ms + spans[line][0], at_ms + spans[line][1])]
    return sorted(found, key=lambda edge: edge.t_ns)


def shoe() -> ShufflingShoe:
    made = ShufflingShoe(ShufflingShoeConfig())
    made.edges([Edge(line, 0, 0) for line in LINES])
    return made


def kinds(found: list[Observation]) -> list[type]:
    return [type(one) for one in found]


def test_k27_cards_out_and_in_are_counted_and_none_is_read() -> None:
    made = shoe()
    found = made.edges([*passage(100), *passage(400), *pulse(INTAKE, 900, 930), *pulse(INTAKE, 960, 990)])
    assert kinds(found) == [CardDealt, CardDealt, CardInserted, CardInserted]
    assert [one.card for one in found if isinstance(one, CardDealt)] == [None, None]
    view = made.view(MS)
    assert isinstance(view, ShufflingShoeView)
    assert (view.cards_out, view.cards_in) == (2, 2)


def test_a_card_that_lies_in_the_intake_at_the_start_is_not_counted() -> None:
    made = ShufflingShoe(ShufflingShoeConfig())
    assert made.edges([Edge(INTAKE, 1, 0), Edge(INTAKE, 0, MS)]) == []
    assert kinds(made.edges(pulse(INTAKE, 5, 9))) == [CardInserted]


def test_a_card_that_is_pushed_back_is_not_out() -> None:
    back = [*pulse("shoe_card_1", 100, 300), *pulse("shoe_card_2", 140, 240)]
    found = shoe().edges(sorted(back, key=lambda edge: edge.t_ns))
    assert found == [CardPushedBack(t_ns=300 * MS, was_out=False)]


def test_its_troubles_begin_and_end() -> None:
    found = shoe().edges([*pulse("shoe_lid", 10, 20), *pulse("shoe_empty", 30, 40), *pulse("shoe_jam", 50, 60)])
    assert kinds(found) == [ShoeTroubled, ShoeUntroubled] * 3


def test_its_view_names_the_troubles_that_last() -> None:
    made = shoe()
    assert dict(made.view(MS).facts)["trouble"] == "none"
    made.edges([Edge("shoe_lid", 1, 10 * MS), Edge("shoe_jam", 1, 20 * MS)])
    assert dict(made.view(20 * MS).facts)["trouble"] == "jam, lid"


def test_a_barrier_that_stays_covered_is_a_jam() -> None:
    made = shoe()
    assert made.edges([Edge("shoe_card_1", 1, 100 * MS)]) == []
    assert made.next_due_ns == 3100 * MS
    (trouble,) = made.due(3100 * MS)
    assert isinstance(trouble, ShoeTroubled)
    assert kinds(made.edges([Edge("shoe_card_1", 0, 4000 * MS)])) == [ShoeUntroubled, CardPushedBack]


def test_lost_changes_of_a_barrier_and_of_the_intake_are_reported() -> None:
    assert kinds(shoe().lost(EdgesLost("shoe_card_2", Loss.UNPLUGGED, MS))) == [SensorDead, CardsLost]
    assert kinds(shoe().lost(EdgesLost("shoe_card_1", Loss.OVERFLOW, MS))) == [CardsLost]
    assert kinds(shoe().lost(EdgesLost(INTAKE, Loss.UNPLUGGED, MS))) == [InsertsLost]
    assert shoe().lost(EdgesLost("dealer_void", Loss.UNPLUGGED, MS)) == []


def test_a_barrier_that_three_cards_running_did_not_cover_is_stuck() -> None:
    made = shoe()
    one = ("shoe_card_1",)
    found = made.edges([edge for n in range(3) for edge in passage(1000 * (n + 1), one)])
    (stuck,) = [seen for seen in found if isinstance(seen, SensorDead)]
    assert (stuck.line, stuck.fault) == ("shoe_card_2", "sensor_stuck")
    assert SensorAlive in kinds(made.edges(passage(9000)))


def test_cards_that_jam_and_are_pushed_back_prove_nothing_of_the_barrier_behind() -> None:
    made = shoe()
    jammed = [edge for n in range(4) for edge in pulse("shoe_card_1", 10_000 * n + 100, 10_000 * n + 6_100)]
    assert SensorDead not in kinds(made.edges(jammed))


def test_a_cable_that_comes_back_is_no_card_that_was_missed() -> None:
    made = shoe()
    assert made.edges([Edge(line, 0, t * MS) for t in range(1, 9) for line in LINES]) == []


@given(st.lists(st.tuples(st.sampled_from(LINES), st.integers(0, 1), st.integers(1, 4000)), max_size=40))
def test_whatever_its_lines_do_it_counts_and_never_fails(given_edges: list[tuple[str, int, int]]) -> None:
    made, t_ns = shoe(), 0
    found: list[Observation] = []
    for line, level, after_ms in given_edges:
        t_ns += after_ms * MS
        found += made.edges([Edge(line, level, t_ns)])
        found += made.due(t_ns)
    view = made.view(t_ns)
    assert isinstance(view, ShufflingShoeView)
    assert view.cards_out == kinds(found).count(CardDealt)
    assert view.cards_in == kinds(found).count(CardInserted)
    assert all(one.t_ns <= t_ns for one in found)
