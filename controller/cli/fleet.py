"""`feltwire fleet`: the tables of all venues, as NATS JetStream holds them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from controller.cli.nats_options import exit_on_nats_error, nats_address, nats_options


def _sources(_ctx: click.Context, _param: click.Parameter, values: tuple[str, ...]) -> list[tuple[str, str]]:
    """Parses `VENUE` or `VENUE@DOMAIN`."""
    from controller.fleet.subjects import VenueError, parse_venue

    found = []
    for value in values:
        venue, at, domain = value.partition("@")
        try:
            parse_venue(venue)
        except VenueError as error:
            raise click.BadParameter(str(error)) from error
        if at and (not domain or not domain.replace("-", "").isalnum()):
            raise click.BadParameter(f"{value!r}: behind @ stands the domain of the venue's leaf node, as pit-3")
        found.append((venue, domain))
    return found


@click.command("init")
@click.argument("server", metavar="NATS")
@click.option("--venue", "venues", multiple=True, metavar="NAME", callback=_sources, help="Make its stream here.")
@click.option(
    "--hub",
    "sources",
    multiple=True,
    metavar="NAME[@DOMAIN]",
    callback=_sources,
    help="Make this server the hub of these venues; @DOMAIN is that of a leaf node.",
)
@click.option("--replicas", type=click.IntRange(1, 5), default=1, show_default=True, help="Copies in a cluster.")
@nats_options
def init_command(
    server: str,
    venues: list[tuple[str, str]],
    sources: list[tuple[str, str]],
    replicas: int,
    ca: Path | None,
    cert: Path | None,
    nats_user: str | None,
    password_file: Path | None,
) -> None:
    """Make the streams of a venue or a hub. One that is there stays as it is; a hub gets the sources that it lacks.

    The streams discard nothing. How much the server may hold stands in its configuration (max_file_store); when it is
    full it refuses what comes, the relay waits, and the journals hold the events.

    \b
    Examples:
        feltwire fleet init nats://127.0.0.1:4222 --venue atlantic-hall
        feltwire fleet init tls://hub.example:4222 --hub atlantic-hall@pit-3 --replicas 3 --nats-user admin

    Exit codes: 0; 1 if no server answers; 2 for an address that cannot be used, or where the server refuses.
    """
    if not venues and not sources:
        raise click.UsageError("give --venue for the stream of a venue, --hub for that of a hub, or both")
    if any(domain for _, domain in venues):
        raise click.UsageError("--venue makes the stream on the server that is named; @DOMAIN is for --hub")
    address = nats_address(server, ca, cert, nats_user, password_file)
    from controller.fleet.connection import connect
    from controller.fleet.streams import JetStream
    from controller.fleet.subjects import HUB_STREAM, LIVE_STREAM, stream_of

    async def make() -> list[tuple[str, bool]]:
        client = await connect(address, name="feltwire-fleet")
        try:
            jetstream = JetStream(client)
            made = [(stream_of(venue), await jetstream.create_venue(venue, replicas)) for venue, _ in venues]
            made.append((LIVE_STREAM, await jetstream.create_live(replicas)))
            if sources:
                made.append((HUB_STREAM, await jetstream.create_hub(sources, replicas)))
            return made
        finally:
            await client.close()

    with exit_on_nats_error():
        for stream, new in asyncio.run(make()):
            click.echo(f"{stream}: {'made' if new else 'was there'}")


@click.group("fleet")
def command() -> None:
    """Tables of many computers, as NATS JetStream holds them.

    The relays of venues publish there (feltwire relay). docs/fleet.md has whole set-ups: one server, leaf nodes with a
    hub, and a hub of three.

    \b
    Start with:
        feltwire fleet init NATS --venue NAME     make the stream of a venue

    Exit codes: 0 for success, 1 where no server answers, 2 for what cannot be used.
    """


for _one in (init_command,):
    command.add_command(_one)
