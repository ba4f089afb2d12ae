"""A board for the contract suite: the model board on a port that pyserial opens, the link, the session, the lines.

A board needs time where a chip needs none: to be identified, to send what it saw. So it lives in a world with a loop
and a clock of its own, and the suite's clock stands still while the world needs a pause:

    world   ──opening──┬───────────┬──reports come──┬───────────►
    suite              └─ from START_NS on ─┘ stands └───────────►

Its clock runs 40 ppm fast, in ticks of half a microsecond. An edge that is dated within `TOLERANCE_NS` of when it
happened has the time at which it happened, as far as the suite can see; another one has not.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path

from hal.backends.board import BoardLines
from hal.board.identity import ExpectedBoard
from hal.board.link import BoardLink
from hal.board.messages import KINDS
from hal.clock import VirtualClock
from hal.lines import LineError, LineSource, LineSpec, Sink
from hal.loop import VirtualLoop, sleep_ns
from hal.values import Edge, EdgesLost, Loss, Rare
from tests.contract.line_harnesses import FIRST_PIN, LINES, WiredHarness
from tests.fakes.board_port import BoardPort
from tests.fakes.model_board import ModelBoard

TOLERANCE_NS = 20_000
"""The bound promised for a board's times."""
UPTIME_NS = 987_654_321_012_345
UPTIME_TICKS = 1_975_308_642_024
PAUSE_NS = 120_000_000
"""The time by which changes are reported and missing ones requested."""
KIND = KINDS["wheel"]


class BoardHarness(WiredHarness):
    """A wheel board. It has been up for eleven days when the suite begins."""

    late_ns = 300_000_000
    burst_gap_ns = 200_000
    dates_edges = True

    def __init__(self, directory: Path) -> None:
        super().__init__(directory)
        self.world = VirtualLoop(VirtualClock(UPTIME_NS))
        self.board = ModelBoard(KIND, start_ns=UPTIME_NS, ticks=UPTIME_TICKS, ppm=40)
        self.port = BoardPort(self.world, self.board, "contract")
        self.port.plug_in()
        wanted = ExpectedBoard(KIND, (1, 0, 0), bytes(4))
        self.link = BoardLink("wheel", self.port.url, wanted, self.world.clock, draw=count(1).__next__)
        self.happened: dict[str, deque[tuple[int, int]]] = {line: deque() for line in LINES}
        """Line -> for each change not yet delivered: its time in the world and in the suite."""
        self._pieces = [(self.clock.now_ns(), UPTIME_NS)]
        self.cleanup.callback(self._end)

    # --- the suite's controls ----------------------------------------------------------------------------------------

    def set_up(self, levels: Mapping[str, int], inverted: frozenset[str]) -> None:
        for line in LINES:
            self.board.edge(LINES.index(line), levels.get(line, 0), self.world.clock.now_ns())
        specs = [LineSpec(line, FIRST_PIN + LINES.index(line), inverted=line in inverted) for line in LINES]
        self.source = self.source_of(specs)

    def source_of(self, specs: Sequence[LineSpec]) -> LineSource:
        on_board = [replace(spec, gpio=_input(spec.gpio), board="wheel") for spec in specs]
        return _InSuiteTime(BoardLines(on_board, self.link, self.world.clock), self)

    def wire(self, pin: int) -> str:
        return f"input {_input(pin)}"

    def told_of(self, line: str, changes: int) -> set[tuple[str, Loss, int | None]]:
        # Numbers that no edge has do not name a line.
        return {(every, Loss.OVERFLOW, None) for every in LINES}

    def happen(self, edge: Edge) -> None:
        t_ns = self.world_ns(edge.t_ns)
        self.happened[edge.line].append((t_ns, edge.t_ns))
        self.port.drive(LINES.index(edge.line), edge.level, t_ns)

    def repeat(self, line: str, t_ns: int) -> None:
        raise NotImplementedError("a board numbers two edges that it sees as one; see `overflow`")

    def overflow(self, line: str, t_ns: int) -> None:
        self.port.at(self.world_ns(t_ns), lambda now_ns: self.board.miss(LINES.index(line), 3, now_ns))

    def happen_now(self, changes: Sequence[Edge]) -> None:
        super().happen_now(changes)
        self.port.stall(PAUSE_NS)
        self._go_on_from(changes[-1].t_ns)

    def advance(self, t_ns: int) -> None:
        while self.script and self.script[0].t_ns <= t_ns:
            self.happen(self.script.pop(0))
        self.clock.advance_to(t_ns)
        self.turn()

    def turn(self) -> None:
        self.catch_up()
        self.world.run_until_complete(sleep_ns(PAUSE_NS))
        self._go_on_from(self.clock.now_ns())

    # --- the world ---------------------------------------------------------------------------------------------------

    def catch_up(self) -> None:
        """Advances the world to the suite's time."""
        behind_ns = self.world_ns(self.clock.now_ns()) - self.world.clock.now_ns()
        if behind_ns > 0:
            self.world.run_until_complete(sleep_ns(behind_ns))

    def world_ns(self, suite_ns: int) -> int:
        """Converts a time of the suite to the world's."""
        began_ns, world_ns = self._pieces[-1]
        return max(world_ns + suite_ns - began_ns, self.world.clock.now_ns() if suite_ns < began_ns else 0)

    def suite_ns(self, world_ns: int) -> int:
        """Converts a time of the world to the suite's: a pause ends before the time at which it lies."""
        before_ns = self.clock.now_ns()
        for began_ns, began_world_ns in reversed(self._pieces):
            if world_ns >= began_world_ns:
                return min(began_ns + world_ns - began_world_ns, before_ns)
            before_ns = began_ns - 1
        return world_ns - self._pieces[0][1]

    async def opening(self, lines: BoardLines, sink: _InSuiteTime) -> None:
        """Opens the lines, and waits for their levels."""
        lines.open(sink)
        while sink.to_be_found:
            await sleep_ns(1_000_000)

    def open_for(self, lines: BoardLines, sink: _InSuiteTime) -> None:
        """Opens without the suite's time passing."""
        self.world.run_until_complete(self.opening(lines, sink))
        self._go_on_from(self.clock.now_ns())

    def _go_on_from(self, suite_ns: int) -> None:
        self._pieces.append((suite_ns, self.world.clock.now_ns()))

    def _end(self) -> None:
        self.world.run_until_complete(self.link.wait_closed())
        self.port.close()
        self.world.run_until_complete(sleep_ns(0))
        self.world.run_until_complete(self.world.shutdown_default_executor())
        self.world.close()


