"""A subscriber for programs without an event loop: a blocking iterator."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from types import TracebackType
from typing import Final, Self

import zmq

from .items import Item
from .reader import TICK_MS, FeedReader

_MOST_TICKS: Final = 1 << 16
"""Bytes taken at once: more ticks than a socket keeps."""


class Subscriber(FeedReader):
    """Follows the tables of one service; iterating waits for the next item.

        with Subscriber("tcp://10.0.0.5:5600") as subscriber:
            for item in subscriber:
                print(item)

    For one thread only.
    """

    def _prepare(self) -> None:
        self._ticker = _Ticker()

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
        for one in (self._sockets.feed, self._sockets.history, self._ticker.descriptor):
            poller.register(one, zmq.POLLIN)
        if self._ticker.descriptor in dict(poller.poll()):
            self._ticker.take()
            self._now_ns += TICK_MS * 1_000_000


class _Ticker:
    """Makes a descriptor readable each tick; ticks that were not taken are one.

    The thread uses no ZeroMQ socket: these are for one thread, and a program that is interrupted anywhere, also while
    it closes, must not leave one to two of them.
    """

    def __init__(self) -> None:
        self._taken, self._ticked = socket.socketpair()
        self._taken.setblocking(False)
        self._ticked.setblocking(False)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="feltwire-ticks", daemon=True)
        self._thread.start()

    @property
    def descriptor(self) -> int:
        """What becomes readable."""
        return self._taken.fileno()

    def take(self) -> None:
        """Takes the ticks since the last call, as one."""
        self._taken.recv(_MOST_TICKS)

    def close(self) -> None:
        """Ends the thread."""
        self._stop.set()
        self._thread.join()
        self._ticked.close()
        self._taken.close()

    def _run(self) -> None:
        while not self._stop.wait(TICK_MS / 1000):
            try:
                self._ticked.send(b".")
            except BlockingIOError:
                continue  # nobody has taken any for long: they are one
            except OSError:
                return  # closed
