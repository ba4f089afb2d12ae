"""Each terminal of what a board supplies or switches joined to 0 or 12 V, or open: what each part bears, in ngspice.

    netlist ──► terminals ──► the deck of the budget with a fault at one of them, all loads off, and then all on
            ──► the power of each part ──► against its limits, until it is ended: by a fuse, a warning, a stall

12 V is that of the lamps, behind its fuse: no wire with 12 V leaves a board without one. A part that bears more than it
may for ever must bear that until a fuse opens, at the latest that its data sheet allows, or the firmware switches off.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, Literal, NamedTuple

from firmware.hardware import parts as p
from firmware.hardware.blocks import V5, V12_IN, V12_LOAD, CarrierBoard
from firmware.hardware.boards import carrier
from firmware.hardware.budget import (
    CABLE_OHM,
    CHOSEN,
    EARLY,
    HOLD,
    LOGIC_AMP,
    MONEY,
    ROWS,
    SETTLE,
    SupplyUnit,
    combinations,
    early,
    half_of,
    most,
    power_deck,
)
from firmware.hardware.circuit import GND, CircuitPart
from firmware.hardware.controllers import NANO
from firmware.hardware.firmware_times import motor_times
from firmware.hardware.spice import Corner, node, run
from firmware.hardware.terminals import elements

Fault = Literal["open", "0 V", "12 V"]
FAULTS: Final[tuple[Fault, ...]] = ("open", "0 V", "12 V")
State = Literal["off", "on"]
STRONG: Final = Corner(pfi=EARLY, gain=400.0)
HIGHEST: Final = CHOSEN._replace(volt=12.6, tolerance=0.0)
SMALL: Final = HIGHEST._replace(amp=6.0)
"""Of a board without a supervisor."""
WIRE_OHM: Final = 0.05
"""Of the wires that a fault joins."""
FET_WATT: Final = 1.0
"""A MOSFET in a TO-220 without a heat sink, for ever (ours)."""
FET_JOULE: Final = 40.0
"""And until it is 50 K hotter: some 0.8 J/K (ours)."""
SHUNT_JOULE: Final = 25.0
"""Five times its power for five seconds, as data sheets of such resistors have it."""
SLOW_FUSE: Final = ((2.1, 120.0), (2.75, 10.0), (4.0, 3.0), (10.0, 0.3))
"""Times its rated current, and s in which it opens at the latest (IEC 60127-2, sheet 3)."""
RESETTABLE: Final = ((2.0, 60.0), (5.0, 7.2))
"""The same of a resettable fuse (MF-R090; MF-R010 takes 4 s)."""


REGULATOR_LEAST: Final = 7.0
"""V at the input of the 5 V regulator at the least, less than which a gate would be half on."""
OFF_S: Final = 0.02
"""Until a warning or a reset has all outputs off (ours; the chip takes less)."""


class LoadTerminal(NamedTuple):
    """A pin of a connector at which a wire of the 12 V or of a load is."""

    ref: str
    pin: str
    net: str


class LoadOverload(NamedTuple):
    """A part that bears too much: where, in which fault and state, and what of its limit; and for how long."""

    terminal: LoadTerminal
    fault: Fault
    state: State
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
    """Whether a 5 V that sags resets the module, so that its outputs are off: a Nano by its own brown-out detection."""
    return board.controller is NANO or any(part.type is p.SUPERVISOR for part in board.parts.values())


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


def _bears(part: CircuitPart) -> tuple[str, float, float] | None:
    """What a part is limited in, how much it bears for ever, and in J for a time; none where nothing limits it."""
    symbol, limits = part.type.symbol, part.type.limits
    if symbol in ("nfet", "pfet"):
        return "W", FET_WATT, FET_JOULE
    if part.type is p.R_SHUNT:
        return "W", limits["watt"], SHUNT_JOULE
    if "watt" in limits and part.type.letter in "RQ":
        return "W", limits["watt"], 0.0
    if part.type.letter == "D" and "amp" in limits and symbol != "tvs":
        return "A", limits["amp"], 0.0
    return None


def findings(board: CarrierBoard, terminal: LoadTerminal, fault: Fault) -> LoadFaults:
    """The parts that are overloaded, and whether a load has current that the firmware has off.

    Raises:
        SimulationError: ngspice is missing or failed.
    """
    at = node(terminal.net)
    off = combinations(board.kind)[0]
    lines = power_deck(board, [off, most(board)], supply_of(board), corner=STRONG, vary=_small_bank)
    lines = [_cable(line, fault == "open" and terminal.net == V12_IN) for line in lines]
    regulator = next(part.ref for part in board.parts.values() if part.type is p.BUCK)
    # With the regulator a short has no state that lasts; what its sag does is `resets`.
    lines = [line for line in lines if not line.startswith(f"X{regulator} ")]
    lines.append(f"V5 s_5 0 5\nR5 s_5 {node(V5)} 0.1\nIlogic {node('VREG')} 0 {LOGIC_AMP / 2:g}")
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
    times: dict[State, float] = {"off": SETTLE + HOLD - 1e-4, "on": SETTLE + 2 * HOLD - 1e-4}
    measures = {
        f"{key}{state}": f"find {how} at={t:g}"
        for key, (_, how) in {**asked, **loads}.items()
        for state, t in times.items()
    }
    seen = {"warn": node("power_fail"), "in": node("VREG")}
    measures |= {f"{name}{state}": f"find v({at}) at={t:g}" for name, at in seen.items() for state, t in times.items()}
    lines.append(".save all " + " ".join(how for _, how in (*asked.values(), *loads.values())))
    title = f"{board.name} {terminal.ref}.{terminal.pin}: {fault}"
    values = run(title, lines, f"tran 100u {SETTLE + 2 * HOLD:g} 0 200u", measures)
    found: list[LoadOverload] = []
    for state in times:
        sums: dict[str, float] = {}
        for key, (part, _) in asked.items():
            sums[part.ref] = sums.get(part.ref, 0.0) + abs(values[f"{key}{state}"])
        seconds = min(
            _opens_s(board.parts[ref], value) for ref, value in sums.items() if board.parts[ref].type.symbol == "fuse"
        )
        if values[f"in{state}"] < REGULATOR_LEAST and fault != "open" and state == "on":
            if resets(board):
                seconds = min(seconds, OFF_S)
            else:
                low = values[f"in{state}"]
                found.append(
                    LoadOverload(terminal, fault, state, "the 5 V: it sags", "V", low, REGULATOR_LEAST, seconds)
                )
        if state == "on" and board.kind in MONEY and values[f"warn{state}"] > half_of(board):
            seconds = min(seconds, OFF_S)
        for ref, value in sums.items():
            part = board.parts[ref]
            bears = _bears(part)
            if bears is None or value <= bears[1]:
                continue
            quantity, limit, joule = bears
            its = min(seconds, _stops_s(part)) if state == "on" else seconds
            if value * its > joule:
                name = f"{ref} ({part.type.name})"
                found.append(LoadOverload(terminal, fault, state, name, quantity, value, limit, its))
    moved = any(abs(values[f"{key}off"]) > 0.1 for key in loads)
    return LoadFaults(tuple(found), (UncommandedLoad(terminal, fault),) if moved else ())


def _stops_s(part: CircuitPart) -> float:
    """s until the firmware has switched off a motor that does not turn, or brings no token; endless for others."""
    times = motor_times()
    if any(tag.startswith("motor") for tag in part.tags):
        return times.shelf_stall / 1000
    if any(tag.startswith("hopper") for tag in part.tags):
        return (times.hopper_jam + times.hopper_spin_up) / 1000
    return float("inf")


def _loads(there: set[str]) -> list[str]:
    """The resistors of the budget's loads that are switched by a driver of the board."""
    return sorted(there & {"rmotor", "rhopper", "ralarm", *(f"rlamp_{n}" for n in range(1, 5))})


def _small_bank(part: CircuitPart) -> float:
    """A bank that is charged when the state is looked at, also where ngspice begins with an empty one."""
    return 1e-3 if part.type is p.C_BANK else early(part)


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
    every = [findings(board, terminal, fault) for terminal in different(board) for fault in FAULTS]
    return LoadFaults(
        tuple(each for one in every for each in one.overloads), tuple(each for one in every for each in one.moved)
    )
