"""The figures of the circuits, from ngspice: each function simulates one circuit under one condition.

The tests compare these figures with limits of the parts; the pages print them.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from firmware.hardware import parts as p
from firmware.hardware.blocks import V5, V33, CarrierBoard
from firmware.hardware.boards import circuit
from firmware.hardware.circuit import GND, Circuit, CircuitPart
from firmware.hardware.controllers import NANO, Controller
from firmware.hardware.spice import TTL_DOWN_LEAST, TTL_UP_MOST, Corner, deck, metered, models, node, rails, run

CHIP_LOAD: Final = "Rchip {pin} 0 10meg"


class Input(NamedTuple):
    """One input of a board, as a field of its connector sees it."""

    board: str
    use: str

    @property
    def wire(self) -> str:
        """The node of the wire."""
        return node(f"{self.use}_wire")

    @property
    def gate(self) -> str:
        """The node at the input of the first inverter."""
        return node(f"{self.use}_gate")

    @property
    def chip(self) -> str:
        """The node at the chip's pin."""
        return node(self.use)


def controller_of(board: Circuit) -> Controller:
    """What a circuit is made for; a separate one is for both."""
    return board.controller if isinstance(board, CarrierBoard) else NANO


def rail_of(board: Circuit, corner: Corner) -> float:
    """V of the module's pins."""
    return corner.vcc if controller_of(board) is NANO else corner.logic


def _bleed(board: Circuit) -> list[str]:
    return [] if controller_of(board) is NANO else deck(board, ["logic"])


def _input_deck(
    line: Input,
    corner: Corner,
    *,
    contact: bool = False,
    vary: Callable[[CircuitPart], float] = lambda part: 1.0,
    without: Sequence[str] = (),
) -> list[str]:
    board = circuit(line.board)
    rows = ["pull", line.use]
    jumpers: list[str] = []
    if contact:
        rows.append(f"{line.use}_slow")
        jumpers = [part.ref for part in board.tagged(f"{line.use}_slow") if part.type.symbol == "jumper"]
    return [
        *models(corner),
        *deck(board, rows, closed=jumpers, vary=vary, without=without),
        *(_bleed(board)),
        *rails(board, corner),
        CHIP_LOAD.format(pin=line.chip),
    ]


# Levels


class Levels(NamedTuple):
    """Voltages at one input in a state of its wire."""

    wire: float
    gate: float
    chip: float
    wire_amp: float


WIRES: Final[Mapping[str, str]] = {
    "sensor conducts (0.4 V)": "Vw {wire} w 0\nVs w 0 0.4",
    "sensor open, or wire cut": "Vw {wire} w 0\nRs w 0 1e9",
    "wire shorted to 0 V": "Vw {wire} w 0\nRs w 0 0.01",
    "wire shorted to 5 V": "Vw {wire} w 0\nVs w 0 5",
    "wire shorted to 12 V": "Vw {wire} w 0\nVs w 0 12",
    "wire shorted to 24 V": "Vw {wire} w 0\nVs w 0 24",
}
"""The states of an input's wire, as what is connected to it."""


def levels(
    line: Input, state: str, corner: Corner, *, vary: Callable[[CircuitPart], float] = lambda part: 1.0
) -> Levels:
    """The voltages of an input while its wire is in a state of `WIRES`, in V; and the current in the wire, in A."""
    lines = [*_input_deck(line, corner, vary=vary), WIRES[state].format(wire=line.wire)]
    found = run(
        f"{line.board} {line.use}: {state}", lines, "tran 0.5m 60m",
        {
            "wire": f"find v({line.wire}) at=59m", "gate": f"find v({line.gate}) at=59m",
            "chip": f"find v({line.chip}) at=59m", "amp": "find i(vw) at=59m",
        },
    )  # fmt: skip
    return Levels(found["wire"], found["gate"], found["chip"], abs(found["amp"]))


class Overvoltage(NamedTuple):
    """What 24 V on a wire does to the parts of its input, in W, A and V."""

    gate_volt: float
    resistor_watt: float
    zener_watt: float
    clamp_amp: float
    pull_up_watt: float
    rail_volt: float
    neighbour_low: float
    neighbour_high: float


def overvoltage(line: Input, neighbour: Input, volts: float, *, module_amp: float) -> Overvoltage:
    """A wire of one input is joined to `volts`; the rail of the logic has a regulator that cannot take current back.

    `module_amp` is the least current of the module, which alone takes what flows in, besides what is on the board.
    """
    corner = Corner(zener_volt=6.6)
    board = circuit(line.board)
    controller = controller_of(board)
    rail, pull = node(controller.logic), f"{controller.logic}_PULL"
    pull_up = next(
        part for part in board.tagged(line.use) if part.type.symbol == "resistor" and pull in part.nets.values()
    )
    series = next(part for part in board.tagged(line.use) if part.type.value == "2.2 kΩ")
    result: dict[str, float] = {}
    for name, tie in (("low", "Vn {wire} 0 0.4"), ("high", "Rn {wire} 0 1e9")):
        lines = [
            *models(corner),
            *deck(board, ["pull", line.use, neighbour.use]),
            *_bleed(board),
            f"Vsource source 0 {controller.volt}\nDsource source {rail} DIDEAL",
            f"Imodule {rail} 0 {module_amp}",
            f"Vw w 0 {volts}\nRw w {line.wire} 0.1",
            tie.format(wire=neighbour.wire),
            f"Ea na 0 {line.wire} {node(line.use + '_in')} 1\nRea na 0 1",
            CHIP_LOAD.format(pin=line.chip),
            f"Rchip2 {neighbour.chip} 0 10meg",
        ]
        found = run(
            f"{line.board} {line.use}: {volts:g} V", lines, "tran 0.1m 60m",
            {
                "drop": "find v(na) at=59m", "inner": f"find v({node(line.use + '_in')}) at=59m",
                "gate": f"find v({line.gate}) at=59m", "rail": f"find v({rail}) at=59m",
                "pull": f"find v({node(pull)}) at=59m", "chip": f"find v({neighbour.chip}) at=59m",
            },
        )  # fmt: skip
        result[f"neighbour_{name}"] = found["chip"]
        through = found["drop"] / series.type.number
        into_gate = max(found["inner"] - found["gate"], 0.0) / 1000.0
        result |= {
            "gate_volt": found["gate"],
            "resistor_watt": found["drop"] * through,
            "zener_watt": found["inner"] * max(through - into_gate, 0.0),
            "clamp_amp": into_gate,
            "pull_up_watt": (volts - found["pull"]) ** 2 / pull_up.type.number,
            "rail_volt": found["rail"],
        }
    return Overvoltage(**result)


REGULATOR_AMP: Final = 2.5
"""What the 5 V regulator gives into a short: 250 % of its 1 A (TSR 1-2450, typical)."""


def sensor_supply(board: str, volts: float, *, module_amp: float) -> float:
    """The 5 V while the sensors' + wire is joined to `volts`."""
    lines = [
        *models(Corner()),
        *deck(circuit(board), ["field"]),
        f"V5 source 0 5\nD5 source {node('+5V')} DIDEAL",
        f"Imodule {node('+5V')} 0 {module_amp}",
        f"Vw w 0 {volts}\nRw w {node('+5V_FIELD')} 0.1",
    ]
    measures = {"rail": f"find v({node('+5V')}) at=9m"}
    return run(f"{board}: sensors' + at {volts:g} V", lines, "tran 20u 10m", measures)["rail"]


FAULT_OHM: Final = 0.1
"""Of a wire that touches another voltage."""


def sensor_short(board: str, ohm: float, limit: float = REGULATOR_AMP, *, port_amp: float = 0.0) -> tuple[float, float]:
    """A in the sensors' + wire that touches 0 V, and the 5 V, until the resettable fuse of `ohm` opens.

    `port_amp`: what a USB port gives beside the regulator, through the Schottky diode of a Nano.
    """
    five = node("+5V")
    lines = [
        *models(Corner()),
        *deck(circuit(board), ["field"], vary=lambda part: ohm / p.PTC.number if part.type is p.PTC else 1.0),
        f"Breg 0 {five} I = {limit}*tanh((5-v({five}))/{0.02 * limit:g})",
        f"Vw w 0 0\nRw w {node('+5V_FIELD')} {FAULT_OHM}",
        f"Busb 0 usb I = {port_amp}*tanh((5-v(usb))/0.02)\nDusb usb {five} D1N5819\nRusb usb 0 1e6",
    ]
    measures = {"amp": "find i(vw) at=9m", "volt": f"find v({five}) at=9m"}
    found = run(f"{board}: sensors' + at 0 V", lines, "tran 20u 10m", measures)
    return found["amp"], found["volt"]


# Electrostatic discharge


def discharge_current(kilovolts: float) -> str:
    """The current of IEC 61000-4-2, contact discharge, as an expression of `time`: 3.75 A a kV at the first peak.

    The four-parameter form of the standard's annex: two pulses with n = 1.8 and the times 1.1, 2, 12 and 37 ns.
    """
    n, t1, t2, t3, t4 = 1.8, 1.1e-9, 2e-9, 12e-9, 37e-9
    i1, i2 = 16.6 * kilovolts / 4, 9.3 * kilovolts / 4
    k1 = math.exp(-(t1 / t2) * (n * t2 / t1) ** (1 / n))
    k2 = math.exp(-(t3 / t4) * (n * t4 / t3) ** (1 / n))
    time = "(max(time-2n,0)+1f)"

    def pulse(amps: float, k: float, rise: float, fall: float) -> str:
        power = f"(({time}/{rise})^{n})"
        return f"{amps / k:.6g}*{power}/(1+{power})*exp(-{time}/{fall})"

    return f"{pulse(i1, k1, t1, t2)} + {pulse(i2, k2, t3, t4)}"


