"""Tables on boards: which line goes to which terminal, and every mistake about it with its fix."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

from controller.configuration.declaration import value_text
from controller.configuration.registry import Registry
from controller.configuration.sections import BoardKindName
from controller.configuration.terminals import place_of, places_of
from controller.games.catalogue import DEVICE, REGISTRY
from controller.games.load import check, check_text
from drivers.base.device_spec import LineUse
from drivers.dealer.indicators import LampConfig
from hal.board.messages import KINDS
from tests.tables.problems import only_problem, problem_lines

WHEEL = """\
[table]
id = "roulette-1"
game = "roulette"
no_more_bets = "auto"
[lines]
backend = "board"
[board.wheel]
kind = "wheel"
port = "/dev/serial/by-id/usb-1"
[device.wheel]
ball_sensors_deg = [0, 80, 200]
[pins]
rotor_a = { input = 1, pull = "none" }
rotor_b = { input = 2 }
rotor_index = { input = 3, inverted = true }
ball_1 = { input = 4 }
ball_2 = { input = 5 }
ball_3 = { input = 6 }
pocket = { input = 7 }
"""

TWO = """\
[table]
id = "wheel-2"
game = "money_wheel"
no_more_bets = "button"
[lines]
backend = "board"
[board.wheel]
kind = "wheel"
port = "/dev/serial/by-id/usb-1"
[board.desk]
kind = "reel"
port = "/dev/serial/by-id/usb-2"
[device.lamp]
[device.wheel]
index_width_deg = 4.95
[pins]
wheel_a = { board = "wheel", input = 1 }
wheel_b = { board = "wheel", input = 2 }
wheel_index = { board = "wheel", input = 3 }
dealer_no_more_bets = { board = "desk", input = 1, inverted = true }
no_more_bets_lamp = { board = "wheel", output = 2 }
"""

INDEX = "[device.wheel]\nindex_width_deg = 4.95\n"
"""An index that shows an exchange of the encoder's channels."""


def test_the_kinds_that_a_file_can_name_are_those_of_the_wire() -> None:
    assert set(get_args(BoardKindName)) == set(KINDS)


def test_a_table_on_one_board_knows_the_terminal_of_each_line() -> None:
    report = check_text(WHEEL)
    assert problem_lines(report) == []
    table = report.tables[0]
    assert table.live
    assert not table.simulated
    assert table.opens == "by_order"
    assert table.pins == {}
    assert [(line, each.board, each.side, each.number) for line, each in table.terminals.items()] == [
        ("rotor_a", "wheel", "input", 1),
        ("rotor_b", "wheel", "input", 2),
        ("rotor_index", "wheel", "input", 3),
        ("ball_1", "wheel", "input", 4),
        ("ball_2", "wheel", "input", 5),
        ("ball_3", "wheel", "input", 6),
        ("pocket", "wheel", "input", 7),
    ]
    assert (table.terminals["rotor_a"].pull, table.terminals["rotor_b"].pull) == ("none", "up")
    assert table.terminals["rotor_index"].inverted


def test_a_table_on_two_boards_says_which() -> None:
    report = check_text(TWO)
    assert problem_lines(report) == []
    table = report.tables[0]
    assert {name: board.kind for name, board in table.boards.items()} == {"wheel": "wheel", "desk": "reel"}
    assert table.terminals["dealer_no_more_bets"].place == ("desk", "input", 1)
    assert table.terminals["no_more_bets_lamp"].place == ("wheel", "output", 2)
    assert table.buttons == ("dealer_no_more_bets",)


def test_an_inclinometer_is_read_in_the_units_of_its_device() -> None:
    table = check_text(WHEEL + "level_x = { analogue = 1, zero_v = 2.5, per_v = -5 }\n").tables[0]
    level = table.terminals["level_x"]
    assert (level.place, level.zero_v, level.per_v) == (("wheel", "analogue", 1), 2.5, -5.0)
    assert table.boards["wheel"].reference_v == 5.0


