"""The relay's metrics for Prometheus, and its probes. Imported only where a port is configured."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from fleet.relay import Relay
from hal.metrics_server import build_info
from hal.probes import ProbeState, Pulse

RELAYED: Final = ("live", "catching_up")
"""The states of a table that is relayed."""
Metric: TypeAlias = CounterMetricFamily | GaugeMetricFamily


class RelayCollector(Collector):
    """Reads the relay's progress at each scrape."""

    def __init__(self, relay: Relay) -> None:
        self._relay = relay

    def collect(self) -> Iterator[Metric]:
        """All counters and gauges."""
        report, progress = self._relay.report(), self._relay.progress
        yield build_info()
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


class RelayProbes:
    """The probes of a relay: it is live while its loop runs, and ready while it relays what it was given."""

    def __init__(self, relay: Relay, pulse: Pulse) -> None:
        """`pulse` is that of the relay's loop."""
        self._relay = relay
        self._pulse = pulse

    def live(self) -> ProbeState:
        """Whether its loop runs. That NATS or a service is away is nothing that a restart fixes."""
        return self._pulse.live()

    def ready(self, table: str | None) -> ProbeState:
        """Whether NATS is connected, every service is received, and every table, or this `table`, is relayed."""
        report, progress = self._relay.report(), self._relay.progress
        states = {name: one.state for name, one in report.tables.items()}
        if table is not None and table not in states:
            return ProbeState((f'no table "{table}"; there are: {", ".join(states) or "none"}',), unknown=True)
        problems = [*self.live().problems]
        if not progress.connected:
            problems.append("NATS is not connected")
        problems += [f"nothing is received from {service}" for service, heard in report.services.items() if not heard]
        shown = states if table is None else {table: states[table]}
        problems += [f"table {name} is {state}" for name, state in shown.items() if state not in RELAYED]
        return ProbeState(problems, details={"tables": shown})
