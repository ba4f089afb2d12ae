"""A skill-stop machine under test, whatever its reels are: tokens, the door, people and the power, one by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from controller.games.assembly import table_for
from controller.games.machines.skill_stop import SkillStopGame
from controller.table.orders.order import CommandResult
from feed import events
from feed.events import MachineEvent, Meters
from feed.state import TableState
from hal.capture.command_text import read_command
from hal.values import Batch, Edge, EdgesLost, Loss, Output, SendFrame
from simulators.base.answering import play_through
from tests.tables.bench import EventList, configured

S = 1_000_000_000
MS = 1_000_000


class Simulated(Protocol):
    """The other end of the machine's wires."""

    def start(self) -> Batch:
        """Every line at time 0."""

    def command(self, output: Output) -> None:
        """Something is done at an output."""


class SpunMachine:
    """A machine whose player is the test; what its reels do is simulated."""

    def __init__(self, text: str, simulator: Simulated, quiet_s: float) -> None:
        self.text = text
        self.simulator = simulator
        self.state = TableState(configured(text).id)
        """What the journal holds."""
        self.said = EventList()
        self.now_ns = 0
        self._sent = 0
        self.start()
        self.wait(quiet_s)

    def told(self, outputs: Sequence[SendFrame]) -> None:
        """What a link was told."""

    @property
    def game(self) -> SkillStopGame:
        """The game."""
        assert isinstance(self.table.game, SkillStopGame)
        return self.table.game

    @property
    def meters(self) -> Meters:
        """The meters of the last record."""
        assert self.state.machine is not None
        return self.state.machine.meters

    @property
    def credits(self) -> int:
        """The credits of the last record."""
        assert self.state.machine is not None
        return self.state.machine.credits

    def start(self) -> EventList:
        """The service starts and goes on from the journal."""
        first = self.begin()
        self.feed(*self.simulator.start().edges)
        return EventList(self.said[first:])

    def begin(self) -> int:
        """The service goes on from the journal; returns how many events there were."""
        self.table = table_for(configured(self.text), epoch="sim", simulated=True, opens=True)
        self.table.restore(self.state)
        first = len(self.said)
        self._publish(self.table.open(self.now_ns))
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

    # --- people ----------------------------------------------------------------------------------------------------

    def order(self, text: str) -> CommandResult:
        """One order; returns its answer."""
        self._sent += 1
        self.now_ns += MS
        command = read_command(f"{text} id=c{self._sent}-{self.now_ns}", self.now_ns)
        self._feed(Batch([], [command], self.now_ns))
        (answer,) = self.table.answers()
        return answer

    def ok(self, text: str) -> str:
        """One order that is carried out."""
        answer = self.order(text)
        assert answer.accepted, answer.reason
        return answer.reason

    def refused(self, text: str) -> str:
        """One order that is refused: why."""
        answer = self.order(text)
        assert not answer.accepted
        return answer.reason

    def acts(self, first: int = 0) -> list[str]:
        """The acts recorded since an event."""
        return [one.act for one in EventList(self.said[first:]).of(MachineEvent)]

    # --- plumbing ----------------------------------------------------------------------------------------------------

    def _play(self, batch: Batch) -> None:
        play_through(self.simulator, batch, self._outputs, lambda: self.table.next_due_ns)
        self.now_ns = batch.until_ns

    def _outputs(self, batch: Batch) -> list[SendFrame]:
        return self._take(self.table.feed(batch))

    def _take(self, said: list[events.Event]) -> list[SendFrame]:
        self._publish(said)
        outputs = [one for one in self.table.outputs() if isinstance(one, SendFrame)]
        self.told(outputs)
        return outputs

    def _feed(self, batch: Batch) -> None:
        for output in self._outputs(batch):
            self.simulator.command(output)

    def _publish(self, said: list[events.Event]) -> None:
        self.said += said
        for event in said:
            self.state.apply(event)
