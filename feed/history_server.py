"""Answers requests for missed events: a ROUTER socket in front of the journal.

Reading the journal blocks, so one other thread does it, a page at a time. Clients (keys, or connections where there are
none) are served in turn, one page each; `REQUESTS_PER_CLIENT` requests of a client may wait, and further ones are
answered `busy`. A client that does not read its answers costs one queue in libzmq, of fixed length: answers that do not
fit are dropped, and the client repeats its request.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import types
from collections import OrderedDict, deque
from collections.abc import Callable, Generator, Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, NamedTuple, Protocol, TypeVar

import zmq

from feed.allow_list import KeyOwner
from feed.endpoints import Endpoints
from feed.keys import ServerCurve
from feed.monitor import RefusalLog
from feed.publisher import user_id_of
from feed.server_socket import ServerSocket
from feed.wire import (
    BAD_REQUEST,
    BUSY,
    PAGE_EVENTS,
    REFUSED,
    UNAVAILABLE,
    UNKNOWN_TABLE,
    AskSchema,
    AskSeals,
    AskSince,
    AskSnapshot,
    AskTables,
    EndAnswer,
    EndOfEvents,
    ErrorAnswer,
    EventAnswer,
    HistoryAnswer,
    HistoryRequest,
    JsonAnswer,
    RequestRefusal,
    TablesAnswer,
    WireError,
    decode_request,
    encode_answer,
)


class HistoryError(Exception):
    """The history cannot be read; the message states why. The only exception of a `History`: the client is answered
    `unavailable`."""


class Page(NamedTuple):
    """Durable events of one table, in order and without a gap."""

    events: Sequence[tuple[bytes, bytes]]
    """Topic and body of each, exactly as they were published."""
    epoch: str
    """Of the last event in the journal."""
    last: int
    """`seq` of the last event in the journal; 0 if there is none."""
    head: str
    """Hash of the last event in the journal, the head of the chain, in hexadecimal."""
    problem: str | None = None
    """Why there are no events: `unknown_table` or `rewritten`."""
    detail: str = ""
    """The problem in words."""
    after: int | None = None
    """The events begin after this `seq`: above the one requested where older events are archived; None where it is the
    one requested."""


class History(Protocol):
    """Reads the journal. Its calls block; the server makes all of them from one other thread.

    Raises:
        HistoryError: it cannot be read now.
    """

    def tables(self) -> list[str]:
        """The tables that have events."""

    def snapshot(self, table: str) -> bytes | None:
        """The state of a table after its last durable event, as JSON; None for an unknown table."""

    def page(self, table: str, epoch: str, after: int, limit: int) -> Page:
        """At most `limit` events with a `seq` above `after`, the lowest first.

        `epoch` is that of the event at `after`, or empty where the client does not know it; with a wrong one the page
        has the problem `rewritten`. `after` is 0 for the whole history.
        """

    def seals(self) -> bytes:
        """Of each chain the newest seal that names it: the JSON of a `wire.SealList`."""


K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class FairQueue(Generic[K, V]):
    """Requests of clients, taken round robin: a client with a thousand requests waits behind one with a single request.

    The number of clients and the requests of each are bounded.
    """

    def __init__(self, per_client: int, clients: int) -> None:
        self._per_client = per_client
        self._max_clients = clients
        self._waiting: OrderedDict[K, deque[V]] = OrderedDict()
        """By client; the next to be served is first."""

    def __len__(self) -> int:
        return sum(map(len, self._waiting.values()))

    def put(self, client: K, request: V) -> bool:
        """Adds a request; False if the client has too many waiting, or too many clients wait."""
        own = self._waiting.get(client)
        if own is None:
            if len(self._waiting) >= self._max_clients:
                return False
            self._waiting[client] = deque([request])
            return True
        if len(own) >= self._per_client:
            return False
        own.append(request)
        return True

    def take(self) -> tuple[K, V] | None:
        """The oldest request of the next client, which then goes to the end. None if the queue is empty."""
        if not self._waiting:
            return None
        client, own = self._waiting.popitem(last=False)
        request = own.popleft()
        if own:
            self._waiting[client] = own
        return client, request


log = logging.getLogger(__name__)

REQUESTS_PER_CLIENT = 64
"""Requests of one client that may wait (ours): the scoreboards of a hall may share a key, and all ask after a
restart."""
MAX_CLIENTS = 256
"""Clients that may wait at one time (ours)."""
QUEUE = 2 * (PAGE_EVENTS + 1) + 100
"""Answers queued for one client: the page that it reads and the next one. libzmq frees room by halves."""
REQUEST_QUEUE = 64
"""Requests of one connection that libzmq queues before it stops reading from it."""
EVENTS_A_TURN = 50
"""Events sent before other tasks of the loop run."""

_OPTIONS = {zmq.ROUTER_MANDATORY: 1, zmq.SNDHWM: QUEUE, zmq.RCVHWM: REQUEST_QUEUE}
# No ZMTP heartbeats here: libzmq 4.3.5 may abort when one meets a full queue.

_Read = TypeVar("_Read")


class _Job(NamedTuple):
    """A request, and the connection to answer."""

    connection: bytes
    request: HistoryRequest


class HistoryServer:
    """The history's socket. It answers while `serve` runs."""

    def __init__(
        self,
        context: zmq.Context[zmq.Socket[bytes]],
        endpoints: Endpoints,
        history: History,
        curve: ServerCurve | None = None,
        *,
        sender: Callable[[str], KeyOwner | None] = lambda user_id: None,
        schema: bytes = b"{}",
    ) -> None:
        """`sender` names the owner of a key (`AllowList.sender`); `schema` is JSON Schema of the events.

        Raises:
            EndpointError: it is `tcp://` and there is no key.
        """
        self._history = history
        self._keyed = curve is not None
        self._sender = sender
        self._schema = schema
        self._waiting: FairQueue[str | bytes, _Job] = FairQueue(REQUESTS_PER_CLIENT, MAX_CLIENTS)
        self._work = asyncio.Event()
        self._refusals = RefusalLog(log)
        self.socket = ServerSocket(
            context, zmq.ROUTER, endpoints.history, self._request, name="history", curve=curve, options=_OPTIONS
        )
        """How its connections are, and why it is not bound where it should be."""
        self.answered = 0
        """Requests answered, with an error or without."""
        self.malformed = 0
        """Messages that are not a request."""
        self.busy = 0
        """Requests refused as `busy`."""
        self.unread = 0
        """Answers dropped, because the client did not read them or was gone."""

    @property
    def waiting(self) -> int:
        """How many requests wait."""
        return len(self._waiting)

    def bind(self) -> None:
        """Binds the socket. Must be called on the loop.

        Raises:
            EndpointError: the address cannot be bound.
        """
        self.socket.bind()

    async def serve(self) -> None:
        """Answers requests until it is cancelled."""
        reader = ThreadPoolExecutor(1, thread_name_prefix="history")
        try:
            while True:
                await self._work.wait()
                self._work.clear()
                while (turn := self._waiting.take()) is not None:
                    await self._answer(turn[1], reader)
        finally:
            reader.shutdown(wait=False, cancel_futures=True)

    def close(self) -> None:
        """Closes the socket."""
        self.socket.close()

    def _request(self, frames: list[zmq.Frame]) -> None:
        """Queues a request, or refuses it at once."""
        connection = frames[0].bytes
        user_id = user_id_of(frames[-1]) if self._keyed else None
        try:
            request = decode_request([frame.bytes for frame in frames[1:]])
        except WireError as error:
            self.malformed += 1
            self._refusals.log(f"history: {self._who(user_id)} sent a message that is not a request")
            if error.request_id is not None:
                self._refuse(connection, error.request_id, BAD_REQUEST, str(error))
            return
        if self._keyed and (user_id is None or self._sender(user_id) is None):
            self._refuse(connection, request.request_id, REFUSED, "your key is not allowed here any more")
        elif self._waiting.put(user_id or connection, _Job(connection, request)):
            self._work.set()
        else:
            self.busy += 1
            detail = f"at most {REQUESTS_PER_CLIENT} requests of one client wait; ask again when you have an answer"
            self._refuse(connection, request.request_id, BUSY, detail)

    def _who(self, user_id: str | None) -> str:
        sender = None if user_id is None else self._sender(user_id)
        return "a client" if sender is None else sender.name

    async def _answer(self, job: _Job, reader: ThreadPoolExecutor) -> None:
        """Answers one request."""
        loop = asyncio.get_running_loop()

        async def read(what: Callable[[], _Read]) -> _Read:
            return await loop.run_in_executor(reader, what)

        history, request = self._history, job.request
        self.answered += 1
        try:
            match request:
                case AskTables(request_id):
                    self._send(job.connection, TablesAnswer(request_id, await read(history.tables)))
                case AskSnapshot(request_id, table):
                    snapshot = await read(lambda: history.snapshot(table))
                    if snapshot is None:
                        detail = f"no table {table} was ever journalled here"
                        self._refuse(job.connection, request_id, UNKNOWN_TABLE, detail)
                    else:
                        self._send(job.connection, JsonAnswer(request_id, "snapshot", snapshot))
                case AskSince(_, table, epoch, seq):
                    page = await read(lambda: history.page(table, epoch, seq, PAGE_EVENTS))
                    await self._send_page(job.connection, request, page)
                case AskSeals(request_id):
                    self._send(job.connection, JsonAnswer(request_id, "seals", await read(history.seals)))
                case AskSchema(request_id):
                    self._send(job.connection, JsonAnswer(request_id, "schema", self._schema))
        except HistoryError as error:
            self._refusals.log(f"history: {error}")
            detail = "the history cannot be read now; the log of the service has the reason"
            self._refuse(job.connection, request.request_id, UNAVAILABLE, detail)

    async def _send_page(self, connection: bytes, request: AskSince, page: Page) -> None:
        request_id, table = request.request_id, request.table
        if page.problem is not None:
            refusal = RequestRefusal(
                code=page.problem, detail=page.detail, table=table, epoch=page.epoch, last=page.last, head=page.head
            )
            self._send(connection, ErrorAnswer(request_id, refusal))
            return
        for count, (topic, body) in enumerate(page.events, 1):
            if not self._send(connection, EventAnswer(request_id, topic, body)):
                return
            if count % EVENTS_A_TURN == 0:
                await _turn()
        after = request.seq if page.after is None else page.after
        end = EndOfEvents(table=table, epoch=page.epoch, last=page.last, head=page.head, after=after)
        self._send(connection, EndAnswer(request_id, after + len(page.events) < page.last, end))

    def _refuse(self, connection: bytes, request_id: bytes, code: str, detail: str) -> None:
        self._send(connection, ErrorAnswer(request_id, RequestRefusal(code=code, detail=detail)))

    def _send(self, connection: bytes, answer: HistoryAnswer) -> bool:
        """Sends one message without waiting; False if the client does not read, or is gone."""
        try:
            self.socket.raw.send_multipart([connection, *encode_answer(answer)], zmq.DONTWAIT)
        except zmq.ZMQError as error:
            if error.errno not in (errno.EAGAIN, errno.EHOSTUNREACH):
                raise
            self.unread += 1
            return False
        finally:
            # A send that fails too may have consumed the signal that a request is there.
            self.socket.wake()
        return True


@types.coroutine
def _turn() -> Generator[None, None, None]:
    """Lets the other tasks of the loop run."""
    yield
