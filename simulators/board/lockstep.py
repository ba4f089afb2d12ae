"""An emulated board behind a real pty, in the time of a virtual loop: exact and reproducible.

The program under test opens the pty like any port. When its loop is idle and would jump to its next timer, the board
runs first, up to that time or to the instant at which it has bytes for the host:

    loop idle at t0, next timer at t2
      │  what the host wrote since the last jump ──► the board's UART, from t0 on
      │  the board runs ............................... a frame ends at t1 < t2
      │  the frame ──► pty                              the clock jumps to t1, not to t2
    loop reads it at t1

So a command's first bit is on the wire at the nanosecond at which the host wrote it, and a frame is read at the
nanosecond at which its last byte's stop bit ended, plus the delay of the `Adapter`. There is no step size: idle seconds
cost only the board's own instructions. With several boards on one loop, one may be ahead of the clock when another has
bytes: its own bytes wait for the clock, and what the host then sends to it begins slightly later.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Protocol, Self

from hal.clock import NS_PER_S
from hal.loop import VirtualLoop
from simulators.board.adapter import EXACT, Adapter, UsbSerial
from simulators.board.link_faults import (
    NO_FAULTS,
    ByteFaults,
    FaultyWire,
    PlannedLinkFault,
    begin_link_fault,
    end_link_fault,
)
from simulators.board.pty_end import PtyEnd

AHEAD_NS = 20_000_000
"""How far ahead a player plans levels (ours)."""
TOLERANCE = 0.04
"""The greatest relative difference of two bauds at which the last bit of a byte is still read correctly (8N1)."""


class Board(Protocol):
    """The board at the other end: an `EmulatedBoard`, or a model with times as exact."""

    host_baud: float

    @property
    def now_ns(self) -> int:
        """Its current time."""

    @property
    def baud(self) -> float:
        """The baud at which it sends."""

    def run_until(self, t_ns: int, pause_at: int | None = None, pause_after: int | None = None) -> None:
        """Runs to `t_ns`, or only until a byte `pause_at`, or `pause_after` bytes, have left it."""

    def receive(self, data: bytes, t_ns: int | None = None) -> None:
        """Sends bytes from the host, from `t_ns` or after those that are still being sent."""

    def take_sent(self) -> list[tuple[int, int]]:
        """The bytes that left it: the end of each, and the byte."""

    def reset(self) -> None:
        """Pulls the reset line for a moment."""

    def hang(self) -> None:
        """Hangs the program."""

    def freeze(self, on: bool) -> None:
        """Stops its clock, or starts it again."""

    def power_cut(self, seed: int = 0) -> bytes:
        """Cuts the power."""

    def power_on(self) -> None:
        """Restores the power."""


class Player(Protocol):
    """Drives a board's pins in time."""

    def play_until(self, t_ns: int) -> None:
        """Plans all levels up to `t_ns` that are not planned yet."""


