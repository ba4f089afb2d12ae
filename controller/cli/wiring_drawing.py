"""The wiring of a table as a drawing to print: each pin in its place, what goes there, and the circuit that it needs.

┌ lines of the left row ┐ ┌─────────┐ ┌ lines of the right row ┐        one sheet for the Pi's header,
│ name, purpose, wire   ├─┤ header  ├─┤ name, purpose, wire    │        or one for each board; A4 across
└───────────────────────┘ └─────────┘ └────────────────────────┘
  circuits: what is between a sensor and a pin, with its parts
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from command_line.svg_page import SvgPage
from controller.cli.board_pins_view import (
    COLUMN_PARTS,
    CONTROL_PARTS,
    carrier_words,
    chain_words,
    driven_by,
    key_words,
    labels_of,
    own_pins,
)
from controller.configuration.header_pins import HEADER, NANO, PICO, PICO_FRAM, PICO_NUMBERS, PICO_OWN, nearest_ground
from controller.configuration.lamp_chains import board_of_lamps
from controller.configuration.pinout import pinouts_of
from controller.configuration.pins import GpioPin
from controller.configuration.terminals import pins_of_pico, places_of
from controller.configuration.values import TableConfig
from drivers.base.device_spec import LineUse
from hal.board.chips import CHIPS, PICOS
from hal.board.messages import KINDS
from hal.lines import Pull

WIDTH: Final = 1400.0
SHEET: Final = 990.0
"""A4 across."""
ROW: Final = 28.0
TOP: Final = 92.0
MIDDLE: Final = WIDTH / 2
EDGE: Final = 96.0
"""From the middle of a connector to its edge."""

COLORS: Final = (
    ("blue", "#1f5fbf"),
    ("green", "#1b8a3a"),
    ("violet", "#8a3fb5"),
    ("brown", "#8b5a2b"),
    ("turquoise", "#0e8f95"),
    ("pink", "#c2417f"),
)
"""Of the devices' wires, in their order: colours in which cable is sold. Supply and ground have theirs (ours)."""
LAMP: Final = ("orange", "#d9730d")
POWER: Final = {
    "5V": ("red", "#c81e1e"), "3V3": ("red/white", "#e05a5a"), "GND": ("black", "#222"), "AGND": ("black", "#222"),
}  # fmt: skip
_PIN_FILL: Final = {"5V": "#f6b8b8", "3V3": "#fbdada", "GND": "#d4d4d4", "AGND": "#d4d4d4"}


class Row(NamedTuple):
    """One pin of a connector: where it is, what it is called, and what is wired to it."""

    left: bool
    number: str
    """What is printed beside it, or its number on the header."""
    label: str
    line: str = ""
    """The line; empty where nothing is wired."""
    notes: tuple[str, str] = ("", "")
    color: tuple[str, str] = ("", "")
    circuit: str = ""
    """The letter of the circuit that it needs; empty where the part that is wired has its own input."""


class Connector(NamedTuple):
    """One sheet: a connector, and what else is to be known."""

    title: str
    rows: tuple[tuple[Row, Row], ...]
    """Left and right pin, from the top."""
    beside: tuple[str, ...]
    """Notes under the connector."""
    volts: str
    """What an input takes at most."""
    corner: str
    """What is at the connector's upper end."""
    pulls_down: bool
    """Whether the chip has a resistor to ground for an input."""


def wiring_drawing(configs: Sequence[TableConfig]) -> str:
    """The wiring of the tables of one Pi as SVG: one sheet for its header, whoever has its pins, and one a board."""
    on_pins = [config for config in configs if not config.boards]
    sheets = [(_title(on_pins), _pi_sheet(on_pins))] if on_pins else []
    sheets += [(_title([config]), sheet) for config in configs if config.boards for sheet in _board_sheets(config)]
    names = ", ".join(config.id for config in configs)
    page = SvgPage(WIDTH, SHEET * len(sheets), f"Wiring of table{'s' if len(configs) > 1 else ''} {names}")
    for number, (title, sheet) in enumerate(sheets):
        _draw(page, SHEET * number, title, sheet, f"sheet {number + 1} of {len(sheets)}")
    return page.text()


