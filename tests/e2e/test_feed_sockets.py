"""Publisher and history over real sockets: slow readers, floods and unknown clients do not affect the others."""

from __future__ import annotations

import asyncio
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import msgspec
import pytest
import zmq

from feed.endpoints import EndpointError, Endpoints
from feed.history_server import REQUESTS_PER_CLIENT
from feed.server_socket import ServerSocket
from feed.wire import (
    BAD_REQUEST,
    BUSY,
    PAGE_EVENTS,
    REWRITTEN,
    UNAVAILABLE,
    UNKNOWN_TABLE,
    AskSince,
    EndAnswer,
    ErrorAnswer,
    EventAnswer,
    decode_answer,
    encode_request,
)
from hal.loop import sleep_ns
from tests.fakes.feed_server import (
    Client,
    FeedServer,
    Keys,
    ListHistory,
    answers,
    ask,
    feed_server,
    short_folder,
)
from tests.fakes.time_limits import HANG_MS

STRANGERS = 3_000
"""Connections whose events are more than libzmq's own queue of them holds."""


@pytest.fixture
def folder() -> Iterator[Path]:
    with short_folder() as made:
        yield made


def local(folder: Path) -> Endpoints:
    return Endpoints.parse(f"ipc://{folder}/run")


def join(server: FeedServer, subscriber: zmq.Socket[bytes], topic: bytes = b"join/") -> None:
    """Publishes until the subscription has come through, and reads what that has brought."""
    server.publish(topic, b"0")
    while not subscriber.poll(10):
        server.publish(topic, b"0")
    mine = b"joined %d" % id(subscriber)
    server.publish(topic, mine)
    while subscriber.recv_multipart()[1] != mine:
        pass


def publish_many(server: FeedServer, start: int, body: bytes) -> None:
    for k in range(50):
        server.publisher.publish(b"t/", b"%d %s" % (start + k, body))


def refusal(frames: list[bytes]) -> str:
    answer = decode_answer(frames)
    assert isinstance(answer, ErrorAnswer), answer
    return answer.refusal.code


def test_a_stalled_subscriber_never_slows_the_publisher_or_another_subscriber(folder: Path) -> None:
    count = 20_000
    with feed_server(local(folder), queue_length=100) as server, Client() as stalled, Client() as good:
        feed = server.endpoints.feed
        sleeper = stalled.connect(zmq.SUB, feed, options=[(zmq.RCVHWM, 10)])
        reader = good.connect(zmq.SUB, feed, options=[(zmq.RCVHWM, 0)])
        join(server, sleeper)
        join(server, reader)
        body = b"x" * 1000
        received = 0
        for start in range(0, count, 50):
            # As many at once as one subscriber's queue takes; every publish() has to come back.
            server.do(partial(publish_many, server, start, body))
            for k in range(50):
                assert reader.poll(HANG_MS)
                assert reader.recv_multipart()[1].split()[0] == b"%d" % (start + k)
                received += 1
        assert received == count
        got = 0
        while sleeper.poll(200):
            sleeper.recv_multipart()
            got += 1
        assert got < count // 2, "the stalled reader was meant to lose most"


def test_topics_end_in_a_slash_so_that_a_prefix_matches_one_table(folder: Path) -> None:
    with feed_server(local(folder)) as server, Client() as client:
        one = client.connect(zmq.SUB, server.endpoints.feed, topics=[b"v1/roulette-1/"])
        join(server, one, b"v1/roulette-1/heartbeat/")
        server.publish(b"v1/roulette-10/round.opened/", b"other")
        server.publish(b"v1/roulette-1/round.opened/", b"own")
        assert one.poll(HANG_MS)
        assert one.recv_multipart() == [b"v1/roulette-1/round.opened/", b"own"]


def test_subscriptions_and_connections_are_counted_up_and_down(folder: Path) -> None:
    with feed_server(local(folder)) as server:
        with Client() as first, Client() as second:
            one = first.connect(zmq.SUB, server.endpoints.feed, topics=[b"a/", b"b/"])
            two = second.connect(zmq.SUB, server.endpoints.feed, topics=[b"a/"])
            join(server, one, b"b/")
            join(server, two, b"a/")
            assert server.do(lambda: (server.publisher.subscriptions, server.publisher.socket.connections)) == (3, 2)
        while server.do(lambda: (server.publisher.subscriptions, server.publisher.socket.connections)) != (0, 0):
            server.publish(b"t/", b"")


