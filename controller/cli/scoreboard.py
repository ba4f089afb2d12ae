"""`feltwire scoreboard`: the board that spectators see, served to browsers."""

from __future__ import annotations

import logging
import sys
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING

import click

from command_line.exit_codes import BAD_CONFIGURATION, FATAL
from command_line.local_services import base_to_follow
from command_line.options import client_curve, page_address, server_keys, servers_option
from command_line.plain_output import log_lines
from command_line.without_tls import without_tls
from feed.endpoints import EndpointError, Endpoints
from fleet.cli.nats_options import (
    NatsLogin,
    nats_options,
    refuse_nats_options,
    refuse_service_options,
    stream_endpoint,
)
from fleet.schemes import is_nats_address
from hal.clock import KnownCalendar, SystemClock

if TYPE_CHECKING:
    from fleet.stream_endpoint import StreamEndpoint
    from scoreboard.gateway import Source
    from scoreboard.venue import Venue

PORT = 8080
"""Where no other is asked for (ours)."""


def _origins(_context: click.Context, _option: click.Parameter, given: tuple[str, ...]) -> tuple[str, ...]:
    """The origins, as browsers write them, each once."""
    if not given:
        return ()
    from scoreboard.web import OriginError, parse_embedding_origin

    try:
        return tuple(dict.fromkeys(parse_embedding_origin(text) for text in given))
    except OriginError as error:
        raise click.BadParameter(str(error)) from error


