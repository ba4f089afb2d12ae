"""What a money board draws from its 12 V, and whether its supervisor ever takes that for a failure of the supply.

    netlist ──► deck of all 12 V branches + the supply with its limit and resistance + the cable + the loads
            ──► every combination of loads that the firmware can switch on, one after the other
            ──► the greatest current, the least voltage at J1 and at the supervisor, and whether it warned

A motor that is blocked draws what it draws at the moment when it starts. The hopper's is turned back while it may still
turn: then its own voltage adds to the supply's. A supply is taken to fail above its least limit, whatever it does then.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Final, NamedTuple

from firmware.hardware.blocks import V5, V12, V12_IN, V12_LOAD, V12_MOTOR, V33, CarrierBoard
from firmware.hardware.circuit import CircuitPart
from firmware.hardware.controllers import NANO
from firmware.hardware.parts import FUSE_OHM, POWER_RELAY, SUPERVISOR
from firmware.hardware.simulations import PWM_HZ, pin_high, rail_of
from firmware.hardware.spice import Corner, deck, models, node, run


class SupplyUnit(NamedTuple):
    """A power supply of 12 V; parts of its rated current and voltage where no unit is given."""

    amp: float
    volt: float = 12.0
    tolerance: float = 0.01
    """Of its voltage, when it was set with a meter (ours; its own trimmer has more)."""
    regulation: float = 0.005
    """From no load to full load."""
    limit: float = 1.05
    """From here on its voltage may fall (makers state 105 to 110 % at the least)."""
    farad: float = 1e-3
    esr: float = 0.03

    @property
    def most_amp(self) -> float:
        """What it gives at the least before its voltage falls."""
        return self.limit * self.amp


CHOSEN: Final = SupplyUnit(12.5)
FORMER: Final = (SupplyUnit(4.0), SupplyUnit(6.0))
"""What the lists named before: 4 A, and the 6 A of its first source."""

WIRE_OHM, CLAMP_OHM = 0.030, 0.010
CABLE_OHM: Final = WIRE_OHM + CLAMP_OHM
"""1 m of two wires of 1.5 mm² at 50 °C (13.3 mΩ a metre and wire at 20 °C), and four clamped ends."""
CABLE_HENRY: Final = 1e-6
JOINT_HENRY: Final = 0.1e-6
"""0.1 m of wire between the relays and what they feed."""
COLD: Final = 0.92
"""Copper at 0 °C, as a part of its resistance at 20 °C."""
LOGIC_AMP: Final = 0.2
"""What is drawn from the 5 V at the most: `simulations.LOADS`, and sensors of three wires."""
FIRMWARE_MS: Final = 1.0
"""From the supervisor's warning until all outputs are off: the main loop takes less (ours)."""
SETTLE, HOLD = 0.05, 0.012
"""s until the first combination, and for each: five times what the slowest motor's inductance takes."""
EARLY: Final = SUPERVISOR.limits["pfi_high"]
EARLIEST: Final = Corner(pfi=EARLY)
LATE: Final = SUPERVISOR.limits["pfi_low"]
BLOCKED: Final = "starts, or is blocked"
"""The condition of a motor in which it draws most while it is driven forward."""
PINS: Final = ("gate", "back")
"""Sources that are pins of the module: 1 is high, with the voltage that it has at the least."""


class Load(NamedTuple):
    """A load in a deck: its elements, and what drives it in each of its conditions."""

    lines: tuple[str, ...]
    sources: Mapping[str, tuple[str, str]]
    """By name: the nodes between which it is."""
    conditions: Mapping[str, Mapping[str, float]]
    """By what the load does: the value of each source that is not 0, in V; of `PINS`, 1."""


def _switched(name: str, ohm: float, condition: str) -> Load:
    """A load of the lamps' 12 V that the deck switches by itself."""
    lines = (f"R{name} {node(V12_LOAD)} s_{name} {ohm:g}", f"S{name} s_{name} 0 c_{name} 0 LOADSWITCH")
    return Load(lines, {"switch": (f"c_{name}", "0")}, {"off": {}, condition: {"switch": 5.0}})


def _motor(use: str, plus: str, minus: str, ohm: float, henry: float) -> tuple[str, ...]:
    return f"R{use} {node(plus)} {use}_a {ohm * COLD:g}", f"L{use} {use}_a {use}_b {henry:g}"


