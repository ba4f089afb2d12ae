"""What is derived from a circuit as text: bill of materials, joints, wires in the field."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from firmware.hardware.circuit import Circuit, PartType
from firmware.hardware.parts import pin_number


def order(ref: str) -> tuple[str, int]:
    """By its letters and number: R9 is before R10."""
    letters = ref.rstrip("0123456789")
    return letters, int(ref[len(letters) :])


@dataclass(frozen=True)
class BillLine:
    """One line of a bill: how many of a part, and where they are."""

    type: PartType
    count: int
    places: str


def bill(assemblies: Iterable[tuple[str, Circuit, int]]) -> list[BillLine]:
    """The parts for this many of each assembly, by kind of part."""
    counts: Counter[str] = Counter()
    places: dict[str, list[str]] = {}
    types: dict[str, PartType] = {}
    for name, circuit, number in assemblies:
        here: dict[str, list[str]] = {}
        for ref in sorted(circuit.parts, key=order):
            type_ = circuit.parts[ref].type
            types[type_.name] = type_
            counts[type_.name] += number
            here.setdefault(type_.name, []).append(ref)
        for part, refs in here.items():
            prefix = "" if name == "" else f"{number} × {name}: " if number > 1 else f"{name}: "
            places.setdefault(part, []).append(prefix + _ranges(refs))
    found = [BillLine(types[name], counts[name], "; ".join(places[name])) for name in types]
    return sorted(found, key=lambda line: (line.type.letter, line.type.symbol, line.type.number, line.type.name))


def _ranges(refs: list[str]) -> str:
    """`R1, R2, R3, R7` as `R1–R3, R7`."""
    parts: list[str] = []
    run: list[str] = []
    for ref in refs:
        if run and order(ref) == (order(run[-1])[0], order(run[-1])[1] + 1):
            run.append(ref)
            continue
        if run:
            parts.append(run[0] if len(run) == 1 else f"{run[0]}–{run[-1]}" if len(run) > 2 else ", ".join(run))
        run = [ref]
    if run:
        parts.append(run[0] if len(run) == 1 else f"{run[0]}–{run[-1]}" if len(run) > 2 else ", ".join(run))
    return ", ".join(parts)


def joints(circuit: Circuit) -> list[tuple[str, list[str]]]:
    """Every net, and the pins that are joined there, such as `R5.1` or `U3.14 (VCC)`."""
    found = []
    for net, pins in sorted(circuit.nets().items()):
        names = []
        for part, pin in sorted(pins, key=lambda each: (order(each[0].ref), each[1])):
            number = pin_number(part.type, pin)
            names.append(f"{part.ref}.{number}" + (f" ({pin})" if number != pin else ""))
        found.append((net, names))
    return found


def field_wires(circuit: Circuit) -> list[tuple[str, str, str, str, str]]:
    """Every wire that leaves the board: connector, pin, colour, where it goes, the net."""
    found = []
    for ref in sorted(circuit.parts, key=order):
        part = circuit.parts[ref]
        for pin, (colour, to) in sorted(part.wires.items(), key=lambda each: int(each[0])):
            found.append((ref, pin, colour, to, part.nets[pin]))
    return found


def open_pins(circuit: Circuit) -> list[str]:
    """Pins that stay open, on purpose."""
    return [
        f"{ref}.{pin_number(circuit.parts[ref].type, pin)} ({pin})"
        for ref in sorted(circuit.parts, key=order)
        for pin in sorted(circuit.parts[ref].open_pins)
    ]


ASSEMBLIES: Mapping[str, Mapping[str, int]] = {
    "wheel": {},
    "table": {"lamp-tile": 7, "keypad": 1},
    "reel": {"lamp-tile": 2},
    "pusher": {},
}
"""What each board needs besides itself."""