def test_the_keys_of_a_keypad_are_inputs_after_the_others() -> None:
    places = {(place.side, place.number): place for place in places_of(KINDS["table"])}
    assert places["input", 8].name == "turn"
    assert (places["input", 9].name, places["input", 9].pin) == ("key 1", "")
    assert places["input", 17].name == "key spare"
    assert ("input", 18) not in places


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_a_pin_for_each_of_its_terminals_and_none_twice(kind: str) -> None:
    pins = [place.pin for place in places_of(KINDS[kind]) if place.pin]
    assert len(pins) == len(set(pins))
    assert len(KINDS[kind].output_pins) == len(KINDS[kind].outputs)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('kind = "wheel"', 'kind = "wheal"', '8: board.wheel.kind: "wheal" is not known; did you mean'),
        ('kind = "wheel"', "kind = 1", "8: board.wheel.kind: 1 is not known; write one of"),
        ('kind = "wheel"\n', "", '7: board.wheel.kind: is missing; add kind = "pusher" or "reel" or "table" or'),
        (
            'port = "/dev/serial/by-id/usb-1"\n',
            "",
            '7: board.wheel.port: is missing; add port = "/dev/serial/by-id/usb-1a86_USB_',
        ),
        ("by-id/usb-1", "by-id/\u00fcsb", "has the wrong form; the board's port by its id"),
        ('"/dev/serial/by-id/usb-1"', '"/dev/ttyUSB0"', '9: board.wheel.port: warning: "/dev/ttyUSB0" can change when'),
        ('"/dev/serial/by-id/usb-1"', '"/dev/pts/4"', "9: board.wheel.port: warning: \"/dev/pts/4\" is a pseudo-term"),
        ("[board.wheel]", "[board.Wheel]", '7: board.Wheel: "Wheel" cannot be the name of a board; write up to 32'),
        ("[board.wheel]", '[board."a b"]', "cannot be the name of a board"),
        ("[board.wheel]", "[bord.wheel]", '7: bord: unknown section; did you mean "board"?'),
        ("input = 1,", "input = 9,", "13: pins.rotor_a.input: a wheel board has no input 9; the board wheel has"),
        ("input = 1,", "input = 0,", "a wheel board has no input 0; the board wheel has inputs 1 to 8"),
        ("input = 1,", "input = -3,", "a wheel board has no input -3"),
        ("input = 1,", "input = 99999999999999999999,", "13: pins.rotor_a.input: "),
        ("input = 1,", 'input = "1",', '13: pins.rotor_a.input: "1" is not a whole number; write 1 without quotes'),
        ("input = 2 ", "input = 1 ", "has the same terminal as rotor_a (input 1 of the board wheel, in_1)"),
        ("input = 2 ", "inputs = 2 ", '14: pins.rotor_b.inputs: unknown key; did you mean "input"?'),
        ("input = 2 ", "output = 2 ", "14: pins.rotor_b: is read (encoder of the rotor, channel B), and output 2"),
        ("input = 2 ", "input = 2, output = 1 ", "14: pins.rotor_b: has input and output; write one of"),
        ("{ input = 2 }", '{ pull = "up" }', "14: pins.rotor_b: names no terminal; write one of { input = 1 },"),
        ("{ input = 2 }", "2", "14: pins.rotor_b: a bare number can be an input, an output or an analogue channel"),
        ("{ input = 2 }", '"2"', '14: pins.rotor_b: is "2", and a wire was expected; write it as { input = 1 }'),
        ("{ input = 2 }", "{ gpio = 27 }", "14: pins.rotor_b.gpio: gpio is for pins of the Pi, and with backend"),
        ("{ input = 2 }", "{ header = 13 }", "14: pins.rotor_b.header: header is for pins of the Pi, and"),
        ("{ input = 2 }", "{ gpio = 27, input = 2 }", "14: pins.rotor_b.gpio: has gpio and input: a pin of the"),
        ("{ input = 2 }", "{ input = 2, debounce_us = 5 }", "14: pins.rotor_b.debounce_us: has debounce_us and input"),
        ("{ input = 2 }", '{ input = 2, pull = "down" }', "14: pins.rotor_b.pull: is down, but a board has pull-up"),
        ("{ input = 2 }", "{ input = 2, per_v = 1 }", "14: pins.rotor_b.per_v: has no meaning for an input; remove it"),
        ("{ input = 2 }", '{ board = "weel", input = 2 }', '14: pins.rotor_b.board: no board is called "weel"; did'),
        ('backend = "board"', 'backend = "board"\nchip = "pinctrl-rp1"', "7: lines.chip: warning: names a chip"),
        ("port = ", "motor_most_a = 3.5\nport = ", "9: board.wheel.motor_most_a: has no effect: a wheel board"),
        ("port = ", "hopper_most_a = 2\nport = ", "9: board.wheel.hopper_most_a: has no effect: a wheel board"),
        ("port = ", "hopper_errors = true\nport = ", "9: board.wheel.hopper_errors: has no effect: a wheel board"),
        ("port = ", "motor_most_a = 0.4\nport = ", "9: board.wheel.motor_most_a: 0.4 is "),
        ("[pins]", "[board.spare]\nkind = \"wheel\"\nport = \"x\"\n[pins]", "names no board, and there are wheel"),
    ],
)  # fmt: skip
def test_a_mistake_about_a_board_is_told_with_its_line_key_and_fix(old: str, new: str, problem: str) -> None:
    assert old in WHEEL
    assert any(problem in line for line in problem_lines(check_text(WHEEL.replace(old, new, 1)))), problem_lines(
        check_text(WHEEL.replace(old, new, 1))
    )


