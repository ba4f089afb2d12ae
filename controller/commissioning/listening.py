"""Listens to the lines of a table without a service: what they did in a span of time, as one recording."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from operator import attrgetter
from typing import Final

from controller.configuration.values import TableConfig
from controller.live.wiring import Wiring, wire
from drivers.base.movement import Recording
from hal.board.messages import IdentityAnswer
from hal.clock import NS_PER_S, Clock
from hal.lines import LineError, LineSource, Sink
from hal.loop import sleep_ns
from hal.values import Edge, EdgesLost, Loss, Rare

log = logging.getLogger(__name__)

MOST_VALUES: Final = 500_000
"""A movement with more values than this is noise (ours): some 60 MB."""
STEP_NS: Final = NS_PER_S // 50
"""How often the sources are asked for what they hold (ours)."""
UP_NS: Final = 8 * NS_PER_S
"""How long lines on boards may take to come up (ours): boot loader, and the measure of the board's clock."""

_moment = attrgetter("t_ns")


class TooManyValuesError(Exception):
    """The lines changed more often than any movement does; the message names the line that did most."""


class LineListener:
    """Receives what the sources of a table deliver (see `hal.lines.Sink`)."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._levels: dict[str, int] = {}
        """The last level of each line that is known."""
        self._begin_levels: dict[str, int] = {}
        self._begin_ns = clock.now_ns()
        self._edges: list[Edge] = []
        self._rare: list[Rare] = []
        self.sources: list[LineSource] = []

    @property
    def levels(self) -> Mapping[str, int]:
        """The last level of each line that is known."""
        return self._levels

    def deliver(self, source: str, edges: Sequence[Edge], rare: Sequence[Rare]) -> None:
        """Keeps what a source delivers."""
        for edge in edges:
            self._levels[edge.line] = edge.level
        for value in rare:
            if isinstance(value, EdgesLost) and value.cause is Loss.UNPLUGGED:
                self._levels.pop(value.line, None)
        if len(self._edges) + len(self._rare) < MOST_VALUES:
            self._edges += edges
            self._rare += rare

    def begin(self) -> None:
        """A recording begins now; what was before is dropped."""
        self.poll()
        self._edges, self._rare = [], []
        self._begin_levels = dict(self._levels)
        self._begin_ns = self._clock.now_ns()

    def poll(self) -> None:
        """Has the sources deliver what they hold."""
        now_ns = self._clock.now_ns()
        for source in self.sources:
            if source.failed is None:
                source.delivered_until(now_ns)

    def recording(self) -> Recording:
        """What the lines did since `begin`, with the levels found then.

        Raises:
            TooManyValuesError: they changed more often than any movement does.
        """
        self.poll()
        if len(self._edges) + len(self._rare) >= MOST_VALUES:
            counts: dict[str, int] = {}
            for edge in self._edges:
                counts[edge.line] = counts.get(edge.line, 0) + 1
            most = max(counts, key=lambda line: counts[line], default="a link")
            raise TooManyValuesError(f"more than {MOST_VALUES} changes, most of them of {most}: it is noise")
        found = [Edge(line, level, self._begin_ns) for line, level in self._begin_levels.items()]
        edges = sorted(self._edges, key=_moment)
        return Recording([*found, *edges], sorted(self._rare, key=_moment), self._clock.now_ns())

    async def wait(self, seconds: float) -> None:
        """Listens for this long."""
        until_ns = self._clock.now_ns() + round(seconds * NS_PER_S)
        while (left_ns := until_ns - self._clock.now_ns()) > 0:
            await sleep_ns(min(STEP_NS, left_ns))
            self.poll()


class _Identity:
    """Takes the identity of a board when its session opens (see `hal.board.link.BoardWatcher`)."""

    def __init__(self) -> None:
        self.identity: IdentityAnswer | None = None
        self.down_reason = "it has not come up yet"

    def up(self, identity: IdentityAnswer, t_ns: int) -> None:
        self.identity = identity

    def down(self, t_ns: int, reason: str) -> None:
        self.down_reason = reason

    def reported(self, report: object, t_ns: int) -> None:
        """A report of the lines: their source takes it."""


class OpenTable:
    """A table whose lines are open for a person, not for a game."""

    def __init__(self, wiring: Wiring, listener: LineListener, boards: Mapping[str, _Identity]) -> None:
        self.wiring = wiring
        self.listener = listener
        self._boards = boards

    @property
    def boards_down(self) -> dict[str, str]:
        """The boards that are not up, each with the cause."""
        return {name: one.down_reason for name, one in self._boards.items() if one.identity is None}

    @property
    def identities(self) -> dict[str, IdentityAnswer]:
        """The identity of each board that is up."""
        return {name: one.identity for name, one in self._boards.items() if one.identity is not None}

    def failures(self) -> list[LineError]:
        """Why sources have stopped delivering."""
        return [source.failed for source in self.wiring.sources if source.failed is not None]


@asynccontextmanager
async def open_lines(
    config: TableConfig,
    clock: Clock,
    *,
    outputs: bool = False,
    sink: Sink | None = None,
    prepare: Callable[[LineSource], None] = lambda source: None,
) -> AsyncIterator[OpenTable]:
    """Opens the lines of a table as long as the block lasts; with `outputs` those too, which are safe until they are
    commanded, and safe again when the block ends, however it does.

    Values go to the table's listener, or to `sink`; `prepare` is called with each source before it is opened.

    Raises:
        LineError: a chip, a line or a port cannot be opened; the message names it and what to do.
    """
    wiring = wire(config, clock, {}, 1)
    listener = LineListener(clock)
    boards = {name: _Identity() for name in wiring.boards}
    table = OpenTable(wiring, listener, boards)
    opened: list[LineSource] = []
    try:
        for name, link in wiring.boards.items():
            link.open(boards[name])
        for source in wiring.sources:
            prepare(source)
            source.open(listener if sink is None else sink)
            opened.append(source)
        listener.sources = opened
        if wiring.display is not None:
            wiring.display.open(listener)
        if outputs:
            wiring.open_outputs()
        if wiring.boards:
            await _until_up(table, clock)
        if wiring.display is not None:
            # Its port is opened by a task of its own.
            await listener.wait(0.5)
        yield table
    finally:
        # The outputs first, while their boards can still be reached.
        wiring.close()
        for name, link in wiring.boards.items():
            link.close(boards[name])


async def _until_up(table: OpenTable, clock: Clock) -> None:
    """Waits until every board is up, and its lines are known."""
    until_ns = clock.now_ns() + UP_NS
    while clock.now_ns() < until_ns and table.boards_down:
        await sleep_ns(STEP_NS)
        table.listener.poll()
    await table.listener.wait(0.3)
