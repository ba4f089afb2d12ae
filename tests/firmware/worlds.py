"""Machines at the pins of an emulated board: a shaft, a hopper, reels, a keypad, a chain of lamps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from simulators.board.emulated import PinChange
from simulators.board.machines import PinDriver
from tests.firmware.emulated import MS

STEPS = 200
"""A turn of a reel."""

if TYPE_CHECKING:
    from tests.firmware.kind_bench import KindBench


class Shaft:
    """A motor's shaft: while its output is on, a pulse every `period_ms`; and at every turn, home."""

    every_ns = MS
    answers_only = False

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
    answers_only = False

    def __init__(self, output: str, sensor: str, *, tokens: int, period_ms: float) -> None:
        self._output = output
        self._sensor = sensor
        self._period_ns = round(period_ms * MS)
        self._next_ns: int | None = None
        self.tokens = tokens
        self.paid = 0
        self.seen = True
        """Whether its sensor sees them."""
        self.clear_ns = 0
        """Until here the last one is in the sensor."""

    def look(self, bench: KindBench, changes: list[PinChange]) -> None:
        if not bench.output(self._output) or not self.tokens:
            self._next_ns = None
        elif self._next_ns is None:
            self._next_ns = bench.now_ns + self._period_ns
        elif bench.now_ns >= self._next_ns and self.may_fall(bench.now_ns):
            self._next_ns = bench.now_ns + self._period_ns
            self.paid += 1
            self.tokens -= 1
            if self.seen:
                bench.pulse(self._sensor, 30)
                self.clear_ns = bench.now_ns + 30 * MS

    def may_fall(self, t_ns: int) -> bool:
        """Whether a token may fall now, or waits a little."""
        return True


class Reel:
    """A reel behind its driver: a rising edge is a step, and for `flag` steps of each turn its home sensor is dark.

    It does not move while its driver is disabled; `turned_round` says which way it is mounted.
    """

    answers_only = True

    def __init__(
        self, number: int, *, place: int = 57, flag: int = 3, steps: int = STEPS, turned_round: bool = False
    ) -> None:
        self.every_ns = MS // 4 * STEPS // max(STEPS, steps)
        self._turn = steps
        self._disable = f"disable_{number}"
        self._direction = f"direction_{number}"
        self._turned_round = turned_round
        self._output = f"reel_{number}"
        self._home = f"home_{number}"
        self._flag = flag
        self._sensed = 0
        self.place = place
        """Steps from where home begins."""
        self.steps: list[int] = []
        """When each came."""
        self.slips = 0
        """This many of the next steps do not move it."""
        self.blind = False
        """Its home sensor is broken."""

    def look(self, bench: KindBench, changes: list[PinChange]) -> None:
        pin = bench.pin_of(self._output)
        for change in changes:
            if change.pin != pin or change.level != 1:
                continue
            self.steps.append(change.t_ns)
            if bench.control(self._disable):
                continue
            if self.slips:
                self.slips -= 1
            else:
                forwards = bench.control(self._direction) == self._turned_round
                self.place = (self.place + (1 if forwards else -1)) % self._turn
        level = 0 if self.blind or self.place >= self._flag else 1
        if level != self._sensed:
            self._sensed = level
            bench.put(self._home, level)


SUPPLY_V = 5.0
PIN_OHM = 25.0
"""A pin of the ATmega328P that drives: 0.5 V at 20 mA."""
COLUMN_OHM = 1_000.0
KEY_OHM = 100.0
"""A key of a membrane keypad that is pressed."""
PULL_UP_OHM = 35_000.0
DIODE_V = 0.6
LOW_V, HIGH_V = 0.3 * SUPPLY_V, 0.6 * SUPPLY_V
"""What the chip reads as low at most, and as high at least (data sheet)."""
MOST_PIN_MA = 5.0
"""What no pressed key may draw from a pin (ours; the chip bears 20 mA, and 40 mA without damage)."""
OPEN_OHM = 1e9


