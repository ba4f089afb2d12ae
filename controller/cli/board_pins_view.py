"""The wiring of a table's boards for a terminal or a printer: each terminal, and a drawing of the board.

Plain text in at most 80 columns; colour is added by the console, and only on a terminal.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping

from rich.text import Text

from controller.configuration.board_sections import SIDES, Side
from controller.configuration.line_use import LineUse
from controller.configuration.nano import LINK, NANO, printed
from controller.configuration.terminals import Place, Terminal, places_of
from controller.configuration.values import TableConfig
from hal.board.message import Kind
from hal.board.messages import KINDS

_COLUMNS = (19, 10, 5, 4)
"""Widths of line, terminal, printed pin and pull; the purpose has the rest."""
_HEADINGS = ("line", "terminal", "pin", "pull")
_GAP = "  "
_WIDEST = 110
_NAME = 22
"""Width of a line's name in the drawing."""


def boards_view(config: TableConfig, width: int = 80) -> Iterator[Text]:
    """The wiring of each board of a table: its terminals with their lines, what is free, and the drawing."""
    for name, board in config.boards.items():
        kind = KINDS[board.kind]
        at = {(one.side, one.number): one for one in config.terminals.values() if one.board == name}
        yield Text(f"Board {name}: {kind.name} board", style="bold")
        yield Text(f"port {board.port}")
        yield Text()
        yield from _terminals(kind, at, config.uses, width)
        yield Text()
        yield from _drawing(kind, at)
        yield Text()
    yield from _links(config, width)
    yield Text("pin: what an Arduino Nano or Uno prints beside it. An input takes 0 to 5 V.")
    yield Text("Feed sensors from 5V, as their makers say; they share the board's GND.")


def _terminals(
    kind: Kind, at: Mapping[tuple[Side, int], Terminal], uses: Mapping[str, LineUse], width: int
) -> Iterator[Text]:
    yield Text(_row(_HEADINGS, "purpose"), style="bold")
    free: dict[Side, list[str]] = {side: [] for side in SIDES}
    for place in places_of(kind):
        terminal = at.get((place.side, place.number))
        if terminal is None:
            free[place.side].append(str(place.number))
            continue
        yield from _rows(place, terminal, uses[terminal.line], kind, width)
    for side, numbers in free.items():
        if numbers:
            yield Text(f"free: {side} {', '.join(numbers)}", style="dim")


def _rows(place: Place, terminal: Terminal, use: LineUse, kind: Kind, width: int) -> Iterator[Text]:
    """One line of the table: its purpose, what its level means, and what is wired to it."""
    where = printed(place.pin) if place.pin else "keys"
    pull = terminal.pull if place.side == "input" and place.pin else "-"
    cells = (terminal.line, f"{place.side} {place.number}", where, pull)
    rest = max(min(width, _WIDEST) - sum(_COLUMNS) - len(_GAP) * len(_COLUMNS), 24)
    told = [
        row for part in _told(place, terminal, use, kind) for row in textwrap.wrap(part, rest, subsequent_indent="  ")
    ]
    for index, row in enumerate(told):
        text = Text(_row(cells if index == 0 else ("",) * len(_COLUMNS), row))
        if index == 0:
            text.stylize("cyan", 0, len(terminal.line))
        yield text


def _told(place: Place, terminal: Terminal, use: LineUse, kind: Kind) -> Iterator[str]:
    yield use.purpose
    if place.side == "analogue":
        yield f"value: {use.high}; 0 at {terminal.zero_v:g} V, {terminal.per_v:+g} with each volt"
    elif place.side == "input":
        yield f"1 ({'low' if terminal.inverted else 'high'}) = {use.high}"
    else:
        _, longest_ms = kind.outputs[place.number - 1]
        yield f"1 (high) = {use.high}; for {longest_ms / 1000:g} s at most"
    if place.pin:
        yield f"wire: {use.wire_inverted if terminal.inverted and use.wire_inverted else use.wire}"
    else:
        yield f"the {place.name} of the keypad"


def _drawing(kind: Kind, at: Mapping[tuple[Side, int], Terminal]) -> Iterator[Text]:
    """The board seen from above with its USB socket at the top, each pin with its line, or what the kind has there."""
    names = _own_pins(kind)
    lines: set[str] = set()
    for place in places_of(kind):
        if not place.pin:
            continue
        terminal = at.get((place.side, place.number))
        names[printed(place.pin)] = f"({place.name})" if terminal is None else terminal.line
        if terminal is not None:
            lines.add(printed(place.pin))
    yield Text(f"{'':>{_NAME}}     ┌───[USB]───┐".rstrip())
    for left, right in NANO:
        text = Text(f"{names.get(left, ''):>{_NAME}} ", style="cyan" if left in lines else "dim")
        text.append(f"{left:>3} │", style="default")
        text.append("           ")
        text.append(f"│ {right:<3}", style="default")
        text.append(f" {names.get(right, '')}", style="cyan" if right in lines else "dim")
        text.rstrip()
        yield text
    yield Text(f"{'':>{_NAME}}     └───────────┘")


def _own_pins(kind: Kind) -> dict[str, str]:
    """What is wired to the pins that no line can have: the link, a keypad, a chain of lamps."""
    names = dict(LINK)
    uses: dict[str, list[str]] = {}
    for number, pin in enumerate(kind.key_columns, 1):
        uses.setdefault(pin, []).append(f"column {number}")
    for number, pin in enumerate(kind.key_rows, 1):
        uses.setdefault(pin, []).append(f"row {number}")
    for what, pin in kind.lamp_pins:
        uses.setdefault(pin, []).append(f"lamps' {what.replace('_', ' ')}")
    return names | {printed(pin): f"({', '.join(what)})" for pin, what in uses.items()}


def _links(config: TableConfig, width: int) -> Iterator[Text]:
    """The serial ports of devices, which are no board's."""
    for name, use in config.uses.items():
        link = config.links.get(name)
        if use.kind == "link" and link is not None:
            for row in textwrap.wrap(f"{name}: {use.purpose}, {use.wire}: {link.port}", min(width, _WIDEST)):
                yield Text(row)


def _row(cells: tuple[str, ...], rest: str) -> str:
    columns = [f"{cell:<{width}}" for cell, width in zip(cells, _COLUMNS, strict=True)]
    return _GAP.join([*columns, rest]).rstrip()
