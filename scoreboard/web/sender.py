"""A bounded queue of messages for one browser.

    page ◄── socket ◄─────────────────────────── send()
                  ◄── writer task ◄── queue ◄──┘

A browser that has taken all it was sent is written to at once. For any other the messages wait in the queue; the task
that writes them ends with them, so that a page that keeps up has none. `send` never waits and never keeps more than
`Limits` allows. A browser that does not keep up is dropped with close code 1013 and the reason; it connects again and
resumes.
"""

from __future__ import annotations

import asyncio
import logging
import struct
from collections.abc import Callable
from typing import Final, NamedTuple

from aiohttp import WSCloseCode, WSMsgType, web

log = logging.getLogger(__name__)

TOO_SLOW: Final = "too slow: connect again"
STOPPING: Final = "the server stops"

WRITER_LIMIT: Final = 16 * 1024
"""Bytes after which a write waits for the socket (ours)."""
PING_S: Final = 15.0
"""Seconds between pings; a browser that does not answer half as long is gone (ours)."""


class Limits(NamedTuple):
    """How much is kept for one browser (ours)."""

    messages: int = 512
    octets: int = 2 * 1024 * 1024
    send_s: float = 10.0
    """The longest time for what waits to leave the queue."""
    close_s: float = 1.0
    """The longest time for the closing handshake, before the connection is cut."""
    received_octets: int = 4096
    """The longest message that a page may send."""


DEFAULT_LIMITS: Final = Limits()

FINAL_TEXT: Final = 0x81
"""The first octet of a frame that is a whole message of text (RFC 6455, 5.2)."""
LENGTH_7_BITS: Final = 125
LENGTH_16_BITS: Final = 0xFFFF
"""The longest payloads whose length is in the second octet, and in two more octets."""


def frame_of(message: bytes) -> bytes:
    """A message of text, UTF-8, as one frame of a server: unmasked, not compressed (RFC 6455, 5.2)."""
    length = len(message)
    if length <= LENGTH_7_BITS:
        return struct.pack("!BB", FINAL_TEXT, length) + message
    if length <= LENGTH_16_BITS:
        return struct.pack("!BBH", FINAL_TEXT, 126, length) + message
    return struct.pack("!BBQ", FINAL_TEXT, 127, length) + message


