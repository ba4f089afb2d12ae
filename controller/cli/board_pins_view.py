"""The wiring of a table's boards for a terminal or a printer: each terminal, and a drawing of the board.

Plain text in at most 80 columns; colour is added by the console, and only on a terminal.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from rich.text import Text

from controller.boards.bench_sheet import load, sheet_name
from controller.configuration.header_pins import LINK, NANO, pico_pin, printed
from controller.configuration.lamp_chains import board_of_lamps
from controller.configuration.sections import Side
from controller.configuration.terminals import MOVED, Place, Terminal, pins_of_pico, places_of
from controller.configuration.values import TableConfig
from drivers.base.device_spec import BoardOutput, LineUse
from hal.board.chips import CHIPS, PICOS, Chip
from hal.board.message import BoardKind
from hal.board.messages import KINDS
from hal.lamp_fields import CHAIN

# Pins that no line can have: the rows and columns of a keypad, and a chain of lamps


COLUMN_PARTS = (
    "In the wire of each column of the keypad: 1 kΩ at the pin, then a Schottky diode BAT85, its cathode at the "
    "resistor and its anode at the keypad (docs/boards-wiring.md)."
)
"""What a keypad needs that is not wired straight to the board, which has it on its carrier board."""


CONTROL_PARTS = (
    "a 74HC595 behind the last lamp: DIR and ENABLE of the drivers, feed of the sensors (docs/boards-wiring.md)"
)
"""The register with which a board controls what it drives by itself."""


class Crossing(NamedTuple):
    """Where a key joins a row of a keypad to a column, each numbered from 1."""

    row: int
    column: int


CHAIN_OF_PICO = (
    "its registers run at 5 V, for which a Pico's 3.3 V are too low: two inverters 74AHCT14 at 5 V, one behind the "
    "other, in data, clock and latch, and in STEP of a driver; two 74AHC14 at 3.3 V in read back (docs/boards-pico.md)"
)
"""What a chain of lamps needs that is wired to a Pico without its carrier board."""


def crossing_of(kind: BoardKind, place: Place) -> Crossing:
    """The crossing of a key: keys are counted along the rows."""
    row, column = divmod(place.number - kind.first_key_line, len(kind.key_columns))
    return Crossing(row + 1, column + 1)


def key_words(kind: BoardKind, place: Place, label: Callable[[str], str] = printed) -> str:
    """How a key is wired: `key 1: row 1 (A2), column 1 (D9)`; `label` gives the label of a pin of the dictionary."""
    row, column = crossing_of(kind, place)
    rows, columns = label(kind.key_rows[row - 1]), label(kind.key_columns[column - 1])
    return f"{place.name}: row {row} ({rows}), column {column} ({columns})"


def chain_words(kind: BoardKind, label: Callable[[str], str] = printed, plus: str = "5V") -> Iterator[str]:
    """How a chain of lamps is wired, pin by pin (docs/boards-wiring.md); `plus` is the label of the board's supply."""
    notes = {"latch": f"; 10 kΩ from there to {plus}", "read_back": "; resistor to + inside"}
    for what, pin in kind.lamp_pins:
        yield f"{_plain(what)}: {label(pin)}{notes.get(what, '')}"
    if plus != "5V":
        yield CHAIN_OF_PICO


NO_PIN = "none"
"""The label of a channel that is at no pin."""


def labels_of(kind: BoardKind, chip: str) -> Callable[[str], str]:
    """How a pin of the dictionary is labelled on a board with this chip."""
    if chip not in PICOS:
        return printed
    at = pins_of_pico(kind)
    return lambda pin: at.get(printed(pin), "") or NO_PIN


class OwnPins(NamedTuple):
    """The pins that no line can have."""

    used: dict[str, str]
    """What is wired to each printed pin."""
    free: dict[str, str]
    """The purpose of each other one, which this table does not use."""


