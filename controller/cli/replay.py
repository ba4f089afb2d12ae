"""`feltwire replay`: the events of a table for recorded captures."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from command_line.exit_codes import BAD_CONFIGURATION
from controller.bench.replay import replay
from controller.calibration.table_calibration import calibrated, measures_beside
from controller.cli.printing import load_one, print_events
from hal.capture.errors import CaptureError


@click.command("replay")
@click.argument("table", metavar="TABLE.toml", type=click.Path(path_type=Path))
@click.argument("captures", metavar="CAPTURE.vcd...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="One event a line, exactly the JSON body of the feed.")
def command(table: Path, captures: tuple[Path, ...], as_json: bool) -> None:
    """Replay captures of a table's lines, and print the events.

    A capture is a VCD file, as logic analysers, GTKWave and sigrok write them, with one wire a line, named as the
    table names them (`feltwire pins` shows the names). The wires in the capture decide: without dealer_no_more_bets the
    controller calls "No more bets", ball_1 ... ball_n give the number of track sensors, and object_2 is a second beam
    for foreign objects. What a calibration beside the file has measured is used as in play. Nothing is journalled.

    \b
    Examples:
        feltwire replay roulette.toml evening.vcd
        feltwire replay wheel.toml a.vcd b.vcd --json | jq .data.reason

    Exit codes: 0, or 2 for a file that cannot be used: the error names the line.
    """
    if table.suffix == ".vcd" and captures[-1].suffix == ".toml":
        raise click.UsageError(f"the table comes first: feltwire replay {captures[-1]} {table}")
    config = load_one(table)
    measures = measures_beside(config)
    if measures is not None:
        click.echo(f"with what {measures.words} has measured", err=True)
        config = calibrated(config, measures)
    try:
        for events in replay(config, captures):
            print_events(events, as_json=as_json)
    except CaptureError as error:
        click.echo(click.style(str(error), fg="red"), err=True)
        sys.exit(BAD_CONFIGURATION)