def _title(configs: Sequence[TableConfig]) -> str:
    """The tables of a sheet; where there are several, with the numbers that mark their lines."""
    if len(configs) == 1:
        return f"Table {configs[0].id}: {configs[0].game}"
    return "Tables " + ", ".join(f"{mark}{config.id} ({config.game})" for mark, config in _marked(configs))


def _marked(configs: Sequence[TableConfig]) -> list[tuple[str, TableConfig]]:
    """Each table with what marks its lines on a common sheet: `2:`; a name would leave no room for the notes."""
    return [("" if len(configs) == 1 else f"{number}:", config) for number, config in enumerate(configs, 1)]


# --- what is on a sheet ---


def _colors(config: TableConfig, used: int = 0) -> dict[str, tuple[str, str]]:
    """The colour of each line's wire: one a device, and one for all that is driven; `used` are those of others."""
    colors: dict[str, tuple[str, str]] = {}
    for device in config.devices.values():
        lines = [line for line in device.lines if line in config.uses]
        if not lines:
            continue
        for line in lines:
            colors[line] = LAMP if config.uses[line].kind == "output" else COLORS[used % len(COLORS)]
        used += 1
    return colors


def _circuit(use: LineUse, pull: Pull) -> str:
    if use.kind == "output":
        return "D"
    if use.kind == "analogue":
        return "F"
    return {"up": "A", "down": "B", "none": "B"}[pull]


class _Wired(NamedTuple):
    """A line on a pin of the header."""

    pin: GpioPin
    use: LineUse
    name: str
    """With its table's number, where there are several."""
    proposed: bool
    color: tuple[str, str]


def _pi_sheet(configs: Sequence[TableConfig]) -> Connector:
    pinouts = pinouts_of(configs)
    by_pin: dict[int, _Wired] = {}
    used = 0
    for (mark, config), pinout in zip(_marked(configs), pinouts, strict=True):
        colors = _colors(config, used)
        used += len(set(colors.values()) - {LAMP})
        for line, pin in pinout.pins.items():
            if pin.header is not None:
                color = colors.get(line, COLORS[0])
                by_pin[pin.header] = _Wired(pin, config.uses[line], mark + line, line in pinout.proposed, color)
    grounds = {nearest_ground(number) for number in by_pin}

    def row(number: int) -> Row:
        place = HEADER[number - 1]
        wired = by_pin.get(number)
        if wired is None:
            used = place.label == "GND" and number in grounds
            return Row(
                bool(number % 2),
                str(number),
                place.label,
                notes=(_GROUND, "") if used else ("", ""),
            )
        pin, use = wired.pin, wired.use
        wire = use.wire_inverted if pin.inverted and use.wire_inverted else use.wire
        level = f"1 ({'low' if pin.inverted else 'high'}) = {use.high}"
        proposal = " (our proposal)" if wired.proposed else ""
        pull = "" if use.kind == "output" else f"; pull {pin.pull}"
        notes = (f"{use.purpose}: {wire}{proposal}", f"{level}{pull}; ground: pin {nearest_ground(number)}")
        return Row(
            bool(number % 2),
            str(number),
            place.label,
            wired.name,
            notes,
            wired.color,
            _circuit(use, pin.pull),
        )

    rows = tuple((row(number), row(number + 1)) for number in range(1, 41, 2))
    beside = [
        f"{mark}{line}: {use.purpose}, {use.wire}: {config.links[line].port}"
        for mark, config in _marked(configs)
        for line, use in config.uses.items()
        if line in config.links
    ]
    elsewhere = [
        f"{mark}{pin.line}: {pin.chip} line {pin.wire}"
        for (mark, _), pinout in zip(_marked(configs), pinouts, strict=True)
        for pin in pinout.pins.values()
        if pin.header is None
    ]
    title = "40-pin header of the Raspberry Pi, seen from above"
    corner = "pin 1 is at the end of the board with the SD card"
    return Connector(title, rows, (*beside, *elsewhere), "3.3 V", corner, pulls_down=True)


