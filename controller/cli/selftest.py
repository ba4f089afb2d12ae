"""`feltwire selftest`: lamps, displays and motors, with a person who watches."""

from __future__ import annotations

import asyncio
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from command_line.exit_codes import BAD_CONFIGURATION, FATAL
from controller.cli.person import LEFT, ask, confirm
from controller.cli.printing import load_one
from controller.cli.send import person, user_name
from controller.cli.services_here import refusal, service_of, services
from controller.configuration.values import TableConfig
from hal.clock import NS_PER_S, SystemClock
from hal.lines import LineError
from hal.link_status import LinkError
from hal.version import SOFTWARE

if TYPE_CHECKING:
    from controller.commissioning.listening import LineListener
    from controller.commissioning.output_trial import OutputStep, StepNote


@click.command("selftest")
@click.argument("table", metavar="TABLE.toml", type=click.Path(path_type=Path))
@click.option("--only", "only", multiple=True, metavar="STEP", help="Only these steps; repeat for more.")
@click.option("--list", "only_list", is_flag=True, help="Print the steps, and drive nothing.")
@click.option("--by", default="", callback=person, metavar="NAME", help="Who watches; without it, the user.")
@click.option(
    "--report", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Write the notes, JSON."
)
def command(table: Path, only: tuple[str, ...], only_list: bool, by: str, report: Path | None) -> None:
    """Drive each output of a table while a person watches, and note what was seen.

    Lamps and displays are lit one after the other; a motor or a signal only after you have confirmed that nobody is
    near. The table must be closed and its service stopped. However it ends (an answer, Ctrl-C, an error, a lost board),
    every output is made safe; boards do that by themselves when the computer falls silent.

    \b
    Examples:
        feltwire selftest roulette.toml
        feltwire selftest sic_bo.toml --only lamps_all --report lamps.json
        feltwire selftest sic_bo.toml --list

    Exit codes: 0 if all was as it should be; 1 if something was not, or was left out; 2 for a file or an option that
    cannot be used.
    """
    from controller.commissioning.output_trial import TrialReport, steps

    config = load_one(table)
    todo = steps(config)
    names = [step.name for step in todo]
    if not config.live:
        raise click.UsageError(f"{config.file}: its backend {config.lines.backend} drives no real output")
    unknown = [name for name in only if name not in names]
    if unknown:
        raise click.UsageError(f"--only {unknown[0]}: there is no such step; there are {', '.join(names) or 'none'}")
    todo = [step for step in todo if not only or step.name in only]
    if not todo:
        click.echo(f"table {config.id} has no output")
        return
    if only_list:
        for step in todo:
            click.echo(f"{step.name:<28} {step.subject}: {step.question}")
        return
    running = service_of(config, services())
    if running is not None:
        click.echo(click.style(refusal(config.id, running, "it drives the outputs itself"), fg="red"), err=True)
        sys.exit(FATAL)
    notes = _try(config, todo)
    made = TrialReport(
        table=config.id,
        by=by or user_name(),
        time=datetime.fromtimestamp(SystemClock().wall_time_ns() // NS_PER_S, UTC).isoformat(),
        software=SOFTWARE,
        complete=len(notes) == len(todo) and all(note.passed for note in notes),
        notes=tuple(notes),
    )
    if report is not None:
        try:
            report.write_bytes(msgspec.json.format(msgspec.json.encode(made), indent=2) + b"\n")
        except OSError as error:
            click.echo(f"{report}: it cannot be written ({error.strerror})", err=True)
            sys.exit(BAD_CONFIGURATION)
        click.echo(f"written: {report}")
    click.echo(f"\n{sum(note.passed for note in notes)} of {len(todo)} steps were as they should be")
    sys.exit(0 if made.complete else FATAL)


def _try(config: TableConfig, todo: list[OutputStep]) -> list[StepNote]:
    from controller.commissioning.listening import open_lines
    from controller.commissioning.output_trial import trial

    clock = SystemClock()

    async def main() -> list[StepNote]:
        async with open_lines(config, clock, outputs=True) as opened:
            for name, why in opened.boards_down.items():
                raise LineError(f"board {name}: {why}")
            return await trial(todo, opened.wiring.show, TerminalWatcher(opened.listener), clock.now_ns)

    try:
        return asyncio.run(main())
    except (LineError, LinkError) as error:
        click.echo(click.style(f"{error}; every output was made safe", fg="red"), err=True)
        sys.exit(FATAL)
    except KeyboardInterrupt:
        click.echo("\nleft; every output was made safe", err=True)
        sys.exit(FATAL)


class TerminalWatcher:
    """Asks a person at the terminal (see `controller.commissioning.output_trial.Watcher`)."""

    def __init__(self, listener: LineListener) -> None:
        self._listener = listener

    async def clear(self, step: OutputStep) -> bool:
        """Asks whether it may be driven."""
        click.echo(f"\n{click.style(step.name, bold=True)}: {step.warning}")
        return bool(await confirm("   "))

    async def hold(self, seconds: float) -> None:
        """Lets this much time pass."""
        await self._listener.wait(seconds)

    async def seen(self, step: OutputStep) -> StepNote | None:
        """Asks what was seen."""
        from controller.commissioning.output_trial import StepNote

        if not step.warning:
            click.echo(f"\n{click.style(step.name, bold=True)}: {step.subject}")
        passed = await confirm(f"    {step.question}")
        if passed is None:
            return None
        remark = "" if passed else await ask("    what did you see? ")
        return StepNote(step.name, step.subject, passed, "" if remark == LEFT else remark)
