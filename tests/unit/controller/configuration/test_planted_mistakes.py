"""Mistakes that people make: each is found, and the message leads to what was meant, not to something else."""

from __future__ import annotations

import pytest

from controller.games.load import check_text
from tests.tables.problems import problem_lines

WHEEL = """\
[table]
id = "roulette-1"
game = "roulette"
no_more_bets = "auto"
[lines]
backend = "gpiod"
[device.wheel]
pockets = "american"
ball_sensors_deg = [0.0, 80.0, 200.0]
[pins]
rotor_a = { gpio = 17, pull = "up", inverted = true }
rotor_b = { gpio = 27, pull = "up", inverted = true }
rotor_index = { gpio = 22, pull = "up", inverted = true }
ball_1 = { gpio = 23, pull = "up", inverted = true }
ball_2 = { gpio = 24, pull = "up", inverted = true }
ball_3 = { gpio = 25, pull = "up", inverted = true }
pocket = { gpio = 5, pull = "up", inverted = true }
"""
PEGS = """\
[table]
id = "wheel-1"
game = "money_wheel"
no_more_bets = "auto"
[lines]
backend = "gpiod"
[device.wheel]
sensing = "pegs"
[pins]
wheel_peg = { gpio = 17 }
wheel_index = { gpio = 27 }
"""
A = 'rotor_a = { gpio = 17, pull = "up", inverted = true }'


def problems(text: str) -> list[str]:
    return problem_lines(check_text(text))


def test_the_files_are_right_before_a_mistake_is_planted() -> None:
    assert problems(WHEEL) == []
    assert problems(PEGS) == []


@pytest.mark.parametrize(
    ("right", "wrong", "leads_to"),
    [
        # filters and pins
        (A, A.replace("17,", "17, debounce_us = 5000,"), "5000 µs is too long for pulses of"),
        ("gpio = 24,", "gpio = 24, debounce_us = 5000,", "(a ball at 3 laps a second); remove it"),
        ("gpio = 24,", "gpio = 24, debounce_us = 50,", "warning: 50 µs on a line whose pulses are counted"),
        ("gpio = 17", "gpio = 14", "warning: GPIO14 is TXD of the serial port"),
        ("gpio = 17", 'gpio = "GPIO21"', "write the number alone, without quotes: 21"),
        ("gpio = 17", "gpio = GPIO21", "write the number alone: 21"),
        (A, 'rotor_a = "GPIO21"', "write it as { gpio = 21 }"),
        ("gpio = 17", 'header = "pin 11"', "write the number alone, without quotes: 11"),
        ("gpio = 17", "pin = 17", "gpio = NUMBER for GPIO17 or header = NUMBER"),
        ("gpio = 17", "bcm = 17", "write gpio = NUMBER"),
        (A, A.replace('pull = "up"', "pull_up = true"), 'write pull = "up"'),
        (A, A.replace('"up"', '"high"'), 'write "up" for that'),
        (A, A.replace("inverted = true", "active_low = true"), "write inverted = true"),
        (A, A.replace("true", "True"), "write true, in lower case"),
        (
            'ball_2 = { gpio = 24, pull = "up",',
            'ball_2 = { gpio = 24, pull = "down",',
            'always 1; write pull = "up"; or',
        ),
        (A, A.replace('"up"', '"down"'), 'always 1; write pull = "up"; or'),
        # names of lines
        ("pocket = { gpio = 5,", "ball_4 = { gpio = 5,", "ball_1 to ball_3, one for each angle of ball_sensors_deg"),
        ("ball_1 =", "ball_0 =", "number them from 1"),
        (
            "[pins]",
            "[pins]\nobject = { gpio = 12 }\nobject_2 = { gpio = 8 }",
            "pins.object_2: no device of this table has such a line; write object_beams = 2 in [device.wheel] for it, "
            "or remove object_2",
        ),
        ("rotor_index", "rotor_z", 'did you mean "rotor_index"?'),
        # words for choices
        ('"american"', '"double_zero"', 'write "american" for that'),
        ('"american"', '"single_zero"', 'write "european" for that'),
        ('no_more_bets = "auto"', "no_more_bets = true", 'write "button" for that'),
        ('"gpiod"', '"raspberry pi"', 'write "gpiod" for that'),
        # sections
        ("[table]", "[[table]]", "write [table] in single brackets"),
        ("[table]", "table:", "write a section in brackets, [table]"),
        ("[device.wheel]", "[[device.wheel]]", "write [device.wheel] in single brackets"),
        ("[device.wheel]", "[wheel]", "write [device.wheel]"),
        ("[device.wheel]", "[devices.wheel]", 'did you mean "device"?'),
        ("[pins]", '[device.wheel]\npockets = "american"\n[pins]', "move these keys up there, and remove this header"),
        (
            'no_more_bets = "auto"',
            'no_more_bets = "auto"\nball_sensors_deg = [0, 80, 200]',
            "it is a key of [device.wheel]: move it there",
        ),
        # numbers and lists
        ("80.0", "80.55deg", "write the number without its unit: 80.55"),
        ('"american"', '"american"\nindex_width_deg = 3.55deg', "write the number without its unit: 3.55"),
        ('"american"', '"american"\nindex_width_deg = "3.55 deg"', "write the number alone, without quotes: 3.55"),
        ("[0.0, 80.0, 200.0]", "[0,0 80,0 200,0]", "write decimal points"),
        ("[0.0, 80.0, 200.0]", "[0.0 80.0 200.0]", "put a comma between the elements of the list"),
        ('no_more_bets = "auto"', 'no_more_bets = "auto";', "remove the semicolon"),
        ('no_more_bets = "auto"', 'no_more_bets = "auto" // by itself', "begin a comment with #"),
        (A, 'rotor_a = {\n  gpio = 17,\n  pull = "up" }', "write it on one line, as in { gpio = 17"),
    ],
)
def test_a_mistake_gets_one_message_that_leads_to_what_was_meant(right: str, wrong: str, leads_to: str) -> None:
    assert WHEEL.count(right) == 1
    found = problems(WHEEL.replace(right, wrong))
    about = [line for line in found if "is not wired" not in line]
    assert len(about) == 1, about
    assert leads_to in about[0]


def test_a_key_of_the_other_way_of_sensing_is_refused() -> None:
    with_slots = PEGS.replace('"pegs"', '"pegs"\nencoder_slots = 100')
    assert problems(with_slots) == ['9: device.wheel.encoder_slots: has no effect with sensing = "pegs"; remove it']


def test_two_tables_in_a_file_are_two_files_and_none_is_to_be_deleted() -> None:
    [found] = problems(WHEEL + "\n" + PEGS)
    assert "move this one, with all that follows, to a file of its own" in found
    assert found.startswith("19: ")


def test_lines_below_the_section_of_another_one_are_reported_where_they_are() -> None:
    found = problems(WHEEL.replace(A, "[pins.rotor_a]\ngpio = 17"))
    assert len(found) == 6
    assert all("write rotor_a = { ... } on one line of [pins]" in line for line in found)
