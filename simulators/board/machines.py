"""What hangs on the pins of an emulated board beside plain lines and its chain of lamps: a keypad that is scanned.

    board runs a slice ──► the changes of its outputs ──► each machine drives pins ──► the next slice

A machine says how short the slices must be for it: a keypad is scanned in milliseconds. It also says until when it does
nothing of its own accord, and which outputs it answers to: slices in which nothing of this happens are run without it.
The circuit of a keypad is the one that docs/boards.md asks for: a diode at each column, so that keys never join two
columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import heappop, heappush
from itertools import chain
from pathlib import Path
from typing import Final, Protocol

from hal.board.message import BoardKind
from simulators.board.emulated import EmulatedBoard, PinChange
from simulators.board.wiring import LINES

MS: Final = 1_000_000
NEVER_NS: Final = 1 << 62
KEYPAD_NS: Final = MS // 2
"""How often a keypad is looked at (ours): a column is low for a millisecond before its rows are read."""


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


class Looking(Protocol):
    """Something that hangs on pins, and looks at them."""

    @property
    def every_ns(self) -> int:
        """How often it must look."""

    def look(self, board: PinDriver, changes: Sequence[PinChange]) -> None:
        """Sees what the outputs did since the last look, and drives pins."""


class Machine(Looking, Protocol):
    """One that says when it need not look."""

    @property
    def rests_until_ns(self) -> int:
        """Until when it does nothing, unless one of the outputs that it watches changes; 0 before its first look."""

    @property
    def watched(self) -> tuple[str, ...]:
        """The output pins that it answers to."""

    def rested(self, until_ns: int) -> None:
        """Up to then it was not called after a slice, as it rested."""


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

    @property
    def rests_until_ns(self) -> int:
        """When the next key is due."""
        if self._board is None:
            return 0
        return self._planned[0][0] if self._planned else NEVER_NS

    @property
    def watched(self) -> tuple[str, ...]:
        """The columns, while a key joins one to a row."""
        return self._columns if self._pressed else ()

    def rested(self, until_ns: int) -> None:
        """Its keys are as they were."""

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


class MachineBoard(EmulatedBoard):
    """An emulated board with its machines, run in slices as short as they need."""

    def __init__(
        self, elf: Path, machines: Sequence[Machine], *, eeprom: bytes | None = None, kind: BoardKind | None = None
    ) -> None:
        """Loads a program without executing it. The board of a `kind` has its chain, and the sensors it feeds at rest.

        Raises:
            EmulationError: as `EmulatedBoard`.
        """
        super().__init__(elf, eeprom=eeprom)
        self._machines = tuple(machines)
        self._slice_ns = min((machine.every_ns for machine in machines), default=0)
        if kind is not None:
            self.chain_of(kind)
            if kind.active_high:
                lines = LINES[kind.name]
                for name in kind.active_high:
                    self.drive(lines[name].pin, lines[name].rest[0])
                self.feed([line.pin for line in lines.values() if line.is_fed], kind.sense_pin or None)
        self._seen: list[PinChange] = []

    def run_until(self, t_ns: int, pause_at: int | None = None, pause_after: int | None = None) -> None:
        """Runs to `t_ns`, or only until bytes have left the board: whoever counts them is asked again."""
        if not self._machines:
            super().run_until(t_ns, pause_at, pause_after)
            return
        while (from_ns := self.now_ns) < t_ns:
            began_ns = self.run_to_change(
                t_ns,
                self._slice_ns,
                rests_until_ns=min(machine.rests_until_ns for machine in self._machines),
                watched=tuple(chain.from_iterable(machine.watched for machine in self._machines)),
                pause_at=pause_at,
                pause_after=pause_after,
            )
            changes = super().take_changes()
            self._seen += changes
            if began_ns > from_ns:
                for machine in self._machines:
                    machine.rested(began_ns)
            for machine in self._machines:
                machine.look(self, changes)
            self._collect_sent()
            if self._sent:
                return

    def take_changes(self) -> list[PinChange]:
        """The changes of the board's outputs since the last call."""
        seen, self._seen = self._seen, []
        return seen if self._machines else super().take_changes()
