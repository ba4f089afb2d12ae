"""What hangs on the pins of an emulated board beside plain lines: a keypad that is scanned, and a chain of lamps.

    board runs a slice ──► the changes of its outputs ──► each machine drives pins ──► the next slice

A machine says how short the slices must be for it: a keypad is scanned in milliseconds, a chain shifts a bit in some
microseconds. The circuits are those that docs/boards.md asks for: a diode at each column, so that keys never join two
columns; lamp drivers and read-back registers that act at the rising edge of the latch.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from heapq import heappop, heappush
from pathlib import Path
from typing import Final, Protocol

from hal.board.message import BoardKind
from simulators.board.emulated import EmulatedBoard, PinChange
from simulators.board.wiring import LINES

MS: Final = 1_000_000
KEYPAD_NS: Final = MS // 5
"""How often a keypad is looked at (ours): a column is low for a millisecond before its rows are read."""
CHAIN_IDLE_NS: Final = MS // 20
"""How often a chain is looked at while nothing is shifted (ours): shorter than a frame."""
CHAIN_BUSY_NS: Final = 250
"""The same while a frame is shifted: some instructions."""
LOOKS_A_BIT: Final = 200
"""After a frame's last clock the chain is looked at this often before it rests again."""


class PinDriver(Protocol):
    """The pins of a board, as a machine sees and drives them."""

    @property
    def now_ns(self) -> int:
        """The board's time."""

    def drive(self, pin: str, level: int | None, t_ns: int | None = None) -> None:
        """Drives a pin to a level."""

    def drive_many(self, levels: Iterable[tuple[str, int | None, int]]) -> None:
        """Drives pins to levels at their times: (pin, level, time)."""

    def supply(self, channel: str, share: float, t_ns: int | None = None) -> None:
        """Sets an analogue pin to a share of the supply at a time."""

    def output(self, pin: str) -> float | None:
        """The current output on a pin, as in `PinChange.level`."""


class Machine(Protocol):
    """Something that hangs on pins."""

    @property
    def every_ns(self) -> int:
        """How soon it must look again."""

    def look(self, board: PinDriver, changes: Sequence[PinChange]) -> None:
        """Sees what the outputs did since the last look, and drives pins."""


class ScannedKeypad:
    """A matrix of keys: a row is low where a pressed key joins it to a column that is driven low."""

    every_ns = KEYPAD_NS

    def __init__(self, columns: Sequence[str], rows: Sequence[str]) -> None:
        """The pins of the board's columns and rows."""
        self._columns = tuple(columns)
        self._rows = tuple(rows)
        self._levels: dict[str, int] = {}
        self._pressed: set[int] = set()
        self._planned: list[tuple[int, int, int]] = []
        self._board: PinDriver | None = None
        """The board that has the rows as they are."""

    def press(self, key: int, pressed: int, t_ns: int) -> None:
        """A key, counted by rows from 0, is pressed (1) or let go (0) at a time."""
        heappush(self._planned, (t_ns, key, pressed))

    def look(self, board: PinDriver, changes: Sequence[PinChange]) -> None:
        """Presses the keys that are due, and sets the rows."""
        is_due = self._planned and self._planned[0][0] <= board.now_ns
        if not changes and not is_due and board is self._board:
            return
        self._board = board
        while self._planned and self._planned[0][0] <= board.now_ns:
            _, key, pressed = heappop(self._planned)
            (self._pressed.add if pressed else self._pressed.discard)(key)
        low = {number for number, pin in enumerate(self._columns) if board.output(pin) == 0}
        for number, pin in enumerate(self._rows):
            joined = any(number * len(self._columns) + column in self._pressed for column in low)
            level = 0 if joined else 1
            if self._levels.get(pin) != level:
                self._levels[pin] = level
                board.drive(pin, level)


