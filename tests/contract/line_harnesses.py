"""The line backends, each behind the same controls, for the contract suite.

A harness on another backend is one more class here. One on a real kernel's `gpio-sim` is a `WiredHarness` whose
`source_of` gives `GpiodLines` the simulated chip's path as `devices`, whose `happen` sets the pull of the simulated
line, and whose `stamped` says when the kernel saw it.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from hal.backends.gpiod import BUFFER_EVENTS, GpiodLines
from hal.backends.gpiozero import GpiozeroLines
from hal.backends.gpiozero_factory import load_factory
from hal.backends.sim import SimLines
from hal.clock import VirtualClock
from hal.lines import LineSource, LineSpec
from hal.values import Edge, Loss, Rare
from tests.fakes.fake_gpiod import FakeKernel
from tests.fakes.mock_pins import TimedFactory
from tests.fakes.pin_libraries import Board, Pi, library

LINES = ("a", "b", "c")
START_NS = 1_000
FIRST_PIN = 17


class DeliveredValues:
    """A sink that records the values in order of delivery."""

    def __init__(self) -> None:
        self.edges: list[Edge] = []
        self.rare: list[Rare] = []

    def deliver(self, source: str, edges: Sequence[Edge], rare: Sequence[Rare]) -> None:
        self.edges += edges
        self.rare += rare

    def of(self, line: str) -> list[Edge]:
        return [edge for edge in self.edges if edge.line == line]


class Harness(ABC):
    """One backend with its wires, its clock and its sink. Every time is the virtual clock's."""

    source: LineSource
    late_ns = 987_654_321_012_345
    """A time after eleven days of uptime."""
    burst_gap_ns = 20_000
    """Between two of thousands of edges that the backend must take without loss."""
    dates_edges = False
    """Whether an edge is timestamped on arrival, so that it cannot be late."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.clock = VirtualClock(START_NS)
        self.loop = asyncio.new_event_loop()
        self.heard = DeliveredValues()
        self.script: list[Edge] = []
        self.cleanup = ExitStack()
        self.cleanup.callback(self.loop.close)

    def prepare(
        self, levels: Mapping[str, int], changes: Sequence[Edge] = (), inverted: frozenset[str] = frozenset()
    ) -> None:
        """Puts the wires to `levels` and makes the source, not yet open. `changes` is what will happen."""
        self.script = list(changes)
        self.set_up(levels, inverted)
        self.cleanup.callback(self.source.close)

    def open(self) -> None:
        self.source.open(self.heard)

    def advance(self, t_ns: int) -> None:
        """Applies all changes up to `t_ns`, and lets the event loop deliver them."""
        pending = 0
        while self.script and self.script[0].t_ns <= t_ns:
            edge = self.script.pop(0)
            self.clock.advance_to(edge.t_ns)
            self.happen(edge)
            pending += 1
            if pending == BUFFER_EVENTS:
                self.turn()
                pending = 0
        self.clock.advance_to(t_ns)
        self.turn()

    def turn(self) -> None:
        """One iteration of the event loop."""
        self.loop.call_soon(self.loop.stop)
        self.loop.run_forever()

    def finish(self) -> None:
        self.cleanup.close()

    def happen_now(self, changes: Sequence[Edge]) -> None:
        """Applies these changes, to be delivered on request without an iteration of the loop."""
        for edge in changes:
            self.happen(edge)

    def told_of(self, line: str, changes: int) -> set[tuple[str, Loss, int | None]]:
        """The losses for this many changes of a line: line, cause, and number missing."""
        return {(line, Loss.OVERFLOW, changes)}

    def stamped(self, changes: Sequence[Edge]) -> list[Edge]:
        """The changes with the times that the source must give them: their own, where the harness sets the clock."""
        return list(changes)

    @abstractmethod
    def set_up(self, levels: Mapping[str, int], inverted: frozenset[str]) -> None:
        """Makes `source` and puts the wires to `levels`."""

    @abstractmethod
    def happen(self, edge: Edge) -> None:
        """The change reaches the backend now; it happened at its own time, which is not later."""


class WiredHarness(Harness):
    """A backend with wires: levels are those of the wire, and lines can be inverted."""

    @abstractmethod
    def repeat(self, line: str, t_ns: int) -> None:
        """Two edges that the backend sees as one, to the level that the line already had."""

    @abstractmethod
    def source_of(self, specs: Sequence[LineSpec]) -> LineSource:
        """A source of other lines on the same hardware."""

    def wire(self, pin: int) -> str:
        """The words by which the backend calls the wire of a pin."""
        return f"GPIO{pin}"

    def set_up(self, levels: Mapping[str, int], inverted: frozenset[str]) -> None:
        for line in LINES:
            self.happen(Edge(line, levels.get(line, 0), self.clock.now_ns()))
        self.source = self.source_of([LineSpec(line, _pin(line), inverted=line in inverted) for line in LINES])


class SimHarness(Harness):
    """Lines in memory."""

    def set_up(self, levels: Mapping[str, int], inverted: frozenset[str]) -> None:
        self.sim = SimLines(LINES, levels=levels, start_ns=self.clock.now_ns())
        self.source = self.sim

    def happen(self, edge: Edge) -> None:
        self.sim.drive(*edge)

    def repeat(self, line: str, t_ns: int) -> None:
        self.sim.drive(line, self.heard.of(line)[-1].level, t_ns)

    def overflow(self, line: str, t_ns: int) -> None:
        self.sim.lose(line, Loss.OVERFLOW, t_ns, 3)


class GpiodHarness(WiredHarness):
    """libgpiod on a kernel in memory."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory)
        self.kernel = FakeKernel()
        self.chip = self.kernel.add_chip()
        self.cleanup.enter_context(self.kernel.installed())

    def source_of(self, specs: Sequence[LineSpec]) -> LineSource:
        return GpiodLines(specs, self.clock, loop=self.loop, devices=self.kernel.devices)

    def happen(self, edge: Edge) -> None:
        self.chip.drive(_pin(edge.line), edge.level, edge.t_ns)

    def repeat(self, line: str, t_ns: int) -> None:
        self.chip.glitch(_pin(line), t_ns)

    def overflow(self, line: str, t_ns: int) -> None:
        for number in range(BUFFER_EVENTS + 3):
            self.chip.drive(_pin(line), 1 - self.chip.lines[_pin(line)].level, t_ns + number)


