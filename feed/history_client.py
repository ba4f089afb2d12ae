"""Asks a service's history one question, over a socket of its own."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import zmq
import zmq.asyncio

from . import wire
from .endpoints import Endpoints

if TYPE_CHECKING:
    from .keys import ClientCurve

ANSWER_S = 5.0
"""The longest wait for an answer (ours): a service that is gone gives none."""


async def ask(
    endpoints: Endpoints, request: wire.HistoryRequest, curve: ClientCurve | None = None
) -> wire.HistoryAnswer:
    """The first message of the answer.

    Raises:
        TimeoutError: there is none in `ANSWER_S`.
        wire.WireError: it is not an answer.
    """
    context: zmq.asyncio.Context = zmq.asyncio.Context()
    socket = context.socket(zmq.DEALER)
    try:
        socket.setsockopt(zmq.MAXMSGSIZE, wire.MAX_ANSWER_FRAME)
        socket.setsockopt(zmq.IPV6, 1)
        if curve is not None:
            curve.apply(socket)
        socket.connect(endpoints.history)
        async with asyncio.timeout(ANSWER_S):
            await socket.send_multipart(wire.encode_request(request))
            return wire.decode_answer(await socket.recv_multipart())
    finally:
        context.destroy(linger=0)
