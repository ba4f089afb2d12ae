"""The carrier boards of the four kinds, and the separate ones: lamp tile, keypad, adapters with optocouplers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Final

from firmware.hardware import blocks as b
from firmware.hardware import parts as p
from firmware.hardware.blocks import CarrierBoard
from firmware.hardware.circuit import GND, Circuit, CircuitSheet
from firmware.hardware.controllers import NANO, PICO, Controller
from firmware.hardware.manifest_pins import kind as kind_of
from firmware.hardware.manifest_pins import pins_of

RESERVED: Final[Mapping[str, Mapping[str, str]]] = {
    "wheel": {},
    "table": {},
    "reel": {"fram data": "C4", "fram clock": "C5"},
    "pusher": {
        "sense": "B4",
        "hopper back": "B5",
        "hopper current": "C2",
        "hopper error": "C3",
        "fram data": "C4",
        "fram clock": "C5",
    },
}
"""Pins that the carrier has a circuit for, whether or not the firmware names them; where it does, they agree."""


def _board(kind: str, title: str, controller: Controller) -> CarrierBoard:
    used = pins_of(kind)
    for use, pin in RESERVED[kind].items():
        if used.get(use, pin) != pin:
            raise ValueError(f"kind {kind}: {use} is at {used[use]} in the firmware and at {pin} on the carrier board")
    title += f" with a {controller.name}" if controller is not NANO else ""
    return CarrierBoard(kind, title, RESERVED[kind], controller)


def wheel(controller: Controller = NANO) -> CarrierBoard:
    """A wheel: eight inputs whose edges are timed, four lamps, analogue channels. Nothing moves."""
    board = _board("wheel", "Carrier board of a wheel", controller)
    b.supply(board, hold_up=False)
    for first in (1, 5):
        sheet = board.sheet(f"inputs-{first}-{first + 3}", f"Inputs {first} to {first + 3}")
        for number in range(first, first + 4):
            b.field_input(board, sheet, f"in_{number}", "either", sensor=f"sensor or contact {number}")
    b.end_of_inputs(board, sheet)
    outputs = board.sheet("outputs", "Lamps and signals")
    b.load_fuse(board, outputs)
    for number in range(1, 5):
        b.load_output(board, outputs, f"lamp_{number}", load=f"lamp {number}", feed=b.V12_LOAD)
    level = board.sheet("levels", "Analogue channels")
    if controller is NANO:
        analogue = board.row(level, "analogue_supply", "sensors")
        analogue.at(b.V5)
        analogue.series(p.PTC, b.ANALOGUE)
        analogue.hang(p.C100N, GND)
    for use in ("level_x", "level_y", "spare_1", "spare_2"):
        if board.at[use]:
            b.analogue_input(board, level, use, sensor="inclinometer" if use.startswith("level") else use)
    b.end(board)
    return board


def table(controller: Controller = NANO) -> CarrierBoard:
    """A dice table: motor with reversing, beams, sensors, keypad, chain of lamps."""
    board = _board("table", "Carrier board of a dice table", controller)
    b.supply(board, hold_up=False)
    names = ("shaft", "home", "beam_1", "beam_2", "beam_3", "beam_4", "shake", "turn")
    for part, uses in enumerate((names[:4], names[4:]), 1):
        sheet = board.sheet(f"inputs-{part}", f"Inputs: {', '.join(uses)}")
        for use in uses:
            b.field_input(board, sheet, use, "either", sensor=f"sensor or contact {use}")
    b.end_of_inputs(board, sheet)
    b.emergency_stop(board, p.F4A)
    drive = board.sheet("motor", "Motor with its reversing relay and current sense")
    b.load_fuse(board, drive)
    b.motor(board, drive, "motor", back="motor_back", load="motor", shunt=True)
    b.motor_current(board, drive, "motor_current", "motor", filter_=p.C4U7)
    keys = board.sheet("keypad", "Keypad: columns driven, rows pulled up")
    entry = board.part(p.RIBBON)
    for number in range(1, 4):
        use = f"keys columns {number}"
        row = board.row(keys, use, f"column {number}")
        row.pin(board.module, board.module_pin(use), f"column_{number}")
        row.series(p.R1K, f"keys_column_{number}")
        row.pin(entry, str(number))
    for number in range(1, 4):
        use = f"keys rows {number}"
        row = board.row(keys, use, f"row {number}")
        row.pin(entry, str(number + 3), f"keys_row_{number}")
        row.hang(p.ZENER, GND, near="K", far="A")
        # A Pico's low is below 0.8 V: less current, which its own pull-up of 50 kΩ adds to.
        row.series(p.R1K if controller is PICO else p.R100, f"row_{number}")
        row.hang(p.R100K if controller is PICO else p.R22K, controller.logic)
        b.clamp(board, row)
        row.pin(board.module, board.module_pin(use))
    for pin in ("7", "8", "9", "10"):
        entry.connect(pin, GND)
    entry.wires |= {str(pin): ("ribbon", "keypad, J1") for pin in range(1, 11)}
    board.box(keys, entry, "7", "8", "9", "10")
    lamps = board.sheet("lamps", "Chain of 56 lamps: seven tiles")
    _lamp_supply(board, lamps)
    wires = {"data": "lamps data", "clock": "lamps clock", "latch": "lamps latch"}
    header = b.chain_outputs(board, lamps, wires, ends=True)
    back = board.row(lamps, "lamps read_back", "read back")
    back.pin(header, "10")
    back.hang(p.ZENER, GND, near="K", far="A")
    back.series(p.R1K, "lamps read_back" if controller is NANO else "lamps_read_back_in")
    back.hang(p.R10K, b.V5)
    if controller is NANO:
        back.pin(board.module, board.module_pin("lamps read_back"))
    else:
        b.to_module(board, back, "lamps read_back")
    loose = board.row(lamps, "chain_data_back", "end of the data")
    loose.pin(header, "8")
    loose.series(p.R10K, GND)
    b.end(board)
    return board


def _lamp_supply(board: CarrierBoard, sheet: CircuitSheet) -> None:
    entry = board.part(p.terminal(2))
    row = board.row(sheet, "lamp_supply", "12 V of lamps")
    row.at(b.V12_LOAD)
    row.pin(entry, "1")
    entry.connect("2", GND)
    entry.wires |= {"1": (b.RED, "lamp tiles, J3 pin 1"), "2": (b.BLACK, "lamp tiles, J3 pin 2")}
    board.box(sheet, entry, "2")


def reel(controller: Controller = NANO) -> CarrierBoard:
    """Three stepper reels with stop buttons, a token acceptor, 16 lamps, and a control register behind the lamps."""
    board = _board("reel", "Carrier board of skill-stop reels", controller)
    b.supply(board, hold_up=True)
    first = board.sheet("inputs-home", "Reel home sensors; the switch of the emitters")
    for number in range(1, 4):
        b.field_input(board, first, f"home_{number}", "pulse", sensor=f"home of reel {number}", supply_net=b.SENSE)
    second = board.sheet("inputs-stop", "Stop buttons and token acceptor")
    for number in range(1, 4):
        b.contact_input(board, second, f"stop_{number}", "pulse", contact=f"stop button {number}, normally closed")
    b.load_fuse(board, second)
    b.acceptor(board, second, "token", "accept")
    b.line_test(board, second)
    b.end_of_inputs(board, second)
    b.emergency_stop(board, p.F4A)
    lamps = board.sheet("lamps", "Chain of 16 lamps: two tiles; then the control register on this board")
    _lamp_supply(board, lamps)
    wires = {"data": "lamps data", "clock": "lamps clock", "latch": "lamps latch"}
    header = b.chain_outputs(board, lamps, wires, ends=True)
    control = board.part(p.HC595)
    watch = board.part(p.HC165)
    into = board.row(lamps, "control_data", "data from the tiles")
    into.pin(header, "8")
    into.hang(p.R10K, GND)
    into.pin(control, "SER")
    read = board.row(lamps, "control_read", "read from the tiles")
    read.pin(header, "10")
    read.hang(p.R10K, GND)
    read.pin(watch, "DS")
    out = board.row(lamps, "lamps read_back", "read back")
    out.pin(watch, "Q7", "control_read_back")
    if controller is NANO:
        out.series(p.R330, "lamps read_back")
        out.pin(board.module, board.module_pin("lamps read_back"))
    else:
        b.to_module(board, out, "lamps read_back")
    blank = board.row(lamps, "blank", "outputs off at power-on")
    blank.at(b.V5)
    blank.series(p.C10U, "control_blank")
    blank.hang(p.R100K, GND)
    blank.series(p.R1K, "control_off")
    blank.pin(control, "OE")
    for part, pins in (
        (control, {"SRCLK": "chain_clock", "RCLK": "chain_latch"}),
        (watch, {"CP": "chain_clock", "PL": "chain_latch"}),
    ):
        for pin, net in pins.items():
            part.connect(pin, net)
        part.connect("VCC", b.V5)
        part.connect("GND", GND)
    control.connect("SRCLR", b.V5)
    control.leave_open("QH'")
    watch.connect("CE", GND)
    watch.leave_open("nQ7")
    for bit, (pin, name) in enumerate(zip(p.HC595_OUTPUTS, kind_of("reel")["control"], strict=True)):
        net = "control_spare" if name == "spare" else name
        control.connect(pin, net)
        watch.connect(f"D{bit}", net)
    spare = board.row(lamps, "control_spare", "position 24")
    spare.at("control_spare")
    spare.series(p.R10K, GND)
    b.decouple(board, board.row(lamps, "decoupling_control", "at 74HC595 and 74HC165"), 2)
    board.box(lamps, control)
    board.box(lamps, watch)
    switch = board.row(first, "sense", "emitters")
    switch.at("sense")
    b.emitters(board, first, switch)
    for number in range(1, 4):
        _stepper(board, number)
    b.memory(board)
    b.end(board)
    board.work.append(
        "Driver carriers: set the current limit of each, with no motor connected, to the voltage that the page of this "
        "board has for it"
    )
    return board


def _stepper(board: CarrierBoard, number: int) -> None:
    sheet = board.sheet(f"reel-{number}", f"Reel {number}: driver carrier in its socket")
    driver = board.part(p.STEPPER_DRIVER)
    use = f"reel_{number}"
    step = board.row(sheet, use, "step")
    step.pin(board.module, board.module_pin(use), use)
    if board.controller is PICO:
        step.hang(p.R10K, GND)
        b.to_5v(board, step, use)
    step.series(p.R330, f"{use}_step")
    step.hang(p.R10K, GND)
    step.pin(driver, "STEP")
    direction = board.row(sheet, f"{use}_direction", "direction")
    direction.at(f"direction_{number}")
    direction.hang(p.R10K, GND)
    direction.pin(driver, "DIR")
    enable = board.row(sheet, f"{use}_disable", "high: off")
    enable.at(f"disable_{number}")
    enable.hang(p.R10K, b.V5)
    enable.pin(driver, "ENABLE")
    half = board.row(sheet, f"{use}_half", "fitted: half steps")
    half.at(b.V5)
    half.series(p.JUMPER, f"{use}_half")
    half.hang(p.R10K, GND)
    half.pin(driver, "MS1")
    awake = board.row(sheet, f"{use}_awake", "never asleep")
    awake.at(b.V5)
    awake.series(p.R10K, f"{use}_awake")
    awake.pin(driver, "SLEEP")
    driver.connect("RESET", f"{use}_awake")
    for pin in ("MS2", "MS3", "GND", "GND2"):
        driver.connect(pin, GND)
    driver.connect("VDD", b.V5)
    motor = board.row(sheet, f"{use}_motor", "motor supply")
    motor.at(b.V12_MOTOR)
    motor.hang(p.C100N, GND)
    motor.pin(driver, "VMOT")
    # The contacts of the emergency stop charge this capacitor at each release.
    store = board.row(sheet, f"{use}_store", "its capacitor")
    store.at(b.V12_MOTOR)
    store.series(p.R_DAMP, f"{use}_stored")
    store.hang(p.C100U, GND)
    entry = board.part(p.terminal(4))
    for pin, coil, colour in (("1", "1A", b.BLACK), ("2", "1B", b.GREEN), ("3", "2A", b.RED), ("4", "2B", b.BLUE)):
        row = board.row(sheet, f"{use}_{coil}", f"coil {coil}")
        row.pin(driver, coil, f"{use}_{coil}")
        row.pin(entry, pin)
        entry.wires[pin] = (colour, f"motor of reel {number}, coil {coil[0]}, {'begin' if coil[1] == 'A' else 'end'}")
    b.decouple(board, board.row(sheet, f"{use}_decoupling", "at VDD"), 1)
    board.box(sheet, driver)


def pusher(controller: Controller = NANO) -> CarrierBoard:
    """A token pusher: acceptor, win chute, shelf, tilt, hopper with reversing."""
    board = _board("pusher", "Carrier board of a token pusher", controller)
    b.supply(board, hold_up=True)
    first = board.sheet("inputs-optical", "Optical sensors, fed through the switch of the emitters")
    sensors = {
        "win_a": "chute, upper beam", "win_b": "chute, lower beam", "shaft": "shelf shaft", "home": "shelf home",
        "hopper_coin": "hopper, coin sensor",
    }  # fmt: skip
    for use, text in sensors.items():
        b.field_input(board, first, use, "pulse", sensor=text, supply_net=b.SENSE)
    switch = board.row(first, "sense", "emitters")
    switch.pin(board.module, board.module_pin("sense"), "sense")
    b.emitters(board, first, switch)
    second = board.sheet("inputs-tilt", "Token acceptor, tilt, hopper's error line")
    b.load_fuse(board, second)
    b.acceptor(board, second, "token", "accept")
    b.contact_input(board, second, "tilt", "pulse", contact="tilt switch, normally closed")
    error = board.part(p.terminal(2))
    row = board.row(second, "hopper error", "hopper error")
    b.front_end(row, error, "1", "hopper_error", p.R4K7, board.pull)
    row.hang(p.C1N, GND)
    if controller is NANO:
        row.series(p.R1K, "hopper error")
        row.pin(board.module, board.module_pin("hopper error"))
    else:
        row.series(p.R1K, "hopper_error_gate")
        b.to_module(board, row, "hopper error")
    error.connect("2", GND)
    error.wires |= {"1": (b.GREY, "hopper: error line (open without one)"), "2": (b.BLUE, "hopper: 0 V")}
    board.box(second, error, "2")
    b.line_test(board, second)
    b.end_of_inputs(board, second)
    b.emergency_stop(board, p.F4A)
    shelf = board.sheet("shelf", "Shelf motor with current sense")
    b.motor(board, shelf, "motor", back=None, load="shelf motor", shunt=True, fuse=p.PTC_MOTOR)
    b.motor_current(board, shelf, "motor_current", "motor", filter_=p.C4U7)
    hopper = board.sheet("hopper", "Hopper motor with reversing and current sense")
    b.motor(board, hopper, "hopper", back="hopper back", load="hopper motor", shunt=True, fuse=p.PTC_MOTOR)
    b.motor_current(board, hopper, "hopper current", "hopper")
    alarm = board.sheet("alarm", "Alarm")
    b.load_output(board, alarm, "alarm", load="alarm lamp or horn", feed=b.V12_LOAD)
    b.memory(board)
    b.end(board)
    return board


# Separate boards


def lamp_tile() -> Circuit:
    """Eight lamps of a chain: shift register with open drains, and a current sense of each lamp that is read back."""
    tile = Circuit("lamp-tile", "Lamp tile: eight lamps of a chain, each with its current sense")
    tile.rails |= {b.V5: 5.0, b.V12_LOAD: 12.0}
    logic = tile.sheet("logic", "Registers and chain")
    came, goes = tile.part(p.RIBBON), tile.part(p.RIBBON)
    came.wires |= {str(pin): ("ribbon", "carrier board, or the tile before (its J2)") for pin in range(1, 11)}
    goes.wires |= {str(pin): ("ribbon", "the next tile, J1; nothing on the last") for pin in range(1, 11)}
    drive, watch = tile.part(p.TPIC), tile.part(p.HC165)
    nets = {
        "data": "data",
        "clock": "clock",
        "latch": "latch",
        "data back": "data_back",
        "read": "read",
        "read back": "read_back",
    }
    b.chain_header(tile, came, nets)
    b.chain_header(tile, goes, {**nets, "data": "data_out", "read": "read_out"})
    drive_pins = {
        "SER IN": "data",
        "SRCK": "clock",
        "RCK": "latch",
        "SER OUT": "data_out",
        "CLR": b.V5,
        "VCC": b.V5,
        "GND": GND,
    }
    watch_pins = {"DS": "read", "CP": "clock", "PL": "latch", "Q7": "read_out", "CE": GND, "VCC": b.V5, "GND": GND}
    for part, pins in ((drive, drive_pins), (watch, watch_pins)):
        for pin, net in pins.items():
            part.connect(pin, net)
    watch.leave_open("nQ7")
    blank = tile.row(logic, "blank", "lamps off at power-on")
    blank.at(b.V5)
    blank.series(p.C10U, "blank")
    blank.hang(p.R100K, GND)
    blank.series(p.R1K, "lamps_off")
    blank.pin(drive, "G")
    for name, near, far in (("end_data", "data_out", "data_back"), ("end_read", "read_out", "read_back")):
        end = tile.row(logic, name, "fitted on the last tile")
        end.at(near)
        end.series(p.JUMPER, far)
        end.at(far)
    keep = tile.row(logic, "read", "first tile: no tile before")
    keep.at("read")
    keep.series(p.R100K, GND)
    decouple = tile.row(logic, "decoupling", "at each chip")
    decouple.at(b.V5)
    decouple.hang(p.C100N, GND)
    decouple.hang(p.C100N, GND)
    for part in (came, goes, drive, watch):
        tile.box(logic, part)
    feed = tile.part(p.terminal(2))
    feed.wires |= {"1": (b.RED, "carrier board, lamps +12 V"), "2": (b.BLACK, "carrier board, lamps 0 V")}
    outlets = [tile.part(p.terminal(4)) for _ in range(4)]
    for half in (0, 1):
        sheet = tile.sheet(f"lamps-{4 * half + 1}-{4 * half + 4}", f"Lamps {4 * half + 1} to {4 * half + 4}")
        if half == 0:
            supply = tile.row(sheet, "lamp_supply", "12 V of lamps")
            supply.pin(feed, "1", b.V12_LOAD)
            supply.hang(p.C100U, GND)
            feed.connect("2", GND)
            tile.box(sheet, feed, "2")
        for number in range(4 * half + 1, 4 * half + 5):
            outlet, place = outlets[(number - 1) // 2], 1 + 2 * ((number - 1) % 2)
            lamp = tile.row(sheet, f"lamp_{number}", f"lamp {number}")
            lamp.at(b.V12_LOAD)
            # Two: a lamp that is shorted takes no more than an output of the register bears for ever.
            lamp.series(p.R_LAMP, f"lamp_{number}_middle")
            lamp.series(p.R_LAMP, f"lamp_{number}_plus")
            lamp.pin(outlet, str(place))
            back = tile.row(sheet, f"lamp_{number}_minus", "")
            back.pin(outlet, str(place + 1), f"lamp_{number}_minus")
            back.pin(drive, f"DRAIN{number - 1}")
            outlet.wires[str(place)] = (b.RED, f"lamp {number}: +")
            outlet.wires[str(place + 1)] = (b.WHITE, f"lamp {number}: −, switched")
            sense = tile.row(sheet, f"lamp_{number}_sense", f"current {number}")
            sense.at(f"lamp_{number}_plus")
            sense.series(p.R1K, f"lamp_{number}_base")
            sense.transistor(p.PNP, f"lamp_{number}_collector", b.V12_LOAD)
            sense.series(p.R22K, f"lamp_{number}_lit")
            sense.hang(p.R15K, GND)
            sense.pin(watch, f"D{number - 1}")
    return tile


def keypad() -> Circuit:
    """Nine keys with a diode each: no set of pressed keys joins two columns. Schottky: a Pico's low is below 0.8 V."""
    pad = Circuit("keypad", "Keypad: nine keys with a diode each")
    sheet = pad.sheet("keys", "Keys: column 1 to 3, row 1 to 3")
    entry = pad.part(p.RIBBON)
    entry.wires |= {str(pin): ("ribbon", "carrier board, keypad header") for pin in range(1, 11)}
    for row_number in range(1, 4):
        for column in range(1, 4):
            key = pad.row(sheet, f"key_{row_number}_{column}", f"row {row_number}, column {column}")
            key.pin(entry, str(row_number + 3), f"keys_row_{row_number}")
            key.series(p.BAT85, f"key_{row_number}_{column}", enters="A", leaves="K")
            key.series(p.KEY, f"keys_column_{column}")
            key.pin(entry, str(column))
    for pin in ("7", "8", "9", "10"):
        entry.connect(pin, GND)
    pad.box(sheet, entry, "7", "8", "9", "10")
    return pad


