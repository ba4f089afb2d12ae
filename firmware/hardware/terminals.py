"""Each terminal of the sensors joined to 0, 12 or 24 V, or open: what every part of the input side bears, in ngspice.

    netlist ──► terminals ──► a fault at one of them, all else at rest, the sensors fed and then not
            ──► the power of each part, the current of each diode, what the 5 V gives or takes ──► against its limits

A resettable fuse that carries more than it opens at takes seconds: until then all parts must bear it for as long as
that takes, with the fuse at its least and at its greatest resistance, and from then on, with the resistance that its
power leaves to it, for ever. Until then a short may take the 5 V down, for the regulator has a limit: that is found,
and told.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from math import inf, log, sqrt
from typing import Final, NamedTuple

from firmware.hardware import parts as p
from firmware.hardware.blocks import FIELD, V5, CarrierBoard
from firmware.hardware.boards import CARRIERS
from firmware.hardware.circuit import CircuitPart
from firmware.hardware.controllers import NANO, V33
from firmware.hardware.firmware_times import settle_ms
from firmware.hardware.manifest_pins import kind
from firmware.hardware.simulations import FAULT_OHM, FUSE_OHMS, REGULATOR_AMP
from firmware.hardware.spice import Corner, node, rails, run
from firmware.hardware.wiring import OFF_MS, at_terminals, input_side, inputs_of

STRONG: Final = Corner(gain=400.0, zener_volt=6.6)
"""Transistors that conduct as much as any (BD140-16: a gain of 250), and Zener diodes that let most through."""
FAULTS: Final = (None, 0.0, 12.0, 24.0)
"""Open, and V that a terminal is joined to."""
TVS_WATT: Final = 1.0
"""What a suppressor of 600 W bears for ever on a board (ours; its data sheet: 5 W with cooled leads)."""
OPENED_WATT: Final = 0.4
"""What a resettable fuse takes when it has opened (data sheet: 0.38 to 0.77 W)."""
MODULE_AMP: Final = 0.02
"""The least that the module draws: more must not come back into the 5 V."""
SUPPLY_AMP: Final = 0.5
"""The most that all sensors may draw from the 5 V for ever, of the regulator's 1 A."""
SAGS: Final = "the 5 V: it sags"
OPENS_FROM: Final = (2.0, 60.0)
"""Times what it holds, from which on a resettable fuse opens for certain, and s that it takes there (ours)."""
OPENS: Final = (5.0, 4.0)
"""The same by the data sheet, which has this one time at the most: of MF-R010 and of MF-R050."""
AMBIENT, JUNCTION = 50.0, 125.0
"""°C of a diode before a fault (ours), and at the most (1N5819)."""
DIODE_KELVIN_WATT, DIODE_JOULE = 20.0, 0.27
"""Of a diode in a DO-41 from its chip to its body, and J/K of that, by its mass of 0.33 g (ours)."""


OTHERS: Final = {"link_in": "link in", "link_out": "link out", "hopper_error": "hopper error"}
"""Wires of a Pico's serial line, and of a hopper; and the uses of its pins, which their rows are named after."""


class FieldTerminal(NamedTuple):
    """A pin of a connector at which a wire of a sensor is."""

    ref: str
    pin: str
    net: str
    use: str
    """The input that the connector is for."""


class Overload(NamedTuple):
    """A part that bears too much: where, in which fault, and what of its limit."""

    terminal: FieldTerminal
    volt: float | None
    part: str
    unit: str
    value: float
    limit: float
    seconds: float = inf
    """Until a resettable fuse opens; endless: nothing ends it."""


def opens_s(part: CircuitPart, amp: float) -> float:
    """s until a resettable fuse of a sensor opens at the latest; endless below what opens it.

    Between its two times a power of the current, above them with the square of it, as heat that goes nowhere.
    """
    times = amp / part.type.limits["amp"]
    (least, long), (most, short) = OPENS_FROM, OPENS
    if times < least:
        return inf
    if times > most:
        return short * (most / times) ** 2
    return float(long * (times / least) ** (log(short / long) / log(most / least)))


def _survives(part: CircuitPart, unit: str, value: float, watt: float, seconds: float) -> bool:
    """Whether a part bears for a time what it does not bear for ever; the transistors and resistors bear no more."""
    if part.type.symbol == "tvs":
        # Data sheets have its power for a pulse as a line that falls with the root of the time.
        return value <= part.type.limits["watt_1ms"] * sqrt(1e-3 / seconds)
    if unit == "A" and part.type.package == "DO-41":
        return AMBIENT + watt * (DIODE_KELVIN_WATT + seconds / DIODE_JOULE) <= JUNCTION
    return False


