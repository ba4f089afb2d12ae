"""Restarts of the service that follow each other wait longer each time."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.fakes.time_limits import HANG_S

SCRIPT = Path(__file__).resolve().parents[3] / "systemd" / "libexec" / "back-off"


@pytest.fixture
def runtime(tmp_path: Path) -> Path:
    """The runtime folder of a service; `date` and `sleep` are scripts that give the time of a file, and note a wait."""
    commands = tmp_path / "bin"
    commands.mkdir()
    (tmp_path / "now").write_text("1000")
    for name, text in (("date", f"cat {tmp_path}/now"), ("sleep", f'echo "$1" >> {tmp_path}/slept')):
        (commands / name).write_text(f"#!/bin/sh\n{text}\n")
        (commands / name).chmod(0o755)
    return tmp_path


def call(runtime: Path, word: str, result: str = "signal") -> None:
    environ = {
        "PATH": f"{runtime}/bin:{os.environ['PATH']}",
        "RUNTIME_DIRECTORY": str(runtime),
        "SERVICE_RESULT": result,
    }
    subprocess.run([SCRIPT, word], env=environ, check=True, timeout=HANG_S, capture_output=True)


def slept(runtime: Path) -> list[int]:
    path = runtime / "slept"
    return [int(line) for line in path.read_text().split()] if path.exists() else []


def at(runtime: Path, second: int) -> None:
    (runtime / "now").write_text(str(second))


def test_failures_within_a_minute_of_each_other_wait_twice_as_long_up_to_thirty_seconds(runtime: Path) -> None:
    for _ in range(8):
        call(runtime, "note")
        call(runtime, "wait")
    assert slept(runtime) == [2, 4, 8, 16, 30, 30, 30]


def test_a_failure_long_after_the_one_before_waits_not_at_all(runtime: Path) -> None:
    for number in range(5):
        at(runtime, 1000 + 61 * number)
        call(runtime, "note")
        call(runtime, "wait")
    assert slept(runtime) == []


def test_a_person_who_starts_it_later_does_not_wait_again(runtime: Path) -> None:
    for _ in range(3):
        call(runtime, "note")
    at(runtime, 1003)
    call(runtime, "wait")
    at(runtime, 1005)
    call(runtime, "wait")
    assert slept(runtime) == [1]


def test_a_calendar_that_is_set_back_makes_no_longer_wait(runtime: Path) -> None:
    for _ in range(3):
        call(runtime, "note")
    at(runtime, 10)
    call(runtime, "wait")
    assert slept(runtime) == [4]


def test_an_orderly_end_forgets_the_failures(runtime: Path) -> None:
    for _ in range(3):
        call(runtime, "note")
    call(runtime, "note", result="success")
    call(runtime, "wait")
    assert slept(runtime) == []


@pytest.mark.parametrize("text", ["", "\n", "three 1000\n", "3\n"])
def test_notes_that_cannot_be_read_begin_anew(runtime: Path, text: str) -> None:
    (runtime / "failures").write_text(text)
    call(runtime, "wait")
    call(runtime, "note")
    assert slept(runtime) == []
    assert (runtime / "failures").read_text() == "1 1000\n"
