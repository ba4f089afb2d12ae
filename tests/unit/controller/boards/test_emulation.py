"""A table's boards without hardware: the copy of its file, and its wires."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from controller.boards import emulation
from controller.boards.emulation import check_built, check_playable, emulated_copy, wiring_of
from controller.cli import BAD_CONFIGURATION, main
from controller.configuration.document import read_document
from controller.games.load import check_text
from simulators.board.library import EmulationError
from tests.tables.bench import configured

EXAMPLES = Path(__file__).resolve().parents[4] / "examples"
ROULETTE = EXAMPLES / "roulette_board.toml"


def test_the_copy_of_a_file_has_emulated_boards_and_says_so(tmp_path: Path) -> None:
    report = check_text(emulated_copy(read_document(ROULETTE).values, tmp_path))
    assert [str(problem) for problem in report.problems] == []
    table = report.tables[0]
    assert {name: board.port for name, board in table.boards.items()} == {
        "wheel": str(tmp_path / "wheel"),
        "desk": str(tmp_path / "desk"),
    }
    assert table.simulated
    assert table.opens == "at_start"
    original = configured(ROULETTE.read_text())
    assert table.terminals == original.terminals
    assert table.devices == original.devices


def test_the_copy_of_a_file_asks_nobody_to_inspect_the_wheel(tmp_path: Path) -> None:
    values = read_document(ROULETTE).values
    values["table"]["inspection"] = "opening"
    assert check_text(emulated_copy(values, tmp_path)).errors == []


def test_lines_are_wired_to_the_pins_of_their_terminals() -> None:
    table = configured(ROULETTE.read_text())
    wheel, desk = wiring_of(table, "wheel"), wiring_of(table, "desk")
    assert wheel.pins["rotor_a"].pin == "D2"
    assert wheel.pins["rotor_a"].inverted
    assert wheel.pins["object"].pin == "C1"
    assert "dealer_void" not in wheel.pins
    assert desk.pins["supervisor_key"].pin == "D5"
    level = wheel.analogues["level_x"]
    assert level.channel == "C2"
    assert (level.share(-12.5), level.share(0.0), level.share(12.5)) == (0.0, 0.5, 1.0)


def test_a_falling_scale_is_wired_upside_down() -> None:
    table = configured(ROULETTE.read_text().replace("per_v = 5.0", "per_v = -5.0"))
    level = wiring_of(table, "wheel").analogues["level_x"]
    assert (level.share(-12.5), level.share(0.0), level.share(12.5)) == (1.0, 0.5, 0.0)


def test_what_was_not_built_is_named_with_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emulation, "LIBRARY", tmp_path / "libsimboard.so")
    with pytest.raises(EmulationError, match=r"there is no .*libsimboard\.so; build .* with: make firmware"):
        check_built(configured(ROULETTE.read_text()))
    (tmp_path / "libsimboard.so").touch()
    with pytest.raises(EmulationError, match=r"there is no .*wheel\.elf"):
        check_built(configured(ROULETTE.read_text()))


@pytest.mark.parametrize(
    ("name", "missing"),
    [
        ("beat_the_dealer", ["the keypad of the board table (key_1, ", "; what the board table moves (motor)"]),
        ("under_over", ["the keypad of the board table (key_1, ", "dealer_no_more_bets)"]),
        ("sic_bo", ["the keypad of the board layout (key_1, ", "; the lamp chain of the board layout"]),
    ],
)
def test_a_table_with_a_keypad_or_lamps_is_refused_with_what_is_missing(name: str, missing: list[str]) -> None:
    path = EXAMPLES / f"{name}_board.toml"
    result = CliRunner().invoke(main, ["boards", "emulate", str(path)])
    assert result.exit_code == BAD_CONFIGURATION
    assert "the table cannot play, because these are not emulated: " in result.output
    assert all(part in result.output for part in missing), result.output
    assert 'write backend = "sim" in [lines] of a copy of the file, and run feltwire simulate COPY' in result.output


@pytest.mark.parametrize("name", ["roulette", "money_wheel"])
def test_a_table_of_sensors_and_contacts_can_play_on_emulated_boards(name: str) -> None:
    check_playable(configured((EXAMPLES / f"{name}_board.toml").read_text()))
