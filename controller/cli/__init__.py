"""The command `feltwire`.

Each command is a module of this package with a click command named `command`. A module is imported when its command is
called: `feltwire --help` is fast, and no command loads what another needs.
"""

from __future__ import annotations

import errno
import gc
import os
import sys
from contextlib import nullcontext
from importlib import import_module
from types import ModuleType
from typing import Any, Final

import click

from command_line.exit_codes import FATAL
from command_line.without_tls import may_name_packages, without_tls
from hal.known_names import nearest
from hal.plain_text import plain
from hal.version import VERSION

_COMMANDS = {
    "check": "controller.cli.check",
    "pins": "controller.cli.pins",
    "devices": "controller.cli.devices",
    "simulate": "controller.cli.simulate",
    "replay": "controller.cli.replay",
    "bench": "controller.cli.bench",
    "run": "controller.cli.run",
    "keys": "controller.cli.keys",
    "watch": "controller.cli.watch",
    "scoreboard": "controller.cli.scoreboard",
    "screen": "controller.cli.screen",
    "send": "controller.cli.send",
    "relay": "fleet.cli.relay",
    "fleet": "controller.cli.fleet",
    "mqtt": "controller.cli.mqtt",
    "webhooks": "controller.cli.webhooks",
    "journal": "controller.cli.journal",
    "witness": "controller.cli.witness",
    "rule": "controller.cli.rule",
    "boards": "controller.cli.boards",
    "doctor": "controller.cli.doctor",
    "calibrate": "controller.cli.calibrate",
    "certify": "controller.cli.certify",
    "record": "controller.cli.record",
    "selftest": "controller.cli.selftest",
    "conformance": "controller.cli.conformance",
}


_WITHOUT_TLS = frozenset({"controller.cli.run"})
"""The modules of commands whose event loop opens no connection with TLS: a service has sockets of ZeroMQ alone there.
What sends heads to https:// does so on a thread of its own, and loads OpenSSL for it. A table's file that may name
packages of others has the loop load TLS."""


def _is_utf8(argument: str) -> bool:
    try:
        argument.encode()
    except UnicodeEncodeError:
        return False
    return True


def imported(module: str) -> ModuleType:
    """A module. What it imports lives as long as the process: the collector of cycles need not walk through it."""
    with without_tls() if module in _WITHOUT_TLS else nullcontext():
        if module in sys.modules or not gc.isenabled():
            return import_module(module)
        gc.disable()
        try:
            return import_module(module)
        finally:
            gc.freeze()
            gc.enable()


class LazyGroup(click.Group):
    """A group of commands that are imported when they are called."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuses an argument that is not UTF-8: no message and no journal can have what is in it."""
        for argument in args:
            if not _is_utf8(argument):
                shown = plain(argument.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace"))
                raise click.UsageError(f'"{shown}" is not UTF-8; write it in UTF-8, or rename the file', ctx)
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is called.

        Raises:
            click.UsageError: there is none of that name; the nearest one is named.
        """
        if args and args[0] not in _COMMANDS and not args[0].startswith("-"):
            near = nearest(args[0], _COMMANDS)
            fix = f'did you mean "{near}"?' if near else "feltwire --help lists the commands"
            raise click.UsageError(f'"{plain(args[0])}" is no command; {fix}', ctx)
        if args and _COMMANDS.get(args[0]) in _WITHOUT_TLS and any(map(may_name_packages, args[1:])):
            import_module("ssl")
        return super().resolve_command(ctx, args)

    def main(self, *args: Any, **extra: Any) -> Any:
        """Runs the command, and ends it with a message where its output cannot be written, as on a full disk."""
        try:
            return super().main(*args, **extra)
        except OSError as error:
            if not _is_of_output(error):
                raise
            click.echo(
                click.style(
                    f"standard output cannot be written: {error.strerror}; what was written is not complete: "
                    "make room there, or write elsewhere",
                    fg="red",
                ),
                err=True,
            )
            # Python would write what is left as it ends, and fail again.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(FATAL)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the commands, in the order in which a new user needs them."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Imports and returns a command; None if there is none of that name.

        Raises:
            click.ClickException: Python would run other code than the sources have.
        """
        # Before anything of a command is imported, which would run what is not to run.
        _one_code()
        module = _COMMANDS.get(cmd_name)
        if module is None:
            return None
        command = imported(module).command
        if not isinstance(command, click.Command):
            raise TypeError(f"{module}.command is not a click command")
        return command


_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})


def _is_of_output(error: OSError) -> bool:
    """Whether standard output takes nothing more: an error in writing to it has no name of a file."""
    if error.errno not in _FULL or error.filename is not None or sys.stdout is None:
        return False
    try:
        sys.stdout.flush()
        os.write(sys.stdout.fileno(), b"\n")
    except OSError:
        return True
    return False


def _one_code() -> str:
    """Which code runs: plain Python, or what was compiled."""
    from controller.packages.compiled import MixedCodeError, code

    try:
        return code()
    except MixedCodeError as error:
        raise click.ClickException(str(error)) from error


def _print_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        click.echo(f"feltwire, version {VERSION}, {_one_code()}")
        ctx.exit()


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version and exit.",
)
def main() -> None:
    """The controller inside a casino-night table.

    A table is described by one TOML file. The shortest is:

    \b
        [table]
        id = "roulette-1"
        game = "roulette"
        [lines]
        backend = "sim"

    Start with:

    \b
        feltwire check table.toml     check the file: every wrong key at once
        feltwire pins table.toml      print which wire goes to which pin
        feltwire simulate table.toml  play it on simulated devices
        feltwire run table.toml       run the service: play, keep the journal, publish events
        feltwire watch                show the events of a running service in another terminal

    Exit codes: 0 for success, 1 for a fatal error, 2 for a file or an option that cannot be used,
    3 for a journal that does not verify, 4 for a refused command, 5 for streams that nothing vouches for,
    141 for an answer that nobody read.
    """