def terminals(board: CarrierBoard) -> list[FieldTerminal]:
    """Every terminal of the sensors but those at 0 V, and the acceptor's for its supply and its inhibit.

    Of a board with a Pico also those of the analogue channels, of the serial line and of the hopper's error line.
    """
    return [
        FieldTerminal(part.ref, pin, net, use)
        for use in (*inputs_of(board), *_others(board))
        for part in board.parts.values()
        if part.type.letter == "J" and f"{use}_wire" in part.nets.values()
        for pin, net in part.nets.items()
        if net == FIELD or net.startswith(f"{use}_")
    ]


def _others(board: CarrierBoard) -> list[str]:
    """What a Nano's board bears otherwise: its analogue channels are at its 5 V, its serial line is USB."""
    if board.controller is NANO:
        return []
    analogue = [entry[0] for entry in kind(board.kind)["analogues"] if board.at[entry[0]]]
    return [*analogue, *(wire for wire, use in OTHERS.items() if use in board.served)]


def different(board: CarrierBoard) -> list[FieldTerminal]:
    """One terminal of each circuit: those of inputs that are made of the same parts count once."""
    found: dict[object, FieldTerminal] = {}
    for terminal in terminals(board):
        use = terminal.use
        rows = {use, OTHERS.get(use, use), f"{use}_feed", f"{use}_emitter", f"{use}_test"}
        types = tuple(sorted(part.type.name for part in board.parts.values() if part.tags & rows))
        found.setdefault((terminal.net.removeprefix(use), types), terminal)
    return list(found.values())


def elements(part: CircuitPart) -> list[str]:
    """The names of the elements of a part in a deck."""
    return [line.split()[0].replace("{ref}", part.ref).lower() for line in part.type.spice.splitlines()]


def _limits(part: CircuitPart) -> Iterator[tuple[str, float]]:
    limits = part.type.limits
    if part.type.letter in "RQ" or part.type.symbol == "zener":
        yield "W", limits["watt"]
    elif part.type.symbol == "tvs":
        yield "W", TVS_WATT
    elif part.type.letter == "D":
        yield "A", limits["amp"]


def findings(board: CarrierBoard, terminal: FieldTerminal, volt: float | None) -> list[Overload]:
    """The parts that are overloaded while a terminal is at this voltage, or open.

    Raises:
        SimulationError: ngspice is missing or failed.
    """
    found, opened = _simulate(board, terminal, volt, {})
    if not opened:
        return found
    meanwhile = [each for end in (0, 1) for each in _simulate(board, terminal, volt, {}, end=end)[0]]
    return meanwhile + _simulate(board, terminal, volt, opened)[0]


def overloaded(name: str) -> tuple[Overload, ...]:
    """The parts of a board that any fault at its terminals overloads; a 5 V that sags (`sags`) is none of them.

    Raises:
        SimulationError: ngspice is missing or failed.
    """
    return tuple(each for each in _every(name) if each.part != SAGS)


def sags(name: str) -> tuple[Overload, ...]:
    """The faults at the terminals of a board that take its 5 V down, until a fuse opens.

    Raises:
        SimulationError: ngspice is missing or failed.
    """
    return tuple(each for each in _every(name) if each.part == SAGS)


@cache
def _every(name: str) -> tuple[Overload, ...]:
    """What any fault does; simulated once in a process."""
    board = CARRIERS[name]()
    return tuple(
        finding for terminal in different(board) for volt in FAULTS for finding in findings(board, terminal, volt)
    )


def _pins(board: CarrierBoard) -> dict[str, str]:
    """The nodes of the pins that a wire could lift, by the pin; with them what supplies them. None of a Nano.

    A Nano's pins are behind inverters with clamps to the very 5 V that supplies it, or behind 3.2 kΩ.
    """
    if board.controller is NANO:
        return {}
    uses = [OTHERS.get(use, use) for use in (*inputs_of(board), *_others(board))]
    return {board.served[use]: node(board.module.nets[board.served[use]]) for use in uses} | {"3V3": node(V33)}


def _limited(board: CarrierBoard) -> list[str]:
    """The rails of a board, the 5 V from a regulator with its limit; `V5` measures what flows back into it."""
    five, *others = rails(board, STRONG)
    name, net, _, volt = five.split()
    return [
        f"Breg 0 s_reg I = {REGULATOR_AMP}*tanh(({volt}-v(s_reg))/{0.02 * REGULATOR_AMP:g})",
        f"{name} {net} s_reg 0",
        *others,
    ]


