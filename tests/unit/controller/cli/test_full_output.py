"""Standard output on a full disk ends a command with a message."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import click
import pytest

from controller.cli import main


@pytest.mark.parametrize("buffered", [True, False])
@pytest.mark.parametrize("args", [["--help"], ["check", "examples/roulette.toml"], ["pins", "examples/roulette.toml"]])
def test_output_that_cannot_be_written_is_named_and_not_a_traceback(
    args: list[str], buffered: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with io.TextIOWrapper(Path("/dev/full").open("wb", -1 if buffered else 0), write_through=not buffered) as full:
        monkeypatch.setattr(sys, "stdout", full)
        with pytest.raises(SystemExit) as left:
            main(args)
    assert left.value.code == 1
    assert "standard output cannot be written: No space left on device; " in capsys.readouterr().err


def test_a_full_disk_elsewhere_is_not_taken_for_that_of_the_output(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(click, "echo", full)
    with pytest.raises(OSError, match="No space left"):
        main(["check", "examples/roulette.toml"])
