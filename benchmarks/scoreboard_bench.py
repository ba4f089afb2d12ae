"""The scoreboard: from an event to pixels, fifty boards of twenty tables on one gateway, and its memory.

    publisher (here) ──► feltwire scoreboard ──► a bare WebSocket client      the gateway's share
                                            └──► Chromium                     the second frame after the message

A hall is measured beside programs that keep every core busy.

The fan-out is measured next to a bare aiohttp server that sends the very same messages and reads as many answers: what
is paid for boards, bounded queues and the beat is the ratio of the two. In both an event comes once every page has
acknowledged the one before, so that none is replaced by a newer one.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from math import ceil, inf
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter, process_time, time

import aiohttp
import zmq
from aiohttp import web
from rich.console import Console

from benchmarks.figures import Quantity, ReportLine
from benchmarks.report import print_lines
from benchmarks.service_bench import rss_mb
from feed.endpoints import Endpoints
from feed.events import Event, decode
from feed.history_server import HistoryServer
from feed.publisher import Publisher
from feed.state import TableState
from feed.subscriber import Fact
from hal.clock import SystemClock
from scoreboard.gateway import Gateway
from scoreboard.hall import Hall, Message
from scoreboard.web import Assets, PageServer
from tests.fakes.feed_model import ModelJournal, ModelTable

CHROMIUM = Path(os.environ.get("CHROMIUM", "/usr/bin/chromium"))
COMMAND = [sys.executable, "-c", "from controller.cli import main; main()", "scoreboard"]
MOST_PAGE_KB = 150
NOT_OF_ONE_PAGE = ("/languages/es", "/languages/games/es", "/print.", "/fonts/OFL")
"""Files of the board that no page loads beside all the others: one page has English and one more language, the longer
one here; another one is for paper, and the licence of the fonts is on none."""
MOST_SERVER_MB = 60
MOST_OF_BARE = 1.3
"""What a delivery may cost, as a multiple of the bare server's."""
MOST_HALL_MS = 1_000
HALL_PAUSE_S = 0.02
"""Between two events of a hall: fifty a second, more than a floor of twenty tables has."""
BEAT_S = 0.5
PAUSE_S = 0.001
SYNC = '{"type":"sync","batch":1234,"at":123456789,"echo":123456.7,"heard":123456780,"behind":[]}'
"""The end of a batch, as long as that of the scoreboard."""
ENDLESS = 1_000_000_000
CHUNK = 100
"""Events that a client has before more come: fewer than are kept for it."""


@dataclass(frozen=True, slots=True)
class ScoreboardSizes:
    """How much is measured."""

    turns: int = 100
    """Of the latency."""
    pages: int = 50
    tables: int = 20
    rounds: int = 10
    """Events of each table in the fan-out, some six a round."""
    events: int = 100_000
    """Before memory is measured again."""
    hall_events: int = 1_500
    """Of the latency in a hall on a busy computer."""
    viewers: int = 500
    """Pages at one gateway while its memory is measured."""


SCOREBOARD_SMALLEST = ScoreboardSizes(turns=2, pages=2, tables=2, rounds=1, events=200, hall_events=40, viewers=2)
"""Shows that everything works; its figures mean nothing."""


class Publishing:
    """A service without devices: its tables, its feed and its history, in this process."""

    def __init__(self, folder: Path, tables: int) -> None:
        self.base = f"ipc://{folder}"
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        endpoints = Endpoints.parse(self.base)
        self._journal = ModelJournal()
        self.tables = [ModelTable(self._journal, f"wheel-{number + 1}", "e1") for number in range(tables)]
        self._publisher = Publisher(self._context, endpoints)
        self._history = HistoryServer(self._context, endpoints, self._journal)
        self._publisher.bind()
        self._history.bind()
        self._random = Random(1)
        for table in self.tables:
            self._publisher.publish(*table.open())

    def next(self, table: ModelTable) -> Event:
        """Publishes the next event that is durable."""
        while True:
            frames = table.play(self._random)
            self._publisher.publish(*frames)
            event = decode(frames[1])
            if event.seq is not None:
                return event

    def beat(self) -> None:
        for table in self.tables:
            self._publisher.publish(*table.heartbeat())

    async def serve(self) -> None:
        await self._history.serve()

    def close(self) -> None:
        self._context.destroy(linger=0)

    def forget(self) -> None:
        """Of a long run only the last events are kept: it is not this process that is measured."""
        for kept in self._journal.kept.values():
            del kept[:-100]


