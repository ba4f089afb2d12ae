"""The service's metrics for Prometheus. Imported only where a port is configured."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate

from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    SummaryMetricFamily,
)
from prometheus_client.registry import Collector

from controller.service.counters import BOUNDS_S, STATES, LatencyHistogram, LiveNumbers, ServiceCounters
from hal.clock import NS_PER_S, Clock
from hal.metrics_server import build_info

Metric = CounterMetricFamily | GaugeMetricFamily | HistogramMetricFamily | SummaryMetricFamily


class CounterCollector(Collector):
    """Reads the counters at each scrape: counting costs the loop no more than an addition."""

    def __init__(self, counters: ServiceCounters, clock: Clock, live: Callable[[], LiveNumbers]) -> None:
        """`live` gives the numbers that are read at each scrape."""
        self._counters = counters
        self._clock = clock
        self._start_ns = clock.now_ns()
        self._live = live

    def collect(self) -> Iterator[Metric]:
        """All counters and gauges."""
        counters = self._counters
        yield _counter("feltwire_events", "Events published", ("table", "type"), dict(counters.events).items())
        verdicts = dict(counters.verdicts).items()
        yield _counter("feltwire_verdicts", "Verdicts on rounds", ("table", "verdict", "reason"), verdicts)
        latched = dict(counters.faults)
        numbers = {table: len(faults) for table, faults in latched.items()}
        yield _gauge("feltwire_faults", "Latched faults", "table", numbers)
        each = GaugeMetricFamily("feltwire_fault", "1 for a latched fault", labels=("table", "device", "fault"))
        for table, faults in latched.items():
            for device, fault in dict.fromkeys(faults):
                each.add_metric((table, device, fault), 1)
        yield each
        states = GaugeMetricFamily("feltwire_table_state", "1 for the state of a table", labels=("table", "state"))
        for table, state in dict(counters.states).items():
            for one in STATES:
                states.add_metric((table, one), one == state)
        yield states
        yield build_info()
        yield _latency(counters.latency)
        commits = SummaryMetricFamily("feltwire_journal_commit_seconds", "From an event to durable")
        commits.add_metric((), counters.commits, counters.commit_ns / NS_PER_S)
        yield commits
        longest = counters.longest_commit_ns / NS_PER_S
        yield GaugeMetricFamily("feltwire_journal_longest_commit_seconds", "The longest of them", value=longest)
        yield GaugeMetricFamily("feltwire_journal_waiting", "Submissions not yet durable", value=counters.waiting)
        commands = [((result,), count) for result, count in dict(counters.commands).items()]
        yield _counter("feltwire_commands", "Commands by what became of them", ("result",), commands)
        captures = [((result,), count) for result, count in dict(counters.captures).items()]
        yield _counter("feltwire_captures", "Captures of rounds by what became of them", ("result",), captures)
        yield CounterMetricFamily("feltwire_late_ticks", "Times that the loop was late", value=counters.late_ticks)
        lag = counters.longest_tick_ns / NS_PER_S
        yield GaugeMetricFamily("feltwire_longest_tick_seconds", "The longest time between two looks", value=lag)
        uptime = (self._clock.now_ns() - self._start_ns) / NS_PER_S
        yield GaugeMetricFamily("feltwire_uptime_seconds", "Since the service started", value=uptime)
        yield from _live_metrics(self._live())


def _latency(latency: LatencyHistogram) -> Metric:
    """The counts of buckets, added up as Prometheus has them."""
    counts = list(latency.counts)
    bounds = [*(str(bound) for bound in BOUNDS_S), "+Inf"]
    buckets = list(zip(bounds, accumulate(counts), strict=True))
    what = "Of each journalled event, from its decision to its publication"
    return HistogramMetricFamily("feltwire_event_seconds", what, buckets=buckets, sum_value=latency.sum_ns / NS_PER_S)


def _live_metrics(live: LiveNumbers) -> Iterator[Metric]:
    yield GaugeMetricFamily("feltwire_subscribers", "Connections to the feed", value=live.subscribers)
    refused = live.connections_refused
    yield CounterMetricFamily("feltwire_connections_refused", "Connections refused on all sockets", value=refused)
    ended = live.connections_ended
    yield CounterMetricFamily("feltwire_connections_ended", "Too many without a key, and ended", value=ended)
    malformed = live.feed_malformed
    yield CounterMetricFamily("feltwire_feed_malformed", "Malformed messages on the feed's socket", value=malformed)
    dropped = live.lines_dropped
    yield CounterMetricFamily("feltwire_lines_dropped", "Printed lines that were not read in time", value=dropped)


def _counter(
    name: str, what: str, labels: tuple[str, ...], values: Iterable[tuple[Sequence[str], int]]
) -> CounterMetricFamily:
    family = CounterMetricFamily(name, what, labels=labels)
    for key, count in values:
        family.add_metric(key, count)
    return family


def _gauge(name: str, what: str, label: str, values: dict[str, int]) -> GaugeMetricFamily:
    family = GaugeMetricFamily(name, what, labels=(label,))
    for key, value in values.items():
        family.add_metric((key,), value)
    return family
