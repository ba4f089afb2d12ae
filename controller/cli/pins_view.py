"""The wiring of a table for a terminal or a printer: a table of its lines and a drawing of the header.

Plain text in at most 80 columns; colour is added by the console, and only on a terminal.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from rich.text import Text

from controller.configuration.header40 import HEADER, HeaderPin, nearest_ground
from controller.configuration.line_use import LineUse
from controller.configuration.pins import Pin, propose
from controller.configuration.values import TableConfig

_COLUMNS = (19, 8, 3, 4)
"""Widths of line, GPIO, pin and pull; the purpose has the rest."""
_GAP = "  "
_WIDEST = 110
_NAME = 21
"""Width of a line's name in the drawing."""


class Wiring(NamedTuple):
    """Where every line of a table goes."""

    uses: Mapping[str, LineUse]
    pins: Mapping[str, Pin]
    proposed: frozenset[str]
    """The lines whose pin is our proposal and not in the file."""


def wiring_of(config: TableConfig) -> Wiring:
    """The wiring of a table; where none is required, what the file leaves out is proposed."""
    if config.live:
        return Wiring(config.uses, config.pins, frozenset())
    on_pins = [name for name, use in config.uses.items() if use.kind in {"input", "output"}]
    unwired = [name for name in on_pins if name not in config.pins]
    unwired.sort(key=lambda name: not config.uses[name].required)
    proposal = propose(unwired, config.pins)
    return Wiring(config.uses, {**config.pins, **proposal}, frozenset(proposal))


def wiring_table(wiring: Wiring, width: int = 80) -> Iterator[Text]:
    """The wiring, some lines of text for each line of the table."""
    rest = max(min(width, _WIDEST) - sum(_COLUMNS) - len(_GAP) * len(_COLUMNS), 24)
    yield Text(_row(("line", "GPIO", "pin", "pull"), "purpose"), style="bold")
    for name, use in wiring.uses.items():
        pin = wiring.pins.get(name)
        cells = _cells(name, use, pin, name in wiring.proposed)
        told = [row for part in _told(use, pin) for row in textwrap.wrap(part, rest, subsequent_indent="  ")]
        for index, row in enumerate(told):
            text = Text(_row(cells if index == 0 else ("",) * len(_COLUMNS), row))
            if index == 0:
                text.stylize("cyan" if pin is not None else "dim", 0, len(name))
            yield text
    yield Text()
    yield Text("A pin of a Pi takes 3.3 V at most: 5 V outputs need a level shifter.")
    yield Text("Feed sensors from 3V3 or 5V, as their makers say; they share the Pi's ground.")
    yield Text()


def header_drawing(pins: Mapping[str, Pin]) -> Iterator[Text]:
    """The header seen from above, pin 1 at the top left, each used pin with the name of its line."""
    lines = {pin.header: pin.line for pin in pins.values() if pin.header is not None}
    for left, right in zip(HEADER[::2], HEADER[1::2], strict=True):
        text = Text(f"{lines.get(left.number, ''):>{_NAME}} ", style="cyan")
        text.append(f"{left.label:>6}", style=_style(left, lines))
        text.append(f" ({left.number:>2}) ({right.number:>2}) ", style="default")
        text.append(f"{right.label:<6}", style=_style(right, lines))
        text.append(f" {lines.get(right.number, '')}", style="cyan")
        text.rstrip()
        yield text


def pins_section(wiring: Wiring) -> str:
    """The wiring as the section of a file."""
    rows = ["[pins]"]
    for line in wiring.uses:
        pin = wiring.pins.get(line)
        if pin is not None and pin.gpio is not None:
            pull = f', pull = "{pin.pull}"' if wiring.uses[line].kind == "input" else ""
            extra = pull + (", inverted = true" if pin.inverted else "")
            rows.append(f"{line} = {{ gpio = {pin.gpio}{extra} }}")
    return "\n".join(rows)


def _cells(name: str, use: LineUse, pin: Pin | None, proposed: bool) -> tuple[str, ...]:
    if pin is None:
        return (name, "-", "-", "-")
    place = pin.name or "-" if pin.gpio is None else f"GPIO{pin.gpio}" if pin.header else str(pin.gpio)
    mark = "*" if proposed else ""
    return (name, place + mark, str(pin.header or "-"), "-" if use.kind == "output" else pin.pull)


def _told(use: LineUse, pin: Pin | None) -> Iterator[str]:
    yield use.purpose
    if use.kind == "analogue":
        yield f"value: {use.high}"
        yield "not a GPIO: a board reads it"
        return
    if use.kind == "link":
        yield f"serial port, {use.high}"
        yield f"wire: {use.wire}"
        return
    wire_level = "low" if pin is not None and pin.inverted else "high"
    yield f"1 ({wire_level}) = {use.high}"
    if pin is None:
        yield "not wired" + ("" if use.required else " (not needed)")
        return
    ground = f"; ground: pin {nearest_ground(pin.header)}" if pin.header is not None else f" on {pin.chip}"
    wire = use.wire_inverted if pin.inverted and use.wire_inverted else use.wire
    yield f"wire: {wire}{ground}"


def _row(cells: tuple[str, ...], rest: str) -> str:
    columns = [f"{cell:<{width}}" for cell, width in zip(cells, _COLUMNS, strict=True)]
    return _GAP.join([*columns, rest]).rstrip()


def _style(pin: HeaderPin, lines: Mapping[int, str]) -> str:
    if pin.label in {"3V3", "5V"}:
        return "red"
    if pin.label == "GND":
        return "dim"
    return "bold cyan" if pin.number in lines else "default"
