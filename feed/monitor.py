"""Follows the connections of a socket by its libzmq monitor, and logs who was refused and why.

A refused client gets no exception, no event and no message, so the server logs the refusal. The events of one refused
connection, in the order in which libzmq's I/O thread reports them:

    ACCEPTED             descriptor 36        peer: read from the descriptor while it is open
    HANDSHAKE_FAILED_*   cause, without a descriptor
    DISCONNECTED         descriptor 36        the next event: the failure was of this connection

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

from feed.unproven import UnprovenConnections

_MAX_COUNTED = 1000
"""Different refusals that are counted (ours); beyond them the oldest are forgotten, and logged again."""


class RefusalLog:
    """Counts equal refusals and logs the 1st, 10th, 100th ...: a refused client tries again ten times a second."""

    def __init__(self, log: logging.Logger) -> None:
        self._log = log
        self._counts: OrderedDict[str, int] = OrderedDict()
        self.total = 0

    def log(self, what: str) -> None:
        """Counts a refusal; logs it if it is the first of its kind, or the 10th, 100th ..."""
        self.total += 1
        count = self._counts.pop(what, 0) + 1
        self._counts[what] = count
        if len(self._counts) > _MAX_COUNTED:
            self._counts.popitem(last=False)
        if count == 1:
            self._log.warning("%s", what)
        elif count >= 10 and str(count).strip("0") == "1":
            self._log.warning("%s (%d times by now)", what, count)

    def reset(self) -> None:
        """Logs every refusal again: the keys have changed."""
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
NO_DESCRIPTORS = (errno.EMFILE, errno.ENFILE)
"""Causes for which nothing can be opened: this process, or the computer, has no descriptors left."""
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
    """Decodes a monitor's message: 16 bits of event, 32 bits of value, in the computer's byte order (little-endian)."""
    return MonitorEvent(zmq.Event(int.from_bytes(frames[0][:2], "little")), int.from_bytes(frames[0][2:6], "little"))


def peer_of(descriptor: int) -> str:
    """The address at the other end of an open connection."""
    try:
        connection = socket.socket(fileno=descriptor)
    except OSError:
        return _UNKNOWN
    try:
        return "this computer" if connection.family == socket.AF_UNIX else peer_ip(connection)
    except OSError:
        return _UNKNOWN
    finally:
        # The descriptor is libzmq's, and may be another file's by now: closing it, or a copy, would drop that file's
        # locks.
        connection.detach()


def peer_ip(connection: socket.socket) -> str:
    """The IP address at the other end of an open connection.

    Raises:
        OSError: it is gone.
    """
    return str(connection.getpeername()[0]).removeprefix("::ffff:")


class Connections:
    """Follows the connections of one socket, and reports why some failed."""

    def __init__(
        self,
        refused: Callable[[str], None],
        peer: Callable[[int], str] = peer_of,
        *,
        keyed: bool = True,
        unproven: UnprovenConnections | None = None,
        gone: Callable[[int], None] = lambda descriptor: None,
    ) -> None:
        """`refused` is called with one sentence for each connection that failed; `peer` names the other end.

        `keyed` is whether the socket requires keys; `unproven` bounds the connections that have shown none yet;
        `gone` is called with the descriptor of each connection that ended.
        """
        self._refused = refused
        self._gone = gone
        self._keyed = keyed
        self._peer = peer
        self._open: dict[int, str] = {}
        self._cause: str | None = None
        self.unproven = UnprovenConnections() if unproven is None else unproven
        """Those whose handshake is not known to be complete."""
        self.ended = 0
        """Connections ended here, because there were too many unproven ones."""
        self._ending: set[int] = set()
        """Ended here, and not yet reported as gone."""

    @property
    def open(self) -> int:
        """How many connections there are, including those whose handshake is not complete."""
        return len(self._open)

    def handle(self, event: MonitorEvent) -> None:
        """Handles the next event."""
        match event.event:
            case zmq.Event.ACCEPTED:
                peer = self._open[event.value] = self._peer(event.value)
                self._ending.discard(event.value)
                self._report_ended(self.unproven.accepted(event.value, peer))
            case zmq.Event.DISCONNECTED:
                self.unproven.remove(event.value)
                if event.value in self._ending:
                    # Its own failure only follows from that.
                    self._ending.discard(event.value)
                    self._cause = None
                self._gone(event.value)
                self._report_refused(self._open.pop(event.value, _UNKNOWN))
            case zmq.Event.CLOSED:
                # The listener is closed, and with it every connection that it accepted; libzmq does not report each.
                for descriptor in self._open:
                    self._gone(descriptor)
                self._open.clear()
                self._ending.clear()
                self.unproven.clear()
            case zmq.Event.ACCEPT_FAILED:
                if event.value in NO_DESCRIPTORS:
                    self._report_ended(self.unproven.end_all())
                self._refused(f"a connection could not be accepted: {os.strerror(event.value)}")
            case (
                zmq.Event.HANDSHAKE_FAILED_NO_DETAIL
                | zmq.Event.HANDSHAKE_FAILED_PROTOCOL
                | zmq.Event.HANDSHAKE_FAILED_AUTH
            ):
                self._report_refused(_UNKNOWN)
                self._cause = cause_of(event, keyed=self._keyed)

    def _report_ended(self, ended: list[tuple[int, str]]) -> None:
        self.ended += len(ended)
        what = "have shown no key" if self._keyed else "have sent nothing"
        for descriptor, peer in ended:
            self._ending.add(descriptor)
            self._refused(f"{peer}: too many connections that {what}; the oldest are ended")

    def _report_refused(self, peer: str) -> None:
        if self._cause:
            self._refused(f"{peer}: {self._cause}")
        self._cause = None


def cause_of(event: MonitorEvent, *, keyed: bool = True) -> str:
    """Why a handshake failed; empty where the authenticator has logged it already, or nobody was refused."""
    if event.event == zmq.Event.HANDSHAKE_FAILED_AUTH:
        return ""
    if not keyed and event.value == zmq.PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH:
        return "it sends a key, and this address takes none"
    if event.event == zmq.Event.HANDSHAKE_FAILED_PROTOCOL:
        return _PROTOCOL_CAUSES.get(event.value, f"it does not speak ZMTP as it should (cause {event.value:#x})")
    if event.value == errno.EFAULT:
        return "refused, since nobody checks keys here: the authenticator does not run"
    if event.value in _GONE:
        # A client without CURVE may detect the mismatch before the server does, and disconnect. Where no keys are
        # required, it is a program that ended at once.
        return "it hung up before it had shown a key; most likely it has none" if keyed else ""
    return f"the handshake failed: {os.strerror(event.value)}"
