"""A table's lines on the pins of a board: the edges of a capture or a simulated table drive the pins in time.

    Batch(edges, readings) ──► PinWiring: line → pin, or → analogue channel ──► board.drive_many, board.supply

Levels are those of the lines; an inverted wire is low where its line is 1. An unplugged line releases its pin.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Protocol

from hal.board.message import BoardKind
from hal.values import Batch, Edge, EdgesLost, Loss, Reading
from simulators.base.truth import TableSimulator


class DrivenBoard(Protocol):
    """A board whose pins can be driven ahead of time."""

    def drive_many(self, levels: Iterable[tuple[str, int | None, int]]) -> None:
        """Drives pins to levels at their times: (pin, level, time)."""

    def supply(self, channel: str, share: float, t_ns: int | None = None) -> None:
        """Sets an analogue pin to a share of the supply at a time."""


class WiringError(ValueError):
    """A wiring that a board cannot have; the message names the line and the reason."""


@dataclass(frozen=True, slots=True)
class PinWire:
    """The wire of a digital line."""

    pin: str
    """The chip's name: `"D2"`."""
    inverted: bool = False
    """Whether the wire is low where the line is 1."""


@dataclass(frozen=True, slots=True)
class AnalogueWire:
    """The wire of a line with readings: a sensor with an output of 0 at `low` and the full supply at `high`."""

    channel: str
    """The chip's name: `"C2"`."""
    low: float = -5.0
    high: float = 5.0

    def share(self, value: float) -> float:
        """The share of the supply at a reading, limited to the range of the sensor."""
        return min(1.0, max(0.0, (value - self.low) / (self.high - self.low)))


@dataclass(frozen=True, slots=True)
class PinWiring:
    """The pin of each line. A line without one is not connected."""

    pins: Mapping[str, PinWire] = field(default_factory=dict)
    analogues: Mapping[str, AnalogueWire] = field(default_factory=dict)
    keys: Mapping[str, int] = field(default_factory=dict)
    """The key of a scanned keypad for each of its lines, counted by rows from 0."""


def wired(
    kind: BoardKind,
    inputs: Mapping[str, int],
    analogues: Mapping[str, int] | None = None,
    *,
    inverted: Iterable[str] = (),
) -> PinWiring:
    """Lines on the inputs and analogue channels of a kind of board, numbered as in a table's configuration.

    Raises:
        WiringError: the board has no such input or channel, or two lines are on one.
    """
    upside_down = frozenset(inverted)
    return PinWiring(
        {
            line: PinWire(pin, line in upside_down)
            for line, pin in _numbered(kind, "input", inputs, [pin for _, pin in kind.inputs])
        },
        {
            line: AnalogueWire(pin)
            for line, pin in _numbered(kind, "analogue channel", analogues or {}, [pin for _, pin in kind.analogues])
        },
    )


def wired_in_order(kind: BoardKind, lines: Iterable[str]) -> PinWiring:
    """A table's lines on a board's inputs in order, `level_…` on its analogue channels.

    Raises:
        WiringError: there are more lines than inputs or channels.
    """
    lines = list(lines)
    levels = [line for line in lines if line.startswith("level_")]
    wires = [line for line in lines if line not in levels]
    return wired(
        kind,
        {line: number for number, line in enumerate(wires, 1)},
        {line: number for number, line in enumerate(levels, 1)},
    )


class LinesPlayer:
    """Plays batches into a board's pins, as far ahead as it is asked.

    Times are the batches' plus `start_ns`. A level equal to the one before is left out.
    """

    def __init__(self, board: DrivenBoard, wiring: PinWiring, batches: Iterable[Batch], *, start_ns: int = 0) -> None:
        self.edges = 0
        """Level changes planned so far, the first levels included."""
        self.ended = False
        """Whether all batches were taken."""
        self._board = board
        self._wiring = wiring
        self._batches: Iterator[Batch] = iter(batches)
        self._start_ns = start_ns
        self._until_ns = start_ns
        self._levels: dict[str, int | None] = {}

    def play_until(self, t_ns: int) -> None:
        """Plans whole batches until everything up to `t_ns` is planned."""
        while not self.ended and self._until_ns <= t_ns:
            batch = next(self._batches, None)
            if batch is None:
                self.ended = True
                return
            self._plan(batch)
            self._until_ns = self._start_ns + batch.until_ns

    def _plan(self, batch: Batch) -> None:
        levels: list[tuple[str, int | None, int]] = []
        changes: Iterable[Edge | EdgesLost] = batch.edges
        unplugged = [value for value in batch.rare if isinstance(value, EdgesLost) and value.cause is Loss.UNPLUGGED]
        if unplugged:
            changes = sorted(chain(batch.edges, unplugged), key=_time)
        for change in changes:
            wire = self._wiring.pins.get(change.line)
            if wire is None:
                continue
            level = change.level ^ wire.inverted if isinstance(change, Edge) else None
            if level is None or self._levels.get(change.line) != level:
                self._levels[change.line] = level
                levels.append((wire.pin, level, change.t_ns + self._start_ns))
        self.edges += len(levels)
        self._board.drive_many(levels)
        for value in batch.rare:
            if isinstance(value, Reading) and (sensor := self._wiring.analogues.get(value.line)):
                self._board.supply(sensor.channel, sensor.share(value.value), value.t_ns + self._start_ns)


def rounds_of(simulator: TableSimulator, faults: Mapping[int | None, str] | None = None) -> Iterator[Batch]:
    """The batches of a simulated table, round after round without end.

    `faults` are the named faults of rounds by their number from 1; None is that of every other round.
    """
    planned = faults or {}
    yield simulator.start()
    number = 0
    while True:
        number += 1
        yield simulator.round(planned.get(number, planned.get(None))).batch


def _numbered(kind: BoardKind, what: str, numbers: Mapping[str, int], pins: list[str]) -> Iterator[tuple[str, str]]:
    taken: dict[int, str] = {}
    for line, number in numbers.items():
        if not 1 <= number <= len(pins):
            raise WiringError(f"line {line!r}: a {kind.name} board has {what}s 1 to {len(pins)}, not {number}")
        if number in taken:
            raise WiringError(f"line {line!r}: {what} {number} is already that of line {taken[number]!r}")
        taken[number] = line
        yield line, pins[number - 1]


def _time(value: Edge | EdgesLost) -> int:
    return value.t_ns
