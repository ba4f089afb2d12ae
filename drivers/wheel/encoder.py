"""An incremental encoder with an index: a count, and the range of offsets by which it may be wrong.

    edges ─► QuadratureDecoder ─► count ─────────────► proven or disproven by the index, once a turn (`index_proof`)
                 │
                 └─► gaps, turns, bounces ─► pulses lost since the index? (`lost_pulses`, `slowing`) ─► doubt

Where a turn of direction cannot be distinguished from a loss, the count is kept, and the true count is between
`count + doubt_low` and `count + doubt_high`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import chain
from typing import Final

from drivers.wheel.index_proof import CountDoubt, IndexProof
from drivers.wheel.lost_pulses import Chain, RecentEdges, Rocking
from drivers.wheel.quadrature import BACK, COUNTS_PER_SLOT, DUE, GAP, OTHER, REPEATED, QuadratureDecoder, Stop
from drivers.wheel.quarter_widths import QuarterWidths
from drivers.wheel.slowing import MOST_DEG_PER_S2, NOTHING, ROCKING_PART, STOOD_NS, GapWatch, Stopping
from hal.values import Edge

MOST_EXPLAINED: Final = 4 * COUNTS_PER_SLOT
"""Losses that were only suspected explain no greater slip than this many counts (ours)."""

NOTHING_SUSPECTED: Final = (0, 0)

TWICE_COUNTS: Final = 1.5
"""A change that is repeated within this many counts came twice: no slot passed meanwhile (ours)."""

WIDTHS_EVERY_NS: Final = 1_000_000_000
"""The widths of the quarters are learned no more often than this: a line that chatters turns 1,000 times a second."""

SPEED_COUNTS: Final = 3
"""Counts over which the speed is measured: one lost edge or an uneven disc is not a stop."""

STUCK_CHAIN: Final = 8
"""Edges of one line in a row, with none of the other, after which the other counts as stuck (ours)."""


class Encoder:
    """Decodes one encoder with its index, and records every doubt about the count.

    `count` is in counts of a quarter of a slot; `angle_counts()` is known once the index has been crossed.
    """

    __slots__ = (
        "_again",
        "_certain",
        "_chain",
        "_chain_before_run",
        "_chain_from_rest",
        "_gaps",
        "_least_turn_ns",
        "_losses_at_crossing",
        "_losses_before_slip",
        "_quarters",
        "_rocking",
        "_still_at",
        "_still_ns",
        "_stopping",
        "_suspected",
        "_swing_from",
        "_turned_ns",
        "_widths_ns",
        "bounces",
        "counts_per_turn",
        "doubt_high",
        "doubt_low",
        "doubts",
        "hidden_counts",
        "index",
        "losses",
        "lost_counts",
        "proven_ns",
        "quadrature",
        "recent",
        "started_counts",
        "stuck",
    )

    def __init__(
        self, a: str, b: str, index: str, slots: int, index_width_deg: float, passed: Collection[str] = ()
    ) -> None:
        """`a`, `b` and `index` are the lines; `slots` the high periods of A in one turn; `passed` are those of the
        decoder.
        """
        self.quadrature = QuadratureDecoder(a, b, passed)
        self.counts_per_turn = COUNTS_PER_SLOT * slots
        self.recent = RecentEdges(2 * self.counts_per_turn)
        """the edges before the newest batch; who reads the lines adds each batch before it is decoded."""
        self._quarters = QuarterWidths(a, self.counts_per_turn)
        self._widths_ns = -WIDTHS_EVERY_NS
        self.doubts: list[CountDoubt] = []
        """The doubts about the count since the last `forget_doubts`, each with its time."""
        self.index = IndexProof(index, self.counts_per_turn, index_width_deg, self.doubts)
        self._least_turn_ns: int = round((2 * 360 / self.counts_per_turn / MOST_DEG_PER_S2) ** 0.5 * 1e9)
        self._stopping = Stopping(self.counts_per_turn)
        self.proven_ns = 0
        """When the index last proved the count."""
        self.bounces = 0
        """Chains of edges that were contact bounce, since the start: their number grows as a sensor wears."""
        self._again: Edge | None = None
        """An edge that was returned before it was decoded: it is the next."""
        self._chain: Chain | None = None
        self._chain_from_rest = False
        """Whether the chain began within the first counts from a rest."""
        self._suspected = NOTHING_SUSPECTED
        """Counts that losses since the index may have hidden, in this run or before it: they would explain a slip."""
        self._certain = False
        """Whether a loss since the index is certain to hide slots: then a crossing without a slip is wrong."""
        self._gaps = GapWatch(self.quadrature, self._stopping.least_by_hand_ns)
        self._still_at = self.quadrature.count
        """The count about which the disc was still when an edge last came back."""
        self._still_ns = 0
        """Since when its edges have come back within a count of `_still_at`."""
        self.begin_run()

    def begin_run(self) -> None:
        """Begins a new run (spin): the doubts of the last one no longer count."""
        self.doubts.clear()
        self.index.begin_run()
        self.doubt_low = self.doubt_high = 0
        """The true count less the decoded one is between these, in counts."""
        self.stuck: str | None = None
        """The line of A and B that did not change while the other did."""
        self.losses = 0
        """Losses of edges that are certain."""
        self._losses_at_crossing = self._losses_before_slip = 0
        """How many of them came before the last crossing of the index, and before the crossing that precedes a slip."""
        self.lost_counts = 0
        """Counts that reported losses may hide: while a line is not seen, the disc can also turn back."""
        self.hidden_counts = 0
        """Counts that all losses of the run may hide. The index proves the angle, and so ends the doubt about it; what
        was turned before that crossing it does not prove."""
        self.started_counts = 0
        """Counts that the disc must have turned before the first that were seen, to come to its speed."""
        self._chain_before_run = 0 if self._chain is None else self._chain.backs
        """Edges back of a chain in whose midst the disc rested: what they hide, the run before did."""
        self._swing_from = self.quadrature.count
        self._gaps.begin(self.quadrature)
        self._turned_ns: int | None = None
        self._rocking: Rocking | None = None

    def stand(self) -> None:
        """Notes that the disc is at rest, in the midst of a run: its next counts are a start."""
        self._gaps.begin(self.quadrature)

    def forget_doubts(self) -> None:
        """Clears the doubts that were reported; later ones are recorded again."""
        self.doubts.clear()
        self.index.begin_run()

    # --- the count and its meaning ---------------------------------------------------------------------------

    @property
    def count(self) -> int:
        """The count as decoded."""
        return self.quadrature.count

    @property
    def doubtful(self) -> bool:
        """Whether losses since the last index leave more than one count possible."""
        return self.doubt_low != self.doubt_high

    @property
    def index_moved(self) -> bool:
        """Whether the index crossed at a wrong count, and no loss explains it: none came after the crossing before."""
        slip = self.index.slip
        return slip is not None and not slip.explained and self.losses == self._losses_before_slip

    def angle_counts(self) -> int | None:
        """Counts since angle 0 as decoded, or None before the first index."""
        zero = self.index.zero
        return None if zero is None else self.quadrature.count - zero

    def rpm(self, t_ns: int) -> float:
        """Speed in revolutions a minute, always positive: from the last counts, or less if none has followed."""
        quadrature = self.quadrature
        span = quadrature.t1_ns - quadrature.t4_ns
        if span <= 0:
            return 0.0
        tau_ns = span / SPEED_COUNTS
        if t_ns - quadrature.t1_ns > tau_ns:
            tau_ns = float(t_ns - quadrature.t1_ns)
        return 60e9 / (tau_ns * self.counts_per_turn)

    def angle_deg(self, t_ns: int) -> float | None:
        """The angle since the index, interpolated between counts by the last speed; None before an index."""
        counts = self.angle_counts()
        if counts is None:
            return None
        quadrature = self.quadrature
        tau_ns = quadrature.t1_ns - quadrature.t2_ns
        share = min(1.0, max(0.0, (t_ns - quadrature.t1_ns) / tau_ns)) if tau_ns > 0 else 0.5
        # In the positive direction the disc is past the edge of its count, in the other before the next one.
        at = counts + share if quadrature.direction > 0 else counts + 1 - share
        return at * 360 / self.counts_per_turn

    @property
    def _swing(self) -> int:
        """Counts from where the disc last turned."""
        return abs(self.quadrature.count - self._swing_from)

    def stopped_at_speed(self, now_ns: int) -> bool:
        """Whether the disc, at rest at `now_ns`, cannot have stopped where its edges end.

        The last ones were lost, or a hand stopped it.
        """
        quadrature = self.quadrature
        # The disc is in the quarter after its last count; its last two counts were in the two before.
        before, last = self._widths_of(-2 * quadrature.direction, -quadrature.direction, quadrature.t1_ns, now_ns)
        t1_ns, t2_ns, t3_ns = quadrature.t1_ns, quadrature.t2_ns, quadrature.t3_ns
        counts_ns = round((t2_ns - t3_ns) / before), round((t1_ns - t2_ns) / last)
        return self._stopping.cannot_stop(quadrature, counts_ns, self._swing, self._chain)

    def stopped_too_quickly(self) -> bool:
        """Whether not even a hand stops the disc where its edges end: the last ones were lost."""
        return self._chain is None and self._stopping.too_quick(self.quadrature)

    def turned_too_quickly(self) -> bool:
        """Whether the last edge came back so soon that it may be noise, or a disc that turned just beyond it."""
        between_ns: int = self.quadrature.t1_ns - self.quadrature.t2_ns
        return between_ns < self._least_turn_ns

    @property
    def rocked_at_end(self) -> bool:
        """Whether the disc turned within the last few counts of its run, or lost a pulse there that looks so."""
        if self._chain is not None and not self._chain.is_bounce():
            return True
        return self._turned_ns is not None and self._swing * ROCKING_PART <= self.counts_per_turn

    def quiet_since_ns(self) -> int:
        """Since when the count has stayed within a window of two counts (one count either side)."""
        since_ns = self.quadrature.t3_ns
        if self._chain is not None:
            since_ns = min(since_ns, self._chain.since_ns)
        if abs(self.quadrature.count - self._still_at) <= 1:
            # Noise on both lines makes counts, and goes nowhere.
            since_ns = min(since_ns, self._still_ns)
        return since_ns

    def doubt_at_rest(self) -> tuple[int, int]:
        """As `doubt_low` and `doubt_high`, for a disc that has come to rest."""
        low, high = self.doubt_low, self.doubt_high
        last = self._chain
        bounced = last is not None and not last.turned and last.is_bounce()
        if last is not None:
            edge_at = self.quadrature.count + (last.direction if last.turned else 0)
            hidden = last.at_rest(abs(edge_at - self._swing_from), self._rocking, self._stopping.least_slowing)
            low, high = low + hidden.low, high + hidden.high
        if last is None or bounced:
            more = self.quadrature.direction * self._stopping.may_go_on(self.quadrature, self._swing, last)
            low, high = low + min(more, 0), high + max(more, 0)
        in_gap = self._gaps.at_rest(self.quadrature)
        return low + in_gap.low, high + in_gap.high

    # --- edges ---------------------------------------------------------------------------------------------------

    def run(
        self, edges: Iterator[Edge], low: int, high: int, due_ns: int, quiet_ns: int = 0
    ) -> tuple[Stop, Edge | None]:
        """As `QuadratureDecoder.run`, but the index and every irregular edge are handled here.

        Stops only for `END`, `DUE`, `LIMIT`, `BACK` (the disc may have turned: an extreme to note) and `OTHER` (a line
        that is not the encoder's). The edge of a `DUE` is decoded first when the rest of the same iterator is given.
        """
        quadrature = self.quadrature
        index = self.index
        gaps = self._gaps
        while True:
            ahead = edges
            if self._again is not None:
                ahead, self._again = chain((self._again,), edges), None
            least, most = index.window
            if index.crossing is not None or self._chain is not None:
                # The next count shows what the last edges meant.
                least = most = quadrature.count
            elif gaps.waits:
                room = gaps.room(quadrature.count) - 1
                least, most = max(least, quadrature.count - room), min(most, quadrature.count + room)
            if least < low:
                least = low
            if most > high:
                most = high
            # The disc may be quiet since the first edge of a chain, or since it was first about a place, and not since
            # the last counts: then they do not postpone the deadline.
            quiet = self._chain is not None or -1 <= quadrature.count - self._still_at <= 1
            stop, edge = quadrature.run(ahead, least, most, due_ns, gaps.limit_ns, 0 if quiet else quiet_ns)
            if edge is None:
                return stop, None
            if stop is GAP and edge.line not in (quadrature.a, quadrature.b):
                stop = OTHER
            if stop is OTHER:
                if edge.line != index.line:
                    return stop, edge
                if not index.cross(edge, quadrature.phase is not None):
                    self.losses += 1
            elif stop is DUE:
                self._again = edge
                return stop, edge
            elif stop is GAP:
                self._again = edge
                self._lose(*gaps.open(edge.t_ns, quadrature))
            elif stop is REPEATED:
                self._repeated(edge)
            elif stop is BACK:
                self._lose(*gaps.broken(quadrature))
                if self._chain is None:
                    self._chain_from_rest = gaps.from_rest(quadrature)
                gaps.begin(quadrature, turned=quadrature.t1_ns - quadrature.t2_ns < STOOD_NS)
                if quadrature.t2_ns == quadrature.t4_ns:
                    # The first count of all: no direction was known, so nothing turned.
                    self._count_on()
                else:
                    self._back(edge)
                self._note_still()
                return stop, edge
            else:
                self._count_on()
                if not low <= quadrature.count <= high:
                    return stop, edge

    def _note_still(self) -> None:
        """Notes since when the edges that come back do so within a count of one place."""
        quadrature = self.quadrature
        turned_at = quadrature.count - quadrature.direction
        if max(abs(turned_at - self._still_at), abs(quadrature.count - self._still_at)) > 1:
            self._still_at, self._still_ns = quadrature.count, quadrature.t2_ns

    def _count_on(self) -> None:
        """Handles a count: it shows what the edges before it meant."""
        index, gaps, quadrature = self.index, self._gaps, self.quadrature
        if gaps.waits:
            self._look_for_gap()
        if self._chain is not None:
            self._end_chain(self._chain)
        elif index.crossing is not None:
            self._confirm()
        least, most = index.window
        if not least <= quadrature.count <= most:
            index.overdue(quadrature.count, quadrature.t1_ns)

    def _look_for_gap(self) -> None:
        """Handles the counts of a start, or the one after a gap in time."""
        hidden = self._gaps.count(self.quadrature)
        if self._gaps.started:
            self.started_counts = self._stopping.started_before(self.quadrature)
        if hidden is not NOTHING:
            self._lose(*hidden)

    def lost(self, line: str, missing: int | None) -> None:
        """Handles changes of a line that the backend lost: the count is unproven until the next index.

        `missing` is how many, if that is known.
        """
        self.losses += 1
        self.lost_counts += self.counts_per_turn if missing is None else 2 * missing
        if line != self.index.line:
            self._lose(-self.counts_per_turn, self.counts_per_turn)

    def unplugged(self) -> None:
        """Handles a pulled cable: levels, count and angle are unknown until edges and an index follow."""
        if self._gaps.pending(self.quadrature.count):
            self._look_for_gap()
        self._gaps.forget()
        self.quadrature.forget()
        self.index.forget(self.quadrature.count)
        self._chain = None
        self._lose(-self.counts_per_turn, self.counts_per_turn)

    # --- the index -----------------------------------------------------------------------------------------------

    def _confirm(self) -> None:
        """Clears the doubts if the index proves the count."""
        slip = self.index.slip
        known = self.index.zero is not None
        crossed = self.index.confirm(self.quadrature, self._explains)
        if crossed and known and self._certain and self.index.slip is slip:
            self.index.deny(self._suspected, self.quadrature.t1_ns)
        if self.index.slip is not slip:
            self._losses_before_slip = self._losses_at_crossing
        if crossed:
            self._certain = False
            self._losses_at_crossing = self.losses
            self.doubt_low = self.doubt_high = 0
            self._suspected = NOTHING_SUSPECTED
            self.proven_ns = self.quadrature.t2_ns
            self._gaps.adapt(self.quadrature)

    def _explains(self, lost: int) -> bool:
        """Whether losses detected since the last index account for `lost` counts."""
        low, high = self._suspected
        if not (self.doubtful or low or high):
            return False
        return self.losses > 0 or (low <= lost <= high and high - low <= MOST_EXPLAINED)

    # --- turns, wobbles and losses -------------------------------------------------------------------------------

    def _lose(self, low: int, high: int, explained: tuple[int, int] | None = None, certain: bool = False) -> None:
        """Widens the doubt: the disc went on as if counts were lost, between `low` and `high`.

        A slip of the index between those of `explained` is explained by it; by default between the same. Where the loss
        is `certain`, no such slip is wrong.
        """
        self._certain = self._certain or certain
        self.doubt_low += low
        self.doubt_high += high
        self.hidden_counts += max(-low, high)
        least, most = explained or (low, high)
        self._suspected = (self._suspected[0] + least, self._suspected[1] + most)

    def _doubt(self, low: int, high: int) -> None:
        """Widens the doubt after a turn that may hide counts. It explains no slip: a moved index looks the same."""
        self.doubt_low += low
        self.doubt_high += high

    def _repeated(self, edge: Edge) -> None:
        """Handles a repeated level: a change of the line was lost, and perhaps whole slots since the last count.

        An edge that only comes twice hides nothing: between two equal changes of one line lies a whole slot.
        """
        quadrature, last = self.quadrature, self._chain
        tau_ns = quadrature.t1_ns - quadrature.t2_ns
        if last is None and quadrature.last_line == edge.line and edge.t_ns - quadrature.t1_ns < TWICE_COUNTS * tau_ns:
            return
        since_ns, tau_ns = quadrature.t1_ns, quadrature.t1_ns - quadrature.t2_ns
        if last is not None:
            since_ns, tau_ns = last.since_ns, last.slowed[1]
        slots = min((edge.t_ns - since_ns) // (COUNTS_PER_SLOT * max(1, tau_ns)), self.counts_per_turn) + 1
        explained = None
        if last is not None and edge.line != last.line and slots == 1:
            # A far side of the pulse that the chain hides.
            self._chain, explained = last._replace(lost=True), NOTHING_SUSPECTED
        self._lose(-COUNTS_PER_SLOT * slots, COUNTS_PER_SLOT * slots, explained)
        self.lost_counts += COUNTS_PER_SLOT

    def _back(self, edge: Edge) -> None:
        """Handles a second change of one line: a turn, a wobble, a bounce or the far side of a lost pulse."""
        quadrature = self.quadrature
        last = self._chain
        if last is None:
            # t2 is the edge before, of this same line; t3 and t4 are the counts before that.
            t2_ns, t3_ns, t4_ns = quadrature.t2_ns, quadrature.t3_ns, quadrature.t4_ns
            times = (t2_ns, edge.t_ns)
            # The count before the first edge back was in the quarter in which the disc is again now.
            width, before = self._widths_of(0, quadrature.direction, t2_ns, edge.t_ns)
            tau_ns, before_ns = round((t2_ns - t3_ns) / width), round((t3_ns - t4_ns) / before)
            self._chain = Chain(edge.line, -quadrature.direction, tau_ns, before_ns, t2_ns, 1, times, width)
            return
        times_ns = (*last.times_ns, edge.t_ns)[-(2 * STUCK_CHAIN + 1) :]
        self._chain = last = last._replace(backs=last.backs + 1, times_ns=times_ns)
        if last.backs >= STUCK_CHAIN and self.stuck is None and not last.is_bounce():
            self.stuck = quadrature.b if edge.line == quadrature.a else quadrature.a
            detail = f"{self.stuck} did not change while the other line of the encoder did"
            self.doubts.append(CountDoubt(edge.t_ns, "sensor_stuck", detail, dead_line=self.stuck))

    def _widths_of(self, first: int, second: int, until_ns: int, now_ns: int) -> tuple[float, float]:
        """The widths of two quarters of a slot, by counts from where the disc is, as its edges up to a time show."""
        quadrature = self.quadrature
        if until_ns - self._widths_ns >= WIDTHS_EVERY_NS:
            self._widths_ns = until_ns
            lines = (quadrature.a, quadrature.b)
            self._quarters.learn(self.recent.last(self.counts_per_turn, lines, until_ns, now_ns, self._quarters.last))
        phase, width = quadrature.phase or 0, self._quarters.width
        return width((phase + first) % COUNTS_PER_SLOT), width((phase + second) % COUNTS_PER_SLOT)

    def _end_chain(self, last: Chain) -> None:
        """Ends a chain at an edge of the other line, which shows whether the disc turned or went on."""
        self._chain = None
        quadrature = self.quadrature
        before, self._chain_before_run = self._chain_before_run, 0
        if last.backs - before >= STUCK_CHAIN:
            # For a disc at rest, nobody knows whether an edge bounced this often, or the other line was stuck.
            self.hidden_counts += COUNTS_PER_SLOT // 2 * (last.backs - before)
        if not last.turned:
            self._confirm()
            self.bounces += last.is_bounce()
            if self._chain_from_rest and last.is_bounce():
                self._gaps.begin(self.quadrature)
            hidden_counts = self.hidden_counts
            hidden = last.ended_onwards(quadrature.t1_ns)
            if last.ended_onwards_with_a_loss(hidden):
                counts = hidden.low + hidden.high
                self._lose(*hidden, (counts, counts), certain=True)
            else:
                self._lose(*hidden)
            if before:
                self.hidden_counts = hidden_counts
            return
        self.index.crossing = None
        turned_at = quadrature.count - 2 * quadrature.direction
        swing = abs(turned_at - self._swing_from)
        rocks = self._turned_ns is not None and swing * ROCKING_PART <= self.counts_per_turn
        if last.tau_ns < self._least_turn_ns:
            # A disc so fast cannot have reversed here: noise on one line while the other moved, or a gap.
            counts = last.counts_in_gap()
            self._lose(-counts, counts)
        elif last.came_back_faster(quadrature.t1_ns) and self._stopping.cannot_turn(last):
            # A hand, or one line was stuck: then it did not turn, and every count since is one the other way.
            self._doubt(-self.counts_per_turn, self.counts_per_turn)
        else:
            # After a long swing the last one that rocked, as in the wind-up, tells nothing.
            self._doubt(*last.ended_turned(quadrature.t1_ns, rocks, self._rocking if rocks else None))
        lasted_ns = last.turn_ns - (self._turned_ns or 0)
        self._rocking = Rocking(last.turn_ns, lasted_ns, swing) if rocks else None
        self._turned_ns = last.turn_ns
        self._swing_from = turned_at
