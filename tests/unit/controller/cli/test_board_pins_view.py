"""The wiring of a table on boards: each terminal, and a drawing of the board with what is printed on it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from controller.bench_page.wiring_shown import wiring_shown
from controller.cli import main
from controller.cli.board_pins_view import boards_view, key_words
from controller.configuration.header_pins import NANO, printed
from controller.configuration.terminals import place_named, places_of
from hal.board.messages import KINDS
from tests.tables.bench import configured

EXAMPLES = Path(__file__).resolve().parents[4] / "examples"
DOCS = (EXAMPLES.parent / "docs" / "boards-wiring.md").read_text()
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


def test_of_a_pico_its_own_pins_are_named_and_its_supply() -> None:
    text = view((EXAMPLES / "money_wheel_pico.toml").read_text())
    at = dict(re.findall(r"^ *(\S+) +[A-D]\d+ = (.+)$", text, re.M))
    assert (at["wheel_a"], at["no_more_bets_lamp"], at["(spare_1)"]) == (
        "GP8 (11)",
        "GP2 (4)",
        "GP28 (34)",
    )
    assert "ground GND (3, 8, 13, 18, 23, 28, 38), AGND (33)" in text
    assert at["(spare_2)"] == "none: it reads a third of its supply"
    assert re.search(r"^free: analogue 1, 2, 3$", text, re.M)
    assert "[USB]" not in text
    assert re.search(r"^wheel_a +input 1 +GP8 ", text, re.M)
    assert "A Pico's inputs take 0 to 3.3 V, and 5 V destroys it" in text
    assert "(serial line) TX1 = GP0 (1), RX0 = GP1 (2)" in text
    by_usb = view((EXAMPLES / "money_wheel_pico.toml").read_text().replace('"rp2040"\n', '"rp2040_usb"\n', 1))
    assert "(serial line) its own USB socket" in by_usb
    assert "0 to 5 V" not in text
    assert "from 5V" not in text
    assert "Pico" not in view(ROULETTE)
    (drawing,) = wiring_shown(configured((EXAMPLES / "money_wheel_pico.toml").read_text()))
    assert {pin.label: pin.line for row in drawing.rows for pin in row if pin.line}["GP8"] == "wheel_a"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("money_wheel_pico", "docs/hardware/wheel-pico.md): wheel_a J2.2, 0 V J2.3;"),
        ("token_pusher_board", "hopper − J12.2, + J12.1; accept J7.4;"),
        ("token_pusher_board", "tilt J8.1 (470 Ω), 0 V J8.2;"),
        ("token_pusher_board", "door J5.2 (W4), 0 V J5.3;"),
        (
            "token_pusher_board",
            "(W…): a bare opto as it is; for a contact or an open collector the same, with this jumper fitted.",
        ),
        (
            "skill_stop_reel_board",
            "reel_3 J14, its motor. (470 Ω): in series",
        ),  # no line of it has the acceptor of that board
    ],
)
def test_a_line_has_its_terminals_on_the_carrier_board(name: str, words: str) -> None:
    assert words in re.sub(r"\s+", " ", view((EXAMPLES / f"{name}.toml").read_text()))


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


def example(name: str) -> str:
    return (EXAMPLES / f"{name}.toml").read_text()


def test_rows_and_columns_are_used_where_keys_are_wired_and_only_there() -> None:
    desk = ROULETTE.replace('[board.desk]\nkind = "wheel"', '[board.desk]\nkind = "table"')
    desk = desk.replace("[device.lamp]\n", "").replace('driver = "lamp"\n', "")
    desk = "\n".join(row for row in desk.splitlines() if not row.startswith("no_more_bets_lamp"))
    without = view(desk)
    assert "(column 1)" in without
    assert "(row 3)" in without
    assert "lamps'" not in without, "the table has no chain"
    assert "(motor_back)" in without
    with_a_key = view(desk.replace('"desk", input = 4, inverted = true', '"desk", input = 15'))
    assert re.search(r"^supervisor_key +input 15 +keys +- ", with_a_key, re.M)
    assert re.search(r"key enter: row 3 \(A4\), column 1\n +\(D9\)", with_a_key)
    assert re.search(r"D9 +column 1$", with_a_key, re.M)
    assert re.search(r"^ +row 3 +A4", with_a_key, re.M)
    assert "(column 2)" in with_a_key
    assert "(row 1)" in with_a_key


@pytest.mark.parametrize(
    ("name", "pins"),
    [
        ("beat_the_dealer_board", {"D9": "column 1", "D10": "column 2", "D12": "", "D13": "column 3", "A5": ""}),
        ("under_over_board", {"D9": "column 1", "D10": "column 2", "D12": "", "D13": "column 3", "A5": ""}),
        (
            "sic_bo_board",
            {"D9": "column 1, lamps' data", "D10": "column 2, lamps' clock", "D12": "lamps' latch", "D13": "column 3"}
            | {"A5": "lamps' read back"},
        ),
    ],
)
def test_the_drawing_of_a_dice_table_has_its_keypad_and_only_the_lamps_that_it_has(
    name: str, pins: dict[str, str]
) -> None:
    at = drawn(example(name))
    assert {pin: at[pin] for pin in pins} == pins
    assert (at["A2"], at["A3"], at["A4"]) == ("row 1", "row 2", "row 3")


def test_the_drawing_has_the_motors_current_where_it_is_limited() -> None:
    text = example("beat_the_dealer_board")
    assert drawn(text)["A6"] == ""
    assert drawn(text.replace('kind = "table"', 'kind = "table"\nmotor_most_a = 3.5'))["A6"] == "motor's current"


@pytest.mark.parametrize("key", KINDS["table"].keys)
def test_each_key_is_told_where_docs_boards_has_it(key: str) -> None:
    kind = KINDS["table"]
    (row,) = [row for row in DOCS.splitlines() if row.startswith("| row") and f"| {key} |" in row]
    (head,) = [row for row in DOCS.splitlines() if "column 1: D9" in row]
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    column = head.strip("|").split("|")[cells.index(key)].strip()
    (number, row_pin), (column_number, column_pin) = cells[0].split(": "), column.split(": ")
    place = place_named(kind, f"key {key}")
    assert key_words(kind, place) == f"key {key}: {number} ({row_pin}), {column_number} ({column_pin})"


def test_a_chain_of_lamps_has_an_entry_with_its_pins() -> None:
    text = view(example("sic_bo_board"), 110)
    assert re.search(r"^lamps +chain +D9 +- +chain of 56 lamps at most$", text, re.M)
    for row in ("data: D9", "clock: D10", "latch: D12; 10 kΩ from there to 5V", "read back: A5; resistor to + inside"):
        assert re.search(rf"^ +{re.escape(row)}$", text, re.M), row
    assert "chain" not in view(example("under_over_board"))


def test_the_parts_between_the_columns_and_the_keypad_are_named_where_there_is_one() -> None:
    words = " ".join(view(example("sic_bo_board")).split())
    assert "In the wire of each column of the keypad: 1 kΩ at the pin, then a Schottky diode BAT85" in words
    assert "BAT85" not in view(ROULETTE)


def test_resistors_and_diodes_of_keypad_and_chain_are_those_of_docs_boards() -> None:
    text = " ".join(DOCS.split())
    assert "10 kΩ from latch to 5V" in text
    assert "**1 kΩ, and a Schottky diode BAT85 whose cathode is at the resistor**" in text
    assert 'The lamp "L" of a Nano may stay.' in text
    assert "lamp L" not in view(example("sic_bo_board"))


def test_a_motor_is_told_its_driver_and_its_sensors_are_low_when_they_see() -> None:
    text = view(example("beat_the_dealer_board"), 110)
    words = " ".join(text.split())
    assert "wire: input of a motor driver with a supply of its own; 10 kΩ from there to GND" in words
    assert "1 (low) = a slot is before it" in text
    assert "1 (low) = the mark is before it, once a turn" in text
    assert "1 (low) = it is one way up, 0 = the other" in text
    assert "free: output, for what moves only: 2" in text


@pytest.mark.parametrize("name", sorted(path.stem for path in EXAMPLES.glob("*_board.toml")))
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


@pytest.mark.parametrize(
    ("example", "pins"),
    [
        ("skill_stop_reel_board", {"D8": "reel_1", "D9": "reel_2", "D10": "reel_3", "D12": "lamps' data"}),
        (
            "token_pusher_board",
            {"D11": "motor", "D8": "hopper", "D9": "accept", "D10": "alarm", "D12": "sensors' feed"},
        ),
    ],
)
def test_what_a_board_drives_by_itself_is_wired_too(example: str, pins: dict[str, str]) -> None:
    text = (EXAMPLES / f"{example}.toml").read_text()
    at = drawn(text)
    assert {pin: at[pin] for pin in pins} == pins
    assert re.search(rf"^{pins['D8']} +output \d +D8 ", view(text), re.M)


def test_the_steps_of_a_second_boards_reels_are_those_of_its_own_reels() -> None:
    text = view((EXAMPLES / "skill_stop_five_reels_board.toml").read_text(), 110)
    assert re.search(r"^reel_2 +output 2 +D9 +- +steps of reel 5: the board's own, for 30 s at most$", text, re.M)
    assert text.count("STEP of the driver of reel") == 5
