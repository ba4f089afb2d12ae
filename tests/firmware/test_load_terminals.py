"""No terminal of the 12 V or of a load that is joined to 0 or 12 V, or open, overloads a part until it is ended."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from firmware.hardware import field, terminals
from firmware.hardware import load_terminals as loads
from firmware.hardware import parts as p
from firmware.hardware.blocks import V12_LOAD, V12_MOTOR, CarrierBoard
from firmware.hardware.boards import APART, CARRIERS, carrier, circuit
from firmware.hardware.circuit import GND, CircuitPart
from firmware.hardware.controllers import NANO
from firmware.hardware.figures import LAMP_LEAST, lamp_faults, lamps_with_a_drop
from firmware.hardware.simulations import lamp_state

PAGE = Path(__file__).resolve().parents[2] / "docs" / "boards-carrier.md"


@pytest.mark.soak
@pytest.mark.parametrize("name", CARRIERS)
def test_no_fault_at_a_terminal_overloads_anything_or_switches_a_load_on(name: str) -> None:
    found = loads.found(name)
    assert loads.overloads(carrier(name), found) == []
    # What the page tells, of the boards whose supply gives 12.5 A to a motor.
    assert {each.terminal.net for each in found.overloads} == (
        {"motor_drain", "hopper_minus"} if name.startswith("pusher") else set()
    )
    assert loads.unsafe(carrier(name), found) == []


@pytest.mark.parametrize("name", CARRIERS)
def test_every_terminal_is_simulated_or_stated_as_not(name: str) -> None:
    board = CARRIERS[name]()
    known = {(each.ref, each.pin) for each in terminals.terminals(board)}
    known |= {(each.ref, each.pin) for each in loads.terminals(board)}
    left = {
        net
        for part in board.parts.values()
        if part.type.letter == "J" and part.type is not p.RIBBON
        for pin, net in part.nets.items()
        if net != GND and (part.ref, pin) not in known
    }
    coils = {f"reel_{number}_{coil}" for number in (1, 2, 3) for coil in ("1A", "1B", "2A", "2B")}
    at_the_chip = {f"{use}_wire" for use in ("level_x", "level_y", "spare_1", "spare_2", "hopper_error")}
    # A Nano's are figures of their own: `chip_input`; its analogue sensors are at its 5 V.
    assert left <= coils | ({*at_the_chip, "+5V_ANALOGUE"} if board.controller is NANO else set())


def _feeds(fuse: CircuitPart, net: str) -> bool:
    return net in fuse.nets.values()


APART_KNOWN = {
    "lamp-tile": {"+12V_LOAD"} | {f"lamp_{n}_{wire}" for n in range(1, 9) for wire in ("plus", "minus")},
    "keypad": set[str](),
    **dict.fromkeys(
        ("opto-12v", "opto-24v"),
        {f"{name}_{n}" for n in range(1, 5) for name in ("line", "zero")}
        | {f"field_{n}_{wire}" for n in range(1, 5) for wire in ("plus", "minus")},
    ),
}
"""The nets of a separate board's terminals: a tile's are figures of their own or stated, the adapters' are stated."""


@pytest.mark.parametrize("name", APART)
def test_every_terminal_of_a_separate_board_is_simulated_or_stated_as_not(name: str) -> None:
    there = {
        net
        for part in circuit(name).parts.values()
        if part.type.letter == "J" and part.type is not p.RIBBON
        for net in part.nets.values()
        if net != GND
    }
    assert there == APART_KNOWN[name]
    stated = PAGE.read_text(encoding="utf-8").split("### Motors, lamps and their wires")[1].split("\n## ")[0]
    assert "the terminals of an adapter" in stated.split("Not simulated:")[1].split("\n")[0]
    assert "12 V at the + wire of a lamp of a tile overload nothing" in stated
    for board in ("table", "reel"):
        fuse = next(part for part in carrier(board).parts.values() if part.type is p.F2A and _feeds(part, V12_LOAD))
        assert f"{fuse.ref} of a {board}" in stated.split("A tile's terminal of `+12V_LOAD`")[1].split("\n")[0]


