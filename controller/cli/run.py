"""`feltwire run`: the service."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from secrets import randbelow
from typing import TYPE_CHECKING

import click

from command_line.exit_codes import BAD_CONFIGURATION, FATAL
from command_line.metrics_port import MetricsPortError, metrics_option, metrics_port
from command_line.options import parse_speed
from controller.cli.printing import load_all
from controller.configuration.values import TableConfig
from hal.clock import SystemClock

if TYPE_CHECKING:
    from prometheus_client.registry import Collector

    from controller.service.journald_entries import JournaldEntries
    from controller.service.table_supervisor import ServicePlan
    from hal.probes import Probes

log = logging.getLogger(__name__)

SEEDS = 1_000_000
"""Seeds that a start without one chooses from (ours): few enough digits to be typed again."""
OUTPUT = 1
ERRORS = 2


@click.command("run")
@click.argument("tables", metavar="TABLE.toml...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--state", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help="Journal and captures.")
@click.option("--bind", metavar="BASE", help="ipc:///run/feltwire or tcp://10.0.0.5:5600; else in your runtime folder.")
@click.option("--keys", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help="Keys, for tcp://.")
@click.option(
    "--local-role",
    type=click.Choice(["read-only", "dealer", "supervisor", "technician"]),
    default="supervisor",
    show_default=True,
    help="The role of clients on the ipc:// socket.",
)
@metrics_option
@click.option(
    "--seal-seconds",
    type=click.IntRange(1, 3600),
    default=1,
    show_default=True,
    metavar="N",
    help="Sign what was journalled every N seconds with events.",
)
@click.option(
    "--head-to",
    multiple=True,
    metavar="TARGET",
    help="Send the journal's heads to a file, http(s)://... or printer:QUEUE, every 15 minutes and at the end; repeat.",
)
@click.option(
    "--log",
    "log_form",
    type=click.Choice(["lines", "json"]),
    default="lines",
    show_default=True,
    help="The log on standard error: lines for people, or JSON, one object a line.",
)
@click.option("--json", "as_json", is_flag=True, help="One event a line, exactly the JSON body of the feed.")
@click.option("--seconds", type=click.FloatRange(min=0, min_open=True), help="Stop after this many seconds.")
@click.option("--speed", default="1", metavar="X", show_default=True, help="Simulated tables only: times real time.")
@click.option("--seed", type=int, metavar="N", help="Simulated tables only; without it, another at each start.")
@click.option(
    "--fault",
    "faults",
    metavar="[TABLE:]NAME[@ROUND]",
    multiple=True,
    help="In simulated tables: a fault in every round, or in one; repeat for more.",
)
def command(
    tables: tuple[Path, ...],
    state: Path | None,
    bind: str | None,
    keys: Path | None,
    local_role: str,
    metrics: int | None,
    seal_seconds: int,
    head_to: tuple[str, ...],
    log_form: str,
    as_json: bool,
    seconds: float | None,
    speed: str,
    seed: int | None,
    faults: tuple[str, ...],
) -> None:
    """Run tables: read their lines, judge every round, journal and publish the events.

    Any number of tables run in one process; a folder means all *.toml in it. A table that has a fault, or whose
    lines cannot be opened, stays shut while the others play. Ctrl-C, SIGTERM or `feltwire send quit` closes the tables
    and makes their outputs safe. After a power cut, start the service again: no published event is lost, and a round
    that was open is void.

    \b
    Examples:
        feltwire run roulette.toml wheel.toml
        feltwire run examples/roulette.toml --speed 20 --fault roulette-1:same_direction@2
        feltwire run roulette.toml --bind tcp://10.0.0.5:5600 --keys /etc/feltwire/keys

    Exit codes: 0; 1 if the service cannot run (the log has the reason); 2 for files or options that cannot be used.
    """
    from controller.service.head_sender import HeadTargetError, check_target
    from feed.endpoints import EndpointError, Endpoints
    from feed.schema_file import installed_document

    configs = load_all(tables)
    _refuse_captures(configs)
    for target in head_to:
        try:
            check_target(target)
        except HeadTargetError as error:
            raise click.UsageError(f"--head-to {error}") from error
    times = _speed(configs, speed, faults)
    plans = _plans(configs, faults)
    try:
        endpoints = Endpoints.default() if bind is None else Endpoints.parse(bind)
    except EndpointError as error:
        raise click.UsageError(str(error)) from error
    from controller.service.state_paths import StatePathError, keys_folder, state_folder, state_paths_for
    from controller.service.table_supervisor import ServicePlan

    folder = state_folder(state)
    try:
        state_paths = state_paths_for(folder, configs)
    except StatePathError as error:
        raise click.UsageError(str(error)) from error
    if keys is not None and endpoints.is_local:
        raise click.UsageError(
            "--keys is for tcp://: clients of the ipc:// sockets need no key; leave it out, or give --bind tcp://..."
        )
    if keys is None and not endpoints.is_local:
        keys = keys_folder(folder)
        if not keys.is_dir():
            raise click.UsageError(
                f"--bind {bind}: connections over the network need keys, and there is no {keys}; make them with "
                "feltwire keys new --server, or give their folder with --keys"
            )
    try:
        schema = installed_document()
    except OSError as error:
        raise click.ClickException(str(error)) from error
    plan = ServicePlan(
        configs=configs,
        paths=state_paths,
        endpoints=endpoints,
        keys=keys,
        local_role=local_role,  # type: ignore[arg-type]  # click.Choice allows no other
        faults=plans,
        seed=randbelow(SEEDS) if seed is None else seed,
        speed=times,
        seal_seconds=seal_seconds,
        head_to=head_to,
        schema=schema,
    )
    sys.exit(_serve(plan, metrics, log_form, as_json=as_json, seconds=seconds))


def _serve(plan: ServicePlan, metrics: int | None, log_form: str, *, as_json: bool, seconds: float | None) -> int:
    """Runs the service; returns the exit code."""
    from audit.errors import JournalError
    from controller.service.console import Console, LineWriter
    from controller.service.core_files import forbid_core_files
    from controller.service.counters import LiveNumbers, ServiceCounters
    from controller.service.crashes import crash_words
    from controller.service.descriptors import TooFewDescriptorsError, raise_descriptor_limit
    from controller.service.json_log import JsonLines
    from controller.service.logs import log_to, reads_journald
    from controller.service.opening import StartupCheckError
    from controller.service.service import Service
    from controller.service.systemd import Systemd

    real = SystemClock()
    output, errors = LineWriter(OUTPUT, name="output"), LineWriter(ERRORS, name="log")
    formatter = JsonLines() if log_form == "json" else None
    handler = log_to(errors, real, journald=reads_journald(ERRORS), formatter=formatter)
    forbid_core_files()
    counters = ServiceCounters()
    journald = _journald() if not as_json and reads_journald(OUTPUT) else None
    console = Console(output, as_json=as_json, color=not as_json and os.isatty(OUTPUT), journald=journald)

    async def main(beside: ExitStack) -> None:
        def fit() -> None:
            try:
                beside.enter_context(metrics_port(metrics, served))
            except MetricsPortError as error:
                raise StartupCheckError(str(error)) from error

        def served() -> tuple[Collector, Probes]:
            from controller.service.metrics import CounterCollector

            return CounterCollector(counters, real, live), service.probes

        def live() -> LiveNumbers:
            return service.live()._replace(lines_dropped=output.dropped)

        service = Service(plan, real, Systemd(), counters, console, fit=fit)
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, service.stop, f"{signal.Signals(number).name} came")
        if seconds is not None:
            loop.call_later(seconds, service.stop, f"{seconds:g} seconds have passed")
        errors.put(_banner(plan))
        await service.run()

    try:
        raise_descriptor_limit()
        with ExitStack() as beside:
            asyncio.run(main(beside))
    except (StartupCheckError, TooFewDescriptorsError, JournalError) as error:
        log.critical("not fit to run: %s", error)
        return FATAL
    except Exception as error:
        log.critical("%s", crash_words(error, plan.configs))
        raise
    finally:
        logging.getLogger().removeHandler(handler)
        if journald is not None:
            journald.close()
        output.close()
        errors.close()
    return 0


def _journald() -> JournaldEntries | None:
    """journald's socket, for events with fields; None where it cannot be used: the stream takes their lines."""
    from controller.service.journald_entries import JournaldEntries

    try:
        return JournaldEntries()
    except OSError as error:
        log.warning("events have no fields in journald: its socket cannot be used: %s", error.strerror)
        return None


