"""The link of a reading board is cut into frames by the board's own format."""

from __future__ import annotations

from typing import Any

import pytest

import hal.serial_link
from controller.games.load import check, check_text, load
from controller.live.board_lines import outputs_of
from controller.live.wiring import wire
from drivers.dice.frame_wire import ShakerFramer
from hal.clock import VirtualClock
from hal.framing import Framer, LineFramer
from tests.tables.bench import configured

TABLE = """
[table]
id = "dice-1"
game = "under_over"
no_more_bets = "auto"
[lines]
backend = "gpiod"
[device.reader]
format = "%s"
[device.keypad]
[links]
dice_serial = { port = "/dev/serial/by-id/usb-reader" }
[pins]
cage_turn = { gpio = 20, inverted = true }
cage_shake = { gpio = 21, inverted = true }
"""
KEYS = "".join(
    f"{key} = {{ gpio = {gpio}, inverted = true }}\n"
    for gpio, key in enumerate((*(f"key_{value}" for value in range(1, 7)), "key_enter", "key_clear"), 4)
)


@pytest.mark.parametrize(
    ("format_", "framer"), [("lines", LineFramer), ("state_words", LineFramer), ("frames_7a", ShakerFramer)]
)
def test_each_format_has_its_framer(monkeypatch: pytest.MonkeyPatch, format_: str, framer: type[Framer]) -> None:
    framers: list[Framer] = []

    def link(name: str, port: str, clock: object, framer: Framer, settings: object) -> Any:
        framers.append(framer)

    monkeypatch.setattr(hal.serial_link, "SerialLink", link)
    wire(configured(TABLE % format_ + KEYS), VirtualClock(), {}, 1)
    assert [type(one) for one in framers] == [framer]


EXAMPLES = (
    "beat_the_dealer",
    "beat_the_dealer_board",
    "beat_the_dealer_motor",
    "chuck_a_luck",
    "chuck_a_luck_on_pi",
    "under_over",
    "under_over_board",
)


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_is_right(name: str) -> None:
    report = check([f"examples/{name}.toml"])
    assert (report.errors, len(report.tables)) == ([], 1)


def test_a_motor_on_a_pin_of_the_pi_is_refused_for_it_would_turn_on_when_the_program_dies() -> None:
    motor = "motor = { gpio = 22 }\nmotor_home = { gpio = 23 }\nmotor_shaft = { gpio = 24 }\n"
    table = (TABLE % "lines").replace('"auto"', '"button"') + "dealer_no_more_bets = { gpio = 25 }\n"
    report = check_text(table + KEYS + motor + "[device.motor]\n")
    assert ["a pin of the Pi keeps its level" in str(error) for error in report.errors] == [True]


def test_a_motor_on_a_board_is_an_output_that_the_board_keeps() -> None:
    (config,) = load(["examples/beat_the_dealer_board.toml"])
    (spec,) = outputs_of(config, "table")
    assert (spec.name, spec.kind, spec.gpio, spec.safe) == ("motor", "motor", 1, 0.0)
    assert spec.max_on_ns <= 60_000_000_000
