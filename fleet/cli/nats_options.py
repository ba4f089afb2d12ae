"""The options of commands that connect to NATS, and what they end with."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from command_line.exit_codes import BAD_CONFIGURATION, FATAL
from command_line.plain_output import show
from feed.wire import is_table
from hal.install_words import how_to_install

if TYPE_CHECKING:
    from fleet.connection import NatsAddress
    from fleet.stream_endpoint import StreamEndpoint


class NatsLogin(NamedTuple):
    """How a command logs in at a NATS server, as its options have it."""

    ca: Path | None = None
    """The authority of the server."""
    cert: Path | None = None
    """The certificate and key of whoever asks."""
    user: str | None = None
    password_file: Path | None = None


_OPTIONS = (
    click.option("--ca", type=click.Path(path_type=Path), metavar="FILE", help="Authority of the server, for tls://."),
    click.option(
        "--cert", type=click.Path(path_type=Path), metavar="FILE", help="Your certificate and key, for tls://."
    ),
    click.option("--nats-user", metavar="NAME", help="The user at the NATS server."),
    click.option("--password-file", type=click.Path(path_type=Path), metavar="FILE", help="Its password, mode 0600."),
)


def nats_options(command: Callable[..., None]) -> Callable[..., None]:
    """Adds `--ca`, `--cert`, `--nats-user` and `--password-file`, in this order; the command gets them as `login`."""

    @wraps(command)
    def run(
        *given: Any,
        ca: Path | None,
        cert: Path | None,
        nats_user: str | None,
        password_file: Path | None,
        **options: Any,
    ) -> None:
        command(*given, login=NatsLogin(ca, cert, nats_user, password_file), **options)

    made: Callable[..., None] = run
    for option in reversed(_OPTIONS):
        made = option(made)
    return made


def nats_address(url: str, login: NatsLogin) -> NatsAddress:
    """The address of the options. Ends the command with a usage error where they cannot be used."""
    from fleet.connection import NatsAddress, NatsAddressError, with_password
    from fleet.stream_endpoint import ALL
    from fleet.subjects import VenueError, parse_venue

    _check_client()
    try:
        address = NatsAddress.parse(url, ca=login.ca, certificate=login.cert)
        if address.venue == ALL:
            address = address._replace(venue="")
        if address.venue:
            parse_venue(address.venue)
        address = with_password(address, login.user, login.password_file)
    except (NatsAddressError, VenueError) as error:
        raise click.UsageError(str(error)) from error
    if address.password and not address.tls:
        _warn_of_password(address)
    return address


def stream_endpoint(url: str, tables: Sequence[str], login: NatsLogin) -> StreamEndpoint:
    """The endpoint of tables on JetStream. Ends the command with a usage error where it cannot be used, or `tables` are
    asked for that it does not have."""
    from fleet.connection import NatsAddressError, with_password
    from fleet.stream_endpoint import StreamEndpoint

    _check_client()
    for table in tables:
        # The ids are in the subjects that are asked for: `*` would be all tables.
        if not is_table(table):
            shown = table[:40].encode("unicode_escape").decode()
            raise click.BadParameter(
                f'"{shown}" is not an id of a table; write lowercase letters, digits and single hyphens, as roulette-1',
                param_hint="--table",
            )
    try:
        endpoint = StreamEndpoint.parse(url, ca=login.ca, certificate=login.cert)
        address = with_password(endpoint.address, login.user, login.password_file)
    except NatsAddressError as error:
        raise click.UsageError(str(error)) from error
    if endpoint.table and tables and endpoint.table not in tables:
        raise click.UsageError(f"{endpoint}: the address names the table {endpoint.table}; leave out --table")
    if address.password and not address.tls:
        _warn_of_password(address)
    return endpoint._replace(address=address)


def refuse_nats_options(login: NatsLogin) -> None:
    """Ends the command with a usage error where options of NATS are beside addresses that are none of it."""
    if login != NatsLogin():
        raise click.UsageError(
            "--ca, --cert, --nats-user and --password-file are for tables on NATS JetStream: nats://HOST:4222/VENUE or "
            "tls://HOST:4222/VENUE"
        )


def refuse_service_options(*given: object) -> None:
    """Ends the command with a usage error where keys of services are beside addresses of NATS alone."""
    if any(one is not None for one in given):
        raise click.UsageError(
            "--key and --server are for services at tcp:// addresses; for tables on NATS JetStream give --nats-user "
            "and --password-file, or --cert"
        )


def _check_client() -> None:
    from fleet.connection import has_client

    if not has_client():
        raise click.UsageError(f"this needs the client of NATS: {how_to_install('fleet')}")


def _warn_of_password(address: NatsAddress) -> None:
    """The server may ask for TLS by itself, or the network be a closed one: so it is not an error."""
    from scoreboard.web.guard import is_loopback

    if not is_loopback(address.host):
        warning = f"{address}: the password crosses the network unencrypted, unless the server asks for TLS; use tls://"
        show(warning, fg="yellow", err=True)


@contextmanager
def exit_on_nats_error() -> Iterator[None]:
    """Prints what NATS refuses in red and exits: 1 where nobody answers, 2 for what cannot be used."""
    from fleet.connection import NatsAddressError, NatsRefusedError, NatsUnavailableError

    try:
        yield
    except NatsUnavailableError as error:
        show(error, fg="red", err=True)
        sys.exit(FATAL)
    except (NatsRefusedError, NatsAddressError) as error:
        show(error, fg="red", err=True)
        sys.exit(BAD_CONFIGURATION)