def own_pins(kind: BoardKind, keys: Collection[Place], *, lamps: bool, current: bool, driven: bool = False) -> OwnPins:
    """The pins of the serial link, of the keypad with these keys, and of lamps and motor's current if there are any;
    where the board drives a device by itself, also those of its control register and of its sensors' feed.
    """
    crossings = [crossing_of(kind, place) for place in keys]
    used = {pin: [what] for pin, what in LINK.items()}
    free: dict[str, list[str]] = {}
    for number, pin in enumerate(kind.key_columns, 1):
        at = used if any(each.column == number for each in crossings) else free
        at.setdefault(printed(pin), []).append(f"column {number}")
    for number, pin in enumerate(kind.key_rows, 1):
        at = used if any(each.row == number for each in crossings) else free
        at.setdefault(printed(pin), []).append(f"row {number}")
    for what, pin in kind.lamp_pins if lamps or (driven and kind.control) else ():
        used.setdefault(printed(pin), []).append(f"lamps' {_plain(what)}")
    if current:
        used.setdefault(printed(kind.motor_current_pin), []).append("motor's current")
    if driven and kind.sense_pin:
        used.setdefault(printed(kind.sense_pin), []).append("sensors' feed")
    return OwnPins(
        {pin: ", ".join(what) for pin, what in used.items()},
        {pin: ", ".join(what) for pin, what in free.items() if pin not in used},
    )


def _plain(what: str) -> str:
    return what.replace("_", " ")


_COLUMNS = (19, 10, 5, 4)
"""Widths of line, terminal, printed pin and pull; the purpose has the rest."""
_HEADINGS = ("line", "terminal", "pin", "pull")
_GAP = "  "
_MOVES_ONLY = "output, for what moves only:"
_WIDEST = 110
_NAME = 22
"""Width of a line's name in the drawing."""


def boards_view(config: TableConfig, width: int = 80) -> Iterator[Text]:
    """The wiring of each board of a table: its terminals with their lines, what is free, and the drawing."""
    chain = board_of_lamps(config.devices, config.boards)
    for name, board in config.boards.items():
        kind = KINDS[board.kind]
        at = {(one.side, one.number): one for one in config.terminals.values() if one.board == name}
        keys = [place for place in places_of(kind) if not place.pin and (place.side, place.number) in at]
        driven = driven_by(config, name)
        own = own_pins(kind, keys, lamps=name == chain, current=board.motor_most_a is not None, driven=bool(driven))
        yield Text(f"Board {name}: {kind.name} board", style="bold")
        yield Text(f"port {board.port}")
        yield Text()
        label = labels_of(kind, board.chip)
        yield from _terminals(kind, at, driven, config.uses, width, lamps=name == chain, label=label)
        yield Text()
        names, lines = _named(kind, at, driven, own)
        yield from _on_pico(kind, CHIPS[board.chip], names, lines) if board.chip in PICOS else _drawing(names, lines)
        yield Text()
        if on_carrier := carrier_words(kind, board.chip, at, driven):
            yield from map(Text, textwrap.wrap(on_carrier, min(width, _WIDEST)))
            yield Text()
        if keys:
            yield from (Text(row, style="yellow") for row in textwrap.wrap(COLUMN_PARTS, min(width, _WIDEST)))
            yield Text()
    yield from _links(config, width)
    chips = {board.chip for board in config.boards.values()}
    if not chips.issubset(PICOS):
        whose = "" if chips.isdisjoint(PICOS) else " of a Nano or Uno"
        yield Text(f"pin: what an Arduino Nano or Uno prints beside it. An input{whose} takes 0 to 5 V.")
        yield Text(f"Feed sensors{whose} from 5V, as their makers say; they share the board's GND.")
    if not chips.isdisjoint(PICOS):
        yield Text("A Pico's inputs take 0 to 3.3 V, and 5 V destroys it: feed its sensors from 3V3,", style="yellow")
        yield Text("and wire to 3V3 what else goes to 5V (docs/boards-pico.md). They share its GND.", style="yellow")
    yield Text("In brackets: what a pin is for, and nothing is wired to it.")


