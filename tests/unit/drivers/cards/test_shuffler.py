"""A shuffler: a cycle is complete and counted, or it failed; what may be stored of its lines shows no card."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.base.driver import Observation, SensorAlive, SensorDead
from drivers.cards.card_wire import (
    DECK,
    LineOfShuffler,
    OpenedCardLine,
    SealedOrderLine,
    ShufflerLine,
    ShufflerState,
    encode,
    parse_shuffler,
)
from drivers.cards.observations import (
    LineGarbled,
    OrderCardOpened,
    OrderOpened,
    OrderSealed,
    ShuffleBegan,
    ShuffleEnded,
    ShufflerPresent,
    ShufflerTroubled,
    ShufflerUntroubled,
)
from drivers.cards.shuffler import Shuffler, ShufflerConfig, public_part
from hal.values import Edge, EdgesLost, Frame, Loss

MS = 1_000_000
Value = Edge | Frame | EdgesLost
CONTACTS = ("shuffler_busy", "shuffler_complete", "shuffler_jam", "shuffler_door", "shuffler_card")
SERIAL = ShufflerConfig(control="serial")


def contact(line: str, level: int, t_ms: int) -> Edge:
    return Edge(f"shuffler_{line}", level, t_ms * MS)


def passes(cards: int, t_ms: int) -> list[Edge]:
    """Cards pass the counter, one each 100 ms."""
    return [contact("card", level, t_ms + 100 * n + 50 * (1 - level)) for n in range(cards) for level in (1, 0)]


def cycle(cards: int = 52, t_ms: int = 1000, *, complete: bool = True) -> list[Value]:
    """A cycle of 10 s."""
    edges: list[Value] = [contact("busy", 1, t_ms), *passes(cards, t_ms + 500), contact("busy", 0, t_ms + 10_000)]
    return edges + ([contact("complete", 1, t_ms + 10_100)] if complete else [])


def decoded(
    values: Sequence[Value], until_ms: int, config: ShufflerConfig | None = None, *, rest: bool = True
) -> list[Observation]:
    """What a shuffler reports of some values, each given by itself."""
    shuffler = Shuffler(config or ShufflerConfig())
    found: list[Observation] = []
    start = [Edge(line, 0, 0) for line in CONTACTS] if rest and (config or ShufflerConfig()).control == "lines" else []
    for value in sorted((*start, *values), key=lambda one: one.t_ns):
        if isinstance(value, Edge):
            found += shuffler.edges([value])
        elif isinstance(value, Frame):
            found += shuffler.frame(value)
        else:
            found += shuffler.lost(value)
    return found + shuffler.due(until_ms * MS)


def ended(found: Sequence[Observation]) -> list[tuple[str, int | None]]:
    return [(one.failure, one.count) for one in found if isinstance(one, ShuffleEnded)]


# --- plain lines ----------------------------------------------------------------------------------------------------


def test_a_complete_cycle_is_counted_by_its_pulses() -> None:
    found = decoded(cycle(), 20_000)
    assert [type(one) for one in found] == [ShuffleBegan, ShuffleEnded]
    assert ended(found) == [("", 52)]


@pytest.mark.parametrize("cards", [51, 53])
def test_the_count_is_what_passed_and_nothing_else(cards: int) -> None:
    assert ended(decoded(cycle(cards), 20_000)) == [("", cards)]


def test_cards_that_are_fed_before_the_cycle_count_into_it_and_each_cycle_counts_anew() -> None:
    values = [*passes(40, 100), *cycle(12, 5000), contact("complete", 0, 16_000), *cycle(52, 20_000)]
    assert ended(decoded(values, 40_000)) == [("", 52), ("", 52)]


def test_a_cycle_that_ends_without_complete_is_incomplete() -> None:
    found = decoded(cycle(complete=False), 20_000)
    assert ended(found) == [("shuffle_incomplete", 52)]
    assert "before the cycle was complete" in next(one.detail for one in found if isinstance(one, ShuffleEnded))


def test_complete_in_the_cycle_before_does_not_complete_the_next_one() -> None:
    values = [*cycle(), *cycle(52, 30_000, complete=False), contact("complete", 0, 29_000)]
    assert ended(decoded(values, 60_000)) == [("", 52), ("shuffle_incomplete", 52)]


@pytest.mark.parametrize(("line", "failure"), [("jam", "shuffler_jam"), ("door", "shuffle_incomplete")])
def test_a_jam_or_an_open_door_in_a_cycle_fails_it_though_it_ends_complete(line: str, failure: str) -> None:
    found = decoded([*cycle(), contact(line, 1, 4000), contact(line, 0, 6000)], 20_000)
    assert [name for name, _ in ended(found)] == [failure]
    kinds = [type(one) for one in found]
    assert kinds == [ShuffleBegan, ShufflerTroubled, ShufflerUntroubled, ShuffleEnded]


def test_a_door_that_is_open_when_the_cycle_begins_fails_it() -> None:
    found = decoded([contact("door", 1, 100), *cycle()], 20_000)
    assert [name for name, _ in ended(found)] == ["shuffle_incomplete"]


def test_a_cycle_that_never_ends_has_stopped_and_is_reported_once() -> None:
    busy = [contact("busy", 1, 1000)]
    found = decoded(busy, 400_000)
    assert [name for name, _ in ended(found)] == ["shuffle_incomplete"]
    late = decoded([*busy, contact("busy", 0, 300_000), contact("complete", 1, 300_000)], 400_000)
    assert [name for name, _ in ended(late)] == ["shuffle_incomplete"]


def test_a_counter_that_lost_changes_counts_nothing() -> None:
    lost = EdgesLost("shuffler_card", Loss.OVERFLOW, 3000 * MS)
    assert ended(decoded([*cycle(), lost], 20_000)) == [("", None)]


def test_a_cable_that_is_pulled_in_a_cycle_fails_it_and_the_next_cycle_is_good_again() -> None:
    lost = EdgesLost("shuffler_busy", Loss.UNPLUGGED, 3000 * MS)
    back = [contact("busy", 0, 15_000), contact("complete", 0, 15_000)]
    found = decoded([*[v for v in cycle() if v.t_ns < 3000 * MS], lost, *back, *cycle(52, 20_000)], 40_000)
    assert [name for name, _ in ended(found)] == ["shuffle_incomplete", ""]
    assert [type(one) for one in found if isinstance(one, SensorDead | SensorAlive)] == [SensorDead, SensorAlive]


def test_a_cycle_that_was_under_way_at_the_start_is_incomplete() -> None:
    found = decoded(cycle(t_ms=0)[0:1] + cycle(t_ms=0)[1:], 20_000, rest=False)
    assert [name for name, _ in ended(found)] == ["shuffle_incomplete"]


def test_bounce_of_a_contact_is_no_cycle() -> None:
    bounce: list[Value] = [contact("busy", level, 1000 + n) for n, level in enumerate((1, 0, 1, 0))]
    assert decoded(bounce, 5000) == []


def test_its_place_is_reported_where_it_has_a_sensor() -> None:
    config = ShufflerConfig(present_sensor=True)
    edges = [contact("present", 1, 0), contact("present", 0, 1000)]
    found = [one.present for one in decoded(edges, 5000, config) if isinstance(one, ShufflerPresent)]
    assert found == [True, False]


# --- serial ---------------------------------------------------------------------------------------------------------


def sent(line: LineOfShuffler, t_ms: int) -> Frame:
    return Frame("shuffler", encode(line), t_ms * MS)


def state(batch: int, what: str, t_ms: int, count: int | None = None) -> Frame:
    return sent(ShufflerLine(batch, ShufflerState(what), count), t_ms)


def test_each_batch_has_its_own_cycle() -> None:
    frames = [
        state(1, "I", 0),
        state(2, "C", 0, 416),
        state(1, "B", 1000),
        state(2, "I", 2000),
        state(1, "C", 9000, 416),
        state(2, "B", 10_000),
        state(2, "C", 20_000, 415),
    ]
    found = decoded(frames, 30_000, SERIAL)
    batches = [(one.batch, one.failure, one.count) for one in found if isinstance(one, ShuffleEnded)]
    assert batches == [(1, "", 416), (2, "", 415)]


@pytest.mark.parametrize(
    ("between", "failure"), [("J", "shuffler_jam"), ("D", "shuffle_incomplete"), ("I", "shuffle_incomplete")]
)
def test_what_interrupts_a_cycle_fails_it(between: str, failure: str) -> None:
    frames = [state(1, "I", 0), state(1, "B", 1000), state(1, between, 2000), state(1, "C", 9000, 52)]
    found = decoded(frames, 30_000, SERIAL)
    assert next(name for name, _ in ended(found)) == failure
    assert ("", 52) not in ended(found)


def test_a_cycle_that_took_too_long_is_reported_once_though_it_ends_later() -> None:
    frames = [state(1, "I", 0), state(1, "B", 1000), state(1, "C", 200_000, 416)]
    assert ended(decoded(frames, 300_000, SERIAL)) == [("shuffle_incomplete", None)]


def test_a_cycle_that_nobody_saw_begin_is_incomplete() -> None:
    assert ended(decoded([state(1, "I", 0), state(1, "C", 9000, 52)], 30_000, SERIAL)) == [("shuffle_incomplete", None)]
    assert [name for name, _ in ended(decoded([state(1, "B", 0), state(1, "C", 9000, 52)], 30_000, SERIAL))] == [
        "shuffle_incomplete"
    ]


def test_a_silent_link_is_dead_where_it_should_report() -> None:
    config = ShufflerConfig(control="serial", reports_s=2)
    found = decoded([state(1, "I", 0), state(1, "B", 1000)], 30_000, config)
    assert [name for name, _ in ended(found)] == ["shuffle_incomplete"]
    assert any(isinstance(one, SensorDead) for one in found)
    assert decoded([state(1, "I", 0)], 30_000, SERIAL) == []


def test_an_order_is_opened_as_a_whole_or_not_at_all() -> None:
    root = "ab" * 32
    opened = [OpenedCardLine(1, n + 1, card, f"{n:032x}") for n, card in enumerate(("9s", "Kd", "JK"))]
    frames = [sent(SealedOrderLine(1, 3, root), 0), *(sent(one, 100 + one.place) for one in opened)]
    found = decoded(frames, 1000, SERIAL)
    assert found == [
        OrderSealed(t_ns=0, batch=1, count=3, root=root),
        OrderCardOpened(t_ns=101 * MS, batch=1, place=1),
        OrderCardOpened(t_ns=102 * MS, batch=1, place=2),
        OrderOpened(t_ns=103 * MS, batch=1, cards=("9s", "Kd", "JK"), salts=tuple(f"{n:032x}" for n in range(3))),
    ]
    gap = decoded([frames[0], frames[1], frames[3]], 1000, SERIAL)
    assert [type(one) for one in gap] == [OrderSealed, OrderCardOpened, LineGarbled]
    lines: list[LineOfShuffler] = [SealedOrderLine(1, 3, root), *opened]
    twice = decoded([sent(line, n) for n, line in enumerate(lines) for _ in range(2)], 1000, SERIAL)
    assert [type(one) for one in twice] == [OrderSealed, OrderCardOpened, OrderCardOpened, OrderOpened]
    rest = [frames[0], frames[1], frames[3], sent(opened[2], 200), *(sent(one, 300 + one.place) for one in opened[1:])]
    after_a_gap = decoded(rest, 1000, SERIAL)
    assert [type(one) for one in after_a_gap] == [
        OrderSealed,
        OrderCardOpened,
        LineGarbled,
        OrderCardOpened,
        OrderOpened,
    ]
    assert decoded([frames[1]], 1000, SERIAL)[0].__class__ is LineGarbled


@given(st.binary(max_size=120), st.integers(0, 3))
def test_no_bytes_hurt_it_and_no_garbled_frame_is_repeated(data: bytes, cut: int) -> None:
    line = encode(OpenedCardLine(1, 1, "9s", "0" * 32))
    for frame in (data, line[:-cut] if cut else line, data + line):
        found = decoded([Frame("shuffler", frame, 5)], 10, SERIAL)
        for one in found:
            if isinstance(one, LineGarbled):
                assert "9s" not in repr(one)


@given(st.binary(max_size=60))
def test_what_may_be_stored_shows_no_card(data: bytes) -> None:
    lines = [encode(OpenedCardLine(1, 1, card, "0" * 32)) for card in DECK]
    assert all(public_part(line) == b"" for line in lines)
    assert public_part(encode(ShufflerLine(1, ShufflerState.BUSY, None))) is None
    if public_part(data) is None:
        assert data[:1] in (b"H", b"O")
        assert parse_shuffler(data) is not None
