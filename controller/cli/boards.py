"""`feltwire boards`: boards on their serial ports, and the firmware in them."""

from __future__ import annotations

import asyncio
import sys
import threading
from pathlib import Path
from typing import NoReturn

import click

from command_line.exit_codes import BAD_CONFIGURATION, FATAL
from controller.boards.identity import misfit, words
from controller.cli.board_options import chip_option
from controller.cli.boards_firmware import check_command, flash_command, sign_command
from controller.cli.boards_trace import PATIENCE_S, trace_command
from controller.cli.printing import load_one
from hal.board.chips import ATMEGA328P, CHIPS, Chip
from hal.board.errors import BoardError
from hal.board.identity import ExpectedBoard
from hal.board.link import BoardLink
from hal.board.message import BoardReport
from hal.board.messages import IdentityAnswer, NameBoardCommand
from hal.board.ports import SerialPort, StrangeBoardError, UnusablePortError, ask_identity, serial_ports
from hal.clock import Clock, SystemClock
from hal.lines import LineError

# feltwire boards list and identify


@click.command("list")
@chip_option
@click.option(
    "--all", "every", is_flag=True, help="Also query ports that are not on USB, such as a console or Bluetooth."
)
def list_command(every: bool, chip: Chip) -> None:
    """List the serial ports by id, and identify the board on each USB port.

    Only the identity query is sent, which changes nothing on a board; any other device on a port receives eight bytes
    that it does not know. Opening a port resets most boards, which makes their outputs safe. A port that another
    program has open is skipped. Boards on another chip than --chip do not answer.

    \b
    Example:
        feltwire boards list

    Exit code: 0.
    """
    ports = serial_ports()
    if not ports:
        click.echo("no serial ports; plug a board in, and read dmesg if it does not appear")
        return
    asked = [port for port in ports if every or port.usb]
    found = dict(zip((port.name for port in asked), asyncio.run(_ask_all(asked, chip)), strict=True))
    for port in ports:
        about = ", ".join(part for part in (port.device if port.device != port.name else "", port.about) if part)
        click.echo(click.style(port.name, bold=True) + (f"  ({about})" if about else ""))
        answer = found.get(port.name)
        if answer is None:
            click.echo(f"    not queried, because it is not on USB: feltwire boards identify {port.name}")
        elif isinstance(answer, str):
            click.echo(f"    {answer}")
        else:
            click.echo(f"    {words(answer)}")
            click.echo(f"    {_fit_words(answer)}")


@click.command("identify")
@click.argument("port", metavar="PORT")
@chip_option
def identify_command(port: str, chip: Chip) -> None:
    """Identify the board on a port, and check that its firmware works with this software.

    PORT is a device such as /dev/serial/by-id/..., or a URL that pyserial opens.

    \b
    Example:
        feltwire boards identify /dev/serial/by-id/usb-1a86_USB_Serial-if00-port0

    Exit codes: 0 if this software works with the board; 1 if it does not, or if nothing answers.
    """
    answer = asyncio.run(_ask(port, chip))
    if isinstance(answer, str):
        click.echo(click.style(answer, fg="red"), err=True)
        sys.exit(FATAL)
    click.echo(f"{port}: {words(answer)}")
    click.echo(_fit_words(answer))
    sys.exit(FATAL if misfit(answer) else 0)


def _fit_words(identity: IdentityAnswer) -> str:
    wrong = misfit(identity)
    if wrong is None:
        return click.style("its firmware works with this software", fg="green")
    return click.style(wrong, fg="red")


async def _ask_all(ports: list[SerialPort], chip: Chip) -> list[IdentityAnswer | str]:
    return await asyncio.gather(*(_ask(port.name, chip) for port in ports))


