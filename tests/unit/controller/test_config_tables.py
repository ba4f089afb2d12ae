"""Tables' files: the shortest works, and whoever makes mistakes hears of all of them at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.configuration.declaration import describe
from controller.configuration.problems import ConfigurationErrors
from controller.games.assembly import table_for
from controller.games.catalogue import REGISTRY
from controller.games.load import check, check_text, load
from feed.events import StakeLimit, TableLabel, TableOpened, encode
from feed.state import TableState
from hal.plain_text import is_plain
from tests.tables.problems import only_problem, problem_lines

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
SHORTEST = """\
[table]
id = "roulette-1"
game = "roulette"
[lines]
backend = "sim"
"""

LIVE = """\
[table]
id = "roulette-1"
game = "roulette"
no_more_bets = "auto"
[lines]
backend = "gpiod"
chip = "pinctrl-rp1"
[device.wheel]
ball_sensors_deg = [0, 80, 200]
[pins]
rotor_a = { gpio = 17, pull = "up" }
rotor_b = { header = 13 }
rotor_index = { name = "GPIO22" }
ball_1 = { gpio = 23 }
ball_2 = { gpio = 24 }
ball_3 = { gpio = 25, inverted = true }
pocket = { gpio = 5 }
"""


@pytest.mark.parametrize("game", ["money_wheel", "roulette"])
def test_the_shortest_file_describes_a_table_of_every_game(game: str) -> None:
    report = check_text(SHORTEST.replace("roulette", game, 2).replace("money_wheel-1", "wheel-1"))
    assert problem_lines(report) == []
    table = report.tables[0]
    assert (table.game, table.rules, table.no_more_bets) == (game, "njac-13:47-20", "button")
    assert set(table.devices) == {"wheel", "dealer"}
    assert not table.live


def test_a_live_table_knows_the_wire_of_each_line() -> None:
    report = check_text(LIVE)
    assert problem_lines(report) == []
    pins = report.tables[0].pins
    assert {line: (pin.gpio, pin.header) for line, pin in pins.items()} == {
        "rotor_a": (17, 11),
        "rotor_b": (27, 13),
        "rotor_index": (22, 15),
        "ball_1": (23, 16),
        "ball_2": (24, 18),
        "ball_3": (25, 22),
        "pocket": (5, 29),
    }
    assert all(pin.chip == "pinctrl-rp1" for pin in pins.values())


def test_an_unplugged_line_is_pulled_to_its_resting_level() -> None:
    pins = check_text(LIVE).tables[0].pins
    assert (pins["rotor_a"].pull, pins["rotor_b"].pull, pins["ball_3"].pull) == ("up", "down", "up")


@pytest.mark.parametrize(
    ("name", "words", "section", "device"),
    [
        ("pai_gow", "pai gow are known (13:69F-10.2 to 10.10, 19:47-10)", "pai gow shaker", "pai_gow_shaker"),
        (
            "Pai Gow Poker",
            "pai gow poker are known (13:69F-11, 19:47-11)",
            "random number",
            "pai_gow_poker_shaker or number_generator",
        ),
        ("pokette", "pokette are known (13:69F-12, 19:47-12)", "the pokette wheel", "pokette_wheel"),
        ("mini-dice", "mini-dice are known (13:69F-13, 19:47-13)", "mini-dice shaker", "mini_dice_shaker"),
    ],
)
def test_a_game_that_the_rules_name_by_title_only_is_told_what_is_missing(
    name: str, words: str, section: str, device: str
) -> None:
    (problem,) = problem_lines(check_text(LIVE.replace('game = "roulette"', f'game = "{name}"')))
    assert f"3: table.game: only the titles of {words}: no text says which round is valid" in problem
    assert "play it as a game of your house, in a package: docs/plugins.md" in problem
    assert section in problem
    assert f"the device {device} for house rules: docs/house-rules.md" in problem
    assert set(device.split(" or ")) <= set(REGISTRY.drivers)
    example = Path(problem.partition("docs/house-rules.md, and ")[2].removesuffix(" is such a game"))
    assert f'driver = "{device.split(" or ")[0]}"' in (EXAMPLES.parent / example).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('game = "roulette"', 'game = "roulete"', '3: table.game: unknown game "roulete"; did you mean "roulette"?'),
        ('id = "roulette-1"', 'id = "Roulette 1"', '2: table.id: "Roulette 1" has the wrong form; write lower-case'),
        ('id = "roulette-1"', 'id = "a\\n"', "2: table.id:"),
        ('id = "roulette-1"', "", '1: table.id: is missing; add id = "roulette-1"'),
        ('no_more_bets = "auto"', "", "1: table.no_more_bets: is missing, and the backend gpiod needs it; add"),
        ('no_more_bets = "auto"', 'no_more_bets = "buton"', '4: table.no_more_bets: "buton" is not known; did you'),
        ("[lines]", "[line]", '5: line: unknown section; did you mean "lines"?'),
        ('"gpiod"', '"gpoid"', '6: lines.backend: "gpoid" is not known; did you mean "gpiod"?'),
        ('"pinctrl-rp1"', '"gpiochip0"', '7: lines.chip: "gpiochip0" is a number that can change with the kernel'),
        ("gpio = 17", "gpio = 34", "11: pins.rotor_a.gpio: GPIO34 is not on the 40-pin header; the header has GPIO0"),
        ("gpio = 17", "gpio = 40", "write { header = 40 } if you meant the pin"),
        ("gpio = 17", "gpio = -1", "11: pins.rotor_a.gpio: -1 is not a GPIO"),
        ("header = 13", "header = 17", "12: pins.rotor_b.header: pin 17 of the header is 3V3, not a GPIO; GPIO17 is"),
        ("header = 13", "header = 41", "12: pins.rotor_b.header: the header has no pin 41; write a pin from 1 to 40"),
        ("header = 13", "header = 11", "12: pins.rotor_b: has the same wire as rotor_a (GPIO17, header pin 11)"),
        ('"GPIO22"', '"GPIO_22"', '13: pins.rotor_index.name: the header has no line "GPIO_22"; write the name'),
        ("ball_1 = { gpio = 23 }", "ball_1 = 23", "14: pins.ball_1: a bare number can be either a GPIO or a pin"),
        ("ball_1 = { gpio = 23 }", 'ball_1 = "23"', '14: pins.ball_1: is "23", and a wire was expected; write it as {'),
        ("gpio = 23", "gpio = 23, header = 16", "14: pins.ball_1: has gpio and header; write one of"),
        ("{ gpio = 23 }", '{ pull = "up" }', "14: pins.ball_1: names no pin; write one of"),
        ("gpio = 23", 'gpio = 23, pull = "upp"', '14: pins.ball_1.pull: "upp" is not known; did you mean "up"?'),
        ("ball_3 =", "bal_3 =", '16: pins.bal_3: no device of this table has such a line; did you mean "ball_3"?'),
        ("pocket = { gpio = 5 }", "", "10: pins.pocket: is not wired, and a table with real wires needs it"),
        ("gpio = 5 ", "gpio = 0 ", "17: pins.pocket: warning: GPIO0 is reserved for the EEPROM of a HAT"),
        ("gpio = 5 ", "gpio = 2 ", "17: pins.pocket: warning: GPIO2 has a fixed pull-up"),
    ],
)
def test_a_mistake_is_told_with_its_line_key_and_fix(old: str, new: str, problem: str) -> None:
    assert old in LIVE
    assert problem in only_problem(LIVE.replace(old, new, 1))


def test_a_line_without_a_wire_is_offered_a_free_one() -> None:
    problem = only_problem(LIVE.replace("pocket = { gpio = 5 }", ""))
    assert "free is pocket = { gpio = 27 }" not in problem  # rotor_b has it, by its header pin
    assert problem.endswith("free is pocket = { gpio = 5 }")


def test_a_warning_lets_the_table_run() -> None:
    report = check_text(LIVE.replace("gpio = 5 ", "gpio = 0 "))
    assert [problem.severity for problem in report.problems] == ["warning"]
    assert len(report.tables) == 1
    assert report.errors == []


def test_the_dealers_button_needs_a_wire_where_it_makes_the_call() -> None:
    button = LIVE.replace('"auto"', '"button"')
    assert "pins.dealer_no_more_bets: is not wired" in only_problem(button)
    table = check_text(button + "dealer_no_more_bets = { gpio = 6 }\n").tables[0]
    assert table.uses["dealer_no_more_bets"].required


def test_a_button_that_is_wired_contradicts_the_automatic_call() -> None:
    assert 'has no_more_bets = "auto"' in only_problem(LIVE + "dealer_no_more_bets = { gpio = 6 }\n")


def test_the_buttons_of_a_table_are_those_that_are_named_or_wired() -> None:
    settled = "dealer_settled = { gpio = 12 }\n"
    assert check_text(LIVE).tables[0].buttons == ()
    assert check_text(LIVE + settled).tables[0].buttons == ("dealer_settled",)
    assert check_text(SHORTEST).tables[0].buttons == ("dealer_no_more_bets",)
    named = '[device.dealer]\nbuttons = ["dealer_void", "dealer_no_more_bets"]\n'
    assert check_text(SHORTEST + named).tables[0].buttons == ("dealer_void", "dealer_no_more_bets")


def test_a_list_of_buttons_agrees_with_who_makes_the_call() -> None:
    without = '[device.dealer]\nbuttons = ["dealer_void"]\n'
    assert only_problem(SHORTEST + without).startswith("7: device.dealer.buttons: lacks dealer_no_more_bets")
    automatic = SHORTEST.replace('game = "roulette"', 'game = "roulette"\nno_more_bets = "auto"')
    assert problem_lines(check_text(automatic + without)) == []
    named = '[device.dealer]\nbuttons = ["dealer_no_more_bets"]\n'
    assert only_problem(automatic + named).startswith("8: device.dealer.buttons: names dealer_no_more_bets")


def test_a_named_button_needs_a_wire() -> None:
    problem = only_problem(LIVE + '[device.dealer]\nbuttons = ["dealer_void"]\n')
    assert problem.startswith("10: pins.dealer_void: is not wired")


def test_the_wires_of_a_capture_decide_who_makes_the_call() -> None:
    assert check_text(SHORTEST.replace('"sim"', '"capture"')).tables[0].no_more_bets is None


def test_a_game_without_a_text_is_refused_with_the_titles() -> None:
    problem = only_problem(SHORTEST.replace('game = "roulette"', 'game = "roulette"\nrules = "njac-19:47"'))
    assert problem.startswith("4: table.rules: no text: of roulette, njac-19:47 gives only the titles 19:47-5.1")
    assert '19:47-5.3 "Roulette: rotation of wheel and ball"' in problem
    assert problem.endswith('; write "njac-13:47-20"')


def test_an_unknown_profile_is_told_with_the_nearest() -> None:
    problem = only_problem(SHORTEST.replace('game = "roulette"', 'game = "roulette"\nrules = "njac-13:47"'))
    assert problem == '4: table.rules: unknown profile "njac-13:47"; did you mean "njac-13:47-20"?'


def test_two_track_sensors_nearly_opposite_are_refused() -> None:
    wheel = "[device.wheel]\nball_sensors_deg = [0, {}]\n"
    assert problem_lines(check_text(SHORTEST + wheel.format(100))) == []
    assert only_problem(SHORTEST + wheel.format(170)).startswith("7: device.wheel.ball_sensors_deg")
    assert only_problem(SHORTEST + wheel.format(-155)).startswith("7: device.wheel.ball_sensors_deg")


def test_the_faces_of_a_money_wheel_are_those_of_the_rules() -> None:
    faces = ", ".join(['"$1"'] * 49 + ['"joker"'])
    report = check_text(
        SHORTEST.replace("roulette", "money_wheel", 2).replace("money_wheel-1", "w1")
        + f"[device.wheel]\nfaces = [{faces}]\n"
    )
    assert problem_lines(report)[0].startswith(
        "7: device.wheel.faces: 49 spaces show $1, and 13:47-20.29(a)1 wants 22; list"
    )


@pytest.mark.parametrize(
    ("section", "problem"),
    [
        ('[device.wheel]\ndriver = "roulette_weel"', '7: device.wheel.driver: "roulette_weel" is not a driver of this'),
        ("[device.wheel]\ndriver = 5", "7: device.wheel.driver: 5 is not a driver of this device; "),
        (
            '[device.wheel]\ndriver = "money_wheel"',
            '7: device.wheel.driver: "money_wheel" is not a driver of this device',
        ),
        ("[device.weel]\n", '6: device.weel: a roulette table has no such device; did you mean "wheel"?'),
        (
            '[device]\nwheel = "x"',
            '7: device.wheel: is "x", and a section was expected; write it as a section, [device.wheel]',
        ),
        ("[device.wheel]\npocket = 3", "7: device.wheel.pocket: unknown key; did you mean"),
        ("[pins.ball_1]\ngpio = '17'", '7: pins.ball_1.gpio: "17" is not a whole number; write 17 without quotes'),
        ("[game]\nsettle_afer_s = 1", '7: game.settle_afer_s: unknown key; did you mean "settle_after_s"?'),
        ("[[pins]]\n", "6: pins: is a list, and a section was expected; write [pins] in single brackets"),
    ],
)
def test_devices_and_options_are_checked_by_their_own_declarations(section: str, problem: str) -> None:
    assert problem in only_problem(SHORTEST + section)


def test_all_mistakes_come_at_once_in_the_order_of_their_lines() -> None:
    report = check_text(
        '[table]\nid = "R 1"\ngame = "roulete"\nrulez = "x"\n[lines]\nbackend = "gpoid"\n'
        '[device.wheel]\nencoder_slot = 38\n[pins]\nrotor_a = { gpio = 1, pul = "up" }\nrotor_c = 17\n[gmae]\n'
    )
    assert [problem.line for problem in report.problems] == [2, 3, 4, 6, 8, 10, 11, 11, 12]
    assert report.tables == []


def test_a_line_that_no_device_has_is_told_beside_a_wrong_key_of_a_device_unless_that_may_be_meant_to_give_it() -> None:
    text = SHORTEST + "[pins]\nfoo = { gpio = 5 }\nball_9 = { gpio = 6 }\n[device.wheel]\n"
    for wrong in ('pokets = "european"', "ball_sensors_degs = [0, 90, 180, 270]"):
        pins, key = problem_lines(check_text(text + wrong))
        assert "pins.foo: no device of this table has such a line" in pins
        assert f"device.wheel.{wrong.split()[0]}: unknown key" in key
    (key,) = problem_lines(check_text(AUTOMATIC.replace("driver =", "drivr =")))
    assert "device.wheel.drivr: unknown key" in key


AUTOMATIC = """\
[table]
id = "roulette-1"
game = "roulette"
no_more_bets = "auto"
[lines]
backend = "gpiod"
[device.wheel]
driver = "star_x"
[links]
wheel_serial = { port = "/dev/serial/by-id/usb-1" }
"""


def test_an_automatic_wheel_has_a_serial_port_and_no_pins() -> None:
    report = check_text(AUTOMATIC)
    assert problem_lines(report) == []
    table = report.tables[0]
    assert (table.links["wheel_serial"].port, table.links["wheel_serial"].baud) == ("/dev/serial/by-id/usb-1", 9600)
    assert table.devices["wheel"].driver == "star_x"


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("wheel_serial =", "wheel_seral =", "10: links.wheel_seral: no device of this table has such a link; did you"),
        ("wheel_serial = {", "# {", "9: links.wheel_serial: is not wired, and a table with real wires needs it"),
        ('by-id/usb-1"', 'by-id/usb-1", baud = "9600"', '10: links.wheel_serial.baud: "9600" is not a whole'),
        ("/dev/serial/by-id/usb-1", "", "10: links.wheel_serial.port: "),
        ("/dev/serial/by-id/usb-1", "/dev/ttyUSB0", '10: links.wheel_serial.port: warning: "/dev/ttyUSB0" can change'),
        ("[links]", "[pins]", "10: pins.wheel_serial.port: unknown key"),
    ],
)
def test_mistakes_about_serial_ports_are_told(old: str, new: str, problem: str) -> None:
    assert old in AUTOMATIC
    assert any(line.startswith(problem) for line in problem_lines(check_text(AUTOMATIC.replace(old, new, 1))))


def test_two_devices_cannot_have_one_port(tmp_path: Path) -> None:
    display = "[device.display]\n"
    problem = only_problem(AUTOMATIC + 'number_display = { port = "/dev/serial/by-id/usb-1" }\n' + display)
    assert problem.startswith(
        '11: links.number_display.port: its port "/dev/serial/by-id/usb-1" is also that of links.wheel_serial.port of '
    )
    paths = [tmp_path / "a.toml", tmp_path / "b.toml"]
    for path in paths:
        path.write_text(AUTOMATIC.replace("roulette-1", path.stem))
    assert [problem.key for problem in check(paths).problems] == ["links.wheel_serial.port"]


def test_a_lamp_is_an_output_that_needs_a_wire() -> None:
    assert only_problem(LIVE + "[device.lamp]\n").startswith("10: pins.no_more_bets_lamp: is not wired")
    table = check_text(LIVE + "no_more_bets_lamp = { gpio = 6, inverted = true }\n[device.lamp]\n").tables[0]
    spec = table.pins["no_more_bets_lamp"].output_spec("lamp")
    assert (spec.name, spec.gpio, spec.chip, spec.inverted) == ("no_more_bets_lamp", 6, "pinctrl-rp1", True)
    assert spec.refusal() is None


def test_the_wires_go_to_hal_as_it_wants_them() -> None:
    table = check_text(LIVE.replace("gpio = 23 ", "gpio = 23, debounce_us = 50 ")).tables[0]
    specs = {line: pin.spec() for line, pin in table.pins.items()}
    assert specs["rotor_index"].gpio == 22
    assert specs["ball_1"].debounce_ns == 50_000
    assert (specs["ball_3"].inverted, specs["ball_3"].pull) == (True, "up")


def test_a_chip_that_is_not_the_headers_takes_offsets_and_names() -> None:
    text = LIVE.replace("pinctrl-rp1", "gpio-sim.0-node0").replace("{ header = 13 }", '{ name = "rotor-b" }')
    table = check_text(text.replace("gpio = 25,", "gpio = 99,")).tables[0]
    assert (table.pins["ball_3"].gpio, table.pins["ball_3"].header) == (99, None)
    assert (table.pins["rotor_b"].name, table.pins["rotor_b"].gpio) == ("rotor-b", None)
    assert "is not that of the 40-pin header" in only_problem(text.replace("gpio = 25,", "header = 22,"))


def test_an_analogue_line_cannot_be_a_pin() -> None:
    assert only_problem(LIVE + "level_x = { gpio = 6 }\n").startswith(
        "18: pins.level_x: is an analogue reading, which no GPIO"
    )


@pytest.mark.parametrize("driver", sorted(REGISTRY.drivers))
def test_every_key_of_every_driver_is_declared_with_a_description(driver: str) -> None:
    for row in describe(REGISTRY.drivers[driver].keys):
        assert row.key in {"driver", "port"} or row.description, row


@pytest.mark.parametrize("game", sorted(REGISTRY.games))
def test_every_option_of_every_game_is_declared_with_a_description(game: str) -> None:
    assert all(row.description for row in describe(REGISTRY.games[game].options))


# ------------------------------------------------------------------------------------------------------- syntax


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (
            "x = roulette-1",
            '6: (syntax): not TOML at column 5: invalid value; write text in double quotes: x = "roulette-1"',
        ),
        ("x = ?", "write text in double quotes, as in x ="),
        ("x = True", "write x = true"),
        ("x = 3,5", "write a decimal point: x = 3.5"),
        ('x: "abc"', 'write = and not a colon: x = "abc"'),
        ("x = \u201cabc\u201d", "write straight double quotes"),
        ('x = "abc', "close the quotes on the same line"),
        ("x", "write a section in brackets, [x], and its keys below it as key = value"),
        ("x = 1 2", "write one key = value a line"),
        ('backend = "gpiod"', "it is on line 5 already; keep one of the two"),
        ("[table]", "the table of line 1 is another one, and a file describes one: move this one"),
        ("x = [1, 2", 'close the list with "]"'),
        ("x = 1979-99-99", "6: (syntax): not TOML"),
    ],
)
def test_a_line_that_is_no_toml_is_told_with_its_line_and_a_fix(line: str, problem: str) -> None:
    assert problem in problem_lines(check_text(SHORTEST + line + "\n"))[0]


def test_mistakes_of_syntax_do_not_hide_each_other_nor_those_of_meaning() -> None:
    report = check_text(
        '[table]\nid = roulette-1\ngame = "roulete"\ngame = "roulette"\n[lines]\nbackend = "sim\n'
        "[pins]\nrotor_x = { gpio = 4 }\n"
    )
    assert [(problem.line, problem.key) for problem in report.problems] == [
        (2, "(syntax)"),
        (3, "table.game"),
        (4, "(syntax)"),
        (6, "(syntax)"),
        (8, "pins.rotor_x"),
    ]


def test_a_key_on_a_line_that_could_not_be_read_is_not_called_missing() -> None:
    report = check_text('[table]\nid = roulette-1\ngame = "roulette"\n[lines]\nbackend = "sim"\n')
    assert [problem.key for problem in report.problems] == ["(syntax)"]


@pytest.mark.parametrize(
    ("raw", "line", "said"),
    [
        (b'[table]\nid = "\xff"\n', 2, "byte 0xff is not UTF-8; save the file as UTF-8 text"),
        (b"a = " + b"[" * 1_990, 1, "nested too deeply"),
        (b"\na = " + b"a." * 5_000 + b"a", 2, "the line has 10005 characters, more than 2000; write long lists over"),
        (b"\n" * 3_000, 2000, "has 3001 lines, more than 2000; a table's file has some hundred lines"),
        (b"#" * 300_000, 1, "is larger than 64 KiB"),
        (b"\x00", 1, "not TOML"),
    ],
)
def test_what_is_hardly_a_text_file_is_refused_with_a_line(tmp_path: Path, raw: bytes, line: int, said: str) -> None:
    path = tmp_path / "t.toml"
    path.write_bytes(raw)
    problem = check([path]).problems[0]
    assert (problem.file, problem.line) == (str(path), line)
    assert said in str(problem)


def test_a_file_that_is_not_there_or_is_a_folder_is_told_by_name(tmp_path: Path) -> None:
    problems = check([tmp_path / "no.toml", tmp_path, "a\0b"]).problems
    assert [str(problem).split(": ", 2)[2].split(";")[0] for problem in problems] == [
        "cannot be read: No such file or directory",
        "cannot be opened: embedded null byte",
        "holds no *.toml",
    ]


def test_a_mark_at_the_start_of_the_file_is_no_mistake(tmp_path: Path) -> None:
    path = tmp_path / "t.toml"
    path.write_bytes(b"\xef\xbb\xbf" + SHORTEST.replace("\n", "\r\n").encode())
    assert check([path]).problems == []


# ------------------------------------------------------------------------------------------------ several files


def test_load_gives_the_tables_or_all_that_is_wrong(tmp_path: Path) -> None:
    first, second = tmp_path / "a.toml", tmp_path / "b.toml"
    first.write_text(SHORTEST)
    second.write_text(SHORTEST.replace("roulette-1", "roulette-2"))
    assert [table.id for table in load([first, second])] == ["roulette-1", "roulette-2"]
    first.write_text(SHORTEST.replace('"sim"', '"smi"'))
    second.write_text(SHORTEST.replace("roulette-1", "Roulette"))
    with pytest.raises(ConfigurationErrors) as caught:
        load([first, second])
    assert [(problem.file, problem.line) for problem in caught.value.problems] == [(str(first), 5), (str(second), 2)]
    assert str(caught.value).count("\n") == 1


def test_two_tables_cannot_have_one_name_nor_one_wire(tmp_path: Path) -> None:
    first, second = tmp_path / "a.toml", tmp_path / "b.toml"
    first.write_text(LIVE)
    second.write_text(
        '[table]\nid = "roulette-1"\ngame = "money_wheel"\nno_more_bets = "auto"\n[lines]\nbackend = "gpiozero"\n'
        "[pins]\nwheel_a = { gpio = 6 }\nwheel_b = { header = 11 }\nwheel_index = { gpio = 12 }\n"
        "[device.wheel]\nindex_width_deg = 4.95\n"
    )
    problems = check([first, second]).problems
    assert [(problem.file, problem.line, problem.key) for problem in problems] == [
        (str(second), 2, "table.id"),
        (str(second), 9, "pins.wheel_b"),
    ]
    assert problems[1].wrong == f"its wire (GPIO17, header pin 11) is also that of pins.rotor_a of {first}:11"


def test_simulated_tables_may_name_the_same_wires(tmp_path: Path) -> None:
    paths = [tmp_path / "a.toml", tmp_path / "b.toml"]
    for path in paths:
        path.write_text(LIVE.replace('"gpiod"', '"sim"').replace("roulette-1", path.stem))
    assert check(paths).problems == []


NO_ANGLES = LIVE.replace("ball_sensors_deg = [0, 80, 200]\n", "")


@pytest.mark.parametrize("backend", ["gpiod", "gpiozero"])
def test_real_wires_must_state_where_the_track_sensors_stand(backend: str) -> None:
    text = NO_ANGLES.replace("gpiod", backend)
    if backend == "gpiozero":
        text = text.replace('chip = "pinctrl-rp1"', "")
    problem = next(line for line in problem_lines(check_text(text)) if "ball_sensors_deg" in line)
    assert problem == (
        "8: device.wheel.ball_sensors_deg: is missing, and real wires need it; add the angle on the bowl at which each "
        "sensor faces the track: ball_sensors_deg = [0, 80, 200]"
    )
    assert check_text(text).tables == []


@pytest.mark.parametrize("backend", ["sim", "capture"])
def test_without_real_wires_the_track_sensors_have_a_default(backend: str) -> None:
    assert problem_lines(check_text(SHORTEST.replace('"sim"', f'"{backend}"'))) == []


@pytest.mark.parametrize(
    ("angles", "hidden"),
    [
        ("[0, 120, 240]", "ball_1 and ball_2 or ball_1 and ball_3 or ball_2 and ball_3"),
        ("[0, 100, 200]", "ball_1 and ball_3"),
        ("[0, 110, 225]", "ball_1 and ball_3"),
        ("[0, 100, 220]", ""),
        ("[0, 80, 200]", ""),
        ("[200, 0, 80]", ""),
    ],
)
def test_an_exchange_of_track_sensors_that_would_hide_is_warned_of_on_real_wires(
    angles: str, hidden: str | None
) -> None:
    problems = problem_lines(check_text(LIVE.replace("[0, 80, 200]", angles)))
    if hidden is None:  # two in one place: an error on any backend
        assert "track sensors are 0.5 degrees apart" in problems[0]
    elif hidden:
        assert [f"9: device.wheel.ball_sensors_deg: warning: with {hidden} exchanged" in one for one in problems] == [
            True
        ]
    else:
        assert problems == []


def test_an_index_that_hides_exchanged_channels_is_warned_of_on_real_wires() -> None:
    slots = "encoder_slots = 100\nindex_width_deg = 3\n"
    problem = only_problem(LIVE.replace("[pins]", slots + "[pins]"))
    assert problem.startswith("11: device.wheel.index_width_deg: warning: the index ends 3.33 counts after A rises")
    assert problem.endswith("; make the mark 1.35 degrees wide: it ends with B high then")


POSTED = """\
[table]
id = "roulette-1"
game = "roulette"
labels = [{ language = "es-US", name = "Ruleta Ñ 3", short = "R 3" }, { language = "en", name = "Roulette 3" }]
limits = [{ minimum = 1, maximum = 25, bet = "straight" }, { minimum = 0.5 }]
limits_unit = "chips"
[lines]
backend = "sim"
"""


def test_a_board_is_told_the_tables_name_and_its_posted_stakes() -> None:
    table = table_for(check_text(POSTED).tables[0], epoch="e1", simulated=True)
    events = table.open(0)
    opened = events[0].data
    assert isinstance(opened, TableOpened)
    assert opened.labels == [
        TableLabel(language="es-US", name="Ruleta Ñ 3", short="R 3"),
        TableLabel(language="en", name="Roulette 3"),
    ]
    assert opened.limits == [StakeLimit(minimum=1, maximum=25, bet="straight"), StakeLimit(minimum=0.5)]
    assert b'"limits":[{"minimum":1,"maximum":25,"bet":"straight"},{"minimum":0.5}],"limits_unit":"chips"' in encode(
        events[0]
    )
    state = TableState("roulette-1")
    for event in events:
        state.apply(event)
    again = TableState.from_snapshot(state.snapshot()).snapshot()
    assert (again.labels, again.limits, again.limits_unit) == (opened.labels, opened.limits, "chips")


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('"en"', '"es-US"', "4: table.labels[1]: is the second one for es-US"),
        ('"en"', '"English"', '4: table.labels[1].language: "English" has the wrong form; write the tag of a language'),
        ('"Roulette 3"', '"Roulette\\n3"', "4: table.labels[1].name: "),
        ('"R 3"', '"Roulette no. 3"', "4: table.labels[0].short: "),
        ('"en", name', '"en", nam', '4: table.labels[1].nam: unknown key; did you mean "name"?'),
        ("maximum = 25", "maximum = 0.5", "5: table.limits[0].maximum: 0.5 is below the minimum, 1"),
        (', bet = "straight"', "", "5: table.limits[1]: is the second one for every wager"),
        ('limits_unit = "chips"\n', "", "1: table.limits_unit: is missing, and limits need it"),
        ("limits = ", "# ", "6: table.limits_unit: has no limits to count"),
    ],
)
def test_a_mistake_in_what_a_board_shows_is_found(old: str, new: str, problem: str) -> None:
    assert problem in only_problem(POSTED.replace(old, new, 1))


@pytest.mark.parametrize(
    ("old", "key"),
    [
        ('"Roulette 3"', "4: table.labels[1].name: "),
        ('"R 3"', "4: table.labels[0].short: "),
        ('"straight"', "5: table.limits[0].bet: "),
        ('"chips"', "6: table.limits_unit: "),
    ],
)
@pytest.mark.parametrize("char", ["\u202e", "\u200b", "\ufeff", "\u00ad", "\u2028", "\x0b", "\U000e0001"], ids=ascii)
def test_what_a_board_shows_is_one_line_that_can_be_printed(old: str, key: str, char: str) -> None:
    problem = only_problem(POSTED.replace(old, f'"A\\U{ord(char):08x}B"', 1))
    assert problem.startswith(key)
    assert "has characters that cannot be printed" in problem
    assert is_plain(problem)


@pytest.mark.parametrize("name", ["", " ", " A", "A "])
def test_what_a_board_shows_has_no_space_around_it(name: str) -> None:
    problem = only_problem(POSTED.replace('"Roulette 3"', f'"{name}"', 1))
    assert problem.startswith("4: table.labels[1].name: ")
    assert "has the wrong form" in problem


@pytest.mark.parametrize("name", ["Ruleta Ñ 3", "שולחן 3", "طاولة", "輪盤 3", "€", "A - B"])
def test_a_table_may_have_its_name_in_any_script(name: str) -> None:
    assert problem_lines(check_text(POSTED.replace('"Roulette 3"', f'"{name}"', 1))) == []


def test_any_text_of_a_file_is_one_line_that_can_be_printed() -> None:
    named = AUTOMATIC.replace("[device.wheel]", '[device.wheel]\nlink = "a\\u202eb"')
    problem = problem_lines(check_text(named))[0]
    assert 'device.wheel.link: "a\\u202eb" has characters that cannot be printed; write one line' in problem


def test_a_file_that_is_given_twice_is_one_mistake(tmp_path: Path) -> None:
    path, link = tmp_path / "a.toml", tmp_path / "b.toml"
    path.write_text(LIVE)
    link.symlink_to(path)
    (problem,) = check([path, path]).problems
    assert str(problem) == f"{path}:1: (file): is given twice; give each file once"
    (problem,) = check([path, link]).problems
    assert str(problem) == f"{link}:1: (file): is the same file as {path}; give each file once"


def test_a_machine_on_real_wires_needs_nobody_who_calls() -> None:
    text = (EXAMPLES / "token_pusher_board.toml").read_text()
    assert "no_more_bets" not in text
    report = check_text(text)
    assert report.problems == []
    assert report.tables[0].no_more_bets == "auto"
