"""`feltwire boards emulate`: a table's boards without hardware."""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from typing import NoReturn

import click

from controller.cli import BAD_CONFIGURATION, FATAL
from controller.cli.loading import load_one


@click.command("emulate")
@click.argument("table", metavar="TABLE.toml", type=click.Path(path_type=Path))
@click.option("--dir", "folder", type=click.Path(path_type=Path, file_okay=False), help="Where the ports appear.")
@click.option("--seed", type=int, default=1, show_default=True, help="Equal seeds play alike.")
@click.option("--fault", "given", metavar="NAME[@ROUND]", multiple=True, help="As in feltwire simulate.")
def emulate_command(table: Path, folder: Path | None, seed: int, given: tuple[str, ...]) -> None:
    """Run the boards of a table in emulated chips, with a simulated wheel and dealer on their pins.

    It is the real firmware, on a serial port that the service opens as any other. A copy of the table's file is
    written whose boards have these ports and say that they are emulated: so its events say that they are simulated,
    and go into the journal of simulated tables. Run that copy in a second terminal, as this command says.

    \b
    Examples:
        feltwire boards emulate examples/money_wheel_board.toml
        feltwire boards emulate examples/roulette_board.toml --fault same_direction@2

    A keypad that a board scans, a lamp chain and a motor are not emulated: a table that has one is refused. Simulate
    it: write backend = "sim" in a copy of its file.

    Ctrl-C ends it. Exit codes: 0; 1 where a board's program failed; 2 for a file or an option that cannot be used.
    """
    from controller.boards.emulation import check_built, check_playable, emulate, emulated_copy, port_of
    from controller.configuration.document import read_document
    from controller.geometries import NoSimulatorError, geometry_of
    from controller.simulation import fault_plan
    from feed.endpoints import default_base
    from simulators.board.library import EmulationError
    from simulators.faults import FaultError

    config = load_one(table)
    if not config.boards:
        _leave(f'{table}: it has no boards; write backend = "board" and [board.wheel], as examples/*_board.toml do')
    try:
        faults = fault_plan(given, None, geometry_of(config))
        check_playable(config)
        check_built(config)
    except (FaultError, NoSimulatorError, EmulationError) as error:
        _leave(str(error))
    # Beside the folder of running services, and not in it: who may enter that one may command them.
    place = (folder or Path(f"{default_base().removeprefix('ipc://')}-boards") / config.id).absolute()
    copy = place / f"{config.id}.toml"
    try:
        place.mkdir(parents=True, exist_ok=True)
        copy.write_text(emulated_copy(read_document(table).values, place), encoding="utf-8")
    except OSError as error:
        _leave(f"{place}: it cannot be written ({error.strerror}); give another folder with --dir")
    for name in config.boards:
        click.echo(f"board {name}: {port_of(place, name)}")
    click.echo(f"in a second terminal: {sys.argv[0]} run {copy}")
    try:
        emulate(config, place, seed=seed, faults=faults, stop=threading.Event(), say=click.echo)
    except KeyboardInterrupt:
        click.echo("ended")
    except (EmulationError, OSError) as error:
        _leave(str(error), FATAL)


def _leave(message: str, code: int = BAD_CONFIGURATION) -> NoReturn:
    click.echo(click.style(message, fg="red"), err=True)
    sys.exit(code)