def _banner(plan: ServicePlan, environ: Mapping[str, str] = os.environ) -> str:
    """The addresses and paths in use, the process, and the command for a second terminal."""
    from feed.endpoints import default_base

    base = plan.endpoints.feed.removesuffix("/feed") if plan.endpoints.is_local else plan.endpoints.feed
    # A person's shell has none of what only this process was given.
    shells = {name: value for name, value in environ.items() if name not in ("FELTWIRE_RUNTIME", "RUNTIME_DIRECTORY")}
    # The path as typed here: feltwire may not be in the shell's search path.
    watch = f"{sys.argv[0]} watch" + ("" if base == default_base(shells) else f" {base}")
    if not plan.endpoints.is_local:
        watch += " --key YOURS.secret --server server.public"
    seed = f"; seed {plan.seed}" if any(config.simulated for config in plan.configs) else ""
    return f"process {os.getpid()}{seed}; feed {base}; journal {plan.paths.journal}; in a second terminal: {watch}"


def _refuse_captures(configs: Sequence[TableConfig]) -> None:
    for config in configs:
        if config.backend.recorded:
            click.echo(
                f'{config.file}: lines.backend: "{config.lines.backend}" has no live wires; use feltwire replay, or '
                "another backend",
                err=True,
            )
            sys.exit(BAD_CONFIGURATION)


def _speed(configs: Sequence[TableConfig], speed: str, faults: Sequence[str]) -> float:
    """How fast simulated tables run; other than real time, every table must be one."""
    times = parse_speed(speed)
    live = [config.id for config in configs if not config.backend.simulated]
    if live and (times != 1 or faults):
        raise click.UsageError(f"--speed and --fault are for simulated tables; {', '.join(live)} has real wires")
    return times


def _plans(configs: Sequence[TableConfig], faults: Sequence[str]) -> list[dict[int | None, str]]:
    """Each table's faults. `TABLE:NAME[@ROUND]` is for one table, `NAME[@ROUND]` for every one that can have it."""
    if not faults:
        return [{} for _ in configs]
    from controller.bench.simulation import fault_plan
    from controller.games.assembly import geometry_of
    from controller.games.base.spec import NoSimulatorError
    from simulators.base.faults import FaultError

    ids = [config.id for config in configs]
    for given in faults:
        table, colon, _ = given.rpartition(":")
        if colon and table not in ids:
            raise click.UsageError(f"--fault {given}: no table is called {table}; there are {', '.join(ids)}")
        if given == "list":
            raise click.UsageError(f"to list all faults: feltwire simulate {configs[0].file} --fault list")
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
