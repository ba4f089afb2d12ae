"""What a printed layout of a circuit must keep: width of its tracks, clearance between its nets.

    net ──► the fuse that it is behind ──► what that bears for ever ──► width of the track (as `cables` for wires)
    net ──► leaves the board, or 12 V  ──► clearance

A project of KiCad has them as classes of nets and rules, so that its check finds what a layout breaks.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final, NamedTuple

from firmware.hardware.blocks import ANALOGUE, FIELD, SENSE, V5, V12_IN, V33, CarrierBoard
from firmware.hardware.cables import SLOW, behind, board_fuses
from firmware.hardware.circuit import GND, Circuit
from firmware.hardware.footprints import footprint
from firmware.hardware.parts import BUCK, OPTO

COPPER_MM: Final = 0.035
RISE_K: Final = 20.0
"""Of a track above the board while it bears its current (ours)."""
CLEARANCE_MM: Final = 0.25
WIRE_CLEARANCE_MM: Final = 0.6
"""From 12 V, and from what leaves the board: a suppressor lets up to 41 V through (IPC-2221 B2: 31 to 50 V)."""
ISOLATION_MM: Final = 3.0
"""Between the sides of an adapter with optocouplers (ours: no insulation from the mains)."""
LEAST_MM: Final = 0.3
RAIL_MM: Final = 0.5
"""Of tracks of 5 V, though less bears their current: a thin one drops voltage (ours)."""


class NetClass(NamedTuple):
    """Nets with one rule. `width_mm` is the least width of their tracks."""

    name: str
    nets: tuple[str, ...]
    width_mm: float
    clearance_mm: float
    why: str


def width_mm(amp: float) -> float:
    """The least width of an outer track of 35 µm (IPC-2221), in tenths of a millimetre upwards."""
    square_mil: float = (amp / (0.048 * RISE_K**0.44)) ** (1 / 0.725)
    wide = square_mil * 0.0254**2 / COPPER_MM
    return max(LEAST_MM, math.ceil(wide * 10 - 1e-9) / 10)


def leaves_board(circuit: Circuit) -> set[str]:
    """The nets at terminals, except for 0 V; a ribbon's wires stay inside."""
    return {
        part.nets[pin]
        for part in circuit.parts.values()
        for pin, (colour, _) in part.wires.items()
        if colour != "ribbon" and part.nets[pin] != GND
    }


def _sides(circuit: Circuit) -> tuple[set[str], set[str]]:
    """The nets on the sensors' side of the optocouplers, and the others; both empty where there are none."""
    chips = [part for part in circuit.parts.values() if part.type is OPTO]
    left = [part.nets[pin] for part in chips for pin in ("A", "K")]
    found: set[str] = set()
    while left:
        net = left.pop()
        if net not in found:
            found.add(net)
            left += [
                other
                for part in circuit.parts.values()
                if part.type is not OPTO and net in part.nets.values()
                for other in part.nets.values()
            ]
    return found, set(circuit.nets()) - found if chips else set()


def _behind_fuses(board: CarrierBoard) -> list[NetClass]:
    fuses = board_fuses(board)
    total = SLOW * sum(part.type.limits["amp"] for part in fuses)
    found = [
        NetClass("12 V in", (V12_IN,), width_mm(total), WIRE_CLEARANCE_MM, f"before its fuses, {total:g} A: an area")
    ]
    at: dict[float, list[str]] = {}
    for net in board.nets():
        if net != V12_IN and (fuse := behind(board, net)) is not None:
            at.setdefault(fuse.type.limits["amp"], []).append(net)
    for amp, nets in sorted(at.items(), reverse=True):
        why = f"behind a slow fuse of {amp:g} A, which bears {SLOW * amp:g} A for ever"
        found.append(NetClass(f"behind {amp:g} A", tuple(sorted(nets)), width_mm(SLOW * amp), WIRE_CLEARANCE_MM, why))
    return found


def _without(found: list[NetClass], nets: Iterable[str]) -> tuple[str, ...]:
    taken = {net for each in found for net in each.nets}
    return tuple(sorted(set(nets) - taken))