@pytest.mark.parametrize("key", ["gpio = 27", 'name = "GPIO27"', "header = 13"])
def test_a_pin_of_the_pi_is_told_what_to_write_on_a_table_of_boards(key: str) -> None:
    problem = only_problem(WHEEL.replace("{ input = 2 }", f"{{ {key} }}"))
    assert problem.endswith('; write a terminal, such as { input = 1 }, or backend = "gpiod" in [lines]')


def test_a_terminal_is_told_what_to_write_on_a_table_of_pins() -> None:
    text = '[table]\nid = "t"\ngame = "money_wheel"\nno_more_bets = "auto"\n[lines]\nbackend = "gpiod"\n[pins]\n'
    wires = "wheel_a = { input = 1 }\nwheel_b = { gpio = 27 }\nwheel_index = { gpio = 22 }\n" + INDEX
    assert only_problem(text + wires) == (
        '8: pins.wheel_a.input: input is for boards, and with backend = "gpiod" every line is wired to the Pi; write '
        '{ gpio = ... }, or backend = "board" in [lines]'
    )


def test_a_board_on_a_table_of_pins_has_no_effect_and_is_told() -> None:
    text = '[table]\nid = "t"\ngame = "money_wheel"\nno_more_bets = "auto"\n[lines]\nbackend = "gpiod"\n'
    board = '[board.wheel]\nkind = "wheel"\nport = "/dev/serial/by-id/usb-1"\n'
    wires = "[pins]\nwheel_a = { gpio = 17 }\nwheel_b = { gpio = 27 }\nwheel_index = { gpio = 22 }\n" + INDEX
    report = check_text(text + board + wires)
    assert problem_lines(report) == [
        '7: board: warning: has no effect with the backend gpiod; remove it, or write backend = "board" in [lines]'
    ]
    assert len(report.tables) == 1


def test_a_table_of_boards_without_a_board_is_told_how_to_name_one() -> None:
    text = WHEEL.replace('[board.wheel]\nkind = "wheel"\nport = "/dev/serial/by-id/usb-1"\n', "")
    problem = only_problem(text)
    assert problem.startswith("1: board: is missing, and the backend board needs it; add [board.wheel] with kind = ")


