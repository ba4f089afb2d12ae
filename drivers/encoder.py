"""An incremental encoder with an index: a count that can be proven, or says how wrong it may be.

The index crosses angle 0 at the same count of every turn (turning positive its rising edge, turning the other way
its falling edge: the same edge of the same tooth). So every crossing checks the turn before it:

    count - count at the crossing before = a multiple of the counts per turn, within half a slot   the count is proven
                                           anything else                                           `encoder_slip`
    more than 1.1 turns without a crossing                                                         `sensor_missing`
    B high at angle 0                                            A and B are swapped or one of them is inverted

Between the last crossing and now nothing but the edges themselves can tell (`drivers.lost_pulses`). Where a turn cannot
be told from a loss, the count is kept and `doubt` says between which offsets the truth lies.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Final, NamedTuple

from drivers.lost_pulses import GAP_COUNTS, Chain, Gap, Rocking
from drivers.quadrature import ANY_GAP_NS, COUNTS_PER_SLOT, Quadrature, Stop
from hal.values import Edge

INDEX_MISSING_TURNS: Final = 1.1
"""Turns without an index after which it is missing (design, section 4)."""

SLIP_COUNTS: Final = COUNTS_PER_SLOT // 2
"""Half a slot: the greatest difference between index crossings that is not a slip (design, section 4)."""

MOST_EXPLAINED: Final = 4 * COUNTS_PER_SLOT
"""Losses that were only suspected explain no greater slip than this many counts (ours)."""

STARTING_COUNTS: Final = 4
"""Counts after a start or a turn before gaps in time are looked for (ours)."""

STUCK_CHAIN: Final = 8
"""Edges of one line in a row, with none of the other, after which the other is not believed (ours)."""

MOST_DEG_PER_S2: Final = 10_000.0
"""No hand and no flapper turns a wheel round with more than this, about 175 rad/s^2 (ours)."""


ROCKING_PART: Final = 20
"""A swing of less than this part of a turn is a disc that rocks at the end of its run (ours)."""

END_MARGIN: Final = 0.4
"""How far from an edge of A or B, in counts, the end of the index must be to tell a swap (ours)."""


STOP_DEG_PER_S2: Final = 1200.0
"""Pegs and flapper stop a wheel with no more than this; faster stops are lost edges, or a hand (ours)."""


class Slip(NamedTuple):
    """The index crossed at a count where it cannot."""

    t_ns: int
    detail: str
    explained: bool
    """Whether losses that were noticed since the crossing before account for it."""


class Encoder:
    """Decodes one encoder with its index, and keeps book of what it cannot be sure of.

    Angles in turns: `turns(count)`; `angle()` is known once an index has been crossed.
    """

    __slots__ = (
        "_chain",
        "_crossing",
        "_end_phase",
        "_gap",
        "_gap_ns",
        "_high_at",
        "_index_high",
        "_least_stop_ns",
        "_least_turn_ns",
        "_most_width",
        "_rocking",
        "_swing_from",
        "_trusted_zero",
        "_turned_ns",
        "_unarmed",
        "_width",
        "_window",
        "bounces",
        "counts_per_turn",
        "doubt_high",
        "doubt_low",
        "index",
        "index_missing",
        "losses",
        "lost_counts",
        "missed_turns",
        "quadrature",
        "slip",
        "stuck",
        "turn_width",
        "zero",
    )

    def __init__(self, a: str, b: str, index: str, slots: int, index_width_deg: float) -> None:
        self.quadrature = Quadrature(a, b)
        self.index = index
        self.counts_per_turn = COUNTS_PER_SLOT * slots
        self._width = index_width_deg * self.counts_per_turn / 360
        self._most_width = 2 * self._width + COUNTS_PER_SLOT
        self._end_phase = _certain_phase(self._width)
        self._high_at: int | None = None
        self._gap: Gap | None = None
        self._trusted_zero: int | None = None
        """The last crossing, also while too many turns without one leave the angle unproven."""
        self.zero: int | None = None
        self.bounces = 0
        self.missed_turns = 0
        self._least_turn_ns = round((2 * 360 / self.counts_per_turn / MOST_DEG_PER_S2) ** 0.5 * 1e9)
        self._least_stop_ns: int = round((360 / self.counts_per_turn / (2 * STOP_DEG_PER_S2)) ** 0.5 * 1e9)
        self._crossing: Edge | None = None
        self._index_high: int | None = None
        self._chain: Chain | None = None
        self._window = self._index_window(0)
        self.begin_run()

    def begin_run(self) -> None:
        """A new run (spin) begins: what was wrong in the last one no longer counts."""
        self.doubt_low = self.doubt_high = 0
        self.slip: Slip | None = None
        self.index_missing = False
        self.stuck: str | None = None
        self.losses = 0
        self.lost_counts = 0
        """Counts that the losses told may have hidden: on a line that is not seen the disc can also turn back."""
        self._swing_from = self.quadrature.count
        self._disarm()
        self._turned_ns: int | None = None
        self._rocking: Rocking | None = None

    # --- the count and its meaning ---------------------------------------------------------------------------

    @property
    def count(self) -> int:
        """The count as decoded."""
        return self.quadrature.count

    @property
    def doubtful(self) -> bool:
        """Whether losses since the last index leave more than one count possible."""
        return self.doubt_low != self.doubt_high

    def angle_counts(self) -> int | None:
        """Counts since angle 0 as decoded, or None before the first index."""
        return None if self.zero is None else self.quadrature.count - self.zero

    def stopped_at_speed(self) -> bool:
        """Whether the last counts were so fast that the disc cannot have stopped within one more."""
        quadrature = self.quadrature
        last_ns = quadrature.t1_ns - quadrature.t2_ns
        return 0 < last_ns < self._least_stop_ns

    def quiet_since_ns(self) -> int:
        """Since when the count has stayed within a window of two counts (one count either side)."""
        t3_ns = self.quadrature.t3_ns
        return t3_ns if self._chain is None else min(t3_ns, self._chain.since_ns)

    def doubt_at_rest(self) -> tuple[int, int]:
        """Between which offsets from the decoded count the truth lies, for a disc that has come to rest."""
        low, high = self.doubt_low, self.doubt_high
        last = self._chain
        if last is not None:
            edge_at = self.quadrature.count + (last.direction if last.turned else 0)
            hidden = last.at_rest(abs(edge_at - self._swing_from), self._rocking)
            low, high = low + hidden.low, high + hidden.high
        return low, high

    # --- edges ---------------------------------------------------------------------------------------------------

    def run(self, edges: Iterator[Edge], low: int, high: int, due_ns: int) -> tuple[Stop, Edge | None, Iterator[Edge]]:
        """As `Quadrature.run`, but the index and every oddity are dealt with here.

        Stops only for `END`, `DUE`, `LIMIT`, `BACK` (the disc may have turned: an extreme to note) and `OTHER` (a line
        that is not the encoder's). The iterator returned is the one to go on with.
        """
        quadrature = self.quadrature
        while True:
            window_low, window_high = self._window
            if self._chain is not None or self._crossing is not None:
                # What just happened shows by the next count.
                window_low = window_high = quadrature.count
            if self._gap is not None or self._unarmed:
                window_low = window_high = quadrature.count
            stop, edge = quadrature.run(edges, max(low, window_low), min(high, window_high), due_ns, self._gap_ns)
            if edge is None or stop is Stop.END:
                return Stop.END, None, edges
            if stop is Stop.OTHER:
                if edge.line != self.index:
                    return stop, edge, edges
                self._cross(edge)
                continue
            if stop is Stop.DUE:
                return stop, edge, chain((edge,), edges)
            if stop is Stop.GAP:
                self._open_gap(edge)
                edges = chain((edge,), edges)
                continue
            if stop is Stop.REPEATED:
                self._lose(-COUNTS_PER_SLOT, COUNTS_PER_SLOT)
                self.lost_counts += COUNTS_PER_SLOT
                continue
            if stop is Stop.BACK:
                self._disarm()
                self._back(edge)
                return stop, edge, edges
            if self._gap is not None:
                self._close_gap(self._gap)
            elif self._unarmed:
                self._unarmed -= 1
                if not self._unarmed:
                    self._arm()
            if self._chain is not None:
                self._end_chain(self._chain)
            elif self._crossing is not None:
                self._confirm(self._crossing)
            count = quadrature.count
            if not self._window[0] <= count <= self._window[1]:
                # Whatever the angle was, it is no longer proven.
                self.index_missing = True
                self.missed_turns += 1
                self.zero = None
                self._window = self._index_window(count)
            if count < low or count > high:
                return Stop.LIMIT, edge, edges

    def lost(self, line: str, missing: int | None) -> None:
        """The backend lost changes of one of the lines: nothing is proven until the next index.

        `missing` is how many, if that is known.
        """
        self.losses += 1
        self.lost_counts += self.counts_per_turn if missing is None else 2 * missing
        if line != self.index:
            self._lose(-self.counts_per_turn, self.counts_per_turn)

    def unplugged(self) -> None:
        """The cable was pulled: levels, count and angle are unknown until edges and an index come again."""
        self.quadrature.forget()
        self._index_high = None
        self._chain = None
        self._crossing = None
        self.zero = self._trusted_zero = None
        self._high_at = None
        self._lose(-self.counts_per_turn, self.counts_per_turn)

    # --- the index -----------------------------------------------------------------------------------------------

    def _index_window(self, count: int) -> tuple[int, int]:
        width = int(INDEX_MISSING_TURNS * self.counts_per_turn)
        return count - width, count + width

    def _cross(self, edge: Edge) -> None:
        """An edge of the index. Which end of the index it is shows by the count before it and the count after it.

        A disc that turns round between two counts crosses the same end twice, and a spike on the line is two edges too:
        neither says anything.
        """
        known = self._index_high is not None
        if edge.level == self._index_high:
            self.losses += 1
            return
        self._index_high = edge.level
        if not known or self.quadrature.phase is None:
            return
        self._crossing = edge if self._crossing is None else None

    def _confirm(self, edge: Edge) -> None:
        """The disc went on after an edge of the index: the edge at angle 0 proves or disproves the count."""
        self._crossing = None
        quadrature = self.quadrature
        if quadrature.phase is None:
            return
        # The count and the phase as they were at the index, before the count that confirms it.
        at = quadrature.count - quadrature.direction
        phase = (quadrature.phase - quadrature.direction) % COUNTS_PER_SLOT
        self._check_width(edge, at)
        if edge.level != (quadrature.direction > 0):
            if self._end_phase is not None and phase != self._end_phase:
                detail = (
                    f"the index ends in quarter {phase} of a slot, not {self._end_phase}: A, B or index are mixed up"
                )
                self.slip = Slip(edge.t_ns, detail, explained=False)
            return
        # A rises at angle 0, so the index that comes within a count of it belongs to that very count.
        count = at + (phase == 3)
        if phase in (1, 2):
            detail = "B is high at the index: A and B are swapped, or one of them is inverted"
            self.slip = Slip(edge.t_ns, detail, explained=False)
        elif self._trusted_zero is not None:
            turn = self.counts_per_turn
            off = (count - self._trusted_zero + turn // 2) % turn - turn // 2
            if abs(off) > SLIP_COUNTS:
                detail = f"the index crossed {off:+d} counts from where a turn of {turn} ends"
                # Counts that were lost are the negative of what the crossing is off.
                explained = self.doubtful and (self.losses > 0 or self.doubt_low <= -off <= self.doubt_high)
                explained = explained and (self.losses > 0 or self.doubt_high - self.doubt_low <= MOST_EXPLAINED)
                self.slip = Slip(edge.t_ns, detail, explained)
        self.zero = self._trusted_zero = count
        self.missed_turns = 0
        self.doubt_low = self.doubt_high = 0
        self._window = self._index_window(count)
        if self._gap is None and not self._unarmed:
            self._arm()

    def _check_width(self, edge: Edge, at: int) -> None:
        """The index is a few degrees wide. One that is high for most of a turn is inverted, or its sensor is stuck."""
        if edge.level:
            self._high_at = at
            return
        if self._high_at is not None and abs(at - self._high_at) > self._most_width:
            wide = abs(at - self._high_at)
            detail = f"the index was high for {wide} counts, not about {self._width:.0f}: it is inverted or stuck"
            self.slip = Slip(edge.t_ns, detail, explained=False)
        self._high_at = None

    # --- gaps in time ---

    def _disarm(self) -> None:
        """The disc starts or turns: its next counts take any time."""
        self._gap = None
        self._gap_ns = ANY_GAP_NS
        self._unarmed = STARTING_COUNTS

    def _arm(self) -> None:
        """The disc runs: a count that takes much longer than this one deserves a look."""
        self._gap_ns = GAP_COUNTS * max(1, self.quadrature.t1_ns - self.quadrature.t2_ns)

    def _open_gap(self, edge: Edge) -> None:
        """A count that takes far longer than the one before: the disc slows, or whole slots were lost at speed."""
        quadrature = self.quadrature
        tau_ns = quadrature.t1_ns - quadrature.t2_ns
        self._gap = Gap(quadrature.count, edge.t_ns - quadrature.t1_ns, tau_ns)
        self._gap_ns = ANY_GAP_NS

    def _close_gap(self, gap: Gap) -> None:
        """The second count after a gap shows whether the disc had slowed."""
        quadrature = self.quadrature
        if abs(quadrature.count - gap.at) < 2:
            return
        self._gap = None
        self._arm()
        self._lose(*gap.lost(quadrature.t1_ns - quadrature.t2_ns, quadrature.direction))

    # --- turns, wobbles and losses -------------------------------------------------------------------------------

    def _lose(self, low: int, high: int) -> None:
        self.doubt_low += low
        self.doubt_high += high

    def _back(self, edge: Edge) -> None:
        """The same line changed again: a turn, a wobble, a bounce or the far side of a lost pulse."""
        quadrature = self.quadrature
        last = self._chain
        if last is None:
            # t2 is the edge before, of this same line; t3 and t4 are the counts before that.
            t2_ns, t3_ns, t4_ns = quadrature.t2_ns, quadrature.t3_ns, quadrature.t4_ns
            times = (t2_ns, edge.t_ns)
            self._chain = Chain(edge.line, -quadrature.direction, t2_ns - t3_ns, t3_ns - t4_ns, t2_ns, 1, times)
            return
        times_ns = (*last.times_ns, edge.t_ns)[-(2 * STUCK_CHAIN + 1) :]
        self._chain = last = last._replace(backs=last.backs + 1, times_ns=times_ns)
        if last.backs >= STUCK_CHAIN and self.stuck is None and not last.is_bounce():
            self.stuck = quadrature.b if edge.line == quadrature.a else quadrature.a

    def _end_chain(self, last: Chain) -> None:
        """The other line moved too: now it shows whether the disc turned or went on."""
        self._chain = None
        crossing, self._crossing = self._crossing, None
        quadrature = self.quadrature
        if not last.turned:
            if crossing is not None:
                self._confirm(crossing)
            self.bounces += last.is_bounce()
            self._lose(*last.ended_onwards())
            return
        turned_at = quadrature.count - 2 * quadrature.direction
        swing = abs(turned_at - self._swing_from)
        rocks = self._turned_ns is not None and swing * ROCKING_PART <= self.counts_per_turn
        if last.tau_ns < self._least_turn_ns:
            # So fast a disc cannot have turned round here: noise on one line while the other moved.
            self._lose(-COUNTS_PER_SLOT, COUNTS_PER_SLOT)
        else:
            self._lose(*last.ended_turned(quadrature.t1_ns, rocks, self._rocking))
        lasted_ns = last.turn_ns - (self._turned_ns or 0)
        self._rocking = Rocking(last.turn_ns, lasted_ns, swing) if rocks else None
        self._turned_ns = last.turn_ns
        self._swing_from = turned_at


def _certain_phase(end_counts: float) -> int | None:
    """The quarter of a slot in which the index ends, where it ends well inside one; None where it is near an edge."""
    inside = end_counts % 1
    return int(end_counts) % COUNTS_PER_SLOT if END_MARGIN <= inside <= 1 - END_MARGIN else None
