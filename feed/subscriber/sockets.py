"""The two sockets of a subscriber: SUB for the feed, DEALER for the history. Plain pyzmq, never blocking.

Without ZMTP heartbeats: libzmq 4.3.5 may abort the process of a subscriber that reads too slowly when they are on. What
they would tell, the heartbeats of the feed tell.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import zmq

from feed import wire
from feed.endpoints import Endpoints
from feed.subscriber.subscription import Subscription

if TYPE_CHECKING:
    from feed.keys import ClientCurve

RECEIVE_QUEUE: Final = 20_000
"""Messages that wait for a reader that is slow (ours); what does not fit is lost, found missing and asked for."""
REQUEST_QUEUE: Final = 100
RECONNECT_MS: Final = 100
RECONNECT_MAX_MS: Final = 2_000
AT_ONCE: Final = 1_000
"""Messages taken from a socket before the reader has its turn."""


class SubscriberSockets:
    """The sockets, and what goes between them and a `Subscription`. Of one thread only."""

    def __init__(
        self,
        context: zmq.Context[zmq.Socket[bytes]],
        endpoints: Endpoints,
        subscription: Subscription,
        curve: ClientCurve | None = None,
    ) -> None:
        """Connects; nobody needs to be there yet."""
        self._context = context
        self._endpoints = endpoints
        self._subscription = subscription
        self._curve = curve
        self._open()

    def _open(self) -> None:
        self.feed = self._connected(zmq.SUB, self._endpoints.feed, RECEIVE_QUEUE)
        for topic in self._subscription.topics:
            self.feed.subscribe(topic)
        self.history = self._connected(zmq.DEALER, self._endpoints.history, RECEIVE_QUEUE)

    def _connected(self, kind: int, endpoint: str, queue: int) -> zmq.Socket[bytes]:
        socket = self._context.socket(kind)
        socket.setsockopt(zmq.LINGER, 0)
        socket.setsockopt(zmq.RCVHWM, queue)
        socket.setsockopt(zmq.SNDHWM, REQUEST_QUEUE)
        socket.setsockopt(zmq.MAXMSGSIZE, wire.MAX_ANSWER_FRAME)
        socket.setsockopt(zmq.RECONNECT_IVL, RECONNECT_MS)
        socket.setsockopt(zmq.RECONNECT_IVL_MAX, RECONNECT_MAX_MS)
        socket.setsockopt(zmq.IPV6, 1)
        if kind == zmq.DEALER:
            # A request waits for no connection: it would be old when it arrives.
            socket.setsockopt(zmq.IMMEDIATE, 1)
        if self._curve is not None:
            self._curve.apply(socket)
        socket.connect(endpoint)
        return socket

    def exchange(self, now_ns: int) -> bool:
        """Takes what has come and sends what is to be asked. Returns whether there is more to take at once."""
        subscription = self._subscription
        more = _drain(self.feed, subscription.on_feed, now_ns)
        more = _drain(self.history, subscription.on_history, now_ns) or more
        if not more:
            # Only now: what was waiting here is not the publisher's silence.
            subscription.on_time(now_ns)
        for request in subscription.requests(now_ns):
            try:
                self.history.send_multipart(request, zmq.DONTWAIT)
            except zmq.Again:
                # Nobody is connected yet, or the queue is full.
                subscription.not_sent(request[0], now_ns)
        # Looking at both empties their file descriptors, which tell of each change once.
        ready = [socket.poll(0, zmq.POLLIN) for socket in (self.feed, self.history)]
        return more or any(ready)

    def reopen(self, now_ns: int) -> None:
        """Connects anew: to whoever answers at the address now."""
        self.close()
        self._open()
        self._subscription.reopened(now_ns)

    def close(self) -> None:
        """Drops what is on its way."""
        self.feed.close(linger=0)
        self.history.close(linger=0)


def _drain(socket: zmq.Socket[bytes], give: Callable[[list[bytes], int], None], now_ns: int) -> bool:
    """Gives what a socket has; returns whether there may be more."""
    for _ in range(AT_ONCE):
        try:
            frames = socket.recv_multipart(zmq.DONTWAIT)
        except zmq.Again:
            return False
        give(frames, now_ns)
    return True
