"""The test sheet of a board: what is done at the bench, in order, and what must be found; derived from the circuit."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final, NamedTuple

from firmware.hardware.blocks import SENSE, TEST, V12_MOTOR, CarrierBoard
from firmware.hardware.circuit import GND, CircuitPart
from firmware.hardware.controllers import PICO
from firmware.hardware.manifest_pins import kind
from firmware.hardware.parts import BUCK, pin_number

OFF_AND_ON: Final = "Supply off for 20 s, and on"
"""The bank holds the 5 V of a board with its module for up to 12 s: after a shorter time nothing starts again."""
BENCH: Final = "Bench supply (0 to 13 V, its current limit at 0.5 A)"


class Step(NamedTuple):
    """One step; `unit` and its bounds where a value is measured, otherwise it is as expected or not.

    `port`: the program looks by itself, at the board's port.
    """

    id: str
    title: str
    action: str
    expected: str
    unit: str = ""
    least: float = 0.0
    most: float = 0.0
    port: bool = False


def steps(board: CarrierBoard) -> list[Step]:
    """The steps of a board: unpowered, supply, module, each input, each output, emergency stop, power failure."""
    pico = board.controller is PICO
    # Between the 5 V and VSYS of a Pico is a Schottky diode, behind which a short of the 5 V is not seen.
    regulator = next(part for part in board.parts.values() if part.type is BUCK)
    five = f"{regulator.ref} VOUT to GND" if pico else "5V to GND at the module's socket"
    bank = "power_fail" in board.at
    # Without its module a board draws some 6 mA: its bank holds the 5 V for more than a minute.
    empty = f" until the 5 V are below 1 V ({five}; up to 80 s)" if bank else ""
    found = [
        Step(
            "look",
            "Look",
            "Compare every part with its place and its polarity on the drawings.",
            "all parts fitted, none reversed",
        ),
        *(Step(f"work_{number}", "Work on modules", text, "done") for number, text in enumerate(board.work, 1)),
        Step(
            "short_12",
            "No short of the 12 V",
            "Module out of its socket, no supply: measure J1.1 to J1.2"
            + (", the meter's red lead at J1.1; it charges the bank, so wait for up to a minute." if bank else "."),
            "above 500 Ω" + (" within a minute" if bank else ""),
            "Ω",
            500,
            1e9,
        ),
        Step(
            "short_5",
            "No short of the 5 V",
            f"Measure {five}.",
            "above 200 Ω",
            "Ω",
            200,
            1e9,
        ),
        *(_ohms_of_3v3() if pico else ()),
        *(_current(board, use) for use in ("motor_current", "hopper current") if use in board.at),
        *_ohms_of_high_side(board),
        Step(
            "mains",
            "Supply at the mains",
            "Before its first time at the mains: set the switch of the supply for 115 or 230 V, where it has one, to "
            "your mains; join the mains' earth (PE) to its earth terminal, and to the metal of the cabinet.",
            "set to your mains; earth joined",
        ),
        Step(
            "supply_12",
            "12 V",
            f"{BENCH} at J1, 12.0 V, module out: measure J1.1 to J1.2.",
            "11.4 to 12.6 V",
            "V",
            11.4,
            12.6,
        ),
        Step(
            "supply_5",
            "5 V",
            f"Measure {five}.",
            "4.90 to 5.10 V",
            "V",
            4.90,
            5.10,
        ),
        *(_supply_of_a_pico() if pico else ()),
        Step(
            "identify",
            "Module",
            f"Supply off{empty}; the board's own supply, set to 12.0 V, at J1 in its place; module in, "
            f"{_plug(board)} plugged in, supply on.",
            f"a {board.kind} board whose firmware works with this software",
            port=True,
        ),
    ]
    if pico:
        found += [
            Step("supply_3", "3.3 V", "Measure 3V3 (36) to GND (38) at the module.", "3.20 to 3.40 V", "V", 3.2, 3.4),
            Step(
                "supervisor",
                "Supervisor",
                f"Supply off{empty}; a USB cable from a computer in the Pico: measure RUN (30) to GND (38). Supply on "
                "again.",
                "below 0.5 V",
                "V",
                0.0,
                0.5,
            ),
        ]
    for entry in kind(board.kind)["inputs"]:
        use = entry[0]
        if use != "power_fail":
            found += _input(board, use)
    if "sense" in board.at or any("sense" in part.tags for part in board.parts.values()):
        found.append(
            Step(
                "sense",
                "Switch of the emitters",
                f"Measure {SENSE} while the board has its session (emitters on).",
                "3.9 to 4.9 V, with all sensors connected or none",
                "V",
                3.9,
                4.9,
            )
        )
        found += _line_test(board)
    for entry in kind(board.kind)["outputs"]:
        found += _output(board, entry[0])
        found += _both_wires(board, entry[0])
    if any("estop_1" in part.tags for part in board.parts.values()):
        terminal = next(part.ref for part in board.tagged("estop_1") if part.type.letter == "J")
        found += [
            Step(
                "stop_motor",
                "Emergency stop cuts",
                f"Emergency stop pressed: measure {_motor_supply(board)} to J1.2.",
                "below 0.5 V",
                "V",
                0.0,
                0.5,
            ),
            Step(
                "stop_one",
                "Each contact cuts by itself",
                f"Bridge {terminal}.1–{terminal}.2, press it; then {terminal}.3–{terminal}.4 alone.",
                "each time +12V_MOTOR is cut",
            ),
            Step(
                "stop_back",
                "Released",
                f"Emergency stop released: measure {_motor_supply(board)} to J1.2.",
                "11.0 to 12.6 V",
                "V",
                11.0,
                12.6,
            ),
        ]
    if "power_fail" in board.at:
        found += [
            Step(
                "warning",
                "Warning of the supply",
                f"{BENCH} at J1 again, 12.0 V, all outputs off: after 10 s lower it slowly until boards trace shows "
                "power_fail high: the voltage at J1.",
                "9.8 to 11.1 V",
                "V",
                9.8,
                11.1,
            ),
            *(() if pico else _reset_cut()),
            Step(
                "hold_up",
                "Hold-up",
                "Every sensor connected, the bench supply 0.1 V above the voltage of the warning for 10 s: take off "
                f"the wire at J1.1; measure from the warning ({board.label('power_fail')}) until the 5 V falls below "
                "4.75 V.",
                "0.8 s or more",
                "s",
                0.8,
                10.0,
            ),
        ]
    return found


def _ohms_of_3v3() -> Iterator[Step]:
    yield Step(
        "short_3",
        "No short of the 3.3 V",
        "Measure 3V3 (36) to GND at the module's socket, the meter's red lead at 3V3.",
        "300 to 350 Ω: the 330 Ω of this board",
        "Ω",
        300,
        350,
    )


def _supply_of_a_pico() -> Iterator[Step]:
    yield Step(
        "supply_vsys",
        "5 V behind its diode",
        "Measure VSYS (39) to GND at the module's socket.",
        "4.50 to 5.10 V",
        "V",
        4.50,
        5.10,
    )


def _reset_cut() -> Iterator[Step]:
    yield Step(
        "reset_cut",
        "Auto-reset is cut",
        "DTR is lowered and raised, as by every program that opens the port.",
        "the board's count of starts stays: it was not reset",
        port=True,
    )


def _plug(board: CarrierBoard) -> str:
    return "serial line" if board.controller is PICO else "USB"


def _unplugged(board: CarrierBoard) -> str:
    return "the serial line is unplugged" if board.controller is PICO else "the USB plug is pulled"


def _wire(board: CarrierBoard, use: str) -> tuple[CircuitPart, str]:
    """The connector and the pin of an input's wire."""
    for part in board.parts.values():
        for pin, net in part.nets.items():
            if net == f"{use}_wire" and part.type.letter == "J":
                return part, pin
    raise ValueError(f"{board.name}: {use} has no connector")