def opto_adapter(volts: int) -> Circuit:
    """Four inputs for sensors of 12 or 24 V, isolated: current in the sensor's wire pulls the board's line low.

    Each line ends in 470 Ω, as a tested input of a money board wants it.
    """
    adapter = Circuit(f"opto-{volts}v", f"Adapter: four isolated inputs for {volts} V")
    sheet = adapter.sheet("inputs", f"{volts} V in, open collector out")
    resistor = {12: p.R2K2, 24: p.R_OPTO_24}[volts]
    for number in range(1, 5):
        field = adapter.part(p.terminal(2))
        out = adapter.part(p.terminal(2))
        chip = adapter.part(p.OPTO)
        row = adapter.row(sheet, f"in_{number}", f"input {number}")
        row.pin(field, "1", f"field_{number}_plus")
        row.series(resistor, f"led_{number}")
        row.hang(p.D4148, f"field_{number}_minus", near="K", far="A")
        row.through(chip, f"field_{number}_minus", enters="A", leaves="K")
        row.pin(field, "2")
        side = adapter.row(sheet, f"out_{number}", f"to input {number}")
        side.pin(out, "1", f"line_{number}")
        side.series(p.R470, f"collector_{number}")
        side.through(chip, f"zero_{number}", enters="C", leaves="E")
        side.pin(out, "2")
        field.wires |= {
            "1": (b.BROWN, f"sensor {number}: switched {volts} V (PNP), or + {volts} V with an NPN sensor"),
            "2": (b.BLACK, f"sensor {number}: 0 V with a PNP sensor, or the output of an NPN sensor"),
        }
        out.wires |= {"1": (b.BLACK, "carrier board: signal of the input"), "2": (b.BLUE, "carrier board: 0 V of it")}
    return adapter


BOARDS: Final[Mapping[str, Callable[[], CarrierBoard]]] = {
    "wheel": wheel,
    "table": table,
    "reel": reel,
    "pusher": pusher,
}
"""With a Nano, by the kind of board."""
PICO_BOARDS: Final[Mapping[str, Callable[[], CarrierBoard]]] = {
    "wheel-pico": lambda: wheel(PICO),
    "table-pico": lambda: table(PICO),
    "reel-pico": lambda: reel(PICO),
    "pusher-pico": lambda: pusher(PICO),
}
CARRIERS: Final = {**BOARDS, **PICO_BOARDS}
APART: Final[Mapping[str, Callable[[], Circuit]]] = {
    "lamp-tile": lamp_tile,
    "keypad": keypad,
    "opto-12v": lambda: opto_adapter(12),
    "opto-24v": lambda: opto_adapter(24),
}


@cache
def carrier(name: str) -> CarrierBoard:
    """A carrier board by its name; built once."""
    return CARRIERS[name]()


@cache
def circuit(name: str) -> Circuit:
    """A circuit by its name; built once."""
    return carrier(name) if name in CARRIERS else APART[name]()


NAMES: Final = (*CARRIERS, *APART)
