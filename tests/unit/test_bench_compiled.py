"""`make bench` measures compiled modules where they can be made, and plain Python beside them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from benchmarks import __main__ as command
from benchmarks import compiled
from benchmarks.figures import Section
from benchmarks.parts import PARTS, ROOT
from systemd.package import compiled as compiled_modules
from systemd.package import wheels
from systemd.package.systems import BuildError
from tests.fakes.time_limits import HANG_S

MISSING_TOOLS = compiled_modules.missing_tools
SECTION = Section(PARTS["simulation"].sections[0], "rounds/s", "", ())
OTHER = Section("Reading a VCD capture", "values/s", "", ())


class StartedError(Exception):
    """Instead of another program."""


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Sequence[str], Mapping[str, str]]]:
    """What is started in place of this program: its arguments and environment."""
    found: list[tuple[Sequence[str], Mapping[str, str]]] = []

    def execve(_: str, words: Sequence[str], environment: Mapping[str, str]) -> None:
        found.append((words, environment))
        raise StartedError

    monkeypatch.setattr(os, "execve", execve)
    monkeypatch.setattr(wheels, "compiled_copy", lambda: Path("/copy"))
    monkeypatch.setattr(compiled_modules, "missing_tools", lambda: None)
    return found


def test_it_starts_again_with_the_compiled_packages_before_the_checkout(
    started: list[tuple[Sequence[str], Mapping[str, str]]],
) -> None:
    with pytest.raises(StartedError):
        command.main([], on_compiled=compiled.start_again)
    words, environment = started[0]
    assert list(words[1:3]) == ["-m", "benchmarks"]
    assert environment["PYTHONPATH"] == f"/copy{os.pathsep}{ROOT}"
    assert environment["PYTHONSAFEPATH"] == "1"


@pytest.mark.parametrize("words", [["history"], ["--plain"]])
def test_what_measures_nothing_compiled_compiles_nothing(
    words: list[str], started: list[tuple[Sequence[str], Mapping[str, str]]]
) -> None:
    assert command.main(words, on_compiled=compiled.start_again, measure=list) == 0
    assert started == []


def test_nothing_is_measured_by_whoever_imports_the_command() -> None:
    with pytest.raises(TypeError, match="nothing was given that measures"):
        command.main(["--plain"])


@pytest.mark.parametrize(
    ("runs", "current", "again"), [(wheels.COPY, True, False), (wheels.COPY, False, True), (Path("/venv"), True, True)]
)
def test_compiled_modules_that_run_are_measured_where_they_are_what_would_be_compiled_now(
    runs: Path,
    current: bool,
    again: bool,
    started: list[tuple[Sequence[str], Mapping[str, str]]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for module in (compiled, wheels):
        monkeypatch.setattr(module, "code", lambda: "compiled by mypyc 1.2")
    monkeypatch.setattr(wheels, "RUNS", runs)
    monkeypatch.setattr(wheels, "is_current", lambda: current)
    if again:
        with pytest.raises(StartedError):
            compiled.start_again()
        monkeypatch.setattr(compiled_modules, "missing_tools", lambda: "C compiler")
        with pytest.raises(BuildError, match=r"is not compiled of these sources, .* there is no C compiler"):
            compiled.start_again()
    else:
        compiled.start_again()
    assert len(started) == again


def written(path: Path, text: str) -> str:
    path.write_text(text)
    path.chmod(0o755)
    return str(path)


@pytest.mark.long
def test_a_copy_is_made_again_where_compiler_or_flags_are_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "compiled"
    copy.mkdir()
    compiler = tmp_path / "cc"
    monkeypatch.setenv("CC", written(compiler, "#!/bin/sh\necho cc 12.2.0\n"))
    monkeypatch.delenv("CFLAGS", raising=False)
    assert not wheels.is_current(copy)
    (tmp_path / "compiled.of").write_text(wheels._sources())
    assert wheels.is_current(copy)
    written(compiler, "#!/bin/sh\necho cc 14.1.0\n")
    assert not wheels.is_current(copy)
    (tmp_path / "compiled.of").write_text(wheels._sources())
    monkeypatch.setenv("CFLAGS", "-O1")
    assert not wheels.is_current(copy)
    monkeypatch.setenv("CC", "no-such-compiler")
    assert not wheels.is_current(copy)


def test_the_checks_name_a_missing_compiler() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.compiled", "--ready"],
        cwd=ROOT,
        env={**os.environ, "CC": "no-such-compiler"},
        capture_output=True,
        text=True,
        check=False,
        timeout=HANG_S,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "compiled modules: there is no C compiler (no-such-compiler): sudo apt install gcc libc6-dev\n"
    )


def test_without_a_compiler_plain_python_is_measured_and_why_is_printed(
    started: list[tuple[Sequence[str], Mapping[str, str]]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(compiled_modules, "missing_tools", MISSING_TOOLS)
    monkeypatch.setenv("CC", "no-such-compiler")
    compiled.start_again()
    assert started == []
    assert "plain Python is measured, because there is no C compiler (no-such-compiler)" in capsys.readouterr().err


@pytest.mark.long
def test_a_section_of_compiled_modules_has_a_row_of_plain_python_without_a_goal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert compiled.with_plain(SECTION) is SECTION
    monkeypatch.setattr(compiled, "code", lambda: "compiled by mypyc 1.2")
    assert compiled.with_plain(OTHER) is OTHER
    (row,) = compiled.with_plain(SECTION).figures
    assert (row.name, row.peer, row.target) == ("plain Python", "real time", None)
    assert row.rate > 0
