"""The service's benchmarks work and measure real work. How fast it is is nothing that a test says."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.figures import Quantity, ReportLine
from benchmarks.records import of_lines
from benchmarks.report import shown
from benchmarks.service_bench import SERVICE_SMALLEST, service_lines

pytestmark = pytest.mark.soak


@pytest.fixture(scope="module")
def lines() -> list[ReportLine]:
    return [*service_lines(SERVICE_SMALLEST)]


def test_every_line_of_the_services_benchmark_has_a_value(lines: list[ReportLine]) -> None:
    names = [line.name for line in lines]
    assert {"bare pyzmq hop", "bare fdatasync", "bare SQLite commit", "event, durable, subscriber"} <= {*names}
    assert "events a second, 50 subscribers" in names
    [cpu] = [line for line in lines if line.name == "50 subscribers: sender's CPU an event"]
    # Ours encodes and journals each event besides.
    assert cpu.goal is None and cpu.ratio is not None and cpu.ratio > 1
    assert "start to open table" in names
    assert all(line.value for line in lines)
    kept = [figure.key for figure in of_lines("Service", lines)]
    assert len({*kept}) == len(kept) >= len(lines)


def test_the_targets_are_those_of_the_design(lines: list[ReportLine]) -> None:
    targets = {
        (
            figure.name,
            figure.peer.partition(" + ")[0],
            figure.peer_value if figure.peer == "limit" else None,
        ): figure.goal
        for figure in of_lines("Service", lines)
        if figure.goal
    }
    assert targets == {
        ("at p50", "bare SQLite commit", None): 1.15,
        ("at p50", "bare fdatasync", None): 1.5,
        ("idle, 1 table: CPU", "limit", 1): 1,
        ("idle, 1 table: memory", "limit", 45): 1,
        ("events a second, 50 subscribers", "bare XPUB, same bytes", None): 0.8,
        ("idle, 2 tables: CPU a table", "1 table", None): 1.5,
        ("simulated play, 2 tables: CPU a table", "1 table", None): 1.5,
    }


def test_a_missed_target_is_shown() -> None:
    line = ReportLine("idle: CPU", Quantity(2, "% of a core"), Quantity(1, "% of a core"), 2.0, 1)
    assert not line.met
    assert shown(line).endswith("<= 1 x MISSED")


def test_a_rate_below_the_least_that_is_promised_is_missed() -> None:
    fast = ReportLine("events a second", Quantity(9, "events/s"), Quantity(10, "events/s"), 0.9, least=0.8)
    assert fast.met and fast.goal == 0.8
    assert shown(replace(fast, ratio=0.79)).endswith(">= 0.8 x MISSED")
