"""A table's boards without hardware: the copy of its file, and its wires."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from command_line.exit_codes import BAD_CONFIGURATION
from controller.boards.emulation import check_built, check_links, check_playable, emulated_copy, wiring_of
from controller.cli import main
from controller.configuration.document import read_document
from controller.games.load import check_text
from hal.board.messages import KINDS
from simulators.board import emulated, pico
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
    monkeypatch.setattr(emulated, "LIBRARY", tmp_path / "libsimboard.so")
    with pytest.raises(EmulationError, match=r"there is no .*libsimboard\.so; build .* with: make firmware"):
        check_built(configured(ROULETTE.read_text()))
    (tmp_path / "libsimboard.so").touch()
    with pytest.raises(EmulationError, match=r"there is no .*wheel\.elf"):
        check_built(configured(ROULETTE.read_text()))
    monkeypatch.setattr(pico, "MODULES", tmp_path / "node_modules")
    with pytest.raises(EmulationError, match=r"there is no .*node_modules; build .* make -C firmware pico"):
        check_built(configured((EXAMPLES / "money_wheel_pico.toml").read_text()))
    of_pico_2 = (EXAMPLES / "money_wheel_pico.toml").read_text().replace('"rp2040"', '"rp2350"')
    with pytest.raises(EmulationError, match=r'nothing emulates the Raspberry Pi Pico 2 .* write chip = "rp2040"'):
        check_built(configured(of_pico_2))


def test_faults_of_a_chain_in_memory_are_refused_where_the_lamps_hang_on_pins() -> None:
    path = EXAMPLES / "sic_bo_board.toml"
    result = CliRunner().invoke(main, ["boards", "emulate", str(path), "--fault", "lamp_dead@2"])
    assert result.exit_code == BAD_CONFIGURATION
    assert "its lamps have no fault lamp_dead" in result.output
    assert "run feltwire simulate TABLE.toml with them" in result.output
    check_playable({1: "short_shake", None: "keypad_key_stuck"})


def test_the_keys_of_a_keypad_are_numbered_as_the_board_scans_them() -> None:
    config = configured((EXAMPLES / "sic_bo_board.toml").read_text())
    keys = wiring_of(config, "layout").keys
    kind = KINDS["table"]
    assert {line: kind.keys[key] for line, key in keys.items()} == {
        **{f"key_{value}": str(value) for value in range(1, 7)},
        "key_enter": "enter",
        "key_clear": "clear",
    }


def test_a_link_of_a_table_on_boards_is_on_a_port_in_the_folder(tmp_path: Path) -> None:
    values = read_document(EXAMPLES / "baccarat_board.toml").values
    config = configured(emulated_copy(values, tmp_path))
    assert {name: link.port for name, link in config.links.items()} == {
        "shoe": str(tmp_path / "link-shoe"),
        "shuffler": str(tmp_path / "link-shuffler"),
    }
    assert config.simulated
    check_links(config)


def test_a_display_beside_boards_is_on_a_port_too_and_is_read_by_nobody(tmp_path: Path) -> None:
    values = dict(read_document(ROULETTE).values)
    values["links"] = {"number_display": {"port": "/dev/ttyS9"}}
    values["device"] = {**values["device"], "display": {"driver": "number_display"}}
    config = configured(emulated_copy(values, tmp_path))
    assert config.links["number_display"].port == str(tmp_path / "link-number_display")
    check_links(config)


def test_a_link_that_nothing_stands_in_for_is_refused(tmp_path: Path) -> None:
    config = configured(emulated_copy(read_document(EXAMPLES / "baccarat_board.toml").values, tmp_path))
    config = config._replace(wires=config.wires._replace(links={"other": config.links["shoe"]}))
    with pytest.raises(EmulationError, match="nothing replaces what is on the link other"):
        check_links(config)