async def _ask(port: str, chip: Chip) -> IdentityAnswer | str:
    """The identity of the board on a port, or the error that prevented the query."""
    try:
        return await ask_identity(port, SystemClock(), chip=chip)
    except (StrangeBoardError, UnusablePortError, LineError) as error:
        return str(error)
    except BoardError as error:
        others = " or ".join(f"--chip {one.name} for a {one.about}" for one in CHIPS.values() if one != chip)
        return f"{error}; it was asked as an {chip.about}: give {others}"


# feltwire boards name


@click.command("name")
@click.argument("port", metavar="PORT")
@click.argument("number", type=click.IntRange(1, 4_294_967_295))
@chip_option
def name_command(port: str, number: int, chip: Chip) -> None:
    """Give the board on PORT a serial NUMBER, which it keeps without power.

    With serial = NUMBER in the board's section of a table's file, any other board on its port is refused, so two boards
    of one kind cannot be exchanged unnoticed. Write the number on the board, too. The command opens a session, which
    makes the board's outputs safe.

    \b
    Example:
        feltwire boards name /dev/serial/by-id/usb-1a86_USB_Serial-if00-port0 7

    Exit codes: 0; 1 if the board does not answer, or does not store the number.
    """
    try:
        identity = asyncio.run(give_number(port, number, SystemClock(), chip))
    except (BoardError, LineError) as error:
        click.echo(click.style(str(error), fg="red"), err=True)
        sys.exit(FATAL)
    click.echo(f"{port}: {words(identity)}")


async def give_number(port: str, number: int, clock: Clock, chip: Chip = ATMEGA328P) -> IdentityAnswer:
    """Stores the number in the board; returns the identity that it reports afterwards.

    Raises:
        LineError: a port of this name cannot be opened.
        BoardError: the board did not come up in time, refuses, or reports another number afterwards.
    """
    link = BoardLink(port, port, ExpectedBoard(None, None, None), clock, chip=chip)
    watcher = _Awaited()
    link.open(watcher)
    try:
        await asyncio.wait_for(watcher.is_up.wait(), PATIENCE_S)
        await link.command(NameBoardCommand(number))
    except TimeoutError as error:
        raise BoardError(watcher.reason or f"port {port}: the board did not come up in {PATIENCE_S:g} s") from error
    finally:
        link.close(watcher)
        await link.wait_closed()
    after = await ask_identity(port, clock, chip=chip)
    if after.serial != number:
        raise BoardError(f"port {port}: expected serial {number}, found {after.serial}; its memory may be worn out")
    return after


class _Awaited:
    """Waits until the session with a board is open."""

    def __init__(self) -> None:
        self.is_up = asyncio.Event()
        self.reason = ""

    def up(self, identity: IdentityAnswer, t_ns: int) -> None:
        """The session is open: the board takes commands."""
        self.is_up.set()

    def down(self, t_ns: int, reason: str) -> None:
        """There is no session, for this reason."""
        self.reason = reason

    def reported(self, report: BoardReport, t_ns: int) -> None:
        """Ignores reports."""


# feltwire boards emulate


