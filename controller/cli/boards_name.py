"""`feltwire boards name`: gives a board the number by which it is known among others of its kind."""

from __future__ import annotations

import asyncio
import sys

import click

from controller.boards.identity import words
from controller.cli import FATAL
from hal.board.errors import BoardError
from hal.board.identity_check import Wanted
from hal.board.link import BoardLink
from hal.board.message import Report
from hal.board.messages import IdentityAnswer, NameBoardCommand
from hal.board.probe import ask_identity
from hal.clock import Clock, SystemClock
from hal.lines import LineError

PATIENCE_S = 10.0
"""How long the board may take to be up (ours): a boot loader, and the proof of the link."""


@click.command("name")
@click.argument("port", metavar="PORT")
@click.argument("number", type=click.IntRange(1, 4_294_967_295))
def name_command(port: str, number: int) -> None:
    """Give the board on PORT a serial NUMBER, which it keeps without power.

    With serial = NUMBER in its section of a table's file, another board in its place is refused: so two boards of one
    kind cannot be plugged in one for the other unnoticed. Write the number on the board, too. It opens a session, which
    makes the board's outputs safe.

    \b
    Example:
        feltwire boards name /dev/serial/by-id/usb-1a86_USB_Serial-if00-port0 7

    Exit codes: 0; 1 if the board does not answer, or does not keep it.
    """
    try:
        identity = asyncio.run(give_number(port, number, SystemClock()))
    except (BoardError, LineError) as error:
        click.echo(click.style(str(error), fg="red"), err=True)
        sys.exit(FATAL)
    click.echo(f"{port}: {words(identity)}")


async def give_number(port: str, number: int, clock: Clock) -> IdentityAnswer:
    """Has the board keep the number; returns what it says it is afterwards.

    Raises:
        LineError: the port is no name that can be opened.
        BoardError: the board was not up in time, refuses, or says another number afterwards.
    """
    link = BoardLink(port, port, Wanted(None, None, None), clock)
    watcher = _Awaited()
    link.open(watcher)
    try:
        await asyncio.wait_for(watcher.is_up.wait(), PATIENCE_S)
        await link.command(NameBoardCommand(number))
    except TimeoutError as error:
        raise BoardError(watcher.reason or f"port {port}: the board was not up in {PATIENCE_S:g} s") from error
    finally:
        link.close(watcher)
        await link.wait_closed()
    after = await ask_identity(port, clock)
    if after.serial != number:
        raise BoardError(f"port {port}: expected serial {number}, found {after.serial}; its memory may be worn out")
    return after


class _Awaited:
    """Waits for a board to be up."""

    def __init__(self) -> None:
        self.is_up = asyncio.Event()
        self.reason = ""

    def up(self, identity: IdentityAnswer, t_ns: int) -> None:
        """It takes commands."""
        self.is_up.set()

    def down(self, t_ns: int, reason: str) -> None:
        """It does not, and why."""
        self.reason = reason

    def reported(self, report: Report, t_ns: int) -> None:
        """Nothing of that is asked here."""