class _InSuiteTime:
    """The lines of the board with the times of the suite; it is also their sink."""

    def __init__(self, lines: BoardLines, harness: BoardHarness) -> None:
        self.lines = lines.lines
        self.name = lines.name
        self.detects_loss = lines.detects_loss
        self.kernel_time = lines.kernel_time
        self.max_lateness_ns = lines.max_lateness_ns
        self.to_be_found: set[str] = set()
        self._lines = lines
        self._harness = harness
        self._sink: Sink | None = None
        self._promised_ns = 0

    @property
    def failed(self) -> LineError | None:
        return self._lines.failed

    def open(self, sink: Sink) -> None:
        self._sink = sink
        self.to_be_found = set(self.lines)
        self._harness.open_for(self._lines, self)

    def close(self) -> None:
        self._lines.close()

    def delivered_until(self, now_ns: int) -> int:
        self._harness.catch_up()
        until_ns = self._lines.delivered_until(self._harness.world.clock.now_ns())
        if until_ns < 0:
            return until_ns
        self._promised_ns = max(self._promised_ns, until_ns)
        return min(now_ns, self._harness.suite_ns(until_ns - TOLERANCE_NS))

    def deliver(self, source: str, edges: Sequence[Edge], rare: Sequence[Rare]) -> None:
        assert self._sink is not None
        assert all(value.t_ns > self._promised_ns for value in [*edges, *rare])
        losses = [value for value in rare if isinstance(value, EdgesLost)]
        assert len(losses) == len(rare)
        self._sink.deliver(
            source,
            [edge._replace(t_ns=self._time_of(edge)) for edge in edges],
            [loss._replace(t_ns=self._harness.suite_ns(loss.t_ns)) for loss in losses],
        )

    def _time_of(self, edge: Edge) -> int:
        if edge.line in self.to_be_found:
            self.to_be_found.remove(edge.line)
            return self._harness.clock.now_ns()
        happened = self._harness.happened[edge.line]
        if happened and abs(happened[0][0] - edge.t_ns) <= TOLERANCE_NS:
            return happened.popleft()[1]
        return self._harness.suite_ns(edge.t_ns)


def _input(pin: int | str | None) -> int | str | None:
    """The input for a pin of the suite; an unknown pin maps to an unknown input."""
    return pin - FIRST_PIN + 1 if isinstance(pin, int) and pin < FIRST_PIN + 8 else pin