def test_a_shorted_lamp_and_a_plus_wire_at_0_or_12_v_overload_nothing() -> None:
    *figures, over = list(lamp_faults())
    assert [each.what for each in figures if not each.holds] == []
    assert len(figures) == 5
    text = PAGE.read_text(encoding="utf-8")
    assert f"with {over.value:.1f} W in that output, which no fuse ends" in text


def test_the_page_and_the_list_have_what_a_lamp_draws_by_what_its_leds_drop() -> None:
    *amps, _, dark = [each.value for each in lamps_with_a_drop()]
    text = PAGE.read_text(encoding="utf-8")
    six = lamp_state(0.02).amp * 1000
    assert f"gets {six:.0f} mA where its LEDs drop 6 V, and {amps[0]:.1f} where they drop 9.6 V" in text
    assert f"three white ones; {amps[1]:.1f} by 11.4 V): the list asks for {LAMP_LEAST * 1000:g} mA" in text
    need = next(need for each in field.DEVICES["reel"] if "LED lamp" in each.name for need in each.needs)
    assert need.must.endswith(f"{LAMP_LEAST * 1000:g} mA or more at 11.4 V behind {2 * p.R_LAMP.number:g} Ω")
    assert f"of 15 mA at 12 V {amps[2]:.1f} remain where its LEDs drop 9.6 V" in need.why
    assert dark < 1.0


def _at(board: CarrierBoard, net: str) -> loads.LoadTerminal:
    return next(each for each in loads.terminals(board) if each.net == net)


@pytest.mark.parametrize(("name", "net"), [("reel-pico", "accept_line"), ("wheel-pico", "lamp_1_drain")])
def test_12_v_at_a_line_that_is_switched_overload_nothing(name: str, net: str) -> None:
    board = CARRIERS[name]()
    assert loads.findings(board, _at(board, net), "12 V") == loads.LoadFaults((), ())


def test_a_minus_wire_at_0_v_is_known_to_switch_its_lamp_on() -> None:
    board = CARRIERS["wheel-pico"]()
    found = loads.findings(board, _at(board, "lamp_1_drain"), "0 V")
    assert [each.terminal.net for each in found.moved] == ["lamp_1_drain"]
    assert loads.unsafe(board, found) == []


def test_a_commanded_motor_whose_minus_wire_is_at_12_v_is_known_to_overload_its_mosfet() -> None:
    board, corner = CARRIERS["pusher"](), loads.LoadCorner(limit=loads.LIMITS[-1])
    found = loads.findings(board, _at(board, "hopper_minus"), "12 V", corner)
    assert {each.part.split(",")[0].split(" (")[1] for each in found.overloads} == {"IRLZ44N", "shunt 0.1 Ω 1 %"}
    assert (loads.overloads(board, found), found.moved) == ([], ())


MOTORS = [("table", "motor_minus"), ("pusher", "motor_drain"), ("pusher-pico", "hopper_minus")]


@pytest.mark.parametrize(("name", "net"), MOTORS)
def test_a_minus_wire_at_0_v_starts_no_motor(name: str, net: str) -> None:
    board = CARRIERS[name]()
    assert loads.findings(board, _at(board, net), "0 V") == loads.LoadFaults((), ())


def _bridged(switch: CircuitPart) -> None:
    switch.type = replace(p.PFET, spice="R{ref} {D} {S} 0.02")


def _turned(switch: CircuitPart) -> None:
    switch.nets["D"], switch.nets["S"] = switch.nets["S"], switch.nets["D"]


@pytest.mark.parametrize("how", [_bridged, _turned])
@pytest.mark.parametrize(("name", "net"), MOTORS)
def test_without_the_switch_of_its_plus_wire_a_motor_starts(
    name: str, net: str, how: Callable[[CircuitPart], None]
) -> None:
    board = CARRIERS[name]()
    how(next(part for part in board.tagged(f"{net.split('_')[0]}_high") if part.type is p.PFET))
    found = loads.findings(board, _at(board, net), "0 V")
    assert [each.terminal.net for each in loads.unsafe(board, found)] == [net]


def _plus(use: str) -> str:
    return "hopper_plus" if use == "hopper" else "motor_high"


