"""How thick the wires of a board are: of each terminal by the fuse that it is behind, and of the joints before a fuse.

    terminal ──► its net ──► over closed contacts, transistors, drivers and motors' own fuses ──► the fuses on the board
    fuse ──► what a slow one bears for ever ──► cross-section

A wire bears what its fuse lets through, whatever its load draws.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from firmware.hardware.blocks import V12_IN, V12_MOTOR, CarrierBoard
from firmware.hardware.circuit import GND, CircuitPart

SLOW: Final = 1.5
"""Times its rated current, a slow fuse (IEC 60127-2) may bear for an hour and more."""
SECTIONS: Final = ((3.0, 0.5), (6.0, 0.75), (10.0, 1.0), (16.0, 1.5))
"""A up to which a flexible copper wire of so many mm² is used (IEC 60335-1, supply cords)."""
CONDUCTS: Final = (("11", "12"), ("11", "14"), ("21", "22"), ("21", "24"), ("D", "S"))
"""Pins of contacts and transistors between which a load's current flows."""


class WireSize(NamedTuple):
    """The wires of a terminal, or joints on the board: what they are behind, and their least cross-section."""

    where: str
    what: str
    fuse: str
    fuse_amp: float
    mm2: float


def section(amp: float) -> float:
    """The least cross-section in mm² behind a fuse of this rated current, or several with this sum.

    Raises:
        ValueError: no wire of the table bears it.
    """
    for most, mm2 in SECTIONS:
        if SLOW * amp <= most:
            return mm2
    raise ValueError(f"{amp:g} A: more than any wire of the list bears behind a slow fuse; use smaller fuses")


def board_fuses(board: CarrierBoard) -> list[CircuitPart]:
    """The fuses between the 12 V and everything else."""
    return [part for part in board.parts.values() if part.type.symbol == "fuse" and V12_IN in part.nets.values()]


def behind(board: CarrierBoard, net: str) -> CircuitPart | None:
    """The fuse on the board that a net of a load is behind; none where it is a sensor's, or 0 V."""
    fuses = {other: part for part in board_fuses(board) for other in part.nets.values() if other != V12_IN}
    seen, left = {GND, V12_IN}, [net]
    while left:
        at = left.pop()
        if at in fuses:
            return fuses[at]
        if at in seen:
            continue
        seen.add(at)
        for part in board.parts.values():
            left += [part.nets[other] for one, other in _paths(part) if part.nets.get(one) == at and other in part.nets]
    return None


def _paths(part: CircuitPart) -> list[tuple[str, str]]:
    """The pins between which a load's current flows: contacts, transistors, own fuse, flyback diode, driver."""
    pins = part.type.pins
    paths = [
        pair for pair in CONDUCTS if part.type.symbol in ("relay", "nfet", "pfet", "box") and set(pair) <= set(pins)
    ]
    if part.type.symbol == "fuse":
        paths.append(("1", "2"))
    if part.type.symbol == "schottky" and part.type.limits["amp"] >= 3:
        paths.append(("A", "K"))
    if "VMOT" in pins:
        paths += [("VMOT", coil) for coil in ("1A", "1B", "2A", "2B")]
    return [*paths, *((other, one) for one, other in paths)]


def wire_sizes(board: CarrierBoard) -> list[WireSize]:
    """Every terminal of a load, and the joints between J1 and the loads' fuses and in the emergency stop."""
    fuses = board_fuses(board)
    total = sum(part.type.limits["amp"] for part in fuses)
    names = ", ".join(part.ref for part in fuses)
    found = [
        WireSize("J1", "supply, both wires", f"none: {names} together", total, 1.5),
        WireSize(f"joints from J1 to {names}, and from J1 to 0 V", "12 V before its fuses", "none", total, 1.5),
    ]
    if stop := next((part for part in fuses if behind(board, V12_MOTOR) is part), None):
        amp = stop.type.limits["amp"]
        what = "emergency stop: MOTOR_FUSED, MOTOR_K1, +12V_MOTOR, and 0 V back to J1"
        found.append(WireSize(f"joints from {stop.ref} over K1 and K2 to the motors", what, *_fuse(stop), section(amp)))
    for part in board.parts.values():
        if part.type.letter != "J" or part.ref == "J1" or not part.wires or part.type.limits.get("mm2") is None:
            continue
        own = {pin: fuse for pin in part.wires if (fuse := behind(board, part.nets[pin])) is not None}
        if own:
            fuse = max(own.values(), key=lambda each: each.type.limits["amp"])
            pins = [pin for pin in part.wires if pin in own or (len(own) == 1 and part.nets[pin] == GND)]
            what = part.wires[pins[0]][1].split(":")[0].split(",")[0]
            where = ", ".join(f"{part.ref}.{pin}" for pin in pins)
            found.append(WireSize(where, what, *_fuse(fuse), section(fuse.type.limits["amp"])))
    return found


def _fuse(part: CircuitPart) -> tuple[str, float]:
    return f"{part.ref}, {part.type.value}", part.type.limits["amp"]


def page(board: CarrierBoard) -> list[str]:
    """The section of a board's page, as lines."""
    terminal = board.parts["J1"].type
    lines = [
        "## Cross-sections",
        "",
        "Flexible copper, at the least; a wire is chosen by its fuse, not by its load. A slow fuse may bear "
        f"{SLOW:g} times its rated current for ever. The terminals take {terminal.limits['mm2']:g} mm² and bear "
        f"{terminal.limits['amp']:g} A. All other wires are sensors' and signals: 0.25 mm². A motor's "
        "own leads may be thinner.",
        "",
        "| where | what | behind | mm² |",
        "|---|---|---|---|",
    ]
    for each in wire_sizes(board):
        fuse = f"{each.fuse}, {each.fuse_amp:g} A" if each.fuse.startswith("none") else each.fuse
        lines.append(f"| {each.where} | {each.what} | {fuse} | {each.mm2:g} |")
    return [*lines, ""]
