"""The figures of the circuits next to what they must be: simulated, and printed on docs/boards-carrier.md."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from firmware.hardware import budget, cables, load_terminals, terminals
from firmware.hardware import parts as p
from firmware.hardware import simulations as sim
from firmware.hardware.blocks import CarrierBoard
from firmware.hardware.boards import BOARDS, CARRIERS, carrier, circuit
from firmware.hardware.circuit import Circuit, PartType
from firmware.hardware.controllers import NANO, Controller
from firmware.hardware.firmware_times import chain_times, hold_up_ms
from firmware.hardware.spice import (
    DOWN_LEAST,
    HYSTERESIS_LEAST,
    UP_LEAST,
    UP_MOST,
    V_IH_LEAST,
    V_IL_MOST,
    Corner,
)

LINE = sim.Input("wheel", "in_1")
OPTICAL = sim.Input("pusher", "win_a")
SUPPLIES = (4.5, 5.5)
HOPPER_COIN_AMP, SENSOR_LEAST = 0.05, 3.6
"""A of the coin sensor of a hopper at the most, and V at its + terminal at the least: as the list of parts has them."""
USB_LEAST, NANO_DIODE = 4.75, 0.45
"""V of a USB port at the least, and of the Schottky diode behind it at the module's current."""
BROWN_OUT_MOST = 4.5


class Figure(NamedTuple):
    """What was simulated, what it must be, and what it is."""

    circuit: str
    what: str
    must: str
    value: float
    unit: str
    least: float
    most: float

    @property
    def holds(self) -> bool:
        """Whether it is within its limits."""
        return self.least <= self.value <= self.most


ANY = 1e12


def figures(*groups: str) -> Iterator[Figure]:
    """The figures of these groups, or all, in the order of the page; some seconds of ngspice."""
    for name, group in _GROUPS.items():
        if not groups or name in groups:
            yield from group()


class LeastMargins(NamedTuple):
    """V that the levels of an input keep, at the least (ours)."""

    low: float = 0.3
    noise: float = 1.0
    cut: float = 1.0
    pin: float = 1.0


def levels_of(line: sim.Input, name: str, least: LeastMargins) -> Iterator[Figure]:
    """The levels of an input at the gate and at the module's pin, at both ends of its supply."""
    controller = sim.controller_of(circuit(line.board))
    gate = controller.schmitt.value
    for volt in (controller.least, controller.most):
        corner = Corner(vcc=volt) if controller is NANO else Corner(logic=volt)
        low = sim.levels(line, "sensor conducts (0.4 V)", corner)
        high = sim.levels(line, "sensor open, or wire cut", corner)
        at = f"{name}, {volt:g} V"
        for what, must, value in (
            (
                f"sensor conducts (0.4 V): below the least V_T− of the {gate} by", least.low,
                controller.down[0] * volt - low.gate,
            ),
            ("noise on a low wire until the least V_T+", least.noise, controller.up[0] * volt - low.gate),
            (
                "wire cut or sensor open: above the greatest V_T+ by", least.cut,
                high.gate - controller.up[1] * volt,
            ),
            ("low at the chip's pin, below its V_IL by", least.pin, controller.low_most * volt - low.chip),
            ("high at the chip's pin, above its V_IH by", least.pin, high.chip - controller.high_least * volt),
        ):  # fmt: skip
            yield Figure(at, what, f"{must:g} V or more", value, "V", must, ANY)


def _inputs() -> Iterator[Figure]:
    for line, name in ((LINE, "input"), (OPTICAL, "optical input")):
        yield from levels_of(line, name, LeastMargins())
    shorted = sim.levels(OPTICAL, "wire shorted to 0 V", Corner())
    yield Figure(
        "optical input",
        "wire shorted to 0 V, emitters off: stays low, which the self-test finds",
        "below V_IL (1.5 V)",
        shorted.chip,
        "V",
        -0.1,
        1.5,
    )
    for volts in (5, 12, 24):
        found = sim.levels(OPTICAL, f"wire shorted to {volts} V", Corner())
        yield Figure(
            "optical input",
            f"wire shorted to {volts} V: high, active for ever",
            "above V_IH (3.0 V)",
            found.chip,
            "V",
            3.0,
            5.5,
        )
    off, on, amp = sim.sense_times("pusher", "win_a")
    yield Figure("emitters", "a lit sensor's line is high after `sense` falls", "2 ms or less", off, "ms", 0.0, 2.0)
    yield Figure("emitters", "and low after it rises", "2 ms or less", on, "ms", 0.0, 2.0)
    yield Figure("emitters", "current of an emitter, 4.9 V", "8 to 20 mA", amp * 1000, "mA", 8.0, 20.0)
    yield from fed_sensors_of("pusher", "hopper_coin", HOPPER_COIN_AMP)
    yield from _tested_lines()


def fed_sensors_of(board: str, use: str, amp: float) -> Iterator[Figure]:
    """What a sensor is fed with on a money board whose sensors draw what they may."""
    found, at = sim.fed_sensors(board, use, use_amp=amp), f"{board}, sensors that draw {sim.SENSE_AMP:g} A together"
    yield Figure(
        at, "+5V_SENSE, 4.9 V, fuses as after a fault", "3.9 V or more (as the test sheet)", found.sense, "V", 3.9, 5.0
    )
    what = f"the same: + terminal of {use}, {amp * 1000:g} mA of them"
    yield Figure(at, what, f"{SENSOR_LEAST:g} V or more", found.plus, "V", SENSOR_LEAST, 5.0)


def _tested_lines() -> Iterator[Figure]:
    """Contacts and open collectors of the money boards: at rest, shorted, at 24 V; the feed on, and off for a test."""
    for vcc in SUPPLIES:
        at = f"tested line with its 470 Ω, {vcc:g} V"
        low = sim.tested_line("pusher", "token", "rest", fed=True, vcc=vcc)
        margin = DOWN_LEAST * vcc - low.gate
        yield Figure(
            at, "at rest (0.4 V), fed: below the least V_T− of the 74HC14 by", "0.3 V or more", margin, "V", 0.3, ANY
        )
        high = sim.tested_line("pusher", "token", "rest", fed=False, vcc=vcc, volts=11.4)
        margin = high.gate - UP_MOST * vcc
        yield Figure(
            at, "at rest, not fed, supply 11.4 V: above the greatest V_T+ by", "0.3 V or more", margin, "V", 0.3, ANY
        )
    at = "tested line"
    worst = sim.tested_line("pusher", "token", "rest", fed=False, volts=12.6)
    yield Figure(at, "what its open collector conducts in a test", "12 mA or less", worst.amp * 1000, "mA", 0, 12.0)
    shorted = sim.tested_line("pusher", "token", "shorted", fed=False, volts=12.6)
    margin = DOWN_LEAST * 5 - shorted.gate
    yield Figure(
        at,
        "shorted, not fed: below the least V_T−, so the self-test finds it, by",
        "0.3 V or more",
        margin,
        "V",
        0.3,
        ANY,
    )
    yield Figure(at, "shorted: power of its 680 Ω", "0.25 W or less", shorted.watt, "W", 0.0, 0.25)
    over = sim.tested_line("pusher", "token", "24 V", fed=False)
    yield Figure(at, "24 V on its wire: current from there", "20 mA or less", over.amp * 1000, "mA", 0.0, 20.0)
    rest, token = sim.plug_inverter(10.8)
    at = "inverter in an acceptor's plug, 10.8 V"
    yield Figure(at, "at rest, 12 mA", "0.4 V or less", rest, "V", 0.0, 0.4)
    yield Figure(at, "for a token: what it still conducts", "0.1 mA or less", token * 1000, "mA", -0.01, 0.1)
    fitted = sim.tested_line("pusher", "hopper_coin", "rest", fed=False, volts=11.4)
    margin = fitted.gate - UP_MOST * 5
    at = "optical input, jumper fitted"
    yield Figure(at, "470 Ω at rest, not fed: above the greatest V_T+ by", "0.3 V or more", margin, "V", 0.3, ANY)