class KeyMatrix:
    """A keypad as a circuit: its keys, the network between it and the pins, and the chip's resistors and drivers.

    In each column, from the pin: 1 kΩ, and a diode that lets the pin only pull low (`diodes = "column"`); or a diode in
    each key, from its row (`"key"`); or none, as somebody may have forgotten them (`""`).
    """

    every_ns = MS // 5
    answers_only = True

    def __init__(self, columns: tuple[str, ...], rows: tuple[str, ...], diodes: str = "column") -> None:
        self._columns = columns
        self._rows = rows
        self._diodes = diodes
        self._levels = dict.fromkeys(rows, 1)
        self._solved: dict[tuple[tuple[float | None, ...], frozenset[int]], tuple[list[float], float]] = {}
        self.pressed: set[int] = set()
        """Keys, counted by rows."""
        self.most_ma = 0.0
        """The greatest current of a pin so far."""
        self.undefined = 0
        """How often a row was neither low nor high."""

    def look(self, bench: KindBench, changes: list[PinChange]) -> None:
        driven = tuple(bench.board.output(pin) for pin in self._columns)
        volts, most_ma = self._solve(driven)
        self.most_ma = max(self.most_ma, most_ma)
        for row, volt in zip(self._rows, volts, strict=True):
            self.undefined += LOW_V < volt < HIGH_V
            level = 0 if volt <= LOW_V else 1
            if level != self._levels[row]:
                self._levels[row] = level
                bench.board.drive(row, level)

    def _solve(self, driven: tuple[float | None, ...]) -> tuple[list[float], float]:
        """The voltage of each row, and the greatest current of a column's pin."""
        known = self._solved.get((driven, frozenset(self.pressed)))
        if known:
            return known
        diodes = [False] * (len(self.pressed) if self._diodes == "key" else len(self._columns))
        for _ in range(4 * len(diodes) + 4):
            nodes = self._nodes(driven, diodes)
            before = list(diodes)
            for number, (anode, cathode) in enumerate(self._ends()):
                diodes[number] = nodes[anode] - nodes[cathode] > (DIODE_V if not before[number] else DIODE_V - 1e-9)
            if diodes == before:
                break
        else:
            raise AssertionError(f"no solution for {sorted(self.pressed)} at {driven}")
        pins = [nodes[2 * len(self._columns) + len(self._rows) + k] for k in range(len(self._columns))]
        currents = [
            0.0 if level is None else abs(volt - level * SUPPLY_V) / PIN_OHM * 1e3
            for volt, level in zip(pins, driven, strict=True)
        ]
        found = ([nodes[2 * len(self._columns) + r] for r in range(len(self._rows))], max(currents))
        self._solved[driven, frozenset(self.pressed)] = found
        return found

    def _ends(self) -> list[tuple[int, int]]:
        """Anode and cathode of each diode. Nodes: wires of columns, their inner ends, rows, pins of columns."""
        width = len(self._columns)
        if self._diodes == "key":
            return [(2 * width + key // width, key % width) for key in sorted(self.pressed)]
        return [(k, width + k) for k in range(width)] if self._diodes == "column" else []

    def _nodes(self, driven: tuple[float | None, ...], on: list[bool]) -> list[float]:
        width, height = len(self._columns), len(self._rows)
        count = 3 * width + height
        matrix = [[0.0] * (count + 1) for _ in range(count)]

        def join(a: int, b: int, ohm: float, drop_v: float = 0.0) -> None:
            for one, other, sign in ((a, b, 1.0), (b, a, -1.0)):
                matrix[one][one] += 1 / ohm
                matrix[one][other] -= 1 / ohm
                matrix[one][count] += sign * drop_v / ohm

        def feed(node: int, ohm: float, volt: float) -> None:
            matrix[node][node] += 1 / ohm
            matrix[node][count] += volt / ohm

        ends = self._ends()
        for number, (anode, cathode) in enumerate(ends):
            join(anode, cathode, KEY_OHM if on[number] else OPEN_OHM, DIODE_V if on[number] else 0.0)
        if self._diodes != "key":
            for key in self.pressed:
                join(2 * width + key // width, key % width, KEY_OHM)
        for k, level in enumerate(driven):
            if self._diodes != "column":
                join(k, width + k, 1.0)
            join(width + k, 2 * width + height + k, COLUMN_OHM)
            feed(k, OPEN_OHM, SUPPLY_V)
            if level is None:
                feed(2 * width + height + k, OPEN_OHM, SUPPLY_V)
            else:
                feed(2 * width + height + k, PIN_OHM, level * SUPPLY_V)
        for r in range(height):
            feed(2 * width + r, PULL_UP_OHM, SUPPLY_V)
        return solved(matrix)


def solved(matrix: list[list[float]]) -> list[float]:
    """The solution of linear equations, each a row of factors and the right side."""
    count = len(matrix)
    for at in range(count):
        pivot = max(range(at, count), key=lambda row: abs(matrix[row][at]))
        matrix[at], matrix[pivot] = matrix[pivot], matrix[at]
        for row in range(count):
            if row != at and matrix[row][at]:
                factor = matrix[row][at] / matrix[at][at]
                matrix[row] = [a - factor * b for a, b in zip(matrix[row], matrix[at], strict=True)]
    return [matrix[at][count] / matrix[at][at] for at in range(count)]


SHIFT_LEAST_NS = 40
"""Shortest level of a TPIC6C595's clocks; a 74HC165 at 4.5 V takes 24 ns."""
SET_UP_NS = 24
"""Data before a clock, and the end of a load before a clock: 20 ns for a TPIC6C595, 24 ns for a 74HC165 at 4.5 V."""


class ChainWatch:
    """Notes what a board does to its chain of lamps, and what of it the data sheets of the parts do not allow."""

    every_ns = MS

    def __init__(self, pins: Mapping[str, str]) -> None:
        self._pins = pins
        self._was = {pins[wire]: (1.0, -MS) for wire in ("data", "clock", "latch")}
        self.latches = 0
        self.violations: list[str] = []
        """Times that the parts do not allow."""

    def look(self, board: PinDriver, changes: Sequence[PinChange]) -> None:
        for change in changes:
            if change.pin in self._was:
                level = 1.0 if change.level is None else change.level  # what floats is pulled up
                self._check(change.pin, level, change.t_ns)
                self.latches += change.pin == self._pins["latch"] and level > self._was[change.pin][0]
                self._was[change.pin] = (level, change.t_ns)

    def _check(self, pin: str, level: float, t_ns: int) -> None:
        was, since_ns = self._was[pin]
        if pin != self._pins["data"] and t_ns - since_ns < SHIFT_LEAST_NS:
            self.violations.append(f"{pin}: {was:.0f} for {t_ns - since_ns} ns")
        if pin == self._pins["clock"] and level:
            for other in ("data", "latch"):
                stood_ns = t_ns - self._was[self._pins[other]][1]
                if stood_ns < SET_UP_NS:
                    self.violations.append(f"{other} {stood_ns} ns before the clock")
