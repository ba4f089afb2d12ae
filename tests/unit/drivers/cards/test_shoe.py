"""A reading shoe: passages and lines prove each other, and what is not proven is reported."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.base.driver import Observation, SensorAlive, SensorDead
from drivers.cards.card_wire import CardEquipmentLine, CardLine, ShoeLine, ShoeState, encode
from drivers.cards.hidden_card import HiddenCard
from drivers.cards.observations import (
    CardDealt,
    CardPushedBack,
    CardsLost,
    CuttingCardSeen,
    LineGarbled,
    ShoeRestarted,
    ShoeTroubled,
    ShoeUntroubled,
)
from drivers.cards.shoe import Shoe, ShoeConfig
from hal.values import Edge, EdgesLost, Frame, Loss
from simulators.cards.shoe import ShoeSimulator

MS = 1_000_000
S = 1000 * MS
Value = Edge | Frame | EdgesLost


def passage(t_ms: int, *, lines: Sequence[str] = ("shoe_card_1", "shoe_card_2")) -> list[Value]:
    """A card leaves: in the way from `t_ms` to 160 ms later."""
    spans = {"shoe_card_1": (0, 120), "shoe_card_2": (40, 160)}
    edges: list[Value] = []
    for line in lines:
        start, end = spans[line]
        edges += [Edge(line, 1, (t_ms + start) * MS), Edge(line, 0, (t_ms + end) * MS)]
    return edges


def sent(line: CardEquipmentLine, t_ms: int) -> Frame:
    return Frame("shoe", encode(line), t_ms * MS)


def card(number: int, name: str, t_ms: int) -> Frame:
    return sent(CardLine(number, name), t_ms)


def state(number: int, t_ms: int, what: ShoeState = ShoeState.READY) -> Frame:
    return sent(ShoeLine(number, what), t_ms)


def levels() -> list[Value]:
    return [Edge(line, 0, 0) for line in ("shoe_card_1", "shoe_card_2", "shoe_cut", "shoe_empty", "shoe_lid")]


def decoded(values: Sequence[Value], until_ms: int, config: ShoeConfig | None = None) -> list[Observation]:
    """What a shoe reports of some values, each given by itself."""
    shoe = Shoe(config or ShoeConfig())
    found: list[Observation] = []
    for value in sorted((*levels(), *values), key=lambda one: one.t_ns):
        if isinstance(value, Edge):
            found += shoe.edges([value])
        elif isinstance(value, Frame):
            found += shoe.frame(value)
        else:
            found += shoe.lost(value)
    return found + shoe.due(until_ms * MS)


def cards(found: Sequence[Observation]) -> list[tuple[str | None, str]]:
    return [(None if one.card is None else one.card.expose(), one.doubt) for one in found if isinstance(one, CardDealt)]


def hidden(face: str) -> HiddenCard:
    return HiddenCard(face, Frame("shoe", b"", 0))


# --- a card and its line --------------------------------------------------------------------------------------------


def test_a_card_that_left_and_was_named_is_dealt_when_its_line_came() -> None:
    found = decoded([*passage(1000), card(1, "9s", 1180)], 5000)
    assert found == [CardDealt(t_ns=1180 * MS, card=hidden("9s"), left_ns=1160 * MS)]


def test_a_line_before_the_end_of_the_passage_is_the_same_card() -> None:
    found = decoded([*passage(1000), card(1, "9s", 1150)], 5000)
    assert found == [CardDealt(t_ns=1160 * MS, card=hidden("9s"), left_ns=1160 * MS)]


def test_a_card_without_a_line_is_not_read() -> None:
    found = decoded(passage(1000), 5000)
    assert cards(found) == [(None, "card_unread")]
    assert found[0].t_ns == 2160 * MS


def test_a_line_without_a_card_is_not_seen() -> None:
    assert cards(decoded([card(1, "9s", 1000)], 5000)) == [("9s", "card_unseen")]


@pytest.mark.parametrize("line", ["shoe_card_1", "shoe_card_2"])
def test_with_a_dead_barrier_no_card_is_proven(line: str) -> None:
    found = decoded([*passage(1000, lines=[line]), card(1, "9s", 1180)], 5000)
    assert cards(found) == [("9s", "card_unseen")]


def test_a_card_that_the_shoe_could_not_read_is_unread() -> None:
    assert cards(decoded([*passage(1000), card(1, "??", 1180)], 5000)) == [(None, "card_unread")]


def test_two_cards_in_one_passage_are_one_that_was_not_seen() -> None:
    found = decoded([*passage(1000), card(1, "9s", 1180), card(2, "4d", 1200)], 5000)
    assert cards(found) == [("9s", ""), ("4d", "card_unseen")]


def test_a_card_that_nobody_read_does_not_take_the_line_of_the_next() -> None:
    values = [*passage(1000), *passage(1400), card(1, "4d", 1580)]
    assert cards(decoded(values, 5000)) == [(None, "card_unread"), ("4d", "")]


def test_nor_where_the_next_is_named_while_it_is_still_in_the_way() -> None:
    values = [*passage(1000), *passage(1400), card(1, "4d", 1540)]
    assert cards(decoded(values, 5000)) == [(None, "card_unread"), ("4d", "")]


def test_a_card_that_was_named_twice_does_not_take_the_passage_of_the_next() -> None:
    values = [*passage(1000), card(1, "9s", 1180), card(2, "9s", 1200), *passage(1400), card(3, "4d", 1580)]
    assert cards(decoded(values, 5000)) == [("9s", ""), ("9s", "card_unseen"), ("4d", "")]


def test_two_lines_before_the_end_of_one_passage_are_in_doubt() -> None:
    values = [*passage(1000), card(1, "9s", 1100), card(2, "4d", 1120)]
    assert cards(decoded(values, 5000)) == [("9s", "card_unseen"), ("4d", "")]


def test_without_barriers_the_lines_alone_count() -> None:
    config = ShoeConfig(barriers=False)
    assert cards(decoded([card(1, "9s", 1000), card(2, "Kd", 2000)], 5000, config)) == [("9s", ""), ("Kd", "")]


def test_the_time_that_a_line_may_take_is_a_key() -> None:
    values = [*passage(1000), card(1, "9s", 3000)]
    assert cards(decoded(values, 9000)) == [(None, "card_unread"), ("9s", "card_unseen")]
    assert cards(decoded(values, 9000, ShoeConfig(read_wait_s=2.0))) == [("9s", "")]


# --- the way of a card ----------------------------------------------------------------------------------------------


def test_a_card_that_only_came_to_the_mouth_was_pushed_back() -> None:
    found = decoded([Edge("shoe_card_1", 1, S), Edge("shoe_card_1", 0, 2 * S)], 9000)
    assert found == [CardPushedBack(t_ns=2 * S, was_out=False)]


def test_a_card_that_covered_both_and_went_back_was_pushed_back() -> None:
    way = [("shoe_card_1", 1), ("shoe_card_2", 1), ("shoe_card_2", 0), ("shoe_card_1", 0)]
    found = decoded([Edge(line, level, S + k * 40 * MS) for k, (line, level) in enumerate(way)], 9000)
    assert found == [CardPushedBack(t_ns=S + 120 * MS, was_out=False)]


def test_a_card_that_came_from_outside_was_out() -> None:
    way = [("shoe_card_2", 1), ("shoe_card_1", 1), ("shoe_card_2", 0), ("shoe_card_1", 0)]
    found = decoded([Edge(line, level, S + k * 40 * MS) for k, (line, level) in enumerate(way)], 9000)
    assert found == [CardPushedBack(t_ns=S + 120 * MS, was_out=True)]


def test_a_card_that_was_in_the_way_at_the_opening_is_no_passage() -> None:
    shoe = Shoe(ShoeConfig())
    edges = [Edge("shoe_card_1", 1, 0), Edge("shoe_card_2", 1, 0)]
    edges += [Edge("shoe_card_1", 0, S // 10), Edge("shoe_card_2", 0, S // 5)]
    assert shoe.edges(edges) == []
    assert shoe.due(9 * S) == []


def test_a_barrier_that_stays_covered_is_a_jam_until_it_is_free() -> None:
    found = decoded([Edge("shoe_card_1", 1, S), Edge("shoe_card_1", 0, 9 * S)], 20_000)
    assert [type(one) for one in found] == [ShoeTroubled, ShoeUntroubled, CardPushedBack]
    assert (found[0].t_ns, found[1].t_ns) == (4 * S, 9 * S)


# --- the count ------------------------------------------------------------------------------------------------------


def test_a_lost_line_is_found_by_the_next_state() -> None:
    values = [*passage(1000), card(1, "9s", 1180), *passage(2000), state(2, 2500)]
    found = decoded(values, 4000)
    assert cards(found) == [("9s", ""), (None, "card_unread")]
    (lost,) = [one for one in found if isinstance(one, CardsLost)]
    assert (lost.reason, lost.t_ns) == ("card_count", 2500 * MS)


def test_the_card_of_a_lost_line_does_not_take_the_next_line() -> None:
    values = [*passage(1000), card(1, "9s", 1180), *passage(1400), *passage(1800), card(3, "Kd", 1980)]
    assert cards(decoded(values, 5000)) == [("9s", ""), (None, "card_unread"), ("Kd", "")]


def test_a_line_that_is_sent_twice_counts_once() -> None:
    values = [*passage(1000), card(1, "9s", 1180), card(1, "9s", 1190), *passage(2000), card(2, "9s", 2180)]
    assert cards(decoded(values, 9000)) == [("9s", ""), ("9s", "")]


def test_the_count_wraps_without_a_loss() -> None:
    values = [*passage(1000), card(99_999, "9s", 1180), *passage(2000), card(0, "Kd", 2180), state(0, 2500)]
    assert decoded(values, 4000)[:2] == [
        CardDealt(t_ns=1180 * MS, card=hidden("9s"), left_ns=1160 * MS),
        CardDealt(t_ns=2180 * MS, card=hidden("Kd"), left_ns=2160 * MS),
    ]


@pytest.mark.parametrize(("number", "name"), [(40, "Kd"), (41, "Kd"), (1, "9s"), (40_000, "9s")])
def test_a_count_that_goes_back_or_far_is_another_shoe_or_a_restart(number: int, name: str) -> None:
    found = decoded([*passage(1000), card(41, "9s", 1180), *passage(2000), card(number, name, 2180)], 4000)
    assert [type(one) for one in found] == [CardDealt, ShoeRestarted, CardDealt]


def test_the_first_line_of_a_shoe_may_have_any_count() -> None:
    assert cards(decoded([*passage(1000), card(312, "9s", 1180)], 4000)) == [("9s", "")]


# --- the rest of the shoe -------------------------------------------------------------------------------------------


def test_the_cutting_card_is_seen_at_the_mouth_and_named_when_it_leaves() -> None:
    values = [Edge("shoe_cut", 1, S // 2), Edge("shoe_cut", 0, S), *passage(1000), card(1, "XX", 1180)]
    found = decoded(values, 5000)
    assert [type(one) for one in found] == [CuttingCardSeen, CuttingCardSeen]


@pytest.mark.parametrize(
    ("line", "what", "trouble"),
    [
        ("shoe_jam", ShoeState.JAM, "jam"),
        ("shoe_empty", ShoeState.EMPTY, "empty"),
        ("shoe_lid", ShoeState.LID, "lid"),
    ],
)
def test_sensor_and_state_are_one_trouble_that_ends_with_the_last_of_them(
    line: str, what: ShoeState, trouble: str
) -> None:
    values: list[Value] = [Edge(line, 1, S), Edge(line, 0, 2 * S)]
    values += [state(0, 1100, what), state(0, 2100, what), state(0, 3000)]
    found = decoded(values, 3100)
    assert [(type(one), getattr(one, "trouble", ""), one.t_ns) for one in found] == [
        (ShoeTroubled, trouble, S),
        (ShoeUntroubled, trouble, 3 * S),
    ]


def test_a_silent_link_is_dead_until_it_sends_again() -> None:
    found = decoded([state(0, 1000), state(0, 9000)], 9500)
    assert [(type(one), one.t_ns) for one in found] == [
        (SensorDead, 4500 * MS),
        (CardsLost, 4500 * MS),
        (SensorAlive, 9 * S),
    ]


def test_a_shoe_that_never_reports_its_state_is_not_missed() -> None:
    assert cards(decoded([*passage(1000), card(1, "9s", 1180)], 60_000)) == [("9s", "")]


@pytest.mark.parametrize("line", ["shoe_card_1", "shoe_card_2", "shoe"])
def test_an_unplugged_line_is_dead_and_cards_may_be_lost(line: str) -> None:
    found = decoded([state(0, 1000), EdgesLost(line, Loss.UNPLUGGED, 2 * S)], 9000)
    assert [type(one) for one in found if one.t_ns == 2 * S] == [SensorDead, CardsLost]
    assert line in found[0].line if isinstance(found[0], SensorDead) else False


def test_a_card_in_the_way_of_a_barrier_that_was_unplugged_is_no_passage() -> None:
    values: list[Value] = [Edge("shoe_card_1", 1, S), EdgesLost("shoe_card_2", Loss.UNPLUGGED, S + MS)]
    values += [Edge("shoe_card_2", 0, 2 * S), Edge("shoe_card_1", 0, 2 * S + MS)]
    assert cards(decoded(values, 9000)) == []


def test_what_is_no_line_is_reported_without_its_text() -> None:
    frame = Frame("shoe", b"C;00001;9s;00", S)
    (found,) = decoded([frame], 2000)
    assert isinstance(found, LineGarbled)
    assert "9s" not in str(found)
    assert "00001" not in str(found)


@given(st.lists(st.binary(max_size=20), max_size=8))
def test_no_frame_makes_it_raise(frames: list[bytes]) -> None:
    shoe = Shoe(ShoeConfig())
    for number, data in enumerate(frames):
        shoe.frame(Frame("shoe", data, number * S))
    shoe.due(60 * S)


# --- streams --------------------------------------------------------------------------------------------------------


def stream(seed: int) -> list[Value]:
    """What a shoe does with some cards, and what goes wrong with them."""
    rng = random.Random(seed)
    shoe = ShoeSimulator(seed, 1, barriers=True, body=True, link="shoe")
    shoe.load()
    shoe.start()
    at_s = 1.0
    for _ in range(12):
        name = shoe.cards.pop()
        deal = rng.choice([shoe.out, shoe.out, shoe.lost_line, shoe.corrupted_line, shoe.repeated_line])
        if rng.random() < 0.1:
            at_s = shoe.pushed_back(at_s) + 0.1
        at_s = deal(name, at_s) + rng.uniform(0.1, 1.5)
        if rng.random() < 0.1:
            shoe.unplugged(at_s, at_s + rng.uniform(0.2, 3.0))
        if rng.random() < 0.1:
            shoe.silent_link(at_s, at_s + 5.0)
    edges, rare = shoe.take(at_s + 5.0)
    values: list[Value] = [*edges, *(one for one in rare if isinstance(one, Frame | EdgesLost))]
    return sorted(values, key=lambda one: one.t_ns)


@pytest.mark.parametrize("seed", range(40))
def test_however_edges_are_cut_into_batches_the_reports_are_equal_and_in_order(seed: int) -> None:
    values = stream(seed)
    rng = random.Random(seed)
    reports = []
    for longest in (1, 3, 1000):
        shoe = Shoe(ShoeConfig())
        found: list[Observation] = []
        batch: list[Edge] = []
        for value in values:
            if not isinstance(value, Edge) or len(batch) >= longest:
                found += shoe.edges(batch)
                batch = []
                if rng.random() < 0.5:
                    found += shoe.due(value.t_ns - 1)
            if isinstance(value, Edge):
                batch.append(value)
            else:
                found += shoe.frame(value) if isinstance(value, Frame) else shoe.lost(value)
        found += shoe.edges(batch)
        reports.append(found + shoe.due(values[-1].t_ns + 60 * S))
    assert reports[0] == reports[1] == reports[2]
    assert [one.t_ns for one in reports[0]] == sorted(one.t_ns for one in reports[0])
    assert cards(reports[0])