@contextmanager
def gateway_process(base: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """`feltwire scoreboard` on a free port: its address and process."""
    process = subprocess.Popen([*COMMAND, base, "--port", "0"], stderr=subprocess.PIPE, text=True)
    try:
        line = next(line for line in process.stderr or () if "http://" in line)
        yield "http://" + line.split("http://")[1].split()[0], process
    finally:
        process.terminate()
        process.wait()
        if process.stderr is not None:
            process.stderr.close()


async def board_of(live: aiohttp.ClientWebSocketResponse, sequence: int) -> float:
    """When the board with an event came."""
    while True:
        text = (await live.receive()).data
        if text.startswith('{"type":"board"') and json.loads(text)["board"]["sequence"] >= sequence:
            return time()


@asynccontextmanager
async def a_service(tables: int) -> AsyncIterator[Publishing]:
    with tempfile.TemporaryDirectory(prefix="fw-") as folder:
        service = Publishing(Path(folder), tables)

        async def beating() -> None:
            while True:
                service.beat()
                await asyncio.sleep(BEAT_S)

        tasks = [asyncio.create_task(service.serve()), asyncio.create_task(beating())]
        try:
            yield service
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            service.close()


PAINTED = """sequence => new Promise(done => {
  const look = () => {
    const shown = Number(document.querySelector(".board")?.dataset.sequence ?? 0);
    if (shown < sequence) return requestAnimationFrame(look);
    requestAnimationFrame(() => requestAnimationFrame(() => done(performance.timeOrigin + performance.now())));
  };
  look();
})"""


async def _latency_lines(sizes: ScoreboardSizes) -> list[ReportLine]:
    from playwright.async_api import async_playwright

    async with a_service(1) as service, aiohttp.ClientSession() as session, async_playwright() as playwright:
        with gateway_process(service.base) as (url, _):
            chromium = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            page = await chromium.new_page()
            await page.goto(f"{url}?motion=off")
            await page.wait_for_selector(".board")
            to_client, to_pixels = [], []
            async with session.ws_connect(f"{url}live", origin=url.rstrip("/")) as live:
                await live.send_str("{}")
                for _ in range(sizes.turns):
                    begin = time()
                    event = service.next(service.tables[0])
                    painted = asyncio.ensure_future(page.evaluate(PAINTED, event.seq))
                    to_client.append(await board_of(live, event.seq or 0) - begin)
                    to_pixels.append(await painted / 1000 - begin)
            await chromium.close()
    client_ms, pixels_ms = median(to_client) * 1000, median(to_pixels) * 1000
    return [
        ReportLine(
            "event to pixels, p50",
            Quantity(pixels_ms, "ms", ".1f"),
            "the second frame after the message, 60 frames a second",
        ),
        ReportLine(
            "of it to the board's message, p50",
            Quantity(client_ms, "ms", ".1f"),
            f"{client_ms / pixels_ms:.0%} of the way",
        ),
    ]


DRAWN = """() => {
  const drawn = window.drawn = [];
  const last = new Map();
  const look = () => {
    const at = performance.timeOrigin + performance.now();
    for (const { dataset } of document.querySelectorAll(".board")) {
      if (last.get(dataset.key) === dataset.sequence) continue;
      last.set(dataset.key, dataset.sequence);
      drawn.push([dataset.key, Number(dataset.sequence), at]);
    }
    requestAnimationFrame(look);
  };
  look();
}"""
"""Notes in each frame which events the boards show since the one before."""
BOARDS = """() => [...document.querySelectorAll(".board")].map(({ dataset }) => dataset.key)"""
"""The tables on the page."""


@contextmanager
def busy_cores() -> Iterator[None]:
    """Every core has other work until the end of the block."""
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count() or 1)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


