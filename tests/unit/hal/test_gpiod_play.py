"""Edges played through mock pins and through the kernel's events come out as they went in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hal.capture.command_text import read_command
from hal.values import Batch, Edge, EdgesLost, Loss, Rare, Reading
from tests.fakes.play import play_through_fake_gpiod, play_through_mock_pins

WAYS = [play_through_mock_pins, play_through_fake_gpiod]

steps = st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 10**9)), max_size=60)


def script(drawn: list[tuple[str, int]]) -> list[Edge]:
    """Three lines that begin at 0 and change as drawn."""
    levels, t_ns = dict.fromkeys("abc", 0), 7_000
    edges = [Edge(line, 0, t_ns) for line in "abc"]
    for line, gap_ns in drawn:
        t_ns += gap_ns
        levels[line] ^= 1
        edges.append(Edge(line, levels[line], t_ns))
    return edges


@pytest.mark.parametrize("play", WAYS)
@given(drawn=steps)
@settings(max_examples=25, deadline=None)
def test_every_edge_keeps_its_line_level_and_time(
    play: Callable[[Sequence[Edge]], list[Batch]], drawn: list[tuple[str, int]]
) -> None:
    edges = script(drawn)
    batches = play(edges)
    assert [edge for batch in batches for edge in batch.edges] == edges
    assert [value for batch in batches for value in batch.rare] == []
    assert batches[-1].until_ns == edges[-1].t_ns


@pytest.mark.parametrize("play", WAYS)
def test_rare_values_come_beside_the_edges_in_their_time(
    play: Callable[[Sequence[Edge], Sequence[Rare], int | None], list[Batch]],
) -> None:
    edges = script([("a", 1_000)] * 1_200)
    rare: list[Rare] = [
        Reading("tilt", 0.1, 8_000),
        read_command("void", 507_000),
        EdgesLost("b", Loss.UNPLUGGED, 600_001),
    ]
    batches = play(edges, rare, 3_000_000)
    assert [value for batch in batches for value in batch.rare] == rare
    assert [edge for batch in batches for edge in batch.edges] == edges
    assert batches[-1].until_ns == 3_000_000
    for before, after in pairwise(batches):
        assert all(value.t_ns > before.until_ns for value in [*after.edges, *after.rare])


@pytest.mark.parametrize("play", WAYS)
def test_a_merged_edge_comes_out_as_the_loss_that_the_backend_sees(
    play: Callable[[Sequence[Edge]], list[Batch]],
) -> None:
    batches = play([Edge("a", 0, 0), Edge("a", 1, 100), Edge("a", 1, 200)])
    assert [edge for batch in batches for edge in batch.edges] == [
        Edge("a", 0, 0),
        Edge("a", 1, 100),
        Edge("a", 1, 200),
    ]
    assert [value for batch in batches for value in batch.rare] == [EdgesLost("a", Loss.REPEATED_LEVEL, 101)]
