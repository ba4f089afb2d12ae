"""The fixed scripts of what is around a table: its ticks, the feed, the journal, the history, statistics and boards."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from types import SimpleNamespace

import zmq
from nacl.signing import SigningKey

from audit.records import Entry
from audit.schema import prepare
from audit.seals import SEAL_EVERY, SealSigner
from benchmarks.idle_service import still
from benchmarks.measure import Subject
from benchmarks.scoreboard_bench import played_events
from benchmarks.statistics_bench import StatisticsSizes, write_events
from benchmarks.tables import simulated_table
from controller.journal.history import JournalHistory
from controller.journal.store import JournalEnd, Store
from controller.service.table_supervisor import TICK_NS
from feed.endpoints import Endpoints
from feed.events import encode
from feed.history_server import HistoryServer
from feed.publisher import Publisher
from feed.wire import PAGE_EVENTS, AskSince, decode_request, encode_request
from fleet.statistics.dataset import collecting
from fleet.statistics.sources import collect_export
from hal.board import frames
from hal.board.clock import ClockMap
from hal.board.edge_stream import EdgeStream
from hal.board.messages import REPORTS, EdgesReport
from hal.clock import NS_PER_S, VirtualClock
from hal.loop import sleep_ns
from tests.fakes.model_edges import ModelEdge, pack
from tests.fakes.true_clock import Exchanges, TrueClock
from tests.fakes.virtual_service import VirtualService

MEMORY = Path(":memory:")
EVENTS = 100
PAGES = 50
"""Subscribers of the feed."""
ROWS = 200
"""Events into statistics."""
REST_S, PLAY_S = 3, 2
SPIN_S = 12
"""When the simulated wheel is in its first spin."""
MS_NS = 1_000_000
TICKS_APART = 2000
"""Between two edges of a board: a millisecond."""


# --- a table on a service's ticks -------------------------------------------------------------------------------------


def rest() -> Subject:
    """A table whose wires do nothing: what each tick and each second cost."""

    def ready() -> Callable[[], int]:
        clock = VirtualClock(NS_PER_S)
        config = simulated_table("money_wheel")
        return _ticks(VirtualService([config], clock=clock, wirings=[still(config, clock, {}, 1)]), TICK_NS, REST_S)

    return Subject("rest", REST_S, ready, REST_S * NS_PER_S // TICK_NS)


def play() -> Subject:
    """A simulated wheel that spins, from its wires to the feed, a tick at a time."""
    config = simulated_table("money_wheel")
    return Subject(
        "play",
        PLAY_S,
        lambda: _ticks(VirtualService([config]), SPIN_S * NS_PER_S, PLAY_S),
        PLAY_S * NS_PER_S // TICK_NS,
    )


def _ticks(service: VirtualService, before_ns: int, seconds: int) -> Callable[[], int]:
    ticks = 0

    def tick() -> None:
        nonlocal ticks
        ticks += 1

    def run() -> int:
        service.run(seconds, each=tick)
        return ticks

    service.open()
    service.run(before_ns / NS_PER_S)
    return run


# --- the journal, the feed and the history ----------------------------------------------------------------------------


def entries() -> list[Entry]:
    """Events of one table, as the journal takes them."""
    played = [event for _, event, _ in played_events(1, EVENTS // 2)][:EVENTS]
    return [Entry.of(event, encode(event)) for event in played]


def store(path: Path, connection: sqlite3.Connection) -> Store:
    """An empty store."""
    prepare(connection, path)
    signer = SealSigner(SigningKey(b"k" * 32), VirtualClock(), None)
    return Store(path, connection, JournalEnd(0, {}), signer, SEAL_EVERY)


def commit() -> Subject:
    """Submissions that waited while the disk was busy, in one transaction, and the seal after it."""
    submissions = [[entry] for entry in entries()]

    def ready() -> Callable[[], int]:
        one = store(MEMORY, sqlite3.connect(MEMORY, isolation_level=None))

        def run() -> int:
            heads = one.append(submissions)
            one.seal_second()
            return len(heads)

        return run

    return Subject("commit", EVENTS, ready, EVENTS)


@contextmanager
def feed(subscribers: int) -> Iterator[Subject]:
    """A bound feed that publishes to subscribers."""
    published = [(entry.topic.encode(), entry.body) for entry in entries()]
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    with TemporaryDirectory(prefix="feltwire-costs-") as folder, asyncio.Runner() as runner:
        publisher = Publisher(context, Endpoints.parse(f"ipc://{folder}/run"))
        joining = [context.socket(zmq.SUB) for _ in range(subscribers)]

        async def joined() -> None:
            publisher.bind()
            for socket in joining:
                socket.subscribe(b"")
                socket.connect(publisher.socket.endpoint)

        async def until(reached: Callable[[], bool]) -> None:
            publisher.poke()
            while not reached():
                await sleep_ns(MS_NS)
                publisher.poke()

        async def all_there() -> None:
            # On a busy computer one may have missed a heartbeat, and join again: what that costs is not counted.
            await until(lambda: publisher.subscriptions >= subscribers)

        async def all_gone() -> None:
            # Before the publisher closes: libzmq aborts where a pipe ends while a message of several parts is sent.
            for socket in joining:
                socket.close(linger=0)
            await until(lambda: not publisher.subscriptions)

        runner.run(joined())

        def ready() -> Callable[[], int]:
            runner.run(all_there())
            before = publisher.published

            def run() -> int:
                for topic, body in published:
                    publisher.publish(topic, body)
                return publisher.published - before

            return run

        try:
            yield Subject("feed", EVENTS, ready, EVENTS)
        finally:
            runner.run(all_gone())
            publisher.close()
            context.destroy(linger=0)


class _StandInRouter:
    """The history's socket to a client that takes every answer at once."""

    def __init__(self) -> None:
        self.raw = self
        self.taken = 0

    def send_multipart(self, _frames: Sequence[bytes], _flags: int) -> None:
        self.taken += 1

    def wake(self) -> None:
        """Nothing waits."""


