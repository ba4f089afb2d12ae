"""A circuit as data: parts, their pins, the nets that join them, and the rows in which they are drawn.

A circuit is built once, by rows: a row begins at a pin or a net, and goes through parts in series; from each of its
nodes parts hang down to another net. Netlist, drawing, bill of materials and the deck for ngspice are all derived from
the result, so they cannot differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

GND: Final = "GND"

PinType = Literal["passive", "in", "out", "open", "both", "supply", "source", "unused"]
"""passive; digital input; push-pull output; open collector or drain; input or output by the firmware; takes a supply;
gives a supply; must stay open."""


class CircuitError(ValueError):
    """A circuit that contradicts itself: the part and the pin, and what is wrong."""


@dataclass(frozen=True)
class OrderNumber:
    """An order number of a manufacturer, and how it was checked that it exists."""

    maker: str
    number: str
    checked: str


@dataclass(frozen=True)
class PartType:
    """What a part is: its pins, its limits, its SPICE line, and who makes it.

    `spice` is a template with the names of the pins, `{ref}` and `{value}`; several lines are several elements.
    `limits` are the absolute maximum ratings that simulations and electrical rules compare with, in V, A, W and J.
    """

    name: str
    letter: str
    symbol: str
    value: str
    pins: Mapping[str, PinType]
    sources: tuple[OrderNumber, ...]
    spice: str = ""
    number: float = 0.0
    """The value in Ω, F or H, for which `{value}` of the template is a placeholder."""
    tolerance: float = 0.0
    limits: Mapping[str, float] = field(default_factory=dict)
    package: str = ""
    note: str = ""


@dataclass
class CircuitPart:
    """One part of a circuit, and the net at each of its connected pins."""

    ref: str
    type: PartType
    nets: dict[str, str] = field(default_factory=dict)
    open_pins: set[str] = field(default_factory=set)
    """Pins that are left open on purpose."""
    wires: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Of a connector: the colour of the wire at a pin, and what the wire goes to."""
    tags: set[str] = field(default_factory=set)
    """The rows that it is in, by their names: what a simulation takes out of the circuit."""

    def connect(self, pin: str, net: str) -> None:
        """Joins a pin to a net.

        Raises:
            CircuitError: the part has no such pin, or it is connected already.
        """
        if pin not in self.type.pins:
            raise CircuitError(
                f"{self.ref} ({self.type.name}): it has no pin {pin}; it has {', '.join(self.type.pins)}"
            )
        if pin in self.nets or pin in self.open_pins:
            raise CircuitError(f"{self.ref} pin {pin}: connected twice, to {self.nets.get(pin, 'nothing')} and {net}")
        self.nets[pin] = net

    def leave_open(self, *pins: str) -> None:
        """States that these pins stay open."""
        for pin in pins:
            if pin in self.nets:
                raise CircuitError(f"{self.ref} pin {pin}: left open, and connected to {self.nets[pin]}")
            self.open_pins.add(pin)


# What a row is drawn from


@dataclass(frozen=True)
class AtPin:
    """The row begins or ends at a pin of a part that is drawn as a tag."""

    ref: str
    pin: str
    net: str


@dataclass(frozen=True)
class AtNet:
    """The row begins or ends at a net that is drawn elsewhere, too."""

    net: str


@dataclass(frozen=True)
class Series:
    """From one node to the next through a part, by these pins."""

    ref: str
    enters: str
    leaves: str
    net: str
    """Of the node behind it."""


@dataclass(frozen=True)
class Hang:
    """From the last node to another net through a part."""

    ref: str
    near: str
    far: str
    net: str
    """At the far end."""


@dataclass(frozen=True)
class Transistor:
    """From a gate or a base to the drain or the collector; source or emitter go down, through a part or at once."""

    ref: str
    enters: str
    leaves: str
    down: str
    net: str
    down_net: str


Step = AtPin | AtNet | Series | Hang | Transistor


@dataclass
class CircuitSheet:
    """One drawing: rows from top to bottom, and boxes with the nets at their pins."""

    name: str
    title: str
    rows: list[CircuitRow] = field(default_factory=list)
    boxes: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    """References, and which of their pins (none: all that no row shows)."""


