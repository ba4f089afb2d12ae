"""Lines in memory: what the contract suite does not ask of every backend."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from hal.backends.sim import SimLines
from hal.capture.command_text import read_command
from hal.lines import LineError, LineSource
from hal.merge import Merge
from hal.values import Batch, Edge, EdgesLost, Frame, Loss, Rare, Reading


class Heard:
    def __init__(self) -> None:
        self.edges: list[Edge] = []
        self.rare: list[Rare] = []

    def deliver(self, source: str, edges: Sequence[Edge], rare: Sequence[Rare]) -> None:
        self.edges += edges
        self.rare += rare


def opened(**levels: int) -> tuple[SimLines, Heard]:
    sim, heard = SimLines(["a", "b"], readings=["tilt"], levels=levels, start_ns=100), Heard()
    sim.open(heard)
    heard.edges.clear()
    return sim, heard


def test_it_is_a_line_source_that_reports_every_loss_at_once() -> None:
    source: LineSource = SimLines(["a"], readings=["tilt"])
    assert (source.detects_loss, source.kernel_time, source.max_lateness_ns) == (True, True, 0)
    assert source.lines == {"a", "tilt"}


def test_analogue_lines_have_no_level_when_opened() -> None:
    sim, heard = SimLines(["a"], readings=["tilt"], levels={"a": 1}, start_ns=100), Heard()
    sim.open(heard)
    assert heard.edges == [Edge("a", 1, 100)]


def test_what_is_driven_before_the_opening_is_found_then() -> None:
    sim, heard = SimLines(["a", "b"]), Heard()
    sim.drive("b", 1, 50)
    sim.open(heard)
    assert heard.edges == [Edge("a", 0, 50), Edge("b", 1, 50)]


def test_readings_frames_commands_and_losses_are_delivered() -> None:
    sim, heard = opened()
    sim.read("tilt", 0.25, 110)
    sim.frame("wheel", b"*X;0", 120)
    sim.command(read_command("void why=spill", 130))
    sim.lose("a", Loss.UNPLUGGED, 140)
    sim.lose("b", Loss.OVERFLOW, 150, 4)
    assert heard.rare == [
        Reading("tilt", 0.25, 110),
        Frame("wheel", b"*X;0", 120),
        read_command("void why=spill", 130),
        EdgesLost("a", Loss.UNPLUGGED, 140),
        EdgesLost("b", Loss.OVERFLOW, 150, 4),
    ]


def test_after_a_loss_the_next_level_may_be_any() -> None:
    sim, heard = opened(a=1)
    sim.lose("a", Loss.UNPLUGGED, 140)
    sim.drive("a", 1, 150)
    assert heard.edges == [Edge("a", 1, 150)]
    assert len(heard.rare) == 1


def test_in_bulk_a_loss_counts_from_its_own_time() -> None:
    sim, heard = opened(a=1)
    loss = EdgesLost("a", Loss.UNPLUGGED, 150)
    sim.play([Edge("a", 0, 140), Edge("a", 0, 160), Edge("a", 0, 170)], [loss], 200)
    assert heard.rare == [loss, EdgesLost("a", Loss.REPEATED_LEVEL, 161)]


def test_playing_in_bulk_is_driving_one_by_one() -> None:
    edges = [Edge("a", 1, 110), Edge("b", 1, 110), Edge("a", 0, 120), Edge("a", 0, 130)]
    bulk, heard_bulk = opened()
    single, heard_single = opened()
    bulk.play(edges, [], 140)
    for edge in edges:
        single.drive(*edge)
    single.passed(140)
    assert (heard_bulk.edges, heard_bulk.rare) == (heard_single.edges, heard_single.rare)
    assert bulk.delivered_until(1_000) == single.delivered_until(1_000) == 140


def test_time_is_delivered_only_as_far_as_the_world_has_come() -> None:
    sim, _ = opened()
    assert sim.delivered_until(10_000) < 100
    sim.passed(500)
    assert sim.delivered_until(10_000) == 500
    assert sim.delivered_until(300) == 300


def test_at_one_time_more_may_still_come() -> None:
    sim, _ = opened()
    sim.drive("a", 1, 200)
    assert sim.delivered_until(10_000) < 200
    sim.drive("b", 1, 200)


def test_a_loss_found_right_after_a_promise_does_not_break_it() -> None:
    sim, _ = opened()
    merge = Merge()
    merge.add(sim.name, sim.max_lateness_ns, sim.lines)
    sim.close()
    sim.open(merge)
    sim.passed(500)
    merge.until(sim.name, sim.delivered_until(500))
    assert merge.take() is not None
    sim.drive("a", 0, 501)
    sim.passed(600)
    merge.until(sim.name, sim.delivered_until(600))
    lost = EdgesLost("a", Loss.REPEATED_LEVEL, 501)
    assert merge.take() == Batch([Edge("a", 0, 501)], [lost], 600)


def test_time_that_is_removed_back_is_refused() -> None:
    sim, _ = opened()
    sim.drive("a", 1, 200)
    with pytest.raises(ValueError, match="went backwards from 200 to 150 ns"):
        sim.drive("a", 0, 150)
    with pytest.raises(ValueError, match="went backwards"):
        sim.read("tilt", 0.0, 150)
    sim.passed(300)
    with pytest.raises(ValueError, match="went backwards"):
        sim.drive("a", 0, 300)


def test_a_line_that_is_not_there_is_answered_with_those_that_are() -> None:
    sim, _ = opened()
    for ask in (
        lambda: sim.drive("c", 1, 200),
        lambda: sim.lose("c", Loss.LATE, 200),
        lambda: SimLines(["a", "b"], levels={"c": 1}),
    ):
        with pytest.raises(LineError, match=r"line 'c'.*\(a, b\)"):
            ask()
    with pytest.raises(LineError, match=r"line 'a'.*\(tilt\)"):
        sim.read("a", 1.0, 200)


def test_a_level_that_is_neither_high_nor_low_is_refused() -> None:
    sim, _ = opened()
    with pytest.raises(ValueError, match="expected level 0 or 1, got 2"):
        sim.drive("a", 2, 200)