def terminals(board: CarrierBoard) -> dict[str, str]:
    """By the firmware's name of an input, an output or an analogue channel, the terminals of its wires, in words; and
    what a tested input wants in its wire.
    """
    table = kind(board.kind)
    found = {}
    for use in (entry[0] for key in ("inputs", "outputs", "analogues") for entry in table[key]):
        switched = (f"{use}_wire", f"{use}_minus", f"{use}_drain", f"{use}_line", f"{use}_1A")
        at = [
            (part, pin)
            for net in switched
            for part in board.parts.values()
            if part.type.letter == "J"
            for pin, its in part.nets.items()
            if its == net
        ]
        if not at:
            continue
        part, pin = at[0]
        others = [(each, net) for each, net in part.nets.items() if each != pin]
        if f"{use}_wire" in part.nets.values():
            zero = next(each for each, net in others if net == GND)
            found[use] = f"{part.ref}.{pin}{_end(board, use)}, 0 V {part.ref}.{zero}"
        elif f"{use}_1A" in part.nets.values():
            found[use] = f"{part.ref}, its motor"
        elif len(others) == 1:
            found[use] = f"− {part.ref}.{pin}, + {part.ref}.{others[0][0]}"
        else:
            found[use] = f"{part.ref}.{pin}"
    return found


