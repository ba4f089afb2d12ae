"""Bounds the connections of one socket that have not proved anything yet, so that no stranger uses up the descriptors.

    accepted ──► unproven ──a message came from it, or it outlived the handshake's time──► proven: not counted
                     └──too many, or descriptors run short──► ended, the oldest of the peer with the most first

libzmq ends a connection without a complete handshake after `HANDSHAKE_MS`, and bounds neither their number nor its own
descriptors. It has no call that ends a connection either: its descriptor is shut down here, and libzmq then closes it.
"""

from __future__ import annotations

import os
import resource
import socket
from collections import Counter
from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeVar

_T = TypeVar("_T")

MAX_UNPROVEN: Final = 256
"""Unproven connections of one socket (ours): three sockets with as many stay below the 1,024 descriptors that a process
has where nobody raises the limit."""
RESERVED: Final = 64
"""The highest descriptors, which no unproven connection keeps (ours): files and ports are opened with them."""
_NO_LIMIT: Final = 1 << 31


class ConnectionIdentity(NamedTuple):
    """What distinguishes a connection from a later one with the same descriptor."""

    inode: int
    address: Any
    """Of this computer's end."""


def identity_of(descriptor: int) -> ConnectionIdentity | None:
    """The identity of an open connection; None where it is gone."""
    return with_connection(descriptor, _identity)


def end_connection(descriptor: int, identity: ConnectionIdentity) -> bool:
    """Shuts a connection down, if the descriptor is still this connection's; returns whether it was."""

    def end(connection: socket.socket) -> bool:
        if _identity(connection) != identity:
            return False
        connection.shutdown(socket.SHUT_RDWR)
        return True

    return with_connection(descriptor, end) or False


def first_reserved() -> int:
    """The lowest of the descriptors that are kept free."""
    try:
        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    except OSError:
        # Refused by a filter of system calls: only the number of connections bounds them then.
        return _NO_LIMIT
    return _NO_LIMIT if soft == resource.RLIM_INFINITY else soft - RESERVED


class UnprovenConnections:
    """The unproven connections of one socket, the oldest first."""

    def __init__(
        self,
        most: int = MAX_UNPROVEN,
        *,
        identify: Callable[[int], ConnectionIdentity | None] = identity_of,
        end: Callable[[int, ConnectionIdentity], bool] = end_connection,
        reserved: Callable[[], int] = first_reserved,
    ) -> None:
        """`most` is the number that may be there at once."""
        self._most = most
        self._identify = identify
        self._end = end
        self._reserved = reserved
        self._connections: dict[int, tuple[str, ConnectionIdentity]] = {}
        self._of_peer: Counter[str] = Counter()
        self._older: set[int] = set()
        """Those that were there when the last generation ended."""

    def __len__(self) -> int:
        return len(self._connections)

    def accepted(self, descriptor: int, peer: str) -> list[tuple[int, str]]:
        """Adds a connection; returns descriptor and peer of those that were ended, because there are too many."""
        self.remove(descriptor)
        identity = self._identify(descriptor)
        if identity is None:
            return []
        self._connections[descriptor] = (peer, identity)
        self._of_peer[peer] += 1
        if len(self._connections) <= self._most and descriptor < self._reserved():
            return []
        return self._ended([self._oldest()])

    def end_all(self) -> list[tuple[int, str]]:
        """Ends all of them: no descriptor is left. Returns descriptor and peer of each."""
        return self._ended([*self._connections])

    def remove(self, descriptor: int) -> None:
        """A connection has proved something, or is gone."""
        known = self._connections.pop(descriptor, None)
        self._older.discard(descriptor)
        if known is not None:
            self._of_peer[known[0]] -= 1
            if not self._of_peer[known[0]]:
                del self._of_peer[known[0]]

    def end_generation(self) -> None:
        """To be called at intervals longer than a handshake may take: those that were there at the last call have
        completed it, or libzmq would have ended them.
        """
        for descriptor in [*self._older]:
            self.remove(descriptor)
        self._older = set(self._connections)

    def clear(self) -> None:
        """All connections are gone."""
        self._connections.clear()
        self._of_peer.clear()
        self._older.clear()

    def _oldest(self) -> int:
        """The oldest connection of the peer that has the most."""
        most = max(self._of_peer.values())
        return next(one for one, (peer, _) in self._connections.items() if self._of_peer[peer] == most)

    def _ended(self, descriptors: list[int]) -> list[tuple[int, str]]:
        ended = []
        for descriptor in descriptors:
            peer, identity = self._connections[descriptor]
            self.remove(descriptor)
            if self._end(descriptor, identity):
                ended.append((descriptor, peer))
        return ended


def _identity(connection: socket.socket) -> ConnectionIdentity:
    return ConnectionIdentity(os.fstat(connection.fileno()).st_ino, connection.getsockname())


def with_connection(descriptor: int, do: Callable[[socket.socket], _T]) -> _T | None:
    """The result of `do` with a connection of libzmq; None where the descriptor is not a connection any more."""
    try:
        connection = socket.socket(fileno=descriptor)
    except OSError:
        return None
    try:
        return do(connection)
    except OSError:
        return None
    finally:
        # The descriptor is libzmq's: closing it, or a copy, would drop the locks of a file that has it by now.
        connection.detach()
