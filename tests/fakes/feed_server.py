"""A feed on a loop of its own, so that a test can be an ordinary client of it."""

from __future__ import annotations

import asyncio
import logging
import queue
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import zmq

from feed.allow_list import Allowed, Role, allow
from feed.authentication import Authenticator
from feed.endpoints import Endpoints
from feed.history_server import HistoryError, HistoryServer, Page
from feed.keys import ClientCurve, ServerCurve, new_pair
from feed.publisher import QUEUE, Publisher
from feed.wire import REWRITTEN, UNKNOWN_TABLE
from tests.fakes.time_limits import HANG_MS, HANG_S

_T = TypeVar("_T")


class ListHistory:
    """A history in memory: events of tables, numbered from 1."""

    def __init__(self, **tables: int) -> None:
        self.events = {name: [self.event(name, seq) for seq in range(1, count + 1)] for name, count in tables.items()}
        self.asked: list[tuple[object, ...]] = []
        self.broken = False
        self.gate: threading.Event | None = None
        """Reading waits for it, where there is one."""

    @staticmethod
    def event(table: str, seq: int) -> tuple[bytes, bytes]:
        """Topic and body of one event."""
        return f"v1/{table}/round.opened/".encode(), f'{{"id":"{table}.e1.{seq}"}}'.encode()

    def tables(self) -> list[str]:
        """The tables."""
        self._ask("tables")
        return sorted(self.events)

    def snapshot(self, table: str) -> bytes | None:
        """A snapshot that says how many events there are."""
        self._ask("snapshot", table)
        return b'{"seq":%d}' % len(self.events[table]) if table in self.events else None

    def page(self, table: str, epoch: str, after: int, limit: int) -> Page:
        """A page of the list."""
        self._ask("page", table, epoch, after, limit)
        if table not in self.events:
            return Page([], "", 0, "", UNKNOWN_TABLE, f"no table {table}")
        held = self.events[table]
        if after > len(held) or epoch not in ("", "e1"):
            return Page([], "e1", len(held), "ab", REWRITTEN, f"the history ends at {len(held)}")
        return Page(held[after : after + limit], "e1", len(held), "ab")

    def seals(self) -> bytes:
        """None."""
        self._ask("seals")
        return b'{"seals":[]}'

    def _ask(self, *what: object) -> None:
        self.asked.append(what)
        if self.gate is not None:
            self.gate.wait(HANG_S)
        if self.broken:
            raise HistoryError("the disk is gone")


class Keys:
    """A folder of keys for a test: a server's, and those of clients."""

    def __init__(self, folder: Path) -> None:
        self.allowed = folder / "allowed"
        self.server = new_pair("server")

    def client(self, name: str, role: Role | None = "read-only") -> ClientCurve:
        """A client's key; allowed, unless `role` is None."""
        pair = new_pair(name)
        if role is not None:
            allow(self.allowed, Allowed(name=name, public=pair.public, role=role))
        return ClientCurve(pair, self.server.public)

    def curve(self) -> ServerCurve:
        """What the server's sockets need."""
        return ServerCurve(self.server)


class FeedServer:
    """Publisher, history and authenticator in a thread; `do` calls their methods on its loop."""

    publisher: Publisher
    history: HistoryServer
    authenticator: Authenticator | None = None

    def __init__(
        self,
        endpoints: Endpoints,
        history: ListHistory | None = None,
        keys: Keys | None = None,
        *,
        authenticate: bool = True,
        queue_length: int = QUEUE,
    ) -> None:
        self.source = history or ListHistory()
        self._endpoints = endpoints
        self._keys = keys
        self._authenticate = authenticate
        self._queue_length = queue_length
        self._ready = threading.Event()
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="feed", daemon=True)

    def start(self) -> None:
        """Returns when it is bound; raises the error of the thread."""
        self._thread.start()
        assert self._ready.wait(HANG_S)
        if self._error is not None:
            raise self._error

    def stop(self) -> None:
        """Ends the thread, and raises its error."""
        if self._error is None and self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join(HANG_S)
        assert not self._thread.is_alive()
        if self._error is not None:
            raise self._error

    def do(self, call: Callable[[], _T]) -> _T:
        """Calls something on the loop and returns what it returns."""

        async def called() -> _T:
            return call()

        return asyncio.run_coroutine_threadsafe(called(), self._loop).result(HANG_S)

    def publish(self, topic: bytes, body: bytes) -> None:
        """Publishes one message."""
        self.do(lambda: self.publisher.publish(topic, body))

    @property
    def endpoints(self) -> Endpoints:
        """Where it is bound."""
        return Endpoints(self.publisher.socket.endpoint, self.history.socket.endpoint, "")

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except BaseException as error:  # noqa: BLE001  it is raised again where the test can see it
            self._error = error
        finally:
            self._ready.set()

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._end = asyncio.Event()
        context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        try:
            self._open(context)
            serving = asyncio.ensure_future(self.history.serve())
            ended = asyncio.ensure_future(self._end.wait())
            self._ready.set()
            await asyncio.wait([serving, ended], return_when=asyncio.FIRST_COMPLETED)
            if serving.done():
                serving.result()
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)
            self._close()
        finally:
            context.destroy(linger=0)

    def _open(self, context: zmq.Context[zmq.Socket[bytes]]) -> None:
        curve = None if self._keys is None else self._keys.curve()
        if self._keys is not None and self._authenticate:
            self.authenticator = Authenticator(context, self._keys.allowed)
            self.authenticator.start()
        sender = self._sender
        self.publisher = Publisher(context, self._endpoints, curve, sender=sender, queue=self._queue_length)
        self.history = HistoryServer(context, self._endpoints, self.source, curve, sender=sender, schema=b'{"a":1}')
        if self.authenticator is not None:
            self.authenticator.on_revoked(self.publisher.socket.drop_connections)
            self.authenticator.on_revoked(self.history.socket.drop_connections)
        self.publisher.bind()
        self.history.bind()

    def _close(self) -> None:
        self.publisher.close()
        self.history.close()
        if self.authenticator is not None:
            self.authenticator.stop()

    def _sender(self, user_id: str) -> Any:
        return None if self.authenticator is None else self.authenticator.keys.sender(user_id)


