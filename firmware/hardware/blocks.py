"""Pieces of circuits that several boards have: supply, inputs, drivers, memory, emergency stop, module."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from firmware.hardware import controllers
from firmware.hardware import parts as p
from firmware.hardware.circuit import GND, Circuit, CircuitPart, CircuitRow, CircuitSheet, Gates, PartType
from firmware.hardware.controllers import NANO, PICO, Controller

V5: Final = controllers.V5
V33: Final = controllers.V33
"""Of a Pico."""

V12: Final = "+12V"
"""Behind the fuse of the logic."""
V12_IN: Final = "+12V_IN"
V12_MOTOR: Final = "+12V_MOTOR"
"""Behind fuse and emergency stop: what moves."""
V12_LOAD: Final = "+12V_LOAD"
"""Lamps, acceptor, alarm: what does not move."""
FIELD: Final = "+5V_FIELD"
"""The sensors, behind a resettable fuse and a diode: neither a short nor 24 V at a sensor reaches the 5 V."""
ANALOGUE: Final = "+5V_ANALOGUE"
"""Analogue sensors, behind a resettable fuse: without a diode, for they measure against the same 5 V."""
SENSE: Final = "+5V_SENSE"
"""The emitters of the optical sensors, which the board can switch off."""
TEST: Final = "+12V_TEST"
"""12 V through 680 Ω into every tested line that ends in 470 Ω, while the emitters are off."""
END: Final = "470 Ω in series, at this end of the cable"
"""What the wire of a tested contact or open collector ends in: a line that is shorted before it stays low."""

RED, BLACK, BROWN, BLUE, WHITE, YELLOW, ORANGE, GREEN, GREY = (
    "red", "black", "brown", "blue", "white", "yellow", "orange", "green", "grey"
)  # fmt: skip


class CarrierBoard(Circuit):
    """A carrier board with a module in it."""

    def __init__(self, kind: str, title: str, reserved: Mapping[str, str], controller: Controller = NANO) -> None:
        super().__init__(kind + controller.suffix, title)
        self.kind = kind
        self.pull = f"{controller.logic}_PULL"
        """The pull-ups of the inputs, behind a diode: a wire that touches 24 V does not lift the rail of the logic."""
        self.controller = controller
        self.at = controller.at(kind, reserved)
        """What each pin of the module is used for, and the pin; empty where the module has none for it."""
        self.rails |= {
            V5: 5.0,
            V12: 12.0,
            V12_IN: 12.0,
            V12_MOTOR: 12.0,
            V12_LOAD: 12.0,
            controller.logic: controller.volt,
            self.pull: controller.volt,
            FIELD: 5.0,
            ANALOGUE: 5.0,
            SENSE: 5.0,
            TEST: 12.0,
        }
        self.module = self.part(controller.module, "U0")
        self.gates = Gates(self, controller.schmitt, p.HC14_PAIRS, controller.logic)
        self.drivers = Gates(self, p.AHCT14, p.HC14_PAIRS, V5)
        """From 3.3 V to what wants 5 V: gates of MOSFETs, chains."""
        self.served: dict[str, str] = {}
        """The uses that a circuit was made for, and the pin of the module."""

    def label(self, use: str) -> str:
        """The module's pin for a use, as a person finds it: by its name, and its number where that is not its name."""
        pin = self.at[use]
        number = p.pin_number(self.module.type, pin)
        return f"{pin} ({number})" if self.controller is PICO else pin

    def module_pin(self, use: str) -> str:
        """The pin of the module for a use of the firmware, which a circuit serves from now on."""
        pin = self.at[use]
        if use in self.served:
            raise ValueError(f"{self.name}: {use} has two circuits")
        self.served[use] = pin
        return pin


def decouple(board: Circuit, row: CircuitRow, count: int, rail: str = V5) -> None:
    """One 100 nF for each integrated circuit, from its supply to ground."""
    row.at(rail)
    for _ in range(count):
        row.hang(p.C100N, GND)


# Supply

BANK: Final = 16
"""Capacitors of the hold-up: what the firmware needs, also when they have aged and every sensor draws its most."""


