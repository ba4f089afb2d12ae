"""The scoreboard's benchmarks work and measure real work. How fast it is is nothing that a test says."""

from __future__ import annotations

import pytest

from benchmarks.scoreboard_bench import SCOREBOARD_SMALLEST, scoreboard_lines


@pytest.mark.soak
def test_every_line_of_the_scoreboards_benchmark_has_a_value() -> None:
    lines = [*scoreboard_lines(SCOREBOARD_SMALLEST)]
    assert [line.name for line in lines] == [
        "event to pixels, p50",
        "of it to the board's message, p50",
        "hall of 2 on busy cores: event to frame, p99",
        "event to frame, p50",
        "2 boards, 2 tables: CPU a delivery",
        "memory of the gateway",
        "its growth over 180 events",
        "memory of the gateway with 2 pages",
        "a page in two languages, packed",
    ]
    assert all(line.value for line in lines)
    assert {line.name: line.most for line in lines if line.most} == {
        "hall of 2 on busy cores: event to frame, p99": 1.0,
        "2 boards, 2 tables: CPU a delivery": 1.3,
        "memory of the gateway": 1.0,
        "memory of the gateway with 2 pages": 1.0,
        "a page in two languages, packed": 1.0,
    }
