"""One simulated table on the pins of all its emulated boards, which answers to what the boards drive.

    SimulatedSource ──edges, readings──► a queue for each board ──► pins and keys, in time
          ▲                                                             │
          └───────── RunMotor, SetLine ◄── changes of output pins ◄─────┘

The boards run one after another or in threads; the table is played as far as the furthest of them, and each takes its
own share.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from hal.lamp_fields import CHAIN
from hal.outputs import MOVING
from hal.values import Batch, Edge, EdgesLost, Loss, Output, Rare, Reading, RunMotor, SetLine
from simulators.base.source import SimulatedSource
from simulators.base.truth import TableSimulator
from simulators.board.emulated import PinChange
from simulators.board.lines_to_pins import PinWiring
from simulators.board.machines import PinDriver, ScannedKeypad

SLICE_NS: Final = 1_000_000
"""How far ahead of a board the table is played (ours): a motor answers this late at most."""


class SharedTable:
    """A simulated table that several boards share."""

    def __init__(self, simulator: TableSimulator, faults: Mapping[int | None, str], boards: Iterable[str]) -> None:
        self._source = SimulatedSource(simulator, 0, dict(faults))
        self._lock = threading.Lock()
        self._queues: dict[str, tuple[list[Edge], list[Rare]]] = {board: ([], []) for board in boards}
        self._until_ns = -1
        self._source.open(self)

    def deliver(self, source: str, edges: Sequence[Edge], rare: Sequence[Rare]) -> None:
        """Queues values for every board; called by the source."""
        for queued_edges, queued_rare in self._queues.values():
            queued_edges += edges
            queued_rare += rare

    def pass_to(self, until_ns: int) -> None:
        """Plays the table up to then."""
        with self._lock:
            self._pass_to(until_ns)

    def _pass_to(self, until_ns: int) -> None:
        if until_ns > self._until_ns:
            self._source.delivered_until(until_ns)
            self._until_ns = until_ns

    def take(self, board: str, until_ns: int) -> Batch:
        """What the table does up to then, and this board has not taken."""
        with self._lock:
            self._pass_to(until_ns)
            edges, rare = self._queues[board]
            self._queues[board] = ([], [])
        return Batch(edges, rare, until_ns)

    def command(self, output: Output) -> None:
        """An output of a board acts on the table."""
        with self._lock:
            self._source.command(output)

    def next_value_ns(self, board: str) -> int:
        """When its next value comes to this board, if nothing is commanded before.

        0 where a value waits to be taken, or something moves.
        """
        with self._lock:
            return 0 if any(self._queues[board]) or self._source.moves else self._source.next_value_ns

    def hold(self) -> None:
        """Begins no round from now on, so that the boards can sleep: hours of play on boards have their rests by it."""
        with self._lock:
            self._source.held = True


class PlayedTable:
    """The share of a simulated table that hangs on one board (see `simulators.board.machines.Machine`)."""

    every_ns = SLICE_NS

    def __init__(
        self,
        table: SharedTable,
        board: str,
        wiring: PinWiring,
        outputs: Mapping[str, tuple[str, str]],
        keypad: ScannedKeypad | None = None,
    ) -> None:
        """`outputs` are the line and its kind (`motor`, `lamp`) of each output pin."""
        self._table = table
        self._board = board
        self._wiring = wiring
        self._outputs = outputs
        self.watched = tuple(outputs)
        self._keypad = keypad
        self._on: dict[str, bool] = {}
        self._played_ns = -1

    @property
    def rests_until_ns(self) -> int:
        """A slice before the table's next value."""
        return 0 if self._played_ns < 0 else self._table.next_value_ns(self._board) - self.every_ns

    def rested(self, until_ns: int) -> None:
        """The table is as far as if it had been asked after each slice: what answers then is dated after that."""
        self._played_ns = until_ns + self.every_ns
        self._table.pass_to(self._played_ns)

    def look(self, board: PinDriver, changes: Sequence[PinChange]) -> None:
        """Reports to the table what the outputs did, and drives what it does until the next look."""
        for change in changes:
            if change.pin in self._outputs:
                self._command(*self._outputs[change.pin], change)
        until_ns = board.now_ns + self.every_ns
        if until_ns - self._played_ns < self.every_ns // 2:
            return  # another machine looks more often
        self._played_ns = until_ns
        self._drive(board, self._table.take(self._board, until_ns))

    def _command(self, line: str, drives: str, change: PinChange) -> None:
        level = change.level or 0.0
        if self._on.get(line, False) == (level > 0):
            return  # another duty cycle of a motor that turns
        self._on[line] = level > 0
        if drives in MOVING:
            self._table.command(RunMotor(line, level, change.t_ns))
        else:
            self._table.command(SetLine(line, level > 0, change.t_ns))

    def _drive(self, board: PinDriver, batch: Batch) -> None:
        levels: list[tuple[str, int | None, int]] = []
        unplugged = [one for one in batch.rare if isinstance(one, EdgesLost) and one.cause is Loss.UNPLUGGED]
        changes: list[Edge | EdgesLost] = [*batch.edges, *unplugged]
        changes.sort(key=_time)
        for change in changes:
            level = change.level if isinstance(change, Edge) else None
            key = self._wiring.keys.get(change.line)
            wire = self._wiring.pins.get(change.line)
            if key is not None and self._keypad is not None:
                self._keypad.press(key, level or 0, change.t_ns)
            elif wire is not None:
                levels.append((wire.pin, None if level is None else level ^ wire.inverted, change.t_ns))
        board.drive_many(levels)
        for value in batch.rare:
            if isinstance(value, Reading) and (sensor := self._wiring.analogues.get(value.line)):
                board.supply(sensor.channel, sensor.share(value.value), value.t_ns)


def check_faults(faults: Mapping[int | None, str]) -> list[str]:
    """Those of the faults that no board with real lamps at its pins can have: they are of a chain in memory."""
    return sorted({fault for fault in faults.values() if fault.startswith(f"{CHAIN.removesuffix('s')}_")})


def _time(value: Edge | EdgesLost) -> int:
    return value.t_ns
