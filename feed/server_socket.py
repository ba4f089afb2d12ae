"""One socket of a service: bound with every limit set, watched, and read on the asyncio loop without ever blocking it.

`tcp://` is never bound without keys. On `ipc://` the folder is the key: it is made with mode 0700, and a folder that
everybody may enter is refused. Sockets that a killed service left behind are removed; those of a living one are not.

A key that was revoked keeps its connection in libzmq. `drop_connections` takes the listener away and puts it back: all
its connections end, and those whose key still holds are back within their reconnect interval (measured: the listener
was away for 0.4 ms; libzmq has no call that ends one connection of a bound socket).
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import stat
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import RLock

import zmq

from feed.endpoints import EndpointError
from feed.keys import ServerCurve
from feed.monitor import WATCHED, Connections, RefusalLog, read_event

log = logging.getLogger(__name__)

MAX_FRAME = 64 * 1024
"""The longest frame that is taken; the connection of who sends a longer one is cut."""
HANDSHAKE_MS = 5_000
"""A connection that has not shaken hands by then is cut (ours; libzmq's default is 30 s)."""
KEEPALIVE_IDLE_S = 30
KEEPALIVE_INTERVAL_S = 10
KEEPALIVE_COUNT = 3
"""A computer that went without a word is noticed after a minute (ours)."""
TURN = 64
"""Messages read before other tasks of the loop have their turn."""
FOLDER_MODE = 0o700

_EVERYBODY = 0o007
_ROOT = 0


class ServerSocket:
    """A bound socket. `read` is called with each message, on the loop."""

    def __init__(
        self,
        context: zmq.Context[zmq.Socket[bytes]],
        kind: zmq.SocketType,
        endpoint: str,
        read: Callable[[list[zmq.Frame]], None],
        *,
        name: str,
        curve: ServerCurve | None = None,
        options: Mapping[zmq.SocketOption, int] | None = None,
    ) -> None:
        """`name` is what the log calls it; `options` are set before it binds."""
        if curve is None and not endpoint.startswith("ipc://"):
            raise EndpointError(
                f"{name}: {endpoint} is open to the network, so it needs a server key; make one with "
                "feltwire keys new --server, or use ipc://"
            )
        self.endpoint = endpoint
        """Where it is bound; with the port that the kernel chose once it is."""
        self.problem: str | None = None
        """Why it is not bound although it should be; the service must say so."""
        self._name = name
        self._curve = curve
        self._read = read
        self._refusals = RefusalLog(log)
        self._connections = Connections(lambda what: self._refusals.tell(f"{name}: {what}"), keyed=curve is not None)
        self._bound = False
        self._ending = False
        """Whether the listener is being taken away, to be put back."""
        self._ended_because = ""
        self._woken = False
        """Whether the loop will call `poke`."""
        self.lock = RLock()
        """Held by whoever uses the socket: it may be sent with from another thread than the loop's."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._socket: zmq.Socket[bytes] = context.socket(kind)
        self._monitor: zmq.Socket[bytes] | None = None
        self._set(options or {})

    @property
    def raw(self) -> zmq.Socket[bytes]:
        """The socket itself, to send with. Call `poke` afterwards."""
        return self._socket

    @property
    def connections(self) -> int:
        """How many connections there are."""
        return self._connections.open

    @property
    def refused(self) -> int:
        """How many connections came to nothing, whatever the cause."""
        return self._refusals.total

    def bind(self) -> None:
        """Binds, and reads from now on. Must be called on the loop.

        Raises:
            EndpointError: the address cannot be had.
        """
        folder = _folder(self.endpoint)
        if folder is not None:
            _make_room(Path(self.endpoint.removeprefix("ipc://")), self._name)
        self._monitor = self._socket.get_monitor_socket(WATCHED)
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._monitor.fileno(), self._on_monitor)
        self._loop.add_reader(self._socket.fileno(), self.poke)
        try:
            self._socket.bind(self.endpoint)
        except zmq.ZMQError as error:
            self.close()
            raise EndpointError(
                f"{self._name}: {self.endpoint} cannot be had: {_cause(error)}; is another service running there?"
            ) from error
        self._bound = True
        # libzmq wakes the loop only for what comes after somebody has looked.
        self._on_monitor()
        self.endpoint = str(self._socket.getsockopt_string(zmq.LAST_ENDPOINT)).rstrip("\0")
        self.poke()

    def poke(self) -> None:
        """Reads what has come. libzmq wakes the loop only once for all of it, and forgets when something is sent."""
        self._woken = False
        for _ in range(TURN):
            with self.lock:
                if self._loop is None or not int(self._socket.getsockopt(zmq.EVENTS)) & zmq.POLLIN:
                    return
                frames = self._socket.recv_multipart(zmq.DONTWAIT, copy=False)
            self._read(frames)
        self.wake()

    def wake(self) -> None:
        """Has `poke` called in the next turn: for who sends while it reads."""
        if self._loop is not None and not self._woken:
            self._woken = True
            self._loop.call_soon(self.poke)

    def drop_connections(self) -> None:
        """Ends every connection of a socket with keys; whose key still holds may come back at once."""
        if self._curve is not None:
            self.end_connections("keys have changed")

    def end_connections(self, why: str) -> None:
        """Ends every connection, with keys or without; who may come in may come back at once."""
        if self._loop is None:
            return
        self._ended_because = why
        if self.problem is not None:
            # There is no listener since the last time: another attempt.
            self._bind_again()
            return
        if not self._bound:
            return
        self._bound = False
        self._ending = True
        with self.lock:
            self._socket.unbind(self.endpoint)
        # The monitor tells when the listener is gone; then it is bound again.

    def close(self) -> None:
        """Closes it. What was not sent yet is not sent."""
        if self._loop is not None:
            self._loop.remove_reader(self._socket.fileno())
            if self._monitor is not None:
                self._loop.remove_reader(self._monitor.fileno())
        self._loop = None
        self._bound = False
        with self.lock:
            if self._monitor is not None:
                self._socket.disable_monitor()
                self._monitor.close(linger=0)
                self._monitor = None
            self._socket.close(linger=0)

    def _set(self, options: Mapping[zmq.SocketOption, int]) -> None:
        standard = {
            zmq.LINGER: 0,
            zmq.MAXMSGSIZE: MAX_FRAME,
            zmq.HANDSHAKE_IVL: HANDSHAKE_MS,
            zmq.TCP_KEEPALIVE: 1,
            zmq.TCP_KEEPALIVE_IDLE: KEEPALIVE_IDLE_S,
            zmq.TCP_KEEPALIVE_INTVL: KEEPALIVE_INTERVAL_S,
            zmq.TCP_KEEPALIVE_CNT: KEEPALIVE_COUNT,
            zmq.IPV6: 1 if "[" in self.endpoint else 0,
        }
        for option, value in (*standard.items(), *options.items()):
            self._socket.setsockopt(option, value)
        if self._curve is not None:
            self._curve.apply(self._socket)

    def _on_monitor(self) -> None:
        while self._monitor is not None:
            try:
                event = read_event(self._monitor.recv_multipart(zmq.DONTWAIT))
            except zmq.Again:
                return
            self._connections.see(event)
            if event.event == zmq.Event.CLOSED and self._ending:
                # Only once: an attempt to bind that fails closes a listener too.
                self._ending = False
                self._bind_again()

    def _bind_again(self) -> None:
        try:
            with self.lock:
                self._socket.bind(self.endpoint)
        except zmq.ZMQError as error:
            self.problem = f"{self._name}: {self.endpoint} could not be had again: {_cause(error)}; restart the service"
            log.critical("%s", self.problem)
            return
        self._bound = True
        self.problem = None
        log.info("%s: all connections were ended, since %s", self._name, self._ended_because)


def _cause(error: zmq.ZMQError) -> str:
    """What the system says; pyzmq would add the address a second time."""
    return os.strerror(error.errno or 0)


def _folder(endpoint: str) -> Path | None:
    return Path(endpoint.removeprefix("ipc://")).parent if endpoint.startswith("ipc://") else None


def _make_room(path: Path, name: str) -> None:
    """Makes the folder of a Unix socket, and removes a socket that nobody listens at any more."""
    try:
        path.parent.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
        status = path.parent.stat()
        if status.st_uid not in (os.geteuid(), _ROOT):
            raise EndpointError(
                f"{name}: {path.parent} belongs to another user (uid {status.st_uid}), who may read and command there; "
                "choose another folder"
            )
        mode = stat.S_IMODE(status.st_mode)
        if mode & _EVERYBODY:
            raise EndpointError(
                f"{name}: everybody on this computer may enter {path.parent} (mode {mode:04o}), and who may enter it "
                f"may read and command; chmod o-rwx {path.parent}, or choose another folder"
            )
        if not (path.is_symlink() or path.exists()):
            return
        if not path.is_socket():
            raise EndpointError(f"{name}: {path} is there and is no socket; remove it, or choose another folder")
        if _answers(path):
            raise EndpointError(f"{name}: a service is running at {path} already; stop it, or choose another folder")
        path.unlink()
    except OSError as error:
        raise EndpointError(f"{name}: {path} cannot be made: {error.strerror}") from error


def _answers(path: Path) -> bool:
    """Whether somebody listens at a Unix socket."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.setblocking(False)
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            return False
        except BlockingIOError:
            # Somebody does, and has many waiting.
            return True
    return True
