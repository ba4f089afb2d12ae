"""Each terminal of what a board supplies or switches joined to 0 or 12 V, or open: what each part bears, in ngspice.

    netlist ──► terminals ──► the deck of the budget with a fault at one: all loads off, all on, each motor alone
            ──► the power of each part ──► against its limits, until it is ended: by a fuse, a warning, a stall

Each at the corners: the motors' resettable fuses at their least and at their greatest resistance, the supply's limit at
105, 120 and 140 % of its current, the warning as late as it can be (an earlier one only shortens a fault). 12 V is that
of the lamps, behind its fuse: no wire with 12 V leaves a board without one. A part that bears more than it may for ever
must bear that until a fuse opens, at the latest (of a resettable one partly ours), or the firmware switches off.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, Literal, NamedTuple

from firmware.hardware import parts as p
from firmware.hardware.blocks import V5, V12_IN, V12_LOAD, CarrierBoard
from firmware.hardware.boards import carrier
from firmware.hardware.budget import (
    BLOCKED,
    CABLE_OHM,
    CHOSEN,
    HOLD,
    LATE,
    LOADS,
    LOGIC_AMP,
    MONEY,
    ROWS,
    SETTLE,
    Combination,
    SupplyUnit,
    combinations,
    half_of,
    late,
    most,
    power_deck,
)
from firmware.hardware.circuit import GND, CircuitPart
from firmware.hardware.controllers import NANO
from firmware.hardware.firmware_times import motor_times
from firmware.hardware.spice import Corner, metered, node, run
from firmware.hardware.terminals import OPENS_FROM, elements

Fault = Literal["open", "0 V", "12 V"]
FAULTS: Final[tuple[Fault, ...]] = ("open", "0 V", "12 V")
STRONG: Final = Corner(pfi=LATE, gain=400.0)
HIGHEST: Final = CHOSEN._replace(volt=12.6, tolerance=0.0)
SMALL: Final = HIGHEST._replace(amp=6.0)
"""Of a board without a supervisor."""
WIRE_OHM: Final = 0.05
"""Of the wires that a fault joins."""
FET_WATT: Final = 1.0
"""A MOSFET in a TO-220 without a heat sink, for ever (ours)."""
AMBIENT, JUNCTION = 50.0, 150.0
"""°C of a MOSFET before a fault (ours), and at the most: of SUP53P06; the others bear 175 °C."""
CASE_JOULE: Final = 0.8
"""J/K of a TO-220, by the mass of its copper (ours): a fault ends before it gives much of its heat to the air."""
DIE_JOULE: Final = 5e-3
"""J/K of its chip (ours): 5 × 4 × 0.15 mm of silicon."""
AIR_KELVIN_WATT: Final = 62.0
"""From its case to the air, without a heat sink."""
SHUNT_JOULE: Final = 25.0
"""Five times its power for five seconds, as data sheets of such resistors have it."""
SLOW_FUSE: Final = ((2.1, 120.0), (2.75, 10.0), (4.0, 3.0), (10.0, 0.3))
"""Times its rated current, and s in which it opens at the latest (IEC 60127-2, sheet 3)."""
RESETTABLE: Final = (OPENS_FROM, (5.0, 7.2))
"""The same of a resettable fuse: 7.2 s by the data sheet, its one time (MF-R090; MF-R010 takes 4 s); 60 s are ours."""


REGULATOR_LEAST: Final = 7.0
"""V at the input of the 5 V regulator at the least, less than which a gate would be half on."""
OFF_S: Final = 0.02
"""Until a warning or a reset has all outputs off (ours; the chip takes less)."""


class LoadCorner(NamedTuple):
    """What varies between specimens, and decides what ends a fault."""

    ohm: Literal["ohm_least", "ohm_most"] = "ohm_least"
    """Of the motors' resettable fuses."""
    limit: float = CHOSEN.limit
    """Of the supply's current."""

    def vary(self, part: CircuitPart) -> float:
        """The factor on a part's value."""
        if part.type is p.C_BANK:
            # Charged when the state is looked at, also where ngspice begins with an empty one.
            return 1e-3
        return part.type.limits[self.ohm] / part.type.number if part.type is p.PTC_MOTOR else late(part)