class Discharge(NamedTuple):
    """What a discharge into a wire does, in A, V and J."""

    peak_amp: float
    at_30ns_amp: float
    at_60ns_amp: float
    wire_volt: float
    tvs_joule: float
    resistor_volt: float
    gate_most_volt: float
    gate_least_volt: float
    clamp_amp: float
    chip_most_volt: float
    chip_least_volt: float


def discharge(line: Input, kilovolts: float, *, tvs_volt: float = 31.5, without: Sequence[str] = ()) -> Discharge:
    """A contact discharge of 8 kV (or −8 kV) into the terminal of an input."""
    corner = Corner(tvs_volt=tvs_volt)
    sign = "" if kilovolts > 0 else "-"
    expression = discharge_current(abs(kilovolts))
    lines = [
        *_input_deck(line, corner, without=without),
        f"Besd 0 gun I = {sign}({expression})",
        f"Vesd gun {line.wire} 0",
        f"Bpower pw 0 V = v({line.wire})*i(Vesd)",
        f"Ein nin 0 {node(line.use + '_in')} {line.gate} 1\nRein nin 0 1",
        f"Ers nrs 0 {line.wire} {node(line.use + '_in')} 1\nRers nrs 0 1",
    ]
    peak = "max" if kilovolts > 0 else "min"
    found = run(
        f"{line.board} {line.use}: {kilovolts:g} kV", lines, "tran 0.05n 400n 0 0.1n",
        {
            "ipk": f"{peak} i(vesd)", "i30": "find i(vesd) at=32n", "i60": "find i(vesd) at=62n",
            "vw": f"{peak} v({line.wire})", "energy": "integ v(pw) from=0 to=400n",
            "vr": f"{peak} v(nrs)", "gmax": f"max v({line.gate})", "gmin": f"min v({line.gate})",
            "drop": f"{peak} v(nin)", "cmax": f"max v({line.chip})", "cmin": f"min v({line.chip})",
        },
    )  # fmt: skip
    return Discharge(
        abs(found["ipk"]), abs(found["i30"]), abs(found["i60"]), found["vw"], found["energy"], found["vr"],
        found["gmax"], found["gmin"], found["drop"] / 1000.0, found["cmax"], found["cmin"],
    )  # fmt: skip


# Contacts


