"""A serial link on the event loop: any URL that pyserial opens, kept open.

    closed ──open()──► opening ──ok──► up ──error, unplugged──► down ──back-off──► opening …
                          └──error──────────────────────────────►┘

Frames are stamped with the time at which their last byte was read. When the link goes down, `EdgesLost(UNPLUGGED)` is
delivered once, under the link's name; a reconnection shows in `status` at once, and in the next frame.

Known traps of pyserial 3.5:

- Its timeouts restart with each byte and return half a frame: reads never wait, and a `Framer` finds the ends.
- A peer that vanishes leaves the port "open": every read or write error means that the link is down.
- Opening, and closing a network port, block (up to seconds): both are done in a thread.
- A non-blocking write spins when the device is full: bytes are written only when the device has room.
- `exclusive` is an advisory lock: it keeps out a second Feltwire, not every other program.
- Opening a tty raises DTR and RTS, whatever is configured, and closing it lowers them: it is the raising that resets
  boards of the Arduino kind. With `keeps_dtr` a port that is closed keeps them raised (HUPCL off), so only the first
  opening since the port was plugged in resets; a board must be identified after every opening all the same. Name ports
  by `/dev/serial/by-id/…`.
- An FTDI adapter holds what it receives for up to 16 ms. With `low_latency` its driver is asked for 1 ms, which needs
  no rights but those of the port. From then on the driver reports 1 ms, whatever the chip does, and keeps the setting
  after the port is closed, until the adapter is unplugged. The driver of an on-board UART (8250) keeps the flag too;
  others ignore or refuse it. All of that is harmless.
"""

from __future__ import annotations

import asyncio
import io
import logging
import os
import termios
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import serial

from hal.clock import Clock
from hal.framing import Framer, received
from hal.lines import LineError, Sink
from hal.link_status import NOT_OPENED, NOT_OPENED_YET, LinkError, LinkStatus
from hal.values import EdgesLost, Loss

log = logging.getLogger(__name__)

PORT_ERRORS = (OSError, termios.error, ValueError)
"""Raised by pyserial when a port cannot be opened, read, written or configured (its own error is an `OSError`)."""

READ_BYTES = 4096
POLL_S = 0.01
"""How often a port without a file descriptor (`rfc2217://`, `loop://`) is polled (ours)."""
RETRY_FIRST_S = 0.25
RETRY_LONGEST_S = 5.0
"""The wait before reopening doubles from the first to the longest, and is reset when bytes arrive (ours)."""
MAX_READS = 32
"""Reads in a row when all pending bytes are requested (ours): more than a port's buffers hold."""
MAX_UNWRITTEN_BYTES = 4096
"""Bytes that may wait for a slow device (ours): four seconds at 9600 baud."""


_CONTROL_FLAGS: Final = 2
"""Of the list of `termios.tcgetattr`."""


@dataclass(frozen=True, slots=True)
class SerialSettings:
    """The settings of a port; network URLs other than `rfc2217://` ignore them."""

    baudrate: int = 9600
    bytesize: int = 8
    parity: str = "N"
    stopbits: float = 1
    keeps_dtr: bool = False
    """Whether DTR stays raised when the port is closed, where the port has that line."""
    low_latency: bool = False
    """Whether a USB adapter is asked to pass on at once what it receives, where its driver can."""


def _why(error: Exception, url: str) -> str:
    """An error of a port in words. Where it cannot be opened, pyserial has the number twice, and often the port."""
    if isinstance(error, OSError) and error.errno and "could not open port" in str(error):
        return f"could not open port {url}: {os.strerror(error.errno)}"
    return str(error)


