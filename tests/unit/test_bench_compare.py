"""Two commits are compared in turns; what drifts hits both alike, and nothing is left of them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from types import ModuleType

import pytest

from benchmarks import __main__ as command
from benchmarks import compare
from benchmarks.compare import CompareError, Interval, checkouts, compared
from benchmarks.parts import strangers
from benchmarks.records import KeptFigure

RATE = KeptFigure("Wheel", "edges", "edges/s", "more", 100.0)
MEMORY = KeptFigure("Service", "memory", "MB", "less", 50.0)
PART = """
import os, signal, sys
from pathlib import Path
speed = Path("speed").read_text()
if speed == "broken":
    sys.exit("no module named drivers")
if speed.startswith("hangs"):
    Path(speed.split(maxsplit=1)[1]).write_text(str(os.getpid()))
    os.kill(os.getppid(), signal.SIGINT)
    signal.pause()
print(f'[{{"section":"Wheel","name":"edges","unit":"edges/s","better":"more","value":{speed}}}]')
"""


def git(folder: Path, *words: str) -> str:
    named = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-C", str(folder))
    return subprocess.run(["git", *named, *words], check=True, capture_output=True, text=True).stdout.strip()


def committed(folder: Path, name: str, text: str) -> str:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", name)
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A project of its own, whose benchmarks read their speed from a file."""
    folder, temporary = tmp_path / "tree", tmp_path / "temporary"
    temporary.mkdir()
    folder.mkdir()
    git(folder, "init", "-q")
    committed(folder, "requirements/dev.lock", "aiohttp==3.14.5 \\\n    --hash=sha256:1\nmsgspec==0.20.0\n")
    committed(folder, "benchmarks/parts.py", PART)
    (folder / "benchmarks/__init__.py").touch()
    monkeypatch.setattr(compare, "ROOT", folder)
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    yield folder
    assert [*temporary.iterdir()] == []
    assert len(git(folder, "worktree", "list").splitlines()) == 1


