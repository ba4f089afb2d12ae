"""`feltwire relay`: publishes the events of services to NATS JetStream."""

from __future__ import annotations

import logging
import socket
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from command_line.exit_codes import FATAL
from command_line.local_services import base_to_follow
from command_line.metrics_port import MetricsPortError, metrics_option, metrics_port
from command_line.options import client_curve, server_keys, servers_option
from command_line.plain_output import log_lines, show
from command_line.pulsed_loop import run_until_signal
from feed.endpoints import EndpointError, Endpoints
from fleet.cli.nats_options import NatsLogin, exit_on_nats_error, nats_address, nats_options
from hal.clock import SystemClock
from hal.probes import Pulse

if TYPE_CHECKING:
    from prometheus_client.registry import Collector

    from hal.probes import Probes


@click.command("relay")
@click.argument("server", metavar="NATS")
@click.argument("endpoints", metavar="[ENDPOINT]...", nargs=-1)
@click.option("--venue", required=True, metavar="NAME", help="The hall or event, as its subjects name it.")
@click.option("--name", metavar="NAME", help="Of this relay, in reports; without it, this computer's.")
@click.option("--real", "kind", flag_value="real", help="Real tables only.")
@click.option("--simulated", "kind", flag_value="simulated", help="Simulated tables only.")
@click.option("--key", type=click.Path(path_type=Path), metavar="FILE", help="Your .secret key file, for tcp://.")
@servers_option
@metrics_option
@nats_options
def command(
    server: str,
    endpoints: tuple[str, ...],
    venue: str,
    name: str | None,
    kind: str | None,
    key: Path | None,
    servers: tuple[str, ...],
    metrics: int | None,
    login: NatsLogin,
) -> None:
    """Publish every event of running services to a stream of NATS JetStream, once and in order.

    It continues from what the stream holds, over restarts of the service, of NATS and of itself, and keeps nothing of
    its own: the journals stay the truth. Services and NATS may be started later. Make the stream first, with feltwire
    fleet init. A table whose journal was rewritten is relayed no further. Without an ENDPOINT it takes the service that
    runs on this computer, or the one that $FELTWIRE_RUNTIME names, and prints which; it waits for it.

    \b
    Examples:
        feltwire relay nats://127.0.0.1:4222 --venue atlantic-hall
        feltwire relay tls://hub.example:4222 ipc:///run/feltwire tcp://10.0.0.6:5600 --venue atlantic-hall \\
            --nats-user atlantic-hall --password-file /etc/feltwire/nats.password --key relay.secret --server pit.public

    Exit codes: 0, also after Ctrl-C; 1 if the port of the metrics cannot be opened; 2 for an address or a key that
    cannot be used, and where NATS does not let this user in, or has no stream of this venue.
    """
    address = nats_address(server, login)
    from fleet.relay import Relay, RelayedService, RelayPlan
    from fleet.subjects import VenueError, parse_venue

    bases = endpoints or (_local_base(),)
    keys = server_keys(servers, len(bases))
    try:
        parse_venue(venue)
        services = [
            RelayedService(base, client_curve(Endpoints.parse(base), key, own))
            for base, own in zip(bases, keys, strict=True)
        ]
    except (VenueError, EndpointError) as error:
        raise click.UsageError(str(error)) from error
    log_lines(logging.INFO)
    simulated = None if kind is None else kind == "simulated"
    plan = RelayPlan(address, venue, services, name or socket.gethostname().split(".")[0], simulated)
    relay = Relay(plan, SystemClock())
    pulse = Pulse(SystemClock(), "the loop of the relay")

    def served() -> tuple[Collector, Probes]:
        from fleet.metrics import RelayCollector, RelayProbes

        return RelayCollector(relay), RelayProbes(relay, pulse)

    try:
        with exit_on_nats_error(), metrics_port(metrics, served):
            run_until_signal(relay.run(), pulse)
    except MetricsPortError as error:
        show(error, err=True)
        sys.exit(FATAL)


def _local_base() -> str:
    """The address of the service on this computer; where none runs yet, the one at which it will."""
    return base_to_follow(partial(show, err=True), "relaying the service at")