def _surges() -> Iterator[Figure]:
    yield from overvoltage_of(LINE, "in_2", module_amp=0.02)
    yield Figure(
        "24 V on the sensors' + wire",
        "the 5 V with the module alone as its load",
        "5.25 V or less",
        sim.sensor_supply("wheel", 24.0, module_amp=0.02),
        "V",
        4.5,
        5.25,
    )
    yield from sensors_shorted(carrier("wheel"))
    yield from _terminals()
    yield from discharges_of(LINE)


WEAK_AMP: Final = 1.5
"""Of a regulator whose limit is less than the typical one."""


def sensors_shorted(board: CarrierBoard) -> Iterator[Figure]:
    """What a + wire at 0 V does on a board without a switch of emitters, until its resettable fuse opens."""
    at, fuse = f"{board.name}, sensors' + wire shorted to 0 V", next(iter(board.tagged("field")))
    ohms = sim.FUSE_OHMS[p.PTC.value]
    found = [sim.sensor_short(board.name, ohm) for ohm in ohms]
    least, most = min(amp for amp, _ in found), max(volt for _, volt in found)
    yield Figure(
        at, "current until the resettable fuse opens (it opens from 1 A)", "1 A or more", least, "A", 1.0, 40.0
    )
    yield Figure(
        at, "the 5 V until then, for comparison, at the most (0.41 to 1.17 Ω)", "what resets the board", most, "V",
        0.0, 4.5,
    )  # fmt: skip
    opens = terminals.opens_s(fuse, least)
    yield Figure(at, "until it opens (its data sheet: 4 s at 2.5 A)", "10 s or less", opens, "s", 0.0, 10.0)
    weak = min(sim.sensor_short(board.name, ohm, WEAK_AMP)[0] for ohm in ohms)
    what = f"the same, of a regulator that gives {WEAK_AMP:g} A (ours), for comparison"
    yield Figure(at, what, "what its limit makes of it", terminals.opens_s(fuse, weak), "s", 0.0, 60.0)


def _gate_bears(controller: Controller) -> tuple[str, float]:
    """What the inverters at the inputs bear, in words and V: 5 V and 1 V behind a clamp, or their absolute maximum."""
    if "input_volt" in controller.schmitt.limits:
        most = controller.schmitt.limits["input_volt"]
        return f"highest at the {controller.schmitt.value}'s input", most
    return f"highest at the {controller.schmitt.value}'s input (5 V + 1 V behind its clamp)", 6.0


def overvoltage_of(line: sim.Input, neighbour: str, *, module_amp: float) -> Iterator[Figure]:
    """What 24 V on the wire of an input do there, on the rail of the logic and to a neighbour."""
    controller = sim.controller_of(circuit(line.board))
    over = sim.overvoltage(line, sim.Input(line.board, neighbour), 24.0, module_amp=module_amp)
    at, gate, volt = "24 V on an input", controller.schmitt, controller.volt
    watt = p.R2K2.limits["watt"]
    yield Figure(at, "power in the 2.2 kΩ", f"{watt:g} W or less", over.resistor_watt, "W", 0.0, watt)
    watt = p.ZENER.limits["watt"]
    yield Figure(at, "power in the Zener diode", f"{watt:g} W or less", over.zener_watt, "W", 0.0, watt)
    if controller is NANO:
        amp = gate.limits["clamp_amp"] * 1000
        yield Figure(
            at, f"current into the {gate.value}'s clamp", f"{amp:g} mA or less", over.clamp_amp * 1000, "mA", 0.0, amp
        )
        rail, most = "the 5 V with the module alone as its load", 5.25
    else:
        what, most = _gate_bears(controller)
        yield Figure(at, what, f"{most:.1f} V or less", over.gate_volt, "V", 0.0, most)
        rail, most = "the 3.3 V with the carrier board's own 330 Ω as its load", volt + p.PICO.limits["over_volt"]
    yield Figure(at, rail, f"{most:g} V or less", over.rail_volt, "V", 0.9 * volt, most)
    low, high = controller.low_most * volt, controller.high_least * volt
    yield Figure(at, "a neighbour that is low, at the chip", f"below {low:.1f} V", over.neighbour_low, "V", -0.1, low)
    yield Figure(
        at, "a neighbour that is high, at the chip", f"above {high:.1f} V", over.neighbour_high, "V", high, 1.1 * volt
    )


def discharges_of(line: sim.Input) -> Iterator[Figure]:
    """What a discharge of 8 kV into the terminal of an input does, of both signs."""
    controller = sim.controller_of(circuit(line.board))
    gate, most = _gate_bears(controller)
    value = controller.schmitt.value
    pin = controller.volt + (0.5 if controller is NANO else p.PICO.limits["over_volt"])
    for kilovolts in (8.0, -8.0):
        esd = sim.discharge(line, kilovolts)
        at = f"ESD {kilovolts:+g} kV contact"
        yield Figure(at, "first peak, IEC 61000-4-2", "30 A ± 15 %", esd.peak_amp, "A", 25.5, 34.5)
        yield Figure(at, "at 30 ns", "16 A ± 30 %", esd.at_30ns_amp, "A", 11.2, 20.8)
        yield Figure(at, "at 60 ns", "8 A ± 30 %", esd.at_60ns_amp, "A", 5.6, 10.4)
        yield Figure(
            at, "energy in the TVS (0.6 J in 1 ms is its rating)", "below 0.6 J", esd.tvs_joule * 1000, "mJ", 0.0, 600.0
        )
        yield Figure(
            at, "voltage at the 2.2 kΩ", "250 V or less", abs(esd.resistor_volt), "V", 0.0, p.R2K2.limits["volt"]
        )
        yield Figure(
            at,
            f"current into the {value}'s clamp",
            "20 mA or less",
            abs(esd.clamp_amp) * 1000,
            "mA",
            0.0,
            p.HC14.limits["clamp_amp"] * 1000,
        )
        yield Figure(
            at,
            gate,
            f"{most:.1f} V or less",
            esd.gate_most_volt,
            "V",
            -1.0,
            most,
        )
        yield Figure(at, "highest at the chip's pin", f"{pin:g} V or less", esd.chip_most_volt, "V", 0.0, pin)
        yield Figure(at, "lowest at the chip's pin", "−0.5 V or more", esd.chip_least_volt, "V", -0.5, pin)


