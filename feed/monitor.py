"""What happens to connections before they carry anything: libzmq tells it only to a socket's monitor.

A client that is refused sees no exception and no event: it just gets nothing. So the server says who was refused, and
why. The events of one refused connection, in the order in which libzmq's I/O thread tells them:

    ACCEPTED             descriptor 36        peer: ask the descriptor while it is open
    HANDSHAKE_FAILED_*   cause, but not whose
    DISCONNECTED         descriptor 36        the very next event: the failure was this one's

This needs a context with one I/O thread, which is the default: with more, events of two connections could interleave.
"""

from __future__ import annotations

import errno
import logging
import os
import socket
from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple

import zmq

# Says who was refused without filling the log: a refused client knocks again ten times a second, for ever.

_MOST = 1000
"""RefusalLog that are told apart (ours); of more, the oldest are forgotten, and told anew."""


class RefusalLog:
    """Counts refusals that are alike; the 1st, 10th, 100th, 1000th ... is logged."""

    def __init__(self, log: logging.Logger) -> None:
        self._log = log
        self._counts: OrderedDict[str, int] = OrderedDict()
        self.total = 0

    def tell(self, what: str) -> None:
        """Counts a refusal; logs it if it is the first of its kind or a round number of them."""
        self.total += 1
        count = self._counts.pop(what, 0) + 1
        self._counts[what] = count
        if len(self._counts) > _MOST:
            self._counts.popitem(last=False)
        if count == 1:
            self._log.warning("%s", what)
        elif count >= 10 and str(count).strip("0") == "1":
            self._log.warning("%s (%d times by now)", what, count)

    def forget(self) -> None:
        """From here on everything is new: the keys have changed."""
        self._counts.clear()


WATCHED = (
    zmq.Event.LISTENING
    | zmq.Event.ACCEPTED
    | zmq.Event.ACCEPT_FAILED
    | zmq.Event.CLOSED
    | zmq.Event.DISCONNECTED
    | zmq.Event.HANDSHAKE_FAILED_NO_DETAIL
    | zmq.Event.HANDSHAKE_FAILED_PROTOCOL
    | zmq.Event.HANDSHAKE_FAILED_AUTH
)

_UNKNOWN = "an address that was gone at once"
_GONE = (errno.EPIPE, errno.ECONNRESET)
_PROTOCOL_CAUSES: dict[int, str] = {
    zmq.PROTOCOL_ERROR_ZMTP_CRYPTOGRAPHIC: "wrong server key: it means another server, or this one has a new key",
    zmq.PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH: "no key: it speaks without CURVE",
}


class MonitorEvent(NamedTuple):
    """One event of a socket's monitor."""

    event: zmq.Event
    value: int
    """A descriptor, an errno, or a cause, depending on the event."""


def read_event(frames: list[bytes]) -> MonitorEvent:
    """The event of a monitor's message: 16 bits of event, 32 bits of value, little-endian as the computer is."""
    return MonitorEvent(zmq.Event(int.from_bytes(frames[0][:2], "little")), int.from_bytes(frames[0][2:6], "little"))


def peer_of(descriptor: int) -> str:
    """The address at the other end of a connection, as long as it is open."""
    try:
        connection = socket.socket(fileno=descriptor)
    except OSError:
        return _UNKNOWN
    try:
        return "this computer" if connection.family == socket.AF_UNIX else _address(connection)
    except OSError:
        return _UNKNOWN
    finally:
        # It is libzmq's, and may be another file's by now: closing it, or a copy, would drop that file's locks.
        connection.detach()


def _address(connection: socket.socket) -> str:
    return str(connection.getpeername()[0]).removeprefix("::ffff:")


class Connections:
    """Follows the connections of one socket and says why some came to nothing."""

    def __init__(
        self, refused: Callable[[str], None], peer: Callable[[int], str] = peer_of, *, keyed: bool = True
    ) -> None:
        """`refused` takes one sentence about each connection that failed; `peer` names the other end.

        `keyed` says whether the socket asks for keys.
        """
        self._refused = refused
        self._keyed = keyed
        self._peer = peer
        self._open: dict[int, str] = {}
        self._cause: str | None = None

    @property
    def open(self) -> int:
        """How many connections there are, those that still shake hands among them."""
        return len(self._open)

    def see(self, event: MonitorEvent) -> None:
        """Takes the next event."""
        match event.event:
            case zmq.Event.ACCEPTED:
                self._open[event.value] = self._peer(event.value)
            case zmq.Event.DISCONNECTED:
                peer = self._open.pop(event.value, _UNKNOWN)
                self._tell(peer)
            case zmq.Event.CLOSED:
                # The listener is gone, and with it every connection that it took; libzmq does not tell of each.
                self._open.clear()
            case zmq.Event.ACCEPT_FAILED:
                self._refused(f"a connection could not be accepted: {os.strerror(event.value)}")
            case (
                zmq.Event.HANDSHAKE_FAILED_NO_DETAIL
                | zmq.Event.HANDSHAKE_FAILED_PROTOCOL
                | zmq.Event.HANDSHAKE_FAILED_AUTH
            ):
                self._tell(_UNKNOWN)
                self._cause = cause_of(event, keyed=self._keyed)

    def _tell(self, peer: str) -> None:
        if self._cause:
            self._refused(f"{peer}: {self._cause}")
        self._cause = None


def cause_of(event: MonitorEvent, *, keyed: bool = True) -> str:
    """Why a handshake failed, in words; empty where the authenticator has already said it, or nobody was refused."""
    if event.event == zmq.Event.HANDSHAKE_FAILED_AUTH:
        return ""
    if not keyed and event.value == zmq.PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH:
        return "it comes with a key, and this address takes none"
    if event.event == zmq.Event.HANDSHAKE_FAILED_PROTOCOL:
        return _PROTOCOL_CAUSES.get(event.value, f"it does not speak ZMTP as it should (cause {event.value:#x})")
    if event.value == errno.EFAULT:
        return "refused, since nobody checks keys here: the authenticator does not run"
    if event.value in _GONE:
        # A client without CURVE may see the mismatch before the server does, and hang up. Where no keys are asked for,
        # it is a program that ended as it came.
        return "it hung up before it had shown a key; most likely it has none" if keyed else ""
    return f"the handshake failed: {os.strerror(event.value)}"