def _board_sheets(config: TableConfig) -> Iterator[Connector]:
    colors = _colors(config)
    chain = board_of_lamps(config.devices, config.boards)
    for name, board in config.boards.items():
        kind, chip = KINDS[board.kind], CHIPS[board.chip]
        at_pico = pins_of_pico(kind) if chip.name in PICOS else None
        label = labels_of(kind, board.chip)
        at = {(one.side, one.number): one for one in config.terminals.values() if one.board == name}
        keys = [place for place in places_of(kind) if not place.pin and (place.side, place.number) in at]
        driven = driven_by(config, name)
        own = own_pins(kind, keys, lamps=name == chain, current=board.motor_most_a is not None, driven=bool(driven))
        named: dict[str, Row] = {}
        beside: list[str] = []
        for place in places_of(kind):
            terminal = at.get((place.side, place.number))
            if terminal is None and place.side == "output" and place.name in driven:
                output = driven[place.name]
                own_notes = (f"{output.purpose}: {output.wire}", f"the board's own; output {place.number}")
                named[label(place.pin)] = Row(True, "", "", place.name, own_notes, COLORS[0], "")
            if terminal is None:
                continue
            use = config.uses[terminal.line]
            if not place.pin:
                beside.append(f"{terminal.line}: {key_words(kind, place, label)}")
                continue
            wire = use.wire_inverted if terminal.inverted and use.wire_inverted else use.wire
            level = f"1 ({'low' if terminal.inverted else 'high'}) = {use.high}"
            if place.side == "analogue":
                level = f"{use.high}; 0 at {terminal.zero_v:g} V, {terminal.per_v:+g} a volt"
            notes = (f"{use.purpose}: {wire}", f"{level}; {place.side} {place.number}")
            pull: Pull = terminal.pull if place.side == "input" else "up"
            color = colors.get(terminal.line, COLORS[0])
            named[label(place.pin)] = Row(True, "", "", terminal.line, notes, color, _circuit(use, pull))
        words_of_chain = list(chain_words(kind, label, "5V" if at_pico is None else "3V3"))
        if name == chain:
            beside += [f"lamps: {words}" for words in words_of_chain]
        if driven and kind.control:
            beside.append(CONTROL_PARTS)
            beside += [f"its {words}" for words in words_of_chain if name != chain]
        if keys:
            beside.append(COLUMN_PARTS)
        beside.append(carrier_words(kind, board.chip, at, driven))

        rows = NANO if at_pico is None else PICO
        used = own.used
        if at_pico is not None:
            used = (PICO_FRAM if chip.usb else PICO_OWN) | {
                at_pico[pin]: what for pin, what in own.used.items() if at_pico.get(pin)
            }
            beside.append(_OF_PICO)

        volts = f"{chip.supply_v:g} V"
        title = f"Board {name}: {kind.name} board ({chip.about}), seen from above; port {board.port}"
        sides = [[_board_row(pin, named, used) for pin in side] for side in zip(*rows, strict=True)]
        if at_pico is not None:
            # Its pins are numbered too: down the left side, and up the right one.
            sides = [
                [row._replace(label=row.number, number=str(number)) for row, number in zip(side, count, strict=True)]
                for side, count in zip(sides, PICO_NUMBERS, strict=True)
            ]
        left, right = _with_grounds(sides)
        pairs = tuple((one, other._replace(left=False)) for one, other in zip(left, right, strict=True))
        yield Connector(title, pairs, tuple(beside), volts, "USB socket", pulls_down=False)


