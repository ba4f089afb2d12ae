"""Machines at the pins of an emulated board: a shaft, a hopper, reels, a keypad, a chain of lamps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from simulators.board.emulated import EmulatedBoard, PinChange
from tests.firmware.emulated import MS

STEPS = 200
"""A turn of a reel."""
LOOKS_A_BIT = 200
"""After the last of a frame's clocks the world looks so often before it rests again."""

if TYPE_CHECKING:
    from tests.firmware.kind_bench import KindBench


class AtPins(Protocol):
    """What a machine that hangs on pins, and not on numbered inputs, needs of its bench."""

    @property
    def board(self) -> EmulatedBoard:
        """The board."""

    @property
    def now_ns(self) -> int:
        """Its time."""

    def put_pin(self, pin: str, level: int) -> None:
        """A pin takes a level now."""


class Shaft:
    """A motor's shaft: while its output is on, a low pulse every `period_ms`; and at every turn, home."""

    every_ns = MS

    def __init__(
        self, output: str, shaft: str, *, period_ms: float, home: str | None = None, pulses_a_turn: int = 10
    ) -> None:
        self._output = output
        self._shaft = shaft
        self._period_ns = round(period_ms * MS)
        self._home = home
        self._pulses_a_turn = pulses_a_turn
        self._next_ns = 0
        self.pulses = 0
        self.stuck = False

    def look(self, bench: KindBench, changes: list[PinChange]) -> None:
        if not bench.output(self._output) or self.stuck:
            self._next_ns = bench.now_ns + self._period_ns
        elif bench.now_ns >= self._next_ns:
            self._next_ns = bench.now_ns + self._period_ns
            self.pulses += 1
            bench.pulse(self._shaft, 5)
            if self._home and self.pulses % self._pulses_a_turn == 0:
                bench.pulse(self._home, 10)


class Hopper:
    """While its motor is on, a token passes its sensor every `period_ms`, until there are none left."""

    every_ns = MS

    def __init__(self, output: str, sensor: str, *, tokens: int, period_ms: float) -> None:
        self._output = output
        self._sensor = sensor
        self._period_ns = round(period_ms * MS)
        self._next_ns: int | None = None
        self.tokens = tokens
        self.paid = 0

    def look(self, bench: KindBench, changes: list[PinChange]) -> None:
        if not bench.output(self._output) or not self.tokens:
            self._next_ns = None
        elif self._next_ns is None:
            self._next_ns = bench.now_ns + self._period_ns
        elif bench.now_ns >= self._next_ns and self.may_fall(bench.now_ns):
            self._next_ns = bench.now_ns + self._period_ns
            self.paid += 1
            self.tokens -= 1
            bench.pulse(self._sensor, 30)

    def may_fall(self, t_ns: int) -> bool:
        """Whether a token may fall now, or waits a little."""
        return True


class Reel:
    """A reel on a stepper: a rising edge is a step, and for `flag` steps of each turn its home sensor is low."""

    every_ns = MS // 4

    def __init__(self, number: int, *, place: int = 57, flag: int = 3) -> None:
        self._output = f"reel_{number}"
        self._home = f"home_{number}"
        self._flag = flag
        self._sensed = 1
        self.place = place
        """Steps from where home begins."""
        self.steps: list[int] = []
        """When each came."""
        self.slips = 0
        """So many of the next steps do not move it."""
        self.blind = False
        """Its home sensor is broken."""

    def look(self, bench: KindBench, changes: list[PinChange]) -> None:
        pin = bench.pin_of(self._output)
        for change in changes:
            if change.pin != pin or change.level != 1:
                continue
            self.steps.append(change.t_ns)
            if self.slips:
                self.slips -= 1
            else:
                self.place = (self.place + 1) % STEPS
        level = 1 if self.blind or self.place >= self._flag else 0
        if level != self._sensed:
            self._sensed = level
            bench.put(self._home, level)


class KeyMatrix:
    """Keys without diodes: a row is low where a chain of pressed keys joins it to a column that is driven low."""

    every_ns = MS // 5

    def __init__(self, columns: tuple[str, ...], rows: tuple[str, ...]) -> None:
        self._columns = columns
        self._levels = dict.fromkeys(rows, 1)
        self._rows = rows
        self.pressed: set[int] = set()
        """Keys, counted by rows."""

    def look(self, bench: AtPins, changes: list[PinChange]) -> None:
        low = {pin for pin in self._columns if bench.board.output(pin) == 0}
        joined = [
            {self._rows[key // len(self._columns)], self._columns[key % len(self._columns)]} for key in self.pressed
        ]
        grown = True
        while grown:
            grown = False
            for pair in joined:
                if pair & low and not pair <= low:
                    low |= pair
                    grown = True
        for row, before in self._levels.items():
            level = 0 if row in low else 1
            if level != before:
                self._levels[row] = level
                bench.put_pin(row, level)


class LampChain:
    """Lamps on a shift register, and a second register that reads back which of them draw their current."""

    def __init__(self, pins: dict[str, str], count: int) -> None:
        self._pins = pins
        self._levels = {pins[wire]: 0.0 for wire in ("data", "clock", "latch")}
        self._register = [0] * count
        self._sense = [0] * count
        self._read_back = -1
        self._busy = 0
        self.lamps = [0] * count
        self.dead: set[int] = set()
        """Lamps that draw no current, from 1."""
        self.stuck: set[int] = set()
        """Lamps that always draw it."""
        self.latches = 0

    @property
    def every_ns(self) -> int:
        """To the instruction while something is shifted."""
        return 250 if self._busy else MS // 20

    def currents(self) -> list[int]:
        return [
            int((lit or lamp in self.stuck) and lamp not in self.dead) for lamp, lit in enumerate(self.lamps, start=1)
        ]

    def look(self, bench: AtPins, changes: list[PinChange]) -> None:
        self._busy = max(0, self._busy - 1)
        for change in changes:
            if change.pin not in self._levels:
                continue
            before = self._levels[change.pin]
            level = 1.0 if change.level is None else change.level  # what floats is pulled up
            self._levels[change.pin] = level
            if change.pin == self._pins["clock"] and level > before:
                if change.level:  # driven: a frame is being shifted
                    self._busy = LOOKS_A_BIT
                self._register = [int(self._levels[self._pins["data"]]), *self._register[:-1]]
                self._sense = [0, *self._sense[:-1]]
            elif change.pin == self._pins["latch"] and level > before:
                self.latches += 1
                self._sense = self.currents()
                self.lamps = list(self._register)
        if self._sense[-1] != self._read_back:
            self._read_back = self._sense[-1]
            bench.put_pin(self._pins["read_back"], self._read_back)
