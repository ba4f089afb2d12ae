"""Lines with which a board works by itself are at its own terminals, and the right way up; contacts rest inactive."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.configuration.header_pins import HEADER
from controller.configuration.terminals import MOVED, PULLED_UP, places_of
from controller.games.catalogue import REGISTRY
from controller.games.load import check_text
from hal.board.messages import KINDS
from tests.tables.problems import only_problem, problem_lines

EXAMPLES = Path(__file__).resolve().parents[4] / "examples"
MOTOR = (EXAMPLES / "beat_the_dealer_board.toml").read_text()
SIC_BO = (EXAMPLES / "sic_bo_board.toml").read_text()
CHUTE = (EXAMPLES / "under_over_board.toml").read_text()
ROULETTE = (EXAMPLES / "roulette_board.toml").read_text()
ON_PI = (EXAMPLES / "chuck_a_luck_on_pi.toml").read_text()


def entry(text: str, line: str, new: str | None) -> str:
    """The document with another entry for a line; None leaves it out."""
    rows = text.splitlines()
    (at,) = [number for number, row in enumerate(rows) if row.startswith(f"{line} = {{")]
    rows[at : at + 1] = [] if new is None else [f"{line} = {{ {new} }}"]
    return "\n".join(rows) + "\n"


@pytest.mark.parametrize(
    ("line", "new", "wrong", "fix"),
    [
        ("motor", "output = 2", "output 2 of the board table, which is motor_back", "motor = { output = 1 }"),
        ("motor", "output = 3", "output 3 of the board table, which there is not", "motor = { output = 1 }"),
        ("motor", "input = 5", "input 5 of the board table, which is beam_3", "motor = { output = 1 }"),
        (
            "motor_shaft",
            "input = 5, inverted = true",
            "input 5 of the board table, which is beam_3",
            "motor_shaft = { input = 1, inverted = true }",
        ),
        (
            "motor_home",
            "input = 6",
            "input 6 of the board table, which is beam_4",
            "motor_home = { input = 2, inverted = true }",
        ),
        (
            "key_1",
            "input = 5, inverted = true",
            "input 5 of the board table, which is beam_3",
            "key_1 = { input = 9 }",
        ),
    ],
)
def test_a_line_at_another_terminal_than_its_own_is_told_which_that_is(
    line: str, new: str, wrong: str, fix: str
) -> None:
    problem = only_problem(entry(MOTOR, line, new))
    assert f"pins.{line}: is wired to {wrong}, but a table board handles this line itself (" in problem
    assert f"); write {fix}, which is " in problem


@pytest.mark.parametrize("chip", ["rp2040", "rp2350"])
def test_a_channel_that_is_at_no_pin_of_a_pico_is_refused(chip: str) -> None:
    pico = ROULETTE.replace('kind = "wheel"\n', f'kind = "wheel"\nchip = "{chip}"\n')
    level = "zero_v = 1.126, per_v = 22.2"
    assert not problem_lines(check_text(entry(pico, "level_x", f'board = "wheel", analogue = 3, {level}')))
    problem = only_problem(entry(pico, "level_x", f'board = "wheel", analogue = 4, {level}'))
    assert "pins.level_x.analogue: 4 is at no pin of a Pico: it would read a third of what supplies" in problem
    assert problem.endswith("; write one of 1, 2, 3")
    assert not problem_lines(check_text(entry(ROULETTE, "level_x", f'board = "wheel", analogue = 4, {level}')))


@pytest.mark.parametrize(("chip", "about"), [("rp2040", "Pico"), ("rp2350", "Pico 2")])
def test_a_pico_measures_against_3_3_v(chip: str, about: str) -> None:
    pico = ROULETTE.replace('kind = "wheel"\n', f'kind = "wheel"\nchip = "{chip}"\nsupply_v = 5.0\n', 1)
    problem = only_problem(pico)
    assert f"is 5 V, and a Raspberry Pi {about} measures against 3.3 V" in problem
    assert not problem_lines(check_text(ROULETTE.replace('kind = "wheel"\n', 'kind = "wheel"\nsupply_v = 5.0\n')))


def test_keys_that_are_exchanged_are_told_both() -> None:
    first, second = problem_lines(check_text(entry(entry(MOTOR, "key_1", "input = 10"), "key_2", "input = 9")))
    assert "pins.key_1: is wired to input 10 of the board table, which is key 2" in first
    assert first.endswith("(keypad, key 1); write key_1 = { input = 9 }, which is key 1")
    assert second.endswith("(keypad, key 2); write key_2 = { input = 10 }, which is key 2")


@pytest.mark.parametrize(("line", "number", "name"), [("motor_shaft", 1, "shaft"), ("motor_home", 2, "home")])
def test_the_sensors_of_a_motor_are_active_low_and_must_be_inverted(line: str, number: int, name: str) -> None:
    assert only_problem(entry(MOTOR, line, f"input = {number}")).endswith(
        f"pins.{line}: is not inverted, and a table board takes its {name} as active when the wire is low; add "
        "inverted = true, and wire an open collector or a contact to ground"
    )


@pytest.mark.parametrize("text", [MOTOR, CHUTE], ids=["motor", "chute"])
@pytest.mark.parametrize("kind", ["wheel", "reel", "pusher"])
def test_a_board_of_the_wrong_kind_is_told_once(text: str, kind: str) -> None:
    problem = only_problem(text.replace('kind = "table"', f'kind = "{kind}"'))
    assert f'board.table.kind: is "{kind}", and ' in problem
    assert "more lines can be only on a board of the kind table" in problem
    assert problem.endswith('kind should be "table"')


def test_a_board_of_the_wrong_kind_with_a_lamp_chain_is_told_for_its_lines_and_its_lamps() -> None:
    lines, lamps = problem_lines(check_text(SIC_BO.replace('kind = "table"', 'kind = "wheel"')))
    assert "board.layout.kind: " in lines
    assert lamps.endswith('"layout" is not a board with lamps; the kind of [board.layout] should be "table"')


def test_lines_on_the_wrong_one_of_two_boards_are_told_the_other() -> None:
    desk = '[board.desk]\nkind = "wheel"\nport = "/dev/serial/by-id/desk"\n[device.cage]'
    two = MOTOR.replace("[device.cage]", desk).replace("{ input", '{ board = "table", input')
    two = two.replace("{ output", '{ board = "table", output')
    two = entry(two, "supervisor_key", 'board = "desk", input = 1, inverted = true')
    assert problem_lines(check_text(two)) == []
    assert only_problem(entry(two, "motor", 'board = "desk", output = 1')).endswith(
        'board.desk.kind: is "wheel", and motor can be only on a board of the kind table; kind should be "table", or '
        "wire them to the board table"
    )
    assert only_problem(entry(two, "motor", 'board = "table", output = 2')).endswith(
        'write motor = { board = "table", output = 1 }, which is motor'
    )


def test_a_terminal_that_no_board_has_is_told_though_a_device_is_wrong() -> None:
    text = entry(MOTOR, "cage_turn", "input = 30").replace("[device.cage]", "[device.cage]\nsensing = 5")
    assert any(
        "a table board has no input 30; the board table has inputs 1 to 17" in row
        for row in problem_lines(check_text(text))
    )


def test_a_line_that_is_left_out_is_offered_its_own_terminal_and_no_other() -> None:
    assert only_problem(entry(MOTOR, "motor_shaft", None)).endswith(
        "free is motor_shaft = { input = 1, inverted = true }"
    )
    assert only_problem(entry(MOTOR, "key_4", None)).endswith("free is key_4 = { input = 12 }")
    taken = entry(entry(MOTOR, "motor_shaft", None), "dealer_void", "input = 1, inverted = true")
    assert only_problem(taken).endswith("free input 1 of the board table for it, its shaft")


def test_a_terminal_that_another_line_needs_is_offered_to_none() -> None:
    both = entry(entry(MOTOR, "dealer_void", None), "motor_shaft", None)
    offers = {row.split(":")[1].strip(): row.split("free is ")[1] for row in problem_lines(check_text(both))}
    assert offers == {
        "pins.dealer_void": "dealer_void = { input = 3, inverted = true }",
        "pins.motor_shaft": "motor_shaft = { input = 1, inverted = true }",
    }


def test_a_lamp_cannot_hang_where_the_board_drives_a_motor() -> None:
    lamp = MOTOR.replace("[device.dealer]", "[device.lamp]\n[device.dealer]") + "no_more_bets_lamp = { output = 2 }\n"
    assert only_problem(lamp).endswith(
        "is a lamp, and output 2 of the board table is its motor_back, which the board stops by itself; drive it with "
        'another board, of kind = "wheel"'
    )
    missing = only_problem(lamp.replace("no_more_bets_lamp = { output = 2 }\n", ""))
    assert missing.endswith("free a terminal of a board for it, or add another board")


@pytest.mark.parametrize("kind", MOVED)
def test_the_outputs_that_move_are_outputs_of_the_wire(kind: str) -> None:
    assert set(MOVED[kind]) <= {(place.side, place.name) for place in places_of(KINDS[kind])}


@pytest.mark.parametrize("name", REGISTRY.drivers)
def test_the_terminal_that_a_line_must_have_is_one_of_the_wire(name: str) -> None:
    driver = REGISTRY.drivers[name]
    for use in driver.lines(driver.keys()).values():
        if use.at is not None:
            places = {place.name: place for place in places_of(KINDS[use.at.kind])}
            assert places[use.at.name].side == use.kind


@given(number=st.integers(-3, 20), side=st.sampled_from(["input", "output", "analogue"]), inverted=st.booleans())
def test_whatever_terminal_a_motors_sensor_is_given_only_its_own_is_right(
    number: int, side: str, inverted: bool
) -> None:
    new = f"{side} = {number}" + (", inverted = true" if inverted else "")
    errors = check_text(entry(MOTOR, "motor_shaft", new)).errors
    assert (errors == []) == ((side, number, inverted) == ("input", 1, True))


def test_a_bare_contact_on_a_pin_must_not_be_active_while_it_is_open() -> None:
    assert only_problem(entry(ON_PI, "key_1", 'gpio = 4, pull = "up"')).endswith(
        "pins.key_1: is a bare contact, and the resistor pulls its wire high: it would be active while open; add "
        'inverted = true, and wire the contact to ground; or write pull = "down", and wire it to 3V3'
    )
    assert only_problem(entry(ON_PI, "dealer_void", 'gpio = 22, pull = "down", inverted = true')).endswith(
        'pulls its wire low: it would be active while open; write pull = "up", and wire the contact to ground'
    )


@pytest.mark.parametrize(
    "new",
    ["gpio = 4", 'gpio = 4, pull = "down"', "gpio = 4, inverted = true", 'gpio = 4, pull = "none"'],
)
def test_a_bare_contact_that_rests_inactive_is_right(new: str) -> None:
    assert problem_lines(check_text(entry(ON_PI, "key_1", new))) == []


def test_a_sensor_that_drives_its_wire_may_rest_high() -> None:
    assert problem_lines(check_text(entry(ON_PI, "cage_shake", 'gpio = 21, pull = "up"'))) == []


def test_the_example_on_a_pi_leaves_the_console_and_the_buses_alone() -> None:
    special = {pin.gpio for pin in HEADER if pin.special}
    assert special.isdisjoint(pin.gpio for pin in check_text(ON_PI).tables[0].pins.values())


@pytest.mark.parametrize(("line", "number"), [("motor_shaft", 1), ("motor_home", 2)])
def test_an_input_that_the_board_always_pulls_up_cannot_do_without(line: str, number: int) -> None:
    """The firmware switches the resistor on whatever the host asks for: the key would do nothing."""
    wrong = entry(MOTOR, line, f'input = {number}, inverted = true, pull = "none"')
    row = wrong.splitlines().index(f'{line} = {{ input = {number}, inverted = true, pull = "none" }}') + 1
    found = only_problem(wrong)
    assert f'{row}: pins.{line}.pull: is "none", but a table board always switches on the resistor' in found
    assert 'remove it, or write pull = "up"' in found
    assert problem_lines(check_text(entry(MOTOR, line, f'input = {number}, inverted = true, pull = "up"'))) == []


def test_an_input_that_the_board_pulls_up_has_no_pull_down_either() -> None:
    assert "is down, but a board has pull-up resistors only" in only_problem(
        entry(MOTOR, "motor_shaft", 'input = 1, inverted = true, pull = "down"')
    )


def test_the_inputs_that_are_always_pulled_up_are_those_of_the_firmware() -> None:
    kinds = Path(__file__).resolve().parents[4] / "firmware" / "kinds"
    for kind in KINDS.values():
        source = (kinds / f"{kind.name}.c").read_text()
        (mask,) = re.findall(r"\.own_pull_ups = ([^,]+),", source)
        named = {name.lower() for name in re.findall(rf"{kind.name.upper()}_IN_(\w+)", mask)}
        every = {name for name, _ in kind.inputs} if mask == "0xFFU" else set()
        assert mask in ("0", "0xFFU") or named, f"{kind.name}: {mask} cannot be read"
        assert set(PULLED_UP.get(kind.name, ())) == named | every


def test_the_output_of_a_part_is_refused_at_a_key_of_the_scanned_keypad() -> None:
    text = (Path(__file__).parents[4] / "examples" / "baccarat_board.toml").read_text()
    assert check_text(text).errors == []
    (wrong,) = check_text(text.replace("shoe_cut = { input = 6 }", "shoe_cut = { input = 14 }")).errors
    assert "is the output of the sensor, and input 14 of the board cards is the key 6 of the keypad" in str(wrong)
    assert "use inputs 1 to 8" in str(wrong)
    button = text.replace("supervisor_key = { input = 3, inverted = true }", "supervisor_key = { input = 9 }")
    assert check_text(button).errors == []
