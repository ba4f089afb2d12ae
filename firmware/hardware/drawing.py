"""Draws the sheets of a circuit as SVG with schemdraw, from the rows and boxes of the circuit alone."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import Any, Final, Literal

from firmware.hardware.circuit import (
    GND,
    AtNet,
    AtPin,
    Circuit,
    CircuitPart,
    CircuitRow,
    CircuitSheet,
    Hang,
    Series,
    Transistor,
)
from firmware.hardware.parts import pin_number

Align = Literal["left", "center", "right"]

FONT: Final = 10.0
SMALL: Final = 8.5
REACH: Final = 2.0
"""Length of a part that hangs."""
SPAN: Final = 2.6
"""Length of a part in series."""
STEP: Final = 2.7
"""Between two parts that hang at one node."""
START: Final = 4.8
"""Room for the name of a row."""


def drawn_pins(circuit: Circuit) -> set[tuple[str, str]]:
    """Every pin that some sheet of the circuit shows."""
    in_rows = _row_pins(circuit)
    boxes = [(ref, pins) for sheet in circuit.sheets for ref, pins in sheet.boxes]
    return in_rows | {(ref, pin) for ref, pins in boxes for pin in _box_pins(circuit.parts[ref], pins, in_rows)}


def named_nets(circuit: Circuit) -> set[str]:
    """Nets that are in more than one row or box: wherever such a net is drawn, its name is beside it."""
    times: Counter[str] = Counter()
    in_rows = _row_pins(circuit)
    for sheet in circuit.sheets:
        for row in sheet.rows:
            down = {step.down_net for step in row.steps if isinstance(step, Transistor)}
            times.update({step.net for step in row.steps} | down)
        for ref, pins in sheet.boxes:
            part = circuit.parts[ref]
            if ref != "U0":
                times.update({part.nets[pin] for pin in _box_pins(part, pins, in_rows) if pin in part.nets})
    return {net for net, count in times.items() if count > 1} - {GND}


def _row_pins(circuit: Circuit) -> set[tuple[str, str]]:
    """Every pin that a row shows."""
    shown: set[tuple[str, str]] = set()
    for step in (step for sheet in circuit.sheets for row in sheet.rows for step in row.steps):
        if isinstance(step, AtPin):
            shown.add((step.ref, step.pin))
        elif isinstance(step, Series):
            shown |= {(step.ref, step.enters), (step.ref, step.leaves)}
        elif isinstance(step, Hang):
            shown |= {(step.ref, step.near), (step.ref, step.far)}
        elif isinstance(step, Transistor):
            shown |= {(step.ref, pin) for pin in (step.enters, step.leaves, step.down)}
    return shown


def _box_pins(part: CircuitPart, pins: tuple[str, ...], in_rows: set[tuple[str, str]]) -> list[str]:
    """The pins of a box: those named, or all connected ones that no row shows."""
    if pins:
        return list(pins)
    return [pin for pin in part.type.pins if pin in part.nets and (part.ref, pin) not in in_rows]


def svg(circuit: Circuit, sheet: CircuitSheet) -> str:
    """One sheet as SVG; the same circuit gives the same text."""
    import schemdraw

    schemdraw.use("svg")
    schemdraw.svgconfig.text = "text"
    drawing = schemdraw.Drawing(show=False)
    drawing.config(unit=SPAN, fontsize=FONT, font="sans-serif", lw=1.2, bgcolor="white", margin=0.4)
    _Painter(drawing, circuit).sheet(sheet)
    data = drawing.get_imagedata("svg")
    return _stable(data.decode("utf-8"))


def _stable(text: str) -> str:
    """Rounds the coordinates, so that another computer's last digit changes nothing."""
    text = re.sub(r"-?\d+\.\d{3,}", lambda found: f"{float(found[0]):.2f}".replace("-0.00", "0.00"), text)
    return text if text.endswith("\n") else text + "\n"


