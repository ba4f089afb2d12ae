"""Tables that publish in this process: feed and history on real sockets, a journal in memory."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Final, cast

from feed.endpoints import Endpoints
from tests.fakes.feed_model import TIME, ModelJournal, ModelTable
from tests.fakes.feed_server import FeedServer, ListHistory, short_folder

BEAT_S: Final = 0.25


class FeedTables:
    """Tables of one service. `stop` and `start` are a restart of it: the journal stays, the epoch is new."""

    def __init__(self, folder: Path, *tables: str, simulated: bool = False, seed: int = 1) -> None:
        self.base = f"ipc://{folder}"
        self.journal = ModelJournal()
        self._names = tables
        self._simulated = simulated
        self._rng = Random(seed)
        self._server: FeedServer | None = None
        self._time = TIME
        self.tables: dict[str, ModelTable] = {}

    def start(self) -> None:
        """Binds the sockets, opens the tables, and sends heartbeats from then on."""
        server = FeedServer(Endpoints.parse(self.base), cast("ListHistory", self.journal))
        server.start()
        self._server = server
        for name in self._names:
            epoch = f"{self._rng.getrandbits(64):016x}"
            self.tables[name] = ModelTable(self.journal, name, epoch, simulated=self._simulated)
            self.tables[name].time = self._time
        self._do(lambda: [table.open() for table in self.tables.values()])
        server.do(lambda: self._beat_on(server))

    def stop(self) -> None:
        """The service ends."""
        if self._server is not None:
            server, self._server = self._server, None
            server.stop()

    def set_time(self, time: str) -> None:
        """The wall time of the events from now on."""
        self._time = time
        for table in self.tables.values():
            table.time = time

    def play(self, events: int = 1) -> None:
        """Each table publishes this many events; one of five is not durable. Where the service is stopped, they are
        only journalled."""
        for _ in range(events):
            self._do(lambda: [table.play(self._rng) for table in self.tables.values()])

    def _do(self, act: Callable[[], list[tuple[bytes, bytes]]]) -> None:
        """Has tables act, on the loop of the service's sockets where it runs."""
        server = self._server
        if server is None:
            act()
        else:
            server.do(lambda: _publish(server, act()))

    def _beat_on(self, server: FeedServer) -> None:
        if self._server is server:
            for table in self.tables.values():
                server.publisher.publish(*table.heartbeat())
            asyncio.get_running_loop().call_later(BEAT_S, lambda: self._beat_on(server))

    def bodies(self, table: str) -> list[bytes]:
        """The journal's events of a table."""
        return self.journal.bodies(table)


def _publish(server: FeedServer, messages: list[tuple[bytes, bytes]]) -> None:
    for topic, body in messages:
        server.publisher.publish(topic, body)


@contextmanager
def feed_tables(*tables: str, simulated: bool = False, seed: int = 1) -> Iterator[FeedTables]:
    """A service that runs as long as the block."""
    with short_folder() as folder:
        service = FeedTables(folder, *tables, simulated=simulated, seed=seed)
        service.start()
        try:
            yield service
        finally:
            service.stop()