@contextmanager
def feed_server(
    endpoints: Endpoints,
    history: ListHistory | None = None,
    keys: Keys | None = None,
    *,
    authenticate: bool = True,
    queue_length: int = QUEUE,
) -> Iterator[FeedServer]:
    """A server that runs as long as the block."""
    server = FeedServer(endpoints, history, keys, authenticate=authenticate, queue_length=queue_length)
    server.start()
    try:
        yield server
    finally:
        server.stop()


@contextmanager
def short_folder() -> Iterator[Path]:
    """A folder with a path that is short enough for a Unix socket."""
    folder = Path(tempfile.mkdtemp(prefix="fw-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class Client:
    """A client of the feed in a context of its own, as in another process."""

    def __init__(self) -> None:
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._sockets: list[zmq.Socket[bytes]] = []

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        for socket in self._sockets:
            socket.close(linger=0)
        self._context.term()

    def connect(
        self,
        kind: zmq.SocketType,
        endpoint: str,
        curve: ClientCurve | None = None,
        *,
        topics: Sequence[bytes] = (b"",),
        options: Sequence[tuple[int, int]] = (),
    ) -> zmq.Socket[bytes]:
        """A socket that is connected; a SUB has subscribed."""
        made = self._context.socket(kind)
        self._sockets.append(made)
        made.linger = 0
        for option, value in options:
            made.setsockopt(option, value)
        if curve is not None:
            curve.apply(made)
        if kind == zmq.SUB:
            for topic in topics:
                made.subscribe(topic)
        made.connect(endpoint)
        return made


def ask(asker: zmq.Socket[bytes], *frames: bytes, patience_ms: int = HANG_MS) -> list[list[bytes]]:
    """Sends a request to the history, and returns all messages of the answer; an empty list without one."""
    asker.sndtimeo = patience_ms
    try:
        asker.send_multipart(frames)
    except zmq.Again:
        # A client whose key was refused has nowhere to send to.
        return []
    return answers(asker, patience_ms=patience_ms)


def answers(asker: zmq.Socket[bytes], *, patience_ms: int = HANG_MS) -> list[list[bytes]]:
    """All messages up to the end of an answer."""
    got: list[list[bytes]] = []
    while asker.poll(patience_ms):
        got.append(asker.recv_multipart())
        if got[-1][1] != b"event":
            return got
    return got


class LogLines(logging.Handler):
    """The lines logged, to wait for."""

    def __init__(self) -> None:
        super().__init__()
        self._lines: queue.Queue[str] = queue.Queue()
        self.seen: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keeps a line."""
        self._lines.put(record.getMessage())

    def wait_for(self, part: str) -> str:
        """The next line with this in it."""
        while True:
            line = self._lines.get(timeout=HANG_S)
            self.seen.append(line)
            if part in line:
                return line


@contextmanager
def log_lines() -> Iterator[LogLines]:
    """The lines that `feed` logs in the block."""
    handler = LogLines()
    log = logging.getLogger("feed")
    before = log.level
    log.setLevel(logging.INFO)
    log.addHandler(handler)
    try:
        yield handler
    finally:
        log.removeHandler(handler)
        log.setLevel(before)
