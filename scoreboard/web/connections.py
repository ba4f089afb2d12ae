"""Bounds the connections of a server that are not WebSockets, so that no stranger uses up its descriptors.

accepted ──► a request may come ──a WebSocket──► not counted
                 ├── nothing for `IDLE_S`: aiohttp ends it, also where half a header came
                 └── there are too many: the oldest of the peer with the most are ended
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from typing import Final
from weakref import WeakSet

from aiohttp import web

log = logging.getLogger(__name__)

IDLE_S: Final = 75.0
"""How long a connection may be without a request, the first included (ours): longer than the minute between two
checkpoints of a log."""
MOST: Final = 512
"""Connections that are not WebSockets (ours): with what the loop accepts at once they stay below the 1,024 descriptors
that a process has where nobody raises the limit."""


class PlainConnections:
    """The connections of a server: a protocol for each that is accepted, and an end for those that are too many."""

    def __init__(self) -> None:
        self._websockets: WeakSet[asyncio.BaseTransport] = WeakSet()
        self._is_flooded = False
        """Whether connections were ended, and not half as many were there since: that is logged once."""

    def accepted(self, server: web.Server) -> web.RequestHandler:
        """The protocol of a connection that was accepted."""
        there = len(server.connections)
        if there >= MOST:
            self._end_surplus(server)
        elif there < MOST // 2:
            self._is_flooded = False
        return server()

    async def prepared(self, request: web.BaseRequest, response: web.StreamResponse) -> None:
        """Who serves a WebSocket bounds it. For `on_response_prepare` of the application."""
        if isinstance(response, web.WebSocketResponse) and request.transport is not None:
            self._websockets.add(request.transport)

    def _end_surplus(self, server: web.Server) -> None:
        transports = [one.transport for one in server.connections if one.transport is not None]
        plain = {one: _peer(one) for one in transports if one not in self._websockets and not one.is_closing()}
        of_peer = Counter(plain.values())
        for _ in range(len(plain) + 1 - MOST):
            ((peer, most),) = of_peer.most_common(1)
            oldest = next(one for one, its in plain.items() if of_peer[its] == most)
            if not self._is_flooded:
                log.warning("too many connections that are not WebSockets: the oldest of %s are ended", peer)
            self._is_flooded = True
            of_peer[plain.pop(oldest)] -= 1
            oldest.abort()


def _peer(transport: asyncio.Transport) -> str:
    name = transport.get_extra_info("peername")
    return str(name[0]) if name else ""