def test_a_connection_is_counted_before_its_first_message_is_read(folder: Path) -> None:
    with feed_server(local(folder)) as server, Client() as client:
        socket = server.publisher.socket

        def joined_in_one_turn() -> tuple[int, int]:
            client.connect(zmq.SUB, server.endpoints.feed, topics=[b"t/"])
            assert socket.raw.poll(HANG_MS)
            server.publisher.poke()
            return server.publisher.subscriptions, socket.connections

        assert server.do(joined_in_one_turn) == (1, 1)


def test_a_message_that_is_no_subscription_is_counted_and_ignored(folder: Path) -> None:
    with feed_server(local(folder)) as server, Client() as client:
        rude = client.connect(zmq.XSUB, server.endpoints.feed)
        for message in ([b"\x07hello"], [b""], [b"\x02", b"a", b"b"]):
            rude.send_multipart(message)
        rude.send(b"\x01" + b"t" * 1000)
        rude.send(b"\x01t/")
        join(server, rude, b"t/")
        # libzmq itself drops what follows the first frame; all the rest is counted.
        assert server.do(lambda: server.publisher.malformed) >= 3
        assert server.do(lambda: server.publisher.subscriptions) == 1


def test_every_verb_is_answered(folder: Path) -> None:
    with feed_server(local(folder), ListHistory(wheel=3)) as server, Client() as client:
        asker = client.connect(zmq.DEALER, server.endpoints.history)
        assert ask(asker, b"1", b"tables") == [[b"1", b"tables", b'{"tables":["wheel"]}']]
        assert ask(asker, b"2", b"snapshot", b"wheel") == [[b"2", b"snapshot", b'{"seq":3}']]
        assert ask(asker, b"3", b"schema") == [[b"3", b"schema", b'{"a":1}']]
        *events, end = ask(asker, b"4", b"since", b"wheel", b"e1", b"1")
        assert events == [[b"4", b"event", *ListHistory.event("wheel", seq)] for seq in (2, 3)]
        assert end[:2] == [b"4", b"done"]
        assert msgspec.json.decode(end[2]) == {"table": "wheel", "epoch": "e1", "last": 3, "head": "ab", "from": 1}


def test_a_request_that_cannot_be_answered_is_refused_with_a_reason(folder: Path) -> None:
    with feed_server(local(folder), ListHistory(wheel=3)) as server, Client() as client:
        asker = client.connect(zmq.DEALER, server.endpoints.history)
        assert refusal(ask(asker, b"1", b"snapshot", b"other")[0]) == UNKNOWN_TABLE
        assert refusal(ask(asker, b"2", b"since", b"other", b"", b"0")[0]) == UNKNOWN_TABLE
        (beyond,) = ask(asker, b"3", b"since", b"wheel", b"e1", b"4")
        answer = decode_answer(beyond)
        assert isinstance(answer, ErrorAnswer)
        assert (answer.refusal.code, answer.refusal.last, answer.refusal.head) == (REWRITTEN, 3, "ab")
        assert refusal(ask(asker, b"4", b"since", b"wheel", b"e0", b"2")[0]) == REWRITTEN
        assert refusal(ask(asker, b"5", b"give", b"wheel")[0]) == BAD_REQUEST
        server.source.broken = True
        assert refusal(ask(asker, b"6", b"tables")[0]) == UNAVAILABLE
        server.source.broken = False
        assert ask(asker, b"7", b"tables")[0][1] == b"tables"


