"""The relay's metrics for Prometheus. Imported only where a port is configured."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from fleet.relay import Relay

Metric: TypeAlias = CounterMetricFamily | GaugeMetricFamily


class RelayCollector(Collector):
    """Reads the relay's progress at each scrape."""

    def __init__(self, relay: Relay) -> None:
        self._relay = relay

    def collect(self) -> Iterator[Metric]:
        """All counters and gauges."""
        report, progress = self._relay.report(), self._relay.progress
        yield GaugeMetricFamily("feltwire_relay_connected", "Whether NATS is connected", value=progress.connected)
        connections = progress.connections
        yield CounterMetricFamily("feltwire_relay_connections", "Connections to NATS made", value=connections)
        taken = progress.acknowledged
        yield CounterMetricFamily("feltwire_relay_acknowledged", "Events that the stream took", value=taken)
        twice = progress.duplicates
        yield CounterMetricFamily("feltwire_relay_duplicates", "... that it held already", value=twice)
        received = GaugeMetricFamily("feltwire_relay_service", "Whether a service is received", labels=("service",))
        for service, heard in report.services.items():
            received.add_metric((service,), heard)
        yield received
        held = GaugeMetricFamily("feltwire_relay_held", "The last event that the stream holds", labels=("table",))
        lag = GaugeMetricFamily("feltwire_relay_lag", "Events of the journal that it lacks", labels=("table",))
        states = GaugeMetricFamily("feltwire_relay_table", "1 for the state of a table", labels=("table", "state"))
        for name, table in report.tables.items():
            held.add_metric((name,), table.held)
            lag.add_metric((name,), table.lag)
            states.add_metric((name, table.state), 1)
        yield from (held, lag, states)
