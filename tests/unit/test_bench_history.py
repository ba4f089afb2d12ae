"""Runs of the benchmarks are kept by commit and machine, read strictly, and shown by figure."""

from __future__ import annotations

from datetime import UTC, datetime
from math import inf
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import __main__ as command
from benchmarks import records
from benchmarks.figures import Quantity, RateFigure, ReportLine, Section
from benchmarks.records import BenchMachine, KeptFigure, RecordError, Run

MACHINE = BenchMachine("AMD EPYC", 2, "6.1.0", "3.11.7", None)
PI = BenchMachine("Raspberry Pi 4 Model B", 4, "6.6.20", "3.11.2", "ondemand")
WHEEL = KeptFigure(
    "Money wheel", "prebuilt edges", "edges/s", "more", 1_200_000, "gpiozero", 300_000, 4.0, 10.0, "MISSED"
)
MEMORY = KeptFigure("Service", "idle: memory", "MB", "less", 54, "limit", 60, 0.9, 1.0, "met")
START = KeptFigure("Service", "start to open table", "s", "less", 1.2)


def run(day: int = 1, machine: BenchMachine = MACHINE, *figures: KeptFigure, dirty: bool = False) -> Run:
    date = datetime(2026, 11, day, 12, tzinfo=UTC)
    return Run(f"{day:08d}" + "ab" * 16, dirty, date, machine, 0.1, figures or (WHEEL, MEMORY, START))


def kept(path: Path, *runs: Run) -> Path:
    for one in runs:
        records.append(one, path)
    return path