def test_a_long_history_is_answered_in_pages(folder: Path) -> None:
    count = 2 * PAGE_EVENTS + 17
    with feed_server(local(folder), ListHistory(wheel=count)) as server, Client() as client:
        asker = client.connect(zmq.DEALER, server.endpoints.history)
        seq, pages = 0, 0
        while True:
            got = ask(asker, b"%d" % pages, *encode_request(AskSince(b"x", "wheel", "", seq))[1:])
            pages += 1
            for frames in got[:-1]:
                event = decode_answer(frames)
                assert isinstance(event, EventAnswer)
                seq += 1
                assert (event.topic, event.body) == ListHistory.event("wheel", seq)
            assert len(got) - 1 <= PAGE_EVENTS
            end = decode_answer(got[-1])
            assert isinstance(end, EndAnswer)
            if not end.more:
                break
        assert (seq, pages) == (count, 3)


def test_a_client_that_floods_is_answered_busy_and_another_is_served_in_turn(folder: Path) -> None:
    flood = 3 * REQUESTS_PER_CLIENT
    history = ListHistory(wheel=1)
    history.gate = threading.Event()
    with feed_server(local(folder), history) as server, Client() as rude, Client() as polite:
        flooder = rude.connect(zmq.DEALER, server.endpoints.history)
        asker = polite.connect(zmq.DEALER, server.endpoints.history)
        flooder.send_multipart([b"0", b"snapshot", b"wheel"])
        while not history.asked:
            server.do(lambda: None)
        for k in range(1, flood):
            flooder.send_multipart([b"%d" % k, b"snapshot", b"wheel"])
        # One is being read and waits at the gate, as many as may wait in the queue.
        for _ in range(flood - 1 - REQUESTS_PER_CLIENT):
            assert flooder.poll(HANG_MS)
            assert refusal(flooder.recv_multipart()) == BUSY
        asker.send_multipart([b"p", b"tables"])
        while server.do(lambda: server.history.waiting) < REQUESTS_PER_CLIENT + 1:
            pass
        assert len(history.asked) == 1
        history.gate.set()
        assert answers(asker)[0][:2] == [b"p", b"tables"]
        # After what was being read and one more of the flooder's.
        assert history.asked.index(("tables",)) == 2
        for _ in range(1 + REQUESTS_PER_CLIENT):
            assert answers(flooder)[0][1] == b"snapshot"
        assert server.do(lambda: server.history.busy) == flood - 1 - REQUESTS_PER_CLIENT


def test_a_client_that_does_not_read_loses_answers_and_delays_nobody(folder: Path) -> None:
    history = ListHistory(wheel=PAGE_EVENTS)
    history.events["wheel"] = [(topic, body.ljust(4000)) for topic, body in history.events["wheel"]]
    with feed_server(local(folder), history) as server, Client() as deaf, Client() as polite:
        silent = deaf.connect(zmq.DEALER, server.endpoints.history, options=[(zmq.RCVHWM, 1), (zmq.SNDHWM, 0)])
        asker = polite.connect(zmq.DEALER, server.endpoints.history)
        asked = 0
        while server.do(lambda: server.history.unread) == 0:
            silent.send_multipart([b"%d" % asked, b"since", b"wheel", b"", b"0"])
            asked += 1
            assert len(ask(asker, b"p", b"since", b"wheel", b"", b"0")) == PAGE_EVENTS + 1
            assert asked < 1000


def test_disconnected_clients_are_forgotten(folder: Path) -> None:
    history = ListHistory(wheel=PAGE_EVENTS)
    history.gate = threading.Event()
    with feed_server(local(folder), history) as server, Client() as polite:
        with Client() as leaving:
            gone = leaving.connect(zmq.DEALER, server.endpoints.history)
            for k in range(3):
                gone.send_multipart([b"%d" % k, b"since", b"wheel", b"", b"0"])
            while server.do(lambda: server.history.waiting) < 2:
                pass
        while server.do(lambda: server.history.socket.connections):
            pass
        history.gate.set()
        asker = polite.connect(zmq.DEALER, server.endpoints.history)
        assert len(ask(asker, b"p", b"since", b"wheel", b"", b"0")) == PAGE_EVENTS + 1
        assert server.do(lambda: server.history.waiting) == 0


def test_the_folder_of_sockets_is_made_for_its_owner_only(folder: Path) -> None:
    with feed_server(local(folder)):
        assert (folder / "run").stat().st_mode & 0o777 == 0o700