_GROUND: Final = "ground of the lines beside it"


def _with_grounds(sides: list[list[Row]]) -> list[list[Row]]:
    """Both sides of a board, with a wire at the ground that is nearest to each line."""
    grounds = [
        (side, index)
        for side, rows in enumerate(sides)
        for index, row in enumerate(rows)
        if (row.label or row.number) in ("GND", "AGND")
    ]
    used = {
        min(grounds, key=lambda ground: (abs(ground[1] - index), ground[0] != side))
        for side, rows in enumerate(sides)
        for index, row in enumerate(rows)
        if row.line
    }
    return [
        [row._replace(notes=(_GROUND, "")) if (side, index) in used else row for index, row in enumerate(rows)]
        for side, rows in enumerate(sides)
    ]


def _board_row(pin: str, named: Mapping[str, Row], used: Mapping[str, str]) -> Row:
    """The row of a pin on the left side, by its label."""
    return named.get(pin, Row(True, "", "", notes=(used.get(pin, ""), "")))._replace(left=True, number=pin, label="")


_OF_PICO: Final = (
    "5 V at a pin destroys a Pico. Feed sensors from 3V3 (pin 36), or from a supply of their own as in circuit C, "
    "never from VBUS or VSYS. In brackets: the pin's number on the module (docs/boards-pico.md)."
)


# --- the sheet ---


def _draw(page: SvgPage, top: float, title: str, sheet: Connector, number: str) -> None:
    _frame(page, top, title, sheet, number)
    y0 = top + TOP
    height = ROW * len(sheet.rows)
    page.box(MIDDLE - EDGE, y0 - 8, 2 * EDGE, height + 14, fill="#eef3ee", color="#446", round_by=6)
    page.words(MIDDLE, y0 - 14, sheet.corner, size=10, anchor="middle", color="#446")
    for index, pair in enumerate(sheet.rows):
        for row in pair:
            _pin(page, y0 + ROW * index + ROW / 2, row, first=index == 0 and row.left)
    below = y0 + height + 34
    if sheet.beside:
        rows = [
            part
            for note in sheet.beside
            for part in textwrap.wrap(note, 118, subsequent_indent="   ", break_on_hyphens=False)
        ]
        half = len(rows) if len(rows) < 4 else (len(rows) + 1) // 2
        page.paragraph(40, below, rows[:half], size=10.5)
        page.paragraph(MIDDLE + 20, below, rows[half:], size=10.5)
        below += half * 14.2 + 8
    _circuits(page, max(below, top + SHEET - 258), sheet)


def _frame(page: SvgPage, top: float, title: str, sheet: Connector, number: str) -> None:
    page.box(16, top + 14, WIDTH - 32, SHEET - 28, stroke=1.5)
    page.words(36, top + 42, _short(title, 80), size=19, bold=True)
    page.words(36, top + 62, sheet.title, size=12.5)
    page.words(WIDTH - 36, top + 42, f"Feltwire wiring, {number}", size=12.5, anchor="end")
    page.words(
        WIDTH - 36, top + 62, "Wire with the power off. Screens to ground at this end only.", size=12, anchor="end"
    )