SHELF: Final = Load(
    _motor("motor", "motor_high", "motor_drain", 4.0, 5e-3),
    {"emf": ("motor_b", node("motor_drain")), "gate": (node("motor"), "0")},
    {"off": {}, "runs": {"gate": 1.0, "emf": 9.0}, BLOCKED: {"gate": 1.0}},
)
HOPPER: Final = Load(
    _motor("hopper", "hopper_plus", "hopper_minus", 6.0, 8e-3),
    {
        "emf": ("hopper_b", node("hopper_minus")), "gate": (node("hopper"), "0"), "back": (node("hopper back"), "0"),
    },
    {
        "off": {},
        "pays": {"gate": 1.0, "emf": 8.0},
        BLOCKED: {"gate": 1.0},
        "is turned back while it turns": {"gate": 1.0, "back": 1.0, "emf": -8.0},
    },
)  # fmt: skip


def _output(use: str) -> Load:
    """A lamp, horn or solenoid of 0.5 A at a driver."""
    lines = (f"R{use} {node(V12_LOAD)} {node(use + '_drain')} 24",)
    return Load(lines, {"gate": (node(use), "0")}, {"off": {}, "on": {"gate": 1.0}})


TABLE_MOTOR: Final = Load(
    _motor("motor", "motor_plus", "motor_minus", 4.0, 5e-3),
    {
        "emf": ("motor_b", node("motor_minus")), "gate": (node("motor"), "0"), "back": (node("motor_back"), "0"),
    },
    {
        "off": {},
        BLOCKED: {"gate": 1.0},
        "starts backwards": {"gate": 1.0, "back": 1.0},
    },
)  # fmt: skip
ACCEPTOR: Final = Load(
    (
        *_switched("acceptor", 24.0, "").lines,
        # The greatest current of an inhibit's own pull-up.
        f"Rinhibit {node(V12_LOAD)} {node('accept_line')} 1000",
    ),
    {"switch": ("c_acceptor", "0"), "gate": (node("accept"), "0")},
    {"off": {}, "takes a token": {"switch": 5.0, "gate": 1.0}},
)


def _lamps(count: int) -> Load:
    return _switched("lamps", 12 / (count * 0.02), f"all {count} lit")


STEPPER_AMP: Final = 1.41
"""Of one stepper from the 12 V at the most: two coils of 1 A at 71 %, and a driver that does not chop."""
STEPPERS: Final = Load(
    (f"Bsteppers {node(V12_MOTOR)} 0 I = {STEPPER_AMP}*v(c_steppers)*min(1,max(0,v({node(V12_MOTOR)})))",),
    {"count": ("c_steppers", "0")},
    {text: {"count": float(number)} for number, text in enumerate(("off", "one turns", "two turn", "three turn"))},
)
LOADS: Final[Mapping[str, Mapping[str, Load]]] = {
    "reel": {"reels": STEPPERS, "lamps": _lamps(16), "acceptor": ACCEPTOR},
    "pusher": {"shelf": SHELF, "hopper": HOPPER, "alarm": _output("alarm"), "acceptor": ACCEPTOR},
    "wheel": {f"lamp_{number}": _output(f"lamp_{number}") for number in range(1, 5)},
    "table": {"motor": TABLE_MOTOR, "lamps": _lamps(56)},
}
"""What the firmware can switch on, by kind of board."""
MONEY: Final = ("reel", "pusher")
"""Kinds of board with a bank and a supervisor."""
_STOP_ROWS: Final = ("supply", "load_supply", "motor_supply", "estop_1", "estop_2")
_MONEY_ROWS: Final = (*_STOP_ROWS, "bank", "bank_more", "power_fail", "acceptor_feed", "accept")
ROWS: Final[Mapping[str, Sequence[str]]] = {
    "reel": (*_MONEY_ROWS, *(f"reel_{number}_{row}" for number in (1, 2, 3) for row in ("motor", "store"))),
    "pusher": (
        *_MONEY_ROWS,
        "motor", "motor_high", "motor_shunt",
        "hopper", "hopper_high", "hopper_relay", "hopper_relay_2", "hopper_shunt", "hopper back",
        "alarm",
    ),
    "wheel": ("supply", "load_supply", *(f"lamp_{number}" for number in range(1, 5))),
    "table": (*_STOP_ROWS, "motor", "motor_high", "motor_shunt", "motor_relay", "motor_relay_2", "motor_back"),
}  # fmt: skip