def _terminals() -> Iterator[Figure]:
    """How many faults at terminals overload a part: none may."""
    for name in BOARDS:
        found = len(terminals.overloaded(name))
        yield Figure(
            f"{name}, terminals of sensors",
            "open, or joined to 0, 12 or 24 V: parts that bear too much",
            "0",
            found,
            "",
            0,
            0,
        )
    short, until = sim.sense_short("pusher")
    yield Figure(
        "emitters' + wire shorted to 0 V", "what the switch lets through", "0.25 A or less", short, "A", 0.1, 0.25
    )
    yield Figure(
        "emitters' + wire shorted to 0 V", "power of the switch (BD140, no heat sink)", "1 W or less", until, "W",
        0.0, p.PNP_PASS.limits["watt"],
    )  # fmt: skip


def load_terminals_of(controller: Controller) -> Iterator[Figure]:
    """What faults at the terminals of the 12 V and of loads do, of the boards with this module."""
    for name in CARRIERS:
        if carrier(name).controller is controller:
            found, at = load_terminals.found(name), f"{name}, terminals of 12 V and loads"
            what = "open, or joined to 0 or 12 V: parts that bear too much until it is ended"
            what += ", except at the − wire of a motor that is on, at 12 V" if carrier(name).kind == "pusher" else ""
            yield Figure(at, what, "0", len(load_terminals.overloads(carrier(name), found)), "", 0, 0)
            what = "loads that are on without a command, except a lamp or alarm whose own − wire is at 0 V"
            yield Figure(at, what, "0", len(load_terminals.unsafe(carrier(name), found)), "", 0, 0)


BOUNCES = ((1, 1.0), (2, 2.0), (3, 3.5), (4, 5.0), (5, 5.0), (6, 5.0))
"""Seeds and longest bounces in ms of the contact traces."""
THRESHOLDS = (
    (UP_LEAST, UP_LEAST - HYSTERESIS_LEAST),
    (0.52, 0.52 - HYSTERESIS_LEAST),
    (UP_MOST, UP_MOST - HYSTERESIS_LEAST),
)
"""V_T+ and V_T− with the least hysteresis, at both ends and in the middle, as parts of the supply."""


def _contacts() -> Iterator[Figure]:
    yield from contacts_of(LINE, THRESHOLDS)


def contacts_of(line: sim.Input, thresholds: Sequence[tuple[float, float]]) -> Iterator[Figure]:
    """The edges that bouncing contacts make at an input with its jumper, at these V_T+ and V_T−."""
    edges, delays = 0, [0.0]
    for up, down in thresholds:
        for seed, longest in BOUNCES:
            falls, rises, closing, opening = sim.edges_of_contact(
                line, sim.bounce_trace(seed, longest), Corner(up=up, down=down)
            )
            edges = max(edges, falls, rises)
            delays += [closing, opening]
    yield Figure(
        "contact, jumper fitted",
        "edges for each movement, bounces of 1 to 5 ms, least hysteresis",
        "1",
        edges,
        "",
        1,
        1,
    )
    yield Figure("contact, jumper fitted", "longest delay", "100 ms or less", max(delays), "ms", 0.0, 100.0)


class Inductive(NamedTuple):
    """A load that a MOSFET switches, with the values at which it is hardest to switch: a cold winding."""

    board: str
    use: str
    text: str
    henry: float
    ohm: float
    feed: str
    back: str = ""
    """The use of its reversing relay, pulled in."""

    @property
    def is_dimmed(self) -> bool:
        """Whether the firmware switches it by pulse-width modulation."""
        return self.use == "motor"


INDUCTIVE: Final = (
    Inductive("pusher", "motor", "shelf motor 4 Ω, 5 mH (3 A blocked)", 5e-3, 4.0, "+12V_MOTOR"),
    Inductive("table", "motor", "motor 4 Ω, 5 mH (3 A blocked)", 5e-3, 4.0, "+12V_MOTOR"),
    Inductive("table", "motor", "the same, reversed", 5e-3, 4.0, "+12V_MOTOR", "motor_back"),
    Inductive("pusher", "hopper", "hopper motor 6 Ω, 8 mH (2 A blocked)", 8e-3, 6.0, "+12V_MOTOR"),
    Inductive("pusher", "hopper", "the same, reversed", 8e-3, 6.0, "+12V_MOTOR", "hopper back"),
    Inductive("pusher", "alarm", "horn or solenoid 12 Ω, 50 mH", 50e-3, 12.0, "+12V_LOAD"),
    Inductive("wheel", "lamp_1", "lamp or solenoid 12 Ω, 50 mH", 50e-3, 12.0, "+12V_LOAD"),
)
DUTIES: Final = (0.5, 253 / 255)
"""Of a motor that is dimmed: where the diode's power is greatest, and the MOSFET's."""
DRAIN_VOLT: Final = 20.0
"""What a diode that works leaves (ours); the suppressor of a reversed motor alone would leave 50 V."""
DIODE_WATT: Final = 0.94
"""1N5822 at 50 °C: 75 K to its 125 °C, by 80 K/W."""
BACK_AMP: Final = 0.5
"""What may flow back through a flyback diode (ours): a Schottky diode's capacitance, not a rectifier's charge."""


class SwitchedCorner(NamedTuple):
    """Parts of a load's own inductance and resistance, and V of the supply and of the module's high."""

    henry: float = 1.2
    ohm: float = budget.COLD
    volts: float = 12.6
    gate: float | None = None
    """None: what the module gives at the least."""


WORST: Final = SwitchedCorner()


