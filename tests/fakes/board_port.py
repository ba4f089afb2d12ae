"""A model board on a serial port that pyserial opens, in the virtual time of a loop. What happens to it is scripted.

    port = BoardPort(loop, ModelBoard(KINDS["wheel"]), "wheel")
    port.plug_in()
    link = BoardLink("wheel", port.url, …)          pyserial opens `wire://wheel`
    port.drive(2, 1, t_ns)                          input 3 is high from then on
    port.stall(3 * NS_PER_S)                        the host is stopped for three seconds; the board is not

Bytes take their time on the wire. All that happens between two looks happens in its own order, at its own time, however
late the loop looks.
"""

from __future__ import annotations

import asyncio
import heapq
import re
import socket
from collections.abc import Callable
from itertools import count

import serial

from hal.board import frames
from hal.board.messages import Reset
from hal.clock import NS_PER_S
from hal.loop import VirtualLoop
from tests.fakes.model_board import ModelBoard
from tests.fakes.protocol_wire import DTR, PLUGS

if "tests.fakes" not in serial.protocol_handler_packages:
    serial.protocol_handler_packages.append("tests.fakes")

Spoil = Callable[[bytes], bytes]
"""The effect of a wire on bytes: on one frame from the board, or on one write of the host."""


def _whole(data: bytes) -> bytes:
    return data


class BoardPort:
    """The simulated world of one board: scripted actions, and its wire to the host."""

    def __init__(self, loop: VirtualLoop, board: ModelBoard, name: str) -> None:
        self.board = board
        self.url = f"wire://{name}"
        self.openings = 0
        """How often the port was opened."""
        self.resets_on_open: int | None = None
        """If given, opening the port resets the board, and its boot loader runs for this many nanoseconds."""
        self.dtr_resets = False
        """Whether raising DTR resets the board: its auto-reset is not cut."""
        self.chatter = b""
        """The bytes that the boot loader sends."""
        self.to_host: Spoil = _whole
        self.to_board: Spoil = _whole
        self.cut = False
        """Whether nothing goes through, in either direction; the port stays open."""
        self.dropped = 0
        """Frames dropped because the computer's buffer was full while the host was suspended."""
        self._loop = loop
        self._end: socket.socket | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._happenings: list[tuple[int, int, Callable[[int], None]]] = []
        self._order = count()
        self._free_ns = 0
        """When the line to the board is free."""

    # --- the plug ----------------------------------------------------------------------------------------------------

    def plug_in(self) -> None:
        """Plugs the cable in."""
        PLUGS[self.url] = self._open_in_thread
        DTR[self.url] = self._dtr

    def pull(self) -> None:
        """Unplugs the cable; the board runs on."""
        PLUGS.pop(self.url, None)
        DTR.pop(self.url, None)
        self._hang_up()

    def close(self) -> None:
        """Ends the simulation."""
        self.pull()
        if self._timer is not None:
            self._timer.cancel()

    # --- what happens ------------------------------------------------------------------------------------------------

    @property
    def now_ns(self) -> int:
        return self._loop.clock.now_ns()

    def drive(self, line: int, level: int, t_ns: int) -> None:
        """A line of the board takes a level."""
        self.at(t_ns, lambda now_ns: self.board.edge(line, level, now_ns))

    def at(self, t_ns: int, happen: Callable[[int], None]) -> None:
        """Schedules an action, now or later; it is called with its time."""
        heapq.heappush(self._happenings, (t_ns, next(self._order), happen))
        self.look()

    def stall(self, duration_ns: int) -> None:
        """Suspends the host's process for this long, while the world goes on."""
        self._loop.clock.advance_to(self.now_ns + duration_ns)
        self.look()

    def look(self) -> None:
        """Runs the actions that are due, and schedules the rest."""
        now_ns = self.now_ns
        while True:
            due_ns = self.board.next_due_ns
            if self._happenings and (due_ns is None or self._happenings[0][0] <= due_ns):
                if self._happenings[0][0] > now_ns:
                    break
                t_ns, _, happen = heapq.heappop(self._happenings)
                happen(max(t_ns, self.board.now_ns))
            elif due_ns is not None and due_ns <= now_ns:
                self.board.advance(due_ns)
            else:
                break
            self._collect()
        self._collect()
        self._arm()

    # --- the wire ----------------------------------------------------------------------------------------------------

    def _open_in_thread(self) -> socket.socket:
        host, board = socket.socketpair()
        self._loop.call_soon_threadsafe(self._opened, board)
        return host

    def _opened(self, end: socket.socket) -> None:
        self._hang_up()
        end.setblocking(False)
        self._end = end
        self._loop.add_reader(end.fileno(), self._hear)
        self.openings += 1
        self.look()
        if self.resets_on_open is not None:
            self.board.reset(self.now_ns, Reset.EXTERNAL, self.resets_on_open)
            self._say(self.chatter)
        self.look()

    def _dtr(self, raised: bool) -> None:
        if raised and self.dtr_resets:
            self.board.reset(self.now_ns, Reset.EXTERNAL, NS_PER_S)

    def _hang_up(self) -> None:
        if self._end is not None:
            self._loop.remove_reader(self._end.fileno())
            self._end.close()
            self._end = None

    def _hear(self) -> None:
        """Sends what the host has written over the wire, byte by byte."""
        if self._end is None:
            return
        try:
            data = self._end.recv(65_536)
        except ConnectionResetError:
            data = b""  # closed with bytes unread
        if not data:
            self._hang_up()
            return
        start_ns = max(self.now_ns, self._free_ns)
        self._free_ns = start_ns + frames.wire_ns(len(data))
        sent = 0
        for piece in re.findall(rb"[^\0]*\0|[^\0]+", self.to_board(data)):
            sent = min(sent + len(piece), len(data))
            self.at(start_ns + frames.wire_ns(sent), self._arrival(piece))

    def _arrival(self, data: bytes) -> Callable[[int], None]:
        def arrive(t_ns: int) -> None:
            if not self.cut:
                self.board.receive(data, t_ns)

        return arrive

    def _collect(self) -> None:
        """Delivers what the board sends when its last byte has arrived."""
        for end_ns, data in self.board.take_sent():
            heapq.heappush(self._happenings, (end_ns, next(self._order), self._delivery(self.to_host(data))))

    def _delivery(self, data: bytes) -> Callable[[int], None]:
        return lambda t_ns: self._say(data)

    def _say(self, data: bytes) -> None:
        if self._end is None or not data or self.cut:
            return
        try:
            self._end.send(data)
        except BlockingIOError:
            self.dropped += 1  # nobody reads, and the computer's buffer is full
        except OSError:
            self._hang_up()

    def _arm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        times = [t_ns for t_ns, _, _ in self._happenings[:1]]
        if self.board.next_due_ns is not None:
            times.append(self.board.next_due_ns)
        if times:
            self._timer = self._loop.call_later(max(0, min(times) - self.now_ns) / NS_PER_S, self.look)
