"""An emulated board behind a real pty, in the time of a virtual loop: exact, and the same each time.

The program under test opens the pty as any port. When its loop has nothing to do and would jump to its next timer, the
board runs first, up to that time or to the instant at which it has something for the host:

    loop idle at t0, next timer at t2
      │  what the host wrote since the last jump ──► the board's UART, from t0 on
      │  the board runs ............................... a frame ends at t1 < t2
      │  the frame ──► pty                              the clock jumps to t1, not to t2
    loop reads it at t1

So a command's first bit is on the wire at the very nanosecond at which the host wrote it, and a frame is read at the
nanosecond at which its last byte's stop bit ended, plus what the `Adapter` adds. There is no step size: idle seconds
cost nothing but the board's own instructions. With several boards on one loop, one may be ahead of the clock when
another has something: what it has waits for the clock, and what the host then sends to it begins that little later.
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
"""How far ahead of time a player plans what it plays (ours)."""
TOLERANCE = 0.04
"""How far two bauds may differ before the last bits of a byte are read from its neighbours (8N1)."""


class Board(Protocol):
    """What can be on the other end: an `EmulatedBoard`, or anything that keeps its time as exactly."""

    host_baud: float

    @property
    def now_ns(self) -> int:
        """The time that it has come to."""

    @property
    def baud(self) -> float:
        """The baud at which it sends."""

    def run_until(self, t_ns: int, pause_at: int | None = None, pause_after: int | None = None) -> None:
        """Lets time pass to `t_ns`, or only until a byte `pause_at`, or so many bytes, have left it."""

    def receive(self, data: bytes, t_ns: int | None = None) -> None:
        """The host begins to send bytes at `t_ns`, or when those that it still sends are over."""

    def take_sent(self) -> list[tuple[int, int]]:
        """The bytes that left it: when each one ended, and the byte."""

    def reset(self) -> None:
        """Pulls the reset line for a moment."""

    def hang(self) -> None:
        """The program stops in its tracks."""

    def freeze(self, on: bool) -> None:
        """Stops its clock, or lets it run on."""

    def power_cut(self, seed: int = 0) -> bytes:
        """Takes the power away."""

    def power_on(self) -> None:
        """Gives it back."""


class Player(Protocol):
    """What drives a board's pins in time."""

    def play_until(self, t_ns: int) -> None:
        """Plans everything up to `t_ns` that was not planned yet."""


class LockStep(AbstractContextManager["LockStep"]):
    """Couples one board with the loop that runs, until `close`. The port is at `path`, plugged in from the start."""

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

        `to_board` and `to_host` spoil bytes, drawn with `seed`. With `resets_when_opened` the port's opening resets the
        board, as DTR does on an Arduino.
        """
        loop = asyncio.get_running_loop()
        if not isinstance(loop, VirtualLoop):
            raise TypeError(f"lock step: it needs a hal.loop.VirtualLoop (run_virtual), not a {type(loop).__name__}")
        self.board = board
        self.to_board = FaultyWire(to_board, seed)
        self.to_host = FaultyWire(to_host, seed + 1)
        self.overflowed = 0
        """Bytes for which the host's computer had no room, because the host did not read."""
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
        """The port's path, the same after every plugging in."""
        return self._pty.path

    def close(self) -> None:
        """Pulls the cable, and lets the loop go on without the board."""
        self._pty.pull()
        self._loop.part(self)

    def play(self, player: Player) -> None:
        """From now on `player` drives pins, always a little ahead of the time."""
        self._players.append(player)

    # --- mishaps ---

    def unplug(self) -> None:
        """Pulls the cable: the port vanishes, what was on its way is lost. The board goes on."""
        self._pty.pull()
        self._usb.forget()

    def plug_in(self) -> None:
        """Puts the cable back: a new port, at the same path."""
        self._pty.plug_in()

    def freeze_board(self, on: bool) -> None:
        """Stops the board's clock, or lets it run on."""
        self.board.freeze(on)

    def reset_board(self) -> None:
        """Pulls the board's reset line for a moment."""
        self.board.reset()

    def hang_board(self) -> None:
        """The board's program stops in its tracks."""
        self.board.hang()

    def power_board(self, on: bool) -> None:
        """Takes the board's power away, or gives it back."""
        if on:
            self.board.power_on()
        else:
            self.board.power_cut(self._rng.getrandbits(32))

    def freeze_host(self, duration_ns: int) -> None:
        """The host stands still for so long: the board goes on, what it sends piles up, and the loop's clock jumps.

        Call it from the loop.
        """
        until_ns = self._loop.clock.now_ns() + duration_ns
        there_ns = self.pass_to(until_ns)
        while there_ns < until_ns:
            self.hand_over(there_ns)
            there_ns = self.pass_to(until_ns)
        self.hand_over(until_ns)
        self._loop.clock.advance_to(until_ns)

    def plan(self, mishaps: Iterable[PlannedLinkFault]) -> None:
        """Lets mishaps happen at their times."""
        for planned in mishaps:
            begin_s, end_s = planned.t_ns / NS_PER_S, (planned.t_ns + planned.lasts_ns) / NS_PER_S
            self._loop.call_at(begin_s, begin_link_fault, planned.kind, self, planned.lasts_ns)
            self._loop.call_at(end_s, end_link_fault, planned.kind, self)

    # --- time ---

    def pass_to(self, t_ns: int) -> int:
        """Lets the board's time pass to `t_ns`, or only until something is there for the host (see `hal.loop`)."""
        self._pass_on_what_was_written()
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
            self._usb.take(self.to_host.through(self._heard(self.board.take_sent())))

    def hand_over(self, t_ns: int) -> None:
        """Gives the host what is there by `t_ns`; a port that nobody has opened keeps nothing."""
        while data := self._usb.give(t_ns):
            if self._pty.opened:
                self.overflowed += len(data) - self._pty.write(data)

    def _pass_on_what_was_written(self) -> None:
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

    def _heard(self, sent: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """What the host's port makes of what the board sends: nothing that makes sense, at another baud."""
        if not sent or abs(self.board.host_baud / self.board.baud - 1) <= TOLERANCE:
            return sent
        return [(t_ns, self._rng.randrange(256)) for t_ns, _ in sent]
