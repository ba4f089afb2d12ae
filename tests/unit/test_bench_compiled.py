"""`make bench` measures compiled modules where they can be made, and plain Python beside them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from benchmarks import __main__ as command
from benchmarks import compiled
from benchmarks.figures import Section
from benchmarks.parts import PARTS, ROOT

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
    monkeypatch.setattr("systemd.package.wheels.compiled_copy", lambda: Path("/copy"))
    return found


def test_it_starts_again_with_the_compiled_packages_before_the_checkout(
    started: list[tuple[Sequence[str], Mapping[str, str]]],
) -> None:
    with pytest.raises(StartedError):
        command.main([], again=True)
    words, environment = started[0]
    assert list(words[1:3]) == ["-m", "benchmarks"]
    assert environment["PYTHONPATH"] == f"/copy{os.pathsep}{ROOT}"
    assert environment["PYTHONSAFEPATH"] == "1"


@pytest.mark.parametrize("words", [["history"], ["--plain"]])
def test_what_measures_nothing_compiled_compiles_nothing(
    words: list[str], started: list[tuple[Sequence[str], Mapping[str, str]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "_measure", lambda _: 0)
    assert command.main(words, again=True) == 0
    assert started == []


def test_without_a_compiler_plain_python_is_measured_and_why_is_printed(
    started: list[tuple[Sequence[str], Mapping[str, str]]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
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
    assert row.ratio > 1