@click.command("emulate")
@click.argument("table", metavar="TABLE.toml", type=click.Path(path_type=Path))
@click.option(
    "--dir", "folder", type=click.Path(path_type=Path, file_okay=False), help="Folder of the ports and the copy."
)
@click.option("--seed", type=int, default=1, show_default=True, help="Equal seeds give equal rounds.")
@click.option("--fault", "given", metavar="NAME[@ROUND]", multiple=True, help="As in feltwire simulate.")
def emulate_command(table: Path, folder: Path | None, seed: int, given: tuple[str, ...]) -> None:
    """Run the boards of a table in emulated chips, with a simulated wheel and dealer on their pins.

    The chips run the real firmware, on serial ports that the service opens like any other. The command writes a copy of
    the table's file in which the boards have these ports and are marked as emulated: the events of that table are
    marked as simulated, and go to the journal of simulated tables. Run the copy in a second terminal; this command
    prints how.

    \b
    Examples:
        feltwire boards emulate examples/money_wheel_board.toml
        feltwire boards emulate examples/roulette_board.toml --fault same_direction@2
        feltwire boards emulate examples/sic_bo_board.toml

    The keypads that boards scan, chains of lamps and motors are emulated too: what the firmware drives turns the cage
    and lights the lamps, and what these do comes back to its pins. A device on a serial port of its own, such as the
    reader of a shoe, is simulated on a port beside those of the boards. The orders of the dealer, such as new_shoe, are
    yours to send.

    Ctrl-C ends it. Exit codes: 0; 1 if the program of a board failed; 2 for a file or an option that cannot be used.
    """
    from controller.bench.simulation import fault_plan
    from controller.boards.emulation import (
        check_built,
        check_links,
        check_playable,
        emulate,
        emulated_copy,
        link_port_of,
        port_of,
    )
    from controller.configuration.document import read_document
    from controller.games.assembly import geometry_of
    from controller.games.base.spec import NoSimulatorError
    from feed.endpoints import default_base
    from simulators.base.faults import FaultError
    from simulators.board.library import EmulationError

    config = load_one(table)
    if not config.boards:
        _leave(f'{table}: it has no boards; write backend = "board" and [board.wheel], as examples/*_board.toml do')
    try:
        faults = fault_plan(given, None, geometry_of(config))
        check_playable(faults)
        check_links(config)
        check_built(config)
    except (FaultError, NoSimulatorError, EmulationError) as error:
        _leave(str(error))
    # Beside the folder of running services, not in it: access to that folder is the right to send commands.
    place = (folder or Path(f"{default_base().removeprefix('ipc://')}-boards") / config.id).absolute()
    copy = place / f"{config.id}.toml"
    try:
        place.mkdir(parents=True, exist_ok=True)
        copy.write_text(emulated_copy(read_document(table).values, place), encoding="utf-8")
    except OSError as error:
        _leave(f"{place}: it cannot be written ({error.strerror}); give another folder with --dir")
    for name in config.boards:
        click.echo(f"board {name}: {port_of(place, name)}")
    for name in config.links:
        click.echo(f"link {name}: {link_port_of(place, name)}")
    click.echo(f"in a second terminal: {sys.argv[0]} run {copy}")
    try:
        emulate(config, place, seed=seed, faults=faults, stop=threading.Event(), show=click.echo)
    except KeyboardInterrupt:
        click.echo("ended")
    except (EmulationError, OSError) as error:
        _leave(str(error), FATAL)


def _leave(message: str, code: int = BAD_CONFIGURATION) -> NoReturn:
    click.echo(click.style(message, fg="red"), err=True)
    sys.exit(code)


@click.group("boards")
def command() -> None:
    """Find, identify, flash and listen to boards.

    A board is an Arduino Nano or Uno (ATmega328P), a Raspberry Pi Pico (RP2040: --chip rp2040; at its own USB socket:
    --chip rp2040_usb), or a Pico 2 (RP2350: --chip rp2350), with Feltwire's firmware: it timestamps edges, drives
    motors, and makes all outputs safe when its host falls silent. docs/boards.md and docs/boards-pico.md list which to
    buy and how to wire it.

    \b
    First steps:
        feltwire boards list                           list the ports and the boards on them
        feltwire boards flash wheel PORT               check and write the firmware
        feltwire pins table.toml                       print which wire goes to which terminal
        feltwire boards trace PORT --edges             turn the wheel, and see which input changes

    \b
    Without a board:
        feltwire boards emulate table.toml             run the real firmware in emulated chips

    A board in use by a service is skipped: its port is locked. Exit codes: 0; 1 if a board does not answer or is the
    wrong one; 2 for a file or an option that cannot be used.
    """


for _one in (
    list_command,
    identify_command,
    check_command,
    sign_command,
    flash_command,
    name_command,
    trace_command,
    emulate_command,
):
    command.add_command(_one)
