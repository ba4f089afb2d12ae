"""Listens to a publisher over ZeroMQ with bare sockets, and asks its history: everything goes to a `FeedCheck`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import msgspec
import zmq

from controller.conformance.feed_check import FeedCheck
from controller.conformance.sentences import Sentence
from feed import wire
from feed.state import decode_snapshot
from hal.clock import Clock

if TYPE_CHECKING:
    from feed.endpoints import Endpoints
    from feed.keys import ClientCurve

ANSWER_MS: Final = 10_000
"""The longest wait for an answer (ours)."""
QUEUE: Final = 100_000
"""Messages queued while the history is read (ours)."""
NOBODY: Final = "no-such-table"


class NoFeedError(Exception):
    """Nothing was received from an address."""


class FeedListener:
    """Two sockets: SUB and DEALER."""

    def __init__(self, endpoints: Endpoints, curve: ClientCurve | None, check: FeedCheck, clock: Clock) -> None:
        self._check = check
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
        # What is published meanwhile waits in the queue.
        self._read_history()
        while (left_ms := (until_ns - self._clock.now_ns()) // 1_000_000) > 0:
            if self._feed.poll(left_ms):
                self._receive()
        now_ns = self._clock.now_ns()
        while self._feed.poll(0):
            self._receive()
        self._check.end(start_ns, now_ns)

    def _receive(self) -> None:
        self._check.received(self._feed.recv_multipart(), self._clock.now_ns())

    def _connected(self, kind: int, endpoint: str, curve: ClientCurve | None) -> zmq.Socket[bytes]:
        socket = self._context.socket(kind)
        socket.setsockopt(zmq.LINGER, 0)
        socket.setsockopt(zmq.RCVHWM, QUEUE)
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
        seals = self._one("seals", wire.AskSeals(self._id()))
        if isinstance(seals, wire.JsonAnswer):
            self._check_seals(seals.body)
        elif seals is not None:
            self._unexpected("seals", seals)
        tables = self._one("tables", wire.AskTables(self._id()))
        if tables is None:
            return
        if not isinstance(tables, wire.TablesAnswer):
            self._unexpected("tables", tables)
            return
        for table in tables.tables:
            self._read_table(table)
            snapshot = self._one("snapshot", wire.AskSnapshot(self._id(), table))
            if isinstance(snapshot, wire.JsonAnswer):
                self._check_snapshot(table, snapshot.body)
            elif snapshot is not None:
                self._unexpected("snapshot", snapshot)
        schema = self._one("schema", wire.AskSchema(self._id()))
        if isinstance(schema, wire.JsonAnswer):
            self._check_schema(schema.body)
        elif schema is not None:
            self._unexpected("schema", schema)
        self._refusals(tables.tables)

    def _read_table(self, table: str) -> None:
        after, epoch = 0, ""
        while True:
            events = 0
            request = wire.AskSince(self._id(), table, epoch, after)
            for answer in self._answers(f"since of {table}", request):
                if isinstance(answer, wire.EventAnswer):
                    events += 1
                    self._check.recorded(table, answer.topic, answer.body)
                    continue
                if not isinstance(answer, wire.EndAnswer):
                    self._unexpected(f"since of {table}", answer)
                    return
                if events > wire.PAGE_EVENTS:
                    self._check.refuse(Sentence.SINCE, table, f"{events} events in one answer")
                if not answer.more:
                    self._check.answered(answer.end)
                    return
                break
            else:
                return
            if not events:
                self._check.refuse(Sentence.SINCE, table, "`more` without an event")
                return
            position = self._check.position(table)
            if position is None:
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
        self._history.send_multipart(frames)
        while True:
            if not self._history.poll(ANSWER_MS):
                self._check.refuse(Sentence.HISTORY, what, f"no answer in {ANSWER_MS // 1000} s")
                return
            received = self._history.recv_multipart()
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

    def _unexpected(self, what: str, answer: wire.HistoryAnswer) -> None:
        self._check.refuse(Sentence.HISTORY, what, f"the answer is {_kind(answer)}")

    def _id(self) -> bytes:
        self._asked += 1
        return b"%d" % self._asked


def _kind(answer: wire.HistoryAnswer) -> str:
    if isinstance(answer, wire.ErrorAnswer):
        return f"the refusal {answer.refusal.code} ({answer.refusal.detail})"
    return type(answer).__name__