def _end(board: CarrierBoard, use: str) -> str:
    """What a tested input wants: the resistor at its end of the cable; one that feeds an opto, the jumper for that."""
    there = [part for part in board.parts.values() if f"{use}_test" in part.tags]
    jumper = next((part.ref for part in there if part.type.symbol == "jumper"), "")
    return f" ({jumper})" if jumper else " (470 Ω)" if there else ""


def _input(board: CarrierBoard, use: str) -> list[Step]:
    part, pin = _wire(board, use)
    zero = next(each for each, net in part.nets.items() if net == GND)
    chip = board.label(use)
    return [
        Step(
            f"{use}_open",
            f"Input {use}, open",
            f"Nothing at {part.ref}.{pin}: boards trace, or the voltage at {chip}.",
            f"high (above {0.9 * board.controller.volt:.1f} V)",
        ),
        Step(
            f"{use}_low",
            f"Input {use}, joined",
            f"Join {part.ref}.{pin} to {part.ref}.{zero}.",
            "low (below 0.2 V), and high again when opened",
        ),
    ]


def _line_test(board: CarrierBoard) -> list[Step]:
    """The switch that tests the lines; all lines at rest; and of each that its cut and its short are found."""
    found = [
        Step(
            "line_test_off",
            "Test of the lines, off",
            f"Measure {TEST} while the board has its session.",
            "below 0.5 V",
            "V",
            0.0,
            0.5,
        ),
        Step(
            "line_test_on",
            "Test of the lines, on",
            f"Join {board.controller.reset} to GND at the module's socket: measure {TEST}; take the wire away.",
            "11.0 to 12.6 V",
            "V",
            11.0,
            12.6,
        ),
        Step(
            "lines_rest",
            "All lines at rest",
            "Connect every sensor, or fit 470 Ω from its signal to 0 V (at an optical input with its jumper fitted). "
            f"{OFF_AND_ON}, then boards trace.",
            "the report sensors: shorted 0, dark 0",
        ),
    ]
    for number, entry in enumerate(kind(board.kind)["inputs"], 1):
        use = entry[0]
        if use == "power_fail":
            continue
        part, pin = _wire(board, use)
        zero = next(each for each, net in part.nets.items() if net == GND)
        bit = 1 << (number - 1)
        found += [
            Step(
                f"{use}_cut_found",
                f"Input {use}, its cut is found",
                f"Take off the wire at {part.ref}.{pin}. {OFF_AND_ON}, then boards trace. Connect it again.",
                f"the report sensors: shorted 0, dark {bit}",
            ),
            Step(
                f"{use}_short_found",
                f"Input {use}, its short is found",
                f"Join {part.ref}.{pin} to {part.ref}.{zero}. {OFF_AND_ON}, then boards trace. Part them again.",
                f"the report sensors: shorted {bit}, dark 0",
            ),
        ]
    return found


def _output(board: CarrierBoard, use: str) -> list[Step]:
    chip = board.label(use)
    return [
        Step(
            f"{use}_safe",
            f"Output {use}, off",
            f"With no session: measure {chip} to 0 V.",
            "below 0.2 V",
            "V",
            0.0,
            0.2,
        ),
        Step(
            f"{use}_on",
            f"Output {use}, on",
            f"Switch {use} on (feltwire selftest, or the table's own command): its load.",
            f"the load acts, and stops within 0.5 s when {_unplugged(board)}",
        ),
    ]