def _pin(page: SvgPage, y: float, row: Row, *, first: bool) -> None:
    sign = -1 if row.left else 1
    x = MIDDLE + sign * 16
    fill = _PIN_FILL.get(row.label or row.number, "#fff")
    if row.line:
        fill = row.color[1]
    if first and row.label:
        page.box(x - 8, y - 8, 16, 16, fill=fill)
    else:
        page.dot(x, y, 8, fill=fill)
    anchor = "end" if row.left else "start"
    label = f"{row.label} ({row.number})" if row.label else row.number
    page.words(x + sign * 14, y + 4, label, size=9.5, anchor=anchor)
    outer = MIDDLE + sign * (EDGE + 26)
    text = MIDDLE + sign * (EDGE + 72)
    if row.line:
        page.line((MIDDLE + sign * EDGE, y), (outer + sign * 26, y), color=row.color[1], width=3)
        page.dot(outer + sign * 30, y, 4, fill=row.color[1], color=row.color[1])
        if row.circuit:
            page.dot(outer + sign * 10, y, 8.5, fill="#fff", color=row.color[1])
            page.words(outer + sign * 10, y + 3.6, row.circuit, size=10, anchor="middle", bold=True)
        page.words(
            text,
            y - 1,
            f"{row.line} [{row.color[0]}]",
            size=11.5,
            anchor=anchor,
            bold=True,
            color=row.color[1],
            after=_short(row.notes[1], 96),
        )
        page.words(text, y + 10.5, _short(row.notes[0]), size=9.5, anchor=anchor, color="#333")
        return
    power = POWER.get(row.label or row.number)
    if row.notes[0]:
        color = power[1] if power else "#777"
        page.line((MIDDLE + sign * EDGE, y), (outer + sign * 26, y), color=color, width=2)
        shown = f"{row.notes[0]}  [{power[0]}]" if power else row.notes[0]
        page.words(text, y + 4, shown, size=10, anchor=anchor, color=color)


def _short(text: str, most: int = 104) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


# --- circuits ---


def _circuits(page: SvgPage, y: float, sheet: Connector) -> None:
    volts = sheet.volts
    contact = "or a contact to +; pull down." if sheet.pulls_down else "a contact is joined to GND (A)."
    page.line((36, y - 16), (WIDTH - 36, y - 16), color="#888", width=1)
    cells: Sequence[tuple[str, str, tuple[str, ...]]] = (
        (
            "A",
            "open collector (NPN), contact to ground",
            ("pull up, inverted. Over 1 m of cable add R,", f"1 kΩ to 4.7 kΩ to {_plus(volts)}, at this end."),
        ),
        (
            "B",
            f"push-pull output of at most {volts}",
            (f"{contact} A higher output", "needs circuit C: it destroys the input."),
        ),
        (
            "C",
            "level shifting: a sensor of 5, 12 or 24 V",
            ("an optocoupler, as circuit A on this side. R1:", "680 Ω at 5 V, 2.2 kΩ at 12 V, 4.7 kΩ at 24 V."),
        ),
        (
            "D",
            "lamp or signal, from a supply of its own",
            ("a pin gives a few mA only: transistor or relay.", "F1 as its lamp needs; diode across a coil."),
        ),
        (
            "E",
            "supply and fuse of the sensors",
            ("F2 1 A (ours), slow, at the supply's +. Ground", "of both supplies joins here, at one point."),
        ),
    )
    width = (WIDTH - 72) / len(cells)
    for index, (letter, title, notes) in enumerate(cells):
        x = 36 + width * index
        page.dot(x + 12, y + 4, 9, fill="#fff")
        page.words(x + 12, y + 8, letter, size=11, anchor="middle", bold=True)
        page.words(x + 27, y + 8, title, size=10.5, bold=True)
        _SCHEMATIC[letter](page, x + 14, y + 26, volts)
        page.paragraph(x + 4, y + 172, notes, size=10)
    page.words(
        36,
        y + 210,
        f"F: an analogue channel, 0 to {volts}.  [colour]: of the wire, by function: " + _legend(),
        size=10,
    )
    page.words(
        36,
        y + 225,
        f"An input takes {volts} at most. No filter and no debounce on encoders and track sensors. Nothing that "
        "moves on a pin of the Pi. Ours: colours, R and F values; check them against the parts you use.",
        size=10,
    )


def _legend() -> str:
    return "one a device; orange what is driven, red +5 V, red/white +3.3 V, black ground."


def _plus(volts: str) -> str:
    return "3V3" if volts.startswith("3") else "5V"


