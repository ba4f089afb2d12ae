"""The command socket: a ROUTER that decodes requests, finds out who sent them, and sends the answers.

    frames    [routing id] ([empty]) [request JSON]        the empty frame is that of a REQ socket
    answer    [routing id] ([empty]) [answer JSON]

A malformed message is counted and answered; it never reaches a table or the journal. A frame over 64 KiB ends the
connection (`feed.server_socket`). The sender is the owner of the key (CURVE's User-Id); over `ipc://`, which the
folder's permissions guard, it is anybody who may open the socket.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, Protocol

import zmq

from controller.service.command_handler import CommandHandler
from controller.service.counters import ServiceCounters
from controller.service.rate_limiter import RateLimiter
from controller.service.requests import CommandAnswer, RequestError, decode_request, encode_answer
from feed.allow_list import WITH_CLASS, AllowList, KeyOwner, Role
from feed.keys import ServerCurve
from feed.server_socket import ServerSocket
from hal.clock import NS_PER_S, Clock

log = logging.getLogger(__name__)

HWM: Final = 200
"""Messages that wait in each direction of one connection (ours)."""
MALFORMED_BURST: Final = 100
MALFORMED_REFILL_NS: Final = NS_PER_S // 20
"""Malformed messages that are answered: a burst of 100, then twenty a second (ours); the rest is only counted."""

NEW_LOCAL_BURST: Final = 100
NEW_LOCAL_REFILL_NS: Final = NS_PER_S
"""Local connections that get an allowance of their own: a burst of 100, then one a second (ours); those beyond share
one, so that no program has more commands by connecting more often."""
MAX_LOCAL: Final = 1_000
"""Local connections whose allowances are remembered; the one used least recently is forgotten."""

LOCAL: Final = "@local"
"""The scope of the ids of local senders: no key can have this name."""
UNNAMED: Final = "local"
USER_ID: Final = "User-Id"


class AuthenticatedSender(NamedTuple):
    """A sender who may send commands, before a name in the request is considered."""

    sender: KeyOwner
    scope: str

    def named(self, by: str) -> tuple[KeyOwner, str]:
        """The sender, and the scope of its ids. The name in a request counts over `ipc://` only: a key has its own."""
        if self.scope == LOCAL and by:
            return self.sender._replace(name=by), self.scope
        return self.sender, self.scope


class SenderResolver(Protocol):
    """Finds the sender of a frame."""

    def of(self, frame: zmq.Frame) -> AuthenticatedSender | str:
        """The sender, or why there is none."""


class LocalSenderResolver:
    """Gives every sender on `ipc://` one role: the permissions of the socket's folder decide who can send."""

    def __init__(self, role: Role) -> None:
        self._owner = AuthenticatedSender(KeyOwner(UNNAMED, role, "A" if role in WITH_CLASS else None, None), LOCAL)

    def of(self, frame: zmq.Frame) -> AuthenticatedSender | str:
        """The same sender for every frame."""
        return self._owner


class KeySenderResolver:
    """Finds the sender by its key, in the allow-list as it is now."""

    def __init__(self, allowed: Callable[[], AllowList]) -> None:
        self._allowed = allowed

    def of(self, frame: zmq.Frame) -> AuthenticatedSender | str:
        """The owner of the key that CURVE proved; a key that is revoked meanwhile has none."""
        try:
            user_id = frame.get(USER_ID)
        except zmq.ZMQError:
            return "the connection proves no key"
        sender = self._allowed().sender(user_id if isinstance(user_id, bytes | str) else b"")
        return "the key is not allowed, or not any more" if sender is None else AuthenticatedSender(sender, sender.name)


class LocalAllowances:
    """Whose commands those of a local connection count with: its own, so that no program makes the others wait."""

    def __init__(self, clock: Clock) -> None:
        self._known: OrderedDict[bytes, None] = OrderedDict()
        self._new = RateLimiter(clock, NEW_LOCAL_BURST, NEW_LOCAL_REFILL_NS)

    def of(self, routing_id: bytes) -> str:
        """The allowance of a connection, by its routing id."""
        if routing_id not in self._known and not self._new.take(""):
            return LOCAL
        self._known[routing_id] = None
        self._known.move_to_end(routing_id)
        if len(self._known) > MAX_LOCAL:
            self._known.popitem(last=False)
        return f"{LOCAL}:{routing_id.hex()}"


class CommandServer:
    """Binds the command socket and hands requests to the command handler, on the running loop."""

    def __init__(
        self,
        context: zmq.Context[zmq.Socket[bytes]],
        endpoint: str,
        curve: ServerCurve | None,
        senders: SenderResolver,
        handler: CommandHandler,
        clock: Clock,
        counters: ServiceCounters,
    ) -> None:
        """Prepares the socket.

        Raises:
            feed.endpoints.EndpointError: it is `tcp://` and there is no key.
        """
        self._senders = senders
        self._handler = handler
        self._counters = counters
        self._local = LocalAllowances(clock)
        self._answerable = RateLimiter(clock, MALFORMED_BURST, MALFORMED_REFILL_NS)
        options = {zmq.RCVHWM: HWM, zmq.SNDHWM: HWM}
        self.socket = ServerSocket(
            context, zmq.ROUTER, endpoint, self._receive, name="commands", curve=curve, options=options
        )
        """How its connections are, and why it is not bound where it should be."""
        self._closed = False

    def bind(self) -> None:
        """Receives requests from now on.

        Raises:
            feed.endpoints.EndpointError: the address cannot be opened.
        """
        self.socket.bind()

    def close(self) -> None:
        """Receives and sends nothing any more."""
        self._closed = True
        self.socket.close()

    def _receive(self, frames: Sequence[zmq.Frame]) -> None:
        route = [frames[0].bytes]
        content = frames[1:]
        if len(content) == 2 and not content[0].bytes:
            route.append(b"")
            content = content[1:]
        owner = self._senders.of(frames[-1])
        if isinstance(owner, str):
            # A key that was revoked while its connection was open.
            self._malformed(route, "", owner)
        elif len(content) != 1:
            self._malformed(route, "", f"a request is one frame of JSON, not {len(content)}")
        else:
            self._request(route, owner, content[0].bytes)

    def _request(self, route: list[bytes], owner: AuthenticatedSender, body: bytes) -> None:
        try:
            request = decode_request(body)
        except RequestError as error:
            self._malformed(route, error.request_id, str(error))
            return
        who, scope = owner.named(request.by)
        allowance = self._local.of(route[0]) if scope == LOCAL else scope
        self._handler.receive(request, who, scope, lambda answer: self._answer(route, answer), allowance=allowance)

    def _malformed(self, route: list[bytes], request_id: str, why: str) -> None:
        self._counters.commands["malformed"] += 1
        log.warning("malformed command: %s", why)
        if self._answerable.take(""):
            self._answer(route, CommandAnswer(id=request_id, accepted=False, reason=f"bad_request: {why}"))

    def _answer(self, route: list[bytes], answer: CommandAnswer) -> None:
        if self._closed:
            return
        try:
            # A ROUTER drops messages to a peer that has gone or does not read.
            self.socket.raw.send_multipart([*route, encode_answer(answer)], zmq.DONTWAIT)
        except zmq.Again:
            log.warning("the answer to %s could not be sent: its sender does not read", answer.id)
        # Sending can consume the notification of a received message; the loop checks again later.
        self.socket.wake()