def flyback_at(
    load: Inductive,
    board: Circuit | None = None,
    corner: SwitchedCorner = WORST,
    duties: Sequence[float] = DUTIES,
) -> list[Figure]:
    """The figures of one load, at the worst of the duties."""
    hertz = sim.PWM_HZ if load.is_dimmed else sim.SWITCHED_HZ
    gate = sim.pin_high(circuit(load.board)) if corner.gate is None else corner.gate
    found = [
        sim.flyback(
            board or load.board, load.use, henry=load.henry * corner.henry, ohm=load.ohm * corner.ohm, feed=load.feed,
            hertz=hertz, duty=duty, back=load.back, volts=corner.volts, gate=gate,
        )
        for duty in (duties if load.is_dimmed else (0.5,))
    ]  # fmt: skip
    at = f"{load.board}, {load.use}: {load.text}" + (f", by {hertz / 1000:.1f} kHz" if load.is_dimmed else "")
    mean = "mean power"
    return [
        Figure(
            at, "highest at the drain", f"{DRAIN_VOLT:g} V or less (the MOSFET bears {p.NFET.limits['volt']:g} V)",
            max(each.drain_most for each in found), "V", 0.0, DRAIN_VOLT,
        ),
        Figure(
            at, f"MOSFET: {mean} (no heat sink)", "1 W or less", max(each.fet_watt for each in found), "W", -0.1, 1.0
        ),
        *([
            Figure(
                at, f"MOSFET of the + wire: {mean} (no heat sink)", "1 W or less",
                max(each.high_watt for each in found), "W", -0.1, 1.0,
            )
        ] if load.feed != "+12V_LOAD" else []),
        Figure(
            at, "flyback diode: mean current", "3 A or less", max(each.diode_amp for each in found), "A", 0.0,
            p.D5822.limits["amp"],
        ),
        Figure(
            at, f"flyback diode: {mean}, at 50 °C", f"{DIODE_WATT:g} W or less",
            max(each.diode_watt for each in found), "W", -0.01, DIODE_WATT,
        ),
        Figure(
            at, "flyback diode: current back when the MOSFET conducts again", f"{BACK_AMP:g} A or less",
            max(each.diode_back_amp for each in found), "A", 0.0, BACK_AMP,
        ),
    ]  # fmt: skip


def high_side_at(load: Inductive, board: CarrierBoard | None = None, *, heated: bool = True) -> list[Figure]:
    """The figures of the switch at a motor's + wire; `heated`: with its heat while that wire touches 0 V."""
    carrier_board = board or carrier(load.board)
    # The worst of all corners, which the soak has: half on at a fuse's least resistance, late off at its greatest.
    corners = [each for each in load_terminals.corners(carrier_board) if each.limit == load_terminals.LIMITS[-1]]
    found = sim.high_side(carrier_board, load.use, dimmed=load.is_dimmed)
    at = f"{load.board}, {load.use}: switch of its + wire"
    driven = f"at {sim.LEAST_DUTY * 100:.1f} % of its power" if load.is_dimmed else "on"
    return [
        Figure(
            at, f"its − wire at 0 V: current {sim.HIGH_OFF_MS:g} ms after the last command", "10 mA or less",
            abs(found.left_amp) * 1000, "mA", 0.0, 10.0,
        ),
        Figure(
            at, f"{driven}, supply 11.4 V: between gate and source, at the least", "5 V or more (4 V let it conduct)",
            found.gate_least, "V", 5.0, p.PFET.limits["gate"],
        ),
        *([
            Figure(
                at, "its + wire at 0 V, supply's limit 140 %: its junction until it is off, from 50 °C on",
                "150 °C or less (SUP53P06)",
                max(
                    load_terminals.plus_at_0_celsius(carrier_board, load.use, corner, threshold)
                    for corner, threshold in zip(corners, (4.0, 1.0), strict=False)
                ),
                "°C", load_terminals.AMBIENT, load_terminals.JUNCTION,
            )
        ] if heated else []),
        Figure(
            at, "24 V at its feed: between gate and source", f"{p.PFET.limits['gate']:g} V or less",
            found.gate_most, "V", 5.0, p.PFET.limits["gate"],
        ),
        Figure(
            at, "the same while it is on: power in its Zener diode (0.5 W), for comparison", "why 24 V are not borne",
            found.zener_watt, "W", 0.0, 1.0,
        ),
        Figure(
            at, "the same: power in its 220 Ω (0.25 W), for comparison", "why 24 V are not borne", found.resistor_watt,
            "W", 0.0, 0.5,
        ),
    ]  # fmt: skip


STOP_DROP: Final = 0.1
"""V of the fuse and the wires between J1 and the button, at the most."""
HOT: Final = 1.12
"""Copper at 50 °C, as a part of its resistance at 20 °C: a relay's operate voltage rises with it."""


def _pulls_in(at: str, volt: float, relay: PartType) -> Figure:
    need = round(HOT * relay.limits["operate"], 1)
    what = f"over the coil, supply 11.4 V ({relay.limits['operate']:g} V pull it in at 20 °C)"
    return Figure(at, what, f"{need:g} V or more, at 50 °C", volt, "V", need, 12.6)


COILS: Final = (("pusher", "hopper back"), ("table", "motor_back"))
"""Reversing relays: the board, and the use of the firmware."""


def coil_at(
    board: str, use: str, planted: Circuit | None = None, *, volts: float = 12.6, gain: float = 160.0
) -> list[Figure]:
    """The figures of a relay's coil."""
    found = sim.coil_flyback(planted or board, use, volts=volts, gain=gain)
    weak = sim.coil_flyback(planted or board, use, volts=11.4, gain=gain)
    at = f"{board}, {use}: relay coil"
    return [
        Figure(
            at, "highest at the transistor", "45 V or less", found.most_volt, "V", 0.0, p.NPN.limits["volt"]
        ),
        _pulls_in(at, weak.coil_volt, p.REVERSING_RELAY),
        Figure(at, "greatest current", "60 mA or less", found.amp * 1000, "mA", 20.0, 60.0),
        Figure(
            at, "transistor: power while it conducts", "0.625 W or less", found.transistor_watt, "W", 0.0,
            p.NPN.limits["watt"],
        ),
        Figure(
            at, "its diode: energy at each switching off", "1 mJ or less", found.diode_joule * 1000, "mJ", 0.0, 1.0
        ),
    ]  # fmt: skip


def inductive_of(controller: Controller) -> list[Inductive]:
    """The loads at the boards with this module."""
    return [load._replace(board=load.board + controller.suffix) for load in INDUCTIVE]


