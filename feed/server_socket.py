"""One socket of a service: bound with every limit set, monitored, and read on the asyncio loop without blocking it.

`tcp://` is never bound without keys. `ipc://` is protected by its folder: it is made with mode 0700, and a folder that
everybody may enter is refused. Sockets left by a killed service are removed; those of a running one are not.

A revoked key keeps its connection in libzmq. `drop_connections` unbinds and binds again: all connections end, and
clients whose key is still allowed are back within their reconnect interval (measured: 0.4 ms without a listener; libzmq
has no call that ends one connection of a bound socket).
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
"""The longest frame accepted; a longer one ends the connection."""
HANDSHAKE_MS = 5_000
"""A connection without a complete handshake is ended after this time (ours; libzmq's default is 30 s)."""
KEEPALIVE_IDLE_S = 30
KEEPALIVE_INTERVAL_S = 10
KEEPALIVE_COUNT = 3
"""A computer that disappeared is detected after a minute (ours)."""
GENERATION_S = HANDSHAKE_MS / 1000 + 1
"""A connection that is older than this has completed its handshake."""
TURN = 64
"""Messages read before other tasks of the loop run."""
MONITOR_TURN = 1_000
"""Events of the monitor read before other tasks of the loop run."""
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
        gone: Callable[[int], None] = lambda descriptor: None,
    ) -> None:
        """`name` is its name in the log; `options` are set before it binds; `gone` is called with the descriptor of
        each connection that ended.
        """
        if curve is None and not endpoint.startswith("ipc://"):
            raise EndpointError(
                f"{name}: {endpoint} is open to the network, so it needs a server key; make one with "
                "feltwire keys new --server, or use ipc://"
            )
        self.endpoint = endpoint
        """Where it is bound; after `bind` with the port that the kernel chose."""
        self.problem: str | None = None
        """Why it is not bound although it should be; the service reports it."""
        self._name = name
        self._curve = curve
        self._read = read
        self._refusals = RefusalLog(log)
        self._connections = Connections(self.refuse, keyed=curve is not None, gone=gone)
        self._bound = False
        self._ending = False
        """Whether the listener is being closed, to be bound again."""
        self._ended_because = ""
        self._woken = False
        """Whether a call of `poke` is scheduled."""
        self._generation: asyncio.TimerHandle | None = None
        """The end of this generation of unproven connections; None while there are none."""
        self.lock = RLock()
        """Guards the socket: another thread than the loop's may send with it."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._context = context
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
        """How many connections failed, whatever the cause."""
        return self._refusals.total

    @property
    def ended(self) -> int:
        """How many connections that had proved nothing were ended, because there were too many."""
        return self._connections.ended

    def bind(self) -> None:
        """Binds, and reads from now on. Must be called on the loop.

        Raises:
            EndpointError: the address cannot be bound.
        """
        folder = _folder(self.endpoint)
        if folder is not None:
            _make_room(Path(self.endpoint.removeprefix("ipc://")), self._name)
        self._monitor = self._watched()
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._monitor.fileno(), self._on_monitor)
        self._loop.add_reader(self._socket.fileno(), self.poke)
        try:
            self._socket.bind(self.endpoint)
        except zmq.ZMQError as error:
            self.close()
            raise EndpointError(
                f"{self._name}: {self.endpoint} cannot be bound: {_cause(error)}; is another service running there?"
            ) from error
        self._bound = True
        # libzmq wakes the loop only for messages that arrive after a first poll.
        self._on_monitor()
        self.endpoint = str(self._socket.getsockopt_string(zmq.LAST_ENDPOINT)).rstrip("\0")
        self.poke()

    def poke(self) -> None:
        """Reads the messages received. libzmq wakes the loop once for all of them, and not at all after a send."""
        self._woken = False
        for _ in range(TURN):
            with self.lock:
                if self._loop is None or not int(self._socket.getsockopt(zmq.EVENTS)) & zmq.POLLIN:
                    return
                frames = self._socket.recv_multipart(zmq.DONTWAIT, copy=False)
            # libzmq reported its connection before it delivered the message: it is counted before it is served.
            self._on_monitor()
            if self._connections.unproven:
                self._connections.unproven.remove(descriptor_of(frames[-1]))
            self._read(frames)
        self.wake()

    def wake(self) -> None:
        """Schedules `poke`: for a caller that sends while it reads."""
        if self._loop is not None and not self._woken:
            self._woken = True
            self._loop.call_soon(self.poke)

    def refuse(self, what: str) -> None:
        """Logs why somebody was refused: the 1st, 10th, 100th time."""
        self._refusals.log(f"{self._name}: {what}")

    def drop_connections(self) -> None:
        """Ends every connection of a socket with keys; clients whose key is still allowed may connect again at once."""
        if self._curve is not None:
            self.end_connections("keys have changed")

    def end_connections(self, why: str) -> None:
        """Ends every connection, with keys or without; allowed clients may connect again at once."""
        if self._loop is None:
            return
        self._ended_because = why
        if self.problem is not None:
            # Binding again failed the last time: another attempt.
            self._bind_again()
            return
        if not self._bound:
            return
        self._bound = False
        self._ending = True
        with self.lock:
            self._socket.unbind(self.endpoint)
        # The monitor reports when the listener is closed; then it is bound again.

    def close(self) -> None:
        """Closes it. Messages not sent yet are dropped."""
        if self._loop is not None:
            self._loop.remove_reader(self._socket.fileno())
            if self._monitor is not None:
                self._loop.remove_reader(self._monitor.fileno())
        self._loop = None
        self._bound = False
        if self._generation is not None:
            self._generation.cancel()
            self._generation = None
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

    def _watched(self) -> zmq.Socket[bytes]:
        """The socket that receives the events of this one; its queue has no limit.

        With libzmq's own limit, 2,000 frames, its I/O thread waits for room, and holds the lock that `bind`, `unbind`
        and `disable_monitor` take: during a flood of connections this thread would wait for that one for ever.
        """
        address = f"inproc://monitor-{self._name}-{id(self)}"
        self._socket.monitor(address, WATCHED)
        monitor: zmq.Socket[bytes] = self._context.socket(zmq.PAIR)
        monitor.setsockopt(zmq.RCVHWM, 0)
        monitor.setsockopt(zmq.LINGER, 0)
        monitor.connect(address)
        return monitor

    def _on_monitor(self) -> None:
        for _ in range(MONITOR_TURN):
            if self._monitor is None:
                return
            try:
                event = read_event(self._monitor.recv_multipart(zmq.DONTWAIT))
            except zmq.Again:
                return
            self._connections.handle(event)
            self._watch_generation()
            if event.event == zmq.Event.CLOSED and self._ending:
                # Only once: a failed attempt to bind closes a listener too.
                self._ending = False
                self._bind_again()
        if self._loop is not None:
            # libzmq wakes the loop once for all events.
            self._loop.call_soon(self._on_monitor)

    def _watch_generation(self) -> None:
        """Has the unproven connections that outlive a handshake count as proven."""
        if self._connections.unproven and self._generation is None and self._loop is not None:
            self._generation = self._loop.call_later(GENERATION_S, self._end_generation)

    def _end_generation(self) -> None:
        self._generation = None
        self._connections.unproven.end_generation()
        self._watch_generation()

    def _bind_again(self) -> None:
        try:
            with self.lock:
                self._socket.bind(self.endpoint)
        except zmq.ZMQError as error:
            self.problem = f"{self._name}: {self.endpoint} cannot be bound again: {_cause(error)}; restart the service"
            log.critical("%s", self.problem)
            return
        self._bound = True
        self.problem = None
        log.info("%s: all connections were ended, since %s", self._name, self._ended_because)


def _cause(error: zmq.ZMQError) -> str:
    """The system's message; pyzmq's repeats the address."""
    return os.strerror(error.errno or 0)


def descriptor_of(frame: zmq.Frame) -> int:
    """The descriptor of the connection that a frame came from; -1 where libzmq does not report it."""
    try:
        return int(frame.get(zmq.SRCFD))
    except zmq.ZMQError:
        return -1


def _folder(endpoint: str) -> Path | None:
    return Path(endpoint.removeprefix("ipc://")).parent if endpoint.startswith("ipc://") else None


def _make_room(path: Path, name: str) -> None:
    """Makes the folder of a Unix socket, and removes a socket without a listener."""
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
                f"may read and command; {_remedy(path.parent)}, or choose another folder"
            )
        if not (path.is_symlink() or path.exists()):
            return
        if not path.is_socket():
            raise EndpointError(f"{name}: {path} is there and is not a socket; remove it, or choose another folder")
        if _answers(path):
            raise EndpointError(f"{name}: a service is running at {path} already; stop it, or choose another folder")
        path.unlink()
    except OSError as error:
        raise EndpointError(f"{name}: {path} cannot be made: {error.strerror}") from error


def _remedy(folder: Path, environ: Mapping[str, str] = os.environ) -> str:
    """How others are kept from entering a folder: systemd makes its own again at each start."""
    if str(folder) in environ.get("RUNTIME_DIRECTORY", "").split(":"):
        return "set RuntimeDirectoryMode=0700 beside RuntimeDirectory= in the unit (0750 lets its group in)"
    return f"chmod o-rwx {folder}"


def _answers(path: Path) -> bool:
    """Whether a Unix socket has a listener."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.setblocking(False)
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            return False
        except BlockingIOError:
            # It has one, with a full queue.
            return True
    return True