LIMITS: Final = (CHOSEN.limit, 1.2, 1.4)


class LoadTerminal(NamedTuple):
    """A pin of a connector at which a wire of the 12 V or of a load is."""

    ref: str
    pin: str
    net: str


class LoadOverload(NamedTuple):
    """A part that bears too much: where, in which fault and state, and what of its limit; and for how long."""

    terminal: LoadTerminal
    fault: Fault
    state: str
    part: str
    unit: str
    value: float
    limit: float
    seconds: float
    """Until it is ended; endless: nothing ends it."""


class UncommandedLoad(NamedTuple):
    """A load that has current while the firmware has it off."""

    terminal: LoadTerminal
    fault: Fault


class LoadFaults(NamedTuple):
    """What faults at terminals do."""

    overloads: tuple[LoadOverload, ...]
    moved: tuple[UncommandedLoad, ...]


def terminals(board: CarrierBoard) -> list[LoadTerminal]:
    """Every terminal at a net of the 12 V or of a load, but those of steppers: their driver carriers have no model."""
    tagged = (part for row in ROWS[board.kind] for part in board.tagged(row) if part.type.spice)
    nets = {net for part in tagged for net in part.nets.values()} - {GND}
    return [
        LoadTerminal(part.ref, pin, net)
        for part in board.parts.values()
        if part.type.letter == "J" and part.type is not p.RIBBON
        for pin, net in part.nets.items()
        if net in nets
    ]


def supply_of(board: CarrierBoard) -> SupplyUnit:
    """The supply of a board, at its highest voltage."""
    return HIGHEST if board.kind in MONEY else SMALL


def resets(board: CarrierBoard) -> bool:
    """Whether a 5 V that sags resets the module, so that its outputs are off.

    A Nano without a supervisor runs on: its USB keeps its 5 V at 4.3 to 4.7 V, with which gates are still on.
    """
    return any(part.type is p.SUPERVISOR for part in board.parts.values())


def corners(board: CarrierBoard) -> list[LoadCorner]:
    """The corners of a board; those of the fuses where a motor has its own."""
    has_own = any(part.type is p.PTC_MOTOR for part in board.parts.values())
    ohms: tuple[Literal["ohm_least", "ohm_most"], ...] = ("ohm_least", "ohm_most") if has_own else ("ohm_least",)
    return [LoadCorner(ohm, limit) for ohm in ohms for limit in LIMITS]


def states(board: CarrierBoard) -> dict[str, Combination]:
    """All loads off, all on, and each motor alone, by name."""
    loads = LOADS[board.kind]
    found = {"off": combinations(board.kind)[0], "on": most(board)}
    for motor in (name for name, load in loads.items() if BLOCKED in load.conditions):
        found[f"{motor} alone"] = tuple(BLOCKED if name == motor else "off" for name in loads)
    return found


def different(board: CarrierBoard) -> list[LoadTerminal]:
    """One terminal of each net, and of nets that differ in a number."""
    return list({re.sub(r"\d", "0", each.net): each for each in terminals(board)}.values())


def _opens_s(part: CircuitPart, ampere: float) -> float:
    """s until a fuse opens at the latest; endless below what opens it."""
    resettable = "trip" in part.type.limits
    found = float("inf")
    for times, seconds in RESETTABLE if resettable else SLOW_FUSE:
        if ampere >= times * part.type.limits["amp"]:
            found = seconds
    return found


