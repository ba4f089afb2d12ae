"""No terminal of a sensor that is joined to 0, 12 or 24 V, or open, overloads a part of a board or its 5 V."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from math import inf
from pathlib import Path

import pytest

from firmware.hardware import parts as p
from firmware.hardware import simulations as sim
from firmware.hardware import terminals
from firmware.hardware.blocks import FIELD, CarrierBoard
from firmware.hardware.boards import BOARDS
from firmware.hardware.circuit import CircuitPart, PartType

NANO_RUNS = 4.5
"""V from which on a Nano is not reset for certain (its brown-out level, at the most)."""
PAGE = Path(__file__).resolve().parents[2] / "docs" / "boards-carrier.md"


@pytest.mark.parametrize("name", BOARDS)
def test_no_fault_at_a_terminal_overloads_anything(name: str) -> None:
    assert terminals.overloaded(name) == ()


@pytest.mark.parametrize("name", BOARDS)
def test_a_plus_wire_at_0_v_takes_the_5_v_down_until_its_fuse_opens_where_no_switch_of_emitters_limits_it(
    name: str,
) -> None:
    found = terminals.sags(name)
    faults = {(each.terminal.net, each.volt) for each in found}
    assert faults == ({(FIELD, 0.0)} if name in ("wheel", "table") else set())
    assert all(each.value < 4.5 and 3.0 < each.seconds < 5.0 for each in found)
    if found:
        volts = [each.value for each in found]
        text = f"**takes its 5 V down to {min(volts):.1f} to {max(volts):.1f} V until its fuse opens**"
        assert text in PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize(("amp", "seconds"), [(2.5, 4), (1.5, 18)])
def test_the_page_has_how_long_a_plus_wire_at_0_v_lasts_by_what_the_regulator_gives(amp: float, seconds: int) -> None:
    board = BOARDS["wheel"]()
    given, _ = sim.sensor_short("wheel", 0.41, amp)
    assert terminals.opens_s(_part(board, "field", p.PTC), given) == pytest.approx(seconds, rel=0.02)
    assert re.search(rf"\b{seconds} s where (the regulator|it) gives {amp:g} A", PAGE.read_text(encoding="utf-8"))


@pytest.mark.long
def test_what_the_5_v_gives_until_a_fuse_opens_is_no_overload(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminals, "REGULATOR_AMP", 3.75)
    board = BOARDS["wheel"]()
    plus = next(each for each in terminals.terminals(board) if each.net == FIELD)
    assert {each.part for each in terminals.findings(board, plus, 0.0)} == {terminals.SAGS}


@pytest.mark.parametrize("port_amp", [0.5, 0.9])
def test_usb_does_not_hold_the_5_v_of_a_nano_while_a_plus_wire_is_at_0_v(port_amp: float) -> None:
    new, opened_before = (sim.sensor_short("wheel", ohm, port_amp=port_amp)[1] for ohm in (0.77, 1.17))
    assert new < NANO_RUNS
    assert opened_before > new
    assert "its USB does not hold its 5 V, except behind a fuse that has opened before" in PAGE.read_text("utf-8")


def test_a_resettable_fuse_opens_by_its_data_sheet_at_five_times_its_current_and_sooner_above() -> None:
    fuse = _part(BOARDS["wheel"](), "field", p.PTC)
    assert [round(terminals.opens_s(fuse, amp), 2) for amp in (0.9, 1.0, 2.5, 5.0)] == [inf, 60.0, 4.0, 1.0]


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


def _small_diode(board: CarrierBoard) -> None:
    _part(board, "field", p.D5819).type = p.D4148


def _weak_suppressor(board: CarrierBoard) -> None:
    part = _part(board, "sense", p.TVS_SENSE)
    part.type = replace(part.type, limits={**part.type.limits, "watt_1ms": 150.0})


PLANTS: dict[str, tuple[Callable[[CarrierBoard], None], str, float, str]] = {
    "a small switch without a limit": (_old_switch, "win_a_plus", 0.0, "BC327"),
    "the + wire has no fuse": (_wire_for_fuse, "win_a_plus", 24.0, "P6KE6.8A"),
    "the emitter has no diode": (_wire_for_diode, "win_a_led", 24.0, "220 Ω"),
    "a suppressor of 150 W": (_weak_suppressor, "win_a_plus", 24.0, "P6KE6.8A"),
    "a small diode behind the sensors' fuse": (_small_diode, FIELD, 0.0, "1N4148"),
}


@pytest.mark.parametrize("plant", PLANTS)
def test_without_its_protection_a_part_is_overloaded(plant: str) -> None:
    how, net, volt, part = PLANTS[plant]
    board = BOARDS["wheel" if net == FIELD else "pusher"]()
    how(board)
    terminal = next(each for each in terminals.terminals(board) if each.net == net)
    assert any(part in each.part and each.value > each.limit for each in terminals.findings(board, terminal, volt))
