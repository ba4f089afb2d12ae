"""The carrier boards with a Pico: its pins see 3.3 V in every state and fault, and a mistake is noticed."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from controller.configuration.header_pins import printed
from controller.configuration.terminals import pins_of_pico
from firmware.hardware import erc, manifest_pins, pico_figures, sheets, terminals, wiring
from firmware.hardware import parts as p
from firmware.hardware import simulations as sim
from firmware.hardware.blocks import FIELD, V5, CarrierBoard
from firmware.hardware.boards import PICO_BOARDS, circuit, keypad
from firmware.hardware.circuit import CircuitPart
from firmware.hardware.controllers import PICO
from firmware.hardware.figures import Figure
from firmware.hardware.spice import Corner, deck, models, node, run
from firmware.hardware.wiring import InputLevels
from hal.board.chips import RP2040
from hal.board.messages import KINDS
from simulators.board.wiring import LINES
from tests.firmware.test_hardware_simulations import ROWS, check
from tests.shares import first_of

PAGE = Path(__file__).resolve().parents[2] / "docs" / "boards-pico.md"
FIX = "run: python -m firmware.hardware --figures"


def page_rows() -> list[list[str]]:
    found = ROWS.search(PAGE.read_text(encoding="utf-8"))
    assert found is not None
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in found["table"].splitlines()[2:]]


@cache
def quick_figures() -> tuple[Figure, ...]:
    return tuple(pico_figures.quick())


def test_levels_gates_and_dividers_are_within_their_limits_and_the_page_shows_them() -> None:
    quick = quick_figures()
    check(quick, [row for row in page_rows() if any(row[:2] == [each.circuit, each.what] for each in quick)])


@pytest.mark.soak
def test_every_figure_of_the_boards_with_a_pico_is_within_its_limits_and_the_page_shows_it() -> None:
    check(tuple(pico_figures.figures()), page_rows())


@pytest.mark.parametrize("name", PICO_BOARDS)
def test_each_use_is_at_the_pin_that_the_configuration_names(name: str) -> None:
    board = PICO_BOARDS[name]()
    pins = pins_of_pico(KINDS[board.kind])
    for use, pin in manifest_pins.pins_of(board.kind).items():
        if not use.startswith("fram "):
            assert board.at[use] == pins[printed(pin)], use
    assert PICO.volt == RP2040.supply_v


def test_every_kind_of_board_has_one_with_a_pico() -> None:
    assert {PICO_BOARDS[name]().kind for name in PICO_BOARDS} == set(KINDS)


@pytest.mark.parametrize("name", first_of(1, [*PICO_BOARDS][::-1]))
def test_firmware_and_emulator_read_of_a_board_with_a_pico_what_its_netlist_makes(name: str) -> None:
    board = PICO_BOARDS[name]()
    differences = wiring.differences(
        board,
        wiring.lines_of(board),
        firmware_tests=wiring.tested_by_firmware(board.kind),
        firmware_pins=wiring.firmware_pins(board.kind),
        emulator={use: InputLevels(*line) for use, line in LINES[board.kind].items()},
    )
    assert list(differences) == []


@pytest.mark.soak
@pytest.mark.parametrize("name", PICO_BOARDS)
def test_no_fault_at_a_terminal_overloads_anything_or_lifts_a_pin(name: str) -> None:
    assert terminals.overloaded(name) == ()
    assert {(each.terminal.net, each.volt) for each in terminals.sags(name)} == SAGGING.get(name, set())


SAGGING = {name: {(FIELD, 0.0)} for name in ("wheel-pico", "table-pico")}
"""The faults that take the 5 V of a board down, as the page states it: a + wire at 0 V that no switch limits."""


@pytest.mark.long
@pytest.mark.parametrize("name", PICO_BOARDS)
def test_a_plus_wire_at_0_v_takes_the_5_v_down_where_the_page_states_it_and_overloads_nothing(name: str) -> None:
    board = PICO_BOARDS[name]()
    plus = next(each for each in terminals.terminals(board) if each.net == FIELD or each.net.endswith("_plus"))
    parts = {each.part for each in terminals.findings(board, plus, 0.0)}
    assert parts == ({terminals.SAGS} if name in SAGGING else set())
    assert "A + wire at 0 V of a `wheel` or `table` [takes the 5 V down" in PAGE.read_text(encoding="utf-8")


@pytest.mark.long
def test_the_page_has_by_how_much_a_bit_is_wrong_at_an_adapter_and_with_more_cable() -> None:
    def off(threshold: float, cable: float) -> float:
        corners = [each for volt in (PICO.least, PICO.volt, PICO.most) for each in pico_figures.link_corners(volt)]
        return max(abs(sim.link_out_off("wheel-pico", each, threshold, cable)) for each in corners) * 1e6

    meter, more = 100e-12, 140e-12
    within = [max(off(volt, cable) for volt in pico_figures.ADAPTER) for cable in (meter, more)]
    low, high = ([off(volt, cable) for cable in (meter, more)] for volt in (0.8, 2.3))
    text = PAGE.read_text(encoding="utf-8")
    assert f"wrong by {within[0]:.2f} µs at the most there, and by {within[1]:.2f} µs, the limit, with" in text
    assert f"at 0.8 V it would be {low[0]:.2f} and {low[1]:.2f} µs too short" in text
    assert f"at 2.3 V {high[0]:.2f} and {high[1]:.2f} µs too long" in text


SHARE = {"in_1_wire": 24.0, "level_x_wire": 24.0, "link_out_wire": 24.0}
"""Of the terminals of a wheel's board, those that come nearest to a pin, at the voltage that does most."""


