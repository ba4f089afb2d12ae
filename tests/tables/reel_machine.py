"""A skill-stop reel under test: its buttons, and what its boards report."""

from __future__ import annotations

from collections.abc import Sequence

from hal.board.carried import command_in
from hal.board.message import BoardCommand
from hal.values import Edge, SendFrame
from simulators.reels.table import ReelsGeometry, ReelsSimulator
from tests.tables.bench import EventList
from tests.tables.spun_machine import MS, SpunMachine

__all__ = ["MS", "ReelMachine", "reel_toml"]


def reel_toml(options: str = "", more: str = "") -> str:
    """The file of a simulated skill-stop reel."""
    game = f"[game]\n{options}\n" if options else ""
    return f'[table]\nid = "reel-1"\ngame = "skill_stop_reel"\n[lines]\nbackend = "sim"\n{game}{more}'


class ReelMachine(SpunMachine):
    """A machine with three reels whose player is the test; its boards are those of the simulator."""

    def __init__(self, text: str | None = None) -> None:
        self.commands: list[BoardCommand] = []
        """What the boards were told."""
        self.board = ReelsSimulator(ReelsGeometry(), 1)
        super().__init__(reel_toml() if text is None else text, self.board, 6)

    def told(self, outputs: Sequence[SendFrame]) -> None:
        """What the boards were told."""
        self.commands += [command_in(one.data) for one in outputs]

    @property
    def stops(self) -> list[int]:
        """Where the reels really stand, in symbols."""
        return [body.place // 10 for body in self.board.bodies.values()]

    def restart(self) -> EventList:
        """The power of all fails, and comes back."""
        for board in self.board.boards.values():
            board.lose()
            board.begin(self.now_ns + 100 * MS)
        first = self.begin()
        levels = [Edge(line, 0, self.now_ns) for line in self.board.lines if not line.startswith("reel")]
        levels += [Edge(f"reel_{n}_home", body.home, self.now_ns) for n, body in self.board.bodies.items()]
        self.feed(*levels)
        return EventList(self.said[first:])

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
