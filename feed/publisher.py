"""Publishes events: an XPUB socket that never waits for anybody.

Each subscriber has its own queue in libzmq. A stalled one fills it (and TCP's buffers), and from then on loses what
does not fit, silently; the others and the table notice nothing. What it lost it finds out by `seq`, and asks the
history. NODROP, which would tell the publisher, would also let one slow board hold up everybody: it is never set.

ZMTP heartbeats run on this side only: they find a subscriber whose computer froze. On a subscriber's side they abort
its process when it reads too slowly (libzmq 4.3.5).
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable
from typing import Final

import zmq

from feed.allow_list import KeyOwner
from feed.endpoints import Endpoints
from feed.keys import ServerCurve
from feed.server_socket import ServerSocket

log = logging.getLogger(__name__)

QUEUE = 2_000
"""Messages that wait for one subscriber (ours): a table's hour, some 2 MB."""
HEARTBEAT_MS = 1_000
HEARTBEAT_TIMEOUT_MS = 3_000
MAX_TOPIC = 256
"""Longer prefixes are no topic of ours."""
MAX_FRAME = 1024
"""The longest frame that is taken (ours): a subscription, or a step of the handshake."""
SUBSCRIPTION_QUEUE = 200
"""Subscriptions of one connection that libzmq takes in at a time."""
MAX_TOPICS = 4_000
MAX_TOPIC_BYTES = 128 * 1024
"""Different prefixes that are held in all (ours): 64 tables with every kind of event, twice over. libzmq needs some 45
bytes for each byte of them (measured), and sets no bound itself."""
MANY_TOPICS = 1_000
"""Subscriptions of one client that are worth a line in the log."""

_FIRST: Final = int(zmq.DONTWAIT | zmq.SNDMORE)
_LAST: Final = int(zmq.DONTWAIT)
_SUBSCRIBE = 1
_UNSUBSCRIBE = 0
_MOST_CLIENTS = 1_000
"""Clients whose subscriptions are counted apart; those of more are counted together."""
_UNNAMED = "a local client"
_OTHERS = "others"

_OPTIONS = {
    # Each subscription is told, also the second of the same topic; and each that ends.
    zmq.XPUB_VERBOSER: 1,
    zmq.SNDHWM: QUEUE,
    zmq.RCVHWM: SUBSCRIPTION_QUEUE,
    zmq.MAXMSGSIZE: MAX_FRAME,
    zmq.HEARTBEAT_IVL: HEARTBEAT_MS,
    zmq.HEARTBEAT_TIMEOUT: HEARTBEAT_TIMEOUT_MS,
}


