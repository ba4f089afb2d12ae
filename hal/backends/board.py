"""Input lines and analogue channels of a board: edges that the board dated, in the host's time.

The board numbers every edge, so every loss is found, and dates each in its interrupt; `hal.board` brings them here in
their order, each exactly once. What is decided here is when the lines are there, and up to when they are known:

    port opened ── identified, proven ── levels found ═══════ edges ═══════╗ reset, silent, unplugged, too bad
         │             up                    │                             ▼
         └── time is held, OPENING_NS at most ┘                 EdgesLost(UNPLUGGED) for every line
                     │ not by then                                         │ up again: levels found anew
                     ▼                                                     ▼
          EdgesLost(UNPLUGGED) for every line                        edges, as before

| what came                                  | what it becomes                                                        |
|--------------------------------------------|------------------------------------------------------------------------|
| the levels found after `watch`             | an `Edge` for each line, all at one time                               |
| from the first `state`, those of keys      | an `Edge` for each key                                                 |
| an edge                                    | an `Edge`, at the board's time in the host's time                      |
| numbers whose edges the board has no more  | `EdgesLost(OVERFLOW)` for every line: numbers name none                |
| then, from `state`, the levels             | an `Edge` for each line of which nothing was told since                |
| a sample                                   | a `Reading` for each channel, in the unit of its line; never dated     |
|                                            | after it was read, for its time may have come garbled                  |
| no word of the edges for `SILENT_NS`       | the session is ended, and so the lines are unplugged                   |
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from hal.backends.board_wiring import SAMPLE_MS, AnalogueSpec, BoardWiring, CountedQuadrature
from hal.board.edge_stream import EdgesMissing, EdgeStream
from hal.board.errors import BoardError, SessionEndedError
from hal.board.link import BoardLink
from hal.board.message import BoardAnswer, BoardReport, MessageError
from hal.board.messages import (
    CountReport,
    EdgesReport,
    IdentityAnswer,
    SampleCommand,
    SampleReport,
    StateReport,
    WatchCommand,
)
from hal.clock import Clock
from hal.lines import NOT_YET_NS, LineError, LineSpec, LineTracker, Sink
from hal.values import Edge, EdgesLost, Loss, Rare, Reading

# How long a board that answers has said nothing of its edges.

SILENT_NS: Final = 1_500_000_000
"""No word of the edges for so long, and the lines are told unplugged (ours). The session finds within a second that a
board answers no more; this finds one that answers, and whose reports stay away."""
STEP_NS: Final = 200_000_000
"""At most so much silence is counted between two looks (ours): a host that was stopped has not listened."""


class SilenceTimer:
    """Counts it, as far as the host has listened."""

    def __init__(self) -> None:
        self._silent_ns = 0
        self._looked_ns = 0

    def listen(self, now_ns: int) -> None:
        """The host begins to listen."""
        self._looked_ns = now_ns

    def broken(self) -> None:
        """The board said something, or has only begun."""
        self._silent_ns = 0

    def too_long(self, now_ns: int, up: bool) -> bool:
        """Whether the board has been silent for too long; a board that is not up is not counted."""
        step_ns = min(now_ns - self._looked_ns, STEP_NS)
        self._looked_ns = now_ns
        if up:
            self._silent_ns += step_ns
        return up and self._silent_ns > SILENT_NS


__all__ = ["MOST_AHEAD_NS", "OPENING_NS", "SILENT_NS", "BoardLines"]

OPENING_NS: Final = 6_000_000_000
"""How long a board may take to be up before its lines are told unplugged (ours): two seconds of boot loader, and two to
learn its clock over a slow adapter. The table's time stands still so long."""
MOST_AHEAD_NS: Final = 500_000_000
"""A report that tells of a later time than that from now came garbled, and its checksum fitted (ours: more than any
clock that is in use can be off). Heeded, it would hold all lines back until then."""
_SAYS_NOTHING: Final = (
    f"it answers, and has said nothing of its edges for {SILENT_NS / 1e9:g} s; if that comes again, flash its firmware "
    "anew"
)
_YET_TO_COME: Final = "it told of a time that is yet to come; if that comes again, flash its firmware anew"