@pytest.mark.parametrize("net", SHARE)
def test_24_v_at_a_terminal_overload_nothing_and_lift_no_pin(net: str) -> None:
    board = PICO_BOARDS["wheel-pico"]()
    assert terminals.findings(board, _terminal(board, net), SHARE[net]) == []


def _terminal(board: CarrierBoard, net: str) -> terminals.FieldTerminal:
    return next(each for each in terminals.terminals(board) if each.net == net)


def _parts(board: CarrierBoard, row: str, symbol: str) -> list[CircuitPart]:
    return [part for part in board.tagged(row) if part.type.symbol == symbol]


# Mistakes


def _pulled_up_to_5v(board: CarrierBoard) -> None:
    _parts(board, "fram data", "resistor")[0].nets["2"] = V5


def _pull_ups_fed_by_5v(board: CarrierBoard) -> None:
    _parts(board, "pull", "schottky")[0].nets["A"] = V5


def _inverters_of_the_inputs_at_5v(board: CarrierBoard) -> None:
    board.gates.parts[0].nets["VCC"] = V5


def _register_at_the_pin(board: CarrierBoard) -> None:
    """The lamps are read back as with a Nano: through a resistor."""
    pin = board.module.nets[board.served["lamps read_back"]]
    resistor = next(part for part in _parts(board, "lamps read_back", "resistor") if pin in part.nets.values())
    resistor.nets["1"] = "control_read_back"


def _clamped_to_5v(board: CarrierBoard) -> None:
    next(part for part in board.parts.values() if part.type is p.BAT85).nets["K"] = V5


def _memory_at_5v(board: CarrierBoard) -> None:
    next(part for part in board.parts.values() if part.type is p.FRAM_3V3).nets["VDD"] = V5


@pytest.mark.parametrize(
    ("name", "mistake", "finding"),
    [
        (
            "wheel-pico",
            _inverters_of_the_inputs_at_5v,
            r"in_1: the module's pin GP8 is driven by U\d+ with \+5V; it bears 3.3 V",
        ),
        (
            "reel-pico",
            _register_at_the_pin,
            r"lamps read_back: the module's pin GP\d+ is driven by U\d+ with \+5V; it bears 3.3 V",
        ),
        ("table-pico", _clamped_to_5v, r".*: the module's pin GP\d+ is clamped by D\d+ to \+5V; it bears 3.3 V"),
        ("wheel-pico", _memory_at_5v, r"U\d+ pin VDD: its supply is 5 V; it bears 3.65 V"),
    ],
)
def test_what_brings_5_v_to_a_part_of_3_3_v_is_found(
    name: str, mistake: Callable[[CarrierBoard], None], finding: str
) -> None:
    board = PICO_BOARDS[name]()
    mistake(board)
    assert any(re.fullmatch(finding, each) for each in erc.findings(board)), erc.findings(board)


@pytest.mark.parametrize(
    ("mistake", "finding"),
    [
        (_pulled_up_to_5v, r"fram data: the module's pin GP20 is pulled up to \+5V; it bears 3.3 V"),
        (_pull_ups_fed_by_5v, r"D4: feeds \+3V3_PULL from \+5V, 1.7 V above it"),
    ],
)
def test_a_pull_up_to_5_v_is_found(mistake: Callable[[CarrierBoard], None], finding: str) -> None:
    board = PICO_BOARDS["wheel-pico"]()
    mistake(board)
    assert any(re.fullmatch(finding, each) for each in erc.findings(board)), erc.findings(board)


def _divider_of_a_nano(board: CarrierBoard) -> None:
    series, ground = (part for part in _parts(board, "level_x", "resistor") if part.type is p.R10K)
    series.type = p.R1K
    ground.type = p.R100K


def _nothing_takes_what_comes_in(board: CarrierBoard) -> None:
    bleed = _parts(board, "logic", "resistor")[0]
    bleed.type = replace(bleed.type, number=1e9)


@pytest.mark.parametrize(
    ("mistake", "net", "pin"),
    [
        (_divider_of_a_nano, "level_x_wire", "pin GP26"),
        (_nothing_takes_what_comes_in, "link_out_wire", "pin 3V3"),
    ],
)
def test_a_fault_that_lifts_a_pin_is_found(mistake: Callable[[CarrierBoard], None], net: str, pin: str) -> None:
    board = PICO_BOARDS["wheel-pico"]()
    mistake(board)
    assert pin in {each.part for each in terminals.findings(board, _terminal(board, net), 24.0)}


