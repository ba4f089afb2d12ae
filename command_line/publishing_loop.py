"""Publishes a log until a signal, and its metrics: what commands of a journal and of a fleet share."""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Iterator
from typing import TYPE_CHECKING

from audit.errors import JournalError
from audit.transparency.publishing import LogPublisher
from hal.probes import ProbeState

if TYPE_CHECKING:
    from prometheus_client.registry import Collector

    from hal.probes import Probes

log = logging.getLogger(__name__)


async def publish_until_signal(publisher: LogPublisher, every_s: float) -> None:
    """A turn each `every_s`, until SIGINT or SIGTERM, and one more then. What fails is logged when it changes."""
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    failed = ""
    while True:
        last = stopped.is_set()
        try:
            await publisher.turn()
            failed = ""
        except JournalError as error:
            if str(error) != failed:
                log.error("nothing is published: %s", error)
            failed = str(error)
        if last:
            return
        try:
            async with asyncio.timeout(every_s):
                await stopped.wait()
        except TimeoutError:
            continue


def served_metrics(publisher: LogPublisher) -> tuple[Collector, Probes]:
    """What a scrape of a publisher gets, and its probes."""
    from prometheus_client.core import GaugeMetricFamily
    from prometheus_client.registry import Collector as BaseCollector

    from hal.metrics_server import build_info

    class PublisherCollector(BaseCollector):
        """Reads the publisher's state at each scrape."""

        def collect(self) -> Iterator[GaugeMetricFamily]:
            """All gauges."""
            yield build_info()
            yield GaugeMetricFamily("feltwire_log_size", "Records in the newest signed checkpoint", publisher.size)
            words = "Records in the last checkpoint that enough witnesses cosigned"
            yield GaugeMetricFamily("feltwire_log_cosigned", words, publisher.met)
            sizes = GaugeMetricFamily("feltwire_witness_size", "Records that a witness cosigned", labels=("witness",))
            good = GaugeMetricFamily("feltwire_witness_cosigns", "Whether it did the last time", labels=("witness",))
            for name, one in publisher.witnesses.items():
                sizes.add_metric((name,), one.size)
                good.add_metric((name,), not one.problem)
            yield from (sizes, good)

    return PublisherCollector(), PublisherProbes(publisher)


class PublisherProbes:
    """The probes of a publisher: it is ready while enough witnesses cosign."""

    def __init__(self, publisher: LogPublisher) -> None:
        self._publisher = publisher

    def live(self) -> ProbeState:
        """It answers, so it runs: that a witness is away is nothing that a restart fixes."""
        return ProbeState()

    def ready(self, table: str | None) -> ProbeState:
        """Whether the newest checkpoint is cosigned as the policy asks."""
        if table is not None:
            return ProbeState((f'no table "{table}": a log has those of the whole journal',), unknown=True)
        publisher = self._publisher
        problems = [f"the witness {name}: {one.problem}" for name, one in publisher.witnesses.items() if one.problem]
        return ProbeState(() if publisher.reached and publisher.met == publisher.size else problems or ["not cosigned"])
