"""A service without devices, with its tables' feed and history: what a relay follows, at next to no cost of its own.

python -m benchmarks.fleet_service BASE TABLES PERIOD_S EVENTS SEED

Each table has EVENTS events in its journal at the start, and then one more every PERIOD_S seconds on average, none
where that is 0. The `time` of an event is this computer's when it is published.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from random import Random

import zmq

from feed.endpoints import Endpoints
from feed.history_server import HistoryServer
from feed.publisher import Publisher
from tests.fakes.feed_model import ModelJournal, ModelTable


class Tables:
    """The tables of one service."""

    def __init__(self, base: str, count: int, events: int, seed: int) -> None:
        context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        endpoints = Endpoints.parse(base)
        self._rng = Random(seed)
        self._journal = ModelJournal()
        self._publisher = Publisher(context, endpoints)
        self._history = HistoryServer(context, endpoints, self._journal)
        epoch = f"{self._rng.getrandbits(64):016x}"
        self._tables = [ModelTable(self._journal, f"wheel-{number + 1}", epoch) for number in range(count)]
        for table in self._tables:
            table.time = _now()
            table.open()
            for _ in range(events):
                table.play(self._rng)

    async def run(self, period_s: float) -> None:
        """Publishes until it is killed."""
        self._publisher.bind()
        self._history.bind()
        async with asyncio.TaskGroup() as group:
            group.create_task(self._history.serve())
            for table in self._tables:
                group.create_task(self._beat(table))
                if period_s:
                    group.create_task(self._play(table, period_s))

    async def _beat(self, table: ModelTable) -> None:
        await asyncio.sleep(self._rng.random())
        while True:
            self._publish(table, table.heartbeat)
            await asyncio.sleep(1)

    async def _play(self, table: ModelTable, period_s: float) -> None:
        while True:
            await asyncio.sleep(self._rng.uniform(0, 2 * period_s))
            self._publish(table, lambda: table.play(self._rng))

    def _publish(self, table: ModelTable, act: Callable[[], tuple[bytes, bytes]]) -> None:
        table.time = _now()
        self._publisher.publish(*act())


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


if __name__ == "__main__":
    own = Tables(sys.argv[1], int(sys.argv[2]), int(sys.argv[4]), int(sys.argv[5]))
    asyncio.run(own.run(float(sys.argv[3])))