def drivers_of(controller: Controller) -> Iterator[Figure]:
    """MOSFETs, relays and emergency stop of the boards with this module."""
    for load in inductive_of(controller):
        yield from flyback_at(load)
    for load in inductive_of(controller):
        if load.feed == "+12V_MOTOR" and not load.back:
            yield from high_side_at(load)
    for kind, use, back, henry, ohm in (
        ("pusher", "hopper", "hopper back", 8e-3, 6.0), ("table", "motor", "motor_back", 5e-3, 4.0),
    ):  # fmt: skip
        board = kind + controller.suffix
        turned = sim.reversal(board, use, henry=henry, ohm=ohm * budget.COLD)
        at = f"{board}, {back}: the relay turns while the motor is driven"
        yield Figure(at, "over its open contact", "60 V or less", turned.contact_volt, "V", 0.0, 60.0)
        joule = turned.suppressor_joule * 1000
        yield Figure(at, "energy in the TVS at the motor", "below 600 mJ", joule, "mJ", 0.0, 600.0)
    reels = "reel" + controller.suffix
    yield Figure(
        f"{reels}, drivers", "all off at once behind open relays, 1 A in coils of 5 mH: their motor supply",
        "35 V or less (A4988, capacitor)", sim.steppers_off(reels, 5e-3, 1.0), "V", 12.0, 35.0,
    )  # fmt: skip
    for kind, use in COILS:
        yield from coil_at(kind + controller.suffix, use)
    for board in (kind + controller.suffix for kind in ("table", "reel", "pusher")):
        running = sim.emergency_stop(board, contacts_open=(False, False))
        yield Figure(
            f"{board}, emergency stop", "not pressed: the motors' 12 V", "11 V or more", running.volt, "V", 11.0, 12.6
        )
        for state, text in (
            ((True, True), "pressed"),
            ((True, False), "only contact 11–12 opens"),
            ((False, True), "only contact 21–22 opens"),
        ):
            stopped = sim.emergency_stop(board, contacts_open=state)
            yield Figure(
                f"{board}, emergency stop", f"{text}: the motors' 12 V", "0.5 V or less", stopped.volt, "V", -0.1, 0.5
            )
        relays = [part.ref for part in circuit(board).tagged("motor_supply") if part.type.symbol == "relay"]
        for relay in relays:
            stopped = sim.emergency_stop(board, contacts_open=(True, True), welded=relay)
            yield Figure(
                f"{board}, emergency stop",
                f"pressed, {relay} welded: the motors' 12 V",
                "0.5 V or less",
                stopped.volt,
                "V",
                -0.1,
                0.5,
            )
    board = "pusher" + controller.suffix
    for number in (1, 2):
        amp, _ = sim.stop_coil(board, number, is_open=False, volts=11.4 - STOP_DROP)
        yield _pulls_in(f"emergency stop, K{number}: relay coil", amp * p.POWER_RELAY.number, p.POWER_RELAY)
    _, least = sim.stop_coil(board, 1, is_open=True)
    yield Figure(
        "emergency stop, coils", "lowest at the button's contact when it opens", "−2 V or more", least, "V", -2.0, 12.0
    )


def _lines() -> Iterator[Figure]:
    for use, board, rows, name in (
        ("hopper error", "pusher", ["pull"], "hopper's error line"),
        ("level_x", "wheel", [], "analogue channel"),
    ):
        found = sim.chip_input(board, use, rows)
        if use == "hopper error":
            yield Figure(
                name, "low at the chip's pin, below V_IL (1.5 V) by", "1 V or more", 1.5 - found.low, "V", 1.0, 2.0
            )
            yield Figure(
                name, "open at the chip's pin, above V_IH (3.0 V) by", "1 V or more", found.open - 3.0, "V", 1.0, 3.0
            )
        else:
            yield Figure(name, "error at 0.4 V", "5 mV or less (one step)", abs(found.low - 0.4) * 1000, "mV", 0.0, 5.0)
            leak = abs(sim.divided(board, use, 4.6, rail=5.0, leak=sim.ZENER_LEAK).pin_volt - 4.6) * 1000
            yield Figure(
                name, "error at 4.6 V, its Zener diode leaking 3 µA", "10 mV or less (two steps)", leak, "mV", 0.0, 10.0
            )
            yield Figure(name, "wire cut: at the chip's pin", "0.1 V or less", found.open, "V", -0.1, 0.1)
        yield Figure(
            f"24 V on {name}", "current into the chip's clamp", "1 mA or less", found.clamp_amp * 1000, "mA", -1.0, 1.0
        )
        yield Figure(f"24 V on {name}", "at the chip's pin", "6.0 V or less", found.at_24v, "V", 3.0, 6.0)
        yield Figure(
            f"24 V on {name}",
            "power in the 2.2 kΩ",
            "0.25 W or less",
            found.series_watt,
            "W",
            0.0,
            p.R2K2.limits["watt"],
        )
    opens = "Vg g 0 PULSE(5 0 1u 1n 1n 1 2)\nSg {n} 0 g 0 OPENS"
    i2c = sim.rise_time("pusher", "fram data", "fram data", opens, "fram data", 50e-12)
    yield Figure("FRAM, 50 pF", "rise of the data line, 30 to 70 %", "300 ns or less (400 kHz)", i2c, "ns", 0.0, 300.0)
    push = "Vg g 0 PULSE(0 5 1u 1n 1n 1 2)\nRg g {n} 25"
    for wire in ("data", "clock"):
        edge = sim.rise_time(
            "table", f"lamps {wire}", "column_1" if wire == "data" else "column_2", push, f"chain_{wire}", 500e-12
        )
        yield Figure(
            "chain of seven tiles, 500 pF", f"rise of the {wire}, 30 to 70 %", "125 ns or less", edge, "ns", 0.0, 125.0
        )
    yield Figure("hopper current", "reading at 2 A", "0.2 V ± 5 %", sim.current_reading(2.0), "V", 0.19, 0.21)
    yield from _motor_currents()
    yield from _steppers()
    yield from _read_back()
    low = sim.collector_low("pusher", "accept", volts=12.6, ohm=1000.0)
    yield Figure("acceptor's inhibit, 12 mA", "while the board lets it accept", "0.4 V or less", low, "V", 0.0, 0.4)
    for name, at in (("lamp-tile", "lamps_off"), ("reel", "control_off")):
        yield Figure(
            f"{name}, power-on", "outputs off for", "0.5 s or more", sim.blanking_ms(name, at) / 1000, "s", 0.5, 5.0
        )


LATCHES_NS: Final = 5000.0
"""Between two pulses of a latch, at the least: a frame is shifted between them."""


def chain_of(controller: Controller) -> Iterator[Figure]:
    """What the registers of the lamps see of latch and clock, with pulses as long as the firmware's."""
    for kind in ("table", "reel"):
        yield from chain_at(carrier(kind + controller.suffix))


def chain_at(board: CarrierBoard) -> Iterator[Figure]:
    """As `chain_of`, of one board."""
    least, times = p.TPIC.limits["pulse_ns"], chain_times(board.controller.name)
    at, must = f"{board.name}, chain of lamps, {sim.CHAIN_FARAD * 1e12:g} pF", f"{least:g} ns or more"
    latched, _ = sim.chain_levels(board, "latch", times.latch_low, LATCHES_NS)
    low, high = sim.chain_levels(board, "clock", times.clock_low, times.clock_high)
    for what, ns in (("latch is low", latched), ("clock is low", low), ("clock is high", high)):
        yield Figure(at, f"{what} to a TPIC6C595 for", must, ns, "ns", least, ANY)


PIN_LEAK, REGISTER_LEAK = 1e-6, 10e-6
"""A of a pin of the chip in reset, and of an output of a 74HC595 that is off, at the most."""
STEPPER_HIGH, STEPPER_LOW = 0.7 * 5, 0.3 * 5
"""V_IH and V_IL of an A4988 at 5 V; a DRV8825's are lower and as low."""


