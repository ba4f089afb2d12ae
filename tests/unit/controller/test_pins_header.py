"""The 40-pin header, against facts that anyone can read off a board."""

from __future__ import annotations

from gpiozero.pins.data import PLUS_J8

from controller.configuration.header_pins import HEADER, PIN_OF_GPIO, PLAIN_FIRST, RESERVED, nearest_ground


def test_the_header_has_forty_pins_of_which_28_are_gpios() -> None:
    assert [pin.number for pin in HEADER] == list(range(1, 41))
    assert sorted(PIN_OF_GPIO) == list(range(28))
    assert {pin.number for pin in HEADER if pin.label == "GND"} == {6, 9, 14, 20, 25, 30, 34, 39}
    assert {pin.number for pin in HEADER if pin.label == "5V"} == {2, 4}
    assert {pin.number for pin in HEADER if pin.label == "3V3"} == {1, 17}


def test_the_pins_are_those_of_gpiozeros_drawing_of_a_board() -> None:
    _, _, pins = PLUS_J8
    theirs = {number: functions.get("gpio", functions.get("")) for number, functions in pins.items()}
    assert {pin.number: pin.label for pin in HEADER} == theirs


def test_some_pins_that_every_tutorial_names() -> None:
    assert {gpio: PIN_OF_GPIO[gpio] for gpio in (2, 3, 4, 14, 15, 17, 18, 21, 26, 0, 1)} == {
        2: 3, 3: 5, 4: 7, 14: 8, 15: 10, 17: 11, 18: 12, 21: 40, 26: 37, 0: 27, 1: 28,
    }  # fmt: skip


def test_proposals_leave_out_the_reserved_pins_and_those_with_a_fixed_pull_up() -> None:
    assert set(PLAIN_FIRST) == set(range(28)) - RESERVED - {2, 3}
    assert len(PLAIN_FIRST) == len(set(PLAIN_FIRST))


def test_the_nearest_ground_is_at_most_two_rows_away() -> None:
    for pin in HEADER:
        ground = nearest_ground(pin.number)
        assert HEADER[ground - 1].label == "GND"
        assert abs((ground - 1) // 2 - (pin.number - 1) // 2) <= 2, pin
