"""What the commands of bridges share: their file, read as strictly as a table's, and the service that they follow."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, TypeVar

import click
import msgspec

from command_line.exit_codes import BAD_CONFIGURATION
from command_line.local_services import base_to_follow
from command_line.options import client_curve, servers_option
from command_line.plain_output import log_lines
from controller.configuration.document import read_document
from controller.configuration.problems import Problem, dotted
from controller.configuration.validation import validate
from feed.endpoints import EndpointError, Endpoints
from feed.keys import ClientCurve
from hal.clock import SystemClock
from hal.probes import Pulse

S = TypeVar("S", bound=msgspec.Struct)
_Command = TypeVar("_Command", bound=Callable[..., Any])

_OPTIONS = (
    click.argument("file", type=click.Path(path_type=Path)),
    click.argument("endpoint", required=False),
    click.option("--key", type=click.Path(path_type=Path), metavar="FILE", help="Your .secret key file, for tcp://."),
    servers_option,
)


def bridge_options(command: _Command) -> _Command:
    """Adds the file, the service and the keys for it."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


class FollowedService(NamedTuple):
    """The service that a bridge follows."""

    base: str
    curve: ClientCurve | None


def service_of(endpoint: str | None, key: Path | None, servers: tuple[str, ...]) -> FollowedService:
    """The service of the options; without an address that of this computer. Ends the command where they are wrong."""
    if len(servers) > 1:
        raise click.UsageError("--server is given several times, and a bridge follows one service")
    base = endpoint or base_to_follow(partial(click.echo, err=True), "following the service at")
    try:
        return FollowedService(base, client_curve(Endpoints.parse(base), key, servers[0] if servers else None))
    except EndpointError as error:
        raise click.UsageError(str(error)) from error


def read_keys(path: Path, struct: type[S]) -> S:
    """The keys of a bridge's file. Ends the command with every mistake, with file, line, key and fix."""
    document = read_document(path)
    keys, findings = validate(document.values, struct, ()) if document.readable else (None, [])
    problems = [
        *document.problems,
        *(
            Problem(document.file, document.positions.line(one.path), dotted(one.path), one.wrong, one.fix)
            for one in findings
        ),
    ]
    if keys is None or problems:
        for problem in sorted(problems, key=lambda one: one.line):
            click.echo(click.style(str(problem), fg="red"), err=True)
        sys.exit(BAD_CONFIGURATION)
    return keys


def refuse(error: object) -> NoReturn:
    """Ends the command with what cannot be used."""
    click.echo(click.style(str(error), fg="red"), err=True)
    sys.exit(BAD_CONFIGURATION)


def begin(what: str) -> Pulse:
    """Begins to log, and returns the signs of life of a bridge's loop."""
    # It warns, in the words of the library, of what a bridge logs in those of its file.
    log_lines(logging.INFO, leave_out="feed.subscriber.reader")
    return Pulse(SystemClock(), what)