def _steppers() -> Iterator[Figure]:
    at = "reel, stepper driver"
    high, low = f"{STEPPER_HIGH:g} V or more", f"{STEPPER_LOW:g} V or less"
    step = ["reel_1"]
    idle = sim.level("reel", step, "reel_1_step", leaks={"reel_1": PIN_LEAK})
    yield Figure(at, "STEP while the chip is in reset", low, idle, "V", -0.1, STEPPER_LOW)
    driven = sim.level("reel", step, "reel_1_step", drives={"reel_1": "Vc c 0 4.2\nRc c {n} 25"})
    yield Figure(at, "STEP while the chip drives it high (4.2 V)", high, driven, "V", STEPPER_HIGH, 5.5)
    off = sim.level("reel", ["reel_1_disable"], "disable_1", leaks={"disable_1": -REGISTER_LEAK})
    yield Figure(at, "ENABLE while the register is blanked: the driver is off", high, off, "V", STEPPER_HIGH, 5.5)
    direction = sim.level("reel", ["reel_1_direction"], "direction_1", leaks={"direction_1": REGISTER_LEAK})
    yield Figure(at, "DIR while the register is blanked", low, direction, "V", -0.1, STEPPER_LOW)
    awake = sim.level("reel", ["reel_1_awake"], "reel_1_awake", leaks={"reel_1_awake": -20e-6})
    yield Figure(at, "SLEEP and RESET: awake", high, awake, "V", STEPPER_HIGH, 5.5)
    for closed, what, must, least, most in (
        ([], "MS1 without its jumper: full steps", low, -0.1, STEPPER_LOW),
        (["reel_1_half"], "MS1 with its jumper: half steps", high, STEPPER_HIGH, 5.5),
    ):
        half = sim.level("reel", ["reel_1_half"], "reel_1_half", leaks={"reel_1_half": 20e-6}, closed=closed)
        yield Figure(at, what, must, half, "V", least, most)
    dark = sim.level("reel", ["field", "sense", "sense_limit"], "+5V_SENSE", leaks={"sense": REGISTER_LEAK})
    yield Figure("reel, emitters", "while the register is blanked", "0.5 V or less", dark, "V", -0.1, 0.5)
    cut = sim.level("reel", ["control_data"], "chain_data_back", leaks={"chain_data_back": PIN_LEAK})
    yield Figure("reel, ribbon to the tiles cut", "data of the control register", low, cut, "V", -0.1, STEPPER_LOW)


def _read_back() -> Iterator[Figure]:
    for vcc in SUPPLIES:
        at = f"table, read back of the lamps, {vcc:g} V"
        rows, wire = ["lamps read_back"], "chain_read_back"
        low = sim.level("table", rows, "lamps read_back", drives={wire: "Vq {n} 0 0.33"}, vcc=vcc)
        yield Figure(at, "a dark lamp, below V_IL by", "0.3 V or more", V_IL_MOST * vcc - low, "V", 0.3, ANY)
        cut = sim.level("table", rows, "lamps read_back", leaks={wire: -PIN_LEAK}, vcc=vcc)
        yield Figure(
            at, "ribbon cut: all as lit, above V_IH by", "0.3 V or more", cut - V_IH_LEAST * vcc, "V", 0.3, ANY
        )


def _motor_currents() -> Iterator[Figure]:
    for board in ("pusher", "table"):
        full = sim.motor_current(board, duty=1.0)
        at = f"{board}, motor current, blocked (4 Ω)"
        yield Figure(
            at, "reading at full power", "0.1 V for each A ± 5 %", full.pin_volt / full.motor_amp, "V", 0.095, 0.105
        )
        yield Figure(at, "from standing until the reading has 80 %", "20 ms or less", full.ms, "ms", 0.0, 20.0)
        yield Figure(at, "power in the shunt", "1 W or less", full.shunt_watt, "W", 0.0, p.R_SHUNT.limits["watt"])
    half = sim.motor_current("pusher", duty=0.5)
    at = "pusher, motor current at half power"
    yield Figure(
        at,
        "reading for each A of the motor and full power",
        "0.095 to 0.12 V (rather too much)",
        half.pin_volt / half.motor_amp / 0.5,
        "V",
        0.095,
        0.12,
    )
    yield Figure(at, "ripple of the reading", "5 mV or less (one step)", half.ripple_volt * 1000, "mV", 0.0, 5.0)
    broken = sim.motor_current("pusher", duty=1.0, open_shunt=True)
    yield Figure(
        "pusher, motor current, shunt open",
        "reading: above every limit, so the motor is switched off",
        "0.5 to 5.5 V",
        broken.pin_volt,
        "V",
        0.5,
        5.5,
    )


def terminal_at(board: CarrierBoard) -> Figure:
    """What the fuses behind J1 let through, against what its terminals bear."""
    fuses, most = cables.board_fuses(board), board.parts["J1"].type.limits["amp"]
    what = f"rated currents of {', '.join(part.ref for part in fuses)} behind it, together"
    total = sum(part.type.limits["amp"] for part in fuses)
    return Figure(f"{board.name}, J1", what, f"{most:g} A or less (a terminal)", total, "A", 0.0, most)


def budget_of(controller: Controller) -> Iterator[Figure]:
    """The 12 V of the money boards with this module and the supply that is chosen."""
    unit = budget.CHOSEN
    for name in CARRIERS:
        if carrier(name).controller is controller:
            yield terminal_at(carrier(name))
    for kind in budget.MONEY:
        board = carrier(kind + controller.suffix)
        states, on = budget.combinations(kind), [budget.most(board)] * 3
        at = f"{board.name}, 12 V"
        every = budget.rail(board, states)
        high = budget.rail(board, on, unit._replace(volt=12.6, tolerance=0.0))
        empty = budget.bank_empty(board)
        released = budget.rail(board, on, released=True)
        volt = every.board_volt
        yield Figure(at, f"{len(states)} combinations of loads: at J1", "11.4 V or more", volt, "V", 11.4, 12.6)
        bears = min(unit.amp, board.parts["J1"].type.limits["amp"])
        yield Figure(
            at, "greatest current, everything on, 12.6 V", f"{bears:g} A or less (J1)", high.most_amp, "A", 0.0, bears
        )
        yield Figure(
            at, "the same while the bank is charged from 7 V", f"{unit.amp:g} A or less", empty.most_amp, "A", 0.0,
            unit.amp,
        )  # fmt: skip
        for text, found in (
            ("the same combinations", every),
            ("while the bank is charged", empty),
            ("emergency stop released", released),
        ):
            yield _margin(at, text, found)
        yield release_at(board)
    board = carrier("pusher" + controller.suffix)
    at = f"{board.name}, 12 V"
    cold = budget.cold_lamp(board)
    yield Figure(
        at, "alarm: a cold filament lamp of 0.5 A", f"{unit.most_amp:g} A or less", cold.most_amp, "A", 0.0,
        unit.most_amp,
    )  # fmt: skip
    yield _margin(at, "alarm: a cold filament lamp of 0.5 A", cold)
    yield _margin(at, "shelf blocked at half power, 3.9 kHz", budget.half_power(board))
    if controller is NANO:
        yield _margin(at, "shelf motor shorted, nothing else on", budget.motor_shorted_alone(board))
    else:
        # Its gate has 5 V and no less, so that the supply is at its limit at once.
        yield from _motor_short(board, "nothing else on", budget.SHELF_ALONE)
    yield from _motor_short(board, "everything on", budget.most(board))


