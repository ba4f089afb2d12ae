"""The two sockets of a subscriber: SUB for the feed, DEALER for the history. Plain pyzmq, never blocking.

Without ZMTP heartbeats: with them libzmq 4.3.5 may abort the process of a subscriber that reads too slowly. The
heartbeats of the feed replace them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import zmq
from zmq.utils.monitor import parse_monitor_message

from .. import wire
from ..endpoints import Endpoints
from .handshake import WATCHED, Handshake
from .subscription import Subscription

if TYPE_CHECKING:
    from ..keys import ClientCurve

RECEIVE_QUEUE: Final = 20_000
"""Messages queued for a slow reader (ours); those that do not fit are lost, detected and requested."""
REQUEST_QUEUE: Final = 100
RECONNECT_MS: Final = 100
RECONNECT_MAX_MS: Final = 2_000
AT_ONCE: Final = 1_000
"""Messages read from a socket before the reader has its turn."""


class SubscriberSockets:
    """The two sockets of a `Subscription`. For one thread only."""

    def __init__(
        self,
        context: zmq.Context[zmq.Socket[bytes]],
        endpoints: Endpoints,
        subscription: Subscription,
        curve: ClientCurve | None = None,
    ) -> None:
        """Connects; the service may start later."""
        self._context = context
        self._endpoints = endpoints
        self._subscription = subscription
        self._curve = curve
        self._handshake = Handshake()
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
            # Without a connection no request is queued: it would be out of date when it arrives.
            socket.setsockopt(zmq.IMMEDIATE, 1)
        if self._curve is not None:
            self._curve.apply(socket)
        if kind == zmq.SUB:
            self._monitor = None if self._curve is None else socket.get_monitor_socket(WATCHED)
        socket.connect(endpoint)
        return socket

    def exchange(self, now_ns: int) -> bool:
        """Receives messages and sends requests. Returns whether more can be received at once."""
        subscription = self._subscription
        self._watch_handshake(now_ns)
        more = _drain(self.feed, subscription.on_feed, now_ns)
        more = _drain(self.history, subscription.on_history, now_ns) or more
        if not more:
            # Only now: while messages wait here the publisher is not silent.
            subscription.on_time(now_ns)
        for request in subscription.requests(now_ns):
            try:
                self.history.send_multipart(request, zmq.DONTWAIT)
            except zmq.Again:
                # Nobody is connected yet, or the queue is full.
                subscription.not_sent(request[0], now_ns)
        # Polling both resets their file descriptors, which are edge-triggered.
        ready = [socket.poll(0, zmq.POLLIN) for socket in (self.feed, self.history)]
        return more or any(ready)

    def _watch_handshake(self, now_ns: int) -> None:
        if self._monitor is None:
            return
        for _ in range(AT_ONCE):
            try:
                frames = self._monitor.recv_multipart(zmq.DONTWAIT)
            except zmq.Again:
                break
            self._handshake.handle(zmq.Event(parse_monitor_message(frames)["event"]), now_ns)
        self._handshake.tick(now_ns)
        self._subscription.on_refused(self._handshake.refused)

    def reopen(self, now_ns: int) -> None:
        """Connects again, to the service that now has the address."""
        self.close()
        self._handshake.reconnected()
        self._open()
        self._subscription.reopened(now_ns)

    def close(self) -> None:
        """Closes both; messages on their way are dropped."""
        if self._monitor is not None:
            self.feed.disable_monitor()
            self._monitor.close(linger=0)
        self.feed.close(linger=0)
        self.history.close(linger=0)


def _drain(socket: zmq.Socket[bytes], handle: Callable[[list[bytes], int], None], now_ns: int) -> bool:
    """Handles the messages of a socket; returns whether there may be more."""
    for _ in range(AT_ONCE):
        try:
            frames = socket.recv_multipart(zmq.DONTWAIT)
        except zmq.Again:
            return False
        handle(frames, now_ns)
    return True