class Publisher:
    """The feed's socket. All but `send` is for the asyncio loop's thread."""

    def __init__(
        self,
        context: zmq.Context[zmq.Socket[bytes]],
        endpoints: Endpoints,
        curve: ServerCurve | None = None,
        *,
        sender: Callable[[str], KeyOwner | None] = lambda user_id: None,
        queue: int = QUEUE,
    ) -> None:
        """`sender` names the owner of a key (`AllowList.sender`); `queue` is how many messages wait for a subscriber.

        Raises:
            EndpointError: it is `tcp://` and there is no key.
        """
        options = {**_OPTIONS, zmq.SNDHWM: queue}
        self._sender = sender
        self._socket = ServerSocket(
            context, zmq.XPUB, endpoints.feed, self._subscription, name="feed", curve=curve, options=options
        )
        self._clients: Counter[str] = Counter()
        self._topics: set[bytes] = set()
        """Every prefix that was asked for since connections were last ended: who leaves and comes back adds none.
        What was given up is not taken off, since libzmq also tells of what nobody had."""
        self._topic_bytes = 0
        self.subscriptions = 0
        """How many there are now, over all clients."""
        self.malformed = 0
        """Messages of subscribers that were no subscription."""
        self.published = 0

    @property
    def endpoint(self) -> str:
        """Where it is bound."""
        return self._socket.endpoint

    @property
    def connections(self) -> int:
        """How many subscribers are connected."""
        return self._socket.connections

    @property
    def refused(self) -> int:
        """How many connections came to nothing."""
        return self._socket.refused

    @property
    def problem(self) -> str | None:
        """Why nobody can subscribe any more; None while all is well."""
        return self._socket.problem

    def asked_by(self) -> dict[str, int]:
        """How often each client has subscribed to something since the start."""
        return dict(self._clients)

    def bind(self) -> None:
        """Takes subscribers from now on. Must be called on the loop.

        Raises:
            EndpointError: the address cannot be had.
        """
        self._socket.bind()

    def publish(self, topic: bytes, body: bytes) -> None:
        """Sends one message to whoever subscribed to its topic. It never waits; who is too slow loses it."""
        self.send(topic, body)
        self._socket.poke()

    def send(self, topic: bytes, body: bytes) -> None:
        """The same from any thread; who does so calls `poke` on the loop afterwards."""
        with self._socket.lock:
            raw = self._socket.raw
            if not raw.closed:
                # As `send_multipart` does after a look at each frame, which costs a subscriber some 10 µs.
                raw.send(topic, _FIRST)
                raw.send(body, _LAST)
                self.published += 1

    def poke(self) -> None:
        """Takes what subscribers have sent: libzmq forgets to wake the loop for it when something is sent."""
        self._socket.poke()

    def drop_connections(self) -> None:
        """Ends every connection that was made with a key; it may be made again if the key still holds."""
        self._socket.drop_connections()

    def close(self) -> None:
        """Sends nothing more."""
        self._socket.close()

    def _subscription(self, frames: list[zmq.Frame]) -> None:
        body = frames[0].bytes
        if body[:1] == b"\x01":
            self._hold(body[1:], frames[0])
        if len(frames) != 1 or not body or body[0] not in (_SUBSCRIBE, _UNSUBSCRIBE) or len(body) > MAX_TOPIC + 1:
            self.malformed += 1
            log.warning("feed: %s sent %d frames that are no subscription", self._who(frames[0]), len(frames))
            return
        if body[0] == _UNSUBSCRIBE:
            self.subscriptions = max(0, self.subscriptions - 1)
            return
        self.subscriptions += 1
        who = self._who(frames[0])
        if who not in self._clients and len(self._clients) >= _MOST_CLIENTS:
            who = _OTHERS
        self._clients[who] += 1
        if self._clients[who] == MANY_TOPICS:
            log.warning("feed: %s has subscribed %d times; one prefix is enough for a table", who, MANY_TOPICS)
        elif self._clients[who] == 1:
            log.info("feed: %s subscribes to %r", who, body[1:].decode("utf-8", "replace"))

    def _hold(self, topic: bytes, frame: zmq.Frame) -> None:
        """Bounds what all prefixes take in libzmq. Ending the connections frees it, and only who asked for too many
        asks for them again.
        """
        if topic in self._topics:
            return
        self._topics.add(topic)
        self._topic_bytes += len(topic)
        if len(self._topics) > MAX_TOPICS or self._topic_bytes > MAX_TOPIC_BYTES:
            log.error(
                "feed: %s asked for one prefix too many: over %d, or %d bytes of them, and all connections are ended "
                "to be rid of them; if it comes back here, stop it or revoke its key",
                self._who(frame),
                MAX_TOPICS,
                MAX_TOPIC_BYTES,
            )
            self._topics.clear()
            self._topic_bytes = 0
            self._socket.end_connections("there were too many prefixes")

    def _who(self, frame: zmq.Frame) -> str:
        user_id = user_id_of(frame)
        if user_id is None:
            return _UNNAMED
        sender = self._sender(user_id)
        return "a key that holds no more" if sender is None else sender.name


def user_id_of(frame: zmq.Frame) -> str | None:
    """The public key of who sent a frame; None where no keys are asked for."""
    try:
        return str(frame.get("User-Id"))
    except zmq.ZMQError:
        return None