def _motor_short(board: CarrierBoard, on: str, state: budget.Combination) -> Iterator[Figure]:
    short = budget.motor_short(board, state)
    at = f"{board.name}, shelf motor shorted, {on}"
    yield Figure(at, "until the warning, which switches it off", "5 ms or less", short.warned_ms, "ms", 0.0, 5.0)
    yield Figure(at, "10 ms later: at the supervisor", "11.4 V or more", short.back_volt, "V", 11.4, 12.6)
    yield Figure(
        at, "what the fuse of the motors bore", "below 32 A²s (4 A slow: 40 A for 20 ms)", short.fuse_amp2s, "A²s",
        0.0, 32.0,
    )  # fmt: skip


def _budget() -> Iterator[Figure]:
    """With a Nano; for comparison also with the supplies that were named before."""
    yield from budget_of(NANO)
    for former in budget.FORMER:
        found = budget.rail(carrier("pusher"), [budget.most(carrier("pusher"))] * 3, former)
        yield Figure(
            f"pusher, 12 V from {former.amp:g} A", "at the supervisor, for comparison", "why it is not enough",
            found.supervisor_volt, "V", 0.0, 10.9,
        )  # fmt: skip


def release_at(board: CarrierBoard) -> Figure:
    """What the contact that closes last carries when the emergency stop is released."""
    most = p.POWER_RELAY.limits["peak"]
    return Figure(
        f"{board.name}, emergency stop released",
        "peak in the contact that closes last, 0.1 m of cable, capacitors +20 %",
        f"{most:g} A or less (contact of AgSnO2)", budget.release_amp(board), "A", 0.0, most,
    )  # fmt: skip


def _margin(at: str, what: str, found: budget.Rail) -> Figure:
    value = -1.0 if found.warned else found.comparator_volt * 1000
    return Figure(at, f"{what}: comparator above its earliest warning by", "20 mV or more", value, "mV", 20.0, ANY)


def _supply() -> Iterator[Figure]:
    need = hold_up_ms()
    for board in ("reel", "pusher"):
        typical = sim.hold_up(board, Corner(), capacity=1.0)
        worst, aged = sim.least_hold_up(board, 0.8), sim.least_hold_up(board, 0.8 * sim.AGED)
        early = sim.hold_up(board, Corner(pfi=p.SUPERVISOR.limits["pfi_high"]), upper=1.01, lower=0.99)
        at = f"{board}, hold-up"
        yield Figure(at, "warning of the supply, at the latest", "9.5 V or more", worst.trip_volt, "V", 9.5, 12.0)
        yield Figure(
            at,
            "warning of the supply, at the earliest (the supply is 11.4 V at the least)",
            "below 11.4 V",
            early.trip_volt,
            "V",
            9.5,
            11.4,
        )
        yield Figure(
            at, "from the warning until 4.75 V, typical", f"{need} ms or more", typical.reset_ms, "ms", need, ANY
        )
        yield Figure(
            at,
            "the same, bank −20 %, load +10 %, latest warning",
            f"{need} ms or more",
            worst.reset_ms,
            "ms",
            need,
            ANY,
        )
        yield Figure(at, "the same, and the bank aged by 20 %", f"{need} ms or more", aged.reset_ms, "ms", need, ANY)
        yield Figure(
            at, "charging current", "25 A or less (1N5819, once)", typical.charge_amp, "A", 0.0, p.D5819.limits["surge"]
        )
        yield Figure(at, "bank charged to 11 V after power-on", "2 s or less", typical.charged_ms / 1000, "s", 0.0, 2.0)
        joule = p.R_CHARGE.limits["joule"]
        what = "energy in the 4.7 Ω while the bank is charged, bank +20 %, 12.6 V"
        yield Figure(at, what, f"{joule:g} J or less", sim.charge_joule(board), "J", 0.0, joule)
        yield from _failed_bank(board)
    yield Figure(
        "supervisor",
        "least 5 V of the regulator above its greatest reset threshold by",
        "0.1 V or more",
        5.0 * (1 - p.BUCK.limits["accuracy"]) - p.SUPERVISOR.limits["reset_high"],
        "V",
        0.1,
        ANY,
    )
    yield Figure(
        "supervisor",
        "least reset threshold above the chip's greatest brown-out level by",
        "0 V or more",
        p.SUPERVISOR.limits["reset_low"] - BROWN_OUT_MOST,
        "V",
        0.0,
        ANY,
    )
    low, high = sim.reset_levels(4.5)
    yield Figure(
        "supervisor", "RST while it resets, at 4.5 V", "0.45 V or less (0.1 of the supply)", low, "V", 0.0, 0.45
    )
    yield Figure("supervisor", "RST while it does not", "4.05 V or more (0.9 of the supply)", high, "V", 4.05, 4.6)
    yield Figure(
        "supervisor",
        "5 V from USB through the Nano's Schottky diode, for comparison",
        "why that diode is taken out",
        USB_LEAST - NANO_DIODE,
        "V",
        0.0,
        BROWN_OUT_MOST,
    )


def _failed_bank(board: str) -> Iterator[Figure]:
    """What a bank does not prevent: a supply that fails twice, and a capacitor that is a short."""
    aged = 0.8 * sim.AGED
    at, need = f"{board}, supply that fails twice", hold_up_ms()
    for volts, capacity, text in ((12.0, 0.8, "bank −20 %"), (12.0, aged, "aged besides"), (11.4, aged, "and 11.4 V")):
        found = sim.second_failure(board, capacity=capacity, volts=volts, back_s=BACK_S[0])
        what = f"back just before the reset, for {BACK_S[0]:g} s; until 4.75 V, load +10 %, {text}, for comparison"
        yield Figure(at, what, f"what is not promised: {need} ms", found, "ms", 0.0, ANY)
    found = sim.second_failure(board, capacity=aged, volts=11.4, back_s=BACK_S[1])
    yield Figure(at, f"the same, back for {BACK_S[1]:g} s", f"{need} ms or more", found, "ms", need, ANY)
    watt, amp = sim.shorted_bank(board, 12.0)
    at = f"{board}, a capacitor of the bank is a short"
    yield Figure(at, "power in the 4.7 Ω (3 W), for comparison", "what heats it for ever", watt, "W", 3.0, 40.0)
    yield Figure(at, "current of F1 (2 A slow), for comparison", "what does not open it", amp, "A", 0.0, 3.0)


BACK_S: Final = (0.11, 0.2)
"""s for which a supply is good again: hardly until the firmware begins again (`SUPPLY_BACK_MS`), and long enough."""