def test_two_commits_are_measured_in_turns_and_the_slower_one_is_worse(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    a, b = committed(repository, "speed", "100"), committed(repository, "speed", "90")
    (repository / "speed").write_text("1")
    assert command.main(["compare", a[:10], "HEAD", "--figure", "decoding"]) == 0
    out, err = capsys.readouterr()
    assert f"A {a[:8]}, B {b[:8]}; 6 blocks of four runs" in out
    assert "Wheel: edges, edges/s" in out
    assert "0.900  0.900-0.900   worse" in out
    assert "not committed (" in err
    assert "they are in neither commit" in err
    assert "decoding: block 2 of 6, BAAB" in err


@pytest.mark.parametrize("name", ["nowhere", "--all", ""])
def test_an_unknown_commit_is_refused(name: str, repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    known = committed(repository, "speed", "100")
    assert command.main(["compare", "--", known, name]) == 1
    assert f"{name!r} is no commit of this repository" in capsys.readouterr().err


def test_commits_of_other_packages_are_refused_with_their_names(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    a = committed(repository, "requirements/dev.lock", "aiohttp==3.14.4\nduckdb==2.0.0\nmsgspec==0.20.0\n")
    b = committed(repository, "requirements/dev.lock", "aiohttp==3.14.5\nmsgspec==0.20.0\n")
    assert command.main(["compare", a, b]) == 1
    said = capsys.readouterr().err
    assert f"{a[:8]} is locked to other packages than the .venv here: aiohttp 3.14.4 (here 3.14.5), duckdb" in said
    git(repository, "rm", "-q", "requirements/dev.lock", "--cached")
    git(repository, "commit", "-qm", "no lock")
    assert command.main(["compare", b, "HEAD"]) == 1
    assert "has no requirements/dev.lock" in capsys.readouterr().err


def test_too_few_blocks_are_refused(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["compare", "HEAD", "HEAD", "--blocks", "5"]) == 1
    assert "6 or more are needed for an interval of 95%" in capsys.readouterr().err


def test_a_commit_that_cannot_be_measured_is_named_with_its_error(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    a, b = committed(repository, "speed", "100"), committed(repository, "speed", "broken")
    assert command.main(["compare", a, b, "--figure", "decoding"]) == 1
    assert "decoding cannot be measured in B: no module named drivers" in capsys.readouterr().err


def test_an_interruption_ends_the_run_and_leaves_nothing_but_what_others_started(
    repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    started = tmp_path / "pid"
    a = committed(repository, "speed", f"hangs {started}")
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as of_others:
        assert command.main(["compare", a, a, "--figure", "decoding"]) == 130
        assert of_others.poll() is None
        with pytest.raises(ChildProcessError):
            os.waitpid(int(started.read_text()), os.WNOHANG)
    assert "interrupted" in capsys.readouterr().err


def test_a_failure_within_the_checkouts_leaves_nothing(repository: Path) -> None:
    a = committed(repository, "speed", "100")

    def failing() -> None:
        with checkouts(a, a) as paths:
            assert (paths["A"] / "speed").read_text() == (paths["B"] / "speed").read_text() == "100"
            raise CompareError("something")

    with pytest.raises(CompareError, match="something"):
        failing()


def measured(ratio: float, drift: float = 0.0, noise: float = 0.0) -> list[compare.Compared]:
    """Compares two commits, of which B has this many times the rate and the memory of A; the machine drifts."""
    draw, runs = Random(3), 0

    def measure(side: str, name: str) -> list[KeptFigure]:
        nonlocal runs
        runs += 1
        factor = (ratio if side == "B" else 1.0) * (1 + drift) ** runs * (1 + draw.uniform(-noise, noise))
        return [
            KeptFigure("Wheel", "edges", "edges/s", "more", 100 * factor),
            KeptFigure("Service", "memory", "MB", "less", 50 * factor),
            KeptFigure("Service", "nothing", "MB", "less", 0.0),
        ]

    return compared(["wheel"], None, 12, measure, lambda said: None)


@pytest.mark.parametrize("drift", [0.0, 0.01, -0.01])
def test_what_drifts_evenly_shows_in_no_ratio(drift: float) -> None:
    for one in measured(1.03, drift):
        assert one.ratio == pytest.approx(1.03)
        assert (one.interval.low, one.interval.high) == pytest.approx((1.03, 1.03))


@pytest.mark.parametrize(
    ("ratio", "rate", "memory"),
    [
        (1.1, "better", "worse"),
        (0.9, "worse", "better"),
        (1.0, "no difference seen", "no difference seen"),
    ],
)
def test_a_difference_beyond_the_noise_is_better_or_worse_by_its_unit(ratio: float, rate: str, memory: str) -> None:
    assert [one.verdict for one in measured(ratio, 0.002, 0.02)] == [rate, memory]


@pytest.mark.parametrize(
    ("count", "low", "high", "confidence"), [(6, 1, 6, 31 / 32), (9, 2, 8, 0.9609), (12, 3, 10, 0.9614)]
)
def test_intervals_are_those_of_the_binomial_distribution(
    count: int, low: float, high: float, confidence: float
) -> None:
    ratios = [float(n) for n in range(1, count + 1)]
    Random(1).shuffle(ratios)
    assert Interval.of(ratios) == pytest.approx((low, high, confidence), abs=1e-4)


def test_five_ratios_have_no_interval() -> None:
    with pytest.raises(CompareError, match="5 blocks give no interval of 95%; run 6 or more"):
        Interval.of([1.0] * 5)


def test_figures_that_one_side_alone_has_are_said_and_none_is_refused() -> None:
    said: list[str] = []

    def measure(side: str, name: str) -> list[KeptFigure]:
        return [RATE, MEMORY] if side == "B" else [RATE]

    assert [one.key for one in compared(["wheel"], None, 6, measure, said.append)] == ["Wheel: edges"]
    assert "Service: memory: only B has it" in said
    with pytest.raises(CompareError, match="no figure that both have has 'memory' in its name"):
        compared(["wheel"], "memory", 6, measure, said.append)


@pytest.mark.parametrize(
    ("figure", "parts"),
    [
        ("Money Wheel", ["money-wheel"]),
        ("roulette", ["roulette", "simulation"]),
        ("Service: start to open table", ["service"]),
        ("statistics", ["statistics"]),
    ],
)
def test_only_the_parts_that_may_have_a_figure_are_measured(figure: str, parts: list[str]) -> None:
    assert [*compare.chosen_parts(figure)] == parts


def test_without_a_figure_the_quick_parts_are_measured() -> None:
    assert "service" not in compare.chosen_parts(None)
    assert "service" in compare.chosen_parts("gpiozero")


def test_a_module_of_another_tree_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert strangers() == []
    monkeypatch.setattr("benchmarks.parts.ROOT", tmp_path)
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    assert "benchmarks.parts" in strangers()


def test_a_module_of_this_tree_that_is_a_link_to_a_file_elsewhere_is_none_of_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = ModuleType("linked")
    (tmp_path / "linked.py").symlink_to("/etc/linked.py")
    module.__file__ = str(tmp_path / "linked.py")
    monkeypatch.setitem(sys.modules, "linked", module)
    assert "linked" in strangers()
    monkeypatch.setattr(sys, "base_prefix", str(tmp_path))
    assert "linked" not in strangers()