def _bears(part: CircuitPart) -> tuple[str, float] | None:
    """What a part is limited in, and how much of it it bears for ever; none where nothing limits it."""
    symbol, limits = part.type.symbol, part.type.limits
    if symbol in ("nfet", "pfet"):
        return "W", FET_WATT
    if "watt" in limits and part.type.letter in "RQ":
        return "W", limits["watt"]
    if part.type.letter == "D" and "amp" in limits and symbol != "tvs":
        return "A", limits["amp"]
    return None


def junction(part: CircuitPart, watt: float, seconds: float) -> float:
    """°C of a MOSFET without a heat sink after this power for this long: from the chip to the case, and the case's."""
    return AMBIENT + watt * part.type.limits["kelvin_watt"] + watt * seconds / CASE_JOULE


def _survives(part: CircuitPart, value: float, seconds: float) -> bool:
    """Whether a part bears for a time what it does not bear for ever."""
    if part.type.symbol in ("nfet", "pfet"):
        return junction(part, value, seconds) <= JUNCTION
    return value * seconds <= (SHUNT_JOULE if part.type is p.R_SHUNT else 0.0)


def _usb_fed(board: CarrierBoard, lines: list[str]) -> list[str]:
    """A deck whose 5 V remain: with the regulator a short has no state that lasts; what its sag does is `resets`."""
    regulator = next(part.ref for part in board.parts.values() if part.type is p.BUCK)
    return [
        *(line for line in lines if not line.startswith(f"X{regulator} ")),
        f"V5 s_5 0 5\nR5 s_5 {node(V5)} 0.1\nIlogic {node('VREG')} 0 {LOGIC_AMP / 2:g}",
    ]


def findings(board: CarrierBoard, terminal: LoadTerminal, fault: Fault, corner: LoadCorner | None = None) -> LoadFaults:
    """The parts that are overloaded, and whether a load has current that the firmware has off.

    Raises:
        SimulationError: ngspice is missing or failed.
    """
    at, its = node(terminal.net), corner or LoadCorner()
    loaded = states(board)
    unit = supply_of(board)._replace(limit=its.limit)
    lines = power_deck(board, list(loaded.values()), unit, corner=STRONG, vary=its.vary)
    lines = [_cable(line, fault == "open" and terminal.net == V12_IN) for line in _usb_fed(board, lines)]
    if fault == "open":
        lines = [*(_cut(line, at) for line in lines), f"Rcut cut {at} 1e6"]
    elif fault == "0 V":
        lines.append(f"Rfault {at} 0 {WIRE_OHM}")
    elif terminal.net != V12_LOAD:
        lines.append(f"Rfault {at} {node(V12_LOAD)} {WIRE_OHM}")
    there = {line.split()[0].lower() for text in lines for line in text.splitlines()}
    asked: dict[str, tuple[CircuitPart, str]] = {}
    for part in board.parts.values():
        bears = _bears(part)
        what = "i" if part.type.symbol == "fuse" else "p" if bears and bears[0] == "W" else "id" if bears else ""
        for element in elements(part) if what else ():
            if element in there:
                asked[f"m{len(asked)}"] = (part, f"@{element}[{what}]")
    loads = {f"l{n}": (use, f"@{use}[i]") for n, use in enumerate(_loads(there))}
    times = [SETTLE + number * HOLD - 1e-4 for number in range(1, len(loaded) + 1)]
    measures = {
        f"{key}_{number}": f"find {how} at={t:g}"
        for key, (_, how) in {**asked, **loads}.items()
        for number, t in enumerate(times)
    }
    seen = {"warn": node("power_fail"), "in": node("VREG")}
    measures |= {
        f"{key}_{number}": f"find v({its}) at={t:g}" for key, its in seen.items() for number, t in enumerate(times)
    }
    lines.append(".save all " + " ".join(how for _, how in (*asked.values(), *loads.values())))
    title = f"{board.name} {terminal.ref}.{terminal.pin}: {fault}"
    values = run(title, lines, f"tran 100u {SETTLE + len(loaded) * HOLD:g} 0 200u", measures)
    found: list[LoadOverload] = []
    for number, state in enumerate(loaded):
        sums: dict[str, float] = {}
        for key, (part, _) in asked.items():
            sums[part.ref] = sums.get(part.ref, 0.0) + abs(values[f"{key}_{number}"])
        seconds = min(
            _opens_s(board.parts[ref], value) for ref, value in sums.items() if board.parts[ref].type.symbol == "fuse"
        )
        driven = state != "off"
        if (low := values[f"in_{number}"]) < REGULATOR_LEAST and fault != "open" and driven:
            if resets(board):
                seconds = min(seconds, OFF_S)
            elif board.controller is not NANO:
                found.append(
                    LoadOverload(terminal, fault, state, "the 5 V: it sags", "V", low, REGULATOR_LEAST, seconds)
                )
        if driven and board.kind in MONEY and values[f"warn_{number}"] > half_of(board):
            seconds = min(seconds, OFF_S)
        for ref, value in sums.items():
            part = board.parts[ref]
            bears = _bears(part)
            if bears is None or value <= bears[1]:
                continue
            lasts = min(seconds, _stops_s(part)) if driven else seconds
            if not _survives(part, value, lasts):
                name = f"{ref} ({part.type.name})"
                found.append(LoadOverload(terminal, fault, state, name, bears[0], value, bears[1], lasts))
    moved = any(abs(values[f"{key}_0"]) > 0.1 for key in loads)
    return LoadFaults(tuple(found), (UncommandedLoad(terminal, fault),) if moved else ())