class SerialLink:
    """A source of frames (see `hal.lines.LineSource`) on a serial port that reconnects by itself.

    Bytes that were being sent when the link went down are not sent again: a device must not act twice.
    """

    detects_loss = False
    kernel_time = False
    max_lateness_ns = 1
    """Bytes may still be read and stamped in the current nanosecond; none older follow."""

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
            LineError: pyserial does not support the URL or a setting.
        """
        self.name = name
        self.lines = frozenset({name})
        self._url = url
        self._clock = clock
        self._framer = framer
        self._went_up = on_up
        self.settings = settings or SerialSettings()
        self._port = port_of(name, url, self.settings)
        self._status = LinkStatus(False, clock.now_ns(), NOT_OPENED)
        self._down_reported = False
        self._retry_s = RETRY_FIRST_S
        self._unwritten = bytearray()
        self._sink: Sink | None = None
        self._task: asyncio.Task[None] | None = None
        self._lost: asyncio.Future[str] | None = None
        self._wake_writer: Callable[[], None] | None = None

    @property
    def failed(self) -> LineError | None:
        """None while the link reconnects, whatever happens to the port; otherwise the defect that stopped it."""
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
        """The current state of the link."""
        return self._status

    def open(self, sink: Sink) -> None:
        """Starts opening the port, on the running loop, and delivering frames to `sink`.

        If it is still being closed, that is completed first.
        """
        if self._sink is not None:
            raise LineError(f"serial link {self.name!r}: it is already open; close it first")
        self._sink = sink
        self._down_reported = False
        self._status = LinkStatus(False, self._clock.now_ns(), NOT_OPENED_YET)
        keep_open = self._keep_open(after=self._task)
        self._task = asyncio.get_running_loop().create_task(keep_open, name=f"serial link {self.name}")

    def close(self) -> None:
        """Stops delivering, sends what was written, and closes the port; `wait_closed` waits for that."""
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
        """Just before now: later reads are stamped later."""
        return now_ns - 1

    def read_pending(self) -> None:
        """Reads and delivers the pending bytes, without waiting for the event loop."""
        for _ in range(MAX_READS):
            if self._wake_writer is None or self._read_some() < READ_BYTES:
                return

    def write(self, data: bytes) -> None:
        """Sends `data`, at once or when the device has room.

        Raises:
            LinkError: the link is down, or too much is waiting already; none of `data` is sent.
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
        """Takes the link down and reopens it: its port is open but unusable."""
        if self._lost is not None and not self._lost.done():
            self._lost.set_result(why)

    async def _keep_open(self, after: asyncio.Task[None] | None) -> None:
        if after is not None:
            try:
                await asyncio.wait([after])
            finally:
                # Cancelled meanwhile: the previous task still completes before this one ends.
                await asyncio.wait([after])
        while True:
            await self._run_once()
            await asyncio.sleep(self._retry_s)
            self._retry_s = min(2 * self._retry_s, RETRY_LONGEST_S)

    async def _run_once(self) -> None:
        """Opens the port, serves it until it goes down, reports why, and closes it.

        The reason is reported before the port is closed, which may take long and fail as well.
        """
        opening = asyncio.get_running_loop().run_in_executor(None, self._open_port)
        try:
            try:
                await asyncio.shield(opening)
                reason = await self._serve()
            except PORT_ERRORS as error:
                reason = _why(error, self._url)
            self._go_down(reason)
        finally:
            # A cancelled opening continues in its thread: a port that it still opens must be closed.
            await asyncio.wait([opening])
            if not opening.cancelled():
                opening.exception()  # reported already, or cancelled
            await self._release_port()

    def _open_port(self) -> None:
        self._port.open()
        if self.settings.keeps_dtr:
            keep_dtr(self._port)
        if self.settings.low_latency and isinstance(self._port, serial.Serial):
            try:
                self._port.set_low_latency_mode(True)
            except ValueError as error:
                # A pty, for one, has no such flag. Doctor measures whether bytes are held.
                log.info("serial link %r (%s): low latency is refused: %s", self.name, self._url, error)

    async def _release_port(self) -> None:
        """Closes the port. A failure only logs: the link was reported down already."""
        try:
            await asyncio.get_running_loop().run_in_executor(None, self._send_and_close)
        except PORT_ERRORS as error:
            log.warning("serial link %r (%s): its port could not be closed: %s", self.name, self._url, error)

    def _send_and_close(self) -> None:
        """Sends what was written just before the link was closed: it may be a command that stops a machine."""
        try:
            if self._unwritten:
                self._port.write(bytes(self._unwritten))
        finally:
            self._unwritten.clear()
            self._port.close()

    async def _serve(self) -> str:
        """Reads and writes while the port is up; returns why it went down."""
        self._lost = asyncio.get_running_loop().create_future()
        self._framer.reset()
        self._unwritten.clear()
        self._down_reported = False
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
        """Delivers the result of one read; returns its number of bytes."""
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
        since_ns = self._status.since_ns if self._down_reported else t_ns
        self._status = LinkStatus(False, since_ns, reason)
        if not self._down_reported and self._sink is not None:
            self._sink.deliver(self.name, [], [EdgesLost(self.name, Loss.UNPLUGGED, t_ns)])
        self._down_reported = True


def keep_dtr(port: serial.Serial) -> None:
    """Has an open port keep DTR raised when it is closed; a port that is not a tty has no such line.

    Raises:
        OSError, termios.error: the port was lost.
    """
    try:
        descriptor = port.fileno()
    except io.UnsupportedOperation:
        return
    if not os.isatty(descriptor):
        return
    settings = termios.tcgetattr(descriptor)
    if settings[_CONTROL_FLAGS] & termios.HUPCL:
        settings[_CONTROL_FLAGS] &= ~termios.HUPCL
        termios.tcsetattr(descriptor, termios.TCSANOW, settings)


def port_of(name: str, url: str, settings: SerialSettings) -> serial.Serial:
    """Creates the port of the link `name`, not opened yet.

    Raises:
        LineError: pyserial does not support the URL or a setting.
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
