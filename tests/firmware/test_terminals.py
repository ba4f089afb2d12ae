"""No terminal of a sensor that is joined to 0, 12 or 24 V, or open, overloads a part of a board or its 5 V."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from firmware.hardware import parts as p
from firmware.hardware import terminals
from firmware.hardware.blocks import CarrierBoard
from firmware.hardware.boards import BOARDS
from firmware.hardware.circuit import CircuitPart, PartType


@pytest.mark.parametrize("name", BOARDS)
def test_no_fault_at_a_terminal_overloads_anything(name: str) -> None:
    assert terminals.overloaded(name) == ()


def test_every_input_has_its_terminals_and_equal_ones_are_simulated_once() -> None:
    pusher = BOARDS["pusher"]()
    assert len(terminals.terminals(pusher)) == 5 * 3 + 2
    assert {each.net.removeprefix(each.use) for each in terminals.different(pusher)} == {"_wire", "_plus", "_led"}


def _part(board: CarrierBoard, row: str, type_: PartType) -> CircuitPart:
    return next(part for part in board.tagged(row) if part.type is type_)


def _old_switch(board: CarrierBoard) -> None:
    limiter = _part(board, "sense_limit", p.PNP)
    limiter.type = replace(limiter.type, spice="")
    _part(board, "sense", p.PNP_PASS).type = p.PNP
    _part(board, "sense_limit", p.R3R3).type = replace(p.R3R3, number=0.01)


def _wire_for_fuse(board: CarrierBoard) -> None:
    part = _part(board, "win_a_feed", p.PTC_SENSOR)
    part.type = replace(part.type, number=0.5, limits={"amp": 100.0})


def _wire_for_diode(board: CarrierBoard) -> None:
    part = _part(board, "win_a_emitter", p.D4148)
    part.type = replace(part.type, letter="W", spice="R{ref} {A} {K} 0.1")


PLANTS: dict[str, tuple[Callable[[CarrierBoard], None], str, float, str]] = {
    "a small switch without a limit": (_old_switch, "win_a_plus", 0.0, "BC327"),
    "the + wire has no fuse": (_wire_for_fuse, "win_a_plus", 24.0, "P6KE6.8A"),
    "the emitter has no diode": (_wire_for_diode, "win_a_led", 24.0, "220 Ω"),
}


@pytest.mark.parametrize("plant", PLANTS)
def test_without_its_protection_a_part_is_overloaded(plant: str) -> None:
    how, net, volt, part = PLANTS[plant]
    board = BOARDS["pusher"]()
    how(board)
    terminal = next(each for each in terminals.terminals(board) if each.net == net)
    assert any(part in each.part and each.value > each.limit for each in terminals.findings(board, terminal, volt))
