from __future__ import annotations

from random import Random

import pytest

from hal.values import Edge, Loss
from simulators.base.corruption import (
    bounce,
    jittered,
    noise_burst,
    pulses_of,
    repaired,
    stuck,
    swapped,
    toggled,
    unplugged,
    without_pulses,
)

MS = 1_000_000
CLEAN = [Edge("a", 1 - n % 2, (n + 1) * 10 * MS) for n in range(20)]
OTHER = [Edge("b", 1, 25 * MS), Edge("b", 0, 155 * MS)]
BOTH = sorted(CLEAN + OTHER, key=lambda e: e.t_ns)
NONE: dict[str, int] = {}


def alternates(edges: list[Edge], line: str) -> bool:
    levels = [e.level for e in edges if e.line == line]
    return all(x != y for x, y in zip([0, *levels], levels, strict=False))


def test_a_lost_pulse_takes_its_rise_and_its_fall() -> None:
    assert len(pulses_of(BOTH, "a")) == 10
    left = without_pulses("a", {3}.__contains__)(BOTH)
    gone = [e for e in BOTH if e not in left]
    assert gone == [CLEAN[6], CLEAN[7]]


@pytest.mark.parametrize("level", [0, 1])
def test_a_stuck_line_stays_and_then_takes_its_true_level(level: int) -> None:
    spoilt = stuck("a", level, 35 * MS, 95 * MS, NONE)(BOTH)
    inside = [e for e in spoilt if e.line == "a" and 35 * MS <= e.t_ns < 95 * MS]
    # At 35 ms the line is high: it changes only where it sticks low.
    assert inside == ([] if level else [Edge("a", 0, 35 * MS)])
    assert alternates(spoilt, "a")
    assert [e for e in spoilt if e.t_ns >= 100 * MS] == [e for e in BOTH if e.t_ns >= 100 * MS]
    assert [e for e in spoilt if e.line == "b"] == OTHER


def test_swapped_lines_exchange_levels_and_edges() -> None:
    spoilt = swapped("a", "b", 1, {"a": 1, "b": 0})([Edge("a", 0, 5), Edge("b", 1, 7), Edge("c", 1, 8)])
    assert spoilt == [Edge("a", 0, 1), Edge("b", 1, 1), Edge("b", 0, 5), Edge("a", 1, 7), Edge("c", 1, 8)]


def test_toggles_make_the_level_wrong_until_the_next() -> None:
    spoilt = toggled({"a": [12 * MS, 14 * MS]}, NONE)(CLEAN)
    assert [e for e in spoilt if e not in CLEAN] == [Edge("a", 0, 12 * MS), Edge("a", 1, 14 * MS)]


def test_a_toggle_over_a_true_edge_hides_neither() -> None:
    spoilt = toggled({"a": [8 * MS, 13 * MS]}, NONE)(CLEAN)
    assert [(e.level, e.t_ns // MS) for e in spoilt[:4]] == [(1, 8), (0, 10), (1, 13), (0, 20)]


def test_bounce_adds_edges_after_the_true_ones_and_keeps_levels_alternating() -> None:
    spoilt = bounce(["a"], 1.0, 2 * MS, Random(1), NONE)(BOTH)
    assert len(spoilt) > len(BOTH) + 20
    assert alternates(spoilt, "a")
    assert [e for e in spoilt if e.line == "b"] == OTHER
    starts = [e.t_ns for e in CLEAN]
    assert all(any(0 <= e.t_ns - start <= 2 * MS for start in starts) for e in spoilt if e.line == "a")


def test_a_noise_burst_stays_within_its_time() -> None:
    spoilt = noise_burst(["a", "b"], 60 * MS, 80 * MS, 15, Random(2), NONE)(BOTH)
    added = [e for e in spoilt if e not in BOTH]
    assert added
    assert all(60 * MS <= e.t_ns <= 81 * MS for e in added)
    assert alternates(spoilt, "a")
    assert alternates(spoilt, "b")


def test_jitter_moves_edges_and_keeps_their_order() -> None:
    spoilt = jittered(["a"], 4 * MS, Random(3), 9 * MS, 201 * MS)(BOTH)
    assert [e[:2] for e in spoilt] == [e[:2] for e in BOTH]
    assert [e.t_ns for e in spoilt] == sorted(e.t_ns for e in spoilt)
    assert spoilt != BOTH
    assert spoilt[0].t_ns > 9 * MS
    assert spoilt[-1].t_ns <= 201 * MS
    assert [e for e in spoilt if e.line == "b"] == OTHER


def test_a_cable_out_is_silent_and_reported_and_comes_back_with_its_levels() -> None:
    corrupt, rare = unplugged(["a", "b"], 42 * MS, 95 * MS, NONE)
    spoilt = corrupt(BOTH)
    assert [(loss.line, loss.cause, loss.t_ns) for loss in rare] == [
        ("a", Loss.UNPLUGGED, 42 * MS),
        ("b", Loss.UNPLUGGED, 42 * MS),
    ]
    between = [e for e in spoilt if 42 * MS <= e.t_ns <= 95 * MS]
    assert between == [Edge("a", 1, 95 * MS), Edge("b", 1, 95 * MS)]


def test_after_the_repair_every_line_has_its_true_level() -> None:
    spoilt = without_pulses("a", {9}.__contains__)(BOTH)
    spoilt = [e for e in spoilt if not (e.line == "b" and e.level == 0)]
    whole = repaired(spoilt, BOTH, NONE, 300 * MS)
    assert whole[-1] == Edge("b", 0, 300 * MS)
    assert repaired(BOTH, BOTH, NONE, 300 * MS) == BOTH