def driven_by(config: TableConfig, board: str) -> dict[str, BoardOutput]:
    """The outputs that a board drives by itself, by the names that its kind has for them."""
    return {
        output.name: output
        for use in config.uses.values()
        if (beside := config.terminals.get(use.beside)) is not None and beside.board == board
        for output in use.driven
    }


def _terminals(
    kind: BoardKind,
    at: Mapping[tuple[Side, int], Terminal],
    driven: Mapping[str, BoardOutput],
    uses: Mapping[str, LineUse],
    width: int,
    *,
    lamps: bool,
    label: Callable[[str], str],
) -> Iterator[Text]:
    yield Text(_row(_HEADINGS, "purpose"), style="bold")
    plus = "5V" if label is printed else "3V3"
    free: dict[str, list[str]] = {"input": [], "output": [], _MOVES_ONLY: [], "analogue": []}
    for place in places_of(kind):
        terminal = at.get((place.side, place.number))
        if terminal is None and place.side == "output" and place.name in driven:
            cells = (place.name, f"{place.side} {place.number}", label(place.pin), "-")
            yield from _rows(cells, _driven_notes(driven[place.name], place, kind), width)
            continue
        if terminal is None:
            if place.pin and label(place.pin) == NO_PIN:
                continue
            moves = (place.side, place.name) in MOVED.get(kind.name, ())
            free[_MOVES_ONLY if moves else place.side].append(str(place.number))
            continue
        where = label(place.pin) if place.pin else "keys"
        pull = terminal.pull if place.side == "input" and place.pin else "-"
        cells = (terminal.line, f"{place.side} {place.number}", where, pull)
        yield from _rows(cells, _notes(place, terminal, uses[terminal.line], kind, label), width)
    if lamps:
        cells = (CHAIN, "chain", label(kind.lamp_pins[0][1]), "-")
        yield from _rows(cells, (f"chain of {kind.lamps} lamps at most", *chain_words(kind, label, plus)), width)
    if driven and kind.control:
        cells = ("control register", "chain", label(kind.lamp_pins[0][1]), "-")
        yield from _rows(cells, (CONTROL_PARTS, *(() if lamps else chain_words(kind, label, plus))), width)
    for what, numbers in free.items():
        if numbers:
            yield Text(f"free: {what} {', '.join(numbers)}", style="dim")


def _rows(cells: tuple[str, ...], parts: Iterable[str], width: int) -> Iterator[Text]:
    """The rows of one line of the table: its purpose, the meaning of its level, and what is wired to it."""
    rest = max(min(width, _WIDEST) - sum(_COLUMNS) - len(_GAP) * len(_COLUMNS), 24)
    rows = [row for part in parts for row in textwrap.wrap(part, rest, subsequent_indent="  ")]
    for index, row in enumerate(rows):
        text = Text(_row(cells if index == 0 else ("",) * len(_COLUMNS), row))
        if index == 0:
            text.stylize("cyan", 0, len(cells[0]))
        yield text


def _notes(
    place: Place, terminal: Terminal, use: LineUse, kind: BoardKind, label: Callable[[str], str]
) -> Iterator[str]:
    yield use.purpose
    if place.side == "analogue":
        yield f"value: {use.high}; 0 at {terminal.zero_v:g} V, {terminal.per_v:+g} with each volt"
    elif not place.pin:
        yield f"1 = {use.high}"
    elif place.side == "input":
        yield f"1 ({'low' if terminal.inverted else 'high'}) = {use.high}"
    else:
        _, longest_ms = kind.outputs[place.number - 1]
        yield f"1 (high) = {use.high}; for {longest_ms / 1000:g} s at most"
    if place.pin:
        yield f"wire: {use.wire_inverted if terminal.inverted and use.wire_inverted else use.wire}"
    else:
        yield key_words(kind, place, label)


def _driven_notes(output: BoardOutput, place: Place, kind: BoardKind) -> Iterator[str]:
    _, longest_ms = kind.outputs[place.number - 1]
    yield f"{output.purpose}: the board's own, for {longest_ms / 1000:g} s at most"
    yield f"wire: {output.wire}"


