"""An emulated board on a pty, in real time: for use from two terminals.

    python -m simulators.board wheel --game money_wheel --port /tmp/feltwire-wheel
    feltwire run table.toml                                     # in the other, with port = "/tmp/feltwire-wheel"

Tests run a board in lock-step instead (`simulators.board.lockstep`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from hal.board.message import BoardKind
from hal.clock import SystemClock, wait_until_ns
from simulators.base.truth import TableSimulator
from simulators.board.emulated import EmulatedBoard, elf_of
from simulators.board.lines_to_pins import LinesPlayer, PinWiring, rounds_of
from simulators.board.machines import Machine, MachineBoard
from simulators.board.pty_end import PtyEnd

STEP_NS = 1_000_000
"""The interval at which bytes are passed on (ours): that of USB polls."""
AHEAD_NS = 100_000_000
"""How far ahead the pins are planned (ours)."""


class Time(Protocol):
    """The time of a board, from 0."""

    def now_ns(self) -> int:
        """The current time."""

    def wait_until(self, t_ns: int) -> None:
        """Returns at `t_ns`."""


class RealTime:
    """The computer's time, `speed` times as fast. A service that uses the board needs the speed 1."""

    def __init__(self, speed: float = 1.0) -> None:
        self._clock = SystemClock()
        self._speed = speed
        self._start_ns = self._clock.now_ns()

    def now_ns(self) -> int:
        """The current time."""
        return round((self._clock.now_ns() - self._start_ns) * self._speed)

    def wait_until(self, t_ns: int) -> None:
        """Blocks until `t_ns`."""
        wait_until_ns(self._clock, self._start_ns + round(t_ns / self._speed))


class BoardOnPty:
    """Runs a board in time, and passes bytes between it and the program that has opened its port."""

    def __init__(self, board: EmulatedBoard, path: Path, time: Time, player: LinesPlayer | None = None) -> None:
        self.board = board
        self._pty = PtyEnd(path)
        self._time = time
        self._player = player

    def run(self, until_ns: int | None = None, on_opened: Callable[[bool], None] = lambda opened: None) -> None:
        """Runs until `until_ns`; None: for ever.

        `on_opened` is called with True when a program opens the port, and with False when it closes it.

        Raises:
            EmulationError: the board's program crashed.
        """
        self._pty.plug_in()
        try:
            while until_ns is None or self.board.now_ns < until_ns:
                self._time.wait_until(self.board.now_ns + STEP_NS)
                self._step(on_opened)
        finally:
            self._pty.pull()

    def _step(self, on_opened: Callable[[bool], None]) -> None:
        was_open = self._pty.opened
        data = self._pty.read()
        # Read after the data: no byte begins before it was written.
        now_ns = self._time.now_ns()
        if self._pty.opened != was_open:
            on_opened(self._pty.opened)
        if self._pty.opened:
            self.board.host_baud = self._pty.baud or self.board.host_baud
        if self._player is not None:
            self._player.play_until(now_ns + AHEAD_NS)
        while self.board.now_ns < now_ns:
            self.board.run_until(now_ns)
        self.board.receive(data, now_ns)
        self.board.take_changes()
        sent = bytes(byte for _, byte in self.board.take_sent())
        if sent and self._pty.opened:
            self._pty.write(sent)


def serve(
    kind: BoardKind,
    path: Path,
    *,
    elf: Path | None = None,
    simulator: TableSimulator | None = None,
    wiring: PinWiring | None = None,
    faults: Mapping[int | None, str] | None = None,
    speed: float = 1.0,
    eeprom: Path | None = None,
    on_opened: Callable[[bool], None] = lambda opened: None,
    time: Time | None = None,
    until_ns: int | None = None,
    machines: Sequence[Machine] = (),
) -> None:
    """Runs a board of `kind` on a pty at `path`, with a simulated table on its pins, or with `machines`.

    `elf` is another program than the firmware of this kind. `eeprom` is a file that holds its non-volatile memory from
    one run to the next. Ends at `until_ns`, otherwise with KeyboardInterrupt.

    Raises:
        EmulationError: the library or the program is not available.
        simulators.base.faults.FaultError: a fault that the table cannot have.
        OSError: `path` or `eeprom` cannot be written.
    """
    kept = eeprom.read_bytes() if eeprom is not None and eeprom.exists() else None
    with MachineBoard(elf or elf_of(kind.name), machines, eeprom=kept, kind=kind) as board:
        player = None
        if simulator is not None:
            player = LinesPlayer(board, wiring or PinWiring(), rounds_of(simulator, faults))
        try:
            BoardOnPty(board, path, time or RealTime(speed), player).run(until_ns, on_opened)
        finally:
            if eeprom is not None:
                eeprom.write_bytes(board.eeprom)
