"""The bridges' metrics for Prometheus, and their probes. Imported only where a port is configured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from bridges.mqtt.progress import MqttProgress
from bridges.webhooks.progress import DeliveryProgress
from hal.metrics_server import build_info
from hal.probes import ProbeState, Pulse

Metric: TypeAlias = CounterMetricFamily | GaugeMetricFamily


class MqttCollector(Collector):
    """Reads the progress of a bridge to MQTT at each scrape."""

    def __init__(self, progress: MqttProgress) -> None:
        self._progress = progress

    def collect(self) -> Iterator[Metric]:
        """All counters and gauges."""
        progress = self._progress
        yield build_info()
        yield GaugeMetricFamily(
            "feltwire_mqtt_connected", "Whether the broker is connected and took what was published", progress.connected
        )
        yield CounterMetricFamily("feltwire_mqtt_connections", "Connections made", progress.connections)
        yield CounterMetricFamily("feltwire_mqtt_published", "Messages that the broker took", progress.published)
        tables = GaugeMetricFamily("feltwire_mqtt_table", "1 for the signal of a table", labels=("table", "signal"))
        for name, signal in progress.signals.items():
            tables.add_metric((name, signal), 1)
        yield tables


class WebhookCollector(Collector):
    """Reads the progress of webhooks at each scrape."""

    def __init__(self, targets: Mapping[str, DeliveryProgress]) -> None:
        self._targets = targets

    def collect(self) -> Iterator[Metric]:
        """All counters and gauges, by target."""
        yield build_info()
        labels = ("target",)
        waiting = GaugeMetricFamily("feltwire_webhook_waiting", "Events in the queue", labels=labels)
        full = GaugeMetricFamily(
            "feltwire_webhook_full", "Whether the queue is full, so that no more is read", labels=labels
        )
        failing = GaugeMetricFamily(
            "feltwire_webhook_failing", "Whether the last attempt of a table failed", labels=labels
        )
        delivered = CounterMetricFamily("feltwire_webhook_delivered", "Events that the target took", labels=labels)
        failures = CounterMetricFamily("feltwire_webhook_failures", "Attempts that failed", labels=labels)
        missing = CounterMetricFamily(
            "feltwire_webhook_missing", "Events archived before they were read", labels=labels
        )
        rewritten = CounterMetricFamily(
            "feltwire_webhook_rewritten", "Times that the history of a table was rewritten", labels=labels
        )
        passed = GaugeMetricFamily(
            "feltwire_webhook_passed",
            "Events that stay unsent, as later ones of their rounds, or of the table itself, were sent before",
            labels=labels,
        )
        for name, progress in self._targets.items():
            waiting.add_metric((name,), progress.waiting)
            full.add_metric((name,), progress.full)
            failing.add_metric((name,), bool(progress.failing))
            delivered.add_metric((name,), progress.delivered)
            failures.add_metric((name,), progress.failures)
            missing.add_metric((name,), progress.missing)
            rewritten.add_metric((name,), progress.rewritten)
            passed.add_metric((name,), progress.passed)
        yield from (waiting, full, failing, delivered, failures, missing, rewritten, passed)


class MqttProbes:
    """The probes of a bridge to MQTT: it is live while its loop runs, and ready while the broker is connected and takes
    what is published."""

    def __init__(self, progress: MqttProgress, pulse: Pulse) -> None:
        self._progress = progress
        self._pulse = pulse

    def live(self) -> ProbeState:
        """Whether its loop runs."""
        return self._pulse.live()

    def ready(self, table: str | None) -> ProbeState:
        """Whether the broker is connected and takes what is published, and every table, or this `table`, is live
        there."""
        signals = self._progress.signals
        if table is not None and table not in signals:
            return ProbeState((f'no table "{table}"; there are: {", ".join(signals) or "none"}',), unknown=True)
        shown = signals if table is None else {table: signals[table]}
        problems = [*self.live().problems]
        if not self._progress.connected:
            why = self._progress.failure
            not_connected = "the broker is not connected, or does not take what is published"
            problems.append(not_connected + (f": {why}" if why else ""))
        problems += [f"table {name} is {signal}" for name, signal in shown.items() if signal != "live"]
        return ProbeState(problems, details={"tables": dict(shown)})


class WebhookProbes:
    """The probes of webhooks: they are live while their loop runs, and ready while every target takes its events."""

    def __init__(self, targets: Mapping[str, DeliveryProgress], pulse: Pulse) -> None:
        self._targets = targets
        self._pulse = pulse

    def live(self) -> ProbeState:
        """Whether their loop runs."""
        return self._pulse.live()

    def ready(self, table: str | None) -> ProbeState:
        """Whether every target takes its events; no table is asked for."""
        problems = [*self.live().problems]
        failing = {name: one.failing for name, one in self._targets.items()}
        problems += [
            f"{name}, table {table}: {why}" for name, tables in failing.items() for table, why in tables.items()
        ]
        problems += [f"{name}: its queue is full" for name, one in self._targets.items() if one.full]
        return ProbeState(problems, details={"waiting": {name: one.waiting for name, one in self._targets.items()}})
