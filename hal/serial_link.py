"""A serial link on the event loop: any URL that pyserial opens, kept open.

    closed ──open()──► opening ──ok──► up ──error, unplugged──► down ──back-off──► opening …
                          └──error──────────────────────────────►┘

Frames are stamped with the time at which their last byte was read. When the link goes down, `EdgesLost(UNPLUGGED)` is
delivered once, under the link's name; that it is up again shows in its next frame, and in `status` at once.

pyserial 3.5 has traps that are met here (others in `hal.serial_link`):

- A peer that vanishes leaves the port "open": every read or write error means that the link is down.
- Opening, and closing a network port, block (up to seconds): both are done in a thread.
- A write that may not wait spins when the device is full: bytes are written only when the device has room.
"""

from __future__ import annotations

import asyncio
import io
import logging
import termios
from collections.abc import Callable
from dataclasses import dataclass

import serial

from hal.clock import Clock
from hal.framing import Framer, received
from hal.lines import LineError, Sink
from hal.values import EdgesLost, Loss

# A serial port as pyserial 3.5 gives it, never waited for, with the traps that are in its settings.
#
# - Its timeouts restart with each byte and hand out half a frame: reads never wait, a `Framer` finds the ends.
# - `exclusive` is an advisory lock: it keeps out a second Feltwire, not every other program.
# - Opening a tty raises DTR and RTS for a moment, whatever is configured, which resets boards of the Arduino kind. A
#   wheel does not care; a board must be identified anew after every opening. Name ports by `/dev/serial/by-id/…`.

PORT_ERRORS = (OSError, termios.error, ValueError)
"""What pyserial raises when a port cannot be opened, read, written or set up (its own error is an `OSError`)."""


@dataclass(frozen=True, slots=True)
class SerialSettings:
    """How bytes look on the wire; network URLs other than `rfc2217://` pass over them."""

    baudrate: int = 9600
    bytesize: int = 8
    parity: str = "N"
    stopbits: float = 1


def port_of(name: str, url: str, settings: SerialSettings) -> serial.Serial:
    """The port of the link `name`, not opened yet.

    Raises:
        LineError: pyserial has no such kind of URL, or a setting that no port has.
    """
    try:
        return serial.serial_for_url(
            url,
            do_not_open=True,
            timeout=0,
            exclusive=True,
            baudrate=settings.baudrate,
            bytesize=settings.bytesize,
            parity=settings.parity,
            stopbits=settings.stopbits,
        )
    except ValueError as error:
        raise LineError(
            f"serial link {name!r}: cannot use {url!r}: {error}; expected a device such as "
            "/dev/serial/by-id/… or a URL such as socket://host:port"
        ) from error


__all__ = ["LinkError", "LinkStatus", "SerialLink", "SerialSettings"]

log = logging.getLogger(__name__)

READ_BYTES = 4096
POLL_S = 0.01
"""How often a port without a file descriptor (`rfc2217://`, `loop://`) is asked for bytes (ours)."""
RETRY_FIRST_S = 0.25
RETRY_LONGEST_S = 5.0
"""The wait before opening again doubles from the first to the longest, and starts anew when bytes came (ours)."""
MAX_READS = 32
"""Reads in a row when all that has come is asked for (ours): more than a port's buffers hold."""
MAX_UNWRITTEN_BYTES = 4096
"""What may wait for a slow device (ours): four seconds at 9600 baud."""


class LinkError(Exception):
    """Bytes cannot be sent; says which link, why and what to do."""


@dataclass(frozen=True, slots=True)
class LinkStatus:
    """Whether the link is up, since when, and what took it down last."""

    up: bool
    since_ns: int
    reason: str


