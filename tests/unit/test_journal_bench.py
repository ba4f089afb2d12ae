"""The journal's benchmark measures what it says."""

from pathlib import Path

import pytest

from benchmarks.journal_bench import Latency, journal_latencies

pytestmark = pytest.mark.long


def test_each_turn_measures_each_of_the_four(tmp_path: Path) -> None:
    latencies = journal_latencies(3, tmp_path)
    assert [one.name for one in latencies] == ["fdatasync", "sqlite", "durable", "woken"]
    assert all(len(one.took_ns) == 3 and min(one.took_ns) > 0 for one in latencies)
    durable, woken = latencies[2].took_ns, latencies[3].took_ns
    assert all(first < second for first, second in zip(durable, woken, strict=True))
    assert list(tmp_path.iterdir()) == []


def test_half_and_99_of_100_are_what_they_are_called() -> None:
    latency = Latency("x", tuple(number * 1_000_000 for number in range(1, 100)))
    assert (latency.p50_ms, latency.p99_ms) == (50.0, 99.0)
