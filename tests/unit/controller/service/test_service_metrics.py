"""The monitoring port: on this computer only, and imported only where it is configured."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from threading import active_count
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from command_line.metrics_port import MetricsPortError, metrics_port
from controller.service.counters import LiveNumbers, ServiceCounters
from controller.service.metrics import CounterCollector
from controller.service.probes import ServiceProbes, Vitals
from hal.clock import NS_PER_S, VirtualClock
from hal.metrics_server import MetricsServer
from hal.probes import Pulse
from tests.fakes.time_limits import HANG_S


def counters() -> ServiceCounters:
    counted = ServiceCounters()
    counted.events["wheel-1", "round.outcome"] = 3
    counted.verdicts["wheel-1", "round.void", "wheel_revolutions"] = 1
    counted.faults["wheel-1"] = (("wheel", "encoder_slip"), ("board", "board_lost"))
    counted.states["wheel-1"] = "shut"
    counted.commits, counted.commit_ns, counted.waiting = 4, 2 * NS_PER_S, 1
    counted.latency.add(4_000_000, times=3)
    counted.latency.add(9 * NS_PER_S)
    counted.commands["refused"] = 5
    counted.captures["kept"] = 6
    return counted


def probes() -> ServiceProbes:
    clock = VirtualClock()
    return ServiceProbes(clock, Pulse(clock, "the loop"), Vitals, {"wheel-1": "shut"})


def test_the_metrics_are_served_in_prometheus_text_form() -> None:
    clock = VirtualClock()
    collector = CounterCollector(counters(), clock, lambda: LiveNumbers(subscribers=7, lines_dropped=8))
    clock.advance_to(90 * NS_PER_S)
    server = MetricsServer(0, collector, probes())
    with urlopen(f"http://127.0.0.1:{server.port}/metrics", timeout=HANG_S) as answer:
        text = answer.read().decode()
    server.close()
    for line in (
        'feltwire_events_total{table="wheel-1",type="round.outcome"} 3.0',
        'feltwire_verdicts_total{reason="wheel_revolutions",table="wheel-1",verdict="round.void"} 1.0',
        'feltwire_faults{table="wheel-1"} 2.0',
        'feltwire_fault{device="wheel",fault="encoder_slip",table="wheel-1"} 1.0',
        'feltwire_table_state{state="shut",table="wheel-1"} 1.0',
        'feltwire_table_state{state="open",table="wheel-1"} 0.0',
        'feltwire_table_state{state="inspecting",table="wheel-1"} 0.0',
        'feltwire_event_seconds_bucket{le="0.001"} 0.0',
        'feltwire_event_seconds_bucket{le="0.005"} 3.0',
        'feltwire_event_seconds_bucket{le="+Inf"} 4.0',
        "feltwire_event_seconds_count 4.0",
        "feltwire_event_seconds_sum 9.012",
        "feltwire_journal_commit_seconds_count 4.0",
        "feltwire_journal_commit_seconds_sum 2.0",
        "feltwire_journal_waiting 1.0",
        'feltwire_commands_total{result="refused"} 5.0',
        'feltwire_captures_total{result="kept"} 6.0',
        "feltwire_uptime_seconds 90.0",
        "feltwire_subscribers 7.0",
        "feltwire_lines_dropped_total 8.0",
    ):
        assert line in text.splitlines()


def test_probes_are_answered_beside_the_metrics_with_what_is_wrong() -> None:
    server = MetricsServer(0, CounterCollector(counters(), VirtualClock(), LiveNumbers), probes())
    answers = {}
    for path in ("/livez", "/readyz", "/readyz?table=wheel-1", "/readyz?table=wheel-9"):
        try:
            with urlopen(f"http://127.0.0.1:{server.port}{path}", timeout=HANG_S) as answer:
                answers[path] = (answer.status, json.load(answer))
        except HTTPError as refused:
            answers[path] = (refused.code, json.load(refused))
    server.close()
    shut = ["table wheel-1 is shut"]
    assert answers == {
        "/livez": (200, {"status": "ok", "problems": []}),
        "/readyz": (503, {"status": "failed", "problems": shut, "tables": {"wheel-1": "shut"}}),
        "/readyz?table=wheel-1": (503, {"status": "failed", "problems": shut, "tables": {"wheel-1": "shut"}}),
        "/readyz?table=wheel-9": (404, {"status": "failed", "problems": ['no table "wheel-9"; there are: wheel-1']}),
    }


@pytest.mark.parametrize("path", ["/", "/healthz", "/livez/", "/metrics/"])
def test_a_path_that_the_port_does_not_have_is_not_found_and_those_that_it_has_are_named(path: str) -> None:
    server = MetricsServer(0, CounterCollector(counters(), VirtualClock(), LiveNumbers), probes())
    with pytest.raises(HTTPError) as refused:
        urlopen(f"http://127.0.0.1:{server.port}{path}", timeout=HANG_S)
    server.close()
    assert refused.value.code == 404
    assert refused.value.read() == b"this port has /metrics, /livez, /readyz, and nothing else\n"


def served() -> tuple[CounterCollector, ServiceProbes]:
    return CounterCollector(ServiceCounters(), VirtualClock(), LiveNumbers), probes()


def test_a_port_that_is_taken_is_named() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        told = pytest.raises(MetricsPortError, match=rf"--metrics {port}: the port cannot be opened \(Address already")
        with told, metrics_port(port, served):
            pass


def test_the_port_is_closed_with_its_block() -> None:
    before = active_count()
    with metrics_port(None, served):
        assert active_count() == before
    with metrics_port(0, served):
        assert active_count() == before + 1
    assert active_count() == before


def test_a_service_without_the_port_does_not_import_the_library() -> None:
    code = (
        "import sys; import controller.service.service, controller.service.opening, controller.cli.run; "
        "assert 'prometheus_client' not in sys.modules, 'loaded'; assert 'sdnotify' not in sys.modules; "
        "assert not any(name.startswith('simulators') for name in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=HANG_S)