def _resistor(page: SvgPage, x: float, y: float, label: str, *, across: bool = False) -> None:
    if across:
        page.box(x, y - 6, 34, 12, fill="#fff")
        page.words(x + 17, y - 10, label, size=9.5, anchor="middle")
    else:
        page.box(x - 6, y, 12, 34, fill="#fff")
        page.words(x + 10, y + 21, label, size=9.5)


def _ground(page: SvgPage, x: float, y: float) -> None:
    page.line((x, y), (x, y + 8))
    for step, half in enumerate((10, 6, 2)):
        page.line((x - half, y + 8 + step * 4), (x + half, y + 8 + step * 4))


def _npn(page: SvgPage, x: float, y: float) -> None:
    """A transistor: base at (x, y), collector at (x + 24, y - 24), emitter at (x + 24, y + 24)."""
    page.line((x, y), (x + 12, y))
    page.line((x + 12, y - 14), (x + 12, y + 14), width=2.5)
    page.line((x + 12, y - 6), (x + 24, y - 16), (x + 24, y - 24))
    page.line((x + 12, y + 6), (x + 24, y + 16), (x + 24, y + 24))
    page.line((x + 18, y + 14), (x + 24, y + 16), (x + 21, y + 9))


def _open_collector(page: SvgPage, x: float, y: float, volts: str) -> None:
    page.box(x, y + 20, 78, 92, color="#777")
    page.words(x + 6, y + 34, "sensor", size=9.5, color="#555")
    _npn(page, x + 24, y + 74)
    page.line((x + 48, y + 50), (x + 48, y + 44), (x + 200, y + 44))
    _ground(page, x + 48, y + 98)
    page.words(x + 130, y + 4, _plus(volts), size=10, anchor="middle")
    page.line((x + 130, y + 8), (x + 130, y + 10))
    _resistor(page, x + 130, y + 10, "R")
    page.dot(x + 130, y + 44, 2.5)
    page.words(x + 204, y + 48, "pin", size=10.5, bold=True)
    page.line((x + 48, y + 116), (x + 200, y + 116), dash="4 3", color="#222")
    page.words(x + 204, y + 120, "GND", size=10.5, bold=True)


def _push_pull(page: SvgPage, x: float, y: float, volts: str) -> None:
    page.box(x, y + 20, 78, 92, color="#777")
    page.words(x + 6, y + 34, "sensor", size=9.5, color="#555")
    page.line((x + 24, y + 54), (x + 24, y + 86), (x + 54, y + 70), (x + 24, y + 54))
    page.line((x + 54, y + 70), (x + 200, y + 70))
    page.words(x + 204, y + 74, "pin", size=10.5, bold=True)
    page.line((x + 78, y + 30), (x + 200, y + 30), color=POWER["3V3"][1])
    page.words(x + 204, y + 34, _plus(volts), size=10.5)
    page.line((x + 78, y + 104), (x + 200, y + 104), color="#222")
    page.words(x + 204, y + 108, "GND", size=10.5, bold=True)


def _optocoupler(page: SvgPage, x: float, y: float, volts: str) -> None:
    page.words(x, y + 12, "+5, 12 or 24 V", size=9.5)
    page.line((x, y + 30), (x + 24, y + 30))
    page.box(x + 24, y + 24, 34, 12, fill="#fff")
    page.words(x + 41, y + 47, "R1", size=9.5, anchor="middle")
    page.line((x + 58, y + 30), (x + 84, y + 30), (x + 84, y + 52))
    page.box(x + 66, y + 42, 84, 56, color="#777")
    page.line((x + 74, y + 52), (x + 94, y + 52), (x + 84, y + 68), (x + 74, y + 52))
    page.line((x + 74, y + 68), (x + 94, y + 68))
    page.line((x + 84, y + 68), (x + 84, y + 112), (x, y + 112))
    page.words(x, y + 107, "sensor (NPN)", size=9.5)
    page.line((x + 100, y + 58), (x + 110, y + 64), dash="2 2")
    page.line((x + 122, y + 54), (x + 122, y + 84), width=2.5)
    page.line((x + 122, y + 62), (x + 134, y + 54), (x + 134, y + 44), (x + 200, y + 44))
    page.line((x + 122, y + 76), (x + 134, y + 84), (x + 134, y + 104), (x + 200, y + 104))
    page.words(x + 204, y + 48, "pin", size=10.5, bold=True)
    page.words(x + 204, y + 108, "GND", size=10.5, bold=True)