async def _hall_lines(sizes: ScoreboardSizes) -> list[ReportLine]:
    """From an event to the frame that shows it, in a hall on a busy computer; of the tables on its first page."""
    from playwright.async_api import async_playwright

    async with a_service(sizes.tables) as service, async_playwright() as playwright:
        with gateway_process(service.base) as (url, _):
            chromium = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            page = await chromium.new_page(viewport={"width": 1920, "height": 1080})
            await page.goto(f"{url}?motion=off&turn=off")
            await page.wait_for_selector(".board")
            await page.evaluate(DRAWN)
            made: list[tuple[str, int, float]] = []
            with busy_cores():
                for number in range(sizes.hall_events):
                    begin = time()
                    event = service.next(service.tables[number % sizes.tables])
                    made.append((event.data.table, event.seq or 0, begin))
                    await asyncio.sleep(HALL_PAUSE_S)
                # What is still on its way is drawn.
                await asyncio.sleep(BEAT_S * 4)
                drawn: list[tuple[str, int, float]] = await page.evaluate("window.drawn")
                # The first page changes until all tables of the hall are known.
                boards: list[str] = await page.evaluate(BOARDS)
            await chromium.close()
    shown: dict[str, list[tuple[int, float]]] = {key.removeprefix("sim/"): [] for key in boards}
    for key, sequence, at_ms in drawn:
        if key in boards:
            shown[key.removeprefix("sim/")].append((sequence, at_ms / 1000))
    late_ms = sorted(
        (next((at for known, at in shown[table] if known >= sequence), inf) - begin) * 1000
        for table, sequence, begin in made
        if table in shown
    )
    middle, most = median(late_ms), late_ms[ceil(0.99 * len(late_ms)) - 1]
    return [
        ReportLine(
            f"hall of {sizes.tables} on busy cores: event to frame, p99",
            Quantity(most, "ms"),
            Quantity(MOST_HALL_MS, "ms"),
            most / MOST_HALL_MS,
            most=1.0,
        ),
        ReportLine(
            "event to frame, p50",
            Quantity(middle, "ms"),
            f"of {len(late_ms)} events at the {len(shown)} tables of a page",
        ),
    ]


def played_events(tables: int, rounds: int) -> list[tuple[str, Event, TableState]]:
    """Events of tables, in turns."""
    journal, rng = ModelJournal(), Random(2)
    made = [ModelTable(journal, f"wheel-{number + 1}", "e1") for number in range(tables)]
    events = [decode(table.open()[1]) for table in made]
    while len(events) < tables * rounds * 6:
        events += [decode(table.play(rng)[1]) for table in made]
    states = {table.table: TableState(table.table) for table in made}
    return [(event.data.table, event, states[event.data.table]) for event in events if event.seq is not None]


async def _until(clients: asyncio.subprocess.Process, word: bytes) -> None:
    """Waits for a word of the clients."""
    line = b"" if clients.stdout is None else await clients.stdout.readline()
    if line.strip() != word:
        raise RuntimeError(f"the clients ended before they were {word.decode()}")


async def _started_clients(url: str, pages: int, messages: int) -> asyncio.subprocess.Process:
    """So many clients, which have asked for their tables and end after so many boards."""
    clients = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "benchmarks.board_clients", url, str(pages), str(messages), stdout=subprocess.PIPE
    )
    await _until(clients, b"ready")
    return clients


async def _fan_out(pages: int, messages: int, app: web.Application, send: Callable[[], AsyncIterator[None]]) -> float:
    """Seconds of CPU to send these messages to this many pages."""
    server = PageServer(app)
    url = await server.start()
    clients = await _started_clients(url, pages, messages)
    begin = process_time()
    async for _ in send():
        # As on a venue's feed: each event comes by itself.
        await asyncio.sleep(0)
    await _until(clients, b"done")
    spent = process_time() - begin
    await clients.wait()
    await server.stop()
    return spent


async def _fan_out_lines(sizes: ScoreboardSizes) -> list[ReportLine]:
    played = played_events(sizes.tables, sizes.rounds)
    hall = Hall("bench")
    gateway = Gateway(hall, [], now_ns=SystemClock().now_ns)
    service = hall.add_service("bench")
    bodies: list[Message] = []

    async def ours() -> AsyncIterator[None]:
        while sum(page.asked for page in gateway._pages) < sizes.pages:
            await asyncio.sleep(PAUSE_S)
        for name, event, state in played:
            state.apply(event)
            made = service.item(Fact(event, b""), {name: state})
            bodies.extend(made)
            gateway.publish(made)
            while not all(page.has_all for page in gateway._pages):
                await asyncio.sleep(PAUSE_S)
            yield

    spent = await _fan_out(sizes.pages, len(played), gateway.application("127.0.0.1"), ours)

    sockets: list[web.WebSocketResponse] = []
    answers = 0

    async def live(request: web.Request) -> web.WebSocketResponse:
        nonlocal answers
        socket = web.WebSocketResponse(compress=False)
        await socket.prepare(request)
        # The first message is the request.
        await socket.receive()
        sockets.append(socket)
        async for _ in socket:
            answers += 1
        return socket

    async def bare() -> AsyncIterator[None]:
        while len(sockets) < sizes.pages:
            await asyncio.sleep(PAUSE_S)
        for number, message in enumerate(bodies, 1):
            text = message.body.decode()
            for socket in sockets:
                await socket.send_str(text)
                await socket.send_str(SYNC)
            while answers < number * sizes.pages:
                await asyncio.sleep(PAUSE_S)
            yield

    app = web.Application()
    app.router.add_get("/live", live)
    peer = await _fan_out(sizes.pages, len(bodies), app, bare)
    deliveries = len(played) * sizes.pages
    return [
        ReportLine(
            f"{sizes.pages} boards, {sizes.tables} tables: CPU a delivery",
            Quantity(spent / deliveries * 1e6, "us"),
            Quantity(peer / deliveries * 1e6, "us", label="bare aiohttp, same messages"),
            spent / peer,
            most=MOST_OF_BARE,
        )
    ]


