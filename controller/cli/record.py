"""`feltwire record`: the live lines of a table, as captures that replay takes."""

from __future__ import annotations

import asyncio
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from command_line.exit_codes import BAD_CONFIGURATION, FATAL
from controller.cli.printing import load_one
from controller.cli.services_here import how_to_stop, service_of, services
from controller.configuration.values import TableConfig
from hal.clock import NS_PER_S, SystemClock
from hal.lines import LineError
from hal.wording import counted

if TYPE_CHECKING:
    from controller.commissioning.recording import RotatingCapture

MOST_MILLIONS = 50


@click.command("record")
@click.argument("table", metavar="TABLE.toml", type=click.Path(path_type=Path))
@click.argument("out", metavar="[OUT.vcd]", required=False, type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="OUT.vcd",
    help="The capture, as OUT.vcd.",
)
@click.option("--seconds", type=click.FloatRange(min=0, min_open=True), help="Stop after this many seconds.")
@click.option(
    "--values",
    type=click.IntRange(1000, MOST_MILLIONS * 1_000_000),
    default=2_000_000,
    show_default=True,
    metavar="N",
    help="Values of one file; then OUT.2.vcd and so on begin.",
)
@click.option("--files", type=click.IntRange(1, 1000), default=8, show_default=True, help="The oldest are removed.")
def command(table: Path, out: Path | None, output: Path | None, seconds: float | None, values: int, files: int) -> None:
    """Record the live lines of a table into a capture that `feltwire replay` takes.

    Ctrl-C, SIGTERM or --seconds ends it, and the file is complete then. A long recording goes on in OUT.2.vcd,
    OUT.3.vcd and so on, each with the levels at its beginning; the oldest are removed, so the disk does not fill.
    Frames that hold unexposed cards are recorded as commitments only. No output is driven.

    While a service runs the table, it holds the lines: its captures of refused and faulty rounds are below its state
    directory (captures/TABLE/), and every event of such a round names its own.

    \b
    Examples:
        feltwire record roulette.toml evening.vcd
        feltwire record roulette.toml -o evening.vcd --seconds 600
        feltwire replay roulette.toml evening.vcd

    Exit codes: 0; 1 if the lines cannot be opened, or were lost; 2 for a file that cannot be used.
    """
    if (out is None) == (output is None):
        raise click.UsageError("name one file to write: feltwire record TABLE.toml OUT.vcd")
    path = (out or output or Path()).absolute()
    config = load_one(table)
    if not path.parent.is_dir():
        raise click.UsageError(f"there is no folder {path.parent}; make it first")
    if path.exists():
        raise click.UsageError(f"{path} is there already, and is not overwritten; name another file")
    if not config.live:
        raise click.UsageError(
            f"{config.file}: its backend {config.lines.backend} has no real wires; feltwire simulate --vcd writes a "
            "capture of simulated rounds"
        )
    running = service_of(config, services())
    if running is not None:
        journal = Path(str((running.status or {}).get("journal", "")))
        captures = journal.parent / "captures" / config.id
        click.echo(
            f"the service at {running.base} runs table {config.id} and holds its lines, so nothing can be recorded "
            f"beside it. Its captures of refused and faulty rounds are in {captures}; to record everything, stop the "
            f"service ({how_to_stop(running)}) and try again",
            err=True,
        )
        sys.exit(FATAL)
    sys.exit(_run(config, path, seconds, values, files))


def _run(config: TableConfig, path: Path, seconds: float | None, values: int, files: int) -> int:
    from controller.commissioning.recording import record

    clock = SystemClock()
    begin_ns = clock.now_ns()
    shown_ns = begin_ns
    live = sys.stderr.isatty()

    def progress(capture: RotatingCapture) -> None:
        nonlocal shown_ns
        if live and clock.now_ns() - shown_ns >= NS_PER_S // 2:
            shown_ns = clock.now_ns()
            passed_s = (shown_ns - begin_ns) / NS_PER_S
            click.echo(
                f"\r{passed_s:6.0f} s, {counted(capture.values, 'value')}, file {len(capture.paths)} ",
                nl=False,
                err=True,
            )

    async def main() -> RotatingCapture:
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stop.set)
        if seconds is not None:
            loop.call_later(seconds, stop.set)
        click.echo(f"recording {config.id}; Ctrl-C ends it", err=True)
        return await record(config, path, clock, stop, values_a_file=values, files=files, progress=progress)

    try:
        capture = asyncio.run(main())
    except (LineError, OSError, ValueError) as error:
        click.echo(click.style(f"\n{error}", fg="red"), err=True)
        return BAD_CONFIGURATION if isinstance(error, OSError) else FATAL
    if live:
        click.echo(err=True)
    for one in capture.paths:
        click.echo(str(one))
    if not capture.paths:
        click.echo("nothing was recorded: the lines gave no value", err=True)
        return FATAL
    click.echo(counted(capture.values, "value"), err=True)
    return 0
