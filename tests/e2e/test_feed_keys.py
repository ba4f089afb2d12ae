"""Keys over real sockets: only an allowed key connects, and the log names who was refused and why."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import zmq

from feed.allow_list import Allowed, allow, revoke
from feed.endpoints import EndpointError, Endpoints
from feed.keys import ClientCurve, new_pair
from feed.prefixes import MAX_TOPIC_BYTES, MAX_TOPICS
from tests.fakes.feed_server import (
    Client,
    FeedServer,
    Keys,
    ListHistory,
    LogLines,
    ask,
    feed_server,
    log_lines,
    short_folder,
)
from tests.fakes.time_limits import HANG_S

ANY_PORT = Endpoints.parse("tcp://127.0.0.1:*")
NOTHING_MS = 150
"""How long a refused client is watched after the server has refused it: what it must not get would be there."""


@pytest.fixture
def keys(tmp_path: Path) -> Keys:
    return Keys(tmp_path)


@pytest.fixture
def log() -> Iterator[LogLines]:
    with log_lines() as lines:
        yield lines


def published_until_received(server: FeedServer, subscriber: zmq.Socket[bytes]) -> list[bytes]:
    """Publishes until the subscription has come through; returns what was received."""
    server.publish(b"v1/t/heartbeat/", b"{}")
    while not subscriber.poll(20):
        server.publish(b"v1/t/heartbeat/", b"{}")
    return subscriber.recv_multipart()


def gets_nothing(server: FeedServer, client: Client, curve: ClientCurve | None, log: LogLines, cause: str) -> str:
    """Checks that a client gets no event and no answer, and returns the line that the log has of it."""
    subscriber = client.connect(zmq.SUB, server.endpoints.feed, curve)
    line = log.wait_for(cause)
    asker = client.connect(zmq.DEALER, server.endpoints.history, curve)
    server.publish(b"v1/t/heartbeat/", b"{}")
    assert ask(asker, b"1", b"tables", patience_ms=NOTHING_MS) == []
    server.publish(b"v1/t/heartbeat/", b"{}")
    assert subscriber.poll(NOTHING_MS) == 0
    assert server.source.asked == []
    assert server.do(lambda: server.publisher.subscriptions) == 0
    return line


def test_an_allowed_read_only_key_gets_events_and_history(keys: Keys, log: LogLines) -> None:
    curve = keys.client("board-1")
    with feed_server(ANY_PORT, ListHistory(wheel=3), keys) as server, Client() as client:
        subscriber = client.connect(zmq.SUB, server.endpoints.feed, curve)
        assert published_until_received(server, subscriber) == [b"v1/t/heartbeat/", b"{}"]
        asker = client.connect(zmq.DEALER, server.endpoints.history, curve)
        answer = ask(asker, b"1", b"since", b"wheel", b"", b"0")
        assert [message[1] for message in answer] == [b"event"] * 3 + [b"done"]
        assert server.do(lambda: server.publisher.subscriptions) == 1
        log.wait_for("feed: board-1 subscribes to")


def test_an_unknown_key_gets_nothing_and_is_named_by_its_address_and_key(keys: Keys, log: LogLines) -> None:
    keys.client("board-1")
    stranger = ClientCurve(new_pair("stranger"), keys.server.public)
    with feed_server(ANY_PORT, ListHistory(wheel=3), keys) as server, Client() as client:
        line = gets_nothing(server, client, stranger, log, "unknown key")
        assert line == f"127.0.0.1: unknown key {stranger.pair.public[:8]}…"


def test_a_client_with_another_servers_key_gets_nothing(keys: Keys, log: LogLines) -> None:
    wrong = ClientCurve(keys.client("board-1").pair, new_pair("other").public)
    with feed_server(ANY_PORT, ListHistory(wheel=3), keys) as server, Client() as client:
        # One that hangs up before the server has looked has no address; it knocks again, and is named then.
        gets_nothing(server, client, wrong, log, "feed: 127.0.0.1: wrong server key")


def test_a_client_without_a_key_gets_nothing(keys: Keys, log: LogLines) -> None:
    keys.client("board-1")
    with feed_server(ANY_PORT, ListHistory(wheel=3), keys) as server, Client() as client:
        line = gets_nothing(server, client, None, log, "feed: ")
        # Client and server both see that they cannot talk; who hangs up first decides what the server knows.
        assert "no key: it speaks without CURVE" in line or "most likely it has none" in line


def test_a_client_without_curve_is_named_by_its_address(keys: Keys, log: LogLines) -> None:
    greeting = b"\xff" + bytes(8) + b"\x7f" + b"\x03\x00" + b"NULL".ljust(20, b"\0") + bytes(32)
    with feed_server(ANY_PORT, ListHistory(wheel=3), keys) as server:
        host, _, port = server.endpoints.feed.removeprefix("tcp://").partition(":")
        with socket.create_connection((host, int(port))) as plain:
            plain.settimeout(HANG_S)
            # The server's own greeting has come: it has seen who is there.
            assert plain.recv(1)
            while server.do(lambda: server.publisher.socket.connections) == 0:
                pass
            plain.sendall(greeting)
            assert log.wait_for("no key") == "feed: 127.0.0.1: no key: it speaks without CURVE"


def test_a_revoked_key_gets_nothing_and_is_named_by_its_owner(keys: Keys, log: LogLines) -> None:
    curve = keys.client("board-1")
    revoke(keys.allowed, "board-1")
    with feed_server(ANY_PORT, ListHistory(wheel=3), keys) as server, Client() as client:
        line = gets_nothing(server, client, curve, log, "revoked")
        assert line == "127.0.0.1: the key of board-1 is revoked"


def test_without_a_folder_of_keys_nobody_gets_anything(keys: Keys, log: LogLines) -> None:
    curve = keys.client("board-1")
    shutil.rmtree(keys.allowed)
    with feed_server(ANY_PORT, ListHistory(wheel=3), keys) as server, Client() as client:
        told = log.wait_for("every key is refused")
        assert str(keys.allowed) in told and "No such file" in told
        line = gets_nothing(server, client, curve, log, "127.0.0.1")
        assert line == f"127.0.0.1: the allow-list {keys.allowed} cannot be read, so every key is refused"


def test_without_an_authenticator_every_client_is_refused(keys: Keys, log: LogLines) -> None:
    curve = keys.client("board-1")
    with feed_server(ANY_PORT, ListHistory(wheel=3), keys, authenticate=False) as server, Client() as client:
        line = gets_nothing(server, client, curve, log, "nobody checks keys")
        assert "the authenticator does not run" in line


def test_after_the_authenticator_stops_every_new_client_is_refused(keys: Keys, log: LogLines) -> None:
    curve = keys.client("board-1")
    with feed_server(ANY_PORT, ListHistory(wheel=3), keys) as server, Client() as client:
        assert server.authenticator is not None
        server.do(server.authenticator.stop)
        gets_nothing(server, client, curve, log, "nobody checks keys")


def test_revoking_a_key_ends_its_connection_and_the_others_come_back(keys: Keys, log: LogLines) -> None:
    stays, goes = keys.client("board-1"), keys.client("board-2")
    with feed_server(ANY_PORT, ListHistory(wheel=3), keys) as server, Client() as one, Client() as two:
        kept = one.connect(zmq.SUB, server.endpoints.feed, stays)
        lost = two.connect(zmq.SUB, server.endpoints.feed, goes)
        asker = two.connect(zmq.DEALER, server.endpoints.history, goes)
        published_until_received(server, kept)
        published_until_received(server, lost)
        assert ask(asker, b"1", b"tables")[0][1] == b"tables"
        authenticator = server.authenticator
        assert authenticator is not None
        assert not server.do(authenticator.reload_if_changed)
        revoke(keys.allowed, "board-2")
        assert server.do(authenticator.reload_if_changed)
        log.wait_for("board-2: no longer allowed")
        log.wait_for("127.0.0.1: the key of board-2 is revoked")
        while lost.poll(0):
            lost.recv_multipart()
        # The kept one reconnects by itself, and what is published then reaches it alone.
        while kept.poll(0):
            kept.recv_multipart()
        published_until_received(server, kept)
        assert lost.poll(NOTHING_MS) == 0
        asked = len(server.source.asked)
        assert ask(asker, b"2", b"tables", patience_ms=NOTHING_MS) == []
        assert len(server.source.asked) == asked
        assert server.do(lambda: server.publisher.socket.problem) is None


GREEDY = """
import sys, zmq
socket = zmq.Context().socket(zmq.XSUB)
socket.setsockopt(zmq.SNDHWM, 0)
socket.connect(sys.argv[1])
for number in range(int(sys.argv[3])):
    socket.send(b"\\x01" + sys.argv[2].encode() % number)
