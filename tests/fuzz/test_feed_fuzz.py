"""Malformed frames and bare garbage on the feed's sockets: a good client is served all the same, and nothing grows."""

from __future__ import annotations

import random
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
import zmq
from hypothesis import given, settings
from hypothesis import strategies as st

from feed.endpoints import EndpointError, Endpoints
from feed.wire import (
    MAX_SEQ,
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
    decode_answer,
    decode_request,
    encode_answer,
    encode_request,
)
from tests.fakes.feed_server import (
    Client,
    FeedServer,
    Keys,
    ListHistory,
    ask,
    feed_server,
    short_folder,
)

FEW = 2_000
MANY = 100_000
ROUND = 100
"""Malformed messages between two looks at whether a good client is served."""
GROWTH_BYTES = 30_000_000
"""What a process may grow by while it is fuzzed: queues that fill once, and libzmq's and Python's own arenas."""

TABLES = st.from_regex(r"[a-z0-9]+(-[a-z0-9]+)*", fullmatch=True).filter(lambda table: len(table) <= 64)
IDS = st.binary(min_size=1, max_size=32)
SEQS = st.integers(0, MAX_SEQ)
EPOCHS = st.from_regex(r"[A-Za-z0-9_-]{0,64}", fullmatch=True)
REQUESTS: st.SearchStrategy[HistoryRequest] = st.one_of(
    st.builds(AskTables, IDS),
    st.builds(AskSnapshot, IDS, TABLES),
    st.builds(AskSince, IDS, TABLES, EPOCHS, SEQS),
    st.builds(AskSchema, IDS),
    st.builds(AskSeals, IDS),
)
TEXT = st.text(st.characters(codec="utf-8"))
ANSWERS: st.SearchStrategy[HistoryAnswer] = st.one_of(
    st.builds(EventAnswer, IDS, st.binary(), st.binary()),
    st.builds(
        EndAnswer, IDS, st.booleans(), st.builds(EndOfEvents, table=TEXT, epoch=TEXT, last=SEQS, head=TEXT, after=SEQS)
    ),
    st.builds(TablesAnswer, IDS, st.lists(TEXT)),
    st.builds(JsonAnswer, IDS, st.sampled_from(["snapshot", "seals", "schema"]), st.binary()),
    st.builds(
        ErrorAnswer,
        IDS,
        st.builds(RequestRefusal, code=TEXT, detail=TEXT, table=TEXT, epoch=TEXT, last=SEQS, head=TEXT),
    ),
)
WORDS = st.sampled_from([*b"tables snapshot since seals schema event done more error 0".split(), b""])
FRAMES = st.lists(st.one_of(WORDS, st.binary(max_size=70)), max_size=8)


@given(REQUESTS)
def test_a_request_comes_out_as_it_went_in(request: HistoryRequest) -> None:
    assert decode_request(encode_request(request)) == request


@given(ANSWERS)
def test_an_answer_comes_out_as_it_went_in(answer: HistoryAnswer) -> None:
    assert decode_answer(encode_answer(answer)) == answer


@settings(max_examples=250)
@given(FRAMES)
def test_frames_are_a_request_or_an_error_that_says_why(frames: list[bytes]) -> None:
    try:
        request = decode_request(frames)
    except WireError as error:
        assert str(error).isprintable() and len(str(error)) < 500
        assert error.request_id in (None, *frames[:1])
    else:
        # What is taken is taken exactly: nothing is passed over.
        assert encode_request(request) == frames


@settings(max_examples=250)
@given(FRAMES)
def test_frames_are_an_answer_or_an_error_that_says_why(frames: list[bytes]) -> None:
    try:
        decode_answer(frames)
    except WireError as error:
        assert len(str(error)) < 1000


@settings(max_examples=250)
@given(st.one_of(st.text(), st.text().map(lambda text: "ipc://" + text), st.text().map(lambda text: "tcp://" + text)))
def test_an_address_is_three_endpoints_or_an_error_that_says_why(base: str) -> None:
    try:
        endpoints = Endpoints.parse(base)
    except EndpointError as error:
        assert "endpoint" in str(error)
    else:
        assert len(set(endpoints)) == 3 or base.endswith(":*")


