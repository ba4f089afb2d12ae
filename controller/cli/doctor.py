"""`feltwire doctor`: everything between the socket and the verdict, with what was found and how to fix it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from command_line.exit_codes import BAD_CONFIGURATION, FATAL
from controller.cli.person import LEFT, ask
from controller.cli.printing import show_problems
from controller.cli.services_here import ServiceHere, service_of, services
from controller.configuration.values import TableConfig
from controller.games.load import check

if TYPE_CHECKING:
    from controller.commissioning.doctor import Move, Surroundings
    from controller.commissioning.findings import DoctorReport, Finding
    from controller.commissioning.listening import OpenTable

_COLORS = {"ok": "green", "warning": "yellow", "failed": "red", "skipped": "bright_black"}


@click.command("doctor")
@click.argument("tables", metavar="TABLE.toml...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--state", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help="As the service has it.")
@click.option("--keys", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help="Keys, for tcp://.")
@click.option(
    "--rest",
    type=click.FloatRange(min=0.2, max=600),
    default=3.0,
    show_default=True,
    metavar="S",
    help="Seconds in which nobody touches anything.",
)
@click.option("--yes", is_flag=True, help="Ask nothing: nothing is moved. This is the default without a terminal.")
@click.option(
    "--move",
    type=click.FloatRange(min=0.5),
    metavar="S",
    help="End each movement after this many seconds, without ENTER.",
)
@click.option(
    "--report",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Also write a report to send to whoever helps; it has no secrets.",
)
@click.option("--json", "as_json", is_flag=True, help="One report a table as JSON (docs/doctor.md).")
def command(
    tables: tuple[Path, ...],
    state: Path | None,
    keys: Path | None,
    rest: float,
    yes: bool,
    move: float | None,
    report: Path | None,
    as_json: bool,
) -> None:
    """Examine a table: file, permissions, chips, lines, noise, boards, clock, disk, power, keys, feed and journal.

    Each check says what it found and, where something is wrong, how to fix it. It is safe with the table closed: no
    output is driven, and lines are only read. Where a service runs the table, it holds the lines: it is asked, and they
    are left alone; stop it to have them examined. You are asked to move each device; ENTER when you have, s to leave it
    out. What no check can see (two equal sensors exchanged) is for feltwire calibrate.

    \b
    Examples:
        feltwire doctor roulette.toml
        feltwire doctor /etc/feltwire --yes
        feltwire doctor roulette.toml --report roulette-doctor.txt

    Exit codes: 0 if nothing failed (there may be warnings); 1 if something did; 2 for a file that cannot be used.
    """
    from controller.commissioning.doctor import Asked, examine

    checked = check(tables)
    if checked.errors:
        show_problems(checked.problems)
        sys.exit(BAD_CONFIGURATION)
    here = services()
    asks = move is not None or (not yes and not as_json and sys.stdin.isatty())
    made: list[DoctorReport] = []
    try:
        for config in checked.tables:
            own = [problem for problem in checked.problems if problem.file == config.file]
            if not as_json:
                click.echo(click.style(f"table {config.id}, {config.file}", bold=True))
            asked = Asked(rest, _mover(move) if asks else None)
            around = _around(config, state, keys, here)
            if not as_json and config.live and around.service is None:
                click.echo(f"  (for {rest:g} s nobody touches the table)")
            made.append(asyncio.run(examine(config, own, around, asked, _silent if as_json else _show)))
    except KeyboardInterrupt:
        click.echo("\nleft", err=True)
        sys.exit(FATAL)
    for one in made:
        if as_json:
            click.echo(msgspec.json.encode(one))
    if report is not None:
        _write(report, made)
        click.echo(f"written: {report}", err=as_json)
    if not as_json:
        _sum_up(made)
    sys.exit(FATAL if any(one.status == "failed" for one in made) else 0)


def _around(config: TableConfig, state: Path | None, keys: Path | None, here: Sequence[ServiceHere]) -> Surroundings:
    from controller.commissioning.doctor import RunningService, Surroundings
    from controller.service.state_paths import state_of_table, state_paths_for

    found = service_of(config, here)
    running = None if found is None else RunningService(found.base, found.status)
    folder = state_of_table(state, Path(config.file))
    return Surroundings(state_paths_for(folder, [config]), folder, running, keys=keys)


def _mover(seconds: float | None) -> Move:
    async def move(device: str, opened: OpenTable) -> bool:
        click.echo(f"  now move {click.style(device, bold=True)}: turn, roll, press or cover all that it has")
        if seconds is not None:
            await opened.listener.wait(seconds)
            return True
        waiting = asyncio.ensure_future(ask("  then press ENTER (s: leave it out) "))
        while not waiting.done():
            await opened.listener.wait(0.1)
        return waiting.result() not in ("s", "skip", LEFT)

    return move


def _silent(finding: Finding) -> None:
    """Prints nothing: the report comes at the end."""


def _show(finding: Finding) -> None:
    click.echo(_line(finding, color=True))
    if finding.fix and finding.status != "ok":
        click.echo(f"{'':13}to do: {finding.fix}")


def _line(finding: Finding, *, color: bool) -> str:
    mark = f"{finding.status:<8}"
    shown = click.style(mark, fg=_COLORS[finding.status]) if color else mark
    subject = f"{finding.subject}: " if finding.subject else ""
    return f"  {shown} {finding.check:<12} {subject}{finding.found}"


def _sum_up(made: Sequence[DoctorReport]) -> None:
    for one in made:
        counts = {status: sum(found.status == status for found in one.findings) for status in _COLORS}
        shown = ", ".join(f"{count} {status}" for status, count in counts.items() if count)
        click.echo(f"{one.table}: {shown}")


def _write(path: Path, made: Sequence[DoctorReport]) -> None:
    """The report for whoever helps: the findings, the same as JSON, and the tables' files, which hold no secret."""
    rows: list[str] = []
    for one in made:
        rows += [f"table {one.table}, {one.file}", f"{one.software}, {one.time}"]
        rows += [f"{key}: {value}" for key, value in one.computer.items()]
        for finding in one.findings:
            rows.append(_line(finding, color=False))
            rows += [f"{'':13}to do: {finding.fix}"] if finding.fix else []
        rows.append("")
    for one in made:
        rows += [f"--- {one.file} ---", Path(one.file).read_text(encoding="utf-8"), ""]
    rows += ["--- the same as JSON ---", *(msgspec.json.encode(one).decode() for one in made)]
    try:
        path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    except OSError as error:
        click.echo(f"{path}: it cannot be written ({error.strerror})", err=True)
        sys.exit(BAD_CONFIGURATION)
