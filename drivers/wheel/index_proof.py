"""The index of an encoder, which proves or disproves the count once a turn.

The index is high from angle 0 to a few degrees on. Turning positive its rising edge is angle 0, turning the other way
its falling edge: the same edge of the same tooth, so it crosses at the same count of every turn.

    turning      + + + + + + + + + + + + + + + + +          - - - - - - - - - - - - - - - - -
    index        ____/‾‾‾‾‾‾‾\\____________________          ____________________/‾‾‾‾‾‾‾\\____
                     ^ angle 0, B is low                                                ^ angle 0, B is low

    count - count at the crossing before = a multiple of the counts per turn, within half a slot   the count is proven
                                           anything else                                           `encoder_slip`
    more than 1.1 turns without a crossing                                                         `sensor_missing`
    B high at angle 0                                            A and B are swapped or one of them is inverted
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from drivers.wheel.quadrature import COUNTS_PER_SLOT, QuadratureDecoder
from hal.values import Edge

INDEX_MISSING_TURNS: Final = 1.1
"""Turns without an index after which it is missing (ours)."""

SLIP_COUNTS: Final = COUNTS_PER_SLOT // 2
"""Half a slot: the greatest difference between index crossings that is not a slip (ours)."""

DEAD_TURNS: Final = 3
"""Overdue crossings in a row after which the index sensor is dead (ours)."""

END_MARGIN: Final = 0.4
"""Least distance, in counts, of the index's end from an edge of A or B for a swap to be detected (ours)."""


class Slip(NamedTuple):
    """A crossing of the index at a wrong count."""

    t_ns: int
    detail: str
    explained: bool
    """Whether losses detected since the crossing before account for it."""


class CountDoubt(NamedTuple):
    """Something that made the count doubtful, and its time."""

    t_ns: int
    reason: str
    """`encoder_slip`, `sensor_missing` or `sensor_stuck`."""
    detail: str
    explained: bool = True
    """Whether losses that were detected account for it."""
    dead_line: str = ""
    """The line that certainly does not follow the disc; empty if none."""


