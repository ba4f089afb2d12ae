"""`feltwire run`: the service."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from controller.cli import BAD_CONFIGURATION, FATAL
from controller.cli.loading import load_all
from controller.cli.pacing import parse_speed
from controller.cli.printing import print_events
from controller.configuration.values import TableConfig
from feed.events import Event
from hal.clock import Clock, FastClock, SystemClock
from hal.lines import LineError


@click.command("run")
@click.argument("tables", metavar="TABLE.toml...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="One event a line, exactly the JSON body of the feed.")
@click.option("--seconds", type=click.FloatRange(min=0, min_open=True), help="Stop after so many seconds.")
@click.option("--speed", default="1", metavar="X", show_default=True, help="Simulated tables only: times real time.")
@click.option("--seed", type=int, default=1, show_default=True, help="Simulated tables only.")
@click.option("--fault", "faults", metavar="[TABLE:]NAME[@ROUND]", multiple=True, help="Simulated tables only.")
def command(
    tables: tuple[Path, ...], as_json: bool, seconds: float | None, speed: str, seed: int, faults: tuple[str, ...]
) -> None:
    """Run tables: read their wires, judge every spin, say what happens.

    Any number of tables run in one process. A table whose wires cannot be had stays shut while the others play.
    Ctrl-C or SIGTERM closes the tables and makes their outputs safe.

    \b
    Examples:
        feltwire run roulette.toml wheel.toml
        feltwire run examples/roulette.toml --speed 20 --fault roulette-1:same_direction@2

    Exit codes: 0; 1 if no table could be opened; 2 for files or options that cannot be used.
    """
    configs = load_all(tables)
    _refuse_captures(configs)
    clock = _clock(configs, speed, faults)
    plans = _plans(configs, faults)
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(levelname)s %(message)s")
    try:
        asyncio.run(_run(configs, clock, plans, seed, as_json, seconds))
    except LineError as error:
        click.echo(click.style(str(error), fg="red"), err=True)
        sys.exit(FATAL)


async def _run(
    configs: Sequence[TableConfig],
    clock: Clock,
    plans: Sequence[dict[int | None, str]],
    seed: int,
    as_json: bool,
    seconds: float | None,
) -> None:
    from controller.live import run_tables

    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    if seconds is not None:
        loop.call_later(seconds, stop.set)

    def listen(said: Sequence[Event]) -> None:
        print_events(said, as_json=as_json)
        sys.stdout.flush()

    await run_tables(configs, clock, listen, stopped=stop.is_set, faults=plans, seed=seed)


def _refuse_captures(configs: Sequence[TableConfig]) -> None:
    for config in configs:
        if config.lines.backend == "capture":
            click.echo(
                f'{config.file}: lines.backend: "capture" has no live wires; use feltwire replay, or another backend',
                err=True,
            )
            sys.exit(BAD_CONFIGURATION)


def _clock(configs: Sequence[TableConfig], speed: str, faults: Sequence[str]) -> Clock:
    """The computer's clock, or a faster one where every table is simulated."""
    times = parse_speed(speed)
    if times == 1 and not faults:
        return SystemClock()
    live = [config.id for config in configs if config.lines.backend != "sim"]
    if live:
        raise click.UsageError(f"--speed and --fault are for simulated tables; {', '.join(live)} has real wires")
    return FastClock(times)


def _plans(configs: Sequence[TableConfig], faults: Sequence[str]) -> list[dict[int | None, str]]:
    """Each table's faults: `TABLE:NAME[@ROUND]`, or without a table those of every table that can have them."""
    if not faults:
        return [{} for _ in configs]
    from controller.simulation import NoSimulatorError, fault_plan, geometry_of
    from simulators.faults import FaultError

    ids = [config.id for config in configs]
    for given in faults:
        table, colon, _ = given.rpartition(":")
        if colon and table not in ids:
            raise click.UsageError(f"--fault {given}: no table is called {table}; there are {', '.join(ids)}")
        if given == "list":
            raise click.UsageError(f"to read of all faults: feltwire simulate {configs[0].file} --fault list")
    plans: list[dict[int | None, str]] = []
    unused = dict.fromkeys(faults)
    error = ""
    for config in configs:
        plan: dict[int | None, str] = {}
        for given in faults:
            table, colon, name = given.rpartition(":")
            if colon and table != config.id:
                continue
            try:
                plan |= fault_plan([name], None, geometry_of(config))
            except (FaultError, NoSimulatorError) as wrong:
                error = str(wrong)
            else:
                unused.pop(given, None)
        plans.append(plan)
    if unused:
        raise click.UsageError(f"--fault {next(iter(unused))}: no table can have it; {error}")
    return plans
