"""A subscriber for programs on an asyncio loop: an asynchronous iterator."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from types import TracebackType
from typing import Protocol, Self

from ..state import TableState
from .items import Item
from .reader import TICK_MS, FeedReader


class TableSubscriber(Protocol):
    """What follows tables on an asyncio loop, whatever brings their messages: an asynchronous iterator of items, within
    an asynchronous context. `AsyncSubscriber` is one."""

    @property
    def states(self) -> Mapping[str, TableState]:
        """The state of each table after the last item delivered."""

    @property
    def silent_ns(self) -> Mapping[str, int | None]:
        """For each table how old what is known of it may be; None where that is not known."""

    @property
    def refused(self) -> str:
        """Why this reader is not let in; empty where it is, or that is not known."""

    def join_again(self, name: str) -> None:
        """Begins one table with its snapshot."""

    def __aiter__(self) -> AsyncIterator[Item]: ...

    async def __aenter__(self) -> Self: ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class AsyncSubscriber(FeedReader):
    """Follows the tables of one service; iterating waits for the next item.

        async with AsyncSubscriber("tcp://10.0.0.5:5600") as subscriber:
            async for item in subscriber:
                print(item)

    For one loop only. It reads only while a caller waits for an item; meanwhile messages wait in the socket.
    """

    def _prepare(self) -> None:
        self._timer: asyncio.TimerHandle | None = None
        self._woken: asyncio.Future[None] | None = None

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
        self._disconnect()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

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
