"""A table on which nothing is ever decided says so: inverted or dead track sensors, and a call that nothing follows."""

from __future__ import annotations

from itertools import pairwise

import pytest

from controller.table.undecided import UNDECIDED_NS
from drivers.roulette.wheel import COVERED_NS
from feed import events
from hal.values import Edge
from tests.oracle.motion import ns
from tests.tables.bench import EventList, TableBench, events_of_run
from tests.tables.money_lines import money_toml
from tests.tables.roulette_lines import RouletteLines, S, roulette_toml

BALLS = ("ball_1", "ball_2", "ball_3")


def faults(said: EventList) -> list[tuple[str, str, bool]]:
    return [(one.device, one.fault, one.blocks_play) for one in said.of(events.DeviceFault)]


def inverted(edges: list[Edge]) -> list[Edge]:
    return [edge._replace(level=1 - edge.level) if edge.line in BALLS else edge for edge in edges]


@pytest.mark.parametrize("cuts", [(), range(0, 60 * S, S // 3)])
def test_inverted_track_sensors_are_a_fault_before_the_first_spin_is_over(cuts: range) -> None:
    lines = RouletteLines().turn(60.0).run(30.0, 16).lie("17", 55.0, 60.0)
    said = events_of_run(roulette_toml(), inverted(lines.edges()), lines.rare, lines.now_ns, cuts)
    assert faults(said) == [("wheel", "sensor_stuck", True)]
    fault = said.one(events.DeviceFault)
    assert fault.mono_ns == COVERED_NS
    assert "ball_1 is 1 for 20 s" in fault.detail
    assert "inverted" in fault.detail


def test_a_covered_sensor_can_be_cleared_once_it_is_free_and_a_hand_in_the_bowl_is_none() -> None:
    lines = RouletteLines().turn(60.0).see("ball_2", 3.0, 19.9).see("ball_3", 30.0, 25.0)
    bench = TableBench(roulette_toml())
    edges = lines.edges()
    bench.feed([edge for edge in edges if edge.t_ns < 54 * S], until_ns=54 * S)
    assert [one.mono_ns for one in bench.said.of(events.DeviceFault)] == [ns(30.0) + COVERED_NS]
    assert bench.table.faults.causes("wheel", "sensor_stuck") == ("ball_3",)
    bench.feed([edge for edge in edges if edge.t_ns >= 54 * S], until_ns=60 * S)
    assert bench.table.faults.causes("wheel", "sensor_stuck") == ()


def test_a_dust_cover_on_a_closed_wheel_is_no_fault_until_the_table_is_open() -> None:
    lines = RouletteLines().turn(120.0).see("ball_1", 1.0, 119.0)
    bench = TableBench(roulette_toml())
    bench.table.lifecycle.close(0, "break", "ann")
    edges = lines.edges()
    bench.feed([edge for edge in edges if edge.t_ns < 80 * S], until_ns=80 * S)
    assert faults(bench.said) == []
    bench.table.lifecycle.open(80 * S, "ann")
    bench.feed([edge for edge in edges if edge.t_ns >= 80 * S], until_ns=120 * S)
    assert faults(bench.said) == [("wheel", "sensor_stuck", True)]


def test_balls_that_rest_in_pocket_after_pocket_unseen_are_a_fault() -> None:
    lines = RouletteLines().turn(120.0)
    for number, (begin_s, end_s) in enumerate(pairwise((5.0, 40.0, 75.0, 110.0))):
        lines.lie(("17", "5", "00")[number], begin_s, end_s - 5.0)
    said = events_of_run(roulette_toml(), lines.edges(), lines.rare, lines.now_ns)
    assert faults(said) == [("wheel", "sensor_missing", True)]
    assert "17, 5, 00 one after the other" in said.one(events.DeviceFault).detail


def test_two_balls_unseen_or_one_pocket_again_and_again_are_none() -> None:
    lines = RouletteLines().turn(200.0)
    for begin_s in (5.0, 40.0, 75.0, 110.0):
        lines.lie("17", begin_s, begin_s + 30.0)
    lines.lie("5", 145.0, 175.0)
    assert faults(events_of_run(roulette_toml(), lines.edges(), lines.rare, lines.now_ns)) == []


@pytest.mark.parametrize("text", [money_toml(), roulette_toml(call="button")])
def test_a_call_that_nothing_follows_is_a_fault_that_stops_no_play(text: str) -> None:
    bench = TableBench(text)
    pressed = [Edge("dealer_no_more_bets", level, t_ns) for level, t_ns in ((0, 0), (1, 5 * S), (0, 6 * S))]
    bench.feed(pressed, until_ns=UNDECIDED_NS + 4 * S)
    assert faults(bench.said) == []
    bench.feed(until_ns=3 * UNDECIDED_NS)
    assert faults(bench.said) == [("wheel", "nothing_decided", False)]
    assert bench.table.state == "open"


def test_a_round_with_its_verdict_is_not_overdue() -> None:
    lines = RouletteLines(button=True).turn(45.0).press("dealer_no_more_bets", 3.0).run(6.0, 16)
    lines.lie("17", lines.left_s + 5.0, 45.0)
    bench = TableBench(roulette_toml(call="button"))
    bench.feed(lines.edges(), until_ns=45 * S)
    assert bench.said.one(events.Outcome).result["pocket"] == "17"
    bench.feed(until_ns=45 * S + UNDECIDED_NS)
    assert faults(bench.said) == []
