"""A server of lines on the loopback: one client at a time, nothing waits. The other end of a `socket://` link.

It listens on this computer alone: whoever reaches it speaks for the machine.
"""

from __future__ import annotations

import logging
import selectors
import socket
from collections.abc import Iterable
from typing import Final, Protocol

from hal.clock import NS_PER_S
from hal.framing import LineFramer
from hal.lines import LineError

log = logging.getLogger(__name__)

MOST_UNSENT: Final = 1 << 20
"""Bytes that wait for a client that does not read; then it is given up (ours)."""


MOST_READS: Final = 4
"""Pieces that are read in one turn: a client that never pauses takes no more of it (ours)."""
PIECE: Final = 65_536
"""Bytes of a piece at most."""


class Readable(Protocol):
    """Something whose descriptor can be waited for."""

    def fileno(self) -> int:
        """Its descriptor."""


class LineServer:
    """Serves one client. A new client takes the place of the one before."""

    def __init__(self, port: int, *, longest: int, host: str = "127.0.0.1") -> None:
        """Listens.

        Raises:
            LineError: the port is taken, or the address is not of this computer's loopback.
        """
        if not host.startswith("127."):
            raise LineError(f"{host} is not an address of the loopback: a screen shows what its own computer sends")
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self._socket.bind((host, port))
        except OSError as error:
            self._socket.close()
            raise LineError(f"{host}:{port}: cannot listen there ({error.strerror}); give another --port") from error
        self._socket.listen(1)
        self._socket.setblocking(False)
        self._longest = longest
        self._client: socket.socket | None = None
        self._not_taken: int | None = None
        """Why the last client could not be taken: it is logged once."""
        self._framer = LineFramer(longest)
        self._unsent = b""
        self.refused = 0
        """Lines that were longer than the longest, and were discarded."""

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self._socket.getsockname()[1])

    @property
    def connected(self) -> bool:
        """Whether there is a client."""
        return self._client is not None

    def accept(self) -> bool:
        """Takes a client that has come. Returns whether there is a new one; one that cannot be taken is none."""
        try:
            client, _ = self._socket.accept()
        except BlockingIOError:
            return False
        except OSError as error:
            # It went before it was taken, or there is no descriptor left for it; the client that is served stays.
            if error.errno != self._not_taken:
                log.warning("a client cannot be taken: %s", error.strerror)
            self._not_taken = error.errno
            return False
        self._not_taken = None
        self.hang_up()
        client.setblocking(False)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._client, self._framer = client, LineFramer(self._longest)
        return True

    def lines(self) -> list[bytes]:
        """The lines that have come, of this many pieces at most; a client that has gone is forgotten."""
        found: list[bytes] = []
        for _ in range(MOST_READS):
            if self._client is None:
                break
            try:
                data = self._client.recv(PIECE)
            except BlockingIOError:
                break
            except OSError:
                data = b""
            if not data:
                self.hang_up()
                break
            frames, overlong = self._framer.feed(data)
            found += frames
            self.refused += overlong
        return found

    def send(self, line: bytes) -> None:
        """Sends a line, now or as soon as the client reads; a client that never reads is given up."""
        if self._client is None:
            return
        self._unsent += line + b"\n"
        self.flush()

    def flush(self) -> None:
        """Sends what could not be sent before."""
        if self._client is None or not self._unsent:
            return
        try:
            self._unsent = self._unsent[self._client.send(self._unsent) :]
        except BlockingIOError:
            pass
        except OSError:
            self.hang_up()
        if len(self._unsent) > MOST_UNSENT:
            self.hang_up()

    def wait(self, for_ns: int, others: Iterable[Readable] = ()) -> None:
        """Waits until something comes, of a client or of the others, or this long at most."""
        with selectors.DefaultSelector() as selector:
            for one in (self._socket, self._client, *others):
                if one is not None:
                    selector.register(one, selectors.EVENT_READ)
            selector.select(max(0, for_ns) / NS_PER_S)

    def close(self) -> None:
        """Ends."""
        self.hang_up()
        self._socket.close()

    def hang_up(self) -> None:
        """Ends the connection; the client may come again."""
        if self._client is not None:
            self._client.close()
        self._client, self._unsent = None, b""