class CircuitRow:
    """Builds one row of a sheet: each call adds parts and joins them."""

    def __init__(self, circuit: Circuit, name: str, text: str) -> None:
        self.circuit = circuit
        self.name = name
        self.text = text
        self.steps: list[Step] = []
        self.net = ""

    def _stands(self, part: CircuitPart) -> CircuitPart:
        part.tags.add(self.name)
        return part

    def pin(self, part: CircuitPart, pin: str, net: str = "") -> CircuitRow:
        """Begins, or ends, at a pin; `net` names a net that begins here."""
        self._stands(part)
        if (self.net or net) and pin not in part.nets:
            part.connect(pin, self.net or net)
        if part.nets.get(pin) is None:
            raise CircuitError(f"{part.ref} pin {pin}: the row {self.name} begins there, and it has no net")
        if self.net and part.nets[pin] != self.net:
            raise CircuitError(f"{part.ref} pin {pin}: is at {part.nets[pin]}, and the row {self.name} at {self.net}")
        self.net = part.nets[pin]
        self.steps.append(AtPin(part.ref, pin, self.net))
        return self

    def at(self, net: str) -> CircuitRow:
        """Begins at a net, or ends at one, which is where the row is then."""
        if self.net and self.net != net:
            raise CircuitError(f"row {self.name}: at {self.net}, which is not {net}")
        self.net = net
        self.steps.append(AtNet(net))
        return self

    def series(self, type_: PartType, net: str, *, enters: str = "", leaves: str = "") -> CircuitPart:
        """Goes on to another net through a new part of two pins."""
        part = self.circuit.part(type_)
        self.through(part, net, enters=enters, leaves=leaves)
        return part

    def through(self, part: CircuitPart, net: str, *, enters: str = "", leaves: str = "") -> CircuitRow:
        """Goes on to another net through two pins of a part."""
        pins = list(part.type.pins)
        enters, leaves = enters or pins[0], leaves or pins[1]
        self._stands(part)
        part.connect(enters, self.net)
        part.connect(leaves, net)
        self.steps.append(Series(part.ref, enters, leaves, net))
        self.net = net
        return self

    def hang(self, type_: PartType, net: str, *, near: str = "", far: str = "") -> CircuitPart:
        """Hangs a new part of two pins at the node where the row is."""
        part = self.circuit.part(type_)
        self.hang_part(part, net, near=near, far=far)
        return part

    def hang_part(self, part: CircuitPart, net: str, *, near: str = "", far: str = "") -> CircuitRow:
        """Hangs two pins of a part at the node where the row is."""
        pins = list(part.type.pins)
        near, far = near or pins[0], far or pins[1]
        self._stands(part)
        part.connect(near, self.net)
        part.connect(far, net)
        self.steps.append(Hang(part.ref, near, far, net))
        return self

    def transistor(self, type_: PartType, net: str, down_net: str) -> CircuitPart:
        """Goes on through a transistor, whose pins are in the order in, out, down."""
        part = self._stands(self.circuit.part(type_))
        enters, leaves, down = type_.pins
        part.connect(enters, self.net)
        part.connect(leaves, net)
        part.connect(down, down_net)
        self.steps.append(Transistor(part.ref, enters, leaves, down, net, down_net))
        self.net = net
        return part

    def gate(self, gates: Gates, net: str) -> CircuitPart:
        """Goes on through the next free gate of the packages of `gates`."""
        part, enters, leaves = gates.next()
        self.through(part, net, enters=enters, leaves=leaves)
        return part


class Gates:
    """The gates of as many packages as are needed; what is left over is tied by `tie`."""

    def __init__(self, circuit: Circuit, type_: PartType, pairs: Iterable[tuple[str, str]], supply: str) -> None:
        self.circuit = circuit
        self.type = type_
        self.pairs = tuple(pairs)
        self.supply = supply
        self._free: list[tuple[CircuitPart, str, str]] = []
        self.parts: list[CircuitPart] = []

    def next(self) -> tuple[CircuitPart, str, str]:
        """The part and the pins of the next free gate."""
        if not self._free:
            part = self.circuit.part(self.type)
            part.connect("VCC", self.supply)
            part.connect("GND", GND)
            self.parts.append(part)
            self._free = [(part, enters, leaves) for enters, leaves in self.pairs]
        return self._free.pop(0)

    def tie(self) -> None:
        """Ties the inputs of the gates that are left, and leaves their outputs open."""
        for part, enters, leaves in self._free:
            part.connect(enters, GND)
            part.leave_open(leaves)
        self._free = []


class Circuit:
    """One board: its parts and sheets."""

    def __init__(self, name: str, title: str) -> None:
        self.name = name
        self.title = title
        self.parts: dict[str, CircuitPart] = {}
        self.sheets: list[CircuitSheet] = []
        self.rails: dict[str, float] = {GND: 0.0}
        """Nets whose highest normal voltage is known, in V."""
        self.inductive: dict[str, str] = {}
        """Nets that switch an inductive load, and the net at its other end."""
        self.work: list[str] = []
        """What is done to bought modules before they are fitted: cuts, and parts to take out."""
        self._numbers: dict[str, int] = {}

    def part(self, type_: PartType, ref: str = "") -> CircuitPart:
        """Adds a part, with the next number of its letter."""
        if not ref:
            self._numbers[type_.letter] = self._numbers.get(type_.letter, 0) + 1
            ref = f"{type_.letter}{self._numbers[type_.letter]}"
        if ref in self.parts:
            raise CircuitError(f"{ref}: there are two parts of this name")
        part = CircuitPart(ref, type_)
        self.parts[ref] = part
        return part

    def sheet(self, name: str, title: str) -> CircuitSheet:
        """Adds a sheet."""
        sheet = CircuitSheet(name, title)
        self.sheets.append(sheet)
        return sheet

    def row(self, sheet: CircuitSheet, name: str, text: str = "") -> CircuitRow:
        """Adds a row to a sheet; `name` is what a simulation takes it out by."""
        row = CircuitRow(self, name, text)
        sheet.rows.append(row)
        return row

    def box(self, sheet: CircuitSheet, part: CircuitPart, *pins: str) -> None:
        """Shows these pins of a part as a box on a sheet; without pins, all that no row shows."""
        sheet.boxes.append((part.ref, pins))

    def joints(self) -> Iterator[tuple[str, str, str]]:
        """Every pin that is connected: the part, the pin, the net."""
        for part in self.parts.values():
            for pin, net in part.nets.items():
                yield part.ref, pin, net

    def nets(self) -> dict[str, list[tuple[CircuitPart, str]]]:
        """The pins at each net."""
        found: dict[str, list[tuple[CircuitPart, str]]] = {}
        for part in self.parts.values():
            for pin, net in part.nets.items():
                found.setdefault(net, []).append((part, pin))
        return found

    def tagged(self, *names: str) -> list[CircuitPart]:
        """The parts of these rows, in the order of the circuit."""
        found = [part for part in self.parts.values() if part.tags & set(names)]
        if not found:
            raise CircuitError(f"{self.name}: no row is named {', '.join(names)}")
        return found