def _named(
    kind: BoardKind, at: Mapping[tuple[Side, int], Terminal], driven: Mapping[str, BoardOutput], own: OwnPins
) -> tuple[dict[str, str], set[str]]:
    """By printed pin its line or its purpose; and the pins to which something is wired."""
    names = own.used | {pin: f"({what})" for pin, what in own.free.items()}
    lines = set(own.used)
    for place in places_of(kind):
        if not place.pin:
            continue
        terminal = at.get((place.side, place.number))
        own_output = place.side == "output" and place.name in driven
        taken = place.name if own_output else f"({place.name})"
        names[printed(place.pin)] = taken if terminal is None else terminal.line
        if terminal is not None or own_output:
            lines.add(printed(place.pin))
    return names, lines


IN_SERIES = (
    "(470 Ω): in series, at the sensor's end of the signal wire; without it that is shorted for the board's test. "
    "(W…): a bare opto as it is; for a contact or an open collector the same, with this jumper fitted."
)
"""Of the lines that a board tests, where a carrier board has such."""


def carrier_words(kind: BoardKind, chip: str, at: Mapping[tuple[Side, int], Terminal], driven: Collection[str]) -> str:
    """Where a table's lines are on the carrier board of this kind; empty where it has no terminal of them."""
    name = sheet_name(kind.name, CHIPS[chip])
    terminals = load(name).terminals
    found = []
    for place in places_of(kind):
        terminal = at.get((place.side, place.number))
        if place.name in terminals and (terminal is not None or (place.side == "output" and place.name in driven)):
            found.append(f"{place.name if terminal is None else terminal.line} {terminals[place.name]}")
    if not found:
        return ""
    words = f"On its carrier board (docs/hardware/{name}.md): {'; '.join(found)}."
    return f"{words} {IN_SERIES}" if IN_SERIES[:7] in words else words


def _on_pico(kind: BoardKind, chip: Chip, names: Mapping[str, str], lines: Collection[str]) -> Iterator[Text]:
    """Where each printed pin is on a Pico, with its line or its purpose."""
    yield Text(f"{'pin':>{_NAME + 4}}   of the Pico (docs/boards-pico.md)")
    for label, where in pins_of_pico(kind).items():
        if label in names:
            style = "cyan" if label in lines else "dim"
            yield Text(
                f"{names[label]:>{_NAME}} {label:>3} = "
                f"{pico_pin(where) if where else 'none: it reads a third of its supply'}",
                style=style,
            )
    line = "its own USB socket" if chip.usb else f"TX1 = {pico_pin('GP0')}, RX0 = {pico_pin('GP1')}"
    yield Text(f"{'(serial line)':>{_NAME}} {line}", style="dim")
    yield Text(f"{'(FRAM)':>{_NAME}} SDA = {pico_pin('GP20')}, SCL = {pico_pin('GP21')}", style="dim")
    yield Text(f"{'ground':>{_NAME}} {pico_pin('GND')}, {pico_pin('AGND')}")
    yield Text(f"{'3.3 V':>{_NAME}} {pico_pin('3V3')}")


def _drawing(names: Mapping[str, str], lines: Collection[str]) -> Iterator[Text]:
    """The board seen from above, its USB socket at the top, each pin with its line or its purpose."""
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


def _links(config: TableConfig, width: int) -> Iterator[Text]:
    """The serial ports of devices that are not on a board."""
    for name, use in config.uses.items():
        link = config.links.get(name)
        if use.kind == "link" and link is not None:
            for row in textwrap.wrap(f"{name}: {use.purpose}, {use.wire}: {link.port}", min(width, _WIDEST)):
                yield Text(row)


def _row(cells: tuple[str, ...], rest: str) -> str:
    columns = [f"{cell:<{width}}" for cell, width in zip(cells, _COLUMNS, strict=True)]
    return _GAP.join([*columns, rest]).rstrip()
