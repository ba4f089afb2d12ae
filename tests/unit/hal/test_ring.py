"""The last minutes of a table."""

from __future__ import annotations

import io
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hal.capture.ring import Ring
from hal.capture.secret import FrameSealer
from hal.capture.vcd_reader import VcdReader
from hal.capture.vcd_writer import CaptureLines, VcdWriter
from hal.values import Batch, Edge, EdgesLost, Frame, Loss, Rare, Reading


def toggles(line: str, times: list[int]) -> list[Edge]:
    """Edges of one line, with a level that changes at each time."""
    return [Edge(line, n % 2, t_ns) for n, t_ns in enumerate(times)]


def test_a_cut_begins_with_the_levels_of_its_first_moment() -> None:
    ring = Ring()
    ring.append(Batch(toggles("a", [0, 10, 20, 30]), [Reading("x", 0.5, 5), Reading("x", 0.7, 25)], 40))
    cut = ring.cut(15, 25)
    assert cut.start_ns == 15
    assert cut.levels == {"a": 1}
    assert cut.readings == {"x": 0.5}
    assert cut.batch == Batch([Edge("a", 0, 20)], [Reading("x", 0.7, 25)], 25)
    assert cut.complete


def test_both_ends_of_a_cut_belong_to_it() -> None:
    ring = Ring()
    ring.append(Batch(toggles("a", [0, 10, 20]), [], 20))
    cut = ring.cut(10, 20)
    assert cut.levels == {"a": 0}
    assert cut.batch.edges == [Edge("a", 1, 10), Edge("a", 0, 20)]


def test_what_is_older_than_the_kept_time_is_dropped_but_its_levels_are_known() -> None:
    ring = Ring(keep_ns=100)
    ring.append(Batch([Edge("a", 1, 0), Edge("b", 1, 0)], [Reading("x", 0.5, 0)], 10))
    ring.append(Batch([Edge("a", 0, 50)], [], 60))
    ring.append(Batch([], [], 150))
    assert ring.start_ns == 11
    cut = ring.cut(0, 150)
    assert not cut.complete
    assert cut.start_ns == 11
    assert cut.levels == {"a": 1, "b": 1}
    assert cut.readings == {"x": 0.5}
    assert cut.batch.edges == [Edge("a", 0, 50)]


def test_noise_on_one_line_cannot_fill_the_memory() -> None:
    ring = Ring(max_values=1000)
    for start in range(0, 50_000, 500):
        ring.append(Batch(toggles("a", list(range(start, start + 500))), [], start + 499))
        assert len(ring) <= 1000
    assert ring.until_ns == 49_999
    assert ring.start_ns >= 49_000 - 125
    assert ring.cut(ring.start_ns, ring.until_ns).complete


def test_one_batch_larger_than_the_ring_leaves_its_newest_part() -> None:
    ring = Ring(max_values=1000)
    ring.append(Batch(toggles("a", list(range(10_000))), [], 10_500))
    assert 800 <= len(ring) <= 1000
    cut = ring.cut(ring.start_ns, 10_500)
    assert cut.batch.edges[-1] == Edge("a", 1, 9999)
    assert cut.batch.edges[0].level != cut.levels["a"]


def test_long_frames_count_for_their_size() -> None:
    ring = Ring(max_values=1000)
    for t_ns in range(100):
        ring.append(Batch([], [Frame("reader", b"x" * 6400, t_ns)], t_ns))
    assert 80 <= ring.start_ns < 100


def test_an_unplugged_line_is_not_known_until_its_next_edge() -> None:
    ring = Ring()
    ring.append(Batch([Edge("a", 1, 0), Edge("a", 0, 30)], [EdgesLost("a", Loss.UNPLUGGED, 20)], 40))
    assert ring.cut(10, 40).levels == {"a": 1}
    assert ring.cut(25, 40).levels == {}
    assert ring.cut(35, 40).levels == {"a": 0}


def test_a_cut_beyond_the_newest_value_is_incomplete() -> None:
    ring = Ring()
    ring.append(Batch([], [], 40))
    cut = ring.cut(10, 90)
    assert not cut.complete
    assert cut.batch.until_ns == 40


def test_the_ring_holds_commitments_of_secret_frames() -> None:
    ring = Ring(sealer=FrameSealer({"shoe"}, bytes(16)))
    ring.append(Batch([], [Frame("shoe", b"QH", 1), Frame("reader", b"go", 2)], 3))
    sealed, plain = ring.cut(0, 3).batch.rare
    assert isinstance(sealed, Frame)
    assert sealed.link == "shoe.sealed"
    assert b"QH" not in sealed.data
    assert plain == Frame("reader", b"go", 2)


def test_time_goes_forward_only() -> None:
    ring = Ring()
    ring.append(Batch([], [], 40))
    with pytest.raises(ValueError, match="goes forward"):
        ring.append(Batch([], [], 30))
    with pytest.raises(ValueError, match="keeps some time"):
        Ring(keep_ns=0)


def test_a_written_cut_reads_back_as_the_cut() -> None:
    ring = Ring()
    ring.append(Batch([*toggles("a", [0, 10, 20]), Edge("b", 0, 20)], [EdgesLost("a", Loss.LATE, 20)], 50))
    cut = ring.cut(5, 50)
    stream = io.StringIO()
    writer = VcdWriter(stream, CaptureLines(("a", "b")))
    cut.write(writer)
    writer.finish()
    (batch,) = VcdReader(io.BytesIO(stream.getvalue().encode()), "cut.vcd").batches()
    assert batch == Batch([Edge("a", 0, 5), *cut.batch.edges], cut.batch.rare, 50)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 1), st.integers(0, 3)), max_size=60),
    st.integers(1, 40),
    st.integers(0, 80),
    st.integers(0, 80),
    st.integers(1, 20),
)
def test_a_cut_is_what_a_list_of_everything_would_give(
    steps: list[tuple[str, int, int]], max_values: int, one_ns: int, other_ns: int, batch_edges: int
) -> None:
    edges: list[Edge] = []
    t_ns = 0
    for line, level, wait_ns in steps:
        t_ns += wait_ns
        edges.append(Edge(line, level, t_ns))
    bounds = sorted({edge.t_ns for edge in edges[::batch_edges]} | {t_ns})
    ring = Ring(max_values=max_values)
    for after_ns, until_ns in pairwise([-1, *bounds]):
        batch = [edge for edge in edges if after_ns < edge.t_ns <= until_ns]
        no_rare: list[Rare] = []
        ring.append(Batch(batch, no_rare, until_ns))
        assert len(ring) <= max_values
    from_ns, to_ns = sorted((one_ns, other_ns))
    cut = ring.cut(from_ns, to_ns)
    assert cut.complete == (from_ns >= ring.start_ns and to_ns <= t_ns)
    if cut.complete:
        assert cut.levels == {edge.line: edge.level for edge in edges if edge.t_ns < from_ns}
        assert cut.batch == Batch([edge for edge in edges if from_ns <= edge.t_ns <= to_ns], [], to_ns)