class GpiozeroHarness(WiredHarness):
    """gpiozero's mock pins."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory)
        self.factory = TimedFactory()
        self.cleanup.callback(self.factory.close)

    def source_of(self, specs: Sequence[LineSpec]) -> LineSource:
        return GpiozeroLines(specs, self.clock, self.factory, loop=self.loop)

    def happen(self, edge: Edge) -> None:
        self.factory.drive(_pin(edge.line), edge.level, edge.t_ns)

    def repeat(self, line: str, t_ns: int) -> None:
        self.factory.glitch(_pin(line), t_ns)


class FactoryHarness(WiredHarness):
    """One of gpiozero's own factories, above a library in memory."""

    factory_name: str

    def __init__(self, directory: Path) -> None:
        super().__init__(directory)
        self.board = Board()
        self.cleanup.enter_context(library(self.factory_name, self.board))
        self.factory = load_factory(self.factory_name, Pi())
        self.cleanup.callback(self.factory.close)

    def source_of(self, specs: Sequence[LineSpec]) -> LineSource:
        return GpiozeroLines(specs, self.clock, self.factory, loop=self.loop)

    def happen(self, edge: Edge) -> None:
        self.board.drive(_pin(edge.line), edge.level, edge.t_ns)

    def repeat(self, line: str, t_ns: int) -> None:
        self.board.tell(_pin(line), t_ns)


class LgpioHarness(FactoryHarness):
    """gpiozero on lgpio."""

    factory_name = "lgpio"


class RpiGpioHarness(FactoryHarness):
    """gpiozero on RPi.GPIO."""

    factory_name = "rpigpio"


def _pin(line: str) -> int:
    return FIRST_PIN + LINES.index(line)
