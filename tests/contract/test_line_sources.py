"""The contract of every source of lines, whatever its backend."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hal.lines import LineError, LineSource, LineSpec
from hal.values import Edge, EdgesLost, Loss
from tests.contract.board_harness import BoardHarness
from tests.contract.line_harnesses import (
    LINES,
    START_NS,
    GpiodHarness,
    GpiozeroHarness,
    Harness,
    LgpioHarness,
    RpiGpioHarness,
    SimHarness,
    WiredHarness,
)

PINS: list[type[WiredHarness]] = [GpiodHarness, GpiozeroHarness, LgpioHarness, RpiGpioHarness]
WIRED: list[type[WiredHarness]] = [*PINS, BoardHarness]
EVERY: list[type[Harness]] = [SimHarness, *WIRED]
Repeating: TypeAlias = SimHarness | WiredHarness
Telling: TypeAlias = SimHarness | GpiodHarness | BoardHarness

SCRIPT = [
    Edge("a", 1, 1_500),
    Edge("b", 0, 1_501),
    Edge("a", 0, 2_000_000),
    Edge("c", 1, 2_000_001),
    Edge("b", 1, 2_000_007),
]


@pytest.fixture(params=EVERY)
def harness(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Harness]:
    """Each backend in turn."""
    made: Harness = request.param(tmp_path)
    yield made
    made.finish()


@pytest.fixture(params=WIRED)
def wired(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[WiredHarness]:
    """Each backend that has wires."""
    made: WiredHarness = request.param(tmp_path)
    yield made
    made.finish()


@pytest.fixture(params=[SimHarness, *PINS])
def repeating(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Repeating]:
    """Each backend that can report two equal levels; a board numbers missed edges instead."""
    made: Repeating = request.param(tmp_path)
    yield made
    made.finish()


@pytest.fixture(params=[SimHarness, GpiodHarness, BoardHarness])
def telling(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Telling]:
    """Each backend that reports every loss."""
    made: Telling = request.param(tmp_path)
    yield made
    made.finish()


def by_time(edges: list[Edge]) -> list[Edge]:
    return sorted(edges, key=lambda edge: (edge.t_ns, edge.line))


def test_a_source_identifies_itself(harness: Harness) -> None:
    harness.prepare({})
    source: LineSource = harness.source
    assert source.name
    assert source.lines == frozenset(LINES)
    assert source.max_lateness_ns >= 0
    assert isinstance(source.detects_loss, bool)
    assert isinstance(source.kernel_time, bool)
    assert source.failed is None


def test_opening_delivers_one_edge_a_line_with_the_level_found(harness: Harness) -> None:
    harness.prepare({"a": 1, "c": 1})
    harness.open()
    assert by_time(harness.heard.edges) == [Edge("a", 1, START_NS), Edge("b", 0, START_NS), Edge("c", 1, START_NS)]
    assert harness.heard.rare == []


def test_the_same_changes_give_the_same_edges_with_their_exact_times(harness: Harness) -> None:
    # No digit may be lost after a long uptime.
    script = [*SCRIPT, Edge("a", 1, harness.late_ns), Edge("a", 0, harness.late_ns + 1)]
    harness.prepare({"b": 1}, script)
    harness.open()
    harness.advance(1_500_000)
    assert by_time(harness.heard.edges[3:]) == harness.stamped(script[:2])
    harness.advance(script[-1].t_ns)
    assert by_time(harness.heard.edges[3:]) == harness.stamped(script)
    assert harness.heard.rare == []


def test_a_source_that_was_never_open_has_delivered_nothing_and_promises_nothing(harness: Harness) -> None:
    harness.prepare({"a": 1})
    assert harness.source.delivered_until(START_NS) < 0
    assert harness.heard.edges == []


def test_a_burst_of_five_thousand_edges_arrives_whole_and_in_order(harness: Harness) -> None:
    gap_ns = harness.burst_gap_ns
    burst = [Edge(LINES[n % 3], 1 - (n // 3) % 2, START_NS + 1_000 + gap_ns * n) for n in range(5_000)]
    harness.prepare({}, burst)
    harness.open()
    harness.advance(burst[-1].t_ns)
    assert harness.heard.edges[3:] == harness.stamped(burst)
    assert harness.heard.rare == []


def test_closing_lets_no_edge_through_any_more(harness: Harness) -> None:
    harness.prepare({"b": 1}, SCRIPT)
    harness.open()
    harness.advance(1_500)
    heard = list(harness.heard.edges)
    assert heard[3:] == SCRIPT[:1]
    harness.source.close()
    harness.advance(SCRIPT[-1].t_ns)
    harness.source.delivered_until(SCRIPT[-1].t_ns)
    assert harness.heard.edges == heard


def test_closing_again_and_closing_what_was_never_open_do_nothing(harness: Harness) -> None:
    harness.prepare({})
    harness.source.close()
    harness.open()
    harness.source.close()
    harness.source.close()


def test_opening_twice_is_refused(harness: Harness) -> None:
    harness.prepare({})
    harness.open()
    with pytest.raises(LineError, match="open already"):
        harness.open()


def test_a_source_can_be_opened_again_and_finds_the_levels_anew(harness: Harness) -> None:
    harness.prepare({"b": 1}, SCRIPT[:2])
    harness.open()
    harness.source.close()
    harness.heard.edges.clear()
    harness.open()
    assert [edge[:2] for edge in by_time(harness.heard.edges)] == [("a", 0), ("b", 1), ("c", 0)]
    harness.advance(2_000)
    assert by_time(harness.heard.edges[3:]) == SCRIPT[:2]


def test_delivered_until_delivers_without_an_iteration_of_the_loop(harness: Harness) -> None:
    harness.prepare({"b": 1}, SCRIPT[:2])
    harness.open()
    harness.happen_now(SCRIPT[:2])
    harness.source.delivered_until(2_000)
    assert by_time(harness.heard.edges[3:]) == SCRIPT[:2]


def test_an_inverted_line_has_the_other_level(wired: WiredHarness) -> None:
    wired.prepare({"a": 1, "b": 1}, SCRIPT[2:4], inverted=frozenset({"a", "c"}))
    wired.open()
    wired.advance(2_000_001)
    assert by_time(wired.heard.edges[:3]) == [Edge("a", 0, START_NS), Edge("b", 1, START_NS), Edge("c", 1, START_NS)]
    assert wired.heard.edges[3:] == [Edge("a", 1, 2_000_000), Edge("c", 0, 2_000_001)]
    assert wired.heard.rare == []


def test_a_line_that_is_not_there_is_named(wired: WiredHarness) -> None:
    with pytest.raises(LineError, match=r"'far'.*999"):
        wired.source_of([LineSpec("far", 999)]).open(wired.heard)
    assert wired.heard.edges == []


def test_two_lines_on_one_wire_are_refused(wired: WiredHarness) -> None:
    with pytest.raises(LineError, match=f"'b'.*{wired.wire(17)} is already the wire of line 'a'"):
        wired.source_of([LineSpec("a", 17), LineSpec("b", 17)])


def test_a_wire_that_another_source_has_is_refused(wired: WiredHarness) -> None:
    wired.prepare({})
    wired.open()
    with pytest.raises(LineError, match="'mine'"):
        wired.source_of([LineSpec("mine", 17)]).open(wired.heard)
    wired.source.close()
    freed = wired.source_of([LineSpec("mine", 17)])
    freed.open(wired.heard)
    freed.close()


def test_two_equal_levels_are_reported_as_a_loss_and_the_edge_still_comes(repeating: Repeating) -> None:
    repeating.prepare({}, [Edge("a", 1, 2_000)])
    repeating.open()
    repeating.advance(2_000)
    repeating.clock.advance_to(3_000)
    repeating.repeat("a", 3_000)
    repeating.turn()
    assert repeating.heard.of("a")[1:] == [Edge("a", 1, 2_000), Edge("a", 1, 3_000)]
    assert repeating.heard.rare == [EdgesLost("a", Loss.REPEATED_LEVEL, 2_001)]


def test_where_loss_is_detected_it_is_reported(telling: Telling) -> None:
    telling.prepare({})
    assert telling.source.detects_loss
    telling.open()
    telling.clock.advance_to(1_000_000)
    telling.overflow("a", 5_000)
    telling.turn()
    losses = [loss for loss in telling.heard.rare if isinstance(loss, EdgesLost)]
    assert len(losses) == len(telling.heard.rare)
    assert sorted((loss.line, loss.cause, loss.missing) for loss in losses) == sorted(telling.told_of("a", 3))


@pytest.mark.long
@pytest.mark.parametrize("kind", EVERY)
@given(data=st.data())
@settings(max_examples=30, deadline=None)
def test_everything_up_to_delivered_until_has_been_delivered(kind: type[Harness], data: st.DataObject) -> None:
    gaps = data.draw(st.lists(st.tuples(st.sampled_from(LINES), st.integers(0, 60_000_000)), max_size=25))
    levels, t_ns, changes = dict.fromkeys(LINES, 0), START_NS, []
    for line, gap in gaps:
        t_ns += gap
        levels[line] ^= 1
        changes.append(Edge(line, levels[line], t_ns))
    with tempfile.TemporaryDirectory() as directory:
        harness = kind(Path(directory))
        try:
            harness.prepare({}, changes)
            harness.open()
            late = harness.source.max_lateness_ns
            arrivals: list[tuple[int, Edge]] = []
            latest: dict[str, int] = {}
            for edge in changes:  # Lines overtake one another; the changes of one line do not.
                lag = data.draw(st.integers(0, late)) if late and not harness.dates_edges else 0
                latest[edge.line] = max(latest.get(edge.line, 0), edge.t_ns + lag)
                arrivals.append((latest[edge.line], edge))
            arrivals.sort(key=lambda arrival: arrival[0])
            asked = data.draw(st.lists(st.integers(START_NS, t_ns + 2 * late + 2), max_size=15).map(sorted))
            said_ns = START_NS - 1
            seen = 3
            for now_ns in [*asked, t_ns + 2 * late + 3]:
                while arrivals and arrivals[0][0] <= now_ns:
                    arrived_ns, edge = arrivals.pop(0)
                    harness.clock.advance_to(max(arrived_ns, harness.clock.now_ns()))
                    harness.happen(edge)
                harness.clock.advance_to(max(now_ns, harness.clock.now_ns()))
                next_ns = harness.source.delivered_until(now_ns)
                assert all(edge.t_ns > said_ns for edge in harness.heard.edges[seen:])
                assert next_ns <= now_ns
                seen, said_ns = len(harness.heard.edges), max(said_ns, next_ns)
            assert by_time(harness.heard.edges[3:]) == by_time(changes)
            assert harness.heard.rare == []
        finally:
            harness.finish()
