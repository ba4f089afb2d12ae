"""The bench page: edges from a line to a browser, next to a bare WebSocket; and what a running bench costs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Final

import aiohttp
from aiohttp import web

from benchmarks.figures import Section, absolute, figure
from benchmarks.measure import Subject, measure
from benchmarks.tables import simulated_table
from controller.bench_page.host import ENCODER, TICK_NS, UPDATE_NS, BenchHost, Update
from controller.bench_page.line_display import LineDisplay
from hal.clock import FastClock, VirtualClock
from hal.values import Batch, Edge
from scoreboard.web import ClientSender, Limits

UPDATES: Final = 250
"""Ten seconds of the page's updates."""
PLAY: Final = 8
"""Edges of an update of a wheel at 200 edges a second."""
CHATTER: Final = 400
"""Edges of an update of a line that chatters at 10 kHz."""
LIMITS: Final = Limits(messages=2 * UPDATES, octets=64 * 1024 * 1024)
LINES: Final = ("wheel_a", "wheel_b")


class Wire:
    """One WebSocket between a sender and a browser that reads everything, on one loop."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._sender: ClientSender | None = None
        self._bare: web.WebSocketResponse | None = None
        self._received = 0
        self._wanted = 0
        self._done = asyncio.Event()

    async def open(self) -> None:
        """Serves both ends on loopback."""
        app = web.Application()
        app.router.add_get("/page", self._page)
        app.router.add_get("/bare", self._serve_bare)
        self._runner = web.AppRunner(app)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        host, port = self._runner.addresses[0][:2]
        self._session = aiohttp.ClientSession()
        self._readers = [
            asyncio.ensure_future(self._read(await self._session.ws_connect(f"http://{host}:{port}/{path}")))
            for path in ("page", "bare")
        ]

    async def close(self) -> None:
        """Ends both."""
        for reader in self._readers:
            reader.cancel()
        await self._session.close()
        await self._runner.cleanup()

    def send(self, messages: Iterator[bytes]) -> int:
        """Sends through the page's bounded sender, until all has arrived; returns how many messages did."""
        return self.loop.run_until_complete(self._send(messages))

    def send_bare(self, messages: list[bytes]) -> int:
        """Sends the same by a bare WebSocket."""
        return self.loop.run_until_complete(self._send_bare(messages))

    async def _send(self, messages: Iterator[bytes]) -> int:
        if self._sender is None:
            raise RuntimeError("no browser is connected")
        self._begin(UPDATES)
        for message in messages:
            self._sender.send(message)
        await self._done.wait()
        return self._received

    async def _send_bare(self, messages: list[bytes]) -> int:
        if self._bare is None:
            raise RuntimeError("no browser is connected")
        self._begin(len(messages))
        for message in messages:
            await self._bare.send_frame(message, aiohttp.WSMsgType.TEXT)
        await self._done.wait()
        return self._received

    def _begin(self, wanted: int) -> None:
        self._received, self._wanted = 0, wanted
        self._done.clear()

    async def _page(self, request: web.Request) -> web.WebSocketResponse:
        self._sender = ClientSender(LIMITS)
        return await self._sender.serve(request)

    async def _serve_bare(self, request: web.Request) -> web.WebSocketResponse:
        self._bare = web.WebSocketResponse(compress=False)
        await self._bare.prepare(request)
        async for _ in self._bare:
            pass
        return self._bare

    async def _read(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        async for _ in socket:
            self._received += 1
            if self._received == self._wanted:
                self._done.set()


@contextmanager
def wire() -> Iterator[Wire]:
    """An open wire."""
    one = Wire()
    one.loop.run_until_complete(one.open())
    try:
        yield one
    finally:
        one.loop.run_until_complete(one.close())
        one.loop.close()


def batches(edges: int) -> list[Batch]:
    """The lines of a bench, an update at a time."""
    found: list[Batch] = []
    for number in range(UPDATES):
        begin_ns = number * UPDATE_NS
        apart_ns = UPDATE_NS // edges
        found.append(
            Batch(
                [Edge(LINES[n % 2], (n // 2) % 2, begin_ns + n * apart_ns) for n in range(edges)],
                [],
                begin_ns + UPDATE_NS,
            )
        )
    return found


def messages(given: list[Batch]) -> Iterator[bytes]:
    """What a browser is sent of them."""
    display = LineDisplay(dict.fromkeys(LINES, "input"))
    for number, batch in enumerate(given):
        display.take(batch)
        until_ns = batch.until_ns
        update = Update(number, until_ns - UPDATE_NS, until_ns, 1.0, display.update(), [])
        yield ENCODER.encode(update)


def bench_page(repeats: int, seconds: int = 20) -> Section:
    """Edges to a browser that reads them, played and chattering; and a bench that plays roulette."""
    with wire() as one:
        subjects: list[Subject] = []
        for name, edges in (("played, 200/s", PLAY), ("chatter, 10 kHz", CHATTER)):
            given = batches(edges)
            made = list(messages(given))
            subjects += [
                Subject(name, edges * UPDATES, _later(partial(_send_made, one, given)), UPDATES),
                Subject(f"{name}, bare", edges * UPDATES, _later(partial(one.send_bare, made)), UPDATES),
            ]
        subjects.append(Subject("roulette on the bench", seconds, lambda: _running(seconds), seconds))
        timings = measure(subjects, repeats)
    return Section(
        "Bench page, from a line to a browser",
        "edges/s; seconds of a table/s",
        f"two lines, {UPDATES} updates of {UPDATE_NS // 1_000_000} ms to a browser that reads; both ends on one core",
        (
            figure(timings, "played, 200/s", "played, 200/s, bare"),
            figure(timings, "chatter, 10 kHz", "chatter, 10 kHz, bare"),
            absolute(timings, "roulette on the bench", "the clock", 1.0),
        ),
    )


def _send_made(one: Wire, given: list[Batch]) -> int:
    return one.send(messages(given))


def _later(work: Callable[[], int]) -> Callable[[], Callable[[], int]]:
    return lambda: work


def _running(seconds: int) -> Callable[[], int]:
    system = VirtualClock(10**9)
    host = BenchHost(simulated_table("roulette"), FastClock(1.0, system), seed=1)
    host.open()

    def run() -> int:
        for _ in range(seconds * (10**9 // UPDATE_NS)):
            for _ in range(UPDATE_NS // TICK_NS):
                system.advance_to(system.now_ns() + TICK_NS)
                host.tick()
            ENCODER.encode(host.update())
        return seconds

    return run