@contextmanager
def history() -> Iterator[Subject]:
    """A page of events, from a subscriber's request to its last answer."""
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    with TemporaryDirectory(prefix="feltwire-costs-") as name:
        path = Path(name) / "journal.sqlite"
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            written = entries()
            store(path, connection).append([[entry] for entry in written])
        reading = JournalHistory(path)
        request = encode_request(AskSince(b"1", written[0].chain, "", 0))
        server = HistoryServer(context, Endpoints.parse("ipc:///nowhere"), reading)
        socket = server.socket
        router = _StandInRouter()
        server.socket = router  # type: ignore[assignment]

        def answered() -> int:
            before = router.taken
            asked = decode_request(request)
            if isinstance(asked, AskSince):
                page = reading.page(asked.table, asked.epoch, asked.seq, PAGE_EVENTS)
                sending = server._send_page(b"client", asked, page)
                with suppress(StopIteration):
                    while True:
                        sending.send(None)
            return router.taken - before

        try:
            # Every event, and the end of the page.
            yield Subject("history", EVENTS, lambda: answered, EVENTS + 1)
        finally:
            reading.close()
            socket.close()
            context.destroy(linger=0)


# --- a fleet ----------------------------------------------------------------------------------------------------------


@contextmanager
def statistics() -> Iterator[Subject]:
    """Events of an export, decoded, chained and written as rows; DuckDB's own work does not count."""
    with TemporaryDirectory(prefix="feltwire-costs-") as name:
        source = Path(name) / "events.jsonl"
        written = write_events(source, StatisticsSizes(ROWS, 1))
        folders = SimpleNamespace(made=0)

        def ready() -> Callable[[], int]:
            folders.made += 1
            target = Path(name) / str(folders.made)

            def run() -> int:
                with collecting(target) as collector:
                    collect_export(source, "hall", collector)
                return collector.added

            return run

        yield Subject("statistics", written, ready, written)


# --- a board ----------------------------------------------------------------------------------------------------------


def board() -> Subject:
    """Frames of a board, from the wire to edges in the host's time."""
    known = _known_clock()
    first_tick = known.clock.sample().ticks
    made = [ModelEdge(number, number % 2, number // 2 % 2, first_tick + TICKS_APART * number) for number in range(500)]
    wire, left = bytearray(), made
    while left:
        report, count = pack(left)
        wire += frames.encode(len(wire) % 255 + 1, report)
        left = left[count:]

    def ready() -> Callable[[], int]:
        stream = EdgeStream(known.map, watched=0b11)

        def run() -> int:
            for piece in bytes(wire).split(frames.END)[:-1]:
                frame = frames.decode(piece)
                report = REPORTS[frame.id].unpack(frame.fields)
                if isinstance(report, EdgesReport):
                    stream.edges(report)
            return len(stream.take())

        return run

    return Subject("board", len(made), ready, len(made))


def _known_clock() -> Exchanges:
    """Of a board whose clock is known."""
    made = Exchanges(ClockMap(), TrueClock(Random(1), 0.0, 0.0, 0), Random(1), lambda draw: 0.0, lambda draw: 0.0)
    while not made.map.ready:
        made.one(97_000_000)
    return made
