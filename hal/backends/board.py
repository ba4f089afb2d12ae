"""Input lines and analogue channels of a board: edges timestamped by the board, in the host's time.

The board numbers every edge, so every loss is detected, and timestamps it in its interrupt; `hal.board` delivers them
here in order, each exactly once. This module decides when the lines are available, and up to when they are known:

    port opened ── identified, proven ── levels found ═══════ edges ═══════╗ reset, silent, unplugged, too bad
         │             up                    │                             ▼
         └── time is held, OPENING_NS at most ┘                 EdgesLost(UNPLUGGED) for every line
                     │ not by then                                         │ up again: levels found again
                     ▼                                                     ▼
          EdgesLost(UNPLUGGED) for every line                        edges, as before

| received                                   | result                                                                 |
|--------------------------------------------|------------------------------------------------------------------------|
| the levels found after `watch`             | an `Edge` for each line, all at one time                               |
| the levels of keys in the first `state`    | an `Edge` for each key                                                 |
| an edge                                    | an `Edge`, at the board's time in the host's time                      |
| numbers the board no longer stores         | `EdgesLost(OVERFLOW)` for every line: a number names no line           |
| an input that is `masked` in `state`       | `EdgesLost(OVERFLOW)` for it: the board does not listen to it          |
| then the levels in `state`                 | an `Edge` for each line without an edge since the loss, and not masked |
| a sample                                   | a `Reading` for each channel, in the unit of its line; never dated     |
|                                            | after it was read, because its time may be corrupted                   |
| no report of edges for `SILENT_NS`         | the session is ended, and the lines are unplugged                      |
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Final

from hal.backends.board_wiring import OPENING_NS, SAMPLE_MS, AnalogueSpec, BoardWiring, CountedQuadrature
from hal.board.edge_stream import EdgesMissing, EdgeStream
from hal.board.errors import BoardError, SessionEndedError
from hal.board.link import BoardLink
from hal.board.message import BoardAnswer, BoardReport, MessageError
from hal.board.messages import (
    KINDS,
    CountReport,
    EdgesReport,
    IdentityAnswer,
    SampleCommand,
    SampleReport,
    StateReport,
    WatchCommand,
)
from hal.clock import Clock
from hal.lines import NOT_YET_NS, LineError, LineSpec, LineTracker, Sink, lost_ns
from hal.values import Edge, EdgesLost, Loss, Rare, Reading

SILENT_NS: Final = 1_500_000_000
"""Without a report of edges for this long, the lines are unplugged (ours). The session detects within a second that a
board no longer answers; this detects one that answers but no longer reports."""
STEP_NS: Final = 200_000_000
"""The most silence counted between two calls (ours): a host that was suspended did not listen."""
MOST_AHEAD_NS: Final = 500_000_000
"""A report with a time further in the future is corrupt despite its checksum (ours: more than the error of any clock in
use). Accepting it would hold all lines back until then."""
_REPORTS_NOTHING: Final = (
    f"it answers, but has reported no edges for {SILENT_NS / 1e9:g} s; if that happens again, flash its firmware again"
)
_FUTURE_TIME: Final = "it reported a time in the future; if that happens again, flash its firmware again"


class SilenceTimer:
    """Measures how long a board has reported no edges, while the host was listening."""

    def __init__(self) -> None:
        self._silent_ns = 0
        self._looked_ns = 0

    def listen(self, now_ns: int) -> None:
        """The host starts to listen."""
        self._looked_ns = now_ns

    def broken(self) -> None:
        """The board reported edges, or has just come up."""
        self._silent_ns = 0

    def too_long(self, now_ns: int, up: bool) -> bool:
        """Whether the board has been silent for too long; a board that is not up is not counted."""
        step_ns = min(now_ns - self._looked_ns, STEP_NS)
        self._looked_ns = now_ns
        if up:
            self._silent_ns += step_ns
        return up and self._silent_ns > SILENT_NS


class BoardLines:
    """The lines of one board (see `hal.lines.LineSource`)."""

    detects_loss = True
    kernel_time = True
    max_lateness_ns = SILENT_NS
    """A lost edge report is requested again until it arrives, or until the lines are unplugged."""

    def __init__(
        self,
        inputs: Sequence[LineSpec],
        link: BoardLink,
        clock: Clock,
        *,
        analogues: Sequence[AnalogueSpec] = (),
        quadrature: CountedQuadrature | None = None,
        sample_ms: int = SAMPLE_MS,
        name: str | None = None,
    ) -> None:
        """Takes the lines of the link's board; nothing is opened yet. `gpio` of an input is its number on the board.

        Raises:
            LineError: the lines contradict one another, or the board has no such inputs or channels.
        """
        self._wiring = BoardWiring(link.name, link.kind, inputs, analogues, quadrature, sample_ms)
        self.name = name or f"board:{link.name}"
        self.lines = self._wiring.lines
        self.counted: CountReport | None = None
        """The board's last count of the quadrature, since it is up."""
        self.error_ns: int | None = None
        """The bound on the error of the last edge's time: that of the clock, and how late the board may have dated it.
        None before the first edge."""
        self._late_ns = max(kind.late_ns for kind in KINDS.values()) if link.kind is None else link.kind.late_ns
        self._link = link
        self._clock = clock
        self._sink: Sink | None = None
        self._opened = False
        self._opening_until_ns = 0
        self._up = False
        self._stream: EdgeStream | None = None
        self._trackers: dict[int, LineTracker] = {}
        self._levels_known = False
        self._unplugged = False
        self._promised_ns = self._edge_ns = NOT_YET_NS
        self._silence = SilenceTimer()

    @property
    def board(self) -> str:
        """The name of the board."""
        return self._link.name

    @property
    def bound_ns(self) -> int | None:
        """The bound on the error of the times of edges from now on, until the board's clock is compared again. None
        while the board is not up."""
        return self._link.clock.bound_ns + self._late_ns if self._up else None

    @property
    def failed(self) -> LineError | None:
        """None while the board can reconnect; otherwise the defect that stopped its link."""
        return self._link.failed

    @property
    def trouble(self) -> str | None:
        """Why the lines are unplugged, and what to do, for people; None while they are not."""
        if not self._unplugged:
            return None
        return self._link.status.reason or f"board {self._link.name!r}: it is up, but has not reported its levels yet"

    def open(self, sink: Sink) -> None:
        """Opens the board's port. The levels are delivered when the board is up and has reported them.

        Raises:
            LineError: it is open already, or another source has the board's lines.
        """
        if self._sink is not None:
            raise LineError(f"source {self.name!r}: it is open already; close it first")
        self._link.claim_lines(self.name, self.lines)
        now_ns = self._clock.now_ns()
        self._sink, self._opened = sink, True
        self._opening_until_ns = now_ns + OPENING_NS
        self._unplugged = False
        self._promised_ns = max(self._promised_ns, now_ns - 1)
        self._silence.listen(now_ns)
        self._link.open(self)

    def close(self) -> None:
        """Stops delivering, and stops the board's watching and sampling."""
        if self._sink is None:
            return
        self._sink = None
        if self._up:
            for begun, ended in (
                (self._wiring.watch, WatchCommand(0, 0)),
                (self._wiring.sample, SampleCommand(0, 0)),
            ):
                if begun is not None:
                    self._link.submit(ended)
        self._reset()
        self._link.release_lines(self.name)
        self._link.close(self)

    def delivered_until(self, now_ns: int) -> int:
        """The time up to which the board has reported everything. While its lines are unplugged nothing follows."""
        if self._sink is None:
            return now_ns if self._opened else NOT_YET_NS
        self._link.read_pending()
        if self._silence.too_long(now_ns, self._up):
            self._link.restart(_REPORTS_NOTHING)
        if not self._up and now_ns >= self._opening_until_ns:
            t_ns = max(now_ns, self._promised_ns + 1)
            self._unplug(EdgesLost(line, Loss.UNPLUGGED, t_ns) for line in self.lines)
            self._promised_ns = max(self._promised_ns, now_ns)
        return min(self._promised_ns, now_ns)

    # --- the board (see `hal.board.link`) --------------------------------------------------------------------------

    def up(self, identity: IdentityAnswer, t_ns: int) -> None:
        """Starts the board's watching, sampling and counting."""
        wiring = self._wiring
        self._up, self.counted = True, None
        self._silence.broken()
        self._trackers = {index: LineTracker(spec.name, spec.inverted) for index, spec in wiring.by_index.items()}
        stream = EdgeStream(self._link.clock, wiring.watched)
        if wiring.watch is None:
            self._stream = stream
        else:
            # Reports before its answer may belong to the previous `watch`.
            self._link.submit(wiring.watch, partial(self._watching, stream))
        for command in (wiring.sample, wiring.count):
            if command is not None:
                self._link.submit(command, self._check_executed)

    def down(self, t_ns: int, reason: str) -> None:
        """The lines are no longer known; during the opening the board may still come up."""
        were_known = self._levels_known
        self._reset()
        if were_known:
            self._opening_until_ns = t_ns
            lost = [tracker.unplugged(self._promised_ns) for tracker in self._trackers.values()]
            t_ns = max(t_ns, self._promised_ns + 1)
            self._unplug(
                [*lost, *(EdgesLost(each.name, Loss.UNPLUGGED, t_ns) for each in self._wiring.channels.values())]
            )

    def reported(self, report: BoardReport, t_ns: int) -> None:
        """Handles a report about the lines."""
        stream = self._stream
        if stream is None:
            return
        try:
            if isinstance(report, EdgesReport):
                stream.edges(report)
                self._deliver_stream(stream)
            elif isinstance(report, StateReport):
                stream.state(report)
                self._levels_known = self._levels_known or self._wiring.watch is None
                self._deliver_stream(stream)
            elif isinstance(report, SampleReport):
                self._deliver_sample(report, t_ns)
            elif isinstance(report, CountReport):
                self.counted = report
        except MessageError as error:
            self._link.restart(f"its firmware sends reports that cannot be decoded: {error}; flash it again")

    # --- delivering -------------------------------------------------------------------------------------------

    def _deliver_stream(self, stream: EdgeStream) -> None:
        """Delivers the complete edges, requests the missing ones, and advances `delivered_until`."""
        until_ns = stream.until_ns
        if until_ns is not None and until_ns > self._clock.now_ns() + MOST_AHEAD_NS:
            self._link.restart(_FUTURE_TIME)
            return
        edges: list[Edge] = []
        rare: list[Rare] = []
        # A loss that an edge reveals is dated before it, and must still be possible.
        earliest_ns = self._promised_ns + 2
        edge_ns = self._edge_ns
        for item in stream.take():
            t_ns = max(item.t_ns, earliest_ns)
            if isinstance(item, EdgesMissing):
                self._miss(item, lost_ns(edge_ns, self._promised_ns, t_ns), rare)
                continue
            self._levels_known = True
            edge_ns = t_ns
            self._add_edge(edges, rare, t_ns, item.line, item.level)
            self.error_ns = self._link.clock.error_ns(item.ticks) + self._late_ns
        self._edge_ns = edge_ns
        if self._levels_known:
            self._unplugged = False
        self._deliver(edges, rare)
        if until_ns is not None and until_ns > self._promised_ns + 1:
            self._promised_ns = until_ns - 1
            self._silence.broken()
        ask = stream.take_request()
        if ask is not None:
            self._link.submit(ask, partial(self._held, stream))

    def _add_edge(self, edges: list[Edge], rare: list[Rare], t_ns: int, index: int, level: int) -> None:
        tracker = self._trackers.get(index)
        edge = None if tracker is None else tracker.changed(level, t_ns, rare, self._promised_ns)
        if edge is not None:
            edges.append(edge)

    def _miss(self, item: EdgesMissing, t_ns: int, rare: list[Rare]) -> None:
        """Edges are lost: reports a loss on every line, or on the masked ones."""
        missing = (item.missing or None) if len(self._wiring.inputs) == 1 else None
        for index, spec in self._wiring.by_index.items():
            if not item.masked or index in item.masked:
                self._trackers[index].lost()
                rare.append(EdgesLost(spec.name, Loss.OVERFLOW, t_ns, missing))

    def _deliver_sample(self, report: SampleReport, read_ns: int) -> None:
        if not self._levels_known:
            return
        clock = self._link.clock
        taken_ns = clock.host_ns(clock.extend(report.time))
        if taken_ns > read_ns + MOST_AHEAD_NS:
            self._link.restart(_FUTURE_TIME)
            return
        # A sample may be sent after later edges; its time is not needed to the millisecond.
        t_ns = max(min(taken_ns, read_ns), self._promised_ns + 1)
        self._deliver([], [Reading(line, value, t_ns) for line, value in self._wiring.readings(report)])

    def _unplug(self, lost: Iterable[EdgesLost]) -> None:
        """Reports each line as unplugged, once."""
        if not self._unplugged:
            self._unplugged = True
            self._deliver([], sorted(lost))

    def _deliver(self, edges: list[Edge], rare: list[Rare]) -> None:
        if self._sink is not None and (edges or rare):
            self._sink.deliver(self.name, edges, rare)

    # --- the session -------------------------------------------------------------------------------------------------

    def _watching(self, stream: EdgeStream, result: BoardAnswer | BoardError) -> None:
        """The board watches: its reports from here on belong to this stream."""
        self._check_executed(result)
        if not isinstance(result, BoardError):
            self._stream = stream

    def _held(self, stream: EdgeStream, result: BoardAnswer | BoardError) -> None:
        """The board has answered which edges it still stores."""
        self._check_executed(result)
        if stream is self._stream:
            stream.held(result)
            self._deliver_stream(stream)

    def _check_executed(self, result: BoardAnswer | BoardError) -> None:
        """Restarts the session after a refusal: a board of this kind must execute the command."""
        if isinstance(result, BoardError) and not isinstance(result, SessionEndedError):
            self._link.restart(str(result))

    def _reset(self) -> None:
        self._up = self._levels_known = False
        self._stream = None