def _lamp(page: SvgPage, x: float, y: float, volts: str) -> None:
    page.words(x, y + 64, "pin", size=10.5, bold=True)
    page.line((x + 22, y + 60), (x + 34, y + 60))
    page.box(x + 34, y + 54, 34, 12, fill="#fff")
    page.words(x + 51, y + 49, "1 kΩ", size=9.5, anchor="middle")
    page.line((x + 68, y + 60), (x + 96, y + 60))
    page.dot(x + 80, y + 60, 2.5)
    page.line((x + 80, y + 60), (x + 80, y + 70))
    page.box(x + 74, y + 70, 12, 30, fill="#fff")
    page.words(x + 70, y + 89, "10 kΩ", size=9.5, anchor="end")
    page.line((x + 80, y + 100), (x + 80, y + 108), (x + 120, y + 108), (x + 120, y + 84))
    _npn(page, x + 96, y + 60)
    _ground(page, x + 120, y + 108)
    page.line((x + 120, y + 36), (x + 120, y + 32))
    page.dot(x + 120, y + 22, 10, fill="#fff7cc")
    page.line((x + 113, y + 15), (x + 127, y + 29))
    page.line((x + 127, y + 15), (x + 113, y + 29))
    page.line((x + 120, y + 12), (x + 120, y + 6), (x + 140, y + 6))
    page.box(x + 140, y, 36, 12, fill="#fff")
    page.line((x + 140, y + 6), (x + 176, y + 6))
    page.words(x + 158, y + 24, "F1", size=9.5, anchor="middle")
    page.line((x + 176, y + 6), (x + 200, y + 6), color=POWER["5V"][1])
    page.words(x + 204, y + 10, "+ lamps", size=10)


def _supply(page: SvgPage, x: float, y: float, volts: str) -> None:
    page.box(x, y + 10, 76, 44, color="#555")
    page.words(x + 38, y + 28, "supply of", size=9.5, anchor="middle")
    page.words(x + 38, y + 42, "the sensors", size=9.5, anchor="middle")
    page.line((x + 76, y + 20), (x + 96, y + 20), color=POWER["5V"][1], width=2)
    page.box(x + 96, y + 14, 36, 12, fill="#fff")
    page.line((x + 96, y + 20), (x + 132, y + 20))
    page.words(x + 114, y + 10, "F2", size=9.5, anchor="middle")
    page.line((x + 132, y + 20), (x + 200, y + 20), color=POWER["5V"][1], width=2)
    page.words(x + 204, y + 24, "sensors +", size=9.5)
    page.line((x + 76, y + 44), (x + 200, y + 44), color="#222", width=2)
    page.words(x + 204, y + 48, "sensors −", size=9.5)
    page.dot(x + 150, y + 44, 3)
    page.line((x + 150, y + 44), (x + 150, y + 104), color="#222", width=2)
    page.box(x, y + 82, 76, 44, color="#555")
    page.words(x + 38, y + 100, "own supply", size=9.5, anchor="middle")
    page.words(x + 38, y + 114, "of the Pi", size=9.5, anchor="middle")
    page.line((x + 76, y + 104), (x + 196, y + 104), color="#222", width=2)
    page.words(x + 204, y + 108, "GND", size=10.5, bold=True)


_SCHEMATIC: Final = {"A": _open_collector, "B": _push_pull, "C": _optocoupler, "D": _lamp, "E": _supply}
