"""Metrics for Prometheus and the probes of a supervisor, on a port of this computer only.

Served by threads of their own, so that they answer while the loop they ask about does not. Imported only where a port
is configured.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from platform import python_version
from socketserver import ThreadingMixIn
from threading import Thread
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qs
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from prometheus_client import CollectorRegistry, make_wsgi_app
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from hal.probes import Probes, ProbeState
from hal.version import VERSION

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

ADDRESS: Final = "127.0.0.1"
METRICS: Final = "/metrics"
_STATUS: Final = {200: "200 OK", 404: "404 Not Found", 503: "503 Service Unavailable"}


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Quiet(WSGIRequestHandler):
    """Logs no request."""

    timeout = 10
    """Seconds after which a client that sends nothing is left (ours)."""

    def log_message(self, format: str, *args: Any) -> None:
        """Logs nothing."""


def build_info() -> GaugeMetricFamily:
    """What is running, for every program that serves metrics."""
    built = GaugeMetricFamily("feltwire_build_info", "1, with what is running", labels=("version", "python"))
    built.add_metric((VERSION, python_version()), 1)
    return built


class MetricsServer:
    """Serves `/metrics`, `/livez` and `/readyz`."""

    def __init__(self, port: int, collector: Collector, probes: Probes) -> None:
        """Binds the port (0 lets the kernel choose).

        Raises:
            OSError: it is taken, or not allowed.
        """
        registry = CollectorRegistry(auto_describe=False)
        registry.register(collector)
        metrics = make_wsgi_app(registry)

        def answer(environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
            path = environ["PATH_INFO"]
            if path == METRICS:
                page: Iterable[bytes] = metrics(environ, start)
                return page
            if (probe := _PROBES.get(path)) is None:
                # A supervisor that asks for another path must not get the answer that all is well.
                status, body, kind = 404, _NOTHING_ELSE, "text/plain; charset=utf-8"
            else:
                (status, body), kind = probe_answer(probe(probes, environ.get("QUERY_STRING", ""))), "application/json"
            start(_STATUS[status], [("Content-Type", kind), ("Cache-Control", "no-store")])
            return [body]

        self._server = make_server(ADDRESS, port, answer, _Server, _Quiet)
        self.port: int = self._server.server_port
        self._thread = Thread(target=self._server.serve_forever, name="metrics", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stops serving."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


_PROBES: Final[dict[str, Callable[[Probes, str], ProbeState]]] = {
    "/livez": lambda probes, query: probes.live(),
    "/readyz": lambda probes, query: probes.ready(parse_qs(query).get("table", [None])[0]),
}
_NOTHING_ELSE: Final = f"this port has {', '.join((METRICS, *_PROBES))}, and nothing else\n".encode()


def probe_answer(state: ProbeState) -> tuple[int, bytes]:
    """The HTTP status and the JSON body for the state of a probe."""
    status = 404 if state.unknown else 200 if state.passed else 503
    body = {"status": "ok" if state.passed else "failed", "problems": list(state.problems), **state.details}
    return status, json.dumps(body).encode()
