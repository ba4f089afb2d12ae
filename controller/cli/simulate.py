"""`feltwire simulate`: rounds on simulated devices."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from command_line.exit_codes import BAD_CONFIGURATION, FATAL
from command_line.options import parse_speed
from controller.cli.printing import load_one, print_events
from controller.configuration.values import TableConfig
from hal.capture.vcd_writer import writing_capture
from hal.clock import SystemClock, wait_until_ns
from hal.wording import counted

if TYPE_CHECKING:
    from controller.bench.simulation import Played, Score


@click.command("simulate")
@click.argument("table", metavar="TABLE.toml", type=click.Path(path_type=Path))
@click.option("--rounds", type=click.IntRange(min=1), default=10, show_default=True, help="How many rounds to play.")
@click.option("--seed", type=int, default=1, show_default=True, help="Equal seeds give equal bytes.")
@click.option(
    "--fault",
    "faults",
    metavar="NAME[@ROUND]",
    multiple=True,
    help='A fault in every round, or in one; repeat for more. "list" explains them all.',
)
@click.option(
    "--speed", default="max", show_default=True, metavar="X|max", help="Times real time, or as fast as it goes."
)
@click.option(
    "--vcd", "vcd", type=click.Path(path_type=Path, dir_okay=False), help="Also write the lines to this capture."
)
@click.option("--json", "as_json", is_flag=True, help="One event a line, exactly the JSON body of the feed.")
def command(
    table: Path, rounds: int, seed: int, faults: tuple[str, ...], speed: str, vcd: Path | None, as_json: bool
) -> None:
    """Play rounds on simulated devices, and compare every verdict with the truth.

    The simulated devices and dealer drive the same code that a live table runs, in virtual time. At the end a
    comparison of all verdicts with the truth goes to standard error.

    \b
    Examples:
        feltwire simulate roulette.toml --rounds 5
        feltwire simulate roulette.toml --fault same_direction@2
        feltwire simulate wheel.toml --fault list
        feltwire simulate wheel.toml --rounds 1000 --seed 7 --json > events.jsonl

    Exit codes: 0; 1 if an outcome was not supported by the truth; 2 for a file or an option that cannot be used.
    """
    from controller.bench.simulation import Score, fault_plan, simulate
    from controller.conformance.streams import capture_lines
    from controller.games.assembly import geometry_of
    from controller.games.base.spec import NoSimulatorError
    from simulators.base.faults import FaultError

    config = load_one(table)
    pacer = Pacer.from_option(speed)
    try:
        if "list" in faults:
            _list_faults(config)
            return
        plan = fault_plan(faults, rounds, geometry_of(config))
    except (FaultError, NoSimulatorError) as error:
        click.echo(click.style(str(error), fg="red"), err=True)
        sys.exit(BAD_CONFIGURATION)
    if vcd is not None and vcd.exists() and not vcd.is_file():
        raise click.BadParameter(f"{vcd} is not a file; name a file to write", param_hint="--vcd")
    if vcd is not None and not vcd.absolute().parent.is_dir():
        raise click.BadParameter(f"there is no folder {vcd.absolute().parent}; make it first", param_hint="--vcd")
    score = Score()
    with ExitStack() as files:
        writer = None
        if vcd is not None:
            writer = files.enter_context(writing_capture(vcd, capture_lines(config, seed)))
        for played in simulate(config, rounds, seed, plan):
            if writer is not None:
                writer.write(played.batch)
            score.add(played)
            _print(played, pacer, as_json)
    _sum_up(score)
    if score.unsupported:
        sys.exit(FATAL)


def _print(played: Played, pacer: Pacer, as_json: bool) -> None:
    if played.fault is not None and not as_json:
        click.echo(click.style(f"{'':13}(simulated fault: {played.fault})", fg="bright_black"))
    for event in played.events:
        pacer.wait_until(event.data.mono_ns)
        print_events([event], as_json=as_json)


def _list_faults(config: TableConfig) -> None:
    from controller.games.assembly import geometry_of
    from simulators.base.faults import faults_for

    for fault in faults_for(geometry_of(config)):
        click.echo(click.style(fault.name, bold=True))
        click.echo(f"    {fault.explanation}")
        click.echo(f"    A correct controller: {fault.expected}")


def _sum_up(score: Score) -> None:
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(score.verdicts.items()))
    click.echo(f"{counted(score.rounds, 'round')}: {kinds or 'no verdict'}", err=True)
    for line in score.refused:
        click.echo(click.style(f"valid, but no outcome: {line}", fg="yellow"), err=True)
    for line in score.unsupported:
        click.echo(click.style(f"NOT SUPPORTED BY THE TRUTH: {line}", fg="red"), err=True)
    if not score.unsupported:
        click.echo("every outcome is supported by the truth", err=True)


class Pacer:
    """Lets simulated time pass at `speed` times real time; without waiting if that is None."""

    def __init__(self, speed: float | None) -> None:
        self._speed = speed
        self._clock = SystemClock()
        self._start_ns = self._clock.now_ns()

    @classmethod
    def from_option(cls, text: str) -> Pacer:
        """The pacer for a value of `--speed`: a number, or `max`."""
        return cls(None if text == "max" else parse_speed(text))

    def wait_until(self, t_ns: int) -> None:
        """Waits until the simulated time `t_ns`."""
        if self._speed is not None:
            sys.stdout.flush()
            wait_until_ns(self._clock, self._start_ns + round(t_ns / self._speed))