def test_a_folder_that_systemd_made_for_everybody_is_refused_with_the_setting_that_mends_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "run").mkdir()
    (folder / "run").chmod(0o755)
    monkeypatch.setenv("RUNTIME_DIRECTORY", f"/run/other:{folder / 'run'}")
    with (
        pytest.raises(EndpointError, match=r"set RuntimeDirectoryMode=0700 beside RuntimeDirectory= in the unit"),
        feed_server(local(folder)),
    ):
        pass


def test_a_folder_that_everybody_may_enter_is_refused(folder: Path) -> None:
    (folder / "run").mkdir()
    (folder / "run").chmod(0o755)
    with (
        pytest.raises(EndpointError, match=r"everybody on this computer may enter .* chmod o-rwx"),
        feed_server(local(folder)),
    ):
        pass


def test_a_folder_of_another_user_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "run").mkdir(mode=0o700)
    stranger = os.geteuid() + 1
    if os.geteuid() == 0:
        os.chown(folder / "run", stranger, -1)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: stranger)
    with pytest.raises(EndpointError, match="belongs to another user"), feed_server(local(folder)):
        pass


def test_a_socket_that_a_killed_service_left_is_replaced(folder: Path) -> None:
    (folder / "run").mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(folder / "run" / "feed"))
    with feed_server(local(folder)) as server, Client() as client:
        join(server, client.connect(zmq.SUB, server.endpoints.feed))


def test_a_second_service_at_the_same_address_is_refused_and_the_first_continues(folder: Path) -> None:
    with feed_server(local(folder)) as first, Client() as client:
        with pytest.raises(EndpointError, match=r"a service is running at .*/feed already"), feed_server(local(folder)):
            pass
        join(first, client.connect(zmq.SUB, first.endpoints.feed))


def test_a_file_that_is_no_socket_is_not_removed(folder: Path) -> None:
    (folder / "run").mkdir(mode=0o700)
    (folder / "run" / "feed").write_text("mine")
    with pytest.raises(EndpointError, match="is there and is not a socket"), feed_server(local(folder)):
        pass
    assert (folder / "run" / "feed").read_text() == "mine"


def test_a_port_in_use_is_an_error_that_names_it(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        where = Endpoints(f"tcp://127.0.0.1:{port}", "tcp://127.0.0.1:*", "")
        taken_error = f"feed: tcp://127.0.0.1:{port} cannot be bound: Address already in use"
        with pytest.raises(EndpointError, match=taken_error), feed_server(where, keys=Keys(tmp_path)):
            pass
    assert list(tmp_path.iterdir()) == []


def test_a_flood_that_nobody_has_looked_at_does_not_hang_the_closing(folder: Path) -> None:
    """libzmq's I/O thread reports connections under a lock that the closing takes: it must never wait for room."""
    endpoint = f"ipc://{folder}/run/feed"

    async def main() -> int:
        with zmq.Context() as context:
            server = ServerSocket(context, zmq.XPUB, endpoint, lambda frames: None, name="feed")
            server.bind()
            # The loop has no turn meanwhile: the events of all these wait.
            for _ in range(STRANGERS):
                with socket.socket(socket.AF_UNIX) as stranger:
                    stranger.connect(endpoint.removeprefix("ipc://"))
            server.close()
        return STRANGERS

    assert asyncio.run(main()) == STRANGERS


def test_every_connection_of_a_flood_is_seen_once_the_loop_has_its_turn(folder: Path) -> None:
    endpoint = f"ipc://{folder}/run/feed"

    async def main() -> None:
        with zmq.Context() as context, ExitStack() as strangers:
            server = ServerSocket(context, zmq.XPUB, endpoint, lambda frames: None, name="feed")
            server.bind()
            for _ in range(200):
                stranger = strangers.enter_context(socket.socket(socket.AF_UNIX))
                stranger.connect(endpoint.removeprefix("ipc://"))
            while server.connections < 200:
                await sleep_ns(0)
            server.end_connections("a test ends them")
            while server.connections:
                await sleep_ns(0)
            assert server.problem is None
            server.close()

    asyncio.run(main())