Combination = tuple[str, ...]
"""The condition of each load of a board."""


def combinations(kind: str) -> list[Combination]:
    """Each load of a kind of board in each of its conditions, beside each of all others."""
    return list(product(*(load.conditions for load in LOADS[kind].values())))


def most(board: CarrierBoard) -> Combination:
    """Every load in its last condition, in which it draws most."""
    return combinations(board.kind)[-1]


class Rail(NamedTuple):
    """The 12 V of a board while its loads are switched."""

    most_amp: float
    """From the supply."""
    board_volt: float
    """At J1, at the least."""
    supervisor_volt: float
    """Where it looks, at the least."""
    comparator_volt: float
    """At its input, above the threshold at which it warns, at the least."""
    warned: bool


def rail(
    board: CarrierBoard,
    states: Sequence[Combination],
    unit: SupplyUnit = CHOSEN,
    *,
    more: Sequence[str] = (),
    replaced: Mapping[str, str] | None = None,
    released: bool = False,
) -> Rail:
    """The loads go through these combinations; the supervisor warns as early as it can.

    `more`: further elements; `replaced`: other sources, by load and source; `released`: the emergency stop was pressed,
    and its relays close in the middle of the last combination.

    Raises:
        SimulationError: ngspice is missing or failed.
    """
    end = SETTLE + len(states) * HOLD
    window = f"from={SETTLE - 0.01:g} to={end:g}"
    lines = power_deck(board, states, unit, replaced=replaced or {}, released=end - HOLD / 2 if released else None)
    found = run(
        f"{board.name}: budget of the 12 V, supply of {unit.amp:g} A", [*lines, *more], f"tran 200u {end:g} 0 500u",
        {
            "most": f"max i(lcable) {window}", "board": f"min v({node(V12_IN)}) {window}",
            "seen": f"min v({node(V12)}) {window}", "pfi": f"min v({node('PFI')}) {window}",
            "warns": f"max v({node('power_fail')}) {window}",
        },
    )  # fmt: skip
    return Rail(found["most"], found["board"], found["seen"], found["pfi"] - EARLY, found["warns"] > half_of(board))


def bank_empty(board: CarrierBoard) -> Rail:
    """Everything is on, and the bank is charged from the least voltage of the regulator.

    Raises:
        SimulationError: ngspice is missing or failed.
    """
    return rail(board, [most(board)] * 4, more=[f".ic v({node('BANK')})=7"])


def cold_lamp(board: CarrierBoard, unit: SupplyUnit = CHOSEN) -> Rail:
    """The alarm is a filament lamp, which draws ten times its current when it is cold; everything else is on.

    Raises:
        SimulationError: ngspice is missing or failed.
    """
    on = most(board)
    dark = (*on[:2], "off", on[3])
    over = f"v({node(V12_LOAD)},{node('alarm_drain')})"
    cold = f"Bcold {node(V12_LOAD)} {node('alarm_drain')} I = 9/24*{over}*exp(-max(time-{SETTLE + 2 * HOLD:g},0)/5m)"
    return rail(board, [dark, dark, on, on], unit, more=[cold])


def half_power(board: CarrierBoard) -> Rail:
    """The shelf is blocked at half its power, by pulses of 3.9 kHz; everything else is on.

    Raises:
        SimulationError: ngspice is missing or failed.
    """
    pulses = f"PULSE(0 {pin_high(board):g} {SETTLE} 50n 50n {0.5 / PWM_HZ:.6g} {1 / PWM_HZ:.6g})"
    return rail(board, [most(board)], replaced={"shelf_gate": pulses})


