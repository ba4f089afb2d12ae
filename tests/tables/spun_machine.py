"""A skill-stop machine under test, whatever its reels are: tokens, the door, people and the power, one by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from controller.games.assembly import table_for
from feed import events
from hal.values import Batch, Command, Edge, EdgesLost, Loss, Output, SendFrame
from simulators.base.answering import play_through
from tests.tables.bench import EventList, configured
from tests.tables.recorded_machine import MS, RecordedMachine, S

__all__ = ["MS", "S", "Simulated", "SpunMachine"]


class Simulated(Protocol):
    """The other end of the machine's wires."""

    def start(self) -> Batch:
        """Every line at time 0."""

    def command(self, output: Output) -> None:
        """Something is done at an output."""


class SpunMachine(RecordedMachine):
    """A machine whose player is the test; what its reels do is simulated."""

    def __init__(self, text: str, simulator: Simulated, quiet_s: float) -> None:
        self.text = text
        self.simulator = simulator
        super().__init__(configured(text).id)
        self.start()
        self.wait(quiet_s)

    def told(self, outputs: Sequence[SendFrame]) -> None:
        """What a link was told."""

    def start(self) -> EventList:
        """The service starts and continues from the journal."""
        first = self.begin()
        self.feed(*self.simulator.start().edges)
        return EventList(self.said[first:])

    def begin(self) -> int:
        """The service continues from the journal; returns how many events there were."""
        self.table = table_for(configured(self.text), epoch="sim", simulated=True, opens=True)
        self.table.restore(self.state)
        first = len(self.said)
        self.publish(self.table.open(self.now_ns))
        return first

    # --- wires -----------------------------------------------------------------------------------------------------

    def token(self) -> EventList:
        """A token goes in."""
        story = (("token_in_1", 1), ("token_in_2", 1), ("token_in_1", 0), ("token_in_2", 0))
        return self.feed(*(Edge(line, level, self.now_ns + 20 * MS * n) for n, (line, level) in enumerate(story, 1)))

    def level(self, line: str, level: int) -> EventList:
        """A line takes a level."""
        return self.feed(Edge(line, level, self.now_ns + MS))

    def unplug(self, line: str) -> EventList:
        """A cable comes out."""
        first = len(self.said)
        self.now_ns += MS
        self._feed(Batch([], [EdgesLost(line, Loss.UNPLUGGED, self.now_ns)], self.now_ns))
        return EventList(self.said[first:])

    def feed(self, *edges: Edge) -> EventList:
        """The wires do something."""
        first = len(self.said)
        self._play(Batch([*edges], [], max([self.now_ns, *(edge.t_ns for edge in edges)])))
        return EventList(self.said[first:])

    def wait(self, seconds: float) -> EventList:
        """Time passes."""
        first = len(self.said)
        self._play(Batch([], [], self.now_ns + round(seconds * S)))
        return EventList(self.said[first:])

    def take(self, command: Command) -> None:
        """A person gives an order."""
        self._feed(Batch([], [command], self.now_ns))

    # --- plumbing ----------------------------------------------------------------------------------------------------

    def _play(self, batch: Batch) -> None:
        play_through(self.simulator, batch, self._outputs, lambda: self.table.next_due_ns)
        self.now_ns = batch.until_ns

    def _outputs(self, batch: Batch) -> list[SendFrame]:
        return self._take(self.table.feed(batch))

    def _take(self, said: list[events.Event]) -> list[SendFrame]:
        self.publish(said)
        outputs = [one for one in self.table.outputs() if isinstance(one, SendFrame)]
        self.told(outputs)
        return outputs

    def _feed(self, batch: Batch) -> None:
        for output in self._outputs(batch):
            self.simulator.command(output)
