"""Bounds the prefixes that each subscriber asks for, and holds off whoever asks for too many.

libzmq needs some 45 bytes for each byte of a prefix (measured), and sets no bound. One peer that asks for 100,000 must
not cost the others their connections: its own are ended, and what it asks for until it is released ends them again.

A peer is the owner of a key, or a process of this computer. Descriptors are checked to be still that peer's before they
are shut down: a message may wait in libzmq while another connection gets the descriptor of the one that it came from.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from feed.monitor import peer_ip
from feed.unproven import with_connection

MAX_TOPICS: Final = 4_000
MAX_TOPIC_BYTES: Final = 128 * 1024
"""The bound on different prefixes of one peer (ours): 64 tables with every kind of event, twice."""
MOST_PEERS: Final = 16
"""This many times the bound of one peer is that of all together (ours): some 100 MB in libzmq. Beyond it, the peer with
the most is held off."""
HOLD_S: Final = 60.0
"""How long a peer that asked for too many is held off (ours)."""


_CREDENTIALS: Final = struct.Struct("3i")
"""Process, user and group, as Linux has them of the other end of a Unix socket."""


class Peer(NamedTuple):
    """Where a message came from."""

    name: str
    """The key's public half; without keys, user and process of this computer."""
    address: str
    """As libzmq has it: an IP address, or `HOST:UID:GID:PID` of a process of this computer."""
    descriptor: int
    """Of its connection; -1 where libzmq does not report it."""


@dataclass
class _Held:
    topics: set[bytes] = field(default_factory=set)
    size: int = 0
    connections: dict[int, str] = field(default_factory=dict)
    """By descriptor, the address at its other end."""


class PrefixBudget:
    """What each peer has subscribed to."""

    def __init__(self, end: Callable[[int, str], bool] | None = None) -> None:
        """`end` shuts a connection down, if its descriptor is still that of the address."""
        self._end = end_if_still_of if end is None else end
        self._peers: dict[str, _Held] = {}
        self._held_off: set[str] = set()

    def subscribed(self, peer: Peer, topic: bytes) -> str | None:
        """Takes note of a subscription; returns the peer whose connections were ended for it, None where none were."""
        if peer.name in self._held_off:
            self._end(peer.descriptor, peer.address)
            return peer.name
        held = self._peers.setdefault(peer.name, _Held())
        held.connections[peer.descriptor] = peer.address
        if topic not in held.topics:
            held.topics.add(topic)
            held.size += len(topic)
        if len(held.topics) > MAX_TOPICS or held.size > MAX_TOPIC_BYTES:
            return self._hold_off(peer.name)
        if len(self._peers) > MOST_PEERS and self._is_too_much():
            return self._hold_off(max(self._peers, key=lambda name: self._peers[name].size))
        return None

    def unsubscribed(self, peer: Peer, topic: bytes) -> None:
        """Takes note that a peer gave a prefix back."""
        held = self._peers.get(peer.name)
        if held is not None and topic in held.topics:
            held.topics.remove(topic)
            held.size -= len(topic)

    def disconnected(self, descriptor: int) -> None:
        """A connection is gone, and with the last of a peer all that it had subscribed to."""
        for name, held in [*self._peers.items()]:
            held.connections.pop(descriptor, None)
            if not held.connections:
                del self._peers[name]

    def _is_too_much(self) -> bool:
        topics = sum(len(held.topics) for held in self._peers.values())
        return topics > MOST_PEERS * MAX_TOPICS or (
            sum(held.size for held in self._peers.values()) > MOST_PEERS * MAX_TOPIC_BYTES
        )

    def is_held_off(self, name: str) -> bool:
        """Whether the connections of a peer are ended as soon as it subscribes."""
        return name in self._held_off

    def release(self, name: str) -> None:
        """Ends the hold: the peer may try again."""
        self._held_off.discard(name)

    def _hold_off(self, name: str) -> str:
        self._held_off.add(name)
        for descriptor, address in self._peers.pop(name).connections.items():
            self._end(descriptor, address)
        return name


def end_if_still_of(descriptor: int, address: str) -> bool:
    """Shuts a connection down, if the descriptor is still that of a connection to this address; returns whether."""

    def end(connection: socket.socket) -> bool:
        if not _is_of(connection, address):
            return False
        connection.shutdown(socket.SHUT_RDWR)
        return True

    return with_connection(descriptor, end) or False


def _is_of(connection: socket.socket, address: str) -> bool:
    if connection.family != socket.AF_UNIX:
        return peer_ip(connection) == address.removeprefix("::ffff:")
    size = _CREDENTIALS.size
    process, user, group = _CREDENTIALS.unpack(connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))
    return address.endswith(f":{user}:{group}:{process}")
