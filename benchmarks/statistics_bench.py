"""Statistics of a fleet: events into Parquet and a summary of them, beside a bare library that writes the same rows.

    file of JSON lines ──► collect: decode, chain ──► JSON ──► DuckDB: columns ──► Parquet ──► summary
                         the same columns, ready as JSON ──► DuckDB ──► Parquet                the peer

Each runs in a process of its own, for its memory; they come one after the other on the same file.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import perf_counter
from typing import Any

import duckdb
import msgspec
from rich.console import Console

from benchmarks.figures import Quantity, ReportLine
from benchmarks.report import print_lines
from controller.games.catalogue import GAME
from feed.data import StatisticsKey, type_of
from feed.events import Data, Event, Evidence, NoMoreBets, Outcome, RoundOpened, Settled, TableOpened, encode
from fleet.statistics.columns import COLUMNS, TIME
from fleet.statistics.dataset import Choice, Dataset, collecting
from fleet.statistics.sources import collect_export
from fleet.statistics.summary import summarize

MOST_TIMES = 8.0
"""The time of the bare library, to which the columns come ready: here every event is decoded, checked and chained."""
MOST_GROWTH = 1.3
"""Memory with all events over that with a tenth of them: it does not grow with the history."""
POCKETS = [str(number) for number in range(37)]
START = datetime(2026, 7, 4, 20, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class StatisticsSizes:
    """How much is measured."""

    events: int = 1_000_000
    tables: int = 20


STATISTICS_SMALLEST = StatisticsSizes(events=400, tables=2)
"""Shows that everything works; its figures mean nothing."""


def write_events(path: Path, sizes: StatisticsSizes) -> int:
    """Writes evenings of roulette as an export has them; returns how many events."""
    written = 0
    with path.open("wb") as file:
        for table in range(sizes.tables):
            for event in _evening(f"roulette-{table}", sizes.events // sizes.tables, table):
                file.write(encode(event) + b"\n")
                written += 1
    return written


def _evening(table: str, events: int, seed: int) -> Iterator[Event]:
    devices = [{"device": "wheel", "driver": "roulette_wheel"}, {"device": "dealer", "driver": "buttons"}]
    keys = [StatisticsKey(field="pocket", values=[*POCKETS])]
    for seq in range(1, events + 1):
        at = (seq - 1) * 12
        common: dict[str, Any] = {"table": table, "game": "roulette", "simulated": False, "mono_ns": at * 1_000_000_000}
        number = (seq - 2) // 4 + 1
        step = (seq - 2) % 4
        data: Data
        if seq == 1:
            data = TableOpened(
                **common, rules="njac-13:47-20", software="feltwire 0.1.0", devices=devices, statistics=keys
            )
        elif step == 0:
            data = RoundOpened(**common, round=number)
        elif step == 1:
            data = NoMoreBets(**common, round=number, by="dealer", rule="13:47-20.32(j)2")
        elif step == 2:
            pocket = POCKETS[(seq * 2_654_435_761 + seed) // 97 % 37]
            result = {"pocket": pocket, "index": 3, "color": "red"}
            evidence = Evidence(revolutions=11.5, passes=34, missed_passes=0, off_center=0.08, rotor_rpm=17.2)
            data = Outcome(**common, round=number, result=result, winning=[], rule="13:47-20.32(k)", evidence=evidence)
        else:
            data = Settled(**common, round=number, by="dealer")
        time = (START + timedelta(seconds=at)).isoformat().replace("+00:00", "Z")
        yield Event(
            id=f"{table}.e1.{seq}",
            source=f"/tables/{table}",
            type=type_of(type(data)),
            time=time,
            sequence=f"{seq:020d}",
            data=data,
        )


def statistics_lines(sizes: StatisticsSizes) -> list[ReportLine]:
    """Measures."""
    with tempfile.TemporaryDirectory(prefix="statistics-bench-") as name:
        folder = Path(name)
        events = write_events(folder / "all.jsonl", sizes)
        tenth = StatisticsSizes(sizes.events // 10, sizes.tables)
        write_events(folder / "tenth.jsonl", tenth)
        ours = _run("collect", folder / "all.jsonl", folder / "all")
        small = _run("collect", folder / "tenth.jsonl", folder / "tenth")
        bare = _run("bare", folder / "all.jsonl", folder / "bare.parquet")
        summary = _run("summary", folder / "all.jsonl", folder / "all")
        size = sum(path.stat().st_size for path in (folder / "all").rglob("*.parquet"))
    rate, peer = events / ours["seconds"], events / bare["seconds"]
    growth = ours["peak_mb"] / small["peak_mb"]
    beside = Quantity(peer, "events/s", label="DuckDB alone, rows ready")
    memory = Quantity(small["peak_mb"], "MB", label="of a tenth")
    return [
        ReportLine("events a second into Parquet", Quantity(rate, "events/s"), beside, peer / rate, MOST_TIMES),
        ReportLine("peak memory", Quantity(ours["peak_mb"], "MB"), memory, growth, MOST_GROWTH),
        ReportLine("peak memory of DuckDB alone", Quantity(bare["peak_mb"], "MB")),
        ReportLine("on the disk", Quantity(size / events, "bytes an event")),
        ReportLine("a summary of all", Quantity(summary["seconds"], "s", ".1f"), f"{summary['peak_mb']:.0f} MB"),
    ]


def _run(what: str, source: Path, target: Path) -> dict[str, float]:
    """One measurement in a process of its own."""
    words = [sys.executable, "-m", "benchmarks.statistics_bench", what, str(source), str(target)]
    found: dict[str, float] = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
    return found


def _measure(what: str, source: Path, target: Path) -> dict[str, float]:
    if what == "bare":
        ready = target.with_suffix(".rows")
        ready_rows(source, ready)
        # The peer is a process that only writes: what made the rows is not its memory.
        return _run("bare-write", ready, target)
    begin = perf_counter()
    if what == "collect":
        with collecting(target) as collector:
            collect_export(source, "hall", collector)
    elif what == "summary":
        summarize(Dataset(target), Choice(), GAME)
    else:
        write_bare(source, target)
    seconds = perf_counter() - begin
    return {"seconds": seconds, "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6}


def ready_rows(source: Path, ready: Path) -> None:
    """Writes the rows of all events as JSON: their columns that are not null."""
    with tempfile.TemporaryDirectory(dir=ready.parent) as folder:
        with collecting(Path(folder)) as collector:
            collect_export(source, "hall", collector)
        with Dataset(Path(folder)).opened(Choice()) as sql, ready.open("wb") as file:
            found = sql.execute('SELECT * REPLACE (epoch_ns(time) AS time) FROM event ORDER BY "table", seq')
            while rows := found.fetchmany(10_000):
                for row in rows:
                    stated = {name: value for name, value in zip(COLUMNS, row, strict=True) if value is not None}
                    file.write(msgspec.json.encode(stated) + b"\n")


def write_bare(source: Path, target: Path) -> None:
    """What a user of DuckDB writes: one statement."""
    names = ", ".join(f'"{name}"' for name in COLUMNS)
    columns = {name: "BIGINT" if column.type == TIME else column.type for name, column in COLUMNS.items()}
    with duckdb.connect() as connection:
        connection.execute(
            f"COPY (SELECT {names} FROM read_json(?, format = 'newline_delimited', columns = {columns})) "
            f"TO '{target}' (FORMAT parquet, COMPRESSION zstd)",
            [str(source)],
        )


def print_statistics(console: Console, sizes: StatisticsSizes) -> list[ReportLine]:
    """Measures and prints."""
    title = f"Statistics of a fleet: {sizes.events:,} events of {sizes.tables} tables"
    return print_lines(console, title, statistics_lines(sizes))


def main() -> None:
    """Without words, measures and prints; with them, one measurement as JSON."""
    if len(sys.argv) == 4:
        print(json.dumps(_measure(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))))
    else:
        print_statistics(Console(), StatisticsSizes())


if __name__ == "__main__":
    main()
