"""What a browser is given of the lines: exact where it is quiet, bounded where it is not."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from controller.bench_page.line_display import BINS, COMMANDS, FOLD_AT, MOST_EDGES, MOST_FRAMES, LineDisplay, binned
from hal.capture.secret import no_part
from hal.values import Batch, Command, Edge, EdgesLost, Frame, LightLamps, Loss, Reading, RunMotor, SendFrame, SetLine

MS = 1_000_000


def display(**more: int) -> LineDisplay:
    lines = {"a": "input", "level_x": "analogue", "shoe": "link", "lamp": "output", "motor": "output"}
    return LineDisplay(lines, {"shoe": lambda data: b"n1;" if data == b"?" else no_part(data)}, **more)  # type: ignore[arg-type]


def test_few_edges_are_given_one_by_one_and_only_once() -> None:
    shown = display(origin_ns=MS)
    shown.take(Batch([Edge("a", 0, MS), Edge("a", 1, 3 * MS), Edge("b", 1, 3 * MS)], [], 4 * MS))
    assert shown.update()["a"].edges == [(0, 0), (2 * MS, 1)]
    assert shown.update() == {}


def test_pulse_widths_periods_and_rates_are_of_every_edge() -> None:
    shown = display()
    shown.measures(0)
    edges = [Edge("a", level, t * MS) for t, level in ((0, 0), (10, 1), (13, 0), (20, 1), (24, 0))]
    shown.take(Batch(edges, [], 25 * MS))
    measure = shown.measures(2_000 * MS)["a"]
    assert (measure.high_ns, measure.low_ns, measure.period_ns) == (4 * MS, 7 * MS, 10 * MS)
    assert (measure.level, measure.total, measure.rate_hz, measure.changed_ns) == (0, 4, 2.0, 24 * MS)


def test_a_line_that_chatters_at_10_khz_is_given_as_few_spans_that_count_every_edge() -> None:
    shown = display()
    edges = [Edge("a", n % 2, n * 100_000) for n in range(400)]
    shown.take(Batch(edges, [], 40 * MS))
    part = shown.update()["a"]
    assert not part.edges
    assert len(part.busy) <= BINS + 1
    assert sum(count for _, _, count, _ in part.busy) == 400
    assert part.busy[-1][3] == 1


def test_what_a_line_does_between_two_updates_is_bounded_however_long_they_are_apart() -> None:
    shown = display()
    for start in range(0, 10 * FOLD_AT, 1000):
        shown.take(Batch([Edge("a", n % 2, n) for n in range(start, start + 1000)], [], start + 1000))
    part = shown.update()["a"]
    assert len(part.busy) <= 12 * (BINS + 1)
    assert sum(count for _, _, count, _ in part.busy) == 10 * FOLD_AT


def test_many_readings_keep_their_least_and_greatest() -> None:
    shown = display()
    shown.take(Batch([], [Reading("level_x", float(n % 50), n) for n in range(5000)], 5000))
    part = shown.update()["level_x"]
    assert not part.values
    assert len(part.ranges) <= BINS
    assert {(least, greatest) for _, _, least, greatest, _ in part.ranges} == {(0.0, 49.0)}


def test_a_secret_frame_is_shown_as_sealed_and_counts_as_a_frame() -> None:
    shown = display()
    shown.take(Batch([], [Frame("shoe", b"C;00017;9s;0A", MS)], 2 * MS))
    part = shown.update()["shoe"]
    assert part.frames == [(MS, "sealed")]
    assert "9s" not in repr(part)
    assert shown.measures(MS)["shoe"].total == 1


def test_of_a_flood_of_frames_the_first_are_shown_and_the_others_counted() -> None:
    shown = display()
    shown.take(Batch([], [Frame("shoe", b"x", n) for n in range(1000)], 1000))
    part = shown.update()["shoe"]
    assert (len(part.frames), part.more) == (MOST_FRAMES, 1000 - MOST_FRAMES)


def test_an_unplugged_line_has_no_level_and_no_pulse_across_the_gap() -> None:
    shown = display()
    shown.take(Batch([Edge("a", 1, 0)], [EdgesLost("a", Loss.UNPLUGGED, MS)], MS))
    assert shown.measures(MS)["a"].level is None
    shown.take(Batch([Edge("a", 0, 5 * MS)], [], 5 * MS))
    assert shown.measures(MS)["a"].high_ns is None
    assert shown.update()["a"].lost == [(MS, "unplugged")]


def test_orders_and_outputs_have_rows_too() -> None:
    shown = display()
    shown.take(Batch([], [Command("void", (("why", "spill"),), MS)], MS))
    for output in (SetLine("lamp", True, MS), RunMotor("motor", 0.5, MS), SendFrame("shoe", b"?", MS),
                   LightLamps("chain", frozenset({1}), MS)):  # fmt: skip
        shown.output(output)
    parts = shown.update()
    assert parts[COMMANDS].frames == [(MS, "void why=spill")]
    assert parts["lamp"].edges == parts["motor"].edges == [(MS, 1)]
    assert parts["shoe"].frames == [(MS, "→ n1; sealed")]


@given(st.lists(st.tuples(st.integers(0, 10**12), st.integers(0, 1)), min_size=1, max_size=400), st.integers(1, 50))
def test_spans_are_in_order_count_every_edge_and_are_no_more_than_asked(
    edges: list[tuple[int, int]], bins: int
) -> None:
    edges.sort()
    spans = binned(edges, bins)
    assert len(spans) <= bins
    assert sum(count for _, _, count, _ in spans) == len(edges)
    flat = [t_ns for from_ns, to_ns, _, _ in spans for t_ns in (from_ns, to_ns)]
    assert flat == sorted(flat)
    assert spans[-1][3] == edges[-1][1]


def test_as_many_edges_as_one_update_takes_are_exact() -> None:
    shown = display()
    shown.take(Batch([Edge("a", n % 2, n) for n in range(MOST_EDGES)], [], MOST_EDGES))
    assert len(shown.update()["a"].edges) == MOST_EDGES