def bounce_trace(seed: int, longest_ms: float) -> list[tuple[float, bool]]:
    """A contact that closes at 20 ms and opens at 220 ms, and bounces up to `longest_ms` each time: (ms, closed)."""
    rng = random.Random(seed)
    points: list[tuple[float, bool]] = [(0.0, False)]
    for start, closed in ((20.0, True), (220.0, False)):
        moments: list[float] = []
        for moment in sorted(rng.uniform(0.05, longest_ms) for _ in range(2 * rng.randint(1, 6))):
            # Contacts do not bounce faster than this; and a bounce is an opening and a closing.
            if not moments or moment - moments[-1] >= 0.02:
                moments.append(moment)
        moments = moments[: len(moments) // 2 * 2]
        state = closed
        points.append((start, state))
        for moment in moments:
            state = not state
            points.append((start + moment, state))
    return points


def edges_of_contact(
    line: Input, trace: Sequence[tuple[float, bool]], corner: Corner, *, end_ms: float = 450.0
) -> tuple[int, int, float, float]:
    """Falling and rising edges at the chip, and the delay of the first of each, in ms, for a contact to ground."""
    points: list[str] = []
    last = 0
    for at, closed in trace:
        level = 5 if closed else 0
        if points:
            points.append(f"{max(at, 0.001):.4f}m {last} {at + 0.002:.4f}m {level}")
        else:
            points.append(f"0 {level}")
        last = level
    lines = [
        *_input_deck(line, corner, contact=True),
        f"Vc c 0 PWL({' '.join(points)})",
        f"Sc {line.wire} 0 c 0 CONTACT",
        ".model CONTACT SW(VT=2.5 VH=0.1 RON=0.1 ROFF=1e9)",
    ]
    half = rail_of(circuit(line.board), corner) / 2
    measures = {
        "fall1": f"when v({line.chip})={half} fall=1", "falll": f"when v({line.chip})={half} fall=last",
        "rise1": f"when v({line.chip})={half} rise=1 td=100m", "risel": f"when v({line.chip})={half} rise=last",
    }  # fmt: skip
    found = run(f"{line.board} {line.use}: contact", lines, f"tran 20u {end_ms:g}m 0 100u", measures)
    falls = 1 if abs(found["falll"] - found["fall1"]) < 1e-6 else 2
    rises = 1 if abs(found["risel"] - found["rise1"]) < 1e-6 else 2
    return falls, rises, found["fall1"] * 1000 - 20.0, found["rise1"] * 1000 - 220.0


NANO_HIGH: Final = 4.2
"""V_OH of the ATmega328P at the least."""
PICO_HIGH: Final = 2.62
"""V_OH of the RP2040 at the least, at 4 mA and 3.3 V."""

# Emitters

SENSE_AMP: Final = 0.1
"""What all sensors behind `+5V_SENSE` may draw together, the emitters among them: the page of the boards states it."""
EMITTER_AMP: Final = 0.011
"""What an emitter draws of it at the most."""
FUSE_OHMS: Final = {p.PTC.value: (0.41, 1.17), p.PTC_SENSOR.value: (2.5, 7.5)}
"""Of a resettable fuse: new, at the least, and an hour after it has opened, at the most (MF-R050, MF-R010)."""
SLOT_RATIO: Final = 0.15
"""Least collector current of a slotted opto, as a part of its emitter's current."""


def pin_high(carrier: Circuit) -> float:
    """V of an output of the module while it is high, at the least."""
    return NANO_HIGH if controller_of(carrier) is NANO else PICO_HIGH


def sense_volt(carrier: Circuit, corner: Corner) -> float:
    """V of `sense` while the emitters are on: the least high of a Pico's pin, or 5 V of a Nano or a register."""
    of_pico = controller_of(carrier) is not NANO and "sense" in carrier.parts["U0"].nets.values()
    return PICO_HIGH if of_pico else corner.vcc


def sense_times(board: str, use: str) -> tuple[float, float, float]:
    """ms until a lit optical sensor's line is high after `sense` falls, and low after it rises; and the emitter's A."""
    line = Input(board, use)
    carrier = circuit(board)
    corner = Corner(vcc=4.9, gain=160.0, ctr=SLOT_RATIO)
    lines = [
        *models(corner),
        *deck(carrier, ["pull", "field", use, f"{use}_feed", f"{use}_emitter", "sense", "sense_limit"]),
        *rails(carrier, corner),
        f"Vsense {node('sense')} 0 PULSE({sense_volt(carrier, corner)} 0 10m 1u 1u 20m 100m)",
        f"Vled {node(use + '_led')} led 0",
        f"Xopto led 0 {line.wire} 0 OPTO",
        CHIP_LOAD.format(pin=line.chip),
        _draws("other", node("+5V_SENSE"), SENSE_AMP - EMITTER_AMP),
    ]
    half = rail_of(carrier, corner) / 2
    found = run(
        f"{board} {use}: emitters off and on", lines, "tran 5u 45m",
        {
            "off": f"when v({line.chip})={half} rise=1 td=9m", "on": f"when v({line.chip})={half} fall=last td=29m",
            "amp": "find i(vled) at=9m",
        },
    )  # fmt: skip
    return found["off"] * 1e3 - 10.0, found["on"] * 1e3 - 30.0, found["amp"]


class FedSensors(NamedTuple):
    """V of what feeds the sensors of a money board while they draw what they may, at the least."""

    sense: float
    """At `+5V_SENSE`."""
    plus: float
    """At the + terminal of the one that draws most of it, behind its resettable fuse."""


def fed_sensors(board: str, use: str, *, use_amp: float) -> FedSensors:
    """All sensors draw `SENSE_AMP`, the one at `use` so much of it: the least 5 V, each fuse at its most."""
    carrier, corner = circuit(board), Corner(vcc=4.9, gain=160.0)
    sense, plus = node("+5V_SENSE"), node(f"{use}_plus")

    def vary(part: CircuitPart) -> float:
        return FUSE_OHMS[part.type.value][1] / part.type.number if part.type.value in FUSE_OHMS else 1.0

    lines = [
        *models(corner),
        *deck(carrier, ["field", "sense", "sense_limit", f"{use}_feed"], vary=vary),
        *rails(carrier, corner),
        f"Vsense {node('sense')} 0 {sense_volt(carrier, corner)}",
        _draws("all", sense, SENSE_AMP - use_amp),
        _draws("one", plus, use_amp),
    ]
    measures = {"sense": f"find v({sense}) at=4.9m", "plus": f"find v({plus}) at=4.9m"}
    return FedSensors(**run(f"{board}: all sensors fed", lines, "tran 10u 5m", measures))


def _draws(name: str, net: str, amp: float) -> str:
    """A load that draws this current from 1 V on, and less below."""
    return f"B{name} {net} 0 I = {amp}*min(1, max(v({net}),0)/1)"


def sense_short(board: str) -> tuple[float, float]:
    """A that the switch of the emitters lets into a short, with as much gain as one may have; and W in it."""
    lines = [
        *models(Corner(gain=400.0)),
        *deck(circuit(board), ["field", "sense", "sense_limit"]),
        f"V5 {node('+5V')} 0 5\nVs {node('sense')} 0 4.2",
        f"Vw {node('+5V_SENSE')} 0 0",
        f"Bp pw 0 V = v({node('sense_emitter')})*i(Vw)",
    ]
    found = run(
        f"{board}: emitters' + at 0 V", lines, "tran 10u 5m", {"a": "find i(vw) at=4.9m", "w": "find v(pw) at=4.9m"}
    )
    return found["a"], found["w"]


# Lines that end in a resistor


class TestedLine(NamedTuple):
    """A line with 470 Ω at its end: V at the first inverter and in its wire, A in the wire, W in its 680 Ω."""

    gate: float
    wire: float
    amp: float
    watt: float


END_STATES: Final[Mapping[str, str]] = {
    "rest": "Vw {wire} w 0\nRend w e 470\nVend e 0 0.4",
    "shorted": "Vw {wire} w 0\nRs w 0 0.01",
    "24 V": "Vw {wire} w 0\nVs w 0 24",
}
"""What is in the wire: a contact or an open collector at rest (0.4 V), a short to 0 V, 24 V."""


def tested_line(
    board: str, use: str, state: str, *, fed: bool, vcc: float = 5.0, volts: float = 12.0, logic: float = 3.3
) -> TestedLine:
    """A tested line in a state of `END_STATES`, with the sensors fed or, as while they are tested, not."""
    line, carrier = Input(board, use), circuit(board)
    rows = ["pull", use, f"{use}_test", "line_test"]
    resistor = next(part for part in carrier.tagged(f"{use}_test") if part.type.symbol == "resistor")
    ends = [node(net) for net in resistor.nets.values()]
    corner = Corner(vcc=vcc, logic=logic, gain=160.0)
    lines = [
        *models(corner),
        *deck(carrier, rows, closed=[part.ref for part in carrier.tagged(f"{use}_test")]),
        *rails(carrier, corner),
        f"V12 {node('+12V')} 0 {volts}\nVs0 {node('sense')} 0 {sense_volt(carrier, corner) if fed else 0}",
        END_STATES[state].format(wire=line.wire),
        CHIP_LOAD.format(pin=line.chip),
        f"Bp pw 0 V = v({ends[0]},{ends[1]})*v({ends[0]},{ends[1]})/{resistor.type.number}",
    ]
    found = run(
        f"{board} {use}: tested line, {state}", lines, "tran 20u 5m",
        {
            "gate": f"find v({line.gate}) at=4.9m", "wire": f"find v({line.wire}) at=4.9m", "amp": "find i(vw) at=4.9m",
            "watt": "find v(pw) at=4.9m",
        },
    )  # fmt: skip
    return TestedLine(found["gate"], found["wire"], abs(found["amp"]), found["watt"])


def plug_inverter(volts: float) -> tuple[float, float]:
    """V of the transistor in the plug of an acceptor that conducts for a token alone: at rest, with 12 mA; and A then.

    BC337-40 with its base through 10 kΩ at the acceptor's supply; the acceptor's output pulls the base to 0.4 V.
    """
    lines = [
        *models(Corner(gain=160.0)),
        f"Vs s 0 {volts:g}\nRb s b {p.R10K.number}\nQplug c b 0 QNPN\nRl s2 c 1k\nVl s2 0 12.4",
        "Va a 0 PULSE(0 5 1m 1u 1u 1 2)\nSa b low a 0 OUTPUT\nVlow low 0 0.4\n.model OUTPUT SW(VT=2.5 VH=0.1 ROFF=1e8)",
    ]
    found = run(
        "inverter in a plug", lines, "tran 5u 2m",
        {"rest": "find v(c) at=0.9m", "amp": "find i(vl) at=1.9m"},
    )  # fmt: skip
    return found["rest"], -found["amp"]


# Drivers

PWM_HZ: Final = 16e6 / 8 / 510
"""The firmware's pulse-width modulation of a motor (firmware/ports/avr/devices.c)."""
SWITCHED_HZ: Final = 25.0
"""Often enough for an output that is only on or off: its current is at its highest before it is switched off."""


def board_of(board: str | Circuit) -> Circuit:
    """A board by its name, or one that is given."""
    return circuit(board) if isinstance(board, str) else board


def module_rails(carrier: Circuit) -> list[str]:
    """The rails that a Pico's circuits need; a Nano's drivers have none."""
    return [] if controller_of(carrier) is NANO else rails(carrier, Corner())


class Flyback(NamedTuple):
    """A driver that switches an inductive load, at its worst and in the mean of its last periods: V, A, W."""

    drain_most: float
    fet_amp: float
    fet_watt: float
    high_watt: float
    """Of the MOSFET at the + wire; 0 without one."""
    diode_amp: float
    """In the mean."""
    diode_watt: float
    diode_back_amp: float
    """What flows the wrong way through the diode when the transistor is switched on again."""


def flyback(
    board: str | Circuit,
    use: str,
    *,
    henry: float,
    ohm: float,
    feed: str,
    hertz: float,
    duty: float = 0.5,
    back: str = "",
    volts: float = 12.6,
    gate: float = 4.2,
    without: Sequence[str] = (),
) -> Flyback:
    """A load of these values at a driver of a board, switched on and off; `back`: its reversing relay has pulled in."""
    carrier = board_of(board)
    fet = next(part for part in carrier.tagged(use) if part.type.symbol == "nfet")
    diode = next(part for part in carrier.tagged(use) if part.type.letter == "D")
    rows, (plus, minus), closed = _terminals(carrier, use, feed, back)
    parts = deck(carrier, rows, closed=closed, without=without)
    parts = metered(parts, f"D{diode.ref}", node(diode.nets["K"]), "diode_k", "Vdiode")
    parts = metered(parts, f"M{fet.ref}", node(fet.nets["D"]), "fet_d", "Vfet", inward=True)
    high = next((part for part in carrier.tagged(*rows) if part.type.symbol == "pfet"), None)
    high_power = "0"
    if high is not None:
        supplied, given = node(high.nets["S"]), node(high.nets["D"])
        parts = metered(parts, f"M{high.ref}", given, "high_d", "Vhigh")
        high_power = f"v({supplied},{given})*i(Vhigh)"
    drain, source = node(fet.nets["D"]), node(fet.nets["S"])
    feeding, returning = node(diode.nets["A"]), node(diode.nets["K"])
    lines = [
        *models(Corner()),
        *parts,
        *module_rails(carrier),
        f"Vf {node(feed)} 0 {volts:g}",
        f"Vg {node(use)} 0 PULSE(0 {gate:g} 0 50n 50n {duty / hertz:.6g} {1 / hertz:.6g})",
        f"Rl {plus} la {ohm:g}\nLl la {minus} {henry:g}",
        f"Bfet fet_p 0 V = v({drain},{source})*i(Vfet)\nRfet fet_p 0 1k",
        f"Bhigh high_p 0 V = {high_power}\nRhigh high_p 0 1k",
        f"Bdiode diode_p 0 V = v({feeding},{returning})*i(Vdiode)\nRdiode diode_p 0 1k"
        if diode.ref not in without
        else "Vdiode diode_none 0 0\nRnone diode_none 0 1k\nVdiode_p diode_p 0 0",
    ]
    lines += [f"Vbase {node(back)} 0 5\nVcoil {node('+12V_LOAD')} 0 {volts:g}"] if back else []
    periods = max(6, round(hertz * 6 * henry / ohm))
    end = periods / hertz
    window = f"from={(periods - 4) / hertz:.6g} to={end:.6g}"
    found = run(
        f"{carrier.name} {use}: inductive load at {duty:.0%}", lines,
        f"tran {1 / hertz / 50:.3g} {end:.6g} 0 {1 / hertz / 50:.3g}",
        {
            "volt": f"max v({drain}) {window}", "amp": f"max i(vfet) {window}", "watt": f"avg v(fet_p) {window}",
            "hwatt": f"avg v(high_p) {window}",
            "damp": f"avg i(vdiode) {window}", "dwatt": f"avg v(diode_p) {window}", "back": f"min i(vdiode) {window}",
        },
    )  # fmt: skip
    return Flyback(
        found["volt"], found["amp"], found["watt"], found["hwatt"], found["damp"], found["dwatt"],
        max(-found["back"], 0.0),
    )  # fmt: skip


_WITH_A_DRIVER: Final = ("high", "shunt", "relay", "relay_2")
"""Rows beside that of an output's MOSFET, by what follows its name."""


def _terminals(carrier: Circuit, use: str, feed: str, back: str) -> tuple[list[str], tuple[str, str], list[str]]:
    """The rows of a driver, the nodes of its load, and its relay where that has pulled in."""
    there = {row.name for sheet in carrier.sheets for row in sheet.rows}
    rows = [
        use,
        *(row for kind in _WITH_A_DRIVER if (row := f"{use}_{kind}") in there),
        *([back] if back else []),
    ]
    if f"{use}_relay" in there:
        relay = next(part.ref for part in carrier.tagged(f"{use}_relay") if part.type.symbol == "relay")
        return rows, (node(f"{use}_plus"), node(f"{use}_minus")), [relay] if back else []
    return rows, (node(f"{use}_high" if f"{use}_high" in there else feed), node(f"{use}_drain")), []


class HighSide(NamedTuple):
    """The switch of a motor's + wire: A of a motor whose − wire is at 0 V, V between gate and source."""

    left_amp: float
    """`HIGH_OFF_MS` after the last pulse, at the least threshold."""
    gate_least: float
    """Between the pulses of the least duty."""
    gate_most: float
    """Driven, with 24 V at the feed; the W of its Zener diode and of its 220 Ω then."""
    zener_watt: float
    resistor_watt: float


HIGH_OFF_MS: Final = 10.0
LEAST_DUTY: Final = 3 / 255
LEAK_AMP: Final = 5e-6
"""Of a small transistor that is off, at 100 °C and more."""


def high_side(board: str | Circuit, use: str, *, dimmed: bool) -> HighSide:
    """The switch of the + wire of a motor of 4 Ω and 5 mH: in a fault of the − wire, dimmed, and at 24 V."""
    carrier = board_of(board)
    rows, (plus, minus), _ = _terminals(carrier, use, "+12V_MOTOR", "")
    gate, source = node(f"{use}_high_gate"), node("+12V_MOTOR")
    high, period = pin_high(carrier), 1 / PWM_HZ

    def simulated(what: str, volts: float, pin: str, joined: str, end: float, threshold: float, measure: str) -> float:
        lines = [
            *models(Corner(threshold_p=threshold, gain=160.0)),
            *deck(carrier, rows),
            *module_rails(carrier),
            f"Vf {node('+12V_MOTOR')} 0 {volts:g}",
            f"Vg {node(use)} 0 {pin}",
            f"Rl {plus} la 4\nLl la lb 5m\nVl lb {minus} 0",
            f"Ileak {gate} 0 {LEAK_AMP:g}",
            f"Eover over 0 {source} {gate} 1\nRover over 0 1k",
            f"Edrop drop 0 {gate} {node(use + '_pull')} 1\nRdrop drop 0 1k",
            joined,
        ]
        return run(f"{carrier.name} {use}: {what}", lines, f"tran 20u {end:g}m 0 20u", {"found": measure})["found"]

    pulses = f"PULSE(0 {high} 0 50n 50n {LEAST_DUTY * period:.6g} {period:.6g})" if dimmed else str(high)
    gate_most, drop = (
        simulated("24 V at its feed", 24.0, str(high), "", 10, 4.0, measure)
        for measure in ("max v(over) from=1m to=10m", "find v(drop) at=9m")
    )
    amp = drop / p.R220.number
    return HighSide(
        simulated(
            "− wire at 0 V", 12.6, f"PULSE({high} 0 10m 1u 1u 1 2)", f"Rfault {minus} 0 0.05", 10 + HIGH_OFF_MS, 1.0,
            f"find i(vl) at={9.9 + HIGH_OFF_MS:g}m",
        ),
        simulated("least duty", 11.4, pulses, "", 30, 4.0, "min v(over) from=20m to=30m"),
        gate_most,
        gate_most * (amp - gate_most / p.R22K.number),
        drop * amp,
    )  # fmt: skip


def wire_step(
    board: str | Circuit,
    use: str,
    *,
    plus: bool,
    failed: str = "",
    stopped: bool = False,
    joined: bool = True,
    connected: bool = True,
) -> float:
    """V that a meter of 10 MΩ reads at the step of the test sheet that joins a motor's − wire to 0 V, or + to 12 V.

    `failed`: the symbol of the MOSFET that conducts for ever; `stopped`: the emergency stop is pressed; `joined`: the
    wire of the test makes contact; `connected`: the motor's own wires do.
    """
    carrier = board_of(board)
    rows, (high, low), _ = _terminals(carrier, use, "+12V_MOTOR", "")
    shorted = {part.ref: part for part in carrier.tagged(*rows) if part.type.symbol == failed}
    motors = node("+12V_MOTOR")
    lines = [
        *models(Corner(gain=160.0)),
        *deck(carrier, rows, without=shorted),
        *(f"R{ref} {node(part.nets['D'])} {node(part.nets['S'])} 0.02" for ref, part in shorted.items()),
        *module_rails(carrier),
        f"V12 supply 0 12\nRstop supply {motors} {1e9 if stopped else 0.1:g}\nRleak {motors} 0 10meg",
        f"Vg {node(use)} 0 0",
        f"Rmotor {high} {low} {4 if connected else 1e9:g}",
        f"Rjoin {high if plus else low} {motors if plus else 0} {0.05 if joined else 1e9:g}",
        f"Rmeter {low if plus else motors} {0 if plus else high} 10meg",
        f"Emeter read 0 {low if plus else motors} {0 if plus else high} 1\nRread read 0 1k",
    ]
    return run(f"{carrier.name} {use}: step", lines, "tran 1m 50m", {"volt": "find v(read) at=49m"})["volt"]


def gate_ohm(board: str | Circuit, use: str) -> float:
    """Ω between source and gate of the switch of a motor's + wire, by a meter with its red lead at the source."""
    return _off_ohm(board, use, "+12V_MOTOR", f"{use}_high_gate")


def base_ohm(board: str | Circuit, use: str, *, inverter: bool = True) -> float:
    """Ω from 0 V to the base before the switch of a motor's + wire, by a meter with its red lead at 0 V.

    `inverter`: a Pico's, whose output conducts; otherwise it lets nothing through.
    """
    return _off_ohm(board, use, GND, f"{use}_pull_base", inverter=inverter)


def _off_ohm(board: str | Circuit, use: str, red: str, black: str, *, inverter: bool = True) -> float:
    """Ω by a meter of 0.2 mA at the driver of a motor; the module is out, and all supplies are off."""
    carrier = board_of(board)
    rows, _, _ = _terminals(carrier, use, "+12V_MOTOR", "")
    inverters = [part.ref for part in carrier.tagged(*rows) if part.type.symbol == "inverter"]
    lines = [
        *models(Corner()),
        *deck(carrier, rows, without=() if inverter else inverters),
        f"Roff {node('+5V')} 0 10\nRfar {node('+12V_MOTOR')} 0 100meg",
        f"Imeter {node(black)} {node(red)} 0.2m\nEread read 0 {node(red)} {node(black)} 1\nRread read 0 1k",
    ]
    found = run(f"{carrier.name} {use}: {black} by a meter", lines, "tran 1m 100m", {"volt": "find v(read) at=99m"})
    return found["volt"] / 0.2e-3


class Reversal(NamedTuple):
    """A reversing relay that turns while its motor is driven, as the firmware does it: V over an open contact, J."""

    contact_volt: float
    suppressor_joule: float


RELAY_MS: Final = (7.0, 10.0)
"""When a relay's contact opens, and when the other closes, after its coil is fed (7 ms, and 3 ms of flight)."""


def reversal(board: str, use: str, *, henry: float, ohm: float, without: Sequence[str] = ()) -> Reversal:
    """Coil and transistor are switched on at once: the contacts break the current of a motor that starts forward."""
    carrier = circuit(board)
    rows, (plus, minus), _ = _terminals(carrier, use, "+12V_MOTOR", "")
    relay = next(part for part in carrier.tagged(f"{use}_relay") if part.type.symbol == "relay")
    suppressor = next(part for part in carrier.tagged(f"{use}_relay") if part.type.symbol == "tvs")
    opens, closes = f"PULSE(5 0 {RELAY_MS[0]:g}m 1u 1u 1 2)", f"PULSE(0 5 {RELAY_MS[1]:g}m 1u 1u 1 2)"
    parts = [
        line
        for line in deck(carrier, rows, without=without)
        if not line.startswith((f"R{relay.ref}_", f"L{relay.ref}_"))
    ]
    contacts = [
        f"Scontact{n} {node(relay.nets[one])} {node(relay.nets[two])} {control} 0 CONTACT"
        for n, (one, two, control) in enumerate(
            (("11", "12", "rest"), ("21", "22", "rest"), ("11", "14", "pulled"), ("21", "24", "pulled"))
        )
    ]
    lines = [
        *models(Corner(tvs_volt=31.5)),
        *parts,
        *contacts,
        ".model CONTACT SW(VT=2.5 VH=0.1 RON=0.02 ROFF=1e6)",
        f"Vrest rest 0 {opens}\nVpulled pulled 0 {closes}",
        *module_rails(carrier),
        f"Vf {node('+12V_MOTOR')} 0 12.6\nVg {node(use)} 0 {pin_high(carrier)}",
        f"Rl {plus} la {ohm:g}\nLl la {minus} {henry:g} ic=0",
        f"Ecoil coil_v 0 {plus} {minus} 1\nRcoil coil_v 0 1k",
        f"Ew open_v 0 {node(relay.nets['11'])} {node(relay.nets['12'])} 1\nRw open_v 0 1k",
    ]
    end = RELAY_MS[1] + 5
    measures = {"most": f"max v(open_v) to={end:g}m", "least": f"min v(open_v) to={end:g}m"}
    energy = "0"
    if suppressor.ref not in without:
        lines = [
            f"{line.replace(f'{suppressor.ref}_lead ', 'tvs_lead ', 1)}\nVtvs tvs_lead {suppressor.ref}_lead 0"
            if line.startswith(f"L{suppressor.ref} ")
            else line
            for line in lines
        ]
        energy = "abs(v(coil_v)*i(Vtvs))"
    lines.append(f"Btvs tvs_p 0 V = {energy}\nRtvs tvs_p 0 1k")
    measures["joule"] = f"integ v(tvs_p) from=0 to={end:g}m"
    found = run(
        f"{board} {use}: relay turns while the motor is driven", lines, f"tran 10u {end:g}m 0 10u uic", measures
    )
    return Reversal(max(found["most"], -found["least"]), found["joule"])


def steppers_off(reels: str, henry: float, ampere: float, *, volts: float = 12.6) -> float:
    """V at the drivers when all are off at once behind open relays: what their six coils hold comes back, as of one.

    They have given it after 0.2 ms, and what follows rings at the diodes.
    """
    board = circuit(reels)
    rail = node("+12V_MOTOR")
    coils = f"Da 0 ca D1N4007\nLc ca cb {henry / 6:g} ic={6 * ampere:g}\nDb cb {rail} D1N4007"
    lines = [
        *models(Corner()),
        *deck(
            board,
            [f"reel_{n}_{row}" for n in (1, 2, 3) for row in ("motor", "store")],
            vary=lambda part: 1 - part.type.tolerance,
        ),
        coils,
        f"Rrail {rail} 0 1meg\n.ic v({rail})={volts:g}",
        *(f".ic v({node(f'reel_{n}_stored')})={volts:g}" for n in (1, 2, 3)),
    ]
    found = run(f"{reels}: drivers off", lines, "tran 10u 3m 0 10u uic", {"volt": f"max v({rail})"})
    return found["volt"]


class SwitchedCoil(NamedTuple):
    """A relay's coil behind its transistor: V at the transistor at the most; A of the coil, W of the transistor, on."""

    most_volt: float
    amp: float
    coil_volt: float
    """Over the coil, on."""
    transistor_watt: float
    diode_joule: float
    """What its diode takes at each switching off."""


def coil_flyback(
    board: str | Circuit, use: str, *, volts: float = 12.6, gain: float = 160.0, without: Sequence[str] = ()
) -> SwitchedCoil:
    """A reversing relay that is switched on for 20 ms, and off."""
    carrier = board_of(board)
    diode = next(part for part in carrier.tagged(use) if part.type.letter == "D")
    collector, drop = node(f"{use}_coil"), f"v({node(diode.nets['A'])},{node(diode.nets['K'])})"
    parts = metered(deck(carrier, [use], without=without), f"D{diode.ref}", node(diode.nets["K"]), "diode_k", "Vdiode")
    lines = [
        *models(Corner(gain=gain)),
        *parts,
        f"Vf {node('+12V_LOAD')} 0 {volts:g}",
        f"Vg {node(use)} 0 PULSE(0 {pin_high(carrier)} 0 1u 1u 20m 40m)",
        "Vdiode diode_none 0 0\nRnone diode_none 0 1k" if diode.ref in without else "",
        f"Bdiode diode_p 0 V = abs({drop}*i(Vdiode))\nRdiode diode_p 0 1k",
    ]
    found = run(
        f"{carrier.name} {use}: coil", [line for line in lines if line], "tran 10u 40m 0 10u",
        {
            "vmax": f"max v({collector})", "von": f"find v({collector}) at=19m",
            "joule": "integ v(diode_p) from=19m to=40m",
        },
    )  # fmt: skip
    relay = next(part for part in carrier.tagged(use) if part.type.symbol == "relay")
    amp = (volts - found["von"]) / relay.type.number
    return SwitchedCoil(found["vmax"], amp, volts - found["von"], found["von"] * amp, found["joule"])


class StoppedSupply(NamedTuple):
    """The motors' 12 V with the emergency stop in a state, in V and ms."""

    volt: float
    motor_amp: float


def emergency_stop(board: str, *, contacts_open: tuple[bool, bool], welded: str = "") -> StoppedSupply:
    """The motors' supply 200 ms after contacts of the button opened; `welded` is a relay whose contact stays closed."""
    carrier = circuit(board)
    relays = [part for part in carrier.tagged("motor_supply") if part.type.symbol == "relay"]
    shut = [
        relay.ref for relay, is_open in zip(relays, contacts_open, strict=True) if not is_open or relay.ref == welded
    ]
    lines = [
        *models(Corner()),
        *deck(carrier, ["motor_supply"], closed=shut),
        f"Vin {node('+12V_IN')} 0 12",
        f"Rm {node('+12V_MOTOR')} m 4\nVm m 0 0",
    ]
    lines = [each for each in lines if "_coil " not in each]
    found = run(
        f"{board}: emergency stop", lines, "tran 1m 200m",
        {"volt": f"find v({node('+12V_MOTOR')}) at=199m", "amp": "find i(vm) at=199m"},
    )  # fmt: skip
    return StoppedSupply(found["volt"], found["amp"])


def stop_coil(board: str, number: int, *, is_open: bool, volts: float = 12.0) -> tuple[float, float]:
    """The current of a coil of the emergency stop, and the least voltage at it after the contact opened: A, V."""
    carrier = circuit(board)
    relays = [part for part in carrier.tagged("motor_supply") if part.type.symbol == "relay"]
    relay = relays[number - 1]
    coil = [line for line in deck(carrier, [f"estop_{number}"]) if "_c " not in line]
    gate = "PULSE(5 0 20m 1u 1u 1 2)" if is_open else "5"
    lines = [
        *models(Corner()),
        *coil,
        f"V12 {node('+12V')} 0 {volts:g}",
        f"Vb b 0 {gate}\nSb {node('+12V')} {node(f'estop_coil_{number}')} b 0 BUTTON",
        ".model BUTTON SW(VT=2.5 VH=0.1 RON=0.05 ROFF=1e8)",
    ]
    found = run(
        f"{board}: coil {relay.ref}", lines, "tran 10u 60m 0 10u",
        {"amp": f"find i(l{relay.ref.lower()}_coil) at=59m", "least": f"min v({node(f'estop_coil_{number}')})"},
    )  # fmt: skip
    return found["amp"], found["least"]


# Supply


LOADS: Final[Mapping[str, Mapping[str, float]]] = {
    "pusher": {
        "ATmega328P, 16 MHz, 5 V": 0.015, "USB chip of the Nano": 0.020, "power lamp of the Nano": 0.005,
        "sensors": SENSE_AMP, "switch of the emitters": 0.011, "pull-ups of eight lines": 0.009,
        "74HC14, FRAM, supervisor": 0.003,
    },
    "pusher-pico": {
        "Pico, at VSYS": 0.030, "330 Ω at 3.3 V": 0.008, "sensors": SENSE_AMP, "switch of the emitters": 0.011,
        "pull-ups of eight lines, at 3.3 V": 0.003, "inverters, FRAM, supervisor": 0.003,
    },
    "reel-pico": {
        "Pico, at VSYS": 0.030, "330 Ω at 3.3 V": 0.008, "sensors": SENSE_AMP, "switch of the emitters": 0.011,
        "pull-ups of seven lines, at 3.3 V": 0.003, "inverters, FRAM, supervisor": 0.003,
        "three stepper drivers, logic": 0.024, "registers of chain and control": 0.002,
    },
    "reel": {
        "ATmega328P, 16 MHz, 5 V": 0.015, "USB chip of the Nano": 0.020, "power lamp of the Nano": 0.005,
        "sensors": SENSE_AMP, "switch of the emitters": 0.011, "pull-ups of seven lines": 0.008,
        "74HC14, FRAM, supervisor": 0.003, "three stepper drivers, logic": 0.024,
        "registers of chain and control": 0.002,
    },
}  # fmt: skip
"""What draws from the 5 V after the warning, in A: all outputs off, sensors fed, for what is under way is counted.

A Pico with one processor at 125 MHz that never sleeps draws some 25 mA (others' measurements): 30 mA are taken.
"""


AGED: Final = 0.8
"""What an electrolytic capacitor keeps of what it had when it was new, at the end of its life (ours)."""


class HoldUp(NamedTuple):
    """A power failure of a money board: times in ms from the warning at the chip, in V at the ends."""

    trip_volt: float
    reset_ms: float
    """The 5 V reaches the supervisor's highest reset threshold."""
    bank_begin: float
    bank_end: float
    charge_amp: float
    charged_ms: float


_BANK: Final = ("supply", "bank", "bank_more", "power_fail")


def _behind_the_fuse(board: Circuit, vary: Callable[[CircuitPart], float], without: Sequence[str] = ()) -> list[str]:
    """Regulator, bank and warning of a money board, whose 12 V are given behind its fuse and its suppressor."""
    parts = [line for line in deck(board, _BANK, vary=vary, without=without) if not line.startswith(("RF", "DD1"))]
    # The regulator of a Pico gives 3.3 V down to 1.8 V at VSYS.
    return parts if controller_of(board) is NANO else [*parts, f"V33 {node(V33)} 0 3.3"]


def _capacity(factor: float) -> Callable[[CircuitPart], float]:
    return lambda part: factor if part.type is p.C_BANK else 1.0


def hold_up(
    board: str, corner: Corner, *, capacity: float = 0.8, load: float = 1.0, resistors: float = 1.0,
    upper: float = 1.0, lower: float = 1.0, without: Sequence[str] = (),
) -> HoldUp:  # fmt: skip
    """The rail falls slowly to the warning, and is then shorted: the worst moment, with the bank at its lowest.

    `capacity` is the factor on the bank, `load` that on the current, `upper` and `lower` those on the divider.
    """
    carrier = circuit(board)
    divider = {"73.2 kΩ": upper, "10 kΩ": lower}

    def vary(part: CircuitPart) -> float:
        if part.type is p.C_BANK:
            return capacity
        return divider.get(part.type.value, 1.0) if "power_fail" in part.tags else 1.0

    amp = load * sum(LOADS[board].values())
    common = [*models(corner), *_behind_the_fuse(carrier, vary, without)]
    half = rail_of(carrier, corner) / 2
    five, rail = node("+5V"), node("+12V")
    trip = run(
        f"{board}: threshold of the warning",
        [*common, f"Vr {rail} 0 PWL(0 12 1 9)", f"Rl {five} 0 {5 / amp:.5g}"],
        "tran 1m 1 0 1m",
        {"trip": f"find v({rail}) when v({node('PFO')})=2.5 fall=1"},
    )["trip"]
    falls = run(
        f"{board}: hold-up",
        [
            *common,
            f"Vr rs 0 PWL(0 {trip + 0.02:.5g} 0.5 {trip + 0.02:.5g} 0.5001 0)\nSr rs {rail} rc 0 RAIL\nVrc rc 0 5",
            ".model RAIL SW(VT=2.5 VH=0.1 RON=0.05 ROFF=1e8)",
            _draws("l", five, amp),
        ],
        "tran 2m 6 0 2m",
        {
            "warn": f"when v({node('PFO_NOT')})={half} rise=last", "reset": f"when v({five})=4.75 fall=last",
            "begin": f"find v({node('BANK')}) at=0.499", "end": f"find v({node('BANK')}) when v({five})=4.75 fall=last",
        },
    )  # fmt: skip
    charge = run(
        f"{board}: charging the bank",
        [
            *common,
            f"Vr {rail} 0 PWL(0 0 1m 12)",
            _draws("l", five, amp),
            ".ic v(n_bank)=0",
        ],
        "tran 1m 3 0 1m uic",
        {"peak": "min i(vr)", "ready": f"when v({node('BANK')})=11 rise=1"},
    )  # fmt: skip
    return HoldUp(
        trip,
        (falls["reset"] - falls["warn"]) * 1000,
        falls["begin"],
        falls["end"],
        -charge["peak"],
        charge["ready"] * 1000,
    )


def least_hold_up(board: str, capacity: float) -> HoldUp:
    """`hold_up` with the latest warning (the comparator's lowest threshold, the divider's resistors at their ends)
    and a load that is 10 % too large."""
    corner = Corner(pfi=p.SUPERVISOR.limits["pfi_low"])
    return hold_up(board, corner, capacity=capacity, load=1.1, upper=0.99, lower=1.01)


def charge_joule(board: str) -> float:
    """J in the resistor that the largest bank is charged through, by 12.6 V."""
    bank, before, five = node("BANK"), node("VREG"), node("+5V")
    lines = [*models(Corner()), *_behind_the_fuse(circuit(board), _capacity(1.2))]
    lines += [_draws("l", five, sum(LOADS[board].values())), f"Vr {node('+12V')} 0 PWL(0 0 1m 12.6)"]
    lines += [f"Bp pw 0 V = v({before},{bank})*v({before},{bank})/{p.R_CHARGE.number}", ".ic v(n_bank)=0"]
    return run(f"{board}: charging", lines, "tran 1m 4 0 1m uic", {"joule": "integ v(pw) from=0 to=4"})["joule"]


def _failing(volts: float, rail: str, *edges: float) -> list[str]:
    """A supply of these volts at the rail, on until the first of these moments in s, then off and on by turns."""
    points = [f"{at} {state} {at + 1e-4:g} {1 - state}" for at, state in zip(edges, (1, 0) * 2, strict=False)]
    switch = f"Vr rs 0 {volts}\nSr rs {rail} rc 0 RAIL\nVrc rc 0 PWL(0 1 {' '.join(points)})"
    return [switch, f"Rrail {rail} 0 200", ".model RAIL SW(VT=0.5 VH=0.1 RON=0.05 ROFF=1e8)"]


def second_failure(board: str, *, capacity: float, volts: float, back_s: float, load: float = 1.1) -> float:
    """ms from a failure until 4.75 V where the supply was back for so long, after one that ended before the reset."""
    carrier, five, rail = circuit(board), node("+5V"), node("+12V")
    amp = load * sum(LOADS[board].values())
    common = [*models(Corner()), *_behind_the_fuse(carrier, _capacity(capacity)), _draws("l", five, amp)]
    measures, analysis = {"reset": f"when v({five})=4.75 fall=last"}, "tran 2m 6 0 2m"
    first = run(f"{board}: it fails", [*common, *_failing(volts, rail, 0.5)], analysis, measures)["reset"]
    back = first - JUST_BEFORE_S
    failing = _failing(volts, rail, 0.5, back, back + back_s)
    return (run(f"{board}: it fails twice", [*common, *failing], analysis, measures)["reset"] - back - back_s) * 1000


JUST_BEFORE_S: Final = 0.03
"""Before a reset, so that it does not come."""


def emptied_s(board: str, amp: float, *, capacity: float = 1.2) -> float:
    """s from switching the supply off until the 5 V are below 1 V, by the largest bank, with this load."""
    five = node("+5V")
    lines = [*models(Corner()), *_behind_the_fuse(circuit(board), _capacity(capacity)), _draws("l", five, amp)]
    lines += _failing(12.0, node("+12V"), 1.0)
    return run(f"{board}: off", lines, "tran 20m 150 0 20m", {"off": f"when v({five})=1 fall=last"})["off"] - 1.0


def meter_ohm(board: str, seconds: float, *, amp: float = 1e-3, capacity: float = 1.2, shorted: bool = False) -> float:
    """What an ohmmeter of this current and 3 V reads at J1, the red lead at J1.1, no module; `shorted`: of the bank."""
    terminal = node("+12V_IN")
    lines = [line for line in deck(circuit(board), _BANK, vary=_capacity(capacity)) if not line.startswith("X")]
    lines += [*models(Corner()), f"Bm 0 {terminal} I = {amp}*tanh(max(3-v({terminal}),0)/0.3)"]
    lines += [f"Rshort {node('BANK')} 0 0.05"] if shorted else []
    found = run(f"{board}: ohms of the 12 V", lines, f"tran 50m {seconds + 1} 0 50m uic",
                {"volt": f"find v({terminal}) at={seconds}"})  # fmt: skip
    return found["volt"] / amp


def shorted_bank(board: str, volts: float) -> tuple[float, float]:
    """W in the resistor of the bank, and A in the fuse of the logic, while one of its capacitors is a short."""
    bank, before = node("BANK"), node("VREG")
    lines = [*models(Corner()), *_behind_the_fuse(circuit(board), _capacity(1.0))]
    lines += [_draws("l", node("+5V"), sum(LOADS[board].values()))]
    lines += [f"Vr {node('+12V')} 0 {volts}", f"Rshort {bank} 0 0.05"]
    measures = {"amp": "find i(vr) at=0.9", "before": f"find v({before}) at=0.9", "bank": f"find v({bank}) at=0.9"}
    found = run(f"{board}: a capacitor of the bank is a short", lines, "tran 1m 1 0 1m", measures)
    return (found["before"] - found["bank"]) ** 2 / p.R_CHARGE.number, -found["amp"]


def reset_levels(vcc: float, pull_up: float = 1000.0, board: str = "pusher") -> tuple[float, float]:
    """The module's reset while the supervisor resets, and while it does not, in V; the module pulls it up."""
    found: list[float] = []
    carrier, corner = circuit(board), Corner(vcc=vcc, gain=160.0)
    controller = controller_of(carrier)
    pin = node(controller.reset)
    for output in (0.0, vcc):
        lines = [
            *models(corner),
            *deck(carrier, ["reset"]),
            *rails(carrier, corner),
            f"Vr {node('nRESET')} 0 {output}",
            f"Rp {pin} {node(controller.logic)} {pull_up}",
        ]
        found.append(run("reset", lines, "tran 1u 1m", {"rst": f"find v({pin}) at=0.9m"})["rst"])
    return found[0], found[1]


# Lines between the module and what it drives

CLAMPS: Final = "Dup {pin} n_p5v DCLAMP\nDdown 0 {pin} DCLAMP"
"""The clamp diodes of a pin of the chip."""


class ChipInput(NamedTuple):
    """A pin of the chip behind an input without inverters: V while the wire is low, open and at 24 V, and A then."""

    low: float
    open: float
    at_24v: float
    clamp_amp: float
    series_watt: float


def chip_input(board: str, use: str, rows: Sequence[str]) -> ChipInput:
    """An input whose wire reaches the chip through resistors alone, with the chip's clamp diodes."""
    carrier, pin, wire = circuit(board), node(use), node(f"{use.replace(' ', '_')}_wire")
    series = next(part for part in carrier.tagged(use) if part.type.value == "2.2 kΩ")
    inner = node(next(net for net in series.nets.values() if not net.endswith("_wire")))
    found: list[float] = []
    amp = watt = 0.0
    for tie in ("Vw {w} 0 0.4", "Rw {w} 0 1e9", "Vw w 0 24\nRw w {w} 0.1"):
        lines = [
            *models(Corner()),
            *deck(carrier, [*rows, use]),
            "V5 n_p5v 0 5",
            tie.format(w=wire),
            CLAMPS.format(pin=pin),
        ]
        measures = {"pin": f"find v({pin}) at=49m", "mid": f"find v({inner}) at=49m", "wire": f"find v({wire}) at=49m"}
        result = run(f"{board} {use}: chip's pin", lines, "tran 50u 50m", measures)
        found.append(result["pin"])
        amp = (result["mid"] - result["pin"]) / 1000.0
        watt = (result["wire"] - result["mid"]) ** 2 / series.type.number
    return ChipInput(found[0], found[1], found[2], amp, watt)


# What a Pico has otherwise


OFF_LEAK: Final = "10u"
"""A into the output of an inverter that has no supply (ours)."""


def gate_volt(board: str, use: str, *, pin: float | None, five: float, without: Sequence[str] = ()) -> float:
    """V at the gate of a MOSFET behind its drivers; `pin`: V of the module's pin, none where it is not driven.

    With `five` 0 the drivers drive nothing, and leak.
    """
    drive = "Ileak 0 {n} 1u" if pin is None else f"Vpin c 0 {pin}\nRpin c {{n}} 60"
    parts = deck(circuit(board), [use], without=without)
    if not five:
        parts = [line for line in parts if not line.startswith("XU")]
        parts.append(f"Ioff 0 {node(use + '_5v')} {OFF_LEAK}")
    lines = [
        *models(Corner(ttl_up=TTL_UP_MOST, ttl_down=TTL_DOWN_LEAST)),
        *parts,
        f"V5 {node(V5)} 0 {five}",
        f"Vf {node('+12V_LOAD')} 0 12.6\nRl {node('+12V_LOAD')} {node(use + '_drain')} 24",
        drive.format(n=node(use)),
    ]
    return run(f"{board} {use}: gate", lines, "tran 10u 5m", {"v": f"find v({node(use + '_gate')}) at=4.9m"})["v"]


class Divided(NamedTuple):
    """An analogue channel behind a divider: V at the pin, and A into its upper clamp."""

    pin_volt: float
    clamp_amp: float


ZENER_LEAK: Final = 3e-6
"""A that a Zener diode of 6.2 V lets through at 2 V at the most: BZX79C6V2 (BZX55C6V2: 0.1 µA); taken for all V."""


def divided(
    board: str | Circuit,
    use: str,
    volts: float | None,
    *,
    rail: float = 3.3,
    off: bool = False,
    leak: float = 0.0,
) -> Divided:
    """`volts` at the terminal of an analogue channel, or its wire cut; the pin with its clamps to `rail`.

    `off`: its resistors are as far from their values as they may be, so that the pin has more. `leak`: A of its Zener
    diode, whose model has none below its breakdown.
    """
    carrier, pin, wire = board_of(board), node(use), node(f"{use}_wire")

    def factor(part: CircuitPart) -> float:
        return 1 + (part.type.tolerance if GND in part.nets.values() else -part.type.tolerance) * off

    lines = [
        *models(Corner(zener_volt=6.6)),
        *deck(carrier, [use], vary=factor),
        f"Vrail rail 0 {rail}\nVclamp clamp rail 0\nDup {pin} clamp DCLAMP\nDdown 0 {pin} DCLAMP",
        f"Ileak {node(f'{use}_in')} 0 {leak}",
        f"Rw {wire} 0 1e9" if volts is None else f"Vw {wire} 0 {volts}",
    ]
    found = run(
        f"{carrier.name} {use}: divider",
        lines,
        "tran 50u 20m",
        {"v": f"find v({pin}) at=19m", "a": "find i(vclamp) at=19m"},
    )
    return Divided(found["v"], found["a"])


_LINK_CABLE: Final = 100e-12
"""Of a metre."""


class LinkEdges(NamedTuple):
    """V at the pin of a Pico's serial input, low and high; by how many s a bit of 1 µs has another length there."""

    low: float
    high: float
    off_s: float


def link_edges(board: str, corner: Corner) -> LinkEdges:
    """What a Pico reads of its serial line.

    The other side has 100 Ω and 3.3 V, at 1 m of cable.
    """
    carrier, pin, wire = circuit(board), node("link in"), node("link_in_wire")
    lines = [
        *models(corner),
        *deck(carrier, ["pull", "logic", "link in"]),
        *rails(carrier, corner),
        f"Vd d 0 PULSE(3.3 0 20u 5n 5n 1u 2u)\nRd d {wire} 100\nCd {wire} 0 {_LINK_CABLE}",
        CHIP_LOAD.format(pin=pin),
    ]
    half = corner.logic / 2
    found = run(
        f"{board}: serial line", lines, "tran 5n 30u 0 10n",
        {
            "fall": f"when v({pin})={half} fall=3 td=19u", "rise": f"when v({pin})={half} rise=3 td=20.5u",
            "low": f"min v({pin}) from=20u to=30u", "high": f"max v({pin}) from=20u to=30u",
        },
    )  # fmt: skip
    return LinkEdges(found["low"], found["high"], abs(found["rise"] - found["fall"] - 1e-6))


ADAPTER_FARAD: Final = 10e-12
"""Of the input of what a Pico's serial line leads to."""


def link_out_off(board: str, corner: Corner, threshold: float, cable: float = _LINK_CABLE) -> float:
    """By how many s a bit of 1 µs is longer where a Pico's serial data arrive, by F of the cable; below 0: shorter."""
    carrier, pin, wire = circuit(board), node("link out"), node("link_out_wire")
    lines = [
        *models(corner),
        *deck(carrier, ["logic", "link out"]),
        *rails(carrier, corner),
        f"Vd d 0 PULSE({corner.logic} 0 20u 5n 5n 1u 2u)\nRd d {pin} 60\nCl {wire} 0 {cable + ADAPTER_FARAD}",
    ]
    found = run(
        f"{board}: serial line, data out", lines, "tran 5n 30u 0 10n",
        {
            "fall": f"when v({wire})={threshold:g} fall=3 td=19u",
            "rise": f"when v({wire})={threshold:g} rise=3 td=20.5u",
        },
    )  # fmt: skip
    return found["rise"] - found["fall"] - 1e-6


def link_fault(board: str, volts: float) -> tuple[float, float, float]:
    """`volts` on the wire of a Pico's data out: A into the gate's output; V of the 3.3 V alone, and of the pin."""
    carrier, corner = circuit(board), Corner(zener_volt=6.6)
    found: list[dict[str, float]] = []
    for supplied in (True, False):
        lines = [
            *models(corner),
            *deck(carrier, ["logic", "link out"]),
            *(rails(carrier, corner) if supplied else []),
            f"Vw w 0 {volts}\nRw w {node('link_out_wire')} 0.1",
            f"Ea na 0 {node('link_out_in')} {node('link_out_drive')} 1\nRea na 0 1",
        ]
        measures = {
            "amp": "find v(na) at=4.9m", "rail": f"find v({node('+3V3')}) at=4.9m",
            "pin": f"find v({node('link out')}) at=4.9m",
        }  # fmt: skip
        found.append(run(f"{board}: {volts:g} V on its serial line", lines, "tran 10u 5m", measures))
    return found[0]["amp"] / p.R330.number, found[1]["rail"], found[0]["pin"]


def rise_time(board: str, row: str, source: str, drive: str, at: str, farad: float, rail: float | None = None) -> float:
    """ns from 30 to 70 % of the logic's rail, or `rail`, at a net with so much capacitance; `drive` is at `source`."""
    carrier = circuit(board)
    rail = rail or controller_of(carrier).volt
    lines = [
        *models(Corner()),
        *deck(carrier, [row]),
        *rails(carrier, Corner()),
        drive.format(n=node(source)),
        f"Cl {node(at)} 0 {farad}",
        ".model OPENS SW(VT=2.5 VH=0.1 RON=20 ROFF=1e9)",
    ]
    measures = {"low": f"when v({node(at)})={0.3 * rail:g} rise=1", "high": f"when v({node(at)})={0.7 * rail:g} rise=1"}
    found = run(f"{board} {row}: rise time", lines, "tran 1n 6u", measures)
    return (found["high"] - found["low"]) * 1e9


CHAIN_FARAD: Final = 500e-12
"""On each wire of a chain of lamps, at the most."""


def chain_levels(carrier: CarrierBoard, wire: str, low_ns: float, high_ns: float) -> tuple[float, float]:
    """For how many ns a TPIC6C595 sees a wire of the chain low and high, of pulses that last so long at the module."""
    use, at, bears = f"lamps {wire}", node(f"chain_{wire}"), p.TPIC.limits
    pin = node(carrier.module.nets[carrier.at[use]])
    volt = carrier.controller.volt
    ohm = 45 if carrier.controller is NANO else 60  # V_OL of an ATmega328P: 0.9 V at 20 mA
    period = low_ns + high_ns
    lines = [
        *models(Corner()),
        *deck(carrier, [use]),
        *rails(carrier, Corner()),
        f"Vg g 0 PULSE({volt} 0 1u 2n 2n {low_ns - 2}n {period}n)\nRg g {pin} {ohm}",
        f"Cl {at} 0 {CHAIN_FARAD}",
        f"Blow low 0 V = u({bears['low'] * 5} - v({at}))\nBhigh high 0 V = u(v({at}) - {bears['high'] * 5})",
    ]
    window = f"from={1e3 + period}n to={1e3 + 2 * period}n"
    found = run(
        f"{carrier.name}: {wire} of the chain", lines, f"tran 1n {1e3 + 2 * period}n 0 1n",
        {"low": f"avg v(low) {window}", "high": f"avg v(high) {window}"},
    )  # fmt: skip
    return found["low"] * period, found["high"] * period


def current_reading(ampere: float) -> float:
    """V at the analogue pin for this current of the hopper's motor."""
    lines = [
        *deck(circuit("pusher"), ["hopper_shunt"]),
        f"Im 0 {node('hopper_source')} {ampere}",
        f"Rchip {node('hopper current')} 0 100meg",
    ]
    return run("hopper current", lines, "tran 10u 5m", {"v": f"find v({node('hopper current')}) at=4.9m"})["v"]


class MotorCurrent(NamedTuple):
    """The current of a blocked motor, and what the converter sees of it."""

    motor_amp: float
    """The motor's own, in the mean."""
    pin_volt: float
    """At the converter's pin, in the mean."""
    ripple_volt: float
    """From its least to its greatest."""
    ms: float
    """From switching on until the pin has 80 % of its mean."""
    shunt_watt: float


def motor_current(
    board: str | Circuit, *, duty: float, volts: float = 12.6, ohm: float = 4.0, open_shunt: bool = False
) -> MotorCurrent:
    """A blocked motor of 5 mH on a board's driver, at `duty` of its full power, from standing."""
    carrier = board_of(board)
    high = pin_high(carrier)
    shunt = [part.ref for part in carrier.tagged("motor_shunt") if part.type.value == "0.1 Ω"]
    rows, (plus, minus), _ = _terminals(carrier, "motor", "+12V_MOTOR", "")
    pin, source, feed = node("motor_current"), node("motor_source"), node("+12V_MOTOR")
    period = 1 / PWM_HZ
    gate = f"PULSE(0 {high} 0 50n 50n {duty * period:.6g} {period:.6g})" if duty < 1 else str(high)
    lines = [
        # Open, the source follows the gate: the less the threshold, the higher.
        *models(Corner(threshold=1.0 if open_shunt else 2.0)),
        *_bleed(carrier),
        *deck(carrier, rows, without=shunt if open_shunt else ()),
        *module_rails(carrier),
        f"Vf {feed} 0 {volts}",
        f"Vg {node('motor')} 0 {gate}",
        f"Rl {plus} la {ohm}\nLl la lb 5m\nVl lb {minus} 0",
        f"Rchip {pin} 0 100meg",
        f"Bp pw 0 V = v({source})*v({source})/0.1",
    ]
    end = 60 * 4.7e-3 / 4 if duty < 1 else 60e-3
    window = f"from={end - 8 * period:.6g} to={end:.6g}"
    measures = {
        "amp": f"avg i(vl) {window}", "volt": f"avg v({pin}) {window}", "most": f"max v({pin}) {window}",
        "least": f"min v({pin}) {window}", "watt": f"avg v(pw) {window}",
    }  # fmt: skip
    title = f"{carrier.name}: current of a blocked motor at {duty:.0%}"
    analysis = f"tran {period / 100:.4g} {end:.6g} 0 {period / 100:.4g} uic"
    found = run(title, lines, analysis, measures)
    reached = run(title, lines, analysis, {"t": f"when v({pin})={0.8 * found['volt']:.6g} rise=1"})["t"]
    return MotorCurrent(found["amp"], found["volt"], found["most"] - found["least"], reached * 1000, found["watt"])


def level(
    board: str,
    rows: Sequence[str],
    at: str,
    *,
    drives: Mapping[str, str] | None = None,
    leaks: Mapping[str, float] | None = None,
    closed: Sequence[str] = (),
    vcc: float = 5.0,
    without: Sequence[str] = (),
) -> float:
    """V at a net, at rest.

    `drives`: what is connected at nets, such as `"Vx {n} 0 0.4"`; `leaks`: A that come from 5 V into a net (below 0:
    that flow from it to ground), as of a pin that is not driven; `closed`: rows whose jumper is fitted.
    """
    carrier = circuit(board)
    shut = [part.ref for row in closed for part in carrier.tagged(row) if part.type.symbol == "jumper"]
    currents = [
        f"Ileak{number} {f'{node(V5)} {node(net)}' if ampere > 0 else f'{node(net)} 0'} {abs(ampere)}"
        for number, (net, ampere) in enumerate((leaks or {}).items())
    ]
    lines = [
        *models(Corner(vcc=vcc)),
        *deck(carrier, rows, closed=shut, without=without),
        *rails(carrier, Corner(vcc=vcc)),
        *(how.format(n=node(net)) for net, how in (drives or {}).items()),
        *currents,
    ]
    return run(f"{board}: {at}", lines, "tran 10u 100m", {"v": f"find v({node(at)}) at=99m"})["v"]


def run_by_usb_alone(board: str, *, without: Sequence[str] = ()) -> float:
    """V at RUN of a Pico that USB alone supplies: the supervisor drives nothing, and 1 µA leaks into its line."""
    pull_up = {"RUN": f"Rrun {{n}} {node(V33)} 50k"}
    return level(board, ["reset"], "RUN", drives=pull_up, leaks={"nRESET": 1e-6}, vcc=0.0, without=without)


def collector_low(board: str, use: str, *, volts: float, ohm: float) -> float:
    """V of an open collector that a device pulls up to `volts` through `ohm`, while the board pulls it low."""
    lines = [
        *models(Corner(gain=160.0)),
        *deck(circuit(board), [use]),
        *rails(circuit(board), Corner()),
        f"Vp p 0 {volts}\nRp p {node(use + '_line')} {ohm}",
        f"Vc c 0 {pin_high(circuit(board))}\nRc c {node(use)} 25",
    ]
    return run(f"{board} {use}", lines, "tran 1u 1m", {"v": f"find v({node(use + '_line')}) at=0.9m"})["v"]


def blanking_ms(name: str, at: str) -> float:
    """ms after power-on until the outputs of a register are let go: its G or OE falls below 0.85 V."""
    lines = [*deck(circuit(name), ["blank"]), "V5 n_p5v 0 PWL(0 0 1m 5)", f"Rg {node(at)} 0 100meg"]
    found = run(f"{name}: blanking", lines, "tran 1m 5 0 2m uic", {"t": f"when v({node(at)})=0.85 fall=last"})
    return found["t"] * 1000


# Keypad and lamps


def _own_pull_ups(table: Circuit) -> list[str]:
    """Those of a Pico's pins, as strong as any; those of an ATmega328P are in the resistors' favour."""
    if controller_of(table) is NANO:
        return []
    return [f"Rown{n} {node(f'row_{n}')} {node(V33)} 50k" for n in range(1, 4)]


def key_levels(pressed: Sequence[str], driven: int, vcc: float, board: str = "table") -> dict[str, float]:
    """The rows' voltages at the chip with keys such as "1_2" (row, column) pressed and one column low, in V.

    The other columns are high, as the firmware drives them. Keys `column_N` of the result are the currents in A that
    flow out of the columns' pins.
    """
    table, pad = circuit(board), circuit("keypad")
    keys = [f"key_{row}_{column}" for row in range(1, 4) for column in range(1, 4)]
    shut = [part.ref for name in pressed for part in pad.tagged(f"key_{name}") if part.type.symbol == "button"]
    pad_lines = [
        line.replace("D", "Dk", 1) if line[0] == "D" else line.replace("R", "Rk", 1)
        for line in deck(pad, keys, closed=shut)
    ]
    lines = [
        *models(Corner()),
        *deck(table, [*(f"keys columns {n}" for n in range(1, 4)), *(f"keys rows {n}" for n in range(1, 4))]),
        *pad_lines,
        *rails(table, Corner(vcc=vcc, logic=vcc)),
        *_own_pull_ups(table),
    ]
    for number in range(1, 4):
        # An output of the chip has some 25 Ω; low is 0 V, high the supply.
        level = 0 if number == driven else vcc
        lines.append(f"Vc{number} c{number} 0 {level}\nRc{number} c{number} {node(f'column_{number}')} 25")
    measures = {f"row{n}": f"find v({node(f'row_{n}')}) at=0.9m" for n in range(1, 4)}
    measures |= {f"col{n}": f"find i(vc{n}) at=0.9m" for n in range(1, 4)}
    found = run("keypad", lines, "tran 5u 1m", measures)
    return {f"row_{n}": found[f"row{n}"] for n in range(1, 4)} | {f"column_{n}": -found[f"col{n}"] for n in range(1, 4)}


class LampState(NamedTuple):
    """A lamp of a tile, at the register that reads it back and at the output that switches it."""

    lit_volt: float
    """At the register."""
    amp: float
    """Into the output."""
    resistor_watt: float
    """In each of its two 68 Ω."""
    output_watt: float


def lamp_state(
    lamp_amp: float, *, state: str = "lit", load_volt: float = 12.0, factor: float = 1.0, drop: float = 6.0,
    celsius: float = 27.0,
) -> LampState:  # fmt: skip
    """A lamp of a tile in a state.

    `state`: "lit", "dark" (the drain is open), "dead" (the lamp is open, the drain on), "short" (the lamp is a short),
    "plus at 0 V", "plus at 12 V" and "minus at 12 V" (a wire of the lit lamp touches that). `lamp_amp` is the current
    that the LED lamp draws at 12 V, `factor` that on the resistors, `drop` the V of its LEDs. At 0 °C the transistor
    has a gain of 100.
    """
    tile = circuit("lamp-tile")
    ohm = (12.0 - drop) / lamp_amp
    lamp = {"dead": "Rlamp {a} {b} 1e9", "short": "Rlamp {a} {b} 0.1"}.get(
        state, f"Vlamp {{a}} lx {drop}\nRlamp lx {{b}} {ohm:.5g}"
    )
    on = "Rdrain drain 0 1e8" if state == "dark" else "Bdrain drain 0 I = 0.25*tanh(v(drain)/1.75)"
    fault = {
        "plus at 0 V": "Rfault {a} 0 0.05", "plus at 12 V": "Rfault {a} {f} 0.05",
        "minus at 12 V": "Rfault {b} {f} 0.05",
    }.get(state, "")  # fmt: skip
    feed, plus, middle = (node(net) for net in ("+12V_LOAD", "lamp_1_plus", "lamp_1_middle"))
    lines = [
        *models(Corner(gain=100.0 if celsius <= 0 else 160.0)),
        f".options temp={celsius}",
        *deck(tile, ["lamp_1", "lamp_1_sense"], vary=lambda part: factor if part.type is p.R_LAMP else 1.0),
        f"Vf {feed} 0 {load_volt}",
        lamp.format(a=plus, b="minus"),
        fault.format(a=plus, b="minus", f=feed),
        f"Vi minus drain 0\n{on}",
    ]
    found = run(
        f"lamp tile: {state}", lines, "tran 10u 2m",
        {
            "volt": f"find v({node('lamp_1_lit')}) at=1.9m", "amp": "find i(vi) at=1.9m",
            "plus": f"find v({plus}) at=1.9m", "middle": f"find v({middle}) at=1.9m", "drain": "find v(drain) at=1.9m",
        },
    )  # fmt: skip
    most = max(load_volt - found["middle"], found["middle"] - found["plus"])
    return LampState(
        found["volt"], found["amp"], most**2 / (p.R_LAMP.number * factor), found["drain"] * abs(found["amp"])
    )


def adapter_levels(volts: int, applied: float, corner: Corner) -> tuple[float, float, float]:
    """An isolated input at a wheel's input 1: V at the chip's gate, V at the chip, and A in the optocoupler's LED."""
    adapter, board, line = circuit(f"opto-{volts}v"), circuit("wheel"), Input("wheel", "in_1")
    lines = [
        *models(corner),
        *deck(board, ["pull", "in_1"]),
        *[
            line_.replace("R", "Ra", 1)
            if line_[0] == "R"
            else line_.replace("D", "Da", 1)
            if line_[0] == "D"
            else line_
            for line_ in deck(adapter, ["in_1", "out_1"])
        ],
        f"V5 {node('+5V')} 0 {corner.vcc}",
        f"Vf {node('field_1_plus')} 0 {applied}\nVm {node('field_1_minus')} 0 0",
        f"Rz {node('zero_1')} 0 0.01\nRj {node('line_1')} {line.wire} 0.01",
        CHIP_LOAD.format(pin=line.chip),
    ]
    found = run(
        f"adapter {volts} V: {applied:g} V", lines, "tran 20u 5m",
        {"gate": f"find v({line.gate}) at=4.9m", "chip": f"find v({line.chip}) at=4.9m", "amp": "find i(vf) at=4.9m"},
    )  # fmt: skip
    return found["gate"], found["chip"], -found["amp"]


def tolerance_factors(board: Circuit, rng: random.Random) -> Callable[[CircuitPart], float]:
    """Factors for all parts of a board, each within its tolerance."""
    factors = {ref: 1.0 + part.type.tolerance * rng.uniform(-1, 1) for ref, part in board.parts.items()}
    return lambda part: factors.get(part.ref, 1.0)