def _stops_s(part: CircuitPart) -> float:
    """s until the firmware has switched off a motor that does not turn, or brings no token; endless for others.

    A hopper runs again after each time that it is turned back, and each run has the time until a first token.
    """
    times = motor_times()
    if any(tag.startswith("motor") for tag in part.tags):
        return times.shelf_stall / 1000
    if any(tag.startswith("hopper") for tag in part.tags):
        return (times.hopper_backs + 1) * (times.hopper_jam + times.hopper_spin_up) / 1000
    return float("inf")


def _loads(there: set[str]) -> list[str]:
    """The resistors of the budget's loads that are switched by a driver of the board."""
    return sorted(there & {"rmotor", "rhopper", "ralarm", *(f"rlamp_{n}" for n in range(1, 5))})


def _cable(line: str, is_open: bool) -> str:
    """The cable of the supply without its inductance, with which a fault that lasts has nothing to do; or open."""
    if not line.startswith("Rcable "):
        return line
    return f"Rcable supply {node(V12_IN)} {1e9 if is_open else CABLE_OHM:g}"


_WIRED: Final = (
    "rmotor ", "rhopper ", "ralarm ", "racceptor ", "rinhibit ", "rlamp", "rstop", "vshelf_emf ", "vhopper_emf ",
    "vmotor_emf ",
)  # fmt: skip
"""The elements of the budget's loads that are at terminals, and the contacts of the emergency stop."""


def _cut(line: str, at: str) -> str:
    """A load without its wire to a node."""
    return f"{line} ".replace(f" {at} ", " cut ", 1).rstrip() if line.lower().startswith(_WIRED) else line


def overloads(board: CarrierBoard, found: LoadFaults) -> list[LoadOverload]:
    """The overloads but those that the page tells: MOSFET and shunt of a commanded motor whose − wire is at 12 V.

    The shunt lifts the source, so that the weakest one is half on before a supply of 12.5 A fails. Where it is lost
    the switch of the + wire still keeps the motor off.
    """
    return [each for each in found.overloads if not _told(board, each)]


def _told(board: CarrierBoard, each: LoadOverload) -> bool:
    use, _, wire = each.terminal.net.partition("_")
    if each.fault != "12 V" or each.state == "off" or wire not in ("drain", "minus"):
        return False
    if board.inductive.get(f"{use}_drain", V12_LOAD) == V12_LOAD:
        return False
    return each.part.split()[0] in {part.ref for part in board.tagged(use, f"{use}_shunt")}