class SerialLink:
    """A source of frames (see `hal.lines.LineSource`) on a serial port that reconnects by itself.

    Nothing that was being sent when the link went down is sent again: a device must not act twice.
    """

    detects_loss = False
    kernel_time = False
    max_lateness_ns = 1
    """Bytes may still be read, and are stamped, in this very nanosecond; none older are to come."""

    def __init__(
        self,
        name: str,
        url: str,
        clock: Clock,
        framer: Framer,
        settings: SerialSettings | None = None,
        *,
        on_up: Callable[[int], None] = lambda t_ns: None,
    ) -> None:
        """Opens nothing yet. `on_up` is called with the time whenever the port has been opened.

        Raises:
            LineError: pyserial has no such kind of URL, or a setting that no port has.
        """
        self.name = name
        self.lines = frozenset({name})
        self._url = url
        self._clock = clock
        self._framer = framer
        self._went_up = on_up
        self._port = port_of(name, url, settings or SerialSettings())
        self._status = LinkStatus(False, clock.now_ns(), "not opened")
        self._told_down = False
        self._retry_s = RETRY_FIRST_S
        self._unwritten = bytearray()
        self._sink: Sink | None = None
        self._task: asyncio.Task[None] | None = None
        self._lost: asyncio.Future[str] | None = None
        self._wake_writer: Callable[[], None] | None = None

    @property
    def failed(self) -> LineError | None:
        """None while the link tries again, whatever happens to the port; else the defect that stopped it."""
        if self._task is None or not self._task.done() or self._task.cancelled():
            return None
        error = self._task.exception()
        if error is None:
            return None
        return LineError(
            f"serial link {self.name!r} ({self._url}): stopped by {error!r}, which no port should raise; "
            "close it and report this"
        )

    @property
    def status(self) -> LinkStatus:
        """How the link is now."""
        return self._status

    def open(self, sink: Sink) -> None:
        """Starts to open the port, on the running loop, and to deliver frames to `sink`.

        Where it was closed a moment ago, the port is let go first.
        """
        if self._sink is not None:
            raise LineError(f"serial link {self.name!r}: it is already open; close it first")
        self._sink = sink
        self._told_down = False
        self._status = LinkStatus(False, self._clock.now_ns(), "not opened yet")
        keep_open = self._keep_open(after=self._task)
        self._task = asyncio.get_running_loop().create_task(keep_open, name=f"serial link {self.name}")

    def close(self) -> None:
        """Delivers nothing any more, sends what was written, and lets the port go; `wait_closed` waits until it has."""
        self._sink = None
        if self._task is not None:
            self._task.cancel()
            self._status = LinkStatus(False, self._clock.now_ns(), "closed")

    async def wait_closed(self) -> None:
        """Waits until the port is closed, after `close`."""
        if self._task is not None:
            await asyncio.wait([self._task])
            self._task = None

    def delivered_until(self, now_ns: int) -> int:
        """Just before now: what is read later is stamped later."""
        return now_ns - 1

    def read_pending(self) -> None:
        """Reads and delivers what has come, without waiting for the loop to turn."""
        for _ in range(MAX_READS):
            if self._wake_writer is None or self._read_some() < READ_BYTES:
                return

    def write(self, data: bytes) -> None:
        """Sends `data`, at once or when the device has room.

        Raises:
            LinkError: the link is down, or too much is waiting already; nothing of `data` is sent.
        """
        if self._wake_writer is None:
            raise LinkError(
                f"serial link {self.name!r} ({self._url}): cannot send, it is down since "
                f"{self._status.since_ns} ns: {self._status.reason}; send again when it is up"
            )
        if len(self._unwritten) + len(data) > MAX_UNWRITTEN_BYTES:
            raise LinkError(
                f"serial link {self.name!r} ({self._url}): cannot send {len(data)} bytes, {len(self._unwritten)} "
                f"still wait and at most {MAX_UNWRITTEN_BYTES} may; is the device taking any?"
            )
        self._unwritten += data
        self._wake_writer()

    def drop(self, why: str) -> None:
        """Takes the link down, to be opened again: its port is open, and of no use."""
        if self._lost is not None and not self._lost.done():
            self._lost.set_result(why)

    async def _keep_open(self, after: asyncio.Task[None] | None) -> None:
        if after is not None:
            try:
                await asyncio.wait([after])
            finally:
                # Closed again meanwhile: the port is let go all the same before this task ends.
                await asyncio.wait([after])
        while True:
            await self._live_once()
            await asyncio.sleep(self._retry_s)
            self._retry_s = min(2 * self._retry_s, RETRY_LONGEST_S)

    async def _live_once(self) -> None:
        """Opens the port, serves it until it goes down, tells why it did, and closes it.

        It is told before the port is closed, which may take long and fail too: the first reason is the one.
        """
        opening = asyncio.get_running_loop().run_in_executor(None, self._port.open)
        try:
            try:
                await asyncio.shield(opening)
                reason = await self._serve()
            except PORT_ERRORS as error:
                reason = str(error)
            self._go_down(reason)
        finally:
            # A cancelled opening goes on in its thread: a port that it still opens must not stay open.
            await asyncio.wait([opening])
            if not opening.cancelled():
                opening.exception()  # has been told, or nobody waits for it any more
            await self._let_go()

    async def _let_go(self) -> None:
        """Closes the port. Where that fails it is gone all the same, and has been told."""
        try:
            await asyncio.get_running_loop().run_in_executor(None, self._send_and_close)
        except PORT_ERRORS as error:
            log.warning("serial link %r (%s): its port could not be closed: %s", self.name, self._url, error)

    def _send_and_close(self) -> None:
        """Sends what was written just before the link was closed: it may be what stops a machine."""
        try:
            if self._unwritten:
                self._port.write(bytes(self._unwritten))
        finally:
            self._unwritten.clear()
            self._port.close()

    async def _serve(self) -> str:
        """Reads and writes while the port is up; returns why it is no longer."""
        self._lost = asyncio.get_running_loop().create_future()
        self._framer.reset()
        self._unwritten.clear()
        self._told_down = False
        self._status = LinkStatus(True, self._clock.now_ns(), "")
        try:
            descriptor = self._port.fileno()
        except io.UnsupportedOperation:
            descriptor = None
        try:
            if descriptor is None:
                return await self._serve_polled(self._lost)
            return await self._serve_descriptor(descriptor, self._lost)
        finally:
            self._wake_writer = None

    async def _serve_descriptor(self, descriptor: int, lost: asyncio.Future[str]) -> str:
        loop = asyncio.get_running_loop()
        self._port.write_timeout = 0

        def write_some() -> None:
            try:
                sent = self._port.write(bytes(self._unwritten))
            except PORT_ERRORS as error:
                self.drop(str(error))
                return
            del self._unwritten[:sent]
            if not self._unwritten:
                loop.remove_writer(descriptor)

        self._wake_writer = lambda: loop.add_writer(descriptor, write_some)
        loop.add_reader(descriptor, self._read_some)
        try:
            self._went_up(self._status.since_ns)
            return await lost
        finally:
            loop.remove_reader(descriptor)
            loop.remove_writer(descriptor)

    async def _serve_polled(self, lost: asyncio.Future[str]) -> str:
        loop = asyncio.get_running_loop()
        self._wake_writer = lambda: None
        self._went_up(self._status.since_ns)
        while not lost.done():
            self._read_some()
            if self._unwritten:
                data = bytes(self._unwritten)
                self._unwritten.clear()
                await loop.run_in_executor(None, self._port.write, data)
            await asyncio.wait([lost], timeout=POLL_S)
        return lost.result()

    def _read_some(self) -> int:
        """Delivers what one read gives; returns how many bytes it gave."""
        try:
            data: bytes = self._port.read(READ_BYTES)
        except PORT_ERRORS as error:
            self.drop(str(error))
            return 0
        if not data or self._sink is None:
            return 0
        t_ns = self._clock.now_ns()
        self._retry_s = RETRY_FIRST_S
        rare = received(self.name, self._framer, data, t_ns)
        if rare:
            self._sink.deliver(self.name, [], rare)
        return len(data)

    def _go_down(self, reason: str) -> None:
        t_ns = self._clock.now_ns()
        self._unwritten.clear()
        since_ns = self._status.since_ns if self._told_down else t_ns
        self._status = LinkStatus(False, since_ns, reason)
        if not self._told_down and self._sink is not None:
            self._sink.deliver(self.name, [], [EdgesLost(self.name, Loss.UNPLUGGED, t_ns)])
        self._told_down = True