def _keys_and_lamps() -> Iterator[Figure]:
    for vcc in SUPPLIES:
        one = sim.key_levels(["1_1"], 1, vcc)
        yield Figure(
            f"keypad, {vcc:g} V",
            "row of a pressed key, below V_IL by",
            "0.3 V or more",
            V_IL_MOST * vcc - one["row_1"],
            "V",
            0.3,
            ANY,
        )
        ghost = sim.key_levels(["1_1", "1_2", "2_1"], 2, vcc)
        yield Figure(
            f"keypad, {vcc:g} V",
            "three keys of a rectangle: the row of the fourth, above V_IH by",
            "0.3 V or more",
            ghost["row_2"] - V_IH_LEAST * vcc,
            "V",
            0.3,
            ANY,
        )
    every = sim.key_levels([f"{r}_{c}" for r in (1, 2, 3) for c in (1, 2, 3)], 1, 5.5)
    yield Figure(
        "keypad, all nine keys",
        "greatest current of a column's pin",
        "5 mA or less",
        max(abs(every[f"column_{n}"]) for n in (1, 2, 3)) * 1000,
        "mA",
        0.0,
        5.0,
    )
    for state, text, least, most, must in (
        ("lit", "lit: at the register that reads back", 3.5, 5.5, "above 3.5 V (74HC165, V_IH)"),
        ("dark", "dark", -0.1, 1.0, "below 1.0 V"),
        ("dead", "commanded to light, dead", -0.1, 1.0, "below 1.0 V"),
    ):
        yield Figure("lamp, 20 mA", text, must, sim.lamp_state(0.02, state=state).lit_volt, "V", least, most)
    yield from lamps_with_a_drop()
    yield from lamp_faults()
    for volts in (12, 24):
        for applied, what, low in (
            (0.85 * volts, "15 % below", True),
            (1.25 * volts, "25 % above", True),
            (0.0, "off", False),
        ):
            gate, _, amp = sim.adapter_levels(volts, applied, Corner())
            at = f"adapter {volts} V, {what}"
            if low:
                yield Figure(
                    at, "at the 74HC14, below the least V_T− by", "0.3 V or more", DOWN_LEAST * 5 - gate, "V", 0.3, ANY
                )
                yield Figure(
                    at,
                    "current of the optocoupler",
                    "50 mA or less",
                    amp * 1000,
                    "mA",
                    2.0,
                    p.OPTO.limits["amp"] * 1000,
                )
            else:
                yield Figure(
                    at, "at the 74HC14, above the greatest V_T+ by", "1 V or more", gate - UP_MOST * 5, "V", 1.0, ANY
                )
    yield from chain_of(NANO)


LAMP_LEAST: Final = 6e-3
"""A that a lamp draws on its tile at the least, by 11.4 V: as the list of parts has it."""


def lamps_with_a_drop() -> Iterator[Figure]:
    """What lamps whose LEDs drop more than half of the 12 V draw on a tile, and whether they read as lit."""
    for amp, volts in ((0.02, 12.0), (0.02, 11.4), (0.015, 11.4)):
        found = sim.lamp_state(amp, load_volt=volts, drop=9.6).amp
        least, must = (LAMP_LEAST, f"{LAMP_LEAST * 1000:g} mA or more") if volts < 12 else (0.0, "of 20 mA")
        at = f"lamp of {amp * 1000:g} mA at 12 V, whose LEDs drop 9.6 V, supply {volts:g} V"
        yield Figure(at, "what it draws on its tile", must, found * 1000, "mA", least * 1000, 25.0)
    for drop, least, what, must in (
        (9.6, 3.5, "lit: at the register that reads back", "above 3.5 V (74HC165, V_IH)"),
        (10.5, -0.1, "the same, for comparison", "what reads as dark"),
    ):
        low = sim.lamp_state(0.015, load_volt=11.4, factor=1.0 + p.R_LAMP.tolerance, drop=drop, celsius=0.0)
        at = f"lamp of 15 mA at 12 V, whose LEDs drop {drop:g} V, supply 11.4 V, 0 °C, resistors 5 % too large"
        yield Figure(at, what, must, low.lit_volt, "V", least, 5.5)


def lamp_faults() -> Iterator[Figure]:
    """What a lamp of a tile that is shorted, or a wire of it that touches 0 or 12 V, lets a part bear for ever."""
    volts, factor = 12.6, 1.0 - p.R_LAMP.tolerance
    watt, amp = p.R_LAMP.limits["watt"], p.TPIC.limits["amp"]
    for state, what in (("short", "lamp, shorted"), ("plus at 0 V", "lamp, its + wire at 0 V")):
        if state == "short":
            marked = sim.lamp_state(0.02, state=state, load_volt=volts).amp * 1000
            yield Figure(
                what, "current of its output, resistors as marked (TPIC6C595: 100 mA for ever)",
                f"{amp * 1000:g} mA or less", marked, "mA", 0.0, amp * 1000,
            )  # fmt: skip
        found = sim.lamp_state(0.02, state=state, load_volt=volts, factor=factor)
        yield Figure(
            what, "power in each 68 Ω, 5 % too small", f"{watt:g} W or less", found.resistor_watt, "W", 0.0, watt
        )
    bare = sim.lamp_state(0.02, state="plus at 12 V", load_volt=volts)
    yield Figure(
        "lamp, lit, its + wire at 12 V", "current of its output", f"{amp * 1000:g} mA or less", bare.amp * 1000, "mA",
        0.0, amp * 1000,
    )  # fmt: skip
    yield Figure(
        "lamp, lit, its + wire at 12 V", "at the register: it reads as dark, for comparison", "below 1.0 V",
        bare.lit_volt, "V", -0.1, 1.0,
    )  # fmt: skip
    over = sim.lamp_state(0.02, state="minus at 12 V", load_volt=volts)
    yield Figure(
        "lamp, lit, its − wire at 12 V", "power in its output, for comparison", "what destroys it", over.output_watt,
        "W", 1.0, 4.0,
    )  # fmt: skip


_GROUPS: Final[dict[str, Callable[[], Iterator[Figure]]]] = {
    "inputs": _inputs,
    "surges": _surges,
    "contacts": _contacts,
    "drivers": lambda: drivers_of(NANO),
    "lines": _lines,
    "supply": _supply,
    "budget": _budget,
    "terminals of loads": lambda: load_terminals_of(NANO),
    "keys and lamps": _keys_and_lamps,
}


def shown(figure: Figure) -> str:
    """The value as the page shows it."""
    if figure.unit == "":
        return f"{figure.value:g}"
    value = 0.0 if abs(figure.value) < 5e-3 else figure.value
    digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2
    return f"{value:.{digits}f} {figure.unit}"


def table(found: Iterable[Figure]) -> str:
    """Figures as the table of a page."""
    rows = ["| circuit | what | must be | is |", "|---|---|---|---|"]
    rows += [f"| {each.circuit} | {each.what} | {each.must} | {shown(each)} |" for each in found]
    return "\n".join(rows) + "\n"
