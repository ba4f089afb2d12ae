"""A test bench for a board: a model board, its port and link, in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from itertools import count

from hal.board.identity import ExpectedBoard
from hal.board.link import BoardLink
from hal.board.message import BoardReport
from hal.board.messages import KINDS, IdentityAnswer
from hal.clock import NS_PER_S, VirtualClock
from hal.loop import VirtualLoop, run_virtual, sleep_ns
from hal.values import Edge, EdgesLost, Loss, Rare, Reading
from tests.fakes.board_port import BoardPort
from tests.fakes.model_board import ModelBoard

MS = 1_000_000
VERSION = (1, 0, 0)
BUILD = 0x1A2B3C4D


class RecordingWatcher:
    """A watcher that records its calls."""

    def __init__(self) -> None:
        self.ups: list[int] = []
        self.downs: list[tuple[int, str]] = []
        self.reports: list[BoardReport] = []

    def up(self, identity: IdentityAnswer, t_ns: int) -> None:
        self.ups.append(t_ns)

    def down(self, t_ns: int, reason: str) -> None:
        self.downs.append((t_ns, reason))

    def reported(self, report: BoardReport, t_ns: int) -> None:
        self.reports.append(report)


class RecordingSink:
    """A sink that records the values in order of delivery."""

    def __init__(self) -> None:
        self.values: list[Edge | Rare] = []

    def deliver(self, source: str, edges: Sequence[Edge], rare: Sequence[Rare]) -> None:
        self.values += [*edges, *rare]

    @property
    def edges(self) -> list[Edge]:
        return [value for value in self.values if isinstance(value, Edge)]

    @property
    def readings(self) -> list[Reading]:
        return [value for value in self.values if isinstance(value, Reading)]

    @property
    def losses(self) -> list[EdgesLost]:
        return [value for value in self.values if isinstance(value, EdgesLost)]

    @property
    def unplugged(self) -> list[str]:
        return [loss.line for loss in self.losses if loss.cause is Loss.UNPLUGGED]

    def forget(self) -> None:
        self.values.clear()


class BoardBench:
    """The context of a test scene. The board is plugged in, and nothing is open."""

    def __init__(self, loop: VirtualLoop, kind: str, ppm: float) -> None:
        self.loop = loop
        self.clock = loop.clock
        self.kind = KINDS[kind]
        self.board = ModelBoard(self.kind, version=VERSION, build=BUILD, ticks=4_294_000_000, ppm=ppm)
        self.port = BoardPort(loop, self.board, kind)
        self.port.plug_in()
        self.overheard: list[tuple[str, bytes, int]] = []
        self.link = BoardLink(
            "one",
            self.port.url,
            ExpectedBoard(self.kind, VERSION, BUILD.to_bytes(4, "big")),
            self.clock,
            draw=count(1).__next__,
            tap=lambda way, data, t_ns: self.overheard.append((way, data, t_ns)),
        )

    @property
    def now_ns(self) -> int:
        return self.clock.now_ns()

    async def passes(self, seconds: float) -> None:
        """Lets virtual time pass."""
        await sleep_ns(round(seconds * NS_PER_S))

    async def until(self, condition: Callable[[], object], within_s: float = 10.0) -> int:
        """Waits until something is so; returns how many nanoseconds that took.

        Raises:
            AssertionError: it is not so within that time.
        """
        began_ns = self.now_ns
        while not condition():
            assert self.now_ns - began_ns < within_s * NS_PER_S, "what was waited for did not happen"
            await sleep_ns(MS)
        return self.now_ns - began_ns

    async def is_up(self) -> None:
        """Waits until the board is up."""
        await self.until(lambda: self.link.status.up)

    def carried(self, command: type[object]) -> list[object]:
        """The commands of one type that the board executed, across all resets."""
        return [done.command for done in self.board.carried if isinstance(done.command, command)]


def play(scene: Callable[[BoardBench], Awaitable[None]], kind: str = "wheel", ppm: float = 40.0) -> None:
    """Runs a scene, and closes what it opened."""

    async def main() -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        bench = BoardBench(loop, kind, ppm)
        try:
            await scene(bench)
        finally:
            for watcher in list(bench.link.watchers):
                bench.link.close(watcher)
            await bench.link.wait_closed()
            bench.port.close()

    run_virtual(main(), VirtualClock(7 * NS_PER_S))
