"""`feltwire boards list` and `identify`: which ports there are, and what is on them."""

from __future__ import annotations

import asyncio
import sys

import click

from controller.boards.identity import misfit, words
from controller.cli import FATAL
from hal.board.errors import BoardError
from hal.board.messages import IdentityAnswer
from hal.board.ports import SerialPort, serial_ports
from hal.board.probe import ask_identity
from hal.clock import SystemClock
from hal.lines import LineError


@click.command("list")
@click.option("--all", "every", is_flag=True, help="Ask ports that are not on USB too: a console or Bluetooth, maybe.")
def list_command(every: bool) -> None:
    """List the serial ports by their ids, and ask each on USB what is on it.

    Nothing but the question "who are you?" is sent, which changes nothing on a board; another device on a port gets
    eight bytes that it does not know. Opening a port resets most boards, which makes their outputs safe. A port that
    another program holds is left alone.

    \b
    Example:
        feltwire boards list

    Exit code: 0.
    """
    ports = serial_ports()
    if not ports:
        click.echo("no serial ports; plug a board in, and look at dmesg if it does not show")
        return
    asked = [port for port in ports if every or port.usb]
    found = dict(zip((port.name for port in asked), asyncio.run(_ask_all(asked)), strict=True))
    for port in ports:
        about = ", ".join(part for part in (port.device if port.device != port.name else "", port.about) if part)
        click.echo(click.style(port.name, bold=True) + (f"  ({about})" if about else ""))
        answer = found.get(port.name)
        if answer is None:
            click.echo(f"    not asked, for it is not on USB: feltwire boards identify {port.name}")
        elif isinstance(answer, str):
            click.echo(f"    {answer}")
        else:
            click.echo(f"    {words(answer)}")
            click.echo(f"    {_fit_words(answer)}")


@click.command("identify")
@click.argument("port", metavar="PORT")
def identify_command(port: str) -> None:
    """Ask what the board on a port is, and whether its firmware is the one that this software wants.

    PORT is a device such as /dev/serial/by-id/..., or a URL that pyserial opens.

    \b
    Example:
        feltwire boards identify /dev/serial/by-id/usb-1a86_USB_Serial-if00-port0

    Exit codes: 0 for a board that fits this software; 1 if it does not, or if nothing answers.
    """
    answer = asyncio.run(_ask(port))
    if isinstance(answer, str):
        click.echo(click.style(answer, fg="red"), err=True)
        sys.exit(FATAL)
    click.echo(f"{port}: {words(answer)}")
    click.echo(_fit_words(answer))
    sys.exit(FATAL if misfit(answer) else 0)


def _fit_words(identity: IdentityAnswer) -> str:
    wrong = misfit(identity)
    if wrong is None:
        return click.style("its firmware is the one that this software wants", fg="green")
    return click.style(wrong, fg="red")


async def _ask_all(ports: list[SerialPort]) -> list[IdentityAnswer | str]:
    return await asyncio.gather(*(_ask(port.name) for port in ports))


async def _ask(port: str) -> IdentityAnswer | str:
    """What is on a port, or why nobody knows."""
    try:
        return await ask_identity(port, SystemClock())
    except (BoardError, LineError) as error:
        return str(error)
