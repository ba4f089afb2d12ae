"""The circuits of the carrier boards: they keep the electrical rules, and everything made from them is as they are."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Callable

import pytest

from controller.boards.bench_sheet import load
from firmware.hardware import boards, drawing, erc, kicad, listing, manifest_pins, publish, sheets
from firmware.hardware import parts as p
from firmware.hardware.blocks import V12, V12_MOTOR, CarrierBoard
from firmware.hardware.boards import APART, BOARDS, CARRIERS, NAMES, PICO_BOARDS, circuit
from firmware.hardware.circuit import GND, Circuit, CircuitError, CircuitPart, PartType
from firmware.hardware.controllers import NANO, PICO
from firmware.hardware.spice import deck, node
from hal.board.messages import KINDS
from tests.shares import first_of


@pytest.mark.parametrize("name", NAMES)
def test_a_circuit_keeps_the_electrical_rules(name: str) -> None:
    assert erc.findings(circuit(name)) == []


def test_every_kind_of_board_has_a_circuit() -> None:
    assert set(BOARDS) == set(KINDS)


@pytest.mark.parametrize("name", BOARDS)
def test_each_pin_that_the_firmware_uses_is_served_once_with_its_name_at_the_module(name: str) -> None:
    board = BOARDS[name]()
    for use, chip in manifest_pins.pins_of(name).items():
        assert board.served[use] == p.NANO_PINS[chip]
        assert board.module.nets[p.NANO_PINS[chip]] in (use, *_column_nets(use))


def _column_nets(use: str) -> tuple[str, ...]:
    """Columns and rows of the keypad share pins with the chain, and have nets of their own."""
    numbers = re.findall(r"\d", use)
    shared = ("column_1", "column_2") if use in ("lamps data", "lamps clock") else ()
    return tuple(f"{kind}_{number}" for kind in ("column", "row") for number in numbers) + shared


def _first(board: Circuit, want: Callable[[CircuitPart], bool]) -> CircuitPart:
    return next(part for part in board.parts.values() if want(part))


def _lose_pull_up(board: CarrierBoard) -> None:
    """The bus of the pull-ups without its diode, and a wire without another way to a level."""
    for part in [part for part in board.parts.values() if b_pull(part)]:
        del board.parts[part.ref]


def b_pull(part: CircuitPart) -> bool:
    return part.type.symbol == "resistor" and any(net.endswith("_PULL") for net in part.nets.values())


def _join_two_outputs(board: CarrierBoard) -> None:
    gates = board.gates.parts[0]
    other = next(pin for pin in ("2Y", "4Y") if pin in gates.nets)
    net = gates.nets["1Y"]
    gates.nets[other] = net


def _forget_flyback(board: CarrierBoard) -> None:
    del board.parts[_first(board, lambda part: part.type is p.D5822 and "alarm" in part.tags).ref]


def _reverse_flyback(board: CarrierBoard) -> None:
    diode = _first(board, lambda part: part.type is p.D5822 and "hopper" in part.tags)
    diode.nets["A"], diode.nets["K"] = diode.nets["K"], diode.nets["A"]


def _slow_flyback(board: CarrierBoard) -> None:
    _first(board, lambda part: part.type is p.D5822 and "motor" in part.tags).type = p.D4007


def _high_switch(board: CarrierBoard) -> CircuitPart:
    return _first(board, lambda part: part.type is p.PFET and "hopper_high" in part.tags)


def _forget_high_switch(board: CarrierBoard) -> None:
    switch = board.parts.pop(_high_switch(board).ref)
    for part in board.parts.values():
        part.nets = {pin: switch.nets["S"] if net == switch.nets["D"] else net for pin, net in part.nets.items()}


def _fuse_in_front(board: CarrierBoard) -> None:
    fuse = _first(board, lambda part: part.type is p.PTC_MOTOR and "hopper_high" in part.tags)
    _high_switch(board).nets |= {"S": "feed", "D": "hopper_high"}
    fuse.nets = {"1": V12_MOTOR, "2": "feed"}


def _reverse_high_switch(board: CarrierBoard) -> None:
    nets = _high_switch(board).nets
    nets["D"], nets["S"] = nets["S"], nets["D"]


def _forget_high_resistor(board: CarrierBoard) -> None:
    del board.parts[_first(board, lambda part: part.type is p.R22K and "hopper_high" in part.tags).ref]


def _forget_source(board: CarrierBoard) -> None:
    part = _first(board, lambda part: part.type is p.C1N)
    part.type = PartType(
        **{**{f: getattr(part.type, f) for f in part.type.__dataclass_fields__}, "sources": part.type.sources[:1]}
    )


def _forget_pin(board: CarrierBoard) -> None:
    _first(board, lambda part: part.type is p.FRAM).nets.pop("WP")


def _small_capacitor(board: CarrierBoard) -> None:
    part = _first(board, lambda part: part.type is p.C100U and "load_supply" in part.tags)
    part.type = p._electrolytic(1e-4, "100 µF", 6.3, ("a", "b", "c"), ("d", "e", "f"), 1.0)


def _no_decoupling(board: CarrierBoard) -> None:
    for part in [part for part in board.parts.values() if "decoupling_inputs" in part.tags]:
        del board.parts[part.ref]


def _lone_net(board: CarrierBoard) -> None:
    _first(board, lambda part: part.type is p.R_SHUNT).nets["1"] = "nowhere"


def _use_a_closed_pin(board: CarrierBoard) -> None:
    _first(board, lambda part: part.type is p.SUPERVISOR).nets["WDI"] = GND


def _draw_nothing(board: CarrierBoard) -> None:
    board.sheets = [sheet for sheet in board.sheets if sheet.name != "memory"]


def _supervisor_at_12v(board: CarrierBoard) -> None:
    _first(board, lambda part: part.type is p.SUPERVISOR).nets["VCC"] = V12


BREAKS = {
    "pin VCC: its supply is 12 V; it bears 5.5 V": _supervisor_at_12v,
    "1 chips and 0 capacitors of 100 nF at their supply, +12V": _supervisor_at_12v,
    "floats": _lose_pull_up,
    "outputs are joined": _join_two_outputs,
    "has no diode from alarm_drain": _forget_flyback,
    "has no diode from hopper_drain": _reverse_flyback,
    "its diode is not a Schottky diode": _slow_flyback,
    "no P-channel MOSFET has its drain at hopper_high": _forget_high_switch,
    "drain at hopper_high or before its fuse": _reverse_high_switch,
    "its source is at feed, no rail: it is half on while hopper_high is at 0 V": _fuse_in_front,
    "no resistor between its gate and its source keeps it off": _forget_high_resistor,
    "fewer than two sources": _forget_source,
    "pin WP (FRAM": _forget_pin,
    "at a capacitor of 6.3 V": _small_capacitor,
    "capacitors of 100 nF at their supply": _no_decoupling,
    "net nowhere: only": _lone_net,
    "pin WDI: must stay open": _use_a_closed_pin,
    "on no drawing": _draw_nothing,
}


@pytest.mark.parametrize("finding", BREAKS)
def test_a_broken_rule_is_found(finding: str) -> None:
    board = boards.pusher()
    assert erc.findings(board) == []
    BREAKS[finding](board)
    assert any(finding in each for each in erc.findings(board)), erc.findings(board)


def _swap(board: Circuit, type_: PartType, one: str, other: str) -> None:
    nets = _first(board, lambda part: part.type is type_).nets
    nets[one], nets[other] = nets[other], nets[one]


@pytest.mark.parametrize(
    ("type_", "swapped", "finding"),
    [
        (p.HC595, ("QA", "QG"), "pin QG: sense for the firmware, and leads to A1 pin DIR"),
        (p.HC595, ("QD", "QE"), "pin QD: disable_1 for the firmware, and leads to A2 pin ENABLE"),
        (p.HC165, ("D0", "D6"), "pin D6: reads another output"),
        (p.HC595, ("SER", "RCLK"), "pin SER, the next place of the chain"),
        (p.RIBBON, ("8", "10"), "pin DS, the next place of the chain"),
        (p.RIBBON, ("3", "7"), " pin 3, the next place of the chain"),
        (p.HC165, ("Q7", "CP"), "pin Q7: does not lead to U0 pin "),
    ],
)
def test_a_swap_in_the_chain_out_or_back_is_found(type_: PartType, swapped: tuple[str, str], finding: str) -> None:
    for board in (boards.reel(), boards.reel(PICO)):
        _swap(board, type_, *swapped)
        found = [each for each in erc.findings(board) if finding in each]
        assert found, erc.findings(board)


@pytest.mark.parametrize(
    ("type_", "swapped", "finding"),
    [
        (p.TPIC, ("DRAIN0", "DRAIN3"), "pin DRAIN0: does not switch lamp 1"),
        (p.HC165, ("D6", "D7"), "pin D7: does not read the current of lamp 8"),
    ],
)
def test_a_swap_of_a_tiles_lamps_is_found(type_: PartType, swapped: tuple[str, str], finding: str) -> None:
    tile = boards.lamp_tile()
    _swap(tile, type_, *swapped)
    assert any(finding in each for each in erc.findings(tile)), erc.findings(tile)


def test_a_pin_of_the_firmware_without_a_circuit_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    board = boards.wheel()
    monkeypatch.setattr(erc, "pins_of", lambda name: {**manifest_pins.pins_of(name), "siren": "B4"})
    assert "the firmware's siren (B4): no circuit" in erc.findings(board)


def test_the_firmware_and_the_carrier_must_agree_about_a_reserved_pin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boards, "pins_of", lambda name: {**manifest_pins.pins_of(name), "sense": "B5"})
    with pytest.raises(ValueError, match="sense is at B5 in the firmware and at B4 on the carrier board"):
        boards.pusher()


def test_a_pin_is_connected_once() -> None:
    board = Circuit("x", "x")
    part = board.part(p.R1K)
    part.connect("1", GND)
    with pytest.raises(CircuitError, match="R1 pin 1: connected twice"):
        part.connect("1", "other")
    with pytest.raises(CircuitError, match="it has no pin 3"):
        part.connect("3", GND)


@pytest.mark.parametrize("name", NAMES)
def test_netlist_joints_drawing_and_deck_are_of_one_circuit(name: str) -> None:
    each = circuit(name)
    joints = set(each.joints())
    text = kicad.netlist(each)
    read: set[tuple[str, str, str]] = set()
    net = ""
    for line in text.splitlines():
        if found := re.search(r'\(net \(code "\d+"\) \(name "([^"]+)"\)', line):
            net = found[1]
        elif found := re.search(r'\(node \(ref "([^"]+)"\) \(pin "[^"]+"\) \(pinfunction "([^"]+)"\)', line):
            read.add((found[1], found[2], net))
    assert read == joints
    assert {(ref, pin) for ref, pin, _ in joints} <= drawing.drawn_pins(each)
    assert sum(len(pins) for _, pins in listing.joints(each)) == len(joints)
    rows = [row.name for sheet in each.sheets for row in sheet.rows]
    assert len(rows) == len(set(rows))
    for line in deck(each, rows):
        element, first, second = line.split()[:3]
        part = each.parts.get(element[1:])
        if element[0] == "R" and part is not None and part.type.symbol == "resistor":
            assert [first, second] == [node(net) for net in part.nets.values()]


@pytest.mark.parametrize("name", NAMES)
def test_no_two_nets_have_one_name_in_a_deck(name: str) -> None:
    names = Counter(node(net) for net in circuit(name).nets())
    assert [each for each, count in names.items() if count > 1] == []


def test_a_bill_counts_all_parts_of_all_assemblies() -> None:
    assemblies = [("", circuit("table"), 1), ("lamp-tile", circuit("lamp-tile"), 7), ("keypad", circuit("keypad"), 1)]
    bill = listing.bill(assemblies)
    assert sum(line.count for line in bill) == sum(len(each.parts) * count for _, each, count in assemblies)
    diodes = next(line for line in bill if line.type is p.BAT85)
    assert diodes.count == 9
    assert diodes.places == "keypad: D1–D9"


def test_every_part_has_two_sources_whose_check_is_stated() -> None:
    checks = {p.SHEET, p.FOUND, p.CODE}
    for name in NAMES:
        for part in circuit(name).parts.values():
            assert len(part.type.sources) == 2
            assert {source.checked for source in part.type.sources} <= checks


@pytest.mark.long
def test_drawings_pages_netlists_and_sheets_are_up_to_date() -> None:
    assert publish.stale() == [], "run: python -m firmware.hardware"


def test_a_drawing_names_every_part_that_it_shows() -> None:
    each = circuit("pusher")
    for sheet in each.sheets:
        text = drawing.svg(each, sheet)
        refs = {step.ref for row in sheet.rows for step in row.steps if hasattr(step, "ref")}
        for ref in refs:
            assert re.search(rf">\s*{ref}\b", text), (sheet.name, ref)


@pytest.mark.parametrize("name", [*BOARDS, *APART, *first_of(1, [*PICO_BOARDS][::-1])])
def test_a_net_that_goes_on_elsewhere_is_named_wherever_it_is_drawn(name: str) -> None:
    each = circuit(name)
    named = drawing.named_nets(each)
    for sheet in each.sheets:
        shown = Counter(re.findall(r">([^<>]+)<", drawing.svg(each, sheet)))
        for row in sheet.rows:
            for net in {step.net for step in row.steps} & named:
                assert shown[net] > 0, (sheet.name, row.name, net)


@pytest.mark.parametrize("name", CARRIERS)
def test_a_test_sheet_goes_through_every_input_and_output(name: str) -> None:
    board = CARRIERS[name]()
    sheet, kind = load(name), board.kind
    ids = {step.id for step in sheet.step}
    for entry in manifest_pins.kind(kind)["inputs"]:
        if entry[0] != "power_fail":
            assert {f"{entry[0]}_open", f"{entry[0]}_low"} <= ids
    for entry in manifest_pins.kind(kind)["outputs"]:
        assert {f"{entry[0]}_safe", f"{entry[0]}_on"} <= ids
    assert ("reset_cut" in ids) == (bool(manifest_pins.kind(kind)["counters"]) and board.controller is NANO)
    assert ("stop_motor" in ids) == (kind != "wheel")
    assert tomllib.loads(sheets.toml(board))["step"][0]["id"] == "look"
    assert len(ids) == len(sheet.step) == len(sheets.steps(board))
    wired = {entry[0] for key in ("inputs", "outputs") for entry in manifest_pins.kind(kind)[key]}
    # The supervisor is on the board, and so are reversing relays.
    assert set(sheet.terminals) >= wired - {"power_fail", "motor_back"}
    for where in sheet.terminals.values():
        assert set(re.findall(r"J\d+", where)) <= set(board.parts)


@pytest.mark.parametrize("name", CARRIERS)
def test_a_switched_minus_wire_has_another_colour_than_0_v_and_the_page_warns(name: str) -> None:
    wires = listing.field_wires(circuit(name))
    switched = {(colour, net) for _, _, colour, _, net in wires if net.endswith(("_drain", "_minus"))}
    assert {colour for colour, _ in switched}.isdisjoint({colour for _, _, colour, _, net in wires if net == GND})
    motors = {net for _, net in switched if net.startswith(("motor_", "hopper_"))}
    text = publish.page(name)
    assert ("No − wire of a lamp or an alarm of this table may touch 0 V" in text) == (len(switched) > len(motors))
    assert ("A motor of this table is switched at both wires" in text) == bool(motors)


@pytest.mark.parametrize("name", CARRIERS)
def test_the_sheet_has_each_motor_tried_with_one_of_its_wires_at_0_or_12_v(name: str) -> None:
    motors = [use for use in ("motor", "hopper") if f"{use}_drain" in circuit(name).nets()]
    wanted = [f"{use}_{fault}" for use in motors for fault in ("minus_at_0", "plus_at_12")]
    assert [step.id for step in load(name).step if step.id.endswith(("_at_0", "_at_12"))] == wanted


def test_resistors_have_the_ordering_codes_of_their_makers() -> None:
    numbers = {value: [source.number for source in p.resistor(value).sources] for value in (100, 4700, 73_200, 100_000)}
    assert numbers == {
        100: ["MRS25000C1000FCT00", "MFR-25FBF52-100R"],
        4700: ["MRS25000C4701FCT00", "MFR-25FBF52-4K7"],
        73_200: ["MRS25000C7322FCT00", "MFR-25FBF52-73K2"],
        100_000: ["MRS25000C1003FCT00", "MFR-25FBF52-100K"],
    }


def test_the_apart_circuits_have_pages() -> None:
    for name in APART:
        assert (publish.ROOT / publish.PAGES / f"{name}.md").is_file()
