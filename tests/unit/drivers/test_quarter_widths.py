"""The widths of the quarters of a slot are those of the disc, however it slows, and noise does not move them."""

from __future__ import annotations

from random import Random

import pytest

from drivers.wheel.lost_pulses import RecentEdges
from drivers.wheel.quarter_widths import COUNT_EDGES, EVEN, LEAST_SAMPLES, QuarterWidths, Widths
from hal.values import Edge
from tests.oracle.motion import Marks, Motion, encoder_edges, in_order

SLOTS = 100


def spun(marks_off: Marks, way: int) -> list[Edge]:
    motion = Motion(12.0)
    motion.turn_to(12.0 + way * 90.0, way * 300.0).turn_to(12.0 + way * 800.0, 0.0)
    edges = in_order(encoder_edges(motion, "e", SLOTS, marks_off=marks_off))
    return [edge for edge in edges if edge.line != "e_index" and edge.t_ns > 0]


def quarter_widths(edges: list[Edge], a: str) -> Widths:
    widths = QuarterWidths(a, len(edges))
    widths.learn(edges)
    return of_all(widths)


def of_all(widths: QuarterWidths) -> Widths:
    return widths.width(0), widths.width(1), widths.width(2), widths.width(3)


@pytest.mark.parametrize("way", [1, -1])
@pytest.mark.parametrize("marks_off", [(0.0, 0.0, 0.0, 0.0), (0.0, 0.25, 0.0, 0.25), (0.1, -0.2, 0.3, 0.0)])
def test_the_widths_are_those_of_the_disc(marks_off: Marks, way: int) -> None:
    a_up, b_up, a_down, b_down = marks_off
    true = (1 + b_up - a_up, 1 + a_down - b_up, 1 + b_down - a_down, 1 + a_up - b_down)
    assert quarter_widths(spun(marks_off, way), "e_a") == pytest.approx(true, abs=0.02)


def test_a_pulse_of_noise_does_not_move_them() -> None:
    edges = spun((0.0, 0.2, 0.0, 0.2), 1)
    at = edges[200]
    noise = [Edge(at.line, 1 - at.level, at.t_ns + 50_000), Edge(at.line, at.level, at.t_ns + 60_000)]
    noisy = sorted([*edges, *noise], key=lambda edge: edge.t_ns)
    assert quarter_widths(noisy, "e_a") == pytest.approx((1.2, 0.8, 1.2, 0.8), abs=0.02)


def test_of_too_few_edges_nothing_is_learned() -> None:
    edges = spun((0.0, 0.2, 0.0, 0.2), 1)
    least = 4 * LEAST_SAMPLES + COUNT_EDGES - 1
    assert quarter_widths(edges[: least - 1], "e_a") == (EVEN,) * 4
    assert quarter_widths(edges[:least], "e_a") == pytest.approx((1.2, 0.8, 1.2, 0.8), abs=0.02)
    assert quarter_widths([], "e_a") == (EVEN,) * 4


def test_edges_of_no_disc_give_even_widths() -> None:
    rng = Random(3)
    edges = [Edge(rng.choice(("e_a", "e_b")), rng.randrange(2), t_ns) for t_ns in range(0, 400_000, 1_000)]
    widths = quarter_widths(edges, "e_a")
    assert all(0.25 <= width <= 1.75 for width in widths)


@pytest.mark.parametrize("noise", [0.0, 0.02])
def test_what_is_learned_in_steps_is_what_is_learned_at_once(noise: float) -> None:
    rng = Random(5)
    edges = [Edge(*edge) for edge in spun((0.1, -0.2, 0.3, 0.0), 1) for _ in range(2 if rng.random() < noise else 1)]
    widths = QuarterWidths("e_a", 200)
    recent = RecentEdges(300)
    begin = 0
    for end in sorted(rng.sample(range(len(edges)), 60)):
        recent.add(edges[begin:end])
        begin = end
        widths.learn(recent.last(200, ("e_a", "e_b"), edges[end - 1].t_ns, edges[end - 1].t_ns, widths.last))
        assert of_all(widths) == quarter_widths(edges[max(0, end - 200) : end], "e_a")


def test_edges_of_a_line_whose_falls_were_lost_leave_the_window_in_the_order_of_time() -> None:
    edges = spun((0.1, -0.2, 0.3, 0.0), 1)
    first = next(k for k, edge in enumerate(edges) if edge.line == "e_a")
    lost = [edge._replace(level=1) if edge.line == "e_a" else edge for edge in edges[first : first + 60]]
    stream = [*lost, lost[-1], *edges[first + 60 : first + 120]]
    widths = QuarterWidths("e_a", 90)
    widths.learn(stream)
    assert of_all(widths) == quarter_widths(stream[-90:], "e_a") != (EVEN,) * 4
