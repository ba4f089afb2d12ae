"""A token pusher under test: tokens, falls, the door and the power, one after another, and what the machine records."""

from __future__ import annotations

from controller.games.assembly import table_for
from hal.values import Batch, Command, Edge, EdgesLost, Loss
from tests.tables.bench import EventList, configured
from tests.tables.recorded_machine import MS, RecordedMachine, S

OPTO = {"1": "token_in_1", "2": "token_in_2"}
LINES = ("token_in_1", "token_in_2", "shelf_shaft", "fall_player", "fall_house", "tilt", "door")


def pusher_toml(options: str = "", more: str = "", table: str = "") -> str:
    """The file of a simulated token pusher."""
    game = f"[game]\n{options}\n" if options else ""
    return f'[table]\nid = "pusher-1"\ngame = "token_pusher"\n{table}\n[lines]\nbackend = "sim"\n{game}{more}'


class PusherMachine(RecordedMachine):
    """A machine with a moving shelf."""

    def __init__(self, text: str | None = None) -> None:
        self.text = pusher_toml() if text is None else text
        super().__init__("pusher-1")
        self.shelf_moves = True
        self.start()

    def start(self, *, opens: bool = True) -> EventList:
        """The service starts and continues from the journal; all lines are at rest."""
        self.table = table_for(configured(self.text), epoch="sim", simulated=True, opens=opens)
        self.table.restore(self.state)
        first = len(self.said)
        self.publish(self.table.open(self.now_ns))
        self.feed([Edge(line, 0, self.now_ns) for line in LINES])
        return EventList(self.said[first:])

    def restart(self, off_s: float = 1.0) -> EventList:
        """The power fails, and comes back."""
        self.now_ns += round(off_s * S)
        return self.start()

    # --- wires -----------------------------------------------------------------------------------------------------

    def token(self) -> EventList:
        """A token goes in."""
        return self.chute("1+ 2+ 1- 2-")

    def chute(self, story: str, each_ms: float = 20) -> EventList:
        """Both optos: `1+` covers the outer one."""
        first = len(self.said)
        for word in story.split():
            self.now_ns += round(each_ms * MS)
            self.feed([Edge(OPTO[word[0]], int(word[1] == "+"), self.now_ns)])
        return EventList(self.said[first:])

    def fall(self, side: str = "player") -> EventList:
        """A token falls."""
        line = f"fall_{side}"
        self.feed([Edge(line, 1, self.now_ns + MS), Edge(line, 0, self.now_ns + 12 * MS)])
        return EventList(self.said[-2:])

    def level(self, line: str, level: int) -> EventList:
        """A line takes a level."""
        return self.feed([Edge(line, level, self.now_ns + MS)])

    def unplug(self, line: str) -> EventList:
        """A cable comes out."""
        first = len(self.said)
        self.now_ns += MS
        self.publish(self.table.feed(Batch([], [EdgesLost(line, Loss.UNPLUGGED, self.now_ns)], self.now_ns)))
        return EventList(self.said[first:])

    def wait(self, seconds: float) -> EventList:
        """Time passes; the shelf moves all the while, unless it is blocked."""
        first = len(self.said)
        until_ns = self.now_ns + round(seconds * S)
        while self.now_ns < until_ns:
            step_ns = min(until_ns, self.now_ns + 250 * MS)
            pulses = [Edge("shelf_shaft", 1, step_ns - 100 * MS), Edge("shelf_shaft", 0, step_ns - 50 * MS)]
            whole = self.shelf_moves and step_ns - self.now_ns == 250 * MS
            self.feed(pulses if whole else [], until_ns=step_ns)
        return EventList(self.said[first:])

    def feed(self, edges: list[Edge], until_ns: int | None = None) -> EventList:
        """The wires do something."""
        first = len(self.said)
        self.now_ns = max([self.now_ns, *(edge.t_ns for edge in edges), until_ns or 0])
        self.publish(self.table.feed(Batch(edges, [], self.now_ns)))
        return EventList(self.said[first:])

    def take(self, command: Command) -> None:
        """A person gives an order."""
        self.publish(self.table.feed(Batch([], [command], self.now_ns)))
