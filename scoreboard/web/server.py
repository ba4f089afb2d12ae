"""Listens on an address until it is stopped, and states plainly why it cannot."""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import logging
import signal
import socket
from collections.abc import Callable
from functools import partial
from typing import Any, Final, cast

from aiohttp import web

from .connections import IDLE_S, PlainConnections

log = logging.getLogger(__name__)

LOOPBACK: Final = "127.0.0.1"
PORTS_TRIED: Final = 20
"""How many ports `next_free` tries, the first included (ours)."""
SHUTDOWN_S: Final = 2.0
"""How long open requests may take to end when the server stops (ours)."""
_BACKLOG: Final = 128
_TURNS_TO_ACCEPT: Final = 4
"""Turns of the loop in which an accepted connection has its protocol: it takes two."""
_LAST_PORT: Final = 65535


class AddressError(Exception):
    """The server cannot listen there; the message states where, why, and what to do."""


class PageServer:
    """Serves an application on one address."""

    def __init__(self, app: web.Application, host: str = LOOPBACK, port: int = 0, *, next_free: bool = False) -> None:
        """`port` 0 takes any free one; with `next_free`, a port in use leads to the next one."""
        self._connections = PlainConnections()
        app.on_response_prepare.append(self._connections.prepared)
        self._runner = web.AppRunner(
            app, handle_signals=False, access_log=None, shutdown_timeout=SHUTDOWN_S, keepalive_timeout=IDLE_S
        )
        self._accepting: asyncio.Server | None = None
        self._host = host
        self._port = port
        self._next_free = next_free
        self.url = ""
        """The address of the first page, while it listens."""

    async def start(self) -> str:
        """Listens; returns the address of the first page.

        Raises:
            AddressError: the port is in use, or the address cannot be listened on.
        """
        listening = self._listen()
        await self._runner.setup()
        accepted = partial(self._connections.accepted, cast("web.Server", self._runner.server))
        self._accepting = await asyncio.get_running_loop().create_server(accepted, sock=listening, backlog=_BACKLOG)
        host, port = listening.getsockname()[:2]
        self.url = f"http://{f'[{host}]' if ':' in host else host}:{port}/"
        return self.url

    async def stop(self) -> None:
        """Listens no more, and ends the connections: `on_shutdown` of the application closes its WebSockets."""
        self.url = ""
        if self._accepting is not None:
            await _accept_no_more(self._accepting.sockets[0])
            self._accepting.close()
            self._accepting = None
        await self._runner.cleanup()

    def _listen(self) -> socket.socket:
        tries = PORTS_TRIED if self._next_free and self._port else 1
        last = min(self._port + tries - 1, _LAST_PORT)
        for port in range(self._port, last):
            try:
                return self._bound(port)
            except OSError as error:
                if error.errno != errno.EADDRINUSE:
                    raise self._refusal(error, port) from error
                log.info("port %d of %s is in use: the next one is tried", port, self._host)
        try:
            return self._bound(last)
        except OSError as error:
            raise self._refusal(error, last) from error

    def _bound(self, port: int) -> socket.socket:
        host = LOOPBACK if self._host == "localhost" else self._host
        try:
            family = socket.AF_INET6 if ipaddress.ip_address(host).version == 6 else socket.AF_INET
        except ValueError:
            raise AddressError(
                f"{self._host} is not an IP address: give one of this computer, such as {LOOPBACK}"
            ) from None
        listening = socket.socket(family, socket.SOCK_STREAM)
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind((host, port))
            # Two programs may bind one port with SO_REUSEADDR until one of them listens.
            listening.listen(_BACKLOG)
            listening.setblocking(False)
        except BaseException:
            listening.close()
            raise
        return listening

    def _refusal(self, error: OSError, port: int) -> AddressError:
        match error.errno:
            case errno.EADDRINUSE if port != self._port:
                why = f"ports {self._port} to {port} of {self._host} are in use: give another one with --port"
            case errno.EADDRINUSE:
                why = f"port {port} of {self._host} is in use by another program: give another one with --port"
            case errno.EACCES | errno.EPERM:
                why = f"port {port} of {self._host} is for root alone: give one from 1024 on with --port"
            case errno.EADDRNOTAVAIL:
                why = f"{self._host} is not an address of this computer: give one that is with --host"
            case _:
                why = f"port {port} of {self._host} cannot be listened on: {error.strerror}"
        return AddressError(why)


async def _accept_no_more(listening: socket.socket) -> None:
    """Lets the connections that are accepted already become those of the server, which then ends them. asyncio (3.11)
    drops one whose server closes in between without closing it: the browser would wait for an answer."""
    loop = asyncio.get_running_loop()
    loop.remove_reader(listening)
    for _ in range(_TURNS_TO_ACCEPT):
        turn: asyncio.Future[None] = loop.create_future()
        loop.call_soon(turn.set_result, None)
        await turn


async def serve_until_signal(
    server: PageServer,
    ready: Callable[[str], None],
    failure: Callable[[], asyncio.Future[None] | None] = lambda: None,
) -> None:
    """Serves until SIGINT or SIGTERM; `ready` is called with the address. `failure` returns, once the server has
    started, what fails where the site can serve no longer.

    Raises:
        AddressError: it cannot listen.
        Exception: that of `failure`.
    """
    loop = asyncio.get_running_loop()
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    try:
        ready(await server.start())
        ended: set[asyncio.Future[Any]] = {asyncio.ensure_future(stopped.wait())}
        failing = failure()
        if failing is not None:
            ended.add(failing)
        done, _ = await asyncio.wait(ended, return_when=asyncio.FIRST_COMPLETED)
        for one in ended:
            one.cancel()
        for one in done:
            one.result()
    finally:
        await server.stop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)