class IndexProof:
    """Checks a count against the crossings of one index."""

    __slots__ = (
        "_counts_per_turn",
        "_end_phase",
        "_high_at",
        "_level",
        "_most_width",
        "_trusted_zero",
        "_width",
        "crossing",
        "doubts",
        "line",
        "missed_turns",
        "missing",
        "slip",
        "window",
        "zero",
    )

    def __init__(self, line: str, counts_per_turn: int, width_deg: float, doubts: list[CountDoubt]) -> None:
        self.line = line
        self.doubts = doubts
        self._counts_per_turn = counts_per_turn
        self._width = width_deg * counts_per_turn / 360
        self._most_width = 2 * self._width + COUNTS_PER_SLOT
        self._end_phase = _certain_phase(self._width)
        self._level: int | None = None
        self._high_at: int | None = None
        self._trusted_zero: int | None = None
        """The count at the last crossing, kept while missing crossings leave the angle unproven."""
        self.zero: int | None = None
        """The count at angle 0, or None while it is not proven."""
        self.crossing: Edge | None = None
        """An edge of the index that waits for the next count."""
        self.missed_turns = 0
        """Overdue crossings in a row: each is 1.1 turns without one."""
        self.window = self._window_about(0)
        """The counts, least and greatest, between which a crossing is not yet overdue."""
        self.begin_run()

    def begin_run(self) -> None:
        """Begins a new run: slips and missing crossings of the last one no longer count."""
        self.slip: Slip | None = None
        self.missing = False

    def forget(self, count: int) -> None:
        """Forgets level and angle, after the cable was pulled at a count, until the index crosses again.

        The disc may have turned unseen, so a crossing is overdue only after more than a turn from here.
        """
        self.missed_turns = 0
        self.window = self._window_about(count)
        self._level = None
        self._high_at = None
        self.crossing = None
        self.zero = self._trusted_zero = None

    def cross(self, edge: Edge, decoding: bool) -> bool:
        """Handles an edge of the index; returns False if it repeats a level, so that an edge before it was lost.

        The counts before and after it show which end of the index it is. A disc that reverses between two counts
        crosses the same end twice, and a spike on the line is two edges too: both are ignored. `decoding` is whether
        the levels of A and B are known.
        """
        if edge.level == self._level:
            return False
        known = self._level is not None
        self._level = edge.level
        if known and decoding:
            self.crossing = edge if self.crossing is None else None
        return True

    def confirm(self, quadrature: QuadratureDecoder, explains: Callable[[int], bool]) -> bool:
        """Checks the count at angle 0, once the disc has gone on by a count after an edge of the index.

        `explains` returns whether detected losses account for a number of lost counts. Returns whether angle 0 was
        crossed, which ends the doubts from before.
        """
        edge, self.crossing = self.crossing, None
        phase_now = quadrature.phase
        if edge is None or phase_now is None:
            return False
        # The count and the phase as they were at the index, before the count that confirms it.
        at = quadrature.count - quadrature.direction
        phase = (phase_now - quadrature.direction) % COUNTS_PER_SLOT
        # Dated by the count after it: an observation is never dated before values that were already handled.
        known_ns = quadrature.t1_ns
        self._check_width(edge, at, known_ns)
        if edge.level != (quadrature.direction > 0):
            if self._end_phase is not None and phase != self._end_phase:
                detail = (
                    f"the index ends in quarter {phase} of a slot, not {self._end_phase}: A, B or index are mixed up"
                )
                self._slipped(known_ns, detail, explained=False)
            return False
        # A rises at angle 0, so the index that comes within a count of it belongs to that very count.
        count = at + (phase == 3)
        if phase in (1, 2):
            detail = "B is high at the index: A and B are swapped, or one of them is inverted"
            self._slipped(known_ns, detail, explained=False)
        elif self._trusted_zero is not None:
            turn = self._counts_per_turn
            off = (count - self._trusted_zero + turn // 2) % turn - turn // 2
            if abs(off) > SLIP_COUNTS:
                detail = f"the index crossed {off:+d} counts from where a turn of {turn} ends"
                # Lost counts are the negative of the offset.
                self._slipped(known_ns, detail, explains(-off))
        self.zero = self._trusted_zero = count
        self.missed_turns = 0
        self.window = self._window_about(count)
        return True

    def deny(self, lost: tuple[int, int], t_ns: int) -> None:
        """Handles a crossing at a right count after a certain loss of counts, between two numbers: the index moved.

        As many as whole turns do not show.
        """
        least, most = sorted(map(abs, lost))
        if lost[0] * lost[1] > 0 and least > SLIP_COUNTS and most < self._counts_per_turn - SLIP_COUNTS:
            detail = f"the index crossed as if none of {least} to {most} counts had been lost since the crossing before"
            self._slipped(t_ns, detail, explained=False)

    def overdue(self, count: int, t_ns: int) -> None:
        """Handles a disc that left the window without a crossing: the angle is no longer proven."""
        self.missing = True
        self.missed_turns += 1
        dead = self.line if self.missed_turns >= DEAD_TURNS else ""
        detail = f"more than {self.missed_turns * INDEX_MISSING_TURNS:.1f} turns without an index"
        self.doubts.append(CountDoubt(t_ns, "sensor_missing", detail, dead_line=dead))
        self.zero = None
        self.window = self._window_about(count)

    def _window_about(self, count: int) -> tuple[int, int]:
        width = int(INDEX_MISSING_TURNS * self._counts_per_turn)
        return count - width, count + width

    def _slipped(self, t_ns: int, detail: str, explained: bool) -> None:
        self.slip = Slip(t_ns, detail, explained)
        self.doubts.append(CountDoubt(t_ns, "encoder_slip", detail, explained))

    def _check_width(self, edge: Edge, at: int, known_ns: int) -> None:
        """Checks the width of the index: one that is high for most of a turn is inverted, or its sensor is stuck."""
        if edge.level:
            self._high_at = at
            return
        if self._high_at is not None and abs(at - self._high_at) > self._most_width:
            wide = abs(at - self._high_at)
            detail = f"the index was high for {wide} counts, not about {self._width:.0f}: it is inverted or stuck"
            self._slipped(known_ns, detail, explained=False)
        self._high_at = None


def _certain_phase(end_counts: float) -> int | None:
    """The quarter of a slot in which the index ends, where it ends well inside one; None where it is near an edge."""
    inside = end_counts % 1
    return int(end_counts) % COUNTS_PER_SLOT if END_MARGIN <= inside <= 1 - END_MARGIN else None
