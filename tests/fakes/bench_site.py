"""The page of a stepped bench on a real port: its server runs on a thread, its time passes by `advance`."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from controller.bench_page.page import BenchPage
from scoreboard.web import NamesAllowed, PageServer
from tests.fakes.bench import SteppedBench
from tests.fakes.time_limits import HANG_S

T = TypeVar("T")
MOST_AT_ONCE_S = 2.0
"""Of the bench's time that is sent before the server may send it: a browser's queue is bounded."""


class BenchSite:
    """A bench and its page."""

    def __init__(self, text: str, loop: asyncio.AbstractEventLoop, *, seed: int = 1) -> None:
        self._loop = loop
        self.bench = SteppedBench(text, seed=seed)
        self.page = BenchPage(self.bench.host, NamesAllowed.on("127.0.0.1"))
        self.bench.sent = self.page.send
        self.server = PageServer(self.page.app)
        self.url = ""

    @property
    def number(self) -> int:
        """The number of the last update."""
        return int(self.bench.updates[-1]["number"]) if self.bench.updates else 0

    def advance(self, seconds: float) -> None:
        """Lets the bench's time pass."""
        while seconds > 0:
            step = min(seconds, MOST_AT_ONCE_S)
            self.call(self._advance(step))
            seconds -= step

    async def _advance(self, seconds: float) -> None:
        self.bench.advance(seconds)
        loop = asyncio.get_running_loop()
        for _ in range(200):
            turn: asyncio.Future[None] = loop.create_future()
            loop.call_soon(turn.set_result, None)
            await turn

    def call(self, work: Coroutine[Any, Any, T]) -> T:
        """Runs something on the server's thread."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(HANG_S)


@contextmanager
def bench_site(text: str, *, seed: int = 1) -> Iterator[BenchSite]:
    """A bench that is served as long as the block lasts."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="bench site")
    thread.start()

    async def start() -> BenchSite:
        site = BenchSite(text, loop, seed=seed)
        site.url = await site.server.start()
        return site

    try:
        site = asyncio.run_coroutine_threadsafe(start(), loop).result(HANG_S)
        try:
            yield site
        finally:
            site.call(site.server.stop())
            site.call(_close(site))
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(HANG_S)
        loop.close()


async def _close(site: BenchSite) -> None:
    site.bench.host.close()