def _simulate(
    board: CarrierBoard, terminal: FieldTerminal, volt: float | None, opened: dict[str, float], end: int = 0
) -> tuple[list[Overload], dict[str, float]]:
    """What is overloaded, and the factors of the fuses that open; `end` of their resistance while they are closed."""

    def vary(part: CircuitPart) -> float:
        own = FUSE_OHMS[part.type.value][end] / part.type.number if part.type.value in FUSE_OHMS else 1.0
        return opened.get(part.ref, own)

    extra = [row for use in _others(board) for row in (OTHERS.get(use, use), f"{use}_feed")]
    rows = {row.name for sheet in board.sheets for row in sheet.rows}
    lines = input_side(board, STRONG, vary=vary, more=[row for row in extra if row in rows])
    text = "\n".join(lines).lower().split()
    lines += [at_terminals(board, use, "open" if use == terminal.use else "rest") for use in inputs_of(board)]
    if volt is not None:
        lines.append(f"Vfault fault 0 {volt}\nRfault fault {node(terminal.net)} {FAULT_OHM}")
    lines += _limited(board)
    parts = [part for part in board.parts.values() if elements(part) and elements(part)[0] in text]
    asked: dict[str, tuple[CircuitPart, str, str]] = {}
    for part in parts:
        limited = [(unit, "p" if unit == "W" else "id") for unit, _ in _limits(part)]
        if limited and limited[0][0] == "A":
            limited.append(("W", "p"))
        if part.type.symbol == "fuse":
            limited = [("A", "i")]
        for element in elements(part):
            if element[0] in "rdq" and element in text:
                for unit, what in limited:
                    asked[f"m{len(asked)}"] = (part, unit, f"@{element}[{what}]")
    times = {"on": f"{OFF_MS - 0.1}m", "off": f"{OFF_MS + settle_ms() - 0.1}m"}
    measures = {f"{name}{at}": f"find {how} at={t}" for name, (_, _, how) in asked.items() for at, t in times.items()}
    measures |= {f"five{at}": f"find i(v5) at={t}" for at, t in times.items()}
    measures |= {f"volt{at}": f"find v({node(V5)}) at={t}" for at, t in times.items()}
    pins = _pins(board)
    for number, net in enumerate(pins.values()):
        measures |= {f"pin{number}{at}": f"find v({net}) at={when}" for at, when in times.items()}
    lines.append(".save all " + " ".join(how for _, _, how in asked.values()))
    title = f"{board.name} {terminal.ref}.{terminal.pin}: {'open' if volt is None else f'{volt:g} V'}"
    values = run(title, lines, f"tran 50u {OFF_MS + settle_ms()}m", measures)
    found: list[Overload] = []
    fuses: dict[str, float] = {}
    for at in times:
        sums: dict[tuple[str, str], float] = {}
        for name, (part, unit, _) in asked.items():
            sums[part.ref, unit] = sums.get((part.ref, unit), 0.0) + abs(values[f"{name}{at}"])
        seconds = inf
        for (ref, _), value in sums.items():
            part = board.parts[ref]
            if part.type.symbol == "fuse" and value > 2 * part.type.limits["amp"]:
                fuses[ref] = max(volt or 0.0, 5.0) ** 2 / OPENED_WATT / part.type.number
                seconds = min(seconds, opens_s(part, value))
        for (ref, unit), value in sums.items():
            part = board.parts[ref]
            limit = dict(_limits(part)).get(unit, inf)
            if value > limit and not _survives(part, unit, value, sums.get((ref, "W"), 0.0), seconds):
                found.append(Overload(terminal, volt, f"{ref} ({part.type.name})", unit, value, limit, seconds))
        for n, pin in enumerate(pins):
            value, limit = values[f"pin{n}{at}"], board.controller.volt + board.module.type.limits["over_volt"]
            if value > limit:
                found.append(Overload(terminal, volt, f"pin {pin}", "V", value, limit))
        into, out = values[f"five{at}"], -values[f"five{at}"]
        if into > MODULE_AMP:
            found.append(Overload(terminal, volt, "the 5 V, from outside", "A", into, MODULE_AMP))
        if (low := values[f"volt{at}"]) < p.SUPERVISOR.limits["reset_high"]:
            found.append(Overload(terminal, volt, SAGS, "V", low, p.SUPERVISOR.limits["reset_high"], seconds))
        elif out > SUPPLY_AMP and seconds == inf:
            found.append(Overload(terminal, volt, "the 5 V", "A", out, SUPPLY_AMP))
    return found, fuses