@click.command("scoreboard")
@click.argument("endpoints", metavar="[ENDPOINT]...", nargs=-1)
@click.option("--table", "tables", metavar="ID", multiple=True, help="Only this table; may be given several times.")
@click.option("--real", "kind", flag_value="real", help="Real tables only: no simulated one is shown.")
@click.option("--simulated", "kind", flag_value="simulated", help="Simulated tables only.")
@click.option("--host", default="127.0.0.1", show_default=True, metavar="IP", help="Address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65535), metavar="N", help=f"Port; without it {PORT}, or the next free one."
)
@click.option("--name", "names", multiple=True, metavar="NAME", help="A name of this computer in your network; repeat.")
@click.option("--key", type=click.Path(path_type=Path), metavar="FILE", help="Your .secret key file, for tcp://.")
@servers_option
@click.option(
    "--venue",
    "venue_folder",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Show a venue's own beside the boards: logo, sponsors, words, colors of FOLDER/venue.toml. Read at the start.",
)
@click.option(
    "--embed",
    "embedded_by",
    multiple=True,
    metavar="ORIGIN",
    callback=_origins,
    help="Let pages of this site frame the boards: https://example.org; repeat. Without it, none may.",
)
@click.option(
    "--proofs",
    default="",
    metavar="URL",
    callback=page_address,
    help="Where feltwire journal publish serves proofs of results: what is printed leads there.",
)
@click.option("--open", "open_page", is_flag=True, help="Open the page in this computer's browser.")
@nats_options
def command(
    endpoints: tuple[str, ...],
    tables: tuple[str, ...],
    kind: str | None,
    host: str,
    port: int | None,
    names: tuple[str, ...],
    key: Path | None,
    servers: tuple[str, ...],
    venue_folder: Path | None,
    embedded_by: tuple[str, ...],
    proofs: str,
    open_page: bool,
    login: NatsLogin,
) -> None:
    """Serve the scoreboard of running tables as a page.

    It follows one service or several as a subscriber, and sends them no command. It may be started before them, and
    continues when they are restarted. Without an address it takes the service that runs on this computer, or the one
    that $FELTWIRE_RUNTIME names, and prints which; it waits for it. Only this computer reaches the page unless --host
    says otherwise: whoever reaches it may read it.

    An address of NATS JetStream is followed as a service is: the tables of a venue as its relay publishes them; with *
    in place of the venue those of all.

    \b
    Examples:
        feltwire scoreboard                               the service on this computer
        feltwire scoreboard --host 0.0.0.0 --port 80      for the screens of your network
        feltwire scoreboard tcp://10.0.0.5:5600 tcp://10.0.0.6:5600 --key hall.secret --server pit-3.public
        feltwire scoreboard 'tls://hub.example/*' --nats-user reader --password-file reader.password
        feltwire scoreboard --venue library-night/        with a charity's logo, sponsors and message

    \b
    The page: /                        all tables; the only one full screen
              /?table=roulette-1       one table
              /?lang=es                in Spanish
              /?table=roulette-1&overlay   without background, for OBS
              /?print                  the last rounds of each table, for paper

    Exit codes: 0, also after Ctrl-C; 1 if the port cannot be opened; 2 for an address or a key that cannot be used, and
    for a venue's folder with a mistake in it.
    """
    from scoreboard.venue import NO_VENUE

    venue = NO_VENUE if venue_folder is None else _venue(venue_folder)
    bases = endpoints or (_local_base(),)
    services = sum(not is_nats_address(base) for base in bases)
    # Pages are served without TLS, and the sockets of services have keys of their own.
    with without_tls() if services == len(bases) else nullcontext():
        import asyncio

        from scoreboard.gateway import Gateway, Source
        from scoreboard.hall import Hall
        from scoreboard.web import AddressError, PageServer, serve_until_signal

    if not services:
        refuse_service_options(key, *servers)
    if services == len(bases):
        refuse_nats_options(login)
    sources = []
    simulated = None if kind is None else kind == "simulated"
    keys = iter(server_keys(servers, services))
    for base in bases:
        if is_nats_address(base):
            sources.append(_stream_source(stream_endpoint(base, tables, login), tables))
            continue
        try:
            curve = client_curve(Endpoints.parse(base), key, next(keys))
        except EndpointError as error:
            raise click.UsageError(str(error)) from error
        sources.append(Source(base, tables, curve))
    log_lines(logging.WARNING)
    clock = SystemClock()
    calendar = KnownCalendar(clock)
    gateway = Gateway(
        Hall(token_hex(8)),
        sources,
        simulated=simulated,
        now_ns=clock.now_ns,
        day_ms=calendar.time_of_day_ms,
        wall_time=calendar.wall_time,
        proofs=proofs,
    )
    site = gateway.application(host, names, venue=venue, embedded_by=embedded_by)
    page = PageServer(site, host, PORT if port is None else port, next_free=port is None)

    def ready(url: str) -> None:
        shown = ", ".join(source.endpoint for source in sources)
        click.echo(f"scoreboard of {shown}: {click.style(url, bold=True)} (Ctrl-C ends it)", err=True)
        if open_page:
            import webbrowser

            webbrowser.open(url)

    try:
        asyncio.run(serve_until_signal(page, ready, lambda: gateway.failure))
    except AddressError as error:
        click.echo(f"the scoreboard cannot be served: {error}", err=True)
        sys.exit(FATAL)


def _venue(folder: Path) -> Venue:
    """What a venue's folder has; ends the command, with every mistake, where it cannot be shown."""
    from controller.cli.venue_folder import read_venue
    from controller.configuration.problems import ConfigurationErrors

    try:
        return read_venue(folder)
    except ConfigurationErrors as error:
        click.echo(click.style(str(error), fg="red"), err=True)
        sys.exit(BAD_CONFIGURATION)


def _stream_source(endpoint: StreamEndpoint, tables: tuple[str, ...]) -> Source:
    """What JetStream has of tables."""
    from fleet.stream_subscriber import JetStreamSubscriber
    from scoreboard.gateway import Source

    def opened(simulated: bool | None) -> JetStreamSubscriber:
        return JetStreamSubscriber(endpoint, tables=tables or None, simulated=simulated)

    return Source(str(endpoint), tables, open=opened)


def _local_base() -> str:
    """The address of the service on this computer; where none runs yet, the one at which it will."""
    return base_to_follow(partial(click.echo, err=True))
