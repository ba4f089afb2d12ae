"""`feltwire witness`: signs that the histories of others only grow."""

from __future__ import annotations

import asyncio
import logging
import sys
from pathlib import Path

import click

from audit.transparency.notes import NoteError, NoteKey, check_key_name
from command_line.exit_codes import BAD_CONFIGURATION, FATAL
from command_line.plain_output import log_lines
from command_line.witness_options import log_keys
from hal.clock import NS_PER_S, SystemClock
from hal.wording import counted

PORT = 8091
"""Where no other is asked for (ours)."""


def _name(_ctx: click.Context, _param: click.Parameter, value: str) -> str:
    try:
        if value:
            check_key_name(value)
    except NoteError as error:
        raise click.BadParameter(f"{error}; such as witness.example/hall-1") from error
    return value


@click.command("witness")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--name", default="", metavar="NAME", callback=_name, help="Begin a new witness with this name and a new key."
)
@click.option(
    "--log",
    "logs",
    multiple=True,
    metavar="KEY|FILE",
    callback=log_keys,
    help="The key of a log that it knows, or a file with one a line; repeat. All others are refused.",
)
@click.option("--host", default="127.0.0.1", show_default=True, metavar="IP", help="Address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=PORT, show_default=True, metavar="N", help="Port.")
@click.option("--key", "key_only", is_flag=True, help="Only print its public key, for policies.")
def command(file: Path, name: str, logs: dict[str, list[NoteKey]], host: str, port: int, key_only: bool) -> None:
    """Cosign the checkpoints of journals, where they continue what was cosigned before (C2SP tlog-witness).

    A witness proves only what nobody who writes the journal can undo: run it on a computer of somebody else. FILE holds
    its key and the last checkpoint of each log. Never put back a copy of it: it would forget what it has signed since;
    begin a new witness instead. For the open internet put a server with TLS in front of it.

    \b
    Examples:
        feltwire witness hall.witness --name witness.example/hall-1 --key         begin one, and print its key
        feltwire witness hall.witness --log 'feltwire/3f9c...+9c41d2aa+AQ...'     serve it on this computer
        feltwire witness hall.witness --log logs.txt --host 0.0.0.0 --port 8091   and for others

    Exit codes: 0, also after Ctrl-C; 1 if the port cannot be opened; 2 for a file or a key that cannot be used.
    """
    from audit.transparency.witness_file import WitnessFile, WitnessFileError
    from audit.transparency.witness_site import witness_site
    from scoreboard.web import AddressError, PageServer, serve_until_signal

    clock = SystemClock()
    try:
        with WitnessFile.open(file, name) as witness:
            if key_only:
                click.echo(witness.key)
                return
            if not logs:
                raise click.UsageError("give the key of a log with --log: `feltwire journal publish` prints it")
            log_lines(logging.INFO)
            site = witness_site(witness, logs, lambda: clock.wall_time_ns() // NS_PER_S)
            server = PageServer(site, host, port)

            def ready(url: str) -> None:
                click.echo(f"key of this witness: {witness.key}", err=True)
                click.echo(f"it cosigns {counted(len(logs), 'log')}, at {click.style(url, bold=True)}", err=True)

            asyncio.run(serve_until_signal(server, ready))
    except WitnessFileError as error:
        click.echo(click.style(str(error), fg="red"), err=True)
        sys.exit(BAD_CONFIGURATION)
    except AddressError as error:
        click.echo(f"the witness cannot be served: {error}", err=True)
        sys.exit(FATAL)