def unsafe(board: CarrierBoard, found: LoadFaults) -> list[UncommandedLoad]:
    """Loads that are on without a command, but lamps and alarms whose − wire is at 0 V: they move and pay nothing."""
    return [each for each in found.moved if each.fault != "0 V" or board.inductive.get(each.terminal.net) != V12_LOAD]


@cache
def found(name: str) -> LoadFaults:
    """What any fault at any terminal of a board does; simulated once in a process.

    Raises:
        SimulationError: ngspice is missing or failed.
    """
    board = carrier(name)
    every = [
        findings(board, terminal, fault, corner)
        for terminal in different(board)
        for fault in FAULTS
        for corner in (corners(board) if fault != "open" else (LoadCorner(),))
    ]
    return LoadFaults(
        tuple(each for one in every for each in one.overloads), tuple(each for one in every for each in one.moved)
    )


def plus_at_0_celsius(board: CarrierBoard, use: str, corner: LoadCorner, threshold: float) -> float:
    """°C of the switch of a motor's + wire at the most, from the moment when that wire touches 0 V until it is off.

    `threshold`: of the switch, in V. With the least it is off as late as any, with the greatest it is the first that is
    half on. What it takes after `OFF_S`, where no warning and no reset ends the fault, heats its case.

    Raises:
        SimulationError: ngspice is missing or failed.
    """
    begin, off = SETTLE + HOLD, SETTLE + HOLD + OFF_S
    switch = next(part for part in board.tagged(f"{use}_high") if part.type.symbol == "pfet")
    drain, source, plus = node(switch.nets["D"]), node(switch.nets["S"]), node(f"{use}_high")
    shelf = {"motor": "shelf"}.get(use, use) if board.kind == "pusher" else use
    unit = supply_of(board)._replace(limit=corner.limit)
    lines = power_deck(
        board, [states(board)[f"{shelf} alone"]] * 4, unit, until=off, vary=corner.vary,
        corner=STRONG._replace(threshold_p=threshold),
    )  # fmt: skip
    lines = metered(_usb_fed(board, lines), f"M{switch.ref}", drain, "high_d", "Vhigh")
    lines += [
        f"Bheat heat_p 0 V = v({source},{drain})*i(Vhigh)\nGheat 0 heat_j heat_p 0 1",
        f"Rheat heat_j heat_c {switch.type.limits['kelvin_watt']}\nRair heat_c 0 {AIR_KELVIN_WATT}",
        f"Cheat heat_j 0 {DIE_JOULE}\nCcase heat_c 0 {CASE_JOULE}",
        f"Sshort {plus} 0 c_short 0 SHORTED\n.model SHORTED SW(VT=2.5 VH=0.1 RON={WIRE_OHM})",
        f"Vshort c_short 0 PWL(0 0 {begin:g} 0 {begin + 1e-6:g} 5)",
    ]
    end, last = off + HOLD, off - 1e-4
    found = run(
        f"{board.name}: + wire of {use} at 0 V, and off", lines, f"tran 20u {end:g} 0 20u",
        {
            "kelvin": f"max v(heat_j) from={begin:g} to={end:g}",
            "warn": f"max v({node('power_fail')}) from={begin:g} to={off:g}",
            "in": f"find v({node('VREG')}) at={last:g}", "watt": f"find v(heat_p) at={last:g}",
        },
    )  # fmt: skip
    warned = board.kind in MONEY and found["warn"] > half_of(board)
    ended = warned or (resets(board) and found["in"] < REGULATOR_LEAST)
    more = 0.0 if ended else found["watt"] * (_stops_s(switch) - OFF_S) / CASE_JOULE
    return AMBIENT + found["kelvin"] + more