class LockStep(AbstractContextManager["LockStep"]):
    """Couples one board with the running loop, until `close`. The port is at `path`, plugged in from the start."""

    def __init__(
        self,
        board: Board,
        path: Path,
        *,
        adapter: Adapter = EXACT,
        to_board: ByteFaults = NO_FAULTS,
        to_host: ByteFaults = NO_FAULTS,
        seed: int = 0,
        resets_when_opened: bool = False,
    ) -> None:
        """The board's time must not be later than the loop's.

        `to_board` and `to_host` corrupt bytes, drawn with `seed`. With `resets_when_opened`, opening the port resets
        the board, as DTR does on an Arduino.
        """
        loop = asyncio.get_running_loop()
        if not isinstance(loop, VirtualLoop):
            raise TypeError(f"lock step: it needs a hal.loop.VirtualLoop (run_virtual), not a {type(loop).__name__}")
        self.board = board
        self.to_board = FaultyWire(to_board, seed)
        self.to_host = FaultyWire(to_host, seed + 1)
        self.overflowed = 0
        """Bytes dropped because the host did not read and its buffer was full."""
        self._loop = loop
        self._usb = UsbSerial(adapter, seed + 2)
        self._resets_when_opened = resets_when_opened
        self._rng = Random(seed + 3)
        self._pty = PtyEnd(path)
        self._players: list[Player] = []
        self._pty.plug_in()
        loop.join(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()

    @property
    def path(self) -> Path:
        """The port's path, the same after each `plug_in`."""
        return self._pty.path

    def close(self) -> None:
        """Pulls the cable, and detaches the board from the loop."""
        self._pty.pull()
        self._loop.part(self)

    def play(self, player: Player) -> None:
        """Adds a player that drives pins, a little ahead of the time."""
        self._players.append(player)

    # --- link faults ---

    def unplug(self) -> None:
        """Pulls the cable: the port vanishes, and bytes under way are lost. The board continues."""
        self._pty.pull()
        self._usb.forget()

    def plug_in(self) -> None:
        """Plugs the cable in: a new port at the same path."""
        self._pty.plug_in()

    def freeze_board(self, on: bool) -> None:
        """Stops the board's clock, or starts it again."""
        self.board.freeze(on)

    def reset_board(self) -> None:
        """Pulls the board's reset line for a moment."""
        self.board.reset()

    def hang_board(self) -> None:
        """Hangs the board's program."""
        self.board.hang()

    def power_board(self, on: bool) -> None:
        """Cuts the board's power, or restores it."""
        if on:
            self.board.power_on()
        else:
            self.board.power_cut(self._rng.getrandbits(32))

    def freeze_host(self, duration_ns: int) -> None:
        """Stops the host for a duration: the board continues, its bytes queue up, and the loop's clock jumps.

        Call it from the loop.
        """
        until_ns = self._loop.clock.now_ns() + duration_ns
        there_ns = self.pass_to(until_ns)
        while there_ns < until_ns:
            self.make_readable(there_ns)
            there_ns = self.pass_to(until_ns)
        self.make_readable(until_ns)
        self._loop.clock.advance_to(until_ns)

    def plan(self, faults: Iterable[PlannedLinkFault]) -> None:
        """Schedules link faults at their times."""
        for planned in faults:
            begin_s, end_s = planned.t_ns / NS_PER_S, (planned.t_ns + planned.lasts_ns) / NS_PER_S
            self._loop.call_at(begin_s, begin_link_fault, planned.kind, self, planned.lasts_ns)
            self._loop.call_at(end_s, end_link_fault, planned.kind, self)

    # --- time ---

    def pass_to(self, t_ns: int) -> int:
        """Runs the board to `t_ns`, or only until it has bytes for the host (see `hal.loop`)."""
        self._send_written()
        while True:
            ready_ns = self._usb.ready_ns
            now_ns = self.board.now_ns
            if ready_ns is not None and ready_ns <= min(t_ns, now_ns):
                if self._usb.is_there(ready_ns):
                    return ready_ns
                continue
            if now_ns >= t_ns:
                return t_ns
            until_ns = t_ns if ready_ns is None else min(t_ns, ready_ns)
            for player in self._players:
                player.play_until(until_ns + AHEAD_NS)
            self.board.run_until(until_ns, self._usb.adapter.flush_at, self._usb.room)
            self._usb.take(self.to_host.through(self._received(self.board.take_sent())))

    def make_readable(self, t_ns: int) -> None:
        """Gives the host the bytes that reach it by `t_ns`; a port that is not open drops them."""
        while data := self._usb.give(t_ns):
            if self._pty.opened:
                self.overflowed += len(data) - self._pty.write(data)

    def _send_written(self) -> None:
        was_open = self._pty.opened
        data = self._pty.read()
        if self._pty.opened and not was_open:
            self.board.host_baud = self._pty.baud
            if self._resets_when_opened:
                self.board.reset()
        if not data:
            return
        t_ns = self._loop.clock.now_ns() + self._usb.adapter.delay_ns
        if self.to_board.faults == NO_FAULTS:
            self.board.receive(data, t_ns)
            return
        for begins_ns, byte in self.to_board.through((t_ns, byte) for byte in data):
            self.board.receive(bytes((byte,)), begins_ns)

    def _received(self, sent: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """The bytes as the host's port reads them: random ones at another baud."""
        if not sent or abs(self.board.host_baud / self.board.baud - 1) <= TOLERANCE:
            return sent
        return [(t_ns, self._rng.randrange(256)) for t_ns, _ in sent]