class Fuzzer:
    """Sends what no client of ours sends, from one seed."""

    def __init__(self, seed: int, server: FeedServer, client: Client) -> None:
        self._random = random.Random(seed)
        self._server = server
        self._client = client
        self._dealer = client.connect(zmq.DEALER, server.endpoints.history, options=[(zmq.SNDHWM, 0)])
        self._publisher = client.connect(zmq.XSUB, server.endpoints.feed, options=[(zmq.SNDHWM, 0)])

    def send(self, count: int) -> None:
        """Sends this many malformed messages, on all sockets."""
        for _ in range(count):
            self._random.choice((self._request, self._request, self._subscription, self._raw))()
        while self._dealer.poll(0):
            self._dealer.recv_multipart()

    def reconnect(self) -> None:
        """Sends frames that are too long: it costs the connection."""
        for kind, endpoint in ((zmq.DEALER, self._server.endpoints.history), (zmq.XSUB, self._server.endpoints.feed)):
            with Client() as other:
                fat = other.connect(kind, endpoint)
                fat.send_multipart([b"\x01", b"tables", bytes(65 * 1024)])
                # The connection is cut, and made again by libzmq; nothing comes back.
                assert fat.poll(20) == 0

    def _request(self) -> None:
        kind = self._random.randrange(6)
        if kind == 0:
            frames = [self._bytes(80) for _ in range(self._random.randrange(1, 8))]
        elif kind == 1:
            frames = [b""] * self._random.randrange(1, 10)
        elif kind == 2:
            frames = [b"id", *[b"since"] * 100]
        elif kind == 3:
            frames = [b"id", self._random.choice([b"tables", b"schema"]), self._bytes(8)]
        elif kind == 4:
            frames = [
                b"id",
                b"since",
                b"wheel",
                b"e1",
                self._random.choice([b"-1", b"01", b"1e3", b"9" * 40, b" 1", b""]),
            ]
        else:
            frames = [b"id", b"snapshot", self._random.choice([b"", b"../x", b"A", b"a" * 65, b"a\0", "ä".encode()])]
        self._dealer.send_multipart(frames)

    def _subscription(self) -> None:
        first = self._random.choice([b"", b"\x02", b"\xff", b"\x01" + bytes(300), b"\x00" + bytes(300), b"tables"])
        self._publisher.send_multipart([first, *[self._bytes(20)] * self._random.randrange(3)])

    def _raw(self) -> None:
        """Garbage, and handshakes that stop half-way, on the bare transport."""
        endpoint = self._random.choice(self._server.endpoints[:2])
        greeting = (
            b"\xff" + bytes(8) + b"\x7f\x03\x00" + self._random.choice([b"NULL", b"CURVE", b"PLAIN"]).ljust(20, b"\0")
        )
        greeting += bytes(32)
        data = self._random.choice(
            [
                self._bytes(200),
                greeting[: self._random.randrange(len(greeting))],
                greeting + self._bytes(200),
                greeting + b"\x04\xff\x05HELLO" + self._bytes(250),
                greeting + b"\x04\x19\x05READY\x0bSocket-Type\0\0\0\x04" + self._bytes(4),
                b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
                b"\x01\x00",
            ]
        )
        with connected(endpoint) as plain:
            try:
                plain.sendall(data)
            except OSError:
                # Cut already, by the first bytes of it.
                return

    def _bytes(self, longest: int) -> bytes:
        return self._random.randbytes(self._random.randrange(longest))


def connected(endpoint: str) -> socket.socket:
    if endpoint.startswith("ipc://"):
        plain = socket.socket(socket.AF_UNIX)
        plain.connect(endpoint.removeprefix("ipc://"))
        return plain
    host, _, port = endpoint.removeprefix("tcp://").partition(":")
    return socket.create_connection((host, int(port)))


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


@pytest.fixture
def folder() -> Iterator[Path]:
    with short_folder() as made:
        yield made


@pytest.mark.parametrize("count", [FEW, pytest.param(MANY, marks=[pytest.mark.soak, pytest.mark.timeout(3600)])])
def test_malformed_messages_hurt_nobody_and_never_reach_the_history(folder: Path, count: int) -> None:
    history = ListHistory(wheel=3)
    good_asks = 0
    with feed_server(Endpoints.parse(f"ipc://{folder}"), history) as server, Client() as rude, Client() as polite:
        fuzzer = Fuzzer(1, server, rude)
        asker = polite.connect(zmq.DEALER, server.endpoints.history)
        subscriber = polite.connect(zmq.SUB, server.endpoints.feed)
        sizes = []
        for start in range(0, count, ROUND):
            fuzzer.send(ROUND)
            if start % (10 * ROUND) == 0:
                fuzzer.reconnect()
            assert len(ask(asker, b"good", b"since", b"wheel", b"e1", b"0")) == 4
            good_asks += 1
            server.publish(b"t/", b"%d" % start)
            while not subscriber.poll(20):
                server.publish(b"t/", b"%d" % start)
            while subscriber.poll(0):
                subscriber.recv_multipart()
            sizes.append(resident_bytes())
        assert len(history.asked) == good_asks
        assert server.do(lambda: server.history.malformed) > count // 4
        assert server.do(lambda: server.publisher.malformed) > 0
        settled = sizes[len(sizes) // 4]
        assert sizes[-1] - settled < GROWTH_BYTES, (settled, sizes[-1])


@pytest.mark.parametrize(
    "count", [FEW // 10, pytest.param(MANY // 10, marks=[pytest.mark.soak, pytest.mark.timeout(3600)])]
)
def test_strangers_who_send_garbage_to_sockets_with_keys_hurt_nobody(tmp_path: Path, count: int) -> None:
    keys = Keys(tmp_path)
    curve = keys.client("board-1")
    history = ListHistory(wheel=3)
    where = Endpoints.parse("tcp://127.0.0.1:*")
    with feed_server(where, history, keys) as server, Client() as rude, Client() as polite:
        fuzzer = Fuzzer(2, server, rude)
        asker = polite.connect(zmq.DEALER, server.endpoints.history, curve)
        for asks, _ in enumerate(range(0, count, ROUND), 1):
            for _ in range(ROUND):
                fuzzer._raw()
            assert len(ask(asker, b"good", b"since", b"wheel", b"e1", b"0")) == 4
            assert len(history.asked) == asks
