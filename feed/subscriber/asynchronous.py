"""A subscriber for programs on an asyncio loop: an asynchronous iterator."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection
from types import TracebackType
from typing import TYPE_CHECKING, Self

import zmq

from ..endpoints import Endpoints
from .blocking import TICK_MS
from .items import Item, ItemQueue, Position
from .sockets import SubscriberSockets
from .subscription import Since, Subscription

if TYPE_CHECKING:
    from ..keys import ClientCurve


class AsyncSubscriber:
    """Follows the tables of one service; iterating waits for the next item.

        async with AsyncSubscriber("tcp://10.0.0.5:5600") as subscriber:
            async for item in subscriber:
                print(item)

    For one loop only. It reads only while a caller waits for an item; meanwhile messages wait in the socket.
    """

    def __init__(
        self,
        endpoint: str | None = None,
        *,
        tables: Collection[str] | None = None,
        since: Since = None,
        simulated: bool | None = False,
        curve: ClientCurve | None = None,
    ) -> None:
        """Connects; the service may start later. The arguments are those of `Subscriber`.

        Raises:
            EndpointError: the address cannot be used.
        """
        endpoints = Endpoints.default() if endpoint is None else Endpoints.parse(endpoint)
        shown = endpoint or endpoints.feed.removesuffix("/feed")
        self._subscription = Subscription(shown, tables=tables, since=since, simulated=simulated)
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._sockets = SubscriberSockets(self._context, endpoints, self._subscription, curve)
        self._queue = ItemQueue()
        self._now_ns = 0
        self._timer: asyncio.TimerHandle | None = None
        self._woken: asyncio.Future[None] | None = None

    @property
    def position(self) -> dict[str, Position]:
        """The position of each table after the last item delivered: to be stored, and passed as `since`."""
        return dict(self._queue.position)

    @property
    def stale(self) -> frozenset[str]:
        """The tables whose heartbeat is missing: their facts may be out of date."""
        return self._subscription.stale

    def __aiter__(self) -> AsyncIterator[Item]:
        return self

    async def __anext__(self) -> Item:
        while not self._queue:
            if not self._exchange() and not self._queue:
                await self._wait()
        return self._queue.next()

    def close(self) -> None:
        """Closes the sockets; messages on their way are dropped."""
        if self._timer is not None:
            self._timer.cancel()
        self._sockets.close()
        self._context.term()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _exchange(self) -> bool:
        more = self._sockets.exchange(self._now_ns)
        self._queue.add(self._subscription.take())
        if not more and self._subscription.should_reopen(self._now_ns):
            self._sockets.reopen(self._now_ns)
        return more

    async def _wait(self) -> None:
        """Waits for a socket or a tick. A socket's file descriptor is watched only here: it stays readable until it is
        read, and would keep the loop busy."""
        loop = asyncio.get_running_loop()
        if self._timer is None:
            self._timer = loop.call_later(TICK_MS / 1000, self._tick)
        self._woken = loop.create_future()
        descriptors = [self._sockets.feed.FD, self._sockets.history.FD]
        for descriptor in descriptors:
            loop.add_reader(descriptor, self._wake)
        try:
            await self._woken
        finally:
            self._woken = None
            for descriptor in descriptors:
                loop.remove_reader(descriptor)

    def _tick(self) -> None:
        self._timer = None
        self._now_ns += TICK_MS * 1_000_000
        self._wake()

    def _wake(self) -> None:
        if self._woken is not None and not self._woken.done():
            self._woken.set_result(None)