async def _memory_lines(sizes: ScoreboardSizes) -> list[ReportLine]:
    async with a_service(sizes.tables) as service, aiohttp.ClientSession() as session:
        with gateway_process(service.base) as (url, process):
            async with session.ws_connect(f"{url}live", origin=url.rstrip("/")) as live:
                await live.send_str("{}")
                before, begin = 0.0, perf_counter()
                for number in range(sizes.events):
                    event = service.next(service.tables[number % sizes.tables])
                    if number % CHUNK == CHUNK - 1 or number == sizes.events - 1:
                        await board_of_table(live, event)
                        service.forget()
                    if number == sizes.events // 10:
                        before = rss_mb(process.pid)
                after, seconds = rss_mb(process.pid), perf_counter() - begin
    ratio = after / MOST_SERVER_MB
    return [
        ReportLine("memory of the gateway", Quantity(after, "MB"), Quantity(MOST_SERVER_MB, "MB"), ratio, most=1.0),
        ReportLine(
            f"its growth over {sizes.events * 9 // 10:,} events",
            Quantity(after - before, "MB", "+.1f"),
            f"{sizes.events / seconds:,.0f} events a second",
        ),
    ]


async def _viewers_lines(sizes: ScoreboardSizes) -> list[ReportLine]:
    """The memory of a gateway that has many pages."""
    async with a_service(sizes.tables) as service:
        with gateway_process(service.base) as (url, process):
            clients = await _started_clients(url, sizes.viewers, ENDLESS)
            for number in range(sizes.tables * sizes.rounds):
                service.next(service.tables[number % sizes.tables])
                await asyncio.sleep(PAUSE_S)
            megabytes = rss_mb(process.pid)
            clients.kill()
            await clients.wait()
    ratio = megabytes / MOST_SERVER_MB
    limit = Quantity(MOST_SERVER_MB, "MB")
    return [
        ReportLine(
            f"memory of the gateway with {sizes.viewers} pages", Quantity(megabytes, "MB"), limit, ratio, most=1.0
        )
    ]


async def board_of_table(live: aiohttp.ClientWebSocketResponse, event: Event) -> None:
    """Waits until the board has an event of its table."""
    while True:
        text = (await live.receive()).data
        if text.startswith('{"type":"board"'):
            board = json.loads(text)["board"]
            if board["table"] == event.data.table and board["sequence"] >= (event.seq or 0):
                return


def page_bytes() -> int:
    """What one page loads at most, packed, with its fonts."""
    page, shared = Assets.of_package("scoreboard", "page"), Assets.of_package("scoreboard.web", "static", below="/web/")
    others = [asset for path, asset in page.paths.items() if path.startswith(NOT_OF_ONE_PAGE)]
    return page.sent_bytes + shared.sent_bytes - sum(len(asset.packed or asset.body) for asset in others)


def _page_lines() -> list[ReportLine]:
    kilobytes = page_bytes() / 1000
    ratio = kilobytes / MOST_PAGE_KB
    value, beside = Quantity(kilobytes, "kB"), Quantity(MOST_PAGE_KB, "kB")
    return [ReportLine("a page in two languages, packed", value, beside, ratio, most=1.0)]


def scoreboard_lines(sizes: ScoreboardSizes) -> Iterator[ReportLine]:
    """Measures one thing after the other."""
    if CHROMIUM.exists():
        yield from asyncio.run(_latency_lines(sizes))
        yield from asyncio.run(_hall_lines(sizes))
    else:
        yield ReportLine("event to pixels", "not measured", f"there is no {CHROMIUM}")
    yield from asyncio.run(_fan_out_lines(sizes))
    yield from asyncio.run(_memory_lines(sizes))
    yield from asyncio.run(_viewers_lines(sizes))
    yield from _page_lines()


def print_scoreboard(console: Console, sizes: ScoreboardSizes) -> list[ReportLine]:
    """Measures and prints."""
    return print_lines(console, "The scoreboard: one gateway, its pages and a browser", scoreboard_lines(sizes))


if __name__ == "__main__":
    print_scoreboard(Console(), ScoreboardSizes())
