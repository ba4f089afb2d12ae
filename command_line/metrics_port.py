"""The port of metrics and probes that `--metrics` opens, for every command that goes on running."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from prometheus_client.registry import Collector

    from hal.probes import Probes

log = logging.getLogger(__name__)

metrics_option = click.option(
    "--metrics", type=click.IntRange(0, 65535), metavar="PORT", help="Metrics for Prometheus, on 127.0.0.1."
)


class MetricsPortError(Exception):
    """The port cannot be opened; the message names it and the fix."""


@contextmanager
def metrics_port(port: int | None, served: Callable[[], tuple[Collector, Probes]]) -> Iterator[None]:
    """Serves metrics and probes on a port of 127.0.0.1 while the block lasts; `port` 0 lets the kernel choose.

    `served` makes what is scraped and asked. It is called where a port is given: what it imports is imported only then.

    Raises:
        MetricsPortError: the port cannot be opened.
    """
    if port is None:
        yield
        return
    from hal.metrics_server import ADDRESS, MetricsServer

    try:
        server = MetricsServer(port, *served())
    except OSError as error:
        raise MetricsPortError(
            f"--metrics {port}: the port cannot be opened ({error.strerror}); choose another"
        ) from error
    log.info("for monitoring: http://%s:%d/metrics, and /livez and /readyz", ADDRESS, server.port)
    try:
        yield
    finally:
        server.close()