class LampRegisters:
    """A chain of lamps on shift registers, and registers that read back which of them draw their current.

    TPIC6C595: shift at a rising clock; the lamps take what was shifted in at a rising latch. 74HC165: load
    the currents as long as the latch is low; while it is high, shift at a rising clock.
    """

    def __init__(self, pins: Mapping[str, str], count: int) -> None:
        """The pins of `data`, `clock`, `latch` and `read_back`, and the number of lamps."""
        self._data, self._clock, self._latch = pins["data"], pins["clock"], pins["latch"]
        self._read_back = pins["read_back"]
        self._levels = dict.fromkeys((self._data, self._clock, self._latch), 1.0)
        self._register = [0] * count
        self._sense = [0] * count
        self._shown: int | None = None
        self._busy = 0
        self.lamps = [0] * count
        """1 for each lamp that is commanded to burn."""
        self.dead: set[int] = set()
        """Lamps that draw no current, by their places from 1."""
        self.stuck: set[int] = set()
        """Lamps that always draw it."""

    @property
    def every_ns(self) -> int:
        """Some instructions while a frame is shifted."""
        return CHAIN_BUSY_NS if self._busy else CHAIN_IDLE_NS

    @property
    def burning(self) -> frozenset[int]:
        """The places of the lamps that really burn."""
        lit = {place for place, on in enumerate(self.lamps, start=1) if on}
        return frozenset((lit | self.stuck) - self.dead)

    def look(self, board: PinDriver, changes: Sequence[PinChange]) -> None:
        """Shifts, latches, and shows the next bit of the read-back."""
        if not changes and self._shown is not None:
            self._busy = max(0, self._busy - 1)
            return
        clocks = 0
        for change in changes:
            if change.pin not in self._levels:
                continue
            before = self._levels[change.pin]
            level = 1.0 if change.level is None else change.level  # what floats is pulled up
            self._levels[change.pin] = level
            if change.pin == self._latch and level != before:
                burning = self.burning
                self._sense = [int(place in burning) for place in range(1, len(self.lamps) + 1)]
            if level <= before:
                continue
            if change.pin == self._clock:
                clocks += 1
                self._register = [int(self._levels[self._data]), *self._register[:-1]]
                if self._levels[self._latch]:
                    self._sense = [0, *self._sense[:-1]]
            elif change.pin == self._latch:
                self.lamps = list(self._register)
        # One clock alone is the keypad's, whose columns share the pins: a frame has many in a look.
        if clocks > 1 or (clocks and self._busy):
            self._busy = LOOKS_A_BIT
        else:
            self._busy = max(0, self._busy - 1)
        if self._sense[-1] != self._shown:
            self._shown = self._sense[-1]
            board.drive(self._read_back, self._shown)


class MachineBoard(EmulatedBoard):
    """An emulated board with its machines, run in slices as short as they need."""

    def __init__(
        self, elf: Path, machines: Sequence[Machine], *, eeprom: bytes | None = None, kind: BoardKind | None = None
    ) -> None:
        """Loads a program without executing it. The board of a `kind` that feeds its sensors has them all at rest.

        Raises:
            EmulationError: as `EmulatedBoard`.
        """
        super().__init__(elf, eeprom=eeprom)
        self._machines = tuple(machines)
        if kind is not None and kind.active_high:
            lines = LINES[kind.name]
            for name in kind.active_high:
                self.drive(lines[name].pin, lines[name].rest[0])
            self.chain_of(kind)
            self.feed([line.pin for line in lines.values() if line.is_fed], kind.sense_pin or None)
        self._seen: list[PinChange] = []

    def run_until(self, t_ns: int, pause_at: int | None = None, pause_after: int | None = None) -> None:
        """Runs to `t_ns`, or only until bytes have left the board: whoever counts them is asked again."""
        if not self._machines:
            super().run_until(t_ns, pause_at, pause_after)
            return
        while self.now_ns < t_ns:
            slice_ns = min(machine.every_ns for machine in self._machines)
            super().run_until(min(t_ns, self.now_ns + slice_ns), pause_at, pause_after)
            changes = super().take_changes()
            self._seen += changes
            for machine in self._machines:
                machine.look(self, changes)
            self._collect_sent()
            if self._sent:
                return

    def take_changes(self) -> list[PinChange]:
        """The changes of the board's outputs since the last call."""
        seen, self._seen = self._seen, []
        return seen if self._machines else super().take_changes()
