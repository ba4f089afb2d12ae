"""Listens to a publisher over ZeroMQ with bare sockets, and asks its history: everything goes to a `FeedCheck`."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import msgspec
import zmq

from controller.conformance.feed_check import FeedCheck, body_hash
from controller.conformance.sentences import Sentence
from feed import wire
from feed.state import decode_snapshot
from hal.clock import Clock

if TYPE_CHECKING:
    from feed.endpoints import Endpoints
    from feed.keys import ClientCurve

ANSWER_MS: Final = 10_000
"""The longest wait for a whole answer (ours)."""
HISTORY_S: Final = 600.0
"""The longest time for the whole history (ours)."""
QUEUE: Final = 64
"""Messages that libzmq queues (ours): with `wire.MAX_ANSWER_FRAME` a bound in bytes. What is behind waits there."""
MOST_BYTES: Final = 64 * 1024 * 1024
"""All that waits to be checked (ours)."""
_A_FRAME: Final = 200
"""What a frame takes beside its bytes."""
NOBODY: Final = "no-such-table"


class NoFeedError(Exception):
    """Nothing was received from an address."""


class _OutOfTimeError(Exception):
    """The history takes too long."""


class FeedListener:
    """Two sockets: SUB and DEALER."""

    def __init__(
        self,
        endpoints: Endpoints,
        curve: ClientCurve | None,
        check: FeedCheck,
        clock: Clock,
        history_s: float = HISTORY_S,
    ) -> None:
        """`history_s` bounds the time in which the history is read."""
        self.unchecked: list[str] = []
        """Why not all was checked."""
        self._check = check
        self._history_s = history_s
        self._history_until_ns = 0
        self._waiting: deque[tuple[list[bytes], int]] = deque()
        """Messages of the feed that are to be checked, and when each came."""
        self._bytes = 0
        self._full = False
        self._clock = clock
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._feed = self._connected(zmq.SUB, endpoints.feed, curve)
        self._history = self._connected(zmq.DEALER, endpoints.history, curve)
        self._asked = 0

    def close(self) -> None:
        """Closes both sockets."""
        self._context.destroy(linger=0)

    def wait(self, seconds: float) -> None:
        """Waits for the first message.

        Raises:
            NoFeedError: no message came in that time.
        """
        if not self._feed.poll(round(seconds * 1000)):
            raise NoFeedError(f"nothing was received in {seconds:g} s: is it a feed, and does it let this key in?")

    def listen(self, seconds: float) -> None:
        """Reads the history from its beginning, and listens for this long from now on."""
        start_ns = self._clock.now_ns()
        until_ns = start_ns + round(seconds * 1e9)
        self._in_time(self._read_history)
        # Heartbeats that come after this time only make the end later than it is.
        now_ns = self._clock.now_ns()
        while not self._full and now_ns < until_ns:
            self._take()
            if self._waiting:
                self._check_next()
            else:
                self._feed.poll(max(1, (until_ns - now_ns) // 1_000_000))
            now_ns = self._clock.now_ns()
        self._take()
        while self._waiting:
            self._check_next()
        if not self.unchecked:
            self._in_time(self._find_published)
        # What came meanwhile is not checked: the time is over.
        self._check.end(start_ns, now_ns)

    def _in_time(self, read: Callable[[], None]) -> None:
        """Reads of the history, for as long as that may take."""
        self._history_until_ns = self._clock.now_ns() + round(self._history_s * 1e9)
        try:
            read()
        except _OutOfTimeError:
            self.unchecked.append(f"the history was not read to its end in {self._history_s:g} s")

    def _take(self) -> None:
        """Takes what the feed has, as far as there is room."""
        while not self._full and self._feed.poll(0):
            frames = self._feed.recv_multipart()
            self._waiting.append((frames, self._clock.now_ns()))
            self._bytes += _size(frames)
            if self._bytes > MOST_BYTES:
                self._full = True
                self.unchecked.append("more came on the feed than could be checked in that time")

    def _check_next(self) -> None:
        frames, t_ns = self._waiting.popleft()
        self._bytes -= _size(frames)
        self._check.received(frames, t_ns)

    def _connected(self, kind: int, endpoint: str, curve: ClientCurve | None) -> zmq.Socket[bytes]:
        socket = self._context.socket(kind)
        socket.setsockopt(zmq.LINGER, 0)
        socket.setsockopt(zmq.RCVHWM, QUEUE)
        socket.setsockopt(zmq.SNDTIMEO, ANSWER_MS)
        socket.setsockopt(zmq.MAXMSGSIZE, wire.MAX_ANSWER_FRAME)
        socket.setsockopt(zmq.IPV6, 1)
        if curve is not None:
            curve.apply(socket)
        if kind == zmq.SUB:
            socket.subscribe(b"")
        socket.connect(endpoint)
        return socket

    def _read_history(self) -> None:
        # Before the events: so every event that is sealed is in what follows.
        self._read_json("seals", wire.AskSeals(self._id()), self._check_seals)
        tables = self._one("tables", wire.AskTables(self._id()))
        if tables is None:
            return
        if not isinstance(tables, wire.TablesAnswer):
            self._unexpected("tables", tables)
            return
        for table in tables.tables:
            self._read_table(table)
            self._read_json("snapshot", wire.AskSnapshot(self._id(), table), partial(self._check_snapshot, table))
        self._read_json("schema", wire.AskSchema(self._id()), self._check_schema)
        self._refusals(tables.tables)

    def _find_published(self) -> None:
        """What the feed had is in the history: each table, and its last event."""
        published = self._check.published
        tables = self._one("tables", wire.AskTables(self._id())) if published else None
        if tables is None:
            return
        if not isinstance(tables, wire.TablesAnswer):
            self._unexpected("tables", tables)
            return
        for table, seq, body in published:
            if table not in tables.tables:
                what = f"event {seq} was published, and the history does not list the table"
                self._check.refuse(Sentence.DURABLE, table, what)
            elif body is not None:
                match self._one(f"since of {table}", wire.AskSince(self._id(), table, "", seq - 1)):
                    case None:
                        pass
                    case wire.EventAnswer() as found if body_hash(found.body) == body:
                        pass
                    case wire.EndAnswer() as none if none.end.after >= seq:
                        # It is archived.
                        pass
                    case other:
                        kind = "another event" if isinstance(other, wire.EventAnswer) else _kind(other)
                        what = f"event {seq} was published, and the history, asked for it, answers with {kind}"
                        self._check.refuse(Sentence.DURABLE, table, what)

    def _read_json(self, what: str, request: wire.HistoryRequest, check: Callable[[bytes], None]) -> None:
        answer = self._one(what, request)
        if isinstance(answer, wire.JsonAnswer):
            check(answer.body)
        elif answer is not None:
            self._unexpected(what, answer)

    def _read_table(self, table: str) -> None:
        after, epoch = 0, ""
        while True:
            events = 0
            request = wire.AskSince(self._id(), table, epoch, after)
            for answer in self._answers(f"since of {table}", request):
                if isinstance(answer, wire.EventAnswer):
                    events += 1
                    if events > wire.PAGE_EVENTS:
                        self._check.refuse(Sentence.SINCE, table, f"more than {wire.PAGE_EVENTS} events in one answer")
                        return
                    self._check.recorded(table, answer.topic, answer.body)
                    continue
                if not isinstance(answer, wire.EndAnswer):
                    self._unexpected(f"since of {table}", answer)
                    return
                if not answer.more:
                    self._check.answered(answer.end)
                    return
                break
            else:
                return
            position = self._check.position(table)
            if position is None or position[1] <= after:
                self._check.refuse(Sentence.SINCE, table, f"`more` after event {after}, and no later event")
                return
            epoch, after = position

    def _check_snapshot(self, table: str, body: bytes) -> None:
        try:
            snapshot = decode_snapshot(body)
        except ValueError as error:
            self._check.refuse(Sentence.SCHEMA, f"snapshot of {table}", str(error))
            return
        if snapshot.table != table:
            self._check.refuse(Sentence.HISTORY, f"snapshot of {table}", f"it is of {snapshot.table}")

    def _check_seals(self, body: bytes) -> None:
        try:
            seals = msgspec.json.decode(body, type=wire.SealList)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            self._check.refuse(Sentence.SEAL, "seals", str(error))
            return
        self._check.sealed(seals.seals)

    def _check_schema(self, body: bytes) -> None:
        try:
            msgspec.json.decode(body, type=dict[str, Any])
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            self._check.refuse(Sentence.HISTORY, "schema", f"it is not a JSON object: {error}")

    def _refusals(self, tables: list[str]) -> None:
        """What must be refused is refused."""
        beyond = b"%d" % wire.MAX_SEQ
        for sentence, code, frames in (
            (Sentence.REFUSAL, wire.BAD_REQUEST, [b"dance"]),
            (Sentence.REFUSAL, wire.BAD_REQUEST, [b"since", b"../etc", b"", b"-1"]),
            (Sentence.UNKNOWN_TABLE, wire.UNKNOWN_TABLE, [b"snapshot", NOBODY.encode()]),
            *((Sentence.REWRITTEN, wire.REWRITTEN, [b"since", one.encode(), b"", beyond]) for one in tables),
        ):
            shown = b" ".join(frames).decode()
            answer = next(self._answers(shown, [self._id(), *frames]), None)
            if answer is not None and not (isinstance(answer, wire.ErrorAnswer) and answer.refusal.code == code):
                self._check.refuse(sentence, shown, f"expected the refusal {code}, got {_kind(answer)}")

    def _one(self, what: str, request: wire.HistoryRequest) -> wire.HistoryAnswer | None:
        return next(self._answers(what, request), None)

    def _answers(self, what: str, request: wire.HistoryRequest | list[bytes]) -> Iterator[wire.HistoryAnswer]:
        """The answers to a request, until one that is not an event; nothing follows one that cannot be read."""
        frames = request if isinstance(request, list) else wire.encode_request(request)
        try:
            self._history.send_multipart(frames)
        except zmq.Again:
            self._check.refuse(Sentence.HISTORY, what, "it takes no more requests")
            return
        until_ns = self._clock.now_ns() + ANSWER_MS * 1_000_000
        while True:
            received = self._received(until_ns)
            if received is None:
                self._check.refuse(Sentence.HISTORY, what, f"no answer in {ANSWER_MS // 1000} s")
                return
            try:
                answer = wire.decode_answer(received)
            except wire.WireError as error:
                self._check.refuse(Sentence.HISTORY, what, str(error))
                return
            if answer.request_id != frames[0]:
                # Of a request that was given up.
                continue
            yield answer
            if not isinstance(answer, wire.EventAnswer):
                return

    def _received(self, until_ns: int) -> list[bytes] | None:
        """The next message of the history; None where none comes in time. What the feed has meanwhile is kept."""
        while (now_ns := self._clock.now_ns()) < until_ns:
            if now_ns >= self._history_until_ns:
                raise _OutOfTimeError
            self._take()
            sockets = zmq.Poller()
            for socket in (self._history,) if self._full else (self._history, self._feed):
                sockets.register(socket, zmq.POLLIN)
            left_ns = min(until_ns, self._history_until_ns) - now_ns
            if self._history in dict(sockets.poll(max(1, left_ns // 1_000_000))):
                return self._history.recv_multipart()
        return None

    def _unexpected(self, what: str, answer: wire.HistoryAnswer) -> None:
        self._check.refuse(Sentence.HISTORY, what, f"the answer is {_kind(answer)}")

    def _id(self) -> bytes:
        self._asked += 1
        return b"%d" % self._asked


def _size(frames: list[bytes]) -> int:
    return _A_FRAME + sum(_A_FRAME + len(frame) for frame in frames)


def _kind(answer: wire.HistoryAnswer) -> str:
    if isinstance(answer, wire.ErrorAnswer):
        return f"the refusal {answer.refusal.code} ({answer.refusal.detail})"
    return type(answer).__name__
