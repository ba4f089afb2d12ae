"""What `feltwire check` prints."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from controller.cli import main

BOARD = Path("examples/roulette_board.toml").read_text(encoding="utf-8")


def test_a_long_sentence_is_printed_once_and_each_mistake_keeps_its_line(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    file.write_text(BOARD.replace('backend = "board"', 'backend = "gpiod"'))
    shown = CliRunner().invoke(main, ["check", str(file)]).stderr.splitlines()
    inputs = [line for line in shown if ".input: " in line]
    assert "pins.rotor_a.input: input is for boards, and " in inputs[0]
    first = inputs[0].removeprefix(f"{file}:").partition(":")[0]
    assert len(inputs) == BOARD.count(", input = ")
    assert all(line.endswith(f".input: as in line {first}") for line in inputs[1:])
    assert shown[-1] == "16 mistakes"
