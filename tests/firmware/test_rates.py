"""How many edges a board takes: without loss up to its limit, and beyond it without a loss that is not told."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from benchmarks.board_rig import BEGINS_NS, Heard, hear
from hal.values import Edge
from tests.firmware.edge_patterns import INPUTS, Burst, Wires, batches, edges_of
from tests.firmware.emulated import MS, board

WITHIN_NS = 20_000
TOLD_WITHIN_NS = 25 * MS
"""After a burst a `state` tells of what was lost in it."""
LEAST_PULSE_NS = 20_000
"""What is promised of inputs whose levels hold this long, whatever the others do."""


def heard(path: Path, wires: Wires, edges: list[Edge]) -> Heard:
    with board("wheel") as chip:
        told = hear(chip, path, wires.lines, batches(edges), edges[-1].t_ns)
        assert (chip.overruns, chip.resets) == (0, 0)
    assert [edge.line for edge in told.found] == list(wires.lines)
    return told


def check_all_came(told: Heard, edges: list[Edge]) -> None:
    assert (told.lost, told.missing) == ([], 0)
    assert [(edge.line, edge.level) for edge in told.edges] == [(edge.line, edge.level) for edge in edges]
    errors = [abs(came.t_ns - edge.t_ns) for came, edge in zip(told.edges, edges, strict=True)]
    assert max(errors) < WITHIN_NS


def check_levels_right(told: Heard, edges: list[Edge]) -> None:
    """Whatever was lost, the last that is known of each line is how it stands."""
    stands, known = ({edge.line: edge.level for edge in some} for some in (edges, told.found + told.edges))
    assert {line: known[line] for line in stands} == stands


def unheard(told: Heard, bursts: list[Burst]) -> list[Burst]:
    """Bursts of which something was lost, and no word said."""
    came, losses = [edge.t_ns for edge in told.edges], [loss.t_ns for loss in told.lost]
    silent: list[Burst] = []
    for burst in bursts:
        begin_ns, end_ns = burst.begins_ns - WITHIN_NS, burst.ends_ns + TOLD_WITHIN_NS
        edges = told.edges[bisect_left(came, begin_ns) : bisect_right(came, end_ns)]
        untold = bisect_left(losses, begin_ns) == bisect_right(losses, end_ns)
        if untold and Counter(edge.line for edge in edges) != Counter(edge.line for edge in burst.edges):
            silent.append(burst)
    return silent


# --- without loss ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("per_s", "seconds", "lines"),
    [
        (5_000, 8, 2),
        pytest.param(5_000, 60, 2, marks=pytest.mark.soak),
        pytest.param(5_000, 60, 8, marks=pytest.mark.soak),
        pytest.param(7_000, 60, 1, marks=pytest.mark.soak),
    ],
)
def test_5000_edges_a_second_come_without_loss(tmp_path: Path, per_s: int, seconds: int, lines: int) -> None:
    wires = Wires(lines)
    edges = list(wires.steady(BEGINS_NS, per_s, seconds))
    assert len(edges) == per_s * seconds
    check_all_came(heard(tmp_path / "port", wires, edges), edges)


@pytest.mark.parametrize(
    ("lines", "bursts"),
    [
        (1, 20),
        (INPUTS, 20),
        pytest.param(1, 500, marks=pytest.mark.soak),
        pytest.param(INPUTS, 500, marks=pytest.mark.soak),
    ],
)
def test_bursts_of_60_edges_at_50_khz_come_without_loss(tmp_path: Path, lines: int, bursts: int) -> None:
    wires = Wires(lines)
    made = wires.bursts(Random(lines), BEGINS_NS, bursts, 60, 50_000)
    check_all_came(heard(tmp_path / "port", wires, edges_of(made)), edges_of(made))


# --- beyond ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("per_s", "lines"),
    [
        (9_000, 1),
        (20_000, INPUTS),
        *(
            pytest.param(rate, lines, marks=pytest.mark.soak)
            for rate in (6_000, 8_000, 10_000, 12_000, 15_000, 20_000)
            for lines in (1, 2, 3, 6, INPUTS)
        ),
    ],
)
def test_of_more_than_the_wire_carries_every_edge_came_or_is_told_as_lost(
    tmp_path: Path, per_s: int, lines: int
) -> None:
    wires = Wires(lines)
    edges = list(wires.steady(BEGINS_NS, per_s, 3))
    told = heard(tmp_path / "port", wires, edges)
    # An interrupt that finds nothing changed counts two edges as lost, and may count one that another interrupt told:
    # of a hopeless rate a few too many are told as lost, and never too few.
    assert len(edges) <= told.seen <= len(edges) * 1.001
    assert told.lost or not told.missing
    if lines == 1:
        assert sum(loss.missing or 0 for loss in told.lost) == told.missing
    check_levels_right(told, edges)