def test_a_line_that_is_not_wired_is_offered_a_free_terminal() -> None:
    assert only_problem(WHEEL.replace("pocket = { input = 7 }\n", "")).endswith(
        "choose a terminal; free is pocket = { input = 7 }"
    )
    full = WHEEL.replace(
        "pocket = { input = 7 }\n", "object = { input = 7 }\nsupervisor_key = { input = 8, inverted = true }\n"
    )
    assert only_problem(full).endswith("free a terminal of a board for it, or add another board")


def test_with_several_boards_the_offer_says_which() -> None:
    problem = only_problem(TWO.replace("dealer_no_more_bets =", "supervisor_key ="))
    assert problem.endswith('free is dealer_no_more_bets = { board = "wheel", input = 4, inverted = true }')


def test_a_board_that_no_line_uses_is_told() -> None:
    spare = '[board.spare]\nkind = "pusher"\nport = "/dev/serial/by-id/usb-3"\n'
    assert only_problem(TWO + spare) == (
        "22: board.spare: no line is wired to it; wire a line to it in [pins], or remove its section"
    )


def test_two_boards_of_one_kind_need_numbers_that_tell_them_apart() -> None:
    text = TWO.replace('kind = "reel"', 'kind = "wheel"')
    warnings = check_text(text)
    assert [problem.severity for problem in warnings.problems] == ["warning", "warning"]
    assert problem_lines(warnings)[0] == (
        "7: board.wheel: warning: is of the same kind as desk: they could be exchanged unnoticed; "
        "give it a number with feltwire boards name PORT NUMBER, and add serial = NUMBER"
    )
    numbered = text.replace('usb-1"', 'usb-1"\nserial = 1').replace('usb-2"', 'usb-2"\nserial = 2')
    assert problem_lines(check_text(numbered)) == []
    same = problem_lines(check_text(numbered.replace("serial = 2", "serial = 1")))
    assert same[0].startswith("10: board.wheel.serial: is also the serial of desk; give each board a number of its own")
    assert "write a whole number from 1 to 4294967295" in only_problem(numbered.replace("serial = 2", "serial = 0"))


def test_two_boards_and_links_cannot_share_a_port() -> None:
    assert only_problem(TWO.replace("usb-2", "usb-1")) == (
        '12: board.desk.port: its port "/dev/serial/by-id/usb-1" is also that of board.wheel.port of table.toml:9; '
        "give each board its own port"
    )
    display = '[device.display]\n[links]\nnumber_display = { port = "/dev/serial/by-id/usb-1" }\n'
    assert only_problem(WHEEL + display) == (
        '22: links.number_display.port: its port "/dev/serial/by-id/usb-1" is also that of board.wheel.port of '
        "table.toml:9; give each link its own port"
    )


def test_one_port_under_two_names_is_told_with_the_device_behind_both(tmp_path: Path) -> None:
    device = tmp_path / "ttyUSB0"
    device.touch()
    by_id, by_path = tmp_path / "by-id", tmp_path / "by-path"
    for name in (by_id, by_path):
        name.symlink_to(device)
    text = TWO.replace("/dev/serial/by-id/usb-1", str(by_id)).replace("/dev/serial/by-id/usb-2", str(by_path))
    assert only_problem(text) == (
        f"12: board.desk.port: its port {value_text(str(by_path))}, which is {device}, is also that of "
        "board.wheel.port of table.toml:9; give each board its own port"
    )
    other = TWO.replace("/dev/serial/by-id/usb-1", str(by_id)).replace("usb-2", "usb-3")
    assert problem_lines(check_text(other)) == []
    assert only_problem(TWO.replace("/dev/serial/by-id/usb-2", "/dev//serial/by-id/../by-id/usb-1")).startswith(
        '12: board.desk.port: its port "/dev//serial/by-id/../by-id/usb-1", which is /dev/serial/by-id/usb-1, is also'
    )
    assert "is also that of board.wheel.port" in only_problem(
        TWO.replace("/dev/serial/by-id/usb-1", "socket://h:1").replace("/dev/serial/by-id/usb-2", "socket://h:1")
    )


