"""The quadrature decoder: every edge has one meaning, and none is silently absorbed."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.wheel.quadrature import QuadratureDecoder, Stop
from hal.values import Edge

FAR = 1 << 60
MS = 1_000_000
ORDER = [(1, 0), (1, 1), (0, 1), (0, 0)]
"""A and B in the four quarters of a slot, turning in the positive direction."""


def turned(start: int, steps: list[int], *, t_ns: int = 0, gap_ns: int = MS) -> list[Edge]:
    """The initial levels of a disc in a quarter, and its edges over these steps of +1 and -1."""
    a, b = ORDER[start % 4]
    edges = [Edge("a", a, t_ns), Edge("b", b, t_ns)]
    at = start
    for k, step in enumerate(steps, 1):
        before, after = ORDER[at % 4], ORDER[(at + step) % 4]
        line = "a" if before[0] != after[0] else "b"
        edges.append(Edge(line, after[0] if line == "a" else after[1], t_ns + k * gap_ns))
        at += step
    return edges


def decode(quadrature: QuadratureDecoder, edges: list[Edge], low: int = -FAR, high: int = FAR) -> list[Stop]:
    """Decodes everything; returns the reasons for which it stopped on the way."""
    rest = iter(edges)
    stops: list[Stop] = []
    while True:
        stop, _ = quadrature.run(rest, low, high, FAR)
        if stop is Stop.END:
            return stops
        stops.append(stop)


@pytest.mark.parametrize("start", range(4))
@pytest.mark.parametrize("step", [1, -1])
def test_a_slot_has_four_counts_in_either_direction_from_any_quarter(start: int, step: int) -> None:
    quadrature = QuadratureDecoder("a", "b")
    decode(quadrature, turned(start, [step] * 8))
    assert (quadrature.count, quadrature.direction, quadrature.phase) == (8 * step, step, start)


def test_the_first_levels_are_no_counts() -> None:
    quadrature = QuadratureDecoder("a", "b")
    assert decode(quadrature, [Edge("a", 1, 5), Edge("b", 1, 5)]) == []
    assert (quadrature.count, quadrature.phase) == (0, 1)


def test_until_both_levels_are_known_there_is_no_quarter() -> None:
    quadrature = QuadratureDecoder("a", "b")
    decode(quadrature, [Edge("a", 1, 5), Edge("a", 0, 6), Edge("a", 1, 7)])
    assert (quadrature.count, quadrature.phase) == (0, None)


def test_a_in_the_first_half_of_a_slot_and_b_a_quarter_later_is_the_positive_direction() -> None:
    for quarter in range(4):
        quadrature = QuadratureDecoder("a", "b")
        decode(quadrature, turned(quarter, []))
        assert quadrature.phase == quarter
        decode(quadrature, turned(quarter, [1])[2:])
        assert (quadrature.phase, quadrature.count) == ((quarter + 1) % 4, 1)


def test_rises_that_may_wait_are_kept_and_everything_else_stops_it() -> None:
    rise, fall, other = Edge("ball", 1, 2 * MS + 1), Edge("ball", 0, 4 * MS + 1), Edge("pocket", 1, 5 * MS + 1)
    edges = sorted([*turned(0, [1] * 8), rise, fall, other], key=lambda edge: edge.t_ns)
    quadrature = QuadratureDecoder("a", "b", ["ball"])
    assert decode(quadrature, edges) == [Stop.OTHER, Stop.OTHER]
    assert (quadrature.count, quadrature.passed) == (8, [rise])


def test_a_repeated_level_is_reported_and_not_counted() -> None:
    quadrature = QuadratureDecoder("a", "b")
    assert decode(quadrature, [*turned(0, [1, 1]), Edge("a", 0, 10 * MS)]) == [Stop.REPEATED]
    assert quadrature.count == 2


def test_a_turn_is_reported_at_the_edge_that_shows_it_and_counted_back() -> None:
    quadrature = QuadratureDecoder("a", "b")
    assert decode(quadrature, turned(0, [1, 1, 1, -1, -1])) == [Stop.BACK]
    assert (quadrature.count, quadrature.direction) == (1, -1)


def test_a_lost_pulse_of_one_line_shows_as_two_turns_and_leaves_the_count_four_short() -> None:
    edges = turned(0, [1] * 12)
    falls = [k for k, edge in enumerate(edges) if edge.line == "a" and k > 2]
    lost = [edge for k, edge in enumerate(edges) if k not in falls[:2]]
    quadrature = QuadratureDecoder("a", "b")
    assert decode(quadrature, lost) == [Stop.BACK, Stop.BACK]
    assert quadrature.count == 12 - 4


def test_the_count_stops_when_it_leaves_its_limits_and_goes_on_with_the_rest() -> None:
    quadrature = QuadratureDecoder("a", "b")
    rest = iter(turned(0, [1] * 10))
    stop, edge = quadrature.run(rest, -3, 5, FAR)
    assert (stop, quadrature.count) == (Stop.LIMIT, 6)
    assert edge is not None
    assert edge.t_ns == 6 * MS
    assert quadrature.run(rest, -FAR, FAR, FAR) == (Stop.END, None)
    assert quadrature.count == 10


@pytest.mark.parametrize(("due_ns", "counts"), [(5 * MS, 5), (5 * MS - 1, 4)])
def test_an_edge_later_than_the_deadline_is_returned_undecoded(due_ns: int, counts: int) -> None:
    quadrature = QuadratureDecoder("a", "b")
    stop, edge = quadrature.run(iter(turned(0, [1] * 10)), -FAR, FAR, due_ns)
    assert (stop, quadrature.count) == (Stop.DUE, counts)
    assert edge is not None
    assert edge.t_ns == (counts + 1) * MS


@pytest.mark.parametrize(("gap_ns", "stop"), [(MS, Stop.END), (MS - 1, Stop.GAP)])
def test_an_edge_after_too_long_a_gap_is_returned_undecoded(gap_ns: int, stop: Stop) -> None:
    quadrature = QuadratureDecoder("a", "b")
    assert quadrature.run(iter(turned(0, [1] * 10)), -FAR, FAR, FAR, gap_ns)[0] is stop
    assert quadrature.count == (10 if stop is Stop.END else 0)


def test_an_edge_of_another_line_is_returned_each_time() -> None:
    quadrature = QuadratureDecoder("a", "b")
    edges = turned(0, [1, 1, 1])
    edges[3:3] = [Edge("index", 1, MS)]
    edges[5:5] = [Edge("index", 0, 2 * MS)]
    assert decode(quadrature, edges) == [Stop.OTHER, Stop.OTHER]
    assert quadrature.count == 3


def test_the_times_of_the_last_four_counts_are_kept_newest_first() -> None:
    quadrature = QuadratureDecoder("a", "b")
    decode(quadrature, turned(0, [1] * 7))
    assert (quadrature.t1_ns, quadrature.t2_ns, quadrature.t3_ns, quadrature.t4_ns) == (7 * MS, 6 * MS, 5 * MS, 4 * MS)


def test_after_a_pulled_cable_the_next_edges_only_give_their_levels() -> None:
    quadrature = QuadratureDecoder("a", "b")
    decode(quadrature, turned(0, [1] * 5))
    quadrature.forget()
    assert quadrature.phase is None
    decode(quadrature, turned(2, [1, 1], t_ns=20 * MS))
    assert quadrature.count == 7


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 3), st.lists(st.sampled_from([1, -1]), max_size=60))
def test_any_walk_is_counted_to_its_end(start: int, steps: list[int]) -> None:
    quadrature = QuadratureDecoder("a", "b")
    stops = decode(quadrature, turned(start, steps))
    assert quadrature.count == sum(steps)
    turns = sum(a != b for a, b in zip([1, *steps], steps, strict=False))
    assert stops == [Stop.BACK] * turns


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 1)), max_size=60), st.lists(st.integers(0, 60), max_size=5)
)
def test_edges_of_any_kind_cut_anywhere_are_decoded_alike(noise: list[tuple[str, int]], cuts: list[int]) -> None:
    edges = [Edge(line, level, k * MS) for k, (line, level) in enumerate(noise)]
    whole, cut = QuadratureDecoder("a", "b"), QuadratureDecoder("a", "b")
    stops = decode(whole, edges)
    places = [0, *sorted(min(c, len(edges)) for c in cuts), len(edges)]
    parts = [stop for a, b in pairwise(places) for stop in decode(cut, edges[a:b])]
    assert parts == stops
    assert (cut.count, cut.direction, cut.phase) == (whole.count, whole.direction, whole.phase)
