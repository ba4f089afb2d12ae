"""The monitoring port, where it is asked for; its library is loaded only then."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from controller.service.counters import ServiceCounters
from controller.service.opening import StartupCheckError
from hal.clock import Clock

log = logging.getLogger(__name__)


@contextmanager
def metrics_port(
    port: int | None, counters: ServiceCounters, clock: Clock, live: Callable[[], dict[str, float]]
) -> Iterator[None]:
    """Serves the tally on a port of 127.0.0.1 as long as the block lasts; `port` 0 lets the kernel choose.

    Raises:
        NotFitError: the port cannot be had.
    """
    if port is None:
        yield
        return
    from controller.service.metrics import ADDRESS, CounterCollector, MetricsServer

    try:
        server = MetricsServer(port, CounterCollector(counters, clock, live))
    except OSError as error:
        raise StartupCheckError(
            f"--metrics {port}: the port cannot be had ({error.strerror}); choose another"
        ) from error
    log.info("numbers for monitoring: http://%s:%d/metrics", ADDRESS, server.port)
    try:
        yield
    finally:
        server.close()
