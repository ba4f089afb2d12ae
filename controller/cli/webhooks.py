"""`feltwire webhooks`: sends events to web servers."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from command_line.exit_codes import FATAL
from command_line.metrics_port import MetricsPortError, metrics_option, metrics_port
from command_line.pulsed_loop import run_until_signal
from controller.cli.bridge_command import begin, bridge_options, read_keys, refuse, service_of
from hal.version import VERSION

if TYPE_CHECKING:
    from prometheus_client.registry import Collector

    from hal.probes import Probes


@click.command("webhooks")
@bridge_options
@metrics_option
def command(file: Path, endpoint: str | None, key: Path | None, servers: tuple[str, ...], metrics: int | None) -> None:
    """Send the events of a service to web servers, the targets: each at least once, in order, signed.

    FILE names the targets. The shortest is:

    \b
        queue = "/var/lib/feltwire-webhooks/queue.sqlite"
        [[target]]
        name = "till"
        url = "https://till.example/feltwire"
        secret_file = "/etc/feltwire/bridges/till.secret"

    An event is a POST with the body as it was published, signed with the headers of Standard Webhooks. Any answer of
    2xx takes it; after any other it is sent again, and the table's next event waits. A target drops doubles by id.
    Without `types` a target receives what gives a round its final state: outcome, void, unresolved, corrected.
    Without an ENDPOINT the service that runs on this computer is followed.

    \b
    Examples:
        (umask 077; echo whsec_$(openssl rand -base64 32) > till.secret)
        feltwire webhooks webhooks.toml
        feltwire webhooks webhooks.toml tcp://10.0.0.5:5600 --key bridge.secret --server pit.public --metrics 9127

    Exit codes: 0, also after Ctrl-C; 1 if the queue or the port of the metrics cannot be used; 2 for a file, an
    address or a key that cannot be used.
    """
    from bridges.authority import AuthorityError
    from bridges.webhooks.keys import WebhookKeys
    from bridges.webhooks.queue import Queue, QueueError
    from bridges.webhooks.signature import read_each_secret
    from feed.secret_file import SecretFileError
    from hal.clock import SystemClock

    keys = read_keys(file, WebhookKeys)
    try:
        secrets = read_each_secret({target.name: Path(target.secret_file) for target in keys.target})
    except SecretFileError as error:
        refuse(error)
    service = service_of(endpoint, key, servers)
    pulse = begin("the loop of the webhooks")
    try:
        queue = Queue(Path(keys.queue))

        async def run() -> None:
            from bridges.webhooks.bridge import WebhookBridge

            agent = f"feltwire/{VERSION}"
            bridge = WebhookBridge(keys, secrets, queue, service.base, service.curve, SystemClock(), agent)

            def served() -> tuple[Collector, Probes]:
                from bridges.metrics import WebhookCollector, WebhookProbes

                targets = {one.target.name: one.progress for one in bridge.deliveries}
                return WebhookCollector(targets), WebhookProbes(targets, pulse)

            with metrics_port(metrics, served):
                await bridge.run()

        run_until_signal(run(), pulse)
    except (QueueError, MetricsPortError) as error:
        click.echo(click.style(str(error), fg="red"), err=True)
        sys.exit(FATAL)
    except AuthorityError as error:
        refuse(error)
