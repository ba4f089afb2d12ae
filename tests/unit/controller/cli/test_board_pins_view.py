"""The wiring of a table on boards: each terminal, and a drawing of the board with what is printed on it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from controller.cli import main
from controller.cli.board_pins_view import boards_view
from controller.configuration.nano import NANO, printed
from controller.configuration.terminals import places_of
from hal.board.messages import KINDS
from tests.tables.bench import configured

EXAMPLES = Path(__file__).resolve().parents[4] / "examples"
ROULETTE = (EXAMPLES / "roulette_board.toml").read_text()
DRAWN = re.compile(r"(?P<left>.{22}) (?P<a>.{3}) │ {11}│ (?P<b>\S+) *(?P<right>.*)")


def view(text: str, width: int = 80) -> str:
    return "\n".join(part.plain for part in boards_view(configured(text), width))


def drawn(text: str) -> dict[str, str]:
    """What the drawing has at each printed pin of the first board."""
    at: dict[str, str] = {}
    for row in view(text).splitlines():
        match = DRAWN.fullmatch(row)
        if match:
            at.setdefault(match["a"].strip(), match["left"].strip())
            at.setdefault(match["b"], match["right"])
    return at


def test_the_drawing_names_the_line_at_each_pin_as_the_board_prints_it() -> None:
    at = drawn(ROULETTE)
    assert {pin: line for pin, line in at.items() if line and not line.startswith("(")} == {
        "D2": "rotor_a",
        "D3": "rotor_b",
        "D4": "rotor_index",
        "D5": "ball_1",
        "D6": "ball_2",
        "D7": "ball_3",
        "A0": "pocket",
        "A1": "object",
        "A2": "level_x",
        "A3": "level_y",
    }
    assert at["D8"] == "(lamp_1)"
    assert at["RX0"] == "(USB)"


def test_each_line_tells_its_terminal_pin_pull_level_and_wire() -> None:
    text = view(ROULETTE)
    pocket = re.search(r"^pocket +input 7 +A0 +up +pocket reading head.*\n(.*\n)*?object", text, re.M)
    assert pocket
    assert "1 (low) = the pocket that" in pocket.group()
    assert "wire: output of the reading head" in pocket.group()
    assert "value: degrees; 0 at 2.5 V, +5" in text
    assert "1 (high) = lit; for 600 s at most" in text
    assert re.search(r"^supervisor_key +input 4 +D5 +up +the supervisor's key\n.*1 \(low\) = pressed", text, re.M)
    assert "free: output 1, 2, 3, 4" in text
    assert "free: output 2, 3, 4" in text


def test_a_table_board_shows_where_its_keypad_and_lamps_are() -> None:
    text = ROULETTE.replace('[board.desk]\nkind = "wheel"', '[board.desk]\nkind = "table"')
    at = view(text)
    assert "(column 1, lamps' data)" in at
    assert "(motor_back)" in at
    key = re.sub(r'"desk", input = 4, inverted = true', '"desk", input = 15', text)
    assert re.search(r"^supervisor_key +input 15 +keys +- ", view(key), re.M)
    assert "the key enter of the keypad" in view(key)


@pytest.mark.parametrize("name", ["roulette_board", "money_wheel_board"])
@pytest.mark.parametrize("backend", ["board", "sim"])
def test_the_command_prints_plain_text_in_eighty_columns(tmp_path: Path, name: str, backend: str) -> None:
    path = tmp_path / "table.toml"
    path.write_text((EXAMPLES / f"{name}.toml").read_text().replace('backend = "board"', f'backend = "{backend}"'))
    result = CliRunner(env={"COLUMNS": "80"}).invoke(main, ["pins", str(path)], catch_exceptions=False)
    assert result.exit_code == 0
    assert "\x1b" not in result.output
    assert max(map(len, result.output.splitlines())) <= 80
    assert "GPIO" not in result.output


@pytest.mark.parametrize("kind", KINDS)
def test_every_terminal_of_every_kind_is_at_a_pin_that_the_drawing_has(kind: str) -> None:
    there = {pin for row in NANO for pin in row}
    pins = [printed(place.pin) for place in places_of(KINDS[kind]) if place.pin]
    pins += [printed(pin) for pin in (*KINDS[kind].key_columns, *KINDS[kind].key_rows)]
    pins += [printed(pin) for _, pin in KINDS[kind].lamp_pins]
    assert set(pins) <= there
    assert not {"RX0", "TX1"} & set(pins), "the link needs them"


def test_a_nano_has_fifteen_pins_on_each_side_and_each_once_but_power_and_reset() -> None:
    pins = [pin for row in NANO for pin in row]
    assert len(NANO) == 15
    assert sorted(pin for pin in set(pins) if pins.count(pin) > 1) == ["GND", "RST"]
    assert {f"D{number}" for number in range(2, 14)} | {f"A{number}" for number in range(8)} <= set(pins)


@pytest.mark.parametrize(("pin", "label"), [("D2", "D2"), ("B0", "D8"), ("B3", "D11"), ("B5", "D13"), ("C5", "A5")])
def test_what_is_printed_beside_a_pin_is_not_the_chips_own_name(pin: str, label: str) -> None:
    assert printed(pin) == label
