"""The index of an encoder: proves the count once a turn, or disproves it.

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

from drivers.wheel.quadrature import COUNTS_PER_SLOT, Quadrature
from hal.values import Edge

INDEX_MISSING_TURNS: Final = 1.1
"""Turns without an index after which it is missing (design, section 4)."""

SLIP_COUNTS: Final = COUNTS_PER_SLOT // 2
"""Half a slot: the greatest difference between index crossings that is not a slip (design, section 4)."""

DEAD_TURNS: Final = 3
"""So often in a row without an index, and its sensor is dead (ours)."""

END_MARGIN: Final = 0.4
"""How far from an edge of A or B, in counts, the end of the index must be to tell a swap (ours)."""


class Slip(NamedTuple):
    """The index crossed at a count where it cannot."""

    t_ns: int
    detail: str
    explained: bool
    """Whether losses that were noticed since the crossing before account for it."""


class Noted(NamedTuple):
    """Something that made the count doubtful, when it did."""

    t_ns: int
    reason: str
    """`encoder_slip`, `sensor_missing` or `sensor_stuck`."""
    detail: str
    explained: bool = True
    """Whether losses that were noticed account for it."""
    dead_line: str = ""
    """The line that does not do what the disc does, if it is certain that one does not."""


class IndexProof:
    """What the crossings of one index prove of a count."""

    __slots__ = (
        "_counts_per_turn",
        "_end_phase",
        "_high_at",
        "_level",
        "_most_width",
        "_trusted_zero",
        "_width",
        "crossing",
        "line",
        "missed_turns",
        "missing",
        "noted",
        "slip",
        "window",
        "zero",
    )

    def __init__(self, line: str, counts_per_turn: int, width_deg: float, noted: list[Noted]) -> None:
        self.line = line
        self.noted = noted
        self._counts_per_turn = counts_per_turn
        self._width = width_deg * counts_per_turn / 360
        self._most_width = 2 * self._width + COUNTS_PER_SLOT
        self._end_phase = _certain_phase(self._width)
        self._level: int | None = None
        self._high_at: int | None = None
        self._trusted_zero: int | None = None
        """The last crossing, also while too many turns without one leave the angle unproven."""
        self.zero: int | None = None
        """The count at angle 0, or None while it is not proven."""
        self.crossing: Edge | None = None
        """An edge of the index whose meaning shows by the next count."""
        self.missed_turns = 0
        """How often in a row 1.1 turns went by without a crossing."""
        self.window = self._window_about(0)
        """The counts, least and greatest, between which a crossing is not yet overdue."""
        self.begin_run()

    def begin_run(self) -> None:
        """A new run begins: what was wrong in the last one no longer counts."""
        self.slip: Slip | None = None
        self.missing = False

    def forget(self) -> None:
        """The cable was pulled: level and angle are unknown until the index comes again."""
        self._level = None
        self._high_at = None
        self.crossing = None
        self.zero = self._trusted_zero = None

    def cross(self, edge: Edge, decoding: bool) -> bool:
        """Takes an edge of the index; returns False if it repeats a level, so that an edge before it was lost.

        Which end of the index it is shows by the count before it and the count after it. A disc that turns round
        between two counts crosses the same end twice, and a spike on the line is two edges too: neither says anything.
        `decoding` says whether there are counts at all.
        """
        if edge.level == self._level:
            return False
        known = self._level is not None
        self._level = edge.level
        if known and decoding:
            self.crossing = edge if self.crossing is None else None
        return True

    def confirm(self, quadrature: Quadrature, explains: Callable[[int], bool]) -> bool:
        """The disc went on after an edge of the index: at angle 0 that proves or disproves the count.

        `explains` says whether losses that were noticed account for so many lost counts. Returns whether angle 0 was
        crossed: whatever was in doubt before it is settled.
        """
        edge, self.crossing = self.crossing, None
        phase_now = quadrature.phase
        if edge is None or phase_now is None:
            return False
        # The count and the phase as they were at the index, before the count that confirms it.
        at = quadrature.count - quadrature.direction
        phase = (phase_now - quadrature.direction) % COUNTS_PER_SLOT
        # Known only now, with the count after it: an observation is never dated before what was already given.
        known_ns = quadrature.t1_ns
        self._check_width(edge, at, known_ns)
        if edge.level != (quadrature.direction > 0):
            if self._end_phase is not None and phase != self._end_phase:
                detail = (
                    f"the index ends in quarter {phase} of a slot, not {self._end_phase}: A, B or index are mixed up"
                )
                self._note(known_ns, detail, explained=False)
            return False
        # A rises at angle 0, so the index that comes within a count of it belongs to that very count.
        count = at + (phase == 3)
        if phase in (1, 2):
            detail = "B is high at the index: A and B are swapped, or one of them is inverted"
            self._note(known_ns, detail, explained=False)
        elif self._trusted_zero is not None:
            turn = self._counts_per_turn
            off = (count - self._trusted_zero + turn // 2) % turn - turn // 2
            if abs(off) > SLIP_COUNTS:
                detail = f"the index crossed {off:+d} counts from where a turn of {turn} ends"
                # Counts that were lost are the negative of what the crossing is off.
                self._note(known_ns, detail, explains(-off))
        self.zero = self._trusted_zero = count
        self.missed_turns = 0
        self.window = self._window_about(count)
        return True

    def overdue(self, count: int, t_ns: int) -> None:
        """The disc has left the window without a crossing: whatever the angle was, it is no longer proven."""
        self.missing = True
        self.missed_turns += 1
        dead = self.line if self.missed_turns >= DEAD_TURNS else ""
        detail = f"more than {self.missed_turns * INDEX_MISSING_TURNS:.1f} turns without an index"
        self.noted.append(Noted(t_ns, "sensor_missing", detail, dead_line=dead))
        self.zero = None
        self.window = self._window_about(count)

    def _window_about(self, count: int) -> tuple[int, int]:
        width = int(INDEX_MISSING_TURNS * self._counts_per_turn)
        return count - width, count + width

    def _note(self, t_ns: int, detail: str, explained: bool) -> None:
        self.slip = Slip(t_ns, detail, explained)
        self.noted.append(Noted(t_ns, "encoder_slip", detail, explained))

    def _check_width(self, edge: Edge, at: int, known_ns: int) -> None:
        """The index is a few degrees wide. One that is high for most of a turn is inverted, or its sensor is stuck."""
        if edge.level:
            self._high_at = at
            return
        if self._high_at is not None and abs(at - self._high_at) > self._most_width:
            wide = abs(at - self._high_at)
            detail = f"the index was high for {wide} counts, not about {self._width:.0f}: it is inverted or stuck"
            self._note(known_ns, detail, explained=False)
        self._high_at = None


def _certain_phase(end_counts: float) -> int | None:
    """The quarter of a slot in which the index ends, where it ends well inside one; None where it is near an edge."""
    inside = end_counts % 1
    return int(end_counts) % COUNTS_PER_SLOT if END_MARGIN <= inside <= 1 - END_MARGIN else None
