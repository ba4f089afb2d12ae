"""Netlist, firmware and emulator have one opinion of what an input reads; a difference between them is found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from firmware.hardware import blocks as b
from firmware.hardware import parts as p
from firmware.hardware import wiring
from firmware.hardware.blocks import CarrierBoard
from firmware.hardware.boards import APART, BOARDS
from firmware.hardware.circuit import CircuitPart
from firmware.hardware.publish import ROOT, WIRING
from firmware.hardware.wiring import InputLevels, LevelError
from simulators.board.wiring import LINES
from tests.shares import one_in

FIX = "run: python -m firmware.hardware --figures"


class Held:
    """A board with what firmware and emulator hold it for, each of which a test can change."""

    def __init__(self, name: str, lines: dict[str, InputLevels] | None = None) -> None:
        """`lines` are those of the board where a test does not change it."""
        self.board: CarrierBoard = BOARDS[name]()
        self.lines = lines
        self.tests = wiring.tested_by_firmware(name)
        self.pins = wiring.firmware_pins(name)
        self.emulator = {use: InputLevels(*line) for use, line in LINES[name].items()}
        self.ended: float | None = None

    def differences(self) -> list[str]:
        try:
            lines = self.lines or wiring.lines_of(self.board, ended=self.ended)
        except LevelError as error:
            return [str(error)]
        return list(
            wiring.differences(
                self.board, lines, firmware_tests=self.tests, firmware_pins=self.pins, emulator=self.emulator
            )
        )

    def part(self, row: str, symbol: str, number: int = 0) -> CircuitPart:
        return [part for part in self.board.tagged(row) if part.type.symbol == symbol][number]

    def forget(self, row: str, symbol: str, number: int = 0) -> None:
        part = self.part(row, symbol, number)
        part.type = replace(part.type, spice="")


@cache
def as_drawn(name: str) -> dict[str, InputLevels]:
    """The lines of a board that nobody has changed."""
    return wiring.lines_of(BOARDS[name]())


@pytest.mark.parametrize("name", BOARDS)
def test_netlist_firmware_and_emulator_agree(name: str) -> None:
    assert Held(name, as_drawn(name)).differences() == [], FIX


def test_the_emulators_table_is_made_from_the_netlists() -> None:
    """Its lines are compared above; this is the rest of the file."""
    made = wiring.module(
        {name: {use: InputLevels(*line) for use, line in lines.items()} for name, lines in LINES.items()}
    )
    assert (ROOT / WIRING).read_text(encoding="utf-8") == made, FIX


@pytest.mark.parametrize("adapter", ["opto-12v", "opto-24v"])
@pytest.mark.parametrize("name", ["reel", "pusher"])
def test_a_sensor_behind_an_adapter_is_tested_as_an_opto_is(name: str, adapter: str) -> None:
    held = Held(name)
    held.ended = wiring.end_ohm(APART[adapter]())
    assert held.differences() == []


# --- planted differences ----------------------------------------------------------------------------------------------


def _swap_inputs(held: Held) -> None:
    nets = held.board.module.nets
    token, win_a = (held.board.served[use] for use in ("token", "win_a"))
    nets[token], nets[win_a] = nets[win_a], nets[token]


def _test_while_fed(held: Held) -> None:
    held.part("line_test", "resistor").nets["1"] = "sense"


def _one_inverter(held: Held) -> None:
    held.part("token", "resistor", -1).nets["1"] = "token_not"


def _feed_always(held: Held) -> None:
    held.part("win_a_emitter", "resistor").nets["1"] = b.FIELD


def _emulator(use: str, **changes: Any) -> Callable[[Held], None]:
    def plant(held: Held) -> None:
        held.emulator[use] = held.emulator[use]._replace(**changes)

    return plant


PLANTS: dict[str, tuple[Callable[[Held], object], str]] = {
    "the token's line is not tested": (lambda held: held.forget("token_test", "resistor"), "token"),
    "the tilt's line is not tested": (lambda held: held.forget("tilt_test", "diode"), "tilt"),
    "the test has no switch": (lambda held: held.forget("line_test", "pnp"), "token"),
    "the test is on while the sensors are fed": (_test_while_fed, "tilt"),
    "the sensors have no switch": (lambda held: held.forget("sense", "pnp"), "win_b"),
    "an emitter is always fed": (_feed_always, "win_a"),
    "a cut wire is not pulled up": (lambda held: held.forget("hopper_coin", "resistor"), "hopper_coin"),
    "a line has one inverter": (_one_inverter, "token"),
    "two lines are swapped": (_swap_inputs, "token"),
    "an adapter has no resistor at its end": (lambda held: setattr(held, "ended", 0.0), "hopper_coin"),
}
"""On the board."""
OPINIONS: dict[str, tuple[Callable[[Held], object], str]] = {
    "the firmware tests a line less": (lambda held: held.tests.discard("shaft"), "shaft"),
    "the firmware has a line at another pin": (lambda held: held.pins.update(home="C3"), "home"),
    "the emulator does not feed a sensor": (_emulator("token", rest=(0, 0)), "token"),
    "the emulator has a line at another pin": (_emulator("win_a", pin="C3"), "win_a"),
    "the emulator lacks a line": (lambda held: held.emulator.pop("tilt"), "tilt"),
}
"""Of what firmware and emulator hold the board for."""


def test_a_reels_feed_is_switched_by_the_firmwares_own_control_output() -> None:
    held = Held("reel")
    nets = next(part for part in held.board.parts.values() if part.type is p.HC595).nets
    nets["QD"], nets["QG"] = nets["QG"], nets["QD"]
    assert any("home_1 reaches no pin" in each for each in held.differences()), held.differences()


@pytest.mark.parametrize("plant", one_in(2, PLANTS | OPINIONS))
def test_a_planted_difference_is_found(plant: str) -> None:
    held = Held("pusher", as_drawn("pusher") if plant in OPINIONS else None)
    how, use = (PLANTS | OPINIONS)[plant]
    how(held)
    assert any(use in each for each in held.differences()), held.differences()