class BoardLines:
    """The lines of one board (see `hal.lines.LineSource`)."""

    detects_loss = True
    kernel_time = True
    max_lateness_ns = SILENT_NS
    """An edge whose report was lost is asked for until it comes, or until the lines are told unplugged."""

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
        """What the board last counted of the quadrature, since it is up."""
        self.error_ns: int | None = None
        """How far the times of the edges delivered last may be from the truth; None before there were any."""
        self._link = link
        self._clock = clock
        self._sink: Sink | None = None
        self._opened = False
        self._opening_until_ns = 0
        self._up = False
        self._stream: EdgeStream | None = None
        self._trackers: dict[int, LineTracker] = {}
        self._here = False
        self._unplugged = False
        self._promised_ns = NOT_YET_NS
        self._silence = SilenceTimer()

    @property
    def failed(self) -> LineError | None:
        """None while the board can come back, whatever happened to it; else the defect that stopped its link."""
        return self._link.failed

    @property
    def trouble(self) -> str | None:
        """Why the lines are unplugged now, and what to do, for people; None while they are not."""
        if not self._unplugged:
            return None
        return self._link.status.reason or f"board {self._link.name!r}: it is up, and has not told its levels yet"

    def open(self, sink: Sink) -> None:
        """Opens the board's port. The levels are delivered when the board is up and has told them.

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
        """Delivers nothing any more, and has the board watch and sample nothing."""
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
        self._leave()
        self._link.release_lines(self.name)
        self._link.close(self)

    def delivered_until(self, now_ns: int) -> int:
        """Up to when the board has told everything. While its lines are unplugged nothing is to come."""
        if self._sink is None:
            return now_ns if self._opened else NOT_YET_NS
        self._link.read_pending()
        if self._silence.too_long(now_ns, self._up):
            self._link.restart(_SAYS_NOTHING)
        if not self._up and now_ns >= self._opening_until_ns:
            self._unplug(now_ns)
            self._promised_ns = max(self._promised_ns, now_ns)
        return min(self._promised_ns, now_ns)

    # --- the board (see `hal.board.link`) --------------------------------------------------------------------------

    def up(self, identity: IdentityAnswer, t_ns: int) -> None:
        """Has the board watch, sample and count."""
        wiring = self._wiring
        self._up, self.counted = True, None
        self._silence.broken()
        self._trackers = {index: LineTracker(spec.name, spec.inverted) for index, spec in wiring.by_index.items()}
        stream = EdgeStream(self._link.clock, wiring.watched)
        if wiring.watch is None:
            self._stream = stream
        else:
            # What is reported before it is answered may be of what was watched before.
            self._link.submit(wiring.watch, partial(self._watching, stream))
        for command in (wiring.sample, wiring.count):
            if command is not None:
                self._link.submit(command, self._obeyed)

    def down(self, t_ns: int, reason: str) -> None:
        """The lines are no longer known; during the opening they may yet come."""
        was_here = self._here
        self._leave()
        if was_here:
            self._opening_until_ns = t_ns
            self._unplug(t_ns)

    def reported(self, report: BoardReport, t_ns: int) -> None:
        """Takes what the board says of its lines."""
        stream = self._stream
        if stream is None:
            return
        try:
            if isinstance(report, EdgesReport):
                stream.edges(report)
                self._hand_on(stream)
            elif isinstance(report, StateReport):
                stream.state(report)
                self._here = self._here or self._wiring.watch is None
                self._hand_on(stream)
            elif isinstance(report, SampleReport):
                self._hand_on_sample(report, t_ns)
            elif isinstance(report, CountReport):
                self.counted = report
        except MessageError as error:
            self._link.restart(f"its firmware reports what cannot be read: {error}; flash it anew")

    # --- what is delivered -------------------------------------------------------------------------------------------

    def _hand_on(self, stream: EdgeStream) -> None:
        """Delivers the edges that are complete, asks for those that are missing, and promises what the board does."""
        until_ns = stream.until_ns
        if until_ns is not None and until_ns > self._clock.now_ns() + MOST_AHEAD_NS:
            self._link.restart(_YET_TO_COME)
            return
        edges: list[Edge] = []
        rare: list[Rare] = []
        # A loss that an edge shows is dated one nanosecond before it, and must not be promised yet.
        earliest_ns = self._promised_ns + 2
        for told in stream.take():
            t_ns = max(told.t_ns, earliest_ns)
            if isinstance(told, EdgesMissing):
                self._miss(told.missing, t_ns - 1, rare)
                continue
            self._here = True
            self._take(edges, rare, t_ns, told.line, told.level)
            self.error_ns = self._link.clock.error_ns(told.ticks)
        if self._here:
            self._unplugged = False
        self._deliver(edges, rare)
        if until_ns is not None and until_ns > self._promised_ns + 1:
            self._promised_ns = until_ns - 1
            self._silence.broken()
        ask = stream.take_request()
        if ask is not None:
            self._link.submit(ask, partial(self._held, stream))

    def _take(self, edges: list[Edge], rare: list[Rare], t_ns: int, index: int, level: int) -> None:
        tracker = self._trackers.get(index)
        edge = None if tracker is None else tracker.changed(level, t_ns, rare)
        if edge is not None:
            edges.append(edge)

    def _miss(self, count: int, t_ns: int, rare: list[Rare]) -> None:
        """Edges are lost, and nobody knows whose: of each line where there are several."""
        missing = count if len(self._wiring.inputs) == 1 else None
        for tracker in self._trackers.values():
            tracker.lost()
        rare += [EdgesLost(spec.name, Loss.OVERFLOW, t_ns, missing) for spec in self._wiring.inputs]

    def _hand_on_sample(self, report: SampleReport, read_ns: int) -> None:
        if not self._here:
            return
        clock = self._link.clock
        taken_ns = clock.host_ns(clock.extend(report.time))
        if taken_ns > read_ns + MOST_AHEAD_NS:
            self._link.restart(_YET_TO_COME)
            return
        # A sample may be sent after edges that came later; nobody needs its time to the millisecond.
        t_ns = max(min(taken_ns, read_ns), self._promised_ns + 1)
        self._deliver([], [Reading(line, value, t_ns) for line, value in self._wiring.readings(report)])

    def _unplug(self, t_ns: int) -> None:
        """Tells each line as unplugged, once."""
        if not self._unplugged:
            self._unplugged = True
            t_ns = max(t_ns, self._promised_ns + 1)
            self._deliver([], [EdgesLost(line, Loss.UNPLUGGED, t_ns) for line in sorted(self.lines)])

    def _deliver(self, edges: list[Edge], rare: list[Rare]) -> None:
        if self._sink is not None and (edges or rare):
            self._sink.deliver(self.name, edges, rare)

    # --- the session -------------------------------------------------------------------------------------------------

    def _watching(self, stream: EdgeStream, result: BoardAnswer | BoardError) -> None:
        """The board watches: what it reports from here on is of this stream."""
        self._obeyed(result)
        if not isinstance(result, BoardError):
            self._stream = stream

    def _held(self, stream: EdgeStream, result: BoardAnswer | BoardError) -> None:
        """The board has said which edges it still has."""
        self._obeyed(result)
        if stream is self._stream:
            stream.held(result)
            self._hand_on(stream)

    def _obeyed(self, result: BoardAnswer | BoardError) -> None:
        """A board that does not do what every board of its kind does has other firmware than it says."""
        if isinstance(result, BoardError) and not isinstance(result, SessionEndedError):
            self._link.restart(str(result))

    def _leave(self) -> None:
        self._up = self._here = False
        self._stream = None