def release_amp(board: CarrierBoard) -> float:
    """The greatest current of the contact that closes last when the emergency stop is released, in A.

    At its worst: 12.6 V, 0.1 m of cable, all capacitors 20 % too large with half their resistance, contacts of 5 mΩ,
    the fuses' least resistance, everything that moves on.

    Raises:
        SimulationError: ngspice is missing or failed.
    """
    unit = CHOSEN._replace(volt=12.6, tolerance=0.0, farad=1.2 * CHOSEN.farad, esr=0.5 * CHOSEN.esr)
    closes = SETTLE + HOLD / 2
    lines = power_deck(board, [most(board)], unit, released=closes, vary=_charged_most)
    lines = [_HALVED.sub(lambda found: f"{found[1]}{float(found[2]) / 2:g}", line) for line in lines]
    lines = [line.replace(f"cable {CABLE_OHM:g}\n", f"cable {WIRE_OHM / 10 + CLAMP_OHM:g}\n") for line in lines]
    lines = [line.replace(f"{node(V12_IN)} {CABLE_HENRY:g}", f"{node(V12_IN)} {CABLE_HENRY / 10:g}") for line in lines]
    lines = [line.replace(f" {FUSE_OHM}", f" {LEAST_FUSE_OHM}") if line.startswith("RF") else line for line in lines]
    lines = [line.replace("VH=0.1 RON=0.02 ", "VH=0.1 RON=0.005 ") for line in lines]
    last = [part.ref for part in board.tagged("motor_supply") if part.type.symbol == "relay"][-1]
    window = f"from={SETTLE:g} to={SETTLE + HOLD:g}"
    found = run(
        f"{board.name}: emergency stop released", lines, f"tran 2u {SETTLE + HOLD:g} {SETTLE:g} 2u",
        {"amp": f"max i(vm{last.lower()}_c) {window}"},
    )  # fmt: skip
    return found["amp"]


def _charged_most(part: CircuitPart) -> float:
    """A capacitor at its largest, a resistor at its least."""
    return 1 + part.type.tolerance if part.type.letter == "C" else 1 - part.type.tolerance


LEAST_FUSE_OHM: Final = 0.02
_HALVED: Final = re.compile(r"^(RC\d+_esr \S+ \S+ )(\S+)$")


SHELF_ALONE: Final[Combination] = ("runs", "off", "off", "off")
"""Of a pusher."""


class MotorShort(NamedTuple):
    """The shelf motor is shorted."""

    warned_ms: float
    """Until the chip has the warning."""
    back_volt: float
    """At the supervisor, 10 ms after the outputs are off."""
    fuse_amp2s: float
    """What the fuse of the motors bore, in A²s."""


def motor_short(board: CarrierBoard, state: Combination, unit: SupplyUnit = CHOSEN) -> MotorShort:
    """The shelf motor is shorted while the loads are in this state.

    The firmware switches all outputs off `FIRMWARE_MS` after the warning, and so the short as well.

    Raises:
        SimulationError: ngspice is missing or failed, or there is no warning.
    """
    begin, on = SETTLE + HOLD, [state] * 4
    heat = f"(v({node(V12_IN)},{node('MOTOR_FUSED')})/{FUSE_OHM})^2"
    short = [*_shorted(begin), f"Bheat heat 0 V = {heat}\nRheat heat 0 1"]
    warned = run(
        f"{board.name}: shelf motor shorted", [*power_deck(board, on, unit), *short],
        f"tran 50u {begin + 0.01:g} 0 50u",
        {"t": f"when v({node('power_fail')})={half_of(board):g} rise=1 td={SETTLE + HOLD / 2:g}"},
    )["t"]  # fmt: skip
    off = warned + FIRMWARE_MS / 1000
    end = off + 0.01
    found = run(
        f"{board.name}: shelf motor shorted, and off", [*power_deck(board, on, unit, until=off), *short],
        f"tran 50u {end:g} 0 50u",
        {"volt": f"find v({node(V12)}) at={end - 1e-4:g}", "heat": f"integ v(heat) from={begin:g} to={end:g}"},
    )  # fmt: skip
    return MotorShort((warned - begin) * 1000, found["volt"], found["heat"])


def motor_shorted_alone(board: CarrierBoard) -> Rail:
    """The shelf motor is shorted while it alone runs.

    Raises:
        SimulationError: ngspice is missing or failed.
    """
    return rail(board, [SHELF_ALONE] * 3, more=_shorted(SETTLE + HOLD))


def _shorted(begin: float) -> list[str]:
    """0.2 Ω across the terminals of the shelf motor: its cable's own resistance."""
    return [
        f"Sshort {node('motor_high')} {node('motor_drain')} c_short 0 SHORTED",
        ".model SHORTED SW(VT=2.5 VH=0.1 RON=0.2)",
        f"Vshort c_short 0 PWL(0 0 {begin:g} 0 {begin + 1e-6:g} 5)",
    ]


def early(part: CircuitPart) -> float:
    """The divider whose tolerances make the warning as early as it can be."""
    if "power_fail" not in part.tags:
        return 1.0
    return {"73.2 kΩ": 1.01, "10 kΩ": 0.99}.get(part.type.value, 1.0)


