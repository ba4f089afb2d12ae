"""The socket that commands come in by: a ROUTER that takes what is well formed, and answers everything.

    frames    [routing id] ([empty]) [request JSON]        the empty frame is that of a REQ socket
    answer    [routing id] ([empty]) [answer JSON]

What is no request is counted, answered and forgotten: it never reaches a table or the journal. Frames over 64 KiB cut
the connection (`feed.server_socket`). Who sends is told by the key (CURVE's User-Id); over `ipc://`, where the folder's
permissions are the guard, it is whoever may open the socket.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Final

import zmq

from controller.service.command_handler import CommandHandler
from controller.service.counters import ServiceCounters
from controller.service.rate_limiter import RateLimiter
from controller.service.requests import CommandAnswer, RequestError, decode_request, encode_answer
from controller.service.senders import AuthenticatedSender, SenderResolver
from feed.keys import ServerCurve
from feed.server_socket import ServerSocket
from hal.clock import NS_PER_S, Clock

log = logging.getLogger(__name__)

HWM: Final = 200
"""Messages that wait in each direction of one connection (ours)."""
MALFORMED_BURST: Final = 100
MALFORMED_REFILL_NS: Final = NS_PER_S // 20
"""Malformed messages that are answered: a burst of 100, then twenty a second (ours); the rest is only counted."""


class CommandServer:
    """Binds the command socket and hands requests to the desk, on the running loop."""

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
        self._answerable = RateLimiter(clock, MALFORMED_BURST, MALFORMED_REFILL_NS)
        options = {zmq.RCVHWM: HWM, zmq.SNDHWM: HWM}
        self._socket = ServerSocket(
            context, zmq.ROUTER, endpoint, self._take, name="commands", curve=curve, options=options
        )
        self._closed = False

    @property
    def endpoint(self) -> str:
        """Where it is bound; of a port chosen by the kernel, that port."""
        return self._socket.endpoint

    @property
    def problem(self) -> str | None:
        """Why nobody can send commands any more; None while all is well."""
        return self._socket.problem

    @property
    def refused(self) -> int:
        """How many connections came to nothing."""
        return self._socket.refused

    def bind(self) -> None:
        """Takes requests from now on.

        Raises:
            feed.endpoints.EndpointError: the address cannot be had.
        """
        self._socket.bind()

    def drop_connections(self) -> None:
        """Ends every connection that was made with a key; it may be made again if the key still holds."""
        self._socket.drop_connections()

    def close(self) -> None:
        """Takes and answers nothing any more."""
        self._closed = True
        self._socket.close()

    def _take(self, frames: Sequence[zmq.Frame]) -> None:
        route = [frames[0].bytes]
        content = frames[1:]
        if len(content) == 2 and not content[0].bytes:
            route.append(b"")
            content = content[1:]
        owner = self._senders.of(frames[-1])
        if isinstance(owner, str):
            # A key that was revoked while its connection stood.
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
        self._handler.receive(request, who, scope, lambda answer: self._answer(route, answer))

    def _malformed(self, route: list[bytes], request_id: str, why: str) -> None:
        self._counters.commands["malformed"] += 1
        log.warning("malformed command: %s", why)
        if self._answerable.take(""):
            self._answer(route, CommandAnswer(id=request_id, accepted=False, reason=f"bad_request: {why}"))

    def _answer(self, route: list[bytes], answer: CommandAnswer) -> None:
        if self._closed:
            return
        try:
            # A ROUTER drops what is for somebody who has gone, or who does not read.
            self._socket.raw.send_multipart([*route, encode_answer(answer)], zmq.DONTWAIT)
        except zmq.Again:
            log.warning("the answer to %s could not be sent: its sender does not read", answer.id)
        # Sending can swallow the word that more has come; looked at later, since this may be called while reading.
        self._socket.wake()
