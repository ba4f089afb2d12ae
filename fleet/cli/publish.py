"""`feltwire fleet publish`: has witnesses sign that a stream of events only grows."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from audit.errors import JournalError
from audit.signing import SigningKeyError, load_or_create
from audit.transparency.notes import LOG_KEY, NoteKey
from audit.transparency.tree_file import TreeFile
from command_line.exit_codes import BAD_CONFIGURATION, FATAL
from command_line.metrics_port import MetricsPortError, metrics_option, metrics_port
from command_line.publishing_loop import publish_once, publish_until_signal
from command_line.reading_journals import exit_on_journal_error
from command_line.witness_options import GivenPolicy, policy_option
from fleet.cli.nats_options import NatsLogin, exit_on_nats_error, nats_address, nats_options
from fleet.connection import NatsAddress, NatsRefusedError, NatsUnavailableError, connect
from fleet.stream_log import catch_up_stream, stream_origin
from fleet.streams import JetStream
from fleet.verify import held_streams

if TYPE_CHECKING:
    from prometheus_client.registry import Collector

    from hal.probes import Probes
    from scoreboard.web import PageServer


@click.command("publish")
@click.argument("server", metavar="NATS[/VENUE]")
@click.option(
    "--state", required=True, type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help="Key and trees."
)
@policy_option(required=False)
@click.option("--every", type=click.IntRange(1, 86_400), default=60, show_default=True, metavar="S", help="Seconds.")
@click.option("--once", is_flag=True, help="Publish what there is, and end.")
@click.option("--key", "key_only", is_flag=True, help="Only print the log's public key, for witnesses and policies.")
@click.option("--host", metavar="IP", help="Also serve checkpoints, and proofs that the tree only grew, here.")
@click.option("--port", type=click.IntRange(0, 65535), default=8093, show_default=True, metavar="N", help="Of --host.")
@click.option("--name", "names", multiple=True, metavar="NAME", help="A name of this computer in your network; repeat.")
@metrics_option
@nats_options
def publish_command(
    server: str,
    state: Path,
    given: GivenPolicy,
    every: int,
    once: bool,
    key_only: bool,
    host: str | None,
    port: int,
    names: tuple[str, ...],
    metrics: int | None,
    login: NatsLogin,
) -> None:
    """Keep a Merkle tree of a venue's stream, or of a hub's, and have witnesses cosign its checkpoints.

    Every message is a leaf: events of all tables, and the seals of their journals. DIR has the key that signs, made at
    the first start, and the tree. Start it before anything is trimmed from the stream: what is gone gets no leaf. A
    witness, or NATS, that is not reached is logged, and asked again the next time.

    \b
    Examples:
        feltwire fleet publish nats://127.0.0.1:4222 --state /srv/feltwire-log --policy witnesses.policy
        feltwire fleet publish tls://hub.example:4222/atlantic-hall --state log --key --nats-user auditor

    Exit codes: 0, also after Ctrl-C; 1 if no server answers at the start, or a port cannot be opened; 2 for what cannot
    be used; with --once 3 if the stream does not go on from what was signed, and 5 if too few witnesses cosigned.
    """
    address = nats_address(server, login)
    with exit_on_nats_error(), exit_on_journal_error():
        stream = asyncio.run(_stream(address))
        try:
            key = load_or_create(state / "signing.key")
        except SigningKeyError as error:
            click.echo(click.style(str(error), fg="red"), err=True)
            sys.exit(BAD_CONFIGURATION)
        public = bytes(key.verify_key)
        origin = stream_origin(stream, public)
        if key_only:
            click.echo(NoteKey(origin, LOG_KEY, public))
            return
        logging.basicConfig(format="%(levelname)s %(message)s", level=logging.INFO)
        with TreeFile.open(state / f"{stream}.tree", origin) as tree:
            from audit.transparency.http_calls import http_calls
            from audit.transparency.publishing import LogPublisher
            from scoreboard.web import AddressError

            async def main() -> int:
                async with http_calls() as calls:
                    publisher = LogPublisher(tree, key, given.policy, calls, lambda: _catch_up(address, stream, tree))
                    click.echo(f"log {publisher.log_key}", err=True)
                    if once:
                        return await publish_once(publisher)

                    def served() -> tuple[Collector, Probes]:
                        from command_line.publishing_metrics import PublisherCollector, PublisherProbes

                        return PublisherCollector(publisher), PublisherProbes(publisher)

                    async with AsyncExitStack() as site:
                        site.enter_context(metrics_port(metrics, served))
                        if host is not None:
                            server = tree_server(tree, host, port, names)
                            click.echo(f"checkpoints: {await server.start()}", err=True)
                            site.push_async_callback(server.stop)
                        await publish_until_signal(publisher, every)
                    return 0

            try:
                sys.exit(asyncio.run(main()))
            except (MetricsPortError, AddressError) as error:
                click.echo(str(error), err=True)
                sys.exit(FATAL)


def tree_server(tree: TreeFile, host: str, port: int, names: Sequence[str]) -> PageServer:
    """Serves what others need to compare what witnesses have cosigned."""
    import socket

    from audit.transparency.proof_site import TreeSite
    from scoreboard.web import NamesAllowed, PageServer, application

    own = socket.gethostname()
    app = application(NamesAllowed.on(host, [own, f"{own}.local", *names]), [])
    TreeSite(tree).add_to(app)
    return PageServer(app, host, port)


async def _stream(address: NatsAddress) -> str:
    """The one stream that an address has."""
    client = await connect(address, name="feltwire-fleet")
    try:
        there = await held_streams(JetStream(client), address.venue)
    finally:
        await client.close()
    if len(there) != 1:
        named = ", ".join(there) or "none"
        raise NatsRefusedError(f"expected one stream of events, and there is {named}; name a venue in the address")
    return there[0]


async def _catch_up(address: NatsAddress, stream: str, tree: TreeFile) -> int:
    """Reads what is new, over a connection of its own: NATS may have been away since."""
    try:
        client = await connect(address, name="feltwire-fleet")
        try:
            return await catch_up_stream(JetStream(client), stream, tree)
        finally:
            await client.close()
    except (NatsUnavailableError, NatsRefusedError) as error:
        raise JournalError(tree.path, f"{stream} cannot be read ({error})", "it is tried again") from error
