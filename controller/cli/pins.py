"""`feltwire pins`: which wire goes to which pin."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path

import click
from rich.console import Console
from rich.text import Text

from command_line.exit_codes import BAD_CONFIGURATION
from controller.cli.board_pins_view import boards_view
from controller.cli.printing import show_problems
from controller.configuration.header_pins import HEADER, HeaderPin, nearest_ground
from controller.configuration.pinout import Pinout, pinouts_of, shared_pins
from controller.configuration.pins import GpioPin
from controller.games.load import check
from controller.rules.house import house_words
from drivers.base.device_spec import LineUse

# The output is plain text in at most 80 columns; the console adds colour, on a terminal only.


_COLUMNS = (19, 8, 3, 4)
"""Widths of line, GPIO, pin and pull; the purpose has the rest."""
_GAP = "  "
_WIDEST = 110
_NAME = 21
"""Width of a line's name in the drawing."""


def pinout_table(wiring: Pinout, width: int = 80) -> Iterator[Text]:
    """The pinout as text: some rows for each line of the table."""
    rest = max(min(width, _WIDEST) - sum(_COLUMNS) - len(_GAP) * len(_COLUMNS), 24)
    yield Text(_row(("line", "GPIO", "pin", "pull"), "purpose"), style="bold")
    for name, use in wiring.uses.items():
        pin = wiring.pins.get(name)
        cells = _cells(name, use, pin, name in wiring.proposed)
        rows = [row for part in _notes(use, pin) for row in textwrap.wrap(part, rest, subsequent_indent="  ")]
        for index, row in enumerate(rows):
            text = Text(_row(cells if index == 0 else ("",) * len(_COLUMNS), row))
            if index == 0:
                text.stylize("cyan" if pin is not None else "dim", 0, len(name))
            yield text
    yield Text()
    yield Text("A pin of a Pi takes 3.3 V at most: 5 V outputs need a level shifter.")
    yield Text("Feed sensors from 3V3 or 5V, as their makers say; they share the Pi's ground.")
    yield Text()


def header_drawing(lines: Mapping[int, str]) -> Iterator[Text]:
    """The header seen from above, pin 1 at the top left, each used pin with the name of its line."""
    for left, right in zip(HEADER[::2], HEADER[1::2], strict=True):
        text = Text(f"{lines.get(left.number, ''):>{_NAME}} ", style="cyan")
        text.append(f"{left.label:>6}", style=_style(left, lines))
        text.append(f" ({left.number:>2}) ({right.number:>2}) ", style="default")
        text.append(f"{right.label:<6}", style=_style(right, lines))
        text.append(f" {lines.get(right.number, '')}", style="cyan")
        text.rstrip()
        yield text


def pins_section(wiring: Pinout) -> str:
    """The pinout as a `[pins]` section."""
    rows = ["[pins]"]
    for line in wiring.uses:
        pin = wiring.pins.get(line)
        if pin is not None and pin.gpio is not None:
            pull = f', pull = "{pin.pull}"' if wiring.uses[line].kind == "input" else ""
            extra = pull + (", inverted = true" if pin.inverted else "")
            rows.append(f"{line} = {{ gpio = {pin.gpio}{extra} }}")
    return "\n".join(rows)


def _cells(name: str, use: LineUse, pin: GpioPin | None, proposed: bool) -> tuple[str, ...]:
    if pin is None:
        return (name, "-", "-", "-")
    place = pin.name or "-" if pin.gpio is None else f"GPIO{pin.gpio}" if pin.header else str(pin.gpio)
    mark = "*" if proposed else ""
    return (name, place + mark, str(pin.header or "-"), "-" if use.kind == "output" else pin.pull)


def _notes(use: LineUse, pin: GpioPin | None) -> Iterator[str]:
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


@click.command("pins")
@click.argument("tables", metavar="TABLE.toml...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--svg", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="A drawing to print.")
def command(tables: tuple[Path, ...], svg: Path | None) -> None:
    """Print the wiring of a table and a drawing of the 40-pin header, or of its boards.

    For each line: the GPIO, the pin of the header, the resistor inside the chip, what level 1 means, and which wire of
    which sensor goes there. Where the file does not wire a line and need not (backend sim), a pin is proposed. For a
    table on boards, the terminals of each board and their pins are printed. No hardware is needed.

    With --svg the wiring is drawn for paper, A4 across: each pin in its place, what goes there, the colour of its wire,
    and the circuit between the sensor and the pin. A browser prints it.

    Several files are the tables of one Pi: their lines are drawn on one header, each with its table, and a pin that two
    of them have is a mistake, named with both. What is proposed for one table is free in the others.

    \b
    Examples:
        feltwire pins roulette.toml
        feltwire pins roulette.toml --svg wiring.svg
        feltwire pins roulette.toml money_wheel.toml --svg wiring.svg
        feltwire pins roulette.toml > wiring.txt

    Exit codes: 0, or 2 if the file has a mistake.
    """
    report = check(tables)
    show_problems(report.problems)
    twice = shared_pins(report.tables)
    for one in twice:
        click.echo(click.style(one, fg="red"), err=True)
    if report.errors or twice:
        sys.exit(BAD_CONFIGURATION)
    if svg is not None:
        from controller.cli.wiring_drawing import wiring_drawing

        try:
            svg.write_text(wiring_drawing(report.tables), encoding="utf-8")
        except OSError as error:
            click.echo(f"{svg}: it cannot be written ({error.strerror})", err=True)
            sys.exit(BAD_CONFIGURATION)
        click.echo(f"written: {svg}")
        return
    console = Console(highlight=False, soft_wrap=True)
    on_header: dict[int, str] = {}
    for number, (config, wiring) in enumerate(zip(report.tables, pinouts_of(report.tables), strict=True), 1):
        if number > 1:
            console.print()
        console.print(f"Table {config.id}: {config.game}{house_words(config.rules)}, backend {config.lines.backend}\n")
        if config.boards:
            for part in boards_view(config, console.width):
                console.print(part)
            continue
        for part in pinout_table(wiring, console.width):
            console.print(part)
        mark = f"{number}:" if len(report.tables) > 1 else ""
        on_header |= {pin: mark + line for pin, line in wiring.on_header.items()}
        if len(report.tables) == 1:
            _draw(console, on_header)
        if wiring.proposed:
            _propose(console, wiring)
    if len(report.tables) > 1 and on_header:
        named = ", ".join(f"{number} is {config.id}" for number, config in enumerate(report.tables, 1))
        console.print(f"\nThe header of the Pi with all of them: {named}\n")
        _draw(console, on_header)


def _draw(console: Console, lines: Mapping[int, str]) -> None:
    for part in header_drawing(lines):
        console.print(part)


def _propose(console: Console, wiring: Pinout) -> None:
    console.print("\nWith * is our proposal: the file does not wire it. To use it:\n")
    console.print(pins_section(wiring), markup=False)
