"""The benchmark of statistics: both sides write the same rows."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from benchmarks.statistics_bench import STATISTICS_SMALLEST, ready_rows, write_bare, write_events
from controller.games.catalogue import GAME
from fleet.statistics.dataset import Choice, Dataset, collecting
from fleet.statistics.sources import collect_export
from fleet.statistics.summary import summarize

pytestmark = pytest.mark.long


def test_the_peer_writes_what_we_write(tmp_path: Path) -> None:
    events = write_events(tmp_path / "all.jsonl", STATISTICS_SMALLEST)
    with collecting(tmp_path / "ours") as collector:
        collect_export(tmp_path / "all.jsonl", "hall", collector)
    assert (collector.added, events) == (400, 400)
    ready_rows(tmp_path / "all.jsonl", tmp_path / "rows")
    write_bare(tmp_path / "rows", tmp_path / "bare.parquet")
    (ours,) = (tmp_path / "ours").rglob("*.parquet")
    rows = "SELECT * EXCLUDE time FROM read_parquet(?)"
    with duckdb.connect() as sql:
        files = [str(ours), str(tmp_path / "bare.parquet")]
        assert sql.execute(f"SELECT count(*) FROM ({rows} INTERSECT {rows})", files).fetchone() == (400,)
    assert sum(line.outcomes for line in summarize(Dataset(tmp_path / "ours"), Choice(), GAME).tables) == 100
