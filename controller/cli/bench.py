"""`feltwire bench`: the technician's screen in a browser."""

from __future__ import annotations

import asyncio
import sys
import webbrowser
from contextlib import suppress
from pathlib import Path

import click

from command_line.exit_codes import BAD_CONFIGURATION, FATAL
from command_line.options import parse_speed
from controller.cli.printing import load_one
from controller.configuration.values import TableConfig
from hal.clock import Clock, FastClock, SystemClock

PORT = 8017
"""Where the page is, unless it is in use (ours)."""
MOST_SPEED = 50.0


@click.command("bench")
@click.argument("table", metavar="TABLE.toml", type=click.Path(path_type=Path))
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on: this computer alone.")
@click.option("--port", type=click.IntRange(0, 65535), help=f"Port of the page; default: the first free from {PORT}.")
@click.option("--name", "names", multiple=True, help="A name of this computer under which the page is asked for.")
@click.option("--speed", default="1", metavar="X", show_default=True, help="Simulated devices: times real time, to 50.")
@click.option("--seed", type=int, default=1, show_default=True, help="Simulated devices: equal seeds, equal rounds.")
@click.option("--open", "opens", is_flag=True, help="Open the page in the browser of this computer.")
def command(
    table: Path, host: str, port: int | None, names: tuple[str, ...], speed: str, seed: int, opens: bool
) -> None:
    """Show a table's lines, its devices and its verdicts in a browser.

    Every line as a timing diagram, what the drivers make of it, the round and its rule, and the wiring with the pin
    that moved. With backend "sim" each named fault has a button, time a slider, and you can play by hand. On real
    devices the bench only reads, except for lamps, which it tests while its table is closed; the service must not have
    the lines at the same time. Drop a capture on the page to replay it. Nothing is journalled or published.

    Whoever reaches the page can play with simulated devices: it listens on this computer alone unless --host says
    otherwise. Ctrl-C ends it.

    \b
    Examples:
        feltwire bench examples/roulette.toml --open
        feltwire bench wheel.toml --speed 10 --port 9000

    Exit codes: 0; 1 if the page cannot listen or the lines cannot be opened; 2 for a file or an option that cannot be
    used.
    """
    config = load_one(table)
    if config.backend.recorded:
        wrong = f'{table}: a table with backend "capture" has no lines to look at'
        fix = "use the table's own file, and drop the capture on its page"
        click.echo(click.style(f"{wrong}; {fix}", fg="red"), err=True)
        sys.exit(BAD_CONFIGURATION)
    factor = parse_speed(speed)
    if factor > MOST_SPEED:
        raise click.BadParameter(f"{speed}: at most {MOST_SPEED:g}, so that it can be followed", param_hint="--speed")
    if not config.backend.simulated and factor != 1:
        raise click.BadParameter("only simulated devices have another time than the clock's", param_hint="--speed")
    clock: Clock = FastClock(factor) if config.backend.simulated else SystemClock()
    sys.exit(asyncio.run(_serve(config, clock, host, port, names, seed, opens)))


async def _serve(
    config: TableConfig, clock: Clock, host: str, port: int | None, names: tuple[str, ...], seed: int, opens: bool
) -> int:
    from controller.bench_page.host import BenchHost
    from controller.bench_page.page import BenchPage
    from hal.lines import LineError
    from scoreboard.web import AddressError, NamesAllowed, PageServer, serve_until_signal

    def ready(url: str) -> None:
        click.echo(f"the bench of {config.id} is at {url} (Ctrl-C ends it)")
        if opens:
            webbrowser.open(url)

    try:
        bench = BenchHost(config, clock, seed=seed)
    except LineError as error:
        click.echo(click.style(str(error), fg="red"), err=True)
        return FATAL
    page = BenchPage(bench, NamesAllowed.on(host, names))
    server = PageServer(page.app, host, PORT if port is None else port, next_free=port is None)
    failed = bench.open()
    if failed is not None:
        click.echo(click.style(f"{failed}; the page shows it, and the wires are tried again", fg="yellow"), err=True)
    playing = asyncio.ensure_future(page.run())
    serving = asyncio.ensure_future(serve_until_signal(server, ready))
    try:
        await asyncio.wait((playing, serving), return_when=asyncio.FIRST_COMPLETED)
        if playing.done():
            playing.result()
        serving.result()
    except AddressError as error:
        click.echo(click.style(str(error), fg="red"), err=True)
        return FATAL
    finally:
        for task in (playing, serving):
            task.cancel()
            with suppress(asyncio.CancelledError, AddressError):
                await task
        page.captures.close()
        bench.close()
    return 0
