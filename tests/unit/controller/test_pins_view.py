"""The wiring table and the drawing of the header: complete, aligned, and plain away from a terminal."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from controller.cli import main
from controller.cli.pins import header_drawing, pinout_table, pins_section
from controller.configuration.pinout import pinout_of
from controller.games.load import check_text

SIM = '[table]\nid = "t-1"\ngame = "{}"\n[lines]\nbackend = "sim"\n'
LIVE = """\
[table]
id = "wheel-1"
game = "money_wheel"
no_more_bets = "button"
[lines]
backend = "gpiod"
[device.wheel]
index_width_deg = 4.95
[pins]
wheel_a = { gpio = 17, pull = "up", inverted = true }
wheel_b = { gpio = 18 }
wheel_index = { header = 40 }
dealer_no_more_bets = { gpio = 2, inverted = true }
"""
DRAWN = re.compile(r"(?P<left>.{21}) (?P<a>.{6}) \((?P<n>[ \d]\d)\) \((?P<m>[ \d]\d)\) (?P<b>\S+) ?(?P<right>.*)")


def run(tmp_path: Path, command: str, text: str, **environment: str) -> Result:
    path = tmp_path / "table.toml"
    path.write_text(text)
    return CliRunner(env=environment).invoke(main, [command, str(path)], catch_exceptions=False)


def test_the_drawing_names_the_line_at_each_pin_that_is_used() -> None:
    rows = [text.plain for text in header_drawing(pinout_of(check_text(LIVE).tables[0]).on_header)]
    assert len(rows) == 20
    drawn = [match for row in rows if (match := DRAWN.fullmatch(row))]
    assert len(drawn) == 20
    left = {int(row["n"]): (row["a"].strip(), row["left"].strip()) for row in drawn}
    right = {int(row["m"]): (row["b"], row["right"]) for row in drawn}
    assert sorted(left) == list(range(1, 41, 2))
    assert sorted(right) == list(range(2, 41, 2))
    assert {pin: line for pin, (_, line) in {**left, **right}.items() if line} == {
        11: "wheel_a",
        12: "wheel_b",
        40: "wheel_index",
        3: "dealer_no_more_bets",
    }
    assert (left[1][0], right[2][0], right[6][0], left[11][0]) == ("3V3", "5V", "GND", "GPIO17")


def test_the_table_tells_of_each_line_its_wire_pull_level_and_ground() -> None:
    text = "\n".join(row.plain for row in pinout_table(pinout_of(check_text(LIVE).tables[0])))
    wheel_a = re.search(r"^wheel_a +GPIO17 +11 +up +encoder of the wheel, channel A\n(.*\n)*?wheel_b", text, re.M)
    assert wheel_a
    assert "1 (low) = a slot is in front" in wheel_a.group()
    assert "encoder output A; ground: pin 9" in wheel_a.group()
    assert re.search(r"^wheel_b +GPIO18 +12 +down", text, re.M)
    assert re.search(r"^dealer_settled +- +- +- (.*\n)+? +not wired \(not needed\)", text, re.M)


@pytest.mark.parametrize("game", ["money_wheel", "roulette"])
def test_away_from_a_terminal_the_output_is_plain_and_fits_eighty_columns(tmp_path: Path, game: str) -> None:
    result = run(tmp_path, "pins", SIM.format(game), COLUMNS="80")
    assert result.exit_code == 0
    assert "\x1b" not in result.output
    assert max(map(len, result.output.splitlines())) <= 80


@pytest.mark.parametrize("game", ["money_wheel", "roulette"])
def test_a_simulated_table_is_offered_a_wiring_that_works_on_a_live_one(tmp_path: Path, game: str) -> None:
    output = run(tmp_path, "pins", SIM.format(game)).output
    section = output[output.index("[pins]") :]
    live = SIM.format(game).replace('"sim"', '"gpiod"').replace("[lines]", 'no_more_bets = "button"\n[lines]')
    keys = {"money_wheel": "index_width_deg = 4.95", "roulette": "ball_sensors_deg = [0, 80, 200]"}[game]
    report = check_text(f"{live}[device.wheel]\n{keys}\n{section}")
    assert report.problems == []
    assert report.tables[0].pins["dealer_no_more_bets"].gpio is not None


def test_what_the_file_wires_is_kept_in_the_proposal() -> None:
    table = check_text(SIM.format("money_wheel") + "[pins]\nwheel_index = { gpio = 17, inverted = true }\n").tables[0]
    wiring = pinout_of(table)
    assert wiring.pins["wheel_index"].gpio == 17
    assert wiring.pins["wheel_a"].gpio == 27
    assert "wheel_index" not in wiring.proposed
    assert 'wheel_index = { gpio = 17, pull = "up", inverted = true }' in pins_section(wiring)


def test_pins_of_a_wrong_file_says_what_is_wrong(tmp_path: Path) -> None:
    result = run(tmp_path, "pins", LIVE.replace("wheel_b", "wheel_bb"))
    assert result.exit_code == 2
    assert f"{tmp_path / 'table.toml'}:11: pins.wheel_bb: no device of this table has such a line" in result.stderr
    assert result.stdout == ""


def test_check_of_a_right_file_says_so(tmp_path: Path) -> None:
    result = run(tmp_path, "check", LIVE)
    assert result.exit_code == 0
    assert result.stdout.endswith("table.toml: table wheel-1, money_wheel by njac-13:47-20, backend gpiod: ok\n")
    assert result.stderr == ""


def test_check_of_a_wrong_file_lists_every_mistake_and_exits_with_2(tmp_path: Path) -> None:
    result = run(tmp_path, "check", LIVE.replace("money_wheel", "money_weel").replace("header = 40", "header = 39"))
    assert result.exit_code == 2
    assert [line.split(": ")[1] for line in result.stderr.splitlines()[:-1]] == [
        "table.game",
        "pins.wheel_index.header",
    ]
    assert result.stderr.endswith("2 mistakes\n")
    assert "Traceback" not in result.output


def test_a_warning_is_shown_and_is_no_failure(tmp_path: Path) -> None:
    result = run(tmp_path, "check", LIVE.replace("gpio = 18", "gpio = 1"))
    assert result.exit_code == 0
    assert ":11: pins.wheel_b: warning: GPIO1 is reserved" in result.stderr


@pytest.mark.parametrize("arguments", [["--help"], ["check", "--help"], ["pins", "--help"]])
def test_help_teaches_with_an_example(arguments: list[str]) -> None:
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0
    assert "table.toml" in result.output or "roulette.toml" in result.output
    assert "Exit codes" in result.output


def test_an_unknown_command_is_refused() -> None:
    assert CliRunner().invoke(main, ["chek"]).exit_code == 2