def shown(path: Path, capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert command.main(["history", *words, "--file", str(path)]) == 0
    return capsys.readouterr().out


def test_what_is_kept_is_read_again_oldest_first(tmp_path: Path) -> None:
    path = kept(tmp_path / "history.jsonl", run(2), run(1, PI, dirty=True))
    assert records.read(path) == [run(1, PI, dirty=True), run(2)]
    assert len(path.read_text().splitlines()) == 2


def test_a_last_line_without_its_end_is_ended_first(tmp_path: Path) -> None:
    path = kept(tmp_path / "history.jsonl", run(1))
    path.write_text(path.read_text().rstrip("\n"))
    assert records.read(kept(path, run(2))) == [run(1), run(2)]


def changed(**keys: Any) -> bytes:
    return msgspec.json.encode({**msgspec.to_builtins(run()), **keys})


FIGURE: dict[str, Any] = msgspec.to_builtins(WHEEL)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"", "data was truncated"),
        (b"{", "data was truncated"),
        (b"\xff", "malformed"),
        (changed(commit="5199"), "`$.commit`"),
        (changed(dirty=1), "`$.dirty`"),
        (changed(date="2026-11-29"), "`$.date`"),
        (changed(date="2026-11-29T10:00:00"), "timezone component - at `$.date`"),
        (changed(load=-1), "`$.load`"),
        (changed(machine={**msgspec.to_builtins(MACHINE), "cores": 0}), "`$.machine.cores`"),
        (changed(machine={"processor": "x"}), "missing required field `cores` - at `$.machine`"),
        (changed(host="here"), "unknown field `host`"),
        (changed(figures=[{**FIGURE, "better": "faster"}]), "'faster' - at `$.figures[0].better`"),
        (changed(figures=[{**FIGURE, "mark": "met"}]), "mark met beside ratio 4.0 and goal 10.0"),
        (changed(figures=[{**FIGURE, "mark": None}]), "mark None beside ratio 4.0 and goal 10.0"),
        (
            changed(figures=[{"section": "a", "name": "b", "unit": "s", "better": "less"}]),
            "neither a value nor a ratio",
        ),
        (changed(figures=[FIGURE, FIGURE]), "two figures are 'Money wheel: prebuilt edges / gpiozero'"),
    ],
)
def test_a_line_that_is_no_run_is_named_and_nothing_is_added(
    line: bytes, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = kept(tmp_path / "history.jsonl", run())
    path.write_bytes(whole := path.read_bytes() + line + b"\n")
    with pytest.raises(RecordError, match=r"history\.jsonl:2: .*; fix the line, or take it from the last") as refusal:
        records.append(run(2), path)
    assert said in str(refusal.value)
    assert path.read_bytes() == whole
    assert command.main(["history", "--file", str(path)]) == 1
    assert f"benchmarks: {path}:2: " in capsys.readouterr().err


@given(st.binary(max_size=60))
def test_any_bytes_are_a_history_or_refused(tmp_path_factory: pytest.TempPathFactory, noise: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "noise.jsonl"
    path.write_bytes(noise)
    try:
        assert records.read(path) == []
    except RecordError as error:
        assert "noise.jsonl:" in str(error)


@pytest.mark.parametrize("number", [float("inf"), float("nan")])
def test_an_endless_number_is_no_figure(number: float) -> None:
    with pytest.raises(ValueError, match="is no figure"):
        KeptFigure("Service", "start", "s", "less", number)


def test_a_folder_is_no_history(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="Is a directory"):
        records.read(tmp_path)


def test_a_run_needs_a_commit() -> None:
    with pytest.raises(RecordError, match="no checkout of git"):
        records.begin("unknown", ", changed")
    begun = records.begin("a" * 40 + ", changed", ", changed")
    assert (begun.commit, begun.dirty) == ("a" * 40, True)
    assert begun.ended([START]).machine == records.this_machine()


def test_every_number_of_a_report_is_kept_with_its_unit_goal_and_mark() -> None:
    section = Section("Wheel", "edges/s", "", (RateFigure("ours", 50.0, "theirs", 10.0, 5.0, 10.0, 99),))
    assert records.of_section(section) == [
        KeptFigure("Wheel", "ours", "edges/s", "more", 50.0, "theirs", 10.0, 5.0, 10.0, "MISSED")
    ]
    lines = [
        ReportLine("  at p50", Quantity(3.0, "ms"), Quantity(2.0, "ms", label="SQLite"), 1.5, 1.15),
        ReportLine("hop", (Quantity(1.0, "ms", label="p50"), Quantity(2.0, "ms", label="p99"))),
        ReportLine("memory", Quantity(50, "MB"), Quantity(60, "MB"), 50 / 60, 1),
        ReportLine("rate", Quantity(8.0, "events/s"), more_is_better=True),
        ReportLine("bursts", "50 whole"),
        ReportLine("never", Quantity(inf, "ms"), Quantity(1000, "ms"), inf, 1.0),
    ]
    assert records.of_lines("Service", lines) == [
        KeptFigure("Service", "at p50", "ms", "less", 3.0, "SQLite", 2.0, 1.5, 1.15, "MISSED"),
        KeptFigure("Service", "hop, p50", "ms", "less", 1.0),
        KeptFigure("Service", "hop, p99", "ms", "less", 2.0),
        KeptFigure("Service", "memory", "MB", "less", 50, "limit", 60, 50 / 60, 1, "met"),
        KeptFigure("Service", "rate", "events/s", "more", 8.0),
        KeptFigure("Service", "never", "", "less", None, "limit", 1000, 1e9, 1.0, "MISSED"),
    ]


def test_the_overview_has_the_last_run_of_each_machine_and_its_trend(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    faster = msgspec.structs.replace(WHEEL, ratio=5.0)
    slower = msgspec.structs.replace(START, value=1.5)
    path = kept(tmp_path / "h", run(1), run(2, PI), run(3, MACHINE, faster, MEMORY, slower, dirty=True))
    text = shown(path, capsys)
    first, second = text.split("\n\n")
    assert first.startswith(
        "AMD EPYC, 2 cores, Python 3.11, plain: 00000003+ of 2026-11-03 12:00, load 0.10, plain; the trend is"
    )
    rows = {line.split(":")[1].split(" /")[0].strip(): line for line in first.splitlines()[1:]}
    assert rows["prebuilt edges"].endswith("1.20 M edges/s    5.00 x MISSED +25.0% better")
    assert rows["idle"].endswith("54.0 MB   0.900 x met    same")
    assert first.splitlines()[3].endswith("1.50 s                  +25.0% worse")
    # Never a trend over machines.
    assert second.startswith("Raspberry Pi 4 Model B, 4 cores, governor ondemand, Python 3.11, plain: 00000002 of")
    assert "better" not in second


def test_a_figure_is_shown_in_every_run_and_over_machines_by_ratio(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    slower = msgspec.structs.replace(WHEEL, ratio=3.0)
    text = shown(kept(tmp_path / "h", run(1), run(2, PI), run(3, MACHINE, slower)), capsys, "MONEY")
    lines = [line.split() for line in text.splitlines()]
    assert text.splitlines()[0] == "Money wheel: prebuilt edges / gpiozero"
    assert (lines[4][:-1]) == [
        "2026-11-03",
        "12:00",
        "00000003",
        "0.10",
        "1.20",
        "M",
        "300",
        "k",
        "3.00",
        "x",
        "MISSED",
        "-25.0%",
    ]
    assert text.splitlines()[-1].startswith(
        "  last ratios: 3.00 x on AMD EPYC, 2 cores, Python 3.11, plain; 4.00 x on R"
    )
    assert "start to open table" not in text


def test_plain_and_compiled_runs_of_one_machine_have_trends_of_their_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fast, faster = (msgspec.structs.replace(WHEEL, ratio=ratio) for ratio in (8.0, 8.8))
    by_mypyc = [
        msgspec.structs.replace(run(day, MACHINE, figure), code=f"compiled by mypyc 1.{day}")
        for day, figure in ((2, fast), (4, faster))
    ]
    path = kept(tmp_path / "h", run(1), by_mypyc[0], run(3), by_mypyc[1])
    plain, compiled = shown(path, capsys).split("\n\n")
    assert plain.startswith("AMD EPYC, 2 cores, Python 3.11, plain: 00000003 of")
    assert "better" not in plain
    assert compiled.startswith("AMD EPYC, 2 cores, Python 3.11, compiled: 00000004 of 2026-11-04 12:00, load 0.10")
    assert "compiled by mypyc 1.4; the trend is since 00000002 of" in compiled
    assert compiled.rstrip().endswith("+10.0% better")
    table = shown(path, capsys, "money")
    assert (table.count("+10.0% better"), table.count("same"), table.count("%")) == (1, 1, 1)
    assert table.rstrip().endswith(
        "4.00 x on AMD EPYC, 2 cores, Python 3.11, plain; 8.80 x on AMD EPYC, 2 cores, Python 3.11, compiled"
    )


def test_a_figure_that_no_run_has_and_an_empty_history_are_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "history.jsonl"
    assert "no run is kept yet" in shown(path, capsys)
    kept(path, run())
    assert command.main(["history", "speed of light", "--file", str(path)]) == 1
    assert "no figure has 'speed of light' in its name" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("figures", "status", "end"),
    [
        (
            (WHEEL, MEMORY, START),
            1,
            "1 of 2 goals are MISSED:\n  Money wheel: prebuilt edges / gpiozero: 4 x, the goal is at least 10 x",
        ),
        ((MEMORY, START), 0, "All 1 goals are met."),
    ],
)
def test_a_measurement_ends_with_what_is_missed_and_is_kept(
    figures: tuple[KeptFigure, ...],
    status: int,
    end: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(command, "commit", lambda: "c" * 40)
    path = tmp_path / "history.jsonl"
    assert command.main(["--json", str(path)], measure=lambda: [*figures]) == status
    assert capsys.readouterr().out.rstrip().endswith(end)
    (read,) = records.read(path)
    assert (read.commit, read.figures, read.code) == ("c" * 40, figures, "plain")


def test_a_history_that_is_broken_is_refused_before_anything_is_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "history.jsonl"
    path.write_text("{}\n")
    assert command.main(["--json", str(path)], measure=lambda: pytest.fail("it was measured")) == 1
    assert "history.jsonl:1: " in capsys.readouterr().err
