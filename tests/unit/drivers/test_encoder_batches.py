"""The encoder: an edge returned undecoded is decoded next, however often and wherever batches end."""

import pytest

from drivers.wheel.encoder import Encoder
from drivers.wheel.quadrature import ANY_COUNT, Stop
from hal.values import Edge

A, B, INDEX = "wheel_a", "wheel_b", "wheel_index"
COUNT_NS = 1_000_000


def turning(counts: int) -> list[Edge]:
    """The initial levels, and a disc that turns evenly in the positive direction."""
    steps = ((A, 1), (B, 1), (A, 0), (B, 0))
    found = [Edge(line, 0, 0) for line in (A, B, INDEX)]
    return found + [Edge(*steps[n % 4], (n + 1) * COUNT_NS) for n in range(counts)]


def test_an_edge_after_every_deadline_is_decoded_once_and_no_iterator_grows() -> None:
    counts = 100_000
    encoder = Encoder(A, B, INDEX, 100, 3.0)
    edges = iter(turning(counts))
    due_ns, missed = 0, 0
    while (stopped := encoder.run(edges, -ANY_COUNT, ANY_COUNT, due_ns))[0] is not Stop.END:
        stop, edge = stopped
        assert stop is Stop.DUE and edge is not None
        missed += 1
        due_ns = edge.t_ns
    assert (encoder.count, missed) == (counts, counts)


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_a_disc_that_pauses_at_speed_is_in_the_same_doubt_however_its_edges_are_cut(size: int) -> None:
    edges = turning(400)
    late = [edge if n < 300 else edge._replace(t_ns=edge.t_ns + 20 * COUNT_NS) for n, edge in enumerate(edges)]
    encoder = Encoder(A, B, INDEX, 100, 3.0)
    for start in range(0, len(late), size):
        assert encoder.run(iter(late[start : start + size]), -ANY_COUNT, ANY_COUNT, ANY_COUNT) == (Stop.END, None)
    assert encoder.count == 400
    assert (encoder.doubt_low, encoder.doubt_high) == (0, 24)


def test_a_deadline_that_counts_postpone_is_missed_only_by_a_disc_that_is_quiet() -> None:
    edges = turning(40)
    edges.append(Edge(A, 1, edges[-1].t_ns + 9 * COUNT_NS))
    encoder = Encoder(A, B, INDEX, 100, 3.0)
    assert encoder.run(iter(edges[:9]), -ANY_COUNT, ANY_COUNT, ANY_COUNT) == (Stop.END, None)
    stop, edge = encoder.run(iter(edges[9:]), -ANY_COUNT, ANY_COUNT, COUNT_NS, quiet_ns=5 * COUNT_NS)
    assert (stop, edge) == (Stop.DUE, edges[-1])
    assert encoder.count == 40
