"""Metrics for Prometheus on a port of this computer only. Imported only where a port is configured."""

from __future__ import annotations

from typing import Final

from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.registry import Collector

ADDRESS: Final = "127.0.0.1"


class MetricsServer:
    """Serves the metrics on a thread of its own."""

    def __init__(self, port: int, collector: Collector) -> None:
        """Binds the port (0 lets the kernel choose).

        Raises:
            OSError: it is taken, or not allowed.
        """
        registry = CollectorRegistry(auto_describe=False)
        registry.register(collector)
        self._server, self._thread = start_http_server(port, addr=ADDRESS, registry=registry)
        self.port: int = self._server.server_port

    def close(self) -> None:
        """Stops serving."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
