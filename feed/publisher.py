"""Publishes events: an XPUB socket that never waits for a subscriber.

Each subscriber has its own queue in libzmq. A stalled one fills it (and TCP's buffers), and then loses messages
silently; the other subscribers and the table are not affected. It detects the loss by `seq`, and asks the history.
NODROP, which would report the loss to the publisher, would also let one slow scoreboard block all: it is never set.

ZMTP heartbeats run on this side only: they detect a subscriber whose computer is frozen. On a subscriber's side they
may abort its process when it reads too slowly (libzmq 4.3.5).
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable
from typing import Final

import zmq

from feed.allow_list import KeyOwner
from feed.endpoints import Endpoints
from feed.keys import ServerCurve
from feed.prefixes import HOLD_S, MAX_TOPIC_BYTES, MAX_TOPICS, Peer, PrefixBudget
from feed.server_socket import ServerSocket, descriptor_of

log = logging.getLogger(__name__)

QUEUE = 2_000
"""Messages queued for one subscriber (ours): an hour of one table, some 2 MB."""
HEARTBEAT_MS = 1_000
HEARTBEAT_TIMEOUT_MS = 3_000
MAX_TOPIC = 256
"""The longest prefix accepted."""
MAX_FRAME = 1024
"""The longest frame accepted (ours): a subscription, or a step of the handshake."""
SUBSCRIPTION_QUEUE = 200
"""Subscriptions of one connection that libzmq queues."""
MANY_TOPICS = 1_000
"""Subscriptions of one client after which a warning is logged."""

_FIRST: Final = int(zmq.DONTWAIT | zmq.SNDMORE)
_LAST: Final = int(zmq.DONTWAIT)
_SUBSCRIBE = 1
_UNSUBSCRIBE = 0
_MOST_CLIENTS = 1_000
"""Clients whose subscriptions are counted separately; those of further clients are counted together."""
_UNNAMED = "a local client"
_OTHERS = "others"

_OPTIONS = {
    # Every subscription and unsubscription is reported, also a second one to the same topic.
    zmq.XPUB_VERBOSER: 1,
    zmq.SNDHWM: QUEUE,
    zmq.RCVHWM: SUBSCRIPTION_QUEUE,
    zmq.MAXMSGSIZE: MAX_FRAME,
    zmq.HEARTBEAT_IVL: HEARTBEAT_MS,
    zmq.HEARTBEAT_TIMEOUT: HEARTBEAT_TIMEOUT_MS,
}


class Publisher:
    """The feed's socket. Everything but `send` is for the asyncio loop's thread."""

    def __init__(
        self,
        context: zmq.Context[zmq.Socket[bytes]],
        endpoints: Endpoints,
        curve: ServerCurve | None = None,
        *,
        sender: Callable[[str], KeyOwner | None] = lambda user_id: None,
        queue: int = QUEUE,
    ) -> None:
        """`sender` names the owner of a key (`AllowList.sender`); `queue` is the length of each subscriber's queue.

        Raises:
            EndpointError: it is `tcp://` and there is no key.
        """
        options = {**_OPTIONS, zmq.SNDHWM: queue}
        self._sender = sender
        self._prefixes = PrefixBudget()
        self.socket = ServerSocket(
            context,
            zmq.XPUB,
            endpoints.feed,
            self._subscription,
            name="feed",
            curve=curve,
            options=options,
            gone=self._prefixes.disconnected,
        )
        """How its connections are, and why it is not bound where it should be."""
        self._clients: Counter[str] = Counter()
        self.subscriptions = 0
        """How many there are now, of all clients."""
        self.malformed = 0
        """Messages of subscribers that are not a subscription."""
        self.held_off = 0
        """Subscriptions for which connections were ended, since their peer asked for too many prefixes."""
        self.published = 0

    def bind(self) -> None:
        """Binds the socket. Must be called on the loop.

        Raises:
            EndpointError: the address cannot be bound.
        """
        self.socket.bind()

    def publish(self, topic: bytes, body: bytes) -> None:
        """Sends one message to the subscribers of its topic. It never waits; a subscriber that is too slow loses it."""
        self.send(topic, body)
        self.socket.poke()

    def send(self, topic: bytes, body: bytes) -> None:
        """The same from any thread; the caller has `poke` called on the loop afterwards."""
        with self.socket.lock:
            raw = self.socket.raw
            if not raw.closed:
                # As `send_multipart` does after checking each frame, which costs some 10 µs for each subscriber.
                raw.send(topic, _FIRST)
                raw.send(body, _LAST)
                self.published += 1

    def poke(self) -> None:
        """Reads the messages of subscribers: libzmq does not wake the loop for them after a send."""
        self.socket.poke()

    def close(self) -> None:
        """Closes the socket."""
        self.socket.close()

    def _subscription(self, frames: list[zmq.Frame]) -> None:
        body = frames[0].bytes
        peer = peer_of(frames[0])
        if body[:1] == b"\x01" and self._is_held_off(peer, body[1:], frames[0]):
            return
        if len(frames) != 1 or not body or body[0] not in (_SUBSCRIBE, _UNSUBSCRIBE) or len(body) > MAX_TOPIC + 1:
            self.malformed += 1
            log.warning("feed: %s sent %d frames that are not a subscription", self._who(frames[0]), len(frames))
            return
        if body[0] == _UNSUBSCRIBE:
            self._prefixes.unsubscribed(peer, body[1:])
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

    def _is_held_off(self, peer: Peer, topic: bytes, frame: zmq.Frame) -> bool:
        """Bounds the memory of all prefixes in libzmq: whoever asks for too many loses its own connections."""
        was_held_off = self._prefixes.is_held_off(peer.name)
        offender = self._prefixes.subscribed(peer, topic)
        if offender is None:
            return False
        if not was_held_off:
            asyncio.get_running_loop().call_later(HOLD_S, self._prefixes.release, offender)
        who = self._who(frame) if offender == peer.name else offender
        if who == _UNNAMED:
            who = f"process {peer.address.rpartition(':')[2]} of this computer"
        self.held_off += 1
        self.socket.refuse(
            f"{who} asked for too many prefixes (over {MAX_TOPICS}, or {MAX_TOPIC_BYTES} bytes): its connections are "
            f"ended for {HOLD_S:g} s, and those of others are not; stop it or revoke its key"
        )
        return offender == peer.name

    def _who(self, frame: zmq.Frame) -> str:
        user_id = user_id_of(frame)
        if user_id is None:
            return _UNNAMED
        sender = self._sender(user_id)
        return "a key that is no longer allowed" if sender is None else sender.name


def peer_of(frame: zmq.Frame) -> Peer:
    """Where a frame came from."""
    try:
        address = str(frame.get("Peer-Address"))
    except zmq.ZMQError:
        address = ""
    return Peer(user_id_of(frame) or address, address, descriptor_of(frame))


def user_id_of(frame: zmq.Frame) -> str | None:
    """The public key of the sender of a frame; None where no keys are required."""
    try:
        return str(frame.get("User-Id"))
    except zmq.ZMQError:
        return None
