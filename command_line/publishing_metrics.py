"""A publisher's metrics for Prometheus, and its probes. Imported only where a port is configured."""

from __future__ import annotations

from collections.abc import Iterator

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from audit.transparency.publishing import LogPublisher
from hal.metrics_server import build_info
from hal.probes import ProbeState


class PublisherCollector(Collector):
    """Reads a publisher's state at each scrape."""

    def __init__(self, publisher: LogPublisher) -> None:
        self._publisher = publisher

    def collect(self) -> Iterator[GaugeMetricFamily | CounterMetricFamily]:
        """All metrics."""
        publisher = self._publisher
        yield build_info()
        yield GaugeMetricFamily("feltwire_log_size", "Records in the newest signed checkpoint", publisher.size)
        words = "Records in the last checkpoint that enough witnesses cosigned"
        yield GaugeMetricFamily("feltwire_log_cosigned", words, publisher.met)
        words = "1 while nothing is signed: the log cannot be read, or does not go on from what was signed"
        yield GaugeMetricFamily("feltwire_log_stopped", words, bool(publisher.problem))
        sizes = GaugeMetricFamily("feltwire_witness_size", "Records that a witness cosigned", labels=("witness",))
        good = GaugeMetricFamily("feltwire_witness_cosigns", "Whether it did the last time", labels=("witness",))
        words = "How often it answered with a smaller size than one that it had cosigned"
        back = CounterMetricFamily("feltwire_witness_went_back", words, labels=("witness",))
        for name, one in publisher.witnesses.items():
            sizes.add_metric((name,), one.size)
            good.add_metric((name,), not one.problem)
            back.add_metric((name,), publisher.went_back[name])
        yield from (sizes, good, back)


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
        if publisher.outage == "" and publisher.met == publisher.size and not publisher.problem:
            return ProbeState()
        problems = [f"the witness {name}: {one.problem}" for name, one in publisher.witnesses.items() if one.problem]
        return ProbeState([publisher.problem] if publisher.problem else problems or ["nothing is cosigned yet"])
