from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hal.values import Edge
from simulators.base.motion import Path, Segment, angle_at
from simulators.base.sensors import MarkRing, any_of, by_time, press, quadrature_marks, settle_order, window_marks
from tests.fakes.line_reading import LineFollower

SLOTS = 10


def ring(angle_deg: float = 1.0) -> MarkRing:
    period_deg, marks = quadrature_marks(SLOTS, "a", "b")
    return MarkRing(marks, angle_deg, period_deg)


def test_turning_positive_a_leads_b() -> None:
    edges = ring().edges([Segment(0.0, 1.0, 1.0, 36.0, 0.0)])
    assert [(e.line, e.level) for e in edges] == [("b", 1), ("a", 0), ("b", 0), ("a", 1)]


def test_turning_negative_b_leads_a() -> None:
    edges = ring().edges([Segment(0.0, 1.0, 1.0, -36.0, 0.0)])
    assert [(e.line, e.level) for e in edges] == [("a", 0), ("b", 1), ("a", 1), ("b", 0)]


def test_a_is_high_in_the_first_half_of_a_slot_and_b_a_quarter_later() -> None:
    slot_deg = 360.0 / SLOTS
    levels = [ring(slot_deg * quarter).levels() for quarter in (0.1, 0.3, 0.6, 0.9)]
    assert [(level["a"], level["b"]) for level in levels] == [(1, 0), (1, 1), (0, 1), (0, 0)]


@pytest.mark.parametrize("speed", [50.0, -50.0])
def test_the_index_is_high_from_angle_zero_for_its_width(speed: float) -> None:
    index = MarkRing(window_marks("index", 1.5, 3.0), -5.0 if speed > 0 else 8.0)
    start_deg = -5.0 if speed > 0 else 8.0
    rise, fall = index.edges([Segment(0.0, 0.3, start_deg, speed, 0.0)])
    assert (rise.level, fall.level) == (1, 0)
    # Turning positive the rising edge is angle 0, turning the other way the falling one.
    at_zero, at_width = (rise, fall) if speed > 0 else (fall, rise)
    assert start_deg + speed * at_zero.t_ns / 1e9 == pytest.approx(0.0, abs=1e-6)
    assert start_deg + speed * at_width.t_ns / 1e9 == pytest.approx(3.0, abs=1e-6)


motions = st.lists(st.tuples(st.floats(-900.0, 900.0), st.floats(0.05, 3.0)), min_size=1, max_size=8)


@given(start_deg=st.floats(-720.0, 720.0), ramps=motions)
def test_edges_are_exact_legal_and_independent_of_how_the_motion_is_cut(
    start_deg: float, ramps: list[tuple[float, float]]
) -> None:
    path = Path(0.0, start_deg)
    for speed, duration_s in ramps:
        path.ramp(speed, duration_s)
    whole, follower = ring(start_deg), LineFollower("a", "b", "index", SLOTS)
    first = [Edge(line, level, 0) for line, level in whole.levels().items()]
    edges = sorted(whole.edges(path.segments), key=by_time)
    follower.take_all(first)
    follower.take_all(edges)
    # The net count is the net angle.
    turned = path.angle_deg - start_deg
    assert abs(follower.count * 90.0 / SLOTS - turned) <= 9.0 + 1e-6
    # Every edge stands on a mark. (Near a standstill a nanosecond of rounding is still far less than this.)
    for edge in edges:
        off = angle_at(path.segments, edge.t_ns / 1e9) % 9.0
        assert min(off, 9.0 - off) < 1e-4
    cut = ring(start_deg)
    pieces = [edge for segment in path.segments for edge in cut.edges([segment])]
    assert sorted(pieces, key=by_time) == edges


def test_many_marks_in_one_segment_are_those_of_many_segments() -> None:
    path = Path(0.0, 3.0, -700.0)
    for _ in range(100):
        path.push(20.0, 0.1)
    one = ring(3.0).edges([Segment(0.0, 10.0, 3.0, -700.0, 20.0)])
    many = ring(3.0).edges(path.segments)
    assert [e[:2] for e in one] == [e[:2] for e in many]
    assert max(abs(x.t_ns - y.t_ns) for x, y in zip(one, many, strict=True)) <= 2


def test_what_appears_before_a_sensor_raises_its_line_and_falls_when_taken_away() -> None:
    seen = MarkRing(window_marks("ball_1", 120.0, 3.0), 121.0)
    assert seen.enter(1.0) == [Edge("ball_1", 1, 1_000_000_000)]
    assert seen.leave(2.0) == [Edge("ball_1", 0, 2_000_000_000)]


def test_a_line_is_high_while_anything_is_before_its_sensor() -> None:
    merged = any_of([*press("x", 1.0, 2.0), *press("x", 2.0, 2.0), *press("y", 1.5, 0.5)], {})
    assert [(e.line, e.level, e.t_ns // 10**8) for e in merged] == [
        ("x", 1, 10),
        ("y", 1, 15),
        ("y", 0, 20),
        ("x", 0, 40),
    ]


def test_a_thing_that_was_there_at_the_start_keeps_the_line_high() -> None:
    merged = any_of([Edge("x", 0, 5), Edge("x", 1, 3), Edge("x", 0, 9)], {"x": 1})
    assert merged == [Edge("x", 0, 9)]


def test_edges_at_the_ends_of_a_round_are_brought_into_it() -> None:
    edges = [Edge("a", 0, 21), Edge("a", 1, 10), Edge("b", 1, 15)]
    settle_order(edges, 10, 20)
    assert [e.t_ns for e in edges] == [11, 15, 20]