def test_two_tables_cannot_have_one_board(tmp_path: Path) -> None:
    paths = [tmp_path / "a.toml", tmp_path / "b.toml"]
    for path in paths:
        path.write_text(WHEEL.replace("roulette-1", path.stem))
    problems = check(paths).problems
    assert [problem.key for problem in problems] == ["board.wheel.port"]
    assert problems[0].wrong == (
        f'its port "/dev/serial/by-id/usb-1" is also that of board.wheel.port of {tmp_path / "a.toml"}:9'
    )


def test_a_line_on_the_wrong_side_is_told_what_the_board_has() -> None:
    lamp = TWO.replace("output = 2 }", "input = 5 }")
    assert only_problem(lamp) == (
        '21: pins.no_more_bets_lamp: is driven (lamp "No more bets"), and input 5 of the board wheel is an input; '
        "write { output = ... }; the board wheel has outputs 1 to 4"
    )
    level = WHEEL + "level_x = { input = 8 }\n"
    assert (
        "is an analogue reading (inclination of the wheel along x), and input 8 of the board wheel is an"
        in only_problem(level)
    )
    reel = TWO.replace('[board.wheel]\nkind = "wheel"', '[board.wheel]\nkind = "reel"') + (
        'level_x = { board = "wheel", analogue = 1, zero_v = 1, per_v = 1 }\n'
    )
    assert any(
        "a reel board has no analogue 1; the board wheel has no analogue" in line
        for line in problem_lines(check_text(reel))
    )


def test_a_contact_that_would_be_pressed_while_it_is_open_is_told() -> None:
    button = TWO.replace("input = 1, inverted = true", "input = 1")
    assert only_problem(button) == (
        "20: pins.dealer_no_more_bets: is a bare contact, and the board's resistor pulls its wire high: it would be "
        "active while open; add inverted = true, and wire the contact to ground"
    )
    open_drain = button.replace("input = 1 }\nno", 'input = 3, pull = "none" }\nno').replace('"reel"', '"table"')
    assert problem_lines(check_text(open_drain)) == []


def test_an_output_that_would_be_on_when_the_board_goes_safe_is_told() -> None:
    problem = only_problem(TWO.replace("output = 2", "output = 2, inverted = true"))
    assert problem.startswith("21: pins.no_more_bets_lamp.inverted: is true, but a board makes its outputs low")


def test_a_key_of_a_keypad_is_a_button_that_needs_nothing() -> None:
    text = TWO.replace('kind = "reel"', 'kind = "table"')
    key = text.replace('board = "desk", input = 1, inverted = true', 'board = "desk", input = 15')
    report = check_text(key)
    assert problem_lines(report) == []
    assert report.tables[0].terminals["dealer_no_more_bets"].pull == "none"
    assert only_problem(key.replace("input = 15", "input = 15, inverted = true")) == (
        "20: pins.dealer_no_more_bets.inverted: has no meaning for the key enter of a keypad, which is 1 while it is "
        "pressed; remove it"
    )


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ("analogue = 1", "zero_v: is missing; add zero_v = 2.5"),
        ("analogue = 1, zero_v = 2.5", "per_v: is missing; write per_v = 5.0"),
        ("analogue = 1, zero_v = 2.5, per_v = 0", "per_v: is 0, so every reading would be 0"),
        ("analogue = 1, zero_v = 2.5, per_v = nan", "per_v: "),
        ("analogue = 1, zero_v = 9, per_v = 1", "zero_v: 9 is out of range; write a number from 0 to 5.5"),
        ('analogue = 1, zero_v = 2.5, per_v = 1, pull = "up"', "pull: has no meaning for an analogue channel"),
        ("analogue = 1, zero_v = 2.5, per_v = 1, inverted = true", "inverted: has no meaning for an analogue channel"),
        ("analogue = 5, zero_v = 2.5, per_v = 1", "analogue: a wheel board has no analogue 5; the board wheel has ana"),
    ],
)
def test_a_wrong_scale_is_told(entry: str, problem: str) -> None:
    report = problem_lines(check_text(WHEEL + f"level_x = {{ {entry} }}\n"))
    assert any(f"pins.level_x.{problem}" in line for line in report), report


