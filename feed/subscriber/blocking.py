"""A subscriber for programs without an event loop: a blocking iterator."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from types import TracebackType
from typing import Self

import zmq

from .items import Item
from .reader import TICK_MS, FeedReader


class Subscriber(FeedReader):
    """Follows the tables of one service; iterating waits for the next item.

        with Subscriber("tcp://10.0.0.5:5600") as subscriber:
            for item in subscriber:
                print(item)

    For one thread only.
    """

    def _prepare(self) -> None:
        self._ticker = _Ticker(self._context)

    def __iter__(self) -> Iterator[Item]:
        return self

    def __next__(self) -> Item:
        item = self.next()
        if item is None:
            raise StopIteration
        return item

    def next(self, timeout_s: float | None = None) -> Item | None:
        """Waits for the next item. Returns None after `timeout_s`, counted in ticks of a quarter of a second; without a
        timeout it waits for ever."""
        end_ns = None if timeout_s is None else self._now_ns + round(timeout_s * 1e9)
        while not self._queue:
            if self._exchange() or self._queue:
                continue
            if end_ns is not None and self._now_ns >= end_ns:
                return None
            self._wait()
        return self._queue.next()

    def close(self) -> None:
        """Closes the sockets; messages on their way are dropped."""
        self._ticker.close()
        self._disconnect()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _wait(self) -> None:
        poller = zmq.Poller()
        for socket in (self._sockets.feed, self._sockets.history, self._ticker.socket):
            poller.register(socket, zmq.POLLIN)
        if self._ticker.socket in dict(poller.poll()):
            self._ticker.take()
            self._now_ns += TICK_MS * 1_000_000


class _Ticker:
    """Sends a message each tick, unless the one before was not received yet."""

    def __init__(self, context: zmq.Context[zmq.Socket[bytes]]) -> None:
        address = f"inproc://feltwire-ticks-{id(self)}"
        self.socket = _pair(context)
        self.socket.bind(address)
        self._end = _pair(context)
        self._end.connect(address)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="feltwire-ticks", daemon=True)
        self._thread.start()

    def take(self) -> None:
        """Receives a tick."""
        self.socket.recv(zmq.DONTWAIT)

    def close(self) -> None:
        """Ends the thread."""
        self._stop.set()
        self._thread.join()
        self._end.close(linger=0)
        self.socket.close(linger=0)

    def _run(self) -> None:
        while not self._stop.wait(TICK_MS / 1000):
            if self._end.poll(0, zmq.POLLOUT):
                self._end.send(b"", zmq.DONTWAIT)


def _pair(context: zmq.Context[zmq.Socket[bytes]]) -> zmq.Socket[bytes]:
    socket = context.socket(zmq.PAIR)
    socket.setsockopt(zmq.SNDHWM, 1)
    socket.setsockopt(zmq.RCVHWM, 1)
    return socket
