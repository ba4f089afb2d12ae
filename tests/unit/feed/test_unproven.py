"""The bound on connections that have proved nothing, and the real descriptors that it shuts down."""

from __future__ import annotations

import errno
import resource
import socket

import zmq

from feed.monitor import Connections, MonitorEvent
from feed.unproven import ConnectionIdentity, UnprovenConnections, end_connection, first_reserved, identity_of


class Ended:
    """Notes what was ended, instead of ending it."""

    def __init__(self) -> None:
        self.descriptors: list[int] = []

    def __call__(self, descriptor: int, identity: ConnectionIdentity) -> bool:
        self.descriptors.append(descriptor)
        return True


def bounded(most: int, ended: Ended, reserved: int = 1000) -> UnprovenConnections:
    return UnprovenConnections(
        most, identify=lambda descriptor: ConnectionIdentity(descriptor, "here"), end=ended, reserved=lambda: reserved
    )


def test_beyond_the_bound_the_oldest_of_the_peer_with_the_most_is_ended() -> None:
    ended = Ended()
    unproven = bounded(4, ended)
    for descriptor, peer in ((1, "board"), (2, "stranger"), (3, "stranger"), (4, "board")):
        assert unproven.accepted(descriptor, peer) == []
    assert unproven.accepted(5, "stranger") == [(2, "stranger")]
    assert unproven.accepted(6, "stranger") == [(3, "stranger")]
    assert ended.descriptors == [2, 3]
    assert len(unproven) == 4


def test_what_has_proved_something_does_not_count() -> None:
    ended = Ended()
    unproven = bounded(2, ended)
    for descriptor in range(20):
        unproven.accepted(descriptor, "hall")
        unproven.remove(descriptor)
    assert ended.descriptors == []
    assert len(unproven) == 0


def test_what_outlives_a_handshake_has_completed_it() -> None:
    ended = Ended()
    unproven = bounded(10, ended)
    unproven.accepted(1, "hall")
    unproven.end_generation()
    unproven.accepted(2, "hall")
    assert len(unproven) == 2, "the second generation may still shake hands"
    unproven.end_generation()
    assert len(unproven) == 1
    unproven.end_generation()
    assert len(unproven) == 0


def test_the_highest_descriptors_stay_free() -> None:
    ended = Ended()
    unproven = bounded(100, ended, reserved=50)
    unproven.accepted(49, "stranger")
    assert ended.descriptors == []
    assert unproven.accepted(50, "stranger") == [(49, "stranger")]
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert first_reserved() < soft or soft == resource.RLIM_INFINITY


def test_without_a_descriptor_all_of_them_are_ended_and_reported() -> None:
    told: list[str] = []
    ended = Ended()
    connections = Connections(told.append, peer=lambda descriptor: "10.0.0.9", unproven=bounded(100, ended))
    for descriptor in (7, 8):
        connections.handle(MonitorEvent(zmq.Event.ACCEPTED, descriptor))
    connections.handle(MonitorEvent(zmq.Event.ACCEPT_FAILED, errno.EMFILE))
    assert ended.descriptors == [7, 8]
    assert connections.ended == 2
    assert told == ["10.0.0.9: too many connections that have shown no key; the oldest are ended"] * 2 + [
        "a connection could not be accepted: Too many open files"
    ]
    # That it then "hung up" is our doing, and is not reported as its own.
    connections.handle(MonitorEvent(zmq.Event.HANDSHAKE_FAILED_NO_DETAIL, errno.EPIPE))
    connections.handle(MonitorEvent(zmq.Event.DISCONNECTED, 7))
    assert len(told) == 3


def test_only_the_connection_that_was_accepted_is_shut_down() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        client = socket.create_connection(listener.getsockname())
        accepted, _ = listener.accept()
        identity = identity_of(accepted.fileno())
        assert identity is not None
        other = identity._replace(inode=identity.inode + 1)
        assert not end_connection(accepted.fileno(), other), "another connection has the descriptor by now"
        client.send(b"x")
        assert accepted.recv(1) == b"x"
        assert end_connection(accepted.fileno(), identity)
        assert client.recv(1) == b""
        client.close()
        accepted.close()
    assert identity_of(1 << 20) is None