def _is_cancelled() -> bool:
    """Whether a CancelledError is for this task. All who write to a connection of aiohttp wait for one future: where
    one of them is cancelled, or takes too long, each gets the error."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


class ClientSender:
    """The connection to one browser."""

    def __init__(self, limits: Limits = DEFAULT_LIMITS, received: Callable[[str], None] = lambda text: None) -> None:
        """`received` handles each message of the page; the default passes over it."""
        self.limits = limits
        self._received = received
        self.dropped = ""
        """Why the browser was dropped; empty while it is not."""
        self.socket = web.WebSocketResponse(
            heartbeat=PING_S,
            compress=False,
            max_msg_size=limits.received_octets,
            writer_limit=WRITER_LIMIT,
        )
        self._transport: asyncio.WriteTransport | None = None
        """Of the connection, once it is a WebSocket."""
        self._queue: list[bytes] = []
        self._octets = 0
        self._writer: asyncio.Task[None] | None = None
        """Writes the queue, while there is one."""
        self._closing: tuple[int, str] | None = None
        self._failure: BaseException | None = None
        """Of the writer; it ends the connection."""
        self._reading: asyncio.Timeout | None = None
        """Ends the reading, and with it the connection, where that is not the page's doing."""

    @property
    def waiting(self) -> tuple[int, int]:
        """Messages and octets in the queue."""
        return len(self._queue), self._octets

    def send(self, *messages: bytes) -> bool:
        """Writes or queues messages, UTF-8. Returns False where the browser is dropped, now or before."""
        if self._closing is not None:
            return False
        if not messages:
            return True
        transport = self._transport
        if (
            transport is not None
            and not self._queue
            and not transport.get_write_buffer_size()
            and not transport.is_closing()
        ):
            # One call of the system for all of them, and no turn of the writer. Frames of aiohttp's own writer are
            # whole too, so that none gets between.
            transport.write(b"".join(map(frame_of, messages)))
            return True
        self._queue.extend(messages)
        self._octets += sum(map(len, messages))
        if len(self._queue) > self.limits.messages or self._octets > self.limits.octets:
            self.close(WSCloseCode.TRY_AGAIN_LATER, TOO_SLOW)
            return False
        self._write_queue()
        return True

    def close(self, code: int, reason: str) -> None:
        """Ends the connection: what waits is discarded, and the browser gets the reason."""
        if self._closing is not None:
            return
        self._closing = (code, reason)
        if code == WSCloseCode.TRY_AGAIN_LATER:
            self.dropped = reason
        self._queue.clear()
        self._octets = 0
        self._read_no_more()

    async def serve(self, request: web.Request) -> web.WebSocketResponse:
        """Handles the connection until it ends: sends what is queued, and hands on what the page sends."""
        await self.socket.prepare(request)
        # They are sent, and would be kept as long as the page.
        self.socket.headers.clear()
        self._transport = transport = request.transport
        self._reading = reading = asyncio.timeout(None)
        try:
            # The page's own task reads: a task and a future more would be kept for each page.
            async with reading:
                if self._closing is None:
                    self._write_queue()
                    await self._read()
        except TimeoutError:
            if not reading.expired():
                raise
        except asyncio.CancelledError:
            if _is_cancelled():
                raise
        finally:
            self._reading = None
            await self._end(transport)
        if self._failure is not None:
            raise self._failure
        return self.socket

    async def _end(self, transport: asyncio.WriteTransport | None) -> None:
        """Ends the writer, and the connection by the closing handshake; cuts it where the page does not take that."""
        # First, so that no writer begins any more.
        self._closing = code, reason = self._closing or (WSCloseCode.OK, "")
        self._queue.clear()
        self._octets = 0
        cut = True
        try:
            if self._writer is not None:
                self._writer.cancel()
                await asyncio.gather(self._writer, return_exceptions=True)
            async with asyncio.timeout(self.limits.close_s):
                await self.socket.close(code=code, message=reason.encode())
            cut = False
        except (TimeoutError, ConnectionError):
            log.info("the connection of a browser is cut: it did not take its close frame")
        except asyncio.CancelledError:
            if _is_cancelled():
                raise
            # The close frame is written behind what the cancelled writer waited for.
            cut = False
        finally:
            if transport is not None and cut:
                transport.abort()
            elif transport is not None and transport.get_write_buffer_size():
                # A closed transport keeps its buffer until the page reads: for ever, where nobody does.
                asyncio.get_running_loop().call_later(self.limits.close_s, transport.abort)

    async def _read(self) -> None:
        async for message in self.socket:
            if message.type is WSMsgType.TEXT:
                self._received(message.data)

    def _read_no_more(self) -> None:
        """Ends the reading, once."""
        reading, self._reading = self._reading, None
        if reading is not None:
            reading.reschedule(0)

    def _write_queue(self) -> None:
        if self._transport is not None and self._queue and self._writer is None:
            self._writer = asyncio.ensure_future(self._write())
            self._writer.add_done_callback(self._written)

    def _written(self, writer: asyncio.Task[None]) -> None:
        self._writer = None
        error = None if writer.cancelled() else writer.exception()
        if error is not None:
            self._failure = error
            self._read_no_more()
        elif self._closing is None:
            # More may have come since its last look.
            self._write_queue()

    async def _write(self) -> None:
        try:
            # All that waits now under one time limit: a browser that takes longer for it is too slow.
            async with asyncio.timeout(self.limits.send_s):
                while self._queue:
                    message = self._queue.pop(0)
                    self._octets -= len(message)
                    await self.socket.send_frame(message, WSMsgType.TEXT)
        except TimeoutError:
            self.close(WSCloseCode.TRY_AGAIN_LATER, TOO_SLOW)
        except (ConnectionError, RuntimeError) as error:
            # The browser has gone; aiohttp raises either, by when it noticed.
            log.debug("a browser has gone: %s", error)
            self.close(WSCloseCode.GOING_AWAY, str(error))
