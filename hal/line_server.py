"""A server of lines on the loopback: one client at a time, nothing waits. The other end of a `socket://` link.

It listens on this computer alone: whoever reaches it speaks for the machine.
"""

from __future__ import annotations

import selectors
import socket
from collections.abc import Iterable
from typing import Final, Protocol

from hal.clock import NS_PER_S
from hal.framing import LineFramer
from hal.lines import LineError

MOST_UNSENT: Final = 1 << 20
"""Bytes that wait for a client that does not read; then it is given up (ours)."""


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
            raise LineError(f"{host} is no address of the loopback: a screen is told what to show by its own computer")
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
        self._framer = LineFramer(longest)
        self._unsent = b""

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self._socket.getsockname()[1])

    @property
    def connected(self) -> bool:
        """Whether there is a client."""
        return self._client is not None

    def accept(self) -> bool:
        """Takes a client that has come. Returns whether there is a new one."""
        try:
            client, _ = self._socket.accept()
        except BlockingIOError:
            return False
        self._drop()
        client.setblocking(False)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._client, self._framer = client, LineFramer(self._longest)
        return True

    def lines(self) -> list[bytes]:
        """The lines that have come; a client that has gone is forgotten."""
        found: list[bytes] = []
        while self._client is not None:
            try:
                data = self._client.recv(65_536)
            except BlockingIOError:
                break
            except OSError:
                data = b""
            if not data:
                self._drop()
                break
            found += self._framer.feed(data).frames
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
            self._drop()
        if len(self._unsent) > MOST_UNSENT:
            self._drop()

    def wait(self, for_ns: int, others: Iterable[Readable] = ()) -> None:
        """Waits until something comes, of a client or of the others, or so long at most."""
        with selectors.DefaultSelector() as selector:
            for one in (self._socket, self._client, *others):
                if one is not None:
                    selector.register(one, selectors.EVENT_READ)
            selector.select(max(0, for_ns) / NS_PER_S)

    def close(self) -> None:
        """Ends."""
        self._drop()
        self._socket.close()

    def _drop(self) -> None:
        if self._client is not None:
            self._client.close()
        self._client, self._unsent = None, b""
