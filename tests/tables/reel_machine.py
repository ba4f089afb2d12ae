"""A skill-stop reel under test: tokens, buttons, what the boards report, the door and the power, one after another."""

from __future__ import annotations

from controller.games.assembly import table_for
from controller.games.skill_stop_reel.rounds import SkillStopReel
from controller.table.orders.order import CommandResult
from feed import events
from feed.events import MachineEvent, Meters
from feed.state import TableState
from hal.board.carried import command_in
from hal.board.message import BoardCommand
from hal.capture.command_text import read_command
from hal.values import Batch, Edge, EdgesLost, Loss, SendFrame
from simulators.base.answering import play_through
from simulators.reels.table import ReelsGeometry, ReelsSimulator
from tests.tables.bench import EventList, configured

S = 1_000_000_000
MS = 1_000_000


def reel_toml(options: str = "", more: str = "") -> str:
    """The file of a simulated skill-stop reel."""
    game = f"[game]\n{options}\n" if options else ""
    return f'[table]\nid = "reel-1"\ngame = "skill_stop_reel"\n[lines]\nbackend = "sim"\n{game}{more}'


class ReelMachine:
    """A machine with three reels whose player is the test; its boards are those of the simulator."""

    def __init__(self, text: str | None = None) -> None:
        self.text = reel_toml() if text is None else text
        self.state = TableState("reel-1")
        """What the journal holds."""
        self.said = EventList()
        self.commands: list[BoardCommand] = []
        """What the boards were told."""
        self.board = ReelsSimulator(ReelsGeometry(game="skill_stop_reel"), 1)
        self.now_ns = 0
        self._sent = 0
        self.start()
        self.wait(6)

    @property
    def game(self) -> SkillStopReel:
        """The game."""
        assert isinstance(self.table.game, SkillStopReel)
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

    @property
    def stops(self) -> list[int]:
        """Where the reels really stand, in symbols."""
        return [body.place // 10 for body in self.board.bodies.values()]

    def start(self) -> EventList:
        """The service starts and goes on from the journal."""
        self.table = table_for(configured(self.text), epoch="sim", simulated=True, opens=True)
        self.table.restore(self.state)
        first = len(self.said)
        self._publish(self.table.open(self.now_ns))
        self.feed(*self.board.start().edges)
        return EventList(self.said[first:])

    def restart(self) -> EventList:
        """The power of all fails, and comes back."""
        for board in self.board.boards.values():
            board.lose()
            board.begin(self.now_ns + 100 * MS)
        self.table = table_for(configured(self.text), epoch="sim", simulated=True, opens=True)
        self.table.restore(self.state)
        first = len(self.said)
        self._publish(self.table.open(self.now_ns))
        levels = [Edge(line, 0, self.now_ns) for line in self.board.lines if not line.startswith("reel")]
        levels += [Edge(f"reel_{n}_home", body.home, self.now_ns) for n, body in self.board.bodies.items()]
        self.feed(*levels)
        return EventList(self.said[first:])

    # --- wires -----------------------------------------------------------------------------------------------------

    def token(self) -> EventList:
        """A token goes in."""
        story = (("token_in_1", 1), ("token_in_2", 1), ("token_in_1", 0), ("token_in_2", 0))
        return self.feed(*(Edge(line, level, self.now_ns + 20 * MS * n) for n, (line, level) in enumerate(story, 1)))

    def press(self, reel: int, for_ms: float = 100) -> int:
        """A button is pressed; returns at which step of its reel."""
        at = self.board.bodies[reel].place
        self.board.press(reel, self.now_ns + 1, round(for_ms * MS))
        self.wait(for_ms / 1000 + 0.05)
        return at

    def stop(self, reel: int) -> EventList:
        """A button is pressed, and the reel comes to stand."""
        first = len(self.said)
        self.press(reel)
        self.wait(0.5)
        return EventList(self.said[first:])

    def play(self) -> EventList:
        """A whole play."""
        first = len(self.said)
        self.token()
        self.wait(1.5)
        for reel in (1, 2, 3):
            self.stop(reel)
        return EventList(self.said[first:])

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
        play_through(self.board, batch, self._outputs, lambda: self.table.next_due_ns)
        self.now_ns = batch.until_ns

    def _outputs(self, batch: Batch) -> list[SendFrame]:
        return self._take(self.table.feed(batch))

    def _take(self, said: list[events.Event]) -> list[SendFrame]:
        self._publish(said)
        outputs = [one for one in self.table.outputs() if isinstance(one, SendFrame)]
        self.commands += [command_in(one.data) for one in outputs]
        return outputs

    def _feed(self, batch: Batch) -> None:
        for output in self._outputs(batch):
            self.board.command(output)

    def _publish(self, said: list[events.Event]) -> None:
        self.said += said
        for event in said:
            self.state.apply(event)