def classes(circuit: Circuit) -> list[NetClass]:
    """The classes of a circuit's nets; a net is in one at most, and in none where the default holds."""
    sensors, others = _sides(circuit)
    if sensors:
        why = f"isolated: {ISOLATION_MM:g} mm between the sides (ours)"
        sides = (("sensors", sensors), ("board", others))
        return [NetClass(f"{side} side", tuple(sorted(nets)), LEAST_MM, WIRE_CLEARANCE_MM, why) for side, nets in sides]
    found = _behind_fuses(circuit) if isinstance(circuit, CarrierBoard) else []
    if not isinstance(circuit, CarrierBoard):
        high = [net for net, volt in circuit.rails.items() if volt > 5 and net in circuit.nets()]
        if high:
            why = "12 V of the lamps, behind the carrier board's 2 A"
            found.append(NetClass("12 V", tuple(high), width_mm(SLOW * 2.0), WIRE_CLEARANCE_MM, why))
    low = {V5, V33, "VSYS", FIELD, ANALOGUE, SENSE} | ({circuit.pull} if isinstance(circuit, CarrierBoard) else set())
    rails = _without(found, low & set(circuit.nets()) - leaves_board(circuit))
    if rails:
        amp = BUCK.limits["amp"]
        found.append(NetClass("5 V", rails, max(RAIL_MM, width_mm(amp)), CLEARANCE_MM, f"the regulator's {amp:g} A"))
    wires = _without(found, leaves_board(circuit))
    if wires:
        why = "leaves the board: it may touch 24 V"
        found.append(NetClass("wires", wires, LEAST_MM, WIRE_CLEARANCE_MM, why))
    return found


def rules(circuit: Circuit) -> str:
    """The rules beside the classes, in the form of KiCad's `.kicad_dru`: a track that is too thin is a warning.

    A warning, for a track narrows at a pad; an area of copper has no width.
    """
    lines = ["(version 1)"]
    for each in classes(circuit):
        lines += [
            f'(rule "track of {each.name}"',
            f"  (condition \"A.Type == 'Track' && A.NetClass == '{each.name}'\")",
            f"  (constraint track_width (min {each.width_mm:g}mm))",
            "  (severity warning))",
        ]
    if any(each.name == "sensors side" for each in classes(circuit)):
        lines += [
            '(rule "isolation"',
            "  (condition \"A.NetClass == 'sensors side' && B.NetClass == 'board side'\")",
            f"  (constraint clearance (min {ISOLATION_MM:g}mm)))",
        ]
    return "\n".join(lines) + "\n"


def page(circuit: Circuit) -> list[str]:
    """The section of a board's page, as lines."""
    lines = [
        "## Printed board",
        "",
        f"`python -m firmware.hardware --kicad FOLDER` writes `{circuit.name}/{circuit.name}.kicad_pro` "
        "([what a layout keeps](../boards-carrier.md#a-printed-board)). Tracks are 35 µm of copper on an outer layer, "
        f"{RISE_K:g} K above the board (IPC-2221); of all other nets: {LEAST_MM:g} mm, {CLEARANCE_MM:g} mm apart.",
        "",
        "| nets | track, at least | clearance | why |",
        "|---|---|---|---|",
    ]
    for each in classes(circuit):
        nets = ", ".join(f"`{net}`" for net in each.nets)
        lines.append(f"| {nets} | {each.width_mm:g} mm | {each.clearance_mm:g} mm | {each.why} |")
    notes: dict[tuple[str, str], list[str]] = {}
    for type_ in sorted(
        {part.type.name: part.type for part in circuit.parts.values()}.values(), key=lambda one: one.name
    ):
        if (place := footprint(type_)) and place.note:
            notes.setdefault((place.id, place.note), []).append(type_.name)
    if notes:
        lines += ["", "Of the footprints:", ""]
        lines += [f"- {'; '.join(names)}: `{id_}`, {note}." for (id_, note), names in notes.items()]
    return [*lines, ""]