def late(part: CircuitPart) -> float:
    """The divider whose tolerances make the warning as late as it can be."""
    return 2.0 - early(part)


def half_of(board: CarrierBoard) -> float:
    """Half of the voltage of the module's pins."""
    return rail_of(board, Corner()) / 2


def power_deck(
    board: CarrierBoard,
    states: Sequence[Combination],
    unit: SupplyUnit,
    *,
    replaced: Mapping[str, str] | None = None,
    released: float | None = None,
    until: float | None = None,
    vary: Callable[[CircuitPart], float] | None = None,
    corner: Corner = EARLIEST,
) -> list[str]:
    """All 12 V branches of a board with its loads; all gates go low at `until`."""
    relays = [part.ref for part in board.parts.values() if part.type is POWER_RELAY]
    suppressors = [part.ref for part in board.parts.values() if part.type.symbol == "tvs"]
    parts = deck(board, ROWS[board.kind], closed=relays, vary=vary or early, without=suppressors)
    if released is not None:
        contacts = tuple(f"R{ref}_c " for ref in relays)
        parts = [_contact(line, released) if line.startswith(contacts) else line for line in parts]
    times = [SETTLE + number * HOLD for number in range(len(states))]
    lines = [
        *models(corner),
        *parts,
        *_unit(unit),
        *(f"Rstop{n} {node(V12)} {node(f'estop_coil_{n}')} 0.05" for n in (1, 2)),
        f"Blogic {node(V5)} 0 I = {LOGIC_AMP}*min(1,max(0,v({node(V5)})))",
        f"Rpin {node('power_fail')} 0 10meg",
        *([] if board.controller is NANO else [f"V33 {node(V33)} 0 {board.controller.volt:g}"]),
        ".model LOADSWITCH SW(VT=2.5 VH=0.1 RON=0.01 ROFF=1e7)",
        ".model CONTACT SW(VT=2.5 VH=0.1 RON=0.02 ROFF=1e8)",
        # Trapezoidal integration rings for ever at the cable's inductance.
        ".options method=gear",
    ]
    for place, (name, load) in enumerate(LOADS[board.kind].items()):
        lines += load.lines
        for source, (plus, minus) in load.sources.items():
            high = pin_high(board) if source in PINS else 1.0
            values = [high * load.conditions[state[place]].get(source, 0.0) for state in states]
            points = list(zip(times, values, strict=True))
            if until is not None and source != "emf":
                points = [*(each for each in points if each[0] < until), (until, 0.0)]
            key = f"{name}_{source}"
            lines.append(f"V{key} {plus} {minus} {(replaced or {}).get(key, _steps(points))}")
    return lines


def _steps(points: Sequence[tuple[float, float]]) -> str:
    """A source that is 0 V at first, and goes in 10 µs to the next value at each time."""
    text, last = "PWL(0 0", 0.0
    for at, value in points:
        text += f" {at:.6f} {last:g} {at + 1e-5:.6f} {value:g}"
        last = value
    return text + ")"


def _contact(line: str, closes: float) -> str:
    """A relay's closed contact as one that closes at a time, in s; `Vm` and its name measures its current."""
    name, one, two, _ = line.split()
    control = f"PWL(0 0 {closes:g} 0 {closes + 1e-6:g} 5)"
    return (
        f"S{name[1:]} {one} m_{name} c_{name} 0 CONTACT\nVm{name[1:]} m_{name} l_{name} 0\n"
        f"Lm{name[1:]} l_{name} {two} {JOINT_HENRY / 2:g}\n"
        f"V{name[1:]} c_{name} 0 {control}"
    )


def _unit(unit: SupplyUnit) -> list[str]:
    """A supply at its lowest voltage, and its cable."""
    volt, ohm = unit.volt * (1 - unit.tolerance), unit.regulation * unit.volt / unit.amp
    return [
        f"Bsupply 0 supply I = {unit.most_amp:g}*tanh(({volt:g}-v(supply))/{unit.most_amp * ohm:g})",
        f"Csupply supply supply_c {unit.farad:g}\nRsupply supply_c 0 {unit.esr:g}",
        f"Rcable supply cable {CABLE_OHM:g}\nLcable cable {node(V12_IN)} {CABLE_HENRY:g}",
    ]