def _fuse_in_front(board: CarrierBoard, use: str) -> None:
    """The switch behind the motor's own fuse: +12V_MOTOR, fuse, switch, motor."""
    for part in board.tagged(f"{use}_high"):
        part.nets = {pin: "feed" if net == V12_MOTOR else net for pin, net in part.nets.items()}
        if part.type is p.PTC_MOTOR:
            part.nets = {"1": V12_MOTOR, "2": "feed"}
        elif part.type is p.PFET:
            part.nets["D"] = f"{use}_high"


@pytest.mark.long
@pytest.mark.parametrize(("name", "limit"), [("pusher", 1.05), ("pusher-pico", 1.4)])
def test_behind_its_motors_fuse_the_switch_of_the_plus_wire_is_half_on_and_is_found(name: str, limit: float) -> None:
    corner, board = loads.LoadCorner("ohm_most", limit), CARRIERS[name]()
    assert loads.findings(board, _at(board, _plus("hopper")), "0 V", corner) == loads.LoadFaults((), ())
    _fuse_in_front(board, "hopper")
    found = loads.findings(board, _at(board, _plus("hopper")), "0 V", corner).overloads
    assert {each.state for each in found if "IRF4905" in each.part} == {"on", "hopper alone"}


@pytest.mark.parametrize(("name", "use"), [("pusher", "motor"), ("table", "motor")])
def test_a_plus_wire_at_0_v_overloads_nothing_at_the_strongest_supply(name: str, use: str) -> None:
    board = CARRIERS[name]()
    at = _at(board, "motor_plus" if name == "table" else _plus(use))
    assert loads.findings(board, at, "0 V", loads.corners(board)[-1]) == loads.LoadFaults((), ())


@pytest.mark.long
def test_the_heat_of_a_switch_behind_its_motors_fuse_breaks_the_figure() -> None:
    board, corner = CARRIERS["pusher"](), loads.LoadCorner("ohm_most")
    assert loads.plus_at_0_celsius(board, "hopper", corner, 4.0) < loads.JUNCTION
    _fuse_in_front(board, "hopper")
    assert loads.plus_at_0_celsius(board, "hopper", corner, 4.0) > 2 * loads.JUNCTION


@pytest.mark.soak
@pytest.mark.parametrize("threshold", [1.0, 2.5, 4.0])
@pytest.mark.parametrize(("name", "use"), [("pusher", "motor"), ("pusher", "hopper"), ("table", "motor")])
def test_a_plus_wire_at_0_v_leaves_its_switch_below_150_degrees(name: str, use: str, threshold: float) -> None:
    board = carrier(name)
    for corner in loads.corners(board):
        assert loads.plus_at_0_celsius(board, use, corner, threshold) <= loads.JUNCTION, corner


def test_a_hopper_without_a_token_runs_three_times() -> None:
    board = carrier("pusher")
    switch = next(part for part in board.tagged("hopper_high") if part.type is p.PFET)
    assert loads._stops_s(switch) == pytest.approx(3 * (4 * 0.143 + 0.5))


def _no_supervisor(board: CarrierBoard) -> None:
    supervisor = next(part for part in board.parts.values() if part.type is p.SUPERVISOR)
    supervisor.type = replace(p.SUPERVISOR, name="none")


def _small_transistor(board: CarrierBoard) -> None:
    fet = next(part for part in board.tagged("accept") if part.type is p.NFET)
    fet.type = replace(p.NPN, pins={"G": "in", "D": "open", "S": "passive"}, spice="Q{ref} {D} {G} {S} QNPN")


PLANTS: dict[str, tuple[Callable[[CarrierBoard], None], str, str, str]] = {
    "a small transistor at the acceptor's inhibit": (_small_transistor, "reel-pico", "accept_line", "BC337"),
    "a Pico that nothing resets": (_no_supervisor, "wheel-pico", "lamp_1_drain", "the 5 V: it sags"),
}


@pytest.mark.parametrize("plant", PLANTS)
def test_without_its_protection_a_part_is_overloaded(plant: str) -> None:
    how, name, net, part = PLANTS[plant]
    board = CARRIERS[name]()
    how(board)
    found = loads.findings(board, _at(board, net), "12 V")
    assert any(part in each.part for each in found.overloads), found.overloads