while True:
    socket.recv()
"""
"""Asks for many prefixes, from a process of its own, and again each time it is disconnected: as SUB sockets do."""


@pytest.mark.parametrize("asked", [("%d/", MAX_TOPICS + 1), ("%d/" + "t" * 240, MAX_TOPIC_BYTES // 240)])
def test_a_process_with_too_many_prefixes_is_held_off_and_no_other_is_disconnected(
    log: LogLines, asked: tuple[str, int]
) -> None:
    prefix, count = asked
    with ExitStack() as held:
        server = held.enter_context(
            feed_server(Endpoints.parse(f"ipc://{held.enter_context(short_folder())}/run"), ListHistory())
        )
        kept = held.enter_context(Client()).connect(zmq.SUB, server.endpoints.feed)
        ended = held.enter_context(kept.get_monitor_socket(int(zmq.Event.DISCONNECTED)))
        published_until_received(server, kept)
        command = [sys.executable, "-c", GREEDY, server.endpoints.feed, prefix, str(count)]
        with subprocess.Popen(command) as greedy:
            held.callback(greedy.kill)
            named = f"feed: process {greedy.pid} of this computer asked for too many prefixes"
            assert log.wait_for("asked for too many").startswith(named)
            log.wait_for("(10 times by now)")
            published_until_received(server, kept)
            greedy.kill()
        assert not ended.poll(0)


def test_a_key_with_too_many_prefixes_is_held_off_and_no_other_is_disconnected(keys: Keys, log: LogLines) -> None:
    good, greedy = keys.client("board-1"), keys.client("board-2")
    with ExitStack() as held:
        server = held.enter_context(feed_server(ANY_PORT, ListHistory(), keys))
        kept = held.enter_context(Client()).connect(zmq.SUB, server.endpoints.feed, good)
        ended = held.enter_context(kept.get_monitor_socket(int(zmq.Event.DISCONNECTED)))
        published_until_received(server, kept)
        options = [(zmq.SNDHWM, 0)]
        other = held.enter_context(Client())
        socket = other.connect(zmq.XSUB, server.endpoints.feed, greedy, options=options)
        for number in range(MAX_TOPICS + 1):
            socket.send(b"\x01%d/" % number)
        assert log.wait_for("asked for too many").startswith("feed: board-2 asked for too many prefixes")
        published_until_received(server, kept)
        assert not ended.poll(0)


def test_a_client_that_reconnects_adds_no_prefix(keys: Keys) -> None:
    curve = keys.client("board-1")
    with feed_server(ANY_PORT, ListHistory(), keys) as server, Client() as client:
        subscriber = client.connect(zmq.XSUB, server.endpoints.feed, curve, options=[(zmq.SNDHWM, 0)])
        for _ in range(MAX_TOPICS):
            subscriber.send(b"\x01v1/wheel-1/")
            subscriber.send(b"\x00v1/wheel-1/")
        subscriber.send(b"\x01v1/t/")
        subscriber.send(b"\x01v1/last/")
        # Two stand only after the last message: before it there was one at most.
        while server.do(lambda: server.publisher.subscriptions) < 2:
            server.publish(b"v1/t/heartbeat/", b"{}")
        published_until_received(server, subscriber)
        assert server.do(lambda: server.publisher.socket.connections) == 1


def test_an_address_taken_while_connections_are_ended_is_reported_and_tried_again(keys: Keys, log: LogLines) -> None:
    curve = keys.client("board-1")
    with feed_server(ANY_PORT, ListHistory(wheel=3), keys) as server, Client() as client:
        host, _, port = server.endpoints.feed.removeprefix("tcp://").partition(":")
        thief = socket.socket()

        def steal() -> None:
            server.publisher.socket.drop_connections()
            while True:
                try:
                    thief.bind((host, int(port)))
                except OSError:
                    continue
                thief.listen()
                return

        with thief:
            server.do(steal)
            line = log.wait_for("cannot be bound again")
            assert line.endswith("Address already in use; restart the service")
            assert server.do(lambda: server.publisher.socket.problem) == line
        server.do(server.publisher.socket.drop_connections)
        assert server.do(lambda: server.publisher.socket.problem) is None
        published_until_received(server, client.connect(zmq.SUB, server.endpoints.feed, curve))


def test_a_key_allowed_while_the_service_runs_connects_without_a_restart(keys: Keys, log: LogLines) -> None:
    keys.client("board-1")
    with feed_server(ANY_PORT, ListHistory(wheel=3), keys) as server, Client() as client:
        curve = keys.client("board-2", role=None)
        subscriber = client.connect(zmq.SUB, server.endpoints.feed, curve)
        log.wait_for("unknown key")
        allow(keys.allowed, Allowed(name="board-2", public=curve.pair.public, role="read-only"))
        assert server.authenticator is not None
        assert server.do(server.authenticator.reload_if_changed)
        log.wait_for("board-2: allowed as read-only")
        # It knocks again by itself when its unfinished handshake is cut.
        published_until_received(server, subscriber)


def test_a_refused_client_that_tries_again_does_not_fill_the_log(keys: Keys, log: LogLines) -> None:
    keys.client("board-1")
    stranger = ClientCurve(new_pair("stranger"), keys.server.public)
    with feed_server(ANY_PORT, ListHistory(), keys) as server, Client() as client:
        for _ in range(10):
            client.connect(zmq.SUB, server.endpoints.feed, stranger)
        assert log.wait_for("10 times by now").startswith("127.0.0.1: unknown key")
        assert sum("unknown key" in seen for seen in log.seen) == 2


def test_the_network_is_never_served_without_keys() -> None:
    with (
        pytest.raises(
            EndpointError, match=r"feed: tcp://127\.0\.0\.1:\* is open to the network, so it needs a server key"
        ),
        feed_server(ANY_PORT),
    ):
        pass
