"""`feltwire fleet publish`: has witnesses sign that a stream of events only grows."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from audit.errors import JournalError
from audit.signing import SigningKeyError, load_or_create
from audit.transparency.notes import LOG_KEY, NoteKey
from audit.transparency.publishing import LogPublisher, WitnessCalls
from audit.transparency.tree_file import TreeFile
from command_line.exit_codes import BAD_CONFIGURATION, FATAL
from command_line.metrics_port import metrics_option
from command_line.plain_output import log_lines, show
from command_line.publishing_loop import publish, publishing_options
from command_line.reading_journals import exit_on_journal_error
from command_line.witness_options import GivenPolicy, policy_option
from fleet.cli.nats_options import NatsLogin, exit_on_nats_error, nats_address, nats_options
from fleet.connection import NatsAddress, NatsRefusedError, NatsUnavailableError, connect
from fleet.stream_log import catch_up_stream, stream_origin
from fleet.streams import JetStream
from fleet.verify import held_streams

if TYPE_CHECKING:
    from scoreboard.web import PageServer


@click.command("publish")
@click.argument("server", metavar="NATS[/VENUE]")
@click.option(
    "--state", required=True, type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help="Key and trees."
)
@policy_option(required=False)
@publishing_options("checkpoints, and proofs that the tree only grew", 8093)
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
    be used; with --once 3 if the stream does not go on from what was signed, or a witness shows that another
    history was signed, and 5 if too few witnesses cosigned.
    """
    address = nats_address(server, login)
    with exit_on_nats_error(), exit_on_journal_error():
        stream = asyncio.run(_stream(address))
        try:
            key = load_or_create(state / "signing.key")
        except SigningKeyError as error:
            show(error, fg="red", err=True)
            sys.exit(BAD_CONFIGURATION)
        public = bytes(key.verify_key)
        origin = stream_origin(stream, public)
        if key_only:
            show(NoteKey(origin, LOG_KEY, public))
            return
        log_lines(logging.INFO)
        with TreeFile.open(state / f"{stream}.tree", origin) as tree:
            from scoreboard.web import AddressError

            served = None if host is None else ("checkpoints", _server(tree, host, port, names))

            def publisher(calls: WitnessCalls) -> LogPublisher:
                return LogPublisher(tree, key, given.policy, calls, lambda: _catch_up(address, stream, tree))

            try:
                sys.exit(publish(publisher, every_s=every, once=once, metrics=metrics, served=served))
            except AddressError as error:
                show(error, err=True)
                sys.exit(FATAL)


def _server(tree: TreeFile, host: str, port: int, names: Sequence[str]) -> PageServer:
    """Serves what others need to compare what witnesses have cosigned."""
    from audit.transparency.proof_site import TreeSite
    from scoreboard.web import NamesAllowed, PageServer, application

    app = application(NamesAllowed.of_this_computer(host, names), [])
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
