"""A TCP link that can be cut and delayed: a proxy on the loop of a test."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from hal.loop import sleep_ns


class TcpProxy:
    """Passes bytes on to a port of this computer."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._links: set[asyncio.Task[None]] = set()
        self._open = asyncio.Event()
        self._open.set()
        self.delay_ns = 0
        """Before each piece of data is passed on."""
        self.port = 0

    def cut(self) -> None:
        """Ends all connections; new ones are refused until `mend`."""
        self._open.clear()
        for link in self._links:
            link.cancel()

    def mend(self) -> None:
        """Takes connections again, without delay."""
        self.delay_ns = 0
        self._open.set()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        link = asyncio.current_task()
        assert link is not None
        self._links.add(link)
        try:
            if self._open.is_set():
                out, into = await asyncio.open_connection("127.0.0.1", self._target)
                try:
                    async with asyncio.TaskGroup() as both:
                        both.create_task(self._pass(reader, into))
                        both.create_task(self._pass(out, writer))
                finally:
                    into.close()
        except (OSError, ExceptionGroup, asyncio.CancelledError):
            # Cut, or one end has closed: so is the other one.
            return
        finally:
            self._links.discard(link)
            writer.transport.abort()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            if self.delay_ns:
                await sleep_ns(self.delay_ns)
            writer.write(data)
            await writer.drain()
        raise ConnectionResetError("closed")


@asynccontextmanager
async def tcp_proxy(target: int) -> AsyncIterator[TcpProxy]:
    """A proxy for the block."""
    proxy = TcpProxy(target)
    server = await asyncio.start_server(proxy._connected, "127.0.0.1", 0)
    proxy.port = server.sockets[0].getsockname()[1]
    try:
        yield proxy
    finally:
        server.close()
        proxy.cut()
        with suppress(asyncio.CancelledError):
            await asyncio.gather(*proxy._links, return_exceptions=True)