def test_an_open_shunt_lifts_a_pin_that_has_no_clamp() -> None:
    board = PICO_BOARDS["pusher-pico"]()
    clamp = next(part for part in board.tagged("motor_shunt") if part.type is p.BAT85)
    clamp.type = replace(clamp.type, spice="")
    assert not pico_figures.motor_shunt_open(board).holds


def test_a_keypad_with_silicon_diodes_and_the_pull_ups_of_a_nano_has_no_low_for_a_pico(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    board = PICO_BOARDS["table-pico"]()
    for part in board.parts.values():
        if part.type is p.R100K and any(tag.startswith("keys rows") for tag in part.tags):
            part.type = p.R22K
    pad = keypad()
    for part in pad.parts.values():
        if part.type is p.BAT85:
            part.type = p.D4148
    monkeypatch.setattr(sim, "circuit", lambda name: {"table-pico": board, "keypad": pad}[name])
    low = sim.key_levels(["1_1"], 1, PICO.least, "table-pico")["row_1"]
    assert PICO.low_most * PICO.least - low < 0.1


def test_a_divider_for_5_v_reads_wrong() -> None:
    board = PICO_BOARDS["wheel-pico"]()
    _divider_of_a_nano(board)
    assert sim.divided(board, "level_x", 4.6).pin_volt > 3.3


def test_a_divider_of_resistors_of_5_percent_shifts_a_zero_too_far() -> None:
    board = PICO_BOARDS["wheel-pico"]()
    assert pico_figures.divider_off(board).holds
    for part in _parts(board, "level_x", "resistor"):
        part.type = replace(part.type, tolerance=0.05)
    assert not pico_figures.divider_off(board).holds


def test_a_mosfet_at_the_pin_itself_would_lack_voltage_at_its_gate() -> None:
    least = next(each for each in quick_figures() if each.what.startswith("gate, the pin at"))
    assert least.value > pico_figures.LEAST_GATE > pico_figures.HIGH


@pytest.mark.parametrize(("net", "pin", "five"), [("lamp_1_gate", 3.3, 0.0), ("lamp_1", None, 5.0)])
def test_a_gate_without_its_resistor_to_0_v_is_on_while_nothing_drives_it(
    net: str, pin: float | None, five: float
) -> None:
    board = circuit("wheel-pico")
    (hold,) = (part.ref for part in board.tagged("lamp_1") if part.type is p.R10K and net in part.nets.values())
    assert sim.gate_volt("wheel-pico", "lamp_1", pin=pin, five=five, without=[hold]) > 2.0


@pytest.mark.parametrize("name", PICO_BOARDS)
def test_a_pico_that_usb_alone_supplies_is_held_in_reset_by_a_resistor(name: str) -> None:
    (hold,) = (
        part.ref for part in circuit(name).tagged("reset") if "nRESET" in part.nets.values() and part.type is p.R100K
    )
    assert sim.run_by_usb_alone(name) < 0.5
    assert sim.run_by_usb_alone(name, without=[hold]) > 2.0


def test_the_supplies_of_a_pico_are_apart() -> None:
    board = circuit("wheel-pico")
    at = {pin: board.parts["U0"].nets.get(pin) for pin in ("VSYS", "3V3", "VBUS", "3V3_EN", "VREF")}
    assert at == {"VSYS": "VSYS", "3V3": "+3V3", "VBUS": None, "3V3_EN": None, "VREF": None}


# The test sheet


def _ohms(board: CarrierBoard, use: str, amp: float) -> float:
    """What a meter shows of a current sense without supply and module; its current into the pin is `amp`."""
    lines = [*models(Corner()), *deck(board, ["logic", "motor_shunt"]), f"Imeter 0 {node(use)} {amp}"]
    return run("meter", lines, "tran 1m 2", {"v": f"find v({node(use)}) at=1.9"})["v"] / amp


@pytest.mark.parametrize("name", ["table-pico", "pusher-pico"])
def test_the_sheet_has_the_leads_of_the_meter_at_a_current_sense_as_they_show_the_shunt(name: str) -> None:
    board = PICO_BOARDS[name]()
    step = next(each for each in sheets.steps(board) if each.id == "motor_current")
    assert step.action.endswith("the meter's red lead at GND.")
    assert step.least < _ohms(board, "motor_current", -1e-3) < step.most
    assert not step.least < _ohms(board, "motor_current", 1e-3) < step.most


@pytest.mark.parametrize("name", PICO_BOARDS)
def test_the_sheet_of_a_pico_measures_each_rail_itself_and_asks_for_nothing_that_it_lacks(name: str) -> None:
    board = PICO_BOARDS[name]()
    steps = {step.id: step for step in sheets.steps(board)}
    for step in (steps["short_5"], steps["supply_5"]):
        ref, pin = step.action.split()[1:3]
        assert board.parts[ref].nets[pin] == V5
    assert steps["short_3"].least < p.R330.number < steps["short_3"].most
    assert board.module.nets["VSYS"] == "VSYS"
    assert "supply_vsys" in steps
    assert "reset_cut" not in steps
