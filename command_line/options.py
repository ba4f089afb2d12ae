"""Options that several commands share: the speed of simulated time, public keys, and the keys of a connection."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from command_line.exit_codes import BAD_CONFIGURATION

if TYPE_CHECKING:
    from feed.endpoints import Endpoints
    from feed.keys import ClientCurve


FASTEST = 1000.0
"""The greatest factor over real time that a service keeps up with."""


def parse_speed(text: str) -> float:
    """Parses the number of `--speed`.

    Raises:
        click.BadParameter: it is not a number above 0 and up to `FASTEST`.
    """
    try:
        speed = float(text)
    except ValueError:
        speed = 0.0
    if not 0 < speed <= FASTEST:
        fix = f"write a number above 0 and up to {FASTEST:g}, such as 10"
        raise click.BadParameter(f'"{text}" is not a speed; {fix}', param_hint="--speed")
    return speed


def page_address(_ctx: click.Context, _param: click.Parameter, value: str) -> str:
    """The callback of an option that takes the address of a page, which then has a slash at its end."""
    if value and (not re.fullmatch(r"https?://[!-~]+", value) or "#" in value):
        raise click.BadParameter(f"{value!a} is not the address of a page; write http://… or https://…, without a #")
    return value and value.rstrip("/") + "/"


_KEY_DIGITS = 64


def public_keys(_ctx: click.Context, _param: click.Parameter, values: tuple[str, ...]) -> tuple[bytes, ...]:
    """The callback of an option that takes public Ed25519 keys."""
    return tuple(_public_key(value) for value in values)


def _public_key(value: str) -> bytes:
    """Parses 64 hexadecimal digits, grouped by spaces or not, or reads them from a file."""
    text = value
    try:
        if Path(value).is_file():
            text = Path(value).read_text(encoding="ascii")
    except (OSError, ValueError) as error:
        raise click.BadParameter(f"{value} cannot be read: {error}") from error
    digits = "".join(text.split()).lower()
    if len(digits) != _KEY_DIGITS or set(digits) - set("0123456789abcdef"):
        raise click.BadParameter(
            f"{value!r} is not a public key; expected {_KEY_DIGITS} hexadecimal digits, as the service logs them, "
            "or a file that holds them"
        )
    return bytes.fromhex(digits)


servers_option = click.option(
    "--server",
    "--server-key",
    "servers",
    multiple=True,
    metavar="KEY",
    help="A service's public key, or its .public file, for tcp://: one for all, or one for each service.",
)


def server_keys(servers: Sequence[str], services: int) -> list[str | None]:
    """The `--server` of each of some services, in their order. Ends the command where there are too few or too many."""
    if len(servers) > 1 and len(servers) != services:
        raise click.UsageError(
            f"--server is given {len(servers)} times, and there are {services} addresses of services: give one key for "
            "all services, or one for each, in their order"
        )
    return [*servers] if len(servers) > 1 else [servers[0] if servers else None] * services


def client_curve(endpoints: Endpoints, key: Path | None, server: str | None) -> ClientCurve | None:
    """The keys for a connection; None for `ipc://`, which needs none. Exits with code 2 if a key cannot be used.

    `key` is the client's `.secret` file; `server` the service's public key, or its `.public` file.
    """
    from feed.keys import BadKeyError, ClientCurve, parse_public, read_pair, read_public

    if endpoints.is_local:
        return None
    if key is None or server is None:
        raise click.UsageError(
            "tcp:// needs --key, your own .secret file (feltwire keys new), and --server, the service's public key"
        )
    try:
        path = Path(server)
        return ClientCurve(read_pair(key), read_public(path) if path.exists() else parse_public(server))
    except BadKeyError as error:
        click.echo(str(error), err=True)
        sys.exit(BAD_CONFIGURATION)


def zone_option(default: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Adds `--zone`: the zone of all times that are given and printed, a `tzinfo`."""
    return click.option(
        "--zone",
        metavar="ZONE",
        default=default,
        show_default=True,
        callback=_zone,
        is_eager=True,
        help="The zone of all times, as America/New_York.",
    )


def _zone(_ctx: click.Context, _param: click.Parameter, value: str) -> tzinfo:
    if value == "UTC":
        return UTC
    # The zones of the world are read where one is named.
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        return ZoneInfo(value)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise click.BadParameter(f"{value!r} is no time zone; write one as America/New_York, or UTC") from error
