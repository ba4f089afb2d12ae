"""Detects that a service does not let this reader in. libzmq raises no exception and delivers nothing then, and tries
again for ever; only the socket's monitor shows it.

    CONNECTED ──HANDSHAKE_SUCCEEDED──► let in
        │  └────HANDSHAKE_FAILED_*, twice at once──► another server key, or no keys there
        └──────────`PATIENCE_NS`──► the service does not answer this key, and ends the connection some seconds later

Nothing here does I/O or reads a clock.
"""

from __future__ import annotations

from typing import Final

import zmq

PATIENCE_NS: Final = 1_000_000_000
"""How long a handshake may take (ours); a service that accepts a key takes milliseconds."""

WATCHED: Final = (
    zmq.Event.CONNECTED
    | zmq.Event.HANDSHAKE_SUCCEEDED
    | zmq.Event.HANDSHAKE_FAILED_NO_DETAIL
    | zmq.Event.HANDSHAKE_FAILED_PROTOCOL
    | zmq.Event.HANDSHAKE_FAILED_AUTH
)

NOT_ALLOWED: Final = (
    "it does not let this key in: the key is not on its allow-list or is revoked (its log names the key), or the "
    "service is frozen"
)
WRONG_SERVER: Final = "it ends the handshake: the server key given is not its own, or it takes no keys"


class Handshake:
    """The handshake of one socket with its service, over all attempts."""

    def __init__(self) -> None:
        self.refused = ""
        """Why the reader is not let in; empty while it is, or while that is not known yet."""
        self._connected_ns: int | None = None
        self._ended_at_once = 0
        """Consecutive handshakes that the service ended before `PATIENCE_NS`. One alone may be a service that stops."""

    def reconnected(self) -> None:
        """The socket was replaced by another one."""
        self._connected_ns = None

    def handle(self, event: zmq.Event, now_ns: int) -> None:
        """Handles an event of the socket's monitor."""
        match event:
            case zmq.Event.CONNECTED:
                self._connected_ns = now_ns
            case zmq.Event.HANDSHAKE_SUCCEEDED:
                self._connected_ns = None
                self._ended_at_once = 0
                self.refused = ""
            case zmq.Event.HANDSHAKE_FAILED_AUTH:
                self._connected_ns = None
                self.refused = NOT_ALLOWED
            case zmq.Event.HANDSHAKE_FAILED_NO_DETAIL | zmq.Event.HANDSHAKE_FAILED_PROTOCOL:
                if self._connected_ns is None:
                    return
                at_once = now_ns - self._connected_ns < PATIENCE_NS
                self._connected_ns = None
                self._ended_at_once = self._ended_at_once + 1 if at_once else 0
                if not at_once:
                    self.refused = NOT_ALLOWED
                elif self._ended_at_once > 1:
                    self.refused = WRONG_SERVER

    def tick(self, now_ns: int) -> None:
        """Handles the passing of time, after all events until now."""
        if self._connected_ns is not None and now_ns - self._connected_ns >= PATIENCE_NS:
            self.refused = NOT_ALLOWED