class MotorConfig(LampConfig, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A lamp's keys, for a lamp that turns."""


def with_a_motor() -> Registry:
    """The games, with a motor where the lamp is."""

    def lines(config: MotorConfig) -> dict[str, LineUse]:
        return {"motor": LineUse("the motor", "turning", "motor driver", "output", drives="motor")}

    lamp = replace(DEVICE["lamp"], keys=MotorConfig, lines=lines)
    return REGISTRY._replace(drivers={**REGISTRY.drivers, "lamp": lamp})


def test_what_moves_is_driven_by_a_board_and_by_nothing_else() -> None:
    on_board = TWO.replace("no_more_bets_lamp", "motor")
    assert problem_lines(check_text(on_board, registry=with_a_motor())) == []
    text = '[table]\nid = "t"\ngame = "money_wheel"\nno_more_bets = "auto"\n[lines]\nbackend = "gpiod"\n[device.lamp]\n'
    text += "[pins]\nwheel_a = { gpio = 17 }\nwheel_b = { gpio = 27 }\nwheel_index = { gpio = 22 }\n"
    (wired,) = problem_lines(check_text(text + "motor = { gpio = 5 }\n" + INDEX, registry=with_a_motor()))
    assert wired == (
        "12: pins.motor: is a motor, but a pin of the Pi keeps its level when the program dies; drive it with a board, "
        'which has a dead-man: backend = "board"'
    )
    (missing,) = problem_lines(check_text(text + INDEX, registry=with_a_motor()))
    assert missing.endswith('a motor moves, and a pin of the Pi has no dead-man; backend = "board"')


def test_a_file_of_boards_can_be_simulated_by_changing_its_backend_alone() -> None:
    report = check_text(TWO.replace('backend = "board"', 'backend = "sim"'))
    assert problem_lines(report) == []
    assert report.tables[0].simulated
    assert not report.tables[0].live


def test_a_table_with_an_emulated_board_says_that_it_is_simulated() -> None:
    text = WHEEL.replace('"/dev/serial/by-id/usb-1"', '"/dev/pts/4"\nemulated = true')
    report = check_text(text)
    assert problem_lines(report) == []
    assert report.tables[0].simulated
    assert report.tables[0].live


def test_every_mistake_comes_at_once() -> None:
    report = check_text(
        '[table]\nid = "t"\ngame = "money_wheel"\nno_more_bets = "auto"\n[lines]\nbackend = "board"\n'
        '[board.wheel]\nkind = "weel"\n[board.desk]\nkind = "reel"\nport = "a"\n[board.Big]\nkind = "table"\n'
        'port = "a"\n'
        '[pins]\nwheel_a = { board = "desk", input = 12 }\nwheel_b = { board = "dask", input = 1 }\n'
        "wheel_index = { gpio = 4 }\nwheel_c = { input = 1, board = 'desk' }\n[device.wheel]\nindex_width_deg = 4.95\n"
    )
    assert report.tables == []
    assert [problem.line for problem in report.problems] == [7, 8, 12, 12, 14, 16, 17, 18, 19]


def test_a_terminal_has_a_place_on_its_board() -> None:
    terminal = check_text(WHEEL).tables[0].terminals["rotor_index"]
    assert place_of(terminal, KINDS["wheel"]).pin == "D4"