def _both_wires(board: CarrierBoard, use: str) -> list[Step]:
    """Of a motor, that neither of its wires alone switches it on."""
    if f"{use}_high" not in board.nets():
        return []
    minus = next(
        (part, pin)
        for net in (f"{use}_minus", f"{use}_drain")
        for part in board.parts.values()
        if part.type.letter == "J"
        for pin, its in part.nets.items()
        if its == net
    )
    ref = minus[0].ref
    plus = next(pin for pin in minus[0].nets if pin != minus[1])
    name = minus[0].wires[plus][1].split(":")[0]
    empty = ", its hopper empty" if use == "hopper" else ""
    ready = f"Emergency stop released, the {name} connected{empty}, no session"
    # 12 V is there only where the joined wire, the motor, both switches and the emergency stop are as they must be.
    found = "it stays at rest; 11.0 to 12.6 V"
    return [
        Step(
            f"{use}_minus_at_0",
            f"− wire of the {name} at 0 V",
            f"{ready}: join {ref}.{minus[1]} to J1.2, measure {_motor_supply(board)} to {ref}.{plus}, part them again.",
            found,
            "V",
            11.0,
            12.6,
        ),
        Step(
            f"{use}_plus_at_12",
            f"+ wire of the {name} at 12 V",
            f"{ready}: join {ref}.{plus} to {_motor_supply(board)}, measure {ref}.{minus[1]} to J1.2, part them again.",
            found,
            "V",
            11.0,
            12.6,
        ),
    ]


def _motor_supply(board: CarrierBoard) -> str:
    """Where a person finds the 12 V of motors: at the last contact of the emergency stop."""
    relay, pin = next(
        (part, pin)
        for part in board.parts.values()
        if part.type.symbol == "relay"
        for pin, net in part.nets.items()
        if net == V12_MOTOR
    )
    return f"{relay.ref}.{pin_number(relay.type, pin)} ({V12_MOTOR})"


def _ohms_of_high_side(board: CarrierBoard) -> Iterator[Step]:
    """The resistors that keep the switch of a motor's + wire off: at its gate, and at the base before it."""
    for use in (entry[0] for entry in kind(board.kind)["outputs"]):
        if f"{use}_high" not in board.nets():
            continue
        switch, pull = (
            next(part for part in board.tagged(f"{use}_high") if part.type.symbol == symbol)
            for symbol in ("pfet", "npn")
        )
        gate, source = (f"{switch.ref}.{pin_number(switch.type, pin)} ({pin})" for pin in "GS")
        yield Step(
            f"{use}_gate",
            f"Gate of the switch at its + wire, {use}",
            f"Supply off, module out: measure {source} to {gate}, the meter's red lead at {source}.",
            "21 to 23 kΩ: 22 kΩ",
            "Ω",
            21_000,
            23_000,
        )
        base = f"{pull.ref}.{pin_number(pull.type, 'B')}"
        # A meter with more than 0.5 V finds the output of a Pico's inverter conducting, and with it 1.5 kΩ.
        least = 1400 if board.controller is PICO else 1800
        yield Step(
            f"{use}_base",
            f"Base before it, {use}",
            f"Supply off, module out: measure J1.2 to {base} (B), the meter's red lead at J1.2.",
            f"{least:,} to 2,000 Ω: 2.2 kΩ, and beside it 4.7 kΩ with what follows",
            "Ω",
            least,
            2000,
        )


def _current(board: CarrierBoard, use: str) -> Step:
    # The other way round a meter's current takes the Schottky diode to the 3.3 V, and the 330 Ω there.
    leads = ", the meter's red lead at GND" if board.controller is PICO else ""
    return Step(
        use.replace(" ", "_"),
        f"Current sense, {use.replace('_', ' ')}",
        f"Measure {board.label(use)} to GND at the socket{leads}.",
        "950 to 1,050 Ω: 1 kΩ and the shunt",
        "Ω",
        950,
        1050,
    )


def toml(board: CarrierBoard) -> str:
    """The sheet as TOML."""
    lines = [
        f"# The test sheet of the {board.name} carrier board. Made by python -m firmware.hardware.",
        "",
        f"kind = {json.dumps(board.name)}",
    ]
    for step in steps(board):
        lines += ["", "[[step]]"]
        for name in ("id", "title", "action", "expected"):
            lines.append(f"{name} = {json.dumps(getattr(step, name), ensure_ascii=False)}")
        if step.unit:
            lines += [
                f"unit = {json.dumps(step.unit, ensure_ascii=False)}",
                f"least = {step.least}",
                f"most = {step.most}",
            ]
        if step.port:
            lines.append("port = true")
    lines += ["", "[terminals]"]
    lines += [f"{use} = {json.dumps(where, ensure_ascii=False)}" for use, where in terminals(board).items()]
    return "\n".join(lines) + "\n"