def supply(board: CarrierBoard, *, hold_up: bool) -> CircuitSheet:
    """12 V in, 5 V from a switching regulator into the module's 5V pin; with `hold_up` bank and supervisor."""
    sheet = board.sheet("supply", "Supply: 12 V in, 5 V for module and sensors")
    entry = board.part(p.terminal(2))
    entry.wires |= {"1": (RED, "supply +12 V (11.4 to 12.6 V)"), "2": (BLACK, "supply 0 V: the star point")}
    row = board.row(sheet, "supply", "logic")
    row.pin(entry, "1", V12_IN)
    row.series(p.F2A, V12)
    row.hang(p.TVS_RAIL, GND, near="K", far="A")
    row.series(p.D5819, "VREG", enters="A", leaves="K")
    row.hang(p.C100U, GND)
    row.hang(p.C100N, GND)
    regulator = board.part(p.BUCK)
    row.through(regulator, V5, enters="VIN", leaves="VOUT")
    row.hang(p.C100U, GND)
    row.hang(p.C100N, GND)
    if board.controller is PICO:
        # Its USB socket supplies the Pico alone, and the carrier board nothing to a computer.
        row.series(p.D5819, "VSYS", enters="A", leaves="K")
        board.rails["VSYS"] = 5.0
    row.pin(board.module, board.controller.supply)
    regulator.connect("GND", GND)
    zero = board.row(sheet, "ground", "0 V")
    zero.pin(entry, "2", GND)
    first, *others = (pin for pin in board.module.type.pins if "GND" in pin)
    zero.pin(board.module, first)
    for pin in others:
        board.module.connect(pin, GND)
    if board.controller is PICO:
        logic = board.row(sheet, "logic", "3.3 V of the Pico")
        logic.pin(board.module, "3V3", V33)
        logic.hang(p.C100N, GND)
        # What a fault lets into the 3.3 V has a way to 0 V besides the Pico, whose regulator takes nothing back.
        logic.hang(p.R330, GND)
    pull = board.row(sheet, "pull", "pull-ups")
    pull.at(board.controller.logic)
    pull.series(p.D5819, board.pull, enters="A", leaves="K")
    pull.hang(p.C100N, GND)
    field = board.row(sheet, "field", "sensors")
    field.at(V5)
    field.series(p.PTC, "field_fused")
    field.series(p.D5819, FIELD, enters="A", leaves="K")
    field.hang(p.C100N, GND)
    if hold_up:
        _hold_up(board, sheet)
    elif board.controller is PICO:
        supervisor = board.part(p.SUPERVISOR)
        supervisor.connect("PFI", GND)
        supervisor.leave_open("PFO")
        _reset(board, sheet, supervisor)
    board.box(sheet, regulator)
    return sheet