class _Painter:
    """Puts the symbols of one sheet onto a drawing."""

    def __init__(self, drawing: Any, circuit: Circuit) -> None:
        import schemdraw.elements as elements

        self.d = drawing
        self.e = elements
        self.circuit = circuit
        self.in_rows = _row_pins(circuit)
        self.named = named_nets(circuit)
        self.above = (circuit.rails.keys() | set(circuit.inductive.values())) - {GND}

    # Sheets

    def sheet(self, sheet: CircuitSheet) -> None:
        """Rows from top to bottom, then boxes from left to right."""
        self._text((0, 1.5), self.circuit.title, size=13, align="left")
        self._text((0, 0.8), sheet.title, size=11, align="left")
        y, widest = 0.0, 18.0
        for row in sheet.rows:
            up, down = self._extent(row)
            y -= up
            widest = max(widest, self._row(row, y))
            y -= down
        y -= 0.8
        x, lowest = 0.0, y
        for ref, pins in sheet.boxes:
            part = self.circuit.parts[ref]
            shown = _box_pins(part, pins, self.in_rows)
            if not shown:
                continue
            width, height = self._box_size(part, shown)
            if x and x + width > max(widest, 24.0):
                x, y = 0.0, lowest - 1.0
            self._box(part, shown, x, y)
            x += width
            lowest = min(lowest, y - height)

    def _extent(self, row: CircuitRow) -> tuple[float, float]:
        """How far a row reaches above and below its line."""
        up, down = 0.9, 0.9
        for step in row.steps:
            if isinstance(step, Hang):
                if self._upward(step.net):
                    up = max(up, REACH + 0.9)
                else:
                    down = max(down, REACH + 1.3)
            elif isinstance(step, Transistor):
                up = max(up, 1.2)
                down = max(down, 2.0)
        for before, after in pairwise(row.steps):
            if isinstance(before, Transistor) and isinstance(after, Hang):
                up = max(up, REACH + 1.9)
        return up, down

    def _upward(self, net: str) -> bool:
        return net in self.above

    # Rows

    def _row(self, row: CircuitRow, y: float) -> float:
        self._text((0, y), row.text or " ", size=FONT, align="left")
        x, hung = START, 0
        fresh = True
        for index, step in enumerate(row.steps):
            if isinstance(step, AtPin):
                if fresh:
                    x = self._tag(step, x, y, begins=True)
                else:
                    self._line((x, y), (x + 0.5, y))
                    x = self._tag(step, x + 0.5, y, begins=False)
                hung = 0
            elif isinstance(step, AtNet):
                if fresh:
                    self._text((x, y), step.net, size=SMALL, align="right")
                    self._line((x + 0.1, y), (x + 0.7, y))
                    x += 0.7
                else:
                    self._line((x, y), (x + 0.5, y))
                    self._text((x + 0.6, y), step.net, size=SMALL, align="left")
                    x += 0.6 + 0.17 * len(step.net)
                hung = 0
            elif isinstance(step, Series):
                if hung:
                    self._line((x, y), (x + 1.0, y))
                    x += 1.0
                x = self._series(step, x, y)
                if index + 1 < len(row.steps) and not isinstance(row.steps[index + 1], AtNet):
                    if self.circuit.parts[step.ref].type.symbol in ("box", "opto", "pnp"):
                        self._node(step.net, x - 0.2, y, "left")
                    elif self.circuit.parts[step.ref].type.symbol == "inverter":
                        self._node(step.net, x, y + 0.2, "left")
                    else:
                        self._node(step.net, x + 0.45, y)
                hung = 0
            elif isinstance(step, Hang):
                gap = STEP if hung else 0.5
                self._line((x, y), (x + gap, y))
                x += gap
                self._hang(step, x, y)
                hung += 1
            elif isinstance(step, Transistor):
                if hung:
                    self._line((x, y), (x + 1.0, y))
                    x += 1.0
                x, y = self._transistor(step, x, y)
                if index + 1 < len(row.steps) and not isinstance(row.steps[index + 1], AtNet):
                    self._node(step.net, x - 0.1, y)
                hung = 0
            fresh = False
        last = row.steps[-1]
        if isinstance(last, Series | Transistor) or (isinstance(last, Hang) and not isinstance(row.steps[0], AtNet)):
            if row.net == GND:
                self.d.add(self.e.Ground().theta(0).at((x, y)))
            else:
                self._text((x + 0.15, y), row.net, size=SMALL, align="left")
        return x + 3.0

    def _node(self, net: str, x: float, y: float, align: Align = "right") -> None:
        """The name of a net that other rows or boxes refer to."""
        if net in self.named:
            self._text((x, y + 0.2), net, size=7.0, align=align)

    def _tag(self, step: AtPin, x: float, y: float, *, begins: bool) -> float:
        part = self.circuit.parts[step.ref]
        number = pin_number(part.type, step.pin)
        name = f"{step.ref}.{number}" + (f" {step.pin}" if number != step.pin else "")
        wire = part.wires.get(step.pin)
        if wire is not None and wire[0] != "ribbon":
            name += f" {wire[0]}"
        width = 0.2 + 0.16 * len(name)
        left, right = (x - width, x) if begins else (x, x + width)
        if begins and left < 2.6:
            left, right = 2.6, 2.6 + width
        self._frame(left, y + 0.28, right, y - 0.28)
        self._text(((left + right) / 2 - 0.08, y), name, size=SMALL, align="center")
        if begins and step.net in self.named:
            reach = max(0.8, 0.1 + 0.13 * len(step.net))
            self._line((right, y), (right + reach, y))
            self._node(step.net, right + 0.08, y, "left")
            return right + reach
        return right

    def _series(self, step: Series, x: float, y: float) -> float:
        part = self.circuit.parts[step.ref]
        symbol = part.type.symbol
        first, second = pin_number(part.type, step.enters), pin_number(part.type, step.leaves)
        if symbol == "inverter":
            self._inverter(part, first, second, x, y)
        elif symbol in ("box", "opto", "pnp") or (symbol == "relay" and "A" in step.enters):
            self._small_box(part, step.enters, step.leaves, x, y)
        elif symbol in ("button", "jumper"):
            self._contact(f"{step.ref} {part.type.value}", x, y, closed=False)
        elif symbol == "relay":
            closed = "12" in step.enters + step.leaves or "22" in step.enters + step.leaves
            self._contact(f"{step.ref} {step.enters}–{step.leaves}", x, y, closed=closed)
        else:
            self._two_pins(part, step.enters, (x, y), (x + SPAN, y), label=(x + SPAN / 2, y + 0.62), align="center")
        return x + SPAN

    def _hang(self, step: Hang, x: float, y: float) -> None:
        part = self.circuit.parts[step.ref]
        self._dot(x, y)
        sign = 1.0 if self._upward(step.net) else -1.0
        end = y + sign * REACH
        label = (x + (0.38 if part.type.symbol in ("resistor", "jumper") else 0.55), y + sign * REACH * 0.5)
        if part.type.symbol == "relay":
            self._coil(part, step, x, y, end)
        else:
            self._two_pins(part, step.near, (x, y), (x, end), label=label, align="left")
        if step.net == GND:
            self.d.add(self.e.Ground().theta(0).at((x, end)))
        else:
            self._text((x, end + sign * 0.3), step.net, size=SMALL, align="center")

    def _transistor(self, step: Transistor, x: float, y: float) -> tuple[float, float]:
        part = self.circuit.parts[step.ref]
        kind = {"nfet": self.e.NFet, "pfet": self.e.PFet, "npn": self.e.BjtNpn, "pnp": self.e.BjtPnp}[part.type.symbol]
        gate = "gate" if part.type.symbol in ("nfet", "pfet") else "base"
        element = self.d.add(kind().anchor(gate).at((x, y)).right()) if gate == "base" else self.d.add(
            kind().theta(0).reverse().anchor(gate).at((x, y))
        )  # fmt: skip
        from_above = part.type.symbol in ("pfet", "pnp")
        names = ("drain", "source") if gate == "gate" else ("collector", "emitter")
        top, bottom = (element.absanchors[name] for name in names)
        if top[1] < bottom[1] and not from_above:
            top, bottom = bottom, top
        numbers = "".join(f" {pin}{pin_number(part.type, pin)}" for pin in (step.enters, step.leaves, step.down))
        self._text((top[0] + 0.45, y), f"{step.ref} {part.type.value}\n{numbers.strip()}", size=SMALL, align="left")
        if from_above:
            # Emitter or source is above, at its supply; the row continues from collector or drain below.
            self._text((bottom[0], bottom[1] + 0.25), step.down_net, size=SMALL, align="center")
            out = (top[0], top[1])
        else:
            if step.down_net == GND:
                self.d.add(self.e.Ground().theta(0).at((bottom[0], bottom[1])))
            else:
                self._text((bottom[0], bottom[1] - 0.3), step.down_net, size=SMALL, align="center")
            out = (top[0], top[1])
        self._line(out, (out[0] + 2.6, out[1]))
        return out[0] + 2.6, out[1]

    # Symbols

    def _two_pins(
        self, part: CircuitPart, enters: str, begin: tuple[float, float], end: tuple[float, float],
        *, label: tuple[float, float], align: Align,
    ) -> None:  # fmt: skip
        kinds = {
            "resistor": self.e.ResistorIEC, "capacitor": self.e.Capacitor, "electrolytic": self.e.Capacitor,
            "diode": self.e.Diode, "schottky": self.e.Schottky, "zener": self.e.Zener, "tvs": self.e.DiodeTVS,
            "fuse": self.e.FuseIEC,
        }  # fmt: skip
        polar = {"diode", "schottky", "zener"} | ({"tvs"} if "K" in part.type.pins else set())
        if part.type.symbol in polar and enters == "K":
            begin, end = end, begin
        if part.type.symbol == "tvs" and "K" in part.type.pins:
            kinds["tvs"] = self.e.Zener
        self.d.add(kinds[part.type.symbol]().at(begin).to(end))
        if part.type.symbol == "electrolytic":
            middle_x, middle_y = (begin[0] + end[0]) / 2, (begin[1] + end[1]) / 2
            at = (middle_x - 0.4, middle_y + 0.3) if align == "left" else (middle_x - 0.3, middle_y - 0.4)
            self._text(at, "+", size=SMALL, align="center")
        split = "\n" if align == "left" else " "
        self._text(label, f"{part.ref}{split}{part.type.value}", size=SMALL, align=align)

    def _inverter(self, part: CircuitPart, first: str, second: str, x: float, y: float) -> None:
        left, right = x + 0.7, x + 1.8
        self._line((x, y), (left, y))
        self._line((left, y + 0.6), (left, y - 0.6))
        self._line((left, y + 0.6), (right, y))
        self._line((left, y - 0.6), (right, y))
        self.d.add(self.e.Dot(open=True, radius=0.1).at((right + 0.1, y)))
        self._line((right + 0.2, y), (x + SPAN, y))
        self._text((left - 0.25, y + 0.22), first, size=7.5, align="center")
        self._text((right + 0.5, y + 0.22), second, size=7.5, align="center")
        self._text((x + 1.2, y - 0.85), f"{part.ref} {part.type.value}", size=SMALL, align="center")
        # The sign of hysteresis.
        self._line((left + 0.12, y - 0.15), (left + 0.42, y - 0.15))
        self._line((left + 0.42, y - 0.15), (left + 0.42, y + 0.15))
        self._line((left + 0.24, y + 0.15), (left + 0.54, y + 0.15))
        self._line((left + 0.24, y + 0.15), (left + 0.24, y - 0.15))

    def _small_box(self, part: CircuitPart, enters: str, leaves: str, x: float, y: float) -> None:
        self._line((x, y), (x + 0.3, y))
        self._frame(x + 0.3, y + 0.55, x + SPAN - 0.3, y - 0.55)
        self._line((x + SPAN - 0.3, y), (x + SPAN, y))
        self._text((x + 0.36, y), pin_number(part.type, enters), size=7.5, align="left")
        self._text((x + SPAN - 0.5, y), pin_number(part.type, leaves), size=7.5, align="right")
        self._text((x + SPAN / 2, y + 0.8), f"{part.ref} {part.type.value}", size=SMALL, align="center")
        self._text((x + SPAN / 2, y - 0.25), f"{enters} → {leaves}", size=7, align="center")

    def _contact(self, text: str, x: float, y: float, *, closed: bool) -> None:
        self._line((x, y), (x + 0.8, y))
        self._line((x + 0.8, y), (x + 1.8, y + (0.12 if closed else 0.5)))
        self._line((x + 1.8, y), (x + SPAN, y))
        if closed:
            self._line((x + 1.8, y), (x + 1.8, y + 0.2))
        self._dot(x + 0.8, y)
        self._dot(x + 1.8, y)
        self._text((x + SPAN / 2, y + 0.75), text, size=SMALL, align="center")

    def _coil(self, part: CircuitPart, step: Hang, x: float, y: float, end: float) -> None:
        middle = (y + end) / 2
        self._line((x, y), (x, middle + (0.3 if end < y else -0.3)))
        self._frame(x - 0.45, middle + 0.3, x + 0.45, middle - 0.3)
        self._line((x, middle - (0.3 if end < y else -0.3)), (x, end))
        self._text(
            (x + 0.55, middle), f"{part.ref} {part.type.value}\n{step.near}, {step.far}", size=SMALL, align="left"
        )

    # Boxes

    def _box_size(self, part: CircuitPart, pins: list[str]) -> tuple[float, float]:
        rows = (len(pins) + 1) // 2 if len(pins) > 6 else len(pins)
        return (11.5 if len(pins) > 6 else 8.0), 0.6 * rows + 1.4

    def _box(self, part: CircuitPart, pins: list[str], x: float, y: float) -> None:
        two = len(pins) > 6
        half = (len(pins) + 1) // 2 if two else len(pins)
        left, right = x + 3.2, x + (8.0 if two else 5.6)
        top = y - 0.6
        self._text(((left + right) / 2, y - 0.25), f"{part.ref} {part.type.value}", size=FONT, align="center")
        self._frame(left, top, right, top - 0.6 * half - 0.2)
        for index, pin in enumerate(pins):
            on_left = index < half
            row = index if on_left else len(pins) - 1 - index if part.ref == "U0" else index - half
            at = top - 0.4 - 0.6 * row
            net = part.nets.get(pin, "open")
            number = pin_number(part.type, pin)
            name = pin if number == pin else f"{number} {pin}"
            wire = part.wires.get(pin)
            if wire is not None and wire[0] != "ribbon":
                name += f" {wire[0]}"
            if on_left:
                self._line((left - 0.5, at), (left, at))
                self._text((left - 0.6, at), net, size=SMALL, align="right")
                self._text((left + 0.12, at), name, size=SMALL, align="left")
            else:
                self._line((right, at), (right + 0.5, at))
                self._text((right + 0.6, at), net, size=SMALL, align="left")
                self._text((right - 0.25, at), name, size=SMALL, align="right")

    # Strokes

    def _line(self, begin: tuple[float, float], end: tuple[float, float]) -> None:
        self.d.add(self.e.Line().at(begin).to(end))

    def _frame(self, left: float, top: float, right: float, bottom: float) -> None:
        corners = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]
        for begin, end in pairwise(corners):
            self._line(begin, end)

    def _dot(self, x: float, y: float) -> None:
        self.d.add(self.e.Dot(radius=0.06).at((x, y)))

    def _text(self, at: tuple[float, float], text: str, *, size: float, align: Align) -> None:
        # schemdraw sets a single line of text above the point.
        at = (at[0], at[1] - (0.0 if "\n" in text else 0.014 * size))
        self.d.add(
            self.e.Label()
            .theta(0)
            .at(at)
            .label(text, loc="center", halign=align, valign="center", fontsize=size, ofst=(0, 0))
        )
