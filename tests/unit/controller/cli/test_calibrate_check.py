"""`feltwire calibrate --check` only reports."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from controller.cli import main


def test_a_check_of_a_calibration_makes_no_key_and_writes_nothing(tmp_path: Path) -> None:
    state = tmp_path / "state"
    args = ["calibrate", "examples/roulette_on_pi.toml", "--check", "--state", str(state)]
    result = CliRunner().invoke(main, args)
    assert (result.exit_code, "calibration missing" in result.output) == (1, True), result.output
    assert not state.exists()