def _hold_up(board: CarrierBoard, sheet: CircuitSheet) -> None:
    bank = board.row(sheet, "bank", "hold-up")
    bank.at("VREG")
    bank.series(p.R_CHARGE, "BANK")
    for _ in range(BANK // 2):
        bank.hang(p.C_BANK, GND)
    bank.series(p.D5822, "VREG", enters="A", leaves="K")
    more = board.row(sheet, "bank_more", "more of it")
    more.at("BANK")
    for _ in range(BANK // 2):
        more.hang(p.C_BANK, GND)
    supervisor = board.part(p.SUPERVISOR)
    fail = board.row(sheet, "power_fail", "power fails")
    fail.at(V12)
    fail.series(p.R73K2, "PFI")
    fail.hang(p.R10K, GND)
    # A dip of the 12 V of less than 0.5 ms, as of a motor that is switched on, is not the supply's failure.
    fail.hang(p.C100N, GND)
    fail.through(supervisor, "PFO", enters="PFI", leaves="PFO")
    fail.gate(board.gates, "PFO_NOT")
    fail.series(p.R330, "power_fail")
    fail.pin(board.module, board.module_pin("power_fail"))
    _reset(board, sheet, supervisor)
    if board.controller is PICO:
        return
    board.work += [
        "Nano: cut the auto-reset: take out the 100 nF capacitor between the USB chip's DTR and RST (`feltwire boards "
        "check` finds a board on which that was forgotten)",
        "Nano: take out the Schottky diode between USB's 5 V and the pin 5V: only the carrier feeds the board, and USB "
        "cannot hold the 5 V between the brown-out level and the supervisor's",
    ]


def _reset(board: CarrierBoard, sheet: CircuitSheet, supervisor: CircuitPart) -> None:
    """The supervisor resets the module while the 5 V are low.

    Every board with a Pico has one: that runs on at 2 V, and would drive gates that no longer reach their voltage.
    """
    reset = board.row(sheet, "reset", "reset")
    # A transistor, not a diode: the module pulls RST up with 1 kΩ, and the chip's low is below 0.1 of its supply.
    reset.pin(supervisor, "RESET", "nRESET")
    if board.controller is PICO:
        # A Pico that USB alone supplies stays in reset: the supervisor has no supply then.
        reset.hang(p.R100K, GND)
    reset.gate(board.gates, "reset_now")
    reset.series(p.R1K, "reset_base")
    reset.hang(p.R10K, GND)
    reset.transistor(p.NPN, board.controller.reset, GND)
    reset.pin(board.module, board.controller.reset)
    supervisor.connect("VCC", V5)
    supervisor.connect("GND", GND)
    supervisor.leave_open("MR", "WDI", "WDO")
    board.box(sheet, supervisor)


# Emergency stop


def emergency_stop(board: CarrierBoard, fuse: PartType) -> CircuitSheet:
    """Two relays in series, each with a contact of the button in its coil's circuit: they cut the motors' 12 V."""
    sheet = board.sheet("stop", "Emergency stop: cuts the 12 V of everything that moves")
    button = board.part(p.EMERGENCY_STOP)
    entry = board.part(p.terminal(4))
    row = board.row(sheet, "motor_supply", "12 V of motors")
    row.at(V12_IN)
    row.series(fuse, "MOTOR_FUSED")
    # In front of the relays: a capacitor after them would be charged through their contacts at each release.
    row.hang(p.C100U, GND)
    relays = [board.part(p.POWER_RELAY), board.part(p.POWER_RELAY)]
    row.through(relays[0], "MOTOR_K1", enters="11", leaves="14")
    row.through(relays[1], V12_MOTOR, enters="11", leaves="14")
    for number, relay in enumerate(relays):
        first, second = ("1", "2") if number == 0 else ("3", "4")
        one, two = ("11", "12") if number == 0 else ("21", "22")
        coil = board.row(sheet, f"estop_{number + 1}", f"coil {number + 1}")
        coil.at(V12)
        coil.pin(entry, first)
        coil.through(button, f"estop_coil_{number + 1}", enters=one, leaves=two)
        coil.pin(entry, second)
        coil.hang_part(relay, GND, near="A1", far="A2")
        coil.hang(p.D4007, GND, near="K", far="A")
        board.inductive[f"estop_coil_{number + 1}"] = GND
        relay.leave_open("12")
        entry.wires[first] = (RED, f"emergency stop, contact {one}")
        entry.wires[second] = (YELLOW, f"emergency stop, contact {two}")
    return sheet


# Inputs

_FILTER: Final = {"edge": p.C1N, "pulse": p.C10N, "button": p.C4U7}


def front_end(
    row: CircuitRow, entry: CircuitPart, pin: str, name: str, pull: PartType | None = None, to: str = GND
) -> None:
    """What every wire from outside meets: a suppressor, `pull` to a rail, 2.2 kΩ and a Zener diode."""
    row.pin(entry, pin, f"{name}_wire")
    row.hang(p.TVS_FIELD, GND)
    if pull is not None:
        row.hang(pull, to)
    row.series(p.R2K2, f"{name}_in")
    row.hang(p.ZENER, GND, near="K", far="A")


def _condition(
    board: CarrierBoard,
    sheet: CircuitSheet,
    use: str,
    filter_: str,
    entry: CircuitPart,
    pin: str,
    tested: Literal["", "end", "either"] = "",
) -> None:
    """One input: TVS, pull-up, resistor, Zener, capacitor, two Schmitt inverters. Level of the wire = of the pin.

    `filter_`: "edge" for sensors whose edges are timed, "pulse" for pulses of milliseconds, "button" for contacts;
    "either" for the first, and with a jumper for the last. `tested`: with the emitters off the line is high unless it
    is shorted. "end": a contact or an open collector with its resistor `END`; "either": an optical sensor that the
    switch of the emitters feeds, or with a jumper as "end".
    """
    row = board.row(sheet, use, use)
    # A slotted opto gives a few tenths of its emitter's 11 mA, and 470 Ω must pull low: 10 kΩ leave both a margin.
    front_end(row, entry, pin, use, p.R10K if tested else p.R4K7, board.pull)
    row.hang(_FILTER["edge" if filter_ == "either" else filter_], GND)
    if filter_ == "either":
        row.hang(p.C4U7, f"{use}_slow")
    row.series(p.R1K, f"{use}_gate")
    to_module(board, row, use)
    if filter_ == "either":
        slow = board.row(sheet, f"{use}_slow", "fitted for a contact")
        slow.at(f"{use}_slow")
        slow.series(p.JUMPER, GND)
    if tested:
        text = "fitted for 470 Ω" if tested == "either" else "with the emitters off"
        test = board.row(sheet, f"{use}_test", text)
        test.at(TEST)
        if tested == "either":
            test.series(p.JUMPER, f"{use}_test_on")
        test.series(p.R680, f"{use}_test")
        test.series(p.D4148, f"{use}_wire", enters="A", leaves="K")
        test.at(f"{use}_wire")


def field_input(
    board: CarrierBoard, sheet: CircuitSheet, use: str, filter_: str, *, sensor: str, supply_net: str = FIELD
) -> None:
    """An input for a sensor of two to four wires.

    `supply_net`: what feeds the sensor; with `SENSE` the board can switch its emitter off.
    """
    emitter = supply_net == SENSE
    entry = board.part(p.terminal(4 if emitter else 3))
    _condition(board, sheet, use, filter_, entry, "2", "either" if emitter else "")
    feed = board.row(sheet, f"{use}_feed", "")
    if emitter:
        feed.at(SENSE)
        feed.series(p.PTC_SENSOR, f"{use}_plus")
        feed.pin(entry, "1")
    else:
        feed.pin(entry, "1", supply_net)
    entry.connect("3", GND)
    entry.wires |= {
        "1": (BROWN, f"{sensor}: + ({supply_net[1:]})"),
        "2": (BLACK, f"{sensor}: signal"),
        "3": (BLUE, f"{sensor}: 0 V"),
    }
    if emitter:
        led = board.row(sheet, f"{use}_emitter", "")
        led.at(SENSE)
        led.series(p.R220, f"{use}_limited")
        # 24 V on this wire would heat the resistor with 1.5 W.
        led.series(p.D4148, f"{use}_led", enters="A", leaves="K")
        led.pin(entry, "4")
        entry.wires["1"] = (BROWN, f"{sensor}: + of one with three wires; open with a bare opto")
        entry.wires["2"] = (BLACK, f"{sensor}: signal, or collector")
        entry.wires["3"] = (BLUE, f"{sensor}: 0 V; cathode and emitter")
        entry.wires["4"] = (WHITE, f"{sensor}: anode of a bare opto")
    board.box(sheet, entry, "3")


def contact_input(board: CarrierBoard, sheet: CircuitSheet, use: str, filter_: str, *, contact: str) -> None:
    """A tested input for a contact to ground that ends in `END`: as a field input, with two terminals."""
    entry = board.part(p.terminal(2))
    _condition(board, sheet, use, filter_, entry, "1", "end")
    entry.connect("2", GND)
    entry.wires |= {"1": (WHITE, f"{contact}; {END}"), "2": (GREEN, f"{contact}, other wire (0 V)")}
    board.box(sheet, entry, "2")


def analogue_input(board: CarrierBoard, sheet: CircuitSheet, use: str, *, sensor: str) -> None:
    """An analogue channel, 0 to 5 V: TVS, 2.2 kΩ, Zener, 1 kΩ and 100 nF; 100 kΩ to ground, so that it never floats.

    For a Pico a divider of 10 and 10 kΩ in place of 1 and 100 kΩ: half of what the Zener diode lets through at the most
    is what its pin bears. Its sensors are fed as the others, for they do not share a reference with it.
    """
    entry = board.part(p.terminal(3))
    divided = board.controller is PICO
    row = board.row(sheet, use, use)
    front_end(row, entry, "2", use, None if divided else p.R100K)
    row.series(p.R10K if divided else p.R1K, use)
    if divided:
        row.hang(p.R10K, GND)
    row.hang(p.C100N, GND)
    row.pin(board.module, board.module_pin(use))
    feed = board.row(sheet, f"{use}_feed", "")
    feed.pin(entry, "1", FIELD if divided else ANALOGUE)
    entry.connect("3", GND)
    entry.wires |= {
        "1": (BROWN, f"{sensor}: +5 V"),
        "2": (BLACK, f"{sensor}: output, 0 to 5 V"),
        "3": (BLUE, f"{sensor}: 0 V"),
    }
    board.box(sheet, entry, "3")


def tie_gates(board: CarrierBoard, sheet: CircuitSheet, gates: Gates | None = None, name: str = "inputs") -> None:
    """Ties the gates that are left, gives each package its capacitor, and shows the packages' supply."""
    gates = gates or board.gates
    gates.tie()
    row = board.row(sheet, f"decoupling_{name}", f"at each {gates.type.value}")
    decouple(board, row, len(gates.parts), gates.supply)
    for part in gates.parts:
        board.box(sheet, part)


def end_of_inputs(board: CarrierBoard, sheet: CircuitSheet) -> None:
    """All inputs have their gates; with a Pico others need some, too (`end`)."""
    if board.controller is NANO:
        tie_gates(board, sheet)


def end(board: CarrierBoard) -> None:
    """What a Pico has besides, and the module."""
    if board.controller is PICO:
        link(board)
        if "fram data" not in board.served:
            memory(board)
        sheet = board.sheet("inverters", "Inverters: their supplies, and those that are left")
        tie_gates(board, sheet)
        tie_gates(board, sheet, board.drivers, "drivers")
    module(board)


def to_module(board: CarrierBoard, row: CircuitRow, use: str) -> None:
    """A row ends in two inverters, 330 Ω and the module's pin: the level there is the level before them."""
    name = use.replace(" ", "_")
    row.gate(board.gates, f"{name}_not")
    row.gate(board.gates, f"{name}_drive")
    row.series(p.R330, use)
    row.pin(board.module, board.module_pin(use))


def from_module(board: CarrierBoard, row: CircuitRow, use: str) -> None:
    """A row begins at an output of the module, low while that is in reset, and with 5 V when it is high."""
    row.pin(board.module, board.module_pin(use), use)
    row.hang(p.R10K, GND)
    to_5v(board, row, use)


def to_5v(board: CarrierBoard, row: CircuitRow, use: str) -> None:
    """Two inverters of 5 V that take a Pico's 3.3 V for high; a Nano has 5 V itself."""
    if board.controller is PICO:
        name = use.replace(" ", "_")
        row.gate(board.drivers, f"{name}_not")
        row.gate(board.drivers, f"{name}_5v")


# The line to the computer


def link(board: CarrierBoard) -> None:
    """A Pico's serial line at terminals, 3.3 V, in the colours of FTDI's cables; a Nano has it at its USB socket.

    Four inverters are between: whatever comes onto these wires does not reach the Pico.
    """
    sheet = board.sheet("link", "Serial line to the computer, 3.3 V")
    entry = board.part(p.terminal(3))
    into = board.row(sheet, "link in", "data in")
    front_end(into, entry, "1", "link_in", p.R10K, board.pull)
    to_module(board, into, "link in")
    out = board.row(sheet, "link out", "data out")
    out.pin(board.module, board.module_pin("link out"), "link out")
    # Idle is high, also while the Pico is in reset.
    out.hang(p.R10K, V33)
    out.gate(board.gates, "link_out_not")
    out.gate(board.gates, "link_out_drive")
    # No suppressor: with these resistors its 450 pF would be as long as a bit.
    out.series(p.R330, "link_out_in")
    out.hang(p.ZENER, GND, near="K", far="A")
    out.series(p.R2K2, "link_out_wire")
    out.pin(entry, "2")
    entry.connect("3", GND)
    entry.wires |= {
        "1": (ORANGE, "computer or adapter: its data out (3.3 V or 5 V)"),
        "2": (YELLOW, "computer or adapter: its data in"),
        "3": (BLACK, "computer or adapter: 0 V"),
    }
    board.box(sheet, entry, "3")


# Drivers


def _mosfet(board: CarrierBoard, sheet: CircuitSheet, use: str, source: str) -> tuple[str, CircuitRow]:
    """An output of the module with a MOSFET; returns the net of its drain, and the row."""
    row = board.row(sheet, use, use)
    from_module(board, row, use)
    row.series(p.R100, f"{use}_gate")
    if board.controller is PICO:
        # The inverters of 5 V are not driven while that is off, and the 12 V are on.
        row.hang(p.R10K, GND)
    drain = f"{use}_drain"
    row.transistor(p.NFET, drain, source)
    return drain, row


def low_side(
    board: CarrierBoard, sheet: CircuitSheet, use: str, *, load: str, feed: str, shunt: bool = False
) -> tuple[str, CircuitRow]:
    """A MOSFET to ground with the flyback diode of its load; returns the net of its drain, and the row."""
    drain, row = _mosfet(board, sheet, use, f"{use}_source" if shunt else GND)
    row.hang(p.D5822, feed, near="A", far="K")
    board.inductive[drain] = feed
    return drain, row


def high_side(board: CarrierBoard, sheet: CircuitSheet, use: str, *, fuse: PartType | None) -> CircuitRow:
    """The switch of the + wire of a motor, on with the MOSFET at its − wire; returns its row.

    It stays on between the pulses of a motor that is dimmed, and is off some milliseconds after the last: the current
    is broken by the other one, except where the + or the − wire touches 0 V. The motor's own `fuse` is behind it: at a
    source behind the fuse were only a few volts while the + wire touches 0 V, and the switch would be half on.
    """
    row = board.row(sheet, f"{use}_high", "its + wire")
    row.at(use if board.controller is NANO else f"{use}_5v")
    row.series(p.R4K7, f"{use}_pull_base")
    # Less than 1.4 V does nothing: a short lets the 5 V of a Pico's inverters sag, and this must not be half on then.
    row.hang(p.R2K2, GND)
    row.transistor(p.NPN, f"{use}_pull", GND)
    row.series(p.R220, f"{use}_high_gate")
    row.hang(p.ZENER_GATE, V12_MOTOR, near="A", far="K")
    row.hang(p.C100N, V12_MOTOR)
    row.hang(p.R22K, V12_MOTOR)
    row.transistor(p.PFET, f"{use}_high" if fuse is None else f"{use}_switched", V12_MOTOR)
    if fuse is not None:
        row.series(fuse, f"{use}_high")
    return row


def load_output(board: CarrierBoard, sheet: CircuitSheet, use: str, *, load: str, feed: str) -> None:
    """A lamp, a horn, a solenoid: a MOSFET to ground, and two terminals."""
    _, row = low_side(board, sheet, use, load=load, feed=feed)
    entry = board.part(p.terminal(2))
    row.pin(entry, "2")
    entry.connect("1", feed)
    entry.wires |= {"1": (RED, f"{load}: +12 V"), "2": (WHITE, f"{load}: −, switched")}
    board.box(sheet, entry, "1")


def coil(board: CarrierBoard, sheet: CircuitSheet, use: str, relay: CircuitPart) -> None:
    """A relay's coil at 12 V behind an NPN transistor."""
    row = board.row(sheet, use, use)
    row.pin(board.module, board.module_pin(use), use)
    row.series(p.R1K, f"{use}_base")
    row.hang(p.R10K, GND)
    row.transistor(p.NPN, f"{use}_coil", GND)
    row.hang_part(relay, V12_LOAD, near="A2", far="A1")
    row.hang(p.D4007, V12_LOAD, near="A", far="K")
    board.inductive[f"{use}_coil"] = V12_LOAD


def motor(
    board: CarrierBoard,
    sheet: CircuitSheet,
    use: str,
    *,
    back: str | None,
    load: str,
    shunt: bool = False,
    fuse: PartType | None = None,
) -> None:
    """A direct-current motor: a MOSFET to ground, a flyback diode, and with `back` a relay that reverses it.

    It is switched at both wires, so that one of them that touches 0 V or 12 V starts nothing. `fuse`: its own, besides
    that of all motors.
    """
    high = f"{use}_high"
    # Its diode is at its own wires: what it carries does not depend on the switch of the + wire.
    drain, row = low_side(board, sheet, use, load=load, feed=high, shunt=shunt)
    entry = board.part(p.terminal(2))
    plus_side = high_side(board, sheet, use, fuse=fuse)
    if back is None:
        row.pin(entry, "2")
        plus_side.pin(entry, "1")
    else:
        relay = board.part(p.REVERSING_RELAY)
        plus_side.at(high)
        plus, minus = f"{use}_plus", f"{use}_minus"
        forward = board.row(sheet, f"{use}_relay", "forward")
        forward.at(high)
        forward.through(relay, plus, enters="12", leaves="11")
        # The relay turns while the motor is driven: what the opening contact breaks is taken here.
        forward.hang(p.TVS_FIELD, minus)
        forward.pin(entry, "1")
        other = board.row(sheet, f"{use}_relay_2", "forward")
        other.at(drain)
        other.through(relay, minus, enters="22", leaves="21")
        other.pin(entry, "2")
        relay.connect("24", high)
        relay.connect("14", drain)
        coil(board, sheet, back, relay)
        board.box(sheet, relay, "14", "24")
    entry.wires |= {"1": (RED, f"{load}: +, switched"), "2": (WHITE, f"{load}: −, switched")}


def motor_current(board: CarrierBoard, sheet: CircuitSheet, use: str, of: str, *, filter_: PartType = p.C100N) -> None:
    """The current of a MOSFET with a shunt, 0.1 V for each A, to an analogue pin.

    `filter_`: `p.C4U7` for a motor with pulse-width modulation, whose mean is measured.
    """
    row = board.row(sheet, f"{of}_shunt", use)
    row.at(f"{of}_source")
    row.hang(p.R_SHUNT, GND)
    row.series(p.R1K, use)
    row.hang(filter_, GND)
    clamp(board, row)
    row.pin(board.module, board.module_pin(use))


def clamp(board: CarrierBoard, row: CircuitRow) -> None:
    """A Pico's pin that a fault could lift to 5 V or more through 1 kΩ: a Schottky diode to its 3.3 V."""
    if board.controller is PICO:
        row.hang(p.BAT85, V33, near="A", far="K")


def open_collector(board: CarrierBoard, sheet: CircuitSheet, use: str, entry: CircuitPart, pin: str) -> None:
    """Pulls a line of a device with its own pull-up to ground, also one with 12 V; open when the board is off."""
    _, row = _mosfet(board, sheet, use, GND)
    # 12 V on the wire: a small transistor would bear 5 W and more, this one 1 W until the fuse opens.
    row.series(p.PTC_SENSOR, f"{use}_line")
    row.hang(p.TVS_FIELD, GND)
    row.pin(entry, pin)


def acceptor(board: CarrierBoard, sheet: CircuitSheet, token: str, accept: str) -> None:
    """A token acceptor: 12 V, its inhibit line, its token output: an open collector that conducts at rest."""
    entry = board.part(p.terminal(4))
    feed = board.row(sheet, "acceptor_feed", "acceptor 12 V")
    feed.at(V12_LOAD)
    feed.pin(entry, "1")
    _condition(board, sheet, token, "pulse", entry, "3", "end")
    open_collector(board, sheet, accept, entry, "4")
    entry.connect("2", GND)
    entry.wires |= {
        "1": (RED, "acceptor: +12 V"),
        "2": (BLACK, "acceptor: 0 V"),
        "3": (WHITE, f"acceptor: token, open collector, normally closed; {END}"),
        "4": (YELLOW, "acceptor: inhibit; low lets it accept"),
    }
    board.box(sheet, entry, "2")


def emitters(board: CarrierBoard, sheet: CircuitSheet, source: CircuitRow) -> None:
    """The switch of the emitters: a row that has come to the base resistor's net of `sense` continues from here."""
    source.series(p.R1K, "sense_base")
    source.hang(p.R10K, GND)
    source.transistor(p.NPN, "sense_pull", GND)
    # Some 3.5 mA into the base: enough for five emitters and sensors of three wires.
    source.series(p.R1K, "sense_high")
    source.hang(p.R10K, FIELD)
    switch = board.part(p.PNP_PASS)
    source.through(switch, SENSE, enters="B", leaves="C")
    source.hang(p.C100N, GND)
    source.hang(p.R1K, GND)
    source.hang(p.TVS_SENSE, GND, near="K", far="A")
    # A short of the sensors' + wire: what 3.3 Ω let through heats the switch less than it bears without a heat sink.
    limit = board.row(sheet, "sense_limit", "0.2 A at most")
    limit.at(FIELD)
    limit.series(p.R3R3, "sense_emitter")
    limit.series(p.R100, "sense_limit_base")
    limiter = board.part(p.PNP)
    limiter.connect("E", FIELD)
    limit.through(limiter, "sense_high", enters="B", leaves="C")
    limit.at("sense_high")
    switch.connect("E", "sense_emitter")
    board.box(sheet, switch, "E")
    board.box(sheet, limiter, "E")


def line_test(board: CarrierBoard, sheet: CircuitSheet) -> None:
    """The switch of `TEST`: on while `sense` is low, and so in a reset; takes one gate."""
    row = board.row(sheet, "line_test", "test of lines")
    row.at("sense")
    row.gate(board.gates, "sense_not")
    row.series(p.R1K, "test_base")
    row.hang(p.R10K, GND)
    row.transistor(p.NPN, "test_pull", GND)
    # Some 5 mA into the base: enough for seven lines that are shorted at once.
    row.series(p.R2K2, "test_high")
    row.hang(p.R10K, V12)
    switch = board.part(p.PNP)
    switch.connect("E", V12)
    row.through(switch, TEST, enters="B", leaves="C")
    row.hang(p.R10K, GND)
    board.box(sheet, switch, "E")


def memory(board: CarrierBoard) -> CircuitSheet:
    """The FRAM that keeps the counters."""
    sheet = board.sheet("memory", "Memory of the counters")
    chip, rail = board.part(board.controller.fram), board.controller.logic
    for use, pin in (("fram data", "SDA"), ("fram clock", "SCL")):
        row = board.row(sheet, use, pin)
        row.pin(board.module, board.module_pin(use), use)
        row.hang(p.R4K7, rail)
        row.pin(chip, pin)
    for pin in ("A0", "A1", "A2", "WP", "VSS"):
        chip.connect(pin, GND)
    chip.connect("VDD", rail)
    decouple(board, board.row(sheet, "decoupling_memory", "at the FRAM"), 1, rail)
    board.box(sheet, chip)
    return sheet


def load_fuse(board: CarrierBoard, sheet: CircuitSheet) -> None:
    """The fuse of lamps, acceptor, relays' coils."""
    row = board.row(sheet, "load_supply", "12 V of loads")
    row.at(V12_IN)
    row.series(p.F2A, V12_LOAD)
    row.hang(p.C100U, GND)


def module(board: CarrierBoard) -> None:
    """Shows the module with all its pins; those that nothing uses stay open."""
    sheet = board.sheet("module", f"Module: what is at each pin of the {board.controller.name}")
    for pin in board.module.type.pins:
        if pin not in board.module.nets:
            board.module.leave_open(pin)
    board.box(sheet, board.module, *board.module.type.pins)


# The chain of lamps


def chain_header(board: Circuit, entry: CircuitPart, nets: dict[str, str]) -> None:
    """Joins a ribbon header: ground between the fast wires."""
    wiring = {
        "1": GND, "2": V5, "3": nets["data"], "4": GND, "5": nets["clock"], "6": GND, "7": nets["latch"],
        "8": nets["data back"], "9": nets["read"], "10": nets["read back"],
    }  # fmt: skip
    for pin, net in wiring.items():
        if pin not in entry.nets:
            entry.connect(pin, net)


def chain_outputs(board: CarrierBoard, sheet: CircuitSheet, pins: dict[str, str], *, ends: bool) -> CircuitPart:
    """What the board sends down the chain: 100 Ω in each fast wire, 10 kΩ for the latch. Returns its header.

    The latch of a Nano is low for 125 ns: a capacitor across its 100 Ω takes each edge past them. Where it rings, that
    does no harm: a latch that comes twice latches the same.
    """
    entry = board.part(p.RIBBON)
    where = {"data": "3", "clock": "5", "latch": "7"}
    for wire, use in pins.items():
        row = board.row(sheet, use, use)
        row.pin(board.module, board.module_pin(use), use)
        if wire == "latch":
            row.hang(p.R10K, board.controller.logic)
        elif board.controller is PICO:
            row.hang(p.R100K, GND)
        to_5v(board, row, use)
        row.series(p.R100, f"chain_{wire}")
        if wire == "latch" and board.controller is NANO:
            row.hang(p.C10N, use)
        row.pin(entry, where[wire])
    entry.wires |= {str(pin): ("ribbon", "first lamp tile, J1") for pin in range(1, 11)}
    nets = {
        "data": "chain_data", "clock": "chain_clock", "latch": "chain_latch", "data back": "chain_data_back",
        "read": "chain_first_read", "read back": "chain_read_back",
    }  # fmt: skip
    row = board.row(sheet, "chain_first", "first tile reads 0")
    row.pin(entry, "9", "chain_first_read")
    row.series(p.R1K, GND)
    chain_header(board, entry, nets)
    board.box(sheet, entry, "1", "2", "4", "6", *(["8"] if ends else []))
    return entry
