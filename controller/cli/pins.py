"""`feltwire pins`: which wire goes to which pin."""

from __future__ import annotations

import sys
from pathlib import Path

import click
from rich.console import Console

from controller.cli import BAD_CONFIGURATION
from controller.cli.board_pins_view import boards_view
from controller.cli.pins_view import header_drawing, pins_section, wiring_of, wiring_table
from controller.cli.problems_view import show_problems
from controller.configuration.load import check


@click.command("pins")
@click.argument("table", metavar="TABLE.toml", type=click.Path(path_type=Path))
def command(table: Path) -> None:
    """Print the wiring of a table and a drawing of the 40-pin header, or of its boards.

    For each line: the GPIO, the pin of the header, the resistor inside the chip, what level 1 means, and which wire of
    which sensor goes there. Where the file wires nothing and needs nothing (backend sim), a wiring is proposed. Of a
    table on boards: the terminals of each board, and the pins beside which they are. No hardware is needed.

    \b
    Examples:
        feltwire pins roulette.toml
        feltwire pins roulette.toml > wiring.txt

    Exit codes: 0, or 2 if the file has a mistake.
    """
    report = check([table])
    show_problems(report.problems)
    if not report.tables:
        sys.exit(BAD_CONFIGURATION)
    config = report.tables[0]
    console = Console(highlight=False, soft_wrap=True)
    console.print(f"Table {config.id}: {config.game}, backend {config.lines.backend}\n")
    if config.boards:
        for part in boards_view(config, console.width):
            console.print(part)
        return
    wiring = wiring_of(config)
    for part in wiring_table(wiring, console.width):
        console.print(part)
    for part in header_drawing(wiring.pins):
        console.print(part)
    if wiring.proposed:
        console.print("\nWith * is our proposal: the file does not wire it. To use it:\n")
        console.print(pins_section(wiring), markup=False)
